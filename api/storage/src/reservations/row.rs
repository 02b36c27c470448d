//! Rows of reservations and offers, and their way into the domain.

use planner::criterion::Values;
use planner::decision::Savings;
use planner::identity::{OfferId, ReservationId};
use planner::json::notice::read_notice;
use planner::quantity::{Currency, Power};
use planner::ranking::Ranking;
use planner::reservation::{HeldOffer, NamedNodes, OfferTerms, Reservation, ReservationState};
use planner::time::{Seconds, Timestamp};
use sqlx::FromRow;
use uuid::Uuid;

use super::amounts::{energy, mass, money};
use crate::error::StorageError;
use crate::row::{inconsistent, set_of, span};

#[derive(FromRow)]
pub(crate) struct ReservationRow {
    #[sqlx(try_from = "Uuid")]
    pub id: ReservationId,
    owner: String,
    state: String,
    degraded: bool,
    request: String,
    created_s: i64,
    expires_s: i64,
    chosen_offer_id: Option<Uuid>,
    start_s: Option<i64>,
    end_s: Option<i64>,
    document: String,
    row_version: i64,
    confirmed_s: Option<i64>,
    priority: i64,
    replaces: Option<Uuid>,
    notice: Option<String>,
}

#[derive(FromRow)]
pub(crate) struct OfferRow {
    #[sqlx(try_from = "Uuid")]
    id: OfferId,
    #[sqlx(try_from = "Uuid")]
    pub reservation_id: ReservationId,
    start_s: i64,
    end_s: i64,
    rankings: String,
    node_names: Option<String>,
    node_ranges: String,
    energy_uj: String,
    cost_exact: String,
    currency: String,
    extra_power_fee_exact: Option<String>,
    co2_exact: String,
    peak_power_uw: i64,
    delay_s: i64,
    saved_energy_uj: String,
    saved_cost_exact: String,
    saved_co2_exact: String,
    cost_low_exact: Option<String>,
    cost_high_exact: Option<String>,
    co2_low_exact: Option<String>,
    co2_high_exact: Option<String>,
    basis: Option<String>,
}

impl ReservationRow {
    /// The reservation of this row with its offers.
    pub(crate) fn reservation(self, offers: Vec<HeldOffer>) -> Result<Reservation, StorageError> {
        let row = self;
        let wrong = |problem| inconsistent("reservations", &row.id, problem);
        let chosen = match (row.chosen_offer_id, row.start_s, row.end_s) {
            (Some(offer), Some(start_s), Some(end_s)) => {
                let span = span(start_s, end_s).ok_or_else(wrong("the span is empty"))?;
                Some((OfferId::new(offer), span))
            }
            (None, None, None) => None,
            _ => return Err(wrong("the chosen offer and its span are not all there")()),
        };
        let notice = row.notice.as_deref().map(read_notice).transpose();
        Ok(Reservation {
            id: row.id,
            owner: row.owner,
            state: ReservationState::from_word(&row.state).ok_or_else(wrong("unknown state"))?,
            degraded: row.degraded,
            request: row.request,
            created: Timestamp::from_unix_seconds(row.created_s),
            expires: Timestamp::from_unix_seconds(row.expires_s),
            chosen,
            summary: row.document,
            row_version: row.row_version,
            confirmed: row.confirmed_s.map(Timestamp::from_unix_seconds),
            priority: row.priority,
            replaces: row.replaces.map(ReservationId::new),
            notice: notice.map_err(|_| wrong("the notice cannot be read")())?,
            offers,
        })
    }
}

impl TryFrom<OfferRow> for HeldOffer {
    type Error = StorageError;
    fn try_from(row: OfferRow) -> Result<Self, StorageError> {
        let wrong = |problem| inconsistent("offers", &row.id, problem);
        let terms = row.terms().map_err(|problem| wrong(problem)())?;
        Ok(Self { id: row.id, terms })
    }
}

impl OfferRow {
    fn terms(&self) -> Result<OfferTerms, &'static str> {
        let rankings: Result<Vec<Ranking>, _> =
            self.rankings.split_whitespace().map(str::parse).collect();
        let currency = Currency::parse(&self.currency).map_err(|_| "unknown currency")?;
        let costs = |text: &String| money(text, currency);
        let exact = "an amount cannot be read";
        Ok(OfferTerms {
            rankings: rankings.map_err(|_| "unknown ranking")?,
            span: span(self.start_s, self.end_s).ok_or("the span is empty")?,
            nodes: NamedNodes {
                names: self.node_names.as_deref().map(names_of),
                ordinals: set_of(&self.node_ranges).ok_or("the nodes cannot be read")?,
            },
            values: Values {
                energy: energy(&self.energy_uj).ok_or(exact)?,
                cost: costs(&self.cost_exact).ok_or(exact)?,
                co2: mass(&self.co2_exact).ok_or(exact)?,
            },
            extra_power_fee: match &self.extra_power_fee_exact {
                Some(fee) => Some(costs(fee).ok_or(exact)?),
                None => None,
            },
            peak_power: Power::from_microwatts(self.peak_power_uw),
            delay: Seconds::new(self.delay_s),
            saves: Savings {
                energy: energy(&self.saved_energy_uj).ok_or(exact)?,
                cost: costs(&self.saved_cost_exact).ok_or(exact)?,
                co2: mass(&self.saved_co2_exact).ok_or(exact)?,
            },
            cost_band: band(self.cost_low_exact.as_ref(), self.cost_high_exact.as_ref(), costs)?,
            co2_band: band(self.co2_low_exact.as_ref(), self.co2_high_exact.as_ref(), |text| {
                mass(text)
            })?,
            basis: match &self.basis {
                Some(positions) => {
                    let positions = positions.split_whitespace().map(str::parse);
                    let positions: Result<Vec<usize>, _> = positions.collect();
                    Some(positions.map_err(|_| "the basis cannot be read")?)
                }
                None => None,
            },
        })
    }
}

fn band<A>(
    low: Option<&String>,
    high: Option<&String>,
    amount: impl Fn(&String) -> Option<A>,
) -> Result<Option<(A, A)>, &'static str> {
    match (low, high) {
        (None, None) => Ok(None),
        (Some(low), Some(high)) => {
            amount(low).zip(amount(high)).map(Some).ok_or("an amount cannot be read")
        }
        _ => Err("a band has one end only"),
    }
}

/// Names as the table keeps them: tabs between, which no name has.
pub(crate) fn name_text(names: &[String]) -> String {
    names.join("\t")
}

/// Names from what the table keeps.
fn names_of(text: &str) -> Vec<String> {
    match text {
        "" => Vec::new(),
        text => text.split('\t').map(str::to_owned).collect(),
    }
}
