//! Estimates from similar jobs (section 3.3 of the thesis): the duration of the user's last job that has the same profile, by rules that
//! ask for less and less.
//!
//! A profile is the name, the queue, the walltime and what is asked for. The rules: 1. all of it is equal; 2. of the name only the
//! stem is; 3. all but what is asked for; 4. the same with the stem; 5. the name or the stem alone; 6. none: the walltime. The
//! stem is the name without the digits, and the dots, dashes and underscores before them, at its end: users number what is alike.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use super::{EstimatePart, Memory, PowerEstimatePart, Remembered};
use crate::dispatch::jobs::UnitJob;
use crate::policy::About;

/// The last duration of a similar job.
pub(super) const ESTIMATE: EstimatePart = EstimatePart {
    about: About {
        name: "history",
        meaning: "the duration of the user's last job that is similar, at most the requested time",
        options: &[],
    },
    build: |_| Box::new(Remembered(History::default())),
};

/// The last power of a similar job.
pub(super) const POWER: PowerEstimatePart = PowerEstimatePart {
    about: About {
        name: "history",
        meaning: "what a unit of the user's last job that is similar drew",
        options: &[],
    },
    memory: Some(|_| Box::new(History::default())),
};

/// Numbers of profiles, by hashes that are the same on every machine.
type ByHash<T> = HashMap<u64, T, BuildHasherDefault<DefaultHasher>>;

/// Amounts by profile. Nearly every job has a name of its own, so what its name tells is one entry: the last job of this name, and
/// with which profile.
#[derive(Debug, Default)]
struct History {
    /// By user and name.
    named: ByHash<Named>,
    /// By profile: of stems, and of names that had another profile before their last one.
    last: ByHash<i64>,
}

/// The last job of a name.
#[derive(Clone, Copy, Debug)]
struct Named {
    amount: i64,
    /// Its queue and walltime as a number.
    bounds: u32,
    /// These and what it asked for.
    whole: u32,
}

/// What profiles of a job are made of, as numbers.
#[derive(Clone, Copy, Debug)]
struct Parts {
    name: u64,
    stem: u64,
    bounds: u32,
    whole: u32,
}

impl Parts {
    fn of(job: &UnitJob) -> Self {
        let bounds = hash((&job.queue, job.walltime));
        Self {
            name: hash((&job.user, &job.name)),
            stem: hash((&job.user, stem(&job.name))),
            bounds: half(bounds),
            whole: half(hash((bounds, job.units, &job.unit))),
        }
    }

    /// The profiles of the rules 2, 4 and 5 for the stem.
    fn of_stem(self) -> [u64; 3] {
        [hash((1, self.stem, self.whole)), hash((3, self.stem, self.bounds)), hash((5, self.stem))]
    }
}

/// The profiles of the rules 1 and 3 for a name.
fn of_name(name: u64, bounds: u32, whole: u32) -> [u64; 2] {
    [hash((0, name, whole)), hash((2, name, bounds))]
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Half of a number's bits: within one name there are few profiles.
#[expect(clippy::cast_possible_truncation, reason = "half is wanted")]
fn half(number: u64) -> u32 {
    number as u32
}

/// A name without its number.
fn stem(name: &str) -> &str {
    let stem = name.trim_end_matches(|it: char| it.is_ascii_digit());
    if stem.len() == name.len() { name } else { stem.trim_end_matches(['.', '-', '_']) }
}

impl Memory for History {
    fn recall(&self, job: &UnitJob) -> Option<i64> {
        let parts = Parts::of(job);
        let named = self.named.get(&parts.name);
        let of_name = of_name(parts.name, parts.bounds, parts.whole);
        let of_stem = parts.of_stem();
        let last = |profile: u64| self.last.get(&profile).copied();
        let similar = |same: fn(&Named, &Parts) -> bool, profile: u64| {
            named.filter(|it| same(it, &parts)).map(|it| it.amount).or_else(|| last(profile))
        };
        similar(|it, job| it.whole == job.whole, of_name[0])
            .or_else(|| last(of_stem[0]))
            .or_else(|| similar(|it, job| it.bounds == job.bounds, of_name[1]))
            .or_else(|| last(of_stem[1]))
            .or_else(|| named.map(|it| it.amount))
            .or_else(|| last(of_stem[2]))
    }

    fn learn(&mut self, job: &UnitJob, amount: i64) {
        let parts = Parts::of(job);
        let now = Named { amount, bounds: parts.bounds, whole: parts.whole };
        let before = self.named.insert(parts.name, now);
        if let Some(before) = before.filter(|it| it.whole != parts.whole) {
            for profile in of_name(parts.name, before.bounds, before.whole) {
                self.last.insert(profile, before.amount);
            }
        }
        for profile in parts.of_stem() {
            self.last.insert(profile, amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Estimator, job_of};
    use super::*;
    use crate::time::Time;

    /// ada's `run_1` of 4 cores and 60 s at most ran 10 s, her `run_2` of 8 cores 20 s, and her test with 90 s at most 30 s.
    #[test]
    fn the_most_similar_job_is_asked() {
        let mut history = Remembered(History::default());
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

    /// ada's `sort` of 4 cores ran 10 s, that of 8 cores 20 s, and with 90 s at most 30 s: what each ran is still known after the next
    /// one of the name. Then 4 cores ran 40 s.
    #[test]
    fn a_name_keeps_what_its_other_profiles_ran() {
        let mut history = Remembered(History::default());
        let mut ran = |walltime, cores, ran| {
            history.ended(&job_of("ada", "sort", walltime, cores), Time::from_seconds(ran));
            [(60, 4), (60, 8), (60, 9), (90, 9)]
                .map(|(walltime, cores)| history.estimate(&job_of("ada", "sort", walltime, cores)))
        };
        let seconds = |all: [i64; 4]| all.map(Time::from_seconds);
        assert_eq!(ran(60, 4, 10), seconds([10, 10, 10, 10]));
        assert_eq!(ran(60, 8, 20), seconds([10, 20, 20, 20]));
        assert_eq!(ran(90, 4, 30), seconds([10, 20, 20, 30]));
        assert_eq!(ran(60, 4, 40), seconds([40, 20, 40, 30]));
    }
}
