//! What is measured of one policy in one run (paper, section VI-A).

use planner::decision::ReasonCode;
use planner::time::Span;

use super::outcome::{RequestOutcome, Scheduled};

/// The paper's measures. Values of a reservation are means over the scheduled reservations, absent
/// where there are none; rates and occupancy are fractions.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Measures {
    /// Energy of a reservation, J.
    pub energy_j: Option<f64>,
    /// Cost of a reservation, in the tariff's currency.
    pub cost: Option<f64>,
    /// CO2 of a reservation, g.
    pub co2_g: Option<f64>,
    /// From a request's earliest start to its reservation's start, s.
    pub start_lag_s: Option<f64>,
    /// Part of the requests for which no start had enough nodes.
    pub unsuccessful_nodes: f64,
    /// Part of the requests for which some start had enough nodes, but none enough power.
    pub unsuccessful_power_cap: f64,
    /// Part of the requests for which every start needs what an agenda does not cover.
    pub unsuccessful_agenda_gap: f64,
    /// Reserved node-seconds inside the month, of all node-seconds of the month.
    pub occupancy: f64,
}

/// Measures a run's `outcomes` on `nodes` nodes during `month`.
pub(super) fn measure(outcomes: &[RequestOutcome], nodes: u32, month: Span) -> Measures {
    let scheduled: Vec<&Scheduled> =
        outcomes.iter().filter_map(RequestOutcome::scheduled).collect();
    let mean_of = |value: fn(&Scheduled) -> f64| {
        mean(&scheduled.iter().map(|reservation| value(reservation)).collect::<Vec<_>>())
    };
    let rate_of = |cause| {
        let count = outcomes.iter().filter(|outcome| outcome.cause() == Some(cause)).count();
        if outcomes.is_empty() { 0.0 } else { count as f64 / outcomes.len() as f64 }
    };
    Measures {
        energy_j: mean_of(|reservation| reservation.values.energy.as_joules()),
        cost: mean_of(|reservation| reservation.values.cost.as_units()),
        co2_g: mean_of(|reservation| reservation.values.co2.as_grams()),
        start_lag_s: mean_of(|reservation| reservation.start_lag.get() as f64),
        unsuccessful_nodes: rate_of(ReasonCode::Nodes),
        unsuccessful_power_cap: rate_of(ReasonCode::PowerCap),
        unsuccessful_agenda_gap: rate_of(ReasonCode::AgendaGap),
        occupancy: occupancy(&scheduled, nodes, month),
    }
}

/// The mean, where there is one.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn occupancy(scheduled: &[&Scheduled], nodes: u32, month: Span) -> f64 {
    let inside = |reservation: &&Scheduled| {
        let part = reservation.span.intersection(month);
        part.map_or(0, |part| i128::from(part.length().get()) * i128::from(reservation.nodes))
    };
    let reserved: i128 = scheduled.iter().map(inside).sum();
    reserved as f64 / (f64::from(nodes) * month.length().get() as f64)
}

#[cfg(test)]
mod tests {
    use planner::criterion::Values;
    use planner::quantity::{Currency, Energy, Integral, Power};
    use planner::time::{Seconds, Timestamp};

    use super::*;

    fn reservation(start: i64, length: i64, nodes: u32, joules: i128) -> RequestOutcome {
        let span =
            Span::starting(Timestamp::from_unix_seconds(start), Seconds::new(length)).unwrap();
        let nothing = Power::ZERO;
        RequestOutcome::Scheduled(Scheduled {
            span,
            nodes,
            values: Values {
                energy: Energy::from_microjoules(joules * 1_000_000),
                cost: nothing.times_price(Integral::from_millionth_seconds(0), Currency::EUR),
                co2: nothing.times_intensity(Integral::from_millionth_seconds(0)),
            },
            peak_power: nothing,
            start_lag: Seconds::new(start),
        })
    }

    /// Four nodes for 1000 s are 4000 node-seconds. Reserved inside: 2 x 300, and 3 nodes from
    /// 900 on, of whose 400 s only 100 are inside: 600 + 300 = 900, which is 0.225. Of four
    /// requests one failed for nodes and one for power: 0.25 each. Mean energy (10 + 30) / 2 = 20
    /// J, mean lag (100 + 900) / 2 = 500 s.
    #[test]
    fn measures_by_hand() {
        let outcomes = [
            reservation(100, 300, 2, 10),
            RequestOutcome::Unsuccessful(ReasonCode::Nodes),
            RequestOutcome::Unsuccessful(ReasonCode::PowerCap),
            reservation(900, 400, 3, 30),
        ];
        let month = Span::starting(Timestamp::from_unix_seconds(0), Seconds::new(1000)).unwrap();
        let expected = Measures {
            energy_j: Some(20.0),
            cost: Some(0.0),
            co2_g: Some(0.0),
            start_lag_s: Some(500.0),
            unsuccessful_nodes: 0.25,
            unsuccessful_power_cap: 0.25,
            unsuccessful_agenda_gap: 0.0,
            occupancy: 0.225,
        };
        assert_eq!(measure(&outcomes, 4, month), expected);
    }

    #[test]
    fn nothing_scheduled_has_no_means() {
        let outcomes = [RequestOutcome::Unsuccessful(ReasonCode::AgendaGap)];
        let month = Span::starting(Timestamp::from_unix_seconds(0), Seconds::ONE).unwrap();
        let measures = measure(&outcomes, 1, month);
        assert_eq!((measures.energy_j, measures.start_lag_s), (None, None));
        assert!((measures.unsuccessful_agenda_gap - 1.0).abs() < f64::EPSILON);
    }
}
