//! How many nodes a job takes.

use planner::node_list;

use super::options::JobOptions;
use super::values::{count, node_count};

/// Options of which only Slurm knows on how many nodes even one task stands.
const OF_GPUS: &[&str] = &[
    "cpus-per-gpu",
    "gpus",
    "gpus-per-socket",
    "gpus-per-task",
    "mem-per-gpu",
    "ntasks-per-gpu",
    "ntasks-per-tres",
    "tres-per-task",
];

/// Options that spread several tasks over nodes in ways that only Slurm knows.
const SPREADING: &[&str] = &[
    "core-spec",
    "extra-node-info",
    "hint",
    "mem-per-cpu",
    "mincpus",
    "ntasks-per-core",
    "ntasks-per-socket",
    "overcommit",
    "spread-job",
    "thread-spec",
    "threads-per-core",
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
        /// How many nodes the job names.
        named: Option<u32>,
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
        let said = options.read("ntasks", count)?;
        let each_node = options.read("ntasks-per-node", count)?;
        let each_task = options.read("cpus-per-task", count)?;
        if let (Some(named), Some(tasks)) = (named, said)
            && tasks < named
        {
            return Err(format!(
                "--nodelist names {named} nodes and --ntasks says {tasks}: a job has a task on each of its nodes"
            ));
        }
        match (nodes, named) {
            // Of a range the least is booked: more nodes never take less energy for the same length. sbatch
            // takes no more nodes than there are tasks.
            (Some((least, _)), None) => {
                return Ok(Self::Nodes(said.map_or(least, |tasks| least.min(tasks))));
            }
            (Some((least, most)), Some(named)) if !(least..=most).contains(&named) => {
                return Err(format!(
                    "--nodelist names {named} nodes and --nodes says {least}: the service books exactly the \
                     nodes that are named, or chooses all of them"
                ));
            }
            (Some(_), Some(named)) => return Ok(Self::Nodes(named)),
            (None, _) => {}
        }
        let tasks = said.unwrap_or(1);
        if let Some(each) = each_node {
            return enough(tasks.div_ceil(each), named).map(Self::Nodes);
        }
        let several = if tasks > 1 { SPREADING } else { &[] };
        if let Some(option) = OF_GPUS.iter().chain(several).find_map(|name| options.get(name)) {
            return Err(format!(
                "with {option} only Slurm knows how many nodes the job takes: say it with -N"
            ));
        }
        match each_task.unwrap_or(1) {
            _ if tasks == 1 => Ok(Self::Nodes(named.unwrap_or(1))),
            cpus => Ok(Self::Tasks { tasks, cpus, named }),
        }
    }

    /// The number of nodes, where each has so many processors, if that is known.
    ///
    /// # Errors
    /// Tasks that do not say how many nodes they take, or take more than are named.
    pub fn nodes(self, cpus_of_node: Option<u32>) -> Result<u32, String> {
        match self {
            Self::Nodes(nodes) => Ok(nodes),
            Self::Tasks { tasks, cpus, named } => match cpus_of_node.map(|all| all / cpus) {
                Some(fitting) if fitting > 0 => enough(tasks.div_ceil(fitting), named),
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

/// The nodes of a job whose tasks take so many: those that it names, where it names some.
fn enough(taken: u32, named: Option<u32>) -> Result<u32, String> {
    match named {
        Some(named) if named < taken => Err(format!(
            "--nodelist names {named} nodes and the tasks take {taken}: the service books exactly the nodes \
             that are named, or chooses all of them"
        )),
        named => Ok(named.unwrap_or(taken)),
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
            ("-w n[1-3] -n 9 --ntasks-per-node=4", NodeDemand::Nodes(3)),
            ("-N 4 -n 2", NodeDemand::Nodes(2)),
            ("-N 4-8 -n 2", NodeDemand::Nodes(2)),
            ("-N 4-8 -n 6", NodeDemand::Nodes(4)),
            ("-n 9 -c 4", NodeDemand::Tasks { tasks: 9, cpus: 4, named: None }),
            ("-n 9 -w n[1-2]", NodeDemand::Tasks { tasks: 9, cpus: 1, named: Some(2) }),
            ("-n 1 -c 4 --mem-per-cpu=2G", NodeDemand::Nodes(1)),
            ("-c 4 -O --hint=nomultithread", NodeDemand::Nodes(1)),
            ("-N 2 --gpus 16", NodeDemand::Nodes(2)),
        ] {
            assert_eq!(of(line), Ok(demand), "{line}");
        }
        for (line, told) in [
            ("-N 0", "--nodes 0: a job needs a node at least"),
            ("-n many", "--ntasks many: is not a whole number"),
            ("-n 0", "--ntasks 0: is not a whole number above zero"),
            ("-n 2 -c 0", "--cpus-per-task 0: is not a whole number above zero"),
            ("-c 0", "--cpus-per-task 0: is not a whole number above zero"),
            ("-N 2 -c 0", "--cpus-per-task 0: is not a whole number above zero"),
            ("-N 2 --ntasks-per-node=0", "--ntasks-per-node 0: is not a whole number above zero"),
            ("-w n[1-3] -N 4", "--nodelist names 3 nodes and --nodes says 4"),
            ("-w /tmp/nodes", "--nodelist /tmp/nodes: name the nodes themselves"),
            ("-w n[1-", "--nodelist n[1-: a bracket that is not closed"),
            ("-w n[1-3] -N 3 -n 2", "--nodelist names 3 nodes and --ntasks says 2"),
            ("-w n1 -n 9 --ntasks-per-node=4", "--nodelist names 1 nodes and the tasks take 3"),
            ("--gpus 16", "with --gpus 16 only Slurm knows how many nodes"),
            ("-w n1 --gpus 16", "with --gpus 16 only Slurm knows how many nodes"),
            ("-n 2 --mem-per-cpu 2G", "with --mem-per-cpu 2G only Slurm knows"),
            ("-n 2 --hint nomultithread", "with --hint nomultithread only Slurm knows"),
            ("-n 2 --threads-per-core 1", "with --threads-per-core 1 only Slurm knows"),
            ("-n 2 -B 2:4:1", "with --extra-node-info 2:4:1 only Slurm knows"),
            ("-n 2 -S 1", "with --core-spec 1 only Slurm knows"),
            ("-n 2 --spread-job", "with --spread-job only Slurm knows"),
        ] {
            let error = of(line).unwrap_err();
            assert!(error.starts_with(told), "{error}");
        }
    }

    /// On a node of 16 processors stand 16 / 5 = 3 tasks of 5: 10 tasks take 4 nodes.
    #[test]
    fn tasks_are_counted_by_the_processors_of_a_node() {
        let of = |named| NodeDemand::Tasks { tasks: 10, cpus: 5, named };
        let tasks = of(None);
        assert_eq!(tasks.nodes(Some(16)), Ok(4));
        assert_eq!(of(Some(5)).nodes(Some(16)), Ok(5));
        let told = of(Some(3)).nodes(Some(16)).unwrap_err();
        assert!(told.starts_with("--nodelist names 3 nodes and the tasks take 4"), "{told}");
        assert_eq!(NodeDemand::Nodes(7).nodes(None), Ok(7));
        assert!(tasks.nodes(Some(4)).unwrap_err().contains("has 5 processors"));
        assert!(tasks.nodes(None).unwrap_err().contains("say it with -N"));
    }
}
