//! Grants of extra power, which raise the cap that plans rest on.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::quantity::Power;
use planner::time::{Span, Timestamp};

use crate::identity::{GrantId, NegotiationId};
use crate::words::worded;

worded! {
    /// For whom a grant is.
    GrantStanding {
        /// For those who asked, until they had their turn.
        SetAside = "set_aside",
        /// For everybody.
        InForce = "in_force",
        /// For nobody any more.
        Revoked = "revoked",
    }
}

/// Extra power on top of the cap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Its id.
    pub id: GrantId,
    /// The supplier's own name of it: the same name again replaces it.
    pub supplier_id: Option<String>,
    /// In answer to what; `None` where nobody asked.
    pub negotiation_id: Option<NegotiationId>,
    /// For whom.
    pub standing: GrantStanding,
    /// The time for which it is granted.
    pub span: Span,
    /// The power.
    pub power: Power,
    /// What the supplier takes for all of it, millionths of the site's currency.
    pub fee_millionths: i64,
    /// When it came.
    pub received: Timestamp,
}
