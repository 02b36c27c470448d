//! The comparison of the policies over all runs, as it is written to `summary.json`.

use planner::quantity::Currency;
use serde::{Serialize, Serializer};

use super::compare::{Intervals, MonthTotals, SameRequests, Saved};
use super::confidence::{half_width, saving, saving_half_width};
use super::coverage::covered_share;
use super::inputs::Sources;
use super::managed::{ManagedPower, ManagerSummary};
use super::measures::{Measure, Measures, mean};
use super::{Cell, Parameters, PlayedRun};
use crate::policy::Policy;

/// What came of a cell's runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Each policy's measures, in the order in which policies were asked for; a map in documents.
    #[serde(serialize_with = "as_map")]
    pub policies: Vec<(Policy, PolicySummary)>,
    /// How the intervals of `same_requests` were found.
    pub intervals: Intervals,
    /// What it was played with.
    pub parameters: RecordedParameters,
}

/// One policy's measures over all runs.
///
/// Means over runs of each run's [`Measures`], as in the paper; a run in which nothing was
/// scheduled has no part in the means of reservations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PolicySummary {
    /// The month in total.
    pub month: MonthTotals,
    /// What is saved against `asap_first` on the requests that both served; absent for itself, and where
    /// it is not among the policies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_requests: Option<SameRequests>,
    /// The nodes' power beside computing, means over runs; absent where there is no manager.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manager: Option<ManagerSummary>,
    /// The means.
    #[serde(flatten)]
    pub means: Measures,
    /// What is saved against `asap_first`; absent where that is not among the policies.
    #[serde(flatten)]
    pub savings: Option<Savings>,
    /// 95 % confidence intervals over runs; absent below two runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci95: Option<HalfWidths>,
}

/// What is saved against `asap_first`, seen in four ways.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Savings {
    /// Of a reservation: the paper's table.
    pub savings_vs_asap_first: Saved,
    /// Of a request that every policy placed: the same requests on both sides.
    pub savings_on_common_requests: Saved,
    /// Of a node-hour, whatever was placed.
    pub savings_per_node_hour: Saved,
    /// Of the month's total, whatever was placed.
    pub savings_of_totals: Saved,
}

impl Savings {
    /// All of them, by names such as `savings_vs_asap_first.cost`.
    pub fn named(&self) -> Vec<(String, Option<f64>)> {
        let all = [
            ("savings_vs_asap_first", self.savings_vs_asap_first),
            ("savings_on_common_requests", self.savings_on_common_requests),
            ("savings_per_node_hour", self.savings_per_node_hour),
            ("savings_of_totals", self.savings_of_totals),
        ];
        let of = |(name, saved): (&str, Saved)| {
            let values =
                [("energy_j", saved.energy_j), ("cost", saved.cost), ("co2_g", saved.co2_g)];
            values.map(|(of, value)| (format!("{name}.{of}"), value))
        };
        all.into_iter().flat_map(of).collect()
    }
}

/// Half-widths of 95 % confidence intervals, in the units of what they belong to. Those of savings
/// are paired: both policies of a pair see the same draws.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HalfWidths {
    /// Of the means.
    #[serde(flatten)]
    pub means: Measures,
    /// Of the savings.
    #[serde(flatten)]
    pub savings: Option<Savings>,
}

/// The parameters, the currency of costs, and which inputs were drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordedParameters {
    /// As they were.
    #[serde(flatten)]
    pub parameters: Parameters,
    /// Of every cost.
    #[serde(serialize_with = "as_code")]
    pub currency: Currency,
    /// As they were.
    #[serde(flatten)]
    pub sources: Sources,
}

impl Summary {
    /// Sums up `runs` of `cell`, in the order of their numbers.
    pub fn of(cell: &Cell, runs: &[PlayedRun]) -> Self {
        let (nodes, month) = (cell.parameters().nodes, cell.parameters().month());
        let measures = |policy| -> Vec<Measures> {
            runs.iter().map(|run| Measures::of(run, policy, nodes, month)).collect()
        };
        let baseline = cell.policies().contains(&Policy::AsapFirst);
        let baseline = baseline.then(|| measures(Policy::AsapFirst));
        let seed = cell.parameters().seed;
        let requests: Vec<usize> = runs.iter().map(|run| run.requests.len()).collect();
        let covered = covered_share(cell.parameters(), cell.inputs(), runs);
        let sum_up = |&policy: &Policy| {
            let measures = measures(policy);
            let month = MonthTotals::of(&measures, &requests, covered);
            let others = Some(policy).filter(|policy| *policy != Policy::AsapFirst);
            let same = others.and_then(|policy| SameRequests::of(runs, policy, seed));
            let summary = sum_up(&measures, baseline.as_deref(), month, same);
            (policy, PolicySummary { manager: manager_summary(runs, policy), ..summary })
        };
        let policies = cell.policies().iter().map(sum_up).collect();
        let parameters = RecordedParameters {
            parameters: cell.parameters().clone(),
            currency: cell.inputs().currency(),
            sources: cell.inputs().sources(),
        };
        Self { policies, intervals: Intervals::of(runs.len(), seed), parameters }
    }

    /// A policy's summary.
    pub fn policy(&self, policy: Policy) -> Option<&PolicySummary> {
        self.policies.iter().find(|(other, _)| *other == policy).map(|(_, summary)| summary)
    }
}

/// The nodes' power under a policy; `None` where there is no manager.
fn manager_summary(runs: &[PlayedRun], policy: Policy) -> Option<ManagerSummary> {
    let of = |run: &PlayedRun| run.policy(policy)?.managed;
    let managed: Vec<ManagedPower> = runs.iter().filter_map(of).collect();
    ManagedPower::mean(&managed).map(ManagerSummary)
}

fn sum_up(
    runs: &[Measures],
    baseline: Option<&[Measures]>,
    month: MonthTotals,
    same_requests: Option<SameRequests>,
) -> PolicySummary {
    let over_runs = |statistic: fn(&[f64]) -> Option<f64>| {
        Measures::each(|measure| {
            statistic(&runs.iter().filter_map(|run| run.get(measure)).collect::<Vec<_>>())
        })
    };
    let savings = |of_pairs| baseline.map(|baseline| savings(runs, baseline, of_pairs));
    let ci95 = (runs.len() >= 2)
        .then(|| HalfWidths { means: over_runs(half_width), savings: savings(saving_half_width) });
    let (means, savings) = (over_runs(mean), savings(saving));
    PolicySummary { month, same_requests, manager: None, means, savings, ci95 }
}

/// A statistic of the runs in which both scheduled something.
fn savings(
    runs: &[Measures],
    baseline: &[Measures],
    statistic: fn(&[(f64, f64)]) -> Option<f64>,
) -> Savings {
    use Measure as M;
    let of = |measure| {
        let pairs = runs.iter().zip(baseline);
        let both = pairs.filter_map(|(run, base)| run.get(measure).zip(base.get(measure)));
        statistic(&both.collect::<Vec<_>>())
    };
    let saved = |[energy, cost, co2]: [Measure; 3]| Saved {
        energy_j: of(energy),
        cost: of(cost),
        co2_g: of(co2),
    };
    Savings {
        savings_vs_asap_first: saved([M::EnergyJ, M::Cost, M::Co2G]),
        savings_on_common_requests: saved([M::CommonEnergyJ, M::CommonCost, M::CommonCo2G]),
        savings_per_node_hour: saved([
            M::EnergyJPerNodeHour,
            M::CostPerNodeHour,
            M::Co2GPerNodeHour,
        ]),
        savings_of_totals: saved([M::TotalEnergyJ, M::TotalCost, M::TotalCo2G]),
    }
}

fn as_map<S: Serializer>(
    policies: &[(Policy, PolicySummary)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(policies.iter().map(|(policy, summary)| (policy, summary)))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn as_code<S: Serializer>(currency: &Currency, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(currency.code())
}
