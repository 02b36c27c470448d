//! How good predictions were, forward in time.

use std::collections::BTreeMap;

use serde::Serialize;

use super::predictor::Pupil;
use super::{LEVELS, ObservedJob, StartPredictor, quantile};
use crate::time::Time;

/// The least numbers of waiting jobs, by which jobs are told apart.
const QUEUES: [(usize, &str); 4] =
    [(0, "none waits"), (1, "1 to 9 wait"), (10, "10 to 49 wait"), (50, "50 or more wait")];

/// The least parts of the nodes, by which jobs are told apart.
const SIZES: [(f64, &str); 4] = [
    (0.0, "below 1/32 of the nodes"),
    (1.0 / 32.0, "from 1/32"),
    (1.0 / 8.0, "from 1/8"),
    (1.0 / 2.0, "from 1/2"),
];

/// How good predictions of waits were, over some jobs.
///
/// The pinball loss of a quantile `q` of level `p` is `p * (w - q)` where the wait `w` is longer, and `(1 - p) * (q - w)` where it is
/// shorter; here its mean over the three levels that are told.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupScore {
    /// Which jobs.
    pub jobs: &'static str,
    /// How many of them were predicted and have started.
    pub predicted: u64,
    /// The part of them that started within the interval.
    pub covered: f64,
    /// The part of them that started before.
    pub earlier: f64,
    /// The part of them that started later.
    pub later: f64,
    /// The mean wait, seconds.
    pub mean_wait_s: f64,
    /// The mean width of the interval, seconds.
    pub mean_width_s: f64,
    /// The median width, seconds.
    pub median_width_s: f64,
    /// The mean pinball loss, seconds.
    pub pinball_s: f64,
    /// The mean pinball loss of the wait by which every job would end at its walltime, seconds.
    pub pinball_walltimes_s: f64,
    /// The mean pinball loss of the quantiles of the user's last waits, seconds.
    pub pinball_last_waits_s: f64,
}

/// How good predictions of waits were.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PredictionScore {
    /// All jobs, those that were not told to start at once for sure, by how many waited and by nodes.
    pub groups: Vec<GroupScore>,
}

/// Lets happen what happened to `jobs`, predicts the start of one in `every` jobs when it is submitted, and compares. The predictor
/// must know nothing yet.
pub fn score(
    predictor: &mut StartPredictor,
    jobs: &[ObservedJob],
    every: usize,
) -> PredictionScore {
    let mut scorer = Scorer::default();
    // Nobody cancels it.
    let _ = predictor.follow_with(jobs, Time::LAST, every, &mut scorer, &|| false);
    let group = |name, member: &dyn Fn(&Outcome) -> bool| {
        let members: Vec<&Outcome> = scorer.outcomes.iter().filter(|it| member(it)).collect();
        GroupScore::of(name, &members)
    };
    let mut groups = vec![
        group("all", &|_| true),
        group("not sure to start at once", &|it| it.told_s.iter().any(|quantile| *quantile > 0.0)),
    ];
    groups.extend((0..QUEUES.len()).map(|place| {
        group(QUEUES[place].1, &|it| {
            QUEUES.partition_point(|(least, _)| *least <= it.rivals.waiting) == place + 1
        })
    }));
    groups.extend((0..SIZES.len()).map(|place| {
        group(SIZES[place].1, &|it| {
            SIZES.partition_point(|(least, _)| *least <= it.rivals.part) == place + 1
        })
    }));
    groups.retain(|group| group.predicted > 0);
    PredictionScore { groups }
}

/// What was predicted, and came.
#[derive(Clone, Debug)]
struct Outcome {
    wait_s: f64,
    told_s: [f64; 3],
    rivals: Rivals,
}

/// What others would have predicted, and when.
#[derive(Clone, Debug)]
struct Rivals {
    by_walltimes_s: f64,
    last_waits_s: [f64; 3],
    waiting: usize,
    part: f64,
}

#[derive(Debug, Default)]
struct Scorer {
    rivals: BTreeMap<usize, Rivals>,
    outcomes: Vec<Outcome>,
}

impl Pupil for Scorer {
    fn predicted(&mut self, predictor: &StartPredictor, (place, job): (usize, &ObservedJob)) {
        let by_walltimes_s = predictor.wait_by_walltimes_s(job.submitted, job.shape);
        let rivals = Rivals {
            by_walltimes_s: by_walltimes_s.unwrap_or_default(),
            last_waits_s: predictor.last_waits().at(&job.user, LEVELS),
            waiting: predictor.waiting(),
            part: f64::from(job.shape.nodes) / f64::from(predictor.nodes()),
        };
        self.rivals.insert(place, rivals);
    }

    fn started(&mut self, place: usize, wait_s: f64, told_s: [f64; 3]) {
        if let Some(rivals) = self.rivals.remove(&place) {
            self.outcomes.push(Outcome { wait_s, told_s, rivals });
        }
    }
}

impl GroupScore {
    fn of(jobs: &'static str, outcomes: &[&Outcome]) -> Self {
        let count = outcomes.len().max(1) as f64;
        let mean =
            |of: &dyn Fn(&Outcome) -> f64| outcomes.iter().map(|it| of(it)).sum::<f64>() / count;
        let part = |of: &dyn Fn(&Outcome) -> bool| mean(&|it| f64::from(u8::from(of(it))));
        let earlier = part(&|it| it.wait_s < it.told_s[0]);
        let later = part(&|it| it.wait_s > it.told_s[2]);
        let width = |it: &Outcome| it.told_s[2] - it.told_s[0];
        let mut widths: Vec<f64> = outcomes.iter().map(|it| width(it)).collect();
        widths.sort_unstable_by(f64::total_cmp);
        Self {
            jobs,
            predicted: outcomes.len() as u64,
            covered: 1.0 - earlier - later,
            earlier,
            later,
            mean_wait_s: mean(&|it| it.wait_s),
            mean_width_s: mean(&width),
            median_width_s: quantile(&widths, 0.5).unwrap_or_default(),
            pinball_s: mean(&|it| pinball(it.told_s, it.wait_s)),
            pinball_walltimes_s: mean(&|it| pinball([it.rivals.by_walltimes_s; 3], it.wait_s)),
            pinball_last_waits_s: mean(&|it| pinball(it.rivals.last_waits_s, it.wait_s)),
        }
    }
}

/// The mean over the levels.
fn pinball(quantiles: [f64; 3], value: f64) -> f64 {
    let loss = |(level, quantile): (f64, f64)| {
        let over = value - quantile;
        if over > 0.0 { level * over } else { (level - 1.0) * over }
    };
    LEVELS.into_iter().zip(quantiles).map(loss).sum::<f64>() / LEVELS.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wait of 100 s where 40, 80 and 120 s were told: 0.05 * 60 + 0.5 * 20 + 0.05 * 20 = 14, of three.
    #[test]
    fn the_pinball_loss_is_that_of_three_quantiles() {
        assert!((pinball([40.0, 80.0, 120.0], 100.0) - 14.0 / 3.0).abs() < 1e-12);
    }
}
