//! What the book counts against the cap.

use planner::agenda::Agenda;
use planner::book::Booking;
use planner::headroom::Headroom;
use planner::quantity::Power;
use planner::time::{Span, Timestamp};

use super::SiteState;

impl SiteState {
    /// What the whole book counts, held offers with the largest of their alternatives.
    pub fn claims(&self) -> Vec<(Span, Power)> {
        let (certain, mut held) = self.certain_and_held();
        let mut claims: Vec<_> = certain.iter().map(|it| (it.span, it.counted())).collect();
        held.sort_by(|a, b| a.id.cmp(&b.id));
        claims.extend(held.chunk_by(|a, b| a.id == b.id).flat_map(largest));
        claims
    }

    /// What the cap leaves from `now` to the end of the book, beside what counts whatever is reserved;
    /// `None` where there is no cap or no booking to come.
    pub(in crate::service) fn headroom(&self, now: Timestamp) -> Option<Headroom> {
        let cap: &Agenda<Power> = self.agendas.power_cap.as_ref()?;
        let end = self.book.bookings().iter().map(|booking| booking.span.end()).max()?;
        let window = Span::new(now, end)?;
        let spans = self.book.bookings().iter().map(|booking| booking.span);
        Some(Headroom::before_claims(cap, self.cluster.base_power, window, spans))
    }

    /// Whether the whole book fits under the cap from `now` on.
    pub(in crate::service) fn everything_fits(&self, now: Timestamp) -> bool {
        let Some(mut headroom) = self.headroom(now) else { return true };
        headroom.take_all(self.claims());
        headroom.steps().iter().all(|&(_, left)| left >= Power::ZERO)
    }
}

/// For each instant the most that one of the alternatives counts.
pub fn largest(alternatives: &[&Booking]) -> Vec<(Span, Power)> {
    let mut edges: Vec<Timestamp> =
        alternatives.iter().flat_map(|it| [it.span.start(), it.span.end()]).collect();
    edges.sort_unstable();
    edges.dedup();
    let spans = edges.windows(2).filter_map(|pair| Span::new(pair[0], pair[1]));
    let most = |span: Span| {
        let during = alternatives.iter().filter(|it| it.span.overlaps(span));
        during.map(|it| it.counted()).max().map(|most| (span, most))
    };
    spans.filter_map(most).collect()
}
