//! Swaps: other nodes take the place of some that a reservation has, for what is left of it.

use std::sync::Arc;

use planner::agenda::Agenda;
use planner::identity::ReservationId;
use planner::node_set::NodeSet;
use planner::quota::BudgetUse;
use planner::replacement::Holding;
use planner::reservation::{Reservation, ReservationState};
use planner::resource_manager::ManagedJob;
use planner::time::{Span, Timestamp};
use storage::{NewNodes, Outage, PlanBasis, ProposeError, Unchanged};

use super::not_swapped::NotSwapped;
use super::other_nodes::{Mended, OtherNodes};
use super::release::{nodes_of, ranks_of_named};
use super::replaced_notice::{node_names, nodes_replaced};
use super::{BookingError, BookingService, ChangedReservation};
use crate::service::shared::{Access, Cluster, Party, SiteState, blocking};

/// How often nodes are swapped anew when others change the book meanwhile.
const TRIES: usize = 8;

/// Which nodes of a reservation are to be swapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SwappedNodes {
    /// All that are out of service and run no job.
    OutOfService,
    /// These, by name.
    Named(Vec<Box<str>>),
}

/// What is swapped by what, or why it is not.
enum SwapPlan {
    Made(Box<Mended>),
    Refused(Box<NotSwapped>),
}

impl BookingService {
    /// Swaps nodes of a confirmed or active reservation for others: those that are named, or all that are out of service
    /// and run no job. The others stay, and so do start, length and number.
    ///
    /// # Errors
    /// `NotSwapped` with when others are free, `NothingToSwap`, `JobsOnNodes`, `Quota` where a budget is in the way,
    /// `InvalidRequest`, `NotTheirs`, `WrongState`, `VersionMismatch`, `NoReservation`, `BookChanged`.
    pub async fn swap(
        &self,
        access: Access<'_>,
        id: ReservationId,
        wanted: &SwappedNodes,
        version: Option<i64>,
    ) -> Result<ChangedReservation, BookingError> {
        let _booking = self.shared.pool.booking_turn(Party::of(access)).await?;
        for _ in 0..TRIES {
            let stored = self.expected_reservation(access, id, version).await?;
            // Read later, so that whatever was chosen is in it.
            let state = self.shared.state().await?;
            let Some(basis) = state.marks.map(PlanBasis::from) else { continue };
            let now = self.shared.now();
            let lives = [ReservationState::Confirmed, ReservationState::Active];
            if !lives.contains(&stored.state_at(now)) {
                return Err(BookingError::WrongState {
                    state: stored.state_at(now).word().to_owned(),
                    way_out: "only nodes of a confirmed or an active reservation can be swapped",
                });
            }
            let held = state.held_from(id, now);
            let Some(from) = held.iter().map(|(span, _)| span.start()).min() else { continue };
            let jobs = self.running_jobs(id, now).await?;
            let outages = state.outages_of(&held);
            let lost = to_be_swapped(wanted, &held, &jobs, &outages, &state.cluster)?;
            let made = match self.swapped(&stored, &state, held, lost, from, outages).await? {
                Some(SwapPlan::Made(made)) => made,
                Some(SwapPlan::Refused(refused)) => return Err(BookingError::NotSwapped(refused)),
                None => continue,
            };
            if let Some(more) = drawn_more(&stored, &made) {
                self.check_budgets_of(access, &stored, Some(more)).await?;
            }
            let notice = nodes_replaced(&stored, std::slice::from_ref(&*made), &state, now);
            let unchanged = Unchanged { id, row_version: stored.row_version, basis };
            let nodes: [NewNodes; 1] = [made.nodes];
            let (database, degraded) = (&self.shared.database, stored.lacks_power());
            match database.replace_nodes_of(unchanged, &nodes, degraded, &notice, now).await {
                Ok(true) => {
                    metrics::counter!("wattbook_swaps_total").increment(1);
                    let swapped = self.shared.database.reservation(id).await?;
                    let swapped = swapped.ok_or(BookingError::NoReservation(id))?;
                    let after = self.changed(swapped).await?;
                    return Ok(ChangedReservation { before: stored, after });
                }
                Err(ProposeError::Storage(error)) => return Err(error.into()),
                Ok(false) | Err(_) => {}
            }
        }
        Err(BookingError::BookChanged)
    }

    /// The nodes that take the place of others from an instant on, or why none can; `None` where nothing was chosen.
    async fn swapped(
        &self,
        stored: &Reservation,
        state: &Arc<SiteState>,
        held: Vec<Holding>,
        lost: NodeSet,
        from: Timestamp,
        outages: Vec<Outage>,
    ) -> Result<Option<SwapPlan>, BookingError> {
        let (settings, now) = (Arc::clone(&self.shared.settings), self.shared.now());
        let request = self.request_as_made(stored, state);
        let (state, stored) = (Arc::clone(state), stored.clone());
        let swapped = blocking(move || {
            let others = OtherNodes {
                state: &state,
                request: request.as_ref(),
                power: settings.power.as_ref(),
                currency: settings.currency,
                now,
            };
            let offer = stored.chosen_offer()?;
            let instead = |from| others.instead_of(&lost, from, &stored, offer, &held);
            Some(match instead(from) {
                Ok((nodes, by)) => {
                    let taken = outages.into_iter().filter(|it| it.ranks.intersects(&lost));
                    let outages = taken.collect();
                    SwapPlan::Made(Box::new(Mended { nodes, lost: lost.clone(), by, outages }))
                }
                Err(shortage) => {
                    let end = held.iter().map(|(span, _)| span.end()).max()?;
                    let changes = state.changes_within(Span::new(from, end)?);
                    // The later it begins, the less is in the way.
                    let first = changes.partition_point(|from| instead(*from).is_err());
                    let free_from = changes.get(first).copied();
                    let nodes = node_names(&lost, &state.cluster);
                    SwapPlan::Refused(Box::new(NotSwapped { nodes, shortage, free_from }))
                }
            })
        });
        Ok(swapped.await?)
    }
}

impl SiteState {
    /// The outages that take nodes of what is held while it is.
    fn outages_of(&self, held: &[Holding]) -> Vec<Outage> {
        let meets = |outage: &Outage| {
            held.iter().any(|(span, ranks)| {
                outage.span().is_some_and(|it| it.overlaps(*span)) && outage.ranks.intersects(ranks)
            })
        };
        self.outages.iter().filter(|outage| meets(outage)).cloned().collect()
    }

    /// The instants within a span at which bookings, outages or steps of the cap end, in order.
    fn changes_within(&self, span: Span) -> Vec<Timestamp> {
        let bookings = self.book.overlapping(span).map(|it| it.span.end());
        let outages = self.book.outages().overlapping(span).map(|it| it.span.end());
        let cap = self.agendas.power_cap.iter().flat_map(Agenda::pieces);
        let cap = cap.map(|piece| piece.span.end());
        let mut instants: Vec<Timestamp> =
            bookings.chain(outages).chain(cap).filter(|it| span.contains(*it)).collect();
        instants.sort_unstable();
        instants.dedup();
        instants
    }
}

/// What a reservation takes more by its other nodes for what is left of it; `None` where that is nothing.
fn drawn_more(stored: &Reservation, made: &Mended) -> Option<BudgetUse> {
    let before = &stored.chosen_offer()?.terms.values;
    let after = &made.nodes.terms.values;
    let (energy, cost, co2) =
        (after.energy - before.energy, after.cost - before.cost, after.co2 - before.co2);
    let amounts = [energy.as_microjoules(), cost.as_exact(), co2.as_exact()];
    if amounts.iter().all(|amount| *amount <= 0) {
        return None;
    }
    let end = made.nodes.holdings.iter().map(|(span, _)| span.end()).max()?;
    let span = Span::new(made.nodes.from, end)?;
    Some(BudgetUse { span, amounts, is_measured: false })
}

/// The nodes that are to be swapped, as ranks.
fn to_be_swapped(
    wanted: &SwappedNodes,
    held: &[Holding],
    jobs: &[ManagedJob],
    outages: &[Outage],
    cluster: &Cluster,
) -> Result<NodeSet, BookingError> {
    let all = held.iter().fold(NodeSet::new(), |all, (_, ranks)| all.union(ranks));
    let of_jobs: Vec<(&ManagedJob, NodeSet)> =
        jobs.iter().map(|job| (job, nodes_of(job, cluster))).collect();
    let refused = |ranks: &NodeSet| {
        let on_these = of_jobs.iter().filter(|(_, nodes)| nodes.intersects(ranks));
        BookingError::JobsOnNodes { jobs: on_these.map(|(job, _)| job.id.clone()).collect() }
    };
    let busy = of_jobs.iter().fold(NodeSet::new(), |busy, (_, nodes)| busy.union(nodes));
    let SwappedNodes::Named(names) = wanted else {
        let lost = outages.iter().fold(NodeSet::new(), |lost, it| lost.union(&it.ranks));
        let lost = lost.intersection(&all);
        let idle = lost.difference(&busy);
        return match (idle.is_empty(), lost.is_empty()) {
            (false, _) => Ok(idle),
            (true, true) => Err(BookingError::NothingToSwap),
            (true, false) => Err(refused(&lost)),
        };
    };
    let ranks = ranks_of_named(names, &all, cluster, "nodes")?;
    if ranks.intersects(&busy) { Err(refused(&ranks)) } else { Ok(ranks) }
}
