//! Arguments of `wattbook batch run --system`.

use std::path::PathBuf;

use batch::dispatch::{EstimatePart, PowerEstimatePart};
use jiff::tz::TimeZone;

use super::parts::named;

/// Arguments of simulations on systems.
#[derive(Clone, Debug, clap::Args)]
pub struct SystemArguments {
    /// A system of several resources in TOML: [[nodes]] with count and resources such as cores = 16, what these
    /// draw, [shared] resources, [[queues]]; or slurm.conf, what sinfo printed (-N -h -o "%N|%c|%m|%G|%P|%f|%l|%s", or
    /// --json), AccaSim's JSON, the URL of a Wattbook service or its nodes in a file
    #[arg(long, value_name = "FILE", conflicts_with_all = SystemArguments::WITHOUT)]
    pub system: Option<PathBuf>,
    /// With --system of nodes with names: what they draw, by these: the URL of a Wattbook service, or nodes in a file (JSON or CSV)
    #[arg(long, value_name = "SOURCE", requires = "system")]
    pub powers: Option<String>,
    /// With --system: how long jobs are taken to last
    #[arg(long, value_name = "ESTIMATE", requires = "system", value_parser = named::<EstimatePart>())]
    pub estimate: Option<&'static EstimatePart>,
    /// With --system: what jobs are taken to draw
    #[arg(long, value_name = "ESTIMATE", requires = "system", value_parser = named::<PowerEstimatePart>())]
    pub power_estimate: Option<&'static PowerEstimatePart>,
    /// With --system: what users may take of energy, cost and CO2 in a period: [[budgets]] in TOML
    #[arg(long, value_name = "FILE", requires = "system", requires = "origin")]
    pub budgets: Option<PathBuf>,
    /// With --system: who is given which share, a CSV table with the columns account, share and, in a tree, parent
    #[arg(long, value_name = "FILE", requires = "system")]
    pub shares: Option<PathBuf>,
    /// With --system: what the energy of a user's jobs is multiplied by; may be repeated
    #[arg(long, value_name = "USER=FACTOR", requires = "system", value_parser = factor)]
    pub user_energy_factor: Vec<(String, f64)>,
    /// With --system and --out: write steps.csv, the state after each decision
    #[arg(long, requires = "system", requires = "out")]
    pub steps: bool,
    /// With --system and what sacct printed: of its times without an offset, such as Europe/Paris
    #[arg(long, value_name = "NAME", default_value = "UTC", value_parser = zone)]
    pub sacct_time_zone: TimeZone,
}

impl SystemArguments {
    /// What goes with machines alone.
    const WITHOUT: [&str; 14] = [
        "policy",
        "machines",
        "platform",
        "allocation",
        "gate",
        "switching",
        "tie",
        "batches",
        "events",
        "reservations",
        "raw",
        "keep_duplicates",
        "report_from",
        "report_to",
    ];
}

pub fn factor(text: &str) -> Result<(String, f64), String> {
    let (user, factor) = text.rsplit_once('=').ok_or("must be USER=FACTOR")?;
    let factor: f64 = factor.parse().map_err(|_| format!("{factor:?} is no number"))?;
    if !factor.is_finite() || factor < 0.0 {
        return Err("the factor must be a number from 0 on".to_owned());
    }
    Ok((user.to_owned(), factor))
}

pub fn zone(name: &str) -> Result<TimeZone, String> {
    TimeZone::get(name).map_err(|_| format!("{name:?} is no time zone such as Europe/Paris"))
}
