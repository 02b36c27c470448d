//! The ledger: whose energy each hour's was, what it cost and what it emitted.
//!
//! One replica states hours, by a lease. Each turn: hours whose time has come are stated, the oldest
//! first; those that revised prices and intensities concern are stated anew; and once an hour all hours
//! of the last days are looked at again, since measurements, jobs and switchings may be heard of late. What an hour is made of
//! is read as one state of the database (`sources`); what it says is pure (`planner::ledger`); it is written whole
//! or not at all, under a number that nobody else can take. A process that dies leaves nothing that the next one
//! does not do again.

mod access;
mod bill;
mod co2_sources;
mod error;
mod jobs;
mod measured;
mod months;
mod promise;
mod read;
mod report;
mod sources;
mod state;
#[cfg(test)]
mod worked_example;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use planner::metering::QuarterHour;
use planner::time::{Seconds, Timestamp};
use tokio_util::sync::CancellationToken;

use super::feeds::FeedService;
use super::measurements::MeasurementService;
use super::shared::Shared;

pub(in crate::service) use access::visible;
pub use bill::{Bill, BillLine, BillWanted, BilledDemand};
pub use co2_sources::{Co2Source, common_accounting, other_accounting};
pub use error::LedgerError;
pub use promise::LedgerSavings;
pub use read::{LedgerPage, LedgerTotals, LedgerWanted, Pue};
pub use report::{Report, ReportLine, ReportWanted, score_mg};

/// The lease of the ledger.
pub const LEASE: &str = "ledger";

/// It lasts at the most so long. Losing it in vain does no harm: hours are stated whole, by a number that only
/// one process gets.
pub const LEASE_LASTS: Duration = Duration::from_secs(5);

/// How often it is looked whether an hour's time has come.
pub const LOOK: Duration = Duration::from_secs(2);

/// An hour.
const HOUR: Seconds = Seconds::new(3600);

/// A day of UTC.
const DAY: Seconds = Seconds::new(24 * HOUR.get());

/// A quarter-hour: the longest interval within which energy is spread evenly.
const QUARTER: Seconds = QuarterHour::LENGTH;

/// States hours, and tells what was stated.
pub struct LedgerService {
    shared: Arc<Shared>,
    measurements: Arc<MeasurementService>,
    feeds: Arc<FeedService>,
    memo: Mutex<Memo>,
}

/// What this replica did last, so that nothing is done twice in vain. Nothing rests on it.
#[derive(Clone, Copy, Debug, Default)]
struct Memo {
    /// The newest hour after which the last days were looked at again.
    looked_again: Option<Timestamp>,
}

impl LedgerService {
    /// On what meters measure, and what feeds say of the accounting that the site does not plan by.
    pub fn new(
        shared: Arc<Shared>,
        measurements: Arc<MeasurementService>,
        feeds: Arc<FeedService>,
    ) -> Self {
        Self { shared, measurements, feeds, memo: Mutex::default() }
    }

    fn memo(&self) -> Memo {
        *self.memo.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, memo: Memo) {
        *self.memo.lock().unwrap_or_else(PoisonError::into_inner) = memo;
    }

    /// States hours as their time comes, until told to stop.
    pub async fn state_hours(self: Arc<Self>, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
            if !self.shared.leases.holds(LEASE) {
                self.remember(Memo::default());
                continue;
            }
            let taken = tokio::select! {
                () = stop.cancelled() => return,
                taken = self.shared.leases.while_held(LEASE, self.take_turn()) => taken,
            };
            if let Some(Err(error)) = taken {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(error, "could not go on with the ledger");
            }
        }
    }
}
