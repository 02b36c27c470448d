//! Agendas: what the supplier announced, with every revision.

use std::collections::HashMap;
use std::sync::Arc;

use grid_feeds::feed::{Accounting, Kind, KnownValue};
use planner::agenda::{Agenda, Piece, Quality};
use planner::quantity::{CarbonIntensity, EnergyPrice, Power, Rate};
use planner::time::{Span, Timestamp};
use storage::{AgendaMeta, FeedValue, NewFeedRevision, Quantity, RevisionId, StorageError};
use tokio::sync::Notify;

use super::shared::provenance::{KnownPiece, known};
use super::shared::{Fault, Shared, blocking, stored_quantity};
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
    /// The settings want intensities of the other kind.
    #[error("average and marginal intensities do not mix; see the settings of co2")]
    Mixed,
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
    /// `Empty`; `Mixed` where the settings want another kind.
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
        let now = self.shared.now();
        if let Some(rules) = self.rules(quantity) {
            if let Some(Kind::Co2 { accounting, .. }) = rules.kind {
                let marginal = accounting == Accounting::Marginal;
                if marginal != (meta.kind == "marginal") {
                    return Err(PutAgendaError::Mixed);
                }
            }
            let quality = Quality::from_word(&meta.quality).unwrap_or(Quality::Estimated);
            self.keep_said(quantity, meta, said(pieces, quality), Vec::new(), now).await?;
        }
        let revision = {
            let _booking = self.shared.pool.site_turn().await;
            self.shared.database.put_agenda(quantity, meta, pieces, now).await?
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
