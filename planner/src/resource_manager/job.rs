//! Jobs as the resource manager knows them.

use crate::quantity::Energy;
use crate::time::{Seconds, Timestamp};

/// A job as the resource manager knows it. Ids are used again in time: with its submission a job is
/// known for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedJob {
    /// Its id, such as `1234` or `1234_7` of an array.
    pub id: String,
    /// When it was submitted.
    pub submitted: Timestamp,
    /// Whose it is.
    pub user: String,
    /// The account that is charged; empty where there are none.
    pub account: String,
    /// The partition that it waits for or runs in.
    pub partition: String,
    /// What its user called it.
    pub name: String,
    /// The state in the resource manager's words, such as `RUNNING`.
    pub state: String,
    /// How far it is.
    pub phase: JobPhase,
    /// When it began.
    pub start: Option<Timestamp>,
    /// When it ended, or will end at the latest while it runs.
    pub end: Option<Timestamp>,
    /// Its time limit.
    pub limit: Option<Seconds>,
    /// Its nodes, once it has some.
    pub nodes: Vec<String>,
    /// The reservation in the resource manager that it runs in.
    pub reservation: Option<String>,
    /// What it consumed, where that was measured.
    pub energy: Option<Energy>,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobPhase {
    /// It waits.
    Waiting,
    /// It has its nodes.
    Running,
    /// It has given them back.
    Ended,
}

impl JobPhase {
    /// The word in tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Ended => "ended",
        }
    }

    /// The phase of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Waiting, Self::Running, Self::Ended].into_iter().find(|it| it.word() == word)
    }
}
