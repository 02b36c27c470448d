//! Systems from what knows of them: TOML of our own, Slurm, `AccaSim`, and Wattbook services and files of nodes.

use std::fs;
use std::path::{Path, PathBuf};

use batch::dispatch::system::{
    ListedSystem, System, SystemError, read_accasim, read_sinfo, read_sinfo_json, read_slurm_conf,
};
use batch::platform::KnownMachine;
use planner::node_list;
use planner::power_states::Draws;
use serde_json::Value;

use super::files;
use super::nodes::{self, Services};
use crate::cli::Failure;

/// A node's name, and what it draws.
type NodeDraws = (Box<str>, Option<Draws>);

/// A system as it was read.
pub enum SystemSource {
    /// A document of our own.
    Document(System),
    /// A list of nodes.
    Listed(ListedSystem),
}

impl SystemSource {
    /// The system.
    pub fn system(self) -> System {
        match self {
            Self::Document(system) => system,
            Self::Listed(listed) => listed.system(),
        }
    }
}

/// What the text of a system is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Toml,
    SlurmConf,
    Sinfo,
    SinfoJson,
    Accasim,
    /// Nodes with what they draw: a table, or an answer of a service.
    Nodes,
}

/// Reads the system of a file or of a service.
pub fn read(source: &Path, services: Services<'_>) -> Result<SystemSource, Failure> {
    if let Some(url) = source.to_str().filter(|name| nodes::is_url(name)) {
        let known = nodes::read(url, Path::new(""), services)?;
        return Ok(SystemSource::Listed(of_machines(known)));
    }
    let text = files::text(source).map_err(|error| {
        Failure::BadInput(vec![format!("cannot read {}: {error}", source.display())])
    })?;
    let wrong = |error: SystemError| {
        let line = |fault: &_| format!("{}: {fault}", source.display());
        Failure::BadInput(error.0.iter().map(line).collect())
    };
    let listed = match kind(&text) {
        Kind::Toml => return System::parse(&text).map(SystemSource::Document).map_err(wrong),
        Kind::SlurmConf => {
            let folder = source.parent().unwrap_or(Path::new(""));
            read_slurm_conf(&text, &mut |name| included(folder, name))
        }
        Kind::Sinfo => read_sinfo(&text),
        Kind::SinfoJson => read_sinfo_json(&text),
        Kind::Accasim => read_accasim(&text),
        Kind::Nodes => Ok(of_machines(nodes::parse(source, &text)?)),
    };
    let listed = listed.map_err(wrong)?;
    let left_out = listed.properties_left_out();
    if !left_out.is_empty() {
        super::note(&format!(
            "{}: too many features, left out: {}",
            source.display(),
            left_out.join(", ")
        ));
    }
    Ok(SystemSource::Listed(listed))
}

/// Reads a system; what its nodes draw is taken by their names from `powers`, a file or a service, where that is said.
pub fn read_with_powers(
    source: &Path,
    powers: Option<&str>,
    services: Services<'_>,
) -> Result<SystemSource, Failure> {
    let mut system = read(source, services)?;
    let Some(powers) = powers else { return Ok(system) };
    let SystemSource::Listed(listed) = &mut system else {
        let what = "--powers: a system in TOML has no names of nodes; say [nodes.power] in it";
        return Err(Failure::BadInput(vec![what.to_owned()]));
    };
    let known = nodes::read(powers, Path::new(""), services)?;
    let draws: Vec<NodeDraws> = known.into_iter().map(of_machine).collect();
    let unknown = listed.with_draws(&draws);
    if !unknown.is_empty() {
        let names = node_list::format(unknown.iter().map(String::as_str));
        super::note(&format!("--powers: the system has no nodes {names}"));
    }
    let unsaid = listed.nodes.iter().filter(|node| node.draws.is_none());
    let unsaid = node_list::format(unsaid.map(|node| node.name.as_str()));
    if !unsaid.is_empty() {
        super::note(&format!("--powers: it is not said what these nodes draw: {unsaid}"));
    }
    Ok(system)
}

fn of_machines(known: Vec<KnownMachine>) -> ListedSystem {
    ListedSystem::of_whole_nodes(known.into_iter().map(of_machine))
}

fn of_machine(known: KnownMachine) -> NodeDraws {
    let states = &known.power_states;
    let draws = states.computing.get(states.initial).and_then(|state| state.draws);
    (known.name, draws)
}

/// A file that `slurm.conf` names: beside it, unless the name says where. A pattern with `*` is all files that it fits.
fn included(folder: &Path, name: &str) -> Result<String, String> {
    let path = folder.join(name);
    let read = |path: &PathBuf| fs::read_to_string(path).map_err(|error| error.to_string());
    let pattern = path.file_name().and_then(|it| it.to_str()).and_then(|it| it.split_once('*'));
    let Some((before, after)) = pattern else { return read(&path) };
    let parent = path.parent().unwrap_or(Path::new(""));
    let fits = |path: &PathBuf| {
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        name.len() >= before.len() + after.len()
            && name.starts_with(before)
            && name.ends_with(after)
    };
    let entries = fs::read_dir(parent).map_err(|error| error.to_string())?;
    let mut paths: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(fits).collect();
    paths.sort();
    paths.iter().map(read).collect::<Result<Vec<String>, String>>().map(|texts| texts.join("\n"))
}

/// What a text is, by how it begins.
fn kind(text: &str) -> Kind {
    let begin = text.trim_start_matches('\u{feff}').trim_start();
    let is_list = begin.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{'));
    if begin.starts_with('{') || is_list {
        return kind_of_json(begin);
    }
    let lines = || begin.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#'));
    let is_slurm = |line: &str| {
        let line = line.to_ascii_lowercase();
        ["nodename=", "partitionname=", "clustername=", "include "]
            .iter()
            .any(|key| line.starts_with(key))
    };
    let first = lines().next().unwrap_or_default();
    if lines().any(is_slurm) {
        Kind::SlurmConf
    } else if first.contains("idle_power_w") && first.contains(',') && !first.contains('=') {
        Kind::Nodes
    } else if first.split('|').count() > 1 && !first.contains('=') {
        Kind::Sinfo
    } else {
        Kind::Toml
    }
}

/// What a document is, by its keys.
fn kind_of_json(text: &str) -> Kind {
    let document: Value = serde_json::from_str(text).unwrap_or_default();
    let of_slurm = |nodes: &Value| nodes.get(0).is_some_and(|it| it.get("real_memory").is_some());
    if document.get("groups").is_some() && document.get("resources").is_some() {
        Kind::Accasim
    } else if document.get("sinfo").is_some() || document.get("nodes").is_some_and(of_slurm) {
        Kind::SinfoJson
    } else {
        Kind::Nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_known_by_how_they_begin() {
        for (text, expected) in [
            ("# a system\n[[nodes]]\ncount = 1\n", Kind::Toml),
            ("[[nodes]]\ncount = 1\n", Kind::Toml),
            ("", Kind::Toml),
            ("# Slurm\nClusterName=a\nNodeName=n1 Gres=gpu:1\n", Kind::SlurmConf),
            ("NODELIST|CPUS|MEMORY|GRES|PARTITION\nn1|1|1|(null)|a\n", Kind::Sinfo),
            ("{\"sinfo\": []}", Kind::SinfoJson),
            ("{\"nodes\": [{\"name\": \"n1\", \"real_memory\": 1}]}", Kind::SinfoJson),
            ("{\"groups\": {}, \"resources\": {}}", Kind::Accasim),
            ("{\"nodes\": [{\"name\": \"n1\", \"idle_power_w\": 1}]}", Kind::Nodes),
            ("[{\"name\": \"n1\"}]", Kind::Nodes),
            ("name,idle_power_w,max_power_w\nn1,1,2\n", Kind::Nodes),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
    }

    /// The settings of a folder, whose files are beside each other.
    #[test]
    fn settings_of_slurm_are_read_with_the_files_that_they_name() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("slurm.conf", "ClusterName=a\nInclude nodes-*.conf\nInclude partitions.conf\n");
        write("nodes-1.conf", "NodeName=n[1-2] CPUs=4\n");
        write("nodes-2.conf", "NodeName=g1 CPUs=8 Gres=gpu:2\n");
        write("partitions.conf", "PartitionName=p Nodes=ALL MaxTime=30\n");
        let file = folder.path().join("slurm.conf");
        let system = read(&file, Services::Refused).ok().unwrap().system();
        assert_eq!((system.totals(), &*system.queues[0].name), (vec![16, 2], "p"));
        write("nodes-1.conf", "NodeName=n[1-2] CPUs=x\n");
        let Err(Failure::BadInput(errors)) = read(&file, Services::Refused) else { panic!() };
        let told = ": line 2: nodes-*.conf, line 1: cpus: \"x\" is no whole number";
        assert!(errors[0].ends_with(told), "{errors:?}");
    }
}
