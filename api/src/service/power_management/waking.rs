//! Nodes that are off are woken for those who booked them, and where the plan says so.

use std::collections::HashSet;

use planner::identity::ReservationId;
use planner::power_action::{PowerActionState, PowerChange};
use planner::resource_manager::NodePower;
use planner::time::{Seconds, Span};
use storage::{NewPowerAction, Outage, Withheld};
use uuid::Uuid;

use super::look::Turn;
use super::plan::SitePlan;
use super::{PLAN, PowerManagementError, PowerManagementService, USEFUL};

/// Keys of nodes that did not come when they were ordered to switch on, before their name.
const WAKE: &str = "wake ";

/// The key of a node that did not come when it was ordered to switch on.
pub(super) fn wake_key(node: &str) -> String {
    format!("{WAKE}{node}")
}

impl PowerManagementService {
    /// Plans to wake nodes: for reservations where no resource manager does, so that enough are warm, and where it pays.
    pub(super) async fn plan_waking(
        &self,
        turn: &Turn<'_>,
        planned: &SitePlan,
    ) -> Result<(), PowerManagementError> {
        let needed = turn.needed_by_reservations();
        let booked: HashSet<String> = needed.iter().map(|it| it.node.clone()).collect();
        let others = planned.woken.iter().filter_map(|node| {
            let name = &turn.nodes.get(node)?.name;
            let is_left = !booked.contains(name) && !turn.is_given_up(name) && !turn.is_woken(name);
            is_left.then(|| turn.woken(name, PLAN))
        });
        let mut woken: Vec<NewPowerAction> = others.collect();
        // The resource manager's task wakes nodes for reservations itself.
        if !turn.settings.driver.is_resource_manager() {
            woken.extend(needed);
        }
        self.shared.database.plan_power_actions(&woken, turn.now).await?;
        Ok(())
    }
}

impl Turn<'_> {
    /// The nodes that are off and that a reservation needs before they could be up later.
    fn needed_by_reservations(&self) -> Vec<NewPowerAction> {
        let mut needed = Vec::new();
        for (ordinal, node) in &self.nodes {
            if !self.readings.power(&node.name).is(NodePower::Off) || self.is_given_up(&node.name) {
                continue;
            }
            let soon = Span::new(self.now, self.now + node.times.lead + Seconds::ONE);
            let Some(rank) = self.state.cluster.reference.rank(*ordinal) else { continue };
            let Some(booking) = soon.and_then(|soon| {
                self.state.book.overlapping(soon).find(|it| it.ranks.contains(rank))
            }) else {
                continue;
            };
            let id = Uuid::parse_str(&booking.id).ok().map(ReservationId::new);
            needed.push(NewPowerAction {
                reservation_id: id,
                // Then another node has yet time to come in its place.
                until: Some(self.now + node.times.patience),
                ..self.woken(&node.name, "reservation")
            });
        }
        needed
    }

    fn woken(&self, node: &str, asked_by: &str) -> NewPowerAction {
        NewPowerAction {
            node: node.to_owned(),
            change: PowerChange::On,
            asked_by: asked_by.to_owned(),
            reservation_id: None,
            state: PowerActionState::Waiting,
            due: self.now,
            until: Some(self.now + USEFUL),
            wake_at: None,
            saves: None,
            because: None,
        }
    }

    /// Whether a node did not come when it was woken last, and is left alone for a while.
    fn is_given_up(&self, node: &str) -> bool {
        let key = wake_key(node);
        self.lasting().any(|it| it.managed_key.as_ref() == Some(&key))
    }

    /// What was found out earlier and still holds: nodes that did not come and are not up yet.
    pub fn withheld_before(&self) -> Vec<Withheld> {
        let is_down = |it: &&Outage| {
            let key = it.managed_key.as_deref().and_then(|key| key.strip_prefix(WAKE));
            key.is_some_and(|node| !self.readings.power(node).is(NodePower::On))
        };
        let same = |it: &Outage| {
            Some(Withheld {
                key: it.managed_key.clone()?,
                kind: it.kind,
                reason: it.reason.clone(),
                start: it.start,
                end: it.end,
                ranks: it.ranks.clone(),
            })
        };
        self.lasting().filter(is_down).filter_map(same).collect()
    }

    fn lasting(&self) -> impl Iterator<Item = &Outage> {
        self.state.outages.iter().filter(|it| it.end.is_none_or(|end| end > self.now))
    }
}
