//! What other sites did not answer when somebody waited for it is asked again, and whether they answer is looked at and told.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use planner::time::Seconds;
use storage::SiteReservation;
use tokio_util::sync::CancellationToken;

use super::circuit::SiteReach;
use super::steps::Progress;
use super::{OtherSiteService, OtherSitesError};

/// By which one of several processes asks.
pub const LEASE: &str = "sites";

/// How often it is looked.
pub const LOOK: Duration = Duration::from_secs(5);

/// Who asked may still wait for the answer for so long.
const WAITED_FOR: Seconds = Seconds::new(15);

/// A site of which nothing was heard for so long is looked at.
const QUIET_FOR: Duration = Duration::from_mins(1);

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

    /// How each site answers, as this process has it, where it is the one that looks.
    pub fn reaches(&self) -> Vec<(&str, SiteReach)> {
        if !self.shared.leases.holds(LEASE) {
            return Vec::new();
        }
        let reaches = self.peers.iter();
        reaches.filter_map(|peer| Some((peer.settings.name.as_str(), peer.reach()?))).collect()
    }

    /// Looks at sites of which nothing was heard for a while, and tells by events which do not answer any more, and which do again. Of
    /// those that are not in the settings any more nothing is told.
    async fn look_at_sites(&self) -> Result<(), OtherSitesError> {
        let (now, database) = (self.shared.now(), &self.shared.database);
        join_all(self.peers.iter().map(|peer| peer.look(QUIET_FOR, now))).await;
        let told = database.silent_sites().await?;
        for name in told.iter().filter(|name| self.peer(name).is_none()) {
            database.forget_silent_site(name).await?;
        }
        for peer in &self.peers {
            let (name, Some(reach)) = (&peer.settings.name, peer.reach()) else { continue };
            match (reach.answers, told.contains(name)) {
                (false, false) => database.tell_site_silent(name, now).await?,
                (true, true) => database.tell_site_answers(name, now).await?,
                (true, false) | (false, true) => {}
            }
        }
        Ok(())
    }

    /// What waits goes first: a site that hangs when it is looked at does not delay it.
    async fn turn(&self) -> Result<(), OtherSitesError> {
        let gone_on = self.go_on_with_undecided().await;
        if self.shared.stop.is_cancelled() {
            return gone_on;
        }
        let looked = self.look_at_sites().await;
        gone_on.and(looked)
    }

    async fn go_on_with_undecided(&self) -> Result<(), OtherSitesError> {
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
