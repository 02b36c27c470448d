//! Jobs that ended, as slurmdbd knows them, with what they consumed.

use std::collections::BTreeSet;

use planner::quantity::Energy;
use planner::resource_manager::{JobPhase, ManagedJob, ManagerError};
use planner::time::{Seconds, Timestamp};
use serde::{Deserialize, Deserializer};

use crate::client::Slurm;
use crate::document::{Document, Number, Words, node_names, text};
use crate::jobs::{energy, job_id, phase};
use crate::versions::{DataParser, Spoken};

/// What slurmdbd writes for the nodes of a job that never ran.
const NO_NODES: &str = "None assigned";

/// slurmrestd's number for a list without items.
const NOTHING_FOUND: i64 = 9003;

/// What is read of a job.
#[derive(Debug, Deserialize)]
struct AccountedJob {
    job_id: i64,
    array: Array,
    time: Times,
    state: State,
    reservation: InReservation,
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

#[derive(Debug, Deserialize)]
struct Times {
    #[serde(default)]
    submission: Number,
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
struct InReservation {
    /// Zero for none.
    #[serde(default)]
    id: Number,
    /// v0.0.38 writes a number that means nothing; newer ones nothing until slurmdbd knows the reservation.
    #[serde(default, deserialize_with = "told_name")]
    name: Option<String>,
    /// From v0.0.45 on, what was asked for.
    #[serde(default, deserialize_with = "told_name")]
    requested: Option<String>,
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
    /// The jobs that ran in a reservation, were there after `from` and have ended, as slurmdbd knows them,
    /// with their energy where Slurm measures it.
    ///
    /// The slurmrestd of 22.05 does not tell in which reservation a job ran. There, jobs are found by those
    /// that slurmctld still knows, so that nothing is found `MinJobAge` after the last one ended.
    ///
    /// # Errors
    /// Unsupported where there is no accounting; unreachable, denied, unreadable.
    pub async fn ended_jobs(
        &self,
        reservation: &str,
        from: Timestamp,
    ) -> Result<Vec<ManagedJob>, ManagerError> {
        let spoken = self.spoken().await?;
        let parser = self.accounting_of(&spoken)?;
        let query = [("start_time", format!("uts{}", from.as_unix_seconds()))];
        let path = format!("slurmdb/{parser}/jobs");
        let document: Document<AccountedJob> = match self.rest.get(&path, &query).await {
            Ok(Some(document)) => document,
            Ok(None) | Err(ManagerError::Refused { code: Some(NOTHING_FOUND), .. }) => {
                return Ok(Vec::new());
            }
            Err(error) => return self.remembering(Err(error)).await,
        };
        // The query's `reservation` is ignored by all versions that were tried.
        let ids = self.reservation_ids(reservation, &document.items).await?;
        let inside = document.items.into_iter().filter(|job| job.is_in(reservation, &ids));
        let ended = inside.filter(|job| phase(&job.state.current) == JobPhase::Ended);
        ended.map(|job| job.managed(reservation)).collect()
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

    /// slurmdbd's ids of a reservation where it does not tell names: a name is used again in time.
    async fn reservation_ids(
        &self,
        reservation: &str,
        accounted: &[AccountedJob],
    ) -> Result<BTreeSet<i64>, ManagerError> {
        if !accounted.iter().any(AccountedJob::is_unnamed) {
            return Ok(BTreeSet::new());
        }
        let jobs = self.jobs(None).await?.map(|listing| listing.items).unwrap_or_default();
        let inside = jobs.into_iter().filter(|job| job.reservation.as_deref() == Some(reservation));
        let inside: BTreeSet<_> = inside.map(|job| (job.id, Some(job.submitted))).collect();
        let same = accounted.iter().filter(|job| inside.contains(&job.identity()));
        Ok(same.filter_map(|job| job.reservation.id.positive()).collect())
    }
}

impl AccountedJob {
    fn identity(&self) -> (String, Option<Timestamp>) {
        let id = job_id(self.job_id, self.array.job_id, self.array.task_id);
        (id, self.time.submission.instant())
    }

    /// Whether it ran in a reservation whose name is not told.
    fn is_unnamed(&self) -> bool {
        let InReservation { id, name, requested } = &self.reservation;
        id.positive().is_some() && name.is_none() && requested.is_none()
    }

    fn is_in(&self, reservation: &str, ids: &BTreeSet<i64>) -> bool {
        let InReservation { id, name, requested } = &self.reservation;
        match (name, requested) {
            (Some(name), _) | (None, Some(name)) => name == reservation,
            (None, None) => id.positive().is_some_and(|id| ids.contains(&id)),
        }
    }

    /// The job as a value.
    fn managed(self, reservation: &str) -> Result<ManagedJob, ManagerError> {
        let (id, submitted) = self.identity();
        let energy = self.energy();
        let listed = Some(self.nodes.as_str()).filter(|it| *it != NO_NODES).unwrap_or_default();
        let nodes = node_names(listed, &format!("job {id} of slurmdbd"))?;
        let submitted = submitted.ok_or_else(|| {
            ManagerError::Unreadable(format!("job {id} of slurmdbd has no time of submission"))
        })?;
        Ok(ManagedJob {
            submitted,
            user: self.user,
            account: self.account,
            partition: self.partition,
            name: self.name,
            state: self.state.current.0.into_iter().next().unwrap_or_default(),
            phase: JobPhase::Ended,
            start: self.time.start.instant().filter(|_| !nodes.is_empty()),
            end: self.time.end.instant(),
            limit: self.time.limit.positive().map(|minutes| Seconds::new(minutes * 60)),
            nodes,
            reservation: Some(reservation.to_owned()),
            energy,
            id,
        })
    }

    /// What the job consumed; else what its steps did.
    fn energy(&self) -> Option<Energy> {
        let of_job = self.tres.allocated.iter().find(|it| it.kind == "energy");
        let of_job = of_job.and_then(|it| it.count.positive()).and_then(energy);
        let consumed = |step: &Step| step.statistics.as_ref()?.energy.as_ref()?.consumed.positive();
        of_job.or_else(|| energy(self.steps.iter().filter_map(consumed).sum()))
    }
}

/// A name, where it is one.
fn told_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let told = serde_json::Value::deserialize(deserializer)?;
    Ok(told.as_str().filter(|name| !name.is_empty()).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn consumed(of_job: &Value, of_steps: [Value; 2]) -> Option<Energy> {
        let job = json!({
            "job_id": 7, "array": {}, "time": {"submission": 1}, "state": {"current": ["COMPLETED"]},
            "reservation": {"id": 0}, "tres": {"allocated": [{"type": "energy", "count": of_job}]},
            "steps": of_steps.map(|energy| json!({"statistics": {"energy": {"consumed": energy}}})),
        });
        serde_json::from_value::<AccountedJob>(job).unwrap().energy()
    }

    fn joules(joules: i128) -> Energy {
        Energy::from_microjoules(joules * 1_000_000)
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
    }
}
