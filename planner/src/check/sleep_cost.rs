//! The best sleep of one gap, by looking at every pair of orders that can be best.
//!
//! What a sleep costs more than idling is linear in both orders between the instants at which a rate changes where switching
//! begins or ends, so it is least where each order is at such an instant, at an end of what is allowed, or where the node is
//! woken as soon as it is off and one of the two is at such an instant.

use std::cmp::Reverse;
use std::time::Duration;

use super::agendas::pieces_in;
use crate::agenda::Agendas;
use crate::criterion::Criterion;
use crate::power_plan::{Permits, RightLevel};
use crate::power_states::Sleep;
use crate::quantity::{Power, Rate};
use crate::time::{Span, Timestamp};

/// Thousandths of exact units, by criterion.
pub(super) type Amounts = [i128; 3];

/// Rates over a horizon, by instants in milliseconds.
pub(super) struct Course {
    known: Vec<Span>,
    /// From when on which price and intensity hold, and the integrals up to there.
    steps: Vec<(i64, Amounts, Amounts)>,
}

/// What the sleeps of one node cost.
pub(super) struct SleepCosts<'a> {
    pub course: &'a Course,
    pub idle: Power,
    pub sleep: Sleep,
    /// From the order to wake until the node is counted on to be up.
    pub lead_ms: i64,
    /// What a cycle costs beside what is drawn.
    pub cycle: Amounts,
}

impl Course {
    /// Where both rates are known, those of the agendas; nothing is integrated elsewhere.
    pub fn of(agendas: &Agendas, horizon: Option<Span>) -> Self {
        let known = horizon.map_or_else(Vec::new, |horizon| known(agendas, horizon));
        let mut steps: Vec<(i64, Amounts, Amounts)> = Vec::new();
        for &span in &known {
            for (priced, price) in pieces_in(agendas.price.agenda(), span) {
                for (both, intensity) in pieces_in(agendas.co2.agenda(), priced) {
                    let rates = [1, price.as_millionths().into(), intensity.as_millionths().into()];
                    let so_far = up_to(&steps, millis(both.start()));
                    steps.push((millis(both.start()), rates, so_far));
                }
            }
            let so_far = up_to(&steps, millis(span.end()));
            steps.push((millis(span.end()), [0; 3], so_far));
        }
        Self { known, steps }
    }
}

/// Integrals of the rates up to an instant.
fn up_to(steps: &[(i64, Amounts, Amounts)], at_ms: i64) -> Amounts {
    let begun = steps.partition_point(|(start, ..)| *start <= at_ms);
    let Some((start, rates, so_far)) = begun.checked_sub(1).map(|last| &steps[last]) else {
        return [0; 3];
    };
    std::array::from_fn(|it| so_far[it] + rates[it] * i128::from(at_ms - start))
}

impl SleepCosts<'_> {
    /// What the best sleep of a gap saves by an order of criteria; `None` where none is worth more than nothing.
    pub fn best(&self, gap: Span, permits: &Permits, order: &[Criterion]) -> Option<Amounts> {
        let known =
            self.course.known.iter().filter_map(|known| Some((*known, known.intersection(gap)?)));
        let sleeps =
            known.filter_map(|(known, part)| self.best_within(gap, (known, part), permits, order));
        let saves = sleeps.max_by_key(|saves| ranked(saves, order))?;
        (ranked(&saves, order) > vec![0; order.len()]).then_some(saves)
    }

    fn best_within(
        &self,
        gap: Span,
        (known, part): (Span, Span),
        permits: &Permits,
        order: &[Criterion],
    ) -> Option<Amounts> {
        let ms = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let (down, up) = (ms(self.sleep.switching_off.time), ms(self.sleep.switching_on.time));
        let (first, last) = (
            millis(part.start()),
            (millis(gap.end()) - self.lead_ms).min(millis(known.end()) - up),
        );
        let edges = || self.course.steps.iter().map(|step| step.0);
        let permitted = permits
            .spans()
            .iter()
            .flat_map(|(span, _)| [millis(span.start()), millis(span.end()) - 1]);
        let mut offs: Vec<i64> =
            edges().flat_map(|edge| [edge, edge - down]).chain(permitted).collect();
        let mut wakes: Vec<i64> = edges().flat_map(|edge| [edge, edge - up]).collect();
        offs.extend([first, last - down]);
        wakes.extend([first + down, last]);
        let at_once: Vec<i64> = wakes.iter().map(|wake| wake - down).collect();
        wakes.extend(offs.iter().map(|off| off + down).collect::<Vec<_>>());
        offs.extend(at_once);
        let second = |at_ms: i64| Timestamp::from_unix_seconds(at_ms.div_euclid(1000));
        let may = |off: &i64| permits.level(second(*off)) != RightLevel::Nothing;
        offs.retain(|off| (first..=last - down).contains(off));
        offs.retain(may);
        wakes.retain(|wake| (first + down..=last).contains(wake));
        offs.sort_unstable();
        wakes.sort_unstable();
        let mut offs = offs.into_iter().peekable();
        let mut cheapest_off: Option<Amounts> = None;
        let cheaper = |cost: &Amounts, than: &Amounts| ranked(cost, order) < ranked(than, order);
        let mut best: Option<Amounts> = None;
        for wake in wakes {
            while let Some(off) = offs.next_if(|off| off + down <= wake) {
                let cost = self.off_cost(off, off + down);
                if cheapest_off.is_none_or(|other| cheaper(&cost, &other)) {
                    cheapest_off = Some(cost);
                }
            }
            let Some(off) = cheapest_off else { continue };
            let wake = self.wake_cost(wake, wake + up);
            let saves = std::array::from_fn(|it| -off[it] - wake[it] - self.cycle[it]);
            if best
                .is_none_or(|best| Reverse(ranked(&saves, order)) < Reverse(ranked(&best, order)))
            {
                best = Some(saves);
            }
        }
        best
    }

    /// The part that rests on the order to switch off: switching, less being off up to its end.
    fn off_cost(&self, off: i64, end: i64) -> Amounts {
        let (switching, asleep) =
            (self.above_idle(self.sleep.switching_off.power), self.above_idle(self.sleep.off));
        let (from, until) = (up_to(&self.course.steps, off), up_to(&self.course.steps, end));
        std::array::from_fn(|it| switching * (until[it] - from[it]) - asleep * until[it])
    }

    /// The part that rests on the order to wake: being off up to it, and switching.
    fn wake_cost(&self, wake: i64, end: i64) -> Amounts {
        let (switching, asleep) =
            (self.above_idle(self.sleep.switching_on.power), self.above_idle(self.sleep.off));
        let (from, until) = (up_to(&self.course.steps, wake), up_to(&self.course.steps, end));
        std::array::from_fn(|it| asleep * from[it] + switching * (until[it] - from[it]))
    }

    fn above_idle(&self, power: Power) -> i128 {
        i128::from(power.as_microwatts() - self.idle.as_microwatts())
    }
}

/// Amounts in an order of criteria.
fn ranked(amounts: &Amounts, order: &[Criterion]) -> Vec<i128> {
    order.iter().map(|criterion| amounts[*criterion as usize]).collect()
}

/// Where prices and intensities are both known within a horizon, in time order; parts that touch are one.
fn known(agendas: &Agendas, horizon: Span) -> Vec<Span> {
    let mut known: Vec<Span> = Vec::new();
    for (priced, _) in pieces_in(agendas.price.agenda(), horizon) {
        for (both, _) in pieces_in(agendas.co2.agenda(), priced) {
            match known.last_mut() {
                Some(last) if last.end() == both.start() => {
                    *last = Span::new(last.start(), both.end()).unwrap_or(*last);
                }
                _ => known.push(both),
            }
        }
    }
    known
}

/// Milliseconds since the Unix epoch.
const fn millis(instant: Timestamp) -> i64 {
    instant.as_unix_seconds() * 1000
}
