//! The Pareto front over (energy, cost, CO2, delay).
//!
//! Starts come in time order, so delay grows strictly: a start is on the front exactly when no
//! earlier start is at most equal to it in all three other criteria.

use crate::criterion::{Criterion, Values};

/// Whether one of the starts before, in time order, is at most equal in all three criteria.
/// `O(starts before)`; asked of the front alone, which matches all that its other starts match.
pub(super) fn is_matched<'a>(
    values: &Values,
    before: impl DoubleEndedIterator<Item = &'a Values>,
) -> bool {
    // Recent starts are the likeliest to match: agendas change slowly.
    before.rev().any(|earlier| at_most(earlier, values))
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
    fn a_start_is_matched_by_an_earlier_one_that_is_at_most_equal_in_all() {
        let values = |energy, cost, co2| Values {
            energy: Energy::from_microjoules(energy),
            cost: Money::from_exact(cost, Currency::EUR),
            co2: CarbonMass::from_exact(co2),
        };
        let [a, b, c, d] = [values(1, 1, 1), values(2, 2, 2), values(1, 1, 1), values(3, 3, 0)];
        assert!(is_matched(&b, [&a].into_iter()));
        assert!(is_matched(&c, [&a].into_iter()));
        assert!(!is_matched(&d, [&a].into_iter()));
        assert!(!is_matched(&a, [&b, &d].into_iter()));
    }
}
