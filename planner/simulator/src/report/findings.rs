//! What is kept of a finished cell for the report: everything but its runs.

use std::collections::BTreeMap;

use planner::agenda::{Agenda, Agendas};
use planner::quantity::Rate;
use planner::time::{Seconds, Timestamp};

use crate::policy::Policy;
use crate::sesames::{Cell, CurvePoint, PlayedRun, SesamesError, Summary, curve};

/// One cell's results, ready to be shown.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The comparison.
    pub summary: Summary,
    /// Each policy's curve (paper, figure 5).
    pub curves: Vec<(Policy, Vec<CurvePoint>)>,
    /// The first run over time.
    pub first_run: Timeline,
}

/// One run over time, in steps: days since the month's start and a value from then on.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// Per MWh.
    pub price: Vec<(f64, f64)>,
    /// g/kWh.
    pub co2: Vec<(f64, f64)>,
    /// W, hour by hour the least; none where there is no cap.
    pub cap_w: Vec<(f64, f64)>,
    /// Reserved maximum power of each policy, W.
    pub reserved_w: Vec<(Policy, Vec<(f64, f64)>)>,
}

impl Findings {
    /// Sums up all `runs` of `cell`, in the order of their numbers.
    ///
    /// # Errors
    /// None that playing the runs did not have.
    pub fn of(cell: &Cell, runs: &[PlayedRun]) -> Result<Self, SesamesError> {
        let (nodes, month) = (cell.parameters().nodes, cell.parameters().month());
        let of = |&policy: &Policy| (policy, curve(runs, policy, nodes, month));
        let first_run = match runs.first() {
            Some(run) => Timeline::of(cell, run)?,
            None => Timeline::default(),
        };
        let curves = cell.policies().iter().map(of).collect();
        Ok(Self { summary: Summary::of(cell, runs), curves, first_run })
    }
}

impl Timeline {
    fn of(cell: &Cell, run: &PlayedRun) -> Result<Self, SesamesError> {
        let agendas = cell.month(run.run)?.agendas;
        let month = cell.parameters().month();
        let day = |at: Timestamp| (at - month.start()).get() as f64 / 86_400.0;
        let rates = |steps: Vec<(Timestamp, i64)>| -> Vec<(f64, f64)> {
            steps.into_iter().map(|(at, value)| (day(at), value as f64 / 1e6)).collect()
        };
        let price = agendas.price.agenda().overlapping(month).iter();
        let price = price.map(|piece| (piece.span.start(), piece.value.as_millionths()));
        let co2 = agendas.co2.agenda().overlapping(month).iter();
        let co2 = co2.map(|piece| (piece.span.start(), piece.value.as_millionths()));
        let reserved = |played: &crate::sesames::PlayedPolicy| {
            // What ends and what starts at an instant count together.
            let mut changes: BTreeMap<Timestamp, f64> = BTreeMap::new();
            for (asked, reserved) in played.scheduled(&run.requests) {
                let end = reserved.start + Seconds::new(reserved.shape(asked).duration_s);
                *changes.entry(reserved.start).or_default() += reserved.peak_power_w;
                *changes.entry(end).or_default() -= reserved.peak_power_w;
            }
            let mut power = 0.0;
            let steps = changes.into_iter().map(|(at, change)| {
                power += change;
                (day(at), power.max(0.0))
            });
            let all = std::iter::once((0.0, 0.0)).chain(steps);
            (played.policy, all.take_while(|(at, _)| *at <= day(month.end())).collect())
        };
        Ok(Self {
            price: rates(price.collect()),
            co2: rates(co2.collect()),
            cap_w: least_by_hour(&agendas, month.start(), day(month.end())),
            reserved_w: run.policies.iter().map(reserved).collect(),
        })
    }
}

/// The least cap of each hour.
fn least_by_hour(agendas: &Agendas, start: Timestamp, days: f64) -> Vec<(f64, f64)> {
    let mut hours: Vec<(f64, f64)> = Vec::new();
    for piece in agendas.power_cap.iter().flat_map(Agenda::pieces) {
        let hour = (piece.span.start() - start).get().div_euclid(3600) as f64 / 24.0;
        let watts = piece.value.as_watts();
        match hours.last_mut() {
            Some((known, least)) if known.total_cmp(&hour).is_eq() => *least = least.min(watts),
            _ if (0.0..=days).contains(&hour) => hours.push((hour, watts)),
            _ => {}
        }
    }
    hours
}
