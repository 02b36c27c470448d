//! Redfish: how systems are switched, by a controller of ours.

use std::collections::BTreeMap;
use std::time::Duration;

use bmc::access::Access;
use bmc::address::Addresses;
use grid_feeds::feed::SecretSource;
use grid_feeds::http::{Http, Timeouts};
use planner::power_action::{PowerOrder, PowerReading};
use planner::resource_manager::NodePower;
use planner::time::Timestamp;
use power::redfish::{Redfish, RedfishSettings};
use power::{Driver, PowerError};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::controller::{Controller, Fault, SYSTEM, payload};
use super::only;

pub const NOW: Timestamp = Timestamp::from_unix_seconds(1_767_225_600);

/// A driver for one node, and the file with its password.
pub struct Setup {
    pub driver: Driver,
    _password: NamedTempFile,
}

pub fn settings(controller: &Controller) -> RedfishSettings {
    let listed = [("n1".to_owned(), format!("{}/", controller.url))].into();
    RedfishSettings {
        addresses: Addresses { template: None, listed },
        system: None,
        limit: None,
        access: Access::Open,
        sessions: false,
        forced_off: true,
        at_once: 4,
    }
}

pub fn http() -> Http {
    let total = Duration::from_millis(700);
    Http::new(Timeouts { connect: total, total }).unwrap()
}

pub fn with_password(settings: RedfishSettings, password: &str) -> Setup {
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), password).unwrap();
    let password = SecretSource::File(file.path().to_owned());
    let access = Access::Basic { user: "alice".to_owned(), password };
    let redfish = Redfish::new(RedfishSettings { access, ..settings }, http()).unwrap();
    Setup { driver: Driver::Redfish(redfish), _password: file }
}

pub fn setup(controller: &Controller) -> Setup {
    with_password(settings(controller), "correct-horse")
}

pub fn nodes() -> [String; 1] {
    ["n1".to_owned()]
}

impl Setup {
    async fn power(&self) -> PowerReading {
        only(self.driver.powers(&nodes(), NOW).await)
    }

    async fn order(&self, order: PowerOrder) -> Result<(), PowerError> {
        only(self.driver.order(order, &nodes(), NOW).await)
    }
}

#[tokio::test]
async fn a_node_is_switched_gracefully_and_what_is_told_is_what_is_read() {
    let controller = Controller::new().await;
    let setup = setup(&controller);
    assert!(setup.power().await.is(NodePower::On));
    controller.inside().fault = Fault::Slow(1);
    setup.order(PowerOrder::Off).await.unwrap();
    assert!(setup.power().await.is(NodePower::PoweringDown));
    assert!(setup.power().await.is(NodePower::Off));
    setup.order(PowerOrder::On).await.unwrap();
    assert!(setup.power().await.is(NodePower::PoweringUp));
    assert!(setup.power().await.is(NodePower::On));
    setup.order(PowerOrder::ForcedOff).await.unwrap();
    assert_eq!(controller.resets(), ["GracefulShutdown", "On", "ForceOff"]);
    // The system is looked for once.
    let searches = controller.inside().read.iter().filter(|it| it.ends_with("Systems")).count();
    assert_eq!(searches, 1);
}

#[tokio::test]
async fn a_node_is_forced_off_only_where_the_site_allows_it() {
    let controller = Controller::new().await;
    let strict = RedfishSettings { forced_off: false, ..settings(&controller) };
    let strict = with_password(strict, "correct-horse");
    assert!(!strict.driver.abilities().forced_off);
    let refused = strict.order(PowerOrder::ForcedOff).await;
    assert!(matches!(refused, Err(PowerError::Refused(_))), "{refused:?}");

    // One that only takes power away, and says so in a resource of its own.
    let mut system = payload(include_str!("redfish/system.json"));
    let reset = &mut system["Actions"]["#ComputerSystem.Reset"];
    reset.as_object_mut().unwrap().remove("ResetType@Redfish.AllowableValues");
    reset["@Redfish.ActionInfo"] = json!("/redfish/v1/Systems/1/ResetActionInfo");
    controller.put(SYSTEM, system);
    let info = payload(include_str!("redfish/action_info.json"));
    controller.put("/redfish/v1/Systems/1/ResetActionInfo", info);
    let refused = strict.order(PowerOrder::Off).await.unwrap_err();
    assert!(refused.to_string().contains("does not allow to take"), "{refused}");
    assert_eq!(controller.resets(), [""; 0]);
    let setup = setup(&controller);
    setup.order(PowerOrder::Off).await.unwrap();
    setup.order(PowerOrder::On).await.unwrap();
    assert_eq!(controller.resets(), ["ForceOff", "ForceOn"]);
}

#[tokio::test]
async fn a_controller_that_lies_or_forgets_is_believed_by_its_state_alone() {
    let controller = Controller::new().await;
    let setup = setup(&controller);
    controller.inside().fault = Fault::Lies;
    setup.order(PowerOrder::Off).await.unwrap();
    assert!(setup.power().await.is(NodePower::On), "it said that it would");
    controller.inside().fault = Fault::Forgets;
    setup.order(PowerOrder::Off).await.unwrap();
    assert!(setup.power().await.is(NodePower::Off));
    assert!(setup.power().await.is(NodePower::On), "it came back by itself");
}

#[tokio::test]
async fn a_broken_controller_leaves_the_state_unknown_and_says_whether_trying_again_helps() {
    for (fault, words, may_pass) in [
        (Fault::Hangs, "no answer", true),
        (Fault::Busy, "503", true),
        (Fault::Rubbish, "cannot be read", true),
    ] {
        let controller = Controller::new().await;
        controller.inside().fault = fault;
        let setup = setup(&controller);
        let power = setup.power().await;
        assert!(
            matches!(&power, PowerReading::Unknown(why) if why.contains(words)),
            "{fault:?}: {power:?}"
        );
        let error = setup.order(PowerOrder::Off).await.unwrap_err();
        assert_eq!(error.may_pass(), may_pass, "{fault:?}: {error}");
        assert_eq!(controller.resets(), [""; 0], "{fault:?}");
    }
    let controller = Controller::new().await;
    let setup = setup(&controller);
    controller.inside().fault = Fault::Refuses;
    let refused = setup.order(PowerOrder::Off).await.unwrap_err();
    assert!(matches!(&refused, PowerError::Refused(it) if it.contains("400")), "{refused}");
    // That the other place can be read says nothing of the order.
    controller.inside().fault = Fault::SendsOn;
    let sent_on = setup.order(PowerOrder::Off).await.unwrap_err();
    assert!(sent_on.to_string().contains("303"), "{sent_on}");
    // What it did before the connection broke, it did.
    controller.inside().fault = Fault::Cut;
    let cut = setup.order(PowerOrder::Off).await.unwrap_err();
    assert!(cut.may_pass(), "{cut}");
    assert!(setup.power().await.is(NodePower::Off));
}

#[tokio::test]
async fn no_password_is_told_wherever_it_is_repeated() {
    let controller = Controller::new().await;
    for sessions in [false, true] {
        let settings = RedfishSettings { sessions, ..settings(&controller) };
        let stranger = with_password(settings, "wrong-battery");
        let PowerReading::Unknown(why) = stranger.power().await else { panic!() };
        let error = stranger.order(PowerOrder::Off).await.unwrap_err();
        assert!(matches!(error, PowerError::Denied(_)), "{error}");
        for text in [why, error.to_string(), format!("{error:?} {:?}", stranger.driver)] {
            // `alice:wrong-battery` as Base64 too.
            for secret in ["wrong-battery", "YWxpY2U6d3Jvbmct"] {
                assert!(!text.contains(secret), "{text}");
            }
        }
    }
}

#[tokio::test]
async fn a_session_that_ended_is_opened_again_and_the_order_given_once() {
    let controller = Controller::new().await;
    let settings = RedfishSettings { sessions: true, ..settings(&controller) };
    let setup = with_password(settings, "correct-horse");
    assert!(setup.power().await.is(NodePower::On));
    controller.inside().sessions.1 = false;
    setup.order(PowerOrder::Off).await.unwrap();
    assert_eq!(controller.resets(), ["GracefulShutdown"]);
    assert_eq!(controller.inside().sessions.0, 2);
}

#[tokio::test]
async fn which_system_is_a_nodes_is_never_guessed() {
    let controller = Controller::new().await;
    let members = ["1", "2"].map(|id| json!({"@odata.id": format!("/redfish/v1/Systems/{id}")}));
    let mut systems = payload(include_str!("redfish/systems.json"));
    systems["Members"] = Value::from(members.to_vec());
    controller.put("/redfish/v1/Systems", systems);
    let setup = setup(&controller);
    let error = setup.order(PowerOrder::Off).await.unwrap_err();
    assert!(matches!(&error, PowerError::Configuration(it) if it.contains("`system`")), "{error}");

    let system = Some("/redfish/v1/Systems/1".to_owned());
    let named = RedfishSettings { system, ..settings(&controller) };
    let named = with_password(named, "correct-horse");
    named.order(PowerOrder::Off).await.unwrap();
    assert!(named.power().await.is(NodePower::Off));
}

#[tokio::test]
async fn two_nodes_with_one_system_are_neither_of_them_switched() {
    let controller = Controller::new().await;
    let url = controller.url.clone();
    let both = ["n1", "n2"].map(|node| (node.to_owned(), url.clone()));
    let listed: BTreeMap<String, String> = both.into();
    let shared = Addresses { template: None, listed: listed.clone() };
    let one_for_all = Addresses { template: Some(url.clone()), listed: BTreeMap::new() };
    for addresses in [shared, one_for_all] {
        let settings = RedfishSettings { addresses, ..settings(&controller) };
        let refused = Redfish::new(settings, http()).unwrap_err();
        assert!(matches!(refused, PowerError::Configuration(_)), "{refused}");
    }
    // The path says which is whose.
    let settings = RedfishSettings {
        addresses: Addresses { template: None, listed },
        system: Some("/redfish/v1/Systems/{node}".to_owned()),
        ..settings(&controller)
    };
    let named = with_password(settings, "correct-horse");
    let nodes = ["n1".to_owned(), "n2".to_owned(), "n9".to_owned()];
    let answers = named.driver.order(PowerOrder::Off, &nodes, NOW).await;
    assert!(matches!(answers["n1"], Err(PowerError::Refused(_))), "no such system: {answers:?}");
    assert!(matches!(answers["n9"], Err(PowerError::Configuration(_))), "no address: {answers:?}");
    assert_eq!(answers.len(), 3);
}
