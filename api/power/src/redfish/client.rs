//! What controllers are asked and told, many at once.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bmc::access::Access;
use bmc::address::{Addresses, filled, names_node};
use bmc::session::{Change, Session};
use futures_util::{StreamExt, stream};
use grid_feeds::feed::Secret;
use grid_feeds::http::Http;
use planner::power_action::{PowerOrder, PowerReading};
use planner::time::Timestamp;
use reqwest::Method;
use serde_json::json;

use super::limit::{self, Place};
use super::system;
use crate::abilities::{Abilities, allowed};
use crate::by_node::{ByNode, all, one_node_each};
use crate::error::PowerError;
use crate::limit::{LimitReading, PowerLimit};

/// The controllers of nodes, and how they are asked.
#[derive(Clone, Debug)]
pub struct RedfishSettings {
    /// Where they are: URLs without a path. Each node has its own, unless `system` names the node.
    pub addresses: Addresses,
    /// The path of the system, where `{node}` stands for the node; the controller's only one unless given.
    pub system: Option<String>,
    /// The path of the resource with the power limit, where `{node}` stands for the node; looked for unless given.
    pub limit: Option<String>,
    /// Who asks.
    pub access: Access,
    /// Whether sessions are opened instead of showing the password each time.
    pub sessions: bool,
    /// Whether the site allows to take a node's power away.
    pub forced_off: bool,
    /// How many are asked at once.
    pub at_once: usize,
}

/// Controllers that are asked by Redfish.
#[derive(Debug)]
pub struct Redfish {
    settings: RedfishSettings,
    http: Http,
    known: Mutex<Known>,
}

/// What was found out of controllers.
#[derive(Debug, Default)]
struct Known {
    /// Sessions by address.
    tokens: HashMap<String, Secret>,
    /// Paths of systems by node.
    systems: HashMap<String, String>,
    /// Resources with power limits by node.
    limits: HashMap<String, Place>,
}

/// What is to be done with one node.
#[derive(Clone, Copy)]
enum Task {
    Power,
    Order(PowerOrder),
    Limit,
    SetLimit(PowerLimit),
}

/// What came of it.
enum Outcome {
    Power(PowerReading),
    Limit(LimitReading),
    Accepted,
}

impl Redfish {
    /// The controllers of these settings; nothing is asked of them yet.
    ///
    /// # Errors
    /// Several nodes have one system: an order for one would switch the other.
    pub fn new(settings: RedfishSettings, http: Http) -> Result<Self, PowerError> {
        if !settings.system.as_ref().is_some_and(|it| names_node(it)) {
            one_node_each(&settings.addresses)?;
        }
        Ok(Self { settings, http, known: Mutex::default() })
    }

    /// What it can do.
    pub(crate) const fn abilities(&self) -> Abilities {
        Abilities { forced_off: self.settings.forced_off, limits: true }
    }

    /// The power of nodes now.
    pub(crate) async fn powers(&self, nodes: &[String], now: Timestamp) -> ByNode<PowerReading> {
        let told = self.do_all(Task::Power, nodes, now).await;
        let reading = |outcome| match outcome {
            Ok(Outcome::Power(power)) => power,
            Ok(_) => PowerReading::Unknown("nothing was read".to_owned()),
            Err(error) => PowerError::unknown(&error),
        };
        told.into_iter().map(|(node, outcome)| (node, reading(outcome))).collect()
    }

    /// Gives an order.
    pub(crate) async fn order(
        &self,
        order: PowerOrder,
        nodes: &[String],
        now: Timestamp,
    ) -> ByNode<Result<(), PowerError>> {
        if let Err(error) = allowed(order, self.settings.forced_off) {
            return all(nodes, &Err(error));
        }
        let told = self.do_all(Task::Order(order), nodes, now).await;
        told.into_iter().map(|(node, outcome)| (node, outcome.map(drop))).collect()
    }

    /// The power limits of nodes now.
    pub(crate) async fn limits(
        &self,
        nodes: &[String],
        now: Timestamp,
    ) -> ByNode<Result<LimitReading, PowerError>> {
        let told = self.do_all(Task::Limit, nodes, now).await;
        let reading = |outcome: Outcome| match outcome {
            Outcome::Limit(limit) => limit,
            _ => LimitReading::Unknown("nothing was read".to_owned()),
        };
        told.into_iter().map(|(node, outcome)| (node, outcome.map(reading))).collect()
    }

    /// Sets or lifts a power limit.
    pub(crate) async fn set_limit(
        &self,
        limit: PowerLimit,
        nodes: &[String],
        now: Timestamp,
    ) -> ByNode<Result<(), PowerError>> {
        let told = self.do_all(Task::SetLimit(limit), nodes, now).await;
        told.into_iter().map(|(node, outcome)| (node, outcome.map(drop))).collect()
    }

    async fn do_all(
        &self,
        task: Task,
        nodes: &[String],
        now: Timestamp,
    ) -> ByNode<Result<Outcome, PowerError>> {
        let mut answers = ByNode::new();
        let twice = self.with_one_system(nodes);
        let mut asked = Vec::new();
        for node in nodes {
            if twice.contains(node.as_str()) {
                let message = format!("node {node} has the same system as another node");
                answers.insert(node.clone(), Err(PowerError::Configuration(message)));
            } else {
                asked.push(self.do_one(task, node, now));
            }
        }
        let told = stream::iter(asked).buffer_unordered(self.settings.at_once.max(1));
        answers.extend(told.collect::<Vec<_>>().await);
        answers
    }

    /// Nodes whose settings lead to the system of another one.
    fn with_one_system<'n>(&self, nodes: &'n [String]) -> HashSet<&'n str> {
        let system = |node: &str| {
            let base = self.settings.addresses.of(node)?;
            let path = self.settings.system.as_ref().map(|path| filled(path, node));
            Some((base.trim_end_matches('/').to_owned(), path))
        };
        let mut first: HashMap<_, &str> = HashMap::new();
        let mut twice = HashSet::new();
        for node in nodes {
            let Some(system) = system(node) else { continue };
            match first.get(&system) {
                Some(other) if *other != node => twice.extend([*other, node.as_str()]),
                _ => _ = first.insert(system, node),
            }
        }
        twice
    }

    async fn do_one(
        &self,
        task: Task,
        node: &str,
        now: Timestamp,
    ) -> (String, Result<Outcome, PowerError>) {
        (node.to_owned(), self.attempt(task, node, now).await)
    }

    async fn attempt(&self, task: Task, node: &str, now: Timestamp) -> Result<Outcome, PowerError> {
        let base = self.settings.addresses.needed(node)?.trim_end_matches('/').to_owned();
        let token = self.known().tokens.get(&base).cloned();
        let Self { settings: RedfishSettings { access, sessions: opens, .. }, http, .. } = self;
        let mut session = Session { http, base, access, opens: *opens, now, token };
        let done = self.carry_out(task, node, &mut session).await;
        let mut known = self.known();
        if let Some(token) = session.token {
            known.tokens.insert(session.base, token);
        }
        // Firmware is changed, and controllers are replaced: what was found is looked for anew.
        if done.is_err() {
            known.systems.remove(node);
            known.limits.remove(node);
        }
        done
    }

    async fn carry_out(
        &self,
        task: Task,
        node: &str,
        session: &mut Session<'_>,
    ) -> Result<Outcome, PowerError> {
        match task {
            Task::Power => {
                let path = self.system(node, session).await?;
                Ok(Outcome::Power(system::power(&session.get(&path).await?)))
            }
            Task::Order(order) => {
                let path = self.system(node, session).await?;
                let system = session.get(&path).await?;
                let reset = system::reset(session, &path, &system).await?;
                let body = json!({"ResetType": reset.of(order, self.settings.forced_off)?});
                let (method, path) = (Method::POST, reset.target.as_str());
                session.write(&Change { method, path, body, tag: None }).await?;
                Ok(Outcome::Accepted)
            }
            Task::Limit => {
                let place = self.limit(node, session).await?;
                Ok(Outcome::Limit(place.read(&session.get(&place.path).await?)?))
            }
            Task::SetLimit(limit) => {
                let place = self.limit(node, session).await?;
                let resource = session.read(&place.path).await?;
                session.write(&place.change(resource, limit)?).await?;
                Ok(Outcome::Accepted)
            }
        }
    }

    /// The path of a node's system.
    async fn system(&self, node: &str, session: &mut Session<'_>) -> Result<String, PowerError> {
        if let Some(path) = &self.settings.system {
            return Ok(filled(path, node));
        }
        let known = self.known().systems.get(node).cloned();
        if let Some(path) = known {
            return Ok(path);
        }
        let path = system::find(session).await?;
        self.known().systems.insert(node.to_owned(), path.clone());
        Ok(path)
    }

    /// Where a node's power limit stands.
    async fn limit(&self, node: &str, session: &mut Session<'_>) -> Result<Place, PowerError> {
        let known = self.known().limits.get(node).cloned();
        if let Some(place) = known {
            return Ok(place);
        }
        let place = if let Some(path) = &self.settings.limit {
            limit::named(session, &filled(path, node)).await?
        } else {
            let path = self.system(node, session).await?;
            let system = session.get(&path).await?;
            limit::find(session, &system).await?
        };
        self.known().limits.insert(node.to_owned(), place.clone());
        Ok(place)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
