//! Redfish against sushy-emulator with its fake systems.

use std::path::Path;
use std::time::Duration;

use bmc::access::Access;
use bmc::address::Addresses;
use controllers::{EMULATOR_PASSWORD, Emulator, USER};
use grid_feeds::feed::SecretSource;
use grid_feeds::http::{Http, Timeouts};
use planner::power_action::{PowerOrder, PowerReading};
use planner::resource_manager::NodePower;
use power::redfish::{Redfish, RedfishSettings};
use power::{Driver, LimitReading, PowerError, PowerLimit};
use tempfile::TempDir;

use super::{NOW, power, until};

fn driver_of(emulator: &Emulator, password: &Path) -> Driver {
    let listed = [("n1".to_owned(), emulator.url.clone())].into();
    let settings = RedfishSettings {
        addresses: Addresses { template: None, listed },
        system: None,
        limit: None,
        access: Access::Basic {
            user: USER.to_owned(),
            password: SecretSource::File(password.to_owned()),
        },
        sessions: false,
        forced_off: true,
        at_once: 4,
    };
    let total = Duration::from_secs(3);
    let http = Http::new(Timeouts { connect: total, total }).unwrap();
    Driver::Redfish(Redfish::new(settings, http).unwrap())
}

fn password(folder: &TempDir, password: &str) -> std::path::PathBuf {
    let file = folder.path().join(password);
    std::fs::write(&file, password).unwrap();
    file
}

fn node() -> [String; 1] {
    ["n1".to_owned()]
}

#[tokio::test]
#[ignore = "needs sushy-emulator: .ci/power"]
async fn a_system_is_switched_off_and_on_and_forced_and_each_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let emulator = Emulator::start(folder.path(), "n1", "");
    let driver = driver_of(&emulator, &password(&folder, EMULATOR_PASSWORD));
    until(&driver, "n1", NodePower::On).await;
    for (order, power) in [
        (PowerOrder::Off, NodePower::Off),
        (PowerOrder::On, NodePower::On),
        (PowerOrder::ForcedOff, NodePower::Off),
    ] {
        let answers = driver.order(order, &node(), NOW).await;
        assert_eq!(answers["n1"], Ok(()), "{order:?}");
        until(&driver, "n1", power).await;
    }
    // It is told each once; its log has no types of reset.
    assert_eq!(emulator.orders(), 3);
    // It has no power limits, and says so.
    let limits = driver.limits(&node(), NOW).await;
    assert!(matches!(&limits["n1"], LimitReading::Unknown(_)), "{limits:?}");
    let limited = driver.set_limit(PowerLimit::Watts(350), &node(), NOW).await;
    assert!(matches!(&limited["n1"], Err(PowerError::Unsupported(_))), "{limited:?}");
}

#[tokio::test]
#[ignore = "needs sushy-emulator: .ci/power"]
async fn a_wrong_password_a_refusal_and_a_frozen_controller_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let emulator = Emulator::start(folder.path(), "n1", "SUSHY_EMULATOR_DISABLE_POWER_OFF = True");
    let driver = driver_of(&emulator, &password(&folder, EMULATOR_PASSWORD));
    until(&driver, "n1", NodePower::On).await;
    let refused = driver.order(PowerOrder::Off, &node(), NOW).await;
    assert!(matches!(&refused["n1"], Err(PowerError::Refused(_))), "{refused:?}");
    assert!(power(&driver, "n1").await.is(NodePower::On));

    let stranger = driver_of(&emulator, &password(&folder, "wrong-battery"));
    let denied = stranger.order(PowerOrder::On, &node(), NOW).await;
    assert!(matches!(&denied["n1"], Err(PowerError::Denied(_))), "{denied:?}");
    let PowerReading::Unknown(why) = power(&stranger, "n1").await else { panic!() };
    assert!(!why.contains("wrong-battery"), "{why}");

    emulator.process.freeze();
    let frozen = power(&driver, "n1").await;
    let order = driver.order(PowerOrder::Off, &node(), NOW).await;
    emulator.process.thaw();
    assert!(
        matches!(&frozen, PowerReading::Unknown(why) if why.contains("no answer")),
        "{frozen:?}"
    );
    assert!(order["n1"].as_ref().is_err_and(PowerError::may_pass), "{order:?}");
    until(&driver, "n1", NodePower::On).await;
}
