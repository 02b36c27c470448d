//! Nodes that the resource manager does not have for us are put into the book, so that nothing is
//! offered on them, and reservations that hold them get others.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use planner::resource_manager::{
    ManagedNode, NodePower, OurPart, WantedReservation, WithheldKind, WithheldNodes, listed,
    withheld,
};
use planner::time::{Seconds, Timestamp};
use storage::{Outage, OutageKind, StorageError, Withheld};

use super::open::{OpenReservation, ranks};
use super::turn::Turn;
use super::{ResourceManagerService, TurnError};
use crate::service::shared::{SiteState, blocking};

/// Keys of nodes that did not come when they were ordered to switch on, before their name.
pub(in crate::service) const WAKE: &str = "wake ";

/// Keys of nodes that the resource manager did not give a reservation, before its name.
const REFUSED: &str = "refused ";

/// The key of a node that did not come when it was ordered to switch on.
pub(in crate::service) fn wake_key(node: &str) -> String {
    format!("{WAKE}{node}")
}

/// Nodes that the resource manager did not give a reservation are withheld for so long: then they may have
/// come, or what was on them may be gone.
const REFUSED_FOR: Seconds = Seconds::new(600);

impl ResourceManagerService {
    /// Puts into the book what the resource manager withholds, and what was found out of nodes by asking
    /// something of them (`turn.withheld`). Whether it is in the book since.
    pub(super) async fn withhold(&self, turn: &mut Turn<'_>) -> Result<bool, TurnError> {
        if turn.state.epoch().is_none() {
            return Ok(false);
        }
        let mut list = std::mem::take(&mut turn.withheld);
        let found: HashSet<&str> = list.iter().map(|it| it.key.as_str()).collect();
        let remain = remaining(&turn.state, &turn.seen.nodes.items, &turn.open, turn.now);
        let remain: Vec<Withheld> =
            remain.into_iter().filter(|it| !found.contains(it.key.as_str())).collect();
        list.extend(remain);
        let (state, seen, now) = (Arc::clone(&turn.state), turn.seen.clone(), turn.now);
        let partitions = turn.settings.partitions.clone();
        let (meant, renamed) = (meant(turn), turn.renamed.clone());
        let by_manager = blocking(move || {
            let all = names_of(&state);
            let nodes = all.iter().map(String::as_str).collect();
            let renamed = renamed.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
            let ours = OurPart { nodes, partitions: &partitions, renamed, reservations: meant };
            let told = withheld(seen.view(), &ours, now);
            told.into_iter().map(|it| by_rank(&state, it)).collect::<Vec<Withheld>>()
        });
        list.extend(by_manager.await?);
        turn.withheld = list;
        self.put_withheld(turn).await
    }

    /// Keeps nodes that the resource manager did not give a reservation from being offered for its time, so
    /// that it gets others.
    pub(super) async fn withhold_refused(
        &self,
        turn: &mut Turn<'_>,
        put: &WantedReservation,
        nodes: &BTreeSet<String>,
    ) {
        if nodes.is_empty() {
            return;
        }
        let refused = Withheld {
            key: format!("{REFUSED}{}", put.name),
            kind: OutageKind::Occupied,
            reason: format!("the resource manager did not give {} to {}", listed(nodes), put.name),
            start: put.span.start(),
            end: Some(put.span.end()),
            ranks: ranks(&turn.state, nodes.iter()),
        };
        match turn.withheld.iter_mut().find(|it| it.key == refused.key) {
            Some(before) => before.ranks = before.ranks.union(&refused.ranks),
            None => turn.withheld.push(refused),
        }
        // Were it not written, the next attempt would find out again.
        if let Err(error) = self.put_withheld(turn).await {
            tracing::warn!(%error, "could not keep nodes that were refused from being offered");
        }
    }

    /// Writes what is withheld; where that is more than before, reservations are looked at. Whether it was
    /// written.
    pub(super) async fn put_withheld(&self, turn: &Turn<'_>) -> Result<bool, TurnError> {
        let Some(epoch) = turn.state.epoch() else { return Ok(false) };
        match self.shared.database.put_withheld(epoch, turn.now, &turn.withheld).await {
            Ok(counts) => {
                if counts.newly_withheld {
                    self.shared.dialogue_bell.notify_one();
                }
                Ok(true)
            }
            // The nodes were replaced meanwhile: the next turn counts in the new ranks.
            Err(StorageError::EpochChanged) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Where there is no resource manager any more, nothing is withheld.
    pub(super) async fn forget_withheld(&self) -> Result<(), TurnError> {
        let state = self.shared.state().await?;
        let Some(epoch) = state.epoch() else { return Ok(()) };
        if state.outages.iter().any(|outage| outage.managed_key.is_some()) {
            self.shared.database.put_withheld(epoch, self.shared.now(), &[]).await?;
        }
        Ok(())
    }
}

/// Our managed reservations, and the nodes that each is meant to have.
fn meant(turn: &Turn<'_>) -> BTreeMap<String, BTreeSet<String>> {
    let nodes = |it: &OpenReservation| {
        it.wanted.as_ref().map(|wanted| wanted.nodes.clone()).unwrap_or_default()
    };
    turn.open.iter().map(|it| (it.row.name.clone(), nodes(it))).collect()
}

/// What was found out earlier and still holds: nodes that did not come and are not up yet, and nodes
/// that were refused lately to reservations that are still meant to be.
fn remaining(
    state: &SiteState,
    nodes: &[ManagedNode],
    open: &[OpenReservation],
    now: Timestamp,
) -> Vec<Withheld> {
    let by_name: HashMap<&str, &ManagedNode> =
        nodes.iter().map(|node| (node.name.as_ref(), node)).collect();
    let asleep = |name: &str| {
        let node = by_name.get(name);
        node.is_some_and(|it| it.power != NodePower::On || it.unavailable.is_some())
    };
    let meant = |name: &str| open.iter().any(|it| it.row.name == name && it.wanted.is_some());
    let lately = |outage: &Outage| now < outage.created + REFUSED_FOR;
    let holds = |outage: &&Outage| {
        let Some(key) = outage.managed_key.as_deref() else { return false };
        key.strip_prefix(WAKE).is_some_and(asleep)
            || key.strip_prefix(REFUSED).is_some_and(|name| meant(name) && lately(outage))
    };
    state.outages.iter().filter(holds).filter_map(Withheld::from_outage).collect()
}

/// The names of all our nodes.
pub(super) fn names_of(state: &SiteState) -> Vec<String> {
    let nodes = &state.cluster.nodes;
    (0..nodes.count()).map(|ordinal| nodes.name(ordinal).into_owned()).collect()
}

fn by_rank(state: &SiteState, withheld: WithheldNodes) -> Withheld {
    let WithheldNodes { key, kind, reason, start, end, nodes } = withheld;
    let kind = match kind {
        WithheldKind::OutOfService => OutageKind::OutOfService,
        WithheldKind::Occupied => OutageKind::Occupied,
    };
    Withheld { key, kind, reason, start, end, ranks: ranks(state, nodes.iter()) }
}
