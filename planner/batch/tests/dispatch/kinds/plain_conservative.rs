//! A plain simulation of conservative backfilling by first-fit for such jobs: all places sought anew, second by second.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::{Happened, play_jobs};
use super::plain::{ALL_FREE, Free, Places, able, happened, place, take};
use super::{Asked, system, unit_jobs, workload};

/// Longer than any schedule of these workloads.
const SECONDS: i64 = 1000;

/// A job that runs, or waits and is promised a start: its number, when it starts, and where.
type Placed = (usize, i64, Places);

struct Plain<'a> {
    asked: &'a [Asked],
    ran: Vec<Placed>,
    waiting: Vec<Placed>,
}

impl Plain<'_> {
    /// What is free all the time from a second to another, beside all but one job.
    fn free(&self, now: i64, from: i64, to: i64, without: usize) -> Free {
        let running =
            self.ran.iter().filter(|(job, start, _)| start + self.asked[*job].lasts() > now);
        let promised = self.waiting.iter().filter(|it| it.0 != without);
        let others: Vec<&Placed> = running.chain(promised).collect();
        let mut least = ALL_FREE;
        for second in from..to {
            let mut free = ALL_FREE;
            for (job, start, places) in &others {
                let asked = &self.asked[*job];
                if (*start..start + asked.walltime).contains(&second) {
                    take(&mut free, asked, places);
                }
            }
            for (least, free) in least.0.iter_mut().zip(free.0) {
                *least = [least[0].min(free[0]), least[1].min(free[1])];
            }
            least.1 = least.1.min(free.1);
        }
        least
    }

    /// The first start from now on, or when more of something is free than a second before. The rule of several kinds may find places
    /// in less and none in more; no other instant is looked at for it.
    fn first(&self, now: i64, until: i64, job: usize) -> Option<Placed> {
        let rises = |start: i64| {
            let of = |second: i64| self.free(now, second, second + 1, job);
            let (before, at) = (of(start - 1), of(start));
            at.1 > before.1
                || at
                    .0
                    .as_flattened()
                    .iter()
                    .zip(before.0.as_flattened())
                    .any(|(at, before)| at > before)
        };
        let mut starts = (now..until).filter(|start| *start == now || rises(*start));
        starts.find_map(|start| self.places_at(now, job, start))
    }

    fn places_at(&self, now: i64, job: usize, start: i64) -> Option<Placed> {
        let asked = &self.asked[job];
        let free = self.free(now, start, start + asked.walltime, job);
        Some((job, start, place(&free, asked)?))
    }

    /// A waiting job's promise, looked for anew: before its start, else at it, else as it is.
    fn moved(&self, now: i64, (job, start, places): &Placed) -> Placed {
        let anew = || self.places_at(now, *job, *start);
        self.first(now, *start, *job)
            .or_else(anew)
            .unwrap_or_else(|| (*job, *start, places.clone()))
    }

    fn decide(&mut self, now: i64, key: fn(&Asked) -> i64, moves: bool, came: &[usize]) {
        if moves {
            for at in 0..self.waiting.len() {
                self.waiting[at] = self.moved(now, &self.waiting[at]);
            }
        }
        let rank = |job: usize| (key(&self.asked[job]), self.asked[job].submitted, job);
        let mut came = came.to_vec();
        came.sort_by_key(|job| rank(*job));
        for job in came {
            let promise = self.first(now, SECONDS, job).unwrap();
            let at = self.waiting.partition_point(|other| rank(other.0) < rank(job));
            self.waiting.insert(at, promise);
        }
        let (due, waiting) =
            std::mem::take(&mut self.waiting).into_iter().partition(|it| it.1 <= now);
        self.ran.extend::<Vec<Placed>>(due);
        self.waiting = waiting;
    }
}

/// What happens to every job that is not refused.
fn plain(asked: &[Asked], compression: bool, key: fn(&Asked) -> i64) -> BTreeMap<i64, Happened> {
    let able = able(asked);
    let mut plain = Plain { asked, ran: Vec::new(), waiting: Vec::new() };
    for now in 0..SECONDS {
        let came = able.iter().copied().filter(|job| asked[*job].submitted == now);
        let came: Vec<usize> = came.collect();
        let ended = plain.ran.iter().any(|(job, start, _)| start + asked[*job].lasts() == now);
        let due = plain.waiting.iter().any(|it| it.1 == now);
        if ended || due || !came.is_empty() {
            plain.decide(now, key, ended && compression, &came);
        }
    }
    assert_eq!(plain.ran.len(), able.len());
    let number = |job: usize| i64::try_from(job).unwrap();
    let all = plain.ran.iter();
    all.map(|(job, start, places)| (number(*job), happened(&asked[*job], *start, places))).collect()
}

/// What jobs are ordered by.
type Key = fn(&Asked) -> i64;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Every job starts when and where the plain simulation starts it.
    #[test]
    fn promises_are_as_in_the_plain_simulation(asked in workload()) {
        let orders: [(&str, Key); 3] =
            [("fcfs", |_| 0), ("sjf", |job| job.walltime), ("ljf", |job| -job.walltime)];
        for (order, key) in orders {
            for (backfill, compression) in
                [("conservative", true), ("conservative_no_compression", false)]
            {
                let names = [order, backfill, "first_fit", "walltime"];
                let (notes, _) = play_jobs(&system(), unit_jobs(&asked), names, &[]);
                let expected = plain(&asked, compression, key);
                prop_assert_eq!(&notes.played, &expected, "{} {}", order, backfill);
            }
        }
    }
}
