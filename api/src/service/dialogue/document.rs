//! What is said between site and supplier, as JSON. Powers are watts, money is in the site's
//! currency, times are RFC 3339.

use planner::dialogue::{PlannedInterval, PowerOver};
use planner::time::{Span, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use storage::{Negotiation, ReservationId};
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

impl Subject {
    /// What a negotiation about extra power is about.
    ///
    /// # Errors
    /// What is stored of it cannot be read.
    pub fn of(negotiation: &Negotiation) -> Result<Self, Fault> {
        serde_json::from_str(&negotiation.subject).map_err(Fault::internal)
    }

    /// The subject as it is stored.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub fn text(&self) -> Result<String, Fault> {
        serde_json::to_string(self).map_err(Fault::internal)
    }

    /// The most that one who asks pays of a fee: shares are as their limits, so that nobody pays
    /// more than they said.
    pub fn share(&self, id: ReservationId, fee: f64) -> f64 {
        let limits: f64 = self.reservations.iter().map(|asker| asker.fee_limit).sum();
        let own = self.reservations.iter().find(|asker| asker.id == id.as_uuid());
        match own {
            Some(asker) if limits > 0.0 => fee * asker.fee_limit / limits,
            _ => 0.0,
        }
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

/// A forecast as it is told.
pub fn forecast(plan: &[PlannedInterval]) -> Value {
    let interval = |it: &PlannedInterval| {
        serde_json::json!({
            "start": it.span.start(),
            "end": it.span.end(),
            "reserved_max_w": it.reserved_max.as_watts(),
            "expected_w": it.expected.as_watts(),
            "expected_energy_kwh": (it.expected * it.span.length()).as_kilowatt_hours(),
        })
    };
    serde_json::json!({ "intervals": plan.iter().map(interval).collect::<Vec<_>>() })
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
