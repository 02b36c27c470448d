//! Rows of documents that earlier releases stored, and their way into the domain.

use std::collections::HashMap;

use planner::criterion::Values;
use planner::decision::Savings;
use planner::identity::OfferId;
use planner::json::notice::named_nodes;
use planner::quantity::{CarbonMass, Currency, Energy, Money, Power};
use planner::ranking::Ranking;
use planner::reservation::{Expectation, OfferExpectation, OfferTerms};
use planner::time::{Seconds, Span, Timestamp};
use serde::Deserialize;
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::row::RowPlace;

/// A document says something that no column can hold.
struct Unreadable;

/// A document that has yet to become columns.
#[derive(FromRow)]
pub(super) struct FormerRow {
    pub(super) kind: String,
    pub(super) id: Uuid,
    document: String,
}

#[derive(Deserialize)]
struct FormerOffer {
    rankings: Vec<String>,
    start: String,
    end: String,
    nodes: Option<Vec<String>>,
    node_ranges: Vec<[u32; 2]>,
    energy_j: f64,
    cost: f64,
    currency: String,
    extra_power_fee: Option<f64>,
    co2_g: f64,
    peak_power_w: f64,
    delay_s: i64,
    saves: FormerSavings,
    cost_low: Option<f64>,
    cost_high: Option<f64>,
    co2_low_g: Option<f64>,
    co2_high_g: Option<f64>,
    basis: Option<Vec<usize>>,
}

#[derive(Deserialize)]
struct FormerSavings {
    energy_j: f64,
    cost: f64,
    co2_g: f64,
}

/// What was expected of a reservation; `null` where that was what had been offered.
#[derive(Deserialize)]
struct FormerExpectation {
    evaluated_at: String,
    offers: Vec<FormerExpectedOffer>,
}

#[derive(Deserialize)]
struct FormerExpectedOffer {
    offer_id: Uuid,
    cost: Option<f64>,
    co2_g: Option<f64>,
    cap_kept: Option<bool>,
}

impl FormerRow {
    const fn place(&self) -> RowPlace<Uuid> {
        RowPlace { table: "former_documents", row: self.id }
    }

    /// The nodes and amounts of an offer.
    pub(super) fn terms(&self) -> Result<OfferTerms, StorageError> {
        let read = serde_json::from_str::<FormerOffer>(&self.document).map_err(|_| Unreadable);
        let terms = read.and_then(FormerOffer::terms);
        terms.map_err(|_| self.place().wrong("document", "the offer cannot be read"))
    }

    /// What was expected; `None` where all was as offered: the row that says when it was judged is there
    /// already.
    pub(super) fn expectation(
        &self,
        currencies: &HashMap<OfferId, Currency>,
    ) -> Result<Option<Expectation>, StorageError> {
        let read = serde_json::from_str::<Option<FormerExpectation>>(&self.document);
        let wrong = |_| self.place().wrong("document", "what was expected cannot be read");
        let read = read.map_err(|_| Unreadable).map_err(wrong)?;
        read.map(|read| read.expectation(currencies)).transpose().map_err(wrong)
    }
}

impl FormerOffer {
    fn terms(self) -> Result<OfferTerms, Unreadable> {
        let currency = Currency::parse(&self.currency).map_err(|_| Unreadable)?;
        let money = |it: f64| Money::from_units(it, currency);
        let mass = CarbonMass::from_grams;
        let fee = optional(self.extra_power_fee, money)?;
        // What was printed as the cost had the fee in it.
        let cost = money(self.cost).ok_or(Unreadable)?;
        let cost = fee.map_or(cost, |fee| cost - fee);
        let rankings = self.rankings.iter().map(|word| word.parse().map_err(|_| Unreadable));
        let span = Span::new(instant(&self.start)?, instant(&self.end)?);
        Ok(OfferTerms {
            rankings: rankings.collect::<Result<Vec<Ranking>, _>>()?,
            is_compromise: false,
            span: span.ok_or(Unreadable)?,
            nodes: named_nodes(self.nodes, &self.node_ranges).ok_or(Unreadable)?,
            values: Values {
                energy: Energy::from_joules(self.energy_j).ok_or(Unreadable)?,
                cost,
                co2: mass(self.co2_g).ok_or(Unreadable)?,
            },
            idle_change: None,
            extra_power_fee: fee,
            peak_power: Power::from_watts(self.peak_power_w).ok_or(Unreadable)?,
            delay: Seconds::new(self.delay_s),
            saves: Savings {
                energy: Energy::from_joules(self.saves.energy_j).ok_or(Unreadable)?,
                cost: money(self.saves.cost).ok_or(Unreadable)?,
                co2: mass(self.saves.co2_g).ok_or(Unreadable)?,
            },
            cost_band: optional(self.cost_low, money)?.zip(optional(self.cost_high, money)?),
            co2_band: optional(self.co2_low_g, mass)?.zip(optional(self.co2_high_g, mass)?),
            basis: self.basis,
            slowing: None,
        })
    }
}

impl FormerExpectation {
    fn expectation(
        &self,
        currencies: &HashMap<OfferId, Currency>,
    ) -> Result<Expectation, Unreadable> {
        let known = |id: Uuid| currencies.get(&OfferId::new(id)).copied();
        // An offer that was withdrawn had the currency of the others. Where none is left, nobody is told
        // of any.
        let of_others = self.offers.iter().find_map(|it| known(it.offer_id));
        let of_others = of_others.unwrap_or(Currency::EUR);
        let offer = |it: &FormerExpectedOffer| {
            let offer = OfferId::new(it.offer_id);
            let currency = known(it.offer_id).unwrap_or(of_others);
            Ok(OfferExpectation {
                offer,
                cost: optional(it.cost, |cost| Money::from_units(cost, currency))?,
                co2: optional(it.co2_g, CarbonMass::from_grams)?,
                cap_kept: it.cap_kept,
            })
        };
        let offers = self.offers.iter().map(offer).collect::<Result<Vec<_>, Unreadable>>()?;
        Ok(Expectation { evaluated: instant(&self.evaluated_at)?, offers })
    }
}

fn instant(text: &str) -> Result<Timestamp, Unreadable> {
    Timestamp::parse(text).map_err(|_| Unreadable)
}

/// What a value that may be absent says; the error is that it cannot be read.
fn optional<A>(
    value: Option<f64>,
    read: impl Fn(f64) -> Option<A>,
) -> Result<Option<A>, Unreadable> {
    value.map(|value| read(value).ok_or(Unreadable)).transpose()
}
