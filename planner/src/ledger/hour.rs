//! An hour's rows, from its intervals.

use std::collections::BTreeMap;

use super::apportion::{rounded, rounded_to};
use super::claim::{Consumed, PartyConsumption};
use super::interval::Interval;
use super::party::{Holder, Party};
use super::row::{Amounts, LedgerRow, QUARTERS, Tariff};
use crate::quantity::{CarbonMass, Energy, Integral, MILLION, Money, Rate};
use crate::time::Span;

/// An hour in the making: exact amounts by party.
#[derive(Debug)]
pub struct Hour<'a> {
    tariff: &'a Tariff,
    parties: BTreeMap<Party, Exact>,
}

/// Exact amounts of a party.
#[derive(Clone, Copy, Debug, Default)]
struct Exact {
    nodes: i64,
    consumed: Consumed,
    /// What was measured and what was estimated in each quarter-hour.
    measured_uj: [i128; QUARTERS],
    estimated_uj: [i128; QUARTERS],
    /// In 1 / 3.6e21 of the currency.
    cost: i128,
    unpriced_uj: i128,
    /// In 1 / 3.6e18 g.
    by_location: i128,
    unrated_uj: i128,
    by_market: i128,
    by_other: i128,
    other_rated_uj: i128,
}

/// Exact amounts of money in a millionth of the currency.
pub const COST_UNIT: i128 = 3_600_000_000_000_000;

/// Exact masses in a milligram.
pub const MASS_UNIT: i128 = 3_600_000_000_000_000;

impl<'a> Hour<'a> {
    /// An hour of which nothing is known yet.
    pub const fn new(tariff: &'a Tariff) -> Self {
        Self { tariff, parties: BTreeMap::new() }
    }

    /// Adds an interval of it.
    pub fn add(&mut self, interval: &Interval<'_>) {
        let consumption = interval.consumption();
        let mut nodes: BTreeMap<Party, i64> = BTreeMap::new();
        for it in consumption.parties {
            let PartyConsumption { claim, partition, nodes: count, spans } = it;
            let mut party = claim.map_or_else(|| Party::of(Holder::Idle), |it| it.party.clone());
            if party.partition.is_empty() {
                partition.clone_into(&mut party.partition);
            }
            // Several claims may be of one party: two stays in one reservation.
            *nodes.entry(party.clone()).or_default() += i64::from(count);
            for (span, consumed) in spans {
                self.book(&party, span, &consumed);
            }
        }
        for (party, count) in nodes {
            let exact = self.parties.entry(party).or_default();
            exact.nodes = exact.nodes.max(count);
        }
        let span = interval.span;
        let it = consumption.unallocated.unwrap_or_default();
        if consumption.unallocated.is_some() {
            self.book(&Party::of(Holder::Unallocated), span, &measured(it));
        }
        let facility = Party::of(Holder::Facility);
        match interval.site {
            Some(site) => self.book(&facility, span, &measured(site - consumption.nodes - it)),
            None if interval.overheads.is_empty() => {}
            None => {
                let estimated = interval.overheads.energy(consumption.nodes + it);
                let consumed = Consumed {
                    missing_seconds: span.length().get().into(),
                    estimated_uj: estimated.as_microjoules(),
                    ..Consumed::default()
                };
                self.book(&facility, span, &consumed);
            }
        }
    }

    /// Notes what a party consumed over a span, with its cost and CO2: rule 5.
    fn book(&mut self, party: &Party, span: Span, consumed: &Consumed) {
        let energy = Energy::from_microjoules(consumed.measured_uj + consumed.estimated_uj);
        let (length, tariff) = (span.length(), self.tariff);
        let exact = self.parties.entry(party.clone()).or_default();
        exact.consumed.add(consumed);
        let quarter = quarter_of_hour(span);
        exact.measured_uj[quarter] += consumed.measured_uj;
        exact.estimated_uj[quarter] += consumed.estimated_uj;
        match tariff.price.integral(span) {
            Some(price) => {
                let cost: Money = energy.times_price(length, price, tariff.currency);
                exact.cost += cost.as_exact();
            }
            None => exact.unpriced_uj += energy.as_microjoules(),
        }
        match tariff.by_location.integral(span) {
            Some(intensity) => {
                let mass: CarbonMass = energy.times_intensity(length, intensity);
                exact.by_location += mass.as_exact();
            }
            None => exact.unrated_uj += energy.as_microjoules(),
        }
        if let Some(intensity) = tariff.by_market {
            let millionths = i128::from(intensity.as_millionths()) * i128::from(length.get());
            let constant = Integral::from_millionth_seconds(millionths);
            exact.by_market += energy.times_intensity(length, constant).as_exact();
        }
        if let Some(intensity) = tariff.other.as_ref().and_then(|it| it.integral(span)) {
            exact.by_other += energy.times_intensity(length, intensity).as_exact();
            exact.other_rated_uj += energy.as_microjoules();
        }
    }

    /// The rows, by party: rule 6.
    pub fn rows(self) -> Vec<LedgerRow> {
        let (parties, exact): (Vec<Party>, Vec<Exact>) = self.parties.into_iter().unzip();
        let column = |amount: fn(&Exact) -> i128, unit: i128| {
            rounded(&exact.iter().map(amount).collect::<Vec<_>>(), unit)
        };
        let joule = i128::from(MILLION);
        let measured = column(|it| it.consumed.measured_uj, joule);
        let estimated = column(|it| it.consumed.estimated_uj, joule);
        let node_seconds = column(|it| it.consumed.node_seconds, 1);
        let missing = column(|it| it.consumed.missing_seconds, 1);
        let cost = column(|it| it.cost, COST_UNIT);
        let unpriced = column(|it| it.unpriced_uj, joule);
        let by_location = column(|it| it.by_location, MASS_UNIT);
        let unrated = column(|it| it.unrated_uj, joule);
        let by_market = column(|it| it.by_market, MASS_UNIT);
        let by_other = column(|it| it.by_other, MASS_UNIT);
        let other_unrated = column(
            |it| it.consumed.measured_uj + it.consumed.estimated_uj - it.other_rated_uj,
            joule,
        );
        let (has_market, has_other) =
            (self.tariff.by_market.is_some(), self.tariff.other.is_some());
        let amounts = |index: usize, exact: &Exact| {
            let energy = exact.consumed.measured_uj + exact.consumed.estimated_uj;
            let known = |without: i128| energy == 0 || without != energy;
            let other_known = has_other && (energy == 0 || exact.other_rated_uj != 0);
            // Where all is known, it is all that the row has: measured and estimated, which are rounded apart.
            let other_rated = measured[index] + estimated[index] - other_unrated[index];
            Amounts {
                nodes: exact.nodes,
                node_s: node_seconds[index],
                missing_s: missing[index],
                measured_j: measured[index],
                estimated_j: estimated[index],
                quarters_j: exact.quarters(measured[index], estimated[index]),
                cost_millionths: known(exact.unpriced_uj).then_some(cost[index]),
                unpriced_j: unpriced[index],
                co2_location_mg: known(exact.unrated_uj).then_some(by_location[index]),
                unrated_j: unrated[index],
                co2_market_mg: has_market.then_some(by_market[index]),
                other_co2_mg: other_known.then_some(by_other[index]),
                other_rated_j: if exact.other_rated_uj == 0 { 0 } else { other_rated },
            }
        };
        let rows = parties.into_iter().zip(&exact).enumerate();
        rows.map(|(index, (party, exact))| LedgerRow { party, amounts: amounts(index, exact) })
            .collect()
    }
}

impl Exact {
    /// Whole joules of each quarter-hour, which sum to the hour's: what has nothing in a quarter-hour gets nothing.
    fn quarters(&self, measured_j: i64, estimated_j: i64) -> [i64; QUARTERS] {
        let joule = i128::from(MILLION);
        let measured = rounded_to(measured_j.into(), &self.measured_uj, joule);
        let estimated = rounded_to(estimated_j.into(), &self.estimated_uj, joule);
        std::array::from_fn(|quarter| measured[quarter] + estimated[quarter])
    }
}

/// The quarter-hour of its hour in which a span begins.
fn quarter_of_hour(span: Span) -> usize {
    let second = span.start().as_unix_seconds().rem_euclid(3600);
    usize::try_from(second / 900).unwrap_or_default()
}

/// What a meter measured over all of a span.
fn measured(energy: Energy) -> Consumed {
    Consumed { measured_uj: energy.as_microjoules(), ..Consumed::default() }
}
