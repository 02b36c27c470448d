//! Power samples as JSON: `[{"node", "measured_at", "load", "power_w"}]`.

use planner::calibration::{Load, PowerSample};
use planner::json::{JsonError, Reader, read};

const FIELDS: [&str; 4] = ["node", "measured_at", "load", "power_w"];

/// Reads power samples in the order given; `load` is `"idle"` or `"max"`, watts are exact.
///
/// # Errors
/// Every error with the JSON pointer of its place, such as `/3/power_w`.
pub fn power_samples_json(text: &str) -> Result<Vec<PowerSample>, Vec<JsonError>> {
    read(text, |reader, raw| {
        reader.array(raw, |reader, raw| {
            let object = reader.object(raw, &FIELDS)?;
            let node = reader.required(&object, "node", Reader::name);
            let measured_at = reader.required(&object, "measured_at", Reader::timestamp);
            let load = reader.required(&object, "load", |reader, raw| {
                let word = reader.string(raw)?;
                reader.accept(parse_load(&word))
            });
            let power = reader.required(&object, "power_w", Reader::power)?;
            Some(PowerSample { node: node?.into(), measured_at: measured_at?, load: load?, power })
        })
    })
}

/// The load that a word stands for.
pub(crate) fn parse_load(word: &str) -> Result<Load, &'static str> {
    match word {
        "idle" => Ok(Load::Idle),
        "max" => Ok(Load::Max),
        _ => Err("must be idle or max"),
    }
}

#[cfg(test)]
mod tests {
    use planner::quantity::Power;

    use super::*;

    #[test]
    fn reads_samples_exactly() {
        let text = r#"[{"node": "n1", "measured_at": "2026-01-01T00:00:00Z", "load": "max",
                        "power_w": 190.100001}]"#;
        let samples = power_samples_json(text).unwrap();
        assert_eq!(samples[0].power, Power::from_microwatts(190_100_001));
        assert_eq!((&*samples[0].node, samples[0].load), ("n1", Load::Max));
    }

    #[test]
    fn collects_all_errors_with_their_pointers() {
        let text = r#"[{"node": "", "measured_at": 5, "load": "full", "power_w": "190"},
                       7,
                       {"node": "n1", "measured_at": "2026-01-01T00:00:00Z", "load": "idle",
                        "power_w": 0.0000001, "unit": "W"},
                       {}]"#;
        let errors = power_samples_json(text).unwrap_err();
        let pointers: Vec<&str> = errors.iter().map(|error| error.pointer.as_str()).collect();
        assert_eq!(
            pointers,
            [
                "/0/node",
                "/0/measured_at",
                "/0/load",
                "/0/power_w",
                "/1",
                "/2/unit",
                "/2/power_w",
                "/3/node",
                "/3/measured_at",
                "/3/load",
                "/3/power_w",
            ]
        );
        assert_eq!(errors[2].to_string(), "/0/load: must be idle or max");
        assert_eq!(errors[6].message, "has more than 6 decimals");
        assert_eq!(power_samples_json("[NaN]").unwrap_err().len(), 1);
    }
}
