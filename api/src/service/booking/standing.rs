//! What shares decide about a request: how far ahead it may start, how long its offers are held, how much is held.

use planner::fair_share::ShareFactor;
use planner::time::{Seconds, Timestamp};

use super::{BookingError, BookingRequest, BookingService};
use crate::config::shares::ShareDecisions;
use crate::service::shared::{Access, CallerKind};

/// How the account stands that a request is for, and what follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccountShare {
    pub(super) factor: ShareFactor,
    decides: ShareDecisions,
    /// Whether what one may is limited by it.
    limited: bool,
}

impl BookingService {
    /// How the account stands that a request is for; `None` where shares decide nothing.
    pub(super) fn share_of(
        &self,
        access: Access<'_>,
        request: &BookingRequest,
    ) -> Option<AccountShare> {
        let decides = self.shared.settings.shares.decides?;
        let project = request.project.as_deref().unwrap_or_default();
        let factor = self.shared.share_factors.of(access.owner, project);
        let limited = matches!(access.kind, CallerKind::User | CallerKind::Site);
        Some(AccountShare { factor, decides, limited })
    }

    /// Refuses a request that may start later than its sender may book.
    ///
    /// # Errors
    /// `TooFarAhead`.
    pub fn check_ahead(
        &self,
        access: Access<'_>,
        request: &BookingRequest,
    ) -> Result<(), BookingError> {
        let Some(share) = self.share_of(access, request) else { return Ok(()) };
        let Some(until) = share.until(self.shared.now()) else { return Ok(()) };
        let planning = &request.planning;
        let latest = planning.shapes().map(|it| planning.latest_start_for(it.duration)).max();
        if latest.is_some_and(|latest| latest > until) {
            return Err(BookingError::TooFarAhead { until, factor: share.factor.as_f64() });
        }
        Ok(())
    }
}

impl AccountShare {
    /// For how long offers are held; `None` for as long as the site holds them.
    pub(super) fn hold(&self) -> Option<Seconds> {
        self.limited.then(|| self.decides.hold.at(self.factor))
    }

    /// For how long of the whole cluster proposals may hold offers; `None` where it is the same for all.
    pub(super) fn held(&self) -> Option<Seconds> {
        let held = self.decides.held.filter(|_| self.limited);
        held.map(|held| held.at(self.factor))
    }

    /// The last start that may be booked.
    fn until(&self, now: Timestamp) -> Option<Timestamp> {
        let ahead = self.decides.ahead.filter(|_| self.limited);
        ahead.map(|ahead| now + ahead.at(self.factor))
    }
}
