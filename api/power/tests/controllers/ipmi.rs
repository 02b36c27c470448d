//! FreeIPMI against OpenIPMI's simulator of management controllers. Its chassis is a small script of ours, which does what it
//! is told, or not. It knows no DCMI: `limit.c` beside this file, which it loads, answers the commands of power limits.
//! Sessions and messages are its own.

use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use bmc::address::Addresses;
use planner::power_action::{PowerOrder, PowerReading};
use planner::quantity::Power;
use planner::resource_manager::NodePower;
use power::ipmi::{Ipmi, IpmiSettings};
use power::{ByNode, Driver, LimitReading, PowerError, PowerLimit};
use tokio::process::{Child, Command};

use super::{NOW, power, until};

/// The simulator runs it as `chassis 0x20 get power` and `chassis 0x20 set power 0`.
const CHASSIS: &str = r#"#!/bin/sh
cd "$(dirname "$0")"
fault=$(cat fault)
case $2 in
    get)
        [ "$fault" != broken ] || exit 1
        echo "power:$(cat power)"
        [ "$fault" != forgets ] || echo 1 >power ;;
    set)
        echo "$3 $4" >>orders
        case $3 in shutdown) to=0 ;; *) to=$4 ;; esac
        case $fault in
            refuses) exit 1 ;;
            lies) ;;
            slow) (sleep 2; echo $to >power) >/dev/null 2>&1 & ;;
            *) echo $to >power ;;
        esac ;;
esac
exit 0
"#;

/// Compiles the module; where it is.
async fn module(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/controllers/limit.c");
    let module = folder.join("limit.so");
    let compiled = Command::new("cc")
        .args(["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"])
        .args([&module, &source])
        .output()
        .await
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    module
}

/// A simulated controller, which ends with it.
struct Bmc {
    folder: PathBuf,
    host: String,
    process: Child,
}

impl Bmc {
    fn start(folder: &Path, name: &str, module: &Path) -> Self {
        let folder = folder.join(name);
        std::fs::create_dir_all(folder.join("state")).unwrap();
        let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let chassis = folder.join("chassis");
        let lan = format!(
            "loadlib \"{}\" \"{}\"\nname \"{name}\"\nset_working_mc 0x20\nstartlan 1\n\
             addr 127.0.0.1 {port}\npriv_limit admin\nallowed_auths_admin md5\n\
             allowed_auths_user md5\nallowed_auths_operator md5\n\
             guid a123456789abcdefa123456789abcdef\nendlan\nchassis_control \"{} 0x20\"\n\
             user 2 true \"alice\" \"secret\" admin 10 none md2 md5 straight\n",
            module.display(),
            folder.join("limit").display(),
            chassis.display()
        );
        std::fs::write(folder.join("lan.conf"), lan).unwrap();
        std::fs::write(&chassis, CHASSIS).unwrap();
        std::fs::set_permissions(&chassis, std::fs::Permissions::from_mode(0o755)).unwrap();
        let commands = "mc_setbmc 0x20\nmc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr\n\
                        mc_enable 0x20\n";
        for (file, text) in
            [("commands", commands), ("fault", "none"), ("power", "1\n"), ("orders", "")]
        {
            std::fs::write(folder.join(file), text).unwrap();
        }
        let process = Command::new("ipmi_sim")
            .args(["-n", "-c", "lan.conf", "-f", "commands", "-s", "state"])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Self { folder, host: format!("127.0.0.1:{port}"), process }
    }

    fn fault(&self, fault: &str) {
        std::fs::write(self.folder.join("fault"), fault).unwrap();
    }

    /// What its chassis was told.
    fn orders(&self) -> Vec<String> {
        let orders = std::fs::read_to_string(self.folder.join("orders")).unwrap();
        orders.lines().map(str::to_owned).collect()
    }

    /// Its power limit: watts, whether it is active, and the exception action.
    fn limit(&self, text: &str) {
        std::fs::write(self.folder.join("limit"), text).unwrap();
    }

    fn limit_now(&self) -> String {
        std::fs::read_to_string(self.folder.join("limit")).unwrap().trim().to_owned()
    }

    /// Freezes it, or lets it go on.
    async fn signal(&self, signal: &str) {
        let id = self.process.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().await.unwrap().success());
    }
}

fn driver(folder: &Path, bmcs: &[(&str, &str)], password: &str) -> Driver {
    let file = folder.join(format!("freeipmi-{password}.conf"));
    let text = format!(
        "username alice\npassword {password}\ndriver-type LAN\nsession-timeout 3000\n\
         retransmission-timeout 500\n"
    );
    std::fs::write(&file, text).unwrap();
    let listed = bmcs.iter().map(|(node, host)| ((*node).to_owned(), (*host).to_owned()));
    let settings = IpmiSettings {
        program: "ipmipower".into(),
        raw_program: Some("ipmi-raw".into()),
        config_file: Some(file),
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
    let module = module(folder.path()).await;
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
    let driver = driver(folder.path(), &bmcs, "secret");
    until_both_answer(&driver).await;

    // All of them at one address, whose ports the program leaves out of what it prints.
    std::fs::write(two.folder.join("power"), "0\n").unwrap();
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
    let module = module(folder.path()).await;
    let one = Bmc::start(folder.path(), "one", &module);
    let two = Bmc::start(folder.path(), "two", &module);
    let bmcs = [("n1", one.host.as_str()), ("n2", two.host.as_str())];
    let driver = self::driver(folder.path(), &bmcs, "secret");
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

    two.signal("-STOP").await;
    let frozen = power(&driver, "n2").await;
    let lost = order(&driver, PowerOrder::Off, &["n2"]).await;
    two.signal("-CONT").await;
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
    let module = module(folder.path()).await;
    let one = Bmc::start(folder.path(), "one", &module);
    let two = Bmc::start(folder.path(), "two", &module);
    let bmcs = [("n1", one.host.as_str()), ("n2", two.host.as_str())];
    let driver = self::driver(folder.path(), &bmcs, "secret");
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
