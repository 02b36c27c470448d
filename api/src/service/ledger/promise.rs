//! What the chosen offer of a reservation promised, against what came of it.

use planner::ledger::{COST_UNIT, MASS_UNIT, known_sum};
use planner::recalibration::ErrorSums;
use storage::{OfferPromise, ReportPart, WholeEnergy};

/// What was saved against starting as soon as possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LedgerSavings {
    /// Millionths of the currency; `None` where it cannot be said of any reservation.
    pub cost_millionths: Option<i64>,
    /// Milligrams by the grid's intensity; `None` where it cannot be said of any reservation.
    pub co2_mg: Option<i64>,
}

/// What a reservation's offer promised, in whole units, and how much its rows have.
pub(super) struct Promise {
    /// Joules of the offer.
    energy_j: i128,
    /// Millionths of the currency that it costs and saves.
    cost: (i128, i128),
    /// Milligrams that it emits and saves.
    co2: (i128, i128),
    /// Joules of all its rows.
    whole_j: i128,
    /// Whether it ended, and enough of its energy was measured for the offer to be judged by it.
    is_measured: bool,
}

impl Promise {
    /// `None` where it promised no energy.
    pub(super) fn of(promise: &OfferPromise, whole: WholeEnergy) -> Option<Self> {
        let (values, saves) = (&promise.values, &promise.saves);
        let energy_j = values.energy.as_microjoules() / 1_000_000;
        let whole_j = whole.measured_j + whole.estimated_j;
        let is_measured = whole.measured_j.saturating_mul(10) >= whole_j.saturating_mul(9);
        (energy_j > 0).then(|| Self {
            energy_j,
            cost: (values.cost.as_exact() / COST_UNIT, saves.cost.as_exact() / COST_UNIT),
            co2: (values.co2.as_exact() / MASS_UNIT, saves.co2.as_exact() / MASS_UNIT),
            whole_j: whole_j.into(),
            is_measured: promise.completed && is_measured,
        })
    }

    /// The part of what was promised that falls to a part of the rows.
    pub(super) fn promised(&self, part: &ReportPart) -> LedgerSavings {
        let of = |saved: i128| {
            let share = saved.checked_mul(part.energy_j.into())?.checked_div(self.whole_j)?;
            i64::try_from(share).ok()
        };
        LedgerSavings { cost_millionths: of(self.cost.1), co2_mg: of(self.co2.1) }
    }

    /// Adds the error of the offer's energy, where that was measured.
    pub(super) fn add_error(&self, sums: &mut ErrorSums) {
        if self.is_measured {
            sums.add(self.energy_j, self.whole_j);
        }
    }

    /// What starting as soon as possible would have taken for this energy, less what was taken.
    pub(super) fn measured(&self, part: &ReportPart) -> LedgerSavings {
        let of = |(taken, saved): (i128, i128), really: Option<i64>| {
            let other = (taken + saved).checked_mul(part.energy_j.into())? / self.energy_j;
            i64::try_from(other - i128::from(really?)).ok()
        };
        LedgerSavings {
            cost_millionths: of(self.cost, part.cost_millionths),
            co2_mg: of(self.co2, part.co2_location_mg),
        }
    }
}

impl LedgerSavings {
    /// Both together. What cannot be said of one is nothing beside what can be said of the other.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            cost_millionths: known_sum(self.cost_millionths, other.cost_millionths),
            co2_mg: known_sum(self.co2_mg, other.co2_mg),
        }
    }
}

#[cfg(test)]
mod tests {
    use planner::identity::ReservationId;
    use storage::ReportGroup;

    use super::*;

    fn part(energy_j: i64, cost: i64) -> ReportPart {
        let group = ReportGroup { currency: "EUR".to_owned(), ..ReportGroup::default() };
        let reservation = ReservationId::new(uuid::Uuid::nil());
        let (cost_millionths, co2_location_mg) = (Some(cost), None);
        ReportPart { group, reservation, energy_j, cost_millionths, co2_location_mg }
    }

    /// An offer of 1000 J for 80 saves 20 of the 100 that starting at once would have cost. Its rows have 500 J,
    /// of which this part has 200 J for 15. Promised: 20 x 200 / 500 = 8. Measured: starting at once would have cost
    /// 100 x 200 / 1000 = 20 for 200 J, less 15 are 5. Of CO2 nothing is known that was emitted.
    #[test]
    fn savings_are_told_as_promised_and_as_measured() {
        let promise = Promise {
            energy_j: 1000,
            cost: (80, 20),
            co2: (40, -10),
            whole_j: 500,
            is_measured: false,
        };
        let part = part(200, 15);
        let promised = LedgerSavings { cost_millionths: Some(8), co2_mg: Some(-4) };
        assert_eq!(promise.promised(&part), promised);
        let measured = LedgerSavings { cost_millionths: Some(5), co2_mg: None };
        assert_eq!(promise.measured(&part), measured);
        assert_eq!(promised.plus(measured).cost_millionths, Some(13));
    }

    /// 1000 J were promised. 800 J were measured of one, 200 of 800 more were promised, a quarter; 1250 J of another, a
    /// fifth less; of a third too little. The mean is 22.5 %.
    #[test]
    fn errors_are_of_those_that_were_measured() {
        let of = |whole_j, is_measured| Promise {
            energy_j: 1000,
            cost: (0, 0),
            co2: (0, 0),
            whole_j,
            is_measured,
        };
        let mut sums = ErrorSums::default();
        for promise in [of(800, true), of(1250, true), of(1, false)] {
            promise.add_error(&mut sums);
        }
        assert_eq!(sums.error().mean_absolute, Some(225_000));
    }
}
