//! The `arrivals` of a problem of power actions and of a site's rules: what holds where jobs come that nobody announced.

use serde_json::value::RawValue;

use super::power_rights::{labelled, partition_or_feature};
use super::reader::{Object, Reader};
use crate::node::Nodes;
use crate::node_set::NodeSet;
use crate::power_plan::{LONGEST_HORIZON, MAX_QUEUED_NODE_S, QueueLoad};
use crate::time::Seconds;

/// The load horizon unless one is given: as the batch simulator's `inertial_shutdown` has it (`threshold_s`).
const LOAD_HORIZON: Seconds = Seconds::new(10_000);

/// What holds where jobs come that nobody announced.
#[derive(Default)]
pub struct Arrivals {
    /// The nodes that idle for their break-even time.
    pub unannounced: NodeSet,
    /// The queues for whose work nodes stay on.
    pub loads: Vec<QueueLoad>,
}

enum Rule {
    Known,
    SkiRental,
    Load,
}

/// Reads `[{"partition", "rule"}]`, or with a `feature` instead of the partition, and for the rule `load` with `queued_node_s`
/// and `load_horizon_s`.
pub fn arrivals(reader: &mut Reader, raw: &RawValue, nodes: Option<&Nodes>) -> Option<Arrivals> {
    let fields = ["partition", "feature", "rule", "queued_node_s", "load_horizon_s"];
    let mut all = Arrivals::default();
    let read = reader.array(raw, |reader, raw| {
        let object = reader.object(raw, &fields)?;
        let rule = reader.required(&object, "rule", rule);
        let load = match rule.as_ref() {
            Some(Rule::Load) => load(reader, &object).map(Some),
            Some(_) => without_load(reader, &object).map(|()| None),
            None => None,
        };
        let (kind, name) = partition_or_feature(reader, &object)?;
        let among = labelled(reader, nodes, kind, &name)?;
        match (rule?, load?) {
            (Rule::SkiRental, _) => all.unannounced = all.unannounced.union(&among),
            (_, Some((queued_node_s, horizon))) => {
                let name = format!("{kind} {name:?} for its queue").into();
                all.loads.push(QueueLoad { name, among, queued_node_s, horizon });
            }
            _ => {}
        }
        Some(())
    });
    read.map(|_| all)
}

fn rule(reader: &mut Reader, raw: &RawValue) -> Option<Rule> {
    match reader.string(raw)?.as_str() {
        "known" => Some(Rule::Known),
        "ski_rental" => Some(Rule::SkiRental),
        "load" => Some(Rule::Load),
        _ => reader.accept(Err("must be known, ski_rental or load")),
    }
}

/// The work that waits and the load horizon.
fn load(reader: &mut Reader, object: &Object<'_>) -> Option<(i64, Seconds)> {
    let queued = reader.required(object, "queued_node_s", |reader, raw| {
        let queued = reader.whole_number(raw)?;
        let is_within = (0..=MAX_QUEUED_NODE_S).contains(&queued);
        reader.accept(is_within.then_some(queued).ok_or("must lie between 0 and 1e12"))
    });
    let horizon = reader.optional(object, "load_horizon_s", |reader, raw| {
        let horizon = Seconds::new(reader.whole_number(raw)?);
        let is_within = Seconds::ONE <= horizon && horizon <= LONGEST_HORIZON;
        reader.accept(is_within.then_some(horizon).ok_or("must lie between 1 s and 366 days"))
    });
    Some((queued?, horizon?.unwrap_or(LOAD_HORIZON)))
}

/// The other rules know no load.
fn without_load(reader: &mut Reader, object: &Object<'_>) -> Option<()> {
    let given: Vec<_> = ["queued_node_s", "load_horizon_s"]
        .into_iter()
        .filter(|field| object.get(field).is_some())
        .collect();
    for field in &given {
        reader.error_at(field, "only goes with the rule load");
    }
    given.is_empty().then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::nodes::inline;
    use crate::json::reader::read;

    fn two() -> Nodes {
        let text = r#"[{"name": "n1", "idle_power_w": 95, "max_power_w": 190, "partitions": ["batch"]},
                       {"name": "n2", "idle_power_w": 95, "max_power_w": 190, "features": ["gpu"]}]"#;
        read(text, inline).unwrap()
    }

    #[test]
    fn a_queue_has_its_work_and_a_load_horizon() {
        let text = r#"[{"partition": "batch", "rule": "load", "queued_node_s": 36000},
                       {"feature": "gpu", "rule": "load", "queued_node_s": 0, "load_horizon_s": 600},
                       {"feature": "gpu", "rule": "ski_rental"}]"#;
        let Arrivals { unannounced, loads } =
            read(text, |reader, raw| arrivals(reader, raw, Some(&two()))).unwrap();
        assert_eq!(unannounced, NodeSet::from_positions([1]));
        let told: Vec<(i64, i64)> =
            loads.iter().map(|it| (it.queued_node_s, it.horizon.get())).collect();
        assert_eq!(told, [(36_000, 10_000), (0, 600)]);
        assert_eq!(loads[0].among, NodeSet::from_positions([0]));
    }

    #[test]
    fn every_error_of_a_queue_has_its_place() {
        let text = r#"[{"partition": "batch", "rule": "load"},
                       {"partition": "batch", "rule": "load", "queued_node_s": -1, "load_horizon_s": 0},
                       {"partition": "batch", "rule": "ski_rental", "queued_node_s": 1},
                       {"partition": "bach", "rule": "load", "queued_node_s": 1},
                       {"partition": "batch", "rule": "loads"}]"#;
        let errors = read(text, |reader, raw| arrivals(reader, raw, Some(&two())).map(|_| ()));
        let places: Vec<String> = errors.unwrap_err().into_iter().map(|it| it.pointer).collect();
        let expected = [
            "/0/queued_node_s",
            "/1/queued_node_s",
            "/1/load_horizon_s",
            "/2/queued_node_s",
            "/3/partition",
            "/4/rule",
        ];
        assert_eq!(places, expected);
    }
}
