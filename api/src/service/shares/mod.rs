//! Fair shares: how users and projects stand by what they used against what they are given.
//!
//! Usage is what the ledger has of reservations and jobs, by days; what is booked counts at once by its chosen offer, as far
//! as the ledger does not have its hours yet.

mod tree;

use std::sync::Arc;
use std::time::Duration;

use planner::fair_share::{AccountError, ShareFactor, UsagePeriods};
use planner::reservation::{Reservation, ReservationState};
use planner::time::{Seconds, Span, Timestamp};
use storage::{DayUsage, Filter};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::booking::BookingService;
use super::shared::{Access, Fault, Shared, StoredWords, blocking};
use crate::config::shares::CountedUsage;
use tree::{AccountTree, Used};

pub use tree::AccountStanding;

/// How often it is looked whether factors have changed.
pub const LOOK: Duration = Duration::from_secs(10);

/// What the ledger has, day by day before an hour.
struct StatedUsage {
    to: Timestamp,
    by_day: Vec<DayUsage>,
}

/// What factors rest on: the count of changes, and the newest hour of the ledger.
type Known = (Option<i64>, Option<Timestamp>);

const HOUR: Seconds = Seconds::new(3600);
const DAY: Seconds = Seconds::new(86_400);

/// Tells how accounts stand.
pub struct ShareService {
    shared: Arc<Shared>,
    booking: Arc<BookingService>,
}

/// How accounts stand.
pub struct Standings {
    /// The end of the newest hour of the ledger; until then usage is what was measured or estimated, after it what is
    /// planned.
    pub stated_to: Option<Timestamp>,
    /// Each after its parent.
    pub accounts: Vec<AccountStanding>,
}

impl ShareService {
    /// On the book.
    pub const fn new(shared: Arc<Shared>, booking: Arc<BookingService>) -> Self {
        Self { shared, booking }
    }

    /// How accounts stand now: all for operators, for others their own and those that these are a part of.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn standings(&self, access: Access<'_>) -> Result<Standings, Fault> {
        let mut standings = self.all(&mut None).await?;
        if !access.is_operator() {
            keep_own(&mut standings.accounts, access);
        }
        Ok(standings)
    }

    /// Finds how accounts stand whenever that may have changed, for those who decide by it, until told to stop.
    pub async fn keep_factors(self: Arc<Self>, stop: CancellationToken) {
        let mut turns = tokio::time::interval(LOOK);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut found_at, mut stated) = (None, None);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = turns.tick() => {}
            }
            match self.find_factors(found_at, &mut stated).await {
                Ok(at) => found_at = Some(at),
                Err(error) => {
                    let error = format!("{:#}", anyhow::Error::from(error));
                    tracing::warn!(error, "could not find how accounts stand");
                }
            }
        }
    }

    /// Finds how accounts stand, unless nothing changed since then; what changes it now.
    async fn find_factors(
        &self,
        since: Option<Known>,
        stated: &mut Option<StatedUsage>,
    ) -> Result<Known, Fault> {
        let changes = self.shared.state().await?.marks.map(|marks| marks.changes);
        let known = (changes, self.shared.database.newest_stated_hour().await?);
        if since != Some(known) {
            let accounts = self.all(stated).await?.accounts.into_iter().filter(|it| it.is_user);
            let factor =
                |it: AccountStanding| ((it.account, it.parent), ShareFactor::nearest(it.factor));
            self.shared.share_factors.post(accounts.map(factor).collect());
        }
        Ok(known)
    }

    /// How all stand. What the ledger has is not read again where it was read up to the same hour.
    async fn all(&self, stated: &mut Option<StatedUsage>) -> Result<Standings, Fault> {
        let (shares, now) = (&self.shared.settings.shares, self.shared.now());
        let newest = self.shared.database.newest_stated_hour().await?;
        let stated_to = newest.map(|hour| hour + HOUR);
        let periods = UsagePeriods::with_half_life(DAY, Some(shares.half_life));
        let state = self.shared.state().await?;
        let mut tree = AccountTree::new(&shares.accounts, state.callers().projects());
        if stated.as_ref().map(|it| it.to) != stated_to {
            *stated = match stated_to {
                Some(to) => {
                    let by_day = self.shared.database.used_by_day(to, shares.days()).await?;
                    Some(StatedUsage { to, by_day })
                }
                None => None,
            };
        }
        for it in stated.iter().flat_map(|it| &it.by_day) {
            let weight = periods.weight(it.age_days);
            let used = Used {
                node_seconds: it.node_s as f64 * weight,
                energy_j: it.energy_j as f64 * weight,
            };
            tree.add(&it.user, &it.project, used);
        }
        self.add_planned(&mut tree, stated_to.unwrap_or(now)).await?;
        let days = shares.days();
        let (damping, counts) = (shares.damping, shares.counts);
        let told = blocking(move || {
            let nodes = &state.cluster.nodes;
            let per_second = match counts {
                CountedUsage::NodeSeconds => f64::from(nodes.count()),
                CountedUsage::Energy => nodes.as_slice().iter().map(|it| it.max().as_watts()).sum(),
            };
            tree.standings(counts, periods.available(per_second, days), damping)
        });
        let accounts = told.await?.map_err(|error: AccountError| Fault::internal(error))?;
        Ok(Standings { stated_to, accounts })
    }

    /// What is or was booked after an instant: of what has ended since then the ledger knows nothing yet.
    async fn add_planned(&self, tree: &mut AccountTree, after: Timestamp) -> Result<(), Fault> {
        let states =
            [ReservationState::Confirmed, ReservationState::Active, ReservationState::Completed];
        let filter = Filter { states: states.into(), from: Some(after), ..Filter::default() };
        let settings = &self.shared.settings.ledger;
        for reservation in self.booking.all_reservations(filter).await? {
            if let Some(used) = planned(&reservation, after) {
                let words = StoredWords::of_reservation(&reservation)?;
                let project = settings.project(Some(&words.project()), None);
                tree.add(&reservation.owner, &project, used);
            }
        }
        Ok(())
    }
}

/// What a reservation is to use after an instant by its chosen offer.
fn planned(reservation: &Reservation, after: Timestamp) -> Option<Used> {
    let (terms, (_, held)) = (&reservation.chosen_offer()?.terms, reservation.chosen?);
    let length = terms.span.length().get() as f64;
    let left = Span::new(held.start().max(after), held.end())?.length().get() as f64;
    Some(Used {
        node_seconds: f64::from(terms.nodes.ordinals.count()) * left,
        energy_j: terms.values.energy.as_joules() * left / length,
    })
}

/// Leaves the accounts of a user, those of the projects that they manage, and what these are a part of.
fn keep_own(accounts: &mut Vec<AccountStanding>, access: Access<'_>) {
    let is_own = |it: &AccountStanding| {
        let is_theirs = it.is_user && it.account == access.owner;
        is_theirs || access.manages(if it.is_user { &it.parent } else { &it.account })
    };
    let mut wanted: Vec<(String, String)> = accounts
        .iter()
        .filter(|it| is_own(it))
        .map(|it| (it.account.clone(), it.parent.clone()))
        .collect();
    let mut next = 0;
    while let Some((_, parent)) = wanted.get(next).cloned() {
        let above = accounts.iter().filter(|it| !it.is_user && it.account == parent);
        wanted.extend(above.map(|it| (it.account.clone(), it.parent.clone())));
        next += 1;
    }
    accounts
        .retain(|it| wanted.iter().any(|(name, above)| *name == it.account && *above == it.parent));
}
