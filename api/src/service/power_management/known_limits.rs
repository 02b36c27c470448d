//! What is known of power limits: what nodes ought to be limited to, what they were made to be, and what was read.

use std::collections::BTreeMap;

use planner::identity::ReservationId;
use planner::power_action::{PowerChange, PowerReading};
use planner::quantity::{MILLION, Power};
use planner::time::Span;
use storage::PowerAction;

/// What is known of power limits.
#[derive(Debug, Default)]
pub(super) struct Limits {
    /// What nodes ought to be limited to, now or soon, by name.
    pub wanted: BTreeMap<String, WantedLimit>,
    /// Of each node the newest action that limited its power, or lifted the limit.
    pub newest: BTreeMap<String, PowerAction>,
    /// What was read, where it was asked.
    pub readings: BTreeMap<String, PowerReading>,
}

/// A limit that a reservation in a slower state takes.
#[derive(Clone, Debug)]
pub(super) struct WantedLimit {
    pub reservation: ReservationId,
    /// When the reservation has the node.
    pub span: Span,
    pub limit: Power,
    /// The node.
    pub ordinal: u32,
}

impl Limits {
    /// The power limit of a node, where it was asked.
    pub fn reading(&self, node: &str) -> PowerReading {
        let unknown = || PowerReading::Unknown("nothing was read of its limit".to_owned());
        self.readings.get(node).cloned().unwrap_or_else(unknown)
    }

    /// What a node is to be limited to after a reservation that limits it now for the first time: what was read that it is limited to, or
    /// was before the reservation before. Limits are in whole watts.
    pub fn former(&self, node: &str) -> Option<Power> {
        match self.newest.get(node) {
            Some(PowerAction { change: PowerChange::Limit(_), former_limit, .. }) => *former_limit,
            _ => match self.reading(node) {
                PowerReading::Limited(Some(limit)) => {
                    let watts = limit.as_microwatts().div_euclid(MILLION);
                    Some(Power::from_microwatts(watts * MILLION))
                }
                _ => None,
            },
        }
    }

    /// Whether the reservation of an action has its node now or soon.
    pub fn is_wanted(&self, action: &PowerAction) -> bool {
        let wanted = self.wanted.get(&action.node);
        wanted.is_some_and(|it| Some(it.reservation) == action.reservation_id)
    }
}
