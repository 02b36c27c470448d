//! The `idle_energy` of a problem: how offers count the idle energy that they avoid or cause.

use serde_json::value::RawValue;

use super::power_problem::draws_too_much;
use super::power_rights::Zones;
use super::power_rules::rules_of;
use super::reader::Reader;
use crate::idle_energy::{Fit, IdleEnergy};
use crate::node::Nodes;
use crate::power_plan::LONGEST_HORIZON;
use crate::time::Timestamp;

/// What the option has: of a site's rules of power actions those that are about one node and one gap.
const FIELDS: [&str; 8] = [
    "until",
    "fit",
    "switching",
    "rights",
    "rank_by",
    "wear",
    "failure_probability",
    "failure_loss",
];

/// Reads `{"until", "fit", "switching", "rights", "rank_by", "wear", "failure_probability", "failure_loss"}`. Where `now` or
/// the nodes themselves are wrong, everything that does not rest on them is checked.
pub fn idle_energy(
    reader: &mut Reader,
    raw: &RawValue,
    now: Option<Timestamp>,
    nodes: Option<&Nodes>,
    zones: Zones<'_>,
) -> Option<IdleEnergy> {
    let object = reader.object(raw, &FIELDS)?;
    let until = reader.required(&object, "until", |reader, raw| {
        let until = reader.timestamp(raw)?;
        let is_after = |now| now < until && until - now <= LONGEST_HORIZON;
        let is_within = now.is_none_or(is_after);
        reader.accept(
            is_within.then_some(until).ok_or("must be after now, and at most 366 days after it"),
        )
    });
    let fit = reader.optional(&object, "fit", |reader, raw| {
        let word = reader.string(raw)?;
        reader.accept(Fit::from_word(&word).ok_or("must be least_draw or long_gaps"))
    });
    let rules = rules_of(reader, &object, nodes, zones)?;
    if nodes.is_some_and(|nodes| draws_too_much(nodes, &rules.switching)) {
        reader
            .error_at("switching", "the nodes that can be switched draw more than 2e9 W together");
        return None;
    }
    Some(IdleEnergy { until: until?, fit: fit?.unwrap_or_default(), rules })
}

#[cfg(test)]
mod tests {
    use crate::json::problem::problem;

    #[test]
    fn every_error_is_told_with_its_place() {
        let text = r#"{
            "now": "2026-01-02T00:00:00Z", "search": {"mode": "exact"}, "currency": "EUR",
            "nodes": [{"name": "n1", "idle_power_w": 95, "max_power_w": 190}],
            "agendas": {"price": [], "co2": []},
            "idle_energy": {"until": "2026-01-02T00:00:00Z", "fit": "best", "keep_warm": [],
                            "switching": [{"nodes": ["n2"], "off_power_w": 9, "switching_off_s": 6, "switching_off_power_w": 101,
                                           "switching_on_s": 151, "switching_on_power_w": 3e9}],
                            "rights": [{"nodes": ["n1"], "level": "some", "actions": ["off"]}]},
            "request": {"nodes": 1, "duration_s": 60, "earliest_start": "2026-01-02T00:00:00Z",
                        "latest_start": "2026-01-02T00:00:00Z"}
        }"#;
        let read = |text: &str| problem(text, |_| Err(Vec::new()), &|_| None);
        let places = |text: &str| -> Vec<String> {
            read(text).unwrap_err().into_iter().map(|error| error.pointer).collect()
        };
        let expected = [
            "/idle_energy/keep_warm",
            "/idle_energy/until",
            "/idle_energy/fit",
            "/idle_energy/rights/0/level",
            "/idle_energy/switching/0/nodes/0",
        ];
        assert_eq!(places(text), expected);
        let right =
            text.replace("n2", "n1").replace("best", "long_gaps").replace("some", "automatic");
        let right = right
            .replace(", \"keep_warm\": []", "")
            .replace("until\": \"2026-01-02", "until\": \"2026-01-03");
        assert_eq!(places(&right), ["/idle_energy/switching"]);
        assert!(read(&right.replace("3e9", "125")).is_ok());
    }
}
