//! What limits the power of nodes.

use std::collections::BTreeMap;

use planner::power_action::{OrderAnswer, PowerReading};
use planner::quantity::Power;
use planner::time::Timestamp;

use crate::config::power::PowerSettings;

#[cfg(not(feature = "power"))]
const NOTHING: &str = "nothing in this build limits power: it lacks the feature `power`";
#[cfg(feature = "power")]
const NOTHING: &str = "nothing in the settings limits power";

/// The power limits of nodes now, by name.
#[cfg_attr(
    not(feature = "power"),
    expect(clippy::unused_async, unused_variables, reason = "nobody is asked")
)]
pub(super) async fn read_limits(
    settings: &PowerSettings,
    nodes: &[String],
    now: Timestamp,
) -> BTreeMap<String, PowerReading> {
    #[cfg(feature = "power")]
    if let Some(limiter) = &settings.limiter {
        let told = limiter.limits(nodes, now).await;
        return told.into_iter().map(|(node, it)| (node, it.reading())).collect();
    }
    let unknown = || PowerReading::Unknown(NOTHING.to_owned());
    nodes.iter().map(|node| (node.clone(), unknown())).collect()
}

/// Limits the power of nodes, or has them unlimited; the answers by name.
#[cfg_attr(
    not(feature = "power"),
    expect(clippy::unused_async, unused_variables, reason = "nobody is asked")
)]
pub(super) async fn set_limit(
    settings: &PowerSettings,
    limit: Option<Power>,
    nodes: &[String],
    now: Timestamp,
) -> BTreeMap<String, OrderAnswer> {
    #[cfg(feature = "power")]
    if let Some(limiter) = &settings.limiter {
        let told = limiter.set_limit(power::PowerLimit::of(limit), nodes, now).await;
        let answer = |(node, given)| (node, power::PowerError::order_answer(given));
        return told.into_iter().map(answer).collect();
    }
    let refused = || OrderAnswer::Refused(NOTHING.to_owned());
    nodes.iter().map(|node| (node.clone(), refused())).collect()
}
