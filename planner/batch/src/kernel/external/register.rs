//! Jobs and profiles that the scheduler registers.

use serde::Deserialize;
use serde_json::Value;

use super::message::Decision;
use super::session::{Session, WORKLOAD};
use crate::job::{Job, JobId};
use crate::kernel::{Observer, SimulationError};
use crate::time::Time;
use crate::workload::no_files;

/// What is wrong where no jobs may be registered at all.
pub(super) const NOT_DYNAMIC: &str = "dynamic jobs are not enabled: --option dynamic_jobs=true";

#[derive(Deserialize)]
struct RegisterProfile {
    workload_name: String,
    profile_name: String,
    profile: Value,
}

#[derive(Deserialize)]
struct RegisterJob {
    job_id: String,
    job: Registered,
}

#[derive(Deserialize)]
struct Registered {
    res: u32,
    profile: String,
    walltime: Option<f64>,
}

impl<E, J: Iterator<Item = Result<Job, E>>, O: Observer> Session<'_, J, O> {
    /// Whether anything may be registered.
    pub(super) fn may_register(&self, decision: &Decision) -> Result<(), SimulationError<E>> {
        let what = match (self.rules.dynamic_jobs, self.registering) {
            (_, true) => return Ok(()),
            (true, false) => "registration_finished was said before",
            (false, false) => NOT_DYNAMIC,
        };
        Err(decision.wrong(what).into())
    }

    /// `REGISTER_PROFILE`.
    pub(super) fn register_profile(
        &mut self,
        decision: &Decision,
    ) -> Result<(), SimulationError<E>> {
        self.may_register(decision)?;
        let RegisterProfile { workload_name, profile_name, profile } = decision.data()?;
        let (played, told) = self.profiles.entry(workload_name.clone()).or_default();
        if told.contains_key(&profile_name) {
            let what = format!("workload {workload_name} has a profile {profile_name} already");
            return Err(decision.wrong(what).into());
        }
        let read = played.insert(&profile_name, profile.clone(), &no_files);
        read.map_err(|what| decision.wrong(format!("profile {profile_name:?}: {what}")))?;
        told.insert(profile_name, profile);
        Ok(())
    }

    /// `REGISTER_JOB`.
    pub(super) fn register_job(&mut self, decision: &Decision) -> Result<(), SimulationError<E>> {
        self.may_register(decision)?;
        let RegisterJob { job_id, job } = decision.data()?;
        let wrong = |what: String| SimulationError::from(decision.wrong(what));
        let Some((workload, _)) = job_id.split_once('!') else {
            return Err(wrong(format!("job_id {job_id:?} must be WORKLOAD!NAME")));
        };
        if self.stages.contains_key(&job_id) || workload == WORKLOAD && !self.jobs.are_over() {
            return Err(wrong(format!("there is a job {job_id} already, or may be one")));
        }
        if job.res == 0 {
            return Err(wrong(format!("job {job_id} asks for no machine")));
        }
        let profiles = self.profiles.get_mut(workload);
        let known = profiles.filter(|(_, told)| told.contains_key(&job.profile));
        let Some((played, _)) = known else {
            let what = format!("workload {workload} has no profile {}", job.profile);
            return Err(wrong(what));
        };
        let done = played.done(&job.profile, job.res, self.cluster.network).map_err(wrong)?;
        let platform = self.cluster.platform;
        if done.uneven && !platform.one_speed() {
            let profile = &job.profile;
            return Err(wrong(format!("profile {profile} needs machines that are equally fast")));
        }
        if done.mixed && platform.has_draws() {
            let profile = &job.profile;
            let what = format!(
                "the parts of profile {profile} draw differently: let it say its utilisation, from 0 to 1"
            );
            return Err(wrong(what));
        }
        let given = job.walltime.filter(|seconds| seconds.total_cmp(&-1.0).is_ne());
        let walltime = given.map(|seconds| {
            let walltime = Time::from_seconds_f64(seconds).filter(|time| *time > Time::ZERO);
            walltime.ok_or_else(|| wrong(format!("{seconds} is not a walltime")))
        });
        let registered = Job {
            id: JobId::Name(job_id.as_str().into()),
            profile: Some(job.profile.into()),
            submitted: self.now,
            nodes: job.res,
            work: done.work,
            utilisation: done.utilisation,
            walltime: walltime.transpose()?,
        };
        self.submit(job_id, registered, self.rules.acknowledge_dynamic_jobs);
        Ok(())
    }
}
