//! Amounts of estimates: time, energy, cost and CO2, of which the last two may be unknown.

use crate::quantity::{CarbonIntensity, Currency, EnergyPrice, MILLION, Rate};

/// What electricity costs and emits while an operation runs; flat, as operations are short beside agendas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EstimateRates {
    /// The price, and the currency that it is in.
    pub price: Option<(EnergyPrice, Currency)>,
    /// The CO2 intensity.
    pub intensity: Option<CarbonIntensity>,
}

/// What something takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimatedAmounts {
    /// Seconds.
    pub time_s: f64,
    /// Joules of all nodes of the job, their idle power among them.
    pub energy_j: f64,
    /// Units of the currency; `None` where no price is known.
    pub cost: Option<f64>,
    /// Grams of CO2; `None` where no intensity is known.
    pub co2_g: Option<f64>,
}

/// A part of an estimate, by what is done in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimatedPhase {
    /// What is done, such as `writing`.
    pub name: &'static str,
    /// Seconds.
    pub time_s: f64,
    /// Joules of all nodes of the job, their idle power among them.
    pub energy_j: f64,
}

/// What versions are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Seconds.
    Time,
    /// Joules.
    Energy,
    /// Money.
    Cost,
    /// Grams of CO2.
    Co2,
}

/// Something for each [`Measure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByMeasure<T> {
    /// By time.
    pub time: T,
    /// By energy.
    pub energy: T,
    /// By cost.
    pub cost: T,
    /// By CO2.
    pub co2: T,
}

/// Joules in a megawatt-hour and in a kilowatt-hour.
const MWH_J: f64 = 3.6e9;
const KWH_J: f64 = 3.6e6;

impl EstimateRates {
    /// What so much time and energy cost and emit.
    pub(super) fn amounts(&self, time_s: f64, energy_j: f64) -> EstimatedAmounts {
        let units = |rate: i64| rate as f64 / MILLION as f64;
        let price = self.price.map(|(price, _)| units(price.as_millionths()));
        let intensity = self.intensity.map(|intensity| units(intensity.as_millionths()));
        EstimatedAmounts {
            time_s,
            energy_j,
            cost: price.map(|per_mwh| energy_j / MWH_J * per_mwh),
            co2_g: intensity.map(|per_kwh| energy_j / KWH_J * per_kwh),
        }
    }

    /// What phases that follow each other take.
    pub(super) fn sum(&self, phases: &[EstimatedPhase]) -> EstimatedAmounts {
        let time = phases.iter().map(|phase| phase.time_s).sum();
        self.amounts(time, phases.iter().map(|phase| phase.energy_j).sum())
    }

    /// Whether less energy is less by the measure: with a rate that is above zero.
    pub(super) fn falls_with_energy(&self, measure: Measure) -> bool {
        match measure {
            Measure::Time | Measure::Energy => true,
            Measure::Cost => self.price.is_some_and(|(price, _)| price.as_millionths() > 0),
            Measure::Co2 => self.intensity.is_some_and(|it| it.as_millionths() > 0),
        }
    }
}

impl EstimatedAmounts {
    /// The amount by one measure, where it is known.
    pub fn by(&self, measure: Measure) -> Option<f64> {
        match measure {
            Measure::Time => Some(self.time_s),
            Measure::Energy => Some(self.energy_j),
            Measure::Cost => self.cost,
            Measure::Co2 => self.co2_g,
        }
    }

    /// Whether all that is known is a number that a `f64` can hold.
    pub(super) fn is_finite(&self) -> bool {
        let known = [Some(self.time_s), Some(self.energy_j), self.cost, self.co2_g];
        known.into_iter().flatten().all(f64::is_finite)
    }
}

impl EstimatedPhase {
    /// A phase at one power of the whole job, watts.
    pub(super) fn at(name: &'static str, time_s: f64, power_w: f64) -> Self {
        Self { name, time_s, energy_j: time_s * power_w }
    }

    /// The phase so many times.
    pub(super) fn times(self, count: f64) -> Self {
        Self { time_s: self.time_s * count, energy_j: self.energy_j * count, ..self }
    }
}

impl<T> ByMeasure<T> {
    /// What `of` gives for each measure.
    pub fn from_fn(mut of: impl FnMut(Measure) -> T) -> Self {
        Self {
            time: of(Measure::Time),
            energy: of(Measure::Energy),
            cost: of(Measure::Cost),
            co2: of(Measure::Co2),
        }
    }

    /// What there is for one measure.
    pub fn get(&self, measure: Measure) -> &T {
        match measure {
            Measure::Time => &self.time,
            Measure::Energy => &self.energy,
            Measure::Cost => &self.cost,
            Measure::Co2 => &self.co2,
        }
    }
}
