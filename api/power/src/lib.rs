//! What switches nodes and limits their power: their management controllers by Redfish or IPMI, or a command of the site's
//! own. Nothing here knows bookings, nor decides whether a node may be switched: `planner::power_action` does.
//!
//! A driver reads, and gives orders. That an order was accepted says nothing of its effect: the next reading does. What
//! cannot be read is unknown, which is never told as off.
//!
//! ```text
//! driver      a driver, whichever it is: the one way in
//! abilities   what a driver can do, and what the site lets it do
//! by_node     answers of several nodes
//! error       why an order or a reading failed, and what helps
//! limit       power limits
//! redfish     ComputerSystem.Reset, and limits by EnvironmentMetrics, Controls or Power
//! ipmi        FreeIPMI's ipmipower, and limits by DCMI
//! command     a command of the site's own
//! lines       what programs print of each node
//! ```

mod abilities;
mod by_node;
pub mod command;
mod driver;
mod error;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
pub mod ipmi;
mod limit;
mod lines;
pub mod redfish;

pub use abilities::Abilities;
pub use bmc::{access, address};
pub use by_node::ByNode;
pub use driver::Driver;
pub use error::PowerError;
pub use limit::{LimitReading, PowerLimit};
