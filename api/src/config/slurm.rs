//! Settings of the resource manager beside the service: `[slurm]`. See `docs/SLURM.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use planner::resource_manager::{OnDrift, StepRules, WithJobs};
use planner::time::Seconds;
use serde::Deserialize;
use toml::{Table, Value};

use super::job_owners::{JobOwners, OwnerUsers};

/// Slurm, of which nothing was asked yet.
#[cfg(feature = "slurm")]
pub type SlurmConnection = std::sync::Arc<slurm::Slurm>;

/// A build without the feature knows none.
#[cfg(not(feature = "slurm"))]
#[derive(Clone, Debug)]
pub enum SlurmConnection {}

/// How the service stands to the resource manager.
#[derive(Clone, Debug)]
pub struct ManagerSettings {
    /// Where it is asked.
    pub connection: SlurmConnection,
    /// The cluster that it must be; any unless given.
    pub cluster: Option<String>,
    /// The partitions whose nodes count; all where there is none.
    pub partitions: Vec<String>,
    /// Whether anything is changed there.
    pub mode: ManagerMode,
    /// How often it is asked.
    pub poll: Duration,
    /// Whether partitions and features of our nodes become what it says.
    pub follows_labels: bool,
    /// What happens to reservations that somebody else changed, and to jobs in those that are changed.
    pub rules: StepRules,
    /// Whether each reservation is given back once its jobs have ended, or only where its owner says so.
    pub gives_back: bool,
    /// How long after the end of its last job a reservation is given back.
    pub give_back_after: Seconds,
    /// How long nodes take to boot where nothing was measured; `None` where nodes are not woken.
    pub boot: Option<Seconds>,
    /// Whether jobs that ended are asked of its accounting.
    pub accounting: bool,
    /// Whose jobs may run in reservations of an owner; unless listed, those of the user of this name.
    pub owners: OwnerUsers,
}

/// Whether anything is changed in the resource manager.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ManagerMode {
    /// It is only read.
    #[default]
    Observe,
    /// Reservations are made, changed and removed there, and nodes are woken.
    Drive,
}

/// What the file says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(feature = "slurm"), expect(dead_code, reason = "nothing is connected to"))]
struct SlurmFields {
    rest: String,
    user: Option<String>,
    token: TokenFields,
    scontrol: Option<PathBuf>,
    slurm_conf: Option<PathBuf>,
    cluster: Option<String>,
    #[serde(default)]
    partitions: Vec<String>,
    mode: Option<String>,
    poll_s: Option<u32>,
    inventory: Option<String>,
    on_drift: Option<String>,
    with_jobs: Option<String>,
    give_back: Option<String>,
    give_back_after_s: Option<u32>,
    wake: Option<bool>,
    boot_s: Option<u32>,
    timeout_s: Option<u32>,
    accounting: Option<bool>,
    #[serde(default)]
    owners: BTreeMap<String, OwnerFields>,
}

/// Where the token comes from.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(feature = "slurm"), expect(dead_code, reason = "nothing is connected to"))]
struct TokenFields {
    file: Option<PathBuf>,
    environment: Option<String>,
    key_file: Option<PathBuf>,
    lifetime_s: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnerFields {
    #[serde(default)]
    users: BTreeSet<String>,
    #[serde(default)]
    accounts: BTreeSet<String>,
}

impl ManagerSettings {
    /// Reads the section `[slurm]`; without one there is no resource manager.
    ///
    /// # Errors
    /// A value that cannot work, by name; the section in a build without the feature.
    pub fn read(section: Option<Table>) -> anyhow::Result<Option<Self>> {
        let Some(section) = section else { return Ok(None) };
        let fields: SlurmFields = Value::Table(section).try_into()?;
        Self::of(fields).map(Some)
    }

    /// Whether reservations are made in the resource manager.
    pub fn drives(&self) -> bool {
        self.mode == ManagerMode::Drive
    }

    fn of(fields: SlurmFields) -> anyhow::Result<Self> {
        let mode = word("mode", fields.mode.as_deref(), MODES)?;
        let on_drift = word("on_drift", fields.on_drift.as_deref(), ON_DRIFT)?;
        let with_jobs = word("with_jobs", fields.with_jobs.as_deref(), WITH_JOBS)?;
        let gives_back = word("give_back", fields.give_back.as_deref(), GIVE_BACK)?;
        let after = seconds("give_back_after_s", fields.give_back_after_s, 300, 0, 86_400)?;
        let boot = seconds("boot_s", fields.boot_s, 300, 1, 3600)?;
        let poll = seconds("poll_s", fields.poll_s, 10, 1, 120)?;
        ensure!(fields.cluster.as_deref() != Some(""), "cluster is empty; leave it out for any");
        ensure!(
            fields.partitions.iter().all(|name| !name.is_empty()),
            "partitions has an empty name; leave partitions out for all of them"
        );
        for (owner, of_owner) in &fields.owners {
            ensure!(
                !of_owner.users.is_empty() || !of_owner.accounts.is_empty(),
                "owners.{owner} names neither users nor accounts, one of which Slurm needs; leave the \
                 section out where the user of Slurm is called {owner} too"
            );
        }
        Ok(Self {
            mode,
            poll: Duration::from_secs(poll.get().unsigned_abs()),
            follows_labels: word("inventory", fields.inventory.as_deref(), INVENTORY)?,
            rules: StepRules { on_drift, with_jobs },
            gives_back,
            give_back_after: after,
            boot: fields.wake.unwrap_or(true).then_some(boot),
            accounting: fields.accounting.unwrap_or_default(),
            connection: connection(&fields)?,
            cluster: fields.cluster,
            partitions: fields.partitions,
            owners: fields.owners.into_iter().map(|(owner, it)| (owner, it.into())).collect(),
        })
    }
}

impl From<OwnerFields> for JobOwners {
    fn from(OwnerFields { users, accounts }: OwnerFields) -> Self {
        Self { users, accounts }
    }
}

/// Words and what they mean, the first where nothing is said.
type Words<T> = &'static [(&'static str, T)];

const MODES: Words<ManagerMode> =
    &[("observe", ManagerMode::Observe), ("drive", ManagerMode::Drive)];
const ON_DRIFT: Words<OnDrift> = &[("restore", OnDrift::Restore), ("accept", OnDrift::Accept)];
const WITH_JOBS: Words<WithJobs> =
    &[("wait", WithJobs::Wait), ("refuse", WithJobs::Refuse), ("cancel", WithJobs::Cancel)];
const GIVE_BACK: Words<bool> = &[("never", false), ("jobs_ended", true)];
const INVENTORY: Words<bool> = &[("report", false), ("follow", true)];

fn word<T: Copy>(name: &str, given: Option<&str>, words: Words<T>) -> anyhow::Result<T> {
    let found = match given {
        None => words.first(),
        Some(given) => words.iter().find(|(word, _)| *word == given),
    };
    let allowed = || words.iter().map(|(word, _)| format!("{word:?}")).collect::<Vec<_>>();
    let found = found.with_context(|| {
        format!("{name} = {:?} must be {}", given.unwrap_or_default(), allowed().join(" or "))
    })?;
    Ok(found.1)
}

fn seconds(
    name: &str,
    given: Option<u32>,
    unless: u32,
    least: u32,
    most: u32,
) -> anyhow::Result<Seconds> {
    let value = given.unwrap_or(unless);
    ensure!((least..=most).contains(&value), "{name} must lie between {least} and {most}");
    Ok(Seconds::new(value.into()))
}

#[cfg(not(feature = "slurm"))]
fn connection(_: &SlurmFields) -> anyhow::Result<SlurmConnection> {
    bail!("this build does not speak with Slurm: it lacks the feature `slurm`")
}

#[cfg(feature = "slurm")]
fn connection(fields: &SlurmFields) -> anyhow::Result<SlurmConnection> {
    let timeout = seconds("timeout_s", fields.timeout_s, 10, 1, 300)?;
    let settings = slurm::SlurmSettings {
        rest: Some(fields.rest.parse().context("rest")?),
        user: fields.user.clone().unwrap_or_else(|| "root".to_owned()),
        token: token(&fields.token).context("token")?,
        scontrol: fields.scontrol.clone(),
        slurm_conf: fields.slurm_conf.clone(),
        timeout: Duration::from_secs(timeout.get().unsigned_abs()),
        accounting: fields.accounting.unwrap_or_default(),
    };
    Ok(slurm::Slurm::new(settings)?.into())
}

#[cfg(feature = "slurm")]
fn token(fields: &TokenFields) -> anyhow::Result<slurm::TokenSource> {
    use grid_feeds::feed::SecretSource;
    ensure!(
        fields.key_file.is_some() || fields.lifetime_s.is_none(),
        "lifetime_s is of tokens that are made with a key_file; others say themselves how long they last"
    );
    Ok(match (&fields.file, &fields.environment, &fields.key_file) {
        (Some(file), None, None) => slurm::TokenSource::File(file.clone()),
        (None, Some(name), None) => {
            let secret = SecretSource::Environment(name.clone()).read()?;
            slurm::TokenSource::Fixed(slurm::Token::new(secret.expose())?)
        }
        (None, None, Some(file)) => {
            let lifetime = seconds("lifetime_s", fields.lifetime_s, 300, 10, 86_400)?;
            let lifetime = Duration::from_secs(lifetime.get().unsigned_abs());
            slurm::TokenSource::Key { file: file.clone(), lifetime }
        }
        _ => bail!(
            "must be one of {{ file = \"...\" }}, {{ environment = \"...\" }} and {{ key_file = \"...\" }}"
        ),
    })
}

#[cfg(feature = "slurm")]
#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str = "rest = \"http://127.0.0.1:6820\"\ntoken = { file = \"/run/token\" }\n";

    fn read(text: &str) -> anyhow::Result<ManagerSettings> {
        let section: Table = toml::from_str(text).unwrap();
        Ok(ManagerSettings::read(Some(section))?.unwrap())
    }

    #[test]
    fn little_is_needed_and_nothing_is_changed_unless_said() {
        let settings = read(LEAST).unwrap();
        assert_eq!(settings.mode, ManagerMode::Observe);
        assert_eq!(settings.poll, Duration::from_secs(10));
        assert_eq!(settings.rules, StepRules::default());
        assert_eq!((settings.gives_back, settings.boot), (false, Some(Seconds::new(300))));
        assert!(!settings.follows_labels && !settings.accounting && settings.partitions.is_empty());
        assert!(ManagerSettings::read(None).unwrap().is_none());
    }

    #[test]
    fn everything_can_be_said() {
        let settings = read(
            "rest = \"unix:/run/slurmrestd.socket\"\nuser = \"slurm\"\n\
             token = { key_file = \"/etc/slurm/jwt.key\", lifetime_s = 60 }\n\
             scontrol = \"/usr/bin/scontrol\"\nslurm_conf = \"/etc/slurm/slurm.conf\"\n\
             cluster = \"alpha\"\npartitions = [\"batch\"]\nmode = \"drive\"\npoll_s = 5\n\
             inventory = \"follow\"\non_drift = \"accept\"\nwith_jobs = \"cancel\"\n\
             give_back = \"jobs_ended\"\ngive_back_after_s = 60\nwake = false\ntimeout_s = 3\n\
             accounting = true\n[owners.alice]\naccounts = [\"physics\"]\n",
        )
        .unwrap();
        assert!(settings.drives() && settings.follows_labels && settings.accounting);
        let rules = StepRules { on_drift: OnDrift::Accept, with_jobs: WithJobs::Cancel };
        assert_eq!(settings.rules, rules);
        assert_eq!((settings.gives_back, settings.boot), (true, None));
        assert_eq!(settings.give_back_after, Seconds::new(60));
        let physics = JobOwners { users: BTreeSet::new(), accounts: ["physics".into()].into() };
        assert_eq!(settings.owners.job_owners("alice"), physics);
        let bob = JobOwners { users: ["bob".into()].into(), accounts: BTreeSet::new() };
        assert_eq!(settings.owners.job_owners("bob"), bob);
    }

    #[test]
    fn what_cannot_work_is_named() {
        let rest = "rest = \"http://127.0.0.1:6820\"\n";
        for (text, name) in [
            ("token = { file = \"/run/token\" }".to_owned(), "rest"),
            (rest.to_owned(), "token"),
            (format!("{rest}token = {{}}"), "token"),
            (format!("{rest}token = {{ file = \"a\", key_file = \"b\" }}"), "token"),
            (format!("{rest}token = {{ file = \"a\", lifetime_s = 60 }}"), "lifetime_s"),
            (format!("{rest}token = {{ environment = \"NOT_SET_ANYWHERE\" }}"), "NOT_SET_ANYWHERE"),
            (LEAST.replace("http:", "ftp:"), "rest"),
            (format!("{LEAST}mode = \"drives\""), "mode"),
            (format!("{LEAST}poll_s = 0"), "poll_s"),
            (format!("{LEAST}poll_s = 121"), "poll_s"),
            (format!("{LEAST}on_drift = \"ignore\""), "on_drift"),
            (format!("{LEAST}with_jobs = \"kill\""), "with_jobs"),
            (format!("{LEAST}give_back = \"soon\""), "give_back"),
            (format!("{LEAST}inventory = \"\""), "inventory"),
            (format!("{LEAST}timeout_s = 0"), "timeout_s"),
            (format!("{LEAST}boot_s = 0"), "boot_s"),
            (format!("{LEAST}cluster = \"\""), "cluster"),
            (format!("{LEAST}partitions = [\"\"]"), "partitions"),
            (format!("{LEAST}[owners.alice]"), "owners.alice"),
            (format!("{LEAST}polls = 5"), "polls"),
        ] {
            let error = format!("{:#}", read(&text).unwrap_err());
            assert!(error.contains(name), "{text}: {error}");
        }
    }
}
