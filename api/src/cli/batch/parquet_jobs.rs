//! Jobs from Parquet as the PM100 data set of Marconi100 has them (Antici and others, 2023): a row for each job of Slurm, with
//! totals over its nodes.
//!
//! Only the columns that are used are read, row by row. Memory is GB, the limit minutes, power the job's watts over time.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use batch::dispatch::jobs::{
    AccountedJob, AccountedPlaces, InstantReader, JobRows, JobsRead, UnitJob, UnitJobError,
};
use batch::dispatch::system::System;
use batch::job::JobId;
use batch::time::Time;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};
use parquet::schema::types::Type;
use planner::quantity::Energy;

/// Columns that say the same, the first that there is.
const ID: &[&str] = &["job_id"];
const SUBMITTED: &[&str] = &["submit_time", "submit_time_epoch"];
const STARTED: &[&str] = &["start_time"];
const ENDED: &[&str] = &["end_time"];
const RUN: &[&str] = &["run_time"];
const LIMIT: &[&str] = &["time_limit"];
const USER: &[&str] = &["user_id", "user"];
const QUEUE: &[&str] = &["partition"];
const NAME: &[&str] = &["job_name", "name"];
const NODES: &[&str] = &["num_nodes_alloc", "num_nodes_req"];
const PROCESSORS: &[&str] = &["num_cores_alloc", "num_cpus_alloc", "num_cores_req", "num_cpus_req"];
const GPUS: &[&str] = &["num_gpus_alloc", "num_gpus_req"];
const MEMORY: &[&str] = &["mem_alloc", "mem_req"];
const SHARED: &[&str] = &["shared"];
const POWER: &[&str] = &["node_power_consumption", "power_consumption"];
const ALL: [&[&str]; 15] = [
    ID, SUBMITTED, STARTED, ENDED, RUN, LIMIT, USER, QUEUE, NAME, NODES, PROCESSORS, GPUS, MEMORY,
    SHARED, POWER,
];

/// Rows of a Parquet file. Their lines are rows, from 1.
pub struct RowsOfParquet {
    rows: RowIter<'static>,
    row: u64,
    places: AccountedPlaces,
    instant: InstantReader,
}

impl RowsOfParquet {
    /// The rows of a file for a system.
    pub fn open(file: &Path, system: &System, instant: InstantReader) -> anyhow::Result<Self> {
        let places = AccountedPlaces::of(system)?;
        let reader = SerializedFileReader::new(File::open(file)?)?;
        let schema = reader.metadata().file_metadata().schema();
        let has = |names: &[&str]| {
            names.iter().find_map(|name| schema.get_fields().iter().find(|it| it.name() == *name))
        };
        for names in [SUBMITTED, NODES] {
            has(names).with_context(|| format!("there is no column {}", names.join(" or ")))?;
        }
        if has(RUN).is_none() && (has(STARTED).is_none() || has(ENDED).is_none()) {
            anyhow::bail!("there is no column run_time, nor start_time and end_time");
        }
        let used: Vec<Arc<Type>> = ALL.iter().filter_map(|names| has(names)).cloned().collect();
        let used = Type::group_type_builder(schema.name()).with_fields(used).build()?;
        let rows = RowIter::from_file_into(Box::new(reader)).project(Some(used))?;
        Ok(Self { rows, row: 0, places, instant })
    }

    /// The job of a row, or why there is none.
    fn job(&self, row: &Row) -> Result<Result<AccountedJob, &'static str>, String> {
        let at = |names| self.instant(row, names);
        let run_s = match number(row, RUN)? {
            Some(run_s) => run_s,
            None => at(ENDED)?.zip(at(STARTED)?).map_or(0.0, |(end, start)| end - start),
        };
        if run_s <= 0.0 {
            return Ok(Err("has no run time"));
        }
        let Some(submitted) = at(SUBMITTED)? else { return Ok(Err("has no submission")) };
        let nodes = whole(row, NODES)?.unwrap_or(1).max(1);
        let time = |seconds: f64, what: &str| {
            Time::from_seconds_f64(seconds)
                .ok_or_else(|| format!("{what}: {seconds} s is beyond what can be simulated"))
        };
        let limit = limit_s(row)?;
        let processors = match whole(row, PROCESSORS)? {
            Some(processors) => processors,
            None if self.places.takes_whole_nodes() => 0,
            None => {
                return Err(format!(
                    "it is not said how many processors: {}",
                    PROCESSORS.join(", ")
                ));
            }
        };
        let gpus = whole(row, GPUS)?.unwrap_or(0);
        Ok(Ok(AccountedJob {
            id: self.id(row),
            submitted: time(submitted, "the submission")?,
            run: time(run_s, "the run time")?,
            limit: limit.map(|it| time(it, "time_limit")).transpose()?,
            user: text(row, USER),
            queue: text(row, QUEUE),
            name: text(row, NAME),
            nodes: u32::try_from(nodes)
                .map_err(|_| format!("{nodes} nodes are more than there can be"))?,
            processors,
            memory_kb: whole(row, MEMORY)?.unwrap_or(0).saturating_mul(1 << 20),
            others: vec![("gpu".to_owned(), gpus)],
            constraint: String::new(),
            exclusive: ["0", "NO"].contains(&&*text(row, SHARED)),
            energy: mean_power_w(row).and_then(|watts| Energy::from_joules(watts * run_s)),
        }))
    }

    /// The number of the job, or else that of its row.
    fn id(&self, row: &Row) -> JobId {
        match text(row, ID) {
            id if id.is_empty() => JobId::Number(i64::try_from(self.row).unwrap_or(i64::MAX)),
            id => id.parse().map_or_else(|_| JobId::Name(id.clone()), JobId::Number),
        }
    }

    /// An instant, in seconds since 1970: a time stamp, a text, or a number of seconds, ms, µs or ns, as its size tells.
    fn instant(&self, row: &Row, names: &[&str]) -> Result<Option<f64>, String> {
        let Some((name, field)) = field(row, names) else { return Ok(None) };
        let seconds = match field {
            Field::Null => return Ok(None),
            Field::TimestampMillis(ms) => *ms as f64 / 1e3,
            Field::TimestampMicros(us) => *us as f64 / 1e6,
            Field::Str(text) => {
                let told = (self.instant)(&text.trim().replacen(' ', "T", 1));
                told.map_err(|what| format!("column {name}: {what}"))? as f64
            }
            other => {
                let number = number_of(other)
                    .ok_or_else(|| format!("column {name}: {other} is no instant"))?;
                let per_second = [(1e17, 1e9), (1e14, 1e6), (1e11, 1e3)];
                let unit = per_second.iter().find(|(from, _)| number.abs() >= *from);
                number / unit.map_or(1.0, |(_, each)| *each)
            }
        };
        Ok(Some(seconds))
    }
}

impl JobRows for RowsOfParquet {
    fn next_job(&mut self, read: &mut JobsRead) -> Result<Option<(u64, UnitJob)>, UnitJobError> {
        loop {
            self.row += 1;
            let line = self.row;
            let wrong = |what: String| UnitJobError::Table { line, what };
            let Some(row) = self.rows.next() else { return Ok(None) };
            let row = row.map_err(|error| wrong(error.to_string()))?;
            read.rows += 1;
            match self.job(&row).map_err(wrong)? {
                Err(why) => read.drop_row(line, why),
                Ok(job) => return Ok(Some((line, self.places.unit_job(job, line, read)?))),
            }
        }
    }
}

/// The first of these columns that the file has.
fn field<'a>(row: &'a Row, names: &[&str]) -> Option<(&'a str, &'a Field)> {
    let column = |name: &&str| row.get_column_iter().find(|(it, _)| it.as_str() == *name);
    names.iter().find_map(column).map(|(name, field)| (name.as_str(), field))
}

fn number_of(field: &Field) -> Option<f64> {
    let number = match *field {
        Field::Byte(it) => f64::from(it),
        Field::Short(it) => f64::from(it),
        Field::Int(it) => f64::from(it),
        Field::Long(it) => it as f64,
        Field::UByte(it) => f64::from(it),
        Field::UShort(it) => f64::from(it),
        Field::UInt(it) => f64::from(it),
        Field::ULong(it) => it as f64,
        Field::Float(it) => f64::from(it),
        Field::Double(it) => it,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// A number; none where it is null or not a number.
fn number(row: &Row, names: &[&str]) -> Result<Option<f64>, String> {
    let Some((name, field)) = field(row, names) else { return Ok(None) };
    match field {
        Field::Null => Ok(None),
        Field::Double(it) if it.is_nan() => Ok(None),
        Field::Float(it) if it.is_nan() => Ok(None),
        Field::Str(text) if text.trim().is_empty() => Ok(None),
        Field::Str(text) => {
            let number = text.trim().parse().ok().filter(|it: &f64| it.is_finite());
            number.map(Some).ok_or_else(|| format!("column {name}: {text:?} is no number"))
        }
        other => {
            number_of(other).map(Some).ok_or_else(|| format!("column {name}: {other} is no number"))
        }
    }
}

/// A whole amount; fractions are rounded up.
fn whole(row: &Row, names: &[&str]) -> Result<Option<u64>, String> {
    let Some(number) = number(row, names)? else { return Ok(None) };
    if !(0.0..9e15).contains(&number) {
        return Err(format!("column {}: {number} is no amount", names[0]));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
    Ok(Some(number.ceil() as u64))
}

/// The limit, which counts minutes; none where there is none.
fn limit_s(row: &Row) -> Result<Option<f64>, String> {
    match field(row, LIMIT) {
        Some((_, Field::Str(text))) if ["INFINITE", "UNLIMITED"].contains(&text.trim()) => Ok(None),
        _ => Ok(number(row, LIMIT)?.filter(|it| *it > 0.0).map(|minutes| minutes * 60.0)),
    }
}

fn text(row: &Row, names: &[&str]) -> Box<str> {
    match field(row, names) {
        None | Some((_, Field::Null)) => "".into(),
        Some((_, Field::Str(text))) => text.as_str().into(),
        Some((_, other)) => {
            number_of(other).map_or_else(|| other.to_string(), |it| it.to_string()).into()
        }
    }
}

/// The mean of what the job drew over time, W.
fn mean_power_w(row: &Row) -> Option<f64> {
    let (_, Field::ListInternal(list)) = field(row, POWER)? else { return None };
    let drawn: Vec<f64> = list.elements().iter().filter_map(number_of).collect();
    (!drawn.is_empty()).then(|| drawn.iter().sum::<f64>() / drawn.len() as f64)
}

#[cfg(test)]
mod tests;
