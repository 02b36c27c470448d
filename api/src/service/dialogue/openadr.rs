//! The dialogue over OpenADR 3.1: our messages as reports, the supplier's events as grants, offers
//! and alerts (`docs/NEGOTIATION.md`).

use grid_feeds::feed::RetryClass;
use openadr::{Fee, PlannedInterval, PowerRequest, QuietSpan, Used, Ven};
use planner::quantity::{Currency, Power};
use planner::time::Span;
use serde::Deserialize;
use serde_json::Value;
use storage::{Message, StorageError};

use super::DialogueService;
use super::carrier::Undelivered;
use super::document::PowerSpan;

impl From<openadr::VenError> for Undelivered {
    fn from(error: openadr::VenError) -> Self {
        Self { words: error.to_string(), retry: error.retry() }
    }
}

impl From<StorageError> for Undelivered {
    fn from(error: StorageError) -> Self {
        Self { words: error.to_string(), retry: RetryClass::Backoff }
    }
}

/// What a negotiation about low consumption is about.
#[derive(Default, Deserialize)]
#[serde(default)]
struct QuietSubject {
    spans: Vec<PowerSpan>,
}

impl DialogueService {
    /// Carries a message as a report.
    pub(super) async fn carry_by_openadr(
        &self,
        ven: &Ven,
        message: &Message,
        document: &Value,
    ) -> Result<(), Undelivered> {
        let (now, currency) = (self.shared.now(), self.shared.settings.currency);
        match message.said.kind.as_str() {
            "forecast" => ven.plan(&planned(document), now).await?,
            "low_consumption" | "low_consumption_withdrawn" => {
                // A report tells all spans that are quiet now.
                let found = self.shared.database.negotiation(message.negotiation_id).await?;
                let subject = found.map_or_else(|| "{}".to_owned(), |it| it.subject);
                let subject = serde_json::from_str(&subject)?;
                ven.warn_low(&self.quiet(subject), now).await?;
            }
            "request" => ven.ask(&asked(document, "fee_limit", currency), now).await?,
            "acceptance" => ven.ask(&asked(document, "fee", currency), now).await?,
            "withdrawal" | "decline" => ven.ask(&[], now).await?,
            "usage" => ven.usage(&used(document), now).await?,
            other => return Err(Undelivered::no_way(&format!("report of {other}"))),
        }
        Ok(())
    }

    fn quiet(&self, subject: QuietSubject) -> Vec<QuietSpan> {
        let usual = self.shared.settings.negotiation.quiet.map_or(Power::ZERO, |rule| rule.below);
        let quiet = |it: PowerSpan| {
            let power = Power::from_watts(it.power_w)?;
            let less = Power::from_microwatts((usual - power).as_microwatts().max(0));
            Some(QuietSpan { span: it.span()?, power, less })
        };
        subject.spans.into_iter().filter_map(quiet).collect()
    }
}

/// The objects of a list, each with its span.
fn spans<'a>(document: &'a Value, list: &str) -> impl Iterator<Item = (Span, &'a Value)> {
    let objects = document[list].as_array().map(Vec::as_slice).unwrap_or_default();
    objects.iter().filter_map(|it| {
        let span: PowerSpan = serde_json::from_value(serde_json::json!({
            "start": it["start"], "end": it["end"], "power_w": 0.0,
        }))
        .ok()?;
        Some((span.span()?, it))
    })
}

fn watts(value: &Value) -> Option<Power> {
    value.as_f64().and_then(Power::from_watts)
}

fn planned(document: &Value) -> Vec<PlannedInterval> {
    let interval = |(span, it): (Span, &Value)| {
        let (reserved_max, expected) = (watts(&it["reserved_max_w"])?, watts(&it["expected_w"])?);
        Some(PlannedInterval { span, reserved_max, expected })
    };
    spans(document, "intervals").filter_map(interval).collect()
}

fn asked(document: &Value, fee: &str, currency: Currency) -> Vec<PowerRequest> {
    let asked = |(span, it): (Span, &Value)| {
        let power = watts(&it["power_w"])?;
        let fee_limit = it[fee].as_f64().filter(|fee| *fee > 0.0);
        let fee_limit = fee_limit.map(|fee| per_kw(fee, power, currency));
        Some(PowerRequest { span, power, fee_limit })
    };
    spans(document, "power").filter_map(asked).collect()
}

/// A fee for a power as one for each kW, rounded down: what is asked for never costs more.
fn per_kw(fee: f64, power: Power, currency: Currency) -> Fee {
    #[expect(clippy::cast_possible_truncation, reason = "limits are at most 1e9 of a currency")]
    let per_kw_millionths = (fee * 1e6 / (power.as_watts() / 1000.0)).floor() as i64;
    Fee { per_kw_millionths, currency }
}

fn used(document: &Value) -> Vec<Used> {
    let used = |(span, it): (Span, &Value)| {
        let energy = watts(&it["mean_power_w"])? * span.length();
        Some(Used { span, energy, estimated: false })
    };
    spans(document, "spans").filter_map(used).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// 2 EUR for 4 kW are 0.5 EUR for each.
    #[test]
    fn a_question_is_asked_with_its_limit_for_each_kilowatt() {
        let document = json!({ "power": [
            { "start": "2026-01-01T00:00:00Z", "end": "2026-01-01T01:00:00Z", "power_w": 4000.0,
              "fee_limit": 2.0 },
            { "start": "2026-01-01T01:00:00Z", "end": "2026-01-01T02:00:00Z", "power_w": 1000.0,
              "fee_limit": 0.0 },
        ] });
        let currency = Currency::parse("EUR").unwrap();
        let asked = asked(&document, "fee_limit", currency);
        assert_eq!(asked[0].power, Power::from_watts(4000.0).unwrap());
        assert_eq!(asked[0].fee_limit.map(|fee| fee.per_kw_millionths), Some(500_000));
        assert_eq!((asked.len(), asked[1].fee_limit), (2, None));
    }
}
