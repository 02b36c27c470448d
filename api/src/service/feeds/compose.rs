//! One agenda: composed of what its sources said whenever that changes, and as time passes.
//!
//! Time alone changes a composition: a source that falls silent becomes late, then of no use, and
//! each hour the agenda reaches an hour further.

use std::sync::Arc;
use std::time::Duration;

use grid_feeds::compose::{ANY_AGE, Chain, Composition, KeptRevision, Link, compose};
use grid_feeds::feed::{Accounting, Estimate, Kind, Quantity, Revision};
use planner::agenda::Agenda;
use planner::time::{Seconds, Span, Timestamp};
use storage::{AgendaMeta, ComposedAgenda, FeedRevision, FeedRevisionId, FeedState};
use tokio_util::sync::CancellationToken;

use super::difference::{changed, composed, inside};
use super::disagreement::{self, RecentRatios};
use super::expectation::Expectation;
use super::received::{kind_of, revived};
use super::{FeedService, agenda_lease};
use crate::config::feeds::{API_SOURCE, AgendaRules, Source};
use crate::service::shared::provenance::{Co2Accounting, known};
use crate::service::shared::{Fault, blocking, stored_quantity};

/// How often it is looked whether another replica or the clock made anything new.
pub const LOOK: Duration = Duration::from_secs(2);

/// Compositions begin as long before now, so that corrections of the past are in force too.
const BEHIND: Seconds = Seconds::new(86_400);

pub(super) const HOUR: Seconds = Seconds::new(3600);

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
    ratios: RecentRatios,
}

/// How long ago a source was heard of, by its settings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceAge {
    Never,
    Fresh,
    Late,
    Gone,
}

/// Everything that a composition is made of.
pub(super) struct SaidBySources {
    kind: Kind,
    /// Of CO2: how it is counted, as far as anybody says it.
    counted: Option<Co2Accounting>,
    links: Vec<SaidBySource>,
}

/// What is kept of a source, when it last said so, and for how long that is fresh and of use.
pub(super) type KeptOfSource = (Vec<FeedRevision>, Option<Timestamp>, Seconds, Seconds);

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
        let ages: Vec<SourceAge> = sources.map(|source| age_of(source, &states, now)).collect();
        if latest.ages.as_ref().is_none_or(|(before, _)| *before != ages) {
            // Whoever comes back, or comes first, may say what nothing was learnt of.
            latest.ratios = RecentRatios::default();
        }
        let ages = Some((ages, now.as_unix_seconds() / HOUR.get()));
        let has_new_inputs = latest.expectation.take_inputs(rules, &self.inputs, now);
        if news.since.is_none() && ages == latest.ages && !has_new_inputs {
            return Ok(());
        }
        // At the first look everything is news.
        let since = news.since.filter(|_| latest.revision.is_some());
        let (expectation, ratios) = (&mut latest.expectation, &mut latest.ratios);
        self.recompose(rules, since, expectation, ratios, now).await?;
        (latest.revision, latest.ages) = (Some(news.latest), ages);
        Ok(())
    }

    /// Composes from a day ago, or from `since` where that is earlier, puts what changed, and tells where sources disagree.
    async fn recompose(
        &self,
        rules: &AgendaRules,
        since: Option<Timestamp>,
        expectation: &mut Expectation,
        ratios: &mut RecentRatios,
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
        let ratios = self.usual_ratios(rules, ratios, now).await?;
        let (safe_mode_cap, refuse_estimates) = (rules.safe_mode_cap, rules.refuse_estimates);
        let (tolerance, precedence) = (rules.tolerance, rules.precedence);
        let (counted, words) = (parts.counted, parts.words());
        let (changes, new, apart) = blocking(move || {
            let mut chain = parts.chain();
            chain.contract = contract.as_ref();
            chain.forecast = expected.as_deref();
            chain.safe_mode_cap = safe_mode_cap;
            chain.refuse_estimates = refuse_estimates;
            chain.precedence = precedence;
            let composition = compose(window, now, &chain).map_err(Fault::internal)?;
            let apart = disagreement::find(&chain, &composition, &ratios, &tolerance, window, now)?;
            let new = composed(&composition, counted);
            let in_force = known(&in_force).map_err(Fault::internal)?;
            Ok::<_, Fault>((changed(&in_force, &new, window, now), new, apart))
        })
        .await??;
        for span in changes {
            let (pieces, record) = inside(&new, span);
            let least = new.iter().filter(|it| it.piece.span.overlaps(span));
            let least = least.map(|it| it.origin.quality).min();
            let meta = AgendaMeta {
                source: COMPOSED.to_owned(),
                kind: words.clone(),
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
        self.tell_disagreements(quantity, &apart, now).await
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
        let mut found: Vec<KeptOfSource> = vec![(put, Some(now), ANY_AGE, ANY_AGE)];
        for source in
            rules.chain.iter().filter_map(|&it| self.shared.settings.feeds.sources.get(it))
        {
            let said = database.feed_revisions_over(&source.id, quantity, window, all).await?;
            let confirmed = last_success(source, &states);
            found.push((said, confirmed, source.fresh_for, source.usable_for));
        }
        let put = found.first().map_or(&[][..], |it| &it.0);
        let kinds = self.chain_kind(rules, put, found.iter().skip(1).map(|it| &it.0));
        let Some((kind, counted)) = kinds else { return Ok(None) };
        let said = blocking(move || SaidBySources::revive(kind, counted, found)).await??;
        Ok(Some(said))
    }

    /// Of all that is composed: what the settings say, else that of the first source that said
    /// anything, else that of what was put. Beside it how CO2 is counted, as far as anybody says it.
    fn chain_kind<'a>(
        &self,
        rules: &AgendaRules,
        put: &[FeedRevision],
        mut said: impl Iterator<Item = &'a Vec<FeedRevision>>,
    ) -> Option<(Kind, Option<Co2Accounting>)> {
        let currency = self.shared.settings.currency;
        let of_first = said.find_map(|it| kind_of(&it.first()?.meta.kind, currency));
        if let Some(kind) = rules.kind.or(of_first) {
            return Some((kind, Co2Accounting::of(kind)));
        }
        let counted = Co2Accounting::of_put(put);
        let accounting = counted.map_or(Accounting::Average, |it| it.accounting);
        let factors = counted.and_then(|it| it.factors).unwrap_or_default();
        let kind = Kind::Co2 { accounting, factors };
        (rules.quantity == Quantity::Co2).then_some((kind, counted))
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
        let precedence = rules.precedence;
        let history = blocking(move || {
            let mut chain = parts.chain();
            chain.precedence = precedence;
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
    /// Of what is kept of sources; what is of another kind, or put as counted otherwise, is left out.
    pub(super) fn revive(
        kind: Kind,
        counted: Option<Co2Accounting>,
        kept: Vec<KeptOfSource>,
    ) -> Result<Self, Fault> {
        let words = kind.to_string();
        let said = |(said, confirmed, fresh_for, usable_for): KeptOfSource| {
            let fits = |it: &FeedRevision| match it.meta.feed.as_str() {
                API_SOURCE => may_be(&it.meta.kind, counted),
                _ => it.meta.kind == words,
            };
            let revisions = said.into_iter().filter(fits).map(|it| revived(it, kind));
            let revisions = revisions.collect::<Result<_, _>>().map_err(Fault::internal)?;
            Ok(SaidBySource { revisions, confirmed, fresh_for, usable_for })
        };
        let links = kept.into_iter().map(said).collect::<Result<Vec<_>, Fault>>()?;
        Ok(Self { kind, counted, links })
    }

    /// The kind in words, with what somebody says of it alone.
    fn words(&self) -> String {
        match self.counted {
            Some(Co2Accounting { accounting, factors: None }) => {
                format!("{} CO2 in g/kWh", accounting.word())
            }
            _ => self.kind.to_string(),
        }
    }

    /// As a chain of sources alone; what was put is its first link.
    pub(super) fn chain(&self) -> Chain<'_> {
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
        let mut chain = Chain::of_sources(self.kind, links.collect());
        chain.puts = 1;
        chain
    }
}

/// Whether what was put with the words of a kind may be counted so: not where both say how CO2 is counted, and differ.
fn may_be(put: &str, counted: Option<Co2Accounting>) -> bool {
    let put = Co2Accounting::of_words(storage::Quantity::Co2, put);
    put.zip(counted).is_none_or(|(put, counted)| {
        let factors = put.factors.zip(counted.factors);
        put.accounting == counted.accounting && factors.is_none_or(|(put, counted)| put == counted)
    })
}

fn values(composition: &Composition) -> Agenda<i64> {
    composition.agenda.map(|sourced| sourced.value)
}

pub(super) fn last_success(source: &Source, states: &[(String, FeedState)]) -> Option<Timestamp> {
    states.iter().find(|(id, _)| *id == source.id).and_then(|(_, state)| state.last_success)
}

pub(super) fn age_of(source: &Source, states: &[(String, FeedState)], now: Timestamp) -> SourceAge {
    match last_success(source, states).map(|last| now - last) {
        None => SourceAge::Never,
        Some(age) if age <= source.fresh_for => SourceAge::Fresh,
        Some(age) if age <= source.usable_for => SourceAge::Late,
        Some(_) => SourceAge::Gone,
    }
}

/// The full hour at or before an instant.
pub(super) fn floor(instant: Timestamp) -> Timestamp {
    let hour = instant.ceil_to(HOUR);
    if hour == instant { hour } else { hour - HOUR }
}

#[cfg(test)]
mod tests {
    use grid_feeds::feed::Factors;

    use super::*;

    #[test]
    fn what_was_put_before_co2_was_counted_otherwise_is_left_out() {
        let (accounting, factors) = (Accounting::Average, Factors::Direct);
        let average = Co2Accounting { accounting, factors: Some(factors) };
        for (put, fits) in [
            ("average", true),
            ("average direct", true),
            ("average life-cycle", false),
            ("marginal", false),
            ("withdrawn", true),
        ] {
            assert_eq!(may_be(put, Some(average)), fits, "{put}");
        }
        let unsaid = Co2Accounting { factors: None, ..average };
        assert!(may_be("average direct", Some(unsaid)));
        assert!(!may_be("marginal", Some(unsaid)));
        // Prices and caps are put with a word that says nothing of them.
        assert!(may_be("average", None));
    }

    #[test]
    fn a_composition_of_what_was_put_claims_no_factors_that_nobody_said() {
        let kind = Kind::Co2 { accounting: Accounting::Marginal, factors: Factors::Lifecycle };
        let words = |counted| SaidBySources { kind, counted, links: Vec::new() }.words();
        let unsaid = Co2Accounting { accounting: Accounting::Marginal, factors: None };
        for counted in [Some(unsaid), Co2Accounting::of(kind)] {
            let read = Co2Accounting::of_words(storage::Quantity::Co2, &words(counted));
            assert_eq!(read, counted);
        }
    }
}
