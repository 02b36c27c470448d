//! `POST /api/v1/measurements`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use grid_feeds::SentSample;
use planner::metering::{Meter, ValueKind};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::config::Settings;
use crate::config::meters::Metering;
use crate::http::body::{Body, PlaceKind};
use crate::http::by::By;
use crate::http::problem::{PlacedError, Problem};
use crate::service::measurements::{MeasurementService, NodeSample, SampleCounts};
use crate::service::shared::blocking;

/// How many errors of a body are listed.
const MOST_ERRORS: usize = 100;

/// Samples of a meter.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the document, which is read with the place of every error")]
pub struct MeasurementsRequest {
    /// The meter's name in the settings.
    meter: String,
    /// In any order.
    samples: Vec<MeasuredSampleRequest>,
}

/// What a meter said of a node at an instant: a power, or the energy that a counter shows.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the document, which is read with the place of every error")]
pub struct MeasuredSampleRequest {
    /// The name of the node, rack or site.
    node: String,
    /// RFC 3339, taken to the millisecond.
    #[schema(value_type = String, format = DateTime)]
    at: String,
    /// Watts, for gauges; taken to the milliwatt.
    power_w: Option<f64>,
    /// Joules, for counters and differences; taken to the millijoule.
    energy_j: Option<f64>,
}

/// What became of samples that were sent.
#[derive(Default, Deserialize, Serialize, ToSchema)]
pub struct MeasurementsTaken {
    /// How many were kept.
    pub taken: u64,
    /// How many of these came after later ones of their node had been kept; quarter-hours were restated.
    pub late: u64,
    /// How many stood after later ones of their node in the body.
    pub out_of_order: u64,
    /// How many were kept before, with the same value; they changed nothing.
    pub doubled: u64,
    /// How many of those that were kept came after a reset of their counter, before which nothing is counted.
    pub resets: u64,
    /// How many were refused.
    pub refused: u64,
    /// Why, with their numbers.
    pub reasons: Vec<RefusedSamples>,
    /// The first that were refused, of each meter 20 at the most.
    pub first_refused: Vec<RefusedSample>,
    /// How many nodes have newer samples than before which are nevertheless all older than the meter's longest gap: their
    /// clocks run behind, or their samples were held back.
    #[serde(default)]
    pub behind: u64,
    /// That of these whose newest sample is the oldest; null where there is none.
    #[serde(default)]
    pub furthest_behind: Option<BehindDocument>,
}

/// A node whose newest sample was old when it came.
#[derive(Deserialize, Serialize, ToSchema)]
pub struct BehindDocument {
    /// The name of the node, rack or site.
    pub node: String,
    /// Its newest sample, RFC 3339.
    pub newest_at: String,
    /// Seconds between this and when it came.
    pub behind_s: i64,
}

/// How many samples were refused for a reason.
#[derive(Deserialize, Serialize, ToSchema)]
pub struct RefusedSamples {
    /// A stable word: `unknown_node`, `in_future`, `too_old`, `zero_is_missing`, `implausible` or `contradicts`.
    pub reason: String,
    /// How many.
    pub count: u64,
}

/// A sample that was refused.
#[derive(Deserialize, Serialize, ToSchema)]
pub struct RefusedSample {
    /// JSON pointer into the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// Line of a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The name of the node, rack or site.
    pub node: String,
    /// RFC 3339.
    pub at: String,
    /// A stable word.
    pub reason: String,
    /// In words.
    pub detail: String,
}

/// Keeps what meters of kind `push` measured
///
/// For operators. JSON with samples of one meter, or CSV with the columns `meter`, `node`, `at` and `power_w` or
/// `energy_j`, for one or more meters. A body that cannot be read changes nothing. Samples that are not believed are
/// refused one by one, and the others of their meter kept in one transaction. What was kept before changes nothing when
/// it is sent again.
#[utoipa::path(
    post,
    path = "/api/v1/measurements",
    tag = "metering",
    request_body(content((MeasurementsRequest = "application/json"), (String = "text/csv"))),
    responses(
        (status = OK, body = MeasurementsTaken),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn create_measurements(
    State(measurements): State<Arc<MeasurementService>>,
    State(settings): State<Arc<Settings>>,
    _: By,
    body: Body,
) -> Result<Json<MeasurementsTaken>, Problem> {
    let places = body.sample_places();
    let known = Arc::clone(&settings);
    let batches = blocking(move || {
        let sent = body.read(grid_feeds::measurements_json, grid_feeds::table::measurements)?;
        by_meter(&known.metering, places, sent)
    })
    .await??;
    let mut answer = MeasurementsTaken::default();
    for batch in batches {
        let Some(settings) = settings.metering.meter(&batch.meter) else { continue };
        let counts = measurements.take(&settings.meter, batch.samples).await?;
        answer.add(counts, places, &batch.lines);
    }
    Ok(Json(answer))
}

/// The samples of one meter, with their places in the body.
struct Batch {
    meter: Arc<str>,
    samples: Vec<NodeSample>,
    lines: Vec<u64>,
}

/// Samples by their meters, each of which is of the settings and takes samples of this unit.
fn by_meter(
    metering: &Metering,
    places: PlaceKind,
    sent: Vec<SentSample>,
) -> Result<Vec<Batch>, Problem> {
    let mut batches: Vec<Batch> = Vec::new();
    let mut errors: Vec<PlacedError> = Vec::new();
    for it in sent {
        let at = match batches.last() {
            Some(last) if last.meter == it.meter => Some(batches.len() - 1),
            _ => batches.iter().position(|batch| batch.meter == it.meter),
        };
        let refused = match metering.meter(&it.meter) {
            None => Some(unknown_meter(metering, &it.meter)),
            Some(settings) => wrong_unit(&settings.meter, &it),
        };
        if let Some(detail) = refused {
            if errors.len() < MOST_ERRORS {
                errors.push(places.error(it.place, detail));
            }
            continue;
        }
        let at = at.unwrap_or_else(|| {
            let meter = Arc::clone(&it.meter);
            batches.push(Batch { meter, samples: Vec::new(), lines: Vec::new() });
            batches.len() - 1
        });
        batches[at].samples.push(NodeSample { node: it.node, sample: it.sample });
        batches[at].lines.push(it.place);
    }
    if errors.is_empty() { Ok(batches) } else { Err(Problem::invalid_body(errors)) }
}

fn unknown_meter(metering: &Metering, name: &str) -> String {
    let pushed = metering.meters.iter().filter(|it| !it.source.is_polled());
    let names: Vec<String> = pushed.map(|it| format!("{:?}", it.meter.name)).collect();
    match names.as_slice() {
        [] => format!(
            "{name:?} is no meter: the settings have none; add [[meters]] (docs/METERING.md)"
        ),
        names => format!("{name:?} is no meter of kind push; those are {}", names.join(", ")),
    }
}

fn wrong_unit(meter: &Meter, sent: &SentSample) -> Option<String> {
    let (values, name) = (meter.values.word(), &meter.name);
    let member = match meter.values {
        ValueKind::Gauge => "power_w",
        ValueKind::Counter | ValueKind::Difference => "energy_j",
    };
    let wrong = sent.unit != Meter::pushed_unit(meter.values);
    wrong.then(|| {
        format!("the meter {name:?} has values of the kind {values}, which are sent as {member}")
    })
}

impl MeasurementsTaken {
    /// Adds what became of the samples of a meter, which stood at these places of the body.
    fn add(&mut self, counts: SampleCounts, kind: PlaceKind, places: &[u64]) {
        self.taken += counts.taken;
        self.late += counts.late;
        self.out_of_order += counts.out_of_order;
        self.doubled += counts.doubled;
        self.resets += counts.resets;
        for (reason, count) in counts.refused {
            self.refused += count;
            match self.reasons.iter_mut().find(|it| it.reason == reason.word()) {
                Some(known) => known.count += count,
                None => self.reasons.push(RefusedSamples { reason: reason.word().into(), count }),
            }
        }
        for it in counts.first_refused {
            let PlacedError { pointer, place, detail } =
                kind.error(places[it.position], it.refusal.to_string());
            let (node, at) = (it.sample.node.to_string(), it.sample.sample.at.to_string());
            let reason = it.refusal.word().to_owned();
            self.first_refused.push(RefusedSample { pointer, place, node, at, reason, detail });
        }
        let furthest = counts.furthest_behind.map(|it| BehindDocument {
            node: it.node.to_string(),
            newest_at: it.newest.to_string(),
            behind_s: it.by.get(),
        });
        self.add_behind(counts.behind, furthest);
    }

    /// Adds nodes whose newest samples were old.
    pub fn add_behind(&mut self, behind: u64, furthest: Option<BehindDocument>) {
        self.behind += behind;
        let known = self.furthest_behind.as_ref().map_or(0, |it| it.behind_s);
        if let Some(furthest) = furthest.filter(|it| it.behind_s > known) {
            self.furthest_behind = Some(furthest);
        }
    }
}
