//! Orders of the queue: which waiting job is the first, and who is tried before whom.
//!
//! An order is one file here, and its name in the list of [`orders!`].

use super::part::{About, PartKind};
use crate::scheduler::JobRequest;

/// An order of the queue.
#[derive(Debug)]
pub struct OrderPart {
    /// The name and the rule.
    pub about: About,
    /// The least rank is the first; of equal ranks the job that was submitted first.
    pub rank: fn(&JobRequest) -> i64,
}

/// Declares the modules of orders, each with its `ORDER`, and lists them.
macro_rules! orders {
    ($($name:ident)+) => {
        $(pub(super) mod $name;)+

        impl PartKind for OrderPart {
            const KIND: &'static str = "order";
            const ALL: &'static [&'static Self] = &[$(&$name::ORDER),+];

            fn about(&self) -> &About {
                &self.about
            }
        }
    };
}

orders! {
    fcfs
    sjf
    ljf
}
