//! How many nodes a job takes.

use planner::node_list;

use super::options::JobOptions;
use super::values::{count, node_count};

/// Options that spread tasks over nodes in ways that only Slurm knows.
const SPREADING: &[&str] = &[
    "cpus-per-gpu",
    "gpus",
    "gpus-per-task",
    "mem-per-cpu",
    "mem-per-gpu",
    "ntasks-per-core",
    "ntasks-per-gpu",
    "ntasks-per-socket",
    "overcommit",
    "tres-per-task",
];

/// What says how many nodes a job takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeDemand {
    /// So many nodes.
    Nodes(u32),
    /// As many as these tasks need, each on so many processors of one node.
    Tasks {
        /// How many tasks.
        tasks: u32,
        /// The processors of each.
        cpus: u32,
    },
}

impl NodeDemand {
    /// What a job's options say.
    ///
    /// # Errors
    /// Numbers that cannot be read, and jobs whose nodes only Slurm can count.
    pub fn of(options: &JobOptions) -> Result<Self, String> {
        let nodes = options.read("nodes", node_count)?;
        let named = named(options)?;
        match (nodes, named) {
            // Of a range the least is booked: more nodes never take less energy for the same length.
            (Some((least, _)), None) => return Ok(Self::Nodes(least)),
            (Some((least, most)), Some(named)) if !(least..=most).contains(&named) => {
                return Err(format!(
                    "--nodelist names {named} nodes and --nodes says {least}: the service books exactly the \
                     nodes that are named, or chooses all of them"
                ));
            }
            (_, Some(named)) => return Ok(Self::Nodes(named)),
            (None, None) => {}
        }
        let tasks = options.read("ntasks", count)?.unwrap_or(1).max(1);
        if let Some(each) = options.read("ntasks-per-node", count)?.filter(|each| *each > 0) {
            return Ok(Self::Nodes(tasks.div_ceil(each)));
        }
        if let Some(option) = SPREADING.iter().find_map(|name| options.get(name)) {
            return Err(format!(
                "with {option} only Slurm knows how many nodes the job takes: say it with -N"
            ));
        }
        match options.read("cpus-per-task", count)?.unwrap_or(1).max(1) {
            _ if tasks == 1 => Ok(Self::Nodes(1)),
            cpus => Ok(Self::Tasks { tasks, cpus }),
        }
    }

    /// The number of nodes, where each has so many processors, if that is known.
    ///
    /// # Errors
    /// Tasks that do not say how many nodes they take.
    pub fn nodes(self, cpus_of_node: Option<u32>) -> Result<u32, String> {
        match self {
            Self::Nodes(nodes) => Ok(nodes),
            Self::Tasks { tasks, cpus } => match cpus_of_node.map(|all| all / cpus) {
                Some(fitting) if fitting > 0 => Ok(tasks.div_ceil(fitting)),
                Some(_) => {
                    Err(format!("no node of the partition has {cpus} processors for a task"))
                }
                None => Err(format!(
                    "it is not known how many nodes {tasks} tasks take: say it with -N, or how many tasks a \
                     node takes with --ntasks-per-node"
                )),
            },
        }
    }
}

/// How many nodes the job names.
fn named(options: &JobOptions) -> Result<Option<u32>, String> {
    let names = options.read("nodelist", names)?;
    Ok(names.map(|names| u32::try_from(names.len()).unwrap_or(u32::MAX)))
}

/// The names of a list such as `n[1-4],gpu7`.
///
/// # Errors
/// What cannot be read, with its place, and names of files, which sbatch would read.
pub fn names(text: &str) -> Result<Vec<String>, String> {
    if text.contains('/') {
        return Err("name the nodes themselves, not a file that names them".to_owned());
    }
    node_list::parse(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::sbatch::words::Words;

    fn of(line: &str) -> Result<NodeDemand, String> {
        let words = Words::of(line.split_whitespace().map(Into::into).collect()).unwrap();
        NodeDemand::of(&JobOptions::of(&[], |_| None, &words.said))
    }

    #[test]
    fn nodes_are_said_or_follow_from_tasks() {
        for (line, demand) in [
            ("", NodeDemand::Nodes(1)),
            ("-N 4", NodeDemand::Nodes(4)),
            ("-N 4-8 -n 99", NodeDemand::Nodes(4)),
            ("-n 1", NodeDemand::Nodes(1)),
            ("-n 9 --ntasks-per-node=4", NodeDemand::Nodes(3)), // 4 + 4 + 1
            ("--ntasks-per-node=4", NodeDemand::Nodes(1)),
            ("-n 9 --tasks-per-node 3", NodeDemand::Nodes(3)),
            ("-w n[1-3]", NodeDemand::Nodes(3)),
            ("-w n[1-3] -N 2-4", NodeDemand::Nodes(3)),
            ("-n 9 -c 4", NodeDemand::Tasks { tasks: 9, cpus: 4 }),
            ("-n 9", NodeDemand::Tasks { tasks: 9, cpus: 1 }),
            ("-N 2 --gpus 16", NodeDemand::Nodes(2)),
        ] {
            assert_eq!(of(line), Ok(demand), "{line}");
        }
        for (line, told) in [
            ("-N 0", "--nodes 0: a job needs a node at least"),
            ("-n many", "--ntasks many: is not a whole number"),
            ("-w n[1-3] -N 4", "--nodelist names 3 nodes and --nodes says 4"),
            ("-w /tmp/nodes", "--nodelist /tmp/nodes: name the nodes themselves"),
            ("-w n[1-", "--nodelist n[1-: a bracket that is not closed"),
            ("--gpus 16", "with --gpus 16 only Slurm knows how many nodes"),
        ] {
            let error = of(line).unwrap_err();
            assert!(error.starts_with(told), "{error}");
        }
    }

    /// On a node of 16 processors stand 16 / 5 = 3 tasks of 5: 10 tasks take 4 nodes.
    #[test]
    fn tasks_are_counted_by_the_processors_of_a_node() {
        let tasks = NodeDemand::Tasks { tasks: 10, cpus: 5 };
        assert_eq!(tasks.nodes(Some(16)), Ok(4));
        assert_eq!(NodeDemand::Nodes(7).nodes(None), Ok(7));
        assert!(tasks.nodes(Some(4)).unwrap_err().contains("has 5 processors"));
        assert!(tasks.nodes(None).unwrap_err().contains("say it with -N"));
    }
}
