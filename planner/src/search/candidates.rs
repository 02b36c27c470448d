//! The starts to look at (constraint C1).
//!
//! Slots mode: the multiples of the slot since the Unix epoch. Exact mode: between breakpoints of
//! agendas and bookings, and these shifted by the duration, the free nodes are constant and cost
//! and CO2 are linear in the start, so that the best start is next to a breakpoint; `docs/MODEL.md`
//! proves it.

use super::PlanningView;
use crate::agenda::Agenda;
use crate::problem::SearchMode;
use crate::request::Request;
use crate::time::{Seconds, Span, Timestamp};

/// The most slots a search looks at: nearly three years of quarter-hours.
pub const MAX_CANDIDATES: i64 = 100_000;

/// Whether a window has more slots than a search looks at.
pub fn too_many_candidates(search: SearchMode, request: &Request, now: Timestamp) -> bool {
    match search {
        SearchMode::Slots { slot } => {
            let window = request.latest_start - request.earliest_start_at(now);
            window.get() / slot.get() >= MAX_CANDIDATES
        }
        SearchMode::Exact => false,
    }
}

/// The candidate starts in time order, each once.
pub(super) fn starts(view: &PlanningView<'_>, request: &Request) -> Vec<Timestamp> {
    let earliest = request.earliest_start_at(view.now);
    match view.search {
        SearchMode::Slots { slot } => slots(earliest, request.latest_start, slot),
        SearchMode::Exact => exact(view, earliest, request),
    }
}

fn slots(earliest: Timestamp, latest: Timestamp, slot: Seconds) -> Vec<Timestamp> {
    let first = earliest.ceil_to(slot);
    std::iter::successors(Some(first), |&start| Some(start + slot))
        .take_while(|&start| start <= latest)
        .collect()
}

fn exact(view: &PlanningView<'_>, earliest: Timestamp, request: &Request) -> Vec<Timestamp> {
    let latest = request.latest_start;
    // A breakpoint matters when it, it less the duration, or a second beside them is in the window.
    let margin = Seconds::new(2);
    let Some(reach) = Span::new(earliest - margin, latest + request.duration + margin) else {
        return Vec::new();
    };
    let mut starts = vec![earliest, latest];
    let mut add = |breakpoint: Timestamp| {
        for edge in [breakpoint, breakpoint - request.duration] {
            starts.extend([edge - Seconds::ONE, edge, edge + Seconds::ONE]);
        }
    };
    breakpoints(view.agendas.price.agenda(), reach).for_each(&mut add);
    breakpoints(view.agendas.co2.agenda(), reach).for_each(&mut add);
    if let Some(cap) = &view.agendas.power_cap {
        breakpoints(cap, reach).for_each(&mut add);
    }
    (view.book.overlapping(reach))
        .flat_map(|booking| [booking.span.start(), booking.span.end()])
        .for_each(&mut add);
    starts.retain(|start| (earliest..=latest).contains(start));
    starts.sort_unstable();
    starts.dedup();
    starts
}

fn breakpoints<V: Copy>(agenda: &Agenda<V>, reach: Span) -> impl Iterator<Item = Timestamp> + '_ {
    agenda.overlapping(reach).iter().flat_map(|piece| [piece.span.start(), piece.span.end()])
}
