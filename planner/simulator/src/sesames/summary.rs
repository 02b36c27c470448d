//! The comparison of the policies over all runs, as it is written to `summary.json`.

use planner::quantity::Currency;
use serde::{Serialize, Serializer};

use super::confidence::{half_width, saving, saving_half_width};
use super::inputs::{Inputs, Sources};
use super::measures::{Measures, mean};
use super::{Parameters, PlayedRun};
use crate::policy::Policy;

/// What came of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Each policy's measures, in the order in which policies were asked for; a map in documents.
    #[serde(serialize_with = "as_map")]
    pub policies: Vec<(Policy, PolicySummary)>,
    /// What it was played with.
    pub parameters: RecordedParameters,
}

/// One policy's measures over all runs.
///
/// Means over runs of each run's [`Measures`], as in the paper; a run in which nothing was
/// scheduled has no part in the means of reservations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PolicySummary {
    /// The means.
    #[serde(flatten)]
    pub means: Measures,
    /// What is saved against `asap_first`; absent where that is not among the policies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub savings_vs_asap_first: Option<Savings>,
    /// 95 % confidence intervals over runs; absent below two runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci95: Option<HalfWidths>,
}

/// One less the ratio of the mean over runs to that of `asap_first`, as fractions; absent where
/// there is nothing to compare.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Savings {
    /// Of the energy of a reservation.
    pub energy_j: Option<f64>,
    /// Of the cost of a reservation.
    pub cost: Option<f64>,
    /// Of the CO2 of a reservation.
    pub co2_g: Option<f64>,
}

/// Half-widths of 95 % confidence intervals, in the units of what they belong to. Those of savings
/// are paired: both policies of a pair see the same draws.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HalfWidths {
    /// Of the means.
    #[serde(flatten)]
    pub means: Measures,
    /// Of the savings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub savings_vs_asap_first: Option<Savings>,
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
    /// Sums up `runs`, which all were played with these parameters, inputs and the same policies.
    pub fn of(parameters: &Parameters, inputs: &Inputs, runs: &[PlayedRun]) -> Self {
        let policies: Vec<Policy> = runs
            .first()
            .map(|run| run.policies.iter().map(|played| played.policy).collect())
            .unwrap_or_default();
        let measures = |policy| measures_of(runs, policy);
        let baseline = policies.contains(&Policy::AsapFirst).then(|| measures(Policy::AsapFirst));
        let summed_up = policies
            .iter()
            .map(|&policy| (policy, sum_up(&measures(policy), baseline.as_deref())))
            .collect();
        let parameters = RecordedParameters {
            parameters: parameters.clone(),
            currency: inputs.currency(),
            sources: inputs.sources(),
        };
        Self { policies: summed_up, parameters }
    }

    /// A policy's summary.
    pub fn policy(&self, policy: Policy) -> Option<&PolicySummary> {
        self.policies.iter().find(|(other, _)| *other == policy).map(|(_, summary)| summary)
    }
}

/// A policy's measures, run by run.
fn measures_of(runs: &[PlayedRun], policy: Policy) -> Vec<Measures> {
    let played = runs.iter().flat_map(|run| &run.policies);
    played.filter(|played| played.policy == policy).map(|played| played.measures).collect()
}

fn sum_up(runs: &[Measures], baseline: Option<&[Measures]>) -> PolicySummary {
    let means = over_runs(runs, mean);
    let savings = |of_pairs| baseline.map(|baseline| savings(runs, baseline, of_pairs));
    let ci95 = (runs.len() >= 2).then(|| HalfWidths {
        means: over_runs(runs, half_width),
        savings_vs_asap_first: savings(saving_half_width),
    });
    PolicySummary { means, savings_vs_asap_first: savings(saving), ci95 }
}

/// A statistic of each measure over runs.
fn over_runs(runs: &[Measures], statistic: fn(&[f64]) -> Option<f64>) -> Measures {
    let optional = |measure: fn(&Measures) -> Option<f64>| {
        statistic(&runs.iter().filter_map(measure).collect::<Vec<_>>())
    };
    let always = |measure: fn(&Measures) -> f64| {
        statistic(&runs.iter().map(measure).collect::<Vec<_>>()).unwrap_or(0.0)
    };
    Measures {
        energy_j: optional(|run| run.energy_j),
        cost: optional(|run| run.cost),
        co2_g: optional(|run| run.co2_g),
        start_lag_s: optional(|run| run.start_lag_s),
        unsuccessful_nodes: always(|run| run.unsuccessful_nodes),
        unsuccessful_power_cap: always(|run| run.unsuccessful_power_cap),
        unsuccessful_agenda_gap: always(|run| run.unsuccessful_agenda_gap),
        occupancy: always(|run| run.occupancy),
    }
}

/// A statistic of the runs in which both scheduled something.
fn savings(
    runs: &[Measures],
    baseline: &[Measures],
    statistic: fn(&[(f64, f64)]) -> Option<f64>,
) -> Savings {
    let of = |measure: fn(&Measures) -> Option<f64>| {
        let pairs = runs.iter().zip(baseline);
        let both = pairs.filter_map(|(run, base)| measure(run).zip(measure(base)));
        statistic(&both.collect::<Vec<_>>())
    };
    Savings {
        energy_j: of(|run| run.energy_j),
        cost: of(|run| run.cost),
        co2_g: of(|run| run.co2_g),
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
