//! The dialogue over OpenADR 3.1: our messages as reports, the supplier's events as grants, offers
//! and alerts (`docs/NEGOTIATION.md`).

use openadr::{Fee, PlannedInterval, PowerRequest, QuietSpan, Used, Ven};
use planner::quantity::{Currency, Power};
use planner::time::Span;
use storage::Message;

use super::DialogueService;
use super::carrier::Undelivered;
use super::document::{
    AskedDocument, AskedSpan, ForecastDocument, ForecastInterval, PowerSpan, QuietDocument,
    UsageDocument, UsedSpan, read_message, read_subject,
};

impl From<openadr::VenError> for Undelivered {
    fn from(error: openadr::VenError) -> Self {
        Self { words: error.to_string(), retry: error.retry() }
    }
}

impl DialogueService {
    /// Carries a message as a report.
    pub(super) async fn carry_by_openadr(
        &self,
        ven: &Ven,
        message: &Message,
    ) -> Result<(), Undelivered> {
        let (now, currency) = (self.shared.now(), self.shared.settings.currency);
        match message.said.kind.as_str() {
            "forecast" => ven.plan(&planned(&read_message(message)?), now).await?,
            "low_consumption" | "low_consumption_withdrawn" => {
                // A report tells all spans that are quiet now.
                let found = self.shared.database.negotiation(message.negotiation_id).await?;
                let quiet: Option<QuietDocument> = found.as_ref().map(read_subject).transpose()?;
                ven.warn_low(&self.quiet(&quiet.unwrap_or_default()), now).await?;
            }
            "request" | "acceptance" => {
                ven.ask(&asked(&read_message(message)?, currency), now).await?;
            }
            "withdrawal" | "decline" => ven.ask(&[], now).await?,
            "usage" => ven.usage(&used(&read_message(message)?), now).await?,
            other => return Err(Undelivered::no_way(&format!("report of {other}"))),
        }
        Ok(())
    }

    fn quiet(&self, subject: &QuietDocument) -> Vec<QuietSpan> {
        let usual = self.shared.settings.negotiation.quiet.map_or(Power::ZERO, |rule| rule.below);
        let quiet = |it: &PowerSpan| {
            let power = Power::from_watts(it.power_w)?;
            let less = Power::from_microwatts((usual - power).as_microwatts().max(0));
            Some(QuietSpan { span: it.span()?, power, less })
        };
        subject.spans.iter().filter_map(quiet).collect()
    }
}

fn planned(forecast: &ForecastDocument) -> Vec<PlannedInterval> {
    let interval = |it: &ForecastInterval| {
        let reserved_max = Power::from_watts(it.reserved_max_w)?;
        let expected = Power::from_watts(it.expected_w)?;
        Some(PlannedInterval { span: it.span()?, reserved_max, expected })
    };
    forecast.intervals.iter().filter_map(interval).collect()
}

fn asked(request: &AskedDocument, currency: Currency) -> Vec<PowerRequest> {
    let asked = |it: &AskedSpan| {
        let power = Power::from_watts(it.over.power_w)?;
        let fee_limit = it.fee_limit.or(it.fee).filter(|fee| *fee > 0.0);
        let fee_limit = fee_limit.map(|fee| per_kw(fee, power, currency));
        Some(PowerRequest { span: it.over.span()?, power, fee_limit })
    };
    request.power.iter().filter_map(asked).collect()
}

/// A fee for a power as one for each kW, rounded down: what is asked for never costs more.
fn per_kw(fee: f64, power: Power, currency: Currency) -> Fee {
    #[expect(clippy::cast_possible_truncation, reason = "limits are at most 1e9 of a currency")]
    let per_kw_millionths = (fee * 1e6 / (power.as_watts() / 1000.0)).floor() as i64;
    Fee { per_kw_millionths, currency }
}

fn used(usage: &UsageDocument) -> Vec<Used> {
    let used = |it: &UsedSpan| {
        let span = Span::new(it.start, it.end)?;
        let energy = Power::from_watts(it.mean_power_w)? * span.length();
        Some(Used { span, energy, estimated: false })
    };
    usage.spans.iter().filter_map(used).collect()
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
        let asked = asked(&serde_json::from_value(document).unwrap(), currency);
        assert_eq!(asked[0].power, Power::from_watts(4000.0).unwrap());
        assert_eq!(asked[0].fee_limit.map(|fee| fee.per_kw_millionths), Some(500_000));
        assert_eq!((asked.len(), asked[1].fee_limit), (2, None));
    }
}
