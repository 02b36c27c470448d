use super::*;
use crate::json::reader::{JsonError, read};
use crate::service_estimate::estimate as estimated;

const CALIBRATION: &str = r#"{
    "idle_power_w": 95,
    "added_power_w": {"computing": 95, "polling": 80, "memory": 30, "disk": 8, "network": 12},
    "cores_per_node": 24,
    "memory": {"latency_us": 0.5, "bandwidth_mb_per_s": 8000},
    "network": {"latency_us": 20, "bandwidth_mb_per_s": 117},
    "disk": {"write_mb_per_s": 90, "read_mb_per_s": 110, "shared": false},
    "synchronisation_us": 50
}"#;

fn read_with(fields: &str) -> Result<EstimateInput, Vec<JsonError>> {
    let text = format!("{{\"calibration\": {CALIBRATION}, {fields}}}");
    read(&text, |reader, raw| estimate(reader, raw, Currency::EUR))
}

fn operation(fields: &str) -> Operation {
    read_with(fields).unwrap().request.operation
}

fn errors(text: &str) -> Vec<String> {
    let read = read(text, |reader, raw| estimate(reader, raw, Currency::EUR));
    read.unwrap_err().iter().map(ToString::to_string).collect()
}

fn errors_with(fields: &str) -> Vec<String> {
    read_with(fields).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn every_value_of_a_calibration_in_its_unit() {
    let input = read_with(r#""operation": "broadcast", "nodes": 64, "bytes": 1e9"#).unwrap();
    let OperationRequest { calibration, processes, operation, rates } = input.request;
    assert_eq!(processes, Processes { nodes: 64, per_node: 24 });
    assert_eq!(operation, Operation::Broadcast { bytes: 1_000_000_000, segment_bytes: None });
    assert_eq!((rates, input.at), (EstimateRates::default(), None));
    assert_eq!(calibration.idle.as_microwatts(), 95_000_000);
    assert_eq!(calibration.added.disk.as_microwatts(), 8_000_000);
    let near =
        |value: f64, expected: f64| assert!((value / expected - 1.0).abs() < 1e-12, "{value}");
    near(calibration.memory.latency_s, 0.5e-6);
    near(calibration.memory.seconds_per_byte, 1.0 / 8e9);
    near(calibration.network.seconds_per_byte, 1.0 / 117e6);
    near(calibration.disk.read_seconds_per_byte, 1.0 / 110e6);
    near(calibration.synchronisation_s.unwrap(), 50e-6);
}

#[test]
fn every_operation_with_its_fields() {
    let checkpoint = operation(
        r#""operation": "checkpoint", "nodes": 4, "bytes_per_process": 1e9, "work_s": "PT24H",
           "node_mtbf_s": "P365D", "interval_s": 3600, "downtime_s": 60, "skew_s": 0.25,
           "message_bytes_per_s": 1e6"#,
    );
    let expected = CheckpointRequest {
        bytes_per_process: 1_000_000_000,
        work_s: 86_400.0,
        node_mtbf_s: 31_536_000.0,
        interval_s: Some(3_600.0),
        downtime_s: 60.0,
        skew_s: 0.25,
        message_bytes_per_s: Some(1e6),
    };
    assert_eq!(checkpoint, Operation::Checkpoint(expected));
    // Half of an interval is lost in the mean.
    let restart = operation(
        r#""operation": "restart", "nodes": 4, "bytes_per_process": 1, "interval_s": 3600"#,
    );
    let expected = RestartRequest {
        bytes_per_process: 1,
        lost_s: 1_800.0,
        downtime_s: 0.0,
        message_bytes_per_s: None,
    };
    assert_eq!(restart, Operation::Restart(expected));
    for (name, expected) in [
        ("scatter", Operation::Scatter { bytes_per_process: 8 }),
        ("gather", Operation::Gather { bytes_per_process: 8 }),
        ("all-gather", Operation::AllGather { bytes_per_process: 8 }),
    ] {
        let read = operation(&format!(
            r#""operation": "{name}", "nodes": 4, "processes_per_node": 2, "bytes_per_process": 8"#
        ));
        assert_eq!((read.name(), &read), (name, &expected));
    }
}

#[test]
fn rates_are_known_or_unknown() {
    let fields = r#""operation": "scatter", "nodes": 2, "bytes_per_process": 8"#;
    let rates = |more: &str| read_with(&format!("{fields}{more}")).unwrap().request.rates;
    let price = |code: &str| {
        EnergyPrice::from_millionths_per_mwh(76_300_000)
            .map(|it| (it, Currency::parse(code).unwrap()))
    };
    assert_eq!(rates(r#", "price_per_mwh": 76.3"#).price, price("EUR"));
    assert_eq!(rates(r#", "price_per_mwh": 76.3, "currency": "CHF""#).price, price("CHF"));
    assert_eq!(rates(r#", "price_per_mwh": null"#).price, None);
    let intensity = CarbonIntensity::from_millionths_g_per_kwh(56_000_000);
    assert_eq!(rates(r#", "intensity_g_per_kwh": 56"#).intensity, intensity);
    let input = read_with(&format!(r#"{fields}, "at": "2026-03-01T12:00:00Z""#)).unwrap();
    assert_eq!(input.at, Timestamp::parse("2026-03-01T12:00:00Z").ok());
}

#[test]
fn every_error_has_its_place() {
    assert_eq!(errors("7"), ["is not an object"]);
    assert_eq!(
        errors("{}"),
        ["/calibration: is missing", "/nodes: is missing", "/operation: is missing",],
    );
    assert_eq!(
        errors(
            r#"{"operation": "reduce", "nodes": 0, "processes_per_node": 2.5, "price_per_mwh": "x",
                "intensity_g_per_kwh": -1, "at": 5, "calibration": {
                "idle_power_w": -1, "added_power_w": {"computing": 1, "polling": 1, "memory": 1, "gpu": 3},
                "cores_per_node": 0, "memory": {"latency_us": -1, "bandwidth_mb_per_s": 0},
                "network": 3, "disk": {"write_mb_per_s": 1, "read_mb_per_s": 1}}}"#
        ),
        [
            "/calibration/idle_power_w: must lie between 0 and 1e11 W",
            "/calibration/added_power_w/gpu: is not a known field; known are computing, polling, memory, disk, network",
            "/calibration/added_power_w/disk: is missing",
            "/calibration/added_power_w/network: is missing",
            "/calibration/cores_per_node: must lie between 1 and 1000000",
            "/calibration/memory/latency_us: must be at least 0",
            "/calibration/memory/bandwidth_mb_per_s: must be above 0",
            "/calibration/network: is not an object",
            "/calibration/disk/shared: is missing",
            "/nodes: must lie between 1 and 10000000",
            "/processes_per_node: is not a whole number",
            "/operation: must be one of checkpoint, restart, broadcast, scatter, gather, all-gather",
            "/price_per_mwh: is not a number",
            "/intensity_g_per_kwh: must lie between 0 and 1e6 g/kWh",
            "/at: is not a string",
        ],
    );
}

#[test]
fn errors_of_operations() {
    let checkpoint = r#""operation": "checkpoint", "nodes": 4, "processes_per_node": 25"#;
    assert_eq!(
        errors_with(&format!(
            r#"{checkpoint}, "bytes_per_process": 0, "work_s": 0, "interval_s": "soon",
               "downtime_s": -1, "skew_s": -0.5, "lost_s": 3, "currency": "EUR""#
        )),
        [
            "/lost_s: is not a known field; known are operation, calibration, nodes, processes_per_node, price_per_mwh, \
             currency, intensity_g_per_kwh, at, bytes_per_process, work_s, node_mtbf_s, interval_s, downtime_s, skew_s, \
             message_bytes_per_s",
            "/processes_per_node: is more than calibration.cores_per_node",
            "/bytes_per_process: must be at least 1",
            "/work_s: must be at least 1 s",
            "/node_mtbf_s: is missing",
            "/interval_s: is not a duration such as 3600 or \"PT1H\"",
            "/downtime_s: must be at least 0",
            "/skew_s: must be at least 0",
            "/currency: says nothing without price_per_mwh",
        ],
    );
    let restart = r#""operation": "restart", "nodes": 4, "bytes_per_process": 1"#;
    assert_eq!(errors_with(restart), ["/lost_s: is missing; interval_s may be said instead"]);
    let both = format!(r#"{restart}, "lost_s": 1, "interval_s": 2"#);
    assert_eq!(errors_with(&both), ["/interval_s: cannot be said beside lost_s"]);
}

#[test]
fn documents_tell_what_is_unknown_as_null() {
    let fields = r#""operation": "broadcast", "nodes": 4, "processes_per_node": 1, "bytes": 8"#;
    let document = |more: &str| {
        let request = read_with(&format!("{fields}{more}")).unwrap().request;
        serde_json::to_value(OperationEstimateDocument::new(&request, &estimated(&request)))
            .unwrap()
    };
    let unknown = document("");
    assert!(unknown["versions"][0]["cost"].is_null());
    assert!(unknown["least"]["co2"].is_null());
    assert!(unknown["rates"]["currency"].is_null());
    assert_eq!(unknown["operation"], "broadcast");
    assert_eq!(unknown["versions"][0]["version"], "pipelined");
    let known = document(r#", "price_per_mwh": 80, "intensity_g_per_kwh": 50"#);
    assert!(known["versions"][0]["cost"].as_f64().unwrap() > 0.0);
    assert_eq!(known["rates"]["currency"], "EUR");
    assert_eq!(known["least"]["cost"], known["least"]["energy"]);
}
