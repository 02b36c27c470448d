//! What happened, in the order in which it was committed, for whoever watches.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::time::Timestamp;
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;

use crate::identity::EventId;

/// Every kind of event that is recorded.
pub const EVENT_KINDS: &[&str] = &[
    "agenda.revised",
    "calibration.judged",
    "calibration.proposed",
    "calibration.rejected",
    "clock.believed",
    "clock.doubted",
    "feed.agreed",
    "feed.disagreed",
    "feed.revised",
    "feed.status",
    "grants.changed",
    "managed_node.gone",
    "managed_node.new",
    "managed_node.renamed",
    "managed_reservation.drifted",
    "managed_reservation.failed",
    "managed_reservation.in_force",
    "managed_reservation.lost",
    "managed_reservation.removed",
    "managed_reservation.waiting",
    "negotiation.closed",
    "negotiation.delayed",
    "negotiation.delivered",
    "negotiation.failed",
    "negotiation.opened",
    "negotiation.said",
    "nodes.calibrated",
    "nodes.occupied",
    "nodes.replaced",
    "outage.announced",
    "outage.ended",
    "outlooks.revised",
    "power.exceeded",
    "power.within_plan",
    "power_action.done",
    "power_action.failed",
    "power_action.given_up",
    "power_action.ordered",
    "power_action.proposed",
    "power_action.refused",
    "power_action.waiting",
    "quota.adjusted",
    "quota.adjustment_ended",
    "reservation.acted_for",
    "reservation.active",
    "reservation.awaiting_supplier",
    "reservation.cancelled",
    "reservation.completed",
    "reservation.confirmed",
    "reservation.degraded",
    "reservation.expired",
    "reservation.extended",
    "reservation.failed",
    "reservation.modified",
    "reservation.nodes_released",
    "reservation.nodes_replaced",
    "reservation.proposed",
    "reservation.rejected",
    "reservation.restored",
    "reservation.shared",
    "reservation.transferred",
    "reservation.unshared",
    "reservation.withdrawn",
    "series.acted_for",
    "series.changed",
    "series.created",
    "series.ended",
    "series.occurrence_impossible",
    "simulation.cancelled",
    "simulation.failed",
    "simulation.finished",
    "simulation.queued",
    "simulation.running",
    "site.answers",
    "site.silent",
    "tokens.changed",
];

/// The member of an event's data that says that it is told to somebody with whom a reservation is shared.
const SHARED: &str = "shared";

/// An event to be recorded in the transaction of what it tells of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// What happened, such as `reservation.confirmed`: the subject, a dot, what became of it.
    pub kind: String,
    /// The user whose subject it is; `None` for the site's.
    pub owner: Option<String>,
    /// A small JSON object: ids and words, nothing secret.
    pub data: Value,
}

/// What is somebody's, and others may do something with for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnedKind {
    /// A reservation.
    Reservation,
    /// A series.
    Series,
}

/// What somebody did with a reservation or a series for its owner.
#[derive(Clone, Copy, Debug)]
pub struct ActedFor<'a> {
    /// What it was done with.
    pub kind: OwnedKind,
    /// Its id.
    pub id: &'a str,
    /// Its owner.
    pub owner: &'a str,
    /// Who did it.
    pub actor: &'a str,
    /// What they did, by the name that the OpenAPI document has for it.
    pub action: &'a str,
    /// The word of its state since.
    pub state: &'a str,
}

/// An event as it was committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Later ones are greater.
    pub id: EventId,
    /// The instant.
    pub at: Timestamp,
    /// What happened, such as `reservation.confirmed`.
    pub kind: String,
    /// The user whose subject it is; `None` for the site's.
    pub owner: Option<String>,
    /// Its data as the text of a JSON object.
    pub data: String,
}

/// Which events are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct EventsKept {
    /// The oldest; none before the first.
    pub oldest: Option<EventId>,
    /// The newest; none before the first.
    pub newest: Option<EventId>,
}

impl NewEvent {
    /// An event of the site.
    pub fn new(kind: impl Into<String>, data: Value) -> Self {
        Self { kind: kind.into(), owner: None, data }
    }

    /// This event as one of a user's subject.
    #[must_use]
    pub fn of(self, owner: impl Into<String>) -> Self {
        Self { owner: Some(owner.into()), ..self }
    }

    /// The reservation that it tells of.
    pub(crate) fn reservation(&self) -> Option<Uuid> {
        let id = self.data.get("reservation_id")?.as_str()?;
        id.parse().ok().filter(|_| self.kind.starts_with("reservation."))
    }

    /// This event for a user with whom its reservation is shared.
    pub(crate) fn shared_with(&self, user: &str) -> Self {
        let mut shared = self.clone().of(user);
        shared.data[SHARED] = Value::Bool(true);
        shared
    }
}

impl Event {
    /// Whether it tells somebody of a reservation that is shared with them: its owner is told by another event.
    pub fn is_of_shared(&self) -> bool {
        let data = serde_json::from_str::<Value>(&self.data);
        data.is_ok_and(|data| data.get(SHARED) == Some(&Value::Bool(true)))
    }

    /// What it is about: the kind up to its dot.
    pub fn subject(&self) -> &str {
        self.kind.split('.').next().unwrap_or_default()
    }
}
