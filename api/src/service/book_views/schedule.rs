//! Who holds which nodes when.

use std::sync::Arc;

use planner::time::Span;
use storage::{Allocation, BookSnapshot};

use super::{BookViewError, BookViewService};
use crate::service::shared::Cluster;

/// How often a span is read anew when others replace the nodes meanwhile.
const TRIES: usize = 8;

impl BookViewService {
    /// The cluster and what is stored of the book over a span, the past too.
    async fn snapshot(&self, span: Span) -> Result<(Arc<Cluster>, BookSnapshot), BookViewError> {
        for _ in 0..TRIES {
            let state = self.shared.state().await?;
            let snapshot = self.shared.database.snapshot(span, self.shared.now()).await?;
            // New nodes between the two reads: read again.
            if snapshot.epoch == state.epoch() {
                return Ok((Arc::clone(&state.cluster), snapshot));
            }
        }
        Err(BookViewError::NodesReplaced)
    }

    /// Who holds which nodes when.
    ///
    /// # Errors
    /// `NodesReplaced` where others replace the nodes again and again.
    pub async fn schedule(
        &self,
        span: Span,
    ) -> Result<(Arc<Cluster>, Vec<Allocation>), BookViewError> {
        let (cluster, snapshot) = self.snapshot(span).await?;
        Ok((cluster, snapshot.allocations))
    }
}
