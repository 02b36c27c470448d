//! Agendas: what the supplier announced, with every revision.

use std::collections::HashMap;
use std::sync::Arc;

use grid_feeds::feed::{Accounting, Kind};
use planner::agenda::{Agenda, Piece, Quality};
use planner::quantity::{CarbonIntensity, EnergyPrice, Power, Rate};
use planner::time::{Span, Timestamp};
use storage::{AgendaMeta, FeedValue, NewFeedRevision, Quantity, RevisionId, StorageError};
use tokio::sync::Notify;

use super::shared::provenance::{KnownPiece, known};
use super::shared::{Fault, Shared, blocking, stored_quantity};
use crate::config::feeds::{API_SOURCE, AgendaRules};

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
        if let Some(rules) = self
            .shared
            .settings
            .feeds
            .agendas
            .iter()
            .find(|it| stored_quantity(it.quantity) == quantity)
        {
            // Kept as what a source said too: compositions put it before all feeds.
            self.keep_put(rules, quantity, meta, pieces, now).await?;
        }
        let revision = {
            let _booking = self.shared.pool.site_turn().await;
            self.shared.database.put_agenda(quantity, meta, pieces, now).await?
        };
        self.ring(quantity);
        Ok(AgendaUpdate { revision, span, pieces: pieces.len() })
    }

    /// Keeps what was put as what the source `api` said.
    async fn keep_put(
        &self,
        rules: &AgendaRules,
        quantity: Quantity,
        meta: &AgendaMeta,
        pieces: &[Piece<i64>],
        now: Timestamp,
    ) -> Result<(), PutAgendaError> {
        if let Some(Kind::Co2 { accounting, .. }) = rules.kind {
            let marginal = accounting == Accounting::Marginal;
            if marginal != (meta.kind == "marginal") {
                return Err(PutAgendaError::Mixed);
            }
        }
        let quality = Quality::from_word(&meta.quality).unwrap_or(Quality::Estimated);
        let piece = |it: &Piece<i64>| Piece {
            span: it.span,
            value: FeedValue { value: it.value, quality },
        };
        let revision = NewFeedRevision {
            feed: API_SOURCE.to_owned(),
            quantity,
            zone: meta.source.clone(),
            kind: meta.kind.clone(),
            issued: meta.issued,
            received: now,
            notes: Vec::new(),
            pieces: pieces.iter().map(piece).collect(),
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
