//! A command of the site's own, good and bad.

use std::time::Duration;

use planner::power_action::{PowerOrder, PowerReading};
use planner::quantity::Power;
use planner::resource_manager::NodePower;
use power::command::{CommandSettings, SiteCommand};
use power::{Driver, LimitReading, PowerError, PowerLimit};

use super::only;
use super::redfish::{NOW, nodes};
use super::scripts::Script;

/// Keeps the state of each node in a file, and writes down how it was run.
const HONEST: &str = r#"
echo "$@" >>"$here/runs"
env >"$here/environment"
verb=$1
shift
case $verb in set-limit) watts=$1; shift ;; esac
for node in "$@"; do
    case $verb in
        state) echo "$node: $(cat "$here/$node" 2>/dev/null || echo unknown no such node)" ;;
        on) echo on >"$here/$node"; echo "$node: ok" ;;
        off | force-off) echo off >"$here/$node"; echo "$node: ok" ;;
        limit) echo "$node: $(cat "$here/$node.limit" 2>/dev/null || echo none)" ;;
        set-limit) case $watts in none) rm -f "$here/$node.limit" ;; *) echo "$watts W" >"$here/$node.limit" ;; esac
            echo "$node: ok" ;;
    esac
done
"#;

fn settings(script: &Script) -> CommandSettings {
    let timeout = Duration::from_secs(20);
    CommandSettings { program: script.path(), limits: true, forced_off: true, timeout }
}

fn driver(script: &Script) -> Driver {
    Driver::Command(SiteCommand::new(settings(script)))
}

#[tokio::test]
async fn a_command_switches_and_limits_many_nodes_in_one_run() {
    let script = Script::new(HONEST);
    let driver = driver(&script);
    let nodes = ["n1", "n2"].map(str::to_owned);
    let answers = driver.order(PowerOrder::On, &nodes, NOW).await;
    assert!(answers.values().all(Result::is_ok) && answers.len() == 2);
    driver.order(PowerOrder::ForcedOff, &["n2".to_owned()], NOW).await;
    let all = ["n1", "n2", "n3", "-rf", "a b"].map(str::to_owned);
    let powers = driver.powers(&all, NOW).await;
    assert!(powers["n1"].is(NodePower::On) && powers["n2"].is(NodePower::Off));
    assert_eq!(powers["n3"], PowerReading::Unknown("no such node".to_owned()));
    for node in ["-rf", "a b"] {
        assert!(matches!(&powers[node], PowerReading::Unknown(why) if why.contains("argument")));
    }
    assert_eq!(script.wrote("runs"), "on n1 n2\nforce-off n2\nstate n1 n2 n3\n");

    assert!(driver.set_limit(PowerLimit::Watts(350), &nodes, NOW).await["n1"].is_ok());
    driver.set_limit(PowerLimit::Unlimited, &["n2".to_owned()], NOW).await;
    let limits = driver.limits(&nodes, NOW).await;
    assert_eq!(limits["n1"], LimitReading::Limited(Power::from_microwatts(350_000_000)));
    assert_eq!(limits["n2"], LimitReading::Unlimited);
    // Nothing of the service's own environment, such as secrets.
    assert!(!script.wrote("environment").contains("CARGO"), "{}", script.wrote("environment"));
}

#[tokio::test]
async fn what_the_site_does_not_allow_or_have_is_not_run() {
    let script = Script::new(HONEST);
    let settings = CommandSettings { limits: false, forced_off: false, ..settings(&script) };
    let driver = Driver::Command(SiteCommand::new(settings));
    let forced = only(driver.order(PowerOrder::ForcedOff, &nodes(), NOW).await);
    assert!(matches!(forced, Err(PowerError::Refused(_))), "{forced:?}");
    let limit = only(driver.set_limit(PowerLimit::Watts(350), &nodes(), NOW).await);
    assert!(matches!(limit, Err(PowerError::Unsupported(_))), "{limit:?}");
    let limit = only(driver.limits(&nodes(), NOW).await);
    assert!(matches!(limit, LimitReading::Unknown(_)), "{limit:?}");
    assert_eq!(script.wrote("runs"), "");
    assert_eq!((driver.abilities().forced_off, driver.abilities().limits), (false, false));
}

#[tokio::test]
async fn a_broken_command_leaves_the_state_unknown() {
    for (text, words) in [
        ("exec sleep 600", "longer than 1 s"),
        ("exit 3", "nothing was printed of it"),
        ("echo 'cannot reach the PDU' >&2; exit 1", "cannot reach the PDU"),
        ("echo 'n1: maybe'", "no answer of the site's command"),
        ("echo 'n1: on'; echo 'n1: off'", "both"),
        ("head -c 9000000 /dev/urandom", "nothing was printed of it"),
        ("echo 'n2: on'", "nothing was printed of it"),
        ("echo 'n1: unknown the PDU is away'", "the PDU is away"),
    ] {
        let script = Script::new(text);
        let settings = CommandSettings { timeout: Duration::from_secs(1), ..settings(&script) };
        let driver = Driver::Command(SiteCommand::new(settings));
        let power = only(driver.powers(&nodes(), NOW).await);
        assert!(
            matches!(&power, PowerReading::Unknown(why) if why.contains(words)),
            "{text}: {power:?}"
        );
        let order = only(driver.order(PowerOrder::Off, &nodes(), NOW).await).unwrap_err();
        assert!(order.may_pass(), "it may have been carried out: {text}: {order}");
    }
}

#[tokio::test]
async fn what_was_told_before_the_time_was_up_counts() {
    let script = Script::new("echo 'n1: on'; exec sleep 600");
    let settings = CommandSettings { timeout: Duration::from_secs(1), ..settings(&script) };
    let driver = Driver::Command(SiteCommand::new(settings));
    let nodes = ["n1", "n2"].map(str::to_owned);
    let powers = driver.powers(&nodes, NOW).await;
    assert!(powers["n1"].is(NodePower::On));
    assert!(matches!(powers["n2"], PowerReading::Unknown(_)));
}

#[tokio::test]
async fn a_command_that_refuses_fails_lies_or_is_missing() {
    let order = async |text: &str| {
        let script = Script::new(text);
        only(driver(&script).order(PowerOrder::Off, &nodes(), NOW).await)
    };
    let refused = order("echo 'n1: refused it is in maintenance'").await;
    assert_eq!(refused, Err(PowerError::Refused("it is in maintenance".to_owned())));
    let failed = order("echo 'n1: failed no route'").await;
    assert_eq!(failed, Err(PowerError::Unreachable("no route".to_owned())));

    let liar = Script::new("case $1 in state) echo \"$2: on\" ;; *) echo \"$2: ok\" ;; esac");
    let driver = driver(&liar);
    assert_eq!(only(driver.order(PowerOrder::Off, &nodes(), NOW).await), Ok(()));
    assert!(only(driver.powers(&nodes(), NOW).await).is(NodePower::On));

    let program = "/nonexistent/power".into();
    let missing = SiteCommand::new(CommandSettings { program, ..settings(&liar) });
    let missing = only(Driver::Command(missing).order(PowerOrder::Off, &nodes(), NOW).await);
    assert!(matches!(&missing, Err(PowerError::Configuration(it)) if it.contains("/nonexistent")));
}
