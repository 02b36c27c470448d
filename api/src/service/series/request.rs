//! What is asked for as a series, and the window of each of its occurrences.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use planner::criterion::Criterion;
use planner::json::Reader;
use planner::preference::Preference;
use planner::ranking::Ranking;
use planner::request::Shape;
use planner::time::{Seconds, Timestamp};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use storage::{RecurringSeries, StorageError};

use super::SeriesService;
use super::recurrence::{Exclusion, Recurrence, instant_of, local_of, local_time, named};
use crate::service::booking::{BookingRequest, OnCap, merge_patch};
use crate::service::shared::{Fault, SiteState};

/// The fields of a series.
const FIELDS: [&str; 8] =
    ["request", "recur", "until", "except", "also", "time_zone", "choose", "where_impossible"];

/// The fields of a request that are instants of its window.
const INSTANTS: [&str; 3] = ["earliest_start", "latest_start", "latest_end"];

/// Of two spellings, the one that is said takes the place of the other.
const SPELLINGS: [(&str, &str); 3] =
    [("duration", "duration_s"), ("duration_s", "duration"), ("utilisation", "utilisation_from")];

/// A series that is asked for.
#[derive(Clone, Debug)]
pub struct SeriesRequest {
    /// The request of the first occurrence.
    pub(super) request: BookingRequest,
    /// All but the request, as it is stored.
    pub(super) rule: String,
    /// Its occurrences, in time order.
    pub(super) windows: Vec<OccurrenceWindow>,
}

/// The window of an occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OccurrenceWindow {
    /// Its nominal start by local clocks.
    pub(super) name: String,
    /// The first instant at which it may start.
    pub(super) earliest_start: Timestamp,
    /// The last instant at which it may start.
    pub(super) latest_start: Timestamp,
    /// When it is over at the latest.
    pub(super) over_by: Timestamp,
}

/// The members of what is stored of a series' rule.
pub struct RuleDocument(Map<String, Value>);

impl RuleDocument {
    /// The rule of a series.
    ///
    /// # Errors
    /// What is stored cannot be read.
    pub fn of(series: &RecurringSeries) -> Result<Self, Fault> {
        Ok(Self(stored_object(series, &series.rule, "rule")?))
    }

    /// A member; null where there is none.
    pub fn get(&self, name: &str) -> Value {
        self.0.get(name).cloned().unwrap_or_default()
    }

    /// By what an occurrence is chosen.
    pub(super) fn preference(&self) -> Preference {
        let word = self.0.get("choose").and_then(Value::as_str).unwrap_or_default();
        preference(word).unwrap_or_default()
    }

    /// Whether nothing is wanted where not all is possible.
    pub(super) fn refuses(&self) -> bool {
        self.0.get("where_impossible").and_then(Value::as_str) == Some("refuse")
    }

    /// This rule without an occurrence.
    pub(super) fn without(mut self, occurrence: &str) -> String {
        if let Some(except) = self.0.entry("except").or_insert_with(|| json!([])).as_array_mut() {
            except.push(json!(occurrence));
        }
        Value::Object(self.0).to_string()
    }

    /// The time zone by whose clocks it recurs.
    fn zone(&self) -> Result<TimeZone, Fault> {
        let name = self.0.get("time_zone").and_then(Value::as_str).unwrap_or("UTC");
        TimeZone::get(name).map_err(Fault::internal)
    }
}

/// What a word chooses by: the compromise, a ranking, or the first of those that begin with a criterion.
fn preference(word: &str) -> Option<Preference> {
    let by_criterion = |it: &Ranking| it.criteria()[0].word() == word;
    let first = || Ranking::ALL.into_iter().find(by_criterion).map(Preference::Ranking);
    word.parse().ok().or_else(first)
}

/// The request of an occurrence, as JSON: that of the first with its window moved by local clocks.
///
/// # Errors
/// What is stored cannot be read.
pub(super) fn request_of(series: &RecurringSeries, occurrence: &str) -> Result<String, Fault> {
    let mut request = stored_object(series, &series.request, "request")?;
    let zone = RuleDocument::of(series)?.zone()?;
    let start = local_time(occurrence).map_err(|told| Fault::Internal(anyhow::anyhow!(told)))?;
    let instants: Vec<(&str, Timestamp)> = INSTANTS
        .into_iter()
        .filter_map(|name| Some((name, Timestamp::parse(request.get(name)?.as_str()?).ok()?)))
        .collect();
    let first = instants.first().and_then(|(_, at)| local_of(&zone, *at));
    for (name, at) in instants {
        let moved = first.and_then(|first| moved(&zone, first, start, at));
        let moved =
            moved.ok_or_else(|| Fault::Internal(anyhow::anyhow!("out of all calendars")))?;
        request.insert(name.to_owned(), json!(moved));
    }
    Ok(Value::Object(request).to_string())
}

/// An instant of the first occurrence's window as one of an occurrence that starts at a local time: as far from it by
/// local clocks.
fn moved(zone: &TimeZone, first: DateTime, start: DateTime, at: Timestamp) -> Option<Timestamp> {
    let distance = local_of(zone, at)?.duration_since(first);
    instant_of(zone, start.checked_add(distance).ok()?)
}

/// A JSON object that is stored of a series.
fn stored_object(
    series: &RecurringSeries,
    text: &str,
    column: &'static str,
) -> Result<Map<String, Value>, Fault> {
    let read = serde_json::from_str(text).map_err(|_| StorageError::Inconsistent {
        table: "series",
        row: series.id.to_string(),
        column: Some(column),
        problem: "it cannot be read",
    });
    Ok(read?)
}

/// A series as it was asked for with a merge patch (RFC 7396), as JSON.
///
/// # Errors
/// What is stored cannot be read.
pub(super) fn patched(
    series: &RecurringSeries,
    patch: &Map<String, Value>,
) -> Result<String, Fault> {
    let mut document = stored_object(series, &series.rule, "rule")?;
    let mut request = stored_object(series, &series.request, "request")?;
    if let Some(Value::Object(of_request)) = patch.get("request") {
        for (name, other) in SPELLINGS {
            if of_request.contains_key(name) && !of_request.contains_key(other) {
                request.remove(other);
            }
        }
    }
    document.insert("request".to_owned(), Value::Object(request));
    for (name, value) in patch {
        merge_patch(&mut document, name, value);
    }
    Ok(Value::Object(document).to_string())
}

impl SeriesService {
    /// Reads a series; one that was made then where an instant is said.
    pub fn read_series(
        &self,
        reader: &mut Reader,
        raw: &RawValue,
        state: &SiteState,
        then: Option<Timestamp>,
    ) -> Option<SeriesRequest> {
        let object = reader.object(raw, &FIELDS)?;
        let request = reader.required(&object, "request", |reader, raw| {
            self.first_request(reader, raw, state, then)
        });
        let recur = reader.required(&object, "recur", Reader::string);
        let until = reader.optional(&object, "until", Reader::timestamp);
        let except = reader.optional(&object, "except", |reader, raw| {
            reader.array(raw, |reader, raw| {
                let text = reader.string(raw)?;
                Some((reader.accept(Exclusion::read(&text))?, text))
            })
        });
        let also = reader.optional(&object, "also", |reader, raw| {
            reader.array(raw, |reader, raw| {
                let text = reader.string(raw)?;
                reader.accept(local_time(&text))
            })
        });
        let site_zone = self.shared.settings.time_zone.as_deref().unwrap_or("UTC");
        let zone = reader.optional(&object, "time_zone", |reader, raw| {
            let name = reader.string(raw)?;
            let told = format!("{name:?} is not a time zone; one is \"Europe/Paris\"");
            let zone = reader.accept(TimeZone::get(&name).map_err(|_| told))?;
            Some((name, zone))
        });
        let choose = reader.optional(&object, "choose", |reader, raw| {
            let word = reader.string(raw)?;
            let told =
                "must be energy, cost, co2, compromise, or a ranking such as cost_co2_energy";
            reader.accept(preference(&word).map(|_| word).ok_or(told))
        });
        let where_impossible = reader.optional(&object, "where_impossible", |reader, raw| {
            let word = reader.string(raw)?;
            let is_known = ["leave_out", "refuse"].contains(&word.as_str());
            reader.accept(is_known.then_some(word).ok_or("must be \"leave_out\" or \"refuse\""))
        });
        let (zone_name, zone) = match zone? {
            Some(named) => named,
            None => (site_zone.to_owned(), TimeZone::get(site_zone).unwrap_or(TimeZone::UTC)),
        };
        let (rule, until, also) = (recur?, until?, also?.unwrap_or_default());
        let (except, except_words): (Vec<_>, Vec<_>) =
            except?.unwrap_or_default().into_iter().unzip();
        let document = json!({
            "recur": rule,
            "until": until,
            "except": except_words,
            "also": also.iter().map(|at| named(*at)).collect::<Vec<_>>(),
            "time_zone": zone_name,
            "choose": choose?.unwrap_or_else(|| Criterion::Cost.word().to_owned()),
            "where_impossible": where_impossible?.unwrap_or_else(|| "leave_out".to_owned()),
        });
        let request = request?;
        let recurrence = Recurrence { rule, until, except, also, zone };
        let most = self.shared.settings.limits.occurrences_per_series;
        let windows = windows(&request, &recurrence, most);
        let windows = windows.map_err(|error| reader.error_at("recur", error)).ok()?;
        Some(SeriesRequest { request, rule: document.to_string(), windows })
    }

    /// Reads the request of the first occurrence: one that can be booked at once and again.
    fn first_request(
        &self,
        reader: &mut Reader,
        raw: &RawValue,
        state: &SiteState,
        then: Option<Timestamp>,
    ) -> Option<BookingRequest> {
        let request = self.booking.read_part(reader, raw, state, then)?;
        if request.expected.is_some() {
            reader
                .error_at("expected", "has no meaning in a series, whose offers nobody was shown");
        }
        if request.replaces.is_some() {
            reader.error_at(
                "replaces",
                "has no meaning in a series: no occurrence takes another reservation's place",
            );
        }
        if request.on_cap != OnCap::Refuse {
            reader.error_at(
                "on_cap",
                "must be \"refuse\" in a series: the supplier is not asked for each occurrence",
            );
        }
        Some(request)
    }
}

/// The windows of all occurrences.
fn windows(
    request: &BookingRequest,
    recurrence: &Recurrence,
    most: u16,
) -> Result<Vec<OccurrenceWindow>, super::recurrence::RecurrenceError> {
    let planning = &request.planning;
    let first = local_of(&recurrence.zone, planning.earliest_start);
    let first = first.ok_or(super::recurrence::RecurrenceError::Never)?;
    let longest = planning.shapes().map(|shape: Shape| shape.duration).max();
    let longest = longest.unwrap_or(Seconds::new(0));
    let window = |(start, at): (DateTime, Timestamp)| {
        let latest_start = moved(&recurrence.zone, first, start, planning.latest_start)?.max(at);
        let latest_end = planning.latest_end;
        let end = latest_end.and_then(|end| moved(&recurrence.zone, first, start, end));
        let over_by = end.unwrap_or(latest_start + longest);
        Some(OccurrenceWindow { name: named(start), earliest_start: at, latest_start, over_by })
    };
    Ok(recurrence.occurrences(first, most)?.into_iter().filter_map(window).collect())
}
