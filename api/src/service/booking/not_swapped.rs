//! Why no nodes take the place of others.

use planner::decision::Shortage;
use planner::time::Timestamp;

/// Why no nodes can take the place of others, and since when some can.
#[derive(Debug)]
pub struct NotSwapped {
    /// The nodes that were to be swapped.
    pub(super) nodes: String,
    /// What is missing now.
    pub(super) shortage: Shortage,
    /// From when on others are free until the reservation's end; `None` where that is never.
    pub(crate) free_from: Option<Timestamp>,
}

impl std::fmt::Display for NotSwapped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no other nodes can take the place of {} now: ", self.nodes)?;
        match &self.shortage {
            Shortage::Power(missing) => write!(f, "the power cap leaves {missing} too little")?,
            _ => f.write_str("none that would do are free until the reservation ends")?,
        }
        match self.free_from {
            Some(from) => {
                write!(f, "; from {from} on others can, unless they are booked until then")
            }
            None => f.write_str("; before it ends none will, so make a new request"),
        }
    }
}
