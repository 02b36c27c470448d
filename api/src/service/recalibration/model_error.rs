//! The model's error: what was predicted of reservations against what was measured, by user, application and reservation;
//! and of nodes what the calibration in force says against their quarter-hours.

use std::collections::{BTreeMap, HashMap};

use planner::identity::ReservationId;
use planner::ledger::{COST_UNIT, MASS_UNIT};
use planner::recalibration::{ErrorSums, ModelError};
use planner::time::Span;
use storage::{JudgedNode, OfferPromise, ReservationSum};

use super::RecalibrationService;
use crate::service::ledger::{LedgerError, visible};
use crate::service::shared::{Access, Fault};

/// A reservation counts of whose energy so many percent were measured, and that had its nodes for so much of its time.
const LEAST_PERCENT: i64 = 90;

/// By what errors are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorsBy {
    /// Whose the reservation is.
    User,
    /// The label `application` of its request.
    Application,
    /// Each reservation.
    Reservation,
}

impl ErrorsBy {
    /// What this word stands for.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "user" => Some(Self::User),
            "application" => Some(Self::Application),
            "reservation" => Some(Self::Reservation),
            _ => None,
        }
    }
}

/// Whole joules, millionths of the currency and milligrams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WholeAmounts {
    /// Joules.
    pub energy_j: i128,
    /// Millionths of the currency.
    pub cost_millionths: i128,
    /// Milligrams of CO2, by the grid's intensity.
    pub co2_mg: i128,
}

/// The error over some reservations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorLine {
    /// The user, the application or the reservation's id.
    pub group: String,
    /// How many reservations.
    pub reservations: u32,
    /// What was predicted of them; of cost and CO2 only where these were measured.
    pub predicted: WholeAmounts,
    /// What was measured of them.
    pub measured: WholeAmounts,
    /// Of their energy.
    pub energy: ModelError,
    /// Of their cost, where prices are known.
    pub cost: ModelError,
    /// Of their CO2, where intensities are known.
    pub co2: ModelError,
}

/// A line while it is summed up.
#[derive(Default)]
struct Sums {
    line: ErrorLine,
    energy: ErrorSums,
    cost: ErrorSums,
    co2: ErrorSums,
}

impl RecalibrationService {
    /// The model's error over reservations of which rows of the ledger lie in a window, and that were measured: the
    /// caller's own, for operators all. By group.
    ///
    /// # Errors
    /// They are another user's; the database cannot be reached.
    pub async fn model_error(
        &self,
        access: Access<'_>,
        user: Option<&str>,
        window: Span,
        by: ErrorsBy,
    ) -> Result<Vec<ErrorLine>, LedgerError> {
        let of = visible(access, user, None)?;
        let owner = of.as_deref().or(user);
        let database = &self.shared.database;
        let sums = database.measured_reservations(window, owner).await.map_err(Fault::from)?;
        let ids: Vec<ReservationId> = sums.iter().map(|it| it.reservation).collect();
        let promises = database.promises(&ids, self.shared.now()).await.map_err(Fault::from)?;
        let sums: HashMap<ReservationId, ReservationSum> =
            sums.into_iter().map(|it| (it.reservation, it)).collect();
        let mut lines: BTreeMap<String, Sums> = BTreeMap::new();
        for promise in &promises {
            let Some(sum) = sums.get(&promise.reservation) else { continue };
            let Some(predicted) = predicted(promise, sum) else { continue };
            let group = match by {
                ErrorsBy::User => promise.owner.clone(),
                ErrorsBy::Application => sum.application.clone(),
                ErrorsBy::Reservation => promise.reservation.to_string(),
            };
            lines.entry(group).or_default().add(predicted, sum);
        }
        Ok(lines.into_iter().map(|(group, sums)| sums.told(group)).collect())
    }

    /// The nodes with the greatest error without its sign, at most `limit`.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn worst_nodes(&self, limit: u16) -> Result<Vec<JudgedNode>, Fault> {
        Ok(self.shared.database.worst_judged(limit).await?)
    }
}

/// What the chosen offer promised; `None` where the reservation did not have its nodes to its end, or too little of it
/// was measured.
fn predicted(promise: &OfferPromise, sum: &ReservationSum) -> Option<WholeAmounts> {
    let energy_j = sum.measured_j + sum.estimated_j;
    let whole = promise.completed
        && sum.node_s * 100 >= promise.node_s * LEAST_PERCENT
        && sum.measured_j * 100 >= energy_j * LEAST_PERCENT;
    whole.then(|| WholeAmounts {
        energy_j: promise.values.energy.as_microjoules() / 1_000_000,
        cost_millionths: promise.values.cost.as_exact() / COST_UNIT,
        co2_mg: promise.values.co2.as_exact() / MASS_UNIT,
    })
}

impl Sums {
    fn add(&mut self, predicted: WholeAmounts, sum: &ReservationSum) {
        let line = &mut self.line;
        line.reservations += 1;
        let measured = i128::from(sum.measured_j + sum.estimated_j);
        line.predicted.energy_j += predicted.energy_j;
        line.measured.energy_j += measured;
        self.energy.add(predicted.energy_j, measured);
        if let Some(cost) = sum.cost_millionths.filter(|_| sum.unpriced_j == 0) {
            line.predicted.cost_millionths += predicted.cost_millionths;
            line.measured.cost_millionths += i128::from(cost);
            self.cost.add(predicted.cost_millionths, cost.into());
        }
        if let Some(co2) = sum.co2_location_mg.filter(|_| sum.unrated_j == 0) {
            line.predicted.co2_mg += predicted.co2_mg;
            line.measured.co2_mg += i128::from(co2);
            self.co2.add(predicted.co2_mg, co2.into());
        }
    }

    fn told(self, group: String) -> ErrorLine {
        let (energy, cost, co2) = (self.energy.error(), self.cost.error(), self.co2.error());
        ErrorLine { group, energy, cost, co2, ..self.line }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1200 J were predicted of 1000 J that were measured, and 900 J of 1000 J: 5 % too much on average, 15 % wrong. Of the
    /// second a part has no price: only 60 for 50 counts, 20 % too much. Nothing is known of CO2.
    #[test]
    fn errors_are_summed_up_over_reservations() {
        let sum = |unpriced_j| ReservationSum {
            reservation: ReservationId::new(uuid::Uuid::nil()),
            application: String::new(),
            node_s: 3600,
            measured_j: 900,
            estimated_j: 100,
            cost_millionths: Some(50),
            unpriced_j,
            co2_location_mg: None,
            unrated_j: 1000,
        };
        let predicted = |energy_j| WholeAmounts { energy_j, cost_millionths: 60, co2_mg: 7 };
        let mut sums = Sums::default();
        sums.add(predicted(1200), &sum(0));
        sums.add(predicted(900), &sum(1));
        let line = sums.told("ada".to_owned());
        let error = |count, mean, absolute| ModelError { count, mean, mean_absolute: absolute };
        assert_eq!(line.energy, error(2, Some(50_000), Some(150_000)));
        assert_eq!(line.cost, error(1, Some(200_000), Some(200_000)));
        assert_eq!((line.co2, line.reservations), (ModelError::default(), 2));
        assert_eq!((line.predicted.energy_j, line.measured.energy_j), (2100, 2000));
        assert_eq!((line.predicted.cost_millionths, line.predicted.co2_mg), (60, 0));
    }
}
