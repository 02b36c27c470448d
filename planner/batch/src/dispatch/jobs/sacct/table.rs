//! What `sacct -P` prints, row by row.

use std::io::BufRead;

use csv::{ReaderBuilder, StringRecord};
use planner::quantity::Energy;

use super::tres::{Tres, memory_kb};
use super::{InstantReader, dropped};
use crate::dispatch::jobs::accounted::{AccountedJob, AccountedPlaces};
use crate::dispatch::jobs::ordered::{JobRows, JobsRead};
use crate::dispatch::jobs::{UnitJob, UnitJobError};
use crate::dispatch::system::System;
use crate::job::JobId;
use crate::time::Time;

/// How the columns are asked for that are used.
const COMMAND: &str = "sacct -a -P --noconvert -o JobID,JobIDRaw,Submit,Start,End,ElapsedRaw,TimelimitRaw,User,Partition,\
                       JobName,State,NNodes,NCPUS,ReqMem,ReqTRES,AllocTRES,Constraints,ConsumedEnergyRaw";
/// What marks energies that nobody knows: Slurm's largest numbers.
const UNKNOWN_J: f64 = 9e18;

/// Rows of a table of `sacct`.
pub struct RowsOfSacct<R> {
    reader: csv::Reader<R>,
    header: Vec<String>,
    record: StringRecord,
    places: AccountedPlaces,
    instant: InstantReader,
}

impl<R: BufRead> RowsOfSacct<R> {
    /// The rows of `source` for a system. Columns are parted by bars, or where the header has none by commas.
    ///
    /// # Errors
    /// A header without what must be there; a system that does not say what processors are.
    pub fn new(
        mut source: R,
        system: &System,
        instant: InstantReader,
    ) -> Result<Self, UnitJobError> {
        let places = AccountedPlaces::of(system)?;
        let start = source.fill_buf().unwrap_or_default();
        let bars = start.split(|byte| *byte == b'\n').next().unwrap_or_default().contains(&b'|');
        let mut reader = ReaderBuilder::new()
            .delimiter(if bars { b'|' } else { b',' })
            .quoting(!bars)
            .from_reader(source);
        let wrong = |what: String| UnitJobError::Table { line: 1, what };
        let header = reader.headers().map_err(|error| wrong(error.to_string()))?;
        let header: Vec<String> = header
            .iter()
            .map(|it| it.trim().trim_start_matches('\u{feff}').to_ascii_lowercase())
            .collect();
        let rows = Self { reader, header, record: StringRecord::new(), places, instant };
        for names in [
            &["JobIDRaw", "JobID"][..],
            &["Submit"],
            &["ElapsedRaw", "Elapsed", "End"],
            &["AllocTRES", "ReqTRES", "NCPUS", "AllocCPUS", "ReqCPUS"],
        ] {
            if !names.iter().any(|name| rows.column(name).is_some()) {
                let names = names.join(" or ");
                return Err(wrong(format!(
                    "there is no column {names}; print the file by {COMMAND}"
                )));
            }
        }
        Ok(rows)
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|it| it.eq_ignore_ascii_case(name))
    }

    /// The first of these columns that says something.
    fn said(&self, names: &[&'static str]) -> Option<(&'static str, &str)> {
        names.iter().find_map(|name| {
            let text = self.record.get(self.column(name)?)?.trim();
            let unknown = ["", "Unknown", "None", "N/A"].contains(&text);
            (!unknown).then_some((*name, text))
        })
    }

    fn text(&self, name: &'static str) -> Box<str> {
        self.said(&[name]).map_or("", |(_, text)| text).into()
    }

    /// Reads the first of these columns that says something.
    fn read<T>(
        &self,
        names: &[&'static str],
        read: impl Fn(&'static str, &str) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let Some((name, text)) = self.said(names) else { return Ok(None) };
        read(name, text).map(Some).map_err(|what| format!("column {name}: {what}"))
    }

    fn count(&self, names: &[&'static str]) -> Result<Option<u64>, String> {
        self.read(names, |_, text| text.parse().map_err(|_| format!("{text:?} is no whole number")))
    }

    fn instant(&self, name: &'static str) -> Result<Option<f64>, String> {
        Ok(self.read(&[name], |_, text| (self.instant)(text))?.map(|at| at as f64))
    }

    /// The job of the row, or why there is none.
    fn job(&self) -> Result<Result<AccountedJob, &'static str>, String> {
        let started = self.instant("Start")?;
        let run_s = match self.read(&["ElapsedRaw", "Elapsed"], duration_s)? {
            Some(run_s) => Some(run_s),
            None => self.instant("End")?.zip(started).map(|(end, start)| end - start),
        };
        let run_s = run_s.unwrap_or(0.0);
        // A table without the column leaves it to the run time.
        let has_started = started.is_some() || (self.column("Start").is_none() && run_s > 0.0);
        if let Some(why) = dropped(&self.text("State"), has_started, run_s) {
            return Ok(Err(why));
        }
        let submitted = self.instant("Submit")?.ok_or("column Submit: it is not said")?;
        let limit_s = self.read(&["TimelimitRaw", "Timelimit"], limit_s)?.flatten();
        let tres = self.read(&["AllocTRES", "ReqTRES"], |_, text| Tres::parse(text))?;
        let has_tres = tres.is_some();
        let mut tres = tres.unwrap_or_default();
        self.read(&["Licenses"], |_, text| Ok(text.to_owned()))?
            .map_or(Ok(()), |text| tres.add_licences(&text))
            .map_err(|what| format!("column Licenses: {what}"))?;
        let nodes = tres.nodes.or(self.count(&["NNodes", "AllocNodes", "ReqNodes"])?).unwrap_or(1);
        let processors = tres.processors.or(self.count(&["NCPUS", "AllocCPUS", "ReqCPUS"])?);
        let processors =
            processors.filter(|it| *it > 0).ok_or("it is not said how many processors")?;
        // What TRES do not say of memory Slurm does not count.
        let asked = if has_tres { None } else { self.said(&["ReqMem"]) };
        let memory = match asked {
            Some((_, text)) => asked_memory_kb(text, nodes, processors)
                .map_err(|what| format!("column ReqMem: {what}"))?,
            None => tres.memory_kb.unwrap_or(0),
        };
        let energy = self.read(&["ConsumedEnergyRaw"], |_, text| energy(text))?.flatten();
        let time = |seconds: f64, what: &str| {
            Time::from_seconds_f64(seconds)
                .ok_or_else(|| format!("{what} is beyond what can be simulated"))
        };
        Ok(Ok(AccountedJob {
            id: self.id(),
            submitted: time(submitted, "the submission")?,
            run: time(run_s, "the run time")?,
            limit: limit_s.map(|it| time(it, "the limit")).transpose()?,
            user: self.text("User"),
            queue: self.text("Partition"),
            name: self.text("JobName"),
            nodes: u32::try_from(nodes)
                .map_err(|_| format!("{nodes} nodes are more than there can be"))?,
            processors,
            memory_kb: memory,
            others: tres.others,
            constraint: self.text("Constraints").into(),
            exclusive: false,
            energy,
        }))
    }

    /// The raw id as a number, else the id as a name, such as that of a part of a heterogeneous job, `12+1`.
    fn id(&self) -> JobId {
        let text = self.said(&["JobIDRaw", "JobID"]).map_or("", |(_, text)| text);
        text.parse().map_or_else(|_| JobId::Name(text.into()), JobId::Number)
    }
}

impl<R: BufRead> JobRows for RowsOfSacct<R> {
    fn next_job(&mut self, read: &mut JobsRead) -> Result<Option<(u64, UnitJob)>, UnitJobError> {
        loop {
            match self.reader.read_record(&mut self.record) {
                Ok(false) => return Ok(None),
                Ok(true) => {}
                Err(error) => return Err(unreadable(&error)),
            }
            let line = self.record.position().map_or(0, csv::Position::line);
            let is_step = self.said(&["JobIDRaw", "JobID"]).is_some_and(|(_, id)| id.contains('.'));
            if is_step {
                continue;
            }
            read.rows += 1;
            match self.job().map_err(|what| UnitJobError::Table { line, what })? {
                Err(why) => read.drop_row(line, why),
                Ok(job) => return Ok(Some((line, self.places.unit_job(job, line, read)?))),
            }
        }
    }
}

fn unreadable(error: &csv::Error) -> UnitJobError {
    let line = error.position().map_or(1, csv::Position::line);
    let what = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => format!(
            "{len} columns, where the header has {expected_len}: a JobName may have the character between columns in it; \
             leave that column out"
        ),
        _ => error.to_string(),
    };
    UnitJobError::Table { line, what }
}

/// Seconds of `ElapsedRaw`, or of `Elapsed` and `Timelimit`: `1-02:03:04`, `02:03:04`, `03:04` and parts of a second.
fn duration_s(column: &str, text: &str) -> Result<f64, String> {
    let raw = || text.parse().ok().filter(|_| column.ends_with("Raw"));
    raw()
        .or_else(|| clock_s(text))
        .filter(|it: &f64| it.is_finite() && *it >= 0.0)
        .ok_or_else(|| format!("{text:?} is no time such as 3600 (ElapsedRaw) or 1-02:03:04"))
}

fn clock_s(text: &str) -> Option<f64> {
    let (days, clock) =
        text.split_once('-').map_or((Some(0), text), |(days, rest)| (days.parse().ok(), rest));
    let parts: Vec<f64> = clock.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
    let seconds = match *parts.as_slice() {
        [hours, minutes, seconds] => (hours * 60.0 + minutes) * 60.0 + seconds,
        [minutes, seconds] => minutes * 60.0 + seconds,
        _ => return None,
    };
    Some(f64::from(days?) * 86_400.0 + seconds)
}

/// Seconds of `TimelimitRaw`, which counts minutes, or of `Timelimit`; none where there is no limit.
fn limit_s(column: &str, text: &str) -> Result<Option<f64>, String> {
    if ["UNLIMITED", "Partition_Limit"].contains(&text) {
        return Ok(None);
    }
    let limit = if column.ends_with("Raw") {
        text.parse().ok().map(|minutes: f64| minutes * 60.0)
    } else {
        clock_s(text)
    };
    limit.filter(|it| it.is_finite() && *it > 0.0).map(Some).ok_or_else(|| {
        format!("{text:?} is no limit such as 60 (TimelimitRaw, minutes) or 01:00:00")
    })
}

/// What is asked for in all: `4Gn` for each node, `2Gc` for each processor, `8G` in all.
fn asked_memory_kb(text: &str, nodes: u64, processors: u64) -> Result<u64, String> {
    let (amount, times) = match (text.strip_suffix('n'), text.strip_suffix('c')) {
        (Some(amount), _) => (amount, nodes),
        (_, Some(amount)) => (amount, processors),
        _ => (text, 1),
    };
    Ok(memory_kb(amount)?.saturating_mul(times))
}

/// Joules; none where nobody measured.
fn energy(text: &str) -> Result<Option<Energy>, String> {
    let joules: f64 =
        text.parse().map_err(|_| format!("{text:?} is no energy in J; print ConsumedEnergyRaw"))?;
    Ok(Some(joules).filter(|it| *it > 0.0 && *it < UNKNOWN_J).and_then(Energy::from_joules))
}

#[cfg(test)]
mod tests;
