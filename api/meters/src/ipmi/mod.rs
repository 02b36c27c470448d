//! IPMI: the power that management controllers tell by DCMI 1.5 (Get Power Reading), read by FreeIPMI's `ipmi-dcmi`.
//!
//! The program is run without a shell, for many hosts at once. Who asks stands in its configuration file and not among its
//! arguments, which other users of the machine can see.

mod output;
mod program;

#[cfg(feature = "fuzzing")]
pub(crate) use output::read;

pub use output::IpmiValue;
pub use program::{Ipmi, IpmiSettings};
