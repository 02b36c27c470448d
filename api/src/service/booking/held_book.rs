//! What reservations held and hold, and what was measured of it, kept in memory: what quotas count by days, weeks and more.
//!
//! It is read again as far as reservations changed, and what the ledger says as far as it stated more.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use planner::identity::ReservationId;
use planner::project::Projects;
use planner::quota::{
    BudgetHolding, BudgetSubject, BudgetUse, QuotaHolding, QuotaSubject, planned_uses, settled,
};
use planner::time::{Seconds, Span, Timestamp};
use storage::{Database, EpochId, HeldSpan, Marks, StorageError};
use tokio::sync::Mutex;

use super::stated_use::StatedUse;
use crate::service::shared::{StoredWords, quota_subject};

/// So much longer than needed what is kept may reach back, before it is read anew.
const SURPLUS: Seconds = Seconds::new(62 * 86_400);

/// So often in a row it must reach back longer than needed: some ask for more than others, in turn.
const PATIENCE: u32 = 1000;

/// Keeps what reservations held and hold.
pub(super) struct HeldBook(Mutex<Option<KnownBook>>);

/// What is known, and at which state of the database.
struct KnownBook {
    from: Timestamp,
    changes: i64,
    epoch: Option<EpochId>,
    /// The serial of the newest statement that was read.
    serial: i64,
    longer: Longer,
    all: Arc<HeldReservations>,
}

/// What reservations held and hold since an instant, and what the ledger has of it.
#[derive(Clone, Default)]
pub(in crate::service) struct HeldReservations {
    by_id: HashMap<ReservationId, Arc<HeldReservation>>,
    ledger: Arc<StatedUse>,
}

/// How often in a row what is kept reached back longer than needed, and since when it was needed then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Longer {
    times: u32,
    needed_from: Option<Timestamp>,
}

struct HeldReservation {
    subject: QuotaSubject,
    /// Until when its offers are held, where none is chosen.
    held_until: Option<Timestamp>,
    offers: Vec<HeldSpans>,
}

/// The spans of an offer.
struct HeldSpans {
    /// The end of the offer, and how many nodes it had at last where all were freed before it.
    whole: (Timestamp, u32),
    amounts: [i128; 3],
    spans: Vec<(Span, u32)>,
}

/// A reservation that does not count as it stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::service) enum LeftOut {
    /// It is judged by itself.
    Whole(ReservationId),
    /// It is to be replaced: what it has yet to use does not count.
    Rest(ReservationId),
}

impl HeldBook {
    /// Nothing was read yet.
    pub(super) const fn new() -> Self {
        Self(Mutex::const_new(None))
    }

    /// What is or was held since an instant, as of a state of the database or later.
    pub(super) async fn since(
        &self,
        database: &Database,
        marks: &Marks,
        from: Timestamp,
    ) -> Result<Arc<HeldReservations>, StorageError> {
        let mut known = self.0.lock().await;
        let serial = database.newest_statement().await?;
        let kept = known.take().filter(|it| it.from <= from && it.epoch == marks.epoch);
        let (kept, from) = match kept {
            Some(mut kept) => match kept.longer.anew_from(kept.from, from) {
                Some(later) => (None, later),
                None => (Some(kept), from),
            },
            None => (None, from),
        };
        let next = match kept {
            None => KnownBook {
                from,
                changes: marks.changes,
                epoch: marks.epoch,
                serial,
                longer: Longer::default(),
                all: Arc::new(HeldReservations {
                    by_id: by_reservation(&database.held_since(from).await?),
                    ledger: Arc::new(StatedUse::read(database, from).await?),
                }),
            },
            Some(mut kept) => {
                if kept.changes < marks.changes {
                    let (ids, spans) = database.held_changed(kept.changes).await?;
                    let all = Arc::make_mut(&mut kept.all);
                    let changed: HashSet<ReservationId> = ids.into_iter().collect();
                    all.by_id.retain(|id, _| !changed.contains(id));
                    all.by_id.extend(by_reservation(&spans));
                    kept.changes = marks.changes;
                }
                if kept.serial != serial {
                    let ledger = &mut Arc::make_mut(&mut kept.all).ledger;
                    Arc::make_mut(ledger).read_on(database, kept.from, kept.serial).await?;
                    kept.serial = serial;
                }
                kept
            }
        };
        let all = Arc::clone(&next.all);
        *known = Some(next);
        Ok(all)
    }
}

impl Longer {
    /// Since when all is to be read anew that is kept since an instant, where it is needed since another one: `None` for
    /// as long as now and then more was needed.
    fn anew_from(&mut self, kept: Timestamp, needed: Timestamp) -> Option<Timestamp> {
        if needed <= kept + SURPLUS {
            *self = Self::default();
            return None;
        }
        let earliest = self.needed_from.map_or(needed, |before| before.min(needed));
        *self = Self { times: self.times + 1, needed_from: Some(earliest) };
        (self.times >= PATIENCE).then_some(earliest)
    }
}

/// Spans, which come by reservation and offer, put together.
fn by_reservation(all: &[HeldSpan]) -> HashMap<ReservationId, Arc<HeldReservation>> {
    let of_one = |one: &HeldSpan, next: &HeldSpan| one.reservation_id == next.reservation_id;
    let reservation = |spans: &[HeldSpan]| {
        let first = &spans[0];
        let words = StoredWords::of_request(&first.request);
        let partition = words.partition.as_deref();
        let subject = quota_subject(&first.owner, partition, &first.project, &words.labels);
        let offers = spans.chunk_by(|one, next| one.offer_id == next.offer_id);
        let offer = |spans: &[HeldSpan]| HeldSpans {
            whole: (spans[0].offer_end, spans[0].freed_nodes),
            amounts: spans[0].amounts,
            spans: spans.iter().map(|it| (it.span, it.nodes)).collect(),
        };
        let offers = offers.map(offer).collect();
        let held = HeldReservation { subject, held_until: first.held_until, offers };
        (first.reservation_id, Arc::new(held))
    };
    all.chunk_by(of_one).map(reservation).collect()
}

impl HeldReservations {
    /// What was held for chosen offers in spans that ended after an instant and up to another, of all reservations but one.
    pub(in crate::service) fn ended(
        &self,
        (from, to): (Timestamp, Timestamp),
        but: Option<ReservationId>,
    ) -> Vec<QuotaHolding> {
        let chosen =
            self.by_id.iter().filter(|(id, held)| Some(**id) != but && held.held_until.is_none());
        let spans = chosen.flat_map(|(_, held)| {
            let spans = held.offers.iter().flat_map(|offer| &offer.spans);
            spans.map(move |taken| (&held.subject, *taken))
        });
        let ended = spans.filter(|(_, (span, _))| from < span.end() && span.end() <= to);
        let holding = |(subject, taken): (&QuotaSubject, _)| QuotaHolding {
            subject: subject.clone(),
            alternatives: vec![taken],
        };
        ended.map(holding).collect()
    }

    /// What one reservation held for its chosen offer in spans that ended after an instant and up to another.
    pub(super) fn ended_of(
        &self,
        id: ReservationId,
        (from, to): (Timestamp, Timestamp),
    ) -> Vec<(Span, u32)> {
        let chosen = self.by_id.get(&id).filter(|held| held.held_until.is_none());
        let spans = chosen.into_iter().flat_map(|held| &held.offers).flat_map(|it| &it.spans);
        let ended = spans.filter(|(span, _)| from < span.end() && span.end() <= to);
        ended.copied().collect()
    }

    /// What all reservations take of budgets at an instant, in projects that are parts of others.
    pub(in crate::service) fn of_budgets(
        &self,
        projects: &Projects,
        now: Timestamp,
        left_out: &[LeftOut],
    ) -> Vec<BudgetHolding> {
        let holding = |(id, held): (&ReservationId, &Arc<HeldReservation>)| {
            if left_out.contains(&LeftOut::Whole(*id)) {
                return None;
            }
            let mut alternatives = self.uses(*id, held, now);
            if left_out.contains(&LeftOut::Rest(*id)) {
                for uses in &mut alternatives {
                    uses.retain(|it| it.is_measured);
                }
            }
            let of = budget_subject(held.subject.clone(), projects);
            (!alternatives.is_empty()).then_some(BudgetHolding { of, alternatives })
        };
        self.by_id.iter().filter_map(holding).collect()
    }

    /// What one reservation takes by each of its offers that count.
    pub(super) fn uses_of(&self, id: ReservationId, now: Timestamp) -> Vec<Vec<BudgetUse>> {
        self.by_id.get(&id).map(|held| self.uses(id, held, now)).unwrap_or_default()
    }

    fn uses(
        &self,
        id: ReservationId,
        held: &HeldReservation,
        now: Timestamp,
    ) -> Vec<Vec<BudgetUse>> {
        if held.held_until.is_some_and(|until| until <= now) {
            return Vec::new();
        }
        let StatedUse { hours, by_id } = &*self.ledger;
        let measured = by_id.get(&id).map(Vec::as_slice).unwrap_or_default();
        let uses = |offer: &HeldSpans| {
            let planned = planned_uses(&offer.spans, offer.whole, offer.amounts);
            if held.held_until.is_some() { planned } else { settled(&planned, measured, hours) }
        };
        held.offers.iter().map(uses).collect()
    }
}

/// Somebody as budgets see them.
pub(in crate::service) fn budget_subject(
    subject: QuotaSubject,
    projects: &Projects,
) -> BudgetSubject {
    let above = projects.above(&subject.project).map(Into::into).collect();
    BudgetSubject { above, subject }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept reaches 90 days further back than some need, and others need it in turn.
    #[test]
    fn what_is_kept_is_read_anew_only_when_nobody_needs_so_much_for_long() {
        let at = |day: i64| Timestamp::from_unix_seconds(day * 86_400);
        let mut longer = Longer::default();
        for turn in 0..5000 {
            let needed = if turn % 2 == 0 { at(90) } else { at(10) };
            assert_eq!(longer.anew_from(at(0), needed), None);
        }
        let asks = (0..PATIENCE).map(|turn| if turn == 7 { at(80) } else { at(90) });
        let found: Vec<_> = asks.filter_map(|needed| longer.anew_from(at(0), needed)).collect();
        assert_eq!(found, [at(80)]);
    }
}
