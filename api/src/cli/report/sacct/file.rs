//! What `sacct --parsable2` prints, read.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use csv::{ReaderBuilder, StringRecord};
use jiff::tz::TimeZone;
use planner::time::Timestamp;

use super::time::submitted;

/// How the columns are asked for that are used.
pub const COMMAND: &str =
    "sacct -P -o Cluster,JobIDRaw,JobID,Submit,User,Account,Partition,JobName,State";

/// The columns that tell which job it is: reports have them under names of their own.
const KEY: [&str; 4] = ["Cluster", "JobIDRaw", "JobID", "Submit"];

/// So many errors are told.
const MOST_ERRORS: usize = 10;

/// A file of accounting.
#[derive(Debug, Default)]
pub struct SacctFile {
    /// The columns beside those that tell which job it is.
    pub columns: Vec<String>,
    /// The jobs, each once.
    pub jobs: Vec<SacctJob>,
    /// Jobs that stand more than once: the last line of each counts.
    pub repeated: usize,
}

/// A job of accounting. What the file has no column for is `None`, or empty where the key has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SacctJob {
    /// Its cluster; empty where the file does not say.
    pub cluster: String,
    /// Its id as a number.
    pub raw_id: i64,
    /// Its id, such as `1234_7`.
    pub id: String,
    /// When it was submitted.
    pub submitted: Timestamp,
    /// Whose it is.
    pub user: Option<String>,
    /// The account that is charged.
    pub account: Option<String>,
    /// The partition.
    pub partition: Option<String>,
    /// What its user called it.
    pub name: Option<String>,
    /// The cells of the other columns.
    pub cells: Vec<String>,
}

/// Where the columns are that are used.
struct Columns {
    cluster: Option<usize>,
    raw_id: usize,
    id: Option<usize>,
    submitted: usize,
    user: Option<usize>,
    account: Option<usize>,
    partition: Option<usize>,
    name: Option<usize>,
    others: Vec<usize>,
}

impl SacctFile {
    /// The jobs of a table with a header, with `|` or, where the header has none, commas between. Steps are left out.
    ///
    /// # Errors
    /// Each names the line and the column, at most ten of them.
    pub fn read(text: &str, zone: &TimeZone) -> Result<Self, Vec<String>> {
        let text = text.trim_start_matches('\u{feff}');
        let bars = text.lines().next().is_some_and(|header| header.contains('|'));
        let mut reader = ReaderBuilder::new()
            .delimiter(if bars { b'|' } else { b',' })
            .quoting(!bars)
            .from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| vec![told(&error)])?.clone();
        let columns = Columns::of(&header)?;
        let (mut jobs, mut repeated, mut errors) = (Vec::<SacctJob>::new(), 0, Vec::new());
        let mut known: HashMap<(String, i64, Timestamp), usize> = HashMap::new();
        for record in reader.records() {
            match record.map_err(|error| told(&error)).and_then(|it| columns.job(&it, zone)) {
                Ok(None) => {}
                Ok(Some(job)) => {
                    match known.entry((job.cluster.clone(), job.raw_id, job.submitted)) {
                        Entry::Occupied(before) => {
                            repeated += 1;
                            jobs[*before.get()] = job;
                        }
                        Entry::Vacant(new) => {
                            new.insert(jobs.len());
                            jobs.push(job);
                        }
                    }
                }
                Err(error) => errors.push(error),
            }
            if errors.len() == MOST_ERRORS {
                break;
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let names = columns.others.iter().map(|&index| header[index].trim().to_owned());
        Ok(Self { columns: names.collect(), jobs, repeated })
    }
}

impl Columns {
    fn of(header: &StringRecord) -> Result<Self, Vec<String>> {
        let find = |name: &str| header.iter().position(|it| it.trim().eq_ignore_ascii_case(name));
        let needed = |name: &str| {
            find(name).ok_or_else(|| {
                format!("line 1: there is no column {name}; print the file by {COMMAND}")
            })
        };
        let (raw_id, submitted) = match (needed("JobIDRaw"), needed("Submit")) {
            (Ok(raw_id), Ok(submitted)) => (raw_id, submitted),
            (raw_id, submitted) => {
                return Err([raw_id.err(), submitted.err()].into_iter().flatten().collect());
            }
        };
        // Behind the bar at the end of each line, which sacct -p prints, is a column without a name.
        let is_other = |name: &str| {
            !name.trim().is_empty() && !KEY.iter().any(|key| key.eq_ignore_ascii_case(name.trim()))
        };
        let others = header.iter().enumerate().filter(|(_, name)| is_other(name));
        Ok(Self {
            cluster: find("Cluster"),
            raw_id,
            id: find("JobID"),
            submitted,
            user: find("User"),
            account: find("Account"),
            partition: find("Partition"),
            name: find("JobName"),
            others: others.map(|(index, _)| index).collect(),
        })
    }

    /// The job of a line; `None` for a step.
    fn job(&self, line: &StringRecord, zone: &TimeZone) -> Result<Option<SacctJob>, String> {
        let cell = |index: usize| line.get(index).unwrap_or_default().trim();
        let text = |index: Option<usize>| index.map(|index| cell(index).to_owned());
        let raw_id = cell(self.raw_id);
        if raw_id.contains('.') {
            return Ok(None);
        }
        let place = |column: &str, error: String| {
            let number = line.position().map_or(0, csv::Position::line);
            format!("line {number}, column {column}: {error}")
        };
        let number: i64 = raw_id.parse().map_err(|_| {
            let error =
                format!("{raw_id:?} is not a job's number such as 1234; leave the line out");
            place("JobIDRaw", error)
        })?;
        let submitted =
            submitted(cell(self.submitted), zone).map_err(|error| place("Submit", error))?;
        Ok(Some(SacctJob {
            cluster: text(self.cluster).unwrap_or_default(),
            raw_id: number,
            id: text(self.id).filter(|id| !id.is_empty()).unwrap_or_else(|| raw_id.to_owned()),
            submitted,
            user: text(self.user),
            account: text(self.account),
            partition: text(self.partition),
            name: text(self.name),
            cells: self.others.iter().map(|&index| cell(index).to_owned()).collect(),
        }))
    }
}

/// What is wrong with a line as such.
fn told(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!(
                "line {line}: {len} columns, where the header has {expected_len}; a JobName may have the character \
                 between columns in it: leave the column out, or print the file by sacct with another --delimiter"
            )
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<SacctFile, Vec<String>> {
        SacctFile::read(text, &TimeZone::UTC)
    }

    const FILE: &str = "Cluster|JobIDRaw|JobID|Submit|User|JobName|State\n\
        alpha|1234|1234|2026-03-01T12:00:00|ada|say \"it|COMPLETED\n\
        alpha|1234.batch|1234.batch|2026-03-01T12:00:00||batch|COMPLETED\n\
        alpha|1234.extern|1234.extern|2026-03-01T12:00:00||extern|COMPLETED\n\
        alpha|1234.0|1234.0|2026-03-01T12:00:00||hostname|COMPLETED\n\
        alpha|1242|1235_7|2026-03-01T12:00:01|bob|a|FAILED\n";

    #[test]
    fn jobs_are_read_and_steps_left_out() {
        let file = read(FILE).unwrap();
        assert_eq!(file.columns, ["User", "JobName", "State"]);
        let [job, task] = file.jobs.as_slice() else { panic!("{file:?}") };
        assert_eq!(
            *job,
            SacctJob {
                cluster: "alpha".to_owned(),
                raw_id: 1234,
                id: "1234".to_owned(),
                submitted: Timestamp::parse("2026-03-01T12:00:00Z").unwrap(),
                user: Some("ada".to_owned()),
                account: None,
                partition: None,
                name: Some("say \"it".to_owned()),
                cells: ["ada", "say \"it", "COMPLETED"].map(str::to_owned).to_vec(),
            }
        );
        assert_eq!((task.raw_id, task.id.as_str()), (1242, "1235_7"));
        assert_eq!(file.repeated, 0);
    }

    /// sacct -p has a bar at the end of each line; others' tables have commas and quotes, or ends of lines as Windows.
    #[test]
    fn other_spellings_of_the_table_are_read() {
        let expected = read(FILE).unwrap();
        let trailing = FILE.replace('\n', "|\n");
        let commas = FILE.replace('|', ",").replace("say \"it", "\"say \"\"it\"");
        for text in [trailing, commas, format!("\u{feff}{}", FILE.replace('\n', "\r\n"))] {
            let file = read(&text).unwrap();
            assert_eq!(
                (file.columns, file.jobs),
                (expected.columns.clone(), expected.jobs.clone())
            );
        }
        let least = read("jobidraw,submit\n7,1772362800\n").unwrap();
        assert_eq!((least.jobs[0].id.as_str(), least.columns.len()), ("7", 0));
    }

    /// sacct -D prints a job that was queued again more than once.
    #[test]
    fn of_a_job_that_stands_twice_the_last_line_counts() {
        let text =
            "JobIDRaw|Submit|State\n7|100|NODE_FAIL\n8|100|FAILED\n7|100|COMPLETED\n7|200|FAILED\n";
        let file = read(text).unwrap();
        let states: Vec<&str> = file.jobs.iter().map(|job| job.cells[0].as_str()).collect();
        assert_eq!((states, file.repeated), (vec!["COMPLETED", "FAILED", "FAILED"], 1));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let wrong = |text: &str| read(text).unwrap_err().join("\n");
        let both = wrong("JobID|State\n");
        assert!(both.contains("no column JobIDRaw") && both.contains("no column Submit"), "{both}");
        assert!(both.contains(COMMAND) && wrong("").contains(COMMAND), "{both}");
        let id = wrong("JobIDRaw|Submit\n7|100\nx|100\n");
        assert!(id.starts_with("line 3, column JobIDRaw: \"x\" is not"), "{id}");
        let time = wrong("JobIDRaw|Submit\n7|Unknown\n");
        assert!(time.starts_with("line 2, column Submit: \"Unknown\" is not"), "{time}");
        let long = wrong("JobIDRaw|Submit|JobName\n7|100|a|b\n");
        assert!(long.starts_with("line 2: 4 columns, where the header has 3"), "{long}");
        let many = read(&format!("JobIDRaw|Submit\n{}", "x|1\n".repeat(99)));
        assert_eq!(many.unwrap_err().len(), MOST_ERRORS);
    }
}
