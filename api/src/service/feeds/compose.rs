//! One agenda: composed of what its sources said whenever that changes, and as time passes.
//!
//! Time alone changes a composition: a source that falls silent becomes late, then of no use, and
//! each hour the agenda reaches an hour further.

use std::sync::Arc;
use std::time::Duration;

use grid_feeds::compose::{ANY_AGE, Chain, Composition, KeptRevision, Link, compose};
use grid_feeds::feed::{Accounting, Estimate, Factors, Kind, Quantity, Revision};
use planner::agenda::Agenda;
use planner::time::{Seconds, Span, Timestamp};
use storage::{AgendaMeta, ComposedAgenda, FeedRevision, FeedRevisionId, FeedState};
use tokio_util::sync::CancellationToken;

use super::difference::{changed, composed, inside};
use super::expectation::Expectation;
use super::received::{kind_of, revived};
use super::{FeedService, agenda_lease};
use crate::config::feeds::{API_SOURCE, AgendaRules, Source};
use crate::service::shared::provenance::known;
use crate::service::shared::{Fault, blocking, stored_quantity};

/// How often it is looked whether another replica or the clock made anything new.
pub const LOOK: Duration = Duration::from_secs(2);

/// Compositions begin as long before now, so that corrections of the past are in force too.
const BEHIND: Seconds = Seconds::new(86_400);

const HOUR: Seconds = Seconds::new(3600);

/// No back-fill changes what was in force longer ago.
const LONGEST_BACK: Seconds = Seconds::new(366 * 86_400);

/// The source of composed agendas among the revisions of agendas.
pub(super) const COMPOSED: &str = "feeds";

/// What is known of the latest composition.
#[derive(Default)]
struct LatestComposition {
    /// The newest revision in it.
    revision: Option<FeedRevisionId>,
    /// How long ago its sources were heard of, and in which hour it was composed.
    ages: Option<(Vec<SourceAge>, i64)>,
    expectation: Expectation,
}

/// How long ago a source was heard of, by its settings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SourceAge {
    Never,
    Fresh,
    Late,
    Gone,
}

/// Everything that a composition is made of.
pub(super) struct SaidBySources {
    kind: Kind,
    links: Vec<SaidBySource>,
}

/// What a source said.
struct SaidBySource {
    revisions: Vec<(Revision, Timestamp)>,
    /// When it last said so; for what was put, always now.
    confirmed: Option<Timestamp>,
    fresh_for: Seconds,
    usable_for: Seconds,
}

impl FeedService {
    /// Composes an agenda of the settings whenever this replica sees to it, until told to stop.
    pub async fn compose_agenda(self: Arc<Self>, index: usize, stop: CancellationToken) {
        let Some(rules) = self.shared.settings.feeds.agendas.get(index) else { return };
        let quantity = stored_quantity(rules.quantity);
        let lease = agenda_lease(quantity);
        let mut latest = LatestComposition::default();
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.wait_for(&lease) => {}
            }
            if let Err(error) = self.look(rules, &mut latest).await {
                let quantity = quantity.word();
                tracing::warn!(quantity, error = format!("{error:#}"), "could not compose");
            }
            let hour = self.shared.now().ceil_to(HOUR);
            let turn = self.shared.clock.until(hour).clamp(Duration::from_millis(100), LOOK);
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.agendas.rung(quantity) => {}
                () = tokio::time::sleep(turn) => {}
            }
        }
    }

    /// Composes anew if there is anything new.
    async fn look(&self, rules: &AgendaRules, latest: &mut LatestComposition) -> Result<(), Fault> {
        let now = self.shared.now();
        let quantity = stored_quantity(rules.quantity);
        let news = self.shared.database.feed_news(quantity, latest.revision).await?;
        let states = self.shared.database.feeds().await?;
        let sources =
            rules.chain.iter().filter_map(|&it| self.shared.settings.feeds.sources.get(it));
        let ages = sources.map(|source| age_of(source, &states, now)).collect();
        let ages = Some((ages, now.as_unix_seconds() / HOUR.get()));
        if news.since.is_none() && ages == latest.ages {
            return Ok(());
        }
        // At the first look everything is news.
        let since = news.since.filter(|_| latest.revision.is_some());
        self.recompose(rules, since, &mut latest.expectation, now).await?;
        (latest.revision, latest.ages) = (Some(news.latest), ages);
        Ok(())
    }

    /// Composes from a day ago, or from `since` where that is earlier, and puts what changed.
    async fn recompose(
        &self,
        rules: &AgendaRules,
        since: Option<Timestamp>,
        expectation: &mut Expectation,
        now: Timestamp,
    ) -> Result<(), Fault> {
        let begin = since.map_or(now, |since| since.min(now)) - BEHIND;
        let begin = floor(begin.max(now - LONGEST_BACK).max(Timestamp::MIN));
        let Some(window) = Span::new(begin, (now + rules.ahead).ceil_to(HOUR)) else {
            return Ok(());
        };
        let Some(parts) = self.parts(rules, window, now).await? else { return Ok(()) };
        let expected = self.expected(rules, &parts, window, expectation, now).await?;
        let contract = match &rules.contract {
            Some(tariff) => Some(tariff.expected(window).map_err(Fault::internal)?),
            None => None,
        };
        let quantity = stored_quantity(rules.quantity);
        let in_force = self.shared.database.proven_agenda(quantity, window, None).await?;
        let (safe_mode_cap, refuse_estimates) = (rules.safe_mode_cap, rules.refuse_estimates);
        let kind = parts.kind;
        let (changes, new) = blocking(move || {
            let mut chain = parts.chain();
            chain.contract = contract.as_ref();
            chain.forecast = expected.as_deref();
            chain.safe_mode_cap = safe_mode_cap;
            chain.refuse_estimates = refuse_estimates;
            let new = composed(&compose(window, now, &chain).map_err(Fault::internal)?);
            let in_force = known(&in_force).map_err(Fault::internal)?;
            Ok::<_, Fault>((changed(&in_force, &new, window, now), new))
        })
        .await??;
        for span in changes {
            let (pieces, record) = inside(&new, span);
            let least = new.iter().filter(|it| it.piece.span.overlaps(span));
            let least = least.map(|it| it.origin.quality).min();
            let meta = AgendaMeta {
                source: COMPOSED.to_owned(),
                kind: kind.to_string(),
                quality: least.map_or("estimated", planner::agenda::Quality::word).to_owned(),
                issued: None,
            };
            let provenance = serde_json::to_string(&record).map_err(Fault::internal)?;
            let agenda = ComposedAgenda { span, pieces: &pieces, provenance: &provenance };
            let _booking = self.shared.pool.site_turn().await;
            self.shared.database.put_composed(quantity, &meta, &agenda, now).await?;
            let (pieces, quantity) = (pieces.len(), quantity.word());
            tracing::info!(quantity, %span, pieces, "an agenda changed");
        }
        Ok(())
    }

    /// What the sources of an agenda said of a window; `None` where nobody ever said anything and
    /// nothing stands in.
    pub(super) async fn parts(
        &self,
        rules: &AgendaRules,
        window: Span,
        now: Timestamp,
    ) -> Result<Option<SaidBySources>, Fault> {
        let quantity = stored_quantity(rules.quantity);
        let database = &self.shared.database;
        let states = database.feeds().await?;
        // All that is there: whoever received it may have a clock ahead of ours.
        let all = Timestamp::MAX;
        let put = database.feed_revisions_over(API_SOURCE, quantity, window, all).await?;
        let mut found = vec![(put, Some(now), ANY_AGE, ANY_AGE)];
        for source in
            rules.chain.iter().filter_map(|&it| self.shared.settings.feeds.sources.get(it))
        {
            let said = database.feed_revisions_over(&source.id, quantity, window, all).await?;
            let confirmed = last_success(source, &states);
            found.push((said, confirmed, source.fresh_for, source.usable_for));
        }
        let Some(kind) = self.chain_kind(rules, found.iter().skip(1).map(|it| &it.0)) else {
            return Ok(None);
        };
        let words = kind.to_string();
        let parts = blocking(move || {
            let part = |(said, confirmed, fresh_for, usable_for): (Vec<FeedRevision>, _, _, _)| {
                let fits = |it: &FeedRevision| it.meta.kind == words || it.meta.feed == API_SOURCE;
                let revisions = said.into_iter().filter(fits).map(|it| revived(it, kind));
                let revisions = revisions.collect::<Result<_, _>>().map_err(Fault::internal)?;
                Ok(SaidBySource { revisions, confirmed, fresh_for, usable_for })
            };
            found.into_iter().map(part).collect::<Result<Vec<_>, Fault>>()
        });
        Ok(Some(SaidBySources { kind, links: parts.await?? }))
    }

    /// Of all that is composed: what the settings say, else that of the first source that said
    /// anything.
    fn chain_kind<'a>(
        &self,
        rules: &AgendaRules,
        mut said: impl Iterator<Item = &'a Vec<FeedRevision>>,
    ) -> Option<Kind> {
        let currency = self.shared.settings.currency;
        let of_first = said.find_map(|it| kind_of(&it.first()?.meta.kind, currency));
        let usual = (rules.quantity == Quantity::Co2)
            .then_some(Kind::Co2 { accounting: Accounting::Average, factors: Factors::Lifecycle });
        rules.kind.or(of_first).or(usual)
    }

    /// What continues the sources; `None` where the site wants no estimates.
    async fn expected(
        &self,
        rules: &AgendaRules,
        parts: &SaidBySources,
        window: Span,
        expectation: &mut Expectation,
        now: Timestamp,
    ) -> Result<Option<std::sync::Arc<Agenda<Estimate>>>, Fault> {
        let Some(model) = rules.forecast.as_ref().filter(|_| !rules.refuse_estimates) else {
            return Ok(None);
        };
        let Some(ahead) = Span::new(floor(now), window.end()) else { return Ok(None) };
        let known_until = compose(ahead, now, &parts.chain()).map_err(Fault::internal)?.known_until;
        if let Some(estimates) = expectation.still_good(known_until, now) {
            return Ok(Some(estimates));
        }
        let days = model.history_days();
        let Some(history) = self.history(rules, known_until, now, days).await? else {
            return Ok(None);
        };
        let end = (now + rules.ahead + Seconds::new(86_400)).ceil_to(HOUR);
        let Some(span) = Span::new(known_until, end) else { return Ok(None) };
        let made = expectation.make(model, parts.kind, history, span, now).await?;
        Ok(Some(made))
    }

    /// What the sources of an agenda said of so many days before an instant, their estimates left out.
    pub(super) async fn history(
        &self,
        rules: &AgendaRules,
        until: Timestamp,
        now: Timestamp,
        days: usize,
    ) -> Result<Option<Agenda<i64>>, Fault> {
        let days = i64::try_from(days).unwrap_or(i64::MAX);
        let begin = (until - Seconds::new(days.saturating_mul(86_400))).max(Timestamp::MIN);
        let Some(window) = Span::new(begin, until) else { return Ok(None) };
        let Some(parts) = self.parts(rules, window, now).await? else { return Ok(None) };
        let history = blocking(move || {
            let mut chain = parts.chain();
            chain.refuse_estimates = true;
            for link in &mut chain.links {
                link.usable_for = ANY_AGE;
            }
            Ok::<_, Fault>(values(&compose(window, now, &chain).map_err(Fault::internal)?))
        });
        Ok(Some(history.await??))
    }
}

impl SaidBySources {
    /// As a chain of sources alone.
    fn chain(&self) -> Chain<'_> {
        let links = self.links.iter().map(|part| Link {
            revisions: part
                .revisions
                .iter()
                .map(|(revision, received_at)| KeptRevision {
                    revision,
                    received_at: *received_at,
                    confirmed_at: part.confirmed.unwrap_or(*received_at),
                })
                .collect(),
            fresh_for: part.fresh_for,
            usable_for: part.usable_for,
        });
        Chain::of_sources(self.kind, links.collect())
    }
}

fn values(composition: &Composition) -> Agenda<i64> {
    composition.agenda.map(|sourced| sourced.value)
}

fn last_success(source: &Source, states: &[(String, FeedState)]) -> Option<Timestamp> {
    states.iter().find(|(id, _)| *id == source.id).and_then(|(_, state)| state.last_success)
}

fn age_of(source: &Source, states: &[(String, FeedState)], now: Timestamp) -> SourceAge {
    match last_success(source, states).map(|last| now - last) {
        None => SourceAge::Never,
        Some(age) if age <= source.fresh_for => SourceAge::Fresh,
        Some(age) if age <= source.usable_for => SourceAge::Late,
        Some(_) => SourceAge::Gone,
    }
}

/// The full hour at or before an instant.
fn floor(instant: Timestamp) -> Timestamp {
    let hour = instant.ceil_to(HOUR);
    if hour == instant { hour } else { hour - HOUR }
}
