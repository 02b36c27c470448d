//! What is known of a queue, and what follows from it.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::earlier_waits::{EarlierWaits, Situation, Waits};
use super::last_waits::LastWaits;
use super::observed::{Happened, ObservedJob, in_order};
use super::simulated::QueuePlayer;
use super::walltime_use::WalltimeUse;
use super::{Expected, LEVELS, Shape};
use crate::policy::Combination;
use crate::time::Time;

/// How often a queue is played on for a prediction that is told, and for one by which is learned.
const DRAWS: u64 = 200;
const LEARNING_DRAWS: u64 = 24;

/// Of how many ends the quantiles are told.
const ENDS: u32 = 400;

/// When a job would start and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartPrediction {
    /// Its start.
    pub start: Expected,
    /// Its end.
    pub end: Expected,
}

/// Follows a queue, and predicts when a job would start.
#[derive(Debug)]
pub struct StartPredictor {
    player: QueuePlayer,
    used: WalltimeUse,
    last_waits: LastWaits,
    earlier: EarlierWaits,
    running: BTreeMap<usize, ObservedJob>,
    waiting: BTreeMap<usize, ObservedJob>,
    /// Of jobs that wait, and by which is learned when they start.
    told: BTreeMap<usize, Told>,
}

/// What was predicted for a job when it was submitted.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub situation: Situation,
    /// The quantiles of the wait, seconds.
    pub waits_s: [f64; 3],
}

/// Who is told of the predictions by which is learned.
pub(super) trait Pupil {
    /// This was predicted for the job at `place`, which has just been submitted.
    fn predicted(&mut self, _: &StartPredictor, _: (usize, &ObservedJob)) {}

    /// The job at `place`, for which these quantiles were told, started after so many seconds.
    fn started(&mut self, _place: usize, _wait_s: f64, _told_s: [f64; 3]) {}
}

/// Nobody.
impl Pupil for () {}

impl StartPredictor {
    /// Of a queue that is served by `policy`, on so many nodes.
    ///
    /// # Errors
    /// A policy that cannot be without options or the supplier's tables.
    pub fn new(nodes: u32, policy: Combination) -> Result<Self, Vec<String>> {
        Ok(Self {
            player: QueuePlayer::new(nodes, policy)?,
            used: WalltimeUse::default(),
            last_waits: LastWaits::default(),
            earlier: EarlierWaits::default(),
            running: BTreeMap::new(),
            waiting: BTreeMap::new(),
            told: BTreeMap::new(),
        })
    }

    /// Lets happen what happened to `jobs` until `now`, and learns from it: from each end, and from the wait of one in `every` jobs.
    pub fn follow(&mut self, jobs: &[ObservedJob], now: Time, every: usize) {
        self.follow_with(jobs, now, every, &mut ());
    }

    pub(super) fn follow_with(
        &mut self,
        jobs: &[ObservedJob],
        now: Time,
        every: usize,
        pupil: &mut impl Pupil,
    ) {
        for (at, happened, place) in in_order(jobs, now) {
            let job = &jobs[place];
            match happened {
                Happened::Submitted => {
                    if place % every == 0 && self.fits(job.shape) {
                        let (situation, waits) =
                            self.tell(at, &job.user, job.shape, LEARNING_DRAWS);
                        let waits_s = LEVELS.map(|level| waits.at(level));
                        self.told.insert(place, Told { situation, waits_s });
                        pupil.predicted(self, (place, job));
                    }
                    self.waiting.insert(place, job.clone());
                }
                Happened::Started => {
                    let told = self.told.remove(&place);
                    let wait_s = (at - job.submitted).as_seconds();
                    self.last_waits.learn(&job.user, wait_s);
                    if let Some(told) = &told {
                        self.earlier.learn(&told.situation, told.waits_s, wait_s);
                        pupil.started(place, wait_s, told.waits_s);
                    }
                    self.running.extend(self.waiting.remove(&place).map(|job| (place, job)));
                }
                Happened::Ended => {
                    self.running.remove(&place);
                    let ran = at - job.started.unwrap_or(at);
                    self.used.learn(&job.user, job.shape.walltime, ran);
                }
            }
        }
    }

    /// Whether there are so many nodes.
    pub const fn fits(&self, shape: Shape) -> bool {
        0 < shape.nodes && shape.nodes <= self.nodes()
    }

    /// How many nodes there are.
    pub const fn nodes(&self) -> u32 {
        self.player.platform.machines()
    }

    pub(super) const fn player(&self) -> &QueuePlayer {
        &self.player
    }

    /// How long users waited of late.
    pub(super) const fn last_waits(&self) -> &LastWaits {
        &self.last_waits
    }

    /// How many jobs wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// How many jobs run.
    pub fn running(&self) -> usize {
        self.running.len()
    }

    /// When a job of `user` would start and end that is submitted `now`; none where there are not so many nodes.
    pub fn predict(&self, now: Time, user: &str, shape: Shape) -> Option<StartPrediction> {
        if !self.fits(shape) {
            return None;
        }
        let (_, waits) = self.tell(now, user, shape, DRAWS);
        let wait = |level| time(waits.at(level));
        // Levels of waits in turn, and those of run times scattered over them.
        let mut ends_s: Vec<f64> = (0..ENDS)
            .map(|place| {
                let level = (f64::from(place) + 0.5) / f64::from(ENDS);
                let drawn = (f64::from(place) * 0.618_033_988_749_895).fract();
                let runs = self.used.remaining(user, shape.walltime, Time::ZERO, drawn);
                (wait(level) + runs).as_seconds()
            })
            .collect();
        ends_s.sort_unstable_by(f64::total_cmp);
        let end = |level| time(super::quantile(&ends_s, level).unwrap_or_default());
        Some(StartPrediction {
            start: Expected::of(|level| now + wait(level)),
            end: Expected::of(|level| now + end(level)),
        })
    }

    /// Where a job stands that is submitted `now`, and how long it waits.
    fn tell(&self, now: Time, user: &str, shape: Shape, draws: u64) -> (Situation, Waits) {
        let simulated_s = (0..draws).filter_map(|draw| self.drawn_wait_s(now, user, shape, draw));
        let [last_s] = self.last_waits.at(user, [0.5]);
        let situation =
            Situation::new(simulated_s.collect(), shape, now, self.waiting.len(), last_s);
        let waits = self.earlier.waits(&situation);
        (situation, waits)
    }

    /// A wait where every job goes on for as long as is drawn. What is drawn for a job is the same for each shape that is asked for.
    fn drawn_wait_s(&self, now: Time, user: &str, shape: Shape, draw: u64) -> Option<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(draw);
        self.wait_s(now, (user, shape), |user, walltime, elapsed| {
            self.used.remaining(user, walltime, elapsed, rng.random_range(0.0..1.0))
        })
    }

    /// The wait where every job goes on until its walltime.
    pub(super) fn wait_by_walltimes_s(&self, now: Time, shape: Shape) -> Option<f64> {
        self.wait_s(now, ("", shape), |_, walltime, elapsed| walltime - elapsed.min(walltime))
    }

    fn wait_s(
        &self,
        now: Time,
        (user, shape): (&str, Shape),
        mut remaining: impl FnMut(&str, Time, Time) -> Time,
    ) -> Option<f64> {
        let of_all = self.running.values().chain(self.waiting.values());
        let mut jobs: Vec<(Shape, Time)> = of_all
            .map(|job| {
                let elapsed = job.started.filter(|at| *at < now).map_or(Time::ZERO, |at| now - at);
                let ends = remaining(&job.user, job.shape.walltime, elapsed);
                let left = job.shape.walltime - elapsed.min(job.shape.walltime);
                (Shape { nodes: job.shape.nodes, walltime: left }, ends)
            })
            .collect();
        jobs.push((shape, remaining(user, shape.walltime, Time::ZERO)));
        Some(self.player.wait_of_last(self.running.len(), &jobs)?.as_seconds())
    }
}

fn time(seconds: f64) -> Time {
    Time::from_seconds_f64(seconds).unwrap_or(Time::FOREVER)
}
