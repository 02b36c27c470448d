//! `wattbook sbatch`: nodes are booked for a batch job, and the job is submitted into its reservation.
//!
//! The job's options are read as sbatch reads them, so that what is booked is what the job will ask for; the
//! job itself is submitted by the real sbatch, which gets every word that is its own.

mod arguments;
mod book;
mod booking;
mod demand;
mod instants;
mod interruption;
mod job;
mod known_options;
mod options;
mod partition;
mod program;
mod script;
mod site_nodes;
mod values;
mod waiting;
mod words;

use std::ffi::OsString;

use jiff::Timestamp;

use super::booking::answers;
use super::{Failure, block_on, tell};
use arguments::OwnArguments;
use book::JobStart;
use job::Job;
use program::SbatchEnd;
pub use program::{Programs, quoted};
use words::Words;

/// Arguments of `wattbook sbatch`: all that sbatch takes, and some of ours among them.
#[derive(clap::Args)]
pub struct Arguments {
    /// Options, the script and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
    words: Vec<OsString>,
}

/// Why jobs of several components are refused.
const HETEROGENEOUS: &str = "heterogeneous jobs take several reservations at once, which cannot be booked as one; use sbatch";

/// Options by which sbatch only tells something.
const TELLING: [&str; 4] = ["autocomplete", "help", "usage", "version"];

/// Books nodes for a job and submits it; ends as sbatch ends, also where it comes to no submission.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    book_and_submit(arguments).map_err(|failure| match failure {
        Failure::Status(status) => Failure::Status(status),
        failure => {
            failure.told();
            Failure::Status(program::error_status())
        }
    })
}

fn book_and_submit(arguments: Arguments) -> Result<(), Failure> {
    let words = Words::of(arguments.words).map_err(bad)?;
    let own = match OwnArguments::of(words.own.clone()) {
        Ok(own) => own,
        Err(told) => {
            told.print()?;
            return ended(if told.use_stderr() { program::error_status() } else { 0 });
        }
    };
    let programs = Programs::find()?;
    if words.said.iter().any(|it| TELLING.contains(&it.name)) {
        return block_on(async {
            ended(programs.sbatch(&words.passed, None, std::future::pending()).await?.status)
        });
    }
    if own.ranking.is_none() && !own.dry_run && !book::can_ask() {
        return Err(bad(
            "nobody can be asked which start to take: say it with --ranking, such as --ranking cost_co2_energy"
                .to_owned(),
        ));
    }
    let job = Job::of(&words, !own.begin_only)?;
    let now = answers::now()?;
    let request = job.request(&own, &programs, &now)?;
    if own.dry_run {
        let line =
            |start: JobStart| programs.line(&sbatch_words(&words, &job, &start, now.timestamp()));
        return block_on(book::show(&own, request, line));
    }
    block_on(async {
        let start = book::book(&own, request).await?;
        let now = answers::now()?.timestamp();
        submit(&programs, &sbatch_words(&words, &job, &start, now), &job, start).await
    })
}

/// Submits the job; where that fails, its booking is given up.
async fn submit(
    programs: &Programs,
    words: &[OsString],
    job: &Job,
    start: JobStart,
) -> Result<(), Failure> {
    let input = job.input.as_deref();
    let Some(mut booking) = start.booking else {
        return ended(programs.sbatch(words, input, std::future::pending()).await?.status);
    };
    let submitted = programs.sbatch(words, input, booking.interruption.status()).await;
    match submitted.as_ref().map(|end| Submission::of(end, job)) {
        Ok(Submission::Done) => {}
        Ok(Submission::Unknown) => tell(format_args!(
            "whether the job was submitted is not known (--quiet); its reservation is kept: {}",
            booking.id
        )),
        Ok(Submission::Failed) | Err(_) => booking.give_up().await,
    }
    ended(submitted?.status)
}

/// Whether a job was submitted.
#[derive(Debug, PartialEq, Eq)]
enum Submission {
    Done,
    Failed,
    Unknown,
}

impl Submission {
    /// What is known of it by how sbatch ended. With --wait its status is the job's, and only what it printed
    /// tells that there is one.
    fn of(end: &SbatchEnd, job: &Job) -> Self {
        let said = |name| job.options.get(name).is_some();
        match end {
            SbatchEnd { status: 0, .. } | SbatchEnd { wrote: true, .. } => Self::Done,
            _ if said("wait") && said("quiet") => Self::Unknown,
            _ => Self::Failed,
        }
    }
}

/// The words that sbatch is run with: its own in their order, and after them, where they count last, the
/// reservation and the start. A script that was read from a pipe is on its standard input.
fn sbatch_words(words: &Words, job: &Job, start: &JobStart, now: Timestamp) -> Vec<OsString> {
    let mut all = words.passed.clone();
    all.extend(start.reservation_name.iter().map(|name| format!("--reservation={name}").into()));
    // Seconds since 1970 are the same in every time zone.
    all.extend(match start.at {
        at if at > now => Some(format!("--begin=uts{}", at.as_second()).into()),
        _ if job.has_begin() => Some("--begin=now".into()),
        _ => None,
    });
    let mut rest = words.rest.clone();
    if let (Some(script), Some(_)) = (rest.first_mut(), &job.input) {
        *script = "/dev/stdin".into();
    }
    all.extend(rest);
    all
}

fn ended(status: u8) -> Result<(), Failure> {
    if status == 0 { Ok(()) } else { Err(Failure::Status(status)) }
}

fn bad(error: String) -> Failure {
    Failure::BadInput(vec![error])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submission(line: &str, status: u8, wrote: bool) -> Submission {
        let words = Words::of(line.split_whitespace().map(Into::into).collect()).unwrap();
        let options = options::JobOptions::of(&[], |_| None, &words.said);
        Submission::of(&SbatchEnd { status, wrote }, &Job { options, input: None })
    }

    #[test]
    fn a_job_that_was_submitted_keeps_its_booking_whatever_becomes_of_it() {
        assert_eq!(submission("", 0, true), Submission::Done);
        assert_eq!(submission("-Q", 0, false), Submission::Done);
        assert_eq!(submission("-W", 9, true), Submission::Done);
        assert_eq!(submission("-Q -W", 9, false), Submission::Unknown);
        assert_eq!(submission("-W", 1, false), Submission::Failed);
        assert_eq!(submission("-Q", 1, false), Submission::Failed);
    }
}
