//! What is asked of all sites, read once and put to each as its data allows.

use planner::decimal::parse_scaled;
use planner::json::reader::{Object, read};
use planner::json::request::{REQUEST_FIELDS, request_fields, search};
use planner::json::slower_states::slowest_speed;
use planner::json::{JsonError, Reader};
use planner::request::Request;
use planner::slower_states::Speed;
use planner::time::{Seconds, Timestamp};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::data_transfer::{DataTransfer, DataVolume};
use super::figures::Figures;

/// What a request to several sites may have beside the planner's fields.
const FIELDS_BESIDE: [&str; 5] =
    ["slowest_speed", "search", "labels", "project", "utilisation_from"];

/// The members of a request that say its shapes and its window.
const SHAPE_AND_WINDOW: [&str; 8] = [
    "nodes",
    "duration_s",
    "duration",
    "alternatives",
    "earliest_start",
    "latest_start",
    "latest_end",
    "tolerance",
];

/// What is asked of all sites.
#[derive(Clone, Debug)]
pub struct SiteQuestion {
    /// The members of the request as they were written.
    members: Map<String, Value>,
    /// As the planner understands them.
    pub(super) request: Request,
    /// How much data goes there and back.
    pub volume: DataVolume,
}

/// What is to be booked at which site.
#[derive(Clone, Debug)]
pub struct SiteOrder {
    /// The site, by its name here.
    pub site: String,
    /// What was asked of all sites.
    pub question: SiteQuestion,
    /// What the site offered: nothing else is booked.
    pub expected: Figures,
}

impl SiteQuestion {
    /// Reads the body of a question.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(text: &str, now: Timestamp) -> Result<Self, Vec<JsonError>> {
        read(text, |reader, raw| {
            let object = reader.object(raw, &["request", "input_bytes", "output_bytes"])?;
            question(reader, &object, now)
        })
    }

    /// As it is put to this site, which no data has to reach.
    pub(super) fn here(&self) -> String {
        without_front_nodes(self.members.clone())
    }

    /// The first instant at which it may start at a site that data has to reach.
    pub(super) fn earliest_start(&self, transfer: &DataTransfer, now: Timestamp) -> Timestamp {
        let earliest = self.request.earliest_start;
        if transfer.input.get() == 0 { earliest } else { earliest.max(now + transfer.input) }
    }

    /// As it is put to a site that data has to reach; `None` where it cannot be there, or back, in time.
    pub(super) fn there(&self, transfer: &DataTransfer, now: Timestamp) -> Option<String> {
        let earliest = self.earliest_start(transfer, now);
        let latest_end = self.request.latest_end.map(|end| end - transfer.output);
        let fits = self.request.shapes().any(|shape| {
            let latest = latest_end.map_or(self.request.latest_start, |end| {
                self.request.latest_start.min(end - shape.duration)
            });
            earliest <= latest
        });
        if !fits {
            return None;
        }
        let mut members = self.members.clone();
        if earliest > self.request.earliest_start {
            members.insert("earliest_start".to_owned(), json!(earliest));
        }
        if let Some(end) = latest_end {
            members.insert("latest_end".to_owned(), json!(end));
        }
        Some(without_front_nodes(members))
    }

    /// The reservation that holds what was offered and nothing else; `None` where none of the shapes is the offer's.
    pub(super) fn reservation(&self, offer: &Figures) -> Option<String> {
        let length = offer.end - offer.start;
        let may_be_slower = self.request.slowest_speed != Speed::FULL;
        let is_it = |nodes: u32, duration: Seconds| {
            nodes == offer.node_count
                && (duration == length || (may_be_slower && duration < length))
        };
        let shapes = self.request.shapes().filter(|it| is_it(it.nodes, it.duration));
        let shape = |it: planner::request::Shape| json!({"nodes": it.nodes, "duration_s": it.duration.get()});
        let mut shapes: Vec<Value> = shapes.map(shape).collect();
        let mut members = self.members.clone();
        for name in SHAPE_AND_WINDOW {
            members.remove(name);
        }
        let Value::Object(first) = (!shapes.is_empty()).then(|| shapes.remove(0))? else {
            return None;
        };
        members.extend(first);
        if !shapes.is_empty() {
            members.insert("alternatives".to_owned(), Value::Array(shapes));
        }
        for name in ["earliest_start", "latest_start"] {
            members.insert(name.to_owned(), json!(offer.start));
        }
        members.insert("hold_compromise".to_owned(), json!(true));
        members.insert("expected".to_owned(), json!(offer));
        Some(Value::Object(members).to_string())
    }
}

impl SiteOrder {
    /// Reads the body of an order.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(text: &str, now: Timestamp) -> Result<Self, Vec<JsonError>> {
        read(text, |reader, raw| {
            let known = ["site", "request", "input_bytes", "output_bytes", "expected"];
            let object = reader.object(raw, &known)?;
            let site = reader.required(&object, "site", Reader::name);
            let expected = reader.required(&object, "expected", Figures::read);
            let question = question(reader, &object, now);
            let order = Self { site: site?.into(), expected: expected?, question: question? };
            if order.question.reservation(&order.expected).is_none() {
                reader.error_at(
                    "expected",
                    "is of no shape of the request: say an offer's at_site as it was told",
                );
            }
            Some(order)
        })
    }
}

/// A question that a site answers without telling the nodes of each start.
fn without_front_nodes(mut members: Map<String, Value>) -> String {
    members.insert("pareto_nodes".to_owned(), json!(false));
    Value::Object(members).to_string()
}

fn question(reader: &mut Reader, object: &Object<'_>, now: Timestamp) -> Option<SiteQuestion> {
    let input = reader.optional(object, "input_bytes", bytes);
    let output = reader.optional(object, "output_bytes", bytes);
    let request = reader.required(object, "request", |reader, raw| request(reader, raw, now));
    let (members, request) = request?;
    let volume = DataVolume {
        input_bytes: input?.unwrap_or_default(),
        output_bytes: output?.unwrap_or_default(),
    };
    Some(SiteQuestion { members, request, volume })
}

/// A request as each site will read it; what only one site knows, such as partitions, is judged there.
fn request(
    reader: &mut Reader,
    raw: &RawValue,
    now: Timestamp,
) -> Option<(Map<String, Value>, Request)> {
    let known = [REQUEST_FIELDS.as_slice(), FIELDS_BESIDE.as_slice()].concat();
    let object = reader.object(raw, &known)?;
    let speed = reader.optional(&object, "slowest_speed", slowest_speed);
    let mode = reader.optional(&object, "search", search);
    let request = request_fields(reader, &object, now)?;
    mode?;
    let request = Request { slowest_speed: speed?.unwrap_or_default(), ..request };
    let members = serde_json::from_str(raw.get()).ok()?;
    Some((members, request))
}

/// A number of bytes.
fn bytes(reader: &mut Reader, raw: &RawValue) -> Option<u64> {
    const MOST: u64 = 1_000_000_000_000_000_000;
    let read = whole_number(raw.get()).filter(|bytes| *bytes <= MOST);
    reader.accept(read.ok_or("must be a whole number of bytes from 0 to 1e18"))
}

/// A whole number, also written as `25.0` or `2.5e10`.
fn whole_number(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| {
        let is_whole = text.parse::<f64>().is_ok_and(|it| it.fract() == 0.0);
        let scaled = parse_scaled(text, 1, 0).ok().filter(|_| is_whole)?;
        u64::try_from(scaled).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_may_have_a_point_or_an_exponent() {
        for (text, number) in [
            ("25", 25),
            ("7379455062.0", 7_379_455_062),
            ("2.5e10", 25_000_000_000),
            ("1e18", 1_000_000_000_000_000_000),
        ] {
            assert_eq!(whole_number(text), Some(number));
        }
        for text in ["25.5", "-1", "-1.0", "1e30", "\"25\"", "null"] {
            assert_eq!(whole_number(text), None);
        }
    }
}
