//! What is measured of one policy in one run: the paper's measures (section VI-A), and what
//! operators ask next.

use planner::time::Span;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::outcome::{Amounts, Cause, PlayedRun, RequestRecord, Scheduled};
use crate::policy::Policy;

/// Something that is measured in each run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`label` describes each")]
pub enum Measure {
    EnergyJ,
    Cost,
    Co2G,
    StartLagS,
    UnsuccessfulNodes,
    UnsuccessfulPowerCap,
    UnsuccessfulAgendaGap,
    Occupancy,
    Scheduled,
    NodeHours,
    TotalEnergyJ,
    TotalCost,
    TotalCo2G,
    EnergyJPerNodeHour,
    CostPerNodeHour,
    Co2GPerNodeHour,
    CommonRequests,
    CommonEnergyJ,
    CommonCost,
    CommonCo2G,
    PeakPowerW,
    CapUsed,
    CapUsedPeak,
    RegretEnergy,
    RegretCost,
    RegretCo2,
    ForecastMissEnergy,
    ForecastMissCost,
    ForecastMissCo2,
}

/// Key, label and unit of each measure, in the order of [`Measure::ALL`].
const WORDS: [(&str, &str, &str); Measure::COUNT] = [
    ("energy_j", "energy of a reservation", "J"),
    ("cost", "cost of a reservation", "money"),
    ("co2_g", "CO2 of a reservation", "g"),
    ("start_lag_s", "from earliest start to start", "s"),
    ("unsuccessful_nodes", "requests without enough nodes", ""),
    ("unsuccessful_power_cap", "requests without enough power", ""),
    ("unsuccessful_agenda_gap", "requests without agendas", ""),
    ("occupancy", "node-time reserved in the month", ""),
    ("scheduled", "reservations", "count"),
    ("node_hours", "node-hours reserved", "node-h"),
    ("total_energy_j", "energy of all reservations", "J"),
    ("total_cost", "cost of all reservations", "money"),
    ("total_co2_g", "CO2 of all reservations", "g"),
    ("energy_j_per_node_hour", "energy of a node-hour", "J"),
    ("cost_per_node_hour", "cost of a node-hour", "money"),
    ("co2_g_per_node_hour", "CO2 of a node-hour", "g"),
    ("common_requests", "requests that every policy placed", "count"),
    ("common_energy_j", "energy of a request that every policy placed", "J"),
    ("common_cost", "cost of a request that every policy placed", "money"),
    ("common_co2_g", "CO2 of a request that every policy placed", "g"),
    ("peak_power_w", "most power reserved at once", "W"),
    ("cap_used", "reserved of what the cap allows", ""),
    ("cap_used_peak", "greatest part of the cap reserved at once", ""),
    ("regret_energy", "energy above the clairvoyant least", ""),
    ("regret_cost", "cost above the clairvoyant least", ""),
    ("regret_co2", "CO2 above the clairvoyant least", ""),
    ("forecast_miss_energy", "energy above what was planned", ""),
    ("forecast_miss_cost", "cost above what was planned", ""),
    ("forecast_miss_co2", "CO2 above what was planned", ""),
];

impl Measure {
    /// How many there are.
    pub const COUNT: usize = 29;

    /// All of them.
    pub const ALL: [Self; Self::COUNT] = [
        Self::EnergyJ,
        Self::Cost,
        Self::Co2G,
        Self::StartLagS,
        Self::UnsuccessfulNodes,
        Self::UnsuccessfulPowerCap,
        Self::UnsuccessfulAgendaGap,
        Self::Occupancy,
        Self::Scheduled,
        Self::NodeHours,
        Self::TotalEnergyJ,
        Self::TotalCost,
        Self::TotalCo2G,
        Self::EnergyJPerNodeHour,
        Self::CostPerNodeHour,
        Self::Co2GPerNodeHour,
        Self::CommonRequests,
        Self::CommonEnergyJ,
        Self::CommonCost,
        Self::CommonCo2G,
        Self::PeakPowerW,
        Self::CapUsed,
        Self::CapUsedPeak,
        Self::RegretEnergy,
        Self::RegretCost,
        Self::RegretCo2,
        Self::ForecastMissEnergy,
        Self::ForecastMissCost,
        Self::ForecastMissCo2,
    ];

    /// The word in documents, with its unit.
    pub const fn key(self) -> &'static str {
        WORDS[self as usize].0
    }

    /// The measure's name for people.
    pub const fn label(self) -> &'static str {
        WORDS[self as usize].1
    }

    /// `J`, `g`, `s`, `W`, `node-h`, `count`, `money`; empty for fractions.
    pub const fn unit(self) -> &'static str {
        WORDS[self as usize].2
    }
}

/// All measures of one policy in one run, or a statistic of each over runs.
///
/// Values of a reservation are means over the scheduled reservations, absent where there are none;
/// rates, occupancy, regret and misses are fractions. Regret is what the reservations took, less the
/// least that each could have taken alone and knowing what came true, of this least; a forecast's
/// miss is what they took less what was planned, of what was planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures([Option<f64>; Measure::COUNT]);

impl Measures {
    /// One of them.
    pub const fn get(&self, measure: Measure) -> Option<f64> {
        self.0[measure as usize]
    }

    /// Each by its own.
    pub fn each(of: impl FnMut(Measure) -> Option<f64>) -> Self {
        Self(Measure::ALL.map(of))
    }

    /// Measures `policy`'s part of `run` on `nodes` nodes during `month`; nothing where the run was
    /// not played under it.
    pub fn of(run: &PlayedRun, policy: Policy, nodes: u32, month: Span) -> Self {
        use Measure as M;
        let Some(played) = run.policy(policy) else { return Self([None; Measure::COUNT]) };
        let sums = Sums::of(played.scheduled(&run.requests));
        let common = Sums::of(common(run, policy));
        let requests = played.outcomes.len() as f64;
        let rate = |cause| {
            let count = played.outcomes.iter().filter(|o| o.cause() == Some(cause)).count();
            (requests > 0.0).then(|| count as f64 / requests)
        };
        let node_seconds = f64::from(nodes) * month.length().get() as f64;
        let occupancy = occupied(played.scheduled(&run.requests), month) as f64 / node_seconds;
        let per = |value: f64, by: f64| (by > 0.0).then(|| value / by);
        let above = |value: f64, base: f64| per(value - base, base);
        let Sums { count, billed, planned, least, node_hours, lag_s } = sums;
        Self::each(|measure| match measure {
            M::EnergyJ => per(billed.energy_j, count),
            M::Cost => per(billed.cost, count),
            M::Co2G => per(billed.co2_g, count),
            M::StartLagS => per(lag_s, count),
            M::UnsuccessfulNodes => rate(Cause::Nodes),
            M::UnsuccessfulPowerCap => rate(Cause::PowerCap),
            M::UnsuccessfulAgendaGap => rate(Cause::AgendaGap),
            M::Occupancy => Some(occupancy),
            M::Scheduled => Some(count),
            M::NodeHours => Some(node_hours),
            M::TotalEnergyJ => Some(billed.energy_j),
            M::TotalCost => Some(billed.cost),
            M::TotalCo2G => Some(billed.co2_g),
            M::EnergyJPerNodeHour => per(billed.energy_j, node_hours),
            M::CostPerNodeHour => per(billed.cost, node_hours),
            M::Co2GPerNodeHour => per(billed.co2_g, node_hours),
            M::CommonRequests => Some(common.count),
            M::CommonEnergyJ => per(common.billed.energy_j, common.count),
            M::CommonCost => per(common.billed.cost, common.count),
            M::CommonCo2G => per(common.billed.co2_g, common.count),
            M::PeakPowerW => Some(played.power.peak_power_w),
            M::CapUsed => played.power.cap_used,
            M::CapUsedPeak => played.power.cap_used_peak,
            M::RegretEnergy => above(billed.energy_j, least.energy_j),
            M::RegretCost => above(billed.cost, least.cost),
            M::RegretCo2 => above(billed.co2_g, least.co2_g),
            M::ForecastMissEnergy => above(billed.energy_j, planned.energy_j),
            M::ForecastMissCost => above(billed.cost, planned.cost),
            M::ForecastMissCo2 => above(billed.co2_g, planned.co2_g),
        })
    }
}

impl Serialize for Measures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Measure::COUNT))?;
        for measure in Measure::ALL {
            map.serialize_entry(measure.key(), &self.get(measure))?;
        }
        map.end()
    }
}

/// Sums over reservations.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: f64,
    billed: Amounts,
    planned: Amounts,
    least: Amounts,
    node_hours: f64,
    lag_s: f64,
}

impl Sums {
    fn of<'a>(scheduled: impl Iterator<Item = (&'a RequestRecord, &'a Scheduled)>) -> Self {
        let mut sums = Self::default();
        for (request, reservation) in scheduled {
            sums.count += 1.0;
            sums.billed += reservation.billed;
            sums.planned += reservation.planned;
            sums.least += request.least.unwrap_or(reservation.billed);
            sums.node_hours += reservation.shape(request).node_hours();
            sums.lag_s += reservation.start_lag_s as f64;
        }
        sums
    }
}

/// `policy`'s reservations of the requests that every policy of the run placed.
fn common(run: &PlayedRun, policy: Policy) -> impl Iterator<Item = (&RequestRecord, &Scheduled)> {
    let by_all = |index: usize| {
        run.policies.iter().all(|played| played.outcomes[index].scheduled().is_some())
    };
    let outcomes = run.policy(policy).into_iter().flat_map(|played| &played.outcomes);
    let placed = run.requests.iter().zip(outcomes).enumerate();
    placed
        .filter(move |(index, _)| by_all(*index))
        .filter_map(|(_, (request, outcome))| Some((request, outcome.scheduled()?)))
}

/// Reserved node-seconds inside `month`.
pub(super) fn occupied<'a>(
    scheduled: impl Iterator<Item = (&'a RequestRecord, &'a Scheduled)>,
    month: Span,
) -> i128 {
    let inside = |(request, reservation): (&RequestRecord, &Scheduled)| {
        let part = reservation.span(request)?.intersection(month)?;
        Some(i128::from(part.length().get()) * i128::from(reservation.shape(request).nodes))
    };
    scheduled.filter_map(inside).sum()
}

/// The mean, where there is one.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests;
