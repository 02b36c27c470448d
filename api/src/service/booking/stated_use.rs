//! What the ledger has of reservations, kept in memory: what was read stays, and what was stated since is read.

use std::collections::{HashMap, HashSet};

use planner::identity::ReservationId;
use planner::quota::MeasuredHour;
use planner::time::{Seconds, Span, Timestamp};
use storage::{Database, StatedHour, StatedOnce, StorageError};

/// Of the exact unit of energy in a joule.
const MICROJOULES: i128 = 1_000_000;

/// Of the exact units of money in a millionth of the currency, and of CO2 in a milligram.
const EXACT: i128 = 3_600_000_000_000_000;

/// What the ledger has since an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StatedUse {
    /// The hours that were stated, in order.
    pub(super) hours: Vec<Timestamp>,
    /// What they have of each reservation.
    pub(super) by_id: HashMap<ReservationId, Vec<MeasuredHour>>,
}

impl StatedUse {
    /// All of it; the hour in which it begins counts in part.
    pub(super) async fn read(database: &Database, from: Timestamp) -> Result<Self, StorageError> {
        let from = first_hour(from);
        // Hours first: one that is stated between the two counts twice until the next look, and not as if nothing was used.
        let hours = match Span::new(from, Timestamp::MAX) {
            Some(window) => database.stated_hours(window).await?,
            None => Vec::new(),
        };
        let mut all = Self { hours, by_id: HashMap::new() };
        all.add(&database.stated_of_reservations(from).await?);
        Ok(all)
    }

    /// This, since an instant, with what was stated after a serial: only the hours are read in which that counts.
    pub(super) async fn read_on(
        &mut self,
        database: &Database,
        from: Timestamp,
        serial: i64,
    ) -> Result<(), StorageError> {
        let new = database.statements_after(serial).await?;
        let concerned = self.with_statements(&new, first_hour(from));
        self.add(&database.stated_of_reservations_in(&concerned).await?);
        Ok(())
    }

    /// Notes statements, and forgets what there was of the hours in which they count; which those are, of those that begin
    /// at an instant or later.
    fn with_statements(&mut self, new: &[StatedOnce], from: Timestamp) -> Vec<Timestamp> {
        let first = new.iter().filter(|it| it.is_first && it.hour >= from).map(|it| it.hour);
        self.hours.extend(first);
        self.hours.sort_unstable();
        self.hours.dedup();
        let counted = new.iter().map(|it| it.counted).filter(|hour| *hour >= from);
        let mut concerned: Vec<Timestamp> = counted.collect();
        concerned.sort_unstable();
        concerned.dedup();
        let forgotten: HashSet<Timestamp> = concerned.iter().copied().collect();
        self.by_id.retain(|_, hours| {
            hours.retain(|it| !forgotten.contains(&it.hour));
            !hours.is_empty()
        });
        concerned
    }

    fn add(&mut self, stated: &[StatedHour]) {
        for it in stated {
            self.by_id.entry(it.reservation_id).or_default().push(measured(it));
        }
        metrics::counter!("wattbook_quota_ledger_rows_read_total").increment(stated.len() as u64);
    }
}

/// The first hour that may reach beyond an instant.
fn first_hour(from: Timestamp) -> Timestamp {
    from - Seconds::new(3600)
}

fn measured(stated: &StatedHour) -> MeasuredHour {
    let exact = |amount: i64| i128::from(amount) * EXACT;
    let energy = i128::from(stated.energy_j) * MICROJOULES;
    let amounts = [Some(energy), stated.cost_millionths.map(exact), stated.co2_mg.map(exact)];
    MeasuredHour { hour: stated.hour, amounts }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const HOUR: i64 = 3600;

    fn at(hour: i64) -> Timestamp {
        Timestamp::from_unix_seconds(hour * HOUR)
    }

    fn stated(reservation: u128, hour: i64, energy_j: i64) -> StatedHour {
        let reservation_id = ReservationId::new(Uuid::from_u128(reservation));
        let (cost_millionths, co2_mg) = (None, Some(1));
        StatedHour { reservation_id, hour: at(hour), energy_j, cost_millionths, co2_mg }
    }

    /// The first hour is corrected in the third, which is read again; the second stays as it was read.
    #[test]
    fn only_hours_in_which_something_new_counts_are_read_again() {
        let mut all = StatedUse { hours: vec![at(1), at(2)], by_id: HashMap::new() };
        all.add(&[stated(7, 1, 10), stated(7, 2, 20), stated(8, 3, 1)]);
        let new = [
            StatedOnce { hour: at(3), is_first: true, counted: at(3) },
            StatedOnce { hour: at(1), is_first: false, counted: at(3) },
            // Nothing of that is kept.
            StatedOnce { hour: at(-9), is_first: true, counted: at(-9) },
        ];
        assert_eq!(all.with_statements(&new, at(0)), [at(3)]);
        all.add(&[stated(7, 3, -4)]);
        assert_eq!(all.hours, [at(1), at(2), at(3)]);
        let mut once = StatedUse { hours: all.hours.clone(), by_id: HashMap::new() };
        once.add(&[stated(7, 1, 10), stated(7, 2, 20), stated(7, 3, -4)]);
        assert_eq!(all, once);
    }
}
