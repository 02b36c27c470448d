//! Ways in for the fuzzer: what meters answer, read as if they had been asked. Whether all of it could be read is told.

use serde_json::Value;

use crate::ipmi::{IpmiValue, read};
use crate::redfish::{RedfishValue, milli};

/// What `ipmi-dcmi` prints of hosts.
pub fn ipmi(hosts: &[&str], printed: &str) -> bool {
    [IpmiValue::Power, IpmiValue::AveragePower].into_iter().all(|value| {
        let told = read(hosts.iter().copied(), printed, "", value);
        let complained = read(hosts.iter().copied(), "", printed, value);
        assert!(complained.values().all(Result::is_err), "a complaint is no power");
        told.values().all(Result::is_ok)
    })
}

/// A resource of a management controller.
pub fn redfish(text: &str) -> bool {
    let Ok(resource) = serde_json::from_str::<Value>(text) else { return false };
    let values = [RedfishValue::Power, RedfishValue::AveragePower, RedfishValue::Energy];
    let told = values.map(|value| matches!(milli(&resource, value), Ok(Some(_))));
    told.contains(&true)
}
