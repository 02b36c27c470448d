//! What is read of resources: `EnvironmentMetrics` (1.0 to 1.4) and `Power` (1.0 to 1.7), as vendors write them.

use planner::metering::MeterUnit;
use serde_json::Value;

/// Parts of a chassis that are not there, or are off.
const SILENT: [&str; 3] = ["Absent", "Disabled", "UnavailableOffline"];

/// Which number is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedfishValue {
    /// The power now: `PowerWatts.Reading`, else `PowerControl[].PowerConsumedWatts`.
    Power,
    /// The mean power over the controller's own interval: `PowerControl[].PowerMetrics.AverageConsumedWatts`.
    AveragePower,
    /// The energy since the controller began to count: `EnergykWh.Reading`, else `EnergyJoules.Reading`.
    Energy,
}

/// The number that a resource tells, in milliwatts or millijoules; `None` where it tells none, which is what `null`
/// means.
///
/// # Errors
/// A number that cannot be read, with its place.
pub(crate) fn milli(resource: &Value, value: RedfishValue) -> Result<Option<i64>, String> {
    let places: &[(&str, MeterUnit)] = match value {
        RedfishValue::Power => &[("/PowerWatts/Reading", MeterUnit::Watt)],
        RedfishValue::AveragePower => &[],
        RedfishValue::Energy => &[
            ("/EnergykWh/Reading", MeterUnit::KilowattHour),
            ("/EnergyJoules/Reading", MeterUnit::Joule),
        ],
    };
    for (place, unit) in places {
        if let Some(milli) = number(resource, place, *unit)? {
            return Ok(Some(milli));
        }
    }
    let place = match value {
        RedfishValue::Power => "/PowerConsumedWatts",
        RedfishValue::AveragePower => "/PowerMetrics/AverageConsumedWatts",
        RedfishValue::Energy => return Ok(None),
    };
    of_controls(resource, place)
}

/// The first member of `PowerControl` that tells: the whole comes before its parts, whatever members are called.
fn of_controls(resource: &Value, place: &str) -> Result<Option<i64>, String> {
    let controls = resource.get("PowerControl").and_then(Value::as_array);
    for (index, control) in controls.into_iter().flatten().enumerate() {
        let state = control.pointer("/Status/State").and_then(Value::as_str);
        if state.is_some_and(|state| SILENT.contains(&state)) {
            continue;
        }
        let read = number(control, place, MeterUnit::Watt);
        match read.map_err(|error| format!("/PowerControl/{index}{error}"))? {
            None => {}
            told => return Ok(told),
        }
    }
    Ok(None)
}

/// The number at a place, which some controllers write as a text.
fn number(document: &Value, place: &str, unit: MeterUnit) -> Result<Option<i64>, String> {
    let text = match document.pointer(place) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(_) => return Err(format!("{place} is no number")),
    };
    unit.parse_milli(&text).map(Some).map_err(|error| format!("{place} {error}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_new_resource_tells_power_and_energy() {
        let new = json!({"PowerWatts": {"Reading": 374.5}, "EnergykWh": {"Reading": 325.675}});
        assert_eq!(milli(&new, RedfishValue::Power), Ok(Some(374_500)));
        // 325.675 kWh = 1,172,430,000 J.
        assert_eq!(milli(&new, RedfishValue::Energy), Ok(Some(1_172_430_000_000)));
        assert_eq!(milli(&new, RedfishValue::AveragePower), Ok(None));
        let joules = json!({"EnergykWh": {"Reading": null}, "EnergyJoules": {"Reading": 12.5}});
        assert_eq!(milli(&joules, RedfishValue::Energy), Ok(Some(12_500)));
    }

    #[test]
    fn the_old_resource_tells_power_and_its_mean_in_its_first_member_that_is_there() {
        let old = json!({"PowerControl": [
            {"MemberId": "PSU1", "PowerConsumedWatts": 0, "Status": {"State": "Absent"}},
            {"MemberId": "x", "PowerConsumedWatts": null},
            {"PowerConsumedWatts": 344, "PowerMetrics": {"AverageConsumedWatts": 319}},
            {"MemberId": "Accelerator0", "PowerConsumedWatts": 90},
        ]});
        assert_eq!(milli(&old, RedfishValue::Power), Ok(Some(344_000)));
        assert_eq!(milli(&old, RedfishValue::AveragePower), Ok(Some(319_000)));
        assert_eq!(milli(&old, RedfishValue::Energy), Ok(None));
    }

    #[test]
    fn texts_are_read_as_numbers_and_other_things_are_refused() {
        let power =
            |reading| milli(&json!({"PowerWatts": {"Reading": reading}}), RedfishValue::Power);
        assert_eq!(power(json!(" 223 ")), Ok(Some(223_000)));
        assert_eq!(power(json!("")), Ok(None));
        // What zero means, the site says.
        assert_eq!(power(json!(0)), Ok(Some(0)));
        for wrong in [json!(true), json!([]), json!({}), json!("N/A")] {
            let error = power(wrong).unwrap_err();
            assert!(error.contains("/PowerWatts/Reading"), "{error}");
        }
        let old = json!({"PowerControl": [{}, {"PowerConsumedWatts": "n/a"}]});
        let error = milli(&old, RedfishValue::Power).unwrap_err();
        assert!(error.contains("/PowerControl/1/PowerConsumedWatts"), "{error}");
        assert_eq!(milli(&json!({"PowerControl": {}}), RedfishValue::Power), Ok(None));
    }
}
