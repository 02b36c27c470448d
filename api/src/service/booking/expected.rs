//! What a client expects to book: an offer as it was shown, so that nothing else is booked.

use planner::json::Reader;
use planner::time::Timestamp;
use serde_json::Value;
use serde_json::value::RawValue;

/// An offer's figures as a client was told them; what is not said may be anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expected {
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    /// `node_count`, `energy_j`, `cost` and `co2_g`, by their names in documents.
    numbers: Vec<(&'static str, f64)>,
}

const NUMBERS: [&str; 4] = ["node_count", "energy_j", "cost", "co2_g"];

/// How far two numbers may be apart that are the same: they may have been written with fewer digits.
const SAME: f64 = 1e-9;

impl Expected {
    /// Reads the member `expected` of a body.
    pub fn read(reader: &mut Reader, raw: &RawValue) -> Option<Self> {
        let object =
            reader.object(raw, &["start", "end", "node_count", "energy_j", "cost", "co2_g"])?;
        let start = reader.optional(&object, "start", Reader::timestamp);
        let end = reader.optional(&object, "end", Reader::timestamp);
        let numbers = NUMBERS.map(|name| Some((name, reader.optional(&object, name, number)?)));
        let (start, end) = (start?, end?);
        let numbers: Option<Vec<_>> = numbers.into_iter().collect();
        let numbers: Vec<_> =
            numbers?.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        let read = Self { start, end, numbers };
        if read == Self::default() {
            reader.error("must say at least one of an offer's start, end, node_count, energy_j, cost and co2_g");
            return None;
        }
        Some(read)
    }

    /// In what an offer, by its document, is something else; nothing where it is this offer.
    pub fn differences(&self, document: &str) -> Vec<String> {
        let offer: Value = serde_json::from_str(document).unwrap_or_default();
        let instants = [("start", self.start), ("end", self.end)].into_iter();
        let instants = instants.filter_map(|(name, expected)| {
            let expected = expected?;
            let is = &offer[name];
            let same = is.as_str().and_then(|it| Timestamp::parse(it).ok()) == Some(expected);
            (!same).then(|| format!("{name} is {}, not {expected}", text(is)))
        });
        let numbers = self.numbers.iter().filter_map(|&(name, expected)| {
            let is = &offer[name];
            let same = is.as_f64().is_some_and(|is| (is - expected).abs() <= SAME * expected.abs());
            (!same).then(|| format!("{name} is {}, not {expected}", text(is)))
        });
        instants.chain(numbers).collect()
    }
}

fn number(reader: &mut Reader, raw: &RawValue) -> Option<f64> {
    let read = serde_json::from_str::<f64>(raw.get()).ok().filter(|it| it.is_finite());
    reader.accept(read.ok_or("must be a number"))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use planner::json::reader::read;
    use serde_json::json;

    use super::*;

    fn expected(value: &Value) -> Result<Expected, String> {
        let read = read(&value.to_string(), Expected::read);
        read.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn an_offer_is_what_is_expected_in_all_that_is_said() {
        let offer = json!({
            "start": "2026-01-01T00:15:00Z", "end": "2026-01-01T02:15:00Z", "node_count": 8,
            "energy_j": 1e7, "cost": -0.1, "co2_g": 0.0, "peak_power_w": 1712.0,
        });
        for (said, differences) in [
            (json!({ "node_count": 8 }), ""),
            (json!({ "start": "2026-01-01T01:15:00+01:00", "cost": -0.100_000_000_000_01 }), ""),
            (json!({ "co2_g": 0 }), ""),
            (json!({ "node_count": 20 }), "node_count is 8, not 20"),
            (
                json!({ "end": "2026-01-01T02:00:00Z", "cost": -0.2 }),
                "end is 2026-01-01T02:15:00Z, not 2026-01-01T02:00:00Z; cost is -0.1, not -0.2",
            ),
            (json!({ "co2_g": 1e-6 }), "co2_g is 0.0, not 0.000001"),
        ] {
            assert_eq!(
                expected(&said).unwrap().differences(&offer.to_string()).join("; "),
                differences
            );
        }
    }

    #[test]
    fn what_cannot_be_expected_is_told_with_its_place() {
        for (said, told) in [
            (json!({}), "must say at least one of"),
            (json!({ "cost": "1" }), "/cost: must be a number"),
            (json!({ "start": "soon" }), "/start: "),
            (json!({ "price": 1 }), "/price: "),
            (json!(8), "is not an object"),
        ] {
            let error = expected(&said).unwrap_err();
            assert!(error.starts_with(told), "{error}");
        }
    }
}
