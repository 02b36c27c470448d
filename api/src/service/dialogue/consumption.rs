//! What was consumed, after the fact, against what was told before.

use std::collections::VecDeque;

use planner::time::{Span, Timestamp};
use serde_json::{Value, json};
use storage::{Consumed, Database, Message, MessageId, NegotiationKind};

use super::document::{ForecastDocument, read_message};
use super::tell::FORECAST;
use super::{DialogueError, DialogueService};
use crate::service::shared::Fault;

/// How many forecasts are read at once.
const PAGE: u16 = 50;

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
        let all = self.shared.database.consumption(window).await?;
        let mut spans = Vec::with_capacity(all.len());
        if let (Some(first), Some(last)) = (all.first(), all.last()) {
            let (first, until) = (first.span.start(), last.span.start());
            let mut forecasts = Forecasts::told(&self.shared.database, first, until).await?;
            for consumed in all {
                let forecast = forecasts.before(consumed.span.start()).await?;
                let forecast_w = forecast.and_then(|it| it.mean_w(consumed.span));
                spans.push(Reported { consumed, forecast_w });
            }
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
}

/// Forecasts in the order in which they were told, each read once however many spans it covers.
struct Forecasts<'a> {
    database: &'a Database,
    /// Later ones are not wanted.
    until: Timestamp,
    /// The last that was told by the instant that was asked for.
    last: Option<ForecastDocument>,
    /// Those after it that were read.
    next: VecDeque<Message>,
    /// The newest that was read; `None` once all were.
    read: Option<MessageId>,
}

impl<'a> Forecasts<'a> {
    /// Those that were the last ones told at some instant from `first` to `until`.
    async fn told(
        database: &'a Database,
        first: Timestamp,
        until: Timestamp,
    ) -> Result<Self, Fault> {
        let before = database.last_said(FORECAST, first).await?;
        let read = before.as_ref().map_or(MessageId::from(0), |message| message.id);
        let last = before.as_ref().map(read_message).transpose()?;
        Ok(Self { database, until, last, next: VecDeque::new(), read: Some(read) })
    }

    /// The last that was told by an instant; instants are asked for in order.
    async fn before(&mut self, instant: Timestamp) -> Result<Option<&ForecastDocument>, Fault> {
        let mut newest = None;
        loop {
            if let (true, Some(read)) = (self.next.is_empty(), self.read) {
                let page = self.database.said_after(FORECAST, read, self.until, PAGE).await?;
                self.read = page.last().map(|message| message.id);
                self.next = page.into();
            }
            match self.next.pop_front_if(|message| message.said.said <= instant) {
                Some(message) => newest = Some(message),
                None => break,
            }
        }
        if let Some(message) = &newest {
            self.last = Some(read_message(message)?);
        }
        Ok(self.last.as_ref())
    }
}

impl ForecastDocument {
    /// The mean power that it told of a span; `None` where it does not cover it.
    fn mean_w(&self, span: Span) -> Option<f64> {
        let mut told = (0.0, 0);
        for interval in &self.intervals {
            let during = interval.span().and_then(|during| during.intersection(span));
            if let Some(during) = during {
                let seconds = during.length().get();
                told = (told.0 + interval.expected_w * seconds as f64, told.1 + seconds);
            }
        }
        let seconds = span.length().get();
        (told.1 == seconds).then(|| told.0 / seconds as f64)
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
