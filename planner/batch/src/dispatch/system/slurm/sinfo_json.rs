//! What `sinfo --json` prints: nodes by partition and state as newer versions do, or nodes as older ones and `scontrol show
//! nodes --json` do.

use serde::Deserialize;

use super::sinfo::Nodes;
use super::{empty, gres, node};
use crate::dispatch::slurm_number::SlurmNumber;
use crate::dispatch::system::fault::{SystemError, SystemFault};
use crate::dispatch::system::listed::{ListedQueue, ListedSystem};
use crate::time::Time;

#[derive(Deserialize)]
struct Document {
    sinfo: Option<Vec<GroupDocument>>,
    nodes: Option<Vec<NodeDocument>>,
}

/// Nodes of a partition that are in one state.
#[derive(Deserialize)]
struct GroupDocument {
    nodes: NamesDocument,
    cpus: RangeDocument,
    memory: RangeDocument,
    gres: GresDocument,
    #[serde(default)]
    features: FeaturesDocument,
    partition: PartitionDocument,
}

#[derive(Deserialize)]
struct NamesDocument {
    nodes: Vec<String>,
}

#[derive(Deserialize)]
struct RangeDocument {
    minimum: SlurmNumber,
    maximum: SlurmNumber,
}

#[derive(Default, Deserialize)]
struct FeaturesDocument {
    #[serde(default)]
    total: String,
}

#[derive(Deserialize)]
struct GresDocument {
    #[serde(default)]
    total: String,
}

#[derive(Deserialize)]
struct PartitionDocument {
    name: Option<String>,
    maximums: Option<MaximumsDocument>,
}

#[derive(Deserialize)]
struct MaximumsDocument {
    time: Option<SlurmNumber>,
    nodes: Option<SlurmNumber>,
}

#[derive(Deserialize)]
struct NodeDocument {
    name: String,
    cpus: SlurmNumber,
    real_memory: SlurmNumber,
    #[serde(default)]
    gres: String,
    #[serde(default)]
    features: NamesOrText,
    #[serde(default)]
    partitions: Vec<String>,
}

/// Features as older versions write them, and as newer ones do.
#[derive(Deserialize)]
#[serde(untagged)]
enum NamesOrText {
    Text(String),
    Names(Vec<String>),
}

impl Default for NamesOrText {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl NamesOrText {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Names(names) => names.join(","),
        }
    }
}

/// Reads what `sinfo --json` or `scontrol show nodes --json` printed.
///
/// # Errors
/// What is wrong, with its line where the document cannot be read, else with the names of the nodes.
pub fn read_sinfo_json(text: &str) -> Result<ListedSystem, SystemError> {
    let wrong = |line: usize, what: String| SystemError(vec![SystemFault { line, what }]);
    let document: Document =
        serde_json::from_str(text).map_err(|error| wrong(error.line(), error.to_string()))?;
    let mut nodes = Nodes::default();
    for group in document.sinfo.into_iter().flatten() {
        let names = group.nodes.nodes.join(",");
        group.add(&mut nodes).map_err(|what| wrong(1, format!("nodes {names}: {what}")))?;
    }
    for node in document.nodes.into_iter().flatten() {
        let name = node.name.clone();
        node.add(&mut nodes).map_err(|what| wrong(1, format!("node {name}: {what}")))?;
    }
    let system = nodes.finish();
    match empty(&system, "sinfo --json") {
        None => Ok(system),
        Some(fault) => Err(SystemError(vec![fault])),
    }
}

impl GroupDocument {
    fn add(self, nodes: &mut Nodes) -> Result<(), String> {
        let one = |range: &RangeDocument, what: &str| match (
            range.minimum.whole(),
            range.maximum.whole(),
        ) {
            (Some(least), Some(most)) if least == most => Ok(most),
            _ => Err(format!(
                "{what} differ between the nodes: print a line for each by sinfo -N -h -o \"%N|%c|%m|%G|%P\""
            )),
        };
        let (cpus, memory) = (one(&self.cpus, "cpus")?, one(&self.memory, "memory")?);
        let generic = gres(&self.gres.total).map_err(|what| format!("gres: {what}"))?;
        let most = self.partition.maximums;
        let minutes = most.as_ref().and_then(|it| it.time?.whole());
        let queue = ListedQueue {
            name: self.partition.name.unwrap_or_default(),
            nodes: None,
            max_nodes: most.and_then(|it| it.nodes?.whole()),
            max_time: minutes.map(|it| Time::from_seconds(i64::from(it) * 60)),
        };
        for name in self.nodes.nodes {
            nodes.add(node(name, cpus, memory, &generic, &self.features.total), Some(&queue));
        }
        Ok(())
    }
}

impl NodeDocument {
    fn add(self, nodes: &mut Nodes) -> Result<(), String> {
        let whole = |number: SlurmNumber, what: &str| {
            number.whole().ok_or_else(|| format!("{what} is no whole number"))
        };
        let (cpus, memory) = (whole(self.cpus, "cpus")?, whole(self.real_memory, "real_memory")?);
        let generic = gres(&self.gres).map_err(|what| format!("gres: {what}"))?;
        let listed = node(self.name, cpus, memory, &generic, &self.features.text());
        if self.partitions.is_empty() {
            nodes.add(listed, None);
            return Ok(());
        }
        for partition in self.partitions {
            let queue =
                ListedQueue { name: partition, nodes: None, max_nodes: None, max_time: None };
            nodes.add(listed.clone(), Some(&queue));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nodes as both kinds of versions write them; only the newer ones tell limits.
    #[test]
    fn documents_of_all_versions_say_the_same() {
        let group = |nodes: &str, gres: &str| {
            format!(
                r#"{{"nodes": {{"total": 1, "nodes": [{nodes}]}}, "cpus": {{"minimum": 16, "maximum": 16, "total": 16}},
                "memory": {{"minimum": 32000, "maximum": 32000}}, "gres": {{"total": "{gres}", "used": ""}}, "features": {{"total": "ib", "active": "ib"}},
                "partition": {{"name": "batch", "maximums": {{"nodes": {{"set": false, "infinite": true, "number": 0}},
                "time": {{"set": true, "infinite": false, "number": 30}}}}}}}}"#
            )
        };
        let newer =
            format!(r#"{{"sinfo": [{}, {}]}}"#, group("\"n1\"", ""), group("\"n2\"", "gpu:2"));
        let older = r#"{"nodes": [
            {"name": "n1", "cpus": 16, "real_memory": 32000, "gres": "", "features": "ib", "partitions": ["batch"]},
            {"name": "n2", "cpus": 16, "real_memory": {"set": true, "infinite": false, "number": 32000}, "gres": "gpu:2", "features": ["ib"], "partitions": ["batch"]}]}"#;
        let (newer, older) = (read_sinfo_json(&newer).unwrap(), read_sinfo_json(older).unwrap());
        assert_eq!(newer.nodes, older.nodes);
        assert_eq!(newer.system().totals(), [32, 64_000, 2]);
        assert_eq!(newer.system().queues[0].max_time, Some(Time::from_seconds(1800)));
        assert_eq!(older.system().queues[0].max_time, None);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let differing = r#"{"sinfo": [{"nodes": {"nodes": ["n1", "n2"]}, "cpus": {"minimum": 8, "maximum": 16},
            "memory": {"minimum": 1, "maximum": 1}, "gres": {}, "partition": {"name": "a"}}]}"#;
        for (text, told) in [
            ("{\n\"nodes\": 1}", "line 2: invalid type: integer `1`"),
            ("{}", "line 1: there is no node: sinfo --json"),
            (
                differing,
                "line 1: nodes n1,n2: cpus differ between the nodes: print a line for each",
            ),
        ] {
            let error = read_sinfo_json(text).unwrap_err().to_string();
            assert!(error.starts_with(told), "{error}");
        }
    }
}
