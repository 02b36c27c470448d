//! Outages: nodes that are out of service for a time, by operators' word or the resource manager's.

use std::collections::BTreeSet;
use std::sync::Arc;

use planner::identity::OutageId;
use planner::node_set::NodeSet;
use planner::time::Timestamp;
use storage::{FieldChange, Outage, OutageChange, OutageKind};
use uuid::Uuid;

use super::{ClusterError, ClusterService};
use crate::service::shared::{SiteState, cut_page};

/// An outage to be.
#[derive(Clone, Debug)]
pub struct NewOutage {
    /// The nodes, by ordinal.
    pub nodes: NodeSet,
    /// When it begins; now unless given.
    pub start: Option<Timestamp>,
    /// When it ends, if that is known.
    pub end: Option<Timestamp>,
    /// In words, for people.
    pub reason: String,
}

/// What changes of an outage.
#[derive(Clone, Debug)]
pub struct OutagePatch {
    /// Other nodes, by ordinal; `None` where they stay.
    pub nodes: Option<NodeSet>,
    /// Another start; now where it is left out.
    pub start: FieldChange<Timestamp>,
    /// Another end; not known where it is left out.
    pub end: FieldChange<Timestamp>,
    /// Another reason; empty where it is left out.
    pub reason: FieldChange<String>,
}

/// An outage that was changed.
pub struct ChangedOutage {
    /// As it was.
    pub before: Outage,
    /// As it is.
    pub after: Outage,
    /// The state in whose ranks it counts.
    pub state: Arc<SiteState>,
}

/// Outages and the state whose ranks they count in.
pub struct Outages {
    /// Oldest first.
    pub list: Vec<Outage>,
    /// The state.
    pub state: Arc<SiteState>,
}

impl SiteState {
    /// The nodes of an outage, by ordinal; `None` where it is not known, or has ended.
    pub fn nodes_of_outage(&self, id: OutageId) -> Option<NodeSet> {
        Some(self.cluster.reference.ordinals(&self.outage(id)?.ranks))
    }

    /// An outage; `None` where it is not known, or has ended.
    pub fn outage(&self, id: OutageId) -> Option<&Outage> {
        self.outages.iter().find(|it| it.id == id)
    }

    /// The reservations that hold nodes of an outage during it.
    pub fn colliding(&self, outage: &Outage) -> BTreeSet<Arc<str>> {
        let Some(span) = outage.span() else { return BTreeSet::new() };
        let overlapping = self.book.overlapping(span);
        let collides = overlapping.filter(|booking| booking.ranks.intersects(&outage.ranks));
        collides.map(|booking| Arc::clone(&booking.id)).collect()
    }
}

impl ClusterService {
    /// Takes nodes, which count in the state's cluster, out of service. What becomes of reservations
    /// that hold some of them is seen to by the dialogue's `mend`.
    ///
    /// # Errors
    /// `Busy` where the nodes were replaced since.
    pub async fn create_outage(
        &self,
        owner: &str,
        state: &SiteState,
        new: NewOutage,
    ) -> Result<Outages, ClusterError> {
        let Some(epoch) = state.epoch() else {
            return Err(ClusterError::Invalid(vec!["there are no nodes".to_owned()]));
        };
        let now = self.shared.now();
        let outage = Outage {
            id: OutageId::new(Uuid::now_v7()),
            kind: OutageKind::OutOfService,
            managed_key: None,
            owner: owner.to_owned(),
            reason: new.reason,
            created: now,
            epoch,
            start: new.start.unwrap_or(now),
            end: new.end,
            ranks: state.cluster.reference.ranks(&new.nodes),
        };
        if outage.span().is_none_or(|span| span.end() <= now) {
            return Err(ClusterError::Invalid(vec!["the outage is over already".to_owned()]));
        }
        self.shared.database.create_outage(&outage).await?;
        self.shared.dialogue_bell.notify_one();
        let state = self.shared.state().await?;
        // As it stands in the newest epoch, should there be another one already.
        let stands = state.outages.iter().find(|it| it.id == outage.id).cloned();
        Ok(Outages { list: vec![stands.unwrap_or(outage)], state })
    }

    /// Nodes out of service by a state: outages that have yet to end, oldest first, after a cursor; the next cursor
    /// where there are more than `limit`. Nodes that run other people's jobs are occupied, and not listed.
    pub fn outages(
        &self,
        after: Option<OutageId>,
        limit: u16,
        state: Arc<SiteState>,
    ) -> (Outages, Option<OutageId>) {
        self.lasting(OutageKind::OutOfService, after, limit, state)
    }

    /// What occupies nodes by a state, now or later: jobs and reservations of others in the resource manager, in pages as
    /// [`Self::outages`].
    pub fn occupied(
        &self,
        after: Option<OutageId>,
        limit: u16,
        state: Arc<SiteState>,
    ) -> (Outages, Option<OutageId>) {
        self.lasting(OutageKind::Occupied, after, limit, state)
    }

    fn lasting(
        &self,
        kind: OutageKind,
        after: Option<OutageId>,
        limit: u16,
        state: Arc<SiteState>,
    ) -> (Outages, Option<OutageId>) {
        let now = self.shared.now();
        let listed = |outage: &&Outage| {
            outage.kind == kind
                && outage.end.is_none_or(|end| end > now)
                && after.is_none_or(|after| outage.id > after)
        };
        let mut list: Vec<Outage> = state.outages.iter().filter(listed).cloned().collect();
        list.sort_unstable_by_key(|outage| outage.id);
        let next = cut_page(&mut list, limit, |it| it.id);
        (Outages { list, state }, next)
    }

    /// Changes an outage in one step; nodes count in the state's cluster. What becomes of reservations that are newly
    /// hit is seen to by the dialogue's `mend`, as for a new outage; what stays out of service is out all along.
    ///
    /// # Errors
    /// `NoOutage`; `ManagedOutage` where the resource manager tells of it; `OutageOver` and `OutageBegun` where it is too
    /// late; `Invalid`; `NodesReplaced` where the nodes were replaced since.
    pub async fn change_outage(
        &self,
        state: &SiteState,
        id: OutageId,
        patch: OutagePatch,
    ) -> Result<ChangedOutage, ClusterError> {
        let now = self.shared.now();
        let other = patch.nodes.map(|nodes| state.cluster.reference.ranks(&nodes));
        let change = OutageChange {
            ranks: state.epoch().zip(other),
            start: patch.start.value_or(now),
            end: patch.end,
            reason: patch.reason.value_or(String::new()),
        };
        let changed = self.shared.database.change_outage(id, &change, now).await;
        let (before, after) = changed.map_err(|error| ClusterError::of_change(id, error))?;
        self.shared.dialogue_bell.notify_one();
        let state = self.shared.state().await?;
        // As it stands in the newest epoch, should there be another one already.
        let stands = state.outage(id).cloned();
        Ok(ChangedOutage { before, after: stands.unwrap_or(after), state })
    }

    /// Ends an outage now; one that has yet to start is taken back.
    ///
    /// # Errors
    /// `NoOutage`; `ManagedOutage` where the resource manager tells of it.
    pub async fn end_outage(&self, id: OutageId) -> Result<Outages, ClusterError> {
        let state = self.shared.state().await?;
        if state.outages.iter().any(|it| it.id == id && it.managed_key.is_some()) {
            return Err(ClusterError::ManagedOutage(id));
        }
        let ended = self.shared.database.end_outage(id, self.shared.now()).await?;
        let ended = ended.ok_or(ClusterError::NoOutage(id))?;
        self.shared.dialogue_bell.notify_one();
        let state = self.shared.state().await?;
        Ok(Outages { list: vec![ended], state })
    }
}
