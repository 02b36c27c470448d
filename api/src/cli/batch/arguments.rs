//! Arguments of `wattbook batch run`.
#![expect(
    clippy::doc_markdown,
    reason = "doc comments on arguments are help texts, shown as they are"
)]

use std::path::PathBuf;
use std::str::FromStr;

use batch::policy::{Allocation, Combination, Policy, PolicyError, nearest};
use batch::report::ReportPart;
use batch::time::Time;
use clap::ValueEnum;
use planner::time::Timestamp;

use super::formats::Format;
use super::parts::{PartArguments, PartChoices};
use super::sites_arguments::SitesArguments;
use super::system_arguments::SystemArguments;
use super::watch::WatchArguments;
use crate::cli::Failure;
use crate::cli::identity::Identity;
use batch::scheduler::Tie;
use batch::simulation::{NamedOptions, SimulationOptions};

/// One simulation.
#[derive(clap::Args)]
pub struct Arguments {
    /// The workload: a trace in the Standard Workload Format or Batsim's JSON, or with --system a table of jobs (CSV),
    /// a trace, what sacct -P or sacct --json printed, AccaSim's jobs in JSON, or Parquet; compressed by gzip or not
    #[arg(
        long,
        value_name = "FILE",
        required = false,
        required_unless_present = "grid_experiment",
        default_value_if("grid_experiment", clap::builder::ArgPredicate::IsPresent, "-")
    )]
    pub workload: PathBuf,
    /// Machines of the cluster; the first ones of the platform where one is given [default: all of the
    /// platform; without one what the workload says, MaxProcs or MaxNodes in a trace's header, nb_res in JSON]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub machines: Option<u32>,
    /// Which waiting job starts when: fcfs, round_robin, sjf, ljf, easy, conservative,
    /// conservative_no_compression, conservative_contiguous, conservative_best_effort_contiguous,
    /// conservative_local, conservative_best_effort_local, opportunistic_shutdown, proportional_shutdown, inertial_shutdown, easy_reservations, power_cap,
    /// energy_bud, reduce_pc, or external: who listens at --socket. Parts may be said beside it or instead of it
    #[arg(long, required_unless_present_any = ["order", "backfill", "fit", "gate", "switching", "system", "grid_experiment"])]
    pub policy: Option<Decider>,
    #[command(flatten)]
    pub parts: PartChoices,
    #[command(flatten)]
    pub system: SystemArguments,
    #[command(flatten)]
    pub sites: SitesArguments,
    #[command(flatten)]
    pub watch: WatchArguments,
    /// With --policy external: where the decision process listens by ZeroMQ, as Batsim's do
    #[arg(long, value_name = "ENDPOINT", default_value = "tcp://127.0.0.1:28000")]
    pub socket: String,
    /// How long the decision process may take to be there, and for an answer
    #[arg(long, value_name = "S", default_value_t = 600)]
    pub socket_timeout_s: u32,
    /// With --policy external: Batsim's external events, a JSON document a line
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// Whether all events of one instant are decided on together, or one by one as pyss does
    #[arg(long, value_enum, default_value_t)]
    pub tie: TieArgument,
    /// Messages of another simulator to replay: a CSV table with the columns time, ended and submitted,
    /// compressed by gzip or not
    #[arg(long, value_name = "FILE")]
    pub batches: Option<PathBuf>,
    /// What machines compute and draw: the URL of a Wattbook service, its nodes in a file (JSON or CSV),
    /// SimGrid's XML as Batsim reads it, or TOML with
    /// [[machines]] of count, speed_flops, idle_power_w and computing_power_w, and group or group_size
    #[arg(long, value_name = "FILE")]
    pub platform: Option<PathBuf>,
    #[command(flatten)]
    pub identity: Identity,
    #[command(flatten)]
    pub supplier: Supplier,
    /// Leave the workload as it is: drop, clip and shift nothing
    #[arg(long)]
    pub raw: bool,
    /// Play jobs that share an id as jobs of their own; otherwise they are an error
    #[arg(long)]
    pub keep_duplicates: bool,
    /// An option of a part, or of every policy; may be repeated. `wattbook batch run --help` lists those of
    /// each part
    #[arg(long = "option", value_name = "KEY=VALUE", value_parser = named)]
    pub options: Vec<(String, String)>,
    /// Where jobs.csv and summary.json are written, and with a platform that says what machines draw
    /// consumed_energy.csv, machine_states.csv and pstate_changes.csv; otherwise the summary is printed
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// With --out: replace the results that are there
    #[arg(long, requires = "out")]
    pub force: bool,
    /// With --out: in which formats, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "csv")]
    pub format: Vec<Format>,
    /// With --format html: from when on the report's figures are, in seconds of the simulation or by the
    /// clock, such as 2000-05-01 or 2000-05-01T06:00:00Z
    #[arg(long, value_name = "TIME", value_parser = ReportTime::parse)]
    pub report_from: Option<ReportTime>,
    /// With --format html: until when they are
    #[arg(long, value_name = "TIME", value_parser = ReportTime::parse)]
    pub report_to: Option<ReportTime>,
}

/// An instant of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportTime {
    /// A time since the simulation's beginning.
    Since(Time),
    /// An instant by the clock.
    At(Timestamp),
}

impl ReportTime {
    fn parse(text: &str) -> Result<Self, String> {
        if let Ok(seconds) = text.parse() {
            let time = Time::from_seconds_f64(seconds).filter(|time| *time >= Time::ZERO);
            return time.map(Self::Since).ok_or_else(|| "is not a time from 0 s on".to_owned());
        }
        let midnight = Timestamp::parse(&format!("{text}T00:00:00Z"));
        let instant = midnight.or_else(|_| Timestamp::parse(text));
        instant.map(Self::At).map_err(|error| format!("is not seconds, not a date, and {error}"))
    }

    /// The time since the simulation's beginning, which was at `zero` by the clock.
    fn since(self, zero: Option<Timestamp>) -> Result<Time, String> {
        match (self, zero) {
            (Self::Since(time), _) => Ok(time),
            (Self::At(instant), Some(zero)) => {
                Ok(Time::from_seconds(instant.as_unix_seconds() - zero.as_unix_seconds()))
            }
            (Self::At(_), None) => {
                Err("nobody knows when the simulation begins by the clock: --origin says it, \
                or UnixStartTime in the trace's header; or give seconds"
                    .to_owned())
            }
        }
    }
}

/// What decides which jobs start: a policy, or a process outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decider {
    Policy(Policy),
    /// A decision process at the other end of a socket.
    External,
}

impl FromStr for Decider {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "external" {
            return Ok(Self::External);
        }
        let policy = text.parse().map(Self::Policy);
        policy.map_err(|error: PolicyError| {
            let near = nearest(text, Policy::ALL.iter().map(|policy| policy.name()));
            let near = near.map_or(String::new(), |name| format!(" (did you mean {name}?)"));
            format!("{error}, external{near}")
        })
    }
}

/// Tables that go by the clock.
#[derive(Clone, Default, clap::Args)]
pub struct Supplier {
    /// Prices of energy: a CSV table with the columns start, end and price_per_mwh
    #[arg(long, value_name = "FILE", requires = "origin")]
    pub price: Option<PathBuf>,
    /// CO2 intensities of energy: a CSV table with the columns start, end and intensity_g_per_kwh
    #[arg(long, value_name = "FILE", requires = "origin")]
    pub co2: Option<PathBuf>,
    /// Caps of the cluster's power, for power_cap and with --system: a CSV table with the columns start, end and cap_w
    #[arg(long, value_name = "FILE", requires = "origin")]
    pub cap: Option<PathBuf>,
    /// Machines that are not for jobs for a time, for easy_reservations: a CSV table with the columns
    /// start, end and machines, such as 0-3 7; times as above, or seconds of the simulation
    #[arg(long, value_name = "FILE")]
    pub reservations: Option<PathBuf>,
    /// What instant the simulation begins at, such as 2026-01-01T00:00:00Z
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse)]
    pub origin: Option<Timestamp>,
    /// Play although --price, --co2 or --cap do not cover all of the simulation: cost and CO2 are then
    /// those of the covered part, and the summary says how large that is (energy_cost_covered_share and
    /// others)
    #[arg(long)]
    pub allow_uncovered: bool,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum TieArgument {
    #[default]
    Batch,
    Pyss,
}

impl From<TieArgument> for Tie {
    fn from(argument: TieArgument) -> Self {
        match argument {
            TieArgument::Batch => Self::Batch,
            TieArgument::Pyss => Self::Pyss,
        }
    }
}

/// Checks that events can be told so to a scheduler that reserves this.
pub fn check_tie(tie: Tie, allocation: Allocation) -> Result<(), String> {
    if tie == Tie::Pyss && allocation == Allocation::Set {
        return Err("pyss counts machines: --tie pyss needs --fit count".to_owned());
    }
    Ok(())
}

pub fn named(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("must be KEY=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

impl Arguments {
    /// Parts in place of the policy's own.
    pub fn parts(&self) -> PartArguments {
        self.parts.parts()
    }

    /// The policy or the parts that are played; none where a process outside decides.
    pub fn combination(&self) -> Option<Combination> {
        match self.policy {
            Some(Decider::External) => None,
            Some(Decider::Policy(policy)) => Some(self.parts().combined(Some(policy))),
            None => Some(self.parts().combined(None)),
        }
    }

    /// What part of the simulation the report's figures are of; it begins at `zero` by the clock.
    pub fn part(&self, zero: Option<Timestamp>) -> Result<ReportPart, Failure> {
        let bad = |error: String| Failure::BadInput(vec![error]);
        let since = |moment: Option<ReportTime>, name: &str, default: Time| {
            let since = moment.map_or(Ok(default), |moment| moment.since(zero));
            since.map_err(|error| bad(format!("{name}: {error}")))
        };
        let from = since(self.report_from, "--report-from", Time::ZERO)?.max(Time::ZERO);
        let until = since(self.report_to, "--report-to", Time::FOREVER)?;
        if from >= until {
            return Err(bad(
                "--report-to must be after --report-from, and after the beginning".to_owned()
            ));
        }
        Ok(ReportPart { from, until })
    }

    /// What the options say: those of every policy, and the policy's own; everything that is wrong with them
    /// and with what goes together.
    pub fn options(&self) -> Result<(SimulationOptions, NamedOptions), Failure> {
        let options = SimulationOptions::read(&self.options);
        let (options, mut errors) = match options {
            Ok(options) => (options, Vec::new()),
            Err(errors) => (Default::default(), errors),
        };
        let (tie, combination) = (Tie::from(self.tie), self.combination());
        let allocation = combination.map_or(Allocation::Set, |it| it.allocation());
        errors.extend(check_tie(tie, allocation).err());
        if tie == Tie::Pyss && self.batches.is_some() {
            errors.push("--batches says which events are told together: --tie cannot".to_owned());
        }
        if self.batches.is_some() && combination.is_none_or(|it| it.switches()) {
            errors.push("--batches tells of no switches, and the policy makes them".to_owned());
        }
        if combination.is_none() && self.batches.is_some() {
            errors.push("--batches are for policies, not for a decision process".to_owned());
        }
        if combination.is_some() && self.events.is_some() {
            errors.push("--events are told to a decision process: --policy external".to_owned());
        }
        if combination.is_none() {
            for (kind, name) in self.parts().said().names() {
                errors.push(format!(
                    "a decision process has no use for the {kind} {name}: leave that out, or name another policy"
                ));
            }
        }
        let part = self.report_from.is_some() || self.report_to.is_some();
        if part && !self.format.contains(&Format::Html) {
            errors
                .push("--report-from and --report-to are of the report: --format html".to_owned());
        }
        let named = combination.is_none() || self.batches.is_some();
        if self.keep_duplicates && named {
            errors.push(
                "--keep-duplicates: --policy external and --batches tell jobs by their ids"
                    .to_owned(),
            );
        }
        for name in self.parts.only_of_systems() {
            errors.push(format!("{name} is for systems of several resources: --system"));
        }
        if self.watch.asked() {
            errors.push("--watch and --watch-on show simulations on systems: --system".to_owned());
        }
        if self.out.is_none() && self.format != [Format::Csv] {
            errors.push("--format needs --out, where files are written".to_owned());
        }
        if errors.is_empty() { Ok(options) } else { Err(Failure::BadInput(errors)) }
    }
}
