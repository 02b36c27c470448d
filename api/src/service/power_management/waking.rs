//! Nodes that are off are woken for those who booked them, and so that enough stay warm.

use std::collections::HashSet;

use planner::identity::ReservationId;
use planner::node_set::NodeSet;
use planner::power_action::{PowerActionState, PowerChange};
use planner::resource_manager::NodePower;
use planner::time::{Seconds, Span};
use storage::{NewPowerAction, Outage, Withheld};
use uuid::Uuid;

use super::follow::USEFUL;
use super::turn::Turn;
use super::{PowerManagementError, PowerManagementService};

/// Keys of nodes that did not come when they were ordered to switch on, before their name.
const WAKE: &str = "wake ";

/// The key of a node that did not come when it was ordered to switch on.
pub(super) fn wake_key(node: &str) -> String {
    format!("{WAKE}{node}")
}

impl PowerManagementService {
    /// Plans to wake nodes: for reservations where no resource manager does, and so that enough are warm.
    pub(super) async fn plan_waking(&self, turn: &Turn<'_>) -> Result<(), PowerManagementError> {
        let mut woken = if turn.settings.driver.is_resource_manager() {
            Vec::new()
        } else {
            turn.needed_by_reservations()
        };
        let needed: HashSet<&str> = woken.iter().map(|it| it.node.as_str()).collect();
        let warm = turn.needed_warm(&needed);
        woken.extend(warm);
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
                until: Some(booking.span.end()),
                ..self.woken(&node.name, "reservation")
            });
        }
        needed
    }

    /// Nodes that are off, where fewer are up that nobody has than the rules say: those that draw least first.
    fn needed_warm(&self, woken: &HashSet<&str>) -> Vec<NewPowerAction> {
        let mut added: Vec<NewPowerAction> = Vec::new();
        let taken = self.taken_now();
        for warm in &self.rules.keep_warm {
            let among = warm.among.difference(&taken);
            let is_coming = |node: u32| {
                let Some(managed) = self.nodes.get(&node) else { return true };
                let name = managed.name.as_str();
                let is_ordered_off = self.open.iter().any(|it| {
                    it.node == name
                        && it.change == PowerChange::Off
                        && it.state == PowerActionState::Ordered
                });
                let is_up = self.readings.power(name).is(NodePower::On) && !is_ordered_off;
                is_up
                    || self.readings.power(name).is(NodePower::PoweringUp)
                    || woken.contains(name)
                    || added.iter().any(|it| it.node == name)
                    || self.open.iter().any(|it| it.node == name && it.change == PowerChange::On)
            };
            let coming = among.positions().filter(|node| is_coming(*node)).count();
            let lacking = (warm.nodes as usize).saturating_sub(coming);
            let mut asleep: Vec<u32> =
                among.positions().filter(|node| self.may_be_woken(*node)).collect();
            asleep.sort_by_key(|node| self.state.cluster.reference.rank(*node));
            let first = asleep.into_iter().filter(|node| !is_coming(*node)).take(lacking);
            let first: Vec<NewPowerAction> =
                first.map(|node| self.woken(&self.nodes[&node].name, "keep_warm")).collect();
            added.extend(first);
        }
        added
    }

    /// Whether a node is off, and was not given up lately.
    fn may_be_woken(&self, node: u32) -> bool {
        self.nodes.get(&node).is_some_and(|it| {
            self.readings.power(&it.name).is(NodePower::Off) && !self.is_given_up(&it.name)
        })
    }

    /// The nodes that somebody has, or that are out of service.
    fn taken_now(&self) -> NodeSet {
        let Some(now) = Span::starting(self.now, Seconds::ONE) else { return NodeSet::new() };
        let booked = self.state.book.overlapping(now).map(|it| &it.ranks);
        let out = self.state.book.outages().overlapping(now).map(|it| &it.ranks);
        let taken = booked.chain(out).fold(NodeSet::new(), |all, it| all.union(it));
        self.state.cluster.reference.ordinals(&taken)
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
