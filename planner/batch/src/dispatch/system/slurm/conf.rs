//! Slurm's settings: `NodeName`, `NodeSet`, `PartitionName`, `Licenses` and `Include` of `slurm.conf`.

use std::collections::{HashMap, HashSet};

use planner::node_list;

use super::{empty, gres, max_nodes, max_time, node};
use crate::dispatch::system::fault::{SystemError, SystemFault};
use crate::dispatch::system::listed::{ListedQueue, ListedSystem};

/// Files may name files so deep.
const DEEPEST: usize = 16;

/// Reads settings of Slurm. `include` gives the text of a file that they name.
///
/// # Errors
/// Everything that is wrong, each with its line; in a file that is included also with its name.
pub fn read_slurm_conf(
    text: &str,
    include: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Result<ListedSystem, SystemError> {
    let mut settings = Settings::default();
    settings.read(text, &Place { file: None, line: None, depth: 0 }, include);
    settings.find_partitions();
    let Settings { system, mut faults, .. } = settings;
    if faults.is_empty() {
        faults.extend(empty(&system, "NodeName=n[1-4] CPUs=16 RealMemory=64000"));
    }
    faults.sort_by_key(|fault| fault.line);
    if faults.is_empty() { Ok(system.with_marks()) } else { Err(SystemError(faults)) }
}

/// Where a text stands.
struct Place {
    /// The file, where it is an included one.
    file: Option<String>,
    /// The line of the outermost file that leads here.
    line: Option<usize>,
    depth: usize,
}

impl Place {
    /// What is wrong on a line of this text.
    fn fault(&self, line: usize, what: &str) -> SystemFault {
        let what = match &self.file {
            Some(file) => format!("{file}, line {line}: {what}"),
            None => what.to_owned(),
        };
        SystemFault { line: self.line.unwrap_or(line), what }
    }
}

/// Keys and values of a line.
type Values = HashMap<String, String>;

#[derive(Default)]
struct Settings {
    system: ListedSystem,
    known: HashSet<String>,
    /// Names of nodes by feature.
    features: HashMap<String, HashSet<String>>,
    /// Names of nodes by the set that they are in, and sets of features.
    sets: HashMap<String, Values>,
    node_default: Values,
    partition_default: Values,
    /// The nodes of each queue, as they are said, and where.
    nodes_of_queues: Vec<(String, SystemFault)>,
    faults: Vec<SystemFault>,
}

impl Settings {
    fn read(
        &mut self,
        text: &str,
        place: &Place,
        include: &mut dyn FnMut(&str) -> Result<String, String>,
    ) {
        for (line, text) in logical_lines(text) {
            let (key, rest) = text.split_once(['=', ' ', '\t']).unwrap_or((text.as_str(), ""));
            let done = match key.to_ascii_lowercase().as_str() {
                "include" => self.include(rest.trim(), line, place, include),
                "nodename" => self.nodes(&values(&text)),
                "partitionname" => self.partition(&values(&text), place.fault(line, "")),
                "nodeset" => {
                    let values = values(&text);
                    self.sets.insert(values.get("nodeset").cloned().unwrap_or_default(), values);
                    Ok(())
                }
                "licenses" => self.licences(rest.trim()),
                _ => Ok(()),
            };
            if let Err(what) = done {
                self.faults.push(place.fault(line, &what));
            }
        }
    }

    fn include(
        &mut self,
        name: &str,
        line: usize,
        place: &Place,
        include: &mut dyn FnMut(&str) -> Result<String, String>,
    ) -> Result<(), String> {
        if place.depth == DEEPEST {
            return Err(format!(
                "Include {name}: files include each other more than {DEEPEST} deep"
            ));
        }
        let text = include(name).map_err(|error| format!("Include {name}: {error}"))?;
        let within = Place {
            file: Some(name.to_owned()),
            line: Some(place.line.unwrap_or(line)),
            depth: place.depth + 1,
        };
        self.read(&text, &within, include);
        Ok(())
    }

    fn nodes(&mut self, said: &Values) -> Result<(), String> {
        let name = said.get("nodename").cloned().unwrap_or_default();
        if name.eq_ignore_ascii_case("DEFAULT") {
            self.node_default.extend(said.clone());
            return Ok(());
        }
        let mut all = self.node_default.clone();
        all.extend(said.clone());
        if all.get("state").is_some_and(|it| it.eq_ignore_ascii_case("FUTURE")) {
            return Ok(());
        }
        let number = |keys: &[&str], otherwise: u32| number(&all, keys, otherwise);
        let threads = number(&["threadspercore"], 1)?;
        let sockets = match number(&["sockets"], 0)? {
            0 => number(&["boards"], 1)?.saturating_mul(number(&["socketsperboard"], 1)?),
            sockets => sockets,
        };
        let cores = sockets.saturating_mul(number(&["corespersocket"], 1)?);
        let cpus = number(&["cpus", "procs"], cores.saturating_mul(threads))?;
        let kept = number(&["corespeccount"], 0)?.saturating_mul(threads);
        let memory = number(&["realmemory"], 1)?;
        let memory = memory.saturating_sub(number(&["memspeclimit"], 0)?);
        let text = |key: &str| all.get(key).map_or("", String::as_str);
        let gres = gres(text("gres")).map_err(|what| format!("Gres: {what}"))?;
        let names = node_list::parse(&name).map_err(|error| format!("NodeName: {error}"))?;
        let features = [text("feature"), text("features")].join(",");
        for name in names {
            for feature in features.split(',').filter(|it| !it.is_empty()) {
                self.features.entry(feature.to_owned()).or_default().insert(name.clone());
            }
            let node = node(name, cpus.saturating_sub(kept), memory, &gres, &features);
            self.system.add(&mut self.known, node);
        }
        Ok(())
    }

    fn partition(&mut self, said: &Values, place: SystemFault) -> Result<(), String> {
        let name = said.get("partitionname").cloned().unwrap_or_default();
        if name.trim().is_empty() {
            return Err("PartitionName: has no name".to_owned());
        }
        if name.eq_ignore_ascii_case("DEFAULT") {
            self.partition_default.extend(said.clone());
            return Ok(());
        }
        let mut all = self.partition_default.clone();
        all.extend(said.clone());
        let max_time = all.get("maxtime").map_or(Ok(None), |it| max_time(it));
        let max_nodes = all.get("maxnodes").map_or(Ok(None), |it| max_nodes(it));
        let queue = ListedQueue {
            name: name.clone(),
            nodes: None,
            max_nodes: max_nodes.map_err(|what| format!("MaxNodes: {what}"))?,
            max_time: max_time.map_err(|what| format!("MaxTime: {what}"))?,
        };
        if self.system.queues.iter().any(|it| it.name == name) {
            return Err(format!("there is a partition {name} already"));
        }
        self.system.queues.push(queue);
        self.nodes_of_queues.push((all.get("nodes").cloned().unwrap_or_default(), place));
        Ok(())
    }

    /// Finds the nodes of partitions, which may be told after them.
    fn find_partitions(&mut self) {
        let all = std::mem::take(&mut self.nodes_of_queues);
        for (place, (nodes, fault)) in all.into_iter().enumerate() {
            match self.nodes_in(&nodes) {
                Ok(nodes) => self.system.queues[place].nodes = nodes,
                Err(what) => self.faults.push(SystemFault { what: fault.what + &what, ..fault }),
            }
        }
    }

    /// The nodes of a list, which may name sets; none for all.
    fn nodes_in(&self, nodes: &str) -> Result<Option<HashSet<String>>, String> {
        if nodes.split(',').any(|it| it.eq_ignore_ascii_case("ALL")) {
            return Ok(None);
        }
        if nodes.is_empty() {
            return Ok(Some(HashSet::new()));
        }
        let mut names: HashSet<String> = HashSet::new();
        let list = |text: &str| node_list::parse(text).map_err(|error| format!("Nodes: {error}"));
        for name in list(nodes)? {
            let Some(set) = self.sets.get(&name) else {
                if !self.known.contains(&name) {
                    return Err(format!("Nodes: there is no node or node set {name}"));
                }
                names.insert(name);
                continue;
            };
            if let Some(of_set) = set.get("nodes") {
                names.extend(list(of_set)?);
            }
            let feature = set.get("feature").and_then(|it| self.features.get(it));
            names.extend(feature.into_iter().flatten().cloned());
        }
        Ok(Some(names))
    }

    /// What all nodes share: `matlab:4,fluent@db:30`. As in Slurm the latest line counts, and what is there twice is added up.
    fn licences(&mut self, text: &str) -> Result<(), String> {
        let shared = &mut self.system.shared;
        shared.clear();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, amount) = part.rsplit_once(':').unwrap_or((part, "1"));
            let amount = super::amount(amount)
                .ok_or_else(|| format!("Licenses: {part:?} is not such as matlab:4"))?;
            let name = name.split('@').next().unwrap_or_default();
            match shared.iter_mut().find(|it| it.0 == name) {
                Some((_, all)) => *all = all.saturating_add(amount),
                None => shared.push((name.to_owned(), amount)),
            }
        }
        Ok(())
    }
}

/// The first of these keys that is said, as a number.
fn number(values: &Values, keys: &[&str], otherwise: u32) -> Result<u32, String> {
    let Some((key, text)) = keys.iter().find_map(|key| Some((key, values.get(*key)?))) else {
        return Ok(otherwise);
    };
    text.parse().map_err(|_| format!("{key}: {text:?} is no whole number"))
}

/// Lines without comments, with those that a backslash at their end goes on into, each with the number of its first.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let line = without_comment(line);
        let (line, goes_on) = match line.trim_end().strip_suffix('\\') {
            Some(line) => (line, true),
            None => (line.as_str(), false),
        };
        let (_, whole) = open.get_or_insert_with(|| (number, String::new()));
        whole.push_str(line);
        if !goes_on {
            lines.extend(open.take());
        }
    }
    lines.extend(open);
    for (_, line) in &mut lines {
        *line = line.trim().to_owned();
    }
    lines.retain(|(_, line)| !line.is_empty());
    lines
}

/// What stands before a `#` that has no backslash before it.
fn without_comment(line: &str) -> String {
    let mut kept = String::new();
    for it in line.chars() {
        match it {
            '#' if kept.ends_with('\\') => {
                kept.pop();
                kept.push('#');
            }
            '#' => break,
            _ => kept.push(it),
        }
    }
    kept
}

/// The `Key=Value` of a line, keys in lower case; values may stand in quotes.
fn values(line: &str) -> Values {
    let mut words: Vec<String> = vec![String::new()];
    let mut is_quoted = false;
    for it in line.chars() {
        match (it, words.last_mut()) {
            ('"', _) => is_quoted = !is_quoted,
            (it, _) if it.is_whitespace() && !is_quoted => words.push(String::new()),
            (it, Some(word)) => word.push(it),
            (_, None) => {}
        }
    }
    let pair = |word: &String| {
        let (key, value) = word.split_once('=')?;
        Some((key.to_ascii_lowercase(), value.to_owned()))
    };
    words.iter().filter_map(pair).collect()
}

#[cfg(test)]
mod tests;
