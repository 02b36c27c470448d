//! Which nodes must be switched on now, so that they are up when a reservation begins.

use super::{ManagedNode, NodePower};
use crate::time::{Seconds, Timestamp};

/// So many measured boots tell how long a node takes; fewer do not say that it takes less than expected.
const ENOUGH_BOOTS: usize = 3;

/// What is counted on beside boot times and polls: orders and answers take a while too.
const SLACK: Seconds = Seconds::new(30);

/// A node that did not come is tried again so long after the start that it was needed for.
const TRIED_AGAIN_AFTER: Seconds = Seconds::new(3600);

/// When nodes are switched on and given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WakeTimes {
    /// How long the node takes to boot, at the most that is counted on.
    pub boot: Seconds,
    /// How long before the start it is ordered.
    pub lead: Seconds,
    /// How long after the order it counts as failed, with time left for another node.
    pub patience: Seconds,
}

impl WakeTimes {
    /// For a node whose last boots took so long, when it is looked at every `poll`: the slowest of them
    /// is counted on, and `expected` at the least while few were measured. It is ordered half a boot time
    /// earlier than it needs, and given up in the middle of that: with boots of 300 s and polls every 10 s
    /// it is ordered 300 + 150 + 10 + 30 = 490 s before the start, and given up 395 s later, 95 s before
    /// the start.
    pub fn new(measured: &[Seconds], expected: Seconds, poll: Seconds) -> Self {
        let slowest = measured.iter().copied().max().unwrap_or(expected);
        let boot = if measured.len() < ENOUGH_BOOTS { slowest.max(expected) } else { slowest };
        let margin = Seconds::new(boot.get() / 2 + poll.get() + SLACK.get());
        let patience = Seconds::new(boot.get() + margin.get() / 2);
        Self { boot, lead: boot + margin, patience }
    }

    /// What a node needs at `now` to be up for a reservation that begins at `start`.
    ///
    /// One that is off is ordered up where it could be late otherwise. One that is on its way off is ordered
    /// once it is there: before, the order is lost, though it is not refused. Before the start that is so each
    /// time that it was switched off again; after it only where the node `was_ordered` for this reservation
    /// never before, since the resource manager wakes nodes for jobs itself. One that is on its way up, whoever
    /// ordered it, is followed from then on as if it had been ordered: it may never come.
    pub fn need(
        &self,
        node: &ManagedNode,
        start: Timestamp,
        was_ordered: bool,
        now: Timestamp,
    ) -> Option<WakeNeed> {
        let is_time = now >= start - self.lead && node.unavailable.is_none();
        let need = match node.power {
            NodePower::Off if now < start || !was_ordered => WakeNeed::Order,
            NodePower::PoweringUp if now < start => WakeNeed::Follow,
            _ => return None,
        };
        is_time.then_some(need)
    }

    /// How an order stands at `now` that was given at `ordered`.
    pub fn outcome(&self, node: &ManagedNode, ordered: Timestamp, now: Timestamp) -> WakeOutcome {
        match node.power {
            NodePower::On if node.unavailable.is_none() => WakeOutcome::Up,
            _ if now >= ordered + self.patience => WakeOutcome::Failed,
            _ => WakeOutcome::Underway,
        }
    }
}

/// Until when a node that was found not to come at `now`, and was needed from `start` on, is kept from
/// being offered, unless it is seen to be up before: once is no proof that it never comes.
pub fn withheld_until(start: Timestamp, now: Timestamp) -> Timestamp {
    start.max(now) + TRIED_AGAIN_AFTER
}

/// What a node needs so that it is up when a reservation begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WakeNeed {
    /// It is to be ordered up.
    Order,
    /// It is on its way up, and is followed until it is there.
    Follow,
}

/// How an order to switch a node on stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WakeOutcome {
    /// The node has yet to answer.
    Underway,
    /// It is up.
    Up,
    /// It did not come in time.
    Failed,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource_manager::worked_example::{at, node};
    use crate::resource_manager::{Unavailable, UnavailableCause};

    fn seconds(list: &[i64]) -> Vec<Seconds> {
        list.iter().copied().map(Seconds::new).collect()
    }

    const POLL: Seconds = Seconds::new(10);

    /// Of boots of 1 to 20 s the slowest is 20 s; margin 10 + 10 + 30 = 50 s.
    #[test]
    fn the_slowest_of_measured_boots_is_counted_on() {
        let boots: Vec<i64> = (1..=20).rev().collect();
        let times = WakeTimes::new(&seconds(&boots), Seconds::new(300), POLL);
        let expected = WakeTimes {
            boot: Seconds::new(20),
            lead: Seconds::new(70),
            patience: Seconds::new(45),
        };
        assert_eq!(times, expected);
    }

    #[test]
    fn few_measured_boots_make_it_no_shorter_than_expected() {
        let boot = |measured: &[i64]| {
            WakeTimes::new(&seconds(measured), Seconds::new(300), POLL).boot.get()
        };
        assert_eq!([boot(&[]), boot(&[40]), boot(&[40, 90]), boot(&[400])], [300, 300, 300, 400]);
        assert_eq!(boot(&[40, 90, 60]), 90);
    }

    #[test]
    fn nodes_that_are_off_are_ordered_in_time() {
        let times = WakeTimes::new(&[], Seconds::new(300), POLL);
        let off = |power| ManagedNode { power, ..node("n1") };
        let need = |node: &ManagedNode, now| times.need(node, at(1000), false, at(now));
        // 1000 - 490
        assert_eq!(need(&off(NodePower::Off), 509), None);
        assert_eq!(need(&off(NodePower::Off), 510), Some(WakeNeed::Order));
        assert_eq!(need(&off(NodePower::PoweringDown), 510), None, "the order would be lost");
        assert_eq!(need(&off(NodePower::On), 510), None);
        let unavailable =
            Some(Unavailable { cause: UnavailableCause::Down, reason: String::new() });
        let broken = ManagedNode { unavailable, ..off(NodePower::Off) };
        assert_eq!(need(&broken, 510), None, "it is out of service, and will not come");
    }

    /// Slurm 26.05 leaves a node that boots without registering on its way up for ever.
    #[test]
    fn nodes_that_somebody_else_switches_on_are_followed_from_when_they_would_be_ordered() {
        let times = WakeTimes::new(&[], Seconds::new(300), POLL);
        let booting = ManagedNode { power: NodePower::PoweringUp, ..node("n1") };
        let need = |now| times.need(&booting, at(1000), false, at(now));
        let follow = Some(WakeNeed::Follow);
        assert_eq!([need(509), need(510), need(999)], [None, follow, follow]);
        assert_eq!(need(1000), None, "it is up to the resource manager from the start on");
        assert_eq!(times.outcome(&booting, at(510), at(904)), WakeOutcome::Underway);
        assert_eq!(times.outcome(&booting, at(510), at(905)), WakeOutcome::Failed);
    }

    /// The resource manager switches idle nodes off, whether a reservation is about to begin or not.
    #[test]
    fn nodes_that_are_switched_off_again_are_ordered_again_until_the_start() {
        let times = WakeTimes::new(&[], Seconds::new(300), POLL);
        let off = ManagedNode { power: NodePower::Off, ..node("n1") };
        let need = |was_ordered, now| times.need(&off, at(1000), was_ordered, at(now));
        assert_eq!(need(true, 999), Some(WakeNeed::Order));
        assert_eq!(need(true, 1000), None, "from the start on jobs wake it");
        let late = "a reservation that was chosen late finds its nodes awake";
        assert_eq!(need(false, 1000), Some(WakeNeed::Order), "{late}");
    }

    /// Needed from 1000 on: until 4600 where it is given up before, and an hour long later.
    #[test]
    fn nodes_that_did_not_come_are_tried_again() {
        assert_eq!(withheld_until(at(1000), at(905)), at(4600));
        assert_eq!(withheld_until(at(1000), at(2000)), at(5600));
    }

    #[test]
    fn nodes_that_do_not_come_in_time_have_failed() {
        let times = WakeTimes::new(&[], Seconds::new(300), POLL);
        let outcome =
            |power, now| times.outcome(&ManagedNode { power, ..node("n1") }, at(510), at(now));
        assert_eq!(outcome(NodePower::PoweringUp, 904), WakeOutcome::Underway);
        // 510 + 300 + 190 / 2
        assert_eq!(outcome(NodePower::PoweringUp, 905), WakeOutcome::Failed);
        assert_eq!(outcome(NodePower::Off, 905), WakeOutcome::Failed);
        assert_eq!(outcome(NodePower::On, 905), WakeOutcome::Up);
    }
}
