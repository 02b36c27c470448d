//! Fair shares: how users and projects stand by what they used against what they are given.
//!
//! Usage is what the ledger has of reservations and jobs, by days; what is booked counts at once by its chosen offer, as far
//! as the ledger does not have its hours yet. In money and CO2 it is counted by what the ledger and the offer say of them.

mod tree;

use std::sync::Arc;
use std::time::Duration;

use planner::agenda::Piece;
use planner::fair_share::{AccountError, UsagePeriods};
use planner::quantity::Rate;
use planner::reservation::{Reservation, ReservationState};
use planner::time::{Seconds, Span, Timestamp};
use storage::{DayUsage, Filter, Quantity};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::booking::BookingService;
use super::shared::{
    Access, DAY, Fault, KeptStandings, Shared, SiteState, StoredWords, ToldStanding, blocking,
};
use crate::config::shares::CountedUsage;
use tree::{AccountTree, Used};

pub use tree::AccountStanding;

/// How often it is looked whether factors have changed.
pub const LOOK: Duration = Duration::from_secs(10);

/// What the ledger has, day by day before an hour.
struct StatedUsage {
    to: Timestamp,
    by_day: Vec<DayUsage>,
    /// What prices or intensities were in force in these days, millionths, where usage is counted in them.
    rates: Vec<Piece<i64>>,
}

/// What factors rest on: the count of changes, and the newest hour of the ledger.
type Known = (Option<i64>, Option<Timestamp>);

const HOUR: Seconds = Seconds::new(3600);

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
    /// What they follow from.
    pub kept: KeptStandings,
}

impl ShareService {
    /// On the book.
    pub const fn new(shared: Arc<Shared>, booking: Arc<BookingService>) -> Self {
        Self { shared, booking }
    }

    /// How an account stands as it is told.
    pub fn told(&self, kept: &KeptStandings, account: &AccountStanding) -> ToldStanding {
        ToldStanding {
            account: account.account.clone(),
            parent: account.parent.clone(),
            counts: self.shared.settings.shares.counts,
            currency: self.shared.settings.currency,
            prospect: account.prospect,
            rules: kept.rules(self.shared.now()),
        }
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
            self.shared.share_factors.post(self.all(stated).await?.kept);
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
                Some(to) => Some(self.stated_usage(to).await?),
                None => None,
            };
        }
        for it in stated.iter().flat_map(|it| &it.by_day) {
            tree.add(&it.user, &it.project, used(it, periods.weight(it.age_days)));
        }
        let known_to = stated_to.unwrap_or(now);
        self.add_planned(&mut tree, known_to).await?;
        let rates = stated.as_ref().map(|it| it.rates.clone()).unwrap_or_default();
        let (damping, counts, days) = (shares.damping, shares.counts, shares.days());
        let told = blocking(move || {
            let available = available(&state, counts, periods, rates, known_to, days);
            tree.standings(counts, available, damping)
        });
        let told = told.await?.map_err(|error: AccountError| Fault::internal(error))?;
        let (accounts, kept) = told;
        let kept = KeptStandings { known_to: stated_to, periods, most_days: days, ..kept };
        Ok(Standings { stated_to, accounts, kept })
    }

    /// What was used, and at what rates, on the days before an hour.
    async fn stated_usage(&self, to: Timestamp) -> Result<StatedUsage, Fault> {
        let (shares, currency) = (&self.shared.settings.shares, self.shared.settings.currency);
        let days = shares.days();
        let by_day = self.shared.database.used_by_day(to, days, currency).await?;
        let counted = match shares.counts {
            CountedUsage::Energy | CountedUsage::NodeSeconds => None,
            CountedUsage::Cost => Some(Quantity::Price),
            CountedUsage::Co2 => Some(Quantity::Co2),
        };
        let first = to - Seconds::new(DAY.get() * i64::from(days));
        let rates = match counted.zip(Span::new(first, to)) {
            Some((quantity, window)) => {
                self.shared.database.proven_agenda(quantity, window, None).await?
            }
            None => Vec::new(),
        };
        Ok(StatedUsage { to, by_day, rates: rates.into_iter().map(|it| it.piece).collect() })
    }

    /// What is or was booked after an instant: of what has ended since then the ledger knows nothing yet.
    async fn add_planned(&self, tree: &mut AccountTree, after: Timestamp) -> Result<(), Fault> {
        let states =
            [ReservationState::Confirmed, ReservationState::Active, ReservationState::Completed];
        let filter = Filter { states: states.into(), from: Some(after), ..Filter::default() };
        let settings = &self.shared.settings.ledger;
        for reservation in self.booking.all_reservations(filter).await? {
            if let Some((used, until)) = planned(&reservation, after) {
                let words = StoredWords::of_reservation(&reservation)?;
                let project = settings.project(Some(&words.project()), None);
                tree.add_planned(&reservation.owner, &project, used, until);
            }
        }
        Ok(())
    }
}

/// What a reservation is to use after an instant by its chosen offer, and until when.
fn planned(reservation: &Reservation, after: Timestamp) -> Option<(Used, Timestamp)> {
    let (terms, (_, held)) = (&reservation.chosen_offer()?.terms, reservation.chosen?);
    let length = terms.span.length().get() as f64;
    let left = Span::new(held.start().max(after), held.end())?.length().get() as f64;
    let part = left / length;
    let used = Used {
        node_seconds: f64::from(terms.nodes.ordinals.count()) * left,
        energy_j: terms.values.energy.as_joules() * part,
        cost: terms.values.cost.as_units().max(0.0) * part,
        co2_g: terms.values.co2.as_grams().max(0.0) * part,
    };
    Some((used, held.end()))
}

/// What a day's usage counts. What costs less than nothing counts nothing.
fn used(it: &DayUsage, weight: f64) -> Used {
    Used {
        node_seconds: it.node_s as f64 * weight,
        energy_j: it.energy_j as f64 * weight,
        cost: it.cost_millionths.max(0) as f64 / 1e6 * weight,
        co2_g: it.co2_location_mg.max(0) as f64 / 1e3 * weight,
    }
}

/// What there was to use: all nodes, all the time, for energy at their greatest power, and for money and CO2 at the rates of the
/// time.
fn available(
    state: &SiteState,
    counts: CountedUsage,
    periods: UsagePeriods,
    rates: Vec<Piece<i64>>,
    to: Timestamp,
    days: u32,
) -> f64 {
    let nodes = &state.cluster.nodes;
    let watts = || nodes.as_slice().iter().map(|it| it.max().as_watts()).sum::<f64>();
    let (price, co2) = (state.agendas.price.agenda(), state.agendas.co2.agenda());
    let at_rates = |later: Vec<Piece<i64>>, per_joule: f64| {
        let pieces = before_and_after(rates, later, to);
        periods.available_at(watts(), &pieces, |it| it as f64 * per_joule, to, days)
    };
    match counts {
        CountedUsage::NodeSeconds => periods.available(f64::from(nodes.count()), days),
        CountedUsage::Energy => periods.available(watts(), days),
        // A millionth of a unit for a megawatt-hour, 3.6e9 J.
        CountedUsage::Cost => at_rates(millionths(price.pieces()), 1e-6 / 3.6e9),
        // A millionth of a gram for a kilowatt-hour, 3.6e6 J.
        CountedUsage::Co2 => at_rates(millionths(co2.pieces()), 1e-6 / 3.6e6),
    }
}

fn millionths<R: Rate>(pieces: &[Piece<R>]) -> Vec<Piece<i64>> {
    pieces.iter().map(|it| Piece { span: it.span, value: it.value.as_millionths() }).collect()
}

/// What was in force before an instant and what is after it, without overlaps.
fn before_and_after(
    before: Vec<Piece<i64>>,
    after: Vec<Piece<i64>>,
    to: Timestamp,
) -> Vec<Piece<i64>> {
    let cut = |piece: Piece<i64>, start: Timestamp, end: Timestamp| {
        Some(Piece { span: Span::new(start, end)?, ..piece })
    };
    let before =
        before.into_iter().filter_map(|it| cut(it, it.span.start(), it.span.end().min(to)));
    let after = after.into_iter().filter_map(|it| cut(it, it.span.start().max(to), it.span.end()));
    before.chain(after).collect()
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
