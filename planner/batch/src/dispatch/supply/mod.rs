//! Incentives on replays: what energy costs and emits by the time at which it is drawn, budgets of users, and windows in which the
//! site may start jobs when that is cheapest.

mod bills;
mod budget_file;
mod budgets;
mod cap_meter;
mod held_jobs;
mod play;
mod tariff;

use bills::Bills;
pub use bills::{SupplyResults, UserBill};
pub use budget_file::BudgetFile;
pub use cap_meter::CapResults;
use held_jobs::HeldJobs;
pub(super) use held_jobs::StartedJob;
pub(super) use play::Supply;
use tariff::ShiftBy;

use planner::quantity::Power;

use super::estimate::PowerEstimatePart;
use super::power_cap::{PowerCap, idle_power};
use super::system::System;
use crate::policy::{Options, PartKind, PolicyOption, option};
use crate::steps::Steps;
use crate::supplier_tables::SupplierTables;
use crate::time::Time;

/// What a simulation is played with beside the parts that decide.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnitSupply<'a> {
    /// Prices, CO2 intensities and caps in simulated time; none where there are none.
    pub tables: Option<&'a SupplierTables>,
    /// Whether what the tables do not cover is played all the same.
    pub allows_uncovered: bool,
    /// What users may take in a period.
    pub budgets: Option<&'a BudgetFile>,
    /// How it is estimated what jobs draw; all in full use where this is not said.
    pub power_estimate: Option<&'static PowerEstimatePart>,
}

/// No tables.
static NOTHING: SupplierTables = SupplierTables { price: None, co2: None, cap: None };

/// Options of simulations with the supplier's tables.
pub(super) const SUPPLY_OPTIONS: &[PolicyOption] = &[
    option(
        "credit_share",
        "0.5",
        "which share of what a job's window saved is credited to its user",
    ),
    option("cap_w", "the table --cap", "the most that nodes may draw, W"),
    option("from_s", "0", "from when on a cap holds, s"),
    option("until_s", "never", "until when, s"),
    option("shift_by", "price", "by what jobs are shifted in their windows: price or co2"),
];

/// What the options say.
#[derive(Clone, Debug)]
pub(super) struct SupplyRules {
    credit_share: f64,
    by: ShiftBy,
    /// What nodes draw idle, and what they may draw, where that is bounded.
    pub cap: Option<PowerCap>,
    /// Whether a table alone bounds it.
    by_table: bool,
    idle: Power,
}

impl<'a> UnitSupply<'a> {
    /// Whether anything is told of it.
    fn is_there(&self) -> bool {
        self.tables().bills() || self.budgets.is_some()
    }

    /// The supplier's tables.
    pub(super) fn tables(&self) -> &'a SupplierTables {
        self.tables.unwrap_or(&NOTHING)
    }

    /// Tells of budgets for which a table is missing.
    pub(super) fn check(&self, options: &mut Options<'_>) {
        let [_, cost, co2] = self.budgets.map(BudgetFile::measures).unwrap_or_default();
        if cost && self.tables().price.is_none() {
            options.wrong("budgets of cost need prices (--price)");
        }
        if co2 && self.tables().co2.is_none() {
            options.wrong("budgets of CO2 need intensities (--co2)");
        }
    }

    /// The estimates of power.
    pub(super) fn power_estimate(&self) -> &'static PowerEstimatePart {
        self.power_estimate.unwrap_or(PowerEstimatePart::ALL[0])
    }
}

impl SupplyRules {
    pub fn read(options: &mut Options<'_>, supply: &UnitSupply<'_>, system: &System) -> Self {
        let credit_share = options.number("credit_share", 0.0, 1.0).unwrap_or(0.5);
        let by = options.read("shift_by", "price or co2", |text| match text {
            "price" => Some(ShiftBy::Price),
            "co2" => Some(ShiftBy::Co2),
            _ => None,
        });
        let said = options.number("cap_w", 0.0, 1e11).and_then(Power::from_watts);
        let from = options.time("from_s").unwrap_or(Time::ZERO);
        let until = options.time("until_s").unwrap_or(Time::FOREVER);
        if from >= until {
            options.wrong("until_s must be after from_s");
        }
        let by_table = said.is_none() && supply.tables().cap.is_some();
        let said = said.map(|cap| Steps::of([(from, until, cap)]));
        let table = supply.tables().cap.as_ref().map(|table| table.part(from, until));
        let cap = match (said, table) {
            (Some(said), Some(table)) => Some(said.least(&table)),
            (said, table) => said.or(table),
        };
        let idle = idle_power(system);
        if cap.is_some() && idle.is_none() {
            options.wrong("a cap needs to know what all nodes draw: [nodes.power] of the system");
        }
        let idle = idle.unwrap_or_default();
        let cap = cap.map(|cap| PowerCap::new(cap, idle));
        Self { credit_share, by: by.unwrap_or_default(), cap, by_table, idle }
    }
}
