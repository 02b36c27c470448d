//! How feeds and agendas stand, for people and monitors.

use grid_feeds::compose::Precedence;
use planner::agenda::{Agenda, Quality};
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::time::{Seconds, Span, Timestamp};
use storage::{FeedRevisionMeta, FeedState, NewFeedRevision, Quantity};

use super::FeedService;
use super::disagreement::{self, SourceAgreement};
use crate::config::feeds::{API_SOURCE, AgendaRules, Source};
use crate::service::shared::provenance::{Co2Accounting, common_accounting};
use crate::service::shared::{Fault, SiteState, stored_quantity};

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
    /// Of CO2: how it is counted from now on, where that is known and the same for all of it.
    pub co2_accounting: Option<Co2AccountingDocument>,
    /// Of CO2: what is shown beside it.
    pub other: Option<OtherCo2Status>,
    /// Whether estimates are gaps.
    pub refuse_estimates: bool,
    /// Whose value counts where several fresh sources have one.
    pub precedence: Precedence,
    /// Where its sources disagree.
    pub agreement: SourceAgreement,
    /// The end of what is in force.
    pub horizon: Option<Timestamp>,
    /// From when on a part is estimated.
    pub estimated_from: Option<Timestamp>,
    /// Between now and where the agenda should reach.
    pub gaps: Vec<Span>,
}

/// CO2 by the accounting that nothing is planned by, and how it stands.
#[derive(Debug)]
pub struct OtherCo2Status {
    /// How it is counted.
    pub accounting: Option<Co2Accounting>,
    /// Its sources, the first counts most.
    pub chain: Vec<String>,
    /// The end of what is known.
    pub horizon: Option<Timestamp>,
}

/// How far an agenda reaches, by the site in memory.
#[derive(Debug)]
pub struct AgendaReach {
    /// The quantity.
    pub quantity: Quantity,
    /// The end of what is in force; `None` where nothing is.
    pub horizon: Option<Timestamp>,
    /// What the settings expect of it; `None` where they expect nothing.
    pub due: Option<DueReach>,
}

/// How far an agenda should reach, and what it lacks until there.
#[derive(Debug)]
pub struct DueReach {
    /// `days_ahead`.
    pub ahead: Seconds,
    /// How long nothing is known between now and there.
    pub gap: Seconds,
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
        let (now, feeds) = self.sources_status().await?;
        let settings = &self.shared.settings.feeds;
        let stored = self.shared.database.disagreements().await?;
        let mut agendas = Vec::with_capacity(settings.agendas.len());
        for rules in &settings.agendas {
            let agreement = disagreement::of(stored_quantity(rules.quantity), &stored);
            agendas.push(self.agenda_status(rules, agreement, now).await?);
        }
        Ok(FeedsStatus { now, feeds, agendas })
    }

    /// How all sources stand now, in the order of the settings.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn sources_status(&self) -> Result<(Timestamp, Vec<FeedStatus>), Fault> {
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
        Ok((now, settings.sources.iter().map(&mut of_source).collect()))
    }

    /// How far agendas reach in a state of the site: those of the settings, and those that were only put.
    pub fn agenda_reaches(&self, state: &SiteState, now: Timestamp) -> Vec<AgendaReach> {
        let rules = &self.shared.settings.feeds.agendas;
        let reach = |quantity: Quantity| {
            let spans = state.announced_spans(quantity);
            let rules = rules.iter().find(|it| stored_quantity(it.quantity) == quantity);
            let Some(rules) = rules else {
                let horizon = Some(spans.last()?.end());
                return Some(AgendaReach { quantity, horizon, due: None });
            };
            let wanted = Span::starting(now, rules.ahead);
            let within = |span: &&Span| wanted.is_some_and(|it| it.intersection(**span).is_some());
            let end = wanted.map(Span::end);
            let horizon = spans.iter().rfind(within).map(|it| it.end()).min(end);
            let gaps = gaps_between(wanted, spans.iter().copied());
            let gap = Seconds::new(gaps.iter().map(|gap| gap.length().get()).sum());
            Some(AgendaReach { quantity, horizon, due: Some(DueReach { ahead: rules.ahead, gap }) })
        };
        Quantity::ALL.into_iter().filter_map(reach).collect()
    }

    async fn agenda_status(
        &self,
        rules: &AgendaRules,
        agreement: SourceAgreement,
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
        let gaps = gaps_between(wanted, pieces.iter().map(|known| known.piece.span));
        Ok(AgendaStatus {
            quantity,
            co2_accounting: common_accounting(&pieces),
            other: self.other_co2_status(rules, wanted).await?,
            chain: chain.chain(sources.map(|source| source.id.clone())).collect(),
            refuse_estimates: rules.refuse_estimates,
            precedence: rules.precedence,
            agreement,
            horizon: pieces.last().map(|known| known.piece.span.end()),
            estimated_from: estimated.map(|known| known.piece.span.start().max(now)),
            gaps,
        })
    }

    async fn other_co2_status(
        &self,
        rules: &AgendaRules,
        wanted: Option<Span>,
    ) -> Result<Option<OtherCo2Status>, Fault> {
        let Some((other, wanted)) = rules.other.as_ref().zip(wanted) else { return Ok(None) };
        let pieces = self.other_co2(wanted, None).await?.unwrap_or_default();
        let sources = &self.shared.settings.feeds.sources;
        let chain = other.chain.iter().filter_map(|&it| Some(sources.get(it)?.id.clone()));
        Ok(Some(OtherCo2Status {
            accounting: Co2Accounting::of(other.kind),
            chain: chain.collect(),
            horizon: pieces.last().map(|known| known.piece.span.end()),
        }))
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

    /// What is kept of so many days before now, without estimates; `None` where nothing is.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn past_values(
        &self,
        rules: &AgendaRules,
        now: Timestamp,
        days: usize,
    ) -> Result<Option<Agenda<i64>>, Fault> {
        self.history(rules, now, now, days).await
    }
}

/// What of a span is in none of these, which are in order.
fn gaps_between(wanted: Option<Span>, known: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut gaps = Vec::new();
    let mut rest = wanted;
    for span in known {
        let Some(left) = rest else { break };
        gaps.extend(Span::new(left.start(), span.start().min(left.end())));
        rest = Span::new(span.end().max(left.start()), left.end());
    }
    gaps.extend(rest);
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: i64, end: i64) -> Span {
        let at = Timestamp::from_unix_seconds;
        Span::new(at(start), at(end)).unwrap()
    }

    #[test]
    fn gaps_lie_before_between_and_after_what_is_known() {
        let gaps = |known: &[(i64, i64)]| {
            let known = known.iter().map(|&(start, end)| span(start, end));
            gaps_between(Some(span(10, 50)), known)
        };
        let no_gaps: [Span; 0] = [];
        assert_eq!(gaps(&[]), [span(10, 50)]);
        assert_eq!(
            gaps(&[(0, 10), (20, 30), (40, 45)]),
            [span(10, 20), span(30, 40), span(45, 50)]
        );
        assert_eq!(gaps(&[(0, 5), (5, 30), (30, 50), (50, 60)]), no_gaps);
        assert_eq!(gaps(&[(15, 60), (70, 80)]), [span(10, 15)]);
        assert_eq!(gaps_between(None, [span(0, 5)].into_iter()), no_gaps);
    }
}
