//! One meter: asked when it is due, and what it tells is kept.

use std::sync::Arc;
use std::time::Duration;

use grid_feeds::feed::{FeedError, RetryClass};
use planner::metering::SampleTime;
use planner::time::{Seconds, Span, Timestamp};
use storage::PolledMeter as Standing;
use tokio_util::sync::CancellationToken;

use super::connect::connect;
use super::names::{TakenInstants, named};
use super::pages::{PageLength, missing};
use super::port::{PolledMeter, Question, Told};
use super::{MeterService, meter_lease};
use crate::config::meters::{MeterSettings, MeterSource, PolledSource};
use crate::service::measurements::{NodeBehind, NodeSample, SampleCounts};
use crate::service::shared::{Fault, SiteState, blocking};

/// So many samples are kept at once.
const BATCH: usize = 100_000;

/// A meter that does not answer is asked no more seldom than this, or than its period.
const LONGEST_PAUSE: Seconds = Seconds::new(600);

/// Where there are no nodes yet, it is looked for them so often.
const LOOK_FOR_NODES: Seconds = Seconds::new(10);

/// No more notes of a poll are kept.
const MOST_NOTES: usize = 16;

/// While the database is out of reach nothing is asked for so long.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);

/// A meter at work.
struct Poller<'a> {
    settings: &'a MeterSettings,
    source: &'a PolledSource,
    port: Box<dyn PolledMeter>,
    standing: Standing,
    /// What this process gave to be kept lately.
    taken: TakenInstants,
    pages: Option<PageLength>,
}

/// Why a poll did not go well.
enum PollError {
    /// The meter failed.
    Meter(FeedError),
    /// The service itself failed, so that nothing was learnt of the meter.
    Fault(Fault),
}

impl From<Fault> for PollError {
    fn from(error: Fault) -> Self {
        Self::Fault(error)
    }
}

impl MeterService {
    /// Asks a meter of the settings whenever this process sees to it, until told to stop.
    pub async fn poll_meter(self: Arc<Self>, index: usize, stop: CancellationToken) {
        let Some(settings) = self.shared.settings.metering.meters.get(index) else { return };
        let MeterSource::Polled(source) = &settings.source else { return };
        let lease = meter_lease(&settings.meter.name);
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.wait_for(&lease) => {}
            }
            let polled = tokio::select! {
                () = stop.cancelled() => return,
                polled = self.shared.leases.while_held(&lease, self.poll_on(settings, source)) => polled,
            };
            if let Some(error) = polled {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(meter = &*settings.meter.name, error, "cannot ask a meter");
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(DATABASE_PAUSE) => {}
                }
            }
        }
    }

    /// Asks a meter again and again; ends where the service itself fails. What was not noted is asked for again then.
    async fn poll_on(&self, settings: &MeterSettings, source: &PolledSource) -> Fault {
        let mut poller = match self.poller(settings, source).await {
            Ok(poller) => poller,
            Err(error) => return error,
        };
        loop {
            self.shared.sleep_until(poller.standing.next_poll).await;
            let now = self.shared.now();
            if now < poller.standing.next_poll {
                continue;
            }
            let outcome = match self.has_nodes(settings).await {
                Ok(true) => self.poll(&mut poller, now).await,
                // What is said of nodes that are not there yet would be lost.
                Ok(false) => {
                    poller.standing.next_poll = now + settings.meter.period.min(LOOK_FOR_NODES);
                    Ok(())
                }
                Err(error) => Err(error),
            };
            if let Err(error) = outcome {
                return error;
            }
        }
    }

    /// Whether the site has nodes, where the meter measures nodes.
    async fn has_nodes(&self, settings: &MeterSettings) -> Result<bool, Fault> {
        Ok(!settings.meter.covers.is_of_nodes()
            || self.shared.state().await?.cluster.nodes.count() > 0)
    }

    /// A meter as it was left, by whatever process.
    async fn poller<'a>(
        &self,
        settings: &'a MeterSettings,
        source: &'a PolledSource,
    ) -> Result<Poller<'a>, Fault> {
        let now = self.shared.now();
        let id = &*settings.meter.name;
        let all = self.shared.database.polled_meters().await?;
        let standing = all.into_iter().find(|it| it.id == id);
        let mut standing = standing.unwrap_or_else(|| never_asked(id, now));
        // The period may have been longer, and the clock may have been set back.
        standing.next_poll = standing.next_poll.min(now + settings.meter.period.max(LONGEST_PAUSE));
        let port = connect(&source.connection);
        let pages = port.longest().map(|longest| PageLength::new(settings.meter.period, longest));
        Ok(Poller { settings, source, port, standing, taken: TakenInstants::default(), pages })
    }

    /// One poll, and how the meter stands then.
    async fn poll(&self, poller: &mut Poller<'_>, now: Timestamp) -> Result<(), Fault> {
        let id = poller.standing.id.clone();
        poller.standing.last_poll = now;
        poller.standing.polls += 1;
        poller.standing.notes.clear();
        metrics::counter!("wattbook_meter_polls_total", "meter" => id.clone()).increment(1);
        let asked = match poller.pages {
            Some(_) => self.ask_for_missing(poller, now).await,
            None => self.ask_for_now(poller, now).await,
        };
        match asked {
            Ok(()) => poller.answered(self.shared.now()),
            Err(PollError::Meter(error)) => {
                metrics::counter!("wattbook_meter_failures_total", "meter" => id).increment(1);
                poller.failed(&error, now);
            }
            Err(PollError::Fault(error)) => return Err(error),
        }
        self.note(&poller.standing).await
    }

    /// Asks for what is missing, page by page; what a page brought is noted before the next.
    async fn ask_for_missing(
        &self,
        poller: &mut Poller<'_>,
        now: Timestamp,
    ) -> Result<(), PollError> {
        let period = poller.settings.meter.period;
        let span = missing(poller.standing.asked_until, period, poller.source.catch_up, now);
        let Some(mut left) = span else { return Ok(()) };
        poller.taken.forget_before(SampleTime::of(left.start()));
        loop {
            let page = poller.pages.map_or(left, |it| it.first_of(left));
            let told = self.ask(poller, page, &[]).await?;
            if let Some(length) = &mut poller.pages {
                length.learn(told.count());
            }
            self.keep(poller, told, page.end() == left.end()).await?;
            poller.standing.asked_until = poller.standing.asked_until.max(Some(page.end()));
            let Some(rest) = Span::new(page.end(), left.end()) else { return Ok(()) };
            self.note(&poller.standing).await?;
            left = rest;
        }
    }

    async fn ask_for_now(&self, poller: &mut Poller<'_>, now: Timestamp) -> Result<(), PollError> {
        let state = self.shared.state().await?;
        let nodes = asked_nodes(poller.source, &state);
        let span = Span::starting(now, Seconds::ONE);
        let span =
            span.ok_or_else(|| Fault::internal(anyhow::anyhow!("no span begins at {now}")))?;
        // Slurm tells the same instant until it measured again.
        poller.taken.forget_before(SampleTime::of(now - poller.source.catch_up));
        let told = self.ask(poller, span, &nodes).await?;
        self.keep(poller, told, true).await
    }

    async fn ask(
        &self,
        poller: &Poller<'_>,
        span: Span,
        nodes: &[String],
    ) -> Result<Told, PollError> {
        let clock = || SampleTime::of(self.shared.now());
        let question = Question { span, nodes, clock: &clock };
        poller.port.ask(question).await.map_err(PollError::Meter)
    }

    /// Gives what a meter told to the measurements. Where that reaches until now, what it tells is compared with now.
    async fn keep(
        &self,
        poller: &mut Poller<'_>,
        told: Told,
        until_now: bool,
    ) -> Result<(), PollError> {
        let state = self.shared.state().await?;
        let (meter, taken) = (poller.settings.meter.clone(), std::mem::take(&mut poller.taken));
        let name = move || (named(&meter, &state, told, &taken), taken);
        let ((samples, notes), taken) = blocking(name).await?;
        poller.taken = taken;
        let standing = &mut poller.standing;
        standing.notes.extend(notes.into_iter().map(|it| it.replace('\n', " ")));
        for batch in samples.chunks(BATCH) {
            let counts = self.measurements.take(&poller.settings.meter, batch.to_vec()).await?;
            poller.taken.note(batch);
            poller.count(&counts);
            if until_now {
                poller.note_behind(&counts);
            }
        }
        let notes = &mut poller.standing.notes;
        notes.sort_unstable();
        notes.dedup();
        notes.truncate(MOST_NOTES);
        Ok(())
    }

    async fn note(&self, standing: &Standing) -> Result<(), Fault> {
        Ok(self.shared.database.put_polled_meter(standing).await?)
    }
}

impl Poller<'_> {
    /// Notes what became of samples.
    fn count(&mut self, counts: &SampleCounts) {
        let refused: u64 = counts.refused.values().sum();
        let standing = &mut self.standing;
        for (outcome, count, all) in [
            ("taken", counts.taken, &mut standing.taken),
            ("late", counts.late, &mut standing.late),
            ("doubled", counts.doubled, &mut standing.doubled),
            ("refused", refused, &mut standing.refused),
        ] {
            *all = all.saturating_add_unsigned(count);
            metrics::counter!("wattbook_meter_samples_total", "meter" => standing.id.clone(), "outcome" => outcome)
                .increment(count);
        }
        if let Some(first) = counts.first_refused.first() {
            let NodeSample { node, sample } = &first.sample;
            let (all, at, why) = (refused, sample.at, &first.refusal);
            standing
                .notes
                .push(format!("{all} samples were refused, such as {node} at {at}: {why}"));
        }
    }

    /// Notes that what is new of some nodes is old.
    fn note_behind(&mut self, counts: &SampleCounts) {
        if let Some(NodeBehind { node, newest, by }) = &counts.furthest_behind {
            self.standing.notes.push(format!(
                "{} names have new samples that are all old, such as {node}, the newest of {newest}, {} s before it was \
                 told: their clocks run behind, or their samples were held back",
                counts.behind,
                by.get()
            ));
        }
    }

    /// Notes that a poll went well.
    fn answered(&mut self, now: Timestamp) {
        let (standing, period) = (&mut self.standing, self.settings.meter.period);
        if standing.failures_in_turn > 0 {
            let (meter, failures) = (&standing.id, standing.failures_in_turn);
            tracing::info!(meter, failures, "a meter answers again");
        }
        standing.last_success = Some(now);
        standing.failure = None;
        standing.failures_in_turn = 0;
        // In step with the clock, so that processes that take turns ask at the same instants.
        standing.next_poll = (now + Seconds::ONE).ceil_to(period);
    }

    /// Notes that a poll failed. It is asked again after its period, then ever later.
    fn failed(&mut self, error: &FeedError, now: Timestamp) {
        let (standing, period) = (&mut self.standing, self.settings.meter.period);
        let words = error.to_string();
        if standing.failure.as_ref().is_none_or(|(_, before)| *before != words) {
            tracing::warn!(meter = standing.id, error = words, "a meter does not answer");
        }
        standing.next_poll = now + pause(error, period, standing.failures_in_turn);
        standing.failures += 1;
        standing.failures_in_turn = standing.failures_in_turn.saturating_add(1);
        standing.failure = Some((now, words));
    }
}

/// How long a meter is left alone after a failure that had so many others before it in turn.
fn pause(error: &FeedError, period: Seconds, before: u32) -> Seconds {
    let longest = LONGEST_PAUSE.max(period);
    let doubled =
        period.get().saturating_mul(1_i64.checked_shl(before.min(32)).unwrap_or(i64::MAX));
    let pause = Seconds::new(doubled).min(longest);
    match error.retry() {
        RetryClass::After(wait) => pause.max(wait),
        RetryClass::Permanent => longest,
        RetryClass::Backoff | RetryClass::NotYet => pause,
    }
}

/// The nodes that are asked, where each is asked by itself: those of the settings that the site has.
fn asked_nodes(source: &PolledSource, state: &SiteState) -> Vec<String> {
    let (nodes, index) = (&state.cluster.nodes, state.cluster.nodes.index());
    match &source.nodes {
        Some(listed) => listed.iter().filter(|it| index.ordinal(it).is_some()).cloned().collect(),
        None => (0..nodes.count()).map(|ordinal| nodes.name(ordinal).into_owned()).collect(),
    }
}

/// A meter that was never asked.
fn never_asked(id: &str, now: Timestamp) -> Standing {
    Standing {
        id: id.to_owned(),
        asked_until: None,
        last_poll: now,
        last_success: None,
        next_poll: now,
        failures_in_turn: 0,
        failure: None,
        notes: Vec::new(),
        polls: 0,
        failures: 0,
        taken: 0,
        late: 0,
        doubled: 0,
        refused: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A period of 60 s: 60, 120, 240, 480, then 600 s; a day's period stays a day.
    #[test]
    fn a_meter_that_fails_is_asked_ever_later_up_to_ten_minutes_or_its_period() {
        let passing = FeedError::Transient { message: String::new() };
        let pauses = |period, error: &FeedError| -> Vec<i64> {
            [0, 1, 2, 3, 4, 5, 64]
                .map(|before| pause(error, Seconds::new(period), before).get())
                .into()
        };
        assert_eq!(pauses(60, &passing), [60, 120, 240, 480, 600, 600, 600]);
        assert_eq!(pauses(3600, &passing), [3600; 7]);
        let refused = FeedError::Refused { status: 401, message: String::new() };
        assert_eq!(pauses(60, &refused), [600; 7]);
        let busy = FeedError::Busy { status: 429, retry_after: Some(Seconds::new(200)) };
        assert_eq!(pauses(60, &busy), [200, 200, 240, 480, 600, 600, 600]);
    }
}
