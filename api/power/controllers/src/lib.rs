//! Management controllers for tests of what switches nodes: OpenIPMI's simulator (`bmc`) and sushy-emulator for Redfish
//! (`emulator`), each a process of its own that ends with what it is kept in. `.ci/power install` brings both.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bmc;
mod emulator;
mod process;

pub use bmc::{BMC_PASSWORD, Bmc, freeipmi_config, limit_module};
pub use emulator::{EMULATOR_PASSWORD, Emulator};
pub use process::Process;

/// Whom both kinds of controllers know.
pub const USER: &str = "alice";
