//! A day under a manager whose rights and warm nodes are by partition or feature.

use planner::filter::{FilterError, NodeFilter};
use planner::labels::{Labels, NodeLabels};
use serde_json::{Value, json};
use simulator::sesames::{InputError, ManagedPower};

use super::*;

/// Nodes of 95 W idle: b1 and b2 in the partition batch, b2 with the feature gpu, and d1 in the partition debug. The request takes
/// d1 for the first hour.
fn inputs() -> Inputs {
    let watts = |watts| Power::from_watts(watts).unwrap();
    let node = Node::new(watts(95.0), watts(190.0), None).unwrap();
    let labels = |partition: &str, features: &[&str]| NodeLabels {
        partitions: vec![partition.into()],
        features: features.iter().map(|it| (*it).into()).collect(),
    };
    let labels =
        Labels::new([labels("batch", &[]), labels("batch", &["gpu"]), labels("debug", &[])]);
    let start = Parameters::default().start;
    let shape = Shape { nodes: 1, duration: Seconds::new(HOUR) };
    let filter = NodeFilter { partition: Some("debug".into()), ..NodeFilter::default() };
    Inputs {
        nodes: Source::Given(Arc::new(Nodes::numbered(vec![node; 3]).unwrap().with_labels(labels))),
        power_cap: Source::Given(None),
        requests: Source::Given(vec![Request { filter, ..Request::new(shape, start, start) }]),
        ..Inputs::default()
    }
}

/// A day with these parameters of the manager.
fn day(manager: &Value) -> Parameters {
    let mut document = json!({"nodes": 3, "requests": 1, "runs": 1, "days": 1, "manager": "sleep"});
    document.as_object_mut().unwrap().extend(manager.as_object().unwrap().clone());
    serde_json::from_value(document).unwrap()
}

fn managed(manager: &Value) -> ManagedPower {
    let runs = judged(&cell(&day(manager), &inputs(), &[Policy::AsapFirst]));
    runs[0].policies[0].managed.unwrap()
}

fn saved(manager: &Value) -> (f64, f64) {
    let power = managed(manager);
    let saved_j = power.idle.energy_j - power.managed.energy_j;
    (power.sleeps, (saved_j * 1000.0).round() / 1000.0)
}

/// A node that sleeps for the day takes 100.7 W for 6.1 s, 9.5 W for 86,242.38 s and 125.4 W for 151.52 s, 838,917.488 J, instead of
/// 8,208,000 J: 7,369,082.512 J are saved.
const DAY_J: f64 = 7_369_082.512;

/// All three nodes may be switched off: d1 after its hour, which saves 85.5 x 3,600 = 307,800 J less. Of the partition batch b1 and b2,
/// and b1 alone where nodes with the feature gpu may not be: the strictest right holds. An empty list gives no right.
#[test]
fn rights_are_by_partition_or_feature() {
    assert_eq!(saved(&json!({})), (3.0, 3.0 * DAY_J - 307_800.0));
    let batch = json!({"partition": "batch", "level": "automatic"});
    assert_eq!(saved(&json!({"rights": [batch]})), (2.0, 2.0 * DAY_J));
    let gpu = json!({"feature": "gpu", "level": "nothing"});
    assert_eq!(saved(&json!({"rights": [batch, gpu]})), (1.0, DAY_J));
    assert_eq!(saved(&json!({"rights": []})), (0.0, 0.0));
    assert_eq!(saved(&json!({"rights": null})), saved(&json!({})));
    // The oracle has the same rights.
    let power = managed(&json!({"rights": [batch, gpu]}));
    assert_eq!(power.oracle, power.managed);
}

/// From 06:00 to 08:00 in Paris is from 05:00 UTC on in January: 85.5 x 18,000 = 1,539,000 J less than from midnight on. The hours of
/// `off_from_h` hold where a right has none of its own: from 03:00 UTC on, 85.5 x 10,800 = 923,400 J less.
#[test]
fn rights_have_hours() {
    let paris = json!([{"from": "06:00", "to": "08:00", "zone": "Europe/Paris"}]);
    let own = json!({"partition": "batch", "level": "automatic", "windows": paris});
    let gpu = json!({"feature": "gpu", "level": "nothing"});
    assert_eq!(saved(&json!({"rights": [own, gpu]})), (1.0, DAY_J - 1_539_000.0));
    let hours = |right: &Value| json!({"rights": [right, gpu], "off_from_h": 3, "off_until_h": 4});
    let without = json!({"partition": "batch", "level": "automatic"});
    assert_eq!(saved(&hours(&without)), (1.0, DAY_J - 923_400.0));
    assert_eq!(saved(&hours(&own)), (1.0, DAY_J - 1_539_000.0));
}

/// One node of the partition batch stays warm, and the only one of the partition debug: one of b1 and b2 sleeps. With three of all nodes
/// warm beside, none does, but for the hour of d1 nobody has as many.
#[test]
fn warm_nodes_are_by_partition_or_feature() {
    let batch = json!({"partition": "batch", "nodes": 1});
    let debug = json!({"partition": "debug", "nodes": 1});
    assert_eq!(saved(&json!({"keep_warm_in": [batch, debug]})), (1.0, DAY_J));
    assert_eq!(saved(&json!({"keep_warm_in": [batch], "keep_warm": 3})), (0.0, 0.0));
    let gpu = json!({"feature": "gpu", "nodes": 1});
    assert_eq!(saved(&json!({"keep_warm_in": [gpu, debug]})), (1.0, DAY_J));
}

#[test]
fn what_no_node_has_is_told_with_its_place() {
    let manager = json!({
        "rights": [{"partition": "batch", "level": "nothing"}, {"feature": "tpu", "level": "nothing"}],
        "keep_warm_in": [{"partition": "bach", "nodes": 1}],
    });
    let errors = |inputs: Inputs| {
        let error = Cell::new(day(&manager), inputs, vec![Policy::AsapFirst]).unwrap_err();
        let SesamesError::Inputs(errors) = error else { panic!("{error}") };
        errors
    };
    let of_given = errors(inputs());
    let no_partition = FilterError::NoPartition("bach".into());
    let expected = InputError::Group {
        parameter: "keep_warm_in",
        index: 0,
        kind: "partition",
        error: no_partition,
    };
    assert_eq!(of_given[1], expected);
    assert_eq!(of_given[0].to_string(), "rights/1/feature: no node has feature \"tpu\"");
    assert_eq!(of_given.len(), 2);
    let place = of_given[0].place_in_parameter();
    assert_eq!(place, Some(("rights", "rights/1/feature".to_owned())));
    let of_drawn = errors(Inputs::default());
    assert_eq!(of_drawn.len(), 3);
    assert!(of_drawn[0].to_string().starts_with("rights/0/partition: only chooses among"));
}

/// A document that says nothing of groups names none; one that does is read as it was written.
#[test]
fn groups_are_recorded_where_they_are_said() {
    let said_nothing = serde_json::to_value(day(&json!({}))).unwrap();
    assert_eq!((said_nothing.get("rights"), said_nothing.get("keep_warm_in")), (None, None));
    let rights = json!([{"partition": "batch", "level": "automatic"}]);
    let warm = json!([{"feature": "gpu", "nodes": 1}]);
    let parameters = day(&json!({"rights": rights, "keep_warm_in": warm}));
    let written = serde_json::to_value(&parameters).unwrap();
    assert_eq!((&written["rights"], &written["keep_warm_in"]), (&rights, &warm));
    assert_eq!(serde_json::from_value::<Parameters>(written).unwrap(), parameters);
    let names = Parameters::names();
    assert!(["rights", "keep_warm_in"].iter().all(|name| names.iter().any(|it| it == name)));
}
