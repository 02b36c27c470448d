//! What a client expects to book: an offer as it was shown, so that nothing else is booked.

use planner::json::Reader;
use planner::reservation::OfferTerms;
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

    /// In what an offer is something else; nothing where it is this offer.
    pub fn differences(&self, offer: &OfferTerms) -> Vec<String> {
        let instants =
            [("start", self.start, offer.span.start()), ("end", self.end, offer.span.end())];
        let instants = instants.into_iter().filter_map(|(name, expected, is)| {
            let expected = expected?;
            (is != expected).then(|| format!("{name} is {is}, not {expected}"))
        });
        let numbers = self.numbers.iter().filter_map(|&(name, expected)| {
            let is = match name {
                "node_count" => offer.nodes.count().into(),
                "energy_j" => offer.values.energy.as_joules(),
                "cost" => offer.cost().as_units(),
                _ => offer.values.co2.as_grams(),
            };
            let same = (is - expected).abs() <= SAME * expected.abs();
            (!same).then(|| format!("{name} is {}, not {expected}", shown(name, is)))
        });
        instants.chain(numbers).collect()
    }
}

/// A figure as documents have it.
fn shown(name: &str, figure: f64) -> String {
    if name == "node_count" { figure.to_string() } else { Value::from(figure).to_string() }
}

fn number(reader: &mut Reader, raw: &RawValue) -> Option<f64> {
    let read = serde_json::from_str::<f64>(raw.get()).ok().filter(|it| it.is_finite());
    reader.accept(read.ok_or("must be a number"))
}

#[cfg(test)]
mod tests {
    use planner::criterion::Values;
    use planner::decision::Savings;
    use planner::json::reader::read;
    use planner::node_set::NodeSet;
    use planner::quantity::{CarbonMass, Currency, Energy, Money, Power};
    use planner::reservation::NamedNodes;
    use planner::time::{Seconds, Span};
    use serde_json::json;

    use super::*;

    fn expected(value: &Value) -> Result<Expected, String> {
        let read = read(&value.to_string(), Expected::read);
        read.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }

    /// Eight nodes for two hours at 10 MJ, which earn 0.1.
    fn offer() -> OfferTerms {
        let (energy, co2) = (Energy::from_joules(1e7).unwrap(), CarbonMass::from_exact(0));
        let money = |units| Money::from_units(units, Currency::EUR).unwrap();
        let start = Timestamp::parse("2026-01-01T00:15:00Z").unwrap();
        OfferTerms {
            rankings: Vec::new(),
            is_compromise: false,
            span: Span::starting(start, Seconds::new(7200)).unwrap(),
            nodes: NamedNodes { names: None, ordinals: NodeSet::from_positions(0..8) },
            values: Values { energy, cost: money(-0.1), co2 },
            idle_change: None,
            extra_power_fee: None,
            peak_power: Power::from_watts(1712.0).unwrap(),
            delay: Seconds::new(900),
            saves: Savings { energy: Energy::default(), cost: money(0.0), co2 },
            cost_band: None,
            co2_band: None,
            basis: None,
            slowing: None,
        }
    }

    #[test]
    fn an_offer_is_what_is_expected_in_all_that_is_said() {
        let offer = offer();
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
            assert_eq!(expected(&said).unwrap().differences(&offer).join("; "), differences);
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
