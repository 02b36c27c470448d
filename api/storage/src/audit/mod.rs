//! Who did or read what: records that are added and never changed, each with the hash of itself and the one before it.

mod chain;
pub(crate) mod repository;
mod row;
pub mod sql;

pub(crate) use chain::name_digest;
pub use chain::{BrokenLink, ChainCheck, FIRST_PREVIOUS, microseconds};

/// What somebody did or read. Instants are microseconds since 1970, UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditEntry {
    /// When the request came.
    pub at_us: i64,
    /// Who did.
    pub actor: String,
    /// The issuer of the access token that they sent; empty for a token of ours and on the command line.
    pub issuer: String,
    /// Whose it is that they did it to or read; empty where it is their own or nobody's.
    pub acting_for: String,
    /// The address that it came from.
    pub source: String,
    /// What they did.
    pub action: String,
    /// What they did it to.
    pub object: String,
    /// What is known of the object before, as JSON; `None` where nothing is.
    pub before: Option<String>,
    /// What is known of the object after, as JSON; `None` where nothing is.
    pub after: Option<String>,
    /// What came of it.
    pub outcome: String,
}

impl AuditEntry {
    /// Whether it says what came of what was begun so: only what it was done to may be known better at the end.
    fn ends(&self, begun: &Self) -> bool {
        self.at_us == begun.at_us
            && self.actor == begun.actor
            && self.source == begun.source
            && self.action == begun.action
    }
}

/// An entry in its place in the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    /// One more than that of the record before.
    pub id: i64,
    /// What was done.
    pub entry: AuditEntry,
    /// The hash of the entry and of the record before.
    pub hash: String,
    /// The hash of the record before.
    pub previous: String,
}

/// What is about to be done, written before it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditIntent {
    /// Another one for each.
    pub id: String,
    /// What is about to be done; it has no outcome yet.
    pub entry: AuditEntry,
}

/// What is to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEnd {
    /// The intent that it ends; `None` where there was none.
    pub intent: Option<String>,
    /// What was done.
    pub entry: AuditEntry,
}

/// Which records are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// From this instant on.
    pub from_us: Option<i64>,
    /// Before this instant.
    pub to_us: Option<i64>,
    /// By this actor.
    pub actor: Option<String>,
    /// Of this action.
    pub action: Option<String>,
    /// About this object.
    pub object: Option<String>,
    /// After this record.
    pub after: i64,
    /// So many at the most.
    pub limit: u32,
}

/// The chain's ends.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct ChainEnds {
    /// The newest record; 0 before the first.
    pub head_id: i64,
    /// Its hash.
    pub head_hash: String,
    /// The newest record that was dropped by age; 0 where none was.
    pub dropped_id: i64,
    /// Its hash.
    pub dropped_hash: String,
}
