//! What jobs consumed that ended lately, and how those ended that were forgotten, is asked of the resource
//! manager's accounting.

use planner::identity::ReservationId;
use planner::resource_manager::{JobPhase, ManagedJob, ManagerError};
use planner::time::{Seconds, Timestamp};

use super::{FORGOTTEN, key};
use crate::service::resource_manager::turn::{Asked, Turn};
use crate::service::resource_manager::{ResourceManagerService, TurnError};

/// It is asked for a job so long after its end, when that was written there ...
const AFTER: Seconds = Seconds::new(10);

/// ... until so long after it.
const UNTIL: Seconds = Seconds::new(600);

/// Who knew a job so often and not its energy does not measure it.
const TIMES: u32 = 2;

/// For each job it is asked once in so long.
const AGAIN_AFTER: Seconds = Seconds::new(60);

/// In one turn so many questions are asked at the most.
const QUESTIONS: usize = 20;

/// Where it does not answer it is left alone for so long.
const PAUSE: Seconds = Seconds::new(60);

impl ResourceManagerService {
    /// Asks the accounting for jobs that were forgotten before they were seen to have ended, and for those
    /// that ended lately and whose consumption is not known.
    pub(in crate::service::resource_manager) async fn ask_accounting(
        &self,
        turn: &mut Turn<'_>,
    ) -> Result<(), TurnError> {
        let rests = self.memo().ask_from.is_some_and(|from| turn.now < from);
        if !turn.settings.accounting || self.memo().no_accounting || rests {
            return Ok(());
        }
        for (reservation, job) in self.unaccounted(turn) {
            match turn.ports.manager.ended_jobs(&job.id).await {
                Ok(ended) => {
                    let same = ended.into_iter().find(|it| key(it) == key(&job));
                    self.note_asked(&job, same.is_some(), turn.now);
                    let news = same.map(|it| (reservation, known(&job, it)));
                    let news = news.into_iter().collect();
                    self.note(turn, news).await?;
                }
                // What was told of them without it stays.
                Err(ManagerError::Unsupported(because)) => {
                    tracing::warn!(because, "there is no accounting to tell what jobs consumed");
                    self.memo().no_accounting = true;
                    return Ok(());
                }
                Err(error) => {
                    self.memo().ask_from = Some(turn.now + PAUSE);
                    return Err(error.into());
                }
            }
        }
        Ok(())
    }

    /// Jobs to ask for now, those that ended first before others.
    fn unaccounted(&self, turn: &Turn<'_>) -> Vec<(ReservationId, ManagedJob)> {
        let memo = self.memo();
        let asked = |job: &ManagedJob| memo.asked.get(&(job.id.clone(), job.submitted)).copied();
        let all = turn.jobs.iter().flat_map(|(id, jobs)| jobs.iter().map(|job| (*id, job)));
        let mut due: Vec<_> = all.filter(|(_, job)| is_due(job, asked(job), turn.now)).collect();
        due.sort_unstable_by_key(|&(_, job)| (job.end, key(job)));
        due.truncate(QUESTIONS);
        due.into_iter().map(|(id, job)| (id, job.clone())).collect()
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
    if job.state == FORGOTTEN {
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
    !rests && (job.state == FORGOTTEN || (lately && may_tell_more))
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
        let forgotten = ManagedJob { state: FORGOTTEN.to_owned(), ..ended() };
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
        let forgotten = ManagedJob { state: FORGOTTEN.to_owned(), ..seen };
        assert_eq!(known(&forgotten, accounted.clone()), ManagedJob { reservation, ..accounted });
    }

    #[test]
    fn what_is_known_and_what_still_runs_is_not_asked_for() {
        let known = ManagedJob { energy: Some(Energy::from_microjoules(1)), ..ended() };
        let runs = ManagedJob { phase: JobPhase::Running, ..ended() };
        assert!([known, runs].iter().all(|job| !is_due(job, None, at(1010))));
    }
}
