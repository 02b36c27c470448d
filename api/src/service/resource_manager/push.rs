//! Managed reservations are made, changed and removed in the resource manager: for each the next step by
//! the rule, and how it stands since is written down with an event.

use std::collections::BTreeSet;

use planner::identity::ReservationId;
use planner::node_set::NodeSet;
use planner::resource_manager::{
    BothSides, Difference, JobPhase, ManagedJob, ManagedReservation, ManagedState, ManagerError,
    Step, WantedReservation, differences, listed, next_step, told,
};
use planner::time::{Seconds, Timestamp};
use storage::{ManagedReservationEvent, OutageKind, StoredManagedReservation, Withheld};
use tokio::time::Instant;

use super::open::{OpenReservation, ranks};
use super::turn::Turn;
use super::withhold::refused_key;
use super::{ResourceManagerService, TurnError};

/// The longest pause between attempts to put a reservation that was refused.
const LONGEST_PAUSE: Seconds = Seconds::new(300);

/// What became of a step.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// Both sides are equal.
    InForce,
    /// It is neither wanted nor there.
    Removed,
    /// Something was done; what else there is to do, the next turn finds out.
    Underway,
    /// It has to be waited for something.
    Waits(String),
    /// It was refused.
    Refused(String),
    /// The resource manager has another one than it ought to, and keeps it.
    Another(String),
    /// It is gone, and stays so.
    Lost,
}

impl ResourceManagerService {
    /// Takes the next step for each managed reservation. One that fails keeps no other from its turn,
    /// unless the resource manager does not answer at all.
    pub(super) async fn push(&self, turn: &mut Turn<'_>) -> Result<(), TurnError> {
        if !turn.settings.drives() {
            return Ok(());
        }
        for index in 0..turn.open.len() {
            self.push_one(turn, index).await?;
        }
        let meant: BTreeSet<ReservationId> = turn.open.iter().map(|it| it.stored.id).collect();
        self.memo().tried.retain(|id, _| meant.contains(id));
        Ok(())
    }

    async fn push_one(&self, turn: &mut Turn<'_>, index: usize) -> Result<(), TurnError> {
        let it = &turn.open[index];
        let wanted = it.wanted(turn.settings, &turn.state);
        let seen =
            turn.seen.reservations.items.iter().find(|seen| seen.name == it.row.name).cloned();
        let jobs: Vec<&ManagedJob> = turn.jobs.get(&it.stored.id).into_iter().flatten().collect();
        let sides = BothSides {
            wanted: wanted.as_ref(),
            pushed: it.row.pushed.as_ref().map(|(pushed, _)| pushed),
            seen: seen.as_ref(),
            jobs: &jobs,
        };
        let step = next_step(&sides, turn.settings.rules, turn.now);
        let ends = jobs.iter().all(|job| job.phase != JobPhase::Running);
        let drift = match &step {
            Step::Put { drift, .. } => drift.clone(),
            _ => None,
        };
        let done = match step {
            Step::InForce => Ok(Outcome::InForce),
            Step::Removed if ends => Ok(Outcome::Removed),
            Step::Removed => Ok(Outcome::Waits("its jobs have yet to end".to_owned())),
            Step::Wait(because) => Ok(Outcome::Waits(because)),
            Step::Accept(because) => Ok(Outcome::Another(because)),
            Step::Lost => Ok(Outcome::Lost),
            Step::Remove => self.remove(turn, index).await,
            Step::CancelJobs(ids) => self.cancel_jobs(turn, &ids).await,
            Step::Put { put, .. } => {
                self.put(turn, index, &put, wanted.as_ref(), seen.as_ref()).await
            }
        };
        let failed = matches!(&done, Err(error) if !is_answer(error));
        let because = |error: ManagerError| match error {
            error if is_answer(&error) => Outcome::Refused(error.to_string()),
            error => Outcome::Waits(error.to_string()),
        };
        let (outcome, error) = match done {
            Ok(outcome) => (outcome, None),
            Err(error) => (because(error.clone()), failed.then_some(error)),
        };
        self.note_outcome(turn, index, wanted, outcome, drift).await?;
        // Who does not answer one is not asked for the others.
        error.map_or(Ok(()), |error| Err(error.into()))
    }

    async fn remove(&self, turn: &Turn<'_>, index: usize) -> Result<Outcome, ManagerError> {
        let name = &turn.open[index].row.name;
        match turn.ports.manager.remove_reservation(name).await {
            Ok(()) | Err(ManagerError::Unknown(_)) => Ok(Outcome::Removed),
            Err(error) => Err(error),
        }
    }

    async fn cancel_jobs(&self, turn: &Turn<'_>, ids: &[String]) -> Result<Outcome, ManagerError> {
        for id in ids {
            match turn.ports.manager.cancel_job(id).await {
                Ok(()) | Err(ManagerError::Unknown(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Outcome::Waits(format!("the jobs {} are cancelled first", ids.join(", "))))
    }

    /// Puts a reservation, reads it back, and undoes it where the resource manager made another one.
    async fn put(
        &self,
        turn: &mut Turn<'_>,
        index: usize,
        put: &WantedReservation,
        wanted: Option<&WantedReservation>,
        seen: Option<&ManagedReservation>,
    ) -> Result<Outcome, ManagerError> {
        let (id, manager) = (turn.open[index].stored.id, &*turn.ports.manager);
        if let Some(because) = occupied(turn, index, put, seen) {
            return Ok(Outcome::Waits(because));
        }
        let row = &turn.open[index].row;
        let pausing = row.next_attempt.is_some_and(|next| turn.now < next);
        let tried = self.memo().tried.get(&id).zip(wanted).is_some_and(|(it, wanted)| it == wanted);
        if pausing && tried {
            return Ok(Outcome::Refused(row.because.clone().unwrap_or_default()));
        }
        if let Some(wanted) = wanted {
            self.memo().tried.insert(id, wanted.clone());
        }
        let began = Instant::now();
        manager.put_reservation(put, seen).await?;
        let made = manager.reservation(&put.name).await?;
        let seconds = began.elapsed().as_secs_f64();
        metrics::histogram!("wattbook_slurm_push_seconds").record(seconds);
        let Some(made) = made else {
            return Ok(Outcome::Refused("it is not there though it was made".to_owned()));
        };
        let found = differences(put, &made, turn.now);
        if !found.is_empty() {
            return self.undo(turn, index, put, seen.is_none(), &found).await;
        }
        let whole = wanted.is_some_and(|it| differences(it, &made, turn.now).is_empty());
        Ok(if whole { Outcome::InForce } else { Outcome::Underway })
    }

    /// Removes what is not as it ought to be, and keeps the nodes that were refused from being offered
    /// for as long as they are wanted here.
    async fn undo(
        &self,
        turn: &mut Turn<'_>,
        index: usize,
        put: &WantedReservation,
        is_new: bool,
        found: &[Difference],
    ) -> Result<Outcome, ManagerError> {
        if is_new {
            self.remove(turn, index).await?;
        }
        let missing = found.iter().find_map(|it| match it {
            Difference::Nodes { missing, .. } => Some(missing),
            _ => None,
        });
        if let Some(missing) = missing.filter(|missing| !missing.is_empty()) {
            let reason =
                format!("the resource manager did not give {} to {}", listed(missing), put.name);
            turn.withheld.push(Withheld {
                key: refused_key(&put.name),
                kind: OutageKind::Occupied,
                reason,
                start: put.span.start(),
                end: Some(put.span.end()),
                ranks: ranks(&turn.state, missing.iter()),
            });
            // Were it not written, the next attempt would find out again.
            if let Err(error) = self.put_withheld(turn).await {
                tracing::warn!(%error, "could not keep nodes that were refused from being offered");
            }
        }
        Ok(Outcome::Refused(format!("the resource manager made another one: {}", told(found))))
    }

    /// Writes down how a managed reservation stands since, where that is news.
    async fn note_outcome(
        &self,
        turn: &mut Turn<'_>,
        index: usize,
        wanted: Option<WantedReservation>,
        outcome: Outcome,
        drift: Option<String>,
    ) -> Result<(), TurnError> {
        let (now, it) = (turn.now, &mut turn.open[index]);
        let before = it.row.clone();
        let row = after(&before, it, wanted, outcome, now);
        let event = match drift {
            Some(because) if is_news(&before, &row) => {
                tracing::warn!(reservation = row.name, because, "changed behind our back");
                Some(ManagedReservationEvent::Drifted)
            }
            _ => (row.state != before.state).then(|| event_of(row.state)),
        };
        if row != before || event.is_some() {
            self.shared.database.put_managed_reservation(&row, event, now).await?;
        }
        it.row = row;
        Ok(())
    }
}

/// The row of a managed reservation after a step.
fn after(
    before: &StoredManagedReservation,
    it: &OpenReservation,
    wanted: Option<WantedReservation>,
    outcome: Outcome,
    now: Timestamp,
) -> StoredManagedReservation {
    let quiet = StoredManagedReservation { attempts: 0, next_attempt: None, ..before.clone() };
    let (state, because) = match outcome {
        Outcome::InForce => (ManagedState::InForce, None),
        Outcome::Removed => (ManagedState::Removed, None),
        Outcome::Underway => (waiting(before.state), before.because.clone()),
        Outcome::Waits(because) => (waiting(before.state), Some(because)),
        Outcome::Another(because) => (ManagedState::Failed, Some(because)),
        Outcome::Lost => {
            let because = "somebody removed it in the resource manager".to_owned();
            (ManagedState::Lost, Some(because))
        }
        Outcome::Refused(because) => return refused(before, because, now),
    };
    let pushed = match (state, wanted) {
        (ManagedState::InForce, Some(wanted)) => Some((wanted, it.stored.row_version)),
        _ => before.pushed.clone(),
    };
    // What was pushed at another version of the reservation is the same where it is equal.
    let same = pushed.as_ref().map(|(it, _)| it) == before.pushed.as_ref().map(|(it, _)| it);
    let pushed = if same { before.pushed.clone() } else { pushed };
    let changed = if state == before.state { before.changed } else { now };
    StoredManagedReservation { state, because, pushed, changed, ..quiet }
}

/// The state of one that has to wait: what is in force stays so while it is changed or removed.
const fn waiting(before: ManagedState) -> ManagedState {
    match before {
        ManagedState::InForce => ManagedState::InForce,
        _ => ManagedState::Waiting,
    }
}

/// The row of a managed reservation that was refused: it is tried again, twice as late each time. Where
/// it was not tried now, nothing changes.
fn refused(
    before: &StoredManagedReservation,
    because: String,
    now: Timestamp,
) -> StoredManagedReservation {
    if before.next_attempt.is_some_and(|next| now < next)
        && before.because.as_ref() == Some(&because)
    {
        return before.clone();
    }
    let attempts = before.attempts.saturating_add(1);
    let doubled = 5_i64.saturating_mul(1 << before.attempts.min(10));
    let pause = Seconds::new(doubled).min(LONGEST_PAUSE);
    let changed = if before.state == ManagedState::Failed { before.changed } else { now };
    StoredManagedReservation {
        state: ManagedState::Failed,
        because: Some(because),
        changed,
        attempts,
        next_attempt: Some(now + pause),
        ..before.clone()
    }
}

/// Whether a drift was not told before: it was in force, or something about it changed.
fn is_news(before: &StoredManagedReservation, after: &StoredManagedReservation) -> bool {
    before.state == ManagedState::InForce || before.because != after.because
}

const fn event_of(state: ManagedState) -> ManagedReservationEvent {
    match state {
        ManagedState::Waiting => ManagedReservationEvent::Waiting,
        ManagedState::InForce => ManagedReservationEvent::InForce,
        ManagedState::Failed => ManagedReservationEvent::Failed,
        ManagedState::Lost => ManagedReservationEvent::Lost,
        ManagedState::Removed => ManagedReservationEvent::Removed,
    }
}

/// Whether an error is the resource manager's answer to one question; others are of all of them.
const fn is_answer(error: &ManagerError) -> bool {
    matches!(
        error,
        ManagerError::Refused { .. } | ManagerError::Unknown(_) | ManagerError::Unsupported(_)
    )
}

/// What occupies nodes that a reservation is to get, so that it would be refused: other nodes are looked
/// for first. `None` where nothing does.
fn occupied(
    turn: &Turn<'_>,
    index: usize,
    put: &WantedReservation,
    seen: Option<&ManagedReservation>,
) -> Option<String> {
    if put.nodes.is_empty() {
        let because = "it has no node that the resource manager could give it";
        return Some(because.to_owned());
    }
    let (_, held) = turn.open[index].holding.as_ref()?;
    let has = seen.map_or_else(NodeSet::new, |seen| ranks(&turn.state, seen.nodes.iter()));
    let gets = held.difference(&has);
    let begins = put.span.start().max(turn.now);
    let taken = turn.withheld.iter().find(|it| {
        let meets = it.start < put.span.end() && it.end.is_none_or(|end| end > begins);
        it.kind == OutageKind::Occupied && meets && it.ranks.intersects(&gets)
    })?;
    Some(format!("{}; other nodes are looked for", taken.reason))
}
