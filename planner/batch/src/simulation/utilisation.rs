//! The utilisation of jobs' machines: as jobs say, unless options say otherwise.

use crate::job::{Job, Utilisation, Work};

/// What options say of the utilisation of machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UtilisationRules {
    /// Whether machines compute that a job only occupies, where options say it.
    pub delays_compute: Option<bool>,
    /// The utilisation of jobs that do not say theirs; full where options say nothing.
    pub otherwise: Option<Utilisation>,
    /// Whether it counts what jobs say; unless options say it, it does in documents and not in traces.
    pub as_jobs_say: Option<bool>,
}

impl UtilisationRules {
    /// The job as it is played, of a trace or of a document.
    #[must_use]
    pub fn apply(&self, job: Job, of_trace: bool) -> Job {
        let occupies = matches!(job.work, Work::Delay(_));
        let idle = occupies && self.delays_compute == Some(false);
        let said = job.utilisation.filter(|_| !idle && self.as_jobs_say.unwrap_or(!of_trace));
        let computes = !occupies || self.delays_compute.unwrap_or(of_trace);
        Job { utilisation: said.or(self.otherwise.filter(|_| computes)), ..job }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobId;
    use crate::time::Time;

    #[test]
    fn options_go_where_jobs_do_not_say() {
        let of = |share| Utilisation::of(share);
        let job = |work, utilisation| {
            let (id, profile, submitted) = (JobId::Number(1), None, Time::ZERO);
            Job { id, profile, submitted, nodes: 1, work, utilisation, walltime: None }
        };
        let (delay, compute) = (Work::Delay(Time::ZERO), Work::Compute(1.0));
        let decided = |rules: &UtilisationRules, work: &Work, said, of_trace| {
            rules.apply(job(work.clone(), said), of_trace).utilisation
        };
        let most = UtilisationRules { otherwise: of(0.7), ..UtilisationRules::default() };
        assert_eq!(decided(&most, &delay, of(0.2), false), of(0.2));
        assert_eq!(decided(&most, &delay, of(0.2), true), of(0.7));
        assert_eq!(decided(&most, &delay, None, true), of(0.7));
        assert_eq!(decided(&most, &delay, None, false), None);
        assert_eq!(decided(&most, &compute, None, false), of(0.7));
        let heard = UtilisationRules { as_jobs_say: Some(true), ..most };
        assert_eq!(decided(&heard, &delay, of(0.2), true), of(0.2));
        let deaf = UtilisationRules { as_jobs_say: Some(false), ..most };
        assert_eq!(decided(&deaf, &compute, of(0.2), false), of(0.7));
        // Who says that delays draw idle power means all of them.
        let idle = UtilisationRules { delays_compute: Some(false), ..most };
        assert_eq!(decided(&idle, &delay, of(0.2), false), None);
        assert_eq!(decided(&idle, &compute, of(0.2), false), of(0.2));
    }
}
