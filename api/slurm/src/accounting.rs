//! Jobs that ended, as slurmdbd knows them, with what they consumed.

use std::collections::BTreeSet;

use planner::node_list;
use planner::quantity::Energy;
use planner::resource_manager::{JobPhase, ManagedJob, ManagerError, WantedReservation};
use planner::time::{Span, Timestamp};
use serde::Deserialize;

use crate::client::{Slurm, segment};
use crate::document::{Document, Number, Words, node_names, text};
use crate::jobs::{energy, job_id, phase};
use crate::versions::{DataParser, Spoken};

/// What slurmdbd writes for the nodes of a job that never ran.
const NO_NODES: &str = "None assigned";

/// slurmrestd's number for a list without items.
const NOTHING_FOUND: i64 = 9003;

/// What is read of a job.
#[derive(Debug, Deserialize)]
pub(crate) struct AccountedJob {
    job_id: i64,
    array: Array,
    time: Times,
    state: State,
    #[serde(default, deserialize_with = "text")]
    user: String,
    #[serde(default, deserialize_with = "text")]
    account: String,
    #[serde(default, deserialize_with = "text")]
    partition: String,
    #[serde(default, deserialize_with = "text")]
    name: String,
    #[serde(default, deserialize_with = "text")]
    nodes: String,
    #[serde(default)]
    reservation: InReservation,
    tres: Resources,
    #[serde(default)]
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Array {
    #[serde(default)]
    job_id: Number,
    #[serde(default)]
    task_id: Number,
}

/// The reservation that a job ran in. 22.05 tells its number alone, and a name that is no text. 26.05 tells an empty name
/// where slurmdbd heard of the reservation after the job had begun, and which ones the job asked for.
#[derive(Debug, Default, Deserialize)]
struct InReservation {
    #[serde(default)]
    id: Number,
    #[serde(default)]
    name: serde_json::Value,
    #[serde(default, deserialize_with = "text")]
    requested: String,
}

#[derive(Debug, Deserialize)]
struct Times {
    #[serde(default)]
    submission: Number,
    /// Since when it might have begun.
    #[serde(default)]
    eligible: Number,
    #[serde(default)]
    start: Number,
    #[serde(default)]
    end: Number,
    /// Minutes.
    #[serde(default)]
    limit: Number,
}

#[derive(Debug, Deserialize)]
struct State {
    #[serde(default)]
    current: Words,
}

#[derive(Debug, Deserialize)]
struct Resources {
    #[serde(default)]
    allocated: Vec<Resource>,
}

#[derive(Debug, Deserialize)]
struct Resource {
    #[serde(rename = "type", default, deserialize_with = "text")]
    kind: String,
    #[serde(default)]
    count: Number,
}

#[derive(Debug, Deserialize)]
struct Step {
    #[serde(default)]
    statistics: Option<Statistics>,
}

#[derive(Debug, Deserialize)]
struct Statistics {
    #[serde(default)]
    energy: Option<Consumption>,
}

#[derive(Debug, Deserialize)]
struct Consumption {
    /// Joules.
    #[serde(default)]
    consumed: Number,
}

impl Slurm {
    /// What slurmdbd knows of a job that has ended, with its energy where Slurm measures it. Of an array's
    /// id these are all of its tasks that have ended; an id that was used before may tell of several jobs.
    /// In which reservation they ran is left out: slurmrestd of 22.05 does not tell. Jobs of which slurmdbd
    /// has yet to be told more than their steps are left out too.
    ///
    /// # Errors
    /// Unsupported where there is no accounting; unreachable, denied, unreadable.
    pub async fn ended_jobs(&self, id: &str) -> Result<Vec<ManagedJob>, ManagerError> {
        let spoken = self.spoken().await?;
        let parser = self.accounting_of(&spoken)?;
        let path = format!("slurmdb/{parser}/job/{}", segment(id));
        let is_of = |job: &AccountedJob| {
            let (told, _) = job.identity();
            told.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        };
        let jobs = self.accounted(&path, &[]).await?.into_iter().filter(is_of);
        jobs.map(AccountedJob::managed).collect()
    }

    /// What slurmdbd knows of the jobs that ran in a reservation and have ended, whether or not the reservation is
    /// still there. Where slurmrestd does not tell the reservation's name, which is so in 22.05, these are the jobs
    /// of its users and accounts that began in its span in some reservation, on no other nodes than its own.
    ///
    /// # Errors
    /// As [`Self::ended_jobs`].
    pub async fn ended_jobs_in(
        &self,
        reservation: &WantedReservation,
    ) -> Result<Vec<ManagedJob>, ManagerError> {
        let spoken = self.spoken().await?;
        let parser = self.accounting_of(&spoken)?;
        let WantedReservation { nodes, span, users, accounts, .. } = reservation;
        let by_users = parser.filters_by_user();
        let listed = |words: &BTreeSet<String>| words.iter().cloned().collect::<Vec<_>>().join(",");
        let mut query = during(parser, *span);
        if by_users && !users.is_empty() {
            query.push(("users", listed(users)));
        }
        if !by_users {
            query.push(("node", node_list::format(nodes.iter().map(String::as_str))));
        }
        if !accounts.is_empty() {
            query.push(("account", listed(accounts)));
        }
        let jobs = self.accounted(&format!("slurmdb/{parser}/jobs/"), &query).await?;
        let jobs =
            jobs.into_iter().map(|job| Ok((job.names_reservation(reservation), job.managed()?)));
        let jobs: Vec<(Named, ManagedJob)> = jobs.collect::<Result<_, ManagerError>>()?;
        let inside = jobs.into_iter().filter(|(named, job)| ran_in(*named, job, reservation));
        let known = |job| ManagedJob { reservation: Some(reservation.name.clone()), ..job };
        Ok(inside.map(|(_, job)| known(job)).collect())
    }

    /// What slurmdbd knows of the jobs that had nodes in a span and have ended, whoever's they are.
    ///
    /// # Errors
    /// As [`Self::ended_jobs`].
    pub async fn ended_jobs_during(&self, span: Span) -> Result<Vec<ManagedJob>, ManagerError> {
        let spoken = self.spoken().await?;
        let parser = self.accounting_of(&spoken)?;
        let query = during(parser, span);
        let jobs = self.accounted(&format!("slurmdb/{parser}/jobs/"), &query).await?;
        let jobs: Vec<ManagedJob> =
            jobs.into_iter().map(AccountedJob::managed).collect::<Result<_, ManagerError>>()?;
        // Short ones begin and end in the same second.
        let had_nodes = |job: &ManagedJob| {
            let times = job.start.zip(job.end);
            times.is_some_and(|(start, end)| start < span.end() && span.start() <= end)
        };
        Ok(jobs.into_iter().filter(had_nodes).collect())
    }

    /// The jobs of a document of slurmdbd that have ended, and of which it was told.
    async fn accounted(
        &self,
        path: &str,
        query: &[(&str, String)],
    ) -> Result<Vec<AccountedJob>, ManagerError> {
        let document: Document<AccountedJob> = match self.rest.get(path, query).await {
            Ok(Some(document)) => document,
            Ok(None) | Err(ManagerError::Refused { code: Some(NOTHING_FOUND), .. }) => {
                return Ok(Vec::new());
            }
            Err(error) => return self.remembering(Err(error)).await,
        };
        let ended = |job: &AccountedJob| phase(&job.state.current) == JobPhase::Ended;
        Ok(document.items.into_iter().filter(|job| ended(job) && job.is_whole()).collect())
    }

    fn accounting_of(&self, spoken: &Spoken) -> Result<DataParser, ManagerError> {
        if !self.accounting {
            return Err(ManagerError::Unsupported(
                "jobs that ended are not asked for: set accounting = true in [slurm] where there is a \
                 slurmdbd"
                    .to_owned(),
            ));
        }
        spoken.slurmdb.ok_or_else(|| {
            ManagerError::Unsupported(
                "this slurmrestd offers no documents of slurmdbd; start it with openapi/slurmdbd (in 22.05 \
                 openapi/dbv0.0.38) among its plugins, option -s, or set accounting = false in [slurm]"
                    .to_owned(),
            )
        })
    }
}

/// Asks for jobs in a span.
fn during(parser: DataParser, span: Span) -> Vec<(&'static str, String)> {
    let unix = if parser.filters_by_user() { "" } else { "uts" };
    let instant = |at: Timestamp| format!("{unix}{}", at.as_unix_seconds());
    vec![("start_time", instant(span.start())), ("end_time", instant(span.end()))]
}

/// What is told of the reservation that a job ran in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// It is the one that is asked for.
    This,
    /// There was one, and not which.
    Some,
    /// It is another one, or there was none.
    Other,
}

/// Whether a job ran in a reservation: by its name, or as one of its users and accounts that began in its span on
/// no other nodes.
fn ran_in(named: Named, job: &ManagedJob, reservation: &WantedReservation) -> bool {
    let WantedReservation { nodes, span, users, accounts, .. } = reservation;
    let there = || {
        job.start.is_some_and(|start| span.contains(start))
            && job.nodes.iter().all(|node| nodes.contains(node))
            && (users.is_empty() || users.contains(&job.user))
            && (accounts.is_empty() || accounts.contains(&job.account))
    };
    named == Named::This || (named == Named::Some && there())
}

impl AccountedJob {
    /// Whether slurmdbd was told of the job itself. 22.05 tells it of a job in bundles, every few seconds, and
    /// of its steps at once: until then a short job's record is made of its first step, with the step's nodes
    /// and neither limit nor name.
    fn is_whole(&self) -> bool {
        self.time.eligible.instant().is_some() || self.node_list().is_empty()
    }

    /// Whether it is told that it ran in this reservation.
    fn names_reservation(&self, reservation: &WantedReservation) -> Named {
        let InReservation { id, name, requested } = &self.reservation;
        let may_be_asked_for =
            requested.is_empty() || requested.split(',').any(|it| it == reservation.name);
        match name.as_str().filter(|name| !name.is_empty()) {
            Some(told) if told == reservation.name => Named::This,
            None if id.positive().is_some() && may_be_asked_for => Named::Some,
            _ => Named::Other,
        }
    }

    /// Its nodes in Slurm's notation; empty where it never ran.
    fn node_list(&self) -> &str {
        Some(self.nodes.as_str()).filter(|it| *it != NO_NODES).unwrap_or_default()
    }

    fn identity(&self) -> (String, Option<Timestamp>) {
        let id = job_id(self.job_id, self.array.job_id, self.array.task_id);
        (id, self.time.submission.instant())
    }

    /// The job as a value.
    pub(crate) fn managed(self) -> Result<ManagedJob, ManagerError> {
        let (id, submitted) = self.identity();
        let energy = self.energy();
        let nodes = node_names(self.node_list(), &format!("job {id} of slurmdbd"))?;
        let submitted = submitted.ok_or_else(|| {
            ManagerError::Unreadable(format!("job {id} of slurmdbd has no time of submission"))
        })?;
        Ok(ManagedJob {
            raw_id: Some(self.job_id),
            submitted,
            user: self.user,
            account: self.account,
            partition: self.partition,
            name: self.name,
            state: self.state.current.0.into_iter().next().unwrap_or_default(),
            phase: JobPhase::Ended,
            start: self.time.start.instant().filter(|_| !nodes.is_empty()),
            end: self.time.end.instant(),
            limit: self.time.limit.minutes(),
            queued: None,
            nodes,
            reservation: None,
            energy,
            id,
        })
    }

    /// What the job consumed; else what its steps did.
    fn energy(&self) -> Option<Energy> {
        let of_job = self.tres.allocated.iter().find(|it| it.kind == "energy");
        let of_job = of_job.and_then(|it| it.count.positive()).and_then(energy);
        let consumed = |step: &Step| step.statistics.as_ref()?.energy.as_ref()?.consumed.positive();
        let of_steps = || self.steps.iter().filter_map(consumed).fold(0, i64::saturating_add);
        of_job.or_else(|| energy(of_steps()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn consumed(of_job: &Value, of_steps: [Value; 2]) -> Option<Energy> {
        let job = json!({
            "job_id": 7, "array": {}, "time": {"submission": 1}, "state": {"current": ["COMPLETED"]},
            "tres": {"allocated": [{"type": "energy", "count": of_job}]},
            "steps": of_steps.map(|energy| json!({"statistics": {"energy": {"consumed": energy}}})),
        });
        serde_json::from_value::<AccountedJob>(job).unwrap().energy()
    }

    fn joules(joules: i128) -> Energy {
        Energy::from_microjoules(joules * 1_000_000)
    }

    /// As 22.05 tells it, and as 26.05 does before and after slurmdbd heard of the reservation.
    #[test]
    fn the_reservation_of_a_job_is_told_by_name_or_at_least_that_there_was_one() {
        let at = Timestamp::from_unix_seconds;
        let asked = WantedReservation {
            name: "wattbook-1".to_owned(),
            span: planner::time::Span::new(at(0), at(900)).unwrap(),
            nodes: BTreeSet::new(),
            users: BTreeSet::new(),
            accounts: BTreeSet::new(),
        };
        let named = |reservation: Value| {
            let job = json!({
                "job_id": 7, "array": {}, "time": {"submission": 1}, "state": {"current": ["COMPLETED"]}, "tres": {},
                "reservation": reservation,
            });
            serde_json::from_value::<AccountedJob>(job).unwrap().names_reservation(&asked)
        };
        assert_eq!(named(json!({"id": 4, "name": 0})), Named::Some);
        assert_eq!(named(json!({"id": 0, "name": 0})), Named::Other);
        assert_eq!(
            named(json!({"id": 4, "name": "wattbook-1", "requested": "wattbook-1"})),
            Named::This
        );
        assert_eq!(
            named(json!({"id": 4, "name": "", "requested": "other,wattbook-1"})),
            Named::Some
        );
        assert_eq!(named(json!({"id": 4, "name": "", "requested": "other"})), Named::Other);
        assert_eq!(named(json!({"id": 0, "name": "", "requested": ""})), Named::Other);
    }

    #[test]
    fn energy_is_the_jobs_or_its_steps_and_never_zero_for_missing() {
        let none = || json!(0);
        assert_eq!(consumed(&json!(3_600_000), [none(), none()]), Some(joules(3_600_000)));
        // 22.05, 26.05 and versions between them, where nothing measures it.
        assert_eq!(consumed(&Value::Null, [none(), none()]), None);
        assert_eq!(consumed(&json!(-2), [none(), none()]), None);
        assert_eq!(consumed(&json!(18_446_744_073_709_551_614_u64), [none(), none()]), None);
        // 1200 J of its batch step and 300 J of the other.
        let step = json!({"set": true, "infinite": false, "number": 300});
        assert_eq!(consumed(&json!(-2), [json!(1200), step]), Some(joules(1500)));
        // Two steps of which each alone is more than a job consumes.
        assert_eq!(consumed(&json!(-2), [json!(i64::MAX), json!(i64::MAX)]), None);
    }
}
