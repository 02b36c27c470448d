//! A schedule as a Paje trace, which `ViTE` and others draw: a container for each cluster, and in it for each machine, whose
//! state is the job that it runs, or that it is idle, off or being switched.
//!
//! A row for each machine of each job: traces of large clusters are large. Jobs share eight colours.

use std::io::{self, Write};

use planner::node_set::NodeSet;

use crate::job::JobId;
use crate::kernel::{Entered, Entering, Played};
use crate::time::Time;

/// The events that are used, with their numbers and fields.
const DEFINITIONS: &str = "\
%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineEntityValue 3
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeCreateContainer 4
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeSetState 5
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajeDestroyContainer 6
% Time date
% Name string
% Type string
%EndEventDef
";

/// Red, green and blue from 0 to 1: Okabe and Ito's.
const COLOURS: [&str; 8] = [
    "0.902 0.624 0.000",
    "0.337 0.706 0.914",
    "0.000 0.620 0.451",
    "0.941 0.894 0.259",
    "0.000 0.447 0.698",
    "0.835 0.369 0.000",
    "0.800 0.475 0.655",
    "0.400 0.400 0.400",
];

/// States without a job: alias, name and colour.
const STATES: [(&str, &str, &str); 4] = [
    ("i", "idle", "0.940 0.940 0.940"),
    ("o", "off", "0.100 0.100 0.100"),
    ("f", "switching off", "0.450 0.300 0.300"),
    ("n", "switching on", "0.300 0.450 0.300"),
];

/// Writes a trace as things happen.
#[derive(Debug)]
pub struct PajeTrace<W> {
    out: W,
    /// In each cluster.
    machines: Vec<u32>,
    jobs: usize,
    last: Time,
}

impl<W: Write> PajeTrace<W> {
    /// A trace of a cluster of so many machines, all idle.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: W, machines: u32) -> io::Result<Self> {
        Self::of_clusters(out, &[("cluster", machines)])
    }

    /// A trace of several clusters, each with its name and machines, all idle. Their machines are numbered on: those of the
    /// second cluster come behind those of the first.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn of_clusters(mut out: W, clusters: &[(&str, u32)]) -> io::Result<Self> {
        out.write_all(DEFINITIONS.as_bytes())?;
        writeln!(out, "1 ct_c 0 \"Cluster\"\n1 ct_m ct_c \"Machine\"\n2 s ct_m \"State\"")?;
        for (alias, name, colour) in STATES {
            writeln!(out, "3 {alias} s \"{name}\" \"{colour}\"")?;
        }
        let mut all = 0;
        for (cluster, (name, machines)) in clusters.iter().enumerate() {
            writeln!(out, "4 0.000000 c{cluster} ct_c 0 \"{}\"", told(name))?;
            for machine in 0..*machines {
                let number = all + machine;
                writeln!(out, "4 0.000000 m{number} ct_m c{cluster} \"machine {machine}\"")?;
            }
            all += machines;
        }
        for machine in 0..all {
            writeln!(out, "5 0.000000 s m{machine} i")?;
        }
        let machines = clusters.iter().map(|(_, machines)| *machines).collect();
        Ok(Self { out, machines, jobs: 0, last: Time::ZERO })
    }

    /// A job starts.
    ///
    /// # Errors
    /// Those of the output.
    pub fn started(&mut self, now: Time, job: &JobId, machines: &NodeSet) -> io::Result<()> {
        let (number, colour) = (self.jobs, COLOURS[self.jobs % COLOURS.len()]);
        self.jobs += 1;
        let name = told(&job.to_string());
        writeln!(self.out, "3 j{number} s \"job {name}\" \"{colour}\"")?;
        self.state(now, machines, &format!("j{number}"))
    }

    /// A job ended.
    ///
    /// # Errors
    /// Those of the output.
    pub fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        self.state(played.finished, played.machines, "i")
    }

    /// Machines enter a state.
    ///
    /// # Errors
    /// Those of the output.
    pub fn entered(&mut self, entering: &Entering<'_>) -> io::Result<()> {
        let state = match entering.state {
            Entered::SwitchingOn => "n",
            Entered::SwitchingOff => "f",
            Entered::Off(_) => "o",
            Entered::On(_) => "i",
            Entered::Other(_) => return Ok(()),
        };
        self.state(entering.now, entering.machines, state)
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<()> {
        for machine in 0..self.machines.iter().sum() {
            writeln!(self.out, "6 {} m{machine} ct_m", self.last)?;
        }
        for cluster in 0..self.machines.len() {
            writeln!(self.out, "6 {} c{cluster} ct_c", self.last)?;
        }
        self.out.flush()
    }

    fn state(&mut self, now: Time, machines: &NodeSet, state: &str) -> io::Result<()> {
        self.last = now;
        let machines = machines.positions();
        machines
            .into_iter()
            .try_for_each(|machine| writeln!(self.out, "5 {now} s m{machine} {state}"))
    }
}

/// A name as texts have it.
fn told(name: &str) -> String {
    name.replace(['"', '\n'], "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every event has the fields of its definition, its container and state are defined before, and
    /// time does not go back.
    #[test]
    fn every_line_keeps_to_its_definition() {
        let mut written = Vec::new();
        let mut trace = PajeTrace::of_clusters(&mut written, &[("one", 2), ("two", 1)]).unwrap();
        let machines = NodeSet::from_positions([0, 2]);
        trace
            .started(Time::from_micros(1_500_000), &JobId::Name("a \"b\"".into()), &machines)
            .unwrap();
        let state = Entered::SwitchingOff;
        let machines = &NodeSet::from_positions([1]);
        trace.entered(&Entering { now: Time::from_seconds(2), machines, state }).unwrap();
        trace.finish().unwrap();
        let text = String::from_utf8(written).unwrap();
        let mut fields: Vec<usize> = Vec::new();
        let mut known = vec!["0".to_owned()];
        let mut last = 0.0;
        for line in text.lines() {
            if line.starts_with("%EventDef") {
                fields.push(0);
                assert!(line.ends_with(&format!(" {}", fields.len())));
            } else if line.starts_with("% ") {
                *fields.last_mut().unwrap() += 1;
            } else if !line.starts_with('%') {
                // Texts in quotes are one field each.
                let spaced = |(part, text): (usize, &str)| {
                    if part % 2 == 1 { "text".to_owned() } else { text.to_owned() }
                };
                let plain: String = line.split('"').enumerate().map(spaced).collect();
                let parts: Vec<&str> = plain.split_whitespace().collect();
                let kind: usize = parts[0].parse().unwrap();
                assert_eq!(parts.len(), fields[kind - 1] + 1, "{line}");
                if kind >= 4 {
                    let time: f64 = parts[1].parse().unwrap();
                    assert!(time >= last, "{line}");
                    last = time;
                }
                match kind {
                    1..=3 => known.push(parts[1].to_owned()),
                    4 => known.push(parts[2].to_owned()),
                    _ => {}
                }
                let named: &[usize] = match kind {
                    1..=3 => &[2],
                    4 => &[3, 4],
                    5 => &[2, 3, 4],
                    _ => &[2, 3],
                };
                for &place in named {
                    assert!(known.iter().any(|name| name == parts[place]), "{line}");
                }
            }
        }
        assert!(text.contains("3 j0 s \"job a 'b'\" ") && text.contains("\n5 1.500000 s m2 j0\n"));
        assert!(text.contains("4 0.000000 m2 ct_m c1 \"machine 0\"\n"));
        assert!(text.ends_with("6 2.000000 c0 ct_c\n6 2.000000 c1 ct_c\n"));
    }
}
