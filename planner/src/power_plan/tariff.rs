//! Energy, price and CO2 intensity as integrals over milliseconds.

use std::cmp::Ordering;

use super::amounts::{CriteriaAmounts, Key, RankBy};
use crate::agenda::{Agendas, RateAgenda};
use crate::quantity::Rate;
use crate::time::{Span, Timestamp};

/// What a unit of power costs over time, in each criterion.
pub(super) struct Tariffs {
    rates: [Course; 3],
    /// The ranked rates together, in their order.
    ranked: Vec<Step>,
    /// Where all ranked criteria are known, in time order; parts that touch are one.
    known: Vec<Span>,
}

/// Ranked rates from an instant on, in the order of keys.
struct Step {
    /// Milliseconds.
    start: i64,
    rates: Key,
    /// The integral up to the start.
    integral: Key,
}

/// A rate over time and its integral from the first instant on.
struct Course {
    /// The starts of the steps in milliseconds, the rates from there on and the integral up to there. Time without a
    /// rate has the rate 0.
    steps: Vec<(i64, i64, i128)>,
    known: Vec<Span>,
}

impl Tariffs {
    /// What agendas say of a horizon.
    pub fn new(agendas: &Agendas, rank_by: RankBy, horizon: Span) -> Self {
        let energy = Course::new([(horizon, 1)].into_iter());
        let rates =
            [energy, Course::of(&agendas.price, horizon), Course::of(&agendas.co2, horizon)];
        let courses: Vec<&Course> = rank_by.criteria().map(|it| &rates[it as usize]).collect();
        let mut known = vec![horizon];
        for course in &courses {
            known = intersection(&known, &course.known);
        }
        let mut edges: Vec<i64> =
            courses.iter().flat_map(|course| course.steps.iter().map(|step| step.0)).collect();
        edges.sort_unstable();
        edges.dedup();
        let step = |start: i64| {
            let key = |part: &dyn Fn(&Course) -> i128| {
                let mut key = Key::default();
                for (place, course) in key.iter_mut().zip(&courses) {
                    *place = part(course);
                }
                key
            };
            let rates = key(&|course| course.rate_at(start).into());
            Step { start, rates, integral: key(&|course| course.integral_up_to(start)) }
        };
        let ranked = edges.into_iter().map(step).collect();
        Self { rates, ranked, known }
    }

    /// Where all ranked criteria are known.
    pub fn known(&self) -> &[Span] {
        &self.known
    }

    /// Thousandths of exact units that a microwatt costs up to an instant, as keys compare them.
    pub fn up_to(&self, instant: i64) -> Key {
        let next = self.ranked.partition_point(|step| step.start <= instant);
        let Some(step) = next.checked_sub(1).map(|last| &self.ranked[last]) else {
            return Key::default();
        };
        let passed = i128::from(instant - step.start);
        std::array::from_fn(|place| step.integral[place] + step.rates[place] * passed)
    }

    /// The first instant after one at which a ranked rate changes.
    pub fn next_edge(&self, after: i64) -> Option<i64> {
        let next = self.ranked.partition_point(|step| step.start <= after);
        self.ranked.get(next).map(|step| step.start)
    }

    /// Where `first x rate(t) + second x rate(t + length)`, which is the slope of something, comes from nothing or less and
    /// goes to nothing or more: its minima, in order.
    pub fn minima(&self, length: i64, first: i128, second: i128) -> Vec<i64> {
        let mut minima = Vec::new();
        // Slopes change where either rate does.
        for shift in [0, length] {
            let (mut here, mut there) = (Walk::new(self), Walk::new(self));
            for edge in self.ranked.iter().map(|step| step.start - shift) {
                let (rates, later) = (here.around(edge), there.around(edge + length));
                let slope = |side: usize| sign(first, rates[side], second, later[side]);
                if slope(0).is_le() && slope(1).is_ge() {
                    minima.push(edge);
                }
            }
        }
        minima.sort_unstable();
        minima.dedup();
        minima
    }

    /// The instants in a time, both ends included, at which a rate changes there or a length later.
    pub fn bends(&self, length: i64, from: i64, until: i64) -> impl Iterator<Item = i64> {
        let edges = self.ranked.iter().flat_map(move |step| [step.start, step.start - length]);
        edges.filter(move |edge| (from..=until).contains(edge))
    }

    /// What so many microwatts cost from one instant to another, in all criteria.
    pub fn between(&self, microwatts: i64, from_ms: i64, until_ms: i64) -> CriteriaAmounts {
        let amount = |rate: &Course| {
            let is_known = rate.knows(from_ms, until_ms);
            let integral = || rate.integral_up_to(until_ms) - rate.integral_up_to(from_ms);
            is_known.then(|| i128::from(microwatts) * integral())
        };
        CriteriaAmounts::from_thousandths([0, 1, 2].map(|rate| amount(&self.rates[rate])))
    }
}

/// The rates where there is none.
const NOTHING: Key = [0; 3];

/// Whether `first x one + second x other` is below nothing, nothing or above, by the first part that is not nothing.
fn sign(first: i128, one: &Key, second: i128, other: &Key) -> Ordering {
    let parts = one.iter().zip(other).map(|(one, other)| (first * one + second * other).cmp(&0));
    parts.into_iter().find(|it| it.is_ne()).unwrap_or(Ordering::Equal)
}

/// Ranked rates at instants that move forward.
struct Walk<'a> {
    steps: &'a [Step],
    /// How many steps begin before or at the latest instant.
    begun: usize,
}

impl<'a> Walk<'a> {
    fn new(tariffs: &'a Tariffs) -> Self {
        Self { steps: &tariffs.ranked, begun: 0 }
    }

    /// The rates before an instant and from it on.
    fn around(&mut self, instant: i64) -> [&'a Key; 2] {
        while self.steps.get(self.begun).is_some_and(|step| step.start <= instant) {
            self.begun += 1;
        }
        let rates =
            |begun: usize| begun.checked_sub(1).map_or(&NOTHING, |it| &self.steps[it].rates);
        let begins = self.begun > 0 && self.steps[self.begun - 1].start == instant;
        [rates(self.begun - usize::from(begins)), rates(self.begun)]
    }
}

impl Course {
    fn of<R: Rate>(agenda: &RateAgenda<R>, horizon: Span) -> Self {
        let pieces = agenda.agenda().overlapping(horizon).iter();
        Self::new(pieces.filter_map(|piece| {
            Some((piece.span.intersection(horizon)?, piece.value.as_millionths()))
        }))
    }

    fn new(pieces: impl Iterator<Item = (Span, i64)>) -> Self {
        let mut course = Self { steps: Vec::new(), known: Vec::new() };
        for (span, rate) in pieces {
            course.step(millis(span.start()), rate);
            match course.known.last_mut() {
                Some(last) if last.end() == span.start() => {
                    *last = Span::new(last.start(), span.end()).unwrap_or(*last);
                }
                _ => course.known.push(span),
            }
            course.step(millis(span.end()), 0);
        }
        course
    }

    /// Begins another rate, in the place of one that begins at the same instant.
    fn step(&mut self, start: i64, rate: i64) {
        let integral = self.integral_up_to(start);
        if self.steps.last().is_some_and(|last| last.0 == start) {
            self.steps.pop();
        }
        if self.steps.last().is_none_or(|last| last.1 != rate) {
            self.steps.push((start, rate, integral));
        }
    }

    fn integral_up_to(&self, instant_ms: i64) -> i128 {
        let next = self.steps.partition_point(|step| step.0 <= instant_ms);
        let Some(&(start, rate, integral)) = next.checked_sub(1).map(|last| &self.steps[last])
        else {
            return 0;
        };
        integral + i128::from(rate) * i128::from(instant_ms - start)
    }

    fn rate_at(&self, instant_ms: i64) -> i64 {
        let next = self.steps.partition_point(|step| step.0 <= instant_ms);
        next.checked_sub(1).map_or(0, |last| self.steps[last].1)
    }

    fn knows(&self, from_ms: i64, until_ms: i64) -> bool {
        let after = self.known.partition_point(|span| millis(span.end()) <= from_ms);
        from_ms >= until_ms
            || self.known.get(after).is_some_and(|span| {
                millis(span.start()) <= from_ms && until_ms <= millis(span.end())
            })
    }
}

/// The instants that are in both, each in time order and without spans that touch.
pub(super) fn intersection(one: &[Span], other: &[Span]) -> Vec<Span> {
    let (mut first, mut second) = (one.iter().peekable(), other.iter().peekable());
    let mut both = Vec::new();
    while let (Some(a), Some(b)) = (first.peek(), second.peek()) {
        both.extend(a.intersection(**b));
        if a.end() <= b.end() {
            first.next()
        } else {
            second.next()
        };
    }
    both
}

/// Milliseconds since the Unix epoch.
pub(super) const fn millis(instant: Timestamp) -> i64 {
    instant.as_unix_seconds() * 1000
}

/// The second that a millisecond lies in.
pub(super) const fn second(ms: i64) -> Timestamp {
    Timestamp::from_unix_seconds(ms.div_euclid(1000))
}

/// The first whole second that is not before a millisecond.
pub(super) const fn ceil_second(ms: i64) -> Timestamp {
    second(ms + 999)
}
