//! `wattbook slurm check`: what Slurm is, by which way each thing is done, and what does not fit.

use std::collections::BTreeSet;

use comfy_table::Table;
use comfy_table::presets::NOTHING;
use planner::resource_manager::ManagedNode;
use planner::time::{Seconds, Timestamp};
use serde::Serialize;
use serde_json::json;
use slurm::{About, Way};

use super::Outcome;
use crate::cli::{Failure, ListFormat, print};
use crate::clock::Clock;
use crate::config::job_owners::OwnerUsers;
use crate::config::slurm::ManagerSettings;
use crate::service::resource_manager::fit::{
    RIGHTS, told_of_clock, told_of_cluster, told_of_rights,
};

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    /// `ok`, `differs` or `unknown`.
    state: &'static str,
    detail: String,
}

/// What Slurm said, or the little of it that there is.
struct Seen {
    about: About,
    nodes: Vec<ManagedNode>,
    min_job_age: Option<Seconds>,
    /// What its accounting answered; `None` where it is not asked.
    accounting: Option<Result<(), String>>,
    now: Timestamp,
}

/// Looks at all of it, and prints what was found.
pub async fn run(settings: &ManagerSettings, format: ListFormat) -> Result<(), Failure> {
    let findings = match look(settings).await {
        Ok(seen) => findings(settings, &seen),
        Err(error) => vec![unknown("connection", error.to_string())],
    };
    let outcome = outcome(settings, &findings);
    match format {
        ListFormat::Json => {
            let agrees = outcome == Outcome::Agree;
            let document = json!({ "agrees": agrees, "checks": findings });
            print(serde_json::to_string_pretty(&document)?)?;
        }
        ListFormat::Table => {
            let mut table = Table::new();
            table.load_style(NOTHING).set_header(["CHECK", "STATE", "DETAIL"]);
            for it in &findings {
                table.add_row([it.check, it.state, &it.detail]);
            }
            print(table)?;
        }
    }
    outcome.ended()
}

async fn look(settings: &ManagerSettings) -> Result<Seen, planner::resource_manager::ManagerError> {
    let slurm = &settings.connection;
    let about = slurm.about().await?;
    let now = Clock::default().now();
    let nodes = slurm.nodes(None).await?.map(|list| list.items).unwrap_or_default();
    let accounting = if settings.accounting {
        let asked = slurm.ended_jobs("1").await;
        Some(asked.map(drop).map_err(|error| error.to_string()))
    } else {
        None
    };
    Ok(Seen { about, nodes, min_job_age: slurm.min_job_age().await, accounting, now })
}

/// Whether all fits. Of what is not known counts what nothing can be made in Slurm without: the connection, and
/// where it is driven the rights, and the cluster if the settings name one.
fn outcome(settings: &ManagerSettings, findings: &[Finding]) -> Outcome {
    let counts = |check| match check {
        "connection" => true,
        "rights" => settings.drives(),
        "cluster" => settings.drives() && settings.cluster.is_some(),
        _ => false,
    };
    if findings.iter().any(|it| it.state == "differs") {
        Outcome::Differ
    } else if findings.iter().any(|it| it.state == "unknown" && counts(it.check)) {
        Outcome::Unknown
    } else {
        Outcome::Agree
    }
}

fn findings(settings: &ManagerSettings, seen: &Seen) -> Vec<Finding> {
    let about = &seen.about;
    let drives = settings.drives();
    let mode =
        if drives { "drive: reservations are made there" } else { "observe: it is only read" };
    vec![
        fits("connection", format!("Slurm {} answers", about.version)),
        fits("mode", mode.to_owned()),
        cluster(settings.cluster.as_deref(), about.cluster.as_deref()),
        fits("reads", way(&about.reads, &about.data_parser).unwrap_or_else(|why| why)),
        match way(&about.writes, &about.data_parser) {
            Ok(way) => fits("writes", way),
            Err(why) if drives => differs("writes", why),
            Err(why) => fits("writes", format!("not while it is only read; {why}")),
        },
        rights(about.may_write, drives),
        clock(about.clock, seen.now),
        partitions(&settings.partitions, &seen.nodes),
        fits("owners", owners(&settings.owners)),
        polls(settings, seen.min_job_age),
        match &seen.accounting {
            None => fits("accounting", "not asked: jobs that end are seen by the poll".to_owned()),
            Some(Ok(())) => fits("accounting", "answers".to_owned()),
            Some(Err(why)) => differs("accounting", why.clone()),
        },
    ]
}

fn way(way: &Way, parser: &str) -> Result<String, String> {
    match way {
        Way::Rest => Ok(format!("by slurmrestd {parser}")),
        Way::Scontrol => Ok("by scontrol".to_owned()),
        Way::None(why) => Err(why.clone()),
    }
}

fn cluster(ours: Option<&str>, theirs: Option<&str>) -> Finding {
    match (told_of_cluster(ours, theirs), theirs) {
        (Some(why), _) => differs("cluster", why),
        (None, Some(theirs)) => fits("cluster", theirs.to_owned()),
        (None, None) => {
            unknown("cluster", "this version tells its name by scontrol only".to_owned())
        }
    }
}

fn rights(may_write: Option<bool>, drives: bool) -> Finding {
    match (told_of_rights(may_write), may_write) {
        (None, _) => fits("rights", "reservations may be made".to_owned()),
        (Some(_), Some(false)) if !drives => {
            fits("rights", format!("enough to read; to drive it, {RIGHTS}"))
        }
        (Some(why), Some(_)) => differs("rights", why),
        (Some(why), None) => unknown("rights", why),
    }
}

fn clock(theirs: Option<Timestamp>, now: Timestamp) -> Finding {
    let Some(theirs) = theirs else {
        return unknown("clock", "this version does not tell its clock".to_owned());
    };
    let ahead = (theirs - now).get();
    told_of_clock(ahead).map_or_else(
        || fits("clock", format!("within {} s of this machine's", ahead.abs())),
        |why| differs("clock", why),
    )
}

fn partitions(counting: &[String], nodes: &[ManagedNode]) -> Finding {
    let there: BTreeSet<&str> =
        nodes.iter().flat_map(|node| node.partitions.iter().map(AsRef::as_ref)).collect();
    let missing: Vec<&str> =
        counting.iter().map(String::as_str).filter(|name| !there.contains(name)).collect();
    if !missing.is_empty() {
        return differs("partitions", format!("no node is in {}", missing.join(", ")));
    }
    let counts = |name: &str| counting.is_empty() || counting.iter().any(|it| it == name);
    let ours = nodes
        .iter()
        .filter(|node| counting.is_empty() || node.partitions.iter().any(|name| counts(name)));
    let names: Vec<&str> = there.into_iter().filter(|name| counts(name)).collect();
    fits("partitions", format!("{} nodes in {}", ours.count(), names.join(", ")))
}

/// Whose jobs run in reservations.
fn owners(owners: &OwnerUsers) -> String {
    let listed = owners.listed();
    if listed.is_empty() {
        return "jobs of the Slurm user of each owner's name".to_owned();
    }
    let both = listed.iter().filter(|(_, it)| !it.users.is_empty() && !it.accounts.is_empty());
    let both: Vec<&str> = both.map(|(owner, _)| owner.as_str()).collect();
    let told = format!("{} in the settings, of others the user of the owner's name", listed.len());
    if both.is_empty() {
        return told;
    }
    format!(
        "{told}; of {} a job must match both: one of the users and one of the accounts",
        both.join(", ")
    )
}

fn polls(settings: &ManagerSettings, min_job_age: Option<Seconds>) -> Finding {
    let poll = settings.poll.as_secs();
    match min_job_age.map(|age| (age, age.get().unsigned_abs())) {
        Some((_, 0)) => fits("polls", format!("every {poll} s; jobs are never forgotten")),
        Some((_, age)) if age <= poll && !settings.accounting => differs(
            "polls",
            format!(
                "poll_s is {poll} and Slurm forgets jobs after {age} s (MinJobAge): jobs may end unseen; set \
                 poll_s lower, or MinJobAge higher"
            ),
        ),
        Some((_, age)) => fits("polls", format!("every {poll} s; jobs are remembered for {age} s")),
        None => unknown(
            "polls",
            format!(
                "every {poll} s; compare with MinJobAge of slurm.conf, which scontrol would tell"
            ),
        ),
    }
}

fn fits(check: &'static str, detail: String) -> Finding {
    Finding { check, state: "ok", detail }
}

fn differs(check: &'static str, detail: String) -> Finding {
    Finding { check, state: "differs", detail }
}

fn unknown(check: &'static str, detail: String) -> Finding {
    Finding { check, state: "unknown", detail }
}

#[cfg(test)]
mod tests {
    use planner::resource_manager::NodePower;

    use super::*;

    fn settings(more: &str) -> ManagerSettings {
        let text = format!(
            "rest = \"http://127.0.0.1:6820\"\ntoken = {{ file = \"/run/token\" }}\n{more}"
        );
        ManagerSettings::read(Some(toml::from_str(&text).unwrap())).unwrap().unwrap()
    }

    fn node(name: &str, partitions: &[&str]) -> ManagedNode {
        ManagedNode {
            name: name.into(),
            address: name.into(),
            partitions: partitions.iter().map(|it| (*it).into()).collect(),
            features: Vec::new(),
            cpus: 16,
            memory_mib: 32_000,
            generic_resources: "".into(),
            unavailable: None,
            power: NodePower::On,
            booted: None,
        }
    }

    fn seen() -> Seen {
        let now = Timestamp::parse("2026-11-22T12:00:00Z").unwrap();
        Seen {
            about: About {
                version: "25.05.3".to_owned(),
                cluster: Some("alpha".to_owned()),
                data_parser: "v0.0.43".to_owned(),
                reads: Way::Rest,
                writes: Way::Rest,
                clock: Some(now),
                may_write: Some(true),
            },
            nodes: vec![
                node("n1", &["batch"]),
                node("n2", &["batch", "gpu"]),
                node("n3", &["gpu"]),
            ],
            min_job_age: Some(Seconds::new(300)),
            accounting: None,
            now,
        }
    }

    fn differing(settings: &ManagerSettings, seen: &Seen) -> Vec<&'static str> {
        let all = findings(settings, seen);
        let names: Vec<&str> =
            all.iter().filter(|it| it.state == "differs").map(|it| it.check).collect();
        let expected = if names.is_empty() { Outcome::Agree } else { Outcome::Differ };
        assert_eq!(outcome(settings, &all), expected);
        names
    }

    #[test]
    fn all_that_fits_is_told() {
        let settings =
            settings("mode = \"drive\"\ncluster = \"alpha\"\npartitions = [\"batch\"]\n");
        assert_eq!(differing(&settings, &seen()), [""; 0]);
        let all = findings(&settings, &seen());
        let detail = |check| all.iter().find(|it| it.check == check).unwrap().detail.clone();
        assert_eq!(detail("writes"), "by slurmrestd v0.0.43");
        assert_eq!(detail("partitions"), "2 nodes in batch");
        assert_eq!(detail("polls"), "every 10 s; jobs are remembered for 300 s");
        assert_eq!(detail("owners"), "jobs of the Slurm user of each owner's name");
    }

    #[test]
    fn owners_whose_jobs_must_match_both_users_and_accounts_are_named() {
        let settings = settings(
            "[owners.alice]\nusers = [\"alice\", \"bob\"]\naccounts = [\"physics\"]\n\
             [owners.carol]\naccounts = [\"chemistry\"]\n",
        );
        let told = "2 in the settings, of others the user of the owner's name; of alice a job must \
                    match both: one of the users and one of the accounts";
        assert_eq!(owners(&settings.owners), told);
        let carol = ("carol".to_owned(), settings.owners.job_owners("carol"));
        let alone = std::iter::once(carol).collect();
        assert_eq!(owners(&alone), "1 in the settings, of others the user of the owner's name");
    }

    #[test]
    fn each_thing_that_does_not_fit_is_named() {
        let drive =
            settings("mode = \"drive\"\ncluster = \"beta\"\npartitions = [\"batch\", \"fat\"]\n");
        let mut odd = seen();
        odd.about.writes = Way::None("too old".to_owned());
        odd.about.may_write = Some(false);
        // Six seconds ahead, and jobs are forgotten as often as it is looked.
        odd.about.clock = Some(odd.now + Seconds::new(6));
        odd.min_job_age = Some(Seconds::new(10));
        odd.accounting = Some(Err("no slurmdbd".to_owned()));
        let names = ["cluster", "writes", "rights", "clock", "partitions", "polls", "accounting"];
        assert_eq!(differing(&drive, &odd), names);
        // Of 0 s slurm.conf says that jobs are never forgotten.
        odd.min_job_age = Some(Seconds::new(0));
        assert!(!differing(&drive, &odd).contains(&"polls"));
        // Who only reads needs no rights and no way to write; accounting remembers jobs for longer.
        let observe = settings("accounting = true\n");
        assert_eq!(differing(&observe, &odd), ["clock", "accounting"]);
    }

    #[test]
    fn what_is_not_known_counts_where_slurm_is_driven() {
        let of = |more, seen: &Seen| {
            let settings = settings(more);
            outcome(&settings, &findings(&settings, seen))
        };
        let (mut rights, mut cluster) = (seen(), seen());
        rights.about.may_write = None;
        cluster.about.cluster = None;
        cluster.about.clock = None;
        let drive = "mode = \"drive\"\n";
        assert_eq!(of(drive, &rights), Outcome::Unknown);
        assert_eq!(of("", &rights), Outcome::Agree);
        assert_eq!(of("mode = \"drive\"\ncluster = \"alpha\"\n", &cluster), Outcome::Unknown);
        assert_eq!(of(drive, &cluster), Outcome::Agree);
        let unreachable = [unknown("connection", String::new())];
        assert_eq!(outcome(&settings(""), &unreachable), Outcome::Unknown);
    }
}
