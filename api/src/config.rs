//! Settings: the command line beats the environment, which beats the file, which beats defaults.
#![expect(
    clippy::doc_markdown,
    reason = "doc comments on arguments are help texts, shown as they are"
)]

pub mod audit;
pub mod billing;
pub mod calibration;
#[cfg(any(feature = "meters", feature = "power"))]
mod controllers;
pub mod feeds;
mod file;
pub mod job_owners;
pub mod ledger;
pub mod limits;
pub mod mail;
pub mod meters;
pub mod negotiation;
pub mod power;
pub mod projects;
mod public_url;
pub mod quotas;
pub mod racks;
pub mod retention;
pub mod rights;
pub mod shares;
pub mod sign_in;
pub mod sites;
pub mod slurm;
pub mod source_provider;
mod tables;
pub mod webhooks;

use std::net::SocketAddr;
use std::path::PathBuf;

use grid_feeds::reach::Reach;
use planner::cap_scope::CapScope;
use planner::identity::ReservationId;
use planner::problem::SearchMode;
use planner::quantity::Currency;
use planner::rights::RightsRules;
use planner::time::Seconds;

use crate::clock::Clock;
use audit::AuditSettings;
use billing::Billing;
use calibration::CalibrationSettings;
use feeds::Feeds;
use file::File;
pub use file::SettingErrors;
use ledger::LedgerSettings;
use limits::Limits;
use mail::MailSettings;
use meters::Metering;
use negotiation::{Negotiation, NegotiationFields};
use power::PowerSettings;
use projects::ProjectSettings;
use quotas::QuotaSettings;
use racks::Racks;
use retention::Retention;
use shares::FairShares;
use sign_in::IssuerSettings;
use sites::OtherSite;
use slurm::ManagerSettings;
use source_provider::OpenAdr;
use webhooks::{EventWebhook, Secrets};

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
    /// For replays: REAL=VIRTUAL@RATE, see docs/FEEDS.md
    #[arg(long, env = "WATTBOOK_CLOCK", value_name = "CLOCK", hide = true)]
    pub clock: Option<Clock>,
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
    /// What the site is called where clients ask for locations.
    pub location: String,
    /// The time zone that people at the site live by, an IANA name.
    pub time_zone: Option<String>,
    /// Where people reach the page, without a slash at its end; `None` where that is not said.
    pub public_url: Option<String>,
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
    /// Threads that a simulation is played on, one simulation at a time.
    pub simulation_threads: usize,
    /// Simulations that may wait, of all processes on the database; beyond that the service answers
    /// 503.
    pub simulation_queue: u32,
    /// Where agendas come from beside the API.
    pub feeds: Feeds,
    /// What one client, and all together, may take.
    pub limits: Limits,
    /// The dialogue with the supplier.
    pub negotiation: Negotiation,
    /// The supplier's OpenADR server.
    pub openadr: Option<OpenAdr>,
    /// The resource manager; `None` where there is none.
    pub manager: Option<ManagerSettings>,
    /// What switches nodes to save energy; `None` where nothing does.
    pub power: Option<PowerSettings>,
    /// How hours of the ledger are stated.
    pub ledger: LedgerSettings,
    /// What the supplier bills beside energy.
    pub billing: Billing,
    /// How accounts share the cluster.
    pub shares: FairShares,
    /// What people of a project may do with each other's reservations.
    pub projects: ProjectSettings,
    /// What callers may do beyond the defaults, and what not.
    pub rights: RightsRules,
    /// What users and projects may hold.
    pub quotas: QuotaSettings,
    /// What is recorded of who did what.
    pub audit: AuditSettings,
    /// How long what grows is kept.
    pub retention: Retention,
    /// Whose access tokens are accepted.
    pub sign_in: Vec<IssuerSettings>,
    /// Where measurements come from, and how long they are kept.
    pub metering: Metering,
    /// Which nodes are behind the meters of racks.
    pub racks: Racks,
    /// How calibration follows what meters measure.
    pub calibration: CalibrationSettings,
    /// Who is told events.
    pub webhooks: Vec<EventWebhook>,
    /// How users are told by mail; `None` where they are not.
    pub mail: Option<MailSettings>,
    /// Other sites that are asked for offers.
    pub sites: Vec<OtherSite>,
    /// Where users' own webhooks may be.
    pub own_webhooks: Reach,
    /// The time, unless it is replayed.
    pub clock: Clock,
}

impl Settings {
    /// Reads the settings.
    ///
    /// # Errors
    /// A file that cannot be read, or everything that is wrong with it, by name.
    pub fn load(overrides: &Overrides) -> anyhow::Result<Self> {
        Ok(File::of(overrides)?.settings(overrides)?)
    }

    /// Reads the settings for commands that ask sources and tell nobody anything: secrets of webhooks
    /// may be missing.
    ///
    /// # Errors
    /// A file that cannot be read, or a value out of range, by name.
    pub fn load_for_feeds(overrides: &Overrides) -> anyhow::Result<Self> {
        let mut file = File::of(overrides)?;
        file.webhooks.clear();
        file.sites.clear();
        file.mail = None;
        file.slurm = None;
        file.power = None;
        file.negotiation = file.negotiation.map(NegotiationFields::without_webhook);
        Ok(file.settings(overrides)?)
    }

    /// Reads the settings for commands that ask nobody and tell nobody anything: secrets may be missing, and so may be what
    /// speaks for machines.
    ///
    /// # Errors
    /// A file that cannot be read, or a value out of range, by name.
    pub fn load_for_retention(overrides: &Overrides) -> anyhow::Result<Self> {
        let mut file = File::of(overrides)?;
        file.webhooks.clear();
        file.sites.clear();
        file.mail = None;
        file.slurm = None;
        file.power = None;
        file.meters.clear();
        file.sign_in.clear();
        file.negotiation = file.negotiation.map(NegotiationFields::without_webhook);
        Ok(file.settings(overrides)?)
    }

    /// Reads the settings for commands that compare with the resource manager and tell nobody anything: secrets
    /// of webhooks may be missing.
    ///
    /// # Errors
    /// A file that cannot be read, or a value out of range, by name.
    #[cfg(feature = "slurm")]
    pub fn load_for_slurm(overrides: &Overrides) -> anyhow::Result<Self> {
        let mut file = File::of(overrides)?;
        file.webhooks.clear();
        file.sites.clear();
        file.mail = None;
        file.negotiation = file.negotiation.map(NegotiationFields::without_webhook);
        Ok(file.settings(overrides)?)
    }

    /// The webhooks of the settings, for a command that lists them: their secrets may be missing.
    ///
    /// # Errors
    /// A file that cannot be read, a webhook that cannot work.
    pub fn webhooks_to_list(overrides: &Overrides) -> anyhow::Result<Vec<EventWebhook>> {
        EventWebhook::read_all(File::of(overrides)?.webhooks, Secrets::LeftOut)
    }

    /// The URL of the database, whatever else is in the settings.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn database(overrides: &Overrides) -> anyhow::Result<String> {
        Ok(File::of(overrides)?.database_url(overrides))
    }

    /// Where people see a reservation; `None` where the settings do not say where the page is.
    pub fn page_of(&self, id: ReservationId) -> Option<String> {
        self.public_url.as_ref().map(|url| format!("{url}/#/reservations/{id}"))
    }
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
    fn a_location_has_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wattbook.toml");
        let location = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Settings::load(&Overrides { config: Some(path.clone()), ..Overrides::default() })
        };
        assert_eq!(location("").unwrap().location, "site");
        assert_eq!(location("location = \"Lyon\"").unwrap().location, "Lyon");
        let error = location("location = \"\"").unwrap_err();
        assert!(format!("{error:#}").contains("location"), "{error:#}");
    }

    #[test]
    fn a_time_zone_is_one_that_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wattbook.toml");
        let zone = |name: &str| {
            std::fs::write(&path, format!("time_zone = {name:?}\n")).unwrap();
            Settings::load(&Overrides { config: Some(path.clone()), ..Overrides::default() })
        };
        for (written, known) in
            [("Europe/Paris", "Europe/Paris"), ("europe/paris", "Europe/Paris"), ("UTC", "UTC")]
        {
            assert_eq!(zone(written).unwrap().time_zone.as_deref(), Some(known));
        }
        for wrong in ["Paris", "", "UTC+1", "Europe/Paris "] {
            let error = zone(wrong).unwrap_err();
            assert!(format!("{error:#}").contains("time_zone"), "{error:#}");
        }
        assert_eq!(Settings::load(&Overrides::default()).unwrap().time_zone, None);
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
