//! FreeIPMI against OpenIPMI's simulator of management controllers.

use std::net::UdpSocket;
use std::path::Path;
use std::time::{Duration, Instant};

use bmc::address::Addresses;
use controllers::{BMC_PASSWORD, Bmc, freeipmi_config, limit_module};
use planner::power_action::{PowerOrder, PowerReading};
use planner::quantity::Power;
use planner::resource_manager::NodePower;
use power::ipmi::{Ipmi, IpmiSettings};
use power::{ByNode, Driver, LimitReading, PowerError, PowerLimit};

use super::{NOW, power, until};

fn driver(folder: &Path, bmcs: &[(&str, &str)], password: &str) -> Driver {
    let listed = bmcs.iter().map(|(node, host)| ((*node).to_owned(), (*host).to_owned()));
    let settings = IpmiSettings {
        program: "ipmipower".into(),
        raw_program: Some("ipmi-raw".into()),
        config_file: Some(freeipmi_config(folder, password)),
        addresses: Addresses { template: None, listed: listed.collect() },
        forced_off: true,
        timeout: Duration::from_secs(30),
    };
    Driver::Ipmi(Ipmi::new(settings).unwrap())
}

fn names(nodes: &[&str]) -> Vec<String> {
    nodes.iter().map(|it| (*it).to_owned()).collect()
}

async fn order(
    driver: &Driver,
    order: PowerOrder,
    nodes: &[&str],
) -> ByNode<Result<(), PowerError>> {
    driver.order(order, &names(nodes), NOW).await
}

async fn until_both_answer(driver: &Driver) {
    let begun = Instant::now();
    let is_unknown = |it: &PowerReading| matches!(it, PowerReading::Unknown(_));
    while driver.powers(&names(&["n1", "n2"]), NOW).await.values().any(is_unknown) {
        assert!(begun.elapsed() < Duration::from_secs(30), "the simulators do not answer");
    }
}

#[tokio::test]
#[ignore = "needs FreeIPMI and OpenIPMI: .ci/power"]
async fn nodes_are_switched_and_those_that_do_not_answer_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let module = limit_module(folder.path());
    let one = Bmc::start(folder.path(), "one", &module);
    let two = Bmc::start(folder.path(), "two", &module);
    let nobody = UdpSocket::bind("127.0.0.1:0").unwrap();
    let silent = nobody.local_addr().unwrap().to_string();
    let bmcs = [
        ("n1", one.host.as_str()),
        ("n2", two.host.as_str()),
        ("n3", silent.as_str()),
        ("n4", "no-such-host.invalid"),
        ("n5", "a,b"),
    ];
    let driver = driver(folder.path(), &bmcs, BMC_PASSWORD);
    until_both_answer(&driver).await;

    // All of them at one address, whose ports the program leaves out of what it prints.
    two.switch(false);
    let powers = driver.powers(&names(&["n1", "n2", "n3", "n4", "n5", "n6"]), NOW).await;
    assert!(powers["n1"].is(NodePower::On) && powers["n2"].is(NodePower::Off), "{powers:?}");
    for (node, words) in
        [("n3", "timeout"), ("n4", "invalid hostname"), ("n5", "is no host"), ("n6", "no address")]
    {
        let PowerReading::Unknown(why) = &powers[node] else { panic!("{node}: {powers:?}") };
        assert!(why.contains(words), "{node}: {why}");
    }

    // The host without an address ends its run before anything is sent: n1 is told once.
    let answers = order(&driver, PowerOrder::Off, &["n1", "n4"]).await;
    assert_eq!(answers["n1"], Ok(()));
    assert!(matches!(&answers["n4"], Err(PowerError::Configuration(_))), "{answers:?}");
    assert_eq!(one.orders(), ["shutdown 1"]);
    until(&driver, "n1", NodePower::Off).await;
    assert_eq!(order(&driver, PowerOrder::On, &["n1", "n2"]).await.len(), 2);
    until(&driver, "n1", NodePower::On).await;
    until(&driver, "n2", NodePower::On).await;
    assert_eq!(order(&driver, PowerOrder::ForcedOff, &["n2"]).await["n2"], Ok(()));
    until(&driver, "n2", NodePower::Off).await;
    assert_eq!(two.orders(), ["power 1", "power 0"]);
}

#[tokio::test]
#[ignore = "needs FreeIPMI and OpenIPMI: .ci/power"]
async fn a_controller_that_lies_forgets_refuses_is_slow_or_frozen_is_never_taken_for_off() {
    let folder = tempfile::tempdir().unwrap();
    let module = limit_module(folder.path());
    let one = Bmc::start(folder.path(), "one", &module);
    let two = Bmc::start(folder.path(), "two", &module);
    let bmcs = [("n1", one.host.as_str()), ("n2", two.host.as_str())];
    let driver = self::driver(folder.path(), &bmcs, BMC_PASSWORD);
    until_both_answer(&driver).await;

    one.fault("lies");
    assert_eq!(order(&driver, PowerOrder::Off, &["n1"]).await["n1"], Ok(()));
    assert!(power(&driver, "n1").await.is(NodePower::On));
    one.fault("slow");
    assert_eq!(order(&driver, PowerOrder::Off, &["n1"]).await["n1"], Ok(()));
    assert!(power(&driver, "n1").await.is(NodePower::On), "not yet");
    until(&driver, "n1", NodePower::Off).await;
    one.fault("forgets");
    assert!(power(&driver, "n1").await.is(NodePower::Off));
    assert!(power(&driver, "n1").await.is(NodePower::On), "it came back by itself");
    one.fault("refuses");
    let refused = order(&driver, PowerOrder::ForcedOff, &["n1"]).await;
    assert!(refused["n1"].is_err(), "{refused:?}");
    one.fault("broken");
    let broken = power(&driver, "n1").await;
    assert!(
        matches!(&broken, PowerReading::Unknown(why) if why.contains("BMC error")),
        "{broken:?}"
    );

    two.process.freeze();
    let frozen = power(&driver, "n2").await;
    let lost = order(&driver, PowerOrder::Off, &["n2"]).await;
    two.process.thaw();
    assert!(matches!(&frozen, PowerReading::Unknown(why) if why.contains("timeout")), "{frozen:?}");
    assert!(lost["n2"].as_ref().is_err_and(PowerError::may_pass), "{lost:?}");

    let stranger = self::driver(folder.path(), &bmcs, "wr0ng-secret");
    let denied = order(&stranger, PowerOrder::Off, &["n2"]).await;
    let error = denied["n2"].as_ref().unwrap_err().to_string();
    assert!(error.contains("password") && !error.contains("wr0ng"), "{error}");
    let PowerReading::Unknown(why) = power(&stranger, "n2").await else { panic!() };
    assert!(why.contains("password") && !why.contains("wr0ng"), "{why}");
}

#[tokio::test]
#[ignore = "needs FreeIPMI and OpenIPMI: .ci/power"]
async fn limits_are_read_set_and_lifted_and_never_switch_a_node_off() {
    let folder = tempfile::tempdir().unwrap();
    let module = limit_module(folder.path());
    let one = Bmc::start(folder.path(), "one", &module);
    let two = Bmc::start(folder.path(), "two", &module);
    let bmcs = [("n1", one.host.as_str()), ("n2", two.host.as_str())];
    let driver = self::driver(folder.path(), &bmcs, BMC_PASSWORD);
    until_both_answer(&driver).await;
    let nodes = names(&["n1", "n2"]);
    let limits = async || driver.limits(&nodes, NOW).await;

    // A limit that is not active, whose exception action is to switch off; and a controller without DCMI.
    one.limit("400 inactive 1");
    let read = limits().await;
    assert_eq!(read["n1"], LimitReading::Unlimited);
    assert!(matches!(&read["n2"], LimitReading::Unknown(why) if why.contains("C1h")), "{read:?}");
    let answers = driver.set_limit(PowerLimit::Watts(350), &nodes, NOW).await;
    assert_eq!(answers["n1"], Ok(()));
    assert!(matches!(&answers["n2"], Err(PowerError::Unsupported(_))), "{answers:?}");
    assert_eq!(one.limit_now(), "350 active 0", "and no exception action");
    assert_eq!(limits().await["n1"], LimitReading::Limited(Power::from_microwatts(350_000_000)));

    // Both are changed by themselves, and what is out of range changes nothing.
    two.limit("500 active 17");
    let answers = driver.set_limit(PowerLimit::Watts(1200), &nodes, NOW).await;
    for node in ["n1", "n2"] {
        let refused = answers[node].as_ref().unwrap_err();
        assert!(refused.to_string().contains("out of its range"), "{refused}");
    }
    assert_eq!((one.limit_now(), two.limit_now()), ("350 active 0".into(), "500 active 17".into()));
    assert!(driver.set_limit(PowerLimit::Unlimited, &nodes, NOW).await.values().all(Result::is_ok));
    assert!(limits().await.values().all(|it| it.is(PowerLimit::Unlimited)));
    assert_eq!(
        (one.limit_now(), two.limit_now()),
        ("350 inactive 0".into(), "500 inactive 17".into())
    );

    let stranger = self::driver(folder.path(), &bmcs, "wr0ng-secret");
    let denied = stranger.set_limit(PowerLimit::Watts(350), &names(&["n1"]), NOW).await;
    let error = denied["n1"].as_ref().unwrap_err().to_string();
    assert!(error.contains("password") && !error.contains("wr0ng"), "{error}");
}
