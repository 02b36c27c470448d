//! Series as JSON.

use axum::Json;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use planner::json::decision::OfferDocument;
use planner::reservation::{Reservation, ReservationState};
use planner::time::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use storage::{Occurrence, OccurrenceState, RecurringSeries};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::audit::AuditNote;
use crate::http::problem::Problem;
use crate::service::series::{RuleDocument, SeriesView};
use crate::service::shared::Fault;

/// A series.
#[derive(Serialize, ToSchema)]
pub struct SeriesDocument {
    /// Sorts by creation.
    pub id: Uuid,
    /// Whose.
    pub owner: String,
    /// The project that it is for; null where it is for none.
    pub project: Option<String>,
    /// `running`, `completed`, `ended` or `refused`.
    #[schema(example = "running")]
    pub state: &'static str,
    /// The request of the first occurrence, as it was understood.
    #[schema(value_type = super::super::schema::ReservationRequest)]
    pub request: Value,
    /// The rule.
    #[schema(value_type = String, example = "FREQ=WEEKLY;BYDAY=MO,TH")]
    pub recur: Value,
    /// No occurrence starts later, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub until: Value,
    /// Local days and local times that are left out.
    #[schema(value_type = Vec<String>)]
    pub except: Value,
    /// Local times that are added.
    #[schema(value_type = Vec<String>)]
    pub also: Value,
    /// By whose clocks it recurs.
    #[schema(value_type = String, example = "Europe/Berlin")]
    pub time_zone: Value,
    /// By what each occurrence is chosen.
    #[schema(value_type = String, example = "cost")]
    pub choose: Value,
    /// `leave_out` or `refuse`.
    #[schema(value_type = String, example = "leave_out")]
    pub where_impossible: Value,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it was ended, or all of it was over.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub ended_at: Option<Timestamp>,
    /// In time order; left out in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrences: Option<Vec<OccurrenceDocument>>,
    /// Counts and sums of its occurrences.
    pub totals: SeriesTotalsDocument,
}

/// An occurrence of a series.
#[derive(Serialize, ToSchema)]
pub struct OccurrenceDocument {
    /// Its nominal start by local clocks, which names it.
    #[schema(example = "2026-12-07T08:00:00")]
    pub occurrence: String,
    /// `waiting`, `booked`, `impossible` (it is tried again while its window lasts), `left_out` or `ended`.
    #[schema(example = "booked")]
    pub state: &'static str,
    /// Whether it was changed on its own, so that changes of the series leave it alone.
    pub exception: bool,
    /// The first instant of its window, RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub earliest_start: Timestamp,
    /// The last instant of its window, RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub latest_start: Timestamp,
    /// Its reservation.
    pub reservation_id: Option<Uuid>,
    /// The state of its reservation.
    pub reservation_state: Option<&'static str>,
    /// When its reservation starts, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub start: Option<Timestamp>,
    /// When its reservation ends, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub end: Option<Timestamp>,
    /// How many nodes.
    pub node_count: Option<u32>,
    /// Joules.
    pub energy_j: Option<f64>,
    /// In `currency`.
    pub cost: Option<f64>,
    /// Of the cost.
    pub currency: Option<String>,
    /// Grams.
    pub co2_g: Option<f64>,
    /// When something is done about it at the earliest, RFC 3339; null for nothing.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub next_try_at: Option<Timestamp>,
    /// Why it could not be booked, or not as the series has it now.
    pub reason: Option<OccurrenceReasonDocument>,
}

/// Why an occurrence could not be booked.
#[derive(Serialize, ToSchema)]
pub struct OccurrenceReasonDocument {
    /// `impossible`, `quota`, `too_far_ahead`, `invalid`, `not_in_project`, `has_jobs`, `window_passed`, `wrong_state` or
    /// `refused`.
    #[schema(example = "impossible")]
    pub code: String,
    /// The same in words.
    pub detail: String,
}

/// Counts of a series' occurrences, and sums of those that are booked and were not cancelled.
#[derive(Serialize, ToSchema, Default)]
pub struct SeriesTotalsDocument {
    /// All.
    pub occurrences: u32,
    /// With a reservation.
    pub booked: u32,
    /// Not booked yet.
    pub waiting: u32,
    /// Impossible so far.
    pub impossible: u32,
    /// Without a reservation for ever.
    pub left_out: u32,
    /// The series ended first.
    pub ended: u32,
    /// Joules.
    pub energy_j: f64,
    /// In `currency`.
    pub cost: f64,
    /// Grams.
    pub co2_g: f64,
    /// Of the cost; null where nothing is booked.
    pub currency: Option<String>,
}

impl SeriesDocument {
    /// A series as JSON, with its occurrences.
    ///
    /// # Errors
    /// What is stored cannot be read.
    pub fn new(view: &SeriesView) -> Result<Self, Fault> {
        let SeriesView { series, occurrences } = view;
        let rule = RuleDocument::of(series)?;
        let of_each: Vec<OccurrenceDocument> = occurrences
            .iter()
            .map(|(it, with)| OccurrenceDocument::new(it, with.as_ref()))
            .collect();
        Ok(Self {
            id: series.id.as_uuid(),
            owner: series.owner.clone(),
            project: Some(series.project.clone()).filter(|project| !project.is_empty()),
            state: series.state.word(),
            request: serde_json::from_str(&series.request).map_err(Fault::internal)?,
            recur: rule.get("recur"),
            until: rule.get("until"),
            except: rule.get("except"),
            also: rule.get("also"),
            time_zone: rule.get("time_zone"),
            choose: rule.get("choose"),
            where_impossible: rule.get("where_impossible"),
            created_at: series.created,
            ended_at: series.ended,
            totals: SeriesTotalsDocument::of(&of_each),
            occurrences: Some(of_each),
        })
    }

    /// A series as it stands in a list.
    ///
    /// # Errors
    /// What is stored cannot be read.
    pub fn listed(view: &SeriesView) -> Result<Self, Fault> {
        Ok(Self { occurrences: None, ..Self::new(view)? })
    }
}

impl OccurrenceDocument {
    fn new(it: &Occurrence, reservation: Option<&Reservation>) -> Self {
        let terms = reservation.and_then(Reservation::chosen_offer);
        let offer = terms.map(|offer| OfferDocument::of_terms(offer.terms.clone()));
        let offer = offer.as_ref();
        Self {
            occurrence: it.occurrence.clone(),
            state: match it.state {
                OccurrenceState::Leaving => OccurrenceState::LeftOut.word(),
                OccurrenceState::Ending => OccurrenceState::Ended.word(),
                state => state.word(),
            },
            exception: it.is_exception,
            earliest_start: it.earliest_start,
            latest_start: it.latest_start,
            reservation_id: reservation.map(|reservation| reservation.id.as_uuid()),
            reservation_state: reservation.map(|reservation| reservation.state.word()),
            start: offer.map(|offer| offer.start),
            end: offer.map(|offer| offer.end),
            node_count: offer.map(|offer| offer.node_count),
            energy_j: offer.map(|offer| offer.energy_j),
            cost: offer.map(|offer| offer.cost),
            currency: offer.map(|offer| offer.currency.clone()),
            co2_g: offer.map(|offer| offer.co2_g),
            next_try_at: it.next_try,
            reason: it
                .reason
                .clone()
                .map(|(code, detail)| OccurrenceReasonDocument { code, detail }),
        }
    }

    /// Whether it counts in sums.
    fn counts(&self) -> bool {
        let cancelled = ReservationState::Cancelled.word();
        self.state == OccurrenceState::Booked.word() && self.reservation_state != Some(cancelled)
    }
}

impl SeriesTotalsDocument {
    fn of(occurrences: &[OccurrenceDocument]) -> Self {
        let mut totals = Self::default();
        for it in occurrences {
            totals.occurrences += 1;
            match it.state {
                "booked" => totals.booked += 1,
                "waiting" => totals.waiting += 1,
                "impossible" => totals.impossible += 1,
                "left_out" => totals.left_out += 1,
                _ => totals.ended += 1,
            }
            if it.counts() {
                totals.energy_j += it.energy_j.unwrap_or_default();
                totals.cost += it.cost.unwrap_or_default();
                totals.co2_g += it.co2_g.unwrap_or_default();
                totals.currency = totals.currency.take().or_else(|| it.currency.clone());
            }
        }
        totals
    }
}

/// A series with its entity tag.
///
/// # Errors
/// What is stored cannot be read.
pub fn tagged(view: &SeriesView) -> Result<Response, Problem> {
    let RecurringSeries { owner, row_version, .. } = &view.series;
    let mut response = Json(SeriesDocument::new(view)?).into_response();
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{row_version}\"")) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    let note = AuditNote::of_owner(owner).about(format!("series/{}", view.series.id));
    note.now(audited(&view.series)?).put(&mut response);
    Ok(response)
}

/// A series after a change, with a note of what it was before.
///
/// # Errors
/// What is stored cannot be read.
pub fn tagged_change(view: &SeriesView, before: &RecurringSeries) -> Result<Response, Problem> {
    let mut response = tagged(view)?;
    AuditNote::add_before(&mut response, &before.owner, audited(before)?);
    Ok(response)
}

/// What is recorded of a series.
fn audited(series: &RecurringSeries) -> Result<Value, Fault> {
    let rule = RuleDocument::of(series)?;
    let request: Value = serde_json::from_str(&series.request).map_err(Fault::internal)?;
    Ok(json!({
        "state": series.state.word(),
        "row_version": series.row_version,
        "recur": rule.get("recur"),
        "until": rule.get("until"),
        "except": rule.get("except"),
        "nodes": request["nodes"],
        "earliest_start": request["earliest_start"],
        "latest_start": request["latest_start"],
    }))
}
