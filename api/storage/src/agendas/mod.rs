//! Agendas as stored, and what was known at an earlier time.
//!
//! A value is in whole millionths of its quantity's unit: currency per megawatt-hour, grams
//! per kilowatt-hour, watts.

pub(crate) mod history;
pub(crate) mod repository;
mod row;
pub(crate) mod spans;
pub mod sql;

use std::sync::Arc;

use planner::agenda::Piece;
use planner::time::{Span, Timestamp};

use crate::identity::RevisionId;

/// What an agenda is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantity {
    /// Price of energy, currency per megawatt-hour.
    Price,
    /// CO2 intensity of energy, grams per kilowatt-hour.
    Co2,
    /// Cap of the cluster's power, watts.
    PowerCap,
}

/// Where a revision comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgendaMeta {
    /// The feed.
    pub source: String,
    /// Average or marginal, direct or life cycle.
    pub kind: String,
    /// Measured, forecast or estimated.
    pub quality: String,
    /// When the supplier says it was issued.
    pub issued: Option<Timestamp>,
}

/// A revision without its pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgendaRevision {
    /// The revision's id.
    pub id: RevisionId,
    /// The quantity.
    pub quantity: Quantity,
    /// Where it comes from.
    pub meta: AgendaMeta,
    /// When it was stored.
    pub received: Timestamp,
    /// From its first start to its last end, or what was withdrawn: all of it it replaced.
    pub span: Span,
}

/// An agenda made of several sources, to be put in force.
#[derive(Clone, Copy, Debug)]
pub struct ComposedAgenda<'a> {
    /// All of it is replaced; what has no piece becomes a gap.
    pub span: Span,
    /// In time order, inside the span.
    pub pieces: &'a [Piece<i64>],
    /// What the pieces rest on: JSON.
    pub provenance: &'a str,
}

/// A revision and what its pieces rest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenRevision {
    /// The revision.
    pub revision: AgendaRevision,
    /// JSON of a composed agenda; `None` where the revision's meta says it all.
    pub provenance: Option<String>,
}

/// A piece with the revision it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenPiece {
    /// When and what.
    pub piece: Piece<i64>,
    /// Shared by its pieces.
    pub revision: Arc<ProvenRevision>,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Price, Self::Co2, Self::PowerCap];

    /// The word used in documents and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Price => "price",
            Self::Co2 => "co2",
            Self::PowerCap => "power_cap",
        }
    }

    /// The quantity of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quantity| quantity.word() == word)
    }
}
