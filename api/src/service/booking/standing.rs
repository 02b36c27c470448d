//! What shares decide about a request: how far ahead it may start, how long its offers are held, how much is held.

use planner::fair_share::ShareFactor;
use planner::reservation::Reservation;
use planner::time::{Seconds, Timestamp};

use super::{BookingError, BookingRequest, BookingService};
use crate::config::shares::ShareDecisions;
use crate::service::shared::{Access, CallerKind, ToldStanding};

/// How the account stands that a request is for, and what follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccountShare {
    pub(super) factor: ShareFactor,
    decides: ShareDecisions,
    /// Whether what one may is limited by it.
    limited: bool,
}

impl BookingService {
    /// How somebody stands in a project, empty for none; `None` where shares decide nothing.
    pub(super) fn share_of(&self, access: Access<'_>, project: &str) -> Option<AccountShare> {
        let decides = self.shared.settings.shares.decides?;
        // As usage is counted.
        let project = self.shared.settings.ledger.project(Some(project), None);
        let factor = self.shared.share_factors.of(access.owner, &project);
        let limited = matches!(access.kind, CallerKind::User | CallerKind::Site);
        Some(AccountShare { factor, decides, limited })
    }

    /// How somebody stands in a project, empty for none, to be told before they choose; `None` where the site has no shares,
    /// and before it is first found.
    pub fn told_standing(&self, user: &str, project: &str) -> Option<ToldStanding> {
        let settings = &self.shared.settings;
        let kept = self.shared.share_factors.kept().filter(|_| settings.shares.told)?;
        // As usage is counted.
        let project = settings.ledger.project(Some(project), None);
        Some(ToldStanding {
            account: user.to_owned(),
            prospect: kept.of(user, &project),
            parent: project,
            counts: settings.shares.counts,
            currency: settings.currency,
            rules: kept.rules(self.shared.now()),
        })
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
        let planning = &request.planning;
        let latest = planning.shapes().map(|it| planning.latest_start_for(it.duration)).max();
        self.check_latest(access, request.project.as_deref().unwrap_or_default(), latest)
    }

    /// Refuses to let somebody have a reservation for a project that starts later than they may book.
    ///
    /// # Errors
    /// `TooFarAhead`.
    pub(super) fn check_ahead_of(
        &self,
        access: Access<'_>,
        stored: &Reservation,
    ) -> Result<(), BookingError> {
        let latest = stored.counting_offers().map(|offer| offer.terms.span.start()).max();
        self.check_latest(access, &stored.project, latest)
    }

    fn check_latest(
        &self,
        access: Access<'_>,
        project: &str,
        latest: Option<Timestamp>,
    ) -> Result<(), BookingError> {
        let Some(share) = self.share_of(access, project) else { return Ok(()) };
        let until = share.until(self.shared.now());
        match until.filter(|until| latest.is_some_and(|latest| latest > *until)) {
            Some(until) => Err(BookingError::TooFarAhead { until, factor: share.factor.as_f64() }),
            None => Ok(()),
        }
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
