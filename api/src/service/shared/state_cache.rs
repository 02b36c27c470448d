//! Keeps the newest state in memory, and asks the database whether it still is.
//!
//! Whoever needs a state waits for an answer to a question that was asked after they came, so that
//! they see everything that was committed before. Those who come while the database is asked share
//! the next question: however many they are, one is under way and one to come.
//!
//! While the database is away, reads that say so may have what was read last, for a while ([`KeptState`]).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex as SyncMutex, MutexGuard, PoisonError};
use std::time::Duration;

use planner::cap_scope::CapScope;
use planner::node::Nodes;
use planner::time::Timestamp;
use storage::{Changes, Database, EpochId, StorageError};
use tokio::sync::Mutex;

use super::{Cluster, Fault, SiteState, blocking};
use crate::clock::{Clock, SteadyInstant};

/// What was read is good for reads without the database for so long after the database said last that it holds, also while the
/// machine sleeps. So long may somebody read who was shut out meanwhile by another process.
const KEPT_FOR: Duration = Duration::from_mins(5);

/// A state for reads.
#[derive(Clone)]
pub struct KeptState {
    /// The site.
    pub state: Arc<SiteState>,
    /// Where the database is away, the instant until which everything committed is in it; `None` where it is as new as can be.
    pub as_of: Option<Timestamp>,
}

/// A state that was read, and when the database was asked that said that it holds.
#[derive(Clone)]
struct SeenState {
    state: Arc<SiteState>,
    as_of: Timestamp,
    asked: SteadyInstant,
}

/// The newest state that was read, and who asks next.
pub struct StateCache {
    database: Database,
    clock: Clock,
    cap_scope: CapScope,
    /// Whether it is kept whose reservations are.
    keeps_holders: bool,
    /// How many questions were begun.
    asked: AtomicU64,
    turn: Mutex<LastAnswer>,
    /// The newest state, for those who do not wait.
    seen: SyncMutex<Option<SeenState>>,
    /// Nodes that this process wrote: they need not be read.
    prepared: SyncMutex<Option<(EpochId, Arc<Cluster>)>>,
}

/// What the database said last.
#[derive(Default)]
struct LastAnswer {
    /// The number of the last question that was answered.
    question: u64,
    /// That the database was out of reach then.
    unavailable: Option<Arc<StorageError>>,
    state: Option<Arc<SiteState>>,
    /// When the question was asked that the database answered last.
    asked: Option<(Timestamp, SteadyInstant)>,
}

impl SeenState {
    /// This state where the database is away; `None` where it is too old.
    fn kept(self, at: SteadyInstant, now: Timestamp) -> Option<KeptState> {
        let Self { state, as_of, asked } = self;
        let is_good = at.saturating_duration_since(asked) <= KEPT_FOR;
        is_good.then(|| {
            let lapsed = state.without_lapsed(now).map(Arc::new);
            KeptState { state: lapsed.unwrap_or(state), as_of: Some(as_of) }
        })
    }
}

impl StateCache {
    /// Nothing was read yet.
    pub fn new(database: Database, clock: Clock, cap_scope: CapScope, keeps_holders: bool) -> Self {
        let (asked, turn) = (AtomicU64::default(), Mutex::default());
        let (seen, prepared) = (SyncMutex::default(), SyncMutex::default());
        Self { database, clock, cap_scope, keeps_holders, asked, turn, seen, prepared }
    }

    /// The site as it is now: everything committed before this was called is in it.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn newest(&self) -> Result<Arc<SiteState>, Fault> {
        let asked_before = self.asked.load(Ordering::SeqCst);
        let mut last = self.turn.lock().await;
        if last.question <= asked_before {
            let question = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
            let asked = (self.clock.now(), SteadyInstant::now());
            match self.ask(last.state.as_ref()).await {
                Ok(state) => {
                    last.state = Some(state);
                    last.asked = Some(asked);
                    last.unavailable = None;
                }
                Err(Fault::Unavailable(error)) => last.unavailable = Some(error),
                Err(error) => return Err(error),
            }
            last.question = question;
        }
        if let Some(error) = &last.unavailable {
            return Err(Fault::Unavailable(Arc::clone(error)));
        }
        let now = self.clock.now();
        if let Some(state) = last.state.as_ref().and_then(|it| it.without_lapsed(now)) {
            last.state = Some(Arc::new(state));
        }
        let (Some(state), Some((as_of, asked))) = (last.state.clone(), last.asked) else {
            return Err(Fault::Internal(anyhow::anyhow!("no state was read")));
        };
        *self.seen() = Some(SeenState { state: Arc::clone(&state), as_of, asked });
        Ok(state)
    }

    /// The state that was read last, without asking whether it still holds.
    pub fn known(&self) -> Option<Arc<SiteState>> {
        self.seen().as_ref().map(|it| Arc::clone(&it.state))
    }

    /// The state that was read last, for a read while the database is away; `None` where that is too long ago.
    pub fn kept(&self) -> Option<KeptState> {
        let seen = self.seen().clone()?;
        seen.kept(SteadyInstant::now(), self.clock.now())
    }

    /// Keeps nodes that were just written, so that they need not be read.
    pub fn prepare(&self, epoch: EpochId, cluster: Arc<Cluster>) {
        *self.prepared() = Some((epoch, cluster));
    }

    /// The newest state, `known` where it is.
    async fn ask(&self, known: Option<&Arc<SiteState>>) -> Result<Arc<SiteState>, Fault> {
        let marks = known.and_then(|state| state.marks);
        if let Some(known) = known
            && marks == Some(self.database.marks().await?)
        {
            return Ok(Arc::clone(known));
        }
        let now = self.clock.now();
        let prepared = self.prepared().clone();
        let written = prepared.as_ref().map(|(epoch, _)| *epoch);
        let with_holders = self.keeps_holders;
        let mut changes = self.database.changes(marks, written, now, with_holders).await?;
        let known = known.map(Arc::clone);
        let epoch = changes.marks.epoch;
        let written = prepared.filter(|(written, _)| Some(*written) == epoch);
        self.forget(epoch);
        let scope = self.cap_scope;
        blocking(move || {
            let known = known.as_deref();
            let cluster = match written {
                Some((_, written)) => written,
                None => cluster(known, &mut changes, scope)?,
            };
            state(known, changes, cluster, now)
        })
        .await?
        .map_err(Fault::Internal)
    }

    fn seen(&self) -> MutexGuard<'_, Option<SeenState>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn prepared(&self) -> MutexGuard<'_, Option<(EpochId, Arc<Cluster>)>> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets nodes that are part of the state by now.
    fn forget(&self, epoch: Option<EpochId>) {
        self.prepared().take_if(|(written, _)| Some(*written) == epoch);
    }
}

/// The cluster after changes, where this process did not write it.
fn cluster(
    known: Option<&SiteState>,
    changes: &mut Changes,
    scope: CapScope,
) -> anyhow::Result<Arc<Cluster>> {
    Ok(match (changes.nodes.take(), known) {
        (Some(stored), _) if scope == CapScope::ReservedNodes => {
            Arc::new(Cluster::with_order(Arc::new(stored.nodes), stored.order, scope))
        }
        (Some(stored), _) => Arc::new(Cluster::new(Arc::new(stored.nodes), scope)),
        (None, Some(known)) => Arc::clone(&known.cluster),
        (None, None) => Arc::new(Cluster::new(Arc::new(Nodes::numbered(Vec::new())?), scope)),
    })
}

fn state(
    known: Option<&SiteState>,
    changes: Changes,
    cluster: Arc<Cluster>,
    now: Timestamp,
) -> anyhow::Result<Arc<SiteState>> {
    let state = match known {
        Some(known) => known.after(changes, cluster, now)?,
        None => SiteState::of(Arc::clone(&cluster))?.after(changes, cluster, now)?,
    };
    Ok(Arc::new(state))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asked at second 100; five minutes later it may still be read, and a second after that no more.
    #[test]
    fn what_was_read_is_kept_for_five_minutes() {
        let cluster =
            Cluster::new(Arc::new(Nodes::numbered(Vec::new()).unwrap()), CapScope::ReservedNodes);
        let (as_of, asked) = (Timestamp::from_unix_seconds(100), SteadyInstant::now());
        let state = Arc::new(SiteState::of(Arc::new(cluster)).unwrap());
        let seen = SeenState { state, as_of, asked };
        let kept = |seconds| {
            let at = asked + Duration::from_secs(seconds);
            seen.clone().kept(at, Timestamp::from_unix_seconds(100)).map(|it| it.as_of)
        };
        assert_eq!(kept(300), Some(Some(as_of)));
        assert_eq!(kept(301), None);
    }
}
