//! Estimates from similar jobs (section 3.3 of the thesis): the duration of the user's last job that has the same profile, by rules that
//! ask for less and less.
//!
//! A profile is the name, the queue, the walltime and what is asked for. The rules: 1. all of it is equal; 2. of the name only the
//! stem is; 3. all but what is asked for; 4. the same with the stem; 5. the name or the stem alone; 6. none: the walltime. The
//! stem is the name without the digits, and the dots, dashes and underscores before them, at its end: users number what is alike.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use super::{EstimatePart, Estimator, requested};
use crate::dispatch::jobs::UnitJob;
use crate::policy::About;
use crate::time::Time;

/// The last duration of a similar job.
pub(super) const ESTIMATE: EstimatePart = EstimatePart {
    about: About {
        name: "history",
        meaning: "the duration of the user's last job that is similar, at most the requested time",
        options: &[],
    },
    build: |_| Box::new(History::default()),
};

/// How many rules look into the past.
const RULES: u8 = 6;

/// Durations by rule and profile. Profiles are known by hashes that are the same on every machine.
#[derive(Debug, Default)]
struct History {
    last: HashMap<u64, Time, BuildHasherDefault<DefaultHasher>>,
}

/// What a job has in common with another by a rule, as a number. Rules 5 for the name and for the stem are apart.
fn profile(job: &UnitJob, rule: u8) -> u64 {
    let mut hasher = DefaultHasher::new();
    let name = if matches!(rule, 0 | 2 | 4) { &job.name } else { stem(&job.name) };
    (rule, &job.user, name).hash(&mut hasher);
    if rule < 4 {
        (&job.queue, job.walltime).hash(&mut hasher);
    }
    if rule < 2 {
        (job.units, &job.unit).hash(&mut hasher);
    }
    hasher.finish()
}

/// A name without its number.
fn stem(name: &str) -> &str {
    let stem = name.trim_end_matches(|it: char| it.is_ascii_digit());
    if stem.len() == name.len() { name } else { stem.trim_end_matches(['.', '-', '_']) }
}

impl Estimator for History {
    fn estimate(&mut self, job: &UnitJob) -> Time {
        let found = (0..RULES).find_map(|rule| self.last.get(&profile(job, rule)));
        found.map_or(requested(job), |last| (*last).min(requested(job)))
    }

    fn ended(&mut self, job: &UnitJob, ran: Time) {
        for rule in 0..RULES {
            self.last.insert(profile(job, rule), ran);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::job_of;
    use super::*;

    /// ada's `run_1` of 4 cores and 60 s at most ran 10 s, her `run_2` of 8 cores 20 s, and her test with 90 s at most 30 s.
    #[test]
    fn the_most_similar_job_is_asked() {
        let mut history = History::default();
        for (name, walltime, cores, ran) in
            [("run_1", 60, 4, 10), ("run_2", 60, 8, 20), ("test", 90, 8, 30)]
        {
            history.ended(&job_of("ada", name, walltime, cores), Time::from_seconds(ran));
        }
        for (user, name, walltime, cores, expected) in [
            ("ada", "run_1", 60, 4, 10), // 1: everything is equal
            ("ada", "run_3", 60, 4, 10), // 2: the stem, and what is asked for
            ("ada", "run_1", 60, 9, 10), // 3: the name, but not what is asked for
            ("ada", "run_3", 60, 9, 20), // 4: the stem alone of the name, the last of both
            ("ada", "run_1", 70, 4, 10), // 5: the name alone
            ("ada", "run.4", 70, 4, 20), // 5: the stem alone
            ("ada", "test7", 25, 4, 25), // 5, but no longer than asked for
            ("ada", "other", 45, 4, 45), // 6
            ("eve", "run_1", 60, 4, 60), // 6: another user
        ] {
            let estimate = history.estimate(&job_of(user, name, walltime, cores));
            assert_eq!(estimate, Time::from_seconds(expected), "{user} {name} {walltime} {cores}");
        }
    }
}
