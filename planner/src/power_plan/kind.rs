//! A kind of node: what sleeping costs, and the instants among which the best are.

use std::time::Duration;

use super::amounts::{CriteriaAmounts, Key, difference, sum};
use super::tariff::{Tariffs, millis};
use crate::power_states::Sleep;
use crate::quantity::Power;
use crate::time::Span;

/// A node that can be switched: what it draws idle, how it sleeps, and how long waking is to be counted on to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SwitchableNode {
    /// What it draws when it is on and nobody uses it.
    pub idle: Power,
    /// How it is switched off and on.
    pub sleep: Sleep,
    /// A high quantile of its boot times. Switching on takes as long at least.
    pub boot: Duration,
}

impl SwitchableNode {
    /// Milliseconds from the order to switch off until it is off.
    pub(super) fn off_ms(&self) -> i64 {
        millis_of(self.sleep.switching_off.time)
    }

    /// Milliseconds from the order to wake for which switching on draws its power.
    pub(super) fn on_ms(&self) -> i64 {
        millis_of(self.sleep.switching_on.time)
    }

    /// Milliseconds from the order to wake until it is counted on to be up.
    pub(super) fn lead_ms(&self) -> i64 {
        millis_of(self.boot).max(self.on_ms())
    }

    /// The shortest gap, to be exact, in which sleeping consumes no more energy than idling; `None` where it never does.
    ///
    /// Switching takes `T = T_off + T_on` and consumes `E = E_off + E_on`; a gap `g` consumes `E + P_off (g - T)`
    /// instead of `P_idle g`, so that it pays from `(E - P_off T) / (P_idle - P_off)` on, and is not shorter than `T`.
    /// (Batsim thesis, table 6.1: 95 W idle, 9.75 W off, 6.1 s at 101 W, 151.52 s at 125.17 W: 211.7 s.)
    pub fn break_even_s(&self) -> Option<f64> {
        let Sleep { off, switching_off, switching_on, .. } = self.sleep;
        let switching = [switching_off, switching_on];
        let time_s: f64 = switching.iter().map(|it| it.time.as_secs_f64()).sum();
        let energy_j: f64 =
            switching.iter().map(|it| it.power.as_watts() * it.time.as_secs_f64()).sum();
        let saved_w = self.idle.as_watts() - off.as_watts();
        (saved_w > 0.0).then(|| time_s.max((energy_j - off.as_watts() * time_s) / saved_w))
    }

    /// What sleeping costs more than idling, between the orders to switch off and to wake; what is saved, negated.
    pub(super) fn extra(&self, tariffs: &Tariffs, times: SleepTimes) -> CriteriaAmounts {
        let SleepTimes { off_ms: off, wake_ms: wake } = times;
        let (down, up) = (self.off_ms(), self.on_ms());
        let above = |power: Power| power.as_microwatts() - self.idle.as_microwatts();
        let Sleep { off: asleep, switching_off, switching_on, .. } = self.sleep;
        tariffs.between(above(switching_off.power), off, off + down)
            + tariffs.between(above(asleep), off + down, wake)
            + tariffs.between(above(switching_on.power), wake, wake + up)
    }

    /// What being off from an instant on costs more than idling, up to the order to wake and what switching on takes, or up to
    /// an end where the node is not woken.
    fn extra_of_begun(
        &self,
        tariffs: &Tariffs,
        from: i64,
        wake: Option<i64>,
        end: i64,
    ) -> CriteriaAmounts {
        let above = |power: Power| power.as_microwatts() - self.idle.as_microwatts();
        let asleep = tariffs.between(above(self.sleep.off), from, wake.unwrap_or(end));
        let Some(wake) = wake else { return asleep };
        let switching = above(self.sleep.switching_on.power);
        asleep + tariffs.between(switching, wake, wake + self.on_ms())
    }
}

/// When a node is ordered to switch off, and when to wake: milliseconds since the Unix epoch, as switching takes some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SleepTimes {
    /// The order to switch off.
    pub off_ms: i64,
    /// The order to wake.
    pub wake_ms: i64,
}

/// What the orders of a kind of node cost.
///
/// What a sleep costs more than idling is `F(off) + G(wake)`. Both are piecewise linear in time: they bend where switching
/// begins or ends while a rate changes. So the least is at a minimum of theirs, at an end of what is allowed, or where the
/// node wakes as soon as it is off.
pub(super) struct Kind<'a> {
    pub node: SwitchableNode,
    tariffs: &'a Tariffs,
    /// The minima of both in milliseconds, in order, and what an order then costs.
    offs: Vec<(i64, Key)>,
    wakes: Vec<(i64, Key)>,
}

/// What a sleep may be: within the gap, where tariffs are known, and in permitted hours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The order to switch off is at this millisecond or later.
    pub off_from: i64,
    /// The order to wake is at this millisecond or earlier.
    pub wake_until: i64,
}

/// A sleep that costs the least in some bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BestSleep {
    pub times: SleepTimes,
    /// What it costs more than idling, without wear.
    pub cost: Key,
}

impl BestSleep {
    /// Orders with what each costs.
    fn new(off: (i64, Key), wake: (i64, Key)) -> Self {
        let times = SleepTimes { off_ms: off.0, wake_ms: wake.0 };
        Self { times, cost: sum(off.1, wake.1) }
    }
}

impl<'a> Kind<'a> {
    pub fn new(node: SwitchableNode, tariffs: &'a Tariffs) -> Self {
        let mut kind = Self { node, tariffs, offs: Vec::new(), wakes: Vec::new() };
        let minima = |[before, between, after]: [Power; 3], length: i64| {
            let less = |one: Power, other: Power| i128::from((one - other).as_microwatts());
            tariffs.minima(length, less(before, between), less(between, after))
        };
        let offs = minima(kind.powers_off(), node.off_ms());
        let wakes = minima(kind.powers_on(), node.on_ms());
        kind.offs = offs.into_iter().map(|at| (at, kind.off_cost(at))).collect();
        kind.wakes = wakes.into_iter().map(|at| (at, kind.wake_cost(at))).collect();
        kind
    }

    /// The powers before switching off, meanwhile and after.
    const fn powers_off(&self) -> [Power; 3] {
        let Sleep { off, switching_off, .. } = self.node.sleep;
        [self.node.idle, switching_off.power, off]
    }

    /// The powers before switching on, meanwhile and after.
    const fn powers_on(&self) -> [Power; 3] {
        let Sleep { off, switching_on, .. } = self.node.sleep;
        [off, switching_on.power, self.node.idle]
    }

    /// `F(off) = P_idle I(off) + P_switching (I(off + T) - I(off)) - P_off I(off + T)`, with the integral `I` of a rate.
    fn off_cost(&self, at: i64) -> Key {
        self.in_three(self.powers_off(), at, at + self.node.off_ms())
    }

    /// `G(wake) = P_off I(wake) + P_switching (I(wake + T) - I(wake)) - P_idle I(wake + T)`.
    fn wake_cost(&self, at: i64) -> Key {
        self.in_three(self.powers_on(), at, at + self.node.on_ms())
    }

    /// What a power before, one between and one after cost, the last one taken off up to the end.
    fn in_three(&self, powers: [Power; 3], begin: i64, end: i64) -> Key {
        let [before, between, after] = powers.map(|power| i128::from(power.as_microwatts()));
        let (first, last) = (self.tariffs.up_to(begin), self.tariffs.up_to(end));
        std::array::from_fn(|place| {
            (before - between) * first[place] + (between - after) * last[place]
        })
    }

    /// The sleep in some bounds that costs the least, where switching off is permitted; of equals the longest.
    pub fn best(&self, bounds: Bounds, permitted: &[Span]) -> Option<BestSleep> {
        let switching = self.node.off_ms();
        let off_until = bounds.wake_until - switching;
        let offs = self.off_candidates(bounds.off_from, off_until, permitted);
        let off = offs.clone().min_by_key(|(at, cost)| (*cost, *at))?;
        let wakes = self.wake_candidates(bounds.off_from + switching, bounds.wake_until);
        let wake = wakes.clone().min_by_key(|(at, cost)| (*cost, -at))?;
        if off.0 + switching <= wake.0 {
            return Some(BestSleep::new(off, wake));
        }
        let at_once = self.woken_at_once(bounds, permitted);
        self.best_in_order(offs.collect(), wakes.collect())
            .into_iter()
            .chain(at_once)
            .min_by_key(|sleep| (sleep.cost, sleep.times.off_ms, -sleep.times.wake_ms))
    }

    /// The best pair where the best orders by themselves would wake a node before it is off.
    fn best_in_order(
        &self,
        mut offs: Vec<(i64, Key)>,
        mut wakes: Vec<(i64, Key)>,
    ) -> Option<BestSleep> {
        let switching = self.node.off_ms();
        offs.sort_unstable_by_key(|off| off.0);
        wakes.sort_unstable_by_key(|wake| wake.0);
        let mut least: Option<(i64, Key)> = None;
        let mut best: Option<BestSleep> = None;
        let mut next = offs.into_iter().peekable();
        for wake in wakes {
            while let Some(off) = next.next_if(|off| off.0 + switching <= wake.0) {
                if least.is_none_or(|it| off.1 < it.1) {
                    least = Some(off);
                }
            }
            let Some(off) = least else { continue };
            let sleep = BestSleep::new(off, wake);
            if best.is_none_or(|it| sleep.cost <= it.cost) {
                best = Some(sleep);
            }
        }
        best
    }

    /// The best sleep that ends as soon as the node is off.
    fn woken_at_once(&self, bounds: Bounds, permitted: &[Span]) -> Option<BestSleep> {
        let (down, up) = (self.node.off_ms(), self.node.on_ms());
        let until = bounds.wake_until - down;
        let sleeps =
            permitted_within(bounds.off_from, until, permitted).flat_map(|(start, end)| {
                let bends = self.tariffs.bends(down, start, end);
                let of_wake =
                    self.tariffs.bends(up, start + down, end + down).map(move |at| at - down);
                [start, end].into_iter().chain(bends).chain(of_wake)
            });
        let sleeps = sleeps.map(|off_ms| self.sleep(SleepTimes { off_ms, wake_ms: off_ms + down }));
        sleeps.min_by_key(|sleep| (sleep.cost, sleep.times.off_ms))
    }

    /// The instants from one to another among which the best order to switch off is, in permitted hours.
    fn off_candidates<'b>(
        &'b self,
        from: i64,
        until: i64,
        permitted: &'b [Span],
    ) -> impl Iterator<Item = (i64, Key)> + Clone + 'b {
        permitted_within(from, until, permitted).flat_map(|(start, end)| {
            let ends = [start, end].into_iter().map(|at| (at, self.off_cost(at)));
            ends.chain(between(&self.offs, start, end).iter().copied())
        })
    }

    /// The instants from one to another among which the best order to wake is.
    fn wake_candidates(&self, from: i64, until: i64) -> impl Iterator<Item = (i64, Key)> + Clone {
        let ends = (from <= until).then_some([from, until]).into_iter().flatten();
        let ends = ends.map(|at| (at, self.wake_cost(at)));
        ends.chain(between(&self.wakes, from, until).iter().copied())
    }

    /// The order to wake from one instant to another, both included, that costs the least, and `G` of it; of equals the last.
    pub fn best_wake(&self, from: i64, until: i64) -> (i64, Key) {
        let wakes = self.wake_candidates(from, until);
        let best = wakes.min_by_key(|(at, cost)| (*cost, -at));
        best.unwrap_or_else(|| (until, self.wake_cost(until)))
    }

    /// What takes the place of `G` where a node stays off up to an end.
    pub fn never_woken(&self, end: i64) -> Key {
        let Sleep { off, .. } = self.node.sleep;
        self.in_three([off, off, self.node.idle], end, end)
    }

    /// What a node that is off from an instant on saves in all criteria against idling, without what a cycle costs.
    pub fn saves_begun(&self, from: i64, wake: Option<i64>, end: i64) -> CriteriaAmounts {
        CriteriaAmounts::ZERO - self.node.extra_of_begun(self.tariffs, from, wake, end)
    }

    /// What a sleep saves in all criteria against idling.
    pub fn saves(&self, sleep: BestSleep) -> CriteriaAmounts {
        CriteriaAmounts::ZERO - self.node.extra(self.tariffs, sleep.times)
    }

    /// The sleep with given orders.
    pub fn sleep(&self, SleepTimes { off_ms, wake_ms }: SleepTimes) -> BestSleep {
        BestSleep::new((off_ms, self.off_cost(off_ms)), (wake_ms, self.wake_cost(wake_ms)))
    }

    /// What a sleep is worth, when a cycle costs so much beside it.
    pub fn worth(sleep: &BestSleep, cycle: Key) -> Key {
        difference(difference([0; 3], sleep.cost), cycle)
    }
}

/// The parts of a time that are permitted, in order, their last millisecond included.
fn permitted_within(
    from: i64,
    until: i64,
    permitted: &[Span],
) -> impl Iterator<Item = (i64, i64)> + Clone {
    let begin = permitted.partition_point(|it| millis(it.end()) <= from);
    let spans = permitted[begin..]
        .iter()
        .map(move |it| (millis(it.start()).max(from), (millis(it.end()) - 1).min(until)));
    spans.take_while(move |(start, _)| *start <= until)
}

/// The entries from one instant to another, both included.
fn between(entries: &[(i64, Key)], from: i64, until: i64) -> &[(i64, Key)] {
    let start = entries.partition_point(|entry| entry.0 < from);
    let end = entries.partition_point(|entry| entry.0 <= until);
    &entries[start..end.max(start)]
}

fn millis_of(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
