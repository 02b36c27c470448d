//! Booking: quotes, proposals, choices, and what is expected of reservations later.

mod at_once;
mod choose;
mod choose_together;
mod draft;
mod drawn_parts;
mod draws;
mod error;
mod expected;
mod extend;
mod held_book;
mod holds;
mod labels;
mod managed;
mod missing_power;
mod modify;
mod next_in_budgets;
mod not_extended;
mod not_swapped;
mod occurrences;
mod other_nodes;
mod project;
mod proposal_queue;
mod propose;
mod propose_together;
mod quota;
mod quote;
pub mod re_evaluation;
mod read_together;
mod refused_by_quota;
mod release;
mod replaced_notice;
mod request;
mod request_patch;
mod reservations;
mod rights;
mod sharing;
mod standing;
mod stated_use;
mod stored_other_co2;
mod swap;
mod transfer;

use std::sync::Arc;

use super::shared::{Shared, Together};

pub use choose::Choice;
pub(in crate::service) use draft::{Draft, draft};
pub use error::{BookingError, QuoteError};
pub use expected::Expected;
pub use extend::Extension;
pub use managed::{JOBS_OF_EACH, JOBS_OF_ONE, JobsPage, ManagedOf};
pub(in crate::service) use missing_power::left;
pub use not_extended::NotExtended;
pub(in crate::service) use other_nodes::{Mended, OtherNodes};
pub use proposal_queue::Proposed;
pub(in crate::service) use quote::PlannedRequest;
pub use re_evaluation::NowExpected;
pub use read_together::ToldBeside;
pub use refused_by_quota::{NextStart, RefusedByQuota};
pub use release::GivenBack;
pub(in crate::service) use replaced_notice::{node_names, nodes_replaced, told_outage, why_lost};
pub use request::{BookingRequest, HeldStarts, OnCap, Purpose};
pub use request_patch::RequestPatch;
pub(in crate::service) use request_patch::merge as merge_patch;
pub use reservations::{ChangedReservation, Page};
pub use sharing::{PROJECTS, WITH};
pub use stored_other_co2::StoredOtherCo2;
pub use swap::SwappedNodes;

/// Finds starts for requests, and keeps reservations. Clones are the same service.
#[derive(Clone)]
pub struct BookingService {
    shared: Arc<Shared>,
    held_book: Arc<held_book::HeldBook>,
    proposals: Arc<proposal_queue::ProposalQueue<proposal_queue::Asked>>,
    choices: Together<choose_together::WaitingChoice>,
    reads: Together<read_together::WaitingRead>,
    told: Together<read_together::WaitingTold>,
}

impl BookingService {
    /// On what all services share.
    pub fn new(shared: Arc<Shared>) -> Self {
        let held_book = Arc::new(held_book::HeldBook::new());
        let (proposals, choices) = (Arc::default(), Together::default());
        let (reads, told) = (Together::default(), Together::default());
        Self { shared, held_book, proposals, choices, reads, told }
    }
}
