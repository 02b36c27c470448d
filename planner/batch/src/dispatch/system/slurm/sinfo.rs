//! What `sinfo -N -o "%N|%c|%m|%G|%P|%f|%l|%s"` prints: a line for each node of each partition.

use std::collections::{HashMap, HashSet};

use planner::node_list;

use super::{empty, gres, max_nodes, max_time, node};
use crate::dispatch::system::fault::{SystemError, SystemFault};
use crate::dispatch::system::listed::{ListedNode, ListedQueue, ListedSystem};

/// How the lines are asked for.
const COMMAND: &str = "sinfo -N -h -o \"%N|%c|%m|%G|%P|%f|%l|%s\"";

/// So many faults are told.
const MOST_FAULTS: usize = 10;

/// Reads what `sinfo` printed with `-N -o "%N|%c|%m|%G|%P|%f|%l|%s"`, with or without a header; the last three columns may be
/// missing.
///
/// # Errors
/// What is wrong, each with its line, at most ten times.
pub fn read_sinfo(text: &str) -> Result<ListedSystem, SystemError> {
    let mut nodes = Nodes::default();
    let mut faults = Vec::new();
    for (line, text) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        if text.trim().is_empty() || text.starts_with("NODELIST") {
            continue;
        }
        if let Err(what) = nodes.row(text) {
            faults.push(SystemFault { line, what });
        }
        if faults.len() == MOST_FAULTS {
            break;
        }
    }
    let system = nodes.finish();
    if faults.is_empty() {
        faults.extend(empty(&system, COMMAND));
    }
    if faults.is_empty() { Ok(system) } else { Err(SystemError(faults)) }
}

/// Nodes and partitions as they are told, node by node of each partition.
#[derive(Default)]
pub(super) struct Nodes {
    system: ListedSystem,
    known: HashSet<String>,
    /// Places of queues, and the nodes of each.
    queues: HashMap<String, (usize, HashSet<String>)>,
}

impl Nodes {
    fn row(&mut self, text: &str) -> Result<(), String> {
        let fields: Vec<&str> = text.split('|').map(str::trim).collect();
        let (&[names, cpus, memory, generic, partition], rest) =
            fields.split_first_chunk::<5>().ok_or_else(|| {
                format!(
                    "{} columns, where there are at least 5: print the file by {COMMAND}",
                    fields.len()
                )
            })?;
        let number = |text: &str, what: &str| -> Result<u32, String> {
            text.parse().map_err(|_| {
                format!(
                    "{what}: {text:?} is no whole number; print a line for each node by {COMMAND}"
                )
            })
        };
        let names = node_list::parse(names).map_err(|error| format!("NODELIST: {error}"))?;
        let (cpus, memory) = (number(cpus, "CPUS")?, number(memory, "MEMORY")?);
        let generic = gres(generic).map_err(|what| format!("GRES: {what}"))?;
        let limit = rest.get(1).map_or(Ok(None), |it| max_time(it));
        let most = rest.get(2).map_or(Ok(None), |it| max_nodes(it));
        let queue = ListedQueue {
            name: partition.trim_end_matches('*').to_owned(),
            nodes: None,
            max_nodes: most.map_err(|what| format!("JOB_SIZE: {what}"))?,
            max_time: limit.map_err(|what| format!("TIMELIMIT: {what}"))?,
        };
        for name in names {
            let features = rest.first().copied().unwrap_or_default();
            self.add(node(name, cpus, memory, &generic, features), Some(&queue));
        }
        Ok(())
    }

    /// Adds a node, and the partition in which it is told.
    pub fn add(&mut self, node: ListedNode, queue: Option<&ListedQueue>) {
        if let Some(queue) = queue.filter(|it| !it.name.is_empty()) {
            let next = self.queues.len();
            let (place, nodes) =
                self.queues.entry(queue.name.clone()).or_insert_with(|| (next, HashSet::new()));
            if *place == self.system.queues.len() {
                self.system.queues.push(queue.clone());
            }
            nodes.insert(node.name.clone());
        }
        self.system.add(&mut self.known, node);
    }

    /// The system, with the nodes of each queue.
    pub fn finish(mut self) -> ListedSystem {
        for (place, nodes) in self.queues.into_values() {
            self.system.queues[place].nodes = Some(nodes);
        }
        self.system.with_marks()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Time;

    const LINES: &str = "n1|16|32000|(null)|batch*|plain|7-00:00:00|1-infinite\n\
                         n1|16|32000|(null)|short|plain|30:00|1-1\n\
                         n2|16|32000|(null)|batch*|plain|7-00:00:00|1-infinite\n\
                         g1|16|32000|gpu:a100:2(S:0-1)|batch*|plain,fast|7-00:00:00|1-infinite\n";

    #[test]
    fn nodes_are_told_once_and_partitions_are_queues() {
        let header = "NODELIST|CPUS|MEMORY|GRES|PARTITION|AVAIL_FEATURES|TIMELIMIT|JOB_SIZE\n";
        for text in [LINES.to_owned(), format!("{header}{LINES}")] {
            let system = read_sinfo(&text).unwrap().system();
            assert_eq!(system.totals(), [48, 96_000, 2]);
            let queues: Vec<_> =
                system.queues.iter().map(|it| (&*it.name, it.max_units, it.max_time)).collect();
            assert_eq!(system.types.len(), 3, "n1 is in a partition of its own");
            let times = [604_800, 1800].map(|it| Some(Time::from_seconds(it)));
            assert_eq!(queues, [("batch", None, times[0]), ("short", Some(1), times[1])]);
        }
        let least = read_sinfo("n[1-2]|16|32000|gpu:1|batch*|(null)\n").unwrap().system();
        assert_eq!((least.nodes(), least.totals()), (2, vec![32, 64_000, 2]));
    }

    #[test]
    fn everything_that_is_wrong_is_told_with_its_line() {
        for (text, told) in [
            ("\n", "line 1: there is no node: sinfo -N"),
            (
                "n1|16\n",
                "line 1: 2 columns, where there are at least 5: print the file by sinfo -N",
            ),
            (
                "n1|16+|1|(null)|a\nn[1|1|1|(null)|a\n",
                "line 1: CPUS: \"16+\" is no whole number; print a line for each node",
            ),
            ("n1|16|1|(null)|a|(null)|soon\n", "line 1: TIMELIMIT: \"soon\" is no limit"),
        ] {
            let error = read_sinfo(text).unwrap_err().to_string();
            assert!(error.starts_with(told), "{error}");
        }
    }
}
