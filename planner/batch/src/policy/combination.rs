//! What is played: a named policy, parts, or a named policy with other parts.

use serde::Serialize;

use super::backfill::BackfillPart;
use super::fit::FitPart;
use super::gate::{GatePart, span};
use super::named::Policy;
use super::options::{Options, PolicyOption};
use super::order::OrderPart;
use super::part::PartKind;
use super::parts::Parts;
use super::round_robin::RoundRobin;
use super::setting::Setting;
use super::switching::SwitchingPart;
use crate::scheduler::Scheduler;
use crate::supplier_tables::SupplierTable;
use crate::time::Time;

/// Parts that are said; the others are those of the policy.
#[derive(Clone, Copy, Debug, Default)]
pub struct SaidParts {
    /// The order of the queue.
    pub order: Option<&'static OrderPart>,
    /// Who may start before the first waiting job.
    pub backfill: Option<&'static BackfillPart>,
    /// Which machines jobs take.
    pub fit: Option<&'static FitPart>,
    /// What may start as far as power and energy go.
    pub gate: Option<&'static GatePart>,
    /// Which machines are switched.
    pub switching: Option<&'static SwitchingPart>,
}

impl SaidParts {
    /// Kinds and names of the parts that are said.
    pub fn names(&self) -> Vec<(&'static str, &'static str)> {
        fn of<P: PartKind>(part: Option<&'static P>) -> Option<(&'static str, &'static str)> {
            part.map(|part| (P::KIND, part.about().name))
        }
        let Self { order, backfill, fit, gate, switching } = *self;
        let all = [of(order), of(backfill), of(fit), of(gate), of(switching)];
        all.into_iter().flatten().collect()
    }
}

/// What a scheduler reserves for waiting jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Allocation {
    /// So many machines: which ones is settled at the start.
    Count,
    /// These machines.
    Set,
}

/// The names of all parts of a policy, as results state them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PartNames {
    /// The order of the queue.
    pub order: &'static str,
    /// Who may start before the first waiting job.
    pub backfill: &'static str,
    /// Which machines jobs take.
    pub fit: &'static str,
    /// What may start as far as power and energy go.
    pub gate: &'static str,
    /// Which machines are switched.
    pub switching: &'static str,
}

/// A policy, parts, or a policy of which parts are replaced.
#[derive(Clone, Copy, Debug, Default)]
pub struct Combination {
    /// The policy that has a name, where one is said.
    pub policy: Option<Policy>,
    /// The parts that are said.
    pub said: SaidParts,
    /// The fit where none is said and the policy counts machines, which leaves the choice.
    pub allocation: Option<&'static FitPart>,
}

impl From<Policy> for Combination {
    fn from(policy: Policy) -> Self {
        Self { policy: Some(policy), ..Self::default() }
    }
}

impl Combination {
    /// The parts; none where machines are dealt in turn, which has no queue.
    pub fn parts(&self) -> Option<Parts> {
        let parts = self.policy.map_or(Some(Parts::STRICT), Policy::parts)?;
        let SaidParts { order, backfill, fit, gate, switching } = self.said;
        let fit = fit.or(self.allocation.filter(|_| parts.fit.counts));
        Some(Parts {
            order: order.unwrap_or(parts.order),
            backfill: backfill.unwrap_or(parts.backfill),
            fit: fit.unwrap_or(parts.fit),
            gate: gate.unwrap_or(parts.gate),
            switching: switching.unwrap_or(parts.switching),
            rested_first: parts.rested_first
                && order.is_none()
                && backfill.is_none()
                && gate.is_none(),
        })
    }

    /// The name of the policy in results.
    pub fn name(&self) -> &'static str {
        self.policy.map_or("composed", Policy::name)
    }

    /// What it reserves for waiting jobs.
    pub fn allocation(&self) -> Allocation {
        match self.parts() {
            Some(parts) if parts.fit.counts => Allocation::Count,
            _ => Allocation::Set,
        }
    }

    /// Whether it may switch machines off and on.
    pub fn switches(&self) -> bool {
        self.parts().is_some_and(|parts| parts.may_switch())
    }

    /// The names of all its parts, where any was said.
    pub fn part_names(&self) -> Option<PartNames> {
        let parts = self.parts().filter(|_| !self.said.names().is_empty())?;
        Some(PartNames {
            order: parts.order.about.name,
            backfill: parts.backfill.about.name,
            fit: parts.fit.about.name,
            gate: parts.gate.about.name,
            switching: parts.switching.about.name,
        })
    }

    /// The options of its own.
    pub fn options(&self) -> Vec<&'static PolicyOption> {
        self.parts().map_or_else(Vec::new, |parts| parts.options())
    }

    /// The table by which it goes with these options, and from when to when; none where it goes by no
    /// table, or something else is said for where the table has no value.
    pub fn goes_by(&self, said: &[(String, String)]) -> Option<(SupplierTable, Time, Time)> {
        let mut options = Options::new(said);
        let table = (self.parts()?.gate.table)(&mut options)?;
        let (from, until) = span(&mut options);
        Some((table, from, until))
    }

    /// A scheduler.
    ///
    /// # Errors
    /// Everything that is wrong with the options, what the platform lacks, and parts that do not go
    /// together.
    pub fn scheduler(&self, setting: &Setting<'_>) -> Result<Box<dyn Scheduler>, Vec<String>> {
        let mut options = Options::new(setting.options);
        let scheduler = match self.parts() {
            Some(parts) => parts.scheduler(setting, &mut options),
            None => self.in_turn(setting, &mut options),
        };
        options.finish(self.name(), &self.options())?;
        Ok(scheduler)
    }

    fn in_turn(&self, setting: &Setting<'_>, options: &mut Options<'_>) -> Box<dyn Scheduler> {
        for (kind, name) in self.said.names() {
            options.wrong(format!(
                "round_robin deals machines when jobs are submitted, so it has no queue for the {kind} {name}: \
                 leave that out, or name another policy"
            ));
        }
        if !setting.reservations.is_empty() {
            options.wrong(
                "round_robin deals machines whatever else they are for, so it keeps no reservations: name \
                 another policy, such as easy_reservations",
            );
        }
        Box::new(RoundRobin::new(setting.platform.machines()))
    }
}
