//! The JSON of Prometheus' HTTP API, version 1.

use std::collections::BTreeMap;

use grid_feeds::feed::{FeedError, excerpt};
use grid_feeds::http::Answer;
use serde::Deserialize;

/// An answer, successful or not.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    status: String,
    data: Option<Data>,
    error_type: Option<String>,
    error: Option<String>,
    #[serde(default)]
    warnings: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    result_type: String,
    result: Box<serde_json::value::RawValue>,
}

/// A series: its labels, and numbers with their instants in seconds since the epoch.
#[derive(Debug, Deserialize)]
pub(super) struct Series {
    pub metric: BTreeMap<String, String>,
    #[serde(default)]
    pub values: Vec<(f64, String)>,
}

/// The series of an answer, and what Prometheus warns of.
#[derive(Debug)]
pub(super) struct Matrix {
    pub series: Vec<Series>,
    pub warnings: Vec<String>,
}

/// Why there is no matrix.
#[derive(Debug)]
pub(super) enum WireError {
    /// So many samples at once are refused.
    TooMany(FeedError),
    /// Anything else.
    Other(FeedError),
}

/// The matrix of an answer.
pub(super) fn matrix(answer: &Answer) -> Result<Matrix, WireError> {
    matrix_of(&answer.text, answer.status, answer.success().map(drop))
}

/// The matrix of a text that came with a status; `refused` where that is no success.
pub(super) fn matrix_of(
    text: &str,
    status: u16,
    refused: Result<(), FeedError>,
) -> Result<Matrix, WireError> {
    let other = WireError::Other;
    let envelope = match (serde_json::from_str::<Envelope>(text), refused) {
        (Ok(envelope), Ok(())) if envelope.status == "success" => envelope,
        (Ok(envelope), _) if envelope.status == "error" => {
            return Err(refusal(&envelope, status));
        }
        // A proxy's page.
        (_, Err(refused)) => return Err(other(refused)),
        (Ok(envelope), _) => {
            let said = excerpt(&envelope.status);
            return Err(other(payload("status", &format!("is {said:?}"))));
        }
        (Err(error), _) => return Err(other(payload("the answer", &error))),
    };
    let data = envelope.data.ok_or_else(|| other(payload("data", &"is missing")))?;
    if data.result_type != "matrix" {
        let said = excerpt(&data.result_type);
        return Err(other(payload(
            "data.resultType",
            &format!(
                "is {said:?}, not a matrix: the query must give series, not a single number or text"
            ),
        )));
    }
    let series = serde_json::from_str(data.result.get());
    let series = series.map_err(|error| other(payload("data.result", &error)))?;
    Ok(Matrix { series, warnings: envelope.warnings.iter().map(|it| excerpt(it)).collect() })
}

fn refusal(envelope: &Envelope, status: u16) -> WireError {
    let words = [&envelope.error_type, &envelope.error];
    let words: Vec<&str> = words.into_iter().flatten().map(String::as_str).collect();
    let message = excerpt(&words.join(": "));
    let is_too_many =
        message.contains("too many samples") || message.contains("maximum resolution");
    let class = envelope.error_type.as_deref().unwrap_or_default();
    let error = if matches!(class, "timeout" | "canceled" | "unavailable" | "internal") {
        FeedError::Transient { message }
    } else {
        FeedError::Refused { status, message }
    };
    if is_too_many || class == "timeout" {
        WireError::TooMany(error)
    } else {
        WireError::Other(error)
    }
}

fn payload(place: &str, message: &dyn std::fmt::Display) -> FeedError {
    FeedError::Payload { place: place.to_owned(), message: excerpt(&message.to_string()) }
}
