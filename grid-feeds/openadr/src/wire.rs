//! What servers send, read part by part: a part that cannot be read hides no other.
//!
//! The message types of `openleadr-wire` read all or nothing: one odd date in one event would
//! hide all events of its page, an emergency's among them.

use chrono::{DateTime, Utc};
use grid_feeds::feed::excerpt;
use openleadr_wire::report::ReportType;
use planner::time::{Span, Timestamp};
use serde_json::Value;

/// A part of a document, or why it cannot be read.
pub type Part<T> = Result<T, String>;

/// A program of the supplier.
#[derive(Clone, Debug)]
pub struct Program {
    /// The id that the server gave it.
    pub id: String,
    /// What units and currencies are unless an event says otherwise.
    pub descriptors: Vec<Descriptor>,
}

/// An event of a program: what the supplier says.
#[derive(Clone, Debug)]
pub struct Event {
    /// The id that the server gave it, or its place in the list where it has none.
    pub id: String,
    /// A name for people.
    pub name: Option<String>,
    /// The id of its program.
    pub program_id: Part<Option<String>>,
    /// The targets that it is for; without any it is for everybody.
    pub targets: Part<Vec<String>>,
    /// 0 is the highest, none the lowest.
    pub priority: Part<Option<u32>>,
    /// When it was last modified.
    pub modified: Part<DateTime<Utc>>,
    /// What its values mean.
    pub descriptors: Vec<Descriptor>,
    /// The payload types of reports that it asks for.
    pub asks_for: Vec<ReportType>,
    /// The period of intervals that have none.
    pub period: Part<Option<Period>>,
    /// How long its intervals repeat.
    pub duration: Part<Option<jiff::Span>>,
    /// Its intervals in order; an event without any says nothing.
    pub intervals: Part<Vec<Interval>>,
}

/// A part of an event.
#[derive(Clone, Debug)]
pub struct Interval {
    /// Its number, or its place where it has none.
    pub id: i64,
    /// Its own period, if it has one.
    pub period: Part<Option<Period>>,
    /// What is said of it.
    pub payloads: Part<Vec<Payload>>,
}

/// A value with its type.
#[derive(Clone, Debug)]
pub struct Payload {
    /// The type, such as `PRICE`.
    pub kind: Part<String>,
    /// The values, usually one.
    pub values: Part<Vec<Value>>,
}

/// When something begins and how long it lasts.
#[derive(Clone, Debug)]
pub struct Period {
    /// The first instant.
    pub start: Part<Start>,
    /// Without end unless given.
    pub duration: Part<Option<jiff::Span>>,
    /// Every client should move the start by chance.
    pub is_randomized: bool,
}

/// The first instant of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// When the event was modified.
    Now,
    /// The instant that the period names.
    At(Timestamp),
}

/// What the values of a payload type mean.
#[derive(Clone, Debug)]
pub struct Descriptor {
    /// The type of payload; where it cannot be read, the descriptor may be of any.
    pub kind: Part<String>,
    /// The unit, in the supplier's spelling.
    pub unit: Part<Option<String>>,
    /// The currency, by its code of ISO 4217.
    pub currency: Part<Option<String>>,
}

/// A report that this site sent.
#[derive(Clone, Debug)]
pub struct SentReport {
    /// The id that the server gave it.
    pub id: String,
    /// The event that it answers.
    pub event_id: String,
    /// What it is called.
    pub name: String,
    /// When it was last sent; later texts are later.
    pub modified: Option<DateTime<Utc>>,
    /// When its intervals are that have a time of their own, as ours have.
    pub spans: Vec<Span>,
    /// The document as it was sent.
    content: Value,
}

impl Program {
    /// A program of this name; `None` for any other document.
    pub fn named(name: &str, document: &Value) -> Option<Self> {
        let is_it = document.get("programName")?.as_str()? == name;
        let id = document.get("id")?.as_str().filter(|_| is_it)?.to_owned();
        Some(Self { id, descriptors: descriptors(document) })
    }
}

impl Event {
    /// An event, the so manieth of its list.
    pub fn read(document: &Value, number: usize) -> Self {
        let id = document.get("id").and_then(Value::as_str).map(str::to_owned);
        let targets = list(document, "targets").and_then(|targets| {
            let text = |it: &Value| it.as_str().map(str::to_owned);
            let texts = targets.iter().map(text).collect::<Option<_>>();
            texts.ok_or_else(|| "targets have one that is no text".to_owned())
        });
        let priority = match document.get("priority") {
            None | Some(Value::Null) => Ok(None),
            Some(priority) => {
                let number = priority.as_u64().and_then(|it| u32::try_from(it).ok());
                number
                    .map(Some)
                    .ok_or_else(|| format!("priority {} is none", excerpt(&priority.to_string())))
            }
        };
        let modified = text(document, "modificationDateTime").and_then(|text| {
            let text = text.ok_or("modificationDateTime is missing")?;
            instant(&text)
        });
        let intervals = if document.is_object() {
            list(document, "intervals")
        } else {
            Err("is no event".to_owned())
        };
        let asked = list(document, "reportDescriptors").unwrap_or_default();
        let asked = asked.iter().filter_map(|it| it.get("payloadType"));
        Self {
            id: id.unwrap_or_else(|| format!("number {number} of the list")),
            name: text(document, "eventName").ok().flatten(),
            program_id: text(document, "programID"),
            targets,
            priority,
            modified,
            descriptors: descriptors(document),
            asks_for: asked.filter_map(|it| serde_json::from_value(it.clone()).ok()).collect(),
            period: period(document),
            duration: duration(document, "duration"),
            intervals: intervals.map(|all| (0..).zip(all).map(Interval::read).collect()),
        }
    }
}

impl Event {
    /// Later ones count more among equals; one whose time cannot be read counts most.
    pub fn order(&self) -> DateTime<Utc> {
        self.modified.as_ref().copied().unwrap_or(DateTime::<Utc>::MAX_UTC)
    }
}

impl Interval {
    fn read((place, document): (i64, &Value)) -> Self {
        let payloads = match document.get("payloads") {
            None | Some(Value::Null) => Err("has no payloads".to_owned()),
            Some(_) => list(document, "payloads"),
        };
        let payloads = payloads.map(|payloads| payloads.iter().map(Payload::read).collect());
        let id = document.get("id").and_then(Value::as_i64).unwrap_or(place);
        Self { id, period: period(document), payloads }
    }
}

impl Payload {
    fn read(document: &Value) -> Self {
        let kind = text(document, "type");
        let kind = kind.and_then(|kind| kind.ok_or_else(|| "a payload has no type".to_owned()));
        Self { kind, values: list(document, "values").map(<[Value]>::to_vec) }
    }
}

impl SentReport {
    /// A report of this site, which goes by `client_name`; `None` for any other document.
    pub fn of(client_name: &str, document: &Value) -> Option<Self> {
        let word = |name: &str| document.get(name)?.as_str().map(str::to_owned);
        let mut content = document.clone();
        for field in ["id", "createdDateTime", "modificationDateTime", "clientID"] {
            content.as_object_mut()?.remove(field);
        }
        let resources = list(document, "resources").unwrap_or_default();
        let intervals = resources.iter().flat_map(|it| list(it, "intervals").unwrap_or_default());
        let span = |interval: &Value| {
            let period = period(interval).ok()??;
            let Ok(Start::At(start)) = period.start else { return None };
            Span::new(start, end(start, &period.duration.ok()??)?)
        };
        let is_ours = word("clientName").is_some_and(|name| name == client_name);
        is_ours.then_some(Self {
            id: word("id")?,
            event_id: word("eventID")?,
            name: word("reportName")?,
            modified: word("modificationDateTime").and_then(|text| instant(&text).ok()),
            spans: intervals.filter_map(span).collect(),
            content,
        })
    }

    /// What it says, as an answer to another event.
    pub fn to_event(&self, event_id: &str) -> Value {
        let mut content = self.content.clone();
        content["eventID"] = Value::from(event_id);
        content
    }
}

/// The end of the calendar where the duration leads beyond it; `None` for one that leads back.
pub fn end(start: Timestamp, length: &jiff::Span) -> Option<Timestamp> {
    if length.is_negative() {
        return None;
    }
    let from = jiff::Timestamp::from_second(start.as_unix_seconds()).ok()?;
    let end = from.to_zoned(jiff::tz::TimeZone::UTC).checked_add(*length);
    let end =
        end.map_or(Timestamp::MAX, |end| Timestamp::from_unix_seconds(end.timestamp().as_second()));
    Some(end.min(Timestamp::MAX))
}

/// A list; an empty one where there is none.
fn list<'d>(document: &'d Value, name: &str) -> Part<&'d [Value]> {
    match document.get(name) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(all)) => Ok(all),
        Some(_) => Err(format!("{name} is no list")),
    }
}

fn text(document: &Value, name: &str) -> Part<Option<String>> {
    match document.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(format!("{name} {} is no text", excerpt(&other.to_string()))),
    }
}

fn descriptors(document: &Value) -> Vec<Descriptor> {
    let all = list(document, "payloadDescriptors").unwrap_or_default().iter();
    let is_of_events = |it: &&Value| {
        it.get("objectType").and_then(Value::as_str) != Some("REPORT_PAYLOAD_DESCRIPTOR")
    };
    let descriptor = |it: &Value| Descriptor {
        kind: text(it, "payloadType")
            .and_then(|kind| kind.ok_or_else(|| "a descriptor has no payloadType".to_owned())),
        unit: text(it, "units"),
        currency: text(it, "currency"),
    };
    all.filter(is_of_events).map(descriptor).collect()
}

fn period(document: &Value) -> Part<Option<Period>> {
    let period = match document.get("intervalPeriod") {
        None | Some(Value::Null) => return Ok(None),
        Some(period) if period.is_object() => period,
        Some(other) => {
            return Err(format!("intervalPeriod {} is none", excerpt(&other.to_string())));
        }
    };
    let start = text(period, "start")
        .and_then(|text| text.ok_or_else(|| "has no start".to_owned()))
        .and_then(|text| start(&text));
    let is_randomized = period.get("randomizeStart").is_some_and(|it| !it.is_null());
    Ok(Some(Period { start, duration: duration(period, "duration"), is_randomized }))
}

fn start(text: &str) -> Part<Start> {
    // Without a zone, as the standard writes it.
    if text.starts_with("0001-01-01") {
        return Ok(Start::Now);
    }
    let second = Timestamp::from_unix_seconds(instant(text)?.timestamp());
    Ok(Start::At(second.clamp(Timestamp::MIN, Timestamp::MAX)))
}

fn instant(text: &str) -> Part<DateTime<Utc>> {
    let instant = DateTime::parse_from_rfc3339(text);
    let wrong = |_| format!("{:?} is no time such as 2026-01-31T12:00:00Z", excerpt(text));
    instant.map(Into::into).map_err(wrong)
}

fn duration(document: &Value, name: &str) -> Part<Option<jiff::Span>> {
    let Some(text) = text(document, name)? else { return Ok(None) };
    let length: Option<jiff::Span> = text.parse().ok();
    let length = length.filter(|length| text.starts_with('P') && !length.is_negative());
    length.map(Some).ok_or_else(|| format!("{name} {:?} is none such as PT1H", excerpt(&text)))
}
