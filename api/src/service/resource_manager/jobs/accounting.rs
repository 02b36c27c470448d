//! What jobs consumed that ended lately, how those ended that were forgotten, and which ran while nobody looked, is
//! asked of the resource manager's accounting.

use std::collections::HashSet;

use planner::identity::ReservationId;
use planner::resource_manager::{JobPhase, ManagedJob, ManagerError};
use planner::time::{Seconds, Timestamp};

use super::LinkedJob;
use crate::service::resource_manager::open::OpenReservation;
use crate::service::resource_manager::turn::{Asked, Turn};
use crate::service::resource_manager::{ResourceManagerService, TurnError};

/// It is asked for a job so long after its end, when that was written there ...
const AFTER: Seconds = Seconds::new(10);

/// ... until so long after it.
const UNTIL: Seconds = Seconds::new(600);

/// For jobs that were forgotten it is asked so long after their ends.
const FORGOTTEN_UNTIL: Seconds = Seconds::new(86_400);

/// So many jobs are read at once.
const CANDIDATES: u16 = 10_000;

/// Jobs may have come and gone unseen where the resource manager was not read for so long, or for two polls.
const UNSEEN_AFTER: Seconds = Seconds::new(10);

/// Who knew a job so often and not its energy does not measure it.
const TIMES: u32 = 2;

/// For each job it is asked once in so long.
const AGAIN_AFTER: Seconds = Seconds::new(60);

/// In one turn so many questions are asked at the most.
const QUESTIONS: u16 = 20;

/// Where it does not answer it is left alone for so long.
const PAUSE: Seconds = Seconds::new(60);

impl ResourceManagerService {
    /// Notes that jobs may have run unseen where the resource manager was not read for a while: in reservations that have
    /// begun, and outside of them.
    pub(in crate::service::resource_manager) async fn note_absence(
        &self,
        turn: &Turn<'_>,
    ) -> Result<(), TurnError> {
        let polls = i64::try_from(turn.settings.poll.as_secs()).unwrap_or(i64::MAX / 2);
        let absence = UNSEEN_AFTER.max(Seconds::new(2 * polls));
        let last = self.memo().last_turn;
        if turn.settings.accounting && last.is_none_or(|last| turn.now - last > absence) {
            let has_begun = |it: &&OpenReservation| {
                it.row.pushed.as_ref().is_some_and(|(it, _)| it.span.start() <= turn.now)
            };
            let begun = turn.open.iter().filter(has_begun);
            let begun: Vec<ReservationId> = begun.map(|it| it.stored.id).collect();
            self.shared.database.note_unseen_jobs(&begun).await?;
            self.shared.database.note_unseen_outside(turn.now).await?;
        }
        self.memo().last_turn = Some(turn.now);
        Ok(())
    }

    /// Asks the accounting for jobs that ran unseen, for those that were forgotten before they were seen to have
    /// ended, and for those that ended lately and whose consumption is not known, though their reservation be
    /// over.
    pub(in crate::service::resource_manager) async fn ask_accounting(
        &self,
        turn: &mut Turn<'_>,
    ) -> Result<(), TurnError> {
        let rests = self.memo().ask_from.is_some_and(|from| turn.now < from);
        if !turn.settings.accounting || self.memo().no_accounting || rests {
            return Ok(());
        }
        match self.ask_of_jobs(turn).await {
            // What was told of them without it stays.
            Err(TurnError::Manager(ManagerError::Unsupported(because))) => {
                tracing::warn!(because, "there is no accounting to tell what jobs consumed");
                self.memo().no_accounting = true;
                Ok(())
            }
            Err(TurnError::Manager(error)) => {
                self.memo().ask_from = Some(turn.now + PAUSE);
                Err(error.into())
            }
            other => other,
        }
    }

    /// Asks for jobs of reservations first, and for those outside once no reservation has unseen ones.
    async fn ask_of_jobs(&self, turn: &mut Turn<'_>) -> Result<(), TurnError> {
        let mut left = self.ask_for_unseen(turn).await?;
        if left == QUESTIONS {
            left = self.ask_for_unseen_outside(turn, left).await?;
        }
        self.ask_for_ended(turn, left).await
    }

    /// Asks for the jobs of reservations in which some may have run unseen; how many questions are left.
    async fn ask_for_unseen(&self, turn: &mut Turn<'_>) -> Result<u16, TurnError> {
        let mut left = QUESTIONS;
        for (id, reservation) in self.shared.database.unseen_jobs(QUESTIONS).await? {
            left -= 1;
            let ended = turn.ports.manager.ended_jobs_in(&reservation).await?;
            let linked = self.linked(id).await?;
            let unseen =
                ended.into_iter().filter(|job| !linked.contains(&(job.id.clone(), job.submitted)));
            let news: Vec<LinkedJob> = unseen.map(|job| (id, job)).collect();
            metrics::counter!("wattbook_slurm_jobs_linked_total").increment(news.len() as u64);
            self.note(turn, news).await?;
            self.shared.database.forget_unseen_jobs(id).await?;
        }
        Ok(left)
    }

    /// The jobs that are linked to a reservation, by id and submission.
    async fn linked(&self, id: ReservationId) -> Result<HashSet<(String, Timestamp)>, TurnError> {
        let (mut linked, mut after) = (HashSet::new(), None);
        loop {
            let page = self.shared.database.managed_jobs_page(id, after, CANDIDATES).await?;
            let Some(last) = page.last() else { return Ok(linked) };
            after = Some((last.submitted, last.id.clone()));
            linked.extend(page.into_iter().map(|job| (job.id, job.submitted)));
        }
    }

    /// Asks for jobs that ended, so many at the most.
    async fn ask_for_ended(&self, turn: &mut Turn<'_>, questions: u16) -> Result<(), TurnError> {
        for (reservation, job) in self.unaccounted(turn, questions).await? {
            let ended = turn.ports.manager.ended_jobs(&job.id).await?;
            let same = ended.into_iter().find(|it| it.key() == job.key());
            self.note_asked(&job, same.is_some(), turn.now);
            let news = same.map(|it| (reservation, known(&job, it)));
            self.note(turn, news.into_iter().collect()).await?;
        }
        Ok(())
    }

    /// Jobs to ask for now, those that ended first before others.
    async fn unaccounted(
        &self,
        turn: &Turn<'_>,
        questions: u16,
    ) -> Result<Vec<LinkedJob>, TurnError> {
        let (lately, forgotten) = (turn.now - UNTIL, turn.now - FORGOTTEN_UNTIL);
        let database = &self.shared.database;
        let all =
            database.unaccounted_managed_jobs(lately, ManagedJob::FORGOTTEN, forgotten, CANDIDATES);
        let all = all.await?;
        let memo = self.memo();
        let asked = |job: &ManagedJob| memo.asked.get(&(job.id.clone(), job.submitted)).copied();
        let due = all.into_iter().filter(|(_, job)| is_due(job, asked(job), turn.now));
        Ok(due.take(questions.into()).collect())
    }

    fn note_asked(&self, job: &ManagedJob, knew: bool, now: Timestamp) {
        let mut memo = self.memo();
        memo.asked.retain(|_, asked| now < asked.last + UNTIL);
        let key = (job.id.clone(), job.submitted);
        let asked = memo.asked.entry(key).or_insert(Asked { times: 0, last: now });
        *asked = Asked { times: asked.times + u32::from(knew), last: now };
    }
}

/// What is known of a job since the accounting told of it. What the resource manager itself told to the end of a
/// job stays.
fn known(job: &ManagedJob, accounted: ManagedJob) -> ManagedJob {
    if job.state == ManagedJob::FORGOTTEN {
        ManagedJob { reservation: job.reservation.clone(), ..accounted }
    } else {
        ManagedJob { energy: accounted.energy, ..job.clone() }
    }
}

/// Whether the accounting is to be asked for a job at `now`.
fn is_due(job: &ManagedJob, asked: Option<Asked>, now: Timestamp) -> bool {
    let ended = job.end.filter(|_| job.phase == JobPhase::Ended && job.energy.is_none());
    let lately = ended.is_some_and(|end| (AFTER..UNTIL).contains(&(now - end)));
    let may_tell_more = asked.is_none_or(|it| it.times < TIMES);
    let rests = asked.is_some_and(|it| now < it.last + AGAIN_AFTER);
    !rests && (job.state == ManagedJob::FORGOTTEN || (lately && may_tell_more))
}

#[cfg(test)]
mod tests {
    use planner::quantity::Energy;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    /// Ended at 1000.
    fn ended() -> ManagedJob {
        ManagedJob {
            id: "7".to_owned(),
            raw_id: Some(7),
            submitted: at(0),
            user: "alice".to_owned(),
            account: String::new(),
            partition: "batch".to_owned(),
            name: "job".to_owned(),
            state: "COMPLETED".to_owned(),
            phase: JobPhase::Ended,
            start: Some(at(10)),
            end: Some(at(1000)),
            limit: None,
            queued: None,
            nodes: vec!["n1".to_owned()],
            reservation: None,
            energy: None,
        }
    }

    #[test]
    fn jobs_are_asked_for_twice_soon_after_their_end() {
        let due = |asked, now| is_due(&ended(), asked, at(now));
        assert_eq!([1009, 1010, 1599, 1600].map(|now| due(None, now)), [false, true, true, false]);
        let once = Some(Asked { times: 1, last: at(1010) });
        assert_eq!([1069, 1070].map(|now| due(once, now)), [false, true]);
        assert!(!due(Some(Asked { times: 2, last: at(1070) }), 1200), "nothing measures it");
    }

    /// Nobody saw how it ended: it is asked for until that is known.
    #[test]
    fn jobs_that_were_forgotten_are_asked_for_however_long_ago_they_ended() {
        let forgotten = ManagedJob { state: ManagedJob::FORGOTTEN.to_owned(), ..ended() };
        let due = |asked, now| is_due(&forgotten, asked, at(now));
        let often = Some(Asked { times: 9, last: at(90_000) });
        assert!(due(None, 1000) && due(None, 90_000));
        assert_eq!([90_059, 90_060].map(|now| due(often, now)), [false, true]);
    }

    /// The accounting has n2 and an end at 900 of it, and its energy.
    #[test]
    fn of_jobs_that_were_seen_to_end_only_the_energy_is_news() {
        let energy = Some(Energy::from_microjoules(1));
        let nodes = vec!["n2".to_owned()];
        let accounted = ManagedJob { energy, nodes, end: Some(at(900)), ..ended() };
        let reservation = Some("wattbook-a".to_owned());
        let seen = ManagedJob { reservation: reservation.clone(), ..ended() };
        assert_eq!(known(&seen, accounted.clone()), ManagedJob { energy, ..seen.clone() });
        let forgotten = ManagedJob { state: ManagedJob::FORGOTTEN.to_owned(), ..seen };
        assert_eq!(known(&forgotten, accounted.clone()), ManagedJob { reservation, ..accounted });
    }

    #[test]
    fn what_is_known_and_what_still_runs_is_not_asked_for() {
        let known = ManagedJob { energy: Some(Energy::from_microjoules(1)), ..ended() };
        let runs = ManagedJob { phase: JobPhase::Running, ..ended() };
        assert!([known, runs].iter().all(|job| !is_due(job, None, at(1010))));
    }
}
