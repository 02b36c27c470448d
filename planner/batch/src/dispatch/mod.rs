//! Dispatch on systems of several resources: which job starts when, and on which nodes, where nodes have cores, memory and
//! accelerators and jobs ask for units of these.
//!
//! It stands beside [`crate::kernel`], which knows machines as one number and stays as fast as that allows. A
//! [`UnitSimulation`](simulation::UnitSimulation) puts a [`system`], [`jobs`], an order, backfilling, a fit and estimates together.
//! Sources: A. Netti's thesis on dispatching heuristics with AccaSim (chapters 2 to 5), `EnergyFairShare` (Georgiou and others 2015)
//! and ExaDigiT's RAPS for what systems draw.

mod dispatcher;
mod estimate;
mod fit;
mod free;
pub mod jobs;
mod order;
mod output;
mod power_meter;
mod promise;
mod results;
mod running;
pub mod simulation;
pub mod system;
mod unit;

pub use dispatcher::UnitBackfill;
pub use estimate::EstimatePart;
pub use fit::UnitFitPart;
pub use free::{FreeResources, Overuse, UnitsOnNode};
pub use order::{SharesError, SharesFile, UnitOrderPart};
pub use output::{StepTable, UnitJobTable, UserTable};
pub use power_meter::SystemEnergy;
pub use results::{ResourceLoad, UnitResults, UserResult, UserSums};
pub use unit::{UnitId, UnitRequest, UnitRequests};
