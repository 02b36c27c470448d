//! What other sites did not answer when somebody waited for it is asked again.

use std::sync::Arc;
use std::time::Duration;

use planner::time::Seconds;
use storage::SiteReservation;
use tokio_util::sync::CancellationToken;

use super::steps::Progress;
use super::{OtherSiteService, OtherSitesError};

/// By which one of several processes asks.
pub const LEASE: &str = "sites";

/// How often it is looked.
pub const LOOK: Duration = Duration::from_secs(5);

/// Who asked may still wait for the answer for so long.
const WAITED_FOR: Seconds = Seconds::new(15);

/// So many are asked about at a time.
const PAGE: u16 = 100;

impl OtherSiteService {
    /// Asks again whenever this process is the one to, until told to stop.
    pub async fn keep_asking(self: Arc<Self>, stop: CancellationToken) {
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.wait_for(LEASE) => {}
            }
            let turn = Box::pin(self.shared.unless_cut_off(self.turn()));
            if let Some(Some(Err(error))) = self.shared.leases.while_held(LEASE, turn).await {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(error, "could not go on with reservations at other sites");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    async fn turn(&self) -> Result<(), OtherSitesError> {
        let now = self.shared.now();
        let database = &self.shared.database;
        for waits in database.undecided_site_reservations(now - WAITED_FOR, PAGE).await? {
            if self.shared.stop.is_cancelled() {
                return Ok(());
            }
            if let Progress::Waits(waits, _) = self.go_on(waits).await? {
                // Others have their turn before it is asked about again.
                let changed = self.shared.now();
                database.change_site_reservation(&SiteReservation { changed, ..waits }).await?;
            }
        }
        Ok(())
    }
}
