//! Managed reservations are made, changed and removed in the resource manager: for each the next step by
//! the rule, and how it stands since is written down with an event.

use std::collections::BTreeSet;

use planner::identity::ReservationId;
use planner::resource_manager::{
    BothSides, Difference, JobPhase, ManagedJob, ManagedReservation, ManagerError, Step,
    WantedReservation, differences, next_step, told,
};
use planner::time::{Seconds, Timestamp};
use storage::{ManagedReservationEvent, OutageKind};
use tokio::time::Instant;

use super::open::{OpenReservation, ranks};
use super::outcome::{Outcome, after, event_of, is_news, turn_of};
use super::turn::Turn;
use super::{ResourceManagerService, TurnError};

impl ResourceManagerService {
    /// Takes the next step for each managed reservation. One that fails keeps no other from its turn; where
    /// two get no answer, or the service's user is not accepted, the others are not asked for.
    pub(super) async fn push(&self, turn: &mut Turn<'_>) -> Result<(), TurnError> {
        if !turn.settings.drives() {
            return Ok(());
        }
        let meant: BTreeSet<ReservationId> = turn.open.iter().map(|it| it.stored.id).collect();
        self.memo().tried.retain(|id, _| meant.contains(id));
        let mut order: Vec<usize> = (0..turn.open.len()).collect();
        order.sort_by_key(|&index| {
            let it = &turn.open[index];
            turn_of(&it.row, it.wanted.as_ref())
        });
        let mut unanswered = None;
        for index in order {
            match self.push_one(turn, index).await? {
                Some(error) if unanswered.is_some() || !error.may_pass() => {
                    return Err(error.into());
                }
                Some(error) => unanswered = Some(error),
                None => {}
            }
        }
        unanswered.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Takes the next step for one, unless it failed before and is not yet due again; why it got no answer.
    async fn push_one(
        &self,
        turn: &mut Turn<'_>,
        index: usize,
    ) -> Result<Option<ManagerError>, TurnError> {
        let it = &turn.open[index];
        let wanted = it.wanted.clone();
        let seen =
            turn.seen.reservations.items.iter().find(|seen| seen.name == it.row.name).cloned();
        let jobs: Vec<&ManagedJob> = turn.jobs.get(&it.stored.id).into_iter().flatten().collect();
        let sides = BothSides {
            wanted: wanted.as_ref(),
            pushed: it.row.pushed.as_ref().map(|(pushed, _)| pushed),
            seen: seen.as_ref(),
            jobs: &jobs,
        };
        let now = self.later_clock();
        let step = next_step(&sides, turn.settings.rules, now);
        if self.pauses(turn, index, &step, now) {
            return Ok(None);
        }
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
        let (outcome, unanswered) = match done {
            Ok(outcome) => (outcome, None),
            Err(error) if is_answer(&error) => (Outcome::Refused(error.to_string()), None),
            Err(error) => (Outcome::Unanswered(error.clone()), Some(error)),
        };
        self.note_outcome(turn, index, wanted, outcome, drift).await?;
        Ok(unanswered)
    }

    /// Whether a step asks for what failed before, and is not yet due again.
    fn pauses(&self, turn: &Turn<'_>, index: usize, step: &Step, now: Timestamp) -> bool {
        let OpenReservation { row, stored, .. } = &turn.open[index];
        let tried = self.memo().tried.insert(stored.id, step.clone());
        row.next_attempt.is_some_and(|next| turn.now < next)
            && tried.is_some_and(|tried| step.asks_the_same(&tried, now))
    }

    /// The instant by the later of both clocks: the resource manager begins and ends reservations by its
    /// own.
    fn later_clock(&self) -> Timestamp {
        let ahead = self.last_poll().clock_difference.unwrap_or_default().max(0);
        self.shared.now() + Seconds::new(ahead)
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
        if let Some(because) = occupied(turn, put, seen) {
            return Ok(Outcome::Waits(because));
        }
        let manager = &*turn.ports.manager;
        let began = Instant::now();
        if let Err(error) = manager.put_reservation(put, seen).await {
            // What is there the first time may just be going away, or be seen by the next poll.
            if turn.open[index].row.attempts > 0 && manager.refuses_nodes(&error) {
                let has = seen.map(|seen| &seen.nodes);
                let gets = put.nodes.iter().filter(|it| has.is_none_or(|has| !has.contains(*it)));
                self.withhold_refused(turn, put, &gets.cloned().collect()).await;
            }
            return Err(error);
        }
        let made = manager.reservation(&put.name).await?;
        let seconds = began.elapsed().as_secs_f64();
        metrics::histogram!("wattbook_slurm_push_seconds").record(seconds);
        let Some(made) = made else {
            return Ok(Outcome::Refused("it is not there though it was made".to_owned()));
        };
        // It may have taken a while, and a start that had passed became that of the making.
        let now = self.later_clock();
        let found = differences(put, &made, now);
        if !found.is_empty() {
            return self.undo(turn, index, put, seen.is_none(), &found).await;
        }
        let whole = wanted.is_some_and(|it| differences(it, &made, now).is_empty());
        Ok(if whole { Outcome::InForce } else { Outcome::Underway })
    }

    /// Removes what is not as it ought to be.
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
        if let Some(missing) = missing {
            self.withhold_refused(turn, put, missing).await;
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
        let wanted = wanted.map(|wanted| (wanted, it.stored.row_version));
        let row = after(&before, wanted, drift.clone(), outcome, now);
        let event = match drift {
            Some(because) if is_news(&before, &because) => {
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

/// Whether an error is the resource manager's answer; without one, other questions may get none either.
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
    put: &WantedReservation,
    seen: Option<&ManagedReservation>,
) -> Option<String> {
    if put.nodes.is_empty() {
        let because = "it has no node that the resource manager could give it";
        return Some(because.to_owned());
    }
    let has = seen.map(|seen| &seen.nodes);
    let gets = put.nodes.iter().filter(|node| has.is_none_or(|has| !has.contains(*node)));
    let gets = ranks(&turn.state, gets);
    let begins = put.span.start().max(turn.now);
    let taken = turn.withheld.iter().find(|it| {
        let meets = it.start < put.span.end() && it.end.is_none_or(|end| end > begins);
        it.kind == OutageKind::Occupied && meets && it.ranks.intersects(&gets)
    })?;
    Some(format!("{}; other nodes are looked for", taken.reason))
}
