//! Who holds which nodes when.

use std::sync::Arc;

use planner::time::Span;
use storage::Allocation;

use super::{BookViewError, BookViewService};
use crate::service::shared::Cluster;

/// How often a span is read anew when others replace the nodes meanwhile.
const TRIES: usize = 8;

impl BookViewService {
    /// Who holds which nodes when, in the past too.
    ///
    /// # Errors
    /// `NodesReplaced` where others replace the nodes again and again.
    pub async fn schedule(
        &self,
        span: Span,
    ) -> Result<(Arc<Cluster>, Vec<Allocation>), BookViewError> {
        for _ in 0..TRIES {
            let state = self.shared.state().await?;
            let epoch = state.epoch();
            let now = self.shared.now();
            let mut allocations = self.shared.database.allocations(span, now).await?;
            // New nodes between the two reads: read again.
            if allocations.iter().any(|it| Some(it.epoch) > epoch) {
                continue;
            }
            // Ranks of an older epoch mean other nodes.
            allocations.retain(|it| Some(it.epoch) == epoch);
            return Ok((Arc::clone(&state.cluster), allocations));
        }
        Err(BookViewError::NodesReplaced)
    }
}
