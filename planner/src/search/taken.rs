//! Nodes that cannot be taken near the window: booked, out of service or excluded by the request.

use super::PlanningView;
use crate::book::Booking;
use crate::node_set::NodeSet;
use crate::time::{Span, Timestamp};

/// Nodes that are not free during a span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken<'a> {
    pub(super) span: Span,
    /// As ranks of the book's order.
    pub(super) ranks: &'a NodeSet,
}

/// Everything that is taken at some instant of `reach`, by start, and the bookings among it.
pub(super) fn near<'a>(view: &PlanningView<'a>, reach: Span) -> (Vec<Taken<'a>>, Vec<&'a Booking>) {
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
