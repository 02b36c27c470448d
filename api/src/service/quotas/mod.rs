//! Quotas: what users and projects may hold now, what they have used of it, and how operators adjust it. What they are kept
//! by is a part of booking.

mod adjustments;
mod error;

use std::sync::Arc;

use planner::quota::{QuotaStanding, budget_standings, standings};
use storage::StoredQuotaAdjustment;

use super::booking::BookingService;
use super::shared::{Access, Fault, Shared, blocking};
use crate::config::quotas::SiteQuotas;

pub use adjustments::{ChangedQuotaAdjustment, NewQuotaAdjustment, QuotaAdjustmentPatch};
pub use error::QuotaError;

/// How users and projects stand by the quotas in force.
#[derive(Default)]
pub struct QuotaStandings {
    /// How they stand.
    pub standings: Vec<QuotaStanding>,
    /// Adjustments, those that standings name among them.
    pub adjustments: Arc<Vec<StoredQuotaAdjustment>>,
}

/// Tells how users and projects stand by the quotas, and adjusts them.
pub struct QuotaService {
    shared: Arc<Shared>,
    booking: Arc<BookingService>,
}

impl QuotaService {
    /// On the book.
    pub const fn new(shared: Arc<Shared>, booking: Arc<BookingService>) -> Self {
        Self { shared, booking }
    }

    /// The quotas in force now and what is used of them: of all for operators, for others of those that concern them.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn standings(&self, access: Access<'_>) -> Result<QuotaStandings, Fault> {
        let (state, now) = (self.shared.state().await?, self.shared.now());
        let Some(quotas) = self.shared.quotas(&state, now) else {
            return Ok(QuotaStandings::default());
        };
        let (reservations, from) = self.booking.held_reservations(&quotas, &state, now).await?;
        let whose = (!access.is_operator()).then(|| access.owner.to_owned());
        let adjustments = Arc::clone(&state.quota_adjustments);
        let standings = blocking(move || {
            let is_held = |id: &str| state.is_held(id);
            let mut held = state.holders.holdings(&state.book, is_held, now, None);
            held.extend(reservations.ended((from, now), None));
            let nodes_of = |partition: &str| SiteQuotas::nodes_of(&state.cluster.nodes, partition);
            let asked = (now, whose.as_deref());
            let mut told = standings(&quotas.quotas, &quotas.zone, asked, &held, &nodes_of);
            if quotas.has_budgets() {
                let projects = state.callers().projects();
                let taken = reservations.of_budgets(projects, now, &[]);
                let (rules, zone) = (&quotas.quotas, &quotas.zone);
                told.extend(budget_standings(rules, zone, asked, &taken, &nodes_of));
            }
            told
        });
        Ok(QuotaStandings { standings: standings.await?, adjustments })
    }
}
