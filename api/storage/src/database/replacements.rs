//! Reservations that outages hit.

use planner::time::Timestamp;

use super::{Database, Engine};
use crate::reservations::error::ProposeError;
use crate::reservations::reservation::{NewNodes, NewOffer, Unchanged};

/// Each in one transaction; `false` where the reservation changed or ended since it was read.
impl Database {
    /// Gives a reservation other nodes from an instant on, offer by offer, and tells its owner. Holds
    /// that are due at `now` are expired first.
    ///
    /// # Errors
    /// [`ProposeError::BookChanged`]: plan again.
    pub async fn replace_nodes_of(
        &self,
        unchanged: Unchanged,
        nodes: &[NewNodes],
        degraded: bool,
        notice: &str,
        now: Timestamp,
    ) -> Result<bool, ProposeError> {
        on_engine!(self.replace_nodes_of(unchanged, nodes, degraded, notice, now))
    }

    /// Holds other offers for a reservation of which none is chosen, instead of all that it had,
    /// and tells its owner.
    ///
    /// # Errors
    /// As above.
    pub async fn offer_anew(
        &self,
        unchanged: Unchanged,
        document: &str,
        offers: &[NewOffer],
        expires: Timestamp,
        notice: &str,
        now: Timestamp,
    ) -> Result<bool, ProposeError> {
        on_engine!(self.offer_anew(unchanged, document, offers, expires, notice, now))
    }
}
