//! Settings: the command line beats the environment, which beats the file, which beats defaults.
#![expect(
    clippy::doc_markdown,
    reason = "doc comments on arguments are help texts, shown as they are"
)]

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use planner::problem::{CapScope, SearchMode};
use planner::quantity::Currency;
use planner::time::Seconds;
use serde::Deserialize;

/// What the command line and the environment may set; anything absent is left to the file.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Overrides {
    /// Settings file (TOML)
    #[arg(long, env = "WATTBOOK_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Address and port to serve on [default: 127.0.0.1:8080]
    #[arg(long, env = "WATTBOOK_LISTEN", value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// Database: sqlite://FILE or postgres://... [default: sqlite://wattbook.db]
    #[arg(long, env = "WATTBOOK_DATABASE", value_name = "URL", hide_env_values = true)]
    pub database: Option<String>,
    /// Seconds an offer is held before it expires [default: 900]
    #[arg(long, env = "WATTBOOK_HOLD_S", value_name = "SECONDS")]
    pub hold_s: Option<u32>,
    /// What the power cap limits: reserved_nodes, or all_nodes, idle ones too [default: reserved_nodes]
    #[arg(long, env = "WATTBOOK_POWER_CAP_SCOPE", value_name = "SCOPE")]
    pub power_cap_scope: Option<String>,
}

/// The settings file. Every field is optional.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    listen: Option<SocketAddr>,
    database: Option<String>,
    currency: Option<String>,
    hold_s: Option<u32>,
    power_cap_scope: Option<String>,
    slot_s: Option<u32>,
    planning_threads: Option<usize>,
    planning_queue: Option<usize>,
    planning_time_limit_s: Option<u64>,
}

/// The settings in force.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to serve.
    pub listen: SocketAddr,
    /// Where the data is.
    pub database: String,
    /// Of every price.
    pub currency: Currency,
    /// How long an offer is held.
    pub hold: Seconds,
    /// What the power cap limits.
    pub cap_scope: CapScope,
    /// Where starts are looked for unless a request says otherwise.
    pub search: SearchMode,
    /// Plans made at the same time.
    pub planning_threads: usize,
    /// Plans that may wait for a thread; beyond that the service answers 503.
    pub planning_queue: usize,
    /// A plan that takes longer is abandoned.
    pub planning_time_limit: std::time::Duration,
}

impl Settings {
    /// Reads the settings.
    ///
    /// # Errors
    /// A file that cannot be read, or a value out of range, by name.
    pub fn load(overrides: &Overrides) -> anyhow::Result<Self> {
        let file = match &overrides.config {
            Some(path) => read(path)?,
            None => File::default(),
        };
        let currency = file.currency.as_deref().unwrap_or("EUR");
        let slot_s = file.slot_s.unwrap_or(900);
        ensure!((1..=86_400).contains(&slot_s), "slot_s must lie between 1 and 86400");
        let hold_s = overrides.hold_s.or(file.hold_s).unwrap_or(900);
        ensure!((1..=604_800).contains(&hold_s), "hold_s must lie between 1 and 604800");
        let scope = overrides.power_cap_scope.as_ref().or(file.power_cap_scope.as_ref());
        let cap_scope = scope.map_or(Some(CapScope::default()), |word| CapScope::parse(word));
        let cap_scope =
            cap_scope.context("power_cap_scope must be \"reserved_nodes\" or \"all_nodes\"")?;
        let planning_threads = file.planning_threads.unwrap_or(0);
        ensure!(planning_threads <= 1024, "planning_threads must be at most 1024");
        let planning_queue = file.planning_queue.unwrap_or(1024);
        ensure!(planning_queue > 0, "planning_queue must be at least 1");
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            listen: (overrides.listen.or(file.listen))
                .unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8080))),
            database: (overrides.database.clone().or(file.database))
                .unwrap_or_else(|| "sqlite://wattbook.db".to_owned()),
            currency: Currency::parse(currency)
                .with_context(|| format!("the setting currency = {currency:?}"))?,
            hold: Seconds::new(hold_s.into()),
            cap_scope,
            search: SearchMode::Slots { slot: Seconds::new(slot_s.into()) },
            planning_threads: if planning_threads == 0 { cores } else { planning_threads },
            planning_queue,
            planning_time_limit: std::time::Duration::from_secs(
                file.planning_time_limit_s.unwrap_or(30),
            ),
        })
    }
}

fn read(path: &Path) -> anyhow::Result<File> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the settings file {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("in the settings file {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_beats_file_beats_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wattbook.toml");
        std::fs::write(&path, "hold_s = 60\ncurrency = \"GBP\"\nslot_s = 300\n").unwrap();
        let overrides = Overrides { config: Some(path), hold_s: Some(30), ..Overrides::default() };
        let settings = Settings::load(&overrides).unwrap();
        assert_eq!(settings.hold, Seconds::new(30));
        assert_eq!(settings.currency.code(), "GBP");
        assert_eq!(settings.search, SearchMode::Slots { slot: Seconds::new(300) });
        assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
    }

    #[test]
    fn the_cap_limits_reserved_nodes_or_all() {
        let scope = |word: &str| {
            let power_cap_scope = Some(word.to_owned());
            Settings::load(&Overrides { power_cap_scope, ..Overrides::default() })
        };
        let default = Settings::load(&Overrides::default()).unwrap();
        assert_eq!(default.cap_scope, CapScope::ReservedNodes);
        assert_eq!(scope("all_nodes").unwrap().cap_scope, CapScope::AllNodes);
        let error = scope("idle_nodes").unwrap_err();
        assert!(format!("{error:#}").contains("power_cap_scope"), "{error:#}");
    }

    #[test]
    fn unknown_settings_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wattbook.toml");
        std::fs::write(&path, "hold = 60\n").unwrap();
        let error =
            Settings::load(&Overrides { config: Some(path), ..Overrides::default() }).unwrap_err();
        assert!(format!("{error:#}").contains("hold"), "{error:#}");
    }
}
