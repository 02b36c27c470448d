//! Redfish: power limits in each of the three kinds of resources, by a controller of ours. Its payloads are those in
//! `redfish/`, which `.ci/redfish` checks by the DMTF's schemas, with the limits of each test.

use planner::quantity::Power;
use power::redfish::RedfishSettings;
use power::{LimitReading, PowerError, PowerLimit};
use serde_json::{Value, json};

use super::controller::{CHASSIS, Controller, Fault, SYSTEM, payload};
use super::only;
use super::redfish::{NOW, Setup, nodes, settings, setup, with_password};

impl Setup {
    async fn limit(&self) -> LimitReading {
        only(self.driver.limits(&nodes(), NOW).await)
    }

    async fn set_limit(&self, limit: PowerLimit) -> Result<(), PowerError> {
        only(self.driver.set_limit(limit, &nodes(), NOW).await)
    }
}

fn link(path: &str) -> Value {
    json!({"@odata.id": path})
}

fn environment(limit: &Value) -> Value {
    let mut document = payload(include_str!("redfish/environment_metrics.json"));
    document["PowerLimitWatts"] = limit.clone();
    document
}

/// A controller whose chassis has `EnvironmentMetrics` with this limit.
async fn with_environment(limit: Value) -> Controller {
    let controller = Controller::new().await;
    let path = format!("{CHASSIS}/EnvironmentMetrics");
    controller.put(&path, environment(&limit));
    let mut chassis = payload(include_str!("redfish/chassis.json"));
    chassis["EnvironmentMetrics"] = link(&path);
    controller.put(CHASSIS, chassis);
    controller
}

/// From 300 to 800 W, and not in force.
fn range() -> Value {
    payload(include_str!("redfish/environment_metrics.json"))["PowerLimitWatts"].take()
}

fn watts(watts: i64) -> LimitReading {
    LimitReading::Limited(Power::from_microwatts(watts * 1_000_000))
}

#[tokio::test]
async fn environment_metrics_have_a_set_point_and_a_mode() {
    let controller = with_environment(range()).await;
    let setup = setup(&controller);
    assert_eq!(setup.limit().await, LimitReading::Unlimited, "its mode is Disabled");
    setup.set_limit(PowerLimit::Watts(450)).await.unwrap();
    assert!(setup.limit().await.is(PowerLimit::Watts(450)));
    setup.set_limit(PowerLimit::Unlimited).await.unwrap();
    assert!(setup.limit().await.is(PowerLimit::Unlimited));
    assert_eq!(
        controller.changes(),
        [
            json!({"PowerLimitWatts": {"SetPoint": 450, "ControlMode": "Automatic"}}),
            json!({"PowerLimitWatts": {"ControlMode": "Disabled"}}),
        ]
    );
}

#[tokio::test]
async fn a_limit_out_of_range_is_refused_with_the_range_before_it_is_sent() {
    let controller = with_environment(range()).await;
    let setup = setup(&controller);
    for (limit, words) in [(299, "AllowableMin is 300 W"), (801, "AllowableMax is 800 W")] {
        let refused = setup.set_limit(PowerLimit::Watts(limit)).await.unwrap_err();
        assert!(refused.to_string().contains(words), "{refused}");
    }
    assert_eq!(controller.changes(), [Value::Null; 0]);
}

#[tokio::test]
async fn a_control_of_the_type_power_is_set() {
    let controller = Controller::new().await;
    let mut chassis = payload(include_str!("redfish/chassis.json"));
    chassis["Controls"] = link("/redfish/v1/Chassis/1/Controls");
    controller.put(CHASSIS, chassis);
    let members = ["Node", "Fan", "Told"];
    let paths = members.map(|id| format!("{CHASSIS}/Controls/{id}"));
    let list: Vec<Value> = paths.iter().map(|path| link(path)).collect();
    controller.put(&format!("{CHASSIS}/Controls"), json!({"Members": list}));
    let node = payload(include_str!("redfish/control.json"));
    let mut fan = node.clone();
    fan["ControlType"] = json!("Temperature");
    let mut told = node.clone();
    told["SetPointType"] = json!("Monitor");
    for (path, control) in paths.iter().zip([node, fan, told]) {
        controller.put(path, control);
    }
    let setup = setup(&controller);
    let half = LimitReading::Limited(Power::from_microwatts(650_500_000));
    assert_eq!(setup.limit().await, half);
    setup.set_limit(PowerLimit::Watts(400)).await.unwrap();
    assert_eq!(setup.limit().await, watts(400));
    let refused = setup.set_limit(PowerLimit::Watts(349)).await.unwrap_err();
    assert!(refused.to_string().contains("SettingMin is 350 W"), "{refused}");
}

async fn with_old_power(exception: &str) -> Controller {
    let controller = Controller::new().await;
    let mut power = payload(include_str!("redfish/power.json"));
    power["PowerControl"][1]["PowerLimit"]["LimitException"] = json!(exception);
    controller.put(&format!("{CHASSIS}/Power"), power);
    controller
}

#[tokio::test]
async fn the_deprecated_resource_is_changed_in_its_one_member() {
    let controller = with_old_power("LogEventOnly").await;
    let setup = setup(&controller);
    assert_eq!(setup.limit().await, watts(500));
    setup.set_limit(PowerLimit::Watts(420)).await.unwrap();
    assert_eq!(setup.limit().await, watts(420));
    setup.set_limit(PowerLimit::Unlimited).await.unwrap();
    assert_eq!(setup.limit().await, LimitReading::Unlimited);
    assert_eq!(
        controller.changes()[0],
        json!({"PowerControl": [{}, {"PowerLimit": {"LimitInWatts": 420}}]})
    );
}

#[tokio::test]
async fn a_limit_that_would_switch_its_node_off_is_not_set() {
    let controller = with_old_power("HardPowerOff").await;
    let setup = setup(&controller);
    let refused = setup.set_limit(PowerLimit::Watts(420)).await.unwrap_err();
    assert!(refused.to_string().contains("HardPowerOff"), "{refused}");
    setup.set_limit(PowerLimit::Unlimited).await.unwrap();
    assert_eq!(controller.changes().len(), 1);
}

#[tokio::test]
async fn a_limit_of_several_systems_is_none_of_a_node() {
    let controller = with_old_power("NoAction").await;
    let mut chassis = payload(include_str!("redfish/chassis.json"));
    chassis["Links"]["ComputerSystems"] = json!([link(SYSTEM), link("/redfish/v1/Systems/2")]);
    controller.put(CHASSIS, chassis);
    let refused = setup(&controller).set_limit(PowerLimit::Watts(420)).await.unwrap_err();
    assert!(
        matches!(&refused, PowerError::Unsupported(it) if it.contains("together")),
        "{refused}"
    );
}

#[tokio::test]
async fn which_limit_is_a_nodes_is_never_guessed() {
    let controller = with_environment(range()).await;
    let board = "/redfish/v1/Chassis/Board";
    let mut system = payload(include_str!("redfish/system.json"));
    system["Links"]["Chassis"] = json!([link(CHASSIS), link(board)]);
    controller.put(SYSTEM, system);
    let path = format!("{board}/EnvironmentMetrics");
    controller.put(board, json!({"EnvironmentMetrics": link(&path)}));
    controller.put(&path, environment(&json!({"SetPoint": 70})));
    let several = setup(&controller).set_limit(PowerLimit::Watts(450)).await.unwrap_err();
    assert!(
        matches!(&several, PowerError::Configuration(it) if it.contains("`limit`")),
        "{several}"
    );

    let settings = RedfishSettings { limit: Some(path), ..settings(&controller) };
    let named = with_password(settings, "correct-horse");
    named.set_limit(PowerLimit::Watts(80)).await.unwrap();
    assert_eq!(named.limit().await, watts(80));
    // It has no mode by which it could be lifted.
    let fixed = named.set_limit(PowerLimit::Unlimited).await.unwrap_err();
    assert!(matches!(fixed, PowerError::Unsupported(_)), "{fixed}");
}

#[tokio::test]
async fn a_controller_without_limits_says_so_and_no_number_is_made_up() {
    let controller = Controller::new().await;
    let refused = setup(&controller).set_limit(PowerLimit::Watts(450)).await.unwrap_err();
    assert!(matches!(refused, PowerError::Unsupported(_)), "{refused}");
    for (limit, expected) in [
        (json!({"SetPoint": null}), Some(LimitReading::Unlimited)),
        (json!({"SetPoint": 0}), Some(LimitReading::Unlimited)),
        (json!({"SetPoint": "400"}), Some(watts(400))),
        (json!({"SetPoint": "much"}), None),
        (json!({"SetPoint": [400]}), None),
    ] {
        let controller = with_environment(limit.clone()).await;
        let read = setup(&controller).limit().await;
        match expected {
            Some(expected) => assert_eq!(read, expected, "{limit}"),
            None => assert!(matches!(read, LimitReading::Unknown(_)), "{limit}: {read:?}"),
        }
    }
}

#[tokio::test]
async fn a_limit_is_what_was_read_back() {
    let controller = with_environment(range()).await;
    let setup = setup(&controller);
    for fault in [Fault::Lies, Fault::Forgets] {
        controller.inside().fault = fault;
        setup.set_limit(PowerLimit::Watts(450)).await.unwrap();
        if fault == Fault::Forgets {
            assert!(setup.limit().await.is(PowerLimit::Watts(450)));
        }
        assert!(!setup.limit().await.is(PowerLimit::Watts(450)), "{fault:?}");
    }
    controller.inside().fault = Fault::Refuses;
    let refused = setup.set_limit(PowerLimit::Watts(450)).await.unwrap_err();
    assert!(matches!(refused, PowerError::Refused(_)), "{refused}");
}
