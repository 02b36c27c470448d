//! Keeps the newest state in memory, and asks the database whether it still is.
//!
//! Whoever needs a state waits for an answer to a question that was asked after they came, so that
//! they see everything that was committed before. Those who come while the database is asked share
//! the next question: however many they are, one is under way and one to come.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex as SyncMutex, PoisonError};

use planner::node::Nodes;
use planner::problem::CapScope;
use planner::time::Timestamp;
use storage::{Changes, EpochId, StorageError};
use tokio::sync::Mutex;

use super::cluster::{Cluster, blocking};
use super::state::State;
use super::{Service, ServiceError};

/// The newest state that was read, and who asks next.
#[derive(Default)]
pub struct Memory {
    /// How many questions were begun.
    asked: AtomicU64,
    turn: Mutex<Answered>,
    /// The newest state, for those who do not wait.
    seen: SyncMutex<Option<Arc<State>>>,
    /// Nodes that this process wrote: they need not be read.
    prepared: SyncMutex<Option<(EpochId, Arc<Cluster>)>>,
}

/// What the database said last.
#[derive(Default)]
struct Answered {
    /// The number of the last question that was answered.
    question: u64,
    /// That the database was out of reach then.
    unavailable: Option<Arc<StorageError>>,
    state: Option<Arc<State>>,
}

impl Memory {
    /// Keeps nodes that were just written.
    pub(super) fn prepare(&self, epoch: EpochId, cluster: Arc<Cluster>) {
        *self.prepared() = Some((epoch, cluster));
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Option<Arc<State>>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn prepared(&self) -> std::sync::MutexGuard<'_, Option<(EpochId, Arc<Cluster>)>> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets nodes that are part of the state by now.
    fn forget(&self, epoch: Option<EpochId>) {
        self.prepared().take_if(|(written, _)| Some(*written) == epoch);
    }
}

impl Service {
    /// The book as it is now: everything committed before this was called is in it.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn state(&self) -> Result<Arc<State>, ServiceError> {
        let asked_before = self.memory.asked.load(Ordering::SeqCst);
        let mut answered = self.memory.turn.lock().await;
        if answered.question <= asked_before {
            let question = self.memory.asked.fetch_add(1, Ordering::SeqCst) + 1;
            match self.ask(answered.state.as_ref()).await {
                Ok(state) => {
                    answered.state = Some(state);
                    answered.unavailable = None;
                }
                Err(ServiceError::Unavailable(error)) => answered.unavailable = Some(error),
                Err(error) => return Err(error),
            }
            answered.question = question;
        }
        if let Some(error) = &answered.unavailable {
            return Err(ServiceError::Unavailable(Arc::clone(error)));
        }
        let now = self.now();
        if let Some(state) = answered.state.as_ref().and_then(|it| it.without_lapsed(now)) {
            answered.state = Some(Arc::new(state));
        }
        let state = answered.state.as_ref().map(Arc::clone);
        self.memory.seen().clone_from(&state);
        state.ok_or_else(|| ServiceError::Internal(anyhow::anyhow!("no state was read")))
    }

    /// The state that was read last, without asking whether it still holds.
    pub fn known_state(&self) -> Option<Arc<State>> {
        self.memory.seen().clone()
    }

    /// The newest state, `known` where it is.
    async fn ask(&self, known: Option<&Arc<State>>) -> Result<Arc<State>, ServiceError> {
        let marks = known.and_then(|state| state.marks);
        if let Some(known) = known
            && marks == Some(self.database.marks().await?)
        {
            return Ok(Arc::clone(known));
        }
        let now = self.now();
        let prepared = self.memory.prepared().clone();
        let written = prepared.as_ref().map(|(epoch, _)| *epoch);
        let mut changes = self.database.changes(marks, written, now).await?;
        let known = known.map(Arc::clone);
        let epoch = changes.marks.epoch;
        let written = prepared.filter(|(written, _)| Some(*written) == epoch);
        self.memory.forget(epoch);
        let scope = self.settings.cap_scope;
        blocking(move || {
            let known = known.as_deref();
            let cluster = match written {
                Some((_, written)) => written,
                None => cluster(known, &mut changes, scope)?,
            };
            state(known, changes, cluster, now)
        })
        .await?
        .map_err(ServiceError::Internal)
    }

    /// The cluster's nodes and their epoch.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn nodes(&self) -> Result<(Option<EpochId>, Arc<Nodes>), ServiceError> {
        let state = self.state().await?;
        Ok((state.epoch(), Arc::clone(&state.cluster.nodes)))
    }

    /// Replaces all nodes: a new epoch, to which reservations and outages to come are carried over
    /// by name.
    ///
    /// # Errors
    /// `NodesInUse` where a reservation to come holds a node that would vanish.
    pub async fn put_nodes(&self, nodes: Nodes) -> Result<EpochId, ServiceError> {
        self.replace_nodes(nodes, &[], None).await
    }

    /// Replaces the nodes, if `based_on` is still the newest epoch or not said.
    pub(super) async fn replace_nodes(
        &self,
        nodes: Nodes,
        calibrations: &[storage::Calibration],
        based_on: Option<EpochId>,
    ) -> Result<EpochId, ServiceError> {
        let nodes = Arc::new(nodes);
        let (written, scope) = (Arc::clone(&nodes), self.settings.cap_scope);
        let cluster = blocking(move || Cluster::new(written, scope)).await?;
        let _booking = self.site_books().await?;
        let now = self.now();
        let epoch = self.database.replace_nodes(&nodes, calibrations, based_on, now).await?;
        self.memory.prepare(epoch, Arc::new(cluster));
        Ok(epoch)
    }
}

/// The cluster after changes, where this process did not write it.
fn cluster(
    known: Option<&State>,
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
    known: Option<&State>,
    changes: Changes,
    cluster: Arc<Cluster>,
    now: Timestamp,
) -> anyhow::Result<Arc<State>> {
    let state = match known {
        Some(known) => known.after(changes, cluster, now)?,
        None => State::of(Arc::clone(&cluster))?.after(changes, cluster, now)?,
    };
    Ok(Arc::new(state))
}
