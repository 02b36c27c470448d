//! Extra power that the supplier granted.

use crate::identity::{GrantId, NegotiationId};
use crate::quantity::Power;
use crate::time::{Span, Timestamp};

/// Extra power on top of the cap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The id of the grant.
    pub id: GrantId,
    /// The supplier's own name of it: the same name again replaces it.
    pub supplier_id: Option<String>,
    /// The negotiation in which it was asked for; `None` where nobody asked.
    pub negotiation_id: Option<NegotiationId>,
    /// For whom it is.
    pub state: GrantState,
    /// From when to when.
    pub span: Span,
    /// How much.
    pub power: Power,
    /// What the supplier takes for all of it, millionths of the site's currency.
    pub fee_millionths: i64,
    /// When it came.
    pub received: Timestamp,
}

/// For whom a grant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GrantState {
    /// For those who asked, until they had their turn.
    SetAside,
    /// For everybody.
    InForce,
    /// For nobody any more.
    Revoked,
}

impl GrantState {
    const ALL: [Self; 3] = [Self::SetAside, Self::InForce, Self::Revoked];

    /// The word used in documents and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::SetAside => "set_aside",
            Self::InForce => "in_force",
            Self::Revoked => "revoked",
        }
    }

    /// The state of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }
}
