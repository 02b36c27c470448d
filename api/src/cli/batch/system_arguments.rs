//! Arguments of `wattbook batch run --system`.

use std::path::PathBuf;

use batch::dispatch::EstimatePart;

use super::parts::named;

/// Arguments of simulations on systems.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SystemArguments {
    /// A system of several resources in TOML: [[nodes]] with count and resources such as cores = 16, what these
    /// draw, [shared] resources, [[queues]]
    #[arg(long, value_name = "FILE", conflicts_with_all = SystemArguments::WITHOUT)]
    pub system: Option<PathBuf>,
    /// With --system: how long jobs are taken to last
    #[arg(long, value_name = "ESTIMATE", requires = "system", value_parser = named::<EstimatePart>())]
    pub estimate: Option<&'static EstimatePart>,
    /// With --system: who is given which share, a CSV table with the columns account, share and, in a tree, parent
    #[arg(long, value_name = "FILE", requires = "system")]
    pub shares: Option<PathBuf>,
    /// With --system: what the energy of a user's jobs is multiplied by; may be repeated
    #[arg(long, value_name = "USER=FACTOR", requires = "system", value_parser = factor)]
    pub user_energy_factor: Vec<(String, f64)>,
    /// With --system and --out: write steps.csv, the state after each decision
    #[arg(long, requires = "system", requires = "out")]
    pub steps: bool,
}

impl SystemArguments {
    /// What goes with machines alone.
    const WITHOUT: [&str; 18] = [
        "policy",
        "machines",
        "platform",
        "allocation",
        "gate",
        "switching",
        "tie",
        "batches",
        "events",
        "price",
        "co2",
        "cap",
        "reservations",
        "raw",
        "keep_duplicates",
        "report_from",
        "report_to",
        "allow_uncovered",
    ];
}

fn factor(text: &str) -> Result<(String, f64), String> {
    let (user, factor) = text.rsplit_once('=').ok_or("must be USER=FACTOR")?;
    let factor: f64 = factor.parse().map_err(|_| format!("{factor:?} is no number"))?;
    if !factor.is_finite() || factor < 0.0 {
        return Err("the factor must be a number from 0 on".to_owned());
    }
    Ok((user.to_owned(), factor))
}
