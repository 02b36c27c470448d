//! What the cap leaves over time, while claims are taken from it one after another.

use planner::agenda::Agenda;
use planner::quantity::{Energy, Power};
use planner::time::{Span, Timestamp};

/// Free power by elementary steps: between neighbouring edges of the cap and of all claims nothing
/// changes. Building costs a sort of the edges; asking and taking cost the steps of the span.
#[derive(Clone, Debug)]
pub struct Timeline {
    edges: Vec<Timestamp>,
    /// In microwatts, one for each pair of neighbouring edges; `None` where no cap is known.
    free: Vec<Option<i64>>,
}

impl Timeline {
    /// What the cap leaves beside `base` over `window`, before any claim. `spans` are those of the
    /// claims to come: they must be given now.
    pub fn new(
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
        let left = |start| cap.at(start).map(|cap| cap.as_microwatts() - base.as_microwatts());
        let free = edges.windows(2).map(|pair| left(pair[0])).collect();
        Self { edges, free }
    }

    /// The steps of a span within the window.
    fn steps(&self, span: Span) -> std::ops::Range<usize> {
        let first = self.edges.partition_point(|edge| *edge < span.start());
        let end = self.edges.partition_point(|edge| *edge < span.end());
        first..end.clamp(first, self.free.len())
    }

    /// Whether so much is free throughout a span. Where no cap is known nothing is said against it.
    pub fn fits(&self, span: Span, power: Power) -> bool {
        let wanted = power.as_microwatts();
        self.free[self.steps(span)].iter().all(|free| free.is_none_or(|free| free >= wanted))
    }

    /// Takes power for a span, whether or not it fits.
    pub fn take(&mut self, span: Span, power: Power) {
        self.add(span, -power.as_microwatts());
    }

    /// Takes power for many spans at once, in a pass over the steps.
    pub fn take_all(&mut self, claims: impl IntoIterator<Item = (Span, Power)>) {
        let mut changes = vec![0_i64; self.free.len() + 1];
        for (span, power) in claims {
            let steps = self.steps(span);
            changes[steps.start] += power.as_microwatts();
            changes[steps.end] -= power.as_microwatts();
        }
        let mut taken = 0;
        for (free, change) in self.free.iter_mut().zip(changes) {
            taken += change;
            if let Some(free) = free {
                *free -= taken;
            }
        }
    }

    /// Gives power to a span.
    pub fn give(&mut self, span: Span, power: Power) {
        self.add(span, power.as_microwatts());
    }

    fn add(&mut self, span: Span, microwatts: i64) {
        let steps = self.steps(span);
        for free in self.free[steps].iter_mut().flatten() {
            *free += microwatts;
        }
    }

    /// The energy beyond what is free that so much more power would take over a span.
    pub fn lacking(&self, span: Span, power: Power) -> Energy {
        let lack = |step: usize| {
            let length = Span::new(self.edges[step], self.edges[step + 1])?.length();
            let free = self.free[step]?.max(0);
            let lack = (power.as_microwatts() - free).max(0);
            Some((Power::from_microwatts(lack) * length).as_microjoules())
        };
        Energy::from_microjoules(self.steps(span).filter_map(lack).sum())
    }

    /// The steps with what is free in each; below zero where more was taken than there is.
    pub fn steps_free(&self) -> impl Iterator<Item = (Span, Option<Power>)> + '_ {
        let spans = self.edges.windows(2).filter_map(|pair| Span::new(pair[0], pair[1]));
        spans.zip(self.free.iter().map(|free| free.map(Power::from_microwatts)))
    }
}
