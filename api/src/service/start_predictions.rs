//! When jobs would start that are not booked: in the queues of the resource manager, or in a queue whose state is sent.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use planner::resource_manager::{ManagedJob, ManagerError};
use planner::time::{Seconds, Timestamp};

use super::resource_manager::ResourceManagerService;
use super::shared::{Access, Fault, Party, PlanningError, Shared, blocking};
use crate::start_prediction::question::Question;
use crate::start_prediction::state::QueueState;
use crate::start_prediction::{
    Learned, PredictedStarts, PredictionAsker, PredictionError, managed,
};

/// From so many of the jobs that ended last is learned.
const EARLIER_JOBS: u16 = 5_000;

/// They, and what was learned from them, are used for so long.
const LEARNED_FOR: Seconds = Seconds::new(600);

/// Why there is no prediction.
#[derive(Debug, thiserror::Error)]
pub enum StartPredictionError {
    /// The site has no resource manager, and no state was sent.
    #[error("no state of a queue was sent, and this site is not connected to Slurm: send `state`")]
    NoQueue,
    /// The resource manager does not answer.
    #[error("Slurm does not answer, so that its queue is not known: {0}")]
    NoAnswer(String),
    /// The question does not go with the queue.
    #[error(transparent)]
    Question(PredictionError),
    /// It was not predicted, or not to the end.
    #[error(transparent)]
    Planning(#[from] PlanningError),
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Predicts when jobs would start.
pub struct StartPredictionService {
    shared: Arc<Shared>,
    manager: Arc<ResourceManagerService>,
    /// Of the queues of the resource manager.
    memory: Mutex<Option<Memory>>,
}

/// What is known of jobs that ended, and was learned from them.
#[derive(Clone)]
struct Memory {
    /// Since when.
    at: Timestamp,
    earlier: Arc<Vec<ManagedJob>>,
    learned: Vec<Learned>,
}

impl StartPredictionService {
    /// On the queues of the resource manager.
    pub fn new(shared: Arc<Shared>, manager: Arc<ResourceManagerService>) -> Self {
        Self { shared, manager, memory: Mutex::default() }
    }

    /// When jobs would start, in the queues as they are now; or in `state`, where one was sent.
    ///
    /// # Errors
    /// There is no queue, or it does not go with the question; as of plans.
    pub async fn predict(
        &self,
        access: Access<'_>,
        question: Question,
        state: Option<QueueState>,
    ) -> Result<PredictedStarts, StartPredictionError> {
        if let Some(state) = state {
            let asker = PredictionAsker { user: access.owner.to_owned(), sees: None };
            return Ok(self.answer(access, state, question, asker, Vec::new()).await?.0);
        }
        let (state, mut memory) = self.queues().await?;
        let (user, sees) = self.users_of(access);
        let asker = PredictionAsker { user, sees };
        let known = std::mem::take(&mut memory.learned);
        let (answer, learned) = self.answer(access, state, question, asker, known).await?;
        *self.memory() = Some(Memory { learned, ..memory });
        Ok(answer)
    }

    /// The queues as they are now, and what is known of jobs that ended.
    async fn queues(&self) -> Result<(QueueState, Memory), StartPredictionError> {
        let seen = self.manager.seen_now().await.ok_or(StartPredictionError::NoQueue)?;
        let seen =
            seen.map_err(|error: ManagerError| StartPredictionError::NoAnswer(error.to_string()))?;
        let now = self.shared.now();
        let kept = self.memory().clone().filter(|it| now < it.at + LEARNED_FOR);
        let memory = if let Some(memory) = kept {
            memory
        } else {
            let earlier = self.shared.database.last_ended_jobs(EARLIER_JOBS).await;
            let earlier = Arc::new(earlier.map_err(Fault::from)?);
            Memory { at: now, earlier, learned: Vec::new() }
        };
        let earlier = Arc::clone(&memory.earlier);
        let state = blocking(move || managed::queues(&seen.view(), &earlier, now)).await?;
        Ok((state, memory))
    }

    fn memory(&self) -> MutexGuard<'_, Option<Memory>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As which user of the resource manager who asks is taken, and whose waiting jobs they see: operators everybody's.
    fn users_of(&self, access: Access<'_>) -> (String, Option<BTreeSet<String>>) {
        let owners = self.shared.settings.manager.as_ref().map(|it| &it.owners);
        let users = owners.map(|it| it.job_owners(access.owner).users).unwrap_or_default();
        let user = match users.first() {
            Some(user) if users.len() == 1 => user.clone(),
            _ => access.owner.to_owned(),
        };
        (user, (!access.is_operator()).then_some(users))
    }

    async fn answer(
        &self,
        access: Access<'_>,
        state: QueueState,
        question: Question,
        asker: PredictionAsker,
        mut learned: Vec<Learned>,
    ) -> Result<(PredictedStarts, Vec<Learned>), StartPredictionError> {
        let answered = self.shared.pool.run(Party::of(access), move |cancelled| {
            match PredictedStarts::new(&state, &question, &asker, &mut learned, cancelled) {
                Err(PredictionError::Cancelled(error)) => Err(error),
                Err(error) => Ok(Err(StartPredictionError::Question(error))),
                Ok(answer) => Ok(Ok((answer, learned))),
            }
        });
        answered.await?
    }
}
