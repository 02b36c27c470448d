//! A plain simulation of conservative backfilling by first-fit on vectors: a table of what is taken in every second, and all places
//! sought anew, second by second. It knows power caps too.

use std::collections::BTreeMap;
use std::fmt::Write;

use batch::dispatch::UnitRefusal;
use batch::dispatch::system::System;
use proptest::prelude::*;

use super::plain::{Free, KINDS, change, place, workload};
use super::{Happened, Notes, Row, jobs, play, play_capped};

/// Longer than any schedule of these workloads.
const SECONDS: i64 = 1500;

/// A system: cores and GPUs of each node, and licences. A core draws 1 W idle and 3 W in use.
#[derive(Clone, Debug)]
struct Site {
    nodes: Vec<[u32; KINDS]>,
    licences: u32,
}

impl Site {
    fn free(&self) -> Free {
        (self.nodes.clone(), self.licences)
    }

    fn system(&self) -> System {
        let mut text = String::new();
        for [cores, gpu] in &self.nodes {
            let _ = write!(text, "[[nodes]]\ncount = 1\ncores = {cores}\ngpu = {gpu}\n");
            let _ = write!(text, "[nodes.power]\ncores = {{ idle_w = 1, full_w = 3 }}\n");
        }
        let _ = write!(text, "[shared]\nlicence = {}\n", self.licences);
        System::parse(&text).unwrap()
    }

    fn cores(&self) -> i64 {
        self.nodes.iter().map(|it| i64::from(it[0])).sum()
    }
}

/// What all units of a job draw beside idle nodes, W.
fn draws(row: &Row) -> i64 {
    2 * i64::from(row.units * row.unit[0])
}

/// A waiting job's promise.
#[derive(Clone, Debug)]
struct Promise {
    job: usize,
    start: i64,
    places: Vec<(u32, u32)>,
}

struct Plain<'a> {
    site: &'a Site,
    /// What may be drawn, in W: from when to when.
    caps: &'a [(i64, i64, i64)],
    rows: &'a [Row],
    happened: Vec<Option<Happened>>,
    waiting: Vec<Promise>,
}

impl Plain<'_> {
    /// Who is taken to run at a second, and where: who runs now, and who is promised it but for `without`.
    fn at_work(
        &self,
        now: i64,
        second: i64,
        without: usize,
    ) -> impl Iterator<Item = (&Row, &[(u32, u32)])> {
        let running = self.rows.iter().zip(&self.happened).filter_map(move |(row, it)| {
            let it = it.as_ref().filter(|it| it.finished > now)?;
            (it.started + row.walltime > second).then_some((row, &*it.places))
        });
        let promised = self.waiting.iter().filter_map(move |it| {
            let row = &self.rows[it.job];
            let has = (it.start..it.start + row.walltime).contains(&second);
            (has && it.job != without).then_some((row, &*it.places))
        });
        running.chain(promised)
    }

    /// Whether the cap has room for a job all the time from a second to another.
    fn cap_has_room(&self, now: i64, from: i64, to: i64, job: usize) -> bool {
        let cap = |second| self.caps.iter().find(|it| it.0 <= second && second < it.1);
        let drawn = |second| -> i64 {
            let others = self.at_work(now, second, job).map(|it| draws(it.0)).sum::<i64>();
            self.site.cores() + others + draws(&self.rows[job])
        };
        (from..to).all(|second| cap(second).is_none_or(|cap| drawn(second) <= cap.2))
    }

    /// What is free all the time from a second to another, beside all promises but those of `without`.
    fn free(&self, now: i64, from: i64, to: i64, without: usize) -> super::plain::Free {
        let mut least = self.site.free();
        for second in from..to {
            let mut free = self.site.free();
            for (row, places) in self.at_work(now, second, without) {
                change(&mut free, row, places, false);
            }
            for (least, free) in least.0.iter_mut().zip(&free.0) {
                for kind in 0..KINDS {
                    least[kind] = least[kind].min(free[kind]);
                }
            }
            least.1 = least.1.min(free.1);
        }
        least
    }

    fn first(&self, now: i64, job: usize) -> Promise {
        let row = &self.rows[job];
        let at = |start: i64| {
            if !self.cap_has_room(now, start, start + row.walltime, job) {
                return None;
            }
            let free = self.free(now, start, start + row.walltime, job);
            Some(Promise { job, start, places: place(&free, row, |_| u32::MAX)? })
        };
        (now..SECONDS).find_map(at).unwrap()
    }

    fn decide(&mut self, now: i64, key: fn(&Row) -> i64, ended: bool, came: &[usize]) {
        if ended {
            for at in 0..self.waiting.len() {
                self.waiting[at] = self.first(now, self.waiting[at].job);
            }
        }
        let rank = |job: usize| (key(&self.rows[job]), self.rows[job].submitted, job);
        let mut came = came.to_vec();
        came.sort_by_key(|job| rank(*job));
        for job in came {
            let promise = self.first(now, job);
            let place = self.waiting.partition_point(|other| rank(other.job) < rank(job));
            self.waiting.insert(place, promise);
        }
        for promise in std::mem::take(&mut self.waiting) {
            if promise.start > now {
                self.waiting.push(promise);
                continue;
            }
            let row = &self.rows[promise.job];
            let finished = now + row.run.min(row.walltime);
            let places = promise.places;
            self.happened[promise.job] = Some(Happened { started: now, finished, places });
        }
    }
}

/// What happens to every job; nothing to those that the empty system does not hold.
fn plain(
    site: &Site,
    caps: &[(i64, i64, i64)],
    rows: &[Row],
    compression: bool,
    key: fn(&Row) -> i64,
) -> BTreeMap<i64, Happened> {
    let happened = vec![None; rows.len()];
    let mut plain = Plain { site, caps, rows, happened, waiting: Vec::new() };
    let holds = |job: &usize| place(&site.free(), &rows[*job], |_| u32::MAX).is_some();
    let held: Vec<usize> = (0..rows.len()).filter(holds).collect();
    for now in 0..SECONDS {
        let came = held.iter().copied().filter(|job| rows[*job].submitted == now);
        let came: Vec<usize> = came.collect();
        let ended = plain.happened.iter().flatten().any(|it| it.finished == now);
        let due = plain.waiting.iter().any(|it| it.start == now);
        if ended || due || !came.is_empty() {
            plain.decide(now, key, ended && compression, &came);
        }
    }
    assert!(held.iter().all(|job| plain.happened[*job].is_some()));
    (0..).zip(plain.happened).filter_map(|(job, it)| Some((job, it?))).collect()
}

type Key = fn(&Row) -> i64;

/// Every job starts when and where the plain simulation starts it, as `play` plays them.
fn check(
    site: &Site,
    caps: &[(i64, i64, i64)],
    rows: &[Row],
    play: impl Fn([&str; 4]) -> Notes,
) -> Result<(), TestCaseError> {
    let orders: [(&str, Key); 3] =
        [("fcfs", |_| 0), ("sjf", |row| row.walltime), ("ljf", |row| -row.walltime)];
    for (order, key) in orders {
        for (backfill, compression) in
            [("conservative", true), ("conservative_no_compression", false)]
        {
            let expected = plain(site, caps, rows, compression, key);
            let notes = play([order, backfill, "first_fit", "walltime"]);
            prop_assert_eq!(&notes.played, &expected, "{} {}", order, backfill);
            let of_cap = |it: &(i64, UnitRefusal)| it.1 == UnitRefusal::AboveTheCap;
            prop_assert_eq!(notes.played.len() + notes.refused.len(), rows.len());
            prop_assert!(!notes.refused.iter().any(of_cap));
        }
    }
    Ok(())
}

fn sites() -> impl Strategy<Value = Site> {
    let nodes = prop::collection::vec((1_u32..=6, 0_u32..=3), 1..=6);
    (nodes, 0_u32..=4).prop_map(|(nodes, licences)| {
        let nodes = nodes.into_iter().map(|(cores, gpu)| [cores, gpu]).collect();
        Site { nodes, licences }
    })
}

/// A site with caps from less than what it draws idle to what it draws at most, which is the last one.
fn capped_sites() -> impl Strategy<Value = (Site, Vec<(i64, i64, i64)>)> {
    let pieces = prop::collection::vec((1_i64..20, -10_i64..=100), 0..7);
    (sites(), pieces).prop_map(|(site, pieces)| {
        let (mut caps, mut at, cores) = (Vec::new(), 0, site.cores());
        for (length, percent) in pieces {
            caps.push((at, at + length, cores + 2 * cores * percent / 100));
            at += length;
        }
        caps.push((at, 1_000_000, 3 * cores));
        (site, caps)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn promises_are_as_in_the_plain_simulation(rows in workload(), site in sites()) {
        let system = site.system();
        check(&site, &[], &rows, |names| play(&system, &rows, names))?;
    }

    #[test]
    fn promises_under_a_cap_are_as_in_the_plain_simulation(
        rows in workload(), (site, caps) in capped_sites(),
    ) {
        let system = site.system();
        check(&site, &caps, &rows, |names| {
            play_capped(&system, jobs(&rows, KINDS), names, &caps, "full").0
        })?;
    }
}
