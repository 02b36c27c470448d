//! What reservations held and hold, and what was measured of it, kept in memory: what quotas count by days, weeks and more.
//!
//! It is read again as far as reservations changed; what the ledger says only where it has more statements.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use planner::identity::ReservationId;
use planner::project::Projects;
use planner::quota::{
    BudgetHolding, BudgetSubject, BudgetUse, MeasuredHour, QuotaHolding, QuotaSubject,
    planned_uses, settled,
};
use planner::time::{Seconds, Span, Timestamp};
use storage::{Database, EpochId, HeldSpan, Marks, StatedHour, StorageError};
use tokio::sync::Mutex;

use crate::service::shared::{StoredWords, quota_subject};

/// Of the exact unit of energy in a joule.
const MICROJOULES: i128 = 1_000_000;

/// Of the exact units of money in a millionth of the currency, and of CO2 in a milligram.
const EXACT: i128 = 3_600_000_000_000_000;

/// So much longer than needed what is kept may reach back, before it is read anew.
const SURPLUS: Seconds = Seconds::new(62 * 86_400);

/// Keeps what reservations held and hold.
pub(super) struct HeldBook(Mutex<Option<KnownBook>>);

/// What is known, and at which state of the database.
struct KnownBook {
    from: Timestamp,
    changes: i64,
    epoch: Option<EpochId>,
    statements: i64,
    all: Arc<HeldReservations>,
}

/// What reservations held and hold since an instant, and what the ledger has of it.
#[derive(Clone, Default)]
pub(in crate::service) struct HeldReservations {
    by_id: HashMap<ReservationId, Arc<HeldReservation>>,
    ledger: Arc<StatedUse>,
}

/// What the ledger has.
#[derive(Default)]
struct StatedUse {
    /// The hours that were stated.
    hours: Vec<Timestamp>,
    by_id: HashMap<ReservationId, Vec<MeasuredHour>>,
}

struct HeldReservation {
    subject: QuotaSubject,
    /// Until when its offers are held, where none is chosen.
    held_until: Option<Timestamp>,
    offers: Vec<HeldSpans>,
}

/// The spans of an offer.
struct HeldSpans {
    end: Timestamp,
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
        let statements = database.statement_count().await?;
        let kept = known
            .take()
            .filter(|it| it.from <= from && from <= it.from + SURPLUS && it.epoch == marks.epoch);
        let next = match kept {
            None => KnownBook {
                from,
                changes: marks.changes,
                epoch: marks.epoch,
                statements,
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
                if kept.statements != statements {
                    let ledger = StatedUse::read(database, kept.from).await?;
                    Arc::make_mut(&mut kept.all).ledger = Arc::new(ledger);
                    kept.statements = statements;
                }
                kept
            }
        };
        let all = Arc::clone(&next.all);
        *known = Some(next);
        Ok(all)
    }
}

impl StatedUse {
    async fn read(database: &Database, from: Timestamp) -> Result<Self, StorageError> {
        // The hour in which it begins counts in part.
        let from = from - Seconds::new(3600);
        // Hours first: one that is stated between the two counts twice until the next look, and not as if nothing was used.
        let hours = match Span::new(from, Timestamp::MAX) {
            Some(window) => database.stated_hours(window).await?,
            None => Vec::new(),
        };
        let mut by_id: HashMap<ReservationId, Vec<MeasuredHour>> = HashMap::new();
        for stated in database.stated_of_reservations(from).await? {
            by_id.entry(stated.reservation_id).or_default().push(measured(&stated));
        }
        Ok(Self { hours, by_id })
    }
}

fn measured(stated: &StatedHour) -> MeasuredHour {
    let exact = |amount: i64| i128::from(amount) * EXACT;
    let energy = i128::from(stated.energy_j) * MICROJOULES;
    let amounts = [Some(energy), stated.cost_millionths.map(exact), stated.co2_mg.map(exact)];
    MeasuredHour { hour: stated.hour, amounts }
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
            end: spans[0].offer_end,
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
            let planned = planned_uses(&offer.spans, offer.end, offer.amounts);
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
