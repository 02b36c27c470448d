//! Settings of what switches nodes to save energy: `[power]`. See `docs/POWER.md`.

use std::time::Duration;

use anyhow::{Context, bail, ensure};
use jiff::tz::TimeZone;
use planner::idle_energy::Fit;
use planner::json::JsonError;
use planner::json::power_rules::{FIELDS, power_rules};
use planner::node::Nodes;
use planner::power_action::FollowRules;
use planner::power_plan::PowerRules;
use planner::time::Seconds;
use serde::Deserialize;
use toml::{Table, Value};

use super::slurm::ManagerSettings;
use super::tables::{nothing_else, text};

/// How nodes are switched to save energy.
#[derive(Clone, Debug)]
pub struct PowerSettings {
    /// What switches them.
    pub driver: PowerDriverSettings,
    /// What limits their power for reservations in slower states, if anything does.
    #[cfg(feature = "power")]
    pub limiter: Option<std::sync::Arc<power::Driver>>,
    /// How often nodes are looked at, and planned anew.
    pub every: Duration,
    /// How far sleeps are planned ahead.
    pub horizon: Seconds,
    /// How long before a sleep begins it is proposed.
    pub ahead: Seconds,
    /// Whether offers count the idle energy that they avoid or cause, and then which nodes they take.
    pub offers_fit: Option<Fit>,
    /// How orders are followed.
    pub follow: FollowRules,
    /// How long a node may take to switch off.
    pub off_patience: Seconds,
    /// How long it may take until a power limit is read back.
    pub limit_patience: Seconds,
    /// Which nodes may be switched when, how, and what that has to save: a document that is read anew with each change
    /// of the nodes.
    rules: String,
}

/// What switches nodes.
#[derive(Clone, Debug)]
pub enum PowerDriverSettings {
    /// The resource manager of `[slurm]`, which saves power itself.
    ResourceManager,
    /// Management controllers, or a command of the site's own.
    #[cfg(feature = "power")]
    Own(std::sync::Arc<power::Driver>),
}

/// What the file says beside the rules and the driver.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PowerFields {
    every_s: Option<u32>,
    horizon_h: Option<u32>,
    ahead_s: Option<u32>,
    at_once: Option<u32>,
    most_orders: Option<u32>,
    first_wait_s: Option<u32>,
    longest_wait_s: Option<u32>,
    force_off_after: Option<u32>,
    off_patience_s: Option<u32>,
    limit_patience_s: Option<u32>,
    count_idle_energy: Option<String>,
}

impl PowerSettings {
    /// Reads the section `[power]`; without one nothing is switched to save energy.
    ///
    /// # Errors
    /// A value that cannot work, by name.
    pub fn read(
        section: Option<Table>,
        manager: Option<&ManagerSettings>,
    ) -> anyhow::Result<Option<Self>> {
        let Some(mut section) = section else { return Ok(None) };
        let driver = section.remove("driver").context("driver is missing: what switches nodes")?;
        let driver = driver_settings(driver, manager).context("driver")?;
        let limiter = section.remove("limit_driver").map(limit_driver).transpose();
        let limiter = limiter.context("limit_driver")?;
        let slows = section.contains_key("slower_states");
        let rules = rules_document(&mut section)?;
        let fields: PowerFields = Value::Table(section).try_into()?;
        let limiter = limiter.or_else(|| driver.own()).filter(limits);
        ensure!(
            !slows || limiter.is_some(),
            "slower_states take what limits the power of nodes: a driver that does (redfish, ipmi with raw_program, command \
             with limits = true), as driver or as limit_driver"
        );
        Self::of(&fields, driver, limiter, rules).map(Some)
    }

    fn of(
        fields: &PowerFields,
        driver: PowerDriverSettings,
        limiter: Option<Limiter>,
        rules: String,
    ) -> anyhow::Result<Self> {
        #[cfg(not(feature = "power"))]
        let _ = limiter;
        let first_wait = within("first_wait_s", fields.first_wait_s, 60, 1, 86_400)?;
        let longest_wait = within("longest_wait_s", fields.longest_wait_s, 900, 1, 86_400)?;
        ensure!(first_wait <= longest_wait, "first_wait_s is longer than longest_wait_s");
        let forced_after = fields.force_off_after;
        ensure!(
            forced_after.is_none() || driver.can_force(),
            "force_off_after is set, and the driver may not take a node's power away: set forced_off = true in \
             [power.driver] where it can"
        );
        let settings = Self {
            every: Duration::from_secs(within("every_s", fields.every_s, 60, 1, 3600)?.into()),
            horizon: Seconds::new(
                i64::from(within("horizon_h", fields.horizon_h, 48, 1, 744)?) * 3600,
            ),
            ahead: Seconds::new(within("ahead_s", fields.ahead_s, 3600, 0, 86_400)?.into()),
            offers_fit: offers_fit(fields.count_idle_energy.as_deref())?,
            off_patience: Seconds::new(
                within("off_patience_s", fields.off_patience_s, 300, 1, 86_400)?.into(),
            ),
            limit_patience: Seconds::new(
                within("limit_patience_s", fields.limit_patience_s, 60, 1, 86_400)?.into(),
            ),
            follow: FollowRules {
                first_wait: Seconds::new(first_wait.into()),
                longest_wait: Seconds::new(longest_wait.into()),
                most_orders: within("most_orders", fields.most_orders, 3, 1, 100)?,
                forced_after,
                at_once: usize::try_from(within("at_once", fields.at_once, 16, 1, 100_000)?)?,
            },
            driver,
            #[cfg(feature = "power")]
            limiter,
            rules,
        };
        // Whatever is wrong whichever nodes there are is told before anything is served.
        settings.rules(None).map_err(|errors| {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            anyhow::anyhow!("{}", errors.join("; "))
        })?;
        Ok(settings)
    }

    /// Whether something limits the power of nodes in slower states.
    #[cfg_attr(
        not(feature = "power"),
        expect(clippy::unused_self, reason = "nothing limits power then")
    )]
    pub const fn limits_power(&self) -> bool {
        #[cfg(feature = "power")]
        {
            self.limiter.is_some()
        }
        #[cfg(not(feature = "power"))]
        {
            false
        }
    }

    /// The rules for these nodes; for none everything but which nodes are meant is checked.
    ///
    /// # Errors
    /// Every error, each with its place in the section.
    pub fn rules(&self, nodes: Option<&Nodes>) -> Result<PowerRules, Vec<JsonError>> {
        power_rules(&self.rules, nodes, &|name| TimeZone::get(name).ok())
    }
}

/// What `count_idle_energy` says.
fn offers_fit(word: Option<&str>) -> anyhow::Result<Option<Fit>> {
    let Some(word) = word.filter(|word| *word != "no") else { return Ok(None) };
    let fit = Fit::from_word(word);
    Ok(Some(fit.context("count_idle_energy must be no, least_draw or long_gaps")?))
}

impl PowerDriverSettings {
    /// Whether the resource manager switches nodes, and wakes them for reservations itself.
    pub const fn is_resource_manager(&self) -> bool {
        matches!(self, Self::ResourceManager)
    }

    /// The driver, where it is no resource manager.
    fn own(&self) -> Option<Limiter> {
        match self {
            Self::ResourceManager => None,
            #[cfg(feature = "power")]
            Self::Own(driver) => Some(std::sync::Arc::clone(driver)),
        }
    }

    fn can_force(&self) -> bool {
        match self {
            Self::ResourceManager => false,
            #[cfg(feature = "power")]
            Self::Own(driver) => driver.abilities().forced_off,
        }
    }
}

/// What limits power.
#[cfg(feature = "power")]
type Limiter = std::sync::Arc<power::Driver>;

/// What limits power; nothing does in this build.
#[cfg(not(feature = "power"))]
type Limiter = std::convert::Infallible;

#[cfg(feature = "power")]
fn limits(limiter: &Limiter) -> bool {
    limiter.abilities().limits
}

#[cfg(not(feature = "power"))]
fn limits(limiter: &Limiter) -> bool {
    match *limiter {}
}

/// What limits power beside a driver that does not.
fn limit_driver(value: Value) -> anyhow::Result<Limiter> {
    let Value::Table(mut rest) = value else {
        bail!("must be a section with a kind, such as {{ kind = \"redfish\" }}")
    };
    let kind = rest.remove("kind").context("kind is missing: redfish, ipmi or command")?;
    let kind = text("kind", &kind)?;
    own_driver(&kind, rest)?.own().context("must be redfish, ipmi or command")
}

/// Moves the rules out of the section.
fn rules_document(section: &mut Table) -> anyhow::Result<String> {
    let rules = FIELDS.into_iter().filter_map(|name| Some((name, section.remove(name)?)));
    let rules: Table = rules.map(|(name, value)| (name.to_owned(), value)).collect();
    Ok(serde_json::to_string(&rules)?)
}

fn driver_settings(
    value: Value,
    manager: Option<&ManagerSettings>,
) -> anyhow::Result<PowerDriverSettings> {
    let Value::Table(mut rest) = value else {
        bail!("must be a section with a kind, such as {{ kind = \"slurm\" }}")
    };
    let kind = rest.remove("kind").context("kind is missing: slurm, redfish, ipmi or command")?;
    let kind = text("kind", &kind)?;
    match (kind.as_str(), manager) {
        ("slurm", Some(manager)) => {
            ensure!(manager.drives(), "kind = \"slurm\" takes mode = \"drive\" in [slurm]");
            nothing_else(&rest, "this driver")?;
            Ok(PowerDriverSettings::ResourceManager)
        }
        ("slurm", None) => bail!("kind = \"slurm\" takes the section [slurm]"),
        (_, Some(_)) => bail!(
            "kind = {kind:?} would switch nodes behind Slurm's back, which takes those that it has not switched off \
             itself for failed; set kind = \"slurm\""
        ),
        _ => own_driver(&kind, rest),
    }
}

#[cfg(not(feature = "power"))]
fn own_driver(kind: &str, _: Table) -> anyhow::Result<PowerDriverSettings> {
    bail!("kind = {kind:?} is not known to this build: it lacks the feature `power`")
}

#[cfg(feature = "power")]
fn own_driver(kind: &str, mut rest: Table) -> anyhow::Result<PowerDriverSettings> {
    use super::controllers::{addresses, controller_urls, transport};
    use super::tables::{flag, path, whole};
    use power::Driver;
    use power::command::{CommandSettings, SiteCommand};
    use power::ipmi::{Ipmi, IpmiSettings};
    use power::redfish::{Redfish, RedfishSettings};

    let forced_off = flag(&mut rest, "forced_off")?;
    let driver = match kind {
        "redfish" => {
            let (access, http) = transport(&mut rest, 30)?;
            let settings = RedfishSettings {
                addresses: controller_urls(&mut rest)?,
                system: rest.remove("system").map(|it| text("system", &it)).transpose()?,
                limit: rest.remove("limit").map(|it| text("limit", &it)).transpose()?,
                access,
                sessions: flag(&mut rest, "sessions")?,
                forced_off,
                at_once: usize::try_from(whole(&mut rest, "at_once", 32, 1, 1024)?)?,
            };
            Driver::Redfish(Redfish::new(settings, http)?)
        }
        "ipmi" => {
            let settings = IpmiSettings {
                program: path(&mut rest, "program")?.unwrap_or_else(|| "ipmipower".into()),
                raw_program: path(&mut rest, "raw_program")?,
                config_file: path(&mut rest, "config_file")?,
                addresses: addresses(&mut rest)?,
                forced_off,
                timeout: Duration::from_secs(whole(&mut rest, "timeout_s", 60, 1, 3600)?.into()),
            };
            Driver::Ipmi(Ipmi::new(settings)?)
        }
        "command" => {
            let program = path(&mut rest, "program")?.context("program is missing")?;
            let limits = flag(&mut rest, "limits")?;
            let timeout = Duration::from_secs(whole(&mut rest, "timeout_s", 60, 1, 3600)?.into());
            let settings = CommandSettings { program, limits, forced_off, timeout };
            Driver::Command(SiteCommand::new(settings))
        }
        _ => bail!("kind = {kind:?} must be \"slurm\", \"redfish\", \"ipmi\" or \"command\""),
    };
    nothing_else(&rest, "this driver")?;
    Ok(PowerDriverSettings::Own(driver.into()))
}

fn within(
    name: &str,
    given: Option<u32>,
    unless: u32,
    least: u32,
    most: u32,
) -> anyhow::Result<u32> {
    let value = given.unwrap_or(unless);
    ensure!((least..=most).contains(&value), "{name} must lie between {least} and {most}");
    Ok(value)
}

#[cfg(feature = "power")]
#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: &str = "driver = { kind = \"command\", program = \"/usr/sbin/power\" }\n";

    fn read(text: &str) -> Result<PowerSettings, String> {
        let section: Table = toml::from_str(text).unwrap();
        let read = PowerSettings::read(Some(section), None);
        read.map(Option::unwrap).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn little_is_needed_and_nothing_may_be_switched_unless_said() {
        let settings = read(COMMAND).unwrap();
        assert_eq!((settings.every.as_secs(), settings.horizon), (60, Seconds::new(48 * 3600)));
        assert_eq!((settings.follow.forced_after, settings.follow.at_once), (None, 16));
        assert!(settings.rules(None).unwrap().rights.is_empty());
        assert!(PowerSettings::read(None, None).unwrap().is_none());
    }

    #[test]
    fn everything_can_be_said() {
        let settings = read(
            "every_s = 30\nhorizon_h = 24\nahead_s = 600\nat_once = 4\nmost_orders = 5\nfirst_wait_s = 10\n\
             longest_wait_s = 100\nforce_off_after = 2\noff_patience_s = 120\nrank_by = [\"cost\", \"co2\"]\n\
             most_switches_per_day = 3\nfailure_probability = 0.01\nfailure_loss = { energy_j = 100.5 }\n\
             wear = { cost = 0.02 }\n\
             driver = { kind = \"redfish\", address = \"https://{node}-bmc\", forced_off = true, sessions = true,\
               basic = { user = \"power\", password = { file = \"/run/p\" } } }\n\
             [[rights]]\npartition = \"batch\"\nlevel = \"with_approval\"\nactions = [\"off\"]\n\
             decided_by = [\"carol\"]\n\
             windows = [{ days = [\"mon\"], from = \"20:00\", to = \"06:00\", zone = \"Europe/Paris\" }]\n\
             [[switching]]\npartition = \"batch\"\noff_power_w = 9.75\nswitching_off_s = 6.1\n\
             switching_off_power_w = 101\nswitching_on_s = 151.52\nswitching_on_power_w = 125.17\nboot_s = 240\n\
             [[keep_warm]]\npartition = \"batch\"\nnodes = 2\n",
        )
        .unwrap();
        assert_eq!((settings.follow.forced_after, settings.follow.most_orders), (Some(2), 5));
        let rules = settings.rules(None).unwrap();
        assert_eq!((rules.failure.0, rules.most_switches_per_day), (10_000, Some(3)));
        let ipmi = "driver = { kind = \"ipmi\", address = \"{node}-bmc\", raw_program = \"/usr/sbin/ipmi-raw\" }";
        assert!(!read(ipmi).unwrap().driver.is_resource_manager());
    }

    const STATE: &str =
        "[[slower_states]]\npartition = \"batch\"\nname = \"p1\"\nspeed = 0.8\nmax_power_w = 150\n";
    const LIMITS: &str =
        "limit_driver = { kind = \"command\", program = \"/usr/sbin/limit\", limits = true }\n";

    #[test]
    fn slower_states_take_what_limits_power() {
        assert!(!read(COMMAND).unwrap().limits_power());
        assert!(read(&format!("{COMMAND}{LIMITS}{STATE}")).unwrap().limits_power());
        let both = COMMAND.replace("power\"", "power\", limits = true");
        assert!(read(&format!("{both}{STATE}")).unwrap().limits_power());
    }

    #[test]
    fn what_cannot_work_is_named() {
        let driver = |text: &str| format!("driver = {{ {text} }}");
        for (text, named) in [
            ("every_s = 60".to_owned(), "driver is missing"),
            ("driver = \"slurm\"".to_owned(), "must be a section"),
            (driver("program = \"/bin/true\""), "kind is missing"),
            (driver("kind = \"slurm\""), "takes the section [slurm]"),
            (driver("kind = \"wol\""), "must be \"slurm\", \"redfish\""),
            (driver("kind = \"command\""), "program is missing"),
            (driver("kind = \"command\", program = \"p\", shell = true"), "shell is no setting"),
            (driver("kind = \"redfish\""), "address or addresses is missing"),
            (driver("kind = \"redfish\", address = \"https://bmc\""), "must have {node}"),
            (format!("{COMMAND}force_off_after = 1"), "forced_off = true"),
            (format!("{COMMAND}every_s = 0"), "every_s must lie"),
            (format!("{COMMAND}first_wait_s = 1000"), "first_wait_s is longer"),
            (format!("{COMMAND}sleep = true"), "sleep"),
            (format!("{COMMAND}{STATE}"), "slower_states take what limits the power"),
            (format!("{COMMAND}limit_driver = {{ kind = \"slurm\" }}\n{STATE}"), "limit_driver"),
            (format!("{COMMAND}{LIMITS}{}", STATE.replace("0.8", "1")), "/slower_states/0/speed"),
            (format!("{COMMAND}rank_by = [\"heat\"]"), "/rank_by/0"),
            (format!("{COMMAND}[[rights]]\nlevel = \"all\""), "/rights/0"),
            (format!("{COMMAND}[[switching]]\npartition = \"batch\""), "/switching/0/off_power_w"),
        ] {
            let error = read(&text).map(|it| it.every).unwrap_err();
            assert!(error.contains(named), "{text}: {error}");
        }
    }
}
