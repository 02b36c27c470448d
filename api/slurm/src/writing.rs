//! What is changed in Slurm: reservations, jobs and the power of nodes.

use std::collections::BTreeSet;

use planner::node_list;
use planner::resource_manager::{ManagedReservation, ManagerError, WantedReservation};
use planner::time::{Seconds, Timestamp};
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::client::{Slurm, Way, segment};
use crate::rest::{INVALID_RESERVATION, INVALID_USER, refused};
use crate::scontrol::Scontrol;
use crate::versions::{self, Spoken};

/// A reservation that nobody makes: its removal tells who may remove others.
const NO_RESERVATION: &str = "wattbook-rights-5d0f6f1e8a7c4b";

/// "Job/step already completing or completed".
const JOB_ENDED: i64 = 2021;

/// "Invalid job id specified".
const NO_JOB: i64 = 2017;

/// "Requested nodes are busy".
const NODES_BUSY: i64 = 2016;

/// "Requested reservation overlaps with another reservation".
const OVERLAPS: i64 = 2058;

/// The order to drain nodes and switch them off then.
const DRAINED: &str = "POWER_DOWN_ASAP";

/// Whether a reservation is refused for what is on its nodes, so that others may be given.
pub const fn refuses_nodes(error: &ManagerError) -> bool {
    matches!(error, ManagerError::Refused { code: Some(NODES_BUSY | OVERLAPS), .. })
}

/// How nodes are switched off that may get jobs meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerDown {
    /// As they are, by `POWER_DOWN`: a job may begin before Slurm has switched.
    AtOnce,
    /// By `POWER_DOWN_ASAP`: they get no more jobs, and are switched once those that run have ended.
    Drained,
}

impl PowerDown {
    /// The state that is ordered.
    const fn state(self) -> &'static str {
        match self {
            Self::AtOnce => "POWER_DOWN",
            Self::Drained => DRAINED,
        }
    }
}

/// What is sent of a reservation: its text in Slurm's words.
struct Change<'a> {
    name: &'a str,
    nodes: String,
    /// Nothing where it has begun, which no version lets one repeat.
    start: Option<Timestamp>,
    end: Timestamp,
    /// Nothing where there are none and were none.
    users: Option<&'a BTreeSet<String>>,
    accounts: Option<&'a BTreeSet<String>>,
}

impl Slurm {
    /// Makes the reservation, or makes the one that `replaces` into it. Its nodes are named one by one; a
    /// start that has passed becomes now. What Slurm made of it is not judged: read it back, 22.05 leaves
    /// out nodes without a word.
    ///
    /// # Errors
    /// Refused where there is one of this name and not `replaces`, where names cannot be written, and by
    /// Slurm; unknown where `replaces` is gone; unreachable where it may have been done or not.
    pub async fn put_reservation(
        &self,
        wanted: &WantedReservation,
        replaces: Option<&ManagedReservation>,
    ) -> Result<(), ManagerError> {
        writable(wanted)?;
        let spoken = self.spoken().await?;
        let way = self.way_of_writing(&spoken);
        if let Way::None(because) = way {
            return Err(ManagerError::Unsupported(because));
        }
        // By REST the same request makes and changes: it must not change what is not known.
        let there = self.reservation(&wanted.name).await?;
        match (&there, replaces) {
            (Some(there), Some(replaces)) if there == replaces => {}
            (None, None) => {}
            (None, Some(_)) => return Err(unknown(&wanted.name)),
            (Some(_), _) => return Err(refused(None, changed(&wanted.name))),
        }
        let now = versions::clock(&self.rest, spoken.slurm).await;
        let now = self.remembering(now).await?;
        let change = Change::of(wanted, replaces, now);
        let answer = match &self.scontrol {
            Some(scontrol) if way == Way::Scontrol => {
                let verb = if replaces.is_some() { "update" } else { "create" };
                let arguments = change.arguments();
                scontrol.run(&[vec![verb.to_owned()], arguments].concat()).await.map(drop)
            }
            _ => {
                let path = format!("slurm/{}/reservation", spoken.slurm);
                let body = change.body();
                self.rest.write(Method::POST, &path, Some(&body)).await.map(drop)
            }
        };
        self.remembering(answer).await
    }

    /// Removes the reservation of this name. Slurm refuses it with 2055 while jobs run in it.
    ///
    /// # Errors
    /// Unknown where there is none; denied where who asks may not; refused by Slurm; unreachable where it may
    /// have been done or not.
    pub async fn remove_reservation(&self, name: &str) -> Result<(), ManagerError> {
        plain(name, "the reservation's name")?;
        let spoken = self.spoken().await?;
        let answer = match (self.way_of_writing(&spoken), &self.scontrol) {
            (Way::None(because), _) => return Err(ManagerError::Unsupported(because)),
            (Way::Scontrol, Some(scontrol)) => {
                let arguments = ["delete".to_owned(), format!("ReservationName={name}")];
                scontrol.run(&arguments).await.map(drop)
            }
            _ => {
                let path = format!("slurm/{}/reservation/{}", spoken.slurm, segment(name));
                self.rest.write(Method::DELETE, &path, None).await.map(drop)
            }
        };
        match self.remembering(answer).await.map_err(of_who_asks) {
            Err(ManagerError::Refused { code: Some(INVALID_RESERVATION), .. }) => {
                Err(unknown(name))
            }
            answer => answer,
        }
    }

    /// Ends a job, or lets it not begin. One that has ended already is no error.
    ///
    /// # Errors
    /// Unknown where there is none; denied where who asks may not; refused by Slurm; unreachable where it may
    /// have been done or not.
    pub async fn cancel_job(&self, id: &str) -> Result<(), ManagerError> {
        plain(id, "the job's id")?;
        let spoken = self.spoken().await?;
        let path = format!("slurm/{}/job/{}", spoken.slurm, segment(id));
        let answer = self.rest.write(Method::DELETE, &path, None).await;
        let answer = self.remembering(answer).await;
        // Newer versions say it beside `errors`, in an answer that is a success otherwise.
        let answer = answer.and_then(|document| {
            let failed = document.status.into_iter().filter_map(|it| it.error);
            match failed.into_iter().find(|error| error.code != 0) {
                Some(error) => Err(refused(Some(error.code), error.message)),
                None => Ok(()),
            }
        });
        match answer.map_err(of_who_asks) {
            Err(ManagerError::Refused { code: Some(JOB_ENDED), .. }) => Ok(()),
            Err(ManagerError::Refused { code: Some(NO_JOB), .. }) => {
                Err(ManagerError::Unknown(format!("a job {id}")))
            }
            answer => answer,
        }
    }

    /// Orders that nodes be switched on; those that are on stay so.
    ///
    /// # Errors
    /// Refused by Slurm, such as where it saves no power; denied where who asks may not; unreachable where it
    /// may have been done or not.
    pub async fn power_up(&self, nodes: &[String]) -> Result<(), ManagerError> {
        self.switch(nodes, "POWER_UP").await
    }

    /// Orders that nodes be switched off; those that are off stay so. What runs on them is not ended: that takes
    /// Slurm's `POWER_DOWN_FORCE`, which is never ordered. An order while a node is on its way up is lost or delayed.
    ///
    /// # Errors
    /// Refused by Slurm, such as where it saves no power; denied where who asks may not; unsupported where this version
    /// has no such order; unreachable where it may have been done or not.
    pub async fn power_down(&self, nodes: &[String], how: PowerDown) -> Result<(), ManagerError> {
        self.switch(nodes, how.state()).await
    }

    /// Orders nodes into a state of power.
    async fn switch(&self, nodes: &[String], state: &str) -> Result<(), ManagerError> {
        if nodes.is_empty() {
            return Ok(());
        }
        nodes.iter().try_for_each(|node| plain(node, "a node's name"))?;
        let list = node_list::format(nodes.iter().map(String::as_str));
        let spoken = self.spoken().await?;
        let answer = match (self.way_of_switching(&spoken, state), &self.scontrol) {
            (Way::None(because), _) => return Err(ManagerError::Unsupported(because)),
            (Way::Scontrol, Some(scontrol)) => {
                let arguments =
                    ["update".to_owned(), format!("NodeName={list}"), format!("State={state}")];
                scontrol.run(&arguments).await.map(drop)
            }
            _ => {
                let path = format!("slurm/{}/nodes", spoken.slurm);
                let body = json!({"name": nodes, "state": [state]});
                self.rest.write(Method::POST, &path, Some(&body)).await.map(drop)
            }
        };
        self.remembering(answer).await.map_err(of_who_asks)
    }

    /// By which way nodes are ordered into a state of power.
    fn way_of_switching(&self, spoken: &Spoken, state: &str) -> Way {
        let way = self.way_of_writing(spoken);
        if way != Way::Rest || state != DRAINED || spoken.slurm.drains_before_power_down() {
            return way;
        }
        match &self.scontrol {
            Some(_) => Way::Scontrol,
            None => Way::None(format!(
                "this slurmrestd ({}, {}) has no {DRAINED}, which takes v0.0.45 (Slurm 26.05); set scontrol in [slurm] \
                 to the path of the command scontrol",
                spoken.slurm, spoken.release
            )),
        }
    }

    /// By which way reservations and nodes are changed.
    pub(crate) fn way_of_writing(&self, spoken: &Spoken) -> Way {
        if spoken.slurm.can_write() {
            return Way::Rest;
        }
        match &self.scontrol {
            Some(_) => Way::Scontrol,
            None => Way::None(format!(
                "this slurmrestd ({}, {}) cannot change reservations and nodes, which takes v0.0.43 (Slurm 25.05); \
                 set scontrol in [slurm] to the path of the command scontrol",
                spoken.slurm, spoken.release
            )),
        }
    }

    /// Whether who asks may write, found out by removing what there is not: rights are looked at first.
    pub(crate) async fn may_write(&self, way: &Way) -> Option<bool> {
        if matches!(way, Way::None(_)) {
            return None;
        }
        match self.remove_reservation(NO_RESERVATION).await {
            Err(ManagerError::Unknown(_)) | Ok(()) => Some(true),
            Err(ManagerError::Denied(_)) => Some(false),
            Err(_) => None,
        }
    }

    /// How long the controller remembers jobs that ended. Only `scontrol` tells; `None` where there is none, or
    /// it does not answer.
    pub async fn min_job_age(&self) -> Option<Seconds> {
        let shown = self.configured("MinJobAge").await?;
        shown.trim_end_matches("sec").trim().parse().ok().map(Seconds::new)
    }

    /// The cluster's name by `scontrol`: v0.0.38 does not tell it.
    pub(crate) async fn cluster_by_scontrol(&self) -> Option<String> {
        self.configured("ClusterName").await
    }

    /// A value of the controller's settings, as `scontrol` shows it.
    async fn configured(&self, name: &str) -> Option<String> {
        let scontrol: &Scontrol = self.scontrol.as_ref()?;
        let shown = scontrol.run(&["show", "config"].map(str::to_owned)).await.ok()?;
        let values = shown.lines().filter_map(|line| line.split_once('='));
        let value = values.into_iter().find(|(key, _)| key.trim() == name);
        value.map(|(_, value)| value.trim().to_owned()).filter(|value| !value.is_empty())
    }
}

impl<'a> Change<'a> {
    /// What makes `replaces`, or nothing, into `wanted` at `now`.
    fn of(
        wanted: &'a WantedReservation,
        replaces: Option<&ManagedReservation>,
        now: Timestamp,
    ) -> Self {
        let has_begun = replaces.is_some_and(|it| it.span.start() <= now);
        let start = wanted.span.start();
        // Where it has begun and is to begin later, Slurm is asked, and refuses.
        let start = (!has_begun || start > now).then(|| start.max(now));
        let needed = |wanted: &'a BTreeSet<String>, there: Option<&BTreeSet<String>>| {
            let is_nothing = wanted.is_empty() && there.is_none_or(BTreeSet::is_empty);
            (!is_nothing).then_some(wanted)
        };
        Self {
            name: &wanted.name,
            nodes: node_list::format(wanted.nodes.iter().map(String::as_str)),
            start,
            end: wanted.span.end(),
            users: needed(&wanted.users, replaces.map(|it| &it.users)),
            accounts: needed(&wanted.accounts, replaces.map(|it| &it.accounts)),
        }
    }

    /// For `scontrol`, which runs in UTC.
    fn arguments(&self) -> Vec<String> {
        let mut arguments =
            vec![format!("ReservationName={}", self.name), format!("Nodes={}", self.nodes)];
        arguments.extend(self.start.map(|start| format!("StartTime={}", utc(start))));
        arguments.push(format!("EndTime={}", utc(self.end)));
        for (key, names) in [("Users", self.users), ("Accounts", self.accounts)] {
            let list = names.map(|names| names.iter().cloned().collect::<Vec<_>>().join(","));
            arguments.extend(list.map(|list| format!("{key}={list}")));
        }
        arguments
    }

    /// For slurmrestd.
    fn body(&self) -> Value {
        let mut body = Map::new();
        body.insert("name".to_owned(), self.name.into());
        body.insert("node_list".to_owned(), self.nodes.clone().into());
        if let Some(start) = self.start {
            body.insert("start_time".to_owned(), start.as_unix_seconds().into());
        }
        body.insert("end_time".to_owned(), self.end.as_unix_seconds().into());
        for (key, names) in [("users", self.users), ("accounts", self.accounts)] {
            // An empty list changes nothing, an empty name empties it.
            let list = names.map(|it| if it.is_empty() { json!([""]) } else { json!(it) });
            body.extend(list.map(|list| (key.to_owned(), list)));
        }
        body.into()
    }
}

/// An instant as `scontrol` reads it in UTC: `2026-11-22T16:00:00`.
fn utc(instant: Timestamp) -> String {
    instant.to_string().trim_end_matches('Z').to_owned()
}

/// Refuses a reservation that cannot be written as it is meant.
fn writable(wanted: &WantedReservation) -> Result<(), ManagerError> {
    plain(&wanted.name, "the reservation's name")?;
    wanted.nodes.iter().try_for_each(|node| plain(node, "a node's name"))?;
    wanted.users.iter().try_for_each(|user| plain(user, "a user's name"))?;
    wanted.accounts.iter().try_for_each(|account| plain(account, "an account's name"))?;
    if wanted.nodes.is_empty() {
        return Err(refused(None, format!("{} has no nodes", wanted.name)));
    }
    if wanted.users.is_empty() && wanted.accounts.is_empty() {
        let what =
            format!("{} names neither users nor accounts; Slurm wants one of them", wanted.name);
        return Err(refused(None, what));
    }
    Ok(())
}

/// Refuses names that Slurm would read as something else: as several, as "all but", or as options.
fn plain(name: &str, what: &str) -> Result<(), ManagerError> {
    let is_plain = |character: char| character.is_alphanumeric() || "._-@:+\\$".contains(character);
    let begins_plainly = name.starts_with(|first: char| first.is_alphanumeric() || first == '_');
    if begins_plainly && name.chars().all(is_plain) {
        return Ok(());
    }
    Err(refused(None, format!("{what} {name:?} cannot be written in Slurm's lists")))
}

/// A request that names no user and is refused for an invalid one is refused for who asks.
fn of_who_asks(error: ManagerError) -> ManagerError {
    match error {
        ManagerError::Refused { code: Some(INVALID_USER), message } => {
            ManagerError::Denied(message)
        }
        error => error,
    }
}

fn unknown(name: &str) -> ManagerError {
    ManagerError::Unknown(format!("a reservation {name}"))
}

fn changed(name: &str) -> String {
    format!(
        "there is a reservation {name} already that is not the one which was seen; it was left as it is"
    )
}
