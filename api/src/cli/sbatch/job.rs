//! A batch job as it is asked for: its options, and the request for nodes that follows from them.

use std::ffi::OsString;
use std::io::Read;

use anyhow::Context;
use jiff::{Timestamp, ToSpan, Zoned};
use serde_json::{Map, Value, json};

use super::arguments::OwnArguments;
use super::demand::{NodeDemand, names};
use super::options::JobOptions;
use super::partition::Partition;
use super::program::{Programs, script_path};
use super::values::{features, time_limit};
use super::words::Words;
use super::{HETEROGENEOUS, bad, instants, script};
use crate::cli::Failure;
use crate::cli::booking::request::told;
use crate::cli::booking::time::instant;
use crate::cli::tell;

/// A batch job to be submitted.
pub struct Job {
    /// Its options.
    pub options: JobOptions,
    /// The script, where sbatch is to read it from its standard input.
    pub input: Option<Vec<u8>>,
}

impl Job {
    /// Reads a job's options from its script, the environment and the words of the command line.
    ///
    /// # Errors
    /// A script that cannot be read; options that sbatch would refuse; options under which nothing can be
    /// booked, or with `books` no nodes.
    pub fn of(words: &Words, books: bool) -> Result<Self, Failure> {
        if words.rest.first().is_some_and(|word| word == ":") {
            return Err(bad(HETEROGENEOUS.to_owned()));
        }
        let wrapped = words.said.iter().any(|it| it.name == "wrap");
        // A script cannot say where it is looked for.
        let chdir = words.said.iter().rfind(|it| it.name == "chdir");
        let chdir = chdir.and_then(|it| it.value.as_deref());
        let (text, input) =
            if wrapped { (None, None) } else { read_script(words.rest.first(), chdir)? };
        let lines = text.as_deref().map_or_else(|| Ok(Vec::new()), script::words).map_err(bad)?;
        let said = Words::of(lines).map_err(|error| bad(format!("the script: {error}")))?;
        if let Some(word) = said.rest.first().or(said.own.first()) {
            let word = word.to_string_lossy();
            return Err(bad(format!(
                "the script: {word} in a #SBATCH line is no option of sbatch"
            )));
        }
        let variable = |name: &str| std::env::var(name).ok();
        let options = JobOptions::of(&said.said, variable, &words.said);
        let foreign = text.as_deref().is_some_and(script::has_foreign_options);
        let errors = refused(&options, books, foreign);
        if !errors.is_empty() {
            return Err(Failure::BadInput(errors));
        }
        Ok(Self { options, input })
    }

    /// The request for nodes, as the API reads it.
    ///
    /// # Errors
    /// Each option that cannot be read, and what is missing.
    pub fn request(
        &self,
        own: &OwnArguments,
        programs: &Programs,
        now: &Zoned,
    ) -> Result<JobRequest, Failure> {
        let options = &self.options;
        let mut errors = Vec::new();
        let mut keep = |error: String| errors.push(error);
        let demand = NodeDemand::of(options).map_err(&mut keep).ok();
        let limit = options.read("time", time_limit).map_err(&mut keep).ok().flatten();
        let wanted = options.read("constraint", features).map_err(&mut keep).ok().flatten();
        let exclude = options.read("exclude", names).map_err(&mut keep).ok().flatten();
        let window = window(options, own, now).map_err(|all| all.into_iter().for_each(&mut keep));
        let (Some(demand), Ok(window), true) = (demand, window, errors.is_empty()) else {
            return Err(Failure::BadInput(errors));
        };
        let named = options.get("partition").filter(|it| !it.value.is_empty());
        let named = named.map(|it| it.value.to_owned());
        let asked = named.is_none()
            || options.get("time").is_none()
            || matches!(demand, NodeDemand::Tasks { .. });
        let partition = if asked { partition(programs, named.as_deref()) } else { None };
        let nodes = demand.nodes(partition.as_ref().and_then(|it| it.cpus)).map_err(bad)?;
        let limit = limit.or(partition.as_ref().and_then(|it| it.default_limit_s));
        let limit = limit.ok_or_else(|| {
            bad("the job has no time limit, and its partition none by default: give it one with -t".to_owned())
        })?;
        let length = if own.begin_only { limit } else { limit + LATE_S };
        let mut body = window;
        body.insert("nodes".to_owned(), json!(nodes));
        body.insert("duration_s".to_owned(), json!(length));
        body.extend(named.as_ref().map(|it| ("partition".to_owned(), json!(it))));
        body.extend(wanted.map(|it| ("features".to_owned(), json!(it))));
        body.extend(exclude.map(|it| ("exclude".to_owned(), json!(it))));
        // What Slurm calls an account is a project here.
        let account = options.get("account").filter(|it| !it.value.is_empty());
        body.extend(account.map(|it| ("project".to_owned(), json!(it.value))));
        let default_partition =
            named.is_none().then_some(partition).flatten().map(|partition| partition.name);
        let only = options.read("nodelist", names).map_err(bad)?;
        body.extend(only.map(|it| ("only".to_owned(), json!(it))));
        Ok(JobRequest { body, default_partition })
    }

    /// Whether the job itself may not begin before some instant.
    pub fn has_begin(&self) -> bool {
        self.options.get("begin").is_some()
    }
}

/// What a job asks of the service.
pub struct JobRequest {
    /// The request in the API's words.
    pub body: Map<String, Value>,
    /// The partition that Slurm puts the job into because it names none.
    pub default_partition: Option<String>,
}

/// A script's text, and its bytes where sbatch cannot read it again.
fn read_script(
    name: Option<&OsString>,
    chdir: Option<&str>,
) -> Result<(Option<String>, Option<Vec<u8>>), Failure> {
    let Some(name) = name else {
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .context("cannot read the script from standard input")?;
        return Ok((Some(String::from_utf8_lossy(&bytes).into_owned()), Some(bytes)));
    };
    let shown = name.to_string_lossy();
    let path =
        script_path(name, chdir).ok_or_else(|| bad(format!("there is no script {shown}")))?;
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = Some(String::from_utf8_lossy(&bytes).into_owned());
    // Nobody else can read what came out of a pipe.
    Ok((text, (!path.is_file()).then_some(bytes)))
}

/// What stands in the way of booking for a job with these options.
fn refused(options: &JobOptions, books: bool, foreign: bool) -> Vec<String> {
    let mut errors = Vec::new();
    let mut refuse = |name: &str, why: &str| {
        errors.extend(options.get(name).map(|option| format!("{option}: {why}")));
    };
    refuse("reservation", "the job gets a reservation of its own; use sbatch for this one");
    refuse("test-only", "nothing would be submitted; --dry-run shows what would be booked");
    refuse("nodefile", "name the nodes with -w, or leave them to the service");
    if books {
        refuse(
            "array",
            "the jobs of an array do not share one booking; submit one job that runs them side by side on the \
             nodes it books, or use --begin-only",
        );
    }
    let several = options.get("partition").filter(|it| it.value.contains(','));
    errors.extend(several.map(|it| format!("{it}: name one partition")));
    if foreign && options.get("ignore-pbs").is_none() {
        errors.push(
            "sbatch would obey the script's #PBS and #BSUB lines, which cannot be booked: say the same in \
             #SBATCH lines, and --ignore-pbs"
                .to_owned(),
        );
    }
    errors
}

/// When the job may run, in the API's words.
fn window(
    options: &JobOptions,
    own: &OwnArguments,
    now: &Zoned,
) -> Result<Map<String, Value>, Vec<String>> {
    let mut errors = Vec::new();
    let mut read = |name: &str| {
        let read = options.read(name, |text| instants::instant(text, now));
        read.map_err(|error| errors.push(error)).ok().flatten()
    };
    let (begin, deadline) = (read("begin"), read("deadline"));
    let latest_end = own.latest_end.as_deref().map(|text| instant(text, now)).transpose();
    let latest_end = latest_end.map_err(|error| errors.push(format!("--latest-end: {error}")));
    let begin = begin.unwrap_or(now.timestamp()).max(now.timestamp());
    let end = [latest_end.ok().flatten(), deadline].into_iter().flatten().min();
    let within = own.within.or(end.is_none().then_some(DAY_S));
    let latest_start = within.map(|within| {
        begin
            .checked_add(within.seconds())
            .map_err(|_| errors.push("--within: is too long".to_owned()))
    });
    if !errors.is_empty() {
        return Err(errors);
    }
    let latest_start: Option<Timestamp> = latest_start.and_then(Result::ok);
    let instants =
        [("earliest_start", Some(begin)), ("latest_start", latest_start), ("latest_end", end)];
    let instants = instants.into_iter().filter_map(|(name, at)| Some((name.to_owned(), told(at?))));
    let mut window: Map<String, Value> = instants.collect();
    let last = latest_start.or(end).unwrap_or(begin);
    if last.duration_since(begin).as_secs() <= BY_MINUTES_S {
        window.insert("search".to_owned(), json!({ "mode": "slots", "slot_s": 60 }));
    }
    Ok(window)
}

/// A reservation is so much longer than its job, which begins some seconds after it. Where another reservation
/// follows directly, Slurm does not begin a job whose limit reaches into that one, not even by a second.
const LATE_S: i64 = 60;

/// In windows of a week at the most, starts are looked for by minutes: jobs of minutes are not to wait for the
/// next quarter of an hour, nor to have no start at all in a window that has none.
const BY_MINUTES_S: i64 = 7 * 24 * 60 * 60;

/// How long a job may be put off where nothing says so.
const DAY_S: i64 = 24 * 60 * 60;

/// The job's partition as Slurm tells it; without one as much is left to the job's options.
fn partition(programs: &Programs, named: Option<&str>) -> Option<Partition> {
    let asked = Partition::ask(&programs.beside("sinfo"), named);
    asked.map_err(|error| tell(format_args!("note: {error:#}"))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(line: &str) -> JobOptions {
        let words = Words::of(line.split_whitespace().map(Into::into).collect()).unwrap();
        JobOptions::of(&[], |_| None, &words.said)
    }

    fn window_of(job: &str, own: &[&str]) -> Result<String, Vec<String>> {
        let now: Zoned = "2026-11-22T15:30:10+01:00[Europe/Paris]".parse().unwrap();
        let own = OwnArguments::of(own.iter().map(Into::into).collect()).unwrap();
        let window = window(&options(job), &own, &now)?;
        let at = |name: &str| {
            window.get(name).and_then(Value::as_str).map_or("-", |it| &it[5..16]).to_owned()
        };
        Ok(["earliest_start", "latest_start", "latest_end"].map(at).join(" "))
    }

    /// It is 14:30 UTC, 15:30 in Paris.
    #[test]
    fn a_job_may_begin_within_a_day_unless_it_says_otherwise() {
        for (job, own, window) in [
            ("", &[][..], "11-22T14:30 11-23T14:30 -"),
            ("", &["--within", "6h"], "11-22T14:30 11-22T20:30 -"),
            ("", &["--latest-end", "22:00"], "11-22T14:30 - 11-22T21:00"),
            ("", &["--latest-end", "22:00", "--within=2h"], "11-22T14:30 11-22T16:30 11-22T21:00"),
            ("-b 18:00", &[], "11-22T17:00 11-23T17:00 -"),
            ("-b 2026-01-01", &[], "11-22T14:30 11-23T14:30 -"), // has passed
            ("--deadline 21:00", &["--latest-end", "22:00"], "11-22T14:30 - 11-22T20:00"),
        ] {
            assert_eq!(window_of(job, own), Ok(window.to_owned()), "{job} {own:?}");
        }
        let errors = window_of("-b soon --deadline late", &["--latest-end=never"]).unwrap_err();
        assert_eq!(errors.len(), 3, "{errors:?}");
        assert!(errors[0].starts_with("--begin soon: \"soon\" is not an instant"), "{errors:?}");
    }

    #[test]
    fn what_cannot_be_booked_is_refused_with_its_reason() {
        for (line, told) in [
            ("--reservation=maint", "--reservation maint: the job gets a reservation of its own"),
            ("--test-only", "--test-only: nothing would be submitted"),
            ("-a 1-4", "--array 1-4: the jobs of an array do not share one booking"),
            ("-F file", "--nodefile file: name the nodes"),
            ("-p a,b", "--partition a,b: name one partition"),
        ] {
            let errors = refused(&options(line), true, false);
            assert!(errors.len() == 1 && errors[0].starts_with(told), "{errors:?}");
        }
        assert!(refused(&options("-a 1-4 -W -H --parsable"), false, false).is_empty());
        assert_eq!(refused(&options(""), true, true).len(), 1);
        assert!(refused(&options("--ignore-pbs"), true, true).is_empty());
    }
}
