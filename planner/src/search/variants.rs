//! The ways to run each shape of a request: at full speed, and in each slower state that it allows.

use super::PlanningView;
use crate::request::{Request, Shape, is_duration};
use crate::selection::Selection;
use crate::slower_selection::SlowerSelection;
use crate::slower_states::{Slowing, Speed};
use crate::time::{Seconds, Timestamp};

/// A shape as it would be run.
#[derive(Clone, Copy)]
pub(super) struct Variant<'a> {
    /// The nodes, and how long they are reserved.
    pub(super) shape: Shape,
    /// How long it would take at full speed.
    full: Seconds,
    /// The slower state and its place in the view.
    slower: Option<(usize, &'a SlowerSelection)>,
}

impl<'a> PlanningView<'a> {
    /// All shapes at full speed, then all in each slower state, the fastest first; in a slower state only those for
    /// which enough nodes have it, and that neither last too long nor end beyond what can be written.
    pub(super) fn variants(&self, request: &Request) -> Vec<Variant<'a>> {
        let full = |shape: Shape| Variant { shape, full: shape.duration, slower: None };
        let mut variants: Vec<Variant<'a>> = request.shapes().map(full).collect();
        for (place, slower) in self.slower.iter().enumerate() {
            variants.extend(request.shapes().filter_map(|shape| {
                let duration = slower.state.speed.stretched(shape.duration);
                let fits = slower.selection.order().count() >= shape.nodes
                    && is_duration(duration)
                    && request.latest_start + duration <= Timestamp::MAX;
                let longer = Shape { duration, ..shape };
                fits.then_some(Variant {
                    shape: longer,
                    full: shape.duration,
                    slower: Some((place, slower)),
                })
            }));
        }
        variants
    }
}

impl<'a> Variant<'a> {
    /// The nodes that it may take, with their powers in its state.
    pub(super) fn selection(&self, view: &PlanningView<'a>) -> &'a Selection {
        self.slower.map_or(view.selection, |(_, slower)| &slower.selection)
    }

    /// The place of its slower state in the view; `None` at full speed.
    pub(super) fn place(&self) -> Option<usize> {
        self.slower.map(|(place, _)| place)
    }

    /// The state and what it costs in time; `None` at full speed.
    pub(super) fn slowing(&self) -> Option<Box<Slowing>> {
        let state = self.slower?.1.state.clone();
        let later = Seconds::new(self.shape.duration.get() - self.full.get());
        Some(Box::new(Slowing { state, later }))
    }

    /// How fast its nodes compute.
    pub(super) fn speed(&self) -> Speed {
        self.slower.map_or(Speed::FULL, |(_, slower)| slower.state.speed)
    }

    /// Whether it is run at full speed.
    pub(super) const fn is_full(&self) -> bool {
        self.slower.is_none()
    }
}
