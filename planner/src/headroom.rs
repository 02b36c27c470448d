//! Headroom: the power left under a cap over time (constraint C3).

use std::collections::VecDeque;
use std::ops::Range;

use crate::agenda::Agenda;
use crate::quantity::{Energy, Power};
use crate::time::{Span, Timestamp};

/// The power left under a cap as a step function of time. Where no cap is known there is no step,
/// and nothing is said against any power. Headroom is negative where more is taken than there is.
#[derive(Clone, Debug)]
pub struct Headroom {
    /// In order of time, none overlapping another.
    steps: Vec<(Span, Power)>,
}

impl Headroom {
    /// The cap less `base` and the power of what is reserved. `reserved` is in order of time; where it
    /// has no step there is no headroom to be asked for.
    pub fn beside(cap: &Agenda<Power>, base: Power, reserved: &[(Span, Power)]) -> Self {
        let mut steps = Vec::with_capacity(reserved.len() + cap.pieces().len());
        for &(span, power) in reserved {
            for piece in cap.overlapping(span) {
                if let Some(both) = piece.span.intersection(span) {
                    steps.push((both, piece.value - base - power));
                }
            }
        }
        Self { steps }
    }

    /// The cap less `base` over `window`, before any claim. `spans` are those of the claims to come:
    /// only of these spans may power be taken or given, and only these may be asked about. Costs a
    /// sort of their edges; taking and asking cost the steps of the span.
    pub fn before_claims(
        cap: &Agenda<Power>,
        base: Power,
        window: Span,
        spans: impl IntoIterator<Item = Span>,
    ) -> Self {
        let caps = cap.overlapping(window).iter().map(|piece| piece.span);
        let mut edges = vec![window.start(), window.end()];
        edges.extend(spans.into_iter().chain(caps).flat_map(|span| [span.start(), span.end()]));
        edges.retain(|edge| (window.start()..=window.end()).contains(edge));
        edges.sort_unstable();
        edges.dedup();
        let step = |pair: &[Timestamp]| {
            let span = Span::new(pair[0], pair[1])?;
            Some((span, cap.at(span.start())? - base))
        };
        Self { steps: edges.windows(2).filter_map(step).collect() }
    }

    /// The steps in order of time.
    pub fn steps(&self) -> &[(Span, Power)] {
        &self.steps
    }

    /// The indexes of the steps that begin in a span.
    fn during(&self, span: Span) -> Range<usize> {
        let before = |instant: Timestamp| self.steps.partition_point(|it| it.0.start() < instant);
        before(span.start())..before(span.end())
    }

    /// Whether `power` is left throughout a span.
    pub fn fits(&self, span: Span, power: Power) -> bool {
        self.steps[self.during(span)].iter().all(|&(_, left)| left >= power)
    }

    /// Takes power for a span, whether or not it fits.
    pub fn take(&mut self, span: Span, power: Power) {
        let steps = self.during(span);
        for (_, left) in &mut self.steps[steps] {
            *left = *left - power;
        }
    }

    /// Takes power for many spans at once, in a pass over the steps.
    pub fn take_all(&mut self, claims: impl IntoIterator<Item = (Span, Power)>) {
        self.give_all(claims.into_iter().map(|(span, power)| (span, Power::ZERO - power)));
    }

    /// Gives power to many spans at once, in a pass over the steps.
    pub fn give_all(&mut self, gifts: impl IntoIterator<Item = (Span, Power)>) {
        let mut changes = vec![Power::ZERO; self.steps.len() + 1];
        for (span, power) in gifts {
            let steps = self.during(span);
            changes[steps.start] = changes[steps.start] + power;
            changes[steps.end] = changes[steps.end] - power;
        }
        let mut given = Power::ZERO;
        for ((_, left), change) in self.steps.iter_mut().zip(changes) {
            given = given + change;
            *left = *left + given;
        }
    }

    /// The energy beyond what is left that so much more power would take over a span.
    pub fn lacking(&self, span: Span, power: Power) -> Energy {
        let lack = |&(step, left): &(Span, Power)| {
            let lack = (power - left.max(Power::ZERO)).max(Power::ZERO);
            (lack * step.length()).as_microjoules()
        };
        Energy::from_microjoules(self.steps[self.during(span)].iter().map(lack).sum())
    }

    /// Lookups over spans that move forward in time.
    pub const fn walk(&self) -> HeadroomWalk<'_> {
        HeadroomWalk { steps: self.steps.as_slice(), tightest: VecDeque::new(), next: 0 }
    }
}

/// The least headroom of spans that move forward in time. The spans need not be those of claims.
pub struct HeadroomWalk<'a> {
    steps: &'a [(Span, Power)],
    /// Steps that reach into the span, each tighter than those after it: the first is the tightest.
    tightest: VecDeque<usize>,
    next: usize,
}

impl HeadroomWalk<'_> {
    /// Where `power` does not fit in `span`: the part of it in which the most is missing, and how
    /// much. `None` where it fits at every instant.
    pub fn shortage(&mut self, span: Span, power: Power) -> Option<(Span, Power)> {
        while self.next < self.steps.len() && self.steps[self.next].0.start() < span.end() {
            let left = self.steps[self.next].1;
            while self.tightest.back().is_some_and(|&step| self.steps[step].1 > left) {
                self.tightest.pop_back();
            }
            self.tightest.push_back(self.next);
            self.next += 1;
        }
        while self.tightest.front().is_some_and(|&step| self.steps[step].0.end() <= span.start()) {
            self.tightest.pop_front();
        }
        let (step, left) = self.tightest.front().map(|&step| self.steps[step])?;
        (left < power).then(|| (step.intersection(span).unwrap_or(step), power - left))
    }
}
