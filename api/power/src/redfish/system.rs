//! Systems: which one is a node's, its power, and how it is switched.

use bmc::session::{Session, payload};
use planner::power_action::{PowerOrder, PowerReading};
use planner::resource_manager::NodePower;
use serde_json::Value;

use super::resource::{link, paths, text};
use crate::error::PowerError;

const SYSTEMS: &str = "/redfish/v1/Systems";

/// The path of the one system of a controller.
pub(super) async fn find(session: &mut Session<'_>) -> Result<String, PowerError> {
    let collection = session.get(SYSTEMS).await?;
    let mut systems = paths(collection.get("Members"));
    match systems.len() {
        1 => Ok(systems.remove(0)),
        0 => Err(payload(SYSTEMS, "names no system").into()),
        _ => Err(PowerError::Configuration(format!(
            "the controller has several systems: {}; say in `system` which is the node's",
            systems.join(", ")
        ))),
    }
}

/// The power of a system.
pub(crate) fn power(system: &Value) -> PowerReading {
    let unknown = |because: String| PowerReading::Unknown(because);
    if text(system, "/Status/State") == Some("Absent") {
        return unknown("the controller says that its system is absent".to_owned());
    }
    match system.get("PowerState") {
        Some(Value::String(state)) => match state.as_str() {
            "On" => PowerReading::Seen(NodePower::On),
            "Off" => PowerReading::Seen(NodePower::Off),
            "PoweringOn" => PowerReading::Seen(NodePower::PoweringUp),
            "PoweringOff" => PowerReading::Seen(NodePower::PoweringDown),
            other => unknown(format!("its PowerState is {other:?}")),
        },
        None | Some(Value::Null) => unknown("the controller tells no PowerState".to_owned()),
        Some(_) => unknown("its PowerState is no text".to_owned()),
    }
}

/// Where a system is reset, and which types it takes; `None` where it does not say.
pub(super) struct Reset {
    pub target: String,
    pub allowed: Option<Vec<String>>,
}

/// How a system is reset.
pub(super) async fn reset(
    session: &mut Session<'_>,
    path: &str,
    system: &Value,
) -> Result<Reset, PowerError> {
    let action = system.pointer("/Actions/#ComputerSystem.Reset");
    let action = action.ok_or_else(|| {
        PowerError::Unsupported(format!("{path} has no action ComputerSystem.Reset"))
    })?;
    let target = action.get("target").and_then(Value::as_str);
    let target = target.ok_or_else(|| payload(path, "its ComputerSystem.Reset has no target"))?;
    let mut allowed = action.get("ResetType@Redfish.AllowableValues").map(texts);
    if allowed.is_none()
        && let Some(info) = action.get("@Redfish.ActionInfo").and_then(Value::as_str)
    {
        let info = session.get(info).await?;
        let parameters = info.get("Parameters").and_then(Value::as_array).into_iter().flatten();
        let mut of_type = parameters.filter(|it| text(it, "/Name") == Some("ResetType"));
        allowed = of_type.find_map(|it| it.get("AllowableValues")).map(texts);
    }
    Ok(Reset { target: target.to_owned(), allowed })
}

fn texts(list: &Value) -> Vec<String> {
    let listed = list.as_array().into_iter().flatten();
    listed.filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Reset {
    /// The type of reset that carries out an order. Buttons are never pushed: they do one thing or the other.
    pub fn of(&self, order: PowerOrder, forced_off: bool) -> Result<&'static str, PowerError> {
        let types: &[&'static str] = match order {
            PowerOrder::On => &["On", "ForceOn"],
            PowerOrder::Off if forced_off => &["GracefulShutdown", "ForceOff"],
            PowerOrder::Off => &["GracefulShutdown"],
            PowerOrder::ForcedOff => &["ForceOff"],
        };
        let Some(allowed) = &self.allowed else { return Ok(types[0]) };
        let fitting = types.iter().find(|it| allowed.iter().any(|allowed| allowed == *it));
        fitting.copied().ok_or_else(|| {
            let types = types.join(" nor ");
            let allowed = allowed.join(", ");
            let mut message = format!("the controller does not allow {types}, only {allowed}");
            if order == PowerOrder::Off && allowed.contains("ForceOff") {
                message.push_str("; the site does not allow to take a node's power away");
            }
            PowerError::Unsupported(message)
        })
    }
}

/// The chassis that a system is in.
pub(super) fn chassis(system: &Value) -> Vec<String> {
    paths(system.pointer("/Links/Chassis"))
}

/// The path of a system's `EnvironmentMetrics`; few have them.
pub(super) fn environment(system: &Value) -> Option<String> {
    link(system, "EnvironmentMetrics")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_four_states_are_known() {
        use NodePower::{Off, On, PoweringDown, PoweringUp};
        for (state, power_seen) in
            [("On", On), ("Off", Off), ("PoweringOn", PoweringUp), ("PoweringOff", PoweringDown)]
        {
            assert!(power(&json!({"PowerState": state})).is(power_seen), "{state}");
        }
        for system in [
            json!({"PowerState": "Paused"}),
            json!({"PowerState": "off"}),
            json!({"PowerState": null}),
            json!({"PowerState": false}),
            json!({}),
            json!({"PowerState": "Off", "Status": {"State": "Absent"}}),
        ] {
            assert!(matches!(power(&system), PowerReading::Unknown(_)), "{system}");
        }
    }

    #[test]
    fn a_reset_is_of_a_type_that_is_allowed_and_does_what_is_meant() {
        use PowerOrder::{ForcedOff, Off, On};
        let of = |allowed: Option<&[&str]>, order, forced_off| {
            let allowed = allowed.map(|it| it.iter().map(|&it| it.to_owned()).collect());
            let reset = Reset { target: String::new(), allowed };
            reset.of(order, forced_off).map_err(|error| error.to_string())
        };
        let usual: &[&str] = &["On", "ForceOff", "GracefulShutdown", "PushPowerButton"];
        assert_eq!(of(Some(usual), On, false), Ok("On"));
        assert_eq!(of(Some(usual), Off, true), Ok("GracefulShutdown"));
        assert_eq!(of(Some(usual), ForcedOff, true), Ok("ForceOff"));
        assert_eq!(of(None, Off, true), Ok("GracefulShutdown"));
        // One that only takes power away.
        let hard: &[&str] = &["ForceOn", "ForceOff", "PushPowerButton"];
        assert_eq!(of(Some(hard), On, false), Ok("ForceOn"));
        assert_eq!(of(Some(hard), Off, true), Ok("ForceOff"));
        let refused = of(Some(hard), Off, false).unwrap_err();
        assert!(refused.contains("the site does not allow"), "{refused}");
        let nothing = of(Some(&["PushPowerButton"]), On, true).unwrap_err();
        assert!(nothing.contains("only PushPowerButton"), "{nothing}");
    }
}
