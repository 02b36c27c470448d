//! How feeds and agendas stand, for people and monitors.

use planner::agenda::{Agenda, Quality};
use planner::time::{Span, Timestamp};
use storage::{FeedRevisionMeta, FeedState, NewFeedRevision, Quantity};

use super::FeedService;
use crate::config::feeds::{API_SOURCE, AgendaRules, Source};
use crate::service::shared::{Fault, stored_quantity};

/// How a source stands, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All is well.
    Ok,
    /// Not heard of for longer than it is fresh.
    Late,
    /// Its last poll failed, but what it said is still fresh.
    Failing,
    /// Not heard of yet.
    Never,
}

/// A source and how it stands.
#[derive(Debug)]
pub struct FeedStatus {
    /// Its name.
    pub id: String,
    /// The quantity.
    pub quantity: Quantity,
    /// The supplier's word.
    pub provider: String,
    /// In a word.
    pub status: Status,
    /// `None` before the first poll is planned.
    pub state: Option<FeedState>,
    /// What it said last.
    pub last_revision: Option<FeedRevisionMeta>,
}

/// An agenda and how it stands.
#[derive(Debug)]
pub struct AgendaStatus {
    /// The quantity.
    pub quantity: Quantity,
    /// Its sources, the first counts most.
    pub chain: Vec<String>,
    /// Whether estimates are gaps.
    pub refuse_estimates: bool,
    /// The end of what is in force.
    pub horizon: Option<Timestamp>,
    /// From when on a part is estimated.
    pub estimated_from: Option<Timestamp>,
    /// Between now and where the agenda should reach.
    pub gaps: Vec<Span>,
}

/// All of them.
#[derive(Debug)]
pub struct FeedsStatus {
    /// The instant.
    pub now: Timestamp,
    /// In the order of the settings.
    pub feeds: Vec<FeedStatus>,
    /// Those with sources.
    pub agendas: Vec<AgendaStatus>,
}

/// What became of a request for a refresh.
#[derive(Clone, Copy, Debug)]
pub struct Refreshed {
    /// The supplier is not asked before.
    pub earliest_poll: Timestamp,
}

impl Status {
    /// The word in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Late => "late",
            Self::Failing => "failing",
            Self::Never => "never",
        }
    }

    fn of(source: &Source, state: Option<&FeedState>, now: Timestamp) -> Self {
        let Some((state, last)) = state.and_then(|it| Some((it, it.last_success?))) else {
            return Self::Never;
        };
        if now - last > source.fresh_for {
            Self::Late
        } else if state.failure.is_some() {
            Self::Failing
        } else {
            Self::Ok
        }
    }
}

impl FeedService {
    /// How all feeds stand.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn feeds_status(&self) -> Result<FeedsStatus, Fault> {
        let now = self.shared.now();
        let settings = &self.shared.settings.feeds;
        let mut states = self.shared.database.feeds().await?;
        let mut revisions = self.shared.database.latest_feed_revisions().await?;
        let mut of_source = |source: &Source| {
            let state = states.iter().position(|(id, _)| *id == source.id);
            let state = state.map(|index| states.swap_remove(index).1);
            let revision = revisions.iter().position(|it| it.feed == source.id);
            FeedStatus {
                id: source.id.clone(),
                quantity: stored_quantity(source.quantity),
                provider: source.provider_word.clone(),
                status: Status::of(source, state.as_ref(), now),
                state,
                last_revision: revision.map(|index| revisions.swap_remove(index)),
            }
        };
        let feeds = settings.sources.iter().map(&mut of_source).collect();
        let mut agendas = Vec::with_capacity(settings.agendas.len());
        for rules in &settings.agendas {
            agendas.push(self.agenda_status(rules, now).await?);
        }
        Ok(FeedsStatus { now, feeds, agendas })
    }

    async fn agenda_status(
        &self,
        rules: &AgendaRules,
        now: Timestamp,
    ) -> Result<AgendaStatus, Fault> {
        let quantity = stored_quantity(rules.quantity);
        let sources =
            rules.chain.iter().filter_map(|&it| self.shared.settings.feeds.sources.get(it));
        let chain = std::iter::once(API_SOURCE.to_owned());
        let wanted = Span::starting(now, rules.ahead);
        let pieces = match wanted {
            Some(wanted) => self.agendas.known_agenda(quantity, wanted, None).await?,
            None => Vec::new(),
        };
        let estimated = pieces.iter().find(|it| it.origin.quality == Quality::Estimated);
        let mut gaps = wanted.map_or_else(Vec::new, |wanted| vec![wanted]);
        for known in &pieces {
            let Some(rest) = gaps.pop() else { break };
            gaps.extend(Span::new(rest.start(), known.piece.span.start().min(rest.end())));
            gaps.extend(Span::new(known.piece.span.end().max(rest.start()), rest.end()));
        }
        Ok(AgendaStatus {
            quantity,
            chain: chain.chain(sources.map(|source| source.id.clone())).collect(),
            refuse_estimates: rules.refuse_estimates,
            horizon: pieces.last().map(|known| known.piece.span.end()),
            estimated_from: estimated.map(|known| known.piece.span.start().max(now)),
            gaps,
        })
    }

    /// A page of what a source said, the newest first; `None` for an unknown source.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn feed_revisions(
        &self,
        id: &str,
        before: Option<i64>,
        limit: u16,
    ) -> Result<Option<Vec<FeedRevisionMeta>>, Fault> {
        if id != API_SOURCE && self.shared.settings.feeds.source(id).is_none() {
            return Ok(None);
        }
        Ok(Some(self.shared.database.feed_revisions_page(id, before, limit).await?))
    }

    /// Keeps what a source said of the past.
    ///
    /// # Errors
    /// The database cannot be written. A revision without pieces is no error; it is not kept.
    pub async fn keep_back_fill(
        &self,
        source: &Source,
        revision: &NewFeedRevision,
    ) -> Result<(), Fault> {
        if revision.pieces.is_empty() {
            return Ok(());
        }
        self.shared.database.keep_feed_revision(revision).await?;
        self.agendas.ring(stored_quantity(source.quantity));
        Ok(())
    }

    /// What is kept of the weeks before now, without estimates; `None` where nothing is.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn past_values(
        &self,
        rules: &AgendaRules,
        now: Timestamp,
    ) -> Result<Option<Agenda<i64>>, Fault> {
        self.history(rules, now, now).await
    }
}
