//! Agendas: what the supplier announced, with every revision.

use grid_feeds::feed::{Accounting, Kind};
use planner::agenda::{Agenda, Piece, Quality};
use planner::quantity::{CarbonIntensity, EnergyPrice, Power, Rate};
use planner::time::{Span, Timestamp};
use storage::{AgendaMeta, FeedValue, NewFeedRevision, Quantity, RevisionId};

use super::cluster::blocking;
use super::feeds::stored_quantity;
use super::provenance::{KnownPiece, known};
use super::{Service, ServiceError};
use crate::config::feeds::{API_SOURCE, AgendaRules};

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
    /// Which quantity.
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

impl Service {
    /// Replaces the span that the agenda covers.
    ///
    /// # Errors
    /// `Invalid` for an agenda without pieces.
    pub async fn put_agenda(
        &self,
        agenda: &PutAgenda,
        meta: &AgendaMeta,
    ) -> Result<AgendaUpdate, ServiceError> {
        let quantity = agenda.quantity();
        let agenda = agenda.millionths();
        let pieces = agenda.pieces();
        let ends = pieces.first().zip(pieces.last());
        let span = ends.and_then(|(first, last)| Span::new(first.span.start(), last.span.end()));
        let Some(span) = span else {
            return Err(ServiceError::Invalid(vec!["an agenda needs at least one piece".into()]));
        };
        let now = self.now();
        if let Some(rules) =
            self.settings.feeds.agendas.iter().find(|it| stored_quantity(it.quantity) == quantity)
        {
            // Kept as what a source said too: compositions put it before all feeds.
            self.keep_put(rules, quantity, meta, pieces, now).await?;
        }
        let revision = {
            let _booking = self.site_books().await?;
            self.database.put_agenda(quantity, meta, pieces, now).await?
        };
        self.feeds.ring(quantity);
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
    ) -> Result<(), ServiceError> {
        if let Some(Kind::Co2 { accounting, .. }) = rules.kind {
            let marginal = accounting == Accounting::Marginal;
            if marginal != (meta.kind == "marginal") {
                let message =
                    "average and marginal intensities do not mix; see the settings of co2";
                return Err(ServiceError::Invalid(vec![message.to_owned()]));
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
        self.database.keep_feed_revision(&revision).await?;
        Ok(())
    }

    /// The pieces, in millionths of the unit, that touch a span: those in force, or those known at `as_of`.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn agenda(
        &self,
        quantity: Quantity,
        span: Span,
        as_of: Option<Timestamp>,
    ) -> Result<Agenda<i64>, ServiceError> {
        let pieces = match as_of {
            None => self.database.agenda(quantity, span).await?,
            Some(as_of) => self.database.agenda_as_of(quantity, span, as_of).await?,
        };
        Agenda::new(pieces).map_err(|error| ServiceError::Internal(error.into()))
    }

    /// The pieces that touch a span with what they rest on: those in force, or those known at
    /// `as_of`, trimmed to the span.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn known_agenda(
        &self,
        quantity: Quantity,
        span: Span,
        as_of: Option<Timestamp>,
    ) -> Result<Vec<KnownPiece>, ServiceError> {
        let proven = self.database.proven_agenda(quantity, span, as_of).await?;
        blocking(move || known(&proven)).await
    }

    /// When the newest revision that touches a span and was known at `as_of` was issued, or received
    /// where its source did not say.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn announced_at(
        &self,
        quantity: Quantity,
        span: Span,
        as_of: Timestamp,
    ) -> Result<Option<Timestamp>, ServiceError> {
        Ok(self.database.agenda_announced(quantity, span, as_of).await?)
    }
}
