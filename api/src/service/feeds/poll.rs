//! One source: asked when it is due, judged, kept where it says anything new.
//!
//! How it stands is written after each poll, so that a restart or another replica goes on where
//! this one ended. While the database is out of reach the poll that was made waits to be written,
//! and no other is made.

use std::time::Duration;

use grid_feeds::compose::{ANY_AGE, Chain, Held, Link, compose};
use grid_feeds::feed::{
    FeedError, Fetched, Kind, Known, Query, RetryClass, Revision, Role, Series, Validator,
};
use grid_feeds::http::Http;
use grid_feeds::schedule::{Outcome, Saved, Schedule};
use planner::agenda::Agenda;
use planner::time::{Span, Timestamp};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use storage::{FeedFailure, FeedState, NewFeedRevision, StorageError};
use tokio_util::sync::CancellationToken;

use super::answer::{Brought, awaits, class, judged, never_asked, taken_back, window};
use super::received::{kind_of, revived, stored};
use super::{source_lease, stored_quantity};
use crate::config::feeds::Source;
use crate::service::cluster::blocking;
use crate::service::{Service, ServiceError};

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
}

impl Service {
    /// Polls a source of the settings whenever this replica sees to it, until told to stop.
    pub(super) async fn poll_source(&self, index: usize, stop: CancellationToken) {
        let Some(source) = self.settings.feeds.sources.get(index) else { return };
        let lease = source_lease(&source.id);
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.feeds.leases.wait_for(&lease) => {}
            }
            let polled = match self.poller(source).await {
                Ok(poller) => self.poll_while_held(poller, &lease, &stop).await,
                Err(error) => Err(error),
            };
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
        let now = self.now();
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
        Ok(Poller { source, http, role: None, random, schedule, state })
    }

    pub(super) async fn feed_state(&self, id: &str) -> Result<Option<FeedState>, StorageError> {
        let all = self.database.feeds().await?;
        Ok(all.into_iter().find(|(found, _)| found == id).map(|(_, state)| state))
    }

    async fn poll_while_held(
        &self,
        mut poller: Poller<'_>,
        lease: &str,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let bell = self.feeds.bells.get(&poller.source.id);
        while self.feeds.leases.holds(lease) {
            let rung = async {
                match bell {
                    Some(bell) => bell.notified().await,
                    None => std::future::pending().await,
                }
            };
            let rung = tokio::select! {
                () = stop.cancelled() => return Ok(()),
                () = self.sleep_until(poller.schedule.next_poll()) => false,
                () = rung => true,
            };
            let now = self.now();
            if rung {
                let state = self.feed_state(&poller.source.id).await?;
                if state.is_some_and(|state| state.refresh.is_some()) {
                    poller.schedule.refresh(now);
                }
            }
            if poller.schedule.is_due(now) && self.feeds.leases.holds(lease) {
                self.poll(&mut poller, stop).await?;
            }
        }
        Ok(())
    }

    async fn poll(
        &self,
        poller: &mut Poller<'_>,
        stop: &CancellationToken,
    ) -> Result<(), ServiceError> {
        let now = self.now();
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
            // A statement of the database failed, not the source: nothing was learnt.
            Err(Asked::Service(error)) => return Err(error),
            Err(Asked::Source(error)) => Err(error),
        };
        let news = poller.note(&brought, now);
        let kept = news.map(|revision| stored(revision, now));
        self.write(poller, kept, stop).await;
        self.feeds.ring(stored_quantity(source.quantity));
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
            self.database.keep_feed_revision(revision).await?;
            *kept = None;
        }
        self.database.put_feed(&poller.source.id, &poller.state).await
    }

    /// Asks the source, judges its answer and compares it with what it said before.
    async fn ask_source(&self, poller: &mut Poller<'_>, now: Timestamp) -> Result<Brought, Asked> {
        let Poller { source, http, role, state, .. } = poller;
        let role = match role {
            Some(role) => role,
            None => role.insert(source.provider.connect(&source.id, source.quantity, http)?),
        };
        let beyond = || FeedError::Transient { message: "the clock is out of range".to_owned() };
        let window = window(source, state, now).ok_or_else(beyond)?;
        let validator = state.validator.as_deref().map(|text| Validator(text.into()));
        let query = Query { now, window, validator: validator.as_ref() };
        let says_all = source.provider.says_all();
        let revision = match role.fetch(query).await {
            Ok(Fetched::Unchanged) => return Ok(Brought::Nothing { validator }),
            Ok(Fetched::Revision(revision)) => *revision,
            Err(error @ FeedError::NotPublished { .. }) if says_all => {
                return self.nothing_left(source, state, now).await?.ok_or(Asked::Source(error));
            }
            Err(error) => return Err(error.into()),
        };
        let kind = revision.series.kind;
        self.admit_kind(source, kind).await?;
        let ahead = state.horizon.filter(|_| says_all).and_then(|end| Span::new(now, end));
        let window = match (revision.series.span(), ahead) {
            (Some(said), Some(ahead)) => {
                Span::new(said.start().min(ahead.start()), said.end().max(ahead.end()))
            }
            (said, ahead) => said.or(ahead),
        };
        let held = self.held(source, kind, window, now).await.map_err(Asked::Service)?;
        let judged = blocking(move || judged(revision, &held, says_all, now)).await;
        Ok(judged.map_err(Asked::Service)??)
    }

    /// What a source that says all takes back by saying nothing; `None` where it had said nothing.
    async fn nothing_left(
        &self,
        source: &Source,
        state: &FeedState,
        now: Timestamp,
    ) -> Result<Option<Brought>, Asked> {
        let latest = self.database.latest_feed_revisions().await;
        let latest = latest.map_err(|error| Asked::Service(error.into()))?;
        let last = latest.into_iter().find(|revision| revision.feed == source.id);
        let kind = last.as_ref().and_then(|it| kind_of(&it.kind, self.settings.currency));
        let (Some(last), Some(kind)) = (last, kind) else { return Ok(None) };
        let ahead = state.horizon.and_then(|end| Span::new(now, end));
        let held = self.held(source, kind, ahead, now).await.map_err(Asked::Service)?;
        let Ok(agenda) = Agenda::new(Vec::new()) else { return Ok(None) };
        let mut series = Series { kind, issued_at: None, agenda, notes: Vec::new() };
        let gone = taken_back(&mut series, &held, now)?;
        let (source, zone) = (source.id.as_str().into(), last.zone.into());
        let revision = Revision { source, zone, series, validator: None };
        Ok(gone.then(|| Brought::News(Box::new(revision))))
    }

    /// Kinds do not mix in a chain: that of the site's settings, else that of the first source
    /// that has said anything.
    async fn admit_kind(&self, source: &Source, kind: Kind) -> Result<(), Asked> {
        let settings = &self.settings.feeds;
        let Some(rules) = settings.agenda(source.quantity) else { return Ok(()) };
        let wanted = match rules.kind {
            Some(kind) => Some(kind),
            None => self.kind_of_others(source).await.map_err(Asked::Service)?,
        };
        match wanted.filter(|wanted| *wanted != kind) {
            None => Ok(()),
            Some(wanted) => Err(Asked::Source(FeedError::Configuration {
                message: format!("has {kind}, the chain {wanted}; they do not mix"),
            })),
        }
    }

    async fn kind_of_others(&self, source: &Source) -> Result<Option<Kind>, ServiceError> {
        let settings = &self.settings.feeds;
        let revisions = self.database.latest_feed_revisions().await?;
        let chain = settings.agenda(source.quantity).map_or(&[][..], |rules| &rules.chain);
        let others = chain.iter().filter_map(|&index| settings.sources.get(index));
        let others = others.filter(|other| other.id != source.id);
        let kinds = others.filter_map(|other| {
            let revision = revisions.iter().find(|revision| revision.feed == other.id)?;
            kind_of(&revision.kind, self.settings.currency)
        });
        Ok(kinds.into_iter().next())
    }

    /// What the source said before of a window.
    async fn held(
        &self,
        source: &Source,
        kind: Kind,
        window: Option<Span>,
        now: Timestamp,
    ) -> Result<Agenda<Known>, ServiceError> {
        let empty =
            || Agenda::new(Vec::new()).map_err(|error| ServiceError::Internal(error.into()));
        let Some(window) = window else { return empty() };
        let id = &source.id;
        let quantity = stored_quantity(kind.quantity());
        let all = Timestamp::MAX;
        let kept = self.database.feed_revisions_over(id, quantity, window, all).await?;
        let words = kind.to_string();
        blocking(move || {
            let of_kind = kept.into_iter().filter(|kept| kept.meta.kind == words);
            let revisions =
                of_kind.map(|kept| revived(kept, kind)).collect::<Result<Vec<_>, _>>()?;
            let held = revisions.iter().map(|(revision, received_at)| Held {
                revision,
                received_at: *received_at,
                confirmed_at: now,
            });
            let link = Link { revisions: held.collect(), fresh_for: ANY_AGE, usable_for: ANY_AGE };
            let chain = Chain::of_sources(kind, vec![link]);
            let said = compose(window, now, &chain)?.agenda;
            anyhow::Ok(said.map(|it| Known { value: it.value, quality: it.quality }))
        })
        .await?
        .map_err(ServiceError::Internal)
    }
}

/// Why a source was not asked to an end.
enum Asked {
    /// The source's answer.
    Source(FeedError),
    /// The service's own trouble.
    Service(ServiceError),
}

impl From<FeedError> for Asked {
    fn from(error: FeedError) -> Self {
        Self::Source(error)
    }
}

impl Poller<'_> {
    /// Notes how a poll ended, in the state and the schedule; what of it is to be kept.
    fn note<'b>(
        &mut self,
        brought: &'b Result<Brought, FeedError>,
        now: Timestamp,
    ) -> Option<&'b Revision> {
        let (state, id) = (&mut self.state, &self.source.id);
        state.last_poll = Some(now);
        let mut news = None;
        let outcome = match brought {
            Ok(brought) => {
                state.last_success = Some(now);
                state.failure = None;
                match brought {
                    Brought::Nothing { validator } => {
                        state.validator = validator.as_ref().map(|it| it.0.to_string());
                    }
                    Brought::News(revision) => {
                        state.validator = revision.validator.as_ref().map(|it| it.0.to_string());
                        let end = revision.series.span().map(Span::end);
                        if end > state.horizon {
                            (state.horizon, state.grown) = (end, Some(now));
                        }
                        news = Some(&**revision);
                    }
                }
                if awaits(&self.schedule, state, now) {
                    Outcome::Awaiting
                } else {
                    Outcome::Complete
                }
            }
            Err(error) => {
                tracing::info!(feed = id, class = class(error), %error, "a poll failed");
                metrics::counter!("wattbook_feed_failures_total", "feed" => id.clone(), "class" => class(error))
                    .increment(1);
                let (class, message) = (class(error).to_owned(), error.to_string());
                state.failure = Some(FeedFailure { at: now, class, message });
                state.failures += 1;
                if error.retry() == RetryClass::Permanent {
                    self.role = None;
                }
                Outcome::Failed(error.retry())
            }
        };
        state.next_poll = self.schedule.finished(now, outcome, &mut self.random);
        let saved = self.schedule.saved();
        (state.closed_until, state.failures_in_turn) = (saved.closed_until, saved.failures);
        news
    }
}
