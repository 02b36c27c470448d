//! Whose energy it is.

use crate::identity::ReservationId;
use crate::time::Timestamp;

/// What a row of the ledger is about, those first whose a node is before it is another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holder {
    /// A job that ran on the nodes.
    Job,
    /// A reservation whose nodes no known job ran on.
    Reservation,
    /// Nodes on their way on or off.
    Switching,
    /// Nodes that are switched off.
    Off,
    /// Nodes that are on, and nobody's.
    Idle,
    /// What the site draws beside its nodes: cooling, network, storage, losses.
    Facility,
    /// What a meter of racks measured and no node can be given.
    Unallocated,
}

impl Holder {
    const ALL: [Self; 7] = [
        Self::Job,
        Self::Reservation,
        Self::Switching,
        Self::Off,
        Self::Idle,
        Self::Facility,
        Self::Unallocated,
    ];

    /// The word in documents and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Job => "job",
            Self::Reservation => "reservation",
            Self::Switching => "switching",
            Self::Off => "off",
            Self::Idle => "idle",
            Self::Facility => "facility",
            Self::Unallocated => "unallocated",
        }
    }

    /// The holder of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|holder| holder.word() == word)
    }
}

/// Whose energy a row is: rows of an hour have different parties. Texts are empty where there is nothing
/// to say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Party {
    /// What the row is about.
    pub holder: Holder,
    /// The reservation whose nodes they were; a job's, where it ran in one.
    pub reservation: Option<ReservationId>,
    /// The job's id in the resource manager.
    pub job: String,
    /// The user who ran the job, or reserved the nodes.
    pub user: String,
    /// Who made the reservation.
    pub owner: String,
    /// The project that the user named, or the account that the job is charged to.
    pub project: String,
    /// The application, as the user named it.
    pub application: String,
    /// The partition; of nodes without one of a request or a job the first that the node is in.
    pub partition: String,
    /// Which of the jobs that had this id it is; `None` for what is no job, and in rows of earlier releases.
    pub submission: Option<JobSubmission>,
}

/// What tells a job from others that have its id at another time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobSubmission {
    /// When it was submitted.
    pub at: Timestamp,
    /// Its id as a number, which a task of an array has of its own; `None` where it is not known.
    pub raw_id: Option<i64>,
}

impl Party {
    /// A party that is nobody's.
    pub const fn of(holder: Holder) -> Self {
        Self {
            holder,
            reservation: None,
            job: String::new(),
            user: String::new(),
            owner: String::new(),
            project: String::new(),
            application: String::new(),
            partition: String::new(),
            submission: None,
        }
    }
}
