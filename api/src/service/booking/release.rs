//! Releases: an active reservation is ended early, or gives back some of its nodes.

use planner::extension::values_of;
use planner::identity::ReservationId;
use planner::json::JsonError;
use planner::node_set::NodeSet;
use planner::quantity::Energy;
use planner::replacement::Holding;
use planner::reservation::{Reservation, ReservationState};
use planner::resource_manager::{JobPhase, ManagedJob, WithJobs};
use planner::time::{Span, Timestamp};
use storage::{ChangeError, NewNodes, PlanBasis, ProposeError, Unchanged};

use super::draws::Draws;
use super::{BookingError, BookingService, ChangedReservation};
use crate::service::shared::{Access, Cluster, SiteState, blocking};

/// How often nodes are given back anew when others change the book meanwhile.
const TRIES: usize = 8;

/// What is given back of a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenBack {
    /// All of its nodes: it is over.
    All,
    /// So many of its nodes: those without running jobs first, and of these the most-drawing.
    Count(u32),
    /// These nodes, by name.
    Named(Vec<Box<str>>),
}

impl BookingService {
    /// Gives back an active reservation, or some of its nodes, from now on.
    ///
    /// # Errors
    /// `WrongState` where it does not run, `HasJobs` where the site does not want that, `VersionMismatch`,
    /// `NoReservation`, `Quote` where it does not have these nodes, `BookChanged`.
    pub async fn release(
        &self,
        access: Access<'_>,
        id: ReservationId,
        given_back: &GivenBack,
        version: Option<i64>,
    ) -> Result<ChangedReservation, BookingError> {
        for _ in 0..TRIES {
            let stored = self.expected_reservation(access, id, version).await?;
            let state = stored.state_at(self.shared.now());
            if state != ReservationState::Active {
                return Err(not_running(state));
            }
            if *given_back == GivenBack::All {
                return self.release_all(stored, version).await;
            }
            // Read later, so that whatever was chosen is in it.
            let state = self.shared.state().await?;
            let Some(basis) = state.marks.map(PlanBasis::from) else { continue };
            let now = self.shared.now();
            let held = state.held_from(id, now);
            let jobs = self.running_jobs(id, now).await?;
            let given = given_back.ranks(&held, &jobs, &state.cluster)?;
            if held.iter().all(|(_, ranks)| ranks.difference(&given).is_empty()) {
                return self.release_all(stored, version).await;
            }
            self.refuse_where_jobs_run(id, &given, &jobs, &state.cluster)?;
            let (draws, row_version) = (self.draws(&stored, &state), stored.row_version);
            let read = stored.clone();
            let kept = blocking(move || draws.kept(&read, &held, &given, now)).await?;
            let Some(kept) = kept else { continue };
            let unchanged = Unchanged { id, row_version, basis };
            match self.shared.database.release_nodes(unchanged, &kept, now).await {
                Ok(Some(released)) => {
                    metrics::counter!("wattbook_releases_total").increment(1);
                    let after = self.changed(released).await?;
                    return Ok(ChangedReservation { before: stored, after });
                }
                Err(ProposeError::Storage(error)) => return Err(error.into()),
                Ok(None) | Err(_) => {}
            }
        }
        Err(BookingError::BookChanged)
    }

    async fn release_all(
        &self,
        before: Reservation,
        version: Option<i64>,
    ) -> Result<ChangedReservation, BookingError> {
        let id = before.id;
        self.refuse_with_jobs(id).await?;
        let released = self.shared.database.release(id, self.shared.now(), version).await;
        let released = released.map_err(|error| match error {
            ChangeError::NotFound => BookingError::NoReservation(id),
            ChangeError::WrongState { state } => not_running(state),
            ChangeError::VersionMismatch { .. } => BookingError::VersionMismatch,
            ChangeError::BookChanged | ChangeError::BeingReplaced => BookingError::BookChanged,
            ChangeError::Storage(error) => error.into(),
        })?;
        metrics::counter!("wattbook_releases_total").increment(1);
        self.ring();
        Ok(ChangedReservation { before, after: released })
    }

    /// The jobs that run in a reservation, as far as they are known.
    pub(super) async fn running_jobs(
        &self,
        id: ReservationId,
        now: Timestamp,
    ) -> Result<Vec<ManagedJob>, BookingError> {
        if self.shared.settings.manager.is_none() {
            return Ok(Vec::new());
        }
        let jobs = self.shared.database.recent_managed_jobs_of(&[id], now).await?;
        let jobs = jobs.into_iter().map(|(_, job)| job);
        Ok(jobs.filter(|job| job.phase == JobPhase::Running).collect())
    }

    /// Refuses to give back nodes on which jobs run, where the site wants that.
    fn refuse_where_jobs_run(
        &self,
        id: ReservationId,
        given: &NodeSet,
        jobs: &[ManagedJob],
        cluster: &Cluster,
    ) -> Result<(), BookingError> {
        let manager = self.shared.settings.manager.as_ref();
        if manager.is_none_or(|it| it.rules.with_jobs != WithJobs::Refuse) {
            return Ok(());
        }
        let on_given = jobs.iter().filter(|job| nodes_of(job, cluster).intersects(given));
        let jobs: Vec<String> = on_given.map(|job| job.id.clone()).collect();
        if jobs.is_empty() { Ok(()) } else { Err(BookingError::HasJobs { id, jobs }) }
    }
}

impl SiteState {
    /// What a reservation holds from an instant on, in time order.
    pub(super) fn held_from(&self, id: ReservationId, now: Timestamp) -> Vec<Holding> {
        let id = id.to_string();
        let own = self.book.bookings().iter().filter(|it| *it.id == id);
        let rest = own.filter_map(|it| {
            let rest = Span::new(it.span.start().max(now), it.span.end())?;
            Some((rest, it.ranks.clone()))
        });
        rest.collect()
    }
}

impl GivenBack {
    /// The ranks of the nodes that are given back.
    fn ranks(
        &self,
        held: &[Holding],
        jobs: &[ManagedJob],
        cluster: &Cluster,
    ) -> Result<NodeSet, BookingError> {
        let all = held.iter().fold(NodeSet::new(), |all, (_, ranks)| all.union(ranks));
        let invalid = |message: String| {
            BookingError::InvalidRequest(vec![JsonError { pointer: "/nodes".to_owned(), message }])
        };
        match self {
            Self::All => Ok(all),
            Self::Count(count) if *count > all.count() => Err(invalid(format!(
                "it has {} nodes, of which {count} cannot be given back",
                all.count()
            ))),
            Self::Count(count) => {
                let busy = jobs.iter().map(|job| nodes_of(job, cluster));
                let busy = busy.fold(NodeSet::new(), |busy, nodes| busy.union(&nodes));
                let mut ranks: Vec<u32> = all.positions().collect();
                // The least-drawing have the lowest ranks.
                ranks.sort_by_key(|rank| (busy.contains(*rank), std::cmp::Reverse(*rank)));
                ranks.truncate(*count as usize);
                Ok(NodeSet::from_positions(ranks))
            }
            Self::Named(names) => ranks_of_named(names, &all, cluster, "node_names"),
        }
    }
}

/// The ranks of nodes of a reservation that the member `member` of a body names.
pub(super) fn ranks_of_named(
    names: &[Box<str>],
    all: &NodeSet,
    cluster: &Cluster,
    member: &str,
) -> Result<NodeSet, BookingError> {
    let index = cluster.nodes.index();
    let rank = |name: &str| {
        let ordinal = index.ordinal(name)?;
        let ranks = cluster.reference.ranks(&NodeSet::from_positions([ordinal]));
        ranks.positions().next().filter(|rank| all.contains(*rank))
    };
    let (mut ranks, mut errors) = (Vec::with_capacity(names.len()), Vec::new());
    for (position, name) in names.iter().enumerate() {
        match rank(name) {
            Some(rank) => ranks.push(rank),
            None => errors.push(JsonError {
                pointer: format!("/{member}/{position}"),
                message: format!("{name} is none of the nodes that it has"),
            }),
        }
    }
    if errors.is_empty() {
        Ok(NodeSet::from_positions(ranks))
    } else {
        Err(BookingError::InvalidRequest(errors))
    }
}

impl Draws {
    /// What a reservation keeps of what it holds, and the terms of its offer with that.
    fn kept(
        &self,
        stored: &Reservation,
        held: &[Holding],
        given: &NodeSet,
        from: Timestamp,
    ) -> Option<NewNodes> {
        let offer = stored.chosen_offer()?;
        let kept = held.iter().map(|(span, ranks)| (*span, ranks.difference(given)));
        let kept: Vec<Holding> = kept.filter(|(_, ranks)| !ranks.is_empty()).collect();
        let (_, last) = kept.last()?;
        let (agendas, currency) = (&self.state.agendas, self.settings.currency);
        let (nodes, (_, peak)) = (self.state.cluster.named(last), self.of(&offer.terms, last));
        let mut terms = offer.terms.clone();
        for (span, ranks) in held {
            let (draw, _) = self.of(&offer.terms, &ranks.intersection(given));
            terms = match values_of(draw, *span, agendas, currency) {
                Some(less) => terms.on_fewer_nodes(nodes.clone(), peak, &less),
                // An agenda has a gap now: in proportion to the energy.
                None => {
                    terms.redrawn(nodes.clone(), peak, Energy::default() - draw * span.length())
                }
            };
        }
        Some(NewNodes { offer: offer.id, from, holdings: kept, terms })
    }
}

/// The nodes of a job, as ranks of the book's order; those that are not ours are left out.
pub(super) fn nodes_of(job: &ManagedJob, cluster: &Cluster) -> NodeSet {
    let index = cluster.nodes.index();
    let ordinals = job.nodes.iter().filter_map(|name| index.ordinal(name));
    cluster.reference.ranks(&NodeSet::from_positions(ordinals))
}

fn not_running(state: ReservationState) -> BookingError {
    let way_out = match state {
        ReservationState::Confirmed
        | ReservationState::Proposed
        | ReservationState::AwaitingSupplier => {
            "it has not begun, so there is nothing to give back early; cancel it \
             (DELETE /api/v1/reservations/{id}, wattbook cancel)"
        }
        _ => "it has ended, so there is nothing to give back",
    };
    BookingError::WrongState { state: state.word().to_owned(), way_out }
}
