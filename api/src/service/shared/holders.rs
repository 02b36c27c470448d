//! Whose the reservations in the book are, as quotas see it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use planner::book::Book;
use planner::identity::ReservationId;
use planner::quota::{QuotaHolding, QuotaSubject};
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

    /// What all reservations of a book hold but one.
    pub fn holdings(&self, book: &Book, but: Option<ReservationId>) -> Vec<QuotaHolding> {
        let but = but.map(|id| id.to_string());
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut all: Vec<QuotaHolding> = Vec::new();
        for booking in book.bookings() {
            let id = &*booking.id;
            if but.as_deref() == Some(id) {
                continue;
            }
            let place = *places.entry(id).or_insert_with(|| {
                let subject = self.0.get(id).map(|it| QuotaSubject::clone(it)).unwrap_or_default();
                all.push(QuotaHolding { subject, alternatives: Vec::new() });
                all.len() - 1
            });
            all[place].alternatives.push((booking.span, booking.ranks.count()));
        }
        all
    }
}
