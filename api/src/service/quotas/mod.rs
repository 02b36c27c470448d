//! Quotas: what users and projects may hold now, and what they have used of it. What they are kept by is a part of booking.

use std::sync::Arc;

use planner::quota::{QuotaStanding, budget_standings, standings};

use super::booking::BookingService;
use super::shared::{Access, Fault, Shared, blocking};
use crate::config::quotas::SiteQuotas;

/// Tells how users and projects stand by the quotas.
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
    pub async fn standings(&self, access: Access<'_>) -> Result<Vec<QuotaStanding>, Fault> {
        let Some(quotas) = self.shared.settings.quotas.quotas.clone() else {
            return Ok(Vec::new());
        };
        let (state, now) = (self.shared.state().await?, self.shared.now());
        let (reservations, from) = self.booking.held_reservations(&quotas, &state, now).await?;
        let whose = (!access.is_operator()).then(|| access.owner.to_owned());
        blocking(move || {
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
        })
        .await
    }
}
