//! The arguments of `wattbook sbatch` that sbatch does not have.

use std::ffi::OsString;

use clap::Parser;
use clap::builder::PossibleValuesParser;
use planner::preference::{COMPROMISE, Preference};

use crate::cli::booking::server::Connection;
use crate::cli::booking::time::seconds;

/// Books nodes for a batch job and submits it
///
/// Takes all that sbatch takes. Reads the job's nodes, time limit and conditions from the command line, the
/// environment and the script's #SBATCH lines as sbatch does, shows which starts there are, books one, waits
/// until Slurm has the reservation, and has sbatch submit the job into it. Standard output and exit status are
/// sbatch's.
#[derive(Parser)]
#[command(
    name = "wattbook sbatch",
    args_override_self = true,
    override_usage = "wattbook sbatch [OPTIONS] [OPTIONS OF SBATCH] SCRIPT [ARGUMENTS OF SCRIPT]",
    after_help = "sbatch is looked for on the PATH, unless WATTBOOK_SBATCH says where it is. Where it comes to no \
                  submission, the exit status is that of sbatch's own errors: SLURM_EXIT_ERROR, or 1 unless that \
                  is set."
)]
pub struct OwnArguments {
    /// The job must begin within this: 24h, 90min, 1-12 (days-hours) [default: 24h, unless there is --latest-end]
    #[arg(long, value_name = "LENGTH", value_parser = seconds)]
    pub within: Option<i64>,
    /// The job must end by then: 22:00, tomorrow, now+2days, 2026-11-22T08:00 (local) or with an offset
    #[arg(long, value_name = "INSTANT")]
    pub latest_end: Option<String>,
    /// Take the best start by this ranking, or the compromise; without it the starts are shown and one is asked for
    #[arg(
        long, env = "WATTBOOK_RANKING", value_parser = PossibleValuesParser::new(Preference::names())
    )]
    pub ranking: Option<String>,
    /// Book nothing: have the job begin no earlier than at the best start
    #[arg(long)]
    pub begin_only: bool,
    /// Book and submit nothing: print the starts as JSON, and how sbatch would be called
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub unused: UnusedBooking,
    /// How long Slurm may take to have the reservation
    #[arg(long, value_name = "LENGTH", value_parser = seconds, default_value = "3min")]
    pub patience: i64,
    #[command(flatten)]
    pub connection: Connection,
}

/// What becomes of a booking that the job does not use.
#[derive(clap::Args)]
pub struct UnusedBooking {
    /// Give the nodes back some time after the job has ended, if that is before the end of the booking
    #[arg(long)]
    pub give_back: bool,
    /// Keep the booking where the job cannot be submitted
    #[arg(long)]
    pub keep: bool,
}

impl OwnArguments {
    /// Whether the compromise is taken, which need not win a ranking.
    pub fn takes_compromise(&self) -> bool {
        self.ranking.as_deref() == Some(COMPROMISE)
    }

    /// Reads the words that are ours.
    ///
    /// # Errors
    /// What is to be printed: what is wrong with them, or the help that they ask for.
    pub fn of(words: Vec<OsString>) -> Result<Self, clap::Error> {
        let name = OsString::from("wattbook sbatch");
        Self::try_parse_from(std::iter::once(name).chain(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_argument_is_one_of_the_options_that_are_taken_out_of_a_line() {
        use clap::CommandFactory;
        let command = OwnArguments::command();
        let names: Vec<&str> = command.get_arguments().filter_map(clap::Arg::get_long).collect();
        assert_eq!(names.len(), 10, "{names:?}");
        for name in names {
            assert!(super::super::known_options::own(name).is_some(), "{name}");
        }
    }
}
