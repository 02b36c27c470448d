//! The Pareto front over (energy, cost, CO2, delay).
//!
//! Starts come in time order, so delay grows strictly: a start is on the front exactly when no
//! earlier start is at most equal to it in all three other criteria.

use std::collections::BTreeMap;

use crate::criterion::{Criterion, Values};

/// The starts so far: for each energy, the CO2 below which a start of a cost is new.
///
/// Costs `O(e log starts)` for a start, with `e` distinct energies: one while the same nodes are
/// free.
#[derive(Default)]
pub(super) struct Front {
    /// Energy to cost to CO2; within an energy CO2 falls as cost grows.
    stairs: BTreeMap<i128, BTreeMap<i128, i128>>,
}

impl Front {
    /// Whether the next start in time order is on the front.
    pub(super) fn admit(&mut self, values: &Values) -> bool {
        let [energy, cost, co2] = Criterion::ALL.map(|criterion| criterion.exact(values));
        let matched = self.stairs.range(..=energy).any(|(_, stair)| {
            stair.range(..=cost).next_back().is_some_and(|(_, &least)| least <= co2)
        });
        if matched {
            return false;
        }
        let stair = self.stairs.entry(energy).or_default();
        while let Some((&above, _)) = stair.range(cost..).next().filter(|(_, other)| **other >= co2)
        {
            stair.remove(&above);
        }
        stair.insert(cost, co2);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::{CarbonMass, Currency, Energy, Money};

    /// B (2,2,2) is beaten by A (1,1,1); C (1,1,1) again is later than A; D is cleaner than A.
    #[test]
    fn a_start_is_matched_by_an_earlier_one_that_is_at_most_equal_in_all() {
        let values = |energy, cost, co2| Values {
            energy: Energy::from_microjoules(energy),
            cost: Money::from_exact(cost, Currency::EUR),
            co2: CarbonMass::from_exact(co2),
        };
        let [a, b, c, d] = [values(1, 1, 1), values(2, 2, 2), values(1, 1, 1), values(3, 3, 0)];
        let mut front = Front::default();
        assert_eq!([&a, &b, &c, &d].map(|start| front.admit(start)), [true, false, false, true]);
        let mut front = Front::default();
        assert_eq!([&b, &a, &d].map(|start| front.admit(start)), [true, true, true]);
    }
}
