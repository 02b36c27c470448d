//! Ways in for the fuzzer: what controllers and programs say of power, read as if they had been asked. Whether all of it could
//! be read is told.

use planner::power_action::PowerReading;
use serde_json::Value;

use crate::command;
use crate::ipmi;
use crate::limit::PowerLimit;
use crate::lines::by_name;
use crate::redfish;

/// A system of a management controller, or a resource with its power limit.
pub fn redfish(text: &str) -> bool {
    let Ok(resource) = serde_json::from_str::<Value>(text) else { return false };
    let is_seen = matches!(redfish::power(&resource), PowerReading::Seen(_));
    let limits = [PowerLimit::Unlimited, PowerLimit::Watts(350)];
    redfish::read_limit(&resource, &limits) || is_seen
}

/// What `ipmi-raw` prints of hosts.
pub fn ipmi(printed: &str) -> bool {
    let named = by_name(printed);
    let read = named.values().filter(|words| words.as_ref().is_ok_and(|it| ipmi::read_limit(it)));
    read.count() > 0
}

/// What a site's own command prints of nodes.
pub fn command(printed: &str) -> bool {
    let named = by_name(printed);
    let reads = |words: &&str| {
        let (power, limit) = (command::power(words).is_ok(), command::limit(words).is_ok());
        command::accepted(words).is_ok() || power || limit
    };
    named.values().filter(|words| words.as_ref().is_ok_and(reads)).count() > 0
}
