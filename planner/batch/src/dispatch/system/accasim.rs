//! Systems of `AccaSim`: `groups` of nodes with what each has, and `resources`, how many nodes of each group there are.
//!
//! `core` becomes `cores` and `mem`, which is kB, becomes `memory_kb`. Where an `equivalence` says that a processor of
//! traces is several cores, nodes have so many `processors` instead.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::fault::{SystemError, SystemFault};
use super::listed::{ListedNode, ListedSystem};

#[derive(Deserialize)]
struct Document {
    groups: Map<String, Value>,
    resources: Map<String, Value>,
    #[serde(default)]
    equivalence: HashMap<String, HashMap<String, u32>>,
}

/// Reads a system of `AccaSim`. Nodes are called by their group: `g0-1`, `g0-2`.
///
/// # Errors
/// Everything that is wrong with it; what the document is not at all has a line, else it is named by its keys.
pub fn read_accasim(text: &str) -> Result<ListedSystem, SystemError> {
    let document: Document = serde_json::from_str(text).map_err(|error| {
        SystemError(vec![SystemFault { line: error.line(), what: error.to_string() }])
    })?;
    let mut faults = Vec::new();
    let mut wrong = |key: &str, what: String| {
        let quoted = format!("\"{key}\"");
        let line = text.lines().position(|line| line.contains(&quoted)).map_or(1, |it| it + 1);
        faults.push(SystemFault { line, what });
    };
    let cores = document.equivalence.get("processor").and_then(|it| it.get("core")).copied();
    let mut system = ListedSystem::default();
    for (group, count) in &document.resources {
        let Some(count) = count.as_u64().filter(|it| *it <= 1_000_000) else {
            wrong(group, format!("resources: {group} must be a number of nodes"));
            continue;
        };
        let Some(Value::Object(each)) = document.groups.get(group) else {
            wrong(group, format!("groups: there is no {group}, of which resources has nodes"));
            continue;
        };
        let mut amounts = Vec::new();
        for (name, amount) in each {
            match amount.as_u64().and_then(|it| u32::try_from(it).ok()) {
                None => wrong(name, format!("groups: {group}: {name} must be a whole number")),
                Some(amount) => match renamed(name, amount, cores) {
                    Ok(renamed) => amounts.push(renamed),
                    Err(what) => wrong(name, format!("groups: {group}: {what}")),
                },
            }
        }
        for number in 1..=count {
            let (name, amounts) = (format!("{group}-{number}"), amounts.clone());
            system.nodes.push(ListedNode { name, amounts, ..ListedNode::default() });
        }
    }
    if system.nodes.is_empty() && faults.is_empty() {
        faults.push(SystemFault { line: 1, what: "resources: there are no nodes".to_owned() });
    }
    faults.sort_by_key(|fault| fault.line);
    if faults.is_empty() { Ok(system) } else { Err(SystemError(faults)) }
}

/// The name and the amount of a resource here.
fn renamed(name: &str, amount: u32, cores: Option<u32>) -> Result<(String, u32), String> {
    match (name, cores) {
        ("mem", _) => Ok(("memory_kb".to_owned(), amount)),
        ("core", None | Some(1)) => Ok(("cores".to_owned(), amount)),
        ("core", Some(0)) => Err("equivalence: a processor must have cores".to_owned()),
        ("core", Some(each)) if amount.is_multiple_of(each) => {
            Ok(("processors".to_owned(), amount / each))
        }
        ("core", Some(each)) => Err(format!("{amount} cores are no processors of {each} cores")),
        _ => Ok((name.to_owned(), amount)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A third of Eurora: 2 nodes with GPUs, 1 with MICs; a processor has 8 of 16 cores.
    #[test]
    fn groups_are_types_of_nodes() {
        let text = r#"{"system_name": "part", "start_time": 0, "groups": {
            "gpu": {"core": 16, "mem": 16777216, "gpu": 2}, "mic": {"core": 16, "mem": 16777216, "mic": 2}},
            "resources": {"gpu": 2, "mic": 1}}"#;
        let system = read_accasim(text).unwrap().system();
        assert_eq!(system.names().collect::<Vec<_>>(), ["cores", "memory_kb", "gpu", "mic"]);
        assert_eq!((system.nodes(), system.totals()), (3, vec![48, 3 << 24, 4, 2]));
        let text = text.replace(
            "\"start_time\"",
            "\"equivalence\": {\"processor\": {\"core\": 8}}, \"start_time\"",
        );
        let system = read_accasim(&text).unwrap().system();
        assert_eq!((&*system.resources[0], system.totals()[0]), ("processors", 6));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, told) in [
            ("{\"groups\": {}}", "line 1: missing field `resources`"),
            ("{\"groups\": {}, \"resources\": {}}", "line 1: resources: there are no nodes"),
            (
                "{\"groups\": {\n\"a\": {\"core\": 1.5}},\n\"resources\": {\"a\": 1,\n\"b\": 2}}",
                "line 2: groups: a: core must be a whole number; line 4: groups: there is no b",
            ),
        ] {
            let error = read_accasim(text).unwrap_err().to_string();
            assert!(error.starts_with(told), "{error}");
        }
    }
}
