//! The figures of an offer, by which it is known again when it is booked.

use planner::json::Reader;
use planner::time::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// What an offer is at the site that makes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Figures {
    /// RFC 3339.
    #[serde(deserialize_with = "instant")]
    #[schema(value_type = String, format = DateTime)]
    pub start: Timestamp,
    /// RFC 3339, the first instant after.
    #[serde(deserialize_with = "instant")]
    #[schema(value_type = String, format = DateTime)]
    pub end: Timestamp,
    /// How many nodes it takes.
    pub node_count: u32,
    /// Joules.
    pub energy_j: f64,
    /// In the currency of the site.
    pub cost: f64,
    /// Grams of CO2.
    pub co2_g: f64,
}

/// How far two numbers may be apart that are the same: they may have been written with fewer digits.
const SAME: f64 = 1e-9;

impl Figures {
    /// Reads the member of a body; all figures are needed.
    pub(super) fn read(reader: &mut Reader, raw: &RawValue) -> Option<Self> {
        let known = ["start", "end", "node_count", "energy_j", "cost", "co2_g"];
        let object = reader.object(raw, &known)?;
        let start = reader.required(&object, "start", Reader::timestamp);
        let end = reader.required(&object, "end", Reader::timestamp);
        let node_count = reader.required(&object, "node_count", |reader, raw| {
            // `7.0` is a whole number.
            let count = raw.get().strip_suffix(".0").unwrap_or(raw.get()).parse::<u32>();
            let count = count.ok().filter(|count| *count > 0);
            reader.accept(count.ok_or("must be a whole number of nodes, at least 1"))
        });
        let [energy, cost, co2] = ["energy_j", "cost", "co2_g"].map(|name| {
            reader.required(&object, name, |reader, raw| {
                let number: Option<f64> = serde_json::from_str(raw.get()).ok();
                reader.accept(number.filter(|it| it.is_finite()).ok_or("must be a number"))
            })
        });
        Some(Self {
            start: start?,
            end: end?,
            node_count: node_count?,
            energy_j: energy?,
            cost: cost?,
            co2_g: co2?,
        })
    }

    /// What nothing is as good as.
    pub(super) const fn nothing(at: Timestamp) -> Self {
        let (energy_j, cost, co2_g) = (f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
        Self { start: at, end: at, node_count: 0, energy_j, cost, co2_g }
    }

    /// In what these are not what was offered, or worse than it, in words; nothing where they are as good.
    pub(super) fn worse_than(&self, offered: &Self) -> Vec<String> {
        let mut told = Vec::new();
        let mut differ = |name: &str, is: String, was: String| {
            if is != was {
                told.push(format!("{name} is {is}, not {was}"));
            }
        };
        differ("start", self.start.to_string(), offered.start.to_string());
        differ("end", self.end.to_string(), offered.end.to_string());
        differ("node_count", self.node_count.to_string(), offered.node_count.to_string());
        for (name, is, was) in [
            ("energy_j", self.energy_j, offered.energy_j),
            ("cost", self.cost, offered.cost),
            ("co2_g", self.co2_g, offered.co2_g),
        ] {
            // What is no number is not as good as one.
            let as_good = is <= was + SAME * was.abs();
            if !as_good {
                told.push(format!("{name} is {is}, not {was}"));
            }
        }
        told
    }
}

fn instant<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(from)?;
    Timestamp::parse(&text).map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(cost: f64) -> Figures {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        Figures {
            start: at("2026-03-01T00:00:00Z"),
            end: at("2026-03-01T02:00:00Z"),
            node_count: 4,
            energy_j: 1e7,
            cost,
            co2_g: 20.0,
        }
    }

    #[test]
    fn dearer_is_told_and_cheaper_is_as_good() {
        assert!(figures(1.0).worse_than(&figures(1.0)).is_empty());
        assert!(figures(0.9).worse_than(&figures(1.0)).is_empty());
        assert_eq!(figures(1.2).worse_than(&figures(1.0)), ["cost is 1.2, not 1"]);
        let later = Figures { node_count: 5, ..figures(-2.0) };
        assert_eq!(later.worse_than(&figures(-2.0)), ["node_count is 5, not 4"]);
        let read: Figures =
            serde_json::from_str(&serde_json::to_string(&figures(1.0)).unwrap()).unwrap();
        assert_eq!(read, figures(1.0));
    }
}
