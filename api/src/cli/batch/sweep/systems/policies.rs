//! Orders, backfillings, fits, estimates and options, combined.

use std::collections::BTreeMap;

use batch::dispatch::simulation::UnitSimulation;
use batch::dispatch::system::System;
use batch::dispatch::{
    EstimatePart, PowerEstimatePart, UnitBackfillPart, UnitFitPart, UnitOrderPart, UnitSupply,
};

use super::super::text::MOST;

/// Parts that are combined.
pub struct PartLists {
    /// Of the file, where there is one.
    pub line: Option<usize>,
    pub orders: Vec<&'static UnitOrderPart>,
    pub backfills: Vec<&'static UnitBackfillPart>,
    pub fits: Vec<&'static UnitFitPart>,
    pub estimates: Vec<&'static EstimatePart>,
    pub power_estimates: Vec<&'static PowerEstimatePart>,
}

/// Values of an option.
#[derive(Clone, Debug)]
pub struct OptionValues {
    pub name: String,
    pub values: Vec<String>,
    pub line: Option<usize>,
}

/// One part of each kind, and options.
#[derive(Clone, Debug)]
pub struct SystemPolicy {
    pub line: Option<usize>,
    pub order: &'static UnitOrderPart,
    pub backfill: &'static UnitBackfillPart,
    pub fit: &'static UnitFitPart,
    pub estimate: &'static EstimatePart,
    pub power_estimate: &'static PowerEstimatePart,
    pub options: Vec<(String, String)>,
}

impl SystemPolicy {
    /// The simulation of it.
    pub fn simulation<'a>(
        &'a self,
        system: &'a System,
        shares: Option<&'a batch::dispatch::SharesFile>,
        energy_factors: &'a BTreeMap<String, f64>,
    ) -> UnitSimulation<'a> {
        UnitSimulation {
            system,
            order: self.order,
            backfill: self.backfill.backfill,
            fit: self.fit,
            estimate: self.estimate,
            shares,
            energy_factors,
            options: &self.options,
        }
    }

    /// Order, backfilling and options in words.
    pub fn scheduler(&self) -> String {
        let mut out = self.order.about.name.to_owned();
        if self.backfill.about.name != "none" {
            out = format!("{out}+{}", self.backfill.about.name);
        }
        for (name, value) in &self.options {
            out = format!("{out} {name}={value}");
        }
        out
    }

    fn has(&self, option: &str) -> bool {
        let (system, factors) = (System::of_one_resource("cores", 1, 1), BTreeMap::new());
        let simulation = self.simulation(&system, None, &factors);
        let supply =
            UnitSupply { power_estimate: Some(self.power_estimate), ..UnitSupply::default() };
        simulation.options_with(&supply).iter().any(|known| known.name == option)
    }
}

/// What is wrong, with its line.
pub type Wrong = (Option<usize>, String);

/// Every combination: options change fastest, then estimates of power. An option holds where a part has it. Options that no part has are an
/// error; those of `shared` may be for other combinations, and count where `own` does not say them.
pub fn combinations(
    lists: &PartLists,
    own: &[OptionValues],
    shared: &[OptionValues],
) -> Result<Vec<SystemPolicy>, Wrong> {
    let mut all = bare(lists);
    let unsaid = |it: &&OptionValues| !own.iter().any(|said| said.name == it.name);
    for option in own.iter().chain(shared.iter().filter(unsaid)) {
        let before = std::mem::take(&mut all);
        let mut known = false;
        for policy in before {
            if !policy.has(&option.name) {
                all.push(policy);
                continue;
            }
            known = true;
            for value in &option.values {
                let mut longer = policy.clone();
                longer.options.push((option.name.clone(), value.clone()));
                all.push(longer);
            }
        }
        if !known && own.iter().any(|said| said.name == option.name) {
            let what = format!("{}: no part that is combined here has this option", option.name);
            return Err((option.line, what));
        }
        if all.len() > MOST {
            return Err((option.line, format!("there are more than {MOST} combinations")));
        }
    }
    Ok(all)
}

/// Every combination of parts.
fn bare(lists: &PartLists) -> Vec<SystemPolicy> {
    let mut all = Vec::new();
    for &order in &lists.orders {
        for &backfill in &lists.backfills {
            for &fit in &lists.fits {
                for &estimate in &lists.estimates {
                    all.extend(lists.power_estimates.iter().map(|&power_estimate| SystemPolicy {
                        line: lists.line,
                        order,
                        backfill,
                        fit,
                        estimate,
                        power_estimate,
                        options: Vec::new(),
                    }));
                }
            }
        }
    }
    all
}
