//! What was consumed, after the fact, against what was told before.

use planner::time::Span;
use serde_json::{Value, json};
use storage::{Consumed, NegotiationKind};

use super::document::{ForecastDocument, read_message};
use super::tell::FORECAST;
use super::{DialogueError, DialogueService};
use crate::service::shared::Fault;

/// Consumption over a span and what was told of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reported {
    /// When, and the mean power.
    pub consumed: Consumed,
    /// The mean power that the last forecast before the span told; `None` where none did.
    pub forecast_w: Option<f64>,
}

/// Consumption over a window.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsumptionReport {
    /// In time order.
    pub spans: Vec<Reported>,
    /// Mean of what was consumed beyond the forecast, by time; `None` without forecasts.
    pub bias_w: Option<f64>,
    /// Mean of the differences either way.
    pub mean_absolute_error_w: Option<f64>,
}

impl Reported {
    /// What was consumed beyond the forecast.
    pub fn error_w(&self) -> Option<f64> {
        self.forecast_w.map(|forecast| self.consumed.power.as_watts() - forecast)
    }
}

impl DialogueService {
    /// Keeps what was consumed, and tells the supplier with the error of the forecast.
    ///
    /// # Errors
    /// `Invalid` for spans that overlap or are not over.
    pub async fn put_consumption(
        &self,
        consumed: Vec<Consumed>,
    ) -> Result<ConsumptionReport, DialogueError> {
        let now = self.shared.now();
        let ends = consumed.first().zip(consumed.last());
        let window = ends.and_then(|(a, b)| Span::new(a.span.start(), b.span.end()));
        let Some(window) = window else {
            return Err(DialogueError::Invalid("there must be at least one span".to_owned()));
        };
        if window.end() > now {
            let error = "what is consumed can be told only after it was";
            return Err(DialogueError::Invalid(error.to_owned()));
        }
        self.shared.database.put_consumption(window, &consumed).await?;
        let report = self.consumption(window).await?;
        if self.shared.settings.negotiation.asks {
            let message = self.message(now, "usage", &told(&report));
            self.say_in(NegotiationKind::ActualConsumption, vec![message], None).await?;
        }
        Ok(report)
    }

    /// What was consumed in a window, with what was told of it before.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn consumption(&self, window: Span) -> Result<ConsumptionReport, Fault> {
        let mut spans = Vec::new();
        for consumed in self.shared.database.consumption(window).await? {
            let forecast_w = self.forecast_for(consumed.span).await?;
            spans.push(Reported { consumed, forecast_w });
        }
        let errors = || {
            spans.iter().filter_map(|it| {
                let seconds = it.consumed.span.length().get() as f64;
                it.error_w().map(|error| (error, seconds))
            })
        };
        let seconds: f64 = errors().map(|(_, seconds)| seconds).sum();
        let mean = |of: fn(f64) -> f64| {
            let sum: f64 = errors().map(|(error, seconds)| of(error) * seconds).sum();
            (seconds > 0.0).then(|| sum / seconds)
        };
        let (bias_w, mean_absolute_error_w) = (mean(|error| error), mean(f64::abs));
        Ok(ConsumptionReport { spans, bias_w, mean_absolute_error_w })
    }

    /// The mean power that the last forecast said before a span began; `None` where it did not
    /// cover it.
    async fn forecast_for(&self, span: Span) -> Result<Option<f64>, Fault> {
        let Some(last) = self.shared.database.last_said(FORECAST, span.start()).await? else {
            return Ok(None);
        };
        let forecast: ForecastDocument = read_message(&last)?;
        let mut told = (0.0, 0);
        for interval in forecast.intervals {
            let during = interval.span().and_then(|during| during.intersection(span));
            if let Some(during) = during {
                let seconds = during.length().get();
                told = (told.0 + interval.expected_w * seconds as f64, told.1 + seconds);
            }
        }
        let seconds = span.length().get();
        Ok((told.1 == seconds).then(|| told.0 / seconds as f64))
    }
}

fn told(report: &ConsumptionReport) -> Value {
    let span = |it: &Reported| {
        let Consumed { span, power } = it.consumed;
        json!({
            "start": span.start(),
            "end": span.end(),
            "mean_power_w": power.as_watts(),
            "energy_kwh": (power * span.length()).as_kilowatt_hours(),
            "forecast_w": it.forecast_w,
            "error_w": it.error_w(),
        })
    };
    json!({
        "spans": report.spans.iter().map(span).collect::<Vec<_>>(),
        "bias_w": report.bias_w,
        "mean_absolute_error_w": report.mean_absolute_error_w,
    })
}
