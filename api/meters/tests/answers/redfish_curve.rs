//! Redfish: a known curve of power, as a server of ours tells it at the instants of a clock that it shares with the
//! client, has its integral to within what sampling allows. No real time passes.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use meters::redfish::RedfishValue;
use planner::metering::ValueKind;
use serde_json::json;

use super::curve::{LENGTH, Measured, instant, joules, trapezia_bound, watts};
use super::redfish::{environment, names, redfish, reply, settings};
use super::server::{Reply, Server};

/// Seconds between two questions.
const PERIOD: i64 = 60;

/// What is measured of the curve where the controller is busy in some seconds.
async fn measured(value: RedfishValue, is_busy: fn(i64) -> bool) -> Measured {
    let now = Arc::new(AtomicI64::new(0));
    let of_server = Arc::clone(&now);
    let server = Server::new(move |request| {
        let now = of_server.load(Ordering::Relaxed);
        if is_busy(now) {
            return Reply::Answer(503, String::new());
        }
        if !request.path.ends_with("/EnvironmentMetrics") {
            return reply(request);
        }
        // A counter of whole watt-hours, which began long before.
        let watt_hours = 325_675.0 + (joules(now) / 3600.0).round();
        environment(&json!(watts(now)), &json!(watt_hours / 1000.0))
    })
    .await;
    let redfish = redfish(settings(&server, value));
    let kind = if value == RedfishValue::Energy { ValueKind::Counter } else { ValueKind::Gauge };
    let mut measured = Measured::new(kind, PERIOD);
    for second in (0..=LENGTH / PERIOD).map(|it| it * PERIOD) {
        now.store(second, Ordering::Relaxed);
        let clock = || instant(now.load(Ordering::Relaxed));
        let answer = redfish.samples(&names(&["new"]), &clock).await;
        assert_eq!(answer.is_err(), is_busy(second), "{answer:?}");
        for series in answer.into_iter().flat_map(|it| it.series) {
            measured.take(&series.samples);
        }
    }
    measured
}

/// The trapezia of a power are off by `max|P''| h^2 / 12` on average, and by as much as readings are rounded: 0.5 mW.
fn power_bound(from: i64, to: i64) -> f64 {
    (trapezia_bound(PERIOD) + 0.0005) * (to - from) as f64
}

/// A counter is read at the ends of stretches, which are instants of samples, each time rounded by half a watt-hour.
fn energy_bound(_: i64, _: i64) -> f64 {
    3600.0
}

#[tokio::test]
async fn a_curve_of_power_has_its_integral_in_each_quarter_hour() {
    let power = measured(RedfishValue::Power, |_| false).await;
    power.check(&[(0, LENGTH)], power_bound);
    let energy = measured(RedfishValue::Energy, |_| false).await;
    energy.check(&[(0, LENGTH)], energy_bound);
}

/// From 1620 to 2100 nobody answers: ten minutes between two samples, of two quarter-hours. The one answer that is
/// missing at 4020 is bridged by a trapezium of twice the length.
#[tokio::test]
async fn what_a_controller_does_not_tell_is_missing_and_the_rest_is_as_near() {
    let is_busy = |second| (1620..=2100).contains(&second) || second == 4020;
    let stretches = [(0, 1560), (2160, LENGTH)];
    let power = measured(RedfishValue::Power, is_busy).await;
    power.check(&stretches, |from, to| {
        let longer = trapezia_bound(2 * PERIOD) - trapezia_bound(PERIOD);
        let is_longer = (from..to).contains(&4020);
        power_bound(from, to) + if is_longer { longer * 2.0 * PERIOD as f64 } else { 0.0 }
    });
    let energy = measured(RedfishValue::Energy, is_busy).await;
    energy.check(&stretches, energy_bound);
}
