//! Power now: what is measured of nodes against what is planned, by cluster, partition and reservation.

mod excess;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use planner::dialogue::mean_power;
use planner::identity::ReservationId;
use planner::metering::{LONGEST_GAP, MeterScope, newest_power};
use planner::node::Node;
use planner::quantity::Power;
use planner::reservation::{Reservation, ReservationState};
use planner::time::{Seconds, Span, Timestamp};
use storage::{Filter, NewestSample};

use super::book_views::BookViewService;
use super::booking::BookingService;
use super::shared::{Access, Fault, KeptState, Shared, SiteState, blocking};
use crate::config::meters::{MeterSettings, Metering};

pub use excess::{LEASE, LOOK};

/// Tells power now.
pub struct LivePowerService {
    shared: Arc<Shared>,
    booking: Arc<BookingService>,
    book_views: Arc<BookViewService>,
}

/// Power now.
#[derive(Clone, Debug, PartialEq)]
pub struct LivePower {
    /// The instant.
    pub at: Timestamp,
    /// What counts against the cap now.
    pub reserved: Power,
    /// The cap in force; `None` where none is known.
    pub cap: Option<Power>,
    /// What the first meter of the site that has a sample says.
    pub site: Option<Power>,
    /// All nodes.
    pub cluster: NodesPower,
    /// Since when these draw more than planned; `None` where that was not told.
    pub above_plan_since: Option<Timestamp>,
    /// The nodes of each partition, by name.
    pub partitions: Vec<(String, NodesPower)>,
    /// The reservations that last now, by id.
    pub reservations: Vec<ReservationPower>,
}

/// Power of some nodes. What is planned of a node is its share of the mean power of the reservation that has it, else its
/// idle power.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodesPower {
    /// How many nodes.
    pub nodes: u32,
    /// How many of them have a sample that is no older than its meter's longest gap.
    pub measured_nodes: u32,
    /// What these draw.
    pub measured: Power,
    /// What was planned of these.
    pub planned_of_measured: Power,
    /// What was planned of all.
    pub planned: Power,
}

/// Power of a reservation.
#[derive(Clone, Debug, PartialEq)]
pub struct ReservationPower {
    /// Its id.
    pub id: ReservationId,
    /// Whose it is.
    pub owner: String,
    /// Its nodes.
    pub power: NodesPower,
    /// Since when these draw more than planned; `None` where that was not told.
    pub above_plan_since: Option<Timestamp>,
}

impl LivePowerService {
    /// On what all services share, and the book.
    pub const fn new(
        shared: Arc<Shared>,
        booking: Arc<BookingService>,
        book_views: Arc<BookViewService>,
    ) -> Self {
        Self { shared, booking, book_views }
    }

    /// Power now; of reservations those that the caller may see.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn power(&self, access: Access<'_>) -> Result<LivePower, Fault> {
        let mut power = self.power_of_all().await?;
        let excesses = self.shared.database.power_excesses().await?;
        let told = excesses.iter().filter(|it| it.excess.is_told);
        let told: HashMap<Option<ReservationId>, Timestamp> =
            told.map(|it| (it.reservation_id, it.excess.since)).collect();
        power.above_plan_since = told.get(&None).copied();
        power.reservations.retain(|it| access.permits(&it.owner));
        for reservation in &mut power.reservations {
            reservation.above_plan_since = told.get(&Some(reservation.id)).copied();
        }
        Ok(power)
    }

    /// Power now, but for what was told of it.
    async fn power_of_all(&self) -> Result<LivePower, Fault> {
        let now = self.shared.now();
        let newest = self.shared.database.newest_samples(now - LONGEST_GAP).await?;
        let (from, to) = (Some(now), Some(now + Seconds::ONE));
        let states = vec![ReservationState::Confirmed, ReservationState::Active];
        let filter = Filter { states, from, to, ..Filter::default() };
        let reservations = self.booking.all_reservations(filter).await?;
        let state = self.shared.state().await?;
        let newest_state = KeptState { state: Arc::clone(&state), as_of: None };
        let profile = match Span::starting(now, Seconds::ONE) {
            Some(span) => {
                self.book_views.power_profile(span, &newest_state).await?.steps.first().copied()
            }
            None => None,
        };
        let settings = Arc::clone(&self.shared.settings);
        let sum_up = move || power_now(&settings.metering, now, &newest, &reservations, &state);
        let mut power = blocking(sum_up).await?;
        power.reserved = profile.map(|step| step.reserved).unwrap_or_default();
        power.cap = profile.and_then(|step| step.cap);
        Ok(power)
    }
}

/// Power now, but for the cap, what counts against it, and what was told.
fn power_now(
    metering: &Metering,
    now: Timestamp,
    newest: &[NewestSample],
    reservations: &[Reservation],
    state: &SiteState,
) -> LivePower {
    let nodes = &state.cluster.nodes;
    let fresh = FreshPowers::new(metering, now, newest);
    let measured: Vec<Option<Power>> = (0..nodes.count())
        .map(|ordinal| fresh.of(MeterScope::Node, &nodes.name(ordinal)))
        .collect();
    let mut planned: Vec<Power> = nodes.as_slice().iter().map(Node::idle).collect();
    let known: HashMap<String, &Reservation> =
        reservations.iter().map(|it| (it.id.to_string(), it)).collect();
    let mut held = Vec::new();
    for booking in state.book.bookings().iter().filter(|it| it.span.contains(now)) {
        let Some(reservation) = known.get(&*booking.id) else { continue };
        let Some(offer) = reservation.chosen_offer() else { continue };
        let ordinals: Vec<u32> =
            booking.ranks.positions().map(|rank| state.cluster.reference.ordinal(rank)).collect();
        let mean = mean_power(offer.terms.values.energy, booking.span).as_microwatts();
        let each = mean / i64::try_from(ordinals.len().max(1)).unwrap_or(i64::MAX);
        for ordinal in &ordinals {
            planned[*ordinal as usize] = Power::from_microwatts(each);
        }
        held.push((*reservation, ordinals));
    }
    let sum = |ordinals: &mut dyn Iterator<Item = u32>| {
        let mut sum = NodesPower::default();
        for ordinal in ordinals {
            sum.add(planned[ordinal as usize], measured[ordinal as usize]);
        }
        sum
    };
    let mut partitions: BTreeMap<String, NodesPower> = BTreeMap::new();
    for ordinal in 0..nodes.count() {
        for partition in nodes.labels().of(ordinal).into_iter().flat_map(|it| &it.partitions) {
            let of_partition = partitions.entry(partition.to_string()).or_default();
            of_partition.add(planned[ordinal as usize], measured[ordinal as usize]);
        }
    }
    let of_reservation = |(reservation, ordinals): (&Reservation, Vec<u32>)| ReservationPower {
        id: reservation.id,
        owner: reservation.owner.clone(),
        power: sum(&mut ordinals.into_iter()),
        above_plan_since: None,
    };
    let mut reservations: Vec<ReservationPower> = held.into_iter().map(of_reservation).collect();
    reservations.sort_by_key(|it| it.id.as_uuid());
    LivePower {
        at: now,
        reserved: Power::ZERO,
        cap: None,
        site: fresh.of_site(),
        cluster: sum(&mut (0..nodes.count())),
        above_plan_since: None,
        partitions: partitions.into_iter().collect(),
        reservations,
    }
}

impl NodesPower {
    /// Adds a node.
    fn add(&mut self, planned: Power, measured: Option<Power>) {
        self.nodes += 1;
        self.planned = self.planned + planned;
        if let Some(measured) = measured {
            self.measured_nodes += 1;
            self.measured = self.measured + measured;
            self.planned_of_measured = self.planned_of_measured + planned;
        }
    }
}

/// Powers by meters whose newest samples are no older than their longest gap.
struct FreshPowers<'n> {
    /// By scope and name: the rank of the meter in the settings, and the power.
    powers: HashMap<(MeterScope, &'n str), (usize, Power)>,
}

impl<'n> FreshPowers<'n> {
    fn new(metering: &Metering, now: Timestamp, newest: &'n [NewestSample]) -> Self {
        let mut powers: HashMap<(MeterScope, &str), (usize, Power)> = HashMap::new();
        let described = |it: &NewestSample, settings: &MeterSettings| {
            *settings.meter.name == *it.meter && settings.meter.values == it.values
        };
        for it in newest {
            let rank = metering.meters.iter().position(|settings| described(it, settings));
            let Some(rank) = rank else { continue };
            let meter = &metering.meters[rank].meter;
            let fresh = it.sample.at.second() + meter.longest_gap >= now;
            let power = newest_power(meter, it.sample, it.before).filter(|_| fresh);
            let Some(power) = power else { continue };
            let known = powers.entry((meter.covers, &*it.node)).or_insert((rank, power));
            if rank < known.0 {
                *known = (rank, power);
            }
        }
        Self { powers }
    }

    /// What the first meter of the settings says of a name.
    fn of(&self, scope: MeterScope, name: &str) -> Option<Power> {
        self.powers.get(&(scope, name)).map(|(_, power)| *power)
    }

    /// What the first meter of the site says.
    fn of_site(&self) -> Option<Power> {
        let of_site = self.powers.iter().filter(|((scope, _), _)| *scope == MeterScope::Site);
        of_site.map(|(_, rank_and_power)| *rank_and_power).min().map(|(_, power)| power)
    }
}
