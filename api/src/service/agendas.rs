//! Agendas: what the supplier announced, with every revision.

use planner::agenda::Agenda;
use planner::quantity::{CarbonIntensity, EnergyPrice, Power, Rate};
use planner::time::{Span, Timestamp};
use storage::{AgendaMeta, Quantity, RevisionId};

use super::{Service, ServiceError};

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
        let _booking = self.booking.lock().await;
        let revision = self.database.put_agenda(quantity, meta, pieces, self.now()).await?;
        Ok(AgendaUpdate { revision, span, pieces: pieces.len() })
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
}
