//! What is known of a queue, and what follows from it.

use std::collections::BTreeMap;

use planner::search::Cancelled;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::earlier_waits::{EarlierWaits, Situation, Waits};
use super::last_waits::LastWaits;
use super::observed::{Happened, ObservedJob, in_order};
use super::simulated::QueuePlayer;
use super::walltime_use::WalltimeUse;
use super::{Expected, LEVELS, Shape};
use crate::platform::Platform;
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
#[derive(Clone, Debug)]
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

/// The jobs whose starts are asked for.
enum Asked<'a> {
    /// One that is submitted now.
    New(&'a str, Shape),
    /// Those at these places, which wait.
    Waiting(&'a [usize]),
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
    ///
    /// # Errors
    /// `cancelled` said that nobody waits for it.
    pub fn follow(
        &mut self,
        jobs: &[ObservedJob],
        now: Time,
        every: usize,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), Cancelled> {
        self.follow_with(jobs, now, every, &mut (), cancelled)
    }

    pub(super) fn follow_with(
        &mut self,
        jobs: &[ObservedJob],
        now: Time,
        every: usize,
        pupil: &mut impl Pupil,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), Cancelled> {
        for (at, happened, place) in in_order(jobs, now) {
            if cancelled() {
                return Err(Cancelled);
            }
            let job = &jobs[place];
            match happened {
                Happened::Submitted => {
                    if place % every == 0 && self.fits(job.shape) {
                        let (situation, waits) =
                            self.tell(at, &job.user, job.shape, LEARNING_DRAWS, cancelled)?;
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
        Ok(())
    }

    /// What was learned, in a queue in which of `jobs` those wait and run that have not ended, on so many nodes.
    #[must_use]
    pub fn in_queue(&self, nodes: u32, jobs: &[ObservedJob]) -> Self {
        let mut all = self.clone();
        all.player.platform = Platform::of_machines(nodes);
        let of = |runs: bool| -> BTreeMap<usize, ObservedJob> {
            let there = jobs.iter().enumerate().filter(|(_, job)| job.ended.is_none());
            there
                .filter(|(_, job)| job.started.is_some() == runs)
                .map(|(place, job)| (place, job.clone()))
                .collect()
        };
        (all.running, all.waiting, all.told) = (of(true), of(false), BTreeMap::new());
        all
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
    ///
    /// # Errors
    /// `cancelled` said that nobody waits for it.
    pub fn predict(
        &self,
        now: Time,
        user: &str,
        shape: Shape,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<StartPrediction>, Cancelled> {
        if !self.fits(shape) {
            return Ok(None);
        }
        let (_, waits) = self.tell(now, user, shape, DRAWS, cancelled)?;
        Ok(Some(self.told(now, user, shape, &waits)))
    }

    /// When the jobs at these places of those that are followed would start and end, which wait `now`; none where one does not. Its wait
    /// from now on is told like that of a job which is submitted now and stands where it stands.
    ///
    /// # Errors
    /// `cancelled` said that nobody waits for it.
    pub fn predict_waiting(
        &self,
        now: Time,
        places: &[usize],
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<Option<StartPrediction>>, Cancelled> {
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let mut simulated_s = vec![Vec::new(); places.len()];
        self.draw(now, &Asked::Waiting(places), DRAWS, &mut simulated_s, cancelled)?;
        let told = |(place, simulated_s): (&usize, Vec<f64>)| {
            let job = self.waiting.get(place).filter(|job| self.fits(job.shape))?;
            let ahead = self.waiting.range(..place).count();
            let situation = self.situation(now, &job.user, job.shape, (simulated_s, ahead));
            Some(self.told(now, &job.user, job.shape, &self.earlier.waits(&situation)))
        };
        Ok(places.iter().zip(simulated_s).map(told).collect())
    }

    fn told(&self, now: Time, user: &str, shape: Shape, waits: &Waits) -> StartPrediction {
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
        StartPrediction {
            start: Expected::of(|level| now + wait(level)),
            end: Expected::of(|level| now + end(level)),
        }
    }

    /// Where a job stands that is submitted `now`, and how long it waits.
    fn tell(
        &self,
        now: Time,
        user: &str,
        shape: Shape,
        draws: u64,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(Situation, Waits), Cancelled> {
        let mut simulated_s = [Vec::new()];
        self.draw(now, &Asked::New(user, shape), draws, &mut simulated_s, cancelled)?;
        let [simulated_s] = simulated_s;
        let situation = self.situation(now, user, shape, (simulated_s, self.waiting.len()));
        let waits = self.earlier.waits(&situation);
        Ok((situation, waits))
    }

    /// Where a job stands for which these waits were simulated, behind so many that wait.
    fn situation(
        &self,
        now: Time,
        user: &str,
        shape: Shape,
        (simulated_s, ahead): (Vec<f64>, usize),
    ) -> Situation {
        let [last_s] = self.last_waits.at(user, [0.5]);
        Situation::new(simulated_s, (user, shape), now, ahead, last_s)
    }

    /// Adds to the waits of each job, in seconds, what they are where every job goes on for as long as is drawn. What is drawn for a job is
    /// the same for each shape that is asked for.
    fn draw(
        &self,
        now: Time,
        asked: &Asked<'_>,
        draws: u64,
        waits_s: &mut [Vec<f64>],
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), Cancelled> {
        for draw in 0..draws {
            if cancelled() {
                return Err(Cancelled);
            }
            let mut rng = ChaCha8Rng::seed_from_u64(draw);
            let waits = self.waits(now, asked, |user, walltime, elapsed| {
                self.used.remaining(user, walltime, elapsed, rng.random_range(0.0..1.0))
            });
            for (waits_s, wait) in waits_s.iter_mut().zip(waits) {
                waits_s.extend(wait.map(Time::as_seconds));
            }
        }
        Ok(())
    }

    /// The wait where every job goes on until its walltime.
    pub(super) fn wait_by_walltimes_s(&self, now: Time, shape: Shape) -> Option<f64> {
        let until = |_: &str, walltime: Time, elapsed: Time| walltime - elapsed.min(walltime);
        let waits = self.waits(now, &Asked::New("", shape), until);
        waits.into_iter().flatten().next().map(Time::as_seconds)
    }

    fn waits(
        &self,
        now: Time,
        asked: &Asked<'_>,
        mut remaining: impl FnMut(&str, Time, Time) -> Time,
    ) -> Vec<Option<Time>> {
        let of_all = self.running.values().chain(self.waiting.values());
        let mut jobs: Vec<(Shape, Time)> = of_all
            .map(|job| {
                let elapsed = job.started.filter(|at| *at < now).map_or(Time::ZERO, |at| now - at);
                let ends = remaining(&job.user, job.shape.walltime, elapsed);
                let left = job.shape.walltime - elapsed.min(job.shape.walltime);
                (Shape { nodes: job.shape.nodes, walltime: left }, ends)
            })
            .collect();
        let running = self.running.len();
        let which = match *asked {
            Asked::New(user, shape) => {
                jobs.push((shape, remaining(user, shape.walltime, Time::ZERO)));
                vec![jobs.len() - 1]
            }
            Asked::Waiting(places) => {
                let before = |place: &usize| self.waiting.range(..place).count();
                places.iter().map(|place| running + before(place)).collect()
            }
        };
        self.player.waits_of(&which, running, &jobs)
    }
}

fn time(seconds: f64) -> Time {
    Time::from_seconds_f64(seconds).unwrap_or(Time::FOREVER)
}
