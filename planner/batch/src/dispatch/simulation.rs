//! A simulation of jobs of units: events over integer time, as in [`crate::kernel`].
//!
//! At one instant jobs end first, in the order of their starts; then jobs are submitted; then it is decided once which start.
//! The kernel takes what jobs have from what is free, and refuses more than there is: no resource is ever over-used.

mod play;
mod refusal;

use std::collections::BTreeMap;
use std::io;

use super::backfill::UnitBackfill;
use super::dispatcher::Dispatcher;
use super::estimate::{EstimatePart, Estimator, PowerPredictor};
use super::fit::UnitFitPart;
use super::free::Overuse;
use super::jobs::UnitJob;
use super::observer::UnitObserver;
use super::order::{OrderSetting, SharesFile, UnitOrderPart};
use super::results::UnitResults;
use super::supply::{SUPPLY_OPTIONS, SupplyRules, UnitSupply};
use super::system::System;
use crate::policy::{Options, PolicyOption};
use crate::simulation::Uncovered;
use crate::time::Time;

/// What is simulated.
#[derive(Clone, Copy, Debug)]
pub struct UnitSimulation<'a> {
    /// The nodes.
    pub system: &'a System,
    /// Which waiting job is the first.
    pub order: &'static UnitOrderPart,
    /// Who may start before it.
    pub backfill: UnitBackfill,
    /// Which nodes jobs take.
    pub fit: &'static UnitFitPart,
    /// How long jobs are taken to last.
    pub estimate: &'static EstimatePart,
    /// Who is given which share; all the same where this is not said.
    pub shares: Option<&'a SharesFile>,
    /// What the energy of a user's jobs is multiplied by.
    pub energy_factors: &'a BTreeMap<String, f64>,
    /// Options of the parts by name.
    pub options: &'a [(String, String)],
}

/// Why a simulation ended early.
#[derive(Debug, thiserror::Error)]
pub enum UnitSimulationError<E> {
    /// The workload cannot be read.
    #[error(transparent)]
    Workload(E),
    /// An output failed.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
    /// A fit chose what is not free.
    #[error("at {now} s {overuse}")]
    Overuse {
        /// The instant.
        now: Time,
        /// What was over-used.
        overuse: Overuse,
    },
    /// Nothing is left to happen, and jobs wait.
    #[error("at {now} s {waiting} jobs wait, nothing runs, and none starts")]
    Stuck {
        /// The instant at which everything stands still.
        now: Time,
        /// The number of jobs that wait.
        waiting: usize,
    },
    /// Options that are wrong.
    #[error("{}", .0.join("; "))]
    Options(Vec<String>),
    /// The supplier's tables do not cover what was played, and that is not allowed.
    #[error("the supplier's tables do not cover the simulation")]
    Uncovered(Vec<Uncovered>),
}

/// The parts that decide.
struct Parts<'a> {
    dispatcher: Dispatcher<'a>,
    estimator: Box<dyn Estimator>,
    powers: PowerPredictor,
    rules: SupplyRules,
}

impl<'a> UnitSimulation<'a> {
    /// The options of the parts, and those that every simulation has.
    pub fn options(&self) -> Vec<&'static PolicyOption> {
        self.options_with(&UnitSupply::default())
    }

    /// As [`UnitSimulation::options`], for [`UnitSimulation::play_with`].
    pub fn options_with(&self, supply: &UnitSupply<'_>) -> Vec<&'static PolicyOption> {
        let (order, fit) = (self.order.about.options, self.fit.about.options);
        let estimates = [self.estimate.about.options, supply.power_estimate().about.options];
        let all = [order, fit, estimates[0], estimates[1], SUPPLY_OPTIONS];
        all.into_iter().flatten().collect()
    }

    /// The parts that decide.
    ///
    /// # Errors
    /// Everything that is wrong with the options.
    fn parts(&self, supply: &UnitSupply<'_>) -> Result<Parts<'a>, Vec<String>> {
        let mut options = Options::new(self.options);
        let setting = OrderSetting { system: self.system, shares: self.shares };
        let order = (self.order.build)(&setting, &mut options);
        let fit = (self.fit.build)(self.system, &mut options);
        let estimator = (self.estimate.build)(&mut options);
        let powers = PowerPredictor::new(supply.power_estimate(), &mut options);
        let rules = SupplyRules::read(&mut options, supply, self.system);
        supply.check(&mut options);
        let whose = format!(
            "{}, {} and {}",
            self.order.about.name, self.fit.about.name, self.estimate.about.name
        );
        options.finish(&whose, &self.options_with(supply))?;
        if order.plan().is_some() && self.backfill != UnitBackfill::None {
            let name = self.order.about.name;
            let why = format!("--order {name} says who starts: it goes with --backfill none alone");
            return Err(vec![why]);
        }
        let mut dispatcher = Dispatcher::new(self.system, order, self.backfill, fit);
        if let Some(cap) = &rules.cap {
            dispatcher.keep_cap(cap.clone());
        }
        Ok(Parts { dispatcher, estimator, powers, rules })
    }

    /// Says what is wrong with the options, before anything is read.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn check(&self) -> Result<(), Vec<String>> {
        self.check_with(&UnitSupply::default())
    }

    /// As [`UnitSimulation::check`], for [`UnitSimulation::play_with`].
    ///
    /// # Errors
    /// Everything that is wrong with the options, and what budgets lack.
    pub fn check_with(&self, supply: &UnitSupply<'_>) -> Result<(), Vec<String>> {
        self.parts(supply).map(|_| ())
    }

    /// Plays jobs, which come in the order of submission.
    ///
    /// # Errors
    /// Those of the workload, of the observer and of the options.
    pub fn play<E>(
        &self,
        jobs: impl Iterator<Item = Result<UnitJob, E>>,
        observer: &mut impl UnitObserver,
    ) -> Result<UnitResults, UnitSimulationError<E>> {
        self.play_with(&UnitSupply::default(), jobs, observer)
    }

    /// Plays jobs with prices, CO2 intensities and budgets.
    ///
    /// # Errors
    /// Those of [`UnitSimulation::play`], and tables that do not cover what was played.
    pub fn play_with<E>(
        &self,
        supply: &UnitSupply<'_>,
        jobs: impl Iterator<Item = Result<UnitJob, E>>,
        observer: &mut impl UnitObserver,
    ) -> Result<UnitResults, UnitSimulationError<E>> {
        let parts = self.parts(supply).map_err(UnitSimulationError::Options)?;
        play::play(self, supply, parts, jobs, observer)
    }
}
