//! A back-fill: what a source says of a span of the past, part by part, none skipped for a failure
//! that passes.

use std::time::Duration;

use grid_feeds::feed::{FeedError, Fetched, Query, RetryClass, Revision, Role};
use grid_feeds::http::Http;
use grid_feeds::plausibility::{Limits, judge};
use grid_feeds::schedule::Rhythm;
use indicatif::{ProgressBar, ProgressStyle};
use planner::time::{Seconds, Span, Timestamp};

use crate::config::feeds::Source;
use crate::service::Services;
use crate::service::feeds::stored;

/// Pauses before a part is tried again, in seconds: a failure that lasts no half a minute is not felt.
const PAUSES_S: [u64; 5] = [1, 2, 4, 8, 15];

/// A supplier that asks to wait is waited for, but not for longer than this.
const LONGEST_WAIT_S: u64 = 300;

/// A source that is asked for parts of a span.
struct Filling<'a> {
    services: &'a Services,
    source: &'a Source,
    http: Http,
    /// Made again after a refusal, so that a new secret is read.
    role: Option<Role>,
    /// Pauses that are left until the next success.
    patience: &'static [u64],
}

/// Asks a source for a span of the past and keeps its answers. Returns the parts that are missing, with
/// the reason.
///
/// # Errors
/// The database cannot be written. What a source refuses is no error.
pub async fn back_fill(
    services: &Services,
    source: &Source,
    span: Span,
) -> anyhow::Result<Vec<String>> {
    let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} parts")?;
    let parts = parts(span, source.provider.longest_window());
    let bar = ProgressBar::new(parts.len() as u64).with_style(style);
    bar.set_message(source.id.clone());
    let http = Http::new(source.timeouts)?;
    let mut filling = Filling { services, source, http, role: None, patience: &PAUSES_S };
    let (mut values, mut revisions, mut missing) = (0, 0, Vec::new());
    let (mut asked, mut known) = (0_usize, 0_usize);
    for part in parts {
        if services.feeds.has_measured(source, part).await? {
            known += 1;
            bar.inc(1);
            continue;
        }
        tokio::time::sleep(pause_before(&source.rhythm, asked)).await;
        asked += 1;
        match filling.fill(part, &bar).await? {
            Ok(kept) => {
                values += kept;
                revisions += usize::from(kept > 0);
            }
            Err(error) => missing.push(format!("{}, {part}: {error}", source.id)),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let before =
        if known > 0 { format!("; {known} parts were kept before") } else { String::new() };
    super::print(format!("{}: {values} values kept, {revisions} revisions{before}", source.id))?;
    Ok(missing)
}

/// The wait before a part after so many that were `asked` for: as the supplier's budget permits, none before the first.
fn pause_before(rhythm: &Rhythm, asked: usize) -> Duration {
    if asked == 0 {
        return Duration::ZERO;
    }
    Duration::from_secs_f64(f64::from(rhythm.budget_per_s) / f64::from(rhythm.budget_requests))
}

impl Filling<'_> {
    /// Keeps what is said of a part, tried again while there is patience; how many values.
    async fn fill(
        &mut self,
        part: Span,
        bar: &ProgressBar,
    ) -> anyhow::Result<Result<usize, FeedError>> {
        loop {
            let error = match self.ask(part).await {
                Ok(revision) => {
                    self.patience = &PAUSES_S;
                    let kept = keep(self.services, self.source, revision).await?;
                    return Ok(Ok(kept));
                }
                Err(FeedError::NotPublished { .. }) => return Ok(Ok(0)),
                Err(error) => error,
            };
            let Some((first, rest)) = self.patience.split_first() else { return Ok(Err(error)) };
            let pause = match error.retry() {
                RetryClass::After(wait) => {
                    u64::try_from(wait.get()).ok().filter(|wait| *wait <= LONGEST_WAIT_S)
                }
                _ => may_pass(&error).then_some(*first),
            };
            let Some(pause) = pause else { return Ok(Err(error)) };
            self.patience = rest;
            if error.retry() == RetryClass::Permanent {
                self.role = None;
            }
            bar.println(format!("{}, {part}: {error}; again in {pause} s", self.source.id));
            tokio::time::sleep(Duration::from_secs(pause)).await;
        }
    }

    async fn ask(&mut self, part: Span) -> Result<Option<Revision>, FeedError> {
        let Self { services, source, http, role, .. } = self;
        let role = match role {
            Some(role) => role,
            None => role.insert(source.provider.connect(&source.id, source.quantity, http)?),
        };
        ask_role(role, part, services.shared.now()).await
    }
}

/// Whether asking again may help without anybody doing anything; a refusal may be a mishap.
const fn may_pass(error: &FeedError) -> bool {
    !matches!(error, FeedError::Sandbox { .. } | FeedError::Configuration { .. })
}

async fn keep(
    services: &Services,
    source: &Source,
    revision: Option<Revision>,
) -> anyhow::Result<usize> {
    let Some(revision) = revision else { return Ok(0) };
    services.feeds.keep_back_fill(source, &stored(&revision, services.shared.now())).await?;
    Ok(revision.series.agenda.pieces().len())
}

/// What a source says of a window, judged, with what is odd about it among its notes.
pub async fn ask_role(
    role: &Role,
    window: Span,
    now: Timestamp,
) -> Result<Option<Revision>, FeedError> {
    match role.fetch(Query { now, window, validator: None }).await? {
        Fetched::Unchanged => Ok(None),
        Fetched::Revision(revision) => {
            let Revision { source, zone, series, doubt, validator } = *revision;
            let limits = Limits::usual(series.kind);
            let judged = judge(series, &limits, None, now)?;
            let mut series = judged.series;
            series.notes.extend(judged.suspicions.iter().map(ToString::to_string));
            Ok(Some(Revision { source, zone, series, doubt, validator }))
        }
    }
}

/// Asks a source once for a part; how many values were kept.
#[cfg(feature = "supplier")]
pub async fn fetch_part(
    services: &Services,
    source: &Source,
    role: &Role,
    part: Span,
) -> anyhow::Result<usize> {
    let revision = match ask_role(role, part, services.shared.now()).await {
        Ok(revision) => revision,
        Err(FeedError::NotPublished { .. }) => return Ok(0),
        Err(error) => return Err(error.into()),
    };
    keep(services, source, revision).await
}

/// Parts of at most `longest`, in time order.
pub fn parts(span: Span, longest: Seconds) -> Vec<Span> {
    let mut parts = Vec::new();
    let mut start = span.start();
    while let Some(part) = Span::new(start, (start + longest).min(span.end())) {
        parts.push(part);
        start = part.end();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_back_fill_goes_in_parts() {
        let at = Timestamp::from_unix_seconds;
        let span = |start, end| Span::new(at(start), at(end)).unwrap();
        assert_eq!(parts(span(0, 25), Seconds::new(10)), [span(0, 10), span(10, 20), span(20, 25)]);
    }

    /// Ten requests a minute are one every six seconds. There is nothing to wait for before the first part or after the last.
    #[test]
    fn parts_after_the_first_wait_as_the_budget_says() {
        let rhythm = Rhythm { budget_requests: 10, budget_per_s: 60, ..Rhythm::default() };
        let pauses = [0, 1, 2].map(|asked| pause_before(&rhythm, asked).as_secs());
        assert_eq!(pauses, [0, 6, 6]);
    }
}
