//! CO2 by the accounting that nothing is planned by: composed of its own sources, for who compares.
//!
//! Nothing of it is written but what hours of the ledger emit by it: each process composes it anew when its sources say more, and as time passes.

use std::sync::Arc;

use grid_feeds::compose::{ANY_AGE, compose};
use grid_feeds::feed;
use planner::time::{Seconds, Span, Timestamp};
use storage::{FeedRevisionId, Quantity};
use tokio_util::sync::CancellationToken;

use super::FeedService;
use super::compose::{
    HOUR, KeptOfSource, LOOK, SaidBySources, SourceAge, age_of, floor, last_success,
};
use super::difference::composed;
use crate::config::feeds::{OtherCo2Rules, Source};
use crate::service::shared::provenance::{Co2Accounting, KnownPiece};
use crate::service::shared::{Fault, OtherCo2, blocking};

/// The longest window for which it is composed on demand: all that its sources said of it is read at once.
pub const LONGEST_OTHER_CO2: Seconds = Seconds::new(31 * 86_400);

/// What the latest composition was made of: the newest revision, how long ago its sources were heard of, and the hour.
#[derive(Default, PartialEq, Eq)]
struct MadeOf {
    revision: Option<FeedRevisionId>,
    ages: Vec<SourceAge>,
    hour: i64,
}

impl FeedService {
    /// Keeps what is known of the other accounting from now on, until told to stop.
    pub async fn keep_other_co2(self: Arc<Self>, stop: CancellationToken) {
        let mut latest = MadeOf::default();
        loop {
            if let Err(error) = self.look_at_other_co2(&mut latest).await {
                let error = format!("{error:#}");
                tracing::warn!(error, "could not compose CO2 by the other accounting");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    async fn look_at_other_co2(&self, latest: &mut MadeOf) -> Result<(), Fault> {
        let settings = &self.shared.settings.feeds;
        let Some((rules, other)) = settings
            .agenda(feed::Quantity::Co2)
            .and_then(|rules| Some((rules, rules.other.as_ref()?)))
        else {
            return Ok(());
        };
        let now = self.shared.now();
        let news = self.shared.database.feed_news(Quantity::Co2, latest.revision).await?;
        let states = self.shared.database.feeds().await?;
        let ages = self.sources_of(other).map(|it| age_of(it, &states, now)).collect();
        let hour = now.as_unix_seconds() / HOUR.get();
        let made_of = MadeOf { revision: Some(news.latest), ages, hour };
        if made_of == *latest {
            return Ok(());
        }
        let window = Span::new(floor(now), (now + rules.ahead).ceil_to(HOUR));
        if let Some(window) = window
            && let Some(accounting) = Co2Accounting::of(other.kind)
        {
            let known = self.compose_other_co2(other, window, now, Timestamp::MAX).await?;
            self.shared.other_co2.keep(OtherCo2::new(accounting, &known).map_err(Fault::internal)?);
        }
        *latest = made_of;
        Ok(())
    }

    /// The pieces of the other accounting in a window with what they rest on: as they are known now, or were at `as_of`;
    /// `None` where the settings name no sources of it.
    ///
    /// Whoever lets others choose the window keeps it within [`LONGEST_OTHER_CO2`].
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn other_co2(
        &self,
        window: Span,
        as_of: Option<Timestamp>,
    ) -> Result<Option<Vec<KnownPiece>>, Fault> {
        let Some(other) = self.shared.settings.feeds.other_co2() else { return Ok(None) };
        // What is known now is all that is there: whoever received it may have a clock ahead of ours.
        let received = as_of.unwrap_or(Timestamp::MAX);
        let at = as_of.unwrap_or_else(|| self.shared.now());
        self.compose_other_co2(other, window, at, received).await.map(Some)
    }

    fn sources_of<'a>(&'a self, other: &'a OtherCo2Rules) -> impl Iterator<Item = &'a Source> {
        other.chain.iter().filter_map(|&it| self.shared.settings.feeds.sources.get(it))
    }

    /// What was said of the past counts however long its source is silent since; of what is to come as in every agenda. One
    /// composition runs at a time: of a month of forecasts that are made anew each hour much is in memory.
    async fn compose_other_co2(
        &self,
        other: &OtherCo2Rules,
        window: Span,
        at: Timestamp,
        received: Timestamp,
    ) -> Result<Vec<KnownPiece>, Fault> {
        let _turn = self.other_co2_turn.lock().await;
        let database = &self.shared.database;
        let states = database.feeds().await?;
        let mut kept: Vec<KeptOfSource> = Vec::with_capacity(other.chain.len());
        for source in self.sources_of(other) {
            let mut said =
                database.feed_revisions_over(&source.id, Quantity::Co2, window, received).await?;
            for revision in &mut said {
                revision.pieces.retain(|piece| piece.span.overlaps(window));
                revision.pieces.shrink_to_fit();
            }
            let confirmed = last_success(source, &states).map(|last| last.min(at));
            kept.push((said, confirmed, source.fresh_for, source.usable_for));
        }
        let (kind, counted) = (other.kind, Co2Accounting::of(other.kind));
        let rules = self.shared.settings.feeds.agenda(feed::Quantity::Co2);
        let refuse_estimates = rules.is_some_and(|it| it.refuse_estimates);
        let precedence = rules.map(|it| it.precedence).unwrap_or_default();
        let pieces = blocking(move || {
            let said = SaidBySources::revive(kind, counted, kept)?;
            let chain = || {
                let mut chain = said.chain();
                // Nothing is put of it.
                chain.puts = 0;
                chain.precedence = precedence;
                chain.refuse_estimates = refuse_estimates;
                chain
            };
            let mut known = Vec::new();
            if let Some(past) = Span::new(window.start(), window.end().min(at)) {
                let mut chain = chain();
                chain.links.iter_mut().for_each(|link| link.usable_for = ANY_AGE);
                let past = compose(past, at, &chain).map_err(Fault::internal)?;
                known.extend(composed(&past, counted));
            }
            if let Some(ahead) = Span::new(window.start().max(at), window.end()) {
                let ahead = compose(ahead, at, &chain()).map_err(Fault::internal)?;
                known.extend(composed(&ahead, counted));
            }
            Ok::<_, Fault>(known)
        });
        pieces.await?
    }
}
