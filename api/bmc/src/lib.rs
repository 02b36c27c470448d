//! Management controllers of nodes (BMC): what those who measure by them and those who switch by them share.
//!
//! ```text
//! access      what the asker shows
//! address     where the controllers of nodes are
//! program     FreeIPMI's and other programs, run without a shell
//! session     requests to a controller by Redfish
//! ```

pub mod access;
pub mod address;
pub mod program;
pub mod session;
