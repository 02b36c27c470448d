//! Why nothing is offered, booked or ended.

use planner::identity::ReservationId;
use planner::json::JsonError;
use planner::json::decision::DecisionDocument;
use planner::time::Timestamp;
use storage::StorageError;

use super::RefusedByQuota;
use super::not_extended::NotExtended;
use super::not_swapped::NotSwapped;
use crate::service::shared::{Fault, Forbidden, KeyError, PlanningError};

/// Why there is no plan for a request.
#[derive(Debug, thiserror::Error)]
pub enum QuoteError {
    /// The request contradicts what is stored.
    #[error("the input is not valid: {}", .0.join("; "))]
    Invalid(Vec<String>),
    /// The plan was not made, or not to its end.
    #[error(transparent)]
    Planning(#[from] PlanningError),
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Why a reservation is not made, shown or changed.
#[derive(Debug, thiserror::Error)]
pub enum BookingError {
    /// No such reservation, or not the caller's.
    #[error("there is no reservation {0}")]
    NoReservation(ReservationId),
    /// The caller sees the reservation, and may not change it.
    #[error(
        "reservation {id} is {owner}'s; only {owner}, operators and those of its project whom this site permits may change \
         it so"
    )]
    NotTheirs {
        /// The reservation.
        id: ReservationId,
        /// Whose it is.
        owner: String,
    },
    /// A rule of the site is against it.
    #[error("{0}")]
    Forbidden(Box<Forbidden>),
    /// The request is for a project that its sender is not in.
    #[error("you are not in the project {project:?}{}", in_words(theirs))]
    NotInProject {
        /// The project.
        project: String,
        /// Those that they are in.
        theirs: Vec<String>,
    },
    /// Who is to own a reservation is not in its project.
    #[error(
        "{owner} is not in the project {project:?} of the reservation; an operator or its managers can add them"
    )]
    OwnerNotInProject {
        /// Who was to own it.
        owner: String,
        /// The project.
        project: String,
    },
    /// The site wants to know the project, and the request does not say it.
    #[error("the request must say its \"project\"{}", in_words(theirs))]
    NoProject {
        /// Those that its sender is in.
        theirs: Vec<String>,
    },
    /// A move that is not worth it.
    #[error(
        "no start saves at least {:.0} % of cost or CO2, which this site wants before a reservation \
         that still stands is moved; cancel it and make a new one if it must be moved all the same",
        min_gain * 100.0
    )]
    NoGain {
        /// What the site wants.
        min_gain: f64,
    },
    /// The planner found no start.
    #[error("no start in the window is possible; see the reasons")]
    Impossible(Box<DecisionDocument>),
    /// Only the cap is in the way, and the supplier was to be asked, who is not at this site.
    #[error(
        "only the power cap is in the way, and this site does not ask its supplier for extra power \
         (its settings have no [negotiation]), so that \"on_cap\": \"negotiate\" cannot help; ask for \
         fewer nodes or another time, or see the reasons"
    )]
    NotNegotiated(Box<DecisionDocument>),
    /// A quota excludes every start at which all else is there; with the decision where a request was planned.
    #[error("{0}")]
    Quota(Box<RefusedByQuota>, Option<Box<DecisionDocument>>),
    /// Something is in the way of a later end; with the place in the body that says which.
    #[error("{0}")]
    NotExtended(Box<NotExtended>, &'static str),
    /// Nothing can take the place of nodes.
    #[error("{0}")]
    NotSwapped(Box<NotSwapped>),
    /// None of its nodes is out of service.
    #[error(
        "none of the reservation's nodes is out of service; name those that are to be swapped (nodes, wattbook swap --nodes)"
    )]
    NothingToSwap,
    /// Jobs run on nodes that are to be swapped.
    #[error(
        "the jobs {} run on these nodes, and no node is taken from under a running job; cancel them first (scancel), or \
         swap other nodes",
        jobs.join(", ")
    )]
    JobsOnNodes {
        /// Their ids.
        jobs: Vec<String>,
    },
    /// A changed request has errors.
    #[error(
        "the request has errors: {}",
        .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    )]
    InvalidRequest(Vec<JsonError>),
    /// A higher priority than the reservation had.
    #[error("a priority above 0 is for operators to give")]
    PriorityIsForOperators,
    /// Somebody whom the site does not know.
    #[error(
        "the site knows nobody called {0:?} who may book; the new owner needs an API token, or must have \
         signed in once"
    )]
    UnknownOwner(String),
    /// Chosen after the hold ended; what is possible now comes with it.
    #[error(
        "the offers were held until their expires_at, which has passed; what is possible now \
         stands here, and a new reservation holds it"
    )]
    OffersExpired(Box<DecisionDocument>),
    /// What was expected is not what there is.
    #[error(
        "the offer is not what was expected of it ({differences}), so nothing was booked; look at the \
         offers again"
    )]
    OfferChanged {
        /// How it differs, in words.
        differences: String,
        /// What is possible now, where a reservation was proposed.
        decision: Option<Box<DecisionDocument>>,
    },
    /// Jobs run or wait in what would be cancelled, and the site does not want that.
    #[error(
        "the jobs {} run or wait in reservation {id}, and this site neither cancels nor gives back nodes with jobs; \
         cancel them first (scancel)",
        jobs.join(", ")
    )]
    HasJobs {
        /// The reservation.
        id: ReservationId,
        /// Their ids.
        jobs: Vec<String>,
    },
    /// The reservation's state does not allow it.
    #[error("the reservation is {state}; {way_out}")]
    WrongState {
        /// The state it is in.
        state: String,
        /// What can be done.
        way_out: &'static str,
    },
    /// The offer or ranking is not among the reservation's.
    #[error("the reservation has no such offer; GET it to see its offers")]
    UnknownOffer,
    /// `If-Match` does not match.
    #[error("the reservation was changed since it was read; GET it again")]
    VersionMismatch,
    /// It may start later than its sender may book.
    #[error(
        "your share lets you book starts up to {until} (your factor is {factor:.3}); ask for an earlier latest_start, or \
         wait: the factor grows as what you used gets older"
    )]
    TooFarAhead {
        /// The last start that may be booked.
        until: Timestamp,
        /// How they stand.
        factor: f64,
    },
    /// One user has as many proposals as one may have.
    #[error(
        "{proposals} of your proposals are held, and one user may have {most} at a time; choose or \
         cancel some, or wait until they expire"
    )]
    TooManyHolds {
        /// How many there are.
        proposals: usize,
        /// How many there may be.
        most: usize,
        /// Until the first of them expires.
        retry_after_s: u32,
    },
    /// One user's proposals hold as much as they may.
    #[error(
        "with this proposal yours would hold {held_h:.1} hours of the whole cluster, and one user's \
         may hold {most_h:.1} at a time where there are several; choose or cancel some, or wait until \
         they expire"
    )]
    TooMuchHeld {
        /// What they would hold.
        held_h: f64,
        /// What they may hold.
        most_h: f64,
        /// Until the first of them expires.
        retry_after_s: u32,
    },
    /// Others changed the book at each try.
    #[error("others changed the book while this was planned; try again")]
    BookChanged,
    /// The idempotency key does not tell what was answered before.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// There is no plan for the request.
    #[error(transparent)]
    Quote(#[from] QuoteError),
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// The projects that somebody may book for.
fn in_words(projects: &[String]) -> String {
    match projects {
        [] => {
            "; you are in no project, and an operator or the manager of one can add you".to_owned()
        }
        _ => format!("; yours are {}", projects.join(", ")),
    }
}

impl From<PlanningError> for BookingError {
    fn from(error: PlanningError) -> Self {
        Self::Quote(error.into())
    }
}

impl From<StorageError> for BookingError {
    fn from(error: StorageError) -> Self {
        Self::Fault(error.into())
    }
}
