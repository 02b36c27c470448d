//! Estimates of what jobs draw, by the rules that estimate how long they last: from what units of past jobs drew in the mean.
//!
//! Where the past tells nothing, a job is taken to draw what all that its units use draws in full use.

use planner::quantity::{Energy, Power};

use super::power_part::PowerEstimatePart;
use super::{Memory, history, last_two, quantile};
use crate::dispatch::jobs::UnitJob;
use crate::dispatch::system::System;
use crate::policy::{About, Options, PartKind};
use crate::quantity::ExactEnergy;
use crate::time::Time;

impl PartKind for PowerEstimatePart {
    const KIND: &'static str = "estimate of power";
    const ALL: &'static [&'static Self] =
        &[&FULL, &REAL, &history::POWER, &last_two::POWER, &quantile::POWER];

    fn about(&self) -> &About {
        &self.about
    }
}

/// All that its units use, in full use.
const FULL: PowerEstimatePart = PowerEstimatePart {
    about: About {
        name: "full",
        meaning: "what the nodes draw for all that its units use, in full use",
        options: &[],
    },
    memory: None,
};

/// What the job will draw, which nobody knows.
const REAL: PowerEstimatePart = PowerEstimatePart {
    about: About {
        name: "real",
        meaning: "what it will draw in the mean, which nobody knows",
        options: &[],
    },
    memory: None,
};

/// Predicts what jobs draw.
#[derive(Debug)]
pub(in crate::dispatch) struct PowerPredictor {
    memory: Option<Box<dyn Memory>>,
    real: bool,
}

impl PowerPredictor {
    /// A predictor by a rule.
    pub fn new(part: &PowerEstimatePart, options: &mut Options<'_>) -> Self {
        let real = part.about.name == REAL.about.name;
        Self { memory: part.memory.map(|build| build(options)), real }
    }

    /// What a job will draw that is submitted now, where `full` is what the system says of it, and `factor` what its user's energy
    /// is multiplied by; none where nobody can say it.
    pub fn predict(&self, job: &UnitJob, full: Option<Power>, factor: f64) -> Option<Power> {
        if self.real {
            let of_trace = job.energy.filter(|_| job.occupied() > Time::ZERO);
            let joules = of_trace.map(|it| it.as_joules() / job.occupied().as_seconds());
            return Power::from_watts(joules.or(full.map(Power::as_watts))? * factor);
        }
        let recalled = self.memory.as_ref().and_then(|it| it.recall(job));
        let units = i64::from(job.unit.all_units(job.units));
        let each = |each: i64| Power::from_microwatts(each.saturating_mul(units));
        recalled.map(each).or(full)
    }

    /// A job ended that ran so long and consumed so much.
    pub fn ended(&mut self, job: &UnitJob, ran: Time, consumed: Option<Energy>) {
        let (Some(memory), Some(consumed)) = (&mut self.memory, consumed) else { return };
        if ran > Time::ZERO {
            let power = ExactEnergy::from(consumed).over(ran).as_microwatts();
            memory.learn(job, power / i64::from(job.unit.all_units(job.units).max(1)));
        }
    }
}

/// What a job draws on the nodes that draw most for it, all of it in full use; none where the system does not say it.
pub(in crate::dispatch) fn full_power(job: &UnitJob, system: &System) -> Option<Power> {
    let mut all = 0_i64;
    for (units, kind) in job.unit.kinds(job.units) {
        let mut most = None;
        for node_type in system.types.iter().filter(|it| kind.fits(&it.amounts) > 0) {
            most = most.max(Some(node_type.draw.as_ref()?.of_unit(kind)));
        }
        all = all.saturating_add(most?.as_microwatts().saturating_mul(units.into()));
    }
    Some(Power::from_microwatts(all))
}

#[cfg(test)]
mod tests {
    use super::super::job_of;
    use super::*;

    /// Cores draw 5 W in use on the first node and 7 W on the second: a job of three units of two cores is taken to draw
    /// 3 x 2 x 7 = 42 W. Two of its units drew 60 J in 5 s, 12 W, 6 W each: three are taken to draw 18 W. Another user's are not known.
    #[test]
    fn past_jobs_tell_what_units_draw() {
        let text = "[[nodes]]\ncount = 1\ncores = 4\n[nodes.power]\ncores = { full_w = 5 }\n\
                    [[nodes]]\ncount = 1\ncores = 4\n[nodes.power]\ncores = { full_w = 7 }\n";
        let system = System::parse(text).unwrap();
        let watts = |watts: f64| Power::from_watts(watts);
        let mut job = job_of("ada", "run", 60, 2);
        (job.units, job.energy) = (2, Energy::from_joules(60.0));
        let mut options = Options::new(&[]);
        let mut history = PowerPredictor::new(&history::POWER, &mut options);
        let five = Time::from_seconds(5);
        history.ended(&job, five, job.energy);
        let mut next = job.clone();
        next.units = 3;
        let full = full_power(&next, &system);
        assert_eq!(full, watts(42.0));
        assert_eq!(history.predict(&next, full, 1.0), watts(18.0));
        assert_eq!(history.predict(&job_of("eve", "run", 60, 1), full, 1.0), watts(42.0));
        assert_eq!(PowerPredictor::new(&FULL, &mut options).predict(&next, full, 1.0), full);
        // It will run for 1 s and consume 60 J, of which half counts for its user.
        assert_eq!(PowerPredictor::new(&REAL, &mut options).predict(&job, full, 0.5), watts(30.0));
        assert_eq!(full_power(&job, &System::of_one_resource("cores", 1, 4)), None);
    }
}
