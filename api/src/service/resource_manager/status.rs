//! How both sides stand, for people: what `GET /api/v1/slurm` tells.

use std::collections::{BTreeSet, HashMap};

use planner::node_set::NodeSet;
use planner::resource_manager::{
    ManagedReservation, ManagedState, NodesCompared, WantedReservation, differences,
    reservation_id, told,
};
use planner::time::Timestamp;
use storage::OutageKind;

use super::fit::told_of_rights;
use super::open::OpenReservation;
use super::poll::{LastPoll, Seen, word_of};
use super::{LEASE, ResourceManagerService};
use crate::config::slurm::{ManagerMode, ManagerSettings};
use crate::service::shared::{Fault, HeldReading, HeldReadings, SiteState};

/// What everybody is told of the resource manager.
#[derive(Debug)]
pub struct ManagerSummary {
    /// Whether anything is changed there; `None` where there is no resource manager.
    pub mode: Option<ManagerMode>,
    /// Its release, once it was asked.
    pub version: Option<String>,
    /// Whether it answers, in a word.
    pub state: &'static str,
}

/// How the resource manager and the book stand to each other.
#[derive(Debug)]
pub struct ManagerStatus {
    /// Whether anything is changed there; `None` where there is no resource manager.
    pub mode: Option<ManagerMode>,
    /// The cluster's name, where it is known.
    pub cluster: Option<String>,
    /// Its release, once it was asked.
    pub version: Option<String>,
    /// By which way it is read.
    pub reads_by: Option<String>,
    /// By which way it is changed; `None` where it is not, or cannot be.
    pub writes_by: Option<String>,
    /// Whether it answers, in a word.
    pub state: &'static str,
    /// What is wrong, and what helps.
    pub because: Option<String>,
    /// When it answered last.
    pub last_poll: Option<Timestamp>,
    /// How far its clock is ahead of ours, seconds.
    pub clock_difference: Option<i64>,
    /// Our managed reservations that are not settled for good.
    pub counts: ReservationCounts,
    /// The nodes of both sides.
    pub nodes: NodesCompared,
    /// Managed reservations that are not as they ought to be.
    pub differences: Vec<BookedDifference>,
    /// Reservations there with names like ours that are not ours.
    pub unknown_reservations: Vec<String>,
    /// Jobs and reservations of others that occupy nodes, and how many nodes.
    pub occupied: (usize, usize, u32),
}

/// How many managed reservations are in which state.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReservationCounts {
    /// That have yet to be made.
    pub waiting: usize,
    /// That are as they ought to be.
    pub in_force: usize,
    /// That were refused.
    pub failed: usize,
    /// That somebody removed.
    pub lost: usize,
}

/// A managed reservation that is not as it ought to be.
#[derive(Clone, Debug)]
pub struct BookedDifference {
    /// Its name.
    pub reservation: String,
    /// How it differs.
    pub because: String,
}

impl ReservationCounts {
    fn of(open: &[OpenReservation]) -> Self {
        let count = |state| open.iter().filter(|it| it.row.state == state).count();
        Self {
            waiting: count(ManagedState::Waiting),
            in_force: count(ManagedState::InForce),
            failed: count(ManagedState::Failed),
            lost: count(ManagedState::Lost),
        }
    }
}

impl ResourceManagerService {
    /// What everybody is told. Who does not keep both sides equal asks the resource manager for this, no
    /// more often than it is polled.
    pub async fn summary(&self) -> ManagerSummary {
        let Some((settings, ports)) = self.connected() else {
            return ManagerSummary { mode: None, version: None, state: "absent" };
        };
        if !self.shared.leases.holds(LEASE) {
            self.poll_where_due(settings, ports).await;
        }
        let polled = self.last_poll();
        ManagerSummary {
            mode: Some(settings.mode),
            version: polled.about.as_ref().map(|it| it.version.clone()),
            state: match (&polled.failure, polled.last) {
                (Some(failure), _) => word_of(failure),
                (None, Some(_)) => "connected",
                (None, None) => "unknown",
            },
        }
    }

    /// How both sides stand, asked for as in [`Self::summary`].
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn status(&self) -> Result<ManagerStatus, Fault> {
        let ManagerSummary { mode, version, state: answers } = self.summary().await;
        let polled = self.last_poll().clone();
        // Read after the resource manager was: what it has of ours is in the book by then.
        let now = self.shared.now();
        let (state, open) = self.book(now).await?;
        let counts = ReservationCounts::of(&open);
        let occupied = occupied(&state);
        let Some((settings, _)) = self.connected() else {
            return Ok(absent(counts, occupied));
        };
        let seen = polled.seen.clone();
        let compared = match &seen {
            Some(seen) => self.compare(settings, &state, &seen.nodes.items).await?,
            None => NodesCompared::default(),
        };
        let unknown = match &seen {
            Some(seen) => self.unknown_reservations(seen, &open, polled.last).await?,
            None => Vec::new(),
        };
        let about = polled.about.as_ref();
        Ok(ManagerStatus {
            mode,
            cluster: about.and_then(|it| it.cluster.clone()).or_else(|| settings.cluster.clone()),
            version,
            reads_by: about.map(|it| it.reads_by.clone()),
            writes_by: about.and_then(|it| it.writes_by.clone().ok()),
            state: answers,
            because: because(settings, &polled),
            last_poll: polled.last,
            clock_difference: polled.clock_difference,
            counts,
            nodes: compared,
            differences: all_differences(&open, &polled, now),
            unknown_reservations: unknown,
            occupied,
        })
    }

    /// Names like ours that stand for no reservation of ours that is meant to be there.
    async fn unknown_reservations(
        &self,
        seen: &Seen,
        open: &[OpenReservation],
        polled: Option<Timestamp>,
    ) -> Result<Vec<String>, Fault> {
        let known: BTreeSet<&str> = open.iter().map(|it| it.row.name.as_str()).collect();
        let like_ours =
            seen.reservations.items.iter().filter(|it| reservation_id(&it.name).is_some());
        let others = like_ours.filter(|it| !known.contains(it.name.as_str()));
        let mut unknown: Vec<String> = others.map(|it| it.name.clone()).collect();
        // What was removed since it was read, or made since the book was, is no stranger.
        let ids: Vec<_> = unknown.iter().filter_map(|name| reservation_id(name)).collect();
        let rows = self.shared.database.managed_reservations_of(&ids).await?;
        unknown.retain(|name| {
            let row = rows.iter().find(|row| row.name == *name);
            row.is_none_or(|row| {
                row.state == ManagedState::Removed && polled.is_some_and(|last| row.changed < last)
            })
        });
        unknown.sort_unstable();
        Ok(unknown)
    }
}

/// Notes how many managed reservations are in which state.
pub(super) fn measure(open: &[OpenReservation], readings: &HeldReadings) {
    let counts = ReservationCounts::of(open);
    for (state, count) in [
        (ManagedState::Waiting, counts.waiting),
        (ManagedState::InForce, counts.in_force),
        (ManagedState::Failed, counts.failed),
        (ManagedState::Lost, counts.lost),
    ] {
        readings.note(LEASE, HeldReading::ManagedReservations(state), count as f64);
    }
}

/// What is told where there is no resource manager.
fn absent(counts: ReservationCounts, occupied: (usize, usize, u32)) -> ManagerStatus {
    ManagerStatus {
        mode: None,
        cluster: None,
        version: None,
        reads_by: None,
        writes_by: None,
        state: "absent",
        because: Some("the settings have no section [slurm]".to_owned()),
        last_poll: None,
        clock_difference: None,
        counts,
        nodes: NodesCompared::default(),
        differences: Vec::new(),
        unknown_reservations: Vec::new(),
        occupied,
    }
}

/// What is wrong, the worst first.
fn because(settings: &ManagerSettings, polled: &LastPoll) -> Option<String> {
    if let Some(failure) = &polled.failure {
        return Some(failure.to_string());
    }
    let about = polled.about.as_ref();
    if settings.drives() {
        if let Some(why) = about.and_then(|about| about.writes_by.clone().err()) {
            return Some(why);
        }
        if let Some(about) = about.filter(|about| about.may_write == Some(false)) {
            return told_of_rights(about.may_write);
        }
    }
    polled.trouble.clone().or_else(|| polled.told_of_clock())
}

/// Jobs and reservations that occupy nodes, and how many nodes. A reservation that is made again each day
/// counts once.
fn occupied(state: &SiteState) -> (usize, usize, u32) {
    let occupied = || state.outages.iter().filter(|it| it.kind == OutageKind::Occupied);
    let of = |kind: &str| {
        let keys = occupied().filter_map(|it| it.managed_key.as_deref());
        let names = keys.filter_map(|key| key.strip_prefix(kind)?.split(' ').next());
        names.collect::<BTreeSet<&str>>().len()
    };
    let ranges = occupied().flat_map(|it| it.ranks.ranges().iter().cloned()).collect();
    (of("job "), of("reservation "), NodeSet::from_ranges(ranges).count())
}

/// Managed reservations that are not as they ought to be, and how they differ.
fn all_differences(
    open: &[OpenReservation],
    polled: &LastPoll,
    now: Timestamp,
) -> Vec<BookedDifference> {
    let Some(seen) = &polled.seen else { return Vec::new() };
    let seen: HashMap<&str, &ManagedReservation> =
        seen.reservations.items.iter().map(|it| (it.name.as_str(), it)).collect();
    let mut found = Vec::new();
    // What was put in order since the list was read is not in it yet.
    let settled = |it: &&OpenReservation| {
        it.row.state == ManagedState::InForce
            && polled.last.is_some_and(|last| it.row.changed >= last)
    };
    for it in open.iter().filter(|it| !settled(it)) {
        let differs = difference(it.wanted.as_ref(), seen.get(it.row.name.as_str()).copied(), now);
        if let Some(differs) = differs {
            let because = it.row.because.as_ref().map_or_else(String::new, |it| format!(": {it}"));
            let reservation = it.row.name.clone();
            found.push(BookedDifference { reservation, because: differs + &because });
        }
    }
    found
}

fn difference(
    wanted: Option<&WantedReservation>,
    seen: Option<&ManagedReservation>,
    now: Timestamp,
) -> Option<String> {
    match (wanted, seen) {
        (None, None) => None,
        (Some(_), None) => Some("it is not there".to_owned()),
        (None, Some(_)) => Some("it is there, and ought not to be any more".to_owned()),
        (Some(wanted), Some(seen)) => {
            let found = differences(wanted, seen, now);
            (!found.is_empty()).then(|| told(&found))
        }
    }
}
