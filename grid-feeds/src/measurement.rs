//! Measurements as they are sent: `{"meter", "samples": [{"node", "at", "power_w"}]}`, with `energy_j` in place of
//! `power_w` for meters of energy.

use std::collections::HashSet;
use std::sync::Arc;

use planner::json::{JsonError, Reader, read};
use planner::metering::{MeterUnit, Sample, SampleTime};

/// A sample as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentSample {
    /// The meter's name.
    pub meter: Arc<str>,
    /// The name of the node, rack or site.
    pub node: Arc<str>,
    /// Watts or joules.
    pub unit: MeterUnit,
    /// The instant and the value.
    pub sample: Sample,
    /// Its line of a table, from 1; its position in an array, from 0.
    pub place: u64,
}

/// Names that come again and again, each kept once.
#[derive(Debug, Default)]
pub(crate) struct Names(HashSet<Arc<str>>);

impl Names {
    /// The name.
    pub fn get(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.get(name) {
            return Arc::clone(known);
        }
        let name: Arc<str> = name.into();
        self.0.insert(Arc::clone(&name));
        name
    }
}

/// Reads samples of one meter in the order given; values are rounded to milliwatts and millijoules.
///
/// # Errors
/// Every error with the JSON pointer of its place, such as `/samples/3/power_w`.
pub fn measurements_json(text: &str) -> Result<Vec<SentSample>, Vec<JsonError>> {
    read(text, |reader, raw| {
        let object = reader.object(raw, &["meter", "samples"])?;
        let meter: Option<Arc<str>> =
            reader.required(&object, "meter", Reader::name).map(Arc::from);
        let mut names = Names::default();
        let mut place = 0;
        let samples = reader.required(&object, "samples", |reader, raw| {
            reader.array(raw, |reader, raw| {
                place += 1;
                let object = reader.object(raw, &["node", "at", "power_w", "energy_j"])?;
                let node = reader.required(&object, "node", Reader::name);
                let at = reader.required(&object, "at", |reader, raw| {
                    let text = reader.string(raw)?;
                    reader.accept(SampleTime::parse(&text))
                });
                let value = |unit: MeterUnit| {
                    move |reader: &mut Reader, raw: &serde_json::value::RawValue| {
                        reader.accept(unit.parse_milli(raw.get())).map(|value| (unit, value))
                    }
                };
                let power = reader.optional(&object, "power_w", value(MeterUnit::Watt))?;
                let energy = reader.optional(&object, "energy_j", value(MeterUnit::Joule))?;
                let Some((unit, value_milli)) = one(power, energy) else {
                    reader.error("must have either power_w or energy_j");
                    return None;
                };
                let node = names.get(&node?);
                Some((node, unit, Sample { at: at?, value_milli }, place - 1))
            })
        });
        let meter = meter?;
        let sent = |(node, unit, sample, place)| SentSample {
            meter: Arc::clone(&meter),
            node,
            unit,
            sample,
            place,
        };
        samples.map(|samples| samples.into_iter().map(sent).collect())
    })
}

/// The one of two that there is; `None` where there are both or none.
pub(crate) fn one<T>(first: Option<T>, second: Option<T>) -> Option<T> {
    match (first, second) {
        (Some(one), None) | (None, Some(one)) => Some(one),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_power_and_energy() {
        let text = r#"{"meter": "bmc", "samples": [
            {"node": "n1", "at": "2026-01-01T00:00:00.25Z", "power_w": 401.25},
            {"node": "n1", "at": "2026-01-01T00:01:00Z", "energy_j": 1e3}]}"#;
        let samples = measurements_json(text).unwrap();
        assert_eq!((&*samples[0].meter, &*samples[0].node, samples[0].place), ("bmc", "n1", 0));
        assert_eq!((samples[0].unit, samples[0].sample.value_milli), (MeterUnit::Watt, 401_250));
        assert_eq!(samples[0].sample.at.to_string(), "2026-01-01T00:00:00.250Z");
        assert_eq!((samples[1].unit, samples[1].sample.value_milli), (MeterUnit::Joule, 1_000_000));
        assert_eq!(samples[1].place, 1);
        assert_eq!(measurements_json(r#"{"meter": "bmc", "samples": []}"#), Ok(vec![]));
    }

    #[test]
    fn collects_all_errors_with_their_pointers() {
        let text = r#"{"meter": "", "samples": [{"node": 5, "at": "now", "power_w": "1"},
            {"node": "n1", "at": "2026-01-01T00:00:00Z"},
            {"node": "n1", "at": "2026-01-01T00:00:00Z", "power_w": 1, "energy_j": 1}], "unit": 1}"#;
        let errors = measurements_json(text).unwrap_err();
        let pointers: Vec<&str> = errors.iter().map(|error| error.pointer.as_str()).collect();
        assert_eq!(
            pointers,
            [
                "/unit",
                "/meter",
                "/samples/0/node",
                "/samples/0/at",
                "/samples/0/power_w",
                "/samples/1",
                "/samples/2"
            ]
        );
    }
}
