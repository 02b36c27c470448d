//! Nodes on which jobs arrive that nobody announced: for how long one idles before it is switched off (ski rental).
//!
//! Nobody knows when the next job comes. A node that is switched off once idling has cost as much as a cycle costs in any case
//! loses, at a flat price, at most twice what it would have lost if the arrival had been known (docs/MODEL.md).

use super::tariff::{Tariffs, ceil_second, millis};
use super::{PowerProblem, SwitchableNode};
use crate::power_states::Sleep;
use crate::quantity::Power;
use crate::time::{Seconds, Span};

/// A node that has idled for longer than this before the horizon is taken to have idled for this long.
const LONGEST_IDLE: Seconds = Seconds::new(31 * 86_400);

/// From the earliest instant since which a node has idled, as far as that counts, to the end of the horizon.
pub(super) fn idle_horizon(problem: &PowerProblem) -> Span {
    let start = problem.horizon.start();
    let idle_since = problem.idle_since.values().copied().min().unwrap_or(start);
    let earliest = idle_since.max(start - LONGEST_IDLE).min(start);
    Span::new(earliest, problem.horizon.end()).unwrap_or(problem.horizon)
}

/// How long nodes idle, by what that costs in the most important criterion. Where a rate is not known it counts as nothing.
pub(super) struct SkiRental<'a> {
    /// The rates from the first instant on since which a node has idled.
    pub tariffs: &'a Tariffs,
    /// What a cycle costs beside what is drawn.
    pub cycle: i128,
}

impl<'a> SkiRental<'a> {
    /// The rule by tariffs over the [`idle_horizon`].
    pub fn new(problem: &PowerProblem, tariffs: &'a Tariffs) -> Self {
        Self { tariffs, cycle: problem.rank_by.key(&problem.cycle_cost())[0] }
    }

    /// The part of a gap in which a node may be away: all of it unless jobs arrive unannounced, and otherwise what is left
    /// once it has idled for long enough.
    pub fn within(
        &self,
        problem: &PowerProblem,
        (ordinal, node): (u32, &SwitchableNode),
        gap: Span,
    ) -> Option<Span> {
        if !problem.unannounced.contains(ordinal) {
            return Some(gap);
        }
        let is_idle_now = gap.start() == problem.horizon.start();
        let since = problem.idle_since.get(&ordinal).filter(|_| is_idle_now).copied();
        let earliest = problem.horizon.start() - LONGEST_IDLE;
        let since = since.map_or(gap.start(), |since| since.max(earliest).min(gap.start()));
        let off_from = self.off_from(node, millis(since), millis(gap.end()))?;
        Span::new(ceil_second(off_from).max(gap.start()), gap.end())
    }
}

impl SkiRental<'_> {
    /// The first millisecond, up to an end, at which idling since an instant has cost as much more than being off as a cycle
    /// that begins then; `None` where there is none.
    pub fn off_from(&self, node: &SwitchableNode, since: i64, until: i64) -> Option<i64> {
        let (mut at, mut balance) = (since, self.balance(node, since, since));
        while balance < 0 {
            let next = self.next_bend(node, at).map_or(until, |next| next.min(until));
            if next <= at {
                return None;
            }
            let later = self.balance(node, since, next);
            if later >= 0 {
                // It is a line in between, which rises by a whole number in each millisecond.
                let slope = (later - balance) / i128::from(next - at);
                let passed = (-balance + slope - 1) / slope;
                return Some(at + i64::try_from(passed).unwrap_or(next - at));
            }
            (at, balance) = (next, later);
        }
        Some(at)
    }

    /// What idling has cost more than being off, less what a cycle costs more that begins at an instant and is woken at once.
    fn balance(&self, node: &SwitchableNode, since: i64, at: i64) -> i128 {
        let Sleep { off, switching_off, switching_on, .. } = node.sleep;
        let is_off = at + node.off_ms();
        let is_on = is_off + node.on_ms();
        let costs = |power: Power, from: i64, until: i64| {
            let above = i128::from((power - off).as_microwatts());
            above * (self.tariffs.up_to(until)[0] - self.tariffs.up_to(from)[0])
        };
        costs(node.idle, since, at)
            - costs(switching_off.power, at, is_off)
            - costs(switching_on.power, is_off, is_on)
            - self.cycle
    }

    /// The next instant at which what a cycle costs, or idling, changes otherwise than before.
    fn next_bend(&self, node: &SwitchableNode, at: i64) -> Option<i64> {
        let (down, up) = (node.off_ms(), node.on_ms());
        let shifts = [0, down, down + up].into_iter();
        shifts.filter_map(|shift| Some(self.tariffs.next_edge(at + shift)? - shift)).min()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::agenda::{Agenda, Agendas, Piece, RateAgenda};
    use crate::criterion::Criterion;
    use crate::power_plan::RankBy;
    use crate::power_states::Transition;
    use crate::quantity::{EnergyPrice, MILLION};
    use crate::time::{Span, Timestamp};

    /// How long each price holds.
    const PIECE_S: i64 = 150;

    fn span(start: i64, end: i64) -> Span {
        let at = Timestamp::from_unix_seconds;
        Span::new(at(start), at(end)).unwrap()
    }

    /// Tariffs by four prices, one after the other.
    fn tariffs(prices: [i64; 4]) -> Tariffs {
        let pieces = prices.into_iter().zip(0..).map(|(price, place)| Piece {
            span: span(place * PIECE_S, (place + 1) * PIECE_S),
            value: EnergyPrice::from_millionths_per_mwh(price * MILLION).unwrap(),
        });
        let agendas = Agendas {
            price: RateAgenda::new(Agenda::new(pieces.collect()).unwrap()),
            co2: RateAgenda::new(Agenda::new(Vec::new()).unwrap()),
            power_cap: None,
        };
        let rank_by = RankBy::new(&[Criterion::Cost]).unwrap();
        Tariffs::new(&agendas, rank_by, span(0, 4 * PIECE_S))
    }

    /// Idle, off, switching off and switching on in watts, and both times in milliseconds.
    fn node(powers: [f64; 4], times: [u64; 2]) -> SwitchableNode {
        let [idle, off, down, up] = powers.map(|watts| Power::from_watts(watts).unwrap());
        let transition = |power, ms| Transition { power, time: Duration::from_millis(ms) };
        let sleep = Sleep {
            number: 1,
            off,
            switching_off: transition(down, times[0]),
            switching_on: transition(up, times[1]),
        };
        SwitchableNode { idle, sleep, boot: sleep.switching_on.time }
    }

    /// The thesis's machine: a cycle takes 19,581.8584 - 9.75 x 157.62 = 18,045.0634 J more than being off, and each second idle
    /// 85.25 J more: 211.67 s. Where the first 150 s are for nothing, it is 361.67 s.
    #[test]
    fn a_node_idles_for_its_break_even_time() {
        let node = node([95.0, 9.75, 101.0, 125.17], [6_100, 151_520]);
        let off_from = |prices| {
            let tariffs = tariffs(prices);
            SkiRental { tariffs: &tariffs, cycle: 0 }.off_from(&node, 0, 400_000)
        };
        assert_eq!(off_from([50; 4]), Some(211_673));
        assert_eq!(off_from([0, 50, 50, 50]), Some(361_673));
        assert_eq!(off_from([0; 4]), Some(0));
        assert_eq!(
            SkiRental { tariffs: &tariffs([50; 4]), cycle: 0 }.off_from(&node, 0, 211_672),
            None
        );
    }

    /// What is spent above being off: by the rule, and at the best by one who knows the arrival. Looked at in every
    /// hundredth of a second.
    fn spent(
        node: &SwitchableNode,
        prices: [i64; 4],
        wear: i128,
        (off_from, arrival): (Option<i64>, i64),
    ) -> (i128, i128, [i128; 2]) {
        let price = |ms: i64| i128::from(prices[usize::try_from(ms / (PIECE_S * 1000)).unwrap()]);
        let above = |power: Power| i128::from((power - node.sleep.off).as_microwatts());
        let sum = |power: Power, from: i64, until: i64| -> i128 {
            let parts = (from..until).step_by(10);
            above(power)
                * parts.map(|at| price(at) * i128::from((until - at).min(10))).sum::<i128>()
        };
        let wear = wear * 1_000_000_000;
        let cycle = |at: i64, wake: i64| {
            sum(node.sleep.switching_off.power, at, at + node.off_ms())
                + sum(node.sleep.switching_on.power, wake, wake + node.on_ms())
                + wear
        };
        let idling = sum(node.idle, 0, arrival);
        let wake = |off: i64| arrival.max(off + node.off_ms());
        let by_rule = match off_from.filter(|off| *off < arrival) {
            Some(off) => sum(node.idle, 0, off) + cycle(off, wake(off)),
            None => idling,
        };
        let cycles: Vec<i128> =
            (0..=arrival).step_by(1000).map(|off| cycle(off, wake(off))).collect();
        let best = (0..=arrival)
            .step_by(1000)
            .zip(&cycles)
            .map(|(off, cycle)| sum(node.idle, 0, off) + cycle)
            .fold(idling, i128::min);
        let nominal = (0..=arrival).step_by(1000).map(|at| cycle(at, at + node.off_ms()));
        let all: Vec<i128> = cycles.into_iter().chain(nominal).collect();
        (by_rule, best, [*all.iter().min().unwrap(), *all.iter().max().unwrap()])
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        /// At a flat price at most twice what one spends who knows when the next job comes, and what a millisecond idle costs; at
        /// prices of nothing or more at most so many times that as the dearest cycle costs of the cheapest one.
        #[test]
        fn not_knowing_costs_at_most_as_much_again(
            idle in 20_i64..100,
            powers in (0_i64..20, 20_i64..150, 20_i64..150),
            times in (0_u64..8, 0_u64..30),
            mut prices in prop::array::uniform4(1_i64..40),
            (is_flat, wear) in (any::<bool>(), 0_i64..50),
            arrival in 0_i64..300,
        ) {
            if is_flat {
                prices = [prices[0]; 4];
            }
            let watts = [idle, powers.0, powers.1, powers.2].map(|watts| watts as f64);
            let node = node(watts, [times.0 * 1000, times.1 * 1000]);
            let tariffs = tariffs(prices);
            // Prices are millionths: the sums of this test are a million times smaller.
            let wear = i128::from(wear);
            let rule = SkiRental { tariffs: &tariffs, cycle: wear * 1_000_000_000 * i128::from(MILLION) };
            let off_from = rule.off_from(&node, 0, 360_000);
            let (by_rule, best, [cheapest, dearest]) =
                spent(&node, prices, wear, (off_from, arrival * 1000));
            let of_a_millisecond = i128::from((node.idle - node.sleep.off).as_microwatts()) * 40;
            if is_flat {
                prop_assert!(by_rule <= 2 * best + of_a_millisecond, "{by_rule} of {best}");
            }
            let times_best = 2 * best * dearest;
            prop_assert!(
                (by_rule - of_a_millisecond) * cheapest <= times_best,
                "{by_rule} of {best}, cycles from {cheapest} to {dearest}"
            );
        }
    }
}
