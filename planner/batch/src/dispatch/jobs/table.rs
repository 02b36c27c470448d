//! Jobs as a table: `job_id,submission_time,run_time,requested_time,user,queue,name,units` and a column for each resource of a
//! unit; `energy_j` where it is known what jobs consumed; `properties` that nodes must have, such as `infiniband+rack1`, and
//! `exclusive`, 1 for a job that wants its nodes for itself; `latest_start` where the site may start them later than it could. `units`
//! is a number, or names several kinds ([`super::units_cell`]). Read row by row.

use std::io::Read;

use csv::{ByteRecord, ReaderBuilder};
use planner::quantity::Energy;

use super::{UnitJob, UnitJobError, units_cell};
use crate::dispatch::system::System;
use crate::dispatch::unit::UnitRequest;
use crate::job::JobId;
use crate::time::Time;

/// Columns that are no resources.
const COLUMNS: [&str; 12] = [
    "job_id",
    "submission_time",
    "run_time",
    "requested_time",
    "user",
    "queue",
    "name",
    "units",
    "energy_j",
    "properties",
    "exclusive",
    "latest_start",
];
/// The place of `units` among them.
const UNITS: usize = 7;
/// Columns that must be there.
const NEEDED: [&str; 3] = ["job_id", "submission_time", "run_time"];

/// Where columns are.
#[derive(Clone, Copy, Debug)]
enum Column {
    Known(usize),
    Resource(usize),
}

/// The jobs of a table.
#[derive(Debug)]
pub struct JobsOfTable<R> {
    reader: csv::Reader<R>,
    record: ByteRecord,
    columns: Vec<Column>,
    /// Whose resources, properties and queues jobs name; any queue will do where it lists none.
    system: System,
    origin: Option<Time>,
    last: Time,
    ended: bool,
}

impl<R: Read> JobsOfTable<R> {
    /// The jobs of `source` for a system.
    ///
    /// # Errors
    /// A header that lacks a column, or has one that nobody knows.
    pub fn new(source: R, system: &System) -> Result<Self, UnitJobError> {
        let mut reader = ReaderBuilder::new().flexible(false).from_reader(source);
        let header = reader.headers().map_err(|error| csv_fault(&error))?.clone();
        let wrong = |what: String| Err(UnitJobError::Table { line: 1, what });
        let mut columns = Vec::new();
        for name in &header {
            let name = name.trim().trim_start_matches('\u{feff}');
            let known = COLUMNS.iter().position(|it| *it == name).map(Column::Known);
            let column = known.or_else(|| system.place_of(name).map(Column::Resource));
            let Some(column) = column else {
                let names: Vec<&str> = COLUMNS.into_iter().chain(system.names()).collect();
                let names = names.join(", ");
                return wrong(format!("no column is called {name:?}; there are {names}"));
            };
            columns.push(column);
        }
        for (place, name) in COLUMNS.iter().enumerate() {
            let there = columns.iter().any(|it| matches!(it, Column::Known(at) if *at == place));
            if NEEDED.contains(name) && !there {
                return wrong(format!("the column {name} is missing"));
            }
        }
        let told = |it: &Column| matches!(it, Column::Resource(_) | Column::Known(UNITS));
        if !columns.iter().any(told) {
            let names: Vec<&str> = system.names().collect();
            return wrong(format!("no column says what a unit asks for: {}", names.join(", ")));
        }
        Ok(Self {
            reader,
            record: ByteRecord::new(),
            columns,
            system: system.clone(),
            origin: None,
            last: Time::ZERO,
            ended: false,
        })
    }

    fn next_job(&mut self) -> Result<Option<UnitJob>, UnitJobError> {
        let read = self.reader.read_byte_record(&mut self.record);
        if !read.map_err(|error| csv_fault(&error))? {
            return Ok(None);
        }
        let line = self.record.position().map_or(0, csv::Position::line);
        let mut job = self.job().map_err(|what| UnitJobError::Table { line, what })?;
        let origin = *self.origin.get_or_insert(job.submitted);
        if job.submitted - origin < self.last {
            let what =
                "the job was submitted before the one above it: sort the table by submission_time";
            return Err(UnitJobError::Table { line, what: what.to_owned() });
        }
        job.submitted = job.submitted - origin;
        job.latest_start = job.latest_start.map(|latest| latest - origin);
        self.last = job.submitted;
        Ok(Some(job))
    }

    /// The job of the row that was read.
    fn job(&self) -> Result<UnitJob, String> {
        let mut known: [&str; COLUMNS.len()] = [""; COLUMNS.len()];
        let mut amounts = vec![0; self.system.names().count()];
        for (column, field) in self.columns.iter().zip(&self.record) {
            let text = std::str::from_utf8(field).map_err(|_| "a field is not UTF-8")?.trim();
            match *column {
                Column::Known(place) => known[place] = text,
                Column::Resource(place) if text.is_empty() => amounts[place] = 0,
                Column::Resource(place) => {
                    amounts[place] = text.parse().map_err(|_| {
                        let name = self.system.names().nth(place).unwrap_or_default();
                        format!(
                            "{name}: {text:?} is no whole amount; take a smaller unit for parts"
                        )
                    })?;
                }
            }
        }
        let [
            id,
            submitted,
            run,
            requested,
            user,
            queue,
            name,
            units,
            energy,
            wanted,
            alone,
            latest,
        ] = known;
        let seconds = |text: &str, what: &str| {
            Time::parse_seconds(text)
                .ok_or_else(|| format!("{what}: {text:?} is no time in seconds"))
        };
        let walltime = match requested {
            "" | "-1" => None,
            text => Some(seconds(text, "requested_time")?),
        };
        let run = seconds(run, "run_time")?;
        if run < Time::ZERO || walltime.is_some_and(|it| it <= Time::ZERO) {
            return Err("a job runs for no negative time, and asks for more than none".to_owned());
        }
        let queues = &self.system.queues;
        if !queue.is_empty() && !queues.is_empty() && !queues.iter().any(|it| *it.name == *queue) {
            let names: Vec<&str> = queues.iter().map(|it| &*it.name).collect();
            return Err(format!("the system has no queue {queue:?}; it has {}", names.join(", ")));
        }
        if id.is_empty() {
            return Err("job_id is empty".to_owned());
        }
        let (units, mut unit) = self.units(units, &amounts)?;
        self.demands(&mut unit, wanted, alone)?;
        let submitted = seconds(submitted, "submission_time")?;
        let latest_start = match latest {
            "" | "-1" => None,
            text => Some(seconds(text, "latest_start")?),
        };
        if latest_start.is_some_and(|latest| latest < submitted) {
            return Err("latest_start is before submission_time".to_owned());
        }
        Ok(UnitJob {
            id: id.parse().map_or_else(|_| JobId::Name(id.into()), JobId::Number),
            submitted,
            run,
            walltime,
            user: user.into(),
            queue: queue.into(),
            name: name.into(),
            units,
            unit,
            energy: energy_of(energy)?,
            latest_start,
        })
    }

    /// The units of a row, whose resources have `amounts` in columns of their own.
    fn units(&self, cell: &str, amounts: &[u32]) -> Result<(u32, UnitRequest), String> {
        if !units_cell::names_kinds(cell) {
            let units = match cell {
                "" => 1,
                text => text.parse().map_err(|_| format!("units: {text:?} is no whole number"))?,
            };
            return Ok((units, UnitRequest::of(amounts, self.system.resources.len())));
        }
        if let Some(place) = amounts.iter().position(|amount| *amount > 0) {
            let name = self.system.names().nth(place).unwrap_or_default();
            return Err(format!(
                "{name}: units names kinds with their amounts, so the column {name} must say nothing"
            ));
        }
        units_cell::parse(cell, &self.system).map_err(|what| format!("units: {what}"))
    }

    /// What a row asks for beside amounts, which all kinds of its units do.
    fn demands(&self, unit: &mut UnitRequest, wanted: &str, alone: &str) -> Result<(), String> {
        let names = wanted.split('+').map(str::trim).filter(|name| !name.is_empty());
        let bits = units_cell::bits(names, &self.system);
        let bits = bits.map_err(|what| format!("properties: {what}"))?;
        unit.properties |= bits;
        unit.beside.iter_mut().for_each(|it| it.each.properties |= bits);
        unit.exclusive = match alone {
            "" | "0" | "false" => false,
            "1" | "true" => true,
            text => return Err(format!("exclusive: {text:?} is neither 1 nor 0")),
        };
        Ok(())
    }
}

/// What a job consumed, if the table says it.
fn energy_of(text: &str) -> Result<Option<Energy>, String> {
    if matches!(text, "" | "-1") {
        return Ok(None);
    }
    let joules = text.parse().ok().and_then(Energy::from_joules);
    joules.map(Some).ok_or_else(|| format!("energy_j: {text:?} is no energy in J"))
}

/// What the reader of tables says, with its line.
fn csv_fault(error: &csv::Error) -> UnitJobError {
    let line = error.position().map_or(1, csv::Position::line);
    UnitJobError::Table { line, what: error.to_string() }
}

impl<R: Read> Iterator for JobsOfTable<R> {
    type Item = Result<UnitJob, UnitJobError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.next_job().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

#[cfg(test)]
mod tests {
    use super::super::UnitJobWriter;
    use super::*;

    const SYSTEM: &str = "[[nodes]]\ncount = 2\ncores = 16\ngpu = 2\nproperties = [\"ib\", \"rack1\"]\n[shared]\nlicence = 3\n\
                          [[queues]]\nname = \"debug\"\n";

    fn read(text: &str) -> Result<Vec<UnitJob>, String> {
        let system = System::parse(SYSTEM).unwrap();
        let jobs = JobsOfTable::new(text.as_bytes(), &system).map_err(|error| error.to_string())?;
        jobs.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())
    }

    /// Times count from the first job; what is left out is one unit without a walltime.
    #[test]
    fn rows_are_jobs_of_units() {
        let jobs = read(
            "job_id,submission_time,run_time,requested_time,user,queue,name,units,cores,gpu,licence,energy_j\n\
             1,100,5,60,ada,debug,run1,2,4,1,,1500\n\
             b,101.5,7,,eve,,,,1,,2,\n",
        )
        .unwrap();
        let first = &jobs[0];
        assert_eq!((first.submitted, first.units), (Time::ZERO, 2));
        assert_eq!((first.walltime, &*first.name), (Some(Time::from_seconds(60)), "run1"));
        assert_eq!(first.unit, UnitRequest::of(&[4, 1, 0], 2));
        assert_eq!(first.energy, Energy::from_joules(1500.0));
        let second = &jobs[1];
        assert_eq!(second.id, JobId::Name("b".into()));
        assert_eq!((second.submitted, second.units), (Time::from_micros(1_500_000), 1));
        assert_eq!((second.walltime, &second.unit), (None, &UnitRequest::of(&[1, 0, 2], 2)));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, told) in [
            (
                "job_id,submission_time,run_time,gpus\n",
                "line 1: no column is called \"gpus\"; there are job_id,",
            ),
            ("job_id,submission_time,gpu\n", "line 1: the column run_time is missing"),
            (
                "job_id,submission_time,run_time\n",
                "line 1: no column says what a unit asks for: cores, gpu, licence",
            ),
            (
                "job_id,submission_time,run_time,cores\n1,5,1,1\n2,4,1,1\n",
                "line 3: the job was submitted before",
            ),
            (
                "job_id,submission_time,run_time,cores\n1,5,1,1\n2,6,1,1.5\n",
                "line 3: cores: \"1.5\" is no whole amount",
            ),
            ("job_id,submission_time,run_time,cores\n1,5,1\n", "line 2: "),
            (
                "job_id,submission_time,run_time,cores,queue\n1,5,1,1,fast\n",
                "line 2: the system has no queue \"fast\"",
            ),
            (
                "job_id,submission_time,run_time,units\n1,5,1,1:cores=x\n",
                "line 2: units: \"cores=x\": ",
            ),
            (
                "job_id,submission_time,run_time,units\n1,5,1,1:cores=1+gpu=1\n",
                "line 2: units: \"gpu=1\" is no kind of units",
            ),
            (
                "job_id,submission_time,run_time,units\n1,5,1,x:cores=1\n",
                "units: \"x\" is no whole",
            ),
            (
                "job_id,submission_time,run_time,units\n1,5,1,1:core=1\n",
                "line 2: units: the system has no \"core\"; it has cores, gpu, licence",
            ),
            (
                "job_id,submission_time,run_time,units\n1,5,1,\"1:cores=1,ob\"\n",
                "line 2: units: no node has the property \"ob\"; there are ib, rack1",
            ),
            (
                "job_id,submission_time,run_time,units,gpu\n1,5,1,1:cores=1,1\n",
                "line 2: gpu: units names kinds",
            ),
            (
                "job_id,submission_time,run_time,cores,properties\n1,5,1,1,ib+x\n",
                "line 2: properties: no node has the property \"x\"",
            ),
            (
                "job_id,submission_time,run_time,cores,exclusive\n1,5,1,1,maybe\n",
                "line 2: exclusive: \"maybe\" is neither 1 nor 0",
            ),
            (
                "job_id,submission_time,run_time,cores\n1,5,long,1\n",
                "line 2: run_time: \"long\" is no time",
            ),
            (
                "job_id,submission_time,run_time,cores,latest_start\n1,5,1,1,4\n",
                "line 2: latest_start is before submission_time",
            ),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(told), "{error}");
        }
    }

    /// Of the first job 1 unit has 16 cores and 4 have 4 cores, a GPU and a licence, on nodes with ib; all its nodes are in rack 1 and
    /// nobody else's. What is read is written so that it is read again as it was.
    #[test]
    fn kinds_of_units_are_read_and_written() {
        let text = "job_id,submission_time,run_time,units,properties,exclusive\n\
                    1,0,5,\"1:cores=16+4:cores=4,gpu=1,licence=1,ib\",rack1,1\n\
                    2,0,5,3:cores=2,ib+rack1,0\n";
        let jobs = read(text).unwrap();
        let first = &jobs[0];
        assert_eq!((first.units, first.all_units(), first.unit.exclusive), (1, 5, true));
        let each = &first.unit.beside[0].each;
        assert_eq!((first.unit.properties, each.properties), (2, 3));
        assert_eq!((&*first.unit.of_node, &*each.of_node), (&[(0, 16)][..], &[(0, 4), (1, 1)][..]));
        assert_eq!(*each.shared, [(0, 1)]);
        assert_eq!((jobs[1].units, jobs[1].unit.properties), (3, 3));
        let mut writer = UnitJobWriter::new(Vec::new(), &System::parse(SYSTEM).unwrap()).unwrap();
        for job in &jobs {
            writer.write(job).unwrap();
        }
        let written = String::from_utf8(writer.finish().unwrap()).unwrap();
        assert_eq!(read(&written).unwrap(), jobs, "{written}");
    }
}
