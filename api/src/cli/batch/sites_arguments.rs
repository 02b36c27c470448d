//! The argument of `wattbook batch run` that names an experiment with several sites.

use std::path::PathBuf;

/// The argument that names an experiment.
#[derive(Clone, Debug, clap::Args)]
pub struct SitesArguments {
    /// Several sites, the links between them, and clients that submit tasks and choose among the sites: one experiment in TOML
    /// with [[sites]], [[links]] and [[clients]]
    #[arg(long, value_name = "FILE", conflicts_with_all = SitesArguments::WITHOUT)]
    pub grid_experiment: Option<PathBuf>,
}

impl SitesArguments {
    /// What an experiment says itself, or cannot have.
    const WITHOUT: [&str; 21] = [
        "workload",
        "policy",
        "system",
        "machines",
        "platform",
        "order",
        "backfill",
        "fit",
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
        "origin",
        "options",
        "keep_duplicates",
    ];
}
