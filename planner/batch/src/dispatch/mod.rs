//! Dispatch on systems of several resources: which job starts when, and on which nodes, where nodes have cores, memory and
//! accelerators and jobs ask for units of these.
//!
//! It stands beside [`crate::kernel`], which knows machines as one number and stays as fast as that allows. A
//! [`UnitSimulation`](simulation::UnitSimulation) puts a [`system`], [`jobs`], an order, backfilling, a fit and estimates together.
//! Sources: A. Netti's thesis on dispatching heuristics with `AccaSim` (chapters 2 to 5), `EnergyFairShare` (Georgiou and others 2015)
//! and `ExaDigiT`'s RAPS for what systems draw.

mod backfill;
mod conservative;
mod dispatcher;
mod distributions;
mod error_table;
mod estimate;
mod fit;
mod free;
mod job_supply;
pub mod jobs;
mod live;
mod observer;
mod observers;
mod order;
mod output;
mod plan;
mod power_cap;
mod power_meter;
mod promise;
mod queue;
mod results;
mod rooms;
mod running;
mod several;
mod share_study;
pub mod simulation;
mod slurm_number;
mod stretches;
mod supply;
pub mod sweep_report;
pub mod system;
mod unit;

pub use backfill::{UnitBackfill, UnitBackfillPart};
pub use distributions::{Density, Distributions, DistributionsCollector, OfResource, Spread};
pub use error_table::{ComparedEstimate, ErrorTable, EstimateTable};
pub use estimate::{
    EstimatePart, GroupErrors, PowerEstimatePart, PredictionErrors, PredictionGroup,
};
pub use fit::UnitFitPart;
pub use free::{FreeResources, Overuse, UnitsOnNode, by_kind, each_once};
pub use job_supply::JobSupply;
pub use live::{LiveObserver, LiveResource, LiveSnapshot, LiveState};
pub use observer::{UnitObserver, UnitPlayed, UnitRefusal, UnitStarted, UnitStep};
pub use order::{SharesError, SharesFile, UnitOrderPart};
pub use output::{StepTable, UnitJobTable, UserTable};
pub use power_meter::SystemEnergy;
pub use results::{ResourceLoad, UnitResults, UserResult, UserSums};
pub use share_study::{
    ActiveUser, ChangedUser, ShareStudyTable, StretchChange, most_active, stretches,
};
pub use stretches::{StretchCollector, UserStretch, WaitedJobs};
pub use supply::{BudgetFile, CapResults, SupplyResults, UnitSupply, UserBill};
pub use unit::{OtherUnits, UnitId, UnitRequest, UnitRequests};

use std::fmt::Write;

use crate::policy::{About, PartKind};
use supply::SUPPLY_OPTIONS;

/// The parts of simulations with `--system` and their options, as a help text.
pub fn parts_help() -> String {
    let mut out = String::from("\nParts with --system, and their options:\n");
    kind::<UnitOrderPart>(&mut out, "--order", |it| &it.about);
    kind::<UnitBackfillPart>(&mut out, "--backfill", |it| &it.about);
    kind::<UnitFitPart>(&mut out, "--fit", |it| &it.about);
    kind::<EstimatePart>(&mut out, "--estimate", |it| &it.about);
    kind::<PowerEstimatePart>(&mut out, "--power-estimate", |it| &it.about);
    out.push_str("\nwith every part\n");
    for option in SUPPLY_OPTIONS {
        let _ = writeln!(out, "     {} [{}]: {}", option.name, option.default, option.meaning);
    }
    out
}

fn kind<P: PartKind>(out: &mut String, argument: &str, about: impl Fn(&P) -> &About) {
    let _ = writeln!(out, "\n{argument}");
    for part in P::ALL {
        let about = about(part);
        let _ = writeln!(out, "  {:<29}{}", about.name, about.meaning);
        for option in about.options {
            let _ = writeln!(out, "     {} [{}]: {}", option.name, option.default, option.meaning);
        }
    }
}
