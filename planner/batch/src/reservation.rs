//! Advance reservations: machines that are not for batch jobs for a time.

use std::io::Read;

use planner::node_set::NodeSet;

use crate::machine_ranges;
use crate::time::Time;

/// Machines that are reserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// The instant at which the reservation begins.
    pub from: Time,
    /// The instant at which the reservation ends.
    pub until: Time,
    /// The machines that are not for jobs meanwhile.
    pub machines: NodeSet,
}

/// Why a table of reservations cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReservationError {
    /// Not such a table.
    #[error(transparent)]
    Table(#[from] csv::Error),
    /// A row that cannot be.
    #[error("line {line}: {what}")]
    Row {
        /// The line of the table, from 1.
        line: u64,
        /// What is wrong with the row.
        what: String,
    },
}

/// Reads a table with the columns `start`, `end` and `machines`: instants, as `instant` reads them, and
/// ranges of machines such as `0-3 7`, of which there are `machines`.
///
/// # Errors
/// The first row that is none, that ends before it starts, or that has machines which there are not or
/// which are reserved then already.
pub fn reservations(
    source: impl Read,
    machines: u32,
    instant: impl Fn(&str) -> Result<Time, String>,
) -> Result<Vec<Reservation>, ReservationError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(source);
    let header = reader.headers()?.clone();
    let column = |name: &str| {
        let what = format!("there is no column {name}: start, end and machines are needed");
        let place = header.iter().position(|column| column == name);
        place.ok_or(ReservationError::Row { line: 1, what })
    };
    let columns = [column("start")?, column("end")?, column("machines")?];
    let mut read: Vec<Reservation> = Vec::new();
    for record in reader.records() {
        let record = record?;
        let line = record.position().map_or(0, csv::Position::line);
        let wrong = |what: String| ReservationError::Row { line, what };
        let [start, end, set] = columns.map(|column| record.get(column).unwrap_or_default());
        let (from, until) = (instant(start).map_err(wrong)?, instant(end).map_err(wrong)?);
        if from >= until {
            return Err(wrong(format!("the end {end} is not after the start {start}")));
        }
        let machines = read_machines(set, machines).map_err(wrong)?;
        let together = |other: &&Reservation| {
            other.from < until && from < other.until && other.machines.intersects(&machines)
        };
        if read.iter().find(together).is_some() {
            return Err(wrong(format!("some machines of {set} are reserved then already")));
        }
        read.push(Reservation { from, until, machines });
    }
    Ok(read)
}

/// Some of so many machines.
fn read_machines(text: &str, machines: u32) -> Result<NodeSet, String> {
    let read = machine_ranges::read(text).map(NodeSet::from_ranges).ok();
    let set = read.filter(|set| set.ranges().last().is_some_and(|last| last.end <= machines));
    let most = machines.saturating_sub(1);
    set.ok_or_else(|| format!("{text:?} is not machines from 0 to {most}, such as 0-3 7"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rows: &str) -> Result<Vec<Reservation>, String> {
        let instant =
            |text: &str| Time::parse_seconds(text).ok_or_else(|| format!("{text:?} is not a time"));
        let table = format!("machines,start,end\n{rows}");
        reservations(table.as_bytes(), 8, instant).map_err(|error| error.to_string())
    }

    #[test]
    fn rows_are_reservations() {
        let read = read("0-3 7,10,20\n0,20,30\n").unwrap();
        assert_eq!(read[0].machines.ranges(), [0..4, 7..8]);
        assert_eq!((read[1].from, read[1].until), (Time::from_seconds(20), Time::from_seconds(30)));
    }

    #[test]
    fn rows_that_cannot_be_are_named() {
        let cases = [
            ("0,20,20\n", "line 2: the end 20 is not after the start 20"),
            ("0-8,1,2\n", "line 2: \"0-8\" is not machines from 0 to 7, such as 0-3 7"),
            ("0-3,1,9\n3,8,10\n", "line 3: some machines of 3 are reserved then already"),
            ("0,noon,9\n", "line 2: \"noon\" is not a time"),
        ];
        for (rows, expected) in cases {
            assert_eq!(read(rows).unwrap_err(), expected);
        }
    }
}
