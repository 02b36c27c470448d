//! Agendas: what the supplier announced, with every revision.

use std::collections::HashMap;
use std::sync::Arc;

use grid_feeds::feed::{self, Factors, KnownValue};
use planner::agenda::{Agenda, Piece, Quality};
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::quantity::{CarbonIntensity, EnergyPrice, Power, Rate};
use planner::time::{Span, Timestamp};
use storage::{AgendaMeta, FeedValue, NewFeedRevision, Quantity, RevisionId, StorageError};
use tokio::sync::Notify;

use super::shared::provenance::{Co2Accounting, KnownPiece, known};
use super::shared::{Fault, Shared, SiteState, blocking, stored_quantity};
use crate::config::feeds::{API_SOURCE, AgendaRules};

/// What stands in place of the kind of what is withdrawn.
const WITHDRAWN: &str = "withdrawn";

/// Agendas as they were put and as they are in force.
pub struct AgendaService {
    shared: Arc<Shared>,
    /// Rung where something new was said of a quantity.
    bells: HashMap<Quantity, Notify>,
}

/// Why an agenda is not taken.
#[derive(Debug, thiserror::Error)]
pub enum PutAgendaError {
    /// The agenda has no piece.
    #[error("an agenda needs at least one piece")]
    Empty,
    /// The agenda has intensities that are counted in another way.
    #[error(
        "the intensities are {put}, those of the site's agenda {agenda}; they do not mix: put them with kind and factors as \
         the agenda has them, or change accounting and factors of [agendas.co2]"
    )]
    Mixed {
        /// How what was put is counted.
        put: Co2AccountingDocument,
        /// How the agenda is.
        agenda: Co2AccountingDocument,
    },
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<StorageError> for PutAgendaError {
    fn from(error: StorageError) -> Self {
        Self::Fault(error.into())
    }
}

/// A checked agenda of any quantity.
#[derive(Clone, Debug)]
pub enum PutAgenda {
    /// Currency per MWh.
    Price(Agenda<EnergyPrice>),
    /// Grams per kWh.
    Co2(Agenda<CarbonIntensity>),
    /// Watts.
    PowerCap(Agenda<Power>),
}

/// What a put did.
#[derive(Clone, Copy, Debug)]
pub struct AgendaUpdate {
    /// The new revision.
    pub revision: RevisionId,
    /// What it replaced: from its first start to its last end.
    pub span: Span,
    /// Its pieces.
    pub pieces: usize,
}

impl PutAgenda {
    /// The quantity that it is an agenda of.
    pub const fn quantity(&self) -> Quantity {
        match self {
            Self::Price(_) => Quantity::Price,
            Self::Co2(_) => Quantity::Co2,
            Self::PowerCap(_) => Quantity::PowerCap,
        }
    }

    /// As stored: whole millionths of the unit.
    fn millionths(&self) -> Agenda<i64> {
        match self {
            Self::Price(agenda) => agenda.map(Rate::as_millionths),
            Self::Co2(agenda) => agenda.map(Rate::as_millionths),
            Self::PowerCap(agenda) => agenda.map(Power::as_microwatts),
        }
    }
}

impl AgendaService {
    /// On what all services share.
    pub fn new(shared: Arc<Shared>) -> Self {
        let bells = Quantity::ALL.into_iter().map(|quantity| (quantity, Notify::new())).collect();
        Self { shared, bells }
    }

    /// Tells whoever composes an agenda that there is something new.
    pub fn ring(&self, quantity: Quantity) {
        if let Some(bell) = self.bells.get(&quantity) {
            bell.notify_one();
        }
    }

    /// Waits until there is something new of a quantity.
    pub async fn rung(&self, quantity: Quantity) {
        match self.bells.get(&quantity) {
            Some(bell) => bell.notified().await,
            None => std::future::pending().await,
        }
    }

    /// Replaces the span that the agenda covers.
    ///
    /// # Errors
    /// `Empty`; `Mixed` where the site's agenda is of another kind.
    pub async fn put_agenda(
        &self,
        agenda: &PutAgenda,
        meta: &AgendaMeta,
    ) -> Result<AgendaUpdate, PutAgendaError> {
        let quantity = agenda.quantity();
        let agenda = agenda.millionths();
        let pieces = agenda.pieces();
        let ends = pieces.first().zip(pieces.last());
        let span = ends.and_then(|(first, last)| Span::new(first.span.start(), last.span.end()));
        let Some(span) = span else {
            return Err(PutAgendaError::Empty);
        };
        let (now, mut meta) = (self.shared.now(), meta.clone());
        if let Some(rules) = self.rules(quantity) {
            if let Some(kind) = self.kind_of_agenda(rules, now).await? {
                meta.kind = as_counted(&meta.kind, kind)?;
            }
            let quality = Quality::from_word(&meta.quality).unwrap_or(Quality::Estimated);
            self.keep_said(quantity, &meta, said(pieces, quality), Vec::new(), now).await?;
        }
        let revision = {
            let _booking = self.shared.pool.site_turn().await;
            self.shared.database.put_agenda(quantity, &meta, pieces, now).await?
        };
        self.ring(quantity);
        Ok(AgendaUpdate { revision, span, pieces: pieces.len() })
    }

    /// Withdraws what is known of a span: nothing is until something is put, or said by a feed.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn withdraw_agenda(
        &self,
        quantity: Quantity,
        span: Span,
    ) -> Result<AgendaUpdate, Fault> {
        let now = self.shared.now();
        let meta = AgendaMeta {
            source: API_SOURCE.to_owned(),
            kind: WITHDRAWN.to_owned(),
            quality: Quality::Measured.word().to_owned(),
            issued: None,
        };
        if self.rules(quantity).is_some() {
            let notes = vec![format!("{WITHDRAWN}: nothing is said of the span any more")];
            self.keep_said(quantity, &meta, vec![taken_back(span)], notes, now).await?;
        }
        let revision = {
            let _booking = self.shared.pool.site_turn().await;
            self.shared.database.withdraw_agenda(quantity, &meta, span, now).await?
        };
        self.ring(quantity);
        Ok(AgendaUpdate { revision, span, pieces: 0 })
    }

    /// How the settings make an agenda of sources; `None` where it has only what is put.
    fn rules(&self, quantity: Quantity) -> Option<&AgendaRules> {
        let mut agendas = self.shared.settings.feeds.agendas.iter();
        agendas.find(|it| stored_quantity(it.quantity) == quantity)
    }

    /// What CO2 of a composed agenda is: as the settings say, else as the first of its sources that said anything, else as what
    /// was put of the time to come. `None` of other quantities, and before that.
    async fn kind_of_agenda(
        &self,
        rules: &AgendaRules,
        now: Timestamp,
    ) -> Result<Option<Co2Accounting>, StorageError> {
        if rules.quantity != feed::Quantity::Co2 || rules.kind.is_some() {
            return Ok(rules.kind.and_then(Co2Accounting::of));
        }
        let revisions = self.shared.database.latest_feed_revisions().await?;
        let sources = &self.shared.settings.feeds.sources;
        let said = rules.chain.iter().filter_map(|&it| sources.get(it)).find_map(|source| {
            let last = revisions.iter().find(|it| it.feed == source.id)?;
            Co2Accounting::of_words(Quantity::Co2, &last.kind)
        });
        if said.is_some() {
            return Ok(said);
        }
        let Some(ahead) = Span::new(now, Timestamp::MAX) else { return Ok(None) };
        let database = &self.shared.database;
        let put = database.feed_revisions_over(API_SOURCE, Quantity::Co2, ahead, Timestamp::MAX);
        Ok(Co2Accounting::of_put(&put.await?))
    }

    /// Keeps what was put, or withdrawn, as what the source `api` said too: compositions put it before all feeds.
    async fn keep_said(
        &self,
        quantity: Quantity,
        meta: &AgendaMeta,
        pieces: Vec<Piece<FeedValue>>,
        notes: Vec<String>,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let revision = NewFeedRevision {
            feed: API_SOURCE.to_owned(),
            quantity,
            zone: meta.source.clone(),
            kind: meta.kind.clone(),
            issued: meta.issued,
            received: now,
            notes,
            pieces,
        };
        self.shared.database.keep_feed_revision(&revision).await?;
        Ok(())
    }

    /// The pieces, in millionths of the unit, that touch a span: those in force, or those known at `as_of`.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn agenda(
        &self,
        quantity: Quantity,
        span: Span,
        as_of: Option<Timestamp>,
    ) -> Result<Agenda<i64>, Fault> {
        let pieces = match as_of {
            None => self.shared.database.agenda(quantity, span).await?,
            Some(as_of) => self.shared.database.agenda_as_of(quantity, span, as_of).await?,
        };
        Agenda::new(pieces).map_err(Fault::internal)
    }

    /// The pieces that touch a span with what they rest on: those in force, or those known at
    /// `as_of`, trimmed to the span.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn known_agenda(
        &self,
        quantity: Quantity,
        span: Span,
        as_of: Option<Timestamp>,
    ) -> Result<Vec<KnownPiece>, Fault> {
        let proven = self.shared.database.proven_agenda(quantity, span, as_of).await?;
        blocking(move || known(&proven)).await?.map_err(Fault::internal)
    }

    /// The pieces of a state that touch a span from now on with what they rest on, trimmed to the span.
    ///
    /// # Errors
    /// What is stored cannot be read.
    pub async fn kept_agenda(
        &self,
        quantity: Quantity,
        span: Span,
        state: &SiteState,
    ) -> Result<Vec<KnownPiece>, Fault> {
        let proven = state.proven(quantity, span);
        blocking(move || known(&proven)).await?.map_err(Fault::internal)
    }

    /// When the newest revision that touches a span and was known at `as_of` was issued, or received
    /// where its source did not say.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn announced_at(
        &self,
        quantity: Quantity,
        span: Span,
        as_of: Timestamp,
    ) -> Result<Option<Timestamp>, Fault> {
        Ok(self.shared.database.agenda_announced(quantity, span, as_of).await?)
    }
}

/// The words of a kind that was put, with the factors of the agenda where it has none.
fn as_counted(words: &str, agenda: Co2Accounting) -> Result<String, PutAgendaError> {
    let put = Co2Accounting::of_words(Quantity::Co2, words).unwrap_or(agenda);
    let factors = put.factors.or(agenda.factors);
    if put.accounting != agenda.accounting || factors != agenda.factors {
        let (put, agenda) = (put.document(), agenda.document());
        return Err(PutAgendaError::Mixed { put, agenda });
    }
    let words = [Some(put.accounting.word()), factors.map(Factors::word)];
    Ok(words.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// What is said by pieces, which are in order: of the gaps between them that nothing is, whatever was said before.
fn said(pieces: &[Piece<i64>], quality: Quality) -> Vec<Piece<FeedValue>> {
    let mut said: Vec<Piece<FeedValue>> = Vec::with_capacity(pieces.len());
    for &Piece { span, value } in pieces {
        let before = said.last().map_or(span.start(), |last| last.span.end());
        said.extend(Span::new(before, span.start()).map(taken_back));
        said.push(Piece { span, value: FeedValue { value, quality } });
    }
    said
}

const fn taken_back(span: Span) -> Piece<FeedValue> {
    let KnownValue { value, quality } = KnownValue::TAKEN_BACK;
    Piece { span, value: FeedValue { value, quality } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: i64, end: i64) -> Span {
        let at = Timestamp::from_unix_seconds;
        Span::new(at(start), at(end)).unwrap()
    }

    #[test]
    fn what_is_put_has_the_factors_of_the_agenda_and_mixes_with_nothing_else() {
        use grid_feeds::feed::Accounting;

        let factors = Some(Factors::Direct);
        let agenda = Co2Accounting { accounting: Accounting::Average, factors };
        assert_eq!(as_counted("average", agenda).unwrap(), "average direct");
        assert_eq!(as_counted("average direct", agenda).unwrap(), "average direct");
        for (words, told) in [
            (
                "marginal",
                "the intensities are marginal, those of the site's agenda average, direct",
            ),
            ("average life-cycle", "the intensities are average, life-cycle, those of the site's"),
        ] {
            let error = as_counted(words, agenda).unwrap_err().to_string();
            assert!(error.starts_with(told), "{error}");
        }
    }

    #[test]
    fn gaps_inside_of_what_is_put_take_back_what_was_said_before() {
        let piece = |start, end, value| Piece { span: span(start, end), value };
        let value = |start, end, value| {
            let value = FeedValue { value, quality: Quality::Forecast };
            Piece { span: span(start, end), value }
        };
        let put = [piece(0, 10, 1), piece(10, 20, 2), piece(30, 40, 3)];
        let expected =
            [value(0, 10, 1), value(10, 20, 2), taken_back(span(20, 30)), value(30, 40, 3)];
        assert_eq!(said(&put, Quality::Forecast), expected);
    }
}
