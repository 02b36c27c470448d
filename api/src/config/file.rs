//! The settings file as it is written, and what becomes of it: the settings, or everything that is wrong with it.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};
use grid_feeds::reach::Reach;
use planner::cap_scope::CapScope;
use planner::node::{NAME_RULE, is_name};
use planner::problem::SearchMode;
use planner::quantity::Currency;
use planner::time::Seconds;
use serde::Deserialize;

use super::audit::{AuditFields, AuditSettings};
use super::billing::{Billing, BillingFields};
use super::calibration::{CalibrationFields, CalibrationSettings};
use super::feeds::{AgendaFields, Feeds};
use super::ledger::{LedgerFields, LedgerSettings};
use super::limits::{LimitFields, Limits};
use super::mail::{MailFields, MailSettings};
use super::meters::{Metering, MeteringFields};
use super::negotiation::{Negotiation, NegotiationFields};
use super::power::PowerSettings;
use super::projects::{ProjectFields, ProjectSettings};
use super::public_url::public_url;
use super::quotas::{QuotaFields, QuotaSettings, TariffBands};
use super::racks::Racks;
use super::retention::{Retention, RetentionFields};
use super::rights::{self, RightsFields};
use super::shares::{FairShares, ShareFields};
use super::sign_in::{IssuerSettings, SignInFields};
use super::sites::{OtherSite, OtherSiteFields};
use super::slurm::ManagerSettings;
use super::source_provider;
use super::webhooks::{EventWebhook, EventWebhookFields, Secrets};
use super::{Overrides, Settings};
use crate::clock::Clock;

/// Where the service listens unless it is said.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

/// The settings file. Every field is optional.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub listen: Option<SocketAddr>,
    pub database: Option<String>,
    pub currency: Option<String>,
    pub location: Option<String>,
    pub time_zone: Option<String>,
    pub public_url: Option<String>,
    pub hold_s: Option<u32>,
    pub power_cap_scope: Option<String>,
    pub slot_s: Option<u32>,
    pub planning_threads: Option<usize>,
    pub planning_queue: Option<usize>,
    pub planning_time_limit_s: Option<u64>,
    pub simulation_threads: Option<usize>,
    pub simulation_queue: Option<u32>,
    #[serde(default)]
    pub feeds: Vec<toml::Table>,
    #[serde(default)]
    pub inputs: Vec<toml::Table>,
    #[serde(default)]
    pub agendas: BTreeMap<String, AgendaFields>,
    pub feed_lease_s: Option<u32>,
    pub negotiation: Option<NegotiationFields>,
    pub openadr: Option<toml::Table>,
    pub slurm: Option<toml::Table>,
    pub power: Option<toml::Table>,
    #[serde(default)]
    pub ledger: LedgerFields,
    #[serde(default)]
    pub billing: BillingFields,
    pub shares: Option<ShareFields>,
    pub quotas: Option<QuotaFields>,
    #[serde(default)]
    pub projects: ProjectFields,
    #[serde(default)]
    pub rights: Vec<RightsFields>,
    #[serde(default)]
    pub audit: AuditFields,
    #[serde(default)]
    pub sign_in: Vec<SignInFields>,
    #[serde(default)]
    pub meters: Vec<toml::Table>,
    #[serde(default)]
    pub metering: MeteringFields,
    #[serde(default)]
    pub racks: BTreeMap<String, String>,
    #[serde(default)]
    pub calibration: CalibrationFields,
    #[serde(default)]
    pub retention: RetentionFields,
    #[serde(default)]
    pub limits: LimitFields,
    #[serde(default)]
    pub webhooks: Vec<EventWebhookFields>,
    pub mail: Option<MailFields>,
    pub private_webhooks: Option<bool>,
    #[serde(default)]
    pub sites: Vec<OtherSiteFields>,
}

impl File {
    /// The file that is named; without one, nothing is set.
    pub fn of(overrides: &Overrides) -> anyhow::Result<Self> {
        overrides.config.as_deref().map_or_else(|| Ok(Self::default()), read)
    }

    pub fn database_url(&self, overrides: &Overrides) -> String {
        let url = overrides.database.as_ref().or(self.database.as_ref());
        url.map_or_else(|| "sqlite://wattbook.db".to_owned(), Clone::clone)
    }

    /// What the file and the command line say together.
    ///
    /// # Errors
    /// Everything that is wrong, each by name.
    pub fn settings(self, overrides: &Overrides) -> Result<Settings, SettingErrors> {
        let mut errors = SettingErrors::default();
        let settings = self.read(overrides, &mut errors);
        // Whatever is missing has its error.
        settings.filter(|_| errors.0.is_empty()).ok_or(errors)
    }

    fn read(mut self, overrides: &Overrides, errors: &mut SettingErrors) -> Option<Settings> {
        let database = self.database_url(overrides);
        let hold = within("hold_s", overrides.hold_s.or(self.hold_s), 900, 1..=604_800);
        let hold = errors.note(hold).map(|it| Seconds::new(it.into()));
        let slot = errors.note(within("slot_s", self.slot_s, 900, 1..=86_400));
        let scope = overrides.power_cap_scope.as_ref().or(self.power_cap_scope.as_ref());
        let cap_scope = errors.note(cap_scope(scope));
        let number = |name, value| within(name, value, 0, 0..=1024);
        let planning_threads = errors.note(number("planning_threads", self.planning_threads));
        let simulation_threads = errors.note(number("simulation_threads", self.simulation_threads));
        let queue = within("planning_queue", self.planning_queue, 1024, 1..=1_000_000);
        let planning_queue = errors.note(queue);
        let location = errors.note(location(self.location));
        let time_zone = errors.note(self.time_zone.map(|name| time_zone(&name)).transpose());
        let public_url = errors.note(self.public_url.map(|url| public_url(&url)).transpose());
        let currency = errors.note(currency(self.currency.as_deref()));
        let zone = time_zone.as_ref().and_then(Option::as_deref);

        let said = self.retention.say_elsewhere(&mut self.audit, &mut self.metering);
        errors.note(said.context("[retention]"));
        let retention = errors.note(Retention::read(&self.retention).context("[retention]"));
        let clock = overrides.clock.unwrap_or_default();
        let machines = Machines {
            slurm: self.slurm,
            power: self.power,
            meters: self.meters,
            metering: self.metering,
            calibration: self.calibration,
        };
        let (manager, power, metering, calibration) = machines.read(clock, errors);

        let openadr = currency.and_then(|currency| {
            errors.note(source_provider::openadr(self.openadr, currency).context("[openadr]"))
        });
        let (sources, inputs, lease_s) = (self.feeds, self.inputs, self.feed_lease_s);
        let feeds = currency.zip(openadr.as_ref()).and_then(|(currency, openadr)| {
            let openadr = openadr.as_ref();
            errors.note(Feeds::read(sources, inputs, &self.agendas, lease_s, currency, openadr))
        });
        let negotiation = openadr.as_ref().and_then(|openadr| {
            errors.note(Negotiation::read(self.negotiation, openadr.is_some()))
        });
        let billing = errors.note(Billing::read(self.billing).context("[billing]"));
        let bands = feeds.as_ref().zip(billing.as_ref()).and_then(|(feeds, billing)| {
            errors
                .note(feeds.contracts().and_then(|it| TariffBands::of(&billing.demand, &it, zone)))
        });
        let quotas = bands.as_ref().and_then(|bands| {
            errors.note(QuotaSettings::read(self.quotas, zone, bands).context("[quotas]"))
        });
        let shares = hold
            .and_then(|hold| errors.note(FairShares::read(self.shares, hold).context("[shares]")));

        let racks = errors.note(Racks::read(self.racks).context("[racks]"));
        let ledger = errors.note(LedgerSettings::read(self.ledger).context("[ledger]"));
        let projects = errors.note(ProjectSettings::read(&self.projects).context("[projects]"));
        let rights = errors.note(rights::read_all(self.rights));
        let audit = errors.note(AuditSettings::read(&self.audit).context("[audit]"));
        let sign_in = errors.note(IssuerSettings::read_all(self.sign_in));
        let limits = errors.note(Limits::read(&self.limits).context("[limits]"));
        let webhooks = errors.note(EventWebhook::read_all(self.webhooks, Secrets::Needed));
        let sites = errors.note(OtherSite::read_all(self.sites, location.as_deref()));
        let mail = errors.note(self.mail.map(MailSettings::read).transpose().context("[mail]"));

        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let unless_none = |threads: usize, unless| if threads == 0 { unless } else { threads };
        Some(Settings {
            listen: overrides.listen.or(self.listen).unwrap_or(LISTEN),
            database,
            currency: currency?,
            location: location?,
            time_zone: time_zone?,
            public_url: public_url?,
            hold: hold?,
            cap_scope: cap_scope?,
            search: SearchMode::Slots { slot: Seconds::new(slot?.into()) },
            planning_threads: unless_none(planning_threads?, cores),
            planning_queue: planning_queue?,
            planning_time_limit: Duration::from_secs(self.planning_time_limit_s.unwrap_or(30)),
            // Half of the cores stay with those who wait for an answer.
            simulation_threads: unless_none(simulation_threads?, (cores / 2).max(1)),
            simulation_queue: self.simulation_queue.unwrap_or(100),
            feeds: feeds?,
            limits: limits?,
            negotiation: negotiation?,
            openadr: openadr?,
            manager: manager?,
            power: power?,
            ledger: ledger?,
            billing: billing?,
            shares: shares?,
            projects: projects?,
            rights: rights?,
            quotas: quotas?,
            audit: audit?,
            retention: retention?,
            sign_in: sign_in?,
            metering: metering?,
            racks: racks?,
            calibration: calibration?,
            webhooks: webhooks?,
            mail: mail?,
            sites: sites?,
            own_webhooks: reach_of_own_webhooks(self.private_webhooks),
            clock,
        })
    }
}

/// The sections about machines and what speaks for them.
struct Machines {
    slurm: Option<toml::Table>,
    power: Option<toml::Table>,
    meters: Vec<toml::Table>,
    metering: MeteringFields,
    calibration: CalibrationFields,
}

/// What they say; each is `None` where it has errors.
type ReadMachines = (
    Option<Option<ManagerSettings>>,
    Option<Option<PowerSettings>>,
    Option<Metering>,
    Option<CalibrationSettings>,
);

impl Machines {
    fn read(self, clock: Clock, errors: &mut SettingErrors) -> ReadMachines {
        let manager = errors.note(ManagerSettings::read(self.slurm).context("[slurm]"));
        let switched = self.power.is_some();
        let power = manager.as_ref().and_then(|manager| {
            errors.note(PowerSettings::read(self.power, manager.as_ref()).context("[power]"))
        });
        let metering = manager.as_ref().and_then(|manager| {
            errors.note(Metering::read(self.meters, &self.metering, manager.as_ref()))
        });
        if clock.is_set() {
            errors.note(at_the_machines_clock(
                manager.as_ref().and_then(Option::as_ref),
                power.as_ref().and_then(Option::as_ref),
                metering.as_ref(),
            ));
        }
        let may_be_off = switched || manager.as_ref().is_none_or(Option::is_some);
        let calibration = CalibrationSettings::read(&self.calibration, may_be_off);
        let calibration = errors.note(calibration.context("[calibration]"));
        (manager, power, metering, calibration)
    }
}

/// Everything that is wrong with settings.
#[derive(Debug, Default)]
pub struct SettingErrors(Vec<anyhow::Error>);

impl SettingErrors {
    /// The value, or `None` and its error noted.
    fn note<T>(&mut self, read: anyhow::Result<T>) -> Option<T> {
        read.map_err(|error| self.0.push(error)).ok()
    }

    /// A line for each.
    pub fn lines(&self) -> Vec<String> {
        self.0.iter().map(|error| format!("{error:#}")).collect()
    }
}

impl fmt::Display for SettingErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.lines().join("\n  and "))
    }
}

impl std::error::Error for SettingErrors {}

fn read(path: &Path) -> anyhow::Result<File> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the settings file {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("in the settings file {}", path.display()))
}

/// A number of the file, or `unless` where it has none.
fn within<N: PartialOrd + fmt::Display>(
    name: &str,
    value: Option<N>,
    unless: N,
    range: RangeInclusive<N>,
) -> anyhow::Result<N> {
    let value = value.unwrap_or(unless);
    ensure!(
        range.contains(&value),
        "{name} must lie between {} and {}",
        range.start(),
        range.end()
    );
    Ok(value)
}

const fn reach_of_own_webhooks(private: Option<bool>) -> Reach {
    match private {
        Some(true) => Reach::Anywhere,
        _ => Reach::Public,
    }
}

fn cap_scope(word: Option<&String>) -> anyhow::Result<CapScope> {
    let scope = word.map_or(Some(CapScope::default()), |word| CapScope::parse(word));
    scope.context("power_cap_scope must be \"reserved_nodes\" or \"all_nodes\"")
}

fn currency(code: Option<&str>) -> anyhow::Result<Currency> {
    let code = code.unwrap_or("EUR");
    Currency::parse(code).with_context(|| format!("the setting currency = {code:?}"))
}

fn location(name: Option<String>) -> anyhow::Result<String> {
    let name = name.unwrap_or_else(|| "site".to_owned());
    ensure!(is_name(&name), "location {NAME_RULE}");
    Ok(name)
}

/// The name of a time zone as the rules of time zones have it.
fn time_zone(name: &str) -> anyhow::Result<String> {
    let zone = jiff::tz::TimeZone::get(name).with_context(|| {
        format!("time_zone = {name:?} must be a name such as \"Europe/Paris\" or \"UTC\"")
    })?;
    Ok(zone.iana_name().unwrap_or(name).to_owned())
}

/// Refuses a clock that is set beside programs and machines that go by the real one.
fn at_the_machines_clock(
    manager: Option<&ManagerSettings>,
    power: Option<&PowerSettings>,
    metering: Option<&Metering>,
) -> anyhow::Result<()> {
    ensure!(
        manager.is_none(),
        "[slurm] needs the machine's clock, which Slurm goes by too; leave --clock out"
    );
    ensure!(
        power.is_none(),
        "[power] needs the machine's clock, which nodes are switched by; leave --clock out"
    );
    let asked = metering.is_some_and(|it| it.meters.iter().any(|it| it.source.is_polled()));
    ensure!(
        !asked,
        "[[meters]] that are asked need the machine's clock, which they go by too; leave --clock out"
    );
    Ok(())
}
