//! Energy, price and CO2 intensity as integrals over milliseconds.

use super::amounts::{Amounts, Key, RankBy};
use crate::agenda::{Agendas, RateAgenda};
use crate::criterion::Criterion;
use crate::quantity::Rate;
use crate::time::{Span, Timestamp};

/// What a unit of power costs over time, in each criterion.
pub(super) struct Tariffs {
    rates: [Course; 3],
    rank_by: RankBy,
    /// Where all ranked criteria are known, in time order; parts that touch are one.
    known: Vec<Span>,
    /// The instants at which a ranked rate changes, in milliseconds and in order.
    edges: Vec<i64>,
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
        let rates = [energy, Course::of(&agendas.price, horizon), Course::of(&agendas.co2, horizon)];
        let ranked = |criterion: &Criterion| rank_by.criteria().any(|it| it == *criterion);
        let ranked: Vec<&Course> = Criterion::ALL
            .iter()
            .filter(|it| ranked(it))
            .map(|it| &rates[*it as usize])
            .collect();
        let mut known = vec![horizon];
        for rate in &ranked {
            known = intersection(&known, &rate.known);
        }
        let mut edges: Vec<i64> =
            ranked.iter().flat_map(|rate| rate.steps.iter().map(|step| step.0)).collect();
        edges.sort_unstable();
        edges.dedup();
        Self { rates, rank_by, known, edges }
    }

    /// Where all ranked criteria are known.
    pub fn known(&self) -> &[Span] {
        &self.known
    }

    /// The instants at which a ranked rate changes, in milliseconds and in order.
    pub fn edges(&self) -> &[i64] {
        &self.edges
    }

    /// Thousandths of exact units that a microwatt costs up to an instant, as keys compare them.
    pub fn up_to(&self, instant_ms: i64) -> Key {
        self.rank_by.key(&Amounts::from_thousandths(
            [0, 1, 2].map(|rate| Some(self.rates[rate].integral_up_to(instant_ms))),
        ))
    }

    /// What so many microwatts cost from one instant to another, in all criteria.
    pub fn between(&self, microwatts: i64, from_ms: i64, until_ms: i64) -> Amounts {
        let amount = |rate: &Course| {
            let is_known = rate.knows(from_ms, until_ms);
            let integral = || rate.integral_up_to(until_ms) - rate.integral_up_to(from_ms);
            is_known.then(|| i128::from(microwatts) * integral())
        };
        Amounts::from_thousandths([0, 1, 2].map(|rate| amount(&self.rates[rate])))
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
        if a.end() <= b.end() { first.next() } else { second.next() };
    }
    both
}

/// Milliseconds since the Unix epoch.
pub(super) const fn millis(instant: Timestamp) -> i64 {
    instant.as_unix_seconds() * 1000
}
