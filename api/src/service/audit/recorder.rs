//! Records of concurrent requests, written together: each transaction takes all that has come meanwhile.
//!
//! Whoever waits may go away. What they handed over is written by a task of its own, which lives as long as there is something
//! to write.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use storage::{AuditEnd, AuditIntent, Database, StorageError};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::service::shared::Fault;

/// From the beginning of one transaction to that of the next, so that others come to write, too.
const PACE: Duration = Duration::from_millis(4);

/// After a transaction that failed.
const PAUSE: Duration = Duration::from_millis(200);

/// What is not written within so long is given up, and tried again by another connection: every change waits for it.
const WRITTEN_WITHIN: Duration = Duration::from_secs(10);

/// Records that are written together.
const MOST_TOGETHER: usize = 1000;

/// Ends that wait at the most while the database cannot be written. What was begun is in the database: beyond that it gets no
/// other outcome than that nobody knows it.
const MOST_WAITING: usize = 10_000;

/// Writes records together.
pub(super) struct Recorder {
    database: Database,
    queue: Mutex<RecorderQueue>,
}

#[derive(Default)]
struct RecorderQueue {
    jobs: Vec<RecorderJob>,
    /// Whether a task writes.
    at_work: bool,
}

/// What is to be written.
enum RecorderJob {
    Begin(AuditIntent, Answer),
    End(AuditEnd, Option<Answer>),
    /// All that came before is written.
    Settle(oneshot::Sender<()>),
}

type Answer = oneshot::Sender<Result<(), Arc<StorageError>>>;

impl Recorder {
    pub(super) fn new(database: Database) -> Self {
        Self { database, queue: Mutex::default() }
    }

    /// Writes down what is about to be done.
    pub(super) async fn begin(self: &Arc<Self>, intent: AuditIntent) -> Result<(), Fault> {
        let (answer, written) = oneshot::channel();
        self.push(RecorderJob::Begin(intent, answer));
        answered(written).await
    }

    /// Records something, and says when that is done.
    pub(super) async fn record(self: &Arc<Self>, end: AuditEnd) -> Result<(), Fault> {
        let (answer, written) = oneshot::channel();
        self.push(RecorderJob::End(end, Some(answer)));
        answered(written).await
    }

    /// Records something soon.
    pub(super) fn end(self: &Arc<Self>, end: AuditEnd) {
        self.push(RecorderJob::End(end, None));
    }

    /// Returns once everything is written that was handed over before, or cannot be.
    pub(super) async fn settled(self: &Arc<Self>) {
        let (answer, settled) = oneshot::channel();
        self.push(RecorderJob::Settle(answer));
        // Where nobody answers, nothing is to be waited for.
        let _ = settled.await;
    }

    fn push(self: &Arc<Self>, job: RecorderJob) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.jobs.push(job);
        if !queue.at_work {
            queue.at_work = true;
            tokio::spawn(Arc::clone(self).write_all());
        }
    }

    /// Writes until there is nothing to write.
    async fn write_all(self: Arc<Self>) {
        let mut left = Vec::new();
        loop {
            let begun = Instant::now();
            let Some(jobs) = self.next_jobs(&left) else { return };
            let failed_before = !left.is_empty();
            left = self.write(std::mem::take(&mut left), jobs).await;
            let pace = if failed_before && !left.is_empty() { PAUSE } else { PACE };
            tokio::time::sleep_until(begun + pace).await;
        }
    }

    /// What has come; `None` where there is nothing to do, and this task ends.
    fn next_jobs(&self, left: &[AuditEnd]) -> Option<Vec<RecorderJob>> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.jobs.is_empty() && left.is_empty() {
            queue.at_work = false;
            return None;
        }
        let count = queue.jobs.len().min(MOST_TOGETHER);
        Some(queue.jobs.drain(..count).collect())
    }

    /// Writes what was left and what has come, and answers; what is to be tried again.
    async fn write(&self, mut ends: Vec<AuditEnd>, jobs: Vec<RecorderJob>) -> Vec<AuditEnd> {
        let tried_before = ends.len();
        let (mut begun, mut waited_for) = (Vec::new(), Vec::new());
        let (mut answers, mut settling) = (Vec::new(), Vec::new());
        for job in jobs {
            match job {
                // Who has gone away does nothing.
                RecorderJob::Begin(_, answer) if answer.is_closed() => {}
                RecorderJob::Begin(intent, answer) => {
                    begun.push(intent);
                    answers.push(answer);
                }
                RecorderJob::End(end, None) => ends.push(end),
                RecorderJob::End(end, Some(answer)) => {
                    waited_for.push(end);
                    answers.push(answer);
                }
                RecorderJob::Settle(answer) => settling.push(answer),
            }
        }
        let retried = ends.len();
        ends.append(&mut waited_for);
        let written = match (begun.as_slice(), ends.as_slice()) {
            ([], []) => Ok(()),
            (begun, ends) => {
                let writing = self.database.keep_audit(begun, ends, tried_before);
                let written = tokio::time::timeout(WRITTEN_WITHIN, writing).await;
                let silent = StorageError::Silent { within: WRITTEN_WITHIN };
                written.unwrap_or(Err(silent)).map_err(Arc::new)
            }
        };
        for answer in answers {
            // Who has gone away need not know.
            let _ = answer.send(written.clone());
        }
        for answer in settling {
            let _ = answer.send(());
        }
        ends.truncate(retried);
        match written {
            Ok(()) => Vec::new(),
            Err(error) => to_be_tried_again(ends, &error),
        }
    }
}

/// What is tried again after an error: all where it passes, while there is room.
fn to_be_tried_again(mut ends: Vec<AuditEnd>, error: &StorageError) -> Vec<AuditEnd> {
    let most = if error.is_passing() { MOST_WAITING } else { 0 };
    let given_up = ends.len().saturating_sub(most);
    if given_up > 0 {
        tracing::error!(%error, given_up, "could not record what was done");
        ends.drain(..given_up);
    } else if !ends.is_empty() {
        tracing::warn!(%error, "cannot record what was done; this is tried again");
    }
    ends
}

async fn answered(written: oneshot::Receiver<Result<(), Arc<StorageError>>>) -> Result<(), Fault> {
    match written.await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) if error.is_passing() => Err(Fault::Unavailable(error)),
        Ok(Err(error)) => Err(Fault::internal(error)),
        Err(_) => Err(Fault::internal(anyhow::anyhow!("the task that records ended early"))),
    }
}
