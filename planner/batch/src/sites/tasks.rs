//! Tasks of clients, and their table.

use std::io::Read;
use std::str::FromStr;

use crate::time::Time;

/// A parallel task that a client submits.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteTask {
    /// What its client calls it.
    pub name: Box<str>,
    /// When its client submits it.
    pub submitted: Time,
    /// Machines that it takes.
    pub nodes: u32,
    /// How long it computes on machines of speed 1.
    pub run_time: Time,
    /// After how long it is killed on machines of speed 1, its data's way between frontal and machine included.
    pub walltime: Option<Time>,
    /// Data that it needs.
    pub input_bytes: f64,
    /// Data that it makes.
    pub output_bytes: f64,
    /// The priority queue that it is put into; 0 is served first, and what a site does not have is its last.
    pub queue: u32,
}

/// What is wrong with a table of tasks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaskTableError {
    /// The table cannot be read.
    #[error("{0}")]
    Table(String),
    /// A column is not there.
    #[error(
        "the column {0} is missing; columns are submission_time, nodes, run_time, and where wanted {OPTIONAL}"
    )]
    Column(&'static str),
    /// There is a column that nobody knows.
    #[error(
        "the column {0:?} is unknown; columns are submission_time, nodes, run_time, and where wanted {OPTIONAL}"
    )]
    Unknown(String),
    /// A cell has no value that it can have.
    #[error("line {line}, column {column}: {text:?} is not {what}")]
    Cell {
        /// Where it is; the header is line 1.
        line: u64,
        /// Its column.
        column: &'static str,
        /// What it says.
        text: String,
        /// What it should be.
        what: &'static str,
    },
}

const OPTIONAL: &str = "name, walltime, input_bytes, output_bytes, queue";
const COLUMNS: [&str; 8] = [
    "name",
    "submission_time",
    "nodes",
    "run_time",
    "walltime",
    "input_bytes",
    "output_bytes",
    "queue",
];

/// A line of the table.
struct Row<'a> {
    record: &'a csv::StringRecord,
    places: &'a [Option<usize>; COLUMNS.len()],
    line: u64,
}

impl Row<'_> {
    fn cell(&self, column: usize) -> Option<&str> {
        let text = self.record.get(self.places[column]?)?.trim();
        (!text.is_empty()).then_some(text)
    }

    fn wrong(&self, column: usize, text: &str, what: &'static str) -> TaskTableError {
        TaskTableError::Cell {
            line: self.line,
            column: COLUMNS[column],
            text: text.to_owned(),
            what,
        }
    }

    /// A cell that may be empty.
    fn read<V>(
        &self,
        column: usize,
        what: &'static str,
        read: impl Fn(&str) -> Option<V>,
    ) -> Result<Option<V>, TaskTableError> {
        let Some(text) = self.cell(column) else { return Ok(None) };
        read(text).map(Some).ok_or_else(|| self.wrong(column, text, what))
    }

    /// A cell that must say something.
    fn needed<V>(
        &self,
        column: usize,
        what: &'static str,
        of: impl Fn(&str) -> Option<V>,
    ) -> Result<V, TaskTableError> {
        self.read(column, what, of)?.ok_or_else(|| self.wrong(column, "", what))
    }

    fn task(&self) -> Result<SiteTask, TaskTableError> {
        let seconds = "a time in seconds from 0 on";
        let nodes = |text: &str| u32::from_str(text).ok().filter(|nodes| *nodes > 0);
        let number = self.line - 1;
        Ok(SiteTask {
            name: self.cell(0).map_or_else(|| number.to_string().into(), Into::into),
            submitted: self.needed(1, seconds, time)?,
            nodes: self.needed(2, "a number of nodes from 1 on", nodes)?,
            run_time: self.needed(3, seconds, time)?,
            walltime: self.read(4, seconds, time)?,
            input_bytes: self.read(5, "a number of bytes", bytes)?.unwrap_or(0.0),
            output_bytes: self.read(6, "a number of bytes", bytes)?.unwrap_or(0.0),
            queue: self.read(7, "a queue from 0 on", |text| text.parse().ok())?.unwrap_or(0),
        })
    }
}

fn time(text: &str) -> Option<Time> {
    Time::parse_seconds(text).filter(|time| *time >= Time::ZERO)
}

fn bytes(text: &str) -> Option<f64> {
    text.parse().ok().filter(|bytes: &f64| bytes.is_finite() && *bytes >= 0.0)
}

/// Tasks from a CSV table with the columns `submission_time`, `nodes` and `run_time`, and where wanted `name`, `walltime`,
/// `input_bytes`, `output_bytes` and `queue`; times in seconds.
///
/// # Errors
/// What is wrong with it, and where.
pub fn read_tasks(source: impl Read) -> Result<Vec<SiteTask>, TaskTableError> {
    let table = |error: csv::Error| TaskTableError::Table(error.to_string());
    let mut reader = csv::Reader::from_reader(source);
    let header = reader.headers().map_err(table)?.clone();
    let known = |name: &&str| COLUMNS.contains(&name.trim());
    if let Some(unknown) = header.iter().find(|name| !known(name)) {
        return Err(TaskTableError::Unknown(unknown.to_owned()));
    }
    let places = COLUMNS.map(|column| header.iter().position(|name| name.trim() == column));
    if let Some(missing) = (1..=3).find(|column| places[*column].is_none()) {
        return Err(TaskTableError::Column(COLUMNS[missing]));
    }
    let mut tasks = Vec::new();
    for record in reader.records() {
        let record = record.map_err(table)?;
        let line = record.position().map_or(0, csv::Position::line);
        tasks.push(Row { record: &record, places: &places, line }.task()?);
    }
    Ok(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_says_tasks() {
        let text = "name,submission_time,nodes,run_time,walltime,input_bytes,output_bytes,queue\n\
                    a,0,3,600,1800,100,600,1\n,1.5,1,10,,,,\n";
        let tasks = read_tasks(text.as_bytes()).unwrap();
        let first = SiteTask {
            name: "a".into(),
            submitted: Time::ZERO,
            nodes: 3,
            run_time: Time::from_seconds(600),
            walltime: Some(Time::from_seconds(1800)),
            input_bytes: 100.0,
            output_bytes: 600.0,
            queue: 1,
        };
        assert_eq!(tasks[0], first);
        assert_eq!((&*tasks[1].name, tasks[1].submitted), ("2", Time::from_micros(1_500_000)));
        assert_eq!((tasks[1].walltime, tasks[1].queue), (None, 0));
    }

    #[test]
    fn errors_name_their_place() {
        let error = |text: &str| read_tasks(text.as_bytes()).unwrap_err().to_string();
        let header = "submission_time,nodes,run_time";
        assert_eq!(
            error(&format!("{header}\n0,1,10\n5,0,10\n")),
            "line 3, column nodes: \"0\" is not a number of nodes from 1 on"
        );
        assert_eq!(
            error(&format!("{header}\n-1,1,10\n")),
            "line 2, column submission_time: \"-1\" is not a time in seconds from 0 on"
        );
        assert!(error("submission_time,nodes\n").starts_with("the column run_time is missing"));
        assert!(
            error(&format!("{header},colour\n")).starts_with("the column \"colour\" is unknown")
        );
    }
}
