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
pub mod rights;
pub mod shares;
pub mod sign_in;
pub mod slurm;
pub mod source_provider;
mod tables;
pub mod webhooks;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use grid_feeds::reach::Reach;
use planner::cap_scope::CapScope;
use planner::identity::ReservationId;
use planner::node::{NAME_RULE, is_name};
use planner::problem::SearchMode;
use planner::quantity::Currency;
use planner::rights::RightsRules;
use planner::time::Seconds;
use serde::Deserialize;

use crate::clock::Clock;
use audit::{AuditFields, AuditSettings};
use billing::{Billing, BillingFields};
use calibration::{CalibrationFields, CalibrationSettings};
use feeds::{AgendaFields, Feeds};
use ledger::{LedgerFields, LedgerSettings};
use limits::{LimitFields, Limits};
use mail::{MailFields, MailSettings};
use meters::{Metering, MeteringFields};
use negotiation::{Negotiation, NegotiationFields};
use power::PowerSettings;
use projects::{ProjectFields, ProjectSettings};
use public_url::public_url;
use quotas::{QuotaFields, QuotaSettings, TariffBands};
use racks::Racks;
use rights::RightsFields;
use shares::{FairShares, ShareFields};
use sign_in::{IssuerSettings, SignInFields};
use slurm::ManagerSettings;
use source_provider::OpenAdr;
use webhooks::{EventWebhook, EventWebhookFields, Secrets};

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

/// The settings file. Every field is optional.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    listen: Option<SocketAddr>,
    database: Option<String>,
    currency: Option<String>,
    location: Option<String>,
    time_zone: Option<String>,
    public_url: Option<String>,
    hold_s: Option<u32>,
    power_cap_scope: Option<String>,
    slot_s: Option<u32>,
    planning_threads: Option<usize>,
    planning_queue: Option<usize>,
    planning_time_limit_s: Option<u64>,
    simulation_threads: Option<usize>,
    simulation_queue: Option<u32>,
    #[serde(default)]
    feeds: Vec<toml::Table>,
    #[serde(default)]
    agendas: BTreeMap<String, AgendaFields>,
    feed_lease_s: Option<u32>,
    negotiation: Option<NegotiationFields>,
    openadr: Option<toml::Table>,
    slurm: Option<toml::Table>,
    power: Option<toml::Table>,
    #[serde(default)]
    ledger: LedgerFields,
    #[serde(default)]
    billing: BillingFields,
    shares: Option<ShareFields>,
    quotas: Option<QuotaFields>,
    #[serde(default)]
    projects: ProjectFields,
    #[serde(default)]
    rights: Vec<RightsFields>,
    #[serde(default)]
    audit: AuditFields,
    #[serde(default)]
    sign_in: Vec<SignInFields>,
    #[serde(default)]
    meters: Vec<toml::Table>,
    #[serde(default)]
    metering: MeteringFields,
    #[serde(default)]
    racks: BTreeMap<String, String>,
    #[serde(default)]
    calibration: CalibrationFields,
    #[serde(default)]
    limits: LimitFields,
    #[serde(default)]
    webhooks: Vec<EventWebhookFields>,
    mail: Option<MailFields>,
    private_webhooks: Option<bool>,
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
    /// Where users' own webhooks may be.
    pub own_webhooks: Reach,
    /// The time, unless it is replayed.
    pub clock: Clock,
}

impl Settings {
    /// Reads the settings.
    ///
    /// # Errors
    /// A file that cannot be read, or a value out of range, by name.
    pub fn load(overrides: &Overrides) -> anyhow::Result<Self> {
        Self::of(File::of(overrides)?, overrides)
    }

    /// Reads the settings for commands that ask sources and tell nobody anything: secrets of webhooks
    /// may be missing.
    ///
    /// # Errors
    /// A file that cannot be read, or a value out of range, by name.
    pub fn load_for_feeds(overrides: &Overrides) -> anyhow::Result<Self> {
        let mut file = File::of(overrides)?;
        file.webhooks.clear();
        file.mail = None;
        file.slurm = None;
        file.power = None;
        file.negotiation = file.negotiation.map(NegotiationFields::without_webhook);
        Self::of(file, overrides)
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
        file.mail = None;
        file.negotiation = file.negotiation.map(NegotiationFields::without_webhook);
        Self::of(file, overrides)
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

    fn of(file: File, overrides: &Overrides) -> anyhow::Result<Self> {
        let database = file.database_url(overrides);
        let currency = file.currency.as_deref().unwrap_or("EUR");
        let location = file.location.unwrap_or_else(|| "site".to_owned());
        ensure!(is_name(&location), "location {NAME_RULE}");
        let time_zone = file.time_zone.map(|name| time_zone(&name)).transpose()?;
        let public_url = file.public_url.map(|url| public_url(&url)).transpose()?;
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
        let simulation_threads = file.simulation_threads.unwrap_or(0);
        ensure!(simulation_threads <= 1024, "simulation_threads must be at most 1024");
        let currency = Currency::parse(currency)
            .with_context(|| format!("the setting currency = {currency:?}"))?;
        let openadr = source_provider::openadr(file.openadr, currency).context("[openadr]")?;
        let clock = overrides.clock.unwrap_or_default();
        let manager = ManagerSettings::read(file.slurm).context("[slurm]")?;
        ensure!(
            manager.is_none() || !clock.is_set(),
            "[slurm] needs the machine's clock, which Slurm goes by too; leave --clock out"
        );
        let power = PowerSettings::read(file.power, manager.as_ref()).context("[power]")?;
        ensure!(
            power.is_none() || !clock.is_set(),
            "[power] needs the machine's clock, which nodes are switched by; leave --clock out"
        );
        let metering = Metering::read(file.meters, &file.metering, manager.as_ref())?;
        ensure!(
            !clock.is_set() || metering.meters.iter().all(|it| !it.source.is_polled()),
            "[[meters]] that are asked need the machine's clock, which they go by too; leave --clock out"
        );
        let may_be_off = manager.is_some() || power.is_some();
        let calibration = CalibrationSettings::read(&file.calibration, may_be_off);
        let calibration = calibration.context("[calibration]")?;
        let (sources, lease_s) = (file.feeds, file.feed_lease_s);
        let feeds = Feeds::read(sources, &file.agendas, lease_s, currency, openadr.as_ref())?;
        let billing = Billing::read(file.billing).context("[billing]")?;
        let bands = TariffBands::of(&billing.demand, &feeds.contracts()?, time_zone.as_deref())?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            listen: (overrides.listen.or(file.listen))
                .unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8080))),
            database,
            currency,
            hold: Seconds::new(hold_s.into()),
            cap_scope,
            location,
            quotas: QuotaSettings::read(file.quotas, time_zone.as_deref(), &bands)
                .context("[quotas]")?,
            time_zone,
            public_url,
            search: SearchMode::Slots { slot: Seconds::new(slot_s.into()) },
            planning_threads: if planning_threads == 0 { cores } else { planning_threads },
            planning_queue,
            planning_time_limit: std::time::Duration::from_secs(
                file.planning_time_limit_s.unwrap_or(30),
            ),
            // Half of the cores stay with those who wait for an answer.
            simulation_threads: match simulation_threads {
                0 => (cores / 2).max(1),
                threads => threads,
            },
            simulation_queue: file.simulation_queue.unwrap_or(100),
            clock,
            metering,
            racks: Racks::read(file.racks).context("[racks]")?,
            calibration,
            manager,
            power,
            ledger: LedgerSettings::read(file.ledger).context("[ledger]")?,
            billing,
            shares: FairShares::read(file.shares, Seconds::new(hold_s.into()))
                .context("[shares]")?,
            projects: ProjectSettings::read(&file.projects).context("[projects]")?,
            rights: rights::read_all(file.rights)?,
            audit: AuditSettings::read(&file.audit).context("[audit]")?,
            sign_in: IssuerSettings::read_all(file.sign_in)?,
            negotiation: Negotiation::read(file.negotiation, openadr.is_some())?,
            openadr,
            limits: Limits::read(&file.limits).context("[limits]")?,
            feeds,
            webhooks: EventWebhook::read_all(file.webhooks, Secrets::Needed)?,
            own_webhooks: match file.private_webhooks {
                Some(true) => Reach::Anywhere,
                _ => Reach::Public,
            },
            mail: file.mail.map(MailSettings::read).transpose().context("[mail]")?,
        })
    }
}

impl File {
    /// The file that is named; without one, nothing is set.
    fn of(overrides: &Overrides) -> anyhow::Result<Self> {
        overrides.config.as_deref().map_or_else(|| Ok(Self::default()), read)
    }

    fn database_url(&self, overrides: &Overrides) -> String {
        let url = overrides.database.as_ref().or(self.database.as_ref());
        url.map_or_else(|| "sqlite://wattbook.db".to_owned(), Clone::clone)
    }
}

fn read(path: &Path) -> anyhow::Result<File> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the settings file {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("in the settings file {}", path.display()))
}

/// The name of a time zone as the rules of time zones have it.
fn time_zone(name: &str) -> anyhow::Result<String> {
    let zone = jiff::tz::TimeZone::get(name).with_context(|| {
        format!("time_zone = {name:?} must be a name such as \"Europe/Paris\" or \"UTC\"")
    })?;
    Ok(zone.iana_name().unwrap_or(name).to_owned())
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
