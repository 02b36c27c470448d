//! The door for other schedulers: Batsim's protocol (version 4), the simulator's side.
//!
//! A message is JSON, `{"now": s, "events": [{"timestamp": s, "type": text, "data": {}}]}`. The simulator
//! tells what happened, and waits for the answer: what the decision process decides. Time stands
//! still meanwhile; an answer may let time pass by a later `now`, and decide at instants until then.
//! How messages travel is the caller's matter ([`Peer`]).
//!
//! Told at one instant in one message, in this order: ends of jobs in the order of their starts,
//! switches of machines, submissions in the order of the workload, external events, calls that were
//! asked for; what decisions of this instant bring about comes with the next message. Jobs are named
//! `w0!id`; those that the scheduler registers, as it names them.
//!
//! Storages are not told, and machines are not shared: what asks for them is refused, as is
//! whatever contradicts the simulation, with the number of the message.

mod begin;
mod decide;
mod described;
mod events;
mod message;
mod progress;
mod register;
mod scheduler_played;
mod session;
mod switching;

use std::io;

use planner::node_set::NodeSet;
use serde_json::{Map, Value};

use super::{Cluster, Observer, SimulationError};
use crate::job::Job;
use crate::time::Time;

pub use described::{Described, DescribedError};
pub use events::{EventsError, read_events};

/// Who is at the other end.
pub trait Peer {
    /// Sends a message and waits for the answer.
    ///
    /// # Errors
    /// Those of the way between; nobody answers.
    fn exchange(&mut self, message: &str) -> io::Result<String>;
}

/// What the decision process is told at the beginning, and what it may do.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Rules {
    /// What the workload file is called.
    pub workload: String,
    /// What the workload says of its jobs and profiles beyond what is played.
    pub described: Described,
    /// Whether each submission carries its profile; otherwise all of them are told at the beginning.
    pub forward_profiles: bool,
    /// Whether jobs may be registered. The simulation then ends only after `registration_finished`.
    pub dynamic_jobs: bool,
    /// Whether the submission of registered jobs is told.
    pub acknowledge_dynamic_jobs: bool,
    /// Whether it is asked at each submission how long the job will wait.
    pub ask_waiting_times: bool,
    /// Whether external events of types of their own are told.
    pub forward_unknown_events: bool,
    /// What happens besides, by time.
    pub events: Vec<OutsideEvent>,
}

/// Something that happens whatever the scheduler does.
#[derive(Clone, Debug, PartialEq)]
pub struct OutsideEvent {
    /// The instant at which it happens.
    pub at: Time,
    /// What happens.
    pub what: Outside,
}

/// An event from outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Outside {
    /// No further job may start on these machines.
    Unavailable(NodeSet),
    /// Jobs may again.
    Available(NodeSet),
    /// A type of its own, told as it is.
    Unknown(Map<String, Value>),
}

/// What comes of an exchange with a scheduler outside, beside the jobs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExternalOutcome {
    /// Messages sent, and answered.
    pub messages: u64,
    /// How long jobs were said to wait: job, seconds.
    pub estimated_waiting_times: Vec<(String, f64)>,
}

/// What is wrong with an answer.
#[derive(Debug, thiserror::Error)]
pub enum ExternalError {
    /// The decision process does not answer.
    #[error("the decision process does not answer message {message}: {error}")]
    Silent {
        /// The number of the message, from 1.
        message: u64,
        /// What went wrong on the way.
        error: io::Error,
    },
    /// The answer is no message.
    #[error("the answer to message {message} {what}")]
    Malformed {
        /// The number of the message that it answers, from 1.
        message: u64,
        /// What is wrong with it.
        what: String,
    },
    /// The answer has a decision that cannot be carried out.
    #[error("the answer to message {message}, event {event} ({kind}): {what}")]
    Decision {
        /// The number of the message that it answers, from 1.
        message: u64,
        /// The number of the event in it, from 1.
        event: usize,
        /// The type of the event.
        kind: String,
        /// What is wrong with it.
        what: String,
    },
    /// Messages are exchanged for ever, and no time passes.
    #[error("{0} messages were exchanged at {1} s and no time passed")]
    Endless(u64, Time),
    /// The decision process asks to be called at once, for ever.
    #[error(
        "at {1} s the decision process asked {0} times in turn to be called at this instant, and decided \
         nothing: CALL_ME_LATER needs a later timestamp, or no call at all"
    )]
    Sleepless(u64, Time),
    /// The decision process asks to be called later, for ever.
    #[error(
        "at {now} s the decision process was called {calls} times in turn, and decided nothing, while \
         nothing else can happen any more: {waiting} jobs wait; without further CALL_ME_LATER the \
         simulation ends"
    )]
    Idle {
        /// How often it was called.
        calls: u64,
        /// The instant of the last call.
        now: Time,
        /// Jobs that wait.
        waiting: usize,
    },
    /// Nothing is left to happen, and more jobs might be registered.
    #[error(
        "at {0} s nothing is left to happen, and the decision process has not said \
         registration_finished"
    )]
    Unfinished(Time),
}

/// Plays `jobs`, which come in the order of submission, as the decision process at the other end of
/// `peer` decides.
///
/// # Errors
/// Those of the workload, the observer and the peer; answers that are none or cannot be carried out.
pub fn play<E>(
    jobs: impl Iterator<Item = Result<Job, E>>,
    cluster: Cluster<'_>,
    rules: &Rules,
    peer: &mut dyn Peer,
    observer: &mut impl Observer,
) -> Result<ExternalOutcome, SimulationError<E>> {
    session::Session::new(jobs, cluster, rules, peer, observer).play()
}
