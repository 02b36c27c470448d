//! The starts to look at (constraint C1), for reservations of one duration.
//!
//! Slots mode: the multiples of the slot since the Unix epoch. Exact mode: between breakpoints of
//! agendas and bookings, and these shifted by the duration, the free nodes are constant and cost
//! and CO2 are linear in the start, so that the best start is next to a breakpoint; `docs/MODEL.md`
//! proves it.

use super::PlanningView;
use super::taken::Taken;
use crate::agenda::Agenda;
use crate::problem::SearchMode;
use crate::quota::AllowedStarts;
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

/// The candidate starts from `earliest` to `latest` in time order, each once.
pub(super) fn starts(
    view: &PlanningView<'_>,
    taken: &[Taken<'_>],
    allowed: Option<&[AllowedStarts]>,
    (earliest, latest): (Timestamp, Timestamp),
    duration: Seconds,
) -> Vec<Timestamp> {
    match view.search {
        _ if latest < earliest => Vec::new(),
        SearchMode::Slots { slot } => slots(earliest, latest, slot),
        SearchMode::Exact => {
            let mut starts = exact(view, taken, (earliest, latest), duration);
            let Some(allowed) = allowed else { return starts };
            // Where quotas begin and end to allow starts, others are the best than before.
            let edges = allowed.iter().flat_map(|it| {
                [it.first - Seconds::ONE, it.first, it.last, it.last + Seconds::ONE]
            });
            starts.extend(edges.filter(|start| (earliest..=latest).contains(start)));
            starts.sort_unstable();
            starts.dedup();
            starts
        }
    }
}

fn slots(earliest: Timestamp, latest: Timestamp, slot: Seconds) -> Vec<Timestamp> {
    let first = earliest.ceil_to(slot);
    std::iter::successors(Some(first), |&start| Some(start + slot))
        .take_while(|&start| start <= latest)
        .collect()
}

fn exact(
    view: &PlanningView<'_>,
    taken: &[Taken<'_>],
    (earliest, latest): (Timestamp, Timestamp),
    duration: Seconds,
) -> Vec<Timestamp> {
    let mut starts = vec![earliest, latest];
    let mut add = |breakpoint: Timestamp| {
        for edge in [breakpoint, breakpoint - duration] {
            for start in [edge - Seconds::ONE, edge, edge + Seconds::ONE] {
                if earliest <= start && start <= latest {
                    starts.push(start);
                }
            }
        }
    };
    // A breakpoint matters when it, it less the duration, or a second beside them is in the window.
    let Some(reach) = Span::new(earliest - MARGIN, latest + duration + MARGIN) else {
        return Vec::new();
    };
    breakpoints(view.agendas.price.agenda(), reach).for_each(&mut add);
    breakpoints(view.agendas.co2.agenda(), reach).for_each(&mut add);
    if let Some(cap) = &view.agendas.power_cap {
        breakpoints(cap, reach).for_each(&mut add);
    }
    taken.iter().flat_map(|it| [it.span.start(), it.span.end()]).for_each(&mut add);
    if let Some(quota) = view.quota {
        let edges = quota.budget_edges();
        edges.filter(|edge| reach.contains(*edge)).for_each(&mut add);
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// How far beyond what a request can touch its candidates still depend on.
pub(super) const MARGIN: Seconds = Seconds::new(2);

fn breakpoints<V: Copy>(agenda: &Agenda<V>, reach: Span) -> impl Iterator<Item = Timestamp> + '_ {
    agenda.overlapping(reach).iter().flat_map(|piece| [piece.span.start(), piece.span.end()])
}
