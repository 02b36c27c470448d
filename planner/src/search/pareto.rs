//! The Pareto front over (energy, cost, CO2, delay).
//!
//! Starts come in time order, so delay grows strictly: a start is on the front exactly when no
//! earlier start is at most equal to it in all three other criteria.

use crate::criterion::{Criterion, Values};

/// Indices of the front, ascending. `O(starts x front)`.
pub(super) fn front<'a>(starts: impl Iterator<Item = &'a Values>) -> Vec<usize> {
    let mut front: Vec<(usize, &Values)> = Vec::new();
    for (index, candidate) in starts.enumerate() {
        // Recent members are the likeliest to dominate: agendas change slowly.
        if !front.iter().rev().any(|(_, earlier)| at_most(earlier, candidate)) {
            front.push((index, candidate));
        }
    }
    front.into_iter().map(|(index, _)| index).collect()
}

fn at_most(left: &Values, right: &Values) -> bool {
    Criterion::ALL.into_iter().all(|criterion| criterion.exact(left) <= criterion.exact(right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::{CarbonMass, Currency, Energy, Money};

    /// B (2,2,2) is beaten by A (1,1,1); C (1,1,1) again is later than A; D is cleaner than A.
    #[test]
    fn keeps_only_starts_that_no_earlier_one_matches() {
        let values = |energy, cost, co2| Values {
            energy: Energy::from_microjoules(energy),
            cost: Money::from_exact(cost, Currency::EUR),
            co2: CarbonMass::from_exact(co2),
        };
        let [a, b, c, d] = [values(1, 1, 1), values(2, 2, 2), values(1, 1, 1), values(3, 3, 0)];
        assert_eq!(front([&a, &b, &c, &d].into_iter()), [0, 3]);
        assert_eq!(front([&b, &a, &d].into_iter()), [0, 1, 2]);
    }
}
