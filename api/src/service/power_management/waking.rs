//! Nodes that are not up are woken for those who booked them, and where the plan says so.

use std::collections::{BTreeMap, HashSet};

use planner::book::Booking;
use planner::identity::ReservationId;
use planner::node_set::NodeSet;
use planner::power_action::{PowerChange, PowerReading};
use planner::resource_manager::NodePower;
use planner::time::{Seconds, Span};
use storage::{NewPowerAction, Outage, Withheld};
use uuid::Uuid;

use super::look::Turn;
use super::plan::SitePlan;
use super::{PLAN, PowerManagementError, PowerManagementService, USEFUL};
use crate::service::resource_manager::withhold::WAKE;

impl PowerManagementService {
    /// Plans to wake nodes: for reservations where no resource manager does, so that enough are warm, and where it pays.
    pub(super) async fn plan_waking(
        &self,
        turn: &Turn<'_>,
        planned: &SitePlan,
    ) -> Result<(), PowerManagementError> {
        let needed = turn.needed_by_reservations();
        let booked: HashSet<&str> = needed.iter().map(|it| it.node.as_str()).collect();
        let (given_up, woken) = (turn.given_up(), turn.woken());
        let others = planned.woken.iter().filter_map(|node| {
            let name = turn.nodes.get(node)?.name.as_str();
            let is_left = [&booked, &given_up, &woken].iter().all(|it| !it.contains(name));
            let until = Some(turn.now + USEFUL);
            let action = NewPowerAction::due_now(name, PowerChange::On, PLAN, turn.now);
            is_left.then_some(NewPowerAction { until, ..action })
        });
        let mut planned: Vec<NewPowerAction> = others.collect();
        // The resource manager's task wakes nodes for reservations itself.
        if !turn.settings.driver.is_resource_manager() {
            planned.extend(needed);
        }
        self.shared.database.plan_power_actions(&planned, turn.now).await?;
        Ok(())
    }
}

impl Turn<'_> {
    /// The nodes that are not up and that a reservation needs before they could be up later.
    fn needed_by_reservations(&self) -> Vec<NewPowerAction> {
        let given_up = self.given_up();
        let asleep: BTreeMap<u32, u32> = self
            .nodes
            .iter()
            .filter(|(_, it)| self.may_be_down(&it.name))
            .filter(|(_, it)| !given_up.contains(it.name.as_str()))
            .filter_map(|(node, _)| Some((self.state.cluster.reference.rank(*node)?, *node)))
            .collect();
        let ranks = NodeSet::from_positions(asleep.keys().copied());
        let longest = self.nodes.values().map(|it| it.times.lead).max().unwrap_or(Seconds::ONE);
        let soon = Span::new(self.now, self.now + longest + Seconds::ONE);
        let bookings = soon.into_iter().flat_map(|soon| self.state.book.overlapping(soon));
        // Of each node its first booking.
        let mut first: BTreeMap<u32, &Booking> = BTreeMap::new();
        for booking in bookings {
            for rank in booking.ranks.intersection(&ranks).positions() {
                let kept = first.entry(asleep[&rank]).or_insert(booking);
                if booking.span.start() < kept.span.start() {
                    *kept = booking;
                }
            }
        }
        first.into_iter().filter_map(|(node, booking)| self.needed(node, booking)).collect()
    }

    /// Whether a node is not up, or nobody knows whether it is and it was not when it was last seen. An unknown one gets no
    /// order; it is given up in time for another, unless it is seen to be up.
    fn may_be_down(&self, node: &str) -> bool {
        match self.readings.power(node) {
            PowerReading::Seen(power) => power != NodePower::On,
            PowerReading::Limited(_) | PowerReading::Unknown(_) => {
                self.last_seen.get(node).is_some_and(|power| *power != NodePower::On)
            }
        }
    }

    /// The order to wake a node for a booking, once it is time.
    fn needed(&self, node: u32, booking: &Booking) -> Option<NewPowerAction> {
        let node = &self.nodes[&node];
        let action = NewPowerAction::due_now(&node.name, PowerChange::On, "reservation", self.now);
        (booking.span.start() <= self.now + node.times.lead).then(|| NewPowerAction {
            reservation_id: Uuid::parse_str(&booking.id).ok().map(ReservationId::new),
            // Then another node has yet time to come in its place.
            until: Some(self.now + node.times.patience),
            ..action
        })
    }

    /// The nodes that did not come when they were woken last, and are left alone for a while.
    fn given_up(&self) -> HashSet<&str> {
        self.lasting().filter_map(woken_in_vain).collect()
    }

    /// What was found out earlier and still holds: nodes that did not come and are not up yet, or that are still limited.
    pub fn withheld_before(&self) -> Vec<Withheld> {
        let is_down = |it: &Outage| {
            woken_in_vain(it).is_some_and(|node| !self.readings.power(node).is(NodePower::On))
        };
        let remains = |it: &&Outage| is_down(it) || self.is_limited_yet(it);
        self.lasting().filter(remains).filter_map(Withheld::from_outage).collect()
    }

    /// Outages that have yet to end.
    pub fn lasting(&self) -> impl Iterator<Item = &Outage> {
        self.state.outages.iter().filter(|it| it.end.is_none_or(|end| end > self.now))
    }
}

/// The node that an outage is about, where it did not come when it was woken.
fn woken_in_vain(outage: &Outage) -> Option<&str> {
    outage.managed_key.as_deref()?.strip_prefix(WAKE)
}
