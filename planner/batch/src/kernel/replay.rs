//! The loop over the logged messages of another simulator.

use super::cluster::SimulationState;
use super::{Cluster, Observer, SimulationError};
use crate::job::{Job, JobId};
use crate::message_log::{JobsByName, LoggedMessage, MessageLogError};
use crate::scheduler::{Decisions, Moment, Scheduler};
use crate::time::Time;

/// Plays `jobs` under `scheduler`, which is told what the `messages` say, one by one, and nothing
/// else.
///
/// # Errors
/// The errors of [`super::simulate`]; messages that contradict the simulation: jobs that do not end or are not
/// submitted then, or that no message names.
pub fn replay<E>(
    mut jobs: impl Iterator<Item = Result<Job, E>>,
    messages: impl Iterator<Item = Result<LoggedMessage, MessageLogError>>,
    cluster: Cluster<'_>,
    scheduler: &mut dyn Scheduler,
    observer: &mut impl Observer,
) -> Result<(), SimulationError<E>> {
    let mut state = SimulationState::new(cluster);
    let mut named = JobsByName::default();
    let mut decisions = Decisions::default();
    let mut last =
        LoggedMessage { line: 1, time: Time::ZERO, ended: Vec::new(), submitted: Vec::new() };
    for message in messages {
        let message = message?;
        let now = message.time;
        passed_over(&state, &message)?;
        let mut ended = Vec::new();
        for id in &message.ended {
            let key = named.ended(id).filter(|key| state.end_out_of_turn(now, *key));
            let wrong = || message.contradiction(format!("job {id} does not end at {now} s"));
            let key = key.ok_or_else(wrong)?;
            state.end(now, key, observer)?;
            ended.push(key);
        }
        let mut submitted = Vec::new();
        for id in &message.submitted {
            let job = find(&mut jobs, &mut named, id)?.filter(|job| job.submitted == now);
            let wrong = || message.contradiction(format!("job {id} is not submitted at {now} s"));
            submitted.extend(state.submit(job.ok_or_else(wrong)?, 0, observer)?);
        }
        let consumed = state.machines().consumed(now);
        let (ended, submitted) = (&ended, &submitted);
        let moment = Moment { now, ended, switched: &[], submitted, consumed };
        scheduler.decide(&moment, &mut decisions);
        let started = |id: &JobId, key| named.started(id.clone(), key);
        state.carry_out(now, ended, &mut decisions, observer, started)?;
        if let Some(order) = decisions.power_orders.pop() {
            let what = "is told by messages that switch no machines, and switches";
            return Err(SimulationError::PowerOrder { now, what, machines: order.machines });
        }
        last = message;
    }
    let left = jobs.next().transpose().map_err(SimulationError::Workload)?;
    if let Some(job) = left.as_ref().or(named.forgotten()) {
        return Err(last.contradiction(format!("no message submits job {}", job.id)).into());
    }
    match (state.waiting(), state.next_end()) {
        (0, None) => Ok(state.tell_totals(observer)?),
        (_, Some(at)) => {
            Err(last.contradiction(format!("no message tells the end at {at} s")).into())
        }
        (waiting, None) => Err(SimulationError::Stuck { now: last.time, waiting }),
    }
}

/// An end before the message that no message told.
fn passed_over<E>(
    state: &SimulationState<'_>,
    message: &LoggedMessage,
) -> Result<(), SimulationError<E>> {
    match state.next_end() {
        Some(at) if at < message.time => {
            Err(message.contradiction(format!("a job that ended at {at} s was passed over")).into())
        }
        _ => Ok(()),
    }
}

/// The job of this id, reading on as far as needed.
fn find<E>(
    jobs: &mut impl Iterator<Item = Result<Job, E>>,
    named: &mut JobsByName,
    id: &JobId,
) -> Result<Option<Job>, SimulationError<E>> {
    if let Some(job) = named.submitted(id) {
        return Ok(Some(job));
    }
    for job in jobs {
        let job = job.map_err(SimulationError::Workload)?;
        if job.id == *id {
            return Ok(Some(job));
        }
        named.announce(job);
    }
    Ok(None)
}
