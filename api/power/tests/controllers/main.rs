//! Real programs that switch nodes, run by `.ci/power`: FreeIPMI against OpenIPMI's simulated controllers, and Redfish against
//! the emulator sushy-emulator.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod ipmi;
mod redfish;

use std::time::{Duration, Instant};

use planner::power_action::PowerReading;
use planner::resource_manager::NodePower;
use planner::time::Timestamp;
use power::Driver;

const NOW: Timestamp = Timestamp::from_unix_seconds(1_767_225_600);

/// What is read of a node.
async fn power(driver: &Driver, node: &str) -> PowerReading {
    let read = driver.powers(&[node.to_owned()], NOW).await;
    assert_eq!(read.len(), 1);
    read[node].clone()
}

/// Waits until a node is seen to be so.
async fn until(driver: &Driver, node: &str, expected: NodePower) {
    let begun = Instant::now();
    loop {
        let seen = power(driver, node).await;
        if seen.is(expected) {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(40), "{node} {}", seen.words());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
