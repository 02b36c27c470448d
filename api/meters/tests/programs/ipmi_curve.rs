//! FreeIPMI against a simulated management controller that measures a known curve, rounded to whole watts as DCMI tells
//! them: its integral is within what that and sampling allow. The instants are ours, and no real time counts.

use std::time::{Duration, Instant};

use meters::ipmi::{Ipmi, IpmiValue};
use planner::metering::{Sample, SampleTime, ValueKind};

use super::curve::{LENGTH, Measured, instant, trapezia_bound, watts};
use super::simulator::{Bmc, ipmi, module};

/// Seconds between two questions.
const PERIOD: i64 = 300;

/// What the controller says at an instant. It may have to be asked again: it has just begun, or the machine is busy.
async fn answered(meter: &Ipmi, at: SampleTime) -> Vec<Sample> {
    let begun = Instant::now();
    loop {
        match meter.samples(&["n1".to_owned()], &|| at).await {
            Ok(mut answer) if answer.count() == 1 => return answer.series.remove(0).samples,
            other => {
                assert!(begun.elapsed() < Duration::from_mins(1), "{other:?}");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Trapezia are off by `max|P''| h^2 / 12` on average, and by as much as readings are rounded: 0.5 W.
#[tokio::test]
#[ignore = "needs FreeIPMI and OpenIPMI: .ci/meters"]
async fn a_curve_that_a_controller_measures_has_its_integral_in_each_quarter_hour() {
    let folder = tempfile::tempdir().unwrap();
    let module = module(folder.path()).await;
    let bmc = Bmc::start(folder.path(), "one", &module);
    let meter = ipmi(folder.path(), &[("n1", &bmc.host)], "secret", IpmiValue::Power);
    let mut measured = Measured::new(ValueKind::Gauge, PERIOD);
    for second in (0..=LENGTH / PERIOD).map(|it| it * PERIOD) {
        bmc.measures(Some(&format!("{:.0} active", watts(second))));
        measured.take(&answered(&meter, instant(second)).await);
    }
    measured.check(&[(0, LENGTH)], |from, to| (trapezia_bound(PERIOD) + 0.5) * (to - from) as f64);
}
