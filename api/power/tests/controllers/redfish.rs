//! Redfish against sushy-emulator with its fake systems, which take up to eleven seconds to do what they are told.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use bmc::access::Access;
use bmc::address::Addresses;
use grid_feeds::feed::SecretSource;
use grid_feeds::http::{Http, Timeouts};
use planner::power_action::{PowerOrder, PowerReading};
use planner::resource_manager::NodePower;
use power::redfish::{Redfish, RedfishSettings};
use power::{Driver, LimitReading, PowerError, PowerLimit};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use super::{NOW, power, until};

/// `correct-horse`, as bcrypt hides it.
const PASSWORDS: &str = "alice:$2b$04$8YEGdXydepUlMSZh/T7EHO/M1s5r/GlwYKlvHjPQDqTuAat0/xHmG\n";

/// An emulator with one system, which ends with it.
struct Emulator {
    folder: TempDir,
    url: String,
    process: Child,
}

impl Emulator {
    fn start(settings: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let here = folder.path().display();
        let text = format!(
            "SUSHY_EMULATOR_FAKE_DRIVER = True\nSUSHY_EMULATOR_STATE_DIR = '{here}'\n\
             SUSHY_EMULATOR_AUTH_FILE = '{here}/passwords'\n\
             SUSHY_EMULATOR_FAKE_SYSTEMS = [{{'uuid': '27946b59-9e44-4fa7-8e91-f3527a1ef094', 'name': 'n1',\n\
                 'power_state': 'On', 'external_notifier': False, 'nics': []}}]\n{settings}\n"
        );
        std::fs::write(folder.path().join("emulator.conf"), text).unwrap();
        std::fs::write(folder.path().join("passwords"), PASSWORDS).unwrap();
        let program = std::env::var("WATTBOOK_TEST_SUSHY").expect("WATTBOOK_TEST_SUSHY names it");
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let process = Command::new(program)
            .args(["--interface", "127.0.0.1", "--port", &port.to_string(), "--config"])
            .arg(folder.path().join("emulator.conf"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Self { folder, url: format!("http://127.0.0.1:{port}"), process }
    }

    /// Freezes it, or lets it go on.
    async fn signal(&self, signal: &str) {
        let id = self.process.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().await.unwrap().success());
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    fn driver(&self, password: &Path) -> Driver {
        let listed = [("n1".to_owned(), self.url.clone())].into();
        let settings = RedfishSettings {
            addresses: Addresses { template: None, listed },
            system: None,
            limit: None,
            access: Access::Basic {
                user: "alice".to_owned(),
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
    let emulator = Emulator::start("");
    let driver = emulator.driver(&password(&emulator.folder, "correct-horse"));
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
    let log = emulator.log();
    assert_eq!(log.matches("Actions/ComputerSystem.Reset").count(), 3, "{log}");
    // It has no power limits, and says so.
    let limits = driver.limits(&node(), NOW).await;
    assert!(matches!(&limits["n1"], LimitReading::Unknown(_)), "{limits:?}");
    let limited = driver.set_limit(PowerLimit::Watts(350), &node(), NOW).await;
    assert!(matches!(&limited["n1"], Err(PowerError::Unsupported(_))), "{limited:?}");
}

#[tokio::test]
#[ignore = "needs sushy-emulator: .ci/power"]
async fn a_wrong_password_a_refusal_and_a_frozen_controller_are_told_apart() {
    let emulator = Emulator::start("SUSHY_EMULATOR_DISABLE_POWER_OFF = True");
    let driver = emulator.driver(&password(&emulator.folder, "correct-horse"));
    until(&driver, "n1", NodePower::On).await;
    let refused = driver.order(PowerOrder::Off, &node(), NOW).await;
    assert!(matches!(&refused["n1"], Err(PowerError::Refused(_))), "{refused:?}");
    assert!(power(&driver, "n1").await.is(NodePower::On));

    let stranger = emulator.driver(&password(&emulator.folder, "wrong-battery"));
    let denied = stranger.order(PowerOrder::On, &node(), NOW).await;
    assert!(matches!(&denied["n1"], Err(PowerError::Denied(_))), "{denied:?}");
    let PowerReading::Unknown(why) = power(&stranger, "n1").await else { panic!() };
    assert!(!why.contains("wrong-battery"), "{why}");

    emulator.signal("-STOP").await;
    let frozen = power(&driver, "n1").await;
    let order = driver.order(PowerOrder::Off, &node(), NOW).await;
    emulator.signal("-CONT").await;
    assert!(
        matches!(&frozen, PowerReading::Unknown(why) if why.contains("no answer")),
        "{frozen:?}"
    );
    assert!(order["n1"].as_ref().is_err_and(PowerError::may_pass), "{order:?}");
    until(&driver, "n1", NodePower::On).await;
}
