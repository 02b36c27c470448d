//! What grows is pruned by rules, in pieces that are short enough for no writer to wait.
//!
//! What a piece takes is found by a connection that only reads, and deleted by its keys in one transaction. What refers to a
//! reservation goes with it, or keeps it: nothing is left that names what is not there.

mod ended;
mod prune;
mod repository;
mod space;
pub mod sql;

pub use space::{SpaceBack, give_space_back};

/// What is pruned by one rule each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrunedKind {
    /// Answers to requests that were sent with an idempotency key.
    Answers,
    /// Events.
    Events,
    /// Mails that were sent or given up.
    Mails,
    /// API tokens that were revoked or have ended. The newest token stays.
    Tokens,
    /// Offers that were not chosen, of reservations that had one that was, and how they were judged last.
    Offers,
    /// Reservations of which no offer was chosen.
    Proposals,
    /// Series that ended, with their occurrences.
    Series,
    /// Reservations that ended, with all that refers to them. What their offers promised stays.
    Reservations,
    /// Values of revisions of agendas. What is in force stays.
    AgendaRevisions,
    /// Revisions of feeds.
    FeedRevisions,
    /// Since when nodes were on, off and on their way.
    PowerStates,
    /// Power actions that came to an end.
    PowerActions,
    /// What was decided and done about the power of nodes.
    PowerLog,
    /// Jobs outside of reservations.
    JobsOutside,
    /// Simulations that ended, with their results.
    Simulations,
    /// Negotiations that were closed, with their messages. Those that led to a grant stay.
    Negotiations,
    /// Records of the audit trail.
    Audit,
    /// Blocks of samples.
    Samples,
    /// Blocks of quarter-hours.
    Quarters,
}

impl PrunedKind {
    /// All of them, in the order in which they are pruned: series before their reservations.
    pub const ALL: [Self; 19] = [
        Self::Answers,
        Self::Events,
        Self::Mails,
        Self::Tokens,
        Self::Offers,
        Self::Proposals,
        Self::Series,
        Self::Reservations,
        Self::AgendaRevisions,
        Self::FeedRevisions,
        Self::PowerStates,
        Self::PowerActions,
        Self::PowerLog,
        Self::JobsOutside,
        Self::Simulations,
        Self::Negotiations,
        Self::Audit,
        Self::Samples,
        Self::Quarters,
    ];

    /// What people call it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Answers => "answers to idempotency keys",
            Self::Events => "events",
            Self::Mails => "mails",
            Self::Tokens => "API tokens that count no more",
            Self::Offers => "offers that were not chosen",
            Self::Proposals => "proposals that nobody chose from",
            Self::Series => "series",
            Self::Reservations => "reservations",
            Self::AgendaRevisions => "values of revisions of agendas",
            Self::FeedRevisions => "revisions of feeds",
            Self::PowerStates => "power states of nodes",
            Self::PowerActions => "power actions",
            Self::PowerLog => "entries of the power log",
            Self::JobsOutside => "jobs outside of reservations",
            Self::Simulations => "simulations",
            Self::Negotiations => "negotiations",
            Self::Audit => "audit records",
            Self::Samples => "blocks of samples",
            Self::Quarters => "blocks of quarter-hours",
        }
    }

    /// Whether the ledger states hours by it: those are sealed before it goes.
    pub const fn is_behind_the_ledger(self) -> bool {
        matches!(
            self,
            Self::Reservations
                | Self::PowerStates
                | Self::PowerActions
                | Self::JobsOutside
                | Self::Quarters
        )
    }
}
