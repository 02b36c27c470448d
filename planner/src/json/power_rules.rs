//! A site's rules of power actions, as its settings have them.

use serde_json::value::RawValue;

use super::power_arrivals::arrivals;
use super::power_problem::{SWITCHING_FIELDS, amounts, count, probability, rank_by, switching_of};
use super::power_rights::{Zones, keep_warm, rights_with_deciders, who};
use super::reader::{JsonError, Object, Reader, read};
use super::slower_states::states_of_rules;
use crate::node::Nodes;
use crate::node_set::NodeSet;
use crate::power_plan::{CriteriaAmounts, PowerRules, Switching};

/// The fields of a site's rules.
pub const FIELDS: [&str; 10] = [
    "rights",
    "arrivals",
    "switching",
    "slower_states",
    "keep_warm",
    "most_switches_per_day",
    "rank_by",
    "wear",
    "failure_probability",
    "failure_loss",
];

/// Reads rules: `rights`, `keep_warm` and all that ranks and bounds as in a problem of power actions, and `switching` and
/// `slower_states` as lists, each with the nodes that are switched so, or have the state. Of several for one node the first holds. Without `nodes` everything is
/// checked but which nodes are meant.
///
/// # Errors
/// Every error in the document, each with its place.
pub fn power_rules(
    text: &str,
    nodes: Option<&Nodes>,
    zones: Zones<'_>,
) -> Result<PowerRules, Vec<JsonError>> {
    read(text, |reader, raw| {
        let object = reader.object(raw, &FIELDS)?;
        rules_of(reader, &object, nodes, zones)
    })
}

/// Reads rules from an object with some of [`FIELDS`].
pub(super) fn rules_of(
    reader: &mut Reader,
    object: &Object<'_>,
    nodes: Option<&Nodes>,
    zones: Zones<'_>,
) -> Option<PowerRules> {
    let rights = reader
        .optional(object, "rights", |reader, raw| rights_with_deciders(reader, raw, nodes, zones));
    let switching =
        reader.optional(object, "switching", |reader, raw| switched(reader, raw, nodes));
    let slower_states =
        reader.optional(object, "slower_states", |reader, raw| states_of_rules(reader, raw, nodes));
    let arrivals = reader.optional(object, "arrivals", |reader, raw| arrivals(reader, raw, nodes));
    let keep_warm =
        reader.optional(object, "keep_warm", |reader, raw| keep_warm(reader, raw, nodes));
    let most_switches_per_day = reader.optional(object, "most_switches_per_day", count);
    let rank_by = reader.optional(object, "rank_by", rank_by);
    let wear = reader.optional(object, "wear", amounts);
    let probability = reader.optional(object, "failure_probability", probability);
    let loss = reader.optional(object, "failure_loss", amounts);
    // Without nodes, lists that name some are missing here, and read for their errors alone.
    let rights = rights.flatten().unwrap_or_default();
    let deciders = rights.iter().map(|(right, people)| (right.nodes.clone(), people.clone()));
    let deciders = deciders.filter(|(_, people)| !people.is_empty()).collect();
    let arrivals = arrivals.flatten().unwrap_or_default();
    let count = nodes.map_or(0, Nodes::count);
    Some(PowerRules {
        switching: by_node(count, &switching.flatten().unwrap_or_default()),
        slower_states: slower_states.flatten().unwrap_or_default(),
        rights: rights.into_iter().map(|(right, _)| right).collect(),
        deciders,
        unannounced: arrivals.unannounced,
        loads: arrivals.loads,
        keep_warm: keep_warm.flatten().unwrap_or_default(),
        most_switches_per_day: most_switches_per_day?,
        rank_by: rank_by?.unwrap_or_default(),
        wear: wear?.unwrap_or(CriteriaAmounts::ZERO),
        failure: (probability?.unwrap_or(0), loss?.unwrap_or(CriteriaAmounts::ZERO)),
    })
}

/// Reads `[{"partition", "off_power_w", ...}]`, or with another way to name nodes.
fn switched(
    reader: &mut Reader,
    raw: &RawValue,
    nodes: Option<&Nodes>,
) -> Option<Vec<(NodeSet, Switching)>> {
    let mut fields = SWITCHING_FIELDS.to_vec();
    fields.extend(["nodes", "node_ranges", "partition", "feature"]);
    reader.array(raw, |reader, raw| {
        let object = reader.object(raw, &fields)?;
        let nodes = who(reader, &object, nodes);
        let switching = switching_of(reader, &object);
        Some((nodes?, switching?))
    })
}

/// For each of so many nodes how it is switched; the first that names it holds.
fn by_node(count: u32, switched: &[(NodeSet, Switching)]) -> Vec<Option<Switching>> {
    let mut switching = vec![None; count as usize];
    for (nodes, how) in switched.iter().rev() {
        for ordinal in nodes.positions().take_while(|it| *it < count) {
            switching[ordinal as usize] = Some(*how);
        }
    }
    switching
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::nodes::inline;
    use crate::power_plan::RightLevel;

    fn three() -> Nodes {
        let text = r#"[{"name": "n1", "idle_power_w": 95, "max_power_w": 190, "partitions": ["batch"]},
                       {"name": "n2", "idle_power_w": 95, "max_power_w": 190, "partitions": ["batch"]},
                       {"name": "n3", "idle_power_w": 80, "max_power_w": 190}]"#;
        read(text, inline).unwrap()
    }

    const SWITCHING: &str = r#""off_power_w": 9.75, "switching_off_s": 6.1, "switching_off_power_w": 101,
        "switching_on_s": 151.52, "switching_on_power_w": 125.17"#;

    #[test]
    fn rules_name_nodes_and_who_decides() {
        let text = format!(
            r#"{{"rights": [{{"partition": "batch", "level": "with_approval", "actions": ["off"], "decided_by": ["carol"]}},
                           {{"nodes": ["n3"], "level": "automatic", "actions": ["off"]}}],
                "switching": [{{"nodes": ["n1"], "boot_s": 300, {SWITCHING}}}, {{"partition": "batch", {SWITCHING}}}],
                "keep_warm": [{{"partition": "batch", "nodes": 1}}], "rank_by": ["cost"], "most_switches_per_day": 4}}"#
        );
        let rules = power_rules(&text, Some(&three()), &|_| None).unwrap();
        assert_eq!(rules.rights[0].level, RightLevel::WithApproval);
        assert!(rules.may_decide("carol", 1) && !rules.may_decide("carol", 2));
        assert!(!rules.may_decide("dave", 1));
        let boots: Vec<Option<u64>> =
            rules.switching.iter().map(|it| it.map(|it| it.boot.as_secs())).collect();
        assert_eq!(boots, [Some(300), Some(151), None]);
        assert_eq!((rules.keep_warm.len(), rules.most_switches_per_day), (1, Some(4)));
    }

    /// Settings are read before there are nodes, and again when there are some.
    #[test]
    fn everything_but_which_nodes_are_meant_is_checked_without_nodes() {
        let right = r#"{"partition": "batch", "level": "automatic", "actions": ["off"]}"#;
        let rules = power_rules(&format!(r#"{{"rights": [{right}]}}"#), None, &|_| None).unwrap();
        assert!(rules.rights.is_empty() && rules.switching.is_empty());
        let text = format!(
            r#"{{"rights": [{right}, {{"nodes": ["n1"], "level": "all", "actions": ["off"]}}],
                "switching": [{{"nodes": ["n1"], "off_power_w": 9}}], "keep_warm": [{{"nodes": 1}}], "warm": 1}}"#
        );
        let errors = power_rules(&text, None, &|_| None).unwrap_err();
        let places: Vec<String> = errors.into_iter().map(|it| it.pointer).collect();
        let expected = [
            "/warm",
            "/rights/1/level",
            "/switching/0/switching_off_power_w",
            "/switching/0/switching_off_s",
            "/switching/0/switching_on_power_w",
            "/switching/0/switching_on_s",
            "/keep_warm/0",
        ];
        assert_eq!(places, expected);
        let named = format!(r#"{{"rights": [{}]}}"#, right.replace("batch", "bach"));
        let errors = power_rules(&named, Some(&three()), &|_| None).unwrap_err();
        assert_eq!(errors[0].pointer, "/rights/0/partition");
    }
}
