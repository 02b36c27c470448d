//! What the resource manager withholds, compared with what is stored of it. Pure: nothing is written here.

use std::collections::HashMap;

use planner::identity::OutageId;
use planner::node_set::NodeSet;
use planner::time::Timestamp;
use serde_json::json;
use uuid::Uuid;

use crate::events::NewEvent;
use crate::identity::EpochId;
use crate::outages::{Outage, OutageKind, RESOURCE_MANAGER};

/// Nodes that the resource manager does not have for us during a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withheld {
    /// What they are withheld for, such as `node n1`, `job 123` or `reservation maint-7`: one thing of a
    /// kind has one key for as long as it lasts.
    pub key: String,
    /// Whether they are out of service, or occupied.
    pub kind: OutageKind,
    /// In words, for people.
    pub reason: String,
    /// Since when.
    pub start: Timestamp,
    /// Until when; `None` where that is not known.
    pub end: Option<Timestamp>,
    /// The nodes, as ranks in the draw order of an epoch.
    pub ranks: NodeSet,
}

/// What changed when what is withheld was put.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WithheldCounts {
    /// Keys that are new.
    pub added: usize,
    /// Keys with other ends, nodes or reasons than before.
    pub changed: usize,
    /// Keys that are gone.
    pub removed: usize,
    /// Whether anything is withheld that was not, so that earlier plans may be wrong.
    pub newly_withheld: bool,
}

/// What is to be written so that what is stored becomes what is withheld.
#[derive(Debug, Default)]
pub(super) struct WithheldChanges {
    pub(super) counts: WithheldCounts,
    /// New rows, and known ones as they are now.
    pub(super) put: Vec<Outage>,
    /// Rows of which nothing is kept.
    pub(super) deleted: Vec<OutageId>,
    pub(super) events: Vec<NewEvent>,
}

impl Withheld {
    /// What is withheld by an outage; `None` where an operator said of it.
    pub fn from_outage(outage: &Outage) -> Option<Self> {
        Some(Self {
            key: outage.managed_key.clone()?,
            kind: outage.kind,
            reason: outage.reason.clone(),
            start: outage.start,
            end: outage.end,
            ranks: outage.ranks.clone(),
        })
    }

    /// Whether there is anything to withhold at `now`.
    fn lasts(&self, now: Timestamp) -> bool {
        !self.ranks.is_empty() && self.end.is_none_or(|end| end > now.max(self.start))
    }

    /// What is stored of it where nothing was.
    fn outage(&self, epoch: EpochId, now: Timestamp) -> Outage {
        Outage {
            id: OutageId::new(Uuid::now_v7()),
            kind: self.kind,
            managed_key: Some(self.key.clone()),
            owner: RESOURCE_MANAGER.to_owned(),
            reason: self.reason.clone(),
            created: now,
            epoch,
            start: self.start,
            end: self.end,
            ranks: self.ranks.clone(),
        }
    }

    /// What is stored of it now. A start that has passed stays what it was: the resource manager does not
    /// always know since when.
    fn of(&self, stored: &Outage, epoch: EpochId, now: Timestamp) -> Outage {
        let begun = stored.start <= now && self.start <= now;
        Outage {
            reason: self.reason.clone(),
            epoch,
            start: if begun { stored.start } else { self.start },
            end: self.end,
            ranks: self.ranks.clone(),
            ..stored.clone()
        }
    }
}

impl WithheldChanges {
    /// `stored` are the rows of the resource manager that have yet to end at `now`, and all occupied ones.
    pub(super) fn new(
        stored: &[Outage],
        withheld: &[Withheld],
        epoch: EpochId,
        now: Timestamp,
    ) -> Self {
        let mut changes = Self::default();
        let lasting = withheld.iter().filter(|it| it.lasts(now));
        let mut missing: HashMap<(&str, OutageKind), &Withheld> =
            lasting.map(|it| ((it.key.as_str(), it.kind), it)).collect();
        let known = stored.iter().filter(|row| row.epoch == epoch);
        let before = occupied(known.map(|row| (row.kind, &row.ranks)));
        let after = occupied(missing.values().map(|it| (it.kind, &it.ranks)));
        for row in stored {
            let over = row.end.is_some_and(|end| end <= now);
            let key = (row.managed_key.as_deref().unwrap_or_default(), row.kind);
            let still = if over { None } else { missing.remove(&key) };
            match still {
                Some(it) => changes.keep(row, it, epoch, now),
                None => changes.end(row, now),
            }
        }
        let mut added: Vec<&Withheld> = missing.into_values().collect();
        added.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        for it in added {
            changes.add(it.outage(epoch, now));
        }
        if before != after {
            let taken = after.difference(&before).count();
            let freed = before.difference(&after).count();
            let data = json!({ "count": after.count(), "taken": taken, "freed": freed });
            changes.events.push(NewEvent::new("nodes.occupied", data));
        }
        changes
    }

    /// Whether nothing is to be written.
    pub(super) const fn is_empty(&self) -> bool {
        self.put.is_empty() && self.deleted.is_empty()
    }

    fn add(&mut self, outage: Outage) {
        self.counts.added += 1;
        self.counts.newly_withheld = true;
        self.tell("outage.announced", &outage);
        self.put.push(outage);
    }

    fn keep(&mut self, stored: &Outage, withheld: &Withheld, epoch: EpochId, now: Timestamp) {
        let changed = withheld.of(stored, epoch, now);
        if changed != *stored {
            self.counts.changed += 1;
            self.counts.newly_withheld |= changed.takes_more_than(stored);
            self.tell("outage.announced", &changed);
            self.put.push(changed);
        }
    }

    fn end(&mut self, stored: &Outage, now: Timestamp) {
        self.counts.removed += 1;
        self.tell("outage.ended", stored);
        if stored.kind == OutageKind::Occupied || stored.start >= now {
            self.deleted.push(stored.id);
        } else {
            self.put.push(Outage { end: Some(now), ..stored.clone() });
        }
    }

    /// Of occupied nodes only their number is told, once for all.
    fn tell(&mut self, kind: &str, outage: &Outage) {
        if outage.kind == OutageKind::OutOfService {
            self.events.push(NewEvent::new(kind, json!({ "outage_id": outage.id.to_string() })));
        }
    }
}

/// All nodes that are occupied now or later.
fn occupied<'a>(withheld: impl Iterator<Item = (OutageKind, &'a NodeSet)>) -> NodeSet {
    let occupied = withheld.filter(|(kind, _)| *kind == OutageKind::Occupied);
    NodeSet::from_ranges(occupied.flat_map(|(_, ranks)| ranks.ranges().iter().cloned()).collect())
}
