//! FreeIPMI's programs as they are on a bad day, by scripts in their place. `../controllers` has the real ones.

use std::time::Duration;

use bmc::address::Addresses;
use planner::power_action::{PowerOrder, PowerReading};
use planner::resource_manager::NodePower;
use power::ipmi::{Ipmi, IpmiSettings};
use power::{Driver, LimitReading, PowerError, PowerLimit};

use super::only;
use super::redfish::{NOW, nodes};
use super::scripts::Script;

fn settings(program: &Script) -> IpmiSettings {
    let listed = [("n1", "10.0.0.1"), ("n2", "10.0.0.2:6230"), ("n3", "lost")];
    let listed = listed.map(|(node, host)| (node.to_owned(), host.to_owned()));
    IpmiSettings {
        program: program.path(),
        raw_program: Some(program.path()),
        config_file: Some("/etc/wattbook/freeipmi.conf".into()),
        addresses: Addresses { template: None, listed: listed.into() },
        forced_off: false,
        timeout: Duration::from_secs(20),
    }
}

fn driver(program: &Script) -> Driver {
    Driver::Ipmi(Ipmi::new(settings(program)).unwrap())
}

/// It ends at a host without an address, before it sends anything.
const ENDS_AT_LOST: &str = r#"
echo "$@" >>"$here/runs"
case $* in *lost*) echo 'lost: invalid hostname'; exit 1 ;; esac
echo '10.0.0.1: on'
echo '10.0.0.2: off'
"#;

#[tokio::test]
async fn a_host_without_an_address_keeps_no_others_back() {
    let program = Script::new(ENDS_AT_LOST);
    let powers = driver(&program).powers(&["n1", "n2", "n3"].map(str::to_owned), NOW).await;
    assert!(powers["n1"].is(NodePower::On) && powers["n2"].is(NodePower::Off));
    let why = "configuration: invalid hostname".to_owned();
    assert_eq!(powers["n3"], PowerReading::Unknown(why));
    let first = "--stat --always-prefix --config-file=/etc/wattbook/freeipmi.conf";
    assert_eq!(
        program.wrote("runs"),
        format!(
            "{first} --hostname=10.0.0.1,10.0.0.2:6230,lost\n{first} --hostname=10.0.0.1,10.0.0.2:6230\n"
        )
    );
}

#[tokio::test]
async fn a_broken_program_leaves_the_state_unknown() {
    for (text, words, may_pass) in [
        ("exec sleep 600", "longer than 1 s", true),
        ("echo 'Config File Error: no such file' >&2; exit 1", "Config File Error", true),
        ("echo '10.0.0.1: perhaps'", "perhaps", true),
        ("echo '10.0.0.1: on'; echo '10.0.0.1: off'", "both", true),
        ("echo '10.0.0.1: password invalid'", "not allowed", false),
        ("head -c 9000000 /dev/zero", "nothing was printed", true),
    ] {
        let program = Script::new(text);
        let settings = IpmiSettings { timeout: Duration::from_secs(1), ..settings(&program) };
        let driver = Driver::Ipmi(Ipmi::new(settings).unwrap());
        let power = only(driver.powers(&nodes(), NOW).await);
        assert!(
            matches!(&power, PowerReading::Unknown(why) if why.contains(words)),
            "{text}: {power:?}"
        );
        let error = only(driver.order(PowerOrder::Off, &nodes(), NOW).await).unwrap_err();
        assert_eq!(error.may_pass(), may_pass, "{text}: {error}");
        let limit = only(driver.limits(&nodes(), NOW).await);
        assert!(matches!(limit, LimitReading::Unknown(_)), "{text}: {limit:?}");
    }
}

/// An answer to another order is none to this one, and `on` is no `ok`.
#[tokio::test]
async fn what_is_printed_in_the_wrong_place_is_no_answer() {
    let program = Script::new("echo '10.0.0.1: on'");
    let error = only(driver(&program).order(PowerOrder::On, &nodes(), NOW).await).unwrap_err();
    assert!(matches!(error, PowerError::Unreadable(_)), "{error}");
    let program = Script::new("echo '10.0.0.1: ok'");
    let power = only(driver(&program).powers(&nodes(), NOW).await);
    assert!(matches!(power, PowerReading::Unknown(_)), "{power:?}");
    // An answer to another command of DCMI.
    let program = Script::new("echo '10.0.0.1: rcvd: 02 00 DC 5E 01'");
    let limit = only(driver(&program).limits(&nodes(), NOW).await);
    assert!(matches!(limit, LimitReading::Unknown(_)), "{limit:?}");
}

#[tokio::test]
async fn what_the_site_does_not_allow_or_have_is_not_run() {
    let program = Script::new(ENDS_AT_LOST);
    let settings = IpmiSettings { raw_program: None, ..settings(&program) };
    let driver = Driver::Ipmi(Ipmi::new(settings.clone()).unwrap());
    let forced = only(driver.order(PowerOrder::ForcedOff, &nodes(), NOW).await);
    assert!(matches!(forced, Err(PowerError::Refused(_))), "{forced:?}");
    let limit = only(driver.set_limit(PowerLimit::Watts(350), &nodes(), NOW).await);
    assert!(matches!(limit, Err(PowerError::Unsupported(_))), "{limit:?}");
    assert!(!driver.abilities().limits);
    assert_eq!(program.wrote("runs"), "");
    let listed = ["n1", "n2"].map(|node| (node.to_owned(), "10.0.0.1".to_owned()));
    let addresses = Addresses { template: None, listed: listed.into() };
    let refused = Ipmi::new(IpmiSettings { addresses, ..settings }).unwrap_err();
    assert!(matches!(refused, PowerError::Configuration(_)), "{refused}");
}

/// DCMI's limit has 16 bits; more would wrap.
#[tokio::test]
async fn a_limit_that_does_not_fit_is_refused_before_it_is_sent() {
    let program = Script::new(ENDS_AT_LOST);
    let limit = PowerLimit::Watts(65_536);
    let refused = only(driver(&program).set_limit(limit, &nodes(), NOW).await).unwrap_err();
    assert!(refused.to_string().contains("65535 W"), "{refused}");
    assert_eq!(program.wrote("runs"), "");
}
