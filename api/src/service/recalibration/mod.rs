//! Calibration that follows what meters measure.
//!
//! One process judges nodes now and then, by a lease: it reads the quarter-hours of a window day by day, the newest
//! first, and what nodes were used for (`gather`); what follows is pure (`planner::recalibration`); what is proposed is
//! written (`turn`), and taken where the settings say so or an operator does (`decide`).
//!
//! A calibration is taken only where everything that is reserved, and every offer that is held, fits under the cap with
//! it: nobody loses what was promised because a node turns out to draw more.

mod decide;
mod error;
mod gather;
mod list;
mod model_error;
mod turn;

use std::sync::Arc;
use std::time::Duration;

use planner::metering::{MeterScope, QuarterHour};
use planner::node_set::NodeSet;
use storage::OutageKind;
use tokio::sync::Mutex;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::measurements::MeasurementService;
use super::shared::{Fault, Shared};
use crate::config::Settings;
use crate::config::calibration::Follow;

pub use decide::DecidedProposals;
pub use error::RecalibrationError;
pub use list::{JudgedList, JudgedPage};
pub use model_error::{ErrorLine, ErrorsBy, WholeAmounts};

/// The lease of the process that judges nodes.
pub const LEASE: &str = "recalibration";

/// How often it is looked which nodes run other people's jobs.
const LOOK: Duration = Duration::from_mins(1);

/// A quarter-hour is looked at this often at least, of fifteen times, for nodes to count as idle in it.
const LEAST_LOOKS: u32 = 12;

/// Judges nodes by what meters measure, and takes what is proposed.
pub struct RecalibrationService {
    shared: Arc<Shared>,
    measurements: Arc<MeasurementService>,
    /// Who of this process decides on proposals.
    deciding: Mutex<()>,
}

/// Whether a site has its nodes judged: it says so, and meters measure them.
pub fn follows(settings: &Settings) -> bool {
    let measures_nodes = |covers: MeterScope| covers == MeterScope::Node;
    settings.calibration.follow != Follow::Off
        && settings.metering.meters.iter().any(|it| measures_nodes(it.meter.covers))
}

impl RecalibrationService {
    /// On what meters measure.
    pub fn new(shared: Arc<Shared>, measurements: Arc<MeasurementService>) -> Self {
        Self { shared, measurements, deciding: Mutex::new(()) }
    }

    /// Judges nodes now and then, until told to stop, while this process has the lease.
    pub async fn follow_measurements(self: Arc<Self>, stop: CancellationToken) {
        let mut judging = tokio::time::interval(self.shared.settings.calibration.every);
        let mut looking = tokio::time::interval(LOOK);
        judging.set_missed_tick_behavior(MissedTickBehavior::Delay);
        looking.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.wait_for(LEASE) => {}
            }
            let due = tokio::select! {
                () = stop.cancelled() => return,
                _ = looking.tick() => false,
                _ = judging.tick() => true,
            };
            let work = async {
                if due { self.take_turn(&stop).await } else { self.note_occupied().await }
            };
            if let Some(Err(error)) = self.shared.leases.while_held(LEASE, work).await {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(error, "could not judge nodes by what is measured");
            }
        }
    }

    /// Notes which nodes run other people's jobs now: nothing is kept of that once they have ended.
    async fn note_occupied(&self) -> Result<(), Fault> {
        if self.shared.settings.manager.is_none() {
            return Ok(());
        }
        let (state, now) = (self.shared.state().await?, self.shared.now());
        let Some(epoch) = state.epoch() else { return Ok(()) };
        let lasts = |start, end: Option<_>| start <= now && end.is_none_or(|end| end > now);
        let occupied = state.outages.iter().filter(|it| {
            it.kind == OutageKind::Occupied && it.epoch == epoch && lasts(it.start, it.end)
        });
        let ordinals = occupied.fold(NodeSet::default(), |all, it| {
            all.union(&state.cluster.reference.ordinals(&it.ranks))
        });
        let quarter = QuarterHour::of(now).number();
        let oldest = QuarterHour::of(now - self.shared.settings.calibration.window).number();
        Ok(self.shared.database.note_occupied(quarter, epoch, &ordinals, oldest).await?)
    }
}
