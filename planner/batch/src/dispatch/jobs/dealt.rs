//! Jobs that count machines as jobs of units, dealt to users: `EnergyFairShare` plays Light-ESP with users, whom the benchmark does
//! not have (section IV-B).

use std::collections::HashMap;

use rand::RngExt;

use super::UnitJob;
use crate::dispatch::unit::UnitRequest;
use crate::job::Job;
use crate::time::Time;
use crate::workload::streams;

/// Jobs of `user1`, `user2` and so on; a unit is a machine, the only resource of the system. Jobs with the same machines, run time and
/// walltime are dealt in turn: with weights 1, 2 and 3 one to the first user, the next two to the second and three to the
/// third, from the first user on again. At which of these places a turn begins is drawn for each sort of jobs under `seed`, so that
/// nobody always has what is left over. Weights of nothing but 0 count as one user.
pub fn dealt(
    jobs: impl Iterator<Item = Job>,
    weights: &[u32],
    seed: u64,
) -> impl Iterator<Item = UnitJob> {
    // Streams behind those that jobs are drawn from.
    let [.., mut places] = streams::<8>(seed);
    let turn = (1_u32..).zip(weights).flat_map(|(user, weight)| (0..*weight).map(move |_| user));
    let mut turn: Vec<u32> = turn.collect();
    if turn.is_empty() {
        turn.push(1);
    }
    let mut next_of: HashMap<(u32, Time, Option<Time>), usize> = HashMap::new();
    jobs.map(move |job| {
        let run = job.work.time(1.0);
        let next = next_of
            .entry((job.nodes, run, job.walltime))
            .or_insert_with(|| places.random_range(0..turn.len()));
        let user = turn[*next];
        *next = (*next + 1) % turn.len();
        UnitJob {
            id: job.id,
            submitted: job.submitted,
            run,
            walltime: job.walltime,
            user: format!("user{user}").into(),
            queue: "".into(),
            name: "".into(),
            units: job.nodes,
            unit: UnitRequest::of(&[1], 1),
            energy: None,
            latest_start: None,
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::workload::light_esp;

    /// How many jobs of each sort, by size and run time, each user has.
    fn counts(weights: &[u32], seed: u64) -> BTreeMap<(u32, i64), BTreeMap<String, u32>> {
        let mut counts: BTreeMap<(u32, i64), BTreeMap<String, u32>> = BTreeMap::new();
        for job in dealt(light_esp(920, 80_640, seed), weights, seed) {
            let sort = (job.units, job.run.as_micros() / 1_000_000);
            *counts.entry(sort).or_default().entry(job.user.to_string()).or_default() += 1;
        }
        counts
    }

    /// Four logs have 4 x 75 jobs of type A (2,520 cores, 22 s), 100 for each of three users, and likewise 4 of type C (40,320 cores,
    /// 45 s). Only the 8 of type Z are no multiple of three: two users have 3 and one has 2, who depends on the seed.
    #[test]
    fn users_of_equal_weight_have_the_same_workload() {
        let mut with_two = BTreeSet::new();
        for seed in 1..=20 {
            let counts = counts(&[1, 1, 1], seed);
            assert_eq!(counts.len(), 14);
            for ((cores, run_s), users) in &counts {
                let all: u32 = users.values().sum();
                if *cores == 80_640 {
                    assert_eq!((all, *run_s), (8, 20));
                    with_two.extend(users.iter().filter(|it| *it.1 == 2).map(|it| it.0.clone()));
                } else {
                    assert!(users.values().all(|jobs| 3 * jobs == all), "{cores} {users:?}");
                }
            }
            assert_eq!(counts[&(2520, 22)]["user2"], 100);
            assert_eq!(counts[&(40_320, 45)]["user3"], 4);
        }
        assert_eq!(with_two.len(), 3, "each user is the one with two");
    }

    /// Of 300 jobs of type A a sixth, two and three sixths; of 8 of type Z, a turn of 1, 2, 2, 3, 3, 3 and two more.
    #[test]
    fn weights_are_parts_of_the_workload() {
        let counts = counts(&[1, 2, 3], 7);
        let of = |sort, user: &str| counts[&sort].get(user).copied().unwrap_or(0);
        assert_eq!(["user1", "user2", "user3"].map(|it| of((2520, 22), it)), [50, 100, 150]);
        let whole: Vec<u32> = ["user1", "user2", "user3"].map(|it| of((80_640, 20), it)).into();
        assert_eq!(whole.iter().sum::<u32>(), 8);
        assert!(whole.iter().zip([1, 2, 3]).all(|(jobs, least)| *jobs >= least), "{whole:?}");
    }

    #[test]
    fn jobs_stay_as_they_were() {
        let jobs: Vec<Job> = light_esp(50, 180, 3).collect();
        let dealt: Vec<UnitJob> = dealt(jobs.clone().into_iter(), &[1], 3).collect();
        for (job, of_user) in jobs.iter().zip(&dealt) {
            assert_eq!(
                (&job.id, job.submitted, job.nodes),
                (&of_user.id, of_user.submitted, of_user.units)
            );
            assert_eq!((job.work.time(1.0), job.walltime), (of_user.run, of_user.walltime));
            assert_eq!(&*of_user.user, "user1");
        }
    }
}
