//! Whose the reservations in the book are, as quotas see it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use planner::book::Book;
use planner::identity::ReservationId;
use planner::quota::{QuotaHolding, QuotaSubject};
use planner::time::Timestamp;
use storage::Holder;

use super::StoredWords;

/// So many more holders are kept than there are bookings, before those that hold nothing are forgotten.
const SURPLUS: usize = 1024;

/// Whose the reservations in the book are, by id.
#[derive(Clone, Debug, Default)]
pub struct Holders(HashMap<Arc<str>, Arc<QuotaSubject>>);

/// Whose a request is, as quotas see it.
pub fn quota_subject(
    owner: &str,
    partition: Option<&str>,
    project: &str,
    labels: &BTreeMap<String, String>,
) -> QuotaSubject {
    let label = |name: &str| labels.get(name).map_or("", String::as_str);
    QuotaSubject {
        partition: partition.unwrap_or_default().into(),
        project: project.into(),
        job_type: label("job_type").into(),
        user: owner.into(),
    }
}

impl Holders {
    /// These and others, which go before; of a book that has changed with them.
    pub(super) fn with(&self, others: Vec<Holder>, book: &Book) -> Self {
        let mut all = self.0.clone();
        for Holder { reservation_id, owner, request } in others {
            let words = StoredWords::of_request(&request);
            let (partition, project) = (words.partition.as_deref(), words.project());
            let subject = quota_subject(&owner, partition, &project, &words.labels);
            all.insert(reservation_id.to_string().into(), Arc::new(subject));
        }
        if all.len() > book.bookings().len() + SURPLUS {
            let there: HashSet<&str> = book.bookings().iter().map(|it| &*it.id).collect();
            all.retain(|id, _| there.contains(&**id));
        }
        Self(all)
    }

    /// What all reservations of a book but one hold that is not over at an instant. Offers of which none is chosen yet,
    /// as `is_held` tells, are alternatives. Each span of a chosen one is a holding of its own, so that they add up: they
    /// do not overlap, so at an instant they are one reservation.
    pub fn holdings(
        &self,
        book: &Book,
        is_held: impl Fn(&str) -> bool,
        now: Timestamp,
        but: Option<ReservationId>,
    ) -> Vec<QuotaHolding> {
        let but = but.map(|id| id.to_string());
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut all: Vec<QuotaHolding> = Vec::new();
        for booking in book.bookings() {
            let id = &*booking.id;
            // What is over is counted from the database, with what was cut.
            if but.as_deref() == Some(id) || booking.span.end() <= now {
                continue;
            }
            let taken = (booking.span, booking.ranks.count());
            let place = is_held(id).then(|| *places.entry(id).or_insert(all.len()));
            if let Some(holding) = place.and_then(|place| all.get_mut(place)) {
                holding.alternatives.push(taken);
            } else {
                let subject = self.0.get(id).map(|it| QuotaSubject::clone(it)).unwrap_or_default();
                all.push(QuotaHolding { subject, alternatives: vec![taken] });
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use planner::book::Booking;
    use planner::node_set::NodeSet;
    use planner::order::{NodeOrder, Preference};
    use planner::quantity::Power;
    use planner::time::Span;

    use super::*;

    /// Of what is chosen 3 nodes in [0, 10) are over at 10; 2 in [10, 20) and 1 in [20, 30) add up. Of what is held 4 nodes
    /// in [10, 30) and 6 in [15, 40) are alternatives.
    #[test]
    fn spans_of_what_is_chosen_add_up_and_held_offers_are_alternatives() {
        let draws = vec![Power::from_microwatts(1); 20];
        let order = Arc::new(NodeOrder::of_powers(&draws, &draws, Preference::LeastDraw));
        let at = Timestamp::from_unix_seconds;
        let span = |from: i64, to: i64| Span::new(at(from), at(to)).unwrap();
        let booking = |id: &str, of: Span, ranks: std::ops::Range<u32>| {
            Booking::new(id.into(), of, NodeSet::from_ranges(vec![ranks]), &order)
        };
        let book = Book::new(Arc::clone(&order)).with([
            booking("chosen", span(0, 10), 0..3),
            booking("chosen", span(10, 20), 0..2),
            booking("chosen", span(20, 30), 0..1),
            booking("held", span(10, 30), 4..8),
            booking("held", span(15, 40), 10..16),
        ]);
        let holdings = Holders::default().holdings(&book, |id| id == "held", at(10), None);
        let mut found: Vec<Vec<(Span, u32)>> =
            holdings.into_iter().map(|holding| holding.alternatives).collect();
        found.sort();
        assert_eq!(
            found,
            [
                vec![(span(10, 20), 2)],
                vec![(span(10, 30), 4), (span(15, 40), 6)],
                vec![(span(20, 30), 1)],
            ]
        );
    }
}
