//! Measures against the number of requests placed so far (paper, figure 5).

use planner::time::Span;
use serde::Serialize;

use super::measures::{mean, occupied};
use super::outcome::{Amounts, PlayedPolicy, PlayedRun, RequestRecord};
use super::{Cause, Measure};
use crate::policy::Policy;

/// The most points of a curve: a long stream of requests is looked at in steps.
const MOST_POINTS: usize = 200;

/// The measures that a curve has.
pub const CURVE_MEASURES: [Measure; 7] = [
    Measure::EnergyJ,
    Measure::Cost,
    Measure::Co2G,
    Measure::StartLagS,
    Measure::UnsuccessfulNodes,
    Measure::UnsuccessfulPowerCap,
    Measure::Occupancy,
];

/// What a policy's first requests come to: means over runs, as in [`super::Measures`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// How many requests were placed, successfully or not.
    pub requests: u32,
    /// Of a reservation, J.
    pub energy_j: Option<f64>,
    /// Of a reservation.
    pub cost: Option<f64>,
    /// Of a reservation, g.
    pub co2_g: Option<f64>,
    /// Of a reservation, s.
    pub start_lag_s: Option<f64>,
    /// Part of the requests.
    pub unsuccessful_nodes: Option<f64>,
    /// Part of the requests.
    pub unsuccessful_power_cap: Option<f64>,
    /// Part of the node-time of the month.
    pub occupancy: Option<f64>,
}

impl CurvePoint {
    /// What a curve shows of a measure.
    pub const fn get(&self, measure: Measure) -> Option<f64> {
        match measure {
            Measure::EnergyJ => self.energy_j,
            Measure::Cost => self.cost,
            Measure::Co2G => self.co2_g,
            Measure::StartLagS => self.start_lag_s,
            Measure::UnsuccessfulNodes => self.unsuccessful_nodes,
            Measure::UnsuccessfulPowerCap => self.unsuccessful_power_cap,
            Measure::Occupancy => self.occupancy,
            _ => None,
        }
    }
}

/// The curve of `policy` over `runs` on `nodes` nodes during `month`.
pub fn curve(runs: &[PlayedRun], policy: Policy, nodes: u32, month: Span) -> Vec<CurvePoint> {
    let longest = runs.iter().map(|run| run.requests.len()).max().unwrap_or(0);
    let step = longest.div_ceil(MOST_POINTS).max(1);
    let of_runs: Vec<Vec<[Option<f64>; 7]>> = runs
        .iter()
        .filter_map(|run| Some(of_run(&run.requests, run.policy(policy)?, step, nodes, month)))
        .collect();
    let points = of_runs.iter().map(Vec::len).max().unwrap_or(0);
    let over_runs = |point: usize, column: usize| {
        let of = of_runs.iter().filter_map(|run| run.get(point).and_then(|values| values[column]));
        mean(&of.collect::<Vec<_>>())
    };
    (0..points)
        .map(|point| CurvePoint {
            requests: u32::try_from((point + 1) * step).unwrap_or(u32::MAX),
            energy_j: over_runs(point, 0),
            cost: over_runs(point, 1),
            co2_g: over_runs(point, 2),
            start_lag_s: over_runs(point, 3),
            unsuccessful_nodes: over_runs(point, 4),
            unsuccessful_power_cap: over_runs(point, 5),
            occupancy: over_runs(point, 6),
        })
        .collect()
}

/// One run's values after every `step` requests, in the order of [`CurvePoint`].
fn of_run(
    requests: &[RequestRecord],
    played: &PlayedPolicy,
    step: usize,
    nodes: u32,
    month: Span,
) -> Vec<[Option<f64>; 7]> {
    let node_seconds = f64::from(nodes) * month.length().get() as f64;
    let (mut sums, mut lag_s, mut count) = (Amounts::default(), 0.0, 0.0);
    let (mut no_nodes, mut no_power, mut reserved) = (0.0, 0.0, 0_i128);
    let mut points = Vec::new();
    for (index, (request, outcome)) in requests.iter().zip(&played.outcomes).enumerate() {
        match (outcome.scheduled(), outcome.cause()) {
            (Some(reservation), _) => {
                sums += reservation.billed;
                lag_s += reservation.start_lag_s as f64;
                count += 1.0;
                reserved += occupied(std::iter::once((request, reservation)), month);
            }
            (_, Some(Cause::Nodes)) => no_nodes += 1.0,
            (_, Some(Cause::PowerCap)) => no_power += 1.0,
            _ => {}
        }
        let so_far = index + 1;
        if so_far.is_multiple_of(step) {
            let per = |value: f64| (count > 0.0).then(|| value / count);
            let part = |value: f64| Some(value / so_far as f64);
            points.push([
                per(sums.energy_j),
                per(sums.cost),
                per(sums.co2_g),
                per(lag_s),
                part(no_nodes),
                part(no_power),
                Some(reserved as f64 / node_seconds),
            ]);
        }
    }
    points
}
