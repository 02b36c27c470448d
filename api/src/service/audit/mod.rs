//! Who did or read what, recorded so that nothing is forgotten: what is about to be done is written down before it is, and
//! recorded with its outcome afterwards. Whatever a process that is killed leaves begun is recorded as of an unknown outcome.

mod recorder;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use storage::{ActedFor, AuditEnd, AuditEntry, AuditFilter, AuditIntent, AuditRecord};
use tokio::time::Instant;
use uuid::Uuid;

use super::shared::{Fault, Shared};
use recorder::Recorder;

/// How often it is looked for what processes that were killed left begun.
pub const LOOK: Duration = Duration::from_mins(1);

/// What was begun so long ago has no outcome any more: no request lasts as long.
const LEFT_AFTER_US: i64 = 15 * 60 * 1_000_000;

/// So long it is known who was erased, so that what was under way then is recorded without their name.
const ERASED_FOR_US: i64 = 24 * 3600 * 1_000_000;

/// Of these so many are recorded together.
const LEFT_TOGETHER: u16 = 500;

/// Who reads the same again within this time is recorded once.
const READ_AGAIN: Duration = Duration::from_mins(1);

/// Reads that are remembered for that.
const MOST_READS: usize = 10_000;

/// Who did or read what.
pub struct AuditService {
    shared: Arc<Shared>,
    recorder: Arc<Recorder>,
    /// When which reads were recorded.
    reads: Mutex<HashMap<ReadKey, Instant>>,
}

/// A read by which others like it are known: actor, action, object, whose it is.
type ReadKey = [String; 4];

/// A page of records.
pub struct AuditPage {
    /// In their order.
    pub records: Vec<AuditRecord>,
    /// The record after which the next page starts; `None` on the last.
    pub next: Option<i64>,
}

impl AuditService {
    /// On what all services share.
    pub fn new(shared: Arc<Shared>) -> Self {
        let recorder = Arc::new(Recorder::new(shared.database.clone()));
        Self { shared, recorder, reads: Mutex::default() }
    }

    /// Microseconds since 1970 now.
    pub fn now_us(&self) -> i64 {
        self.shared.clock.now_us()
    }

    /// An id for what is about to be done.
    pub fn new_intent() -> String {
        Uuid::now_v7().to_string()
    }

    /// Writes down what is about to be done. It may be done once this has returned.
    ///
    /// # Errors
    /// The database cannot be written, so that nothing may be done.
    pub async fn begin(&self, intent: AuditIntent) -> Result<(), Fault> {
        self.recorder.begin(intent).await
    }

    /// Records what was done, a moment later. What was begun is recorded even if this process is killed before.
    pub fn end(&self, end: AuditEnd) {
        self.recorder.end(end);
    }

    /// Tells a user what somebody did for them.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn tell_acted_for(&self, acted: &ActedFor<'_>) -> Result<(), Fault> {
        Ok(self.shared.database.tell_acted_for(acted, self.shared.now()).await?)
    }

    /// Records that somebody reads what is not theirs, unless they read the same a moment ago or the site does not record reads.
    /// It may be answered once this has returned.
    ///
    /// # Errors
    /// The database cannot be written, so that nothing may be told.
    pub async fn record_read(&self, entry: AuditEntry) -> Result<(), Fault> {
        if !self.shared.settings.audit.reads {
            return Ok(());
        }
        let it = &entry;
        let read = [&it.actor, &it.action, &it.object, &it.acting_for].map(String::clone);
        if !self.is_new(&read) {
            return Ok(());
        }
        self.recorder.record(AuditEnd { intent: None, entry }).await?;
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        reads.insert(read, Instant::now());
        Ok(())
    }

    fn is_new(&self, read: &ReadKey) -> bool {
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        if reads.len() >= MOST_READS {
            reads.retain(|_, at| at.elapsed() < READ_AGAIN);
        }
        if reads.len() >= MOST_READS {
            reads.clear();
        }
        reads.get(read).is_none_or(|at| at.elapsed() >= READ_AGAIN)
    }

    /// A page of records, with all that this process has ended.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn records(&self, mut filter: AuditFilter) -> Result<AuditPage, Fault> {
        self.recorder.settled().await;
        let limit = filter.limit as usize;
        filter.limit += 1;
        let mut records = self.shared.database.audit_records(&filter).await?;
        let goes_on = records.len() > limit;
        records.truncate(limit);
        let next = records.last().filter(|_| goes_on).map(|it| it.id);
        Ok(AuditPage { records, next })
    }

    /// Records what processes that were killed left begun; how many.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn record_left(&self) -> Result<usize, Fault> {
        let before = self.now_us() - LEFT_AFTER_US;
        self.shared.database.forget_erased_names(self.now_us() - ERASED_FOR_US).await?;
        Ok(self.shared.database.record_left_begun(before, LEFT_TOGETHER).await?)
    }

    /// Returns once all is recorded that was ended before, or cannot be.
    pub async fn settled(&self) {
        self.recorder.settled().await;
    }
}
