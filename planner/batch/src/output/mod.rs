//! Results job by job, as Batsim's tables, so that what reads those reads these.

mod energy;
mod jobs;
mod links;
mod paje;
mod states;

pub use energy::EnergyTable;
pub use jobs::JobTable;
pub(crate) use jobs::{always_quoted, quoted, seconds, whole};
pub use links::write_links;
pub use paje::PajeTrace;
pub use states::{ChangeTable, StateTable};
