//! Nodes that cannot be taken near the window: booked, out of service or excluded by the request.

use super::PlanningView;
use crate::book::Booking;
use crate::node_set::NodeSet;
use crate::slower_selection::SlowerSelection;
use crate::time::{Span, Timestamp};

/// Nodes that are not free during a span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken<'a> {
    pub(super) span: Span,
    /// As ranks of the book's order.
    pub(super) ranks: &'a NodeSet,
}

/// What is taken at full speed, and in each slower state of the view where that is something else.
pub(super) struct TakenNear<'a> {
    pub(super) full: Vec<Taken<'a>>,
    slower: Vec<Option<Vec<Taken<'a>>>>,
}

impl<'a> TakenNear<'a> {
    /// What is taken near a window, and by which bookings.
    pub(super) fn of(view: &PlanningView<'a>, reach: Span) -> (Self, Vec<&'a Booking>) {
        let (full, bookings) = near(view, reach);
        let with_closed = |slower: &'a SlowerSelection| {
            let closed = slower.closed.iter().filter(|(span, _)| span.overlaps(reach));
            let mut closed = closed.map(|(span, ranks)| Taken { span: *span, ranks }).peekable();
            closed.peek()?;
            let mut taken: Vec<Taken<'a>> = full.iter().copied().chain(closed).collect();
            taken.sort_by_key(|it| it.span.start());
            Some(taken)
        };
        let slower = view.slower.iter().map(with_closed).collect();
        (Self { full, slower }, bookings)
    }

    /// In a slower state, by its place in the view, or at full speed.
    pub(super) fn in_state(&self, slower: Option<usize>) -> &[Taken<'a>] {
        let own = slower.and_then(|place| self.slower.get(place)?.as_deref());
        own.unwrap_or(&self.full)
    }
}

/// Everything that is taken at some instant of `reach`, by start, and the bookings among it.
fn near<'a>(view: &PlanningView<'a>, reach: Span) -> (Vec<Taken<'a>>, Vec<&'a Booking>) {
    let bookings: Vec<&Booking> = view.book.overlapping(reach).collect();
    let mut taken: Vec<Taken<'_>> =
        bookings.iter().map(|it| Taken { span: it.span, ranks: &it.ranks }).collect();
    let outages: Vec<Taken<'_>> = view
        .book
        .outages()
        .overlapping(reach)
        .map(|it| Taken { span: it.span, ranks: &it.ranks })
        .collect();
    let excluded = Some(view.selection.excluded()).filter(|ranks| !ranks.is_empty());
    let always = Span::new(Timestamp::MIN, Timestamp::MAX);
    let excluded = excluded.zip(always).map(|(ranks, span)| Taken { span, ranks });
    if !outages.is_empty() || excluded.is_some() {
        taken.extend(outages.into_iter().chain(excluded));
        taken.sort_by_key(|it| it.span.start());
    }
    (taken, bookings)
}
