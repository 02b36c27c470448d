//! A workload like Eurora's, drawn: 372,320 jobs in a year on 64 nodes (A. Netti's thesis on dispatching heuristics with `AccaSim`,
//! tables 3.1 and 3.2, figures 3.2 to 3.5).
//!
//! From the thesis are how many jobs there are and the shares of their three classes, of all (standard 85,046, with MICs 2,500, with
//! GPUs 284,774) and in the five months of its section 6.3 ([`EuroraSpan`]), the mean
//! (47:36, 56:28 and 6:23 minutes) and the longest (17:28:38, 8:12:26 and 23:33:54 hours) of their durations, the three
//! queues and their limits, and that most jobs ask for little, a few for much, MIC jobs for a fifth of the MICs at most.
//! Durations are log-normal within 1 s and the longest, with the mean of the table: heavy-tailed, as in its figures, which give no
//! numbers; sigma is chosen. Its section 3.3 says that jobs of one profile come together and last about the same for long:
//! here users submit series of a geometric length of mean 20, three in four of a profile that there was lately; its jobs last
//! as it says, times a log-normal factor of mean 1 and sigma 0.2. Walltimes are mostly the queue's limit, as an error of 310 minutes on average demands.
//! Series begin more often on working days from 8 to 20 h.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp, LogNormal};

use super::UnitJob;
use super::eurora_span::EuroraSpan;
use crate::dispatch::unit::UnitRequest;
use crate::job::JobId;
use crate::time::Time;
use crate::workload::streams;

/// Its system: half of the nodes with GPUs, half with MICs, six of these with 32 GB; powers are of the parts' data sheets.
pub const EURORA_SYSTEM: &str = include_str!("eurora.toml");

/// Mean length of a series of jobs.
const SERIES: f64 = 20.0;
/// Mean time between the jobs of a series, s.
const SERIES_GAP_S: f64 = 20.0;
/// How often series begin in working hours and otherwise, over the mean: 60 of 168 hours, and 108.
const RATES: [f64; 2] = [1.9, 0.5];
/// How often a series is of a profile that there was before, by class, and among how many of the last.
const AGAIN: [f64; 3] = [0.75, 0.0, 0.75];
const RECENT: usize = 40;
/// How many users there are, of whom the first submit most.
const USERS: u32 = 120;
/// Positions of resources in the system: cores, `memory_gb`, `gpu`, `mic`.
const KINDS: usize = 4;

/// A class of jobs.
struct Class {
    /// Mu and sigma of the logarithm of durations in seconds.
    law: (f64, f64),
    longest_s: f64,
    /// The position of its accelerator.
    accelerator: Option<usize>,
    /// The most units.
    most_units: u32,
}

/// Standard, MIC and GPU jobs. With these mu the means within 1 s and the longest are 2,856, 3,388 and 383 s.
const CLASSES: [Class; 3] = [
    Class { law: (6.520_591, 1.9), longest_s: 62_918.0, accelerator: None, most_units: 32 },
    Class { law: (7.325_295, 1.6), longest_s: 29_546.0, accelerator: Some(3), most_units: 6 },
    Class { law: (4.509_147, 1.7), longest_s: 84_834.0, accelerator: Some(2), most_units: 32 },
];

/// A queue of table 3.1: its name, the most units and the longest walltime, s.
struct Queue {
    name: &'static str,
    most_units: u32,
    longest_s: f64,
}

const QUEUES: [Queue; 3] = [
    Queue { name: "debug", most_units: 2, longest_s: 1800.0 },
    Queue { name: "parallel", most_units: 32, longest_s: 21_600.0 },
    Queue { name: "longpar", most_units: 16, longest_s: 86_400.0 },
];

/// Jobs that a user submits one after the other.
#[derive(Debug)]
struct Series {
    left: u32,
    profile: Profile,
}

/// What jobs of a user have in common.
#[derive(Clone, Debug)]
struct Profile {
    number: u32,
    user: u32,
    run_s: f64,
    longest_s: f64,
    walltime_s: f64,
    queue: &'static str,
    units: u32,
    unit: UnitRequest,
}

/// The generator.
struct Drawing {
    span: &'static EuroraSpan,
    starts: ChaCha8Rng,
    profiles: ChaCha8Rng,
    jobs: ChaCha8Rng,
    /// When the next series begins, and the series that go on by their next submission and number.
    next_series: f64,
    going: BinaryHeap<Reverse<(Time, u32)>>,
    series: Vec<Option<Series>>,
    free: Vec<usize>,
    /// The last profiles of each class, and how many there were.
    recent: [VecDeque<Profile>; 3],
    profiled: u32,
}

/// The first `count` jobs of a span under `seed`.
pub fn eurora(span: &'static EuroraSpan, count: u32, seed: u64) -> impl Iterator<Item = UnitJob> {
    let [starts, profiles, jobs] = streams(seed);
    let mut drawing = Drawing {
        span,
        starts,
        profiles,
        jobs,
        next_series: 0.0,
        going: BinaryHeap::new(),
        series: Vec::new(),
        free: Vec::new(),
        recent: Default::default(),
        profiled: 0,
    };
    (1..=i64::from(count)).map(move |number| drawing.next_job(number))
}

impl Drawing {
    fn next_job(&mut self, number: i64) -> UnitJob {
        loop {
            let begins = Time::from_seconds_f64(self.next_series).unwrap_or(Time::LAST);
            match self.going.peek() {
                Some(Reverse((at, _))) if *at < begins => {}
                _ => {
                    self.begin(begins);
                    continue;
                }
            }
            let Some(Reverse((now, place))) = self.going.pop() else { continue };
            if let Some(job) = self.job(number, now, place) {
                return job;
            }
        }
    }

    /// Begins a series at `now`, and draws when the next one begins.
    fn begin(&mut self, now: Time) {
        let hour = self.next_series / 3600.0;
        let working = (hour / 24.0) % 7.0 < 5.0 && (8.0..20.0).contains(&(hour % 24.0));
        let mean_gap_s = f64::from(self.span.days) * 86_400.0 / f64::from(self.span.jobs);
        let rate = RATES[usize::from(!working)] / (mean_gap_s * SERIES);
        // The gap does not see that the rate changes within it; it is half an hour on average over the year.
        self.next_series += Exp::new(rate).map_or(1.0 / rate, |law| law.sample(&mut self.starts));
        let series = self.draw_series();
        let place = self.free.pop().unwrap_or_else(|| {
            self.series.push(None);
            self.series.len() - 1
        });
        self.series[place] = Some(series);
        self.going.push(Reverse((now, u32::try_from(place).unwrap_or(u32::MAX))));
    }

    /// A series of a profile that there was lately, or of a new one.
    fn draw_series(&mut self) -> Series {
        let rng = &mut self.profiles;
        let left = 1 + geometric(SERIES - 1.0, rng);
        let drawn = rng.random_range(0..100_000);
        let until = [self.span.standard, self.span.standard + self.span.mic];
        let place = until.iter().position(|until| drawn < *until).unwrap_or(until.len());
        let recent = &self.recent[place];
        if recent.len() > 1 && rng.random_range(0.0..1.0) < AGAIN[place] {
            let profile = recent[rng.random_range(0..recent.len())].clone();
            return Series { left, profile };
        }
        let profile = self.draw_profile(&CLASSES[place]);
        let recent = &mut self.recent[place];
        if recent.len() == RECENT {
            recent.pop_front();
        }
        recent.push_back(profile.clone());
        Series { left, profile }
    }

    fn draw_profile(&mut self, class: &Class) -> Profile {
        let rng = &mut self.profiles;
        let run_s = between(class.law, class.longest_s, rng);
        let user = skewed(USERS - 1, 3, rng);
        let small = rng.random_range(0.0..1.0) < 0.15;
        let queue = match run_s {
            run_s if small && run_s < 1000.0 => &QUEUES[0],
            run_s if run_s < 12_000.0 && rng.random_range(0.0..1.0) < 0.97 => &QUEUES[1],
            _ => &QUEUES[2],
        };
        let most = class.most_units.min(queue.most_units);
        // Few ask for much: a high power of a uniform draw.
        let units = 1 + skewed(most - 1, 5, rng);
        let mut amounts = [0; KINDS];
        amounts[0] = [1, 1, 2, 4, 8, 8, 16, 16][rng.random_range(0..8)];
        amounts[1] = [1, 2, 2, 4, 8, 14][rng.random_range(0..6)];
        if let Some(accelerator) = class.accelerator {
            amounts[accelerator] = rng.random_range(1..=2);
            amounts[0] = amounts[0].min(8);
        }
        let careful = rng.random_range(0.0..1.0) < 0.15;
        let careful_s = (run_s * 2.0).max(600.0).min(queue.longest_s);
        let walltime_s = if careful { careful_s } else { queue.longest_s };
        self.profiled += 1;
        Profile {
            number: self.profiled,
            user,
            run_s,
            longest_s: class.longest_s,
            walltime_s: (walltime_s / 60.0).ceil() * 60.0,
            queue: queue.name,
            units,
            unit: UnitRequest::of(&amounts, KINDS),
        }
    }

    /// The next job of a series; none where the series is over.
    fn job(&mut self, number: i64, now: Time, place: u32) -> Option<UnitJob> {
        let slot = &mut self.series[place as usize];
        let series = slot.as_mut()?;
        let profile = &series.profile;
        let rng = &mut self.jobs;
        // Mean 1: mu is half of sigma squared below nothing.
        let factor = LogNormal::new(-0.02, 0.2).map_or(1.0, |law| law.sample(rng));
        let run_s = (profile.run_s * factor).clamp(1.0, profile.longest_s).round();
        let gap = Exp::new(1.0 / SERIES_GAP_S).map_or(SERIES_GAP_S, |law| law.sample(rng));
        let job = UnitJob {
            id: JobId::Number(number),
            submitted: Time::from_micros(now.as_micros() / 1_000_000 * 1_000_000),
            run: Time::from_seconds_f64(run_s).unwrap_or_default(),
            walltime: Time::from_seconds_f64(profile.walltime_s),
            user: format!("user{}", profile.user).into(),
            queue: profile.queue.into(),
            name: format!("app{}_{}", profile.number, series.left).into(),
            units: profile.units,
            unit: profile.unit.clone(),
            energy: None,
            latest_start: None,
        };
        series.left -= 1;
        if series.left == 0 {
            *slot = None;
            self.free.push(place as usize);
        } else {
            let next = now + Time::from_seconds_f64(gap).unwrap_or_default();
            self.going.push(Reverse((next, place)));
        }
        Some(job)
    }
}

/// A log-normal draw of at least 1 and at most `longest`.
fn between((mu, sigma): (f64, f64), longest: f64, rng: &mut ChaCha8Rng) -> f64 {
    let Ok(law) = LogNormal::new(mu, sigma) else { return mu.exp() };
    loop {
        let drawn = law.sample(rng);
        if (1.0..=longest).contains(&drawn) {
            return drawn;
        }
    }
}

/// A number from 0 to `most`: the greater the power, the smaller.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to most")]
fn skewed(most: u32, power: i32, rng: &mut ChaCha8Rng) -> u32 {
    let drawn: f64 = rng.random_range(0.0..1.0);
    ((drawn.powi(power) * f64::from(most + 1)) as u32).min(most)
}

/// A geometric number of this mean.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and positive")]
fn geometric(mean: f64, rng: &mut ChaCha8Rng) -> u32 {
    let drawn: f64 = rng.random_range(f64::MIN_POSITIVE..1.0);
    (drawn.ln() / (mean / (mean + 1.0)).ln()).clamp(0.0, 10_000.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::system::System;

    /// Of table 3.2, over all jobs of a year: the shares to a tenth of them (GPU) or a third (MIC, of some 125 series), the mean
    /// durations to a fifth (standard, GPU) or two fifths (MIC), since those of series scatter; the longest are never exceeded.
    #[test]
    fn jobs_are_of_the_thesis_classes() {
        let (mut counts, mut sums, mut walltimes, mut last) = ([0.0; 3], [0.0; 3], 0.0, Time::ZERO);
        let system = System::parse(EURORA_SYSTEM).unwrap();
        for job in eurora(EuroraSpan::YEAR, EuroraSpan::YEAR.jobs, 1) {
            let accelerators = [job.unit.amount(3), job.unit.amount(2)];
            let class = match accelerators {
                [0, 0] => 0,
                [_, 0] => 1,
                [0, _] => 2,
                both => panic!("{both:?}"),
            };
            let run = job.run.as_seconds();
            counts[class] += 1.0;
            sums[class] += run;
            assert!(run >= 1.0 && run <= CLASSES[class].longest_s && job.submitted >= last);
            assert!(system.holds(&job.unit) >= u64::from(job.units), "{job:?}");
            walltimes += (job.walltime.unwrap().as_seconds() - run).max(0.0);
            last = job.submitted;
        }
        let near = |it: f64, to: f64, part: f64| assert!((it / to - 1.0).abs() < part, "{it} {to}");
        for (class, (share, mean)) in
            [(0.228, 2856.0), (0.0067, 3388.0), (0.764, 383.0)].into_iter().enumerate()
        {
            let rough = if class == 1 { 2.0 } else { 1.0 };
            near(counts[class] / f64::from(EuroraSpan::YEAR.jobs), share, 0.2 * rough);
            near(sums[class] / counts[class], mean, 0.2 * rough);
        }
        near(last.as_seconds(), 365.0 * 86_400.0, 0.1);
        // Wall times exceed durations by 310 minutes on average (3.3).
        near(walltimes / f64::from(EuroraSpan::YEAR.jobs) / 60.0, 310.0, 0.2);
    }

    #[test]
    fn draws_follow_their_seed() {
        let draw = |count, seed| eurora(EuroraSpan::YEAR, count, seed).collect::<Vec<_>>();
        let jobs = draw(50, 3);
        assert_eq!(draw(20, 3), jobs[..20]);
        assert_ne!(draw(20, 4), jobs[..20]);
    }

    /// Of section 6.3: as many jobs as in the month, in about as many days, and as many with GPUs up to a sixth of all, since series
    /// scatter: in May some 250 of 20 jobs. Where they are hours apart they see less of the working hours: it takes up to 42 days.
    #[test]
    fn months_are_those_of_the_thesis() {
        for (name, jobs, gpu, days) in [
            ("eurora_2014_05", 4931, 0.688, 31.0),
            ("eurora_2014_06", 6204, 0.91, 30.0),
            ("eurora_2014_08", 47_967, 0.848, 31.0),
            ("eurora_2014_09", 77_786, 0.878, 30.0),
            ("eurora_2015_01", 46_768, 0.934, 31.0),
        ] {
            let span = EuroraSpan::named(name).unwrap();
            let jobs_of_month: Vec<UnitJob> = eurora(span, span.jobs, 1).collect();
            assert_eq!(jobs_of_month.len(), jobs);
            let with_gpus = jobs_of_month.iter().filter(|job| job.unit.amount(2) > 0).count();
            let share = with_gpus as f64 / jobs as f64;
            assert!((share - gpu).abs() < 1.0 / 6.0, "{name}: {share}");
            let last_day = jobs_of_month.last().unwrap().submitted.as_seconds() / 86_400.0;
            assert!((0.75..1.4).contains(&(last_day / days)), "{name}: {last_day}");
        }
        assert_eq!(EuroraSpan::named("eurora_2014_07"), None);
    }
}
