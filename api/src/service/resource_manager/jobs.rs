//! Jobs that run in our reservations are linked to them; a reservation whose jobs have all ended may be
//! given back before its end.

mod accounting;
mod outside;
mod unseen_outside;

use std::collections::{BTreeSet, HashMap, HashSet};

use planner::identity::ReservationId;
use planner::reservation::ReservationState;
use planner::resource_manager::{JobKey, JobPhase, ManagedJob, reservation_id};
use planner::time::{Seconds, Timestamp};

use super::open::OpenReservation;
use super::turn::Turn;
use super::{ResourceManagerService, TurnError};

/// Jobs that ended earlier the resource manager has forgotten, so that there is nothing to note of them.
const REMEMBERED: Seconds = Seconds::new(3600);

impl ResourceManagerService {
    /// Notes the jobs that run in our reservations, and gives back those whose jobs have all ended.
    pub(super) async fn link_jobs(&self, turn: &mut Turn<'_>) -> Result<(), TurnError> {
        let open: Vec<ReservationId> = turn.open.iter().map(|it| it.stored.id).collect();
        let since = turn.now - REMEMBERED;
        let recent = self.shared.database.recent_managed_jobs_of(&open, since).await?;
        turn.jobs = by_reservation(recent);
        self.note_seen(turn).await?;
        self.note_gone(turn).await?;
        self.note_used(turn).await
    }

    /// Notes jobs that are seen otherwise than they were noted last.
    async fn note_seen(&self, turn: &mut Turn<'_>) -> Result<(), TurnError> {
        let known = self.known_reservations(turn).await?;
        let linked: HashMap<JobKey<'_>, ReservationId> = turn
            .jobs
            .iter()
            .flat_map(|(id, jobs)| jobs.iter().map(|job| (job.key(), *id)))
            .collect();
        // A job that was linked stays so, though its reservation may be gone.
        let ours = |job: &ManagedJob| {
            let named = job.reservation.as_deref().and_then(reservation_id);
            named.filter(|id| known.contains(id)).or_else(|| linked.get(&job.key()).copied())
        };
        let (inside, outside): (Vec<usize>, Vec<usize>) = {
            let jobs = &turn.seen.jobs.items;
            (0..jobs.len()).partition(|at| ours(&jobs[*at]).is_some())
        };
        let jobs = inside.into_iter().map(|at| &turn.seen.jobs.items[at]);
        let news: Vec<(ReservationId, ManagedJob)> = {
            let memo = self.memo();
            let noted = |job: &ManagedJob| {
                memo.noted.get(&(job.id.clone(), job.submitted)).is_some_and(|it| it == job)
            };
            jobs.filter(|job| !noted(job))
                .filter_map(|job| Some((ours(job)?, job.clone())))
                .collect()
        };
        let new = news.iter().filter(|(_, job)| !linked.contains_key(&job.key())).count();
        metrics::counter!("wattbook_slurm_jobs_linked_total").increment(new as u64);
        turn.outside = Some(outside);
        self.note(turn, news).await?;
        let seen = keys(&turn.seen.jobs.items);
        self.memo().noted.retain(|(id, submitted), _| seen.contains(&(id.as_str(), *submitted)));
        Ok(())
    }

    /// Reservations of ours that jobs run in or ran in: those that are open, and of the others those that
    /// were made in the resource manager once.
    async fn known_reservations(
        &self,
        turn: &Turn<'_>,
    ) -> Result<HashSet<ReservationId>, TurnError> {
        let mut known: HashSet<ReservationId> = turn.open.iter().map(|it| it.stored.id).collect();
        let jobs = turn.seen.jobs.items.iter();
        let others: BTreeSet<ReservationId> = jobs
            .filter_map(|job| reservation_id(job.reservation.as_ref()?))
            .filter(|id| !known.contains(id))
            .collect();
        if !others.is_empty() {
            let others: Vec<ReservationId> = others.into_iter().collect();
            let rows = self.shared.database.managed_reservations_of(&others).await?;
            known.extend(rows.iter().map(|row| row.reservation_id));
        }
        Ok(known)
    }

    /// Notes jobs of reservations.
    async fn note(
        &self,
        turn: &mut Turn<'_>,
        news: Vec<(ReservationId, ManagedJob)>,
    ) -> Result<(), TurnError> {
        if news.is_empty() {
            return Ok(());
        }
        self.shared.database.put_managed_jobs(&news).await?;
        let mut memo = self.memo();
        for (id, job) in news {
            memo.noted.insert((job.id.clone(), job.submitted), job.clone());
            let jobs = turn.jobs.entry(id).or_default();
            match jobs.iter_mut().find(|it| it.key() == job.key()) {
                Some(before) => {
                    let energy = job.energy.or(before.energy);
                    *before = ManagedJob { energy, ..job };
                }
                None => jobs.push(job),
            }
        }
        Ok(())
    }

    /// Jobs that were forgotten by the resource manager before they were seen to have ended: it was not
    /// asked for too long. The accounting knows more, where there is one. Of an array that waited its tasks
    /// have taken the place.
    async fn note_gone(&self, turn: &mut Turn<'_>) -> Result<(), TurnError> {
        let (gone, begun) = gone_and_begun(turn);
        self.shared.database.forget_managed_jobs(&begun).await?;
        for jobs in turn.jobs.values_mut() {
            jobs.retain(|job| !begun.iter().any(|(id, at)| (id.as_str(), *at) == job.key()));
        }
        self.note(turn, gone).await
    }

    /// Notes what was used, and since when nothing runs any more; gives back what the site says.
    async fn note_used(&self, turn: &mut Turn<'_>) -> Result<(), TurnError> {
        let (now, settings) = (turn.now, turn.settings);
        let open: Vec<ReservationId> = turn.open.iter().map(|it| it.stored.id).collect();
        let summaries = self.shared.database.managed_jobs_summary(&open, now).await?;
        for it in &mut turn.open {
            let summary = summaries.get(&it.stored.id).copied().unwrap_or_default();
            let idle = summary.idle_since();
            // While jobs run it grows each second: it is noted when they have ended.
            let used =
                if idle.is_some() { summary.used_node_seconds } else { it.row.used_node_seconds };
            if it.row.idle_since != idle || it.row.used_node_seconds != used {
                it.row.idle_since = idle;
                it.row.used_node_seconds = used;
                self.shared.database.put_managed_reservation(&it.row, None, now).await?;
            }
            let gives_back = settings.gives_back || it.stored.gives_back;
            let due = idle.is_some_and(|idle| now >= idle + settings.give_back_after);
            if gives_back && due && it.stored.state_at(now) == ReservationState::Active {
                self.give_back(it, now).await?;
            }
        }
        Ok(())
    }

    async fn give_back(&self, it: &mut OpenReservation, now: Timestamp) -> Result<(), TurnError> {
        if let Some(completed) = self.shared.database.complete_early(it.stored.id, now).await? {
            tracing::info!(reservation = it.row.name, "given back: all of its jobs have ended");
            it.stored = completed;
            it.wanted = None;
            self.shared.dialogue_bell.notify_one();
        }
        Ok(())
    }
}

/// A job, and the reservation of ours that it belongs to.
type LinkedJob = (ReservationId, ManagedJob);

fn keys(jobs: &[ManagedJob]) -> HashSet<JobKey<'_>> {
    jobs.iter().map(ManagedJob::key).collect()
}

/// Jobs that are seen no more, as they are noted, and arrays that waited until all of their tasks began.
fn gone_and_begun(turn: &Turn<'_>) -> (Vec<LinkedJob>, Vec<(String, Timestamp)>) {
    let seen = keys(&turn.seen.jobs.items);
    let (mut gone, mut begun) = (Vec::new(), Vec::new());
    for (id, jobs) in &turn.jobs {
        let unseen =
            jobs.iter().filter(|job| job.phase != JobPhase::Ended && !seen.contains(&job.key()));
        for job in unseen {
            if jobs.iter().any(|it| it.is_task_of(job)) {
                begun.push((job.id.clone(), job.submitted));
            } else {
                gone.push((*id, job.forgotten(turn.now)));
            }
        }
    }
    (gone, begun)
}

fn by_reservation(
    jobs: Vec<(ReservationId, ManagedJob)>,
) -> HashMap<ReservationId, Vec<ManagedJob>> {
    let mut by_reservation: HashMap<ReservationId, Vec<ManagedJob>> = HashMap::new();
    for (id, job) in jobs {
        by_reservation.entry(id).or_default().push(job);
    }
    by_reservation
}
