//! The dialogue with the supplier as it is stored: negotiations and their messages.
//!
//! One negotiation of a kind is open at a time. What goes to the supplier is written first and
//! delivered afterwards, so that it is neither lost nor said twice by a process that dies between.

mod repository;
mod row;
pub mod sql;

use planner::identity::NegotiationId;
use planner::time::Timestamp;

use crate::identity::MessageId;
use crate::words::worded;

worded! {
    /// What a negotiation is about.
    NegotiationKind {
        /// Power beyond the cap is asked for.
        ExtraPower = "extra_power",
        /// What will be consumed as planned.
        PlannedConsumption = "planned_consumption",
        /// That little will be consumed.
        LowConsumption = "low_consumption",
        /// What was consumed, and how far the plan was off.
        ActualConsumption = "actual_consumption",
        /// What the supplier says by itself, such as an alert.
        Notice = "notice",
    }
}

worded! {
    /// How a negotiation ended.
    NegotiationOutcome {
        /// All that was asked for was granted.
        Granted = "granted",
        /// A part of it was.
        PartlyGranted = "partly_granted",
        /// The supplier said no.
        Refused = "refused",
        /// The supplier said nothing in time.
        Unanswered = "unanswered",
        /// Nobody wants it any more.
        Withdrawn = "withdrawn",
    }
}

worded! {
    /// Who speaks.
    Direction {
        /// We do.
        ToSupplier = "to_supplier",
        /// The supplier does.
        FromSupplier = "from_supplier",
    }
}

worded! {
    /// How far a message is.
    Delivery {
        /// To be sent.
        Waiting = "waiting",
        /// The supplier has it, or it is there to be read.
        Delivered = "delivered",
        /// A later one took its place before it was sent.
        Superseded = "superseded",
        /// The supplier will never take it.
        Failed = "failed",
        /// It came from the supplier.
        Received = "received",
    }
}

/// A negotiation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Negotiation {
    /// Its id.
    pub id: NegotiationId,
    /// What about.
    pub kind: NegotiationKind,
    /// How it ended; `None` while it is open.
    pub outcome: Option<NegotiationOutcome>,
    /// What it is about as it stands, as JSON.
    pub subject: String,
    /// When it began.
    pub opened: Timestamp,
    /// When silence becomes a no.
    pub deadline: Option<Timestamp>,
    /// When it ended.
    pub closed: Option<Timestamp>,
}

/// A message to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage {
    /// When it was said.
    pub said: Timestamp,
    /// Who speaks.
    pub direction: Direction,
    /// What it is: `request`, `grant`, `forecast`, ...
    pub kind: String,
    /// The way it takes: `openadr`, `webhook` or `api`.
    pub carrier: String,
    /// As JSON.
    pub document: String,
    /// How far it is.
    pub delivery: Delivery,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Which; later ones are greater.
    pub id: MessageId,
    /// Of which negotiation.
    pub negotiation_id: NegotiationId,
    /// What was said.
    pub said: NewMessage,
    /// How often it was tried to send it.
    pub attempts: u32,
    /// When it is tried next.
    pub next_attempt: Option<Timestamp>,
    /// When it arrived.
    pub delivered: Option<Timestamp>,
    /// Why it did not.
    pub error: Option<String>,
}

/// What became of an attempt to send a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// It arrived.
    Delivered,
    /// It is tried again then.
    Again(Timestamp, String),
    /// It is given up.
    Failed(String),
}

/// Which negotiations to list; everything absent lets all pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NegotiationFilter {
    /// About this.
    pub kind: Option<NegotiationKind>,
    /// Open ones, or closed ones.
    pub open: Option<bool>,
}
