//! The command line. Exit codes: 0 done, 1 failed, 2 bad input or usage, 3 impossible, 4 conflict.

mod audit;
mod back_fill;
mod batch;
mod bill;
mod booking;
mod calendar;
mod calibrations;
mod clock;
mod config;
mod database;
mod demo;
mod engine;
mod estimate;
mod feeds;
mod harmless;
mod identity;
mod interrupt;
mod journal;
mod ledger;
mod log;
mod measurements;
mod negotiation;
mod notify;
mod openapi;
mod out;
mod pages;
mod parts;
mod plan;
mod power;
mod predict;
mod project;
mod quota;
mod report;
mod rights;
mod sbatch;
mod serve;
mod session;
mod share;
mod sign_in;
mod simulate;
mod sites;
#[cfg(feature = "slurm")]
mod slurm;
#[cfg(feature = "supplier")]
mod supplier;
mod systemd;
mod token;
mod user;
mod webhook;
mod workload;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use storage::Database;

use crate::config::{Overrides, SettingErrors, Settings};
use harmless::Harmless;

/// Books supercomputer nodes when power is clean and cheap.
#[derive(Parser)]
#[command(name = "wattbook", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show which starts a service offers for nodes; hold nothing
    Quote(booking::Quote),
    /// Hold offers for nodes, or book the best one by a ranking at once
    Reserve(booking::Reserve),
    /// Book one of the offers that are held
    Choose(booking::Choose),
    /// List reservations
    List(booking::List),
    /// Show a reservation
    Show(booking::Show),
    /// Cancel reservations
    Cancel(booking::Cancel),
    /// Change the request of a reservation and plan it anew
    Modify(booking::Modify),
    /// Let a reservation keep its nodes for longer
    Extend(booking::Extend),
    /// Give back a reservation that runs, or some of its nodes
    Release(booking::ReleaseArguments),
    /// Give a reservation to another owner
    Transfer(booking::Transfer),
    /// Show, change and end series: requests that recur (see reserve --recur)
    Series(booking::SeriesArguments),
    /// Swap nodes of a reservation that failed for others
    Swap(booking::Swap),
    /// Share a reservation with others, who see it, run jobs in it or change it
    ShareWith(booking::ShareWith),
    /// Share a reservation with some no more
    Unshare(booking::Unshare),
    /// Book nodes for a batch job and submit it into its reservation: sbatch, and when (see sbatch --help)
    #[command(disable_help_flag = true)]
    Sbatch(sbatch::Arguments),
    /// List what is booked, and the jobs that run in it
    Squeue(booking::Squeue),
    /// Take nodes out of service and put them back; for operators
    Outage(booking::OutageArguments),
    /// Put and withdraw agendas of prices, CO2 and power caps; for operators and suppliers
    Agenda(booking::AgendaArguments),
    /// Show what meters say of nodes against their calibration, and take or reject what is proposed
    Calibrations(calibrations::Arguments),
    /// Plan the request of a problem file and print the decision as JSON
    Plan(plan::Arguments),
    /// Tell when a job would start and end in a queue as it is now, and how sure that is
    Predict(predict::Arguments),
    /// Plan which nodes sleep when, see what is done about it, and decide
    Power(power::Arguments),
    /// Estimate time, energy, cost and CO2 of checkpoints, restarts and collective operations
    Estimate(estimate::Arguments),
    /// Ask several sites at once for nodes, book at the best, and see what is booked elsewhere
    Sites(sites::Arguments),
    /// Serve the REST API
    Serve(serve::Arguments),
    /// Serve on demonstration data around today
    Demo(demo::Arguments),
    /// Sign in at the site's OpenID provider, for all commands that ask a service
    SignIn(sign_in::SignIn),
    /// Sign out again
    SignOut(sign_in::SignOut),
    /// Make, list and revoke API tokens
    Token(token::Arguments),
    /// List who signs in at an issuer, sign them out, block them, export what is kept of their bookings, or erase them
    User(user::Arguments),
    /// Export who did or read what, and check that nothing of it was changed
    Audit(audit::Arguments),
    /// Try sources of agendas, back-fill them, judge forecasts
    Feeds(feeds::Arguments),
    /// Send measured power and energy of nodes to a service
    Measurements(measurements::Arguments),
    /// Show the dialogue with the supplier
    Negotiation(negotiation::Arguments),
    /// Show whose energy each hour's was, what it cost and what it emitted
    Ledger(ledger::Arguments),
    /// Add up the ledger by user, project, partition, application and month
    Report(report::Arguments),
    /// Show what a month costs as the supplier bills it, and who caused how much
    Bill(bill::Arguments),
    /// Say who books for which project
    Project(project::Arguments),
    /// Show how users and projects stand by what they used against what they are given
    Share(share::Arguments),
    /// Show what users and projects may hold now and what they have used of it, or check a file of quotas
    Quota(quota::Arguments),
    /// Show what one may do, by default and by the rules of the site
    Rights(rights::Arguments),
    /// Check the connection to Slurm, and compare both sides
    #[cfg(feature = "slurm")]
    Slurm(slurm::Arguments),
    /// Make a secret address at which calendar programs read what you have booked
    Calendar(calendar::Arguments),
    /// Say what you want to be told by mail or webhook, and where
    Notify(notify::Arguments),
    /// Show the webhooks, and which events each has received
    Webhook(webhook::Arguments),
    /// Play a month of requests against agendas under policies
    Simulate(simulate::Arguments),
    /// Play an electricity supplier for trials: its interfaces from local series, with faults
    #[cfg(feature = "supplier")]
    Supplier(supplier::Arguments),
    /// Play workload traces under batch schedulers
    Batch(batch::Arguments),
    /// Describe, convert and cut workloads
    Workload(workload::Arguments),
    /// Say that the clock is right though it jumped
    Clock(clock::Arguments),
    /// Check the settings before the service goes by them
    Config(config::Arguments),
    /// Copy the database while the service runs, put a copy back, and check it
    Database(database::Arguments),
    /// Print what completes commands and options in a shell
    Completions(pages::Completions),
    /// Write the man pages
    Man(pages::Man),
    /// Print the OpenAPI document
    Openapi,
}

/// How a command ended, when not well.
enum Failure {
    /// The input is wrong: one line for each error.
    BadInput(Vec<String>),
    /// The planner's answer is that it cannot be done.
    Impossible,
    /// Something else came first: what was asked for is no longer so.
    Conflict(String),
    /// A program that the command ran for its user ended so, and said why itself.
    Status(u8),
    /// Who was asked does not answer, or cannot do it at the moment; later it may.
    Unavailable(anyhow::Error),
    /// An error that has no exit status of its own.
    Other(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

/// Runs the command given by the process's arguments.
pub fn run() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Quote(arguments) => booking::quote(&arguments),
        Command::Reserve(arguments) => booking::reserve(&arguments),
        Command::Choose(arguments) => booking::choose(&arguments),
        Command::List(arguments) => booking::list(&arguments),
        Command::Show(arguments) => booking::show(&arguments),
        Command::Cancel(arguments) => booking::cancel(&arguments),
        Command::Modify(arguments) => booking::modify(&arguments),
        Command::Extend(arguments) => booking::extend(&arguments),
        Command::Release(arguments) => booking::release(&arguments),
        Command::Transfer(arguments) => booking::transfer(&arguments),
        Command::Series(arguments) => booking::series(&arguments),
        Command::Swap(arguments) => booking::swap(&arguments),
        Command::ShareWith(arguments) => booking::share_with(&arguments),
        Command::Unshare(arguments) => booking::unshare(&arguments),
        Command::Sbatch(arguments) => sbatch::run(arguments),
        Command::Squeue(arguments) => booking::squeue(&arguments),
        Command::Outage(arguments) => booking::outage(&arguments),
        Command::Agenda(arguments) => booking::agenda(&arguments),
        Command::Calibrations(arguments) => calibrations::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Predict(arguments) => predict::run(&arguments),
        Command::Power(arguments) => power::run(&arguments),
        Command::Estimate(arguments) => estimate::run(&arguments),
        Command::Sites(arguments) => sites::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::SignIn(arguments) => sign_in::sign_in(&arguments),
        Command::SignOut(arguments) => sign_in::sign_out(&arguments),
        Command::Token(arguments) => token::run(&arguments),
        Command::User(arguments) => user::run(&arguments),
        Command::Audit(arguments) => audit::run(&arguments),
        Command::Feeds(arguments) => feeds::run(&arguments),
        Command::Ledger(arguments) => ledger::run(&arguments),
        Command::Measurements(arguments) => measurements::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Bill(arguments) => bill::run(&arguments),
        Command::Project(arguments) => project::run(&arguments),
        Command::Share(arguments) => share::run(&arguments),
        Command::Quota(arguments) => quota::run(&arguments),
        Command::Rights(arguments) => rights::run(&arguments),
        Command::Negotiation(arguments) => negotiation::run(&arguments),
        Command::Calendar(arguments) => calendar::run(&arguments),
        Command::Notify(arguments) => notify::run(&arguments),
        Command::Webhook(arguments) => webhook::run(&arguments),
        #[cfg(feature = "slurm")]
        Command::Slurm(arguments) => slurm::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        #[cfg(feature = "supplier")]
        Command::Supplier(arguments) => supplier::run(&arguments),
        Command::Batch(arguments) => batch::run(&arguments),
        Command::Workload(arguments) => workload::run(&arguments),
        Command::Clock(arguments) => clock::run(&arguments),
        Command::Config(arguments) => config::run(&arguments),
        Command::Database(arguments) => database::run(&arguments),
        Command::Completions(arguments) => pages::completions(&arguments),
        Command::Man(arguments) => pages::man(&arguments),
        Command::Openapi => openapi::run(),
    };
    result.map_or_else(|failure| ExitCode::from(failure.told()), |()| ExitCode::SUCCESS)
}

impl Failure {
    /// Settings that are wrong are bad input, each with a line of its own.
    fn of_settings(error: anyhow::Error) -> Self {
        match error.downcast::<SettingErrors>() {
            Ok(errors) => Self::BadInput(errors.lines()),
            Err(unread) => Self::BadInput(vec![format!("{unread:#}")]),
        }
    }

    /// Says what is wrong, and gives the exit status for it.
    fn told(self) -> u8 {
        match self {
            Self::Impossible => 3,
            Self::Status(status) => status,
            Self::Conflict(error) => {
                tell(format_args!("error: {error}"));
                4
            }
            Self::BadInput(errors) => {
                for error in errors {
                    tell(format_args!("error: {error}"));
                }
                2
            }
            Self::Unavailable(error) | Self::Other(error) => {
                tell(format_args!("error: {error:#}"));
                1
            }
        }
    }
}

/// Writes a line to standard output. A reader that has gone, such as `head`, is no failure.
fn print(line: impl std::fmt::Display) -> anyhow::Result<()> {
    match writeln!(Harmless::new(io::stdout().lock()), "{line}") {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Writes a line to standard error. A reader that has gone, as after `2>&1 | head`, is no failure.
fn tell(line: impl std::fmt::Display) {
    // Nobody is left who could be told.
    let _ = writeln!(Harmless::new(io::stderr().lock()), "{line}");
}

/// How operators' lists are printed.
#[derive(Clone, Copy, ValueEnum)]
enum ListFormat {
    Table,
    Json,
}

/// The database of the settings, of which nothing else must be in order. It must be there.
async fn open(overrides: &Overrides) -> anyhow::Result<Database> {
    open_or_make(&Settings::database(overrides)?, false).await
}

/// The database of a URL, which must be there unless it may be made.
async fn open_or_make(url: &str, make: bool) -> anyhow::Result<Database> {
    Ok(if make { Database::connect(url).await? } else { Database::connect_existing(url).await? })
}

/// Runs a future on a new async runtime.
fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(future);
    // A name that is being looked up for a connection that was given up keeps nobody.
    runtime.shutdown_background();
    result
}
