//! What is done about one occurrence when its time has come: it is booked, planned anew, or given up.
//!
//! Who does so first claims the row for a while, with the id of the reservation that is to be made. Two replicas cannot
//! claim the same, and who goes on after a crash finds by the id whether there is a reservation already.

use planner::identity::ReservationId;
use planner::json::reader::read;
use planner::reservation::{Reservation, ReservationState};
use planner::time::{Seconds, Timestamp};
use serde_json::{Map, Value, json};
use storage::{
    NewEvent, Occurrence, OccurrenceState, RecurringSeries, SeriesChange, SeriesStanding,
    SeriesState,
};
use uuid::Uuid;

use super::reason::{Verdict, verdict};
use super::reconcile::{CLAIMED, ended};
use super::request::{RuleDocument, request_of};
use super::{SeriesService, access_of, told, told_impossible};
use crate::service::booking::{BookingError, GivenBack, Purpose, RequestPatch};
use crate::service::shared::{Access, Fault, SiteState};

/// After so long it is tried again where others were in the way.
const AGAIN: Seconds = Seconds::new(20);

/// After so long it is tried again where it was impossible.
const LATER: Seconds = Seconds::new(900);

/// After so long it is tried again where it was too early.
const MUCH_LATER: Seconds = Seconds::new(3600);

impl SeriesService {
    /// Does what is to be done about an occurrence.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub(super) async fn attempt(&self, due: &Occurrence) -> Result<(), Fault> {
        let Some(series) = self.shared.database.series(due.series).await? else { return Ok(()) };
        match due.state {
            OccurrenceState::Waiting | OccurrenceState::Impossible => self.book(&series, due).await,
            OccurrenceState::Booked => self.plan_anew(&series, due).await,
            OccurrenceState::Leaving => self.give_up(&series, due, OccurrenceState::LeftOut).await,
            OccurrenceState::Ending => self.give_up(&series, due, OccurrenceState::Ended).await,
            OccurrenceState::LeftOut | OccurrenceState::Ended => {
                self.settle(Occurrence { next_try: None, ..due.clone() }, Vec::new()).await
            }
        }
    }

    /// Books an occurrence.
    async fn book(&self, series: &RecurringSeries, due: &Occurrence) -> Result<(), Fault> {
        let now = self.shared.now();
        let found = self.reservation_of(due).await?;
        let state = found.as_ref().map(|it| it.state_at(now));
        if found.as_ref().is_some_and(|it| it.chosen.is_some()) {
            // A process booked it and ended before it noted so.
            return self.settle(booked(due, series.revision), Vec::new()).await;
        }
        if now > due.latest_start {
            let passed =
                ("window_passed".to_owned(), "its window passed before it was booked".to_owned());
            let reason = due.reason.clone().or(Some(passed));
            let state = OccurrenceState::LeftOut;
            let left_out =
                Occurrence { state, reason, next_try: None, reservation: None, ..due.clone() };
            return self.settle(left_out, Vec::new()).await;
        }
        let proposed = state == Some(ReservationState::Proposed);
        let usable = due.reservation.filter(|_| found.is_none() || proposed);
        let id = usable.unwrap_or_else(|| ReservationId::new(Uuid::now_v7()));
        let claim = Occurrence {
            reservation: Some(id),
            revision: series.revision,
            next_try: Some(now + CLAIMED),
            ..due.clone()
        };
        let Some(claimed) = self.claim(claim).await? else { return Ok(()) };
        match self.book_claimed(series, &claimed, id, proposed).await {
            Ok(_) => self.settle(booked(&claimed, series.revision), Vec::new()).await,
            Err(error) => self.not_booked(series, &claimed, &error).await,
        }
    }

    /// Books an occurrence by a reservation of this id.
    async fn book_claimed(
        &self,
        series: &RecurringSeries,
        claimed: &Occurrence,
        id: ReservationId,
        proposed: bool,
    ) -> Result<Reservation, BookingError> {
        let state = self.shared.state().await?;
        let is_known =
            series.standing == SeriesStanding::OnlyUser || state.callers().may_book(&series.owner);
        if !is_known {
            return Err(BookingError::UnknownOwner(series.owner.clone()));
        }
        let projects = self.projects_of(series, &state);
        let access = access_of(series, projects.as_ref(), &state);
        let preference = RuleDocument::of(series)?.preference();
        self.check_owner_now(series, access, &state)?;
        if proposed {
            return self.booking.choose_by(access, id, preference).await;
        }
        let text = request_of(series, &claimed.occurrence)?;
        let request = self.booking.read_request(&text, Purpose::Reservation, &state);
        let mut request = request.map_err(BookingError::InvalidRequest)?;
        request.id = Some(id);
        if request.priority > 0 && !access.is_operator() {
            return Err(BookingError::PriorityIsForOperators);
        }
        self.booking.book_at_once(access, request, preference).await
    }

    /// Refuses a series whose owner is not, or not any more, in its project. What an issuer vouches for is not known of who
    /// was last let in before that was kept: they are as when they asked for it.
    fn check_owner_now(
        &self,
        series: &RecurringSeries,
        access: Access<'_>,
        state: &SiteState,
    ) -> Result<(), BookingError> {
        if state.callers().may_have_more_projects(&series.owner) {
            return Ok(());
        }
        let project = (!series.project.is_empty()).then_some(series.project.as_str());
        self.booking.check_project(access, project)
    }

    /// Notes why an occurrence was not booked, and when it is tried again.
    async fn not_booked(
        &self,
        series: &RecurringSeries,
        claimed: &Occurrence,
        error: &BookingError,
    ) -> Result<(), Fault> {
        let now = self.shared.now();
        let (state, reason, pause) = match verdict(error) {
            Verdict::Again => {
                tracing::debug!(%error, series = %series.id, "an occurrence is tried again");
                let again = Occurrence { next_try: Some(now + AGAIN), ..claimed.clone() };
                return self.settle(again, Vec::new()).await;
            }
            Verdict::TooEarly(told) => {
                (OccurrenceState::Waiting, ("too_far_ahead".to_owned(), told), MUCH_LATER)
            }
            Verdict::Impossible(reason) => (OccurrenceState::Impossible, reason, LATER),
        };
        let is_impossible = state == OccurrenceState::Impossible;
        if is_impossible && series.being_made && RuleDocument::of(series)?.refuses() {
            return self.refuse(series, claimed, reason).await;
        }
        let is_news = is_impossible && claimed.state == OccurrenceState::Waiting;
        let event = told_impossible(series, &claimed.occurrence, &reason);
        // While its window lasts, and once more at its end.
        let last = claimed.latest_start;
        let next = if now < last { (now + pause).min(last) } else { now + Seconds::new(1) };
        let not_booked = Occurrence {
            state,
            reason: Some(reason),
            reservation: None,
            next_try: Some(next),
            ..claimed.clone()
        };
        self.settle(not_booked, if is_news { vec![event] } else { Vec::new() }).await
    }

    /// Ends a series of which all was wanted or nothing, since an occurrence is impossible.
    async fn refuse(
        &self,
        series: &RecurringSeries,
        claimed: &Occurrence,
        reason: (String, String),
    ) -> Result<(), Fault> {
        let now = self.shared.now();
        let event = told_impossible(series, &claimed.occurrence, &reason);
        let state = OccurrenceState::Impossible;
        let impossible = Occurrence {
            state,
            reason: Some(reason),
            reservation: None,
            next_try: None,
            ..claimed.clone()
        };
        let stored = self.shared.database.occurrences_of(series.id).await?;
        let others: Vec<Occurrence> =
            stored.into_iter().filter(|it| it.occurrence != claimed.occurrence).collect();
        let mut changed = ended(&others, now);
        changed.push(impossible);
        let refused = RecurringSeries {
            state: SeriesState::Refused,
            being_made: false,
            ended: Some(now),
            ..series.clone()
        };
        let events = vec![event, told("series.ended", &refused)];
        let change =
            SeriesChange { series: Some(refused), changed, events, ..SeriesChange::default() };
        // Where somebody changed it meanwhile, the claim ends and it is looked at anew.
        self.shared.database.change_series(&change, now).await?;
        Ok(())
    }

    /// Plans an occurrence by the request that its series has since.
    async fn plan_anew(&self, series: &RecurringSeries, due: &Occurrence) -> Result<(), Fault> {
        let now = self.shared.now();
        let found = self.reservation_of(due).await?;
        let others = found.as_ref().is_some_and(|it| it.owner != series.owner);
        let confirmed = found.filter(|it| it.state_at(now) == ReservationState::Confirmed);
        let stays = others || due.is_exception || due.revision >= series.revision;
        let Some(stored) = confirmed.filter(|_| !stays && series.state == SeriesState::Running)
        else {
            return self.settle(Occurrence { next_try: None, ..due.clone() }, Vec::new()).await;
        };
        let claim = Occurrence { next_try: Some(now + CLAIMED), ..due.clone() };
        let Some(claimed) = self.claim(claim).await? else { return Ok(()) };
        let error = match self.modify_claimed(series, &claimed, &stored).await {
            Ok(()) => {
                let anew = Occurrence { revision: series.revision, ..claimed };
                return self.settle(booked(&anew, series.revision), Vec::new()).await;
            }
            Err(error) => error,
        };
        let now = self.shared.now();
        let (reason, pause) = match verdict(&error) {
            Verdict::Again => (claimed.reason.clone(), AGAIN),
            Verdict::TooEarly(told) => (Some(("too_far_ahead".to_owned(), told)), MUCH_LATER),
            Verdict::Impossible(reason) => (Some(reason), LATER),
        };
        let is_news = claimed.reason.is_none();
        let told = reason.as_ref().filter(|_| is_news);
        let events: Vec<NewEvent> =
            told.map(|it| told_impossible(series, &claimed.occurrence, it)).into_iter().collect();
        let last = claimed.latest_start;
        let next_try = (now < last).then(|| (now + pause).min(last));
        self.settle(Occurrence { reason, next_try, ..claimed }, events).await
    }

    async fn modify_claimed(
        &self,
        series: &RecurringSeries,
        claimed: &Occurrence,
        stored: &Reservation,
    ) -> Result<(), BookingError> {
        let state = self.shared.state().await?;
        let projects = self.projects_of(series, &state);
        let access = access_of(series, projects.as_ref(), &state);
        self.check_owner_now(series, access, &state)?;
        let preference = RuleDocument::of(series)?.preference();
        let wanted = request_of(series, &claimed.occurrence)?;
        let mut fields: Map<String, Value> =
            serde_json::from_str(&stored.request).map_err(Fault::internal)?;
        fields.values_mut().for_each(|value| *value = Value::Null);
        let wanted: Map<String, Value> = serde_json::from_str(&wanted).map_err(Fault::internal)?;
        fields.extend(wanted);
        fields.insert("ranking".to_owned(), json!(preference.to_string()));
        let patch = read(&Value::Object(fields).to_string(), RequestPatch::read);
        let patch = patch.map_err(BookingError::InvalidRequest)?;
        self.booking.modify(access, stored.id, &patch, None).await?;
        Ok(())
    }

    /// Cancels the reservation of an occurrence that is left out, or whose series ended. What runs goes on, unless the
    /// series' owner wants it given back.
    async fn give_up(
        &self,
        series: &RecurringSeries,
        due: &Occurrence,
        then: OccurrenceState,
    ) -> Result<(), Fault> {
        let now = self.shared.now();
        // The site cancels what is given up, whatever its owner may book by now.
        let state = self.shared.state().await?;
        let access = Access { action: None, ..access_of(series, None, &state) };
        let Some(stored) = self.reservation_of(due).await? else {
            let gone = Occurrence { state: then, reservation: None, next_try: None, ..due.clone() };
            return self.settle(gone, Vec::new()).await;
        };
        if stored.owner != series.owner {
            // It was given to somebody else, whose it stays.
            let state = OccurrenceState::Booked;
            let given = Occurrence { state, next_try: None, ..due.clone() };
            return self.settle(given, Vec::new()).await;
        }
        let ended = match stored.state_at(now) {
            ReservationState::Proposed
            | ReservationState::Confirmed
            | ReservationState::AwaitingSupplier => {
                self.booking.cancel(access, stored.id, None).await.map(drop)
            }
            ReservationState::Active if series.releases && then == OccurrenceState::Ended => {
                self.booking.release(access, stored.id, &GivenBack::All, None).await.map(drop)
            }
            ReservationState::Active | ReservationState::Completed => {
                let state = OccurrenceState::Booked;
                let stays = Occurrence { state, next_try: None, ..due.clone() };
                return self.settle(stays, Vec::new()).await;
            }
            ReservationState::Cancelled
            | ReservationState::Expired
            | ReservationState::Rejected
            | ReservationState::Failed => Ok(()),
        };
        let settled = match ended {
            Ok(()) => Occurrence { state: then, next_try: None, ..due.clone() },
            Err(error) => match verdict(&error) {
                Verdict::Impossible(reason) if reason.0 == "has_jobs" => Occurrence {
                    state: OccurrenceState::Booked,
                    reason: Some(reason),
                    next_try: None,
                    ..due.clone()
                },
                // It began or ended in the last moment, or others were in the way.
                Verdict::Again | Verdict::TooEarly(_) | Verdict::Impossible(_) => {
                    Occurrence { next_try: Some(now + AGAIN), ..due.clone() }
                }
            },
        };
        self.settle(settled, Vec::new()).await
    }

    /// The reservation of an occurrence, if there is one.
    async fn reservation_of(&self, it: &Occurrence) -> Result<Option<Reservation>, Fault> {
        match it.reservation {
            Some(id) => Ok(self.shared.database.reservation(id).await?),
            None => Ok(None),
        }
    }

    /// Writes a claim: the row as it is since, or `None` where somebody else changed it.
    async fn claim(&self, claim: Occurrence) -> Result<Option<Occurrence>, Fault> {
        let change = SeriesChange { changed: vec![claim.clone()], ..SeriesChange::default() };
        let written = self.shared.database.change_series(&change, self.shared.now()).await?;
        Ok(written.then(|| Occurrence { version: claim.version + 1, ..claim }))
    }

    /// Writes what became of an occurrence. Where somebody changed it meanwhile, what they want is done when its claim
    /// ends.
    async fn settle(&self, settled: Occurrence, events: Vec<NewEvent>) -> Result<(), Fault> {
        let change = SeriesChange { changed: vec![settled], events, ..SeriesChange::default() };
        if !self.shared.database.change_series(&change, self.shared.now()).await? {
            tracing::debug!("an occurrence was changed by somebody else meanwhile");
        }
        Ok(())
    }
}

/// An occurrence that is booked; by an earlier revision of its series it is to be planned anew.
fn booked(it: &Occurrence, revision: i64) -> Occurrence {
    let next_try: Option<Timestamp> = if it.revision < revision { it.next_try } else { None };
    Occurrence { state: OccurrenceState::Booked, reason: None, next_try, ..it.clone() }
}
