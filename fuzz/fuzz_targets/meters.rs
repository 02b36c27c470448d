//! What meters and management controllers answer: Prometheus, Redfish, FreeIPMI's programs and a site's own command.
#![no_main]

use grid_feeds::http::{Http, Timeouts};
use meters::access::Access;
use meters::name::NameRule;
use meters::prometheus::{Prometheus, PrometheusSettings};
use planner::metering::MeterUnit;
use planner::time::{Seconds, Span, Timestamp};
use wattbook_fuzz::FuzzedParser;

/// A resource of a vendor's, as the tests of meters and of power have it.
macro_rules! resource {
    ($file:literal) => {
        include_str!(concat!("../../api/", $file))
    };
}

wattbook_fuzz::target!(vec![
    FuzzedParser::of_text("Prometheus", MATRIX, prometheus()),
    FuzzedParser::of_text("IPMI power", POWER_STATISTICS, |text| {
        meters::fuzzing::ipmi(&["n1", "10.0.0.2:623"], text)
    }),
    FuzzedParser::of_text(
        "Redfish environment",
        resource!("meters/tests/answers/redfish/environment_metrics.json"),
        meters::fuzzing::redfish,
    ),
    FuzzedParser::of_text(
        "Redfish power",
        resource!("meters/tests/answers/redfish/power.json"),
        meters::fuzzing::redfish,
    ),
    FuzzedParser::of_text(
        "Redfish system",
        resource!("power/tests/answers/redfish/system.json"),
        power::fuzzing::redfish,
    ),
    FuzzedParser::of_text(
        "Redfish limit",
        resource!("power/tests/answers/redfish/environment_metrics.json"),
        power::fuzzing::redfish,
    ),
    FuzzedParser::of_text(
        "Redfish control",
        resource!("power/tests/answers/redfish/control.json"),
        power::fuzzing::redfish,
    ),
    FuzzedParser::of_text(
        "Redfish power limit",
        resource!("power/tests/answers/redfish/power.json"),
        power::fuzzing::redfish,
    ),
    FuzzedParser::of_text("IPMI limit", LIMIT, power::fuzzing::ipmi),
    FuzzedParser::of_text("site's command", COMMAND, power::fuzzing::command),
]);

/// Reads answers about an hour. Samples must be in it and in order.
fn prometheus() -> impl Fn(&str) -> bool {
    let settings = PrometheusSettings {
        url: "http://localhost:9090".parse().expect("an address"),
        access: Access::Open,
        query: "power_watts".to_owned(),
        name: NameRule::new("instance", Some("^([^.:]+)")).expect("a pattern"),
        unit: MeterUnit::Watt,
        period: Seconds::new(60),
    };
    let http = Http::new(Timeouts::default()).expect("a client");
    let prometheus = Prometheus::new(settings, http);
    let start = Timestamp::from_unix_seconds(1_767_225_600);
    let hour = Span::starting(start, Seconds::new(3600)).expect("an hour");
    move |text| {
        let Some(answer) = prometheus.read_text(text, hour) else { return false };
        for series in &answer.series {
            assert!(series.samples.iter().all(|it| hour.contains(it.at.second())), "{series:?}");
        }
        answer.notes.is_empty()
    }
}

const MATRIX: &str = r#"{"status": "success", "data": {"resultType": "matrix", "result": [
    {"metric": {"__name__": "power_watts", "instance": "n1.example.org:9100"},
     "values": [[1767225600, "401.25"], [1767225660.781, "4.0e2"]]},
    {"metric": {"instance": "n2:9100"}, "values": [[1767225600.123, "0"]]}]}, "warnings": []}"#;

const POWER_STATISTICS: &str = "n1: Current Power                        : 220 Watts
n1: Minimum Power over sampling duration : 110 watts
n1: Average Power over sampling duration : 211 watts
n1: Power Measurement                    : Active
10.0.0.2:623: Current Power                        : 65535 Watts
10.0.0.2:623: Average Power over sampling duration : 1 watts
10.0.0.2:623: Power Measurement                    : Active
";

const LIMIT: &str =
    "n1: rcvd: 03 80 DC 00 00 01 90 01 E8 03 00 00 00 00 01 00\nn2: rcvd: 03 C1 DC\n";

const COMMAND: &str =
    "n1: on\nn2: unknown it does not answer\nn3: 350 W\nn4: none\nn5: failed no controller\n";
