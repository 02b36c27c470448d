//! Requests for nodes as they are booked: what the planner is asked, and what to do about it.

use std::collections::BTreeMap;

use planner::decimal::Fraction;
use planner::identity::ReservationId;
use planner::json::reader::read;
use planner::json::request::{
    REQUEST_FIELDS, check_candidates, check_filter, document, request_fields, search,
};
use planner::json::slower_states::slowest_speed;
use planner::json::{JsonError, Reader};
use planner::preference::Preference;
use planner::problem::SearchMode;
use planner::quantity::MILLION;
use planner::recalibration::{LearntUtilisation, MOST_RUNS, learn_utilisation};
use planner::request::Request;
use planner::reservation::Reservation;
use planner::time::Timestamp;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::labels::{Words, words};
use super::{BookingService, Expected};
use crate::config::limits::Limits;
use crate::service::shared::{Fault, SiteState};

/// The highest priority.
const MAX_PRIORITY: i64 = 1000;

/// A run counts that was measured for so many quarter-hours of nodes: an hour of one.
const LEAST_QUARTERS_OF_RUN: u32 = 4;

/// A request, where its starts are looked for, and what to tell of them.
#[derive(Clone, Debug)]
pub struct BookingRequest {
    /// What the planner is asked.
    pub planning: Request,
    /// Where starts are looked for.
    pub search: SearchMode,
    /// Whether the nodes of every start on the Pareto front are told.
    pub pareto_nodes: bool,
    /// Whether to tell what lies beside the best starts.
    pub explain: bool,
    /// What to do where only the cap is in the way.
    pub on_cap: OnCap,
    /// The lowest gives way first where the site says so.
    pub priority: i64,
    /// The reservation whose place it takes once an offer is chosen.
    pub replaces: Option<ReservationId>,
    /// Whether its nodes are given back some time after its last job has ended.
    pub gives_back: bool,
    /// Which starts are held for it.
    pub held: HeldStarts,
    /// The project that it is for.
    pub project: Option<String>,
    /// What its owner calls it, for reports.
    pub labels: BTreeMap<String, String>,
    /// What its owner notes about it, for people.
    pub note: Option<String>,
    /// What one of its offers must be; without such an offer nothing is held.
    pub expected: Option<Expected>,
    /// The application whose earlier runs tell its utilisation, and what they tell.
    pub learnt: Option<(String, LearntUtilisation)>,
    /// Whose quotas its offers must keep; nobody's where there is none.
    pub quotas_of: Option<String>,
    /// The id that its reservation is to have; a new one where there is none.
    pub id: Option<ReservationId>,
    /// The fields that may be left out and were not.
    said: Vec<&'static str>,
}

/// Fields whose meaning does not tell whether they were said.
const MAY_BE_SAID: [&str; 9] = [
    "latest_start",
    "slowest_speed",
    "search",
    "on_cap",
    "extra_power_fee_limit",
    "priority",
    "give_back",
    "hold_compromise",
    "utilisation_from",
];

/// The fields that a request has beside the planner's where it is to be held.
pub(super) const RESERVATION_FIELDS: [&str; 12] = [
    "search",
    "on_cap",
    "extra_power_fee_limit",
    "priority",
    "replaces",
    "give_back",
    "hold_compromise",
    "labels",
    "note",
    "project",
    "utilisation_from",
    "expected",
];

impl BookingRequest {
    /// A request and nothing beside it.
    pub fn plain(request: Request, search: SearchMode) -> Self {
        Self {
            planning: request,
            search,
            pareto_nodes: false,
            explain: false,
            on_cap: OnCap::Refuse,
            priority: 0,
            replaces: None,
            gives_back: false,
            held: HeldStarts::Best,
            project: None,
            labels: BTreeMap::new(),
            note: None,
            expected: None,
            learnt: None,
            quotas_of: None,
            id: None,
            said: vec!["latest_start"],
        }
    }

    /// The request, where an offer is to be chosen by a preference: the compromise can be only if it is held.
    #[must_use]
    pub fn to_choose_by(self, preference: Preference) -> Self {
        match preference {
            Preference::Compromise => Self { held: HeldStarts::BestAndCompromise, ..self },
            Preference::Ranking(_) => self,
        }
    }

    fn says(&self, field: &str) -> bool {
        self.said.contains(&field)
    }

    /// The request as it was understood, to be stored and shown: what was said, in one form however it
    /// was written. Read again it is the same request, but for what was expected of its offers.
    pub fn document(&self) -> String {
        let mut document = document(&self.planning, |field| self.says(field));
        let mut put = |name: &str, value: Value| document.insert(name.to_owned(), value);
        if self.says("search") {
            let search = match self.search {
                SearchMode::Exact => json!({"mode": "exact"}),
                SearchMode::Slots { slot } => json!({"mode": "slots", "slot_s": slot.get()}),
            };
            put("search", search);
        }
        match self.on_cap {
            OnCap::Refuse if self.says("on_cap") => drop(put("on_cap", json!("refuse"))),
            OnCap::Refuse => {}
            OnCap::Negotiate { fee_limit } => {
                put("on_cap", json!("negotiate"));
                if self.says("extra_power_fee_limit") {
                    put("extra_power_fee_limit", json!(fee_limit));
                }
            }
        }
        if self.says("priority") || self.priority > 0 {
            put("priority", self.priority.into());
        }
        if let Some(replaced) = self.replaces {
            put("replaces", json!(replaced.as_uuid()));
        }
        if self.says("slowest_speed") {
            put("slowest_speed", json!(self.planning.slowest_speed.as_share()));
        }
        if self.says("give_back") {
            put("give_back", json!(if self.gives_back { "jobs_ended" } else { "never" }));
        }
        if self.says("hold_compromise") {
            put("hold_compromise", json!(self.held == HeldStarts::BestAndCompromise));
        }
        // What the label says need not be said twice.
        if self.project.is_some() && self.project.as_ref() != self.labels.get("project") {
            put("project", json!(self.project));
        }
        if !self.labels.is_empty() {
            put("labels", json!(self.labels));
        }
        if let Some(note) = &self.note {
            put("note", json!(note));
        }
        if self.learnt.is_some() || self.says("utilisation_from") {
            put("utilisation_from", json!("application"));
        }
        Value::Object(document).to_string()
    }
}

/// The members of a tolerance, of which each may be said to be none.
const TOLERANCES: [&str; 3] = ["energy", "cost", "co2"];

/// What to do about a request that fails only for the cap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum OnCap {
    /// Say that it is impossible.
    #[default]
    Refuse,
    /// Ask the supplier for extra power, for at most this fee in the site's currency.
    Negotiate {
        /// None unless said: what costs nothing.
        fee_limit: f64,
    },
}

/// Which starts are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldStarts {
    /// The best by each ranking.
    Best,
    /// The compromise as well, which may win no ranking.
    BestAndCompromise,
}

/// What a body is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be held.
    Reservation,
    /// To be told only.
    Quote,
}

/// What a body is read against.
struct Context<'a> {
    now: Timestamp,
    /// Where starts are looked for unless the body says otherwise.
    search: SearchMode,
    state: &'a SiteState,
    /// The fields it may have beside the request's.
    fields: &'static [&'static str],
    /// How much one request may name; `None` for what was let through before.
    limits: Option<&'a Limits>,
}

impl Context<'_> {
    fn read(&self, reader: &mut Reader, raw: &RawValue) -> Option<BookingRequest> {
        let known = [REQUEST_FIELDS.as_slice(), &["slowest_speed"], self.fields].concat();
        let object = reader.object(raw, &known)?;
        let mode = reader.optional(&object, "search", search);
        let pareto_nodes = reader.optional(&object, "pareto_nodes", Reader::boolean);
        let explain = reader.optional(&object, "explain", Reader::boolean);
        let on_cap = reader.optional(&object, "on_cap", on_cap);
        let fee_limit = reader.optional(&object, "extra_power_fee_limit", amount);
        let priority = reader.optional(&object, "priority", priority);
        let replaces = reader.optional(&object, "replaces", reservation);
        let gives_back = reader.optional(&object, "give_back", gives_back);
        let holds_compromise = reader.optional(&object, "hold_compromise", Reader::boolean);
        let words = words(reader, &object);
        let utilisation_from = reader.optional(&object, "utilisation_from", utilisation_from);
        let expected = reader.optional(&object, "expected", Expected::read);
        let slowest_speed = reader.optional(&object, "slowest_speed", slowest_speed);
        let request = request_fields(reader, &object, self.now)?;
        let slowest_speed = slowest_speed?.unwrap_or_default();
        let request = Request { slowest_speed, ..request };
        if let Some(limits) = self.limits {
            check_sizes(reader, &request, limits);
        }
        check_filter(reader, &request.filter, &self.state.cluster.nodes);
        let search = mode?.unwrap_or(self.search);
        check_candidates(reader, search, &request, self.now);
        let mut said = MAY_BE_SAID.to_vec();
        said.retain(|field| object.get(field).is_some());
        if let Some(tolerance) = object.get("tolerance") {
            let members: Map<String, Value> =
                serde_json::from_str(tolerance.get()).unwrap_or_default();
            let said_of_it = TOLERANCES.into_iter().filter(|it| members.contains_key(*it));
            said.extend(said_of_it);
        }
        utilisation_from?;
        let (on_cap, fee_limit) = (on_cap?.unwrap_or_default(), fee_limit?);
        let Words { labels, project, note } = words?;
        if fee_limit.is_some() && on_cap == OnCap::Refuse {
            reader.error_at("extra_power_fee_limit", "needs \"on_cap\": \"negotiate\"");
        }
        let fee_limit = fee_limit.unwrap_or_default();
        Some(BookingRequest {
            planning: request,
            search,
            pareto_nodes: pareto_nodes?.unwrap_or(true),
            explain: explain?.unwrap_or(false),
            on_cap: match on_cap {
                OnCap::Negotiate { .. } => OnCap::Negotiate { fee_limit },
                OnCap::Refuse => OnCap::Refuse,
            },
            priority: priority?.unwrap_or_default(),
            replaces: replaces?,
            gives_back: gives_back?.unwrap_or_default(),
            held: match holds_compromise? {
                Some(true) => HeldStarts::BestAndCompromise,
                Some(false) | None => HeldStarts::Best,
            },
            project,
            labels,
            note,
            expected: expected?,
            learnt: None,
            quotas_of: None,
            id: None,
            said,
        })
    }
}

/// Notes what names more than the site lets one request name.
fn check_sizes(reader: &mut Reader, request: &Request, limits: &Limits) {
    let (filter, shapes) = (&request.filter, request.alternatives.len());
    for (field, count, most) in [
        ("alternatives", shapes, limits.alternatives),
        ("features", filter.features.len(), limits.features),
        ("exclude", filter.exclude.len(), limits.excluded_nodes),
        ("only", filter.only.len(), limits.excluded_nodes),
    ] {
        if count > most {
            reader.error_at(field, format!("has {count} entries; this site takes at most {most}"));
        }
    }
}

fn on_cap(reader: &mut Reader, raw: &RawValue) -> Option<OnCap> {
    match reader.string(raw)?.as_str() {
        "refuse" => Some(OnCap::Refuse),
        "negotiate" => Some(OnCap::Negotiate { fee_limit: 0.0 }),
        _ => {
            reader.error("must be \"refuse\" or \"negotiate\"");
            None
        }
    }
}

fn gives_back(reader: &mut Reader, raw: &RawValue) -> Option<bool> {
    match reader.string(raw)?.as_str() {
        "never" => Some(false),
        "jobs_ended" => Some(true),
        _ => {
            reader.error("must be \"never\" or \"jobs_ended\"");
            None
        }
    }
}

fn utilisation_from(reader: &mut Reader, raw: &RawValue) -> Option<()> {
    let word = reader.string(raw)?;
    reader.accept((word == "application").then_some(()).ok_or("must be \"application\""))
}

/// Money, zero or more.
fn amount(reader: &mut Reader, raw: &RawValue) -> Option<f64> {
    let value: Option<f64> = serde_json::from_str(raw.get()).ok();
    let value = value.filter(|amount| (0.0..=1e9).contains(amount));
    reader.accept(value.ok_or("must be an amount from 0 to 1e9"))
}

fn priority(reader: &mut Reader, raw: &RawValue) -> Option<i64> {
    // `7.0` is a whole number.
    let value: Option<i64> = raw.get().strip_suffix(".0").unwrap_or(raw.get()).parse().ok();
    let value = value.filter(|priority| (0..=MAX_PRIORITY).contains(priority));
    reader.accept(value.ok_or("must be a whole number from 0 to 1000"))
}

fn reservation(reader: &mut Reader, raw: &RawValue) -> Option<ReservationId> {
    let text = reader.string(raw)?;
    let id = text.parse::<Uuid>().map_err(|_| "is not a reservation's id");
    reader.accept(id).map(ReservationId::new)
}

impl BookingService {
    /// Reads a request.
    ///
    /// # Errors
    /// Every error in the document.
    pub fn read_request(
        &self,
        text: &str,
        purpose: Purpose,
        state: &SiteState,
    ) -> Result<BookingRequest, Vec<JsonError>> {
        let context = self.context(state, purpose);
        read(text, |reader, raw| context.read(reader, raw))
    }

    /// Reads a request that is a part of a document, as it would have been read then; now where no instant is said.
    pub(in crate::service) fn read_part(
        &self,
        reader: &mut Reader,
        raw: &RawValue,
        state: &SiteState,
        then: Option<Timestamp>,
    ) -> Option<BookingRequest> {
        let context = self.context(state, Purpose::Reservation);
        let context = Context { now: then.unwrap_or(context.now), ..context };
        context.read(reader, raw)
    }

    /// The request with the utilisation that earlier runs of its application had, where it says none itself: the label
    /// `application` names it.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn with_learnt_utilisation(
        &self,
        mut request: BookingRequest,
    ) -> Result<BookingRequest, Fault> {
        let says_its_own =
            request.planning.utilisation.is_some() && !request.says("utilisation_from");
        let least_runs = self.shared.settings.calibration.least_runs;
        let application = request.labels.get("application").filter(|_| !says_its_own);
        let Some((application, least_runs)) = application.zip(least_runs) else {
            return Ok(request);
        };
        let most = u16::try_from(MOST_RUNS).unwrap_or(u16::MAX);
        let database = &self.shared.database;
        let runs = database.runs_of_application(application, LEAST_QUARTERS_OF_RUN, most).await?;
        let Some(learnt) = learn_utilisation(&runs, least_runs) else { return Ok(request) };
        request.planning.utilisation = Fraction::new(learnt.utilisation as f64 / MILLION as f64);
        request.learnt = Some((application.clone(), learnt));
        Ok(request)
    }

    /// Reads a request that was stored, whatever its offers were expected to be; `None` once its
    /// window has passed, or nodes it names are gone.
    pub fn stored_request(
        &self,
        stored: &Reservation,
        state: &SiteState,
    ) -> Option<BookingRequest> {
        // What was let through stays a request when limits are lowered.
        let context = Context { limits: None, ..self.context(state, Purpose::Reservation) };
        let request = read(&stored.request, |reader, raw| context.read(reader, raw)).ok()?;
        let request = BookingRequest { expected: None, ..request };
        Some(self.with_closed(request, &stored.owner, state))
    }

    /// A reservation's request as it was made, also once its window has passed, in no partition that is closed to its
    /// owner by now; `None` where nodes or labels that it names are gone.
    pub fn request_as_made(
        &self,
        stored: &Reservation,
        state: &SiteState,
    ) -> Option<BookingRequest> {
        let context = self.context(state, Purpose::Reservation);
        let context = Context { now: stored.created, limits: None, ..context };
        let request = read(&stored.request, |reader, raw| context.read(reader, raw)).ok()?;
        Some(self.with_closed(request, &stored.owner, state))
    }

    fn context<'a>(&'a self, state: &'a SiteState, purpose: Purpose) -> Context<'a> {
        let fields: &[&str] = match purpose {
            Purpose::Reservation => &RESERVATION_FIELDS,
            Purpose::Quote => {
                &["search", "pareto_nodes", "explain", "labels", "project", "utilisation_from"]
            }
        };
        let settings = &self.shared.settings;
        let (now, limits) = (self.shared.now(), Some(&settings.limits));
        Context { now, search: settings.search, state, fields, limits }
    }
}
