//! `wattbook sbatch`: nodes are booked for a batch job, and the job is submitted into its reservation.
//!
//! The job's options are read as sbatch reads them, so that what is booked is what the job will ask for; the
//! job itself is submitted by the real sbatch, which gets every word that is its own.

mod arguments;
mod book;
mod demand;
mod job;
mod known_options;
mod options;
mod partition;
mod program;
mod script;
mod site_nodes;
mod values;
mod words;

use std::ffi::OsString;

use jiff::Timestamp;

use super::booking::answers;
use super::{Failure, block_on, tell};
use arguments::OwnArguments;
use book::JobStart;
use job::Job;
use program::Programs;
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
const TELLING: [&str; 3] = ["autocomplete", "usage", "version"];

/// Books nodes for a job and submits it; ends as sbatch ends.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let words = Words::of(arguments.words).map_err(bad)?;
    let own = OwnArguments::of(words.own.clone());
    let programs = Programs::find()?;
    if words.said.iter().any(|it| TELLING.contains(&it.name)) {
        return ended(programs.sbatch(&words.passed, None)?.status);
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
    let start = block_on(book::book(&own, request))?;
    let now = answers::now()?.timestamp();
    submit(&own, &programs, &sbatch_words(&words, &job, &start, now), &job, &start)
}

/// Submits the job; where that fails, its booking is cancelled.
fn submit(
    own: &OwnArguments,
    programs: &Programs,
    words: &[OsString],
    job: &Job,
    start: &JobStart,
) -> Result<(), Failure> {
    let submitted = programs.sbatch(words, job.input.as_deref());
    // With --wait the status is the job's, which was submitted then.
    let failed = submitted.as_ref().map_or(true, |end| end.status != 0 && !end.wrote);
    if let Some(id) = start.reservation.as_deref().filter(|_| failed) {
        if own.keep {
            tell(format_args!("the job was not submitted; its booking is kept: {id}"));
        } else {
            block_on(async {
                book::cancel(&own.connection.open()?, id).await;
                Ok(())
            })?;
        }
    }
    ended(submitted?.status)
}

/// The words that sbatch is run with: its own in their order, and after them, where they count last, the
/// reservation and the start.
fn sbatch_words(words: &Words, job: &Job, start: &JobStart, now: Timestamp) -> Vec<OsString> {
    let mut all = words.passed.clone();
    all.extend(start.reservation_name.iter().map(|name| format!("--reservation={name}").into()));
    // Seconds since 1970 are the same in every time zone.
    all.extend(match start.at {
        at if at > now => Some(format!("--begin=uts{}", at.as_second()).into()),
        _ if job.has_begin() => Some("--begin=now".into()),
        _ => None,
    });
    all.extend(words.rest.iter().cloned());
    all
}

fn ended(status: u8) -> Result<(), Failure> {
    if status == 0 { Ok(()) } else { Err(Failure::Status(status)) }
}

fn bad(error: String) -> Failure {
    Failure::BadInput(vec![error])
}
