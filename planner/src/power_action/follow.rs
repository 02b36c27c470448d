//! What is to be done next with one power action.

use super::{NodeUse, PowerActionState, PowerReading};
use crate::quantity::Power;
use crate::resource_manager::NodePower;
use crate::time::{Seconds, Timestamp};

/// What is to become of a node's power.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PowerChange {
    /// It is to be on.
    On,
    /// It is to be off.
    Off,
    /// It is to be limited so for a reservation in a slower state.
    Limit(Power),
    /// It is to be limited as it was before, or not at all.
    Lift(Option<Power>),
}

/// What whoever switches is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PowerOrder {
    /// Switch it on.
    On,
    /// Switch it off gracefully: its operating system ends what runs.
    Off,
    /// Take its power away, whatever runs.
    ForcedOff,
}

/// The site's rules for following orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowRules {
    /// So long after the first failure the next order is given; twice as long after each further one.
    pub first_wait: Seconds,
    /// No wait is longer.
    pub longest_wait: Seconds,
    /// So many orders are given at the most.
    pub most_orders: u32,
    /// After so many graceful orders the next ones are forced; `None` where the site forbids to force a node off.
    pub forced_after: Option<u32>,
    /// So many nodes are on their way at the most.
    pub at_once: usize,
}

/// A power action with what counts for its next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowedAction {
    /// What is to become of the node.
    pub change: PowerChange,
    /// How far it is.
    pub state: PowerActionState,
    /// When it came to this state.
    pub since: Timestamp,
    /// So many orders were given.
    pub orders: u32,
    /// How long an order is followed before it counts as failed. Of waking it is [`WakeTimes::patience`].
    ///
    /// [`WakeTimes::patience`]: crate::resource_manager::WakeTimes::patience
    pub patience: Seconds,
    /// From then on it is of no use, and no order is given.
    pub until: Timestamp,
}

/// What whoever switches answered to an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderAnswer {
    /// It was accepted, which says nothing of its effect.
    Accepted,
    /// There was no answer, or one of passing trouble. The order may have been carried out or not.
    Uncertain(String),
    /// No, for good.
    Refused(String),
}

/// What is to be done with a power action now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PowerStep {
    /// Nothing: time must pass.
    Keep,
    /// Nothing, though it would be time for an order: why it is held back.
    Hold(String),
    /// This order is to be given, and its answer taken by [`FollowedAction::answered`].
    Order(PowerOrder),
    /// The node is to be limited so, or not at all, and the answer taken likewise.
    Limit(Option<Power>),
    /// It is in this state now, with why where there is something to say.
    Become(PowerActionState, Option<String>),
}

impl PowerChange {
    /// Whether it was read that it is so.
    pub fn is_reached(self, seen: &PowerReading) -> bool {
        match self {
            Self::On => seen.is(NodePower::On),
            Self::Off => seen.is(NodePower::Off),
            Self::Limit(limit) => *seen == PowerReading::Limited(Some(limit)),
            Self::Lift(before) => *seen == PowerReading::Limited(before),
        }
    }

    /// Whether it may be ordered where it was read so. On their way nodes lose orders.
    pub fn may_be_ordered(self, seen: &PowerReading) -> bool {
        match self {
            Self::On => seen.is(NodePower::Off),
            Self::Off => seen.is(NodePower::On),
            Self::Limit(_) | Self::Lift(_) => matches!(seen, PowerReading::Limited(_)),
        }
    }

    /// Whether it is about a node's power limit.
    pub const fn is_limit(self) -> bool {
        matches!(self, Self::Limit(_) | Self::Lift(_))
    }
}

impl FollowRules {
    /// How long after a failure the next order is given, where `orders` were given: with 30 s at first and 300 s at the
    /// most 30, 60, 120, 240, 300, 300 s.
    pub fn wait(&self, orders: u32) -> Seconds {
        let doubled = 1_i64.checked_shl(orders.saturating_sub(1).min(32)).unwrap_or(i64::MAX);
        let wait = self.first_wait.get().saturating_mul(doubled);
        Seconds::new(wait.min(self.longest_wait.get()))
    }

    /// Whether the next order for a change is forced, of which so many orders were given.
    fn forces(&self, change: PowerChange, orders: u32) -> bool {
        change == PowerChange::Off && self.forced_after.is_some_and(|graceful| orders >= graceful)
    }

    /// The order for a change of which so many orders were given.
    fn order(&self, change: PowerChange, orders: u32) -> PowerStep {
        match change {
            PowerChange::On => PowerStep::Order(PowerOrder::On),
            PowerChange::Off if self.forces(change, orders) => {
                PowerStep::Order(PowerOrder::ForcedOff)
            }
            PowerChange::Off => PowerStep::Order(PowerOrder::Off),
            PowerChange::Limit(limit) => PowerStep::Limit(Some(limit)),
            PowerChange::Lift(before) => PowerStep::Limit(before),
        }
    }
}

impl FollowedAction {
    /// What is to be done with it at `now`, where its node was read so. Windows are [`next_steps`]'s.
    ///
    /// [`next_steps`]: super::next_steps
    pub fn next_step(
        &self,
        seen: &PowerReading,
        used: &NodeUse,
        rules: &FollowRules,
        now: Timestamp,
    ) -> PowerStep {
        let is_there = self.change.is_reached(seen);
        match self.state {
            state if state.is_final() => PowerStep::Keep,
            PowerActionState::Proposed if is_there => given_up("it is so already".to_owned()),
            _ if is_there => PowerStep::Become(PowerActionState::Done, None),
            PowerActionState::Ordered => self.ordered(seen, rules, now),
            _ if now >= self.until => given_up(format!(
                "it is of no use from {} on; its power {}",
                self.until,
                seen.words()
            )),
            PowerActionState::Proposed => PowerStep::Keep,
            PowerActionState::Failed if now < self.since + self.wait(rules) => PowerStep::Keep,
            _ if self.orders >= rules.most_orders => given_up(exhausted(self.orders)),
            _ => self.due(seen, used, rules),
        }
    }

    /// An order whose effect has yet to be seen.
    fn ordered(&self, seen: &PowerReading, rules: &FollowRules, now: Timestamp) -> PowerStep {
        if now < self.since + self.patience {
            return PowerStep::Keep;
        }
        let because = format!("its power {} after {} s", seen.words(), self.patience.get());
        if self.orders >= rules.most_orders {
            return given_up(format!("{because}; {}", exhausted(self.orders)));
        }
        PowerStep::Become(PowerActionState::Failed, Some(because))
    }

    /// How long after its failure the next order is given. A graceful order without an answer may be under way: none is
    /// forced before it had its time.
    fn wait(&self, rules: &FollowRules) -> Seconds {
        let wait = rules.wait(self.orders);
        if rules.forces(self.change, self.orders) { wait.max(self.patience) } else { wait }
    }

    /// It is time for an order, unless something speaks against it.
    fn due(&self, seen: &PowerReading, used: &NodeUse, rules: &FollowRules) -> PowerStep {
        match used {
            NodeUse::Free if self.change.may_be_ordered(seen) => {
                rules.order(self.change, self.orders)
            }
            NodeUse::Free => PowerStep::Hold(format!("its power {}", seen.words())),
            NodeUse::InUse(by) => PowerStep::Hold(format!("it is in use: {by}")),
            NodeUse::MayBeInUse(because) => PowerStep::Hold(format!("it may be in use: {because}")),
        }
    }

    /// What it is after an order was given at `now`, with why where there is something to say.
    #[must_use]
    pub fn answered(self, answer: OrderAnswer, now: Timestamp) -> (Self, Option<String>) {
        let (state, because) = match answer {
            OrderAnswer::Accepted => (PowerActionState::Ordered, None),
            OrderAnswer::Uncertain(because) => (PowerActionState::Failed, Some(because)),
            OrderAnswer::Refused(because) => (PowerActionState::Refused, Some(because)),
        };
        (Self { state, since: now, orders: self.orders.saturating_add(1), ..self }, because)
    }
}

fn given_up(because: String) -> PowerStep {
    PowerStep::Become(PowerActionState::GivenUp, Some(because))
}

fn exhausted(orders: u32) -> String {
    format!("given up after {orders} orders")
}

#[cfg(test)]
mod tests {
    use super::*;
    use PowerActionState::{Done, Failed, GivenUp, Ordered, Proposed, Refused, Waiting};

    const RULES: FollowRules = FollowRules {
        first_wait: Seconds::new(30),
        longest_wait: Seconds::new(300),
        most_orders: 3,
        forced_after: Some(1),
        at_once: 2,
    };

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    /// An action since 1000 that is followed for 120 s after an order and of no use from 5000 on.
    fn action(change: PowerChange, state: PowerActionState, orders: u32) -> FollowedAction {
        let patience = Seconds::new(120);
        FollowedAction { change, state, since: at(1000), orders, patience, until: at(5000) }
    }

    fn step(action: FollowedAction, seen: NodePower, now: i64) -> PowerStep {
        action.next_step(&PowerReading::Seen(seen), &NodeUse::Free, &RULES, at(now))
    }

    fn unknown() -> PowerReading {
        PowerReading::Unknown("no answer".to_owned())
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let waits = [1, 2, 3, 4, 5, 6, 40, u32::MAX].map(|orders| RULES.wait(orders).get());
        assert_eq!(waits, [30, 60, 120, 240, 300, 300, 300, 300]);
    }

    #[test]
    fn a_node_is_ordered_where_it_was_seen_to_be_the_opposite_and_free() {
        let off = action(PowerChange::Off, Waiting, 0);
        let on = action(PowerChange::On, Waiting, 0);
        assert_eq!(step(off, NodePower::On, 1000), PowerStep::Order(PowerOrder::Off));
        assert_eq!(step(on, NodePower::Off, 1000), PowerStep::Order(PowerOrder::On));
        for way in [NodePower::PoweringUp, NodePower::PoweringDown] {
            for action in [off, on] {
                assert!(matches!(step(action, way, 1000), PowerStep::Hold(_)), "{way:?}");
            }
        }
        let proposed = FollowedAction { state: Proposed, ..off };
        assert_eq!(step(proposed, NodePower::On, 1000), PowerStep::Keep);
    }

    #[test]
    fn unknown_is_neither_on_nor_off() {
        for change in [PowerChange::On, PowerChange::Off] {
            for state in [Waiting, Failed] {
                let action = action(change, state, 1);
                let step = action.next_step(&unknown(), &NodeUse::Free, &RULES, at(2000));
                assert_eq!(step, PowerStep::Hold("its power is unknown: no answer".to_owned()));
            }
            let ordered = action(change, Ordered, 1);
            let step = |now| ordered.next_step(&unknown(), &NodeUse::Free, &RULES, at(now));
            assert_eq!(step(1119), PowerStep::Keep);
            let because = "its power is unknown: no answer after 120 s".to_owned();
            assert_eq!(step(1120), PowerStep::Become(Failed, Some(because)));
        }
    }

    #[test]
    fn nothing_is_ordered_for_a_node_that_is_or_may_be_in_use() {
        for used in [
            NodeUse::InUse("job 7".to_owned()),
            NodeUse::MayBeInUse("Slurm does not answer".to_owned()),
        ] {
            for (change, seen) in
                [(PowerChange::Off, NodePower::On), (PowerChange::On, NodePower::Off)]
            {
                let seen = PowerReading::Seen(seen);
                let step = action(change, Waiting, 0).next_step(&seen, &used, &RULES, at(1000));
                assert!(matches!(step, PowerStep::Hold(_)), "{step:?}");
            }
        }
    }

    #[test]
    fn what_is_seen_is_done_whoever_did_it() {
        for state in [Waiting, Ordered, Failed] {
            let done = step(action(PowerChange::Off, state, 3), NodePower::Off, 9000);
            assert_eq!(done, PowerStep::Become(Done, None), "{state:?}");
        }
        let useless = step(action(PowerChange::Off, Proposed, 0), NodePower::Off, 1000);
        assert!(matches!(useless, PowerStep::Become(GivenUp, Some(_))), "{useless:?}");
    }

    /// Ordered at 1000, no effect at 1120, again 30 s later, no effect 120 s after that, again 60 s later, no effect:
    /// the third of three orders, 1000 + 120 + 30 + 120 + 60 + 120 = 1450.
    #[test]
    fn an_order_without_effect_is_given_again_ever_later_and_given_up_in_the_open() {
        let rules = FollowRules { forced_after: None, ..RULES };
        let mut action = action(PowerChange::Off, Waiting, 0);
        let (mut orders, mut end) = (Vec::new(), None);
        for now in 1000..2000 {
            let seen = PowerReading::Seen(NodePower::On);
            match action.next_step(&seen, &NodeUse::Free, &rules, at(now)) {
                PowerStep::Order(order) => {
                    orders.push((order, now));
                    (action, _) = action.answered(OrderAnswer::Accepted, at(now));
                }
                PowerStep::Become(state, because) => {
                    assert!(action.state.may_become(state), "{:?} {state:?}", action.state);
                    action = FollowedAction { state, since: at(now), ..action };
                    end = state.is_final().then_some((state, now, because)).or(end);
                }
                PowerStep::Keep => {}
                step @ (PowerStep::Hold(_) | PowerStep::Limit(_)) => panic!("{step:?}"),
            }
        }
        let off = PowerOrder::Off;
        assert_eq!(orders, [(off, 1000), (off, 1150), (off, 1330)]);
        let because = "its power is on after 120 s; given up after 3 orders".to_owned();
        assert_eq!(end, Some((GivenUp, 1450, Some(because))));
    }

    /// A graceful order whose answer was lost at 1000 may be under way for 120 s; no node is forced before.
    #[test]
    fn a_node_is_forced_off_only_after_a_graceful_order_had_its_time_and_where_the_site_allows_it()
    {
        let off = action(PowerChange::Off, Waiting, 0);
        let (lost, because) = off.answered(OrderAnswer::Uncertain("cut".to_owned()), at(1000));
        assert_eq!((lost.state, lost.orders, because.as_deref()), (Failed, 1, Some("cut")));
        assert_eq!(step(lost, NodePower::On, 1119), PowerStep::Keep);
        assert_eq!(step(lost, NodePower::On, 1120), PowerStep::Order(PowerOrder::ForcedOff));
        let gentle = FollowRules { forced_after: None, ..RULES };
        let seen = PowerReading::Seen(NodePower::On);
        let step = |now| lost.next_step(&seen, &NodeUse::Free, &gentle, at(now));
        assert_eq!(step(1029), PowerStep::Keep);
        assert_eq!(step(1030), PowerStep::Order(PowerOrder::Off));
    }

    #[test]
    fn the_last_order_without_an_answer_has_its_wait_before_it_is_given_up() {
        let last = action(PowerChange::On, Failed, 2);
        let (last, _) = last.answered(OrderAnswer::Uncertain("cut".to_owned()), at(2000));
        assert_eq!(step(last, NodePower::Off, 2119), PowerStep::Keep);
        assert_eq!(step(last, NodePower::On, 2119), PowerStep::Become(Done, None));
        let because = Some("given up after 3 orders".to_owned());
        assert_eq!(step(last, NodePower::Off, 2120), PowerStep::Become(GivenUp, because));
    }

    #[test]
    fn what_was_refused_is_not_ordered_again_and_what_is_of_no_use_is_given_up() {
        let waiting = action(PowerChange::Off, Waiting, 0);
        let (refused, _) = waiting.answered(OrderAnswer::Refused("no".to_owned()), at(1000));
        assert_eq!(refused.state, Refused);
        assert_eq!(step(refused, NodePower::On, 2000), PowerStep::Keep);
        for state in [Proposed, Waiting, Failed] {
            let late = step(action(PowerChange::Off, state, 1), NodePower::On, 5000);
            assert!(matches!(late, PowerStep::Become(GivenUp, Some(_))), "{late:?}");
        }
        // It was ordered in time: its effect is awaited.
        let underway = FollowedAction { since: at(4999), ..action(PowerChange::Off, Ordered, 1) };
        assert_eq!(step(underway, NodePower::On, 5000), PowerStep::Keep);
    }

    /// A node is limited to 300 W already. It is limited to 150 W for a reservation, and to 300 W again after it.
    #[test]
    fn a_limit_is_set_until_it_is_read_back_and_lifted_to_what_was_before() {
        let watts = |watts: i64| Power::from_microwatts(watts * 1_000_000);
        let step = |change, state, seen: &PowerReading| {
            action(change, state, 0).next_step(seen, &NodeUse::Free, &RULES, at(1000))
        };
        let before = PowerReading::Limited(Some(watts(300)));
        let limited = PowerReading::Limited(Some(watts(150)));
        let limit = PowerChange::Limit(watts(150));
        assert_eq!(step(limit, Waiting, &before), PowerStep::Limit(Some(watts(150))));
        assert_eq!(step(limit, Ordered, &before), PowerStep::Keep);
        assert_eq!(step(limit, Ordered, &limited), PowerStep::Become(Done, None));
        let lift = PowerChange::Lift(Some(watts(300)));
        assert_eq!(step(lift, Waiting, &limited), PowerStep::Limit(Some(watts(300))));
        assert_eq!(step(lift, Ordered, &before), PowerStep::Become(Done, None));
        let free = PowerReading::Limited(None);
        assert_eq!(step(PowerChange::Lift(None), Waiting, &limited), PowerStep::Limit(None));
        assert_eq!(step(PowerChange::Lift(None), Waiting, &free), PowerStep::Become(Done, None));
        // What is not known is not ordered, nor is the power that a node has its power limit.
        let held = PowerStep::Hold("its power is unknown: no answer".to_owned());
        assert_eq!(step(limit, Waiting, &unknown()), held);
        let on = PowerReading::Seen(NodePower::On);
        assert!(matches!(step(limit, Waiting, &on), PowerStep::Hold(_)));
    }
}
