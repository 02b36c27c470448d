//! Which nodes must be switched on now, so that they are up when a reservation begins.

use super::{ManagedNode, NodePower};
use crate::time::{Seconds, Timestamp};

/// How much of measured boots took no longer than what is counted on, percent.
const QUANTILE: usize = 95;

/// What is counted on beside boot times and polls: orders and answers take a while too.
const SLACK: Seconds = Seconds::new(30);

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
    /// For a node whose boots took so long, `unless_measured` where none was measured, when it is looked
    /// at every `poll`. It is ordered half a boot time earlier than it needs, and given up in the middle
    /// of that: with boots of 300 s and polls every 10 s it is ordered 300 + 150 + 10 + 30 = 490 s before
    /// the start, and given up 395 s later, 95 s before the start.
    pub fn new(measured: &[Seconds], unless_measured: Seconds, poll: Seconds) -> Self {
        let mut sorted = measured.to_vec();
        sorted.sort_unstable();
        // The nearest rank: of 20 boots the nineteenth.
        let rank = (sorted.len() * QUANTILE).div_ceil(100);
        let boot = rank.checked_sub(1).and_then(|at| sorted.get(at).copied());
        let boot = boot.unwrap_or(unless_measured);
        let margin = Seconds::new(boot.get() / 2 + poll.get() + SLACK.get());
        let patience = Seconds::new(boot.get() + margin.get() / 2);
        Self { boot, lead: boot + margin, patience }
    }

    /// Whether a node is to be ordered up at `now` for a reservation that begins at `start`: it is off,
    /// or on its way there, and could be late otherwise.
    pub fn is_due(&self, node: &ManagedNode, start: Timestamp, now: Timestamp) -> bool {
        let off = matches!(node.power, NodePower::Off | NodePower::PoweringDown);
        off && node.unavailable.is_none() && now >= start - self.lead
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

    /// Of boots of 1 to 20 s the nineteenth is 19 s; margin 9 + 10 + 30 = 49 s.
    #[test]
    fn a_high_quantile_of_measured_boots_is_counted_on() {
        let boots: Vec<i64> = (1..=20).rev().collect();
        let times = WakeTimes::new(&seconds(&boots), Seconds::new(300), POLL);
        let expected = WakeTimes {
            boot: Seconds::new(19),
            lead: Seconds::new(68),
            patience: Seconds::new(43),
        };
        assert_eq!(times, expected);
        let slowest = WakeTimes::new(&seconds(&[40, 90, 60]), Seconds::new(300), POLL);
        assert_eq!(slowest.boot, Seconds::new(90));
    }

    #[test]
    fn nodes_that_are_off_are_ordered_in_time() {
        let times = WakeTimes::new(&[], Seconds::new(300), POLL);
        let off = |power| ManagedNode { power, ..node("n1") };
        let due = |node: &ManagedNode, now| times.is_due(node, at(1000), at(now));
        // 1000 - 490
        assert!(!due(&off(NodePower::Off), 509) && due(&off(NodePower::Off), 510));
        assert!(due(&off(NodePower::PoweringDown), 510), "it will be off");
        assert!(!due(&off(NodePower::On), 510) && !due(&off(NodePower::PoweringUp), 510));
        let unavailable =
            Some(Unavailable { cause: UnavailableCause::Down, reason: String::new() });
        let broken = ManagedNode { unavailable, ..off(NodePower::Off) };
        assert!(!due(&broken, 510), "it is out of service, and will not come");
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
