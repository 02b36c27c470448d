//! What Prometheus is asked, and what its answers say.

use std::collections::BTreeMap;

use bmc::access::Access;
use grid_feeds::feed::{FeedError, excerpt};
use grid_feeds::http::{Http, send};
use planner::metering::{MeterUnit, Sample, SampleTime};
use planner::time::{Seconds, Span, Timestamp};
use reqwest::Method;
use url::Url;

use super::selector::is_selector;
#[cfg(feature = "fuzzing")]
use super::wire::matrix_of;
use super::wire::{Matrix, Series, WireError, matrix};
use crate::answer::{Answer, SeriesSamples};
use crate::name::NameRule;

/// Prometheus refuses more points of a series than 11,000.
const MOST_POINTS: i64 = 10_000;

/// What a query writes for one period and a half.
const WINDOW: &str = "$window";

/// A question is halved no more often than this: a page of an hour ends at a second.
const MOST_HALVINGS: u32 = 12;

/// A Prometheus, and one query of it.
#[derive(Clone, Debug)]
pub struct PrometheusSettings {
    /// Where it answers; `/api/v1/...` is below it.
    pub url: Url,
    /// Who asks.
    pub access: Access,
    /// The query, in PromQL, where `$window` stands for one period and a half.
    pub query: String,
    /// How a series names its node.
    pub name: NameRule,
    /// The unit of its numbers.
    pub unit: MeterUnit,
    /// How often is measured: the interval of scrapes.
    pub period: Seconds,
}

/// A Prometheus that can be asked.
#[derive(Clone, Debug)]
pub struct Prometheus {
    settings: PrometheusSettings,
    http: Http,
    is_selector: bool,
}

impl Prometheus {
    /// The Prometheus of these settings; nothing is asked of it yet.
    pub fn new(settings: PrometheusSettings, http: Http) -> Self {
        let is_selector = is_selector(&settings.query);
        Self { settings, http, is_selector }
    }

    /// The longest span that it can be asked for at once.
    pub fn longest(&self) -> Seconds {
        Seconds::new(self.settings.period.get().saturating_mul(MOST_POINTS))
    }

    /// What it has of a span, no longer than [`Self::longest`]. Where it refuses so many samples at once, the halves of the
    /// span are asked for.
    ///
    /// # Errors
    /// No answer, a refusal, or an answer that is none of Prometheus.
    pub async fn samples(&self, span: Span, now: Timestamp) -> Result<Answer, FeedError> {
        let (mut answer, mut left) = (Answer::default(), vec![(span, MOST_HALVINGS)]);
        while let Some((part, halvings)) = left.pop() {
            match self.ask(part, now).await {
                Ok(matrix) => answer.extend(self.read(matrix, part)),
                Err(WireError::TooMany(error)) => {
                    let halves = (halvings > 0).then(|| halves(part)).flatten();
                    let (first, second) = halves.ok_or(error)?;
                    // The first is asked next.
                    left.extend([(second, halvings - 1), (first, halvings - 1)]);
                }
                Err(WireError::Other(error)) => return Err(error),
            }
        }
        Ok(answer)
    }

    /// Way in for the fuzzer: what a successful answer says of a span.
    #[cfg(feature = "fuzzing")]
    pub fn read_text(&self, text: &str, span: Span) -> Option<Answer> {
        matrix_of(text, 200, Ok(())).ok().map(|matrix| self.read(matrix, span))
    }

    async fn ask(&self, span: Span, now: Timestamp) -> Result<Matrix, WireError> {
        let secret = self.settings.access.secret().map_err(WireError::Other)?;
        let (path, form) = self.question(span);
        let base = self.settings.url.as_str().trim_end_matches('/');
        let request = self.http.request(Method::POST, format!("{base}/api/v1/{path}")).form(&form);
        let request = self.settings.access.shown(request, secret.as_ref());
        let answer = send(request, secret.as_ref(), now).await.map_err(too_long)?;
        matrix(&answer)
    }

    fn question(&self, span: Span) -> (&'static str, Vec<(&'static str, String)>) {
        let (query, step) = (self.settings.query.trim(), self.settings.period.get());
        let seconds = |instant: Timestamp| instant.as_unix_seconds().to_string();
        if self.is_selector {
            let query = format!("{query}[{}s]", span.length().get() + 1);
            return ("query", vec![("query", query), ("time", seconds(span.end()))]);
        }
        let window = step + step / 2 + step % 2;
        // The same instants whenever the span is asked for again.
        let start = span.start().ceil_to(self.settings.period);
        let form = vec![
            ("query", query.replace(WINDOW, &format!("{window}s"))),
            ("start", seconds(start)),
            ("end", seconds(span.end() - Seconds::ONE)),
            ("step", step.to_string()),
            ("lookback_delta", window.to_string()),
        ];
        ("query_range", form)
    }

    /// The samples of a matrix within a span. Of two series of one name none counts where both tell of the same
    /// time: which is right cannot be known.
    fn read(&self, matrix: Matrix, span: Span) -> Answer {
        let mut answer = Answer::default();
        for warning in matrix.warnings {
            answer.note(format!("Prometheus warns: {warning}"));
        }
        let mut of_name: BTreeMap<&str, Vec<Vec<Sample>>> = BTreeMap::new();
        for series in &matrix.series {
            match self.settings.name.name(&series.metric) {
                Ok(name) => {
                    let samples = self.of_series(name, series, span, &mut answer);
                    if !samples.is_empty() {
                        of_name.entry(name).or_default().push(samples);
                    }
                }
                Err(why) => answer.note(format!("a series {why}, such as {}", labels(series))),
            }
        }
        for (name, mut of_name) in of_name {
            of_name.sort_by_key(|it| it.first().map(|first| first.at));
            let ends_before = |pair: &[Vec<Sample>]| match (pair[0].last(), pair[1].first()) {
                (Some(last), Some(first)) => last.at < first.at,
                _ => true,
            };
            if of_name.windows(2).all(ends_before) {
                let samples = of_name.into_iter().flatten().collect();
                answer.series.push(SeriesSamples { name: name.into(), samples });
            } else {
                answer.note(format!(
                    "{} series tell of {name} at the same time, of which none is taken: sum them in the query, \
                     such as sum by (LABEL) (...), or select one",
                    of_name.len()
                ));
            }
        }
        answer
    }

    /// The samples of a series within a span.
    fn of_series(
        &self,
        name: &str,
        series: &Series,
        span: Span,
        answer: &mut Answer,
    ) -> Vec<Sample> {
        let mut samples = Vec::with_capacity(series.values.len());
        for (at, text) in &series.values {
            let at = instant(*at).filter(|at| span.contains(at.second()));
            let Some(at) = at else { continue };
            match self.settings.unit.parse_milli(text) {
                Ok(value_milli) => samples.push(Sample { at, value_milli }),
                // Not a number is what an exporter says where it could not measure.
                Err(error) => answer
                    .note(format!("a value of {name} is left out: {:?} {error}", excerpt(text))),
            }
        }
        samples
    }
}

/// The instant so many seconds after the epoch.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
fn instant(seconds: f64) -> Option<SampleTime> {
    let milliseconds = (seconds * 1000.0).round();
    let last = SampleTime::of(Timestamp::MAX).as_unix_milliseconds() as f64;
    let is_ours = (0.0..=last).contains(&milliseconds);
    is_ours.then(|| SampleTime::from_unix_milliseconds(milliseconds as i64))
}

fn halves(span: Span) -> Option<(Span, Span)> {
    let middle = span.start() + Seconds::new(span.length().get() / 2);
    Some((Span::new(span.start(), middle)?, Span::new(middle, span.end())?))
}

/// An answer that is longer than is read can be had in halves.
fn too_long(error: FeedError) -> WireError {
    match &error {
        FeedError::Payload { message, .. } if message.contains("is longer than") => {
            WireError::TooMany(error)
        }
        _ => WireError::Other(error),
    }
}

fn labels(series: &Series) -> String {
    let labels: Vec<_> =
        series.metric.iter().map(|(label, value)| format!("{label}={value:?}")).collect();
    excerpt(&format!("{{{}}}", labels.join(",")))
}
