//! Plans of the whole queue (A. Netti's thesis, 5.2.4): when each of the first waiting jobs starts, by a constraint model of what the
//! system has as a whole.
//!
//! The model is relaxed: it does not know nodes. What is planned for now is given to the fit, and may find no room there.

mod model;
mod search;

use crate::time::Time;
use model::{LONGEST, Model};

/// How plans are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlanSettings {
    /// How many of the first waiting jobs are planned.
    pub jobs: usize,
    /// After so many steps of the search the best plan is taken. If there is none it goes on for twice as many, and so on.
    pub steps: u64,
    /// After so many steps nothing is planned.
    pub most_steps: u64,
    /// What a second of waiting weighs, by queue.
    pub weights: Vec<u32>,
    /// Where the queue is not listed: as in that with the longest expected wait.
    pub other_weight: u32,
}

/// A job that waits.
#[derive(Clone, Debug)]
pub(super) struct PlanJob {
    /// What it asks for, by resource of the system as a whole.
    pub demand: Vec<u64>,
    /// How long it is taken to last.
    pub length: Time,
    /// What a second of waiting weighs, at least 1.
    pub weight: u32,
    /// How long it waits at least.
    pub earliest: Time,
}

/// What is not there of a resource for a time.
#[derive(Clone, Debug)]
pub(super) struct PlanTaken {
    /// Its position.
    pub resource: usize,
    pub amount: u64,
    /// How long from now on it is still there.
    pub from: Time,
    /// How long from now on until it is there again.
    pub until: Time,
}

/// What is to be planned.
#[derive(Clone, Debug)]
pub(super) struct PlanProblem {
    /// What there is of each resource.
    pub capacity: Vec<u64>,
    /// What running jobs have of it, and how long they are taken to have it yet.
    pub running: Vec<(Vec<u64>, Time)>,
    pub waiting: Vec<PlanJob>,
    pub taken: Vec<PlanTaken>,
}

/// A plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// How long from now on each job waits yet.
    pub starts: Vec<Time>,
    /// Whether no plan is better, in the whole steps of time that the model has.
    pub is_best: bool,
}

impl PlanProblem {
    /// How long all jobs last one after the other, behind those that run (equation 5.3).
    pub fn bound(&self) -> Time {
        let running = self.running.iter().map(|it| it.1.min(LONGEST)).max();
        let waiting = self.waiting.iter().map(|it| it.length.min(LONGEST));
        waiting.fold(running.unwrap_or(Time::ZERO), |sum, length| sum + length)
    }

    /// The best plan that a search finds: that with the least sum of waits times weights (equation 5.6).
    /// None if it finds none.
    pub fn solve(&self, settings: &PlanSettings) -> Option<Plan> {
        let model = Model::of(self);
        let (starts, is_best) = search::search(&model, settings.steps, settings.most_steps)?;
        let time = |ticks: &i32| Time::from_seconds(i64::from(*ticks) * i64::from(model.tick_s));
        Some(Plan { starts: starts.iter().map(time).collect(), is_best })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SETTINGS: PlanSettings = PlanSettings {
        jobs: 100,
        steps: 1_000_000,
        most_steps: 1_000_000,
        weights: Vec::new(),
        other_weight: 1,
    };

    fn job(demand: &[u64], length_s: i64, weight: u32) -> PlanJob {
        let (demand, length) = (demand.to_vec(), Time::from_seconds(length_s));
        PlanJob { demand, length, weight, earliest: Time::ZERO }
    }

    fn starts(problem: &PlanProblem) -> Vec<i64> {
        let plan = problem.solve(&SETTINGS).unwrap();
        assert!(plan.is_best);
        plan.starts.iter().map(|it| it.as_micros() / 1_000_000).collect()
    }

    /// Of 4 cores 1 is taken for 10 s. A wants 4 for 10 s, B 3 for 5 s, C 1 for 20 s and weighs 6. A runs beside nobody.
    /// B at 0, C at 5 and A at 25 s: 0 + 6 x 5 + 25 = 55. B at 0, A at 10 and C at 20 s: 10 + 6 x 20 = 130. C at 0, B at 10, when
    /// 3 are free beside it, and A at 20 s: 10 + 20 = 30, which is best.
    #[test]
    fn what_weighs_more_goes_first() {
        let problem = PlanProblem {
            capacity: vec![4],
            running: vec![(vec![1], Time::from_seconds(10))],
            waiting: vec![job(&[4], 10, 1), job(&[3], 5, 1), job(&[1], 20, 6)],
            taken: Vec::new(),
        };
        assert_eq!(starts(&problem), [20, 10, 0]);
    }

    /// Of 4 cores and 2 GPUs: A has 1 core and 2 GPUs for 10 s, B 1 and 1 for 4 s, D 3 cores for 6 s. A and B do not run at once:
    /// B first makes A wait 4 s, A first makes B wait 10 s. D fits beside B or A: nobody waits but A.
    #[test]
    fn every_resource_bounds_what_runs_at_once() {
        let problem = PlanProblem {
            capacity: vec![4, 2],
            running: Vec::new(),
            waiting: vec![job(&[1, 2], 10, 1), job(&[1, 1], 4, 1), job(&[3, 0], 6, 1)],
            taken: Vec::new(),
        };
        assert_eq!(starts(&problem), [4, 0, 0]);
    }

    /// Of 4 W 3 are not there until 10 s, nor 2 from 20 to 30 s. A takes 3 W for 12 s: from 30 s on. B takes 1 W for 5 s, at once, and
    /// C 2 W for 8 s: at 10 s. D takes 1 W for 5 s and may not start before 7 s.
    #[test]
    fn what_is_not_there_is_waited_for() {
        let taken = |amount, from, until| PlanTaken {
            resource: 0,
            amount,
            from: Time::from_seconds(from),
            until: Time::from_seconds(until),
        };
        let late = PlanJob { earliest: Time::from_seconds(7), ..job(&[1], 5, 1) };
        let problem = PlanProblem {
            capacity: vec![4],
            running: Vec::new(),
            waiting: vec![job(&[3], 12, 1), job(&[1], 5, 1), job(&[2], 8, 1), late],
            taken: vec![taken(3, 0, 10), taken(2, 20, 30)],
        };
        assert_eq!(starts(&problem), [30, 0, 10, 7]);
    }

    /// With one step nothing is found, and doubling up to 64 finds a plan of the three jobs; up to 2 it does not.
    #[test]
    fn limits_double_until_there_is_a_plan() {
        let waiting = vec![job(&[4], 10, 1), job(&[3], 5, 1), job(&[1], 20, 6)];
        let (running, taken) = (Vec::new(), Vec::new());
        let problem = PlanProblem { capacity: vec![4], running, waiting, taken };
        let solve = |most_steps| problem.solve(&PlanSettings { steps: 1, most_steps, ..SETTINGS });
        assert_eq!(solve(2), None);
        assert!(solve(64).is_some());
    }

    /// Jobs of a petabyte for ten years: the model has coarser steps, and still one waits for the other.
    #[test]
    fn large_numbers_are_scaled() {
        let waiting = vec![job(&[1 << 50], 315_360_000, 1000), job(&[1 << 50], 10, 1)];
        let (running, taken) = (Vec::new(), Vec::new());
        let problem = PlanProblem { capacity: vec![1 << 50], running, waiting, taken };
        let starts = starts(&problem);
        assert!(starts.iter().min() == Some(&0) && starts.iter().max() > Some(&0));
    }

    /// Whether what a job asks for is free from a second on.
    fn fits(used: &[Vec<u64>], problem: &PlanProblem, job: &PlanJob, start: usize) -> bool {
        let seconds = usize::try_from(job.length.as_micros() / 1_000_000).unwrap();
        let enough = |used: &Vec<u64>| {
            (0..used.len()).all(|at| used[at] + job.demand[at] <= problem.capacity[at])
        };
        used[start..start + seconds].iter().all(enough)
    }

    /// Tries all orders: each job in its turn starts as early as it can. One of these plans is the best.
    fn best(problem: &PlanProblem, used: &[Vec<u64>], left: &[usize], sum: i64, best: &mut i64) {
        if left.is_empty() {
            *best = sum.min(*best);
        }
        for (place, &at) in left.iter().enumerate() {
            let job = &problem.waiting[at];
            let start = (0..used.len()).find(|start| fits(used, problem, job, *start)).unwrap();
            let mut used = used.to_vec();
            let seconds = usize::try_from(job.length.as_micros() / 1_000_000).unwrap();
            for used in &mut used[start..start + seconds] {
                used.iter_mut().zip(&job.demand).for_each(|(used, more)| *used += more);
            }
            let mut left = left.to_vec();
            left.remove(place);
            let wait = i64::try_from(start).unwrap() * i64::from(job.weight);
            self::best(problem, &used, &left, sum + wait, best);
        }
    }

    fn problem() -> impl Strategy<Value = PlanProblem> {
        let demand = prop::collection::vec(0_u64..=4, 2);
        let waiting = (demand.clone(), 1_i64..8, 1_u32..5);
        let waiting = prop::collection::vec(waiting, 1..6);
        (waiting, prop::collection::vec((demand, 1_i64..8), 0..2)).prop_map(|(waiting, running)| {
            PlanProblem {
                capacity: vec![4, 4],
                running: running.into_iter().map(|(it, s)| (it, Time::from_seconds(s))).collect(),
                waiting: waiting.iter().map(|(it, s, weight)| job(it, *s, *weight)).collect(),
                taken: Vec::new(),
            }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// The sum of weighted waits is that of the best of all orders, nothing is over-used, and the plan is the same again.
        #[test]
        fn plans_are_the_best_of_all_orders(problem in problem()) {
            let mut used = vec![vec![0; 2]; 80];
            for (demand, length) in &problem.running {
                for used in &mut used[..usize::try_from(length.as_micros() / 1_000_000).unwrap()] {
                    used.iter_mut().zip(demand).for_each(|(used, more)| *used += more);
                }
            }
            let mut expected = i64::MAX;
            let all: Vec<usize> = (0..problem.waiting.len()).collect();
            best(&problem, &used, &all, 0, &mut expected);
            let starts = starts(&problem);
            let mut sum = 0;
            for (job, start) in problem.waiting.iter().zip(&starts) {
                sum += start * i64::from(job.weight);
                let start = usize::try_from(*start).unwrap();
                prop_assert!(fits(&used, &problem, job, start));
                let seconds = usize::try_from(job.length.as_micros() / 1_000_000).unwrap();
                for used in &mut used[start..start + seconds] {
                    used.iter_mut().zip(&job.demand).for_each(|(used, more)| *used += more);
                }
            }
            prop_assert_eq!(sum, expected);
            prop_assert_eq!(self::starts(&problem), starts);
        }
    }
}
