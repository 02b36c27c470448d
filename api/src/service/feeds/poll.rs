//! One source: asked when it is due, judged, kept where it says anything new.
//!
//! How it stands is written after each poll, so that a restart or another replica goes on where
//! this one ended. While the database is out of reach the poll that was made waits to be written,
//! and no other is made.

use std::sync::Arc;
use std::time::Duration;

use grid_feeds::feed::{
    Doubt, FeedError, Fetched, Query, RetryClass, Revision, Role, Series, Validator,
};
use grid_feeds::http::Http;
use grid_feeds::schedule::{PollOutcome, Saved, Schedule};
use planner::agenda::Agenda;
use planner::quantity::Power;
use planner::time::{Seconds, Span, Timestamp};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use storage::{FeedFailure, FeedState, NewFeedRevision, StorageError};
use tokio_util::sync::CancellationToken;

use super::answer::{
    Judgement, PARTLY_READ, PollAnswer, awaits, class, is_final, judged, never_asked, taken_back,
    window,
};
use super::failure_log::FailureLog;
use super::received::stored;
use super::{FeedService, source_lease};
use crate::config::feeds::Source;
use crate::service::shared::{Fault, HeldReading, blocking, stored_quantity};

/// Pauses between tries to write, the first and the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// A source at work.
struct Poller<'a> {
    source: &'a Source,
    http: Http,
    /// The connection; made again after a refusal, so that a new secret is read.
    role: Option<Role>,
    random: ChaCha8Rng,
    schedule: Schedule,
    state: FeedState,
    failures: FailureLog,
}

impl FeedService {
    /// Polls a source of the settings whenever this replica sees to it, until told to stop.
    pub async fn poll_source(self: Arc<Self>, index: usize, stop: CancellationToken) {
        let Some(source) = self.shared.settings.feeds.sources.get(index) else { return };
        let lease = source_lease(&source.id);
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.wait_for(&lease) => {}
            }
            let polled = match self.poller(source).await {
                Ok(poller) => self.poll_while_held(poller, &lease, &stop).await,
                Err(error) => Err(error),
            };
            self.shared.held_readings.forget(&lease);
            if let Err(error) = polled {
                tracing::warn!(feed = source.id, error = format!("{error:#}"), "cannot poll");
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(FIRST_PAUSE) => {}
                }
            }
        }
    }

    /// A source as it was left, by whatever replica.
    async fn poller<'a>(&self, source: &'a Source) -> anyhow::Result<Poller<'a>> {
        let now = self.shared.now();
        let known = self.feed_state(&source.id).await?;
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)?;
        let mut random = ChaCha8Rng::from_seed(seed);
        let rhythm = source.rhythm.clone();
        let schedule = match known.as_ref().filter(|state| state.last_poll.is_some()) {
            Some(state) => {
                let saved = Saved {
                    next_poll: state.next_poll,
                    closed_until: state.closed_until,
                    failures: state.failures_in_turn,
                };
                Schedule::resumed(rhythm, now, saved, &mut random)?
            }
            None => Schedule::new(rhythm, now, None, &mut random)?,
        };
        let state = known.unwrap_or_else(|| never_asked(schedule.next_poll()));
        let http = Http::new(source.timeouts)?;
        Ok(Poller {
            source,
            http,
            role: None,
            random,
            schedule,
            state,
            failures: FailureLog::default(),
        })
    }

    pub(super) async fn feed_state(&self, id: &str) -> Result<Option<FeedState>, StorageError> {
        let all = self.shared.database.feeds().await?;
        Ok(all.into_iter().find(|(found, _)| found == id).map(|(_, state)| state))
    }

    async fn poll_while_held(
        &self,
        mut poller: Poller<'_>,
        lease: &str,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let bell = self.bells.get(&poller.source.id);
        while self.shared.leases.holds(lease) {
            let rung = async {
                match bell {
                    Some(bell) => bell.notified().await,
                    None => std::future::pending().await,
                }
            };
            let rung = tokio::select! {
                () = stop.cancelled() => return Ok(()),
                () = self.shared.sleep_until(poller.schedule.next_poll()) => false,
                () = rung => true,
            };
            let now = self.shared.now();
            if rung {
                let state = self.feed_state(&poller.source.id).await?;
                if state.is_some_and(|state| state.refresh.is_some()) {
                    poller.schedule.refresh(now);
                }
            }
            if poller.schedule.is_due(now) && self.shared.leases.holds(lease) {
                self.poll(&mut poller, stop).await?;
            }
        }
        Ok(())
    }

    async fn poll(&self, poller: &mut Poller<'_>, stop: &CancellationToken) -> Result<(), Fault> {
        let now = self.shared.now();
        let before = poller.http.requests();
        let asked = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            asked = self.ask_source(poller, now) => asked,
        };
        let requests = poller.http.requests() - before;
        poller.schedule.requested(now, u32::try_from(requests).unwrap_or(u32::MAX));
        poller.state.requests += i64::try_from(requests).unwrap_or(i64::MAX);
        let source = poller.source;
        metrics::counter!("wattbook_feed_requests_total", "feed" => source.id.clone())
            .increment(requests);
        let brought = match asked {
            Ok(brought) => Ok(brought),
            Err(PollError::Fault(error)) => return Err(error),
            Err(PollError::Source(error)) => Err(error),
        };
        if let Ok(brought) = &brought {
            let what = HeldReading::FeedUnread(source.id.clone());
            let count = brought.doubt.words.len() as f64;
            self.shared.held_readings.note(&source_lease(&source.id), what, count);
        }
        let news = poller.note(&brought, now);
        let kept = news.map(|revision| stored(revision, now));
        self.write(poller, kept, stop).await;
        self.agendas.ring(stored_quantity(source.quantity));
        Ok(())
    }

    /// Writes what a poll brought, again and again while the database is out of reach.
    async fn write(
        &self,
        poller: &Poller<'_>,
        mut kept: Option<NewFeedRevision>,
        stop: &CancellationToken,
    ) {
        let mut pause = FIRST_PAUSE;
        while let Err(error) = self.try_to_write(poller, &mut kept).await {
            tracing::warn!(error = format!("{error:#}"), "could not write what a feed said");
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
            }
        }
    }

    async fn try_to_write(
        &self,
        poller: &Poller<'_>,
        kept: &mut Option<NewFeedRevision>,
    ) -> Result<(), StorageError> {
        if let Some(revision) = kept {
            self.shared.database.keep_feed_revision(revision).await?;
            *kept = None;
        }
        self.shared.database.put_feed(&poller.source.id, &poller.state).await
    }

    /// Asks the source, judges its answer and compares it with what it said before.
    async fn ask_source(
        &self,
        poller: &mut Poller<'_>,
        now: Timestamp,
    ) -> Result<PollAnswer, PollError> {
        let Poller { source, http, role, state, schedule, .. } = poller;
        let role = match role {
            Some(role) => role,
            None => role.insert(source.provider.connect(&source.id, source.quantity, http)?),
        };
        let awaited = schedule.awaited(now).and_then(|published| schedule.brought_by(published));
        let beyond = || FeedError::Transient { message: "the clock is out of range".to_owned() };
        let window = window(source, state, now).ok_or_else(beyond)?;
        let validator = state.validator.as_deref().map(|text| Validator(text.into()));
        let query = Query { now, window, validator: validator.as_ref() };
        let says_all = source.provider.says_all();
        let revision = match role.fetch(query).await {
            Ok(Fetched::Unchanged) => {
                let is_awaited = self.holds_awaited(source, awaited, now).await?;
                let doubt = Doubt::default();
                return Ok(PollAnswer { validator, is_awaited, doubt, news: None });
            }
            Ok(Fetched::Revision(revision)) => *revision,
            Err(error @ FeedError::NotPublished { .. }) if says_all => {
                return self
                    .nothing_left(source, state, now)
                    .await?
                    .ok_or(PollError::Source(error));
            }
            Err(error) => return Err(error.into()),
        };
        let kind = revision.series.kind;
        self.admit_kind(source, kind).await?;
        let ahead = state.horizon.filter(|_| says_all).and_then(|end| Span::new(now, end));
        let doubtful = revision.doubt.spans.iter().copied();
        let window = revision.series.span().into_iter().chain(ahead).chain(doubtful).reduce(hull);
        let window = window.map(|window| reaching(window, awaited));
        let held = self.held(source, kind, window, now).await?;
        let known_before = awaited.and_then(|awaited| held.at(awaited));
        let rules = self.shared.settings.feeds.agenda(source.quantity);
        let bound = rules.and_then(|rules| rules.safe_mode_cap).map(Power::as_microwatts);
        let judged = blocking(move || judged(revision, &held, says_all, bound, now)).await;
        let Judgement { revision, is_news } = judged??;
        let said = awaited.and_then(|awaited| revision.series.agenda.at(awaited));
        let is_awaited = is_final(source, said.or(known_before));
        let (validator, doubt) = (revision.validator.clone(), revision.doubt.clone());
        Ok(PollAnswer { validator, is_awaited, doubt, news: is_news.then_some(revision) })
    }

    /// What a source that says all takes back by saying nothing; `None` where it had said nothing.
    async fn nothing_left(
        &self,
        source: &Source,
        state: &FeedState,
        now: Timestamp,
    ) -> Result<Option<PollAnswer>, PollError> {
        let last = self.last_said(source).await?;
        let Some((zone, kind)) = last else { return Ok(None) };
        let ahead = state.horizon.and_then(|end| Span::new(now, end));
        let held = self.held(source, kind, ahead, now).await?;
        let Ok(agenda) = Agenda::new(Vec::new()) else { return Ok(None) };
        let mut series = Series { kind, issued_at: None, agenda, notes: Vec::new() };
        let gone = taken_back(&mut series, &held, now)?;
        let (source, zone) = (source.id.as_str().into(), zone.into());
        let doubt = Doubt::default();
        let news = Some(Box::new(Revision {
            source,
            zone,
            series,
            doubt: doubt.clone(),
            validator: None,
        }));
        Ok(gone.then_some(PollAnswer { validator: None, is_awaited: false, doubt, news }))
    }
}

/// What could not be read of an answer, as a failure; logged where it is another than before.
fn doubted(
    feed: &str,
    doubt: &Doubt,
    before: Option<FeedFailure>,
    now: Timestamp,
) -> Option<FeedFailure> {
    let message = doubt.told()?;
    if before.is_none_or(|before| before.message != message) {
        tracing::warn!(feed, message, "a part of what a source says cannot be read");
    }
    Some(FeedFailure { at: now, class: PARTLY_READ.to_owned(), message })
}

/// From the first start to the last end.
fn hull(one: Span, other: Span) -> Span {
    let both = Span::new(one.start().min(other.start()), one.end().max(other.end()));
    both.unwrap_or(one)
}

/// A window that has an instant too.
fn reaching(window: Span, instant: Option<Timestamp>) -> Span {
    let end = instant.map_or(window.end(), |instant| window.end().max(instant + Seconds::ONE));
    Span::new(window.start(), end).unwrap_or(window)
}

/// Why a poll came to no answer.
pub(super) enum PollError {
    /// The source failed.
    Source(FeedError),
    /// The service itself failed, so that nothing was learnt of the source.
    Fault(Fault),
}

impl From<FeedError> for PollError {
    fn from(error: FeedError) -> Self {
        Self::Source(error)
    }
}

impl From<Fault> for PollError {
    fn from(error: Fault) -> Self {
        Self::Fault(error)
    }
}

impl Poller<'_> {
    /// Notes how a poll ended, in the state and the schedule; what of it is to be kept.
    fn note<'b>(
        &mut self,
        brought: &'b Result<PollAnswer, FeedError>,
        now: Timestamp,
    ) -> Option<&'b Revision> {
        let (state, id) = (&mut self.state, &self.source.id);
        state.last_poll = Some(now);
        let mut news = None;
        let outcome = match brought {
            Ok(brought) => {
                state.last_success = Some(now);
                state.failure = doubted(id, &brought.doubt, state.failure.take(), now);
                state.validator = brought.validator.as_ref().map(|it| it.0.to_string());
                news = brought.news.as_deref();
                let end = news.and_then(|revision| revision.series.span()).map(Span::end);
                // What is only a forecast is there once it reaches further.
                let is_binding = self.source.provider.is_binding(self.source.quantity);
                let has_grown = end > state.horizon;
                if has_grown {
                    state.horizon = end;
                }
                if brought.is_awaited || (has_grown && !is_binding) {
                    state.grown = Some(now);
                }
                self.failures.answered(id, now);
                if awaits(&self.schedule, state, now) {
                    PollOutcome::Awaiting
                } else {
                    PollOutcome::Complete
                }
            }
            Err(error) => {
                self.failures.failed(id, error, now);
                metrics::counter!("wattbook_feed_failures_total", "feed" => id.clone(), "class" => class(error))
                    .increment(1);
                let (class, message) = (class(error).to_owned(), error.to_string());
                state.failure = Some(FeedFailure { at: now, class, message });
                state.failures += 1;
                if error.retry() == RetryClass::Permanent {
                    self.role = None;
                }
                PollOutcome::Failed(error.retry())
            }
        };
        state.next_poll = self.schedule.finished(now, outcome, &mut self.random);
        let saved = self.schedule.saved();
        (state.closed_until, state.failures_in_turn) = (saved.closed_until, saved.failures);
        news
    }
}
