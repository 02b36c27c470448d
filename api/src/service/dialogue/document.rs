//! What is said between site and supplier, as JSON. Powers are watts, money is in the site's
//! currency, times are RFC 3339.

use planner::dialogue::{PlannedInterval, PowerOver};
use planner::identity::ReservationId;
use planner::quantity::Money;
use planner::time::{Span, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use storage::{Message, Negotiation, StorageError};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::service::shared::Fault;

/// Power over a span.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, ToSchema)]
pub struct PowerSpan {
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    #[serde(with = "instant")]
    pub start: Timestamp,
    /// RFC 3339, the first instant after.
    #[schema(value_type = String, format = DateTime)]
    #[serde(with = "instant")]
    pub end: Timestamp,
    /// Watts.
    pub power_w: f64,
}

/// What a negotiation about extra power is about as it stands.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Subject {
    /// The power that is missing, by the supplier's intervals.
    pub power: Vec<PowerSpan>,
    /// The most that those who ask pay for all of it.
    pub fee_limit: f64,
    /// The reservations that wait for the power.
    pub reservations: Vec<Asker>,
    /// Reservations that stand and lack power since the cap was lowered.
    pub degraded: Vec<Uuid>,
    /// What the supplier said, once it said the last word.
    pub answer: Option<LastWord>,
}

/// A reservation that waits for the power, and the most that it would pay.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Asker {
    /// The reservation's id.
    pub id: Uuid,
    /// In the site's currency.
    pub fee_limit: f64,
}

/// The supplier's last word.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct LastWord {
    /// Whether it granted something.
    pub granted: bool,
    /// The reason in words.
    pub reason: String,
}

/// What a negotiation about low consumption is about, and its messages.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct QuietDocument {
    /// The spans that are quiet, with the most that is expected in each.
    #[serde(default)]
    pub spans: Vec<PowerSpan>,
}

/// What a negotiation of notices is about: what of the supplier's events was told before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct HeardDocument {
    /// The ids of alerts.
    #[serde(default)]
    pub alerts: Vec<String>,
    /// What cannot be read.
    #[serde(default)]
    pub unread: Vec<String>,
}

/// A forecast as it is told.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct ForecastDocument {
    /// In time order.
    pub intervals: Vec<ForecastInterval>,
}

/// An interval of a forecast.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct ForecastInterval {
    /// RFC 3339.
    #[serde(with = "instant")]
    pub start: Timestamp,
    /// RFC 3339, the first instant after.
    #[serde(with = "instant")]
    pub end: Timestamp,
    /// Watts.
    pub reserved_max_w: f64,
    /// Watts.
    pub expected_w: f64,
    /// Kilowatt-hours.
    pub expected_energy_kwh: f64,
}

/// Power that is asked for, or whose offer is accepted, as it is told.
#[cfg(feature = "openadr")]
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct AskedDocument {
    /// In time order.
    pub power: Vec<AskedSpan>,
}

/// Power over a span with what it may cost or costs.
#[cfg(feature = "openadr")]
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct AskedSpan {
    /// How much and when.
    #[serde(flatten)]
    pub over: PowerSpan,
    /// The most that is paid for it, in a question.
    pub fee_limit: Option<f64>,
    /// What is paid for it, in an acceptance.
    pub fee: Option<f64>,
}

/// What was consumed, as it is told.
#[cfg(feature = "openadr")]
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct UsageDocument {
    /// In time order.
    pub spans: Vec<UsedSpan>,
}

/// What was consumed over a span.
#[cfg(feature = "openadr")]
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct UsedSpan {
    /// RFC 3339.
    #[serde(with = "instant")]
    pub start: Timestamp,
    /// RFC 3339, the first instant after.
    #[serde(with = "instant")]
    pub end: Timestamp,
    /// Watts.
    pub mean_power_w: f64,
}

/// The spans that any message is about.
#[derive(Debug, Default, Deserialize)]
pub struct SpansDocument {
    #[serde(default)]
    power: Vec<SpanDocument>,
    #[serde(default)]
    intervals: Vec<SpanDocument>,
    #[serde(default)]
    spans: Vec<SpanDocument>,
}

/// A span that a message is about.
#[derive(Clone, Copy, Debug, Deserialize)]
struct SpanDocument {
    #[serde(with = "instant")]
    end: Timestamp,
}

impl SpansDocument {
    /// When the last of them is over; `None` where the message is about no span.
    pub fn end(&self) -> Option<Timestamp> {
        let all = self.power.iter().chain(&self.intervals).chain(&self.spans);
        all.map(|span| span.end).max()
    }
}

/// Reads what a negotiation is about.
///
/// # Errors
/// It is about something else, or the row was not written by this service.
pub fn read_subject<T: DeserializeOwned>(negotiation: &Negotiation) -> Result<T, StorageError> {
    serde_json::from_str(&negotiation.subject).map_err(|_| StorageError::Inconsistent {
        table: "negotiations",
        row: negotiation.id.to_string(),
        column: Some("subject"),
        problem: "it cannot be read",
    })
}

/// Reads what was said.
///
/// # Errors
/// The message is of another kind, or the row was not written by this service.
pub fn read_message<T: DeserializeOwned>(message: &Message) -> Result<T, StorageError> {
    serde_json::from_str(&message.said.document).map_err(|_| StorageError::Inconsistent {
        table: "negotiation_messages",
        row: message.id.to_string(),
        column: Some("document"),
        problem: "it cannot be read",
    })
}

impl Subject {
    /// What a negotiation about extra power is about.
    ///
    /// # Errors
    /// What is stored of it cannot be read.
    pub fn of(negotiation: &Negotiation) -> Result<Self, Fault> {
        Ok(read_subject(negotiation)?)
    }

    /// The subject as it is stored.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub fn text(&self) -> Result<String, Fault> {
        serde_json::to_string(self).map_err(Fault::internal)
    }

    /// What one who asks pays of a fee: shares are as their limits, so that nobody pays more than
    /// they said. `None` for who pays nothing.
    pub fn share(&self, id: ReservationId, fee: Money) -> Option<Money> {
        let limit = |asker: &Asker| Money::from_units(asker.fee_limit, fee.currency());
        let own = self.reservations.iter().find(|asker| asker.id == id.as_uuid())?;
        let limits: Option<Vec<Money>> = self.reservations.iter().map(limit).collect();
        let all = limits?.into_iter().reduce(|sum, limit| sum + limit)?;
        fee.share(limit(own)?, all).filter(|share| share.as_exact() > 0)
    }
}

impl From<&PowerOver> for PowerSpan {
    fn from(it: &PowerOver) -> Self {
        Self { start: it.span.start(), end: it.span.end(), power_w: it.power.as_watts() }
    }
}

impl PowerSpan {
    /// When; `None` where it ends before it starts.
    pub fn span(&self) -> Option<Span> {
        Span::new(self.start, self.end)
    }
}

impl ForecastDocument {
    /// A plan as it is told.
    pub fn new(plan: &[PlannedInterval]) -> Self {
        let interval = |it: &PlannedInterval| ForecastInterval {
            start: it.span.start(),
            end: it.span.end(),
            reserved_max_w: it.reserved_max.as_watts(),
            expected_w: it.expected.as_watts(),
            expected_energy_kwh: (it.expected * it.span.length()).as_kilowatt_hours(),
        };
        Self { intervals: plan.iter().map(interval).collect() }
    }
}

impl ForecastInterval {
    /// When; `None` where it ends before it starts.
    pub fn span(&self) -> Option<Span> {
        Span::new(self.start, self.end)
    }
}

/// Instants as RFC 3339 in documents that are read back.
pub mod instant {
    use planner::time::Timestamp;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes one.
    ///
    /// # Errors
    /// The serialiser's.
    pub fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        at.serialize(serializer)
    }

    /// Reads one.
    ///
    /// # Errors
    /// What is no RFC 3339 time.
    pub fn deserialize<'de, D: Deserializer<'de>>(text: D) -> Result<Timestamp, D::Error> {
        Timestamp::parse(&String::deserialize(text)?).map_err(serde::de::Error::custom)
    }
}
