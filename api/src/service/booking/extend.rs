//! Extensions: a confirmed or active reservation keeps its nodes for longer, where that fits.

use std::ops::Range;
use std::sync::Arc;

use planner::extension::{Extending, Obstacle, ObstacleKind, values_of};
use planner::identity::ReservationId;
use planner::json::JsonError;
use planner::json::basis::BasisDocument;
use planner::quota::BudgetUse;
use planner::reservation::{AddedAmounts, Reservation, ReservationState};
use planner::time::{Seconds, Span, Timestamp};
use serde_json::Value;
use storage::{NewEnd, PlanBasis, ProposeError, Unchanged};

use super::draws::Draws;
use super::not_extended::{ExtensionReason, NotExtended};
use super::{BookingError, BookingService, ChangedReservation};
use crate::service::shared::provenance::stored_accounting;
use crate::service::shared::{Access, Fault, Party, SiteState, blocking};

/// How often an extension is tried anew when others change the book meanwhile.
const TRIES: usize = 8;

/// How much longer a reservation is to last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// By so much.
    By(Seconds),
    /// Until then.
    Until(Timestamp),
}

impl Extension {
    /// The end of a reservation that is extended so.
    fn end(self, span: Span) -> Result<Timestamp, BookingError> {
        let end = match self {
            Self::By(more) => span.end() + more,
            Self::Until(end) => end,
        };
        if end > span.end() && end <= Timestamp::MAX {
            return Ok(end);
        }
        let message =
            format!("the new end must lie after {}, when the reservation ends", span.end());
        let pointer = self.pointer().to_owned();
        Err(BookingError::InvalidRequest(vec![JsonError { pointer, message }]))
    }

    /// The member of a body that says it.
    const fn pointer(self) -> &'static str {
        match self {
            Self::By(_) => "/by_s",
            Self::Until(_) => "/until",
        }
    }
}

impl BookingService {
    /// Lets a confirmed or active reservation keep its nodes for longer.
    ///
    /// # Errors
    /// `NotExtended` with what is in the way, `Quota`, `NotTheirs`, `WrongState`, `VersionMismatch`, `NoReservation`, `BookChanged`
    /// where others changed the book at each try, `Quote` where the new end is none.
    pub async fn extend(
        &self,
        access: Access<'_>,
        id: ReservationId,
        extension: Extension,
        version: Option<i64>,
    ) -> Result<ChangedReservation, BookingError> {
        let _booking = self.shared.pool.booking_turn(Party::of(access)).await?;
        // What was read first stays what is extended: sent again by a retry, it is not added twice.
        let mut until = None;
        for _ in 0..TRIES {
            let stored = self.expected_reservation(access, id, version).await?;
            // Read later, so that whatever was chosen is in it.
            let state = self.shared.state().await?;
            let Some(basis) = state.marks.map(PlanBasis::from) else { continue };
            let now = self.shared.now();
            let (Some((_, span)), ReservationState::Confirmed | ReservationState::Active) =
                (stored.chosen, stored.state_at(now))
            else {
                return Err(BookingError::WrongState {
                    state: stored.state_at(now).word().to_owned(),
                    way_out: "only a confirmed or an active reservation can be extended",
                });
            };
            let end = match until {
                Some(end) => end,
                None => *until.insert(extension.end(span)?),
            };
            if end <= span.end() {
                return Err(BookingError::BookChanged);
            }
            self.check_quotas_of(access, &stored, Some(end)).await?;
            let Some(new) = self.lengthened(&stored, &state, end).await? else { continue };
            let new =
                new.map_err(|refusal| BookingError::NotExtended(refusal, extension.pointer()))?;
            self.check_budgets_of(access, &stored, added(&stored, &new)).await?;
            let unchanged = Unchanged { id, row_version: stored.row_version, basis };
            match self.shared.database.extend(unchanged, &new, now).await {
                Ok(Some(extended)) => {
                    metrics::counter!("wattbook_extensions_total").increment(1);
                    let after = self.changed(extended).await?;
                    return Ok(ChangedReservation { before: stored, after });
                }
                Err(ProposeError::Storage(error)) => return Err(error.into()),
                Ok(None) | Err(_) => {}
            }
        }
        Err(BookingError::BookChanged)
    }

    /// The later end, or what is in its way; `None` where the state does not have the reservation as it was
    /// read.
    async fn lengthened(
        &self,
        stored: &Reservation,
        state: &Arc<SiteState>,
        end: Timestamp,
    ) -> Result<Option<Result<NewEnd, Box<NotExtended>>>, Fault> {
        let (draws, stored) = (self.draws(stored, state), stored.clone());
        blocking(move || draws.lengthened(&stored, end)).await
    }
}

impl Draws {
    fn lengthened(
        &self,
        stored: &Reservation,
        end: Timestamp,
    ) -> Option<Result<NewEnd, Box<NotExtended>>> {
        let (offer, span) = stored.chosen?;
        let terms = &stored.chosen_offer()?.terms;
        let (state, id) = (&self.state, stored.id.to_string());
        let own = state.book.bookings().iter().filter(|it| *it.id == id);
        let last = own.max_by_key(|it| it.span.end()).filter(|it| it.span.end() == span.end())?;
        let others = state.without(stored.id).claims();
        let extending = Extending {
            book: &state.book,
            agendas: &state.agendas,
            base_power: state.cluster.base_power,
            others: &others,
            start: span.start(),
            last,
        };
        let obstacles = extending.obstacles();
        let latest_end = obstacles.first().map_or(end, |nearest| nearest.from);
        if end > latest_end {
            let near = obstacles.iter().filter(|obstacle| obstacle.from < end);
            return Some(Err(Box::new(NotExtended {
                until: end,
                longest_s: (latest_end - span.end()).get(),
                latest_end,
                reasons: near.map(|it| reason(it, state)).collect(),
            })));
        }
        let more = Span::new(span.end(), end)?;
        let (draw, _) = self.of(terms, &last.ranks);
        // The agendas are known until then, or one of them would be in the way.
        let values = values_of(draw, more, &state.agendas, self.settings.currency)?;
        let (cost_band, co2_band) = state.provenance.bands(draw, more, self.settings.currency);
        let added = AddedAmounts { values, cost_band, co2_band };
        let mut terms = terms.clone().extended(end, &added);
        let otherwise = counted_otherwise(&stored.summary, state.provenance.co2_basis(more));
        let summary = otherwise.map(|(summary, added)| {
            if let Some(rests_on) = &mut terms.basis {
                rests_on.extend(added);
            }
            summary
        });
        Some(Ok(NewEnd { offer, before: span.end(), terms, summary }))
    }
}

/// What is stored beside the offers, with what of `more` is counted otherwise than their CO2 at the end of its `basis`, and the
/// positions of that: so the CO2 of both together names no accounting. `None` where all is counted as it was, or that was not
/// known.
fn counted_otherwise(summary: &str, more: Vec<BasisDocument>) -> Option<(String, Range<usize>)> {
    let mut summary: Value = serde_json::from_str(summary).ok()?;
    let basis = summary.get_mut("basis")?.as_array_mut()?;
    let before = Some(stored_accounting(basis)?);
    let first = basis.len();
    let differ = more.into_iter().filter(|it| it.co2_accounting != before);
    basis.extend(differ.filter_map(|it| serde_json::to_value(it).ok()));
    let added = first..basis.len();
    (!added.is_empty()).then(|| (summary.to_string(), added))
}

/// What a reservation takes more until its new end.
fn added(stored: &Reservation, new: &NewEnd) -> Option<BudgetUse> {
    let before = &stored.chosen_offer()?.terms.values;
    let after = &new.terms.values;
    let (energy, cost, co2) =
        (after.energy - before.energy, after.cost - before.cost, after.co2 - before.co2);
    let span = Span::new(new.before, new.terms.span.end())?;
    let amounts = [energy.as_microjoules(), cost.as_exact(), co2.as_exact()];
    Some(BudgetUse { span, amounts, is_measured: false })
}

/// What is in the way, in words.
fn reason(obstacle: &Obstacle, state: &SiteState) -> ExtensionReason {
    let from = obstacle.from;
    let nodes = |ranks| {
        let nodes = state.cluster.named(ranks);
        let names = nodes.names.as_ref().map(|names| names.join(", "));
        names.unwrap_or_else(|| format!("{} of its nodes", nodes.count()))
    };
    let (code, detail) = match &obstacle.kind {
        ObstacleKind::Reserved(ranks) => {
            ("nodes", format!("others have reserved {} from {from} on", nodes(ranks)))
        }
        ObstacleKind::OutOfService(ranks) => {
            ("outage", format!("{} will be out of service from {from} on", nodes(ranks)))
        }
        ObstacleKind::Power(missing) => {
            ("power_cap", format!("the power cap leaves {missing} too little from {from} on"))
        }
        ObstacleKind::NoValue(agenda) => {
            let agenda = agenda.replace('_', " ");
            ("no_agenda", format!("no {agenda} is known from {from} on"))
        }
        ObstacleKind::TooLong => {
            ("duration", format!("no reservation may be so long that it lasts beyond {from}"))
        }
    };
    ExtensionReason { code, from, detail }
}

#[cfg(test)]
mod tests {
    use planner::json::co2_accounting::Co2AccountingDocument;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_extension_that_is_counted_otherwise_leaves_no_accounting_of_the_sum() {
        let basis = |accounting: &str| BasisDocument {
            quantity: "co2",
            source: "rte".to_owned(),
            standing: "fresh",
            quality: "measured",
            issued_at: None,
            received_at: None,
            co2_accounting: Some(Co2AccountingDocument {
                accounting: accounting.to_owned(),
                factors: Some("direct".to_owned()),
            }),
        };
        let price = json!({ "quantity": "price", "source": "epex" });
        let summary = json!({ "decision": "choice", "basis": [price, basis("average")] });
        let extended = |more: &str| counted_otherwise(&summary.to_string(), vec![basis(more)]);
        assert_eq!(extended("average"), None);
        let (told, added) = extended("marginal").unwrap();
        let told: Value = serde_json::from_str(&told).unwrap();
        let all = told["basis"].as_array().unwrap();
        assert_eq!((all.len(), added, &told["decision"]), (3, 2..3, &json!("choice")));
        assert_eq!(stored_accounting(all), None);
        // What waits for the supplier has no basis yet.
        assert_eq!(counted_otherwise("{}", vec![basis("marginal")]), None);
    }
}
