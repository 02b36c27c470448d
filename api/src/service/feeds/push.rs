//! What the supplier's server notifies makes its feeds be asked at once.
//!
//! The server keeps one connection for each client: of several replicas the one listens that sees
//! to the first of these feeds. What others see to is asked at the usual pace.

use std::sync::Arc;

use openadr::Ven;
use tokio_util::sync::CancellationToken;

use super::{FeedService, source_lease};

impl FeedService {
    /// Listens to the supplier's server whenever this replica is the one to, until told to stop.
    pub async fn listen_to_supplier(self: Arc<Self>, stop: CancellationToken) {
        let sources = &self.shared.settings.feeds.sources;
        let ids: Vec<&str> = sources
            .iter()
            .filter(|source| source.provider.is_openadr())
            .map(|source| source.id.as_str())
            .collect();
        let (Some(ven), Some(first)) = (&self.shared.settings.openadr, ids.first()) else { return };
        let lease = source_lease(first);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.wait_for(&lease) => {}
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.lost(&lease) => {}
                () = self.pass_on(ven, &ids) => {}
                () = listen(&self, ven) => return,
            }
        }
    }

    async fn pass_on(&self, ven: &Ven, ids: &[&str]) {
        let mut changes = ven.changes();
        loop {
            changes.next().await;
            for id in ids {
                if let Err(error) = self.refresh_feed(id).await {
                    let error = format!("{:#}", anyhow::Error::from(error));
                    tracing::warn!(feed = id, error, "could not ask for a refresh");
                }
            }
            metrics::counter!("wattbook_supplier_notifications_total").increment(1);
        }
    }
}

/// Returns where the settings want no notifications.
async fn listen(feeds: &FeedService, ven: &Ven) {
    let mut seed = [0; 32];
    if let Err(error) = getrandom::fill(&mut seed) {
        tracing::warn!(%error, "no randomness: no notifications from the supplier");
        return;
    }
    ven.listen(|| feeds.shared.now(), seed).await;
}
