//! Drawn months with gaps, late data and restatements against a naive reckoning.
//!
//! `WATTBOOK_LEDGER_MONTHS` says how many months are drawn, 100 by default.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::ledger::correction::sums;
use crate::ledger::{Amounts, Hour, LedgerRow, Metered, NodeEnergy, corrections, counted_in};
use crate::time::Seconds;

const HOUR: i64 = 3600;
const HOURS: i64 = 30 * 24;
/// A month has so many nodes at most.
const MOST_NODES: u32 = 12;

/// What is known of an hour: reservations and jobs, and measurements by quarter-hour.
#[derive(Clone, Debug, Default)]
struct Known {
    claims: Vec<Claim>,
    measured: [Vec<NodeEnergy>; 4],
}

/// Numbers that look drawn, from a seed (Steele and others: `SplitMix64`), and what is drawn of a site's nodes.
struct Draws {
    state: u64,
    nodes: u32,
}

impl Draws {
    fn new(seed: u64) -> Self {
        let mut draws = Self { state: seed, nodes: 1 };
        draws.nodes += u32::try_from(draws.below(u64::from(MOST_NODES))).unwrap();
        draws
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }

    fn within(&mut self, from: i64, to: i64) -> i64 {
        from + i64::try_from(self.below((to - from).unsigned_abs())).unwrap()
    }

    fn claims(&mut self, start: i64) -> Vec<Claim> {
        let claim = |draws: &mut Self, number: u64| {
            let first = u32::try_from(draws.below(u64::from(draws.nodes))).unwrap();
            let begin = draws.within(start, start + HOUR);
            let bounds = (begin, draws.within(begin + 1, start + 2 * HOUR));
            let user = ["ada", "bob", "eve"][usize::try_from(draws.below(3)).unwrap()];
            let party = match draws.below(3) {
                0 => job(&number.to_string(), user),
                1 => Party::of(Holder::Switching),
                _ => reservation(u128::from(number), user),
            };
            // Some name nodes that are gone.
            claim(party, bounds, first..first + 3)
        };
        (0..self.below(5)).map(|number| claim(self, number)).collect()
    }

    /// Some nodes are measured, wholly or in part, at powers in no relation to what is estimated.
    fn measured(&mut self) -> Vec<NodeEnergy> {
        let mut measured = Vec::new();
        for ordinal in 0..self.nodes {
            if self.below(3) == 0 {
                continue;
            }
            let covered = Seconds::new(self.within(0, 901));
            let energy = Energy::from_microjoules(self.below(600_000_000_000).into());
            measured.push(NodeEnergy { ordinal, metered: Metered { energy, covered } });
        }
        measured
    }

    fn known(&mut self, start: i64) -> Known {
        let claims = self.claims(start);
        Known { claims, measured: std::array::from_fn(|_| self.measured()) }
    }
}

fn stated(hour: i64, known: &Known, nodes: &Nodes, tariff: &Tariff) -> Vec<LedgerRow> {
    let mut rows = Hour::new(tariff);
    for (quarter, measured) in (0..).zip(&known.measured) {
        let start = hour * HOUR + quarter * 900;
        rows.add(&Interval { measured, ..interval(start, nodes, &known.claims) });
    }
    rows.rows()
}

/// What must be the sum of an hour's rows, found node by node and quarter by quarter: seconds of nodes,
/// seconds without measurements, and measured joules, rounded half up.
fn total(known: &Known, nodes: u32) -> (i64, i64, i64) {
    let (mut missing, mut energy) = (0, 0);
    for measured in &known.measured {
        for ordinal in 0..nodes {
            let found = measured.iter().find(|it| it.ordinal == ordinal);
            let metered = found.map(|it| it.metered).unwrap_or_default();
            missing += 900 - metered.covered.get();
            let known = metered.covered.get() > 0;
            energy += if known { metered.energy.as_microjoules() } else { 0 };
        }
    }
    let joules = i64::try_from((energy + JOULE / 2).div_euclid(JOULE)).unwrap();
    (i64::from(nodes) * HOUR, missing, joules)
}

fn sum<'a>(rows: impl IntoIterator<Item = &'a LedgerRow>) -> Amounts {
    rows.into_iter().fold(Amounts::default(), |sum, row| sum.plus(row.amounts))
}

/// As sums are compared: what is not known of any row is nothing.
fn known_amounts(sums: BTreeMap<Party, Amounts>) -> BTreeMap<Party, Amounts> {
    let known = |it: Amounts| Amounts {
        cost_millionths: Some(it.cost_millionths.unwrap_or_default()),
        co2_location_mg: Some(it.co2_location_mg.unwrap_or_default()),
        other_co2_mg: Some(it.other_co2_mg.unwrap_or_default()),
        ..it
    };
    sums.into_iter()
        .map(|(party, it)| (party, known(it)))
        .filter(|(_, it)| !it.is_nothing())
        .collect()
}

fn months() -> u32 {
    std::env::var("WATTBOOK_LEDGER_MONTHS")
        .map_or(100, |months| months.parse().expect("WATTBOOK_LEDGER_MONTHS is a number"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(months()))]

    /// Each hour is stated with what is known; later, in any order, hours are stated anew with other
    /// measurements and jobs, and prices that come late, some after the month's first half was closed.
    #[test]
    fn rows_sum_to_totals_whatever_comes_late(seed: u64) {
        let mut draws = Draws::new(seed);
        let nodes = nodes(draws.nodes);
        let end = HOURS * HOUR;
        let early = tariff(&[(0, end / 3, 40), (end / 2, end, -7)], &[(0, end / 4, 55)]);
        let late = tariff(&[(0, end / 3, 41), (end / 3, end - 500, 93)], &[(0, end, 56)]);
        let other = |pieces: &[(i64, i64, i64)]| Some(intensities(pieces));
        let early = Tariff { other: other(&[(0, end / 5, 300)]), ..early };
        let late = Tariff { other: other(&[(0, end / 2, 310), (end / 2, end, 290)]), ..late };
        let mut all_known: Vec<Known> = (0..HOURS).map(|hour| draws.known(hour * HOUR)).collect();
        // Rows with the hour in which they count and the hour that they are about.
        let mut ledger: Vec<(i64, i64, LedgerRow)> = Vec::new();
        for (hour, known) in (0..).zip(&all_known) {
            let rows = stated(hour, known, &nodes, &early);
            let sum = sum(&rows);
            for it in rows.iter().map(|row| row.amounts) {
                prop_assert_eq!(it.quarters_j.iter().sum::<i64>(), it.energy_j());
                prop_assert!(it.quarters_j.iter().all(|quarter| *quarter >= 0));
            }
            let (node_s, missing_s, measured_j) = total(known, draws.nodes);
            prop_assert_eq!((sum.node_s, sum.missing_s, sum.measured_j), (node_s, missing_s, measured_j));
            ledger.extend(rows.into_iter().map(|row| (hour, hour, row)));
        }
        let middle = HOURS / 2;
        let first_half = |ledger: &[(i64, i64, LedgerRow)]| {
            sum(ledger.iter().filter(|it| it.0 < middle).map(|it| &it.2))
        };
        let mut closed = None;
        let mut newest: BTreeMap<i64, bool> = BTreeMap::new();
        for round in 0..400 {
            let hour = draws.within(0, HOURS);
            let known = &mut all_known[usize::try_from(hour).unwrap()];
            match draws.below(3) {
                0 => known.claims = draws.claims(hour * HOUR),
                1 => known.measured[usize::try_from(draws.below(4)).unwrap()] = draws.measured(),
                _ => {}
            }
            if round == 200 {
                closed = Some(first_half(&ledger));
            }
            let open_from = at(if closed.is_some() { middle * HOUR } else { 0 });
            let before = ledger.iter().filter(|it| it.1 == hour).map(|it| it.2.clone());
            let now = stated(hour, known, &nodes, &late);
            newest.insert(hour, true);
            let counted = counted_in(at(hour * HOUR), open_from).as_unix_seconds() / HOUR;
            let rows = corrections(before.collect::<Vec<_>>(), now);
            ledger.extend(rows.into_iter().map(|row| (counted, hour, row)));
        }
        prop_assert_eq!(Some(first_half(&ledger)), closed, "what is closed stays as it is");
        let mut everything = Amounts::default();
        for (hour, known) in (0..).zip(&all_known) {
            let tariff = if newest.contains_key(&hour) { &late } else { &early };
            let now = stated(hour, known, &nodes, tariff);
            everything = everything.plus(sum(&now));
            let told = ledger.iter().filter(|it| it.1 == hour).map(|it| it.2.clone());
            prop_assert_eq!(known_amounts(sums(told)), known_amounts(sums(now)));
        }
        prop_assert_eq!(sum(ledger.iter().map(|it| &it.2)), everything);
    }
}
