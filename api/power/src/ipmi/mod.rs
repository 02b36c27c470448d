//! IPMI: chassis control by FreeIPMI's `ipmipower`, and power limits of DCMI 1.5 by its `ipmi-raw`.
//!
//! The programs are run without a shell, for many hosts at once. Who asks stands in FreeIPMI's configuration file and not
//! among arguments, which other users of the machine can see.
//!
//! Limits are set by bytes, and not by `ipmi-dcmi`: as of FreeIPMI 1.6.10 it prints a limit that is not active like one that
//! is, and leaves the exception action as it was whatever name it is given, so that a controller which switches its node
//! off at the limit would go on doing so.

mod dcmi;
mod hosts;
mod power;

#[cfg(feature = "fuzzing")]
pub(crate) use dcmi::read_limit;

use std::path::{Path, PathBuf};
use std::time::Duration;

use bmc::address::Addresses;
use bmc::program::{self, Output};

use crate::abilities::Abilities;
use crate::by_node::one_node_each;
use crate::error::PowerError;
use crate::lines::silence;

/// The controllers of nodes, and how they are asked.
#[derive(Clone, Debug)]
pub struct IpmiSettings {
    /// The program `ipmipower`.
    pub program: PathBuf,
    /// The program `ipmi-raw`, where there are power limits.
    pub raw_program: Option<PathBuf>,
    /// FreeIPMI's configuration file, with user, password and driver; its usual one unless given.
    pub config_file: Option<PathBuf>,
    /// Where the controllers are: hosts, with a port where it is not 623. Each node has its own.
    pub addresses: Addresses,
    /// Whether the site allows to take a node's power away.
    pub forced_off: bool,
    /// How long a run for 256 hosts may take.
    pub timeout: Duration,
}

/// Controllers that are asked by IPMI.
#[derive(Clone, Debug)]
pub struct Ipmi {
    settings: IpmiSettings,
}

impl Ipmi {
    /// The controllers of these settings; nothing is asked of them yet.
    ///
    /// # Errors
    /// Several nodes have one controller: an order for one would switch the other.
    pub fn new(settings: IpmiSettings) -> Result<Self, PowerError> {
        one_node_each(&settings.addresses)?;
        Ok(Self { settings })
    }

    /// What it can do.
    pub(crate) const fn abilities(&self) -> Abilities {
        let Self { settings } = self;
        Abilities { forced_off: settings.forced_off, limits: settings.raw_program.is_some() }
    }

    /// Runs a program of FreeIPMI for hosts; `last` comes after them.
    async fn run(
        &self,
        program: &Path,
        first: &[&str],
        hosts: &[&str],
        last: &[String],
    ) -> Result<Output, PowerError> {
        let mut arguments: Vec<String> = first.iter().copied().map(str::to_owned).collect();
        arguments.push("--always-prefix".to_owned());
        if let Some(file) = &self.settings.config_file {
            arguments.push(format!("--config-file={}", file.display()));
        }
        arguments.push(format!("--hostname={}", hosts.join(",")));
        arguments.extend_from_slice(last);
        Ok(program::run(program, &arguments, self.settings.timeout).await?)
    }

    /// Why a host has no words in what was printed.
    fn silence(&self, output: &Output) -> PowerError {
        PowerError::Unreachable(silence(output, self.settings.timeout))
    }
}
