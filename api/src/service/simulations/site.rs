//! The site's own nodes and agendas as inputs of an experiment, as they are when it is started.

use std::sync::Arc;

use planner::agenda::{Agenda, Agendas, Piece, RateAgenda};
use planner::json::JsonError;
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::quantity::{CarbonIntensity, EnergyPrice, Power};
use planner::time::{Span, Timestamp};
use serde_json::Value;
use storage::Quantity;

use super::{SimulationError, SimulationService};
use crate::service::shared::provenance::common_accounting;
use crate::service::shared::{Fault, SiteState};
use crate::simulation::document::{Document, Origin};

impl SimulationService {
    /// Replaces what a document takes from the site by what that is now. Prices are in the site's
    /// currency unless the document says otherwise.
    ///
    /// # Errors
    /// `Invalid` where the site has no nodes, or no agenda from the month's start on.
    pub(super) async fn put_in_site(
        &self,
        state: &SiteState,
        document: &mut Document,
    ) -> Result<(), SimulationError> {
        let currency = Value::from(self.shared.settings.currency.code());
        document.experiment.files.entry("currency").or_insert(currency);
        let mut errors = Vec::new();
        if document.nodes == Origin::Site {
            let nodes = &state.cluster.nodes;
            if nodes.as_slice().is_empty() {
                errors.push(missing("/nodes", "the site has no nodes yet"));
            }
            document.nodes = Origin::Given(Arc::clone(nodes));
        }
        if document.agendas == Origin::Site {
            let agendas = self.site_agendas(state, start(document)).await?;
            if agendas.price.agenda().pieces().is_empty() {
                errors.push(missing("/agendas", "the site has no prices from the start on"));
            }
            if agendas.co2.agenda().pieces().is_empty() {
                let message = "the site has no CO2 intensities from the start on";
                errors.push(missing("/agendas", message));
            }
            document.agendas = Origin::Given(agendas);
        }
        if errors.is_empty() { Ok(()) } else { Err(SimulationError::Invalid(errors)) }
    }

    /// How CO2 is counted of what a document takes from the site; `None` where it takes no agendas, and where that is not
    /// known, or not the same for all of it.
    pub(super) async fn site_accounting(
        &self,
        document: &Document,
    ) -> Result<Option<Co2AccountingDocument>, Fault> {
        let span = Span::new(start(document), Timestamp::MAX);
        let Some(span) = span.filter(|_| document.agendas == Origin::Site) else {
            return Ok(None);
        };
        let known = self.agendas.known_agenda(Quantity::Co2, span, None).await?;
        Ok(common_accounting(&known))
    }

    /// The agendas in force from an instant on; no cap where none was ever announced.
    async fn site_agendas(&self, state: &SiteState, from: Timestamp) -> Result<Agendas, Fault> {
        let none = || Fault::Internal(anyhow::anyhow!("a stored value is out of range"));
        let span = Span::new(from, Timestamp::MAX).ok_or_else(none)?;
        let price = self.agendas.agenda(Quantity::Price, span, None).await?;
        let co2 = self.agendas.agenda(Quantity::Co2, span, None).await?;
        let power_cap = if state.agendas.power_cap.is_some() {
            let cap = self.agendas.agenda(Quantity::PowerCap, span, None).await?;
            Some(cap.map(Power::from_microwatts))
        } else {
            None
        };
        let price = typed(&price, EnergyPrice::from_millionths_per_mwh).ok_or_else(none)?;
        let co2 = typed(&co2, CarbonIntensity::from_millionths_g_per_kwh).ok_or_else(none)?;
        Ok(Agendas { price: RateAgenda::new(price), co2: RateAgenda::new(co2), power_cap })
    }
}

/// The earliest start of the document's cells.
fn start(document: &Document) -> Timestamp {
    let variants = document.experiment.variants().unwrap_or_default();
    let starts = variants.iter().map(|variant| variant.parameters.start);
    starts.min().unwrap_or(Timestamp::MIN)
}

fn typed<V: Copy>(agenda: &Agenda<i64>, value: fn(i64) -> Option<V>) -> Option<Agenda<V>> {
    let piece = |piece: &Piece<i64>| Some(Piece { span: piece.span, value: value(piece.value)? });
    let pieces = agenda.pieces().iter().map(piece).collect::<Option<Vec<_>>>()?;
    Agenda::new(pieces).ok()
}

fn missing(pointer: &str, message: &str) -> JsonError {
    JsonError { pointer: pointer.to_owned(), message: message.to_owned() }
}
