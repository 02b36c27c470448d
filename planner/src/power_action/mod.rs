//! How a node is switched: one order at a time, followed until its effect is seen.
//!
//! A *power action* says that a node is to be switched on or off, or that its power is to be limited. The rules here are pure; who reads the power of nodes and
//! gives the orders is outside.
//!
//! - Only what was read back counts. An order that was accepted proves nothing, and a power that is unknown is neither
//!   on nor off.
//! - Nothing is ordered for a node that is, or may be, in use.
//! - An order whose effect is not seen in time is given again, ever later, and given up in the open.
//! - Only so many nodes are on their way at once.
//!
//! ```text
//! reading     what was read of a node's power, and whether the node is in use
//! state       how far a power action is, and which state may follow which
//! follow      what is to be done next with one power action
//! window      the same for all power actions together
//! proposal    what becomes of planned actions when a new plan is there
//! ```

mod follow;
mod proposal;
mod reading;
mod state;
mod window;

pub use follow::{FollowRules, FollowedAction, OrderAnswer, PowerChange, PowerOrder, PowerStep};
pub use proposal::{OpenSleep, ProposalStep, SleepProposal, proposal_steps};
pub use reading::{NodeUse, PowerReading};
pub use state::PowerActionState;
pub use window::{ActionWithNode, next_steps};
