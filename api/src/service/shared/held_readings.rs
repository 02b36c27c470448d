//! What only the process that holds a lease knows, for the metrics.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use planner::resource_manager::ManagedState;

use crate::leases::Leases;

/// What is read.
#[derive(Clone, Debug, PartialEq)]
pub enum HeldReading {
    /// Events and intervals of a source that could not be read.
    FeedUnread(String),
    /// Words of the supplier that could not be read.
    SupplierUnread,
    /// Managed reservations in a state.
    ManagedReservations(ManagedState),
    /// How far the resource manager's clock is ahead, seconds.
    ManagerClock,
}

/// What was read last by who holds a lease. It is told for as long as the lease is held: after that another process knows better.
#[derive(Debug, Default)]
pub struct HeldReadings(Mutex<BTreeMap<String, Vec<(HeldReading, f64)>>>);

impl HeldReadings {
    /// Notes what was read while a lease is held, in place of what was read before.
    pub fn note(&self, lease: &str, what: HeldReading, value: f64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_lease = all.entry(lease.to_owned()).or_default();
        of_lease.retain(|(noted, _)| *noted != what);
        of_lease.push((what, value));
    }

    /// Forgets what was read while a lease was held that is lost: it is not told either once the lease is held again.
    pub fn forget(&self, lease: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(lease);
    }

    /// What was read under leases that are held now.
    pub fn of_held(&self, leases: &Leases) -> Vec<(HeldReading, f64)> {
        self.of(|lease| leases.holds(lease))
    }

    fn of(&self, is_held: impl Fn(&str) -> bool) -> Vec<(HeldReading, f64)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let held = all.iter().filter(|(lease, _)| is_held(lease));
        held.flat_map(|(_, readings)| readings.iter().cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_told_while_the_lease_is_held_and_not_after_it() {
        let readings = HeldReadings::default();
        readings.note("slurm", HeldReading::ManagerClock, 7.0);
        readings.note("slurm", HeldReading::ManagerClock, 8.0);
        readings.note("negotiation", HeldReading::SupplierUnread, 2.0);
        let of_slurm = || readings.of(|lease| lease == "slurm");
        assert_eq!(of_slurm(), [(HeldReading::ManagerClock, 8.0)], "the newest, of what is held");
        assert_eq!(readings.of(|_| false), []);
        // It is taken by another process, and comes back: what was known is old.
        readings.forget("slurm");
        assert_eq!(of_slurm(), []);
        assert_eq!(readings.of(|_| true), [(HeldReading::SupplierUnread, 2.0)]);
    }
}
