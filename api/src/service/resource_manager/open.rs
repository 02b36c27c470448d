//! Our managed reservations that are not settled for good, and what each ought to be by the book.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use planner::book::Booking;
use planner::node_set::NodeSet;
use planner::reservation::{Reservation, ReservationState, SharedRight};
use planner::resource_manager::WantedReservation;
use planner::time::{Span, Timestamp};
use storage::{OutageKind, StoredManagedReservation};

use super::ResourceManagerService;
use crate::config::job_owners::JobOwners;
use crate::config::slurm::ManagerSettings;
use crate::service::shared::{Fault, SiteState, blocking};

/// A managed reservation that is not settled for good.
pub(super) struct OpenReservation {
    pub row: StoredManagedReservation,
    pub stored: Reservation,
    /// As it ought to be from now on in the resource manager; `None` where it ought not to be.
    pub wanted: Option<WantedReservation>,
}

impl OpenReservation {
    fn new(
        (row, stored): (StoredManagedReservation, Reservation),
        settings: Option<&ManagerSettings>,
        state: &SiteState,
        bookings: &[&Booking],
        now: Timestamp,
    ) -> Self {
        let holding = settings.zip(holding(state, &stored, bookings, now));
        let wanted = holding.map(|(settings, (span, ranks))| {
            let JobOwners { users, accounts } = job_owners(settings, state, &stored);
            let (name, nodes) = (row.name.clone(), names(state, &ranks));
            WantedReservation { name, nodes, span, users, accounts }
        });
        Self { row, stored, wanted }
    }
}

/// Whose jobs may run in a reservation: its owner's, and those of the users with whom it is shared for that.
fn job_owners(settings: &ManagerSettings, state: &SiteState, stored: &Reservation) -> JobOwners {
    let shared = stored.shared_with.iter().filter(|it| it.may >= SharedRight::Use);
    let users = shared.flat_map(|it| state.callers().users_of(&it.receiver));
    users.fold(settings.owners.job_owners(&stored.owner), |all, user| {
        all.and(settings.owners.job_owners(user))
    })
}

impl ResourceManagerService {
    /// The book, and the managed reservations that are not settled for good.
    pub(super) async fn book(
        &self,
        now: Timestamp,
    ) -> Result<(Arc<SiteState>, Vec<OpenReservation>), Fault> {
        let rows = self.shared.database.managed_reservations_open().await?;
        // Read later, so that whatever was chosen is in it.
        let state = self.shared.state().await?;
        let (book, site) = (Arc::clone(&state), Arc::clone(&self.shared.settings));
        let open = blocking(move || {
            let mut held: HashMap<&str, Vec<&Booking>> = HashMap::new();
            for booking in book.book.bookings() {
                held.entry(&booking.id).or_default().push(booking);
            }
            let open = rows.into_iter().map(|row| {
                let bookings = held.get(row.1.id.to_string().as_str());
                let bookings = bookings.map_or(&[][..], Vec::as_slice);
                OpenReservation::new(row, site.manager.as_ref(), &book, bookings, now)
            });
            open.collect()
        });
        Ok((state, open.await?))
    }
}

/// When a reservation is to have which nodes from `now` on: those that it holds now or at its start.
/// What of them is occupied is left out once its owner was told that nothing can take its place.
fn holding(
    state: &SiteState,
    stored: &Reservation,
    bookings: &[&Booking],
    now: Timestamp,
) -> Option<(Span, NodeSet)> {
    let lives = [ReservationState::Confirmed, ReservationState::Active];
    if !lives.contains(&stored.state_at(now)) {
        return None;
    }
    let (_, span) = stored.chosen?;
    let begins = span.start().max(now);
    let booking = bookings.iter().find(|booking| booking.span.contains(begins));
    let ranks = booking.map_or_else(NodeSet::new, |booking| booking.ranks.clone());
    let rest = Span::new(begins, span.end())?;
    let ranks = if stored.degraded { ranks.difference(&occupied(state, rest)) } else { ranks };
    Some((span, ranks))
}

/// The nodes that are occupied at some instant of a span.
fn occupied(state: &SiteState, span: Span) -> NodeSet {
    let occupied = state.outages.iter().filter(|it| it.kind == OutageKind::Occupied);
    let then = occupied.filter(|it| it.span().is_some_and(|it| it.overlaps(span)));
    NodeSet::from_ranges(then.flat_map(|it| it.ranks.ranges().iter().cloned()).collect())
}

/// The names of ranks of the book's order.
pub(super) fn names(state: &SiteState, ranks: &NodeSet) -> BTreeSet<String> {
    let cluster = &state.cluster;
    let name = |rank| cluster.nodes.name(cluster.reference.ordinal(rank)).into_owned();
    ranks.positions().map(name).collect()
}

/// The ranks in the book's order of nodes by name; names that are not ours are left out.
pub(super) fn ranks<'n>(state: &SiteState, names: impl Iterator<Item = &'n String>) -> NodeSet {
    let cluster = &state.cluster;
    let index = cluster.nodes.index();
    let ordinals = names.filter_map(|name| index.ordinal(name));
    cluster.reference.ranks(&NodeSet::from_positions(ordinals))
}
