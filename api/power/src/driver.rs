//! A driver, whichever it is: the one way in for who follows power actions.
//!
//! All methods take several nodes, whose answers come by node: the failure of one is no failure of another. Of a node whose
//! answer is missing nothing is known, and drivers leave none out. A caller who goes away before the answer is there
//! does not know whether an order was carried out.

use planner::power_action::{PowerOrder, PowerReading};
use planner::time::Timestamp;

use crate::abilities::Abilities;
use crate::by_node::ByNode;
use crate::command::SiteCommand;
use crate::error::PowerError;
use crate::ipmi::Ipmi;
use crate::limit::{LimitReading, PowerLimit};
use crate::redfish::Redfish;

/// What switches nodes.
#[derive(Debug)]
pub enum Driver {
    /// Management controllers by Redfish.
    Redfish(Redfish),
    /// Management controllers by IPMI.
    Ipmi(Ipmi),
    /// A command of the site's own.
    Command(SiteCommand),
}

impl Driver {
    /// What it can do.
    pub fn abilities(&self) -> Abilities {
        match self {
            Self::Redfish(redfish) => redfish.abilities(),
            Self::Ipmi(ipmi) => ipmi.abilities(),
            Self::Command(command) => command.abilities(),
        }
    }

    /// The power of nodes now. Those of which nothing can be read are unknown, with why.
    pub async fn powers(&self, nodes: &[String], now: Timestamp) -> ByNode<PowerReading> {
        match self {
            Self::Redfish(redfish) => redfish.powers(nodes, now).await,
            Self::Ipmi(ipmi) => ipmi.powers(nodes).await,
            Self::Command(command) => command.powers(nodes).await,
        }
    }

    /// Gives an order for nodes. That it was accepted says nothing of its effect.
    pub async fn order(
        &self,
        order: PowerOrder,
        nodes: &[String],
        now: Timestamp,
    ) -> ByNode<Result<(), PowerError>> {
        match self {
            Self::Redfish(redfish) => redfish.order(order, nodes, now).await,
            Self::Ipmi(ipmi) => ipmi.order(order, nodes).await,
            Self::Command(command) => command.order(order, nodes).await,
        }
    }

    /// The power limits of nodes now. Those of which nothing can be read are unknown, with why.
    pub async fn limits(&self, nodes: &[String], now: Timestamp) -> ByNode<LimitReading> {
        let told = match self {
            Self::Redfish(redfish) => redfish.limits(nodes, now).await,
            Self::Ipmi(ipmi) => ipmi.limits(nodes).await,
            Self::Command(command) => command.limits(nodes).await,
        };
        let reading = |told: Result<LimitReading, PowerError>| {
            told.unwrap_or_else(|error| LimitReading::Unknown(error.to_string()))
        };
        told.into_iter().map(|(node, told)| (node, reading(told))).collect()
    }

    /// Sets or lifts the power limit of nodes. That it was accepted says nothing of its effect.
    pub async fn set_limit(
        &self,
        limit: PowerLimit,
        nodes: &[String],
        now: Timestamp,
    ) -> ByNode<Result<(), PowerError>> {
        match self {
            Self::Redfish(redfish) => redfish.set_limit(limit, nodes, now).await,
            Self::Ipmi(ipmi) => ipmi.set_limit(limit, nodes).await,
            Self::Command(command) => command.set_limit(limit, nodes).await,
        }
    }
}
