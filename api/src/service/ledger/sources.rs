//! What an hour's statement is made of.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use planner::agenda::{Piece, RateAgenda};
use planner::identity::ReservationId;
use planner::ledger::{
    Claim, ClaimedDraw, Holder, Hour, Interval, LedgerRow, Party, StatedJobs, Tariff,
    without_other_co2,
};
use planner::node_set::NodeSet;
use planner::quantity::{CarbonIntensity, EnergyPrice};
use planner::resource_manager::NodePower;
use planner::time::{Span, Timestamp};
use storage::{EpochId, HeldNodes, LedgerSources, NodePowerState, PowerAction};

use super::measured::Measured;
use super::{HOUR, LedgerService, QUARTER};
use crate::config::job_owners::OwnerUsers;
use crate::config::ledger::LedgerSettings;
use crate::config::racks::Racks;
use crate::service::shared::provenance::Co2Accounting;
use crate::service::shared::{EpochNodes, Fault, StoredWords, blocking, rates};

/// Everything that a window's claims are made of.
pub(super) struct Claimed<'a> {
    settings: &'a LedgerSettings,
    /// Which owner a job's user is; `None` where there is no resource manager.
    pub(super) owners: Option<&'a OwnerUsers>,
    pub(super) sources: &'a LedgerSources,
    /// Whose the reservations of the window are, and what their requests say.
    pub(super) reservations: HashMap<ReservationId, (&'a HeldNodes, StoredWords)>,
    /// The jobs of the window as it was stated with them before.
    pub(super) stated: &'a StatedJobs,
    pub(super) window: Span,
}

/// What an hour amounts to.
#[derive(Default)]
pub(super) struct HourRows {
    /// By party.
    pub(super) rows: Vec<LedgerRow>,
    /// How CO2 is counted by the accounting that the site does not plan by; `None` where nothing is known of it.
    pub(super) other_co2: Option<Co2Accounting>,
}

/// Intensities of the accounting that the site does not plan by.
#[derive(Default)]
pub(super) struct OtherIntensities {
    /// `None` where the settings name no sources of it.
    accounting: Option<Co2Accounting>,
    /// In the order of time, in millionths of a gram per kWh.
    pieces: Vec<Piece<i64>>,
}

impl OtherIntensities {
    /// What is known in a part of the time, and how it is counted; `None` where it is nothing.
    fn within(
        &self,
        window: Span,
    ) -> Result<Option<(Co2Accounting, RateAgenda<CarbonIntensity>)>, Fault> {
        let pieces = self.pieces.iter().filter_map(|piece| {
            Some(Piece { span: piece.span.intersection(window)?, value: piece.value })
        });
        let pieces: Vec<Piece<i64>> = pieces.collect();
        let Some(accounting) = self.accounting.filter(|_| !pieces.is_empty()) else {
            return Ok(None);
        };
        let intensities = rates(pieces, CarbonIntensity::from_millionths_g_per_kwh);
        Ok(Some((accounting, intensities.map_err(Fault::internal)?)))
    }
}

impl HourRows {
    /// Of an hour of a closed month of which it was not known: what it emits by that is no news of the month that is open.
    pub(super) fn without_other_co2(self) -> Self {
        Self { rows: without_other_co2(self.rows), other_co2: None }
    }
}

impl LedgerService {
    pub(super) fn settings(&self) -> &LedgerSettings {
        &self.shared.settings.ledger
    }

    /// The rows of an hour, by all that is known now, with its jobs as it was `stated` with them before.
    pub(super) async fn rows_of(
        &self,
        hour: Timestamp,
        stated: StatedJobs,
        other_co2: &OtherIntensities,
    ) -> Result<HourRows, Fault> {
        let Some(window) = Span::starting(hour, HOUR) else { return Ok(HourRows::default()) };
        let mut sources = self.shared.database.ledger_sources(window).await?;
        let mut epochs = Vec::with_capacity(sources.epochs.len());
        for &(id, began) in &sources.epochs {
            epochs.push((id, began, self.shared.nodes_of_epoch(id).await?));
        }
        let measured = self.measured(window).await?;
        let price = rates(std::mem::take(&mut sources.price), EnergyPrice::from_millionths_per_mwh);
        let co2 =
            rates(std::mem::take(&mut sources.co2), CarbonIntensity::from_millionths_g_per_kwh);
        let (other_co2, other) = other_co2.within(window)?.unzip();
        let settings = std::sync::Arc::clone(&self.shared.settings);
        let tariff = Tariff {
            price: price.map_err(Fault::internal)?,
            currency: settings.currency,
            by_location: co2.map_err(Fault::internal)?,
            by_market: settings.ledger.market.as_ref().map(|market| market.intensity),
            other,
        };
        blocking(move || {
            let owners = settings.manager.as_ref().map(|manager| &manager.owners);
            let claimed = Claimed::new(&settings.ledger, owners, &sources, &stated, window)?;
            let mut hour = Hour::new(&tariff);
            for (index, (id, began, nodes)) in epochs.iter().enumerate() {
                let ends = epochs.get(index + 1).map_or(window.end(), |(_, next, _)| *next);
                let in_force = Span::new(window.start().max(*began), ends);
                let Some(in_force) = in_force else { continue };
                let claims = claimed.of_epoch(*id, nodes);
                let racks = racks_of(&settings.racks, nodes);
                let measured_nodes = measured.of_epoch(nodes);
                for span in quarters(in_force) {
                    let of_nodes = measured_nodes.during(span);
                    let of_racks = measured.of_racks(span, &racks, &of_nodes);
                    hour.add(&Interval {
                        span,
                        nodes: &nodes.nodes,
                        claims: &claims,
                        measured: &of_nodes,
                        racks: &of_racks,
                        site: measured.of_site(span),
                        overheads: &settings.ledger.overheads,
                    });
                }
            }
            Ok(HourRows { rows: hour.rows(), other_co2 })
        })
        .await?
    }

    /// What is known of the accounting that the site does not plan by, from one hour to another, this included.
    pub(super) async fn other_co2(
        &self,
        first: Timestamp,
        last: Timestamp,
    ) -> Result<OtherIntensities, Fault> {
        let settings = &self.shared.settings.feeds;
        let accounting = settings.other_co2().and_then(|it| Co2Accounting::of(it.kind));
        let Some((accounting, window)) = accounting.zip(Span::new(first, last + HOUR)) else {
            return Ok(OtherIntensities::default());
        };
        let known = self.feeds.other_co2(window, None).await?.unwrap_or_default();
        let pieces = known.iter().map(|it| it.piece).collect();
        Ok(OtherIntensities { accounting: Some(accounting), pieces })
    }

    /// What meters measured in a window.
    async fn measured(&self, window: Span) -> Result<Measured, Fault> {
        // A site without meters need not be asked.
        let found = match self.shared.settings.metering.meters.as_slice() {
            [] => Vec::new(),
            _ => self.measurements.quarters(window, None).await?,
        };
        Ok(Measured::new(found))
    }
}

/// The quarter-hours of a span, the first and the last of which may be shorter.
fn quarters(span: Span) -> impl Iterator<Item = Span> {
    let mut start = span.start();
    std::iter::from_fn(move || {
        let next = (start + planner::time::Seconds::ONE).ceil_to(QUARTER).min(span.end());
        let quarter = Span::new(start, next)?;
        start = next;
        Some(quarter)
    })
}

impl<'a> Claimed<'a> {
    /// What is known of a window; a stored request that cannot be read is a fault that names its reservation.
    pub(super) fn new(
        settings: &'a LedgerSettings,
        owners: Option<&'a OwnerUsers>,
        sources: &'a LedgerSources,
        stated: &'a StatedJobs,
        window: Span,
    ) -> Result<Self, Fault> {
        let mut reservations = HashMap::new();
        for held in &sources.held {
            if let Entry::Vacant(vacant) = reservations.entry(held.reservation) {
                vacant.insert((held, StoredWords::of(held)?));
            }
        }
        Ok(Self { settings, owners, sources, reservations, stated, window })
    }

    /// Who had which nodes of an epoch.
    pub(super) fn of_epoch(&self, id: EpochId, nodes: &EpochNodes) -> Vec<Claim> {
        let held = self.sources.held.iter().filter(|held| held.epoch == id);
        let held = held.map(|held| self.of_reservation(held, nodes));
        let jobs = self.of_jobs(id, nodes);
        let switched = self.sources.switched.iter();
        let switched = switched.filter(|action| !self.power_is_known(action));
        let switched = switched.filter_map(|action| self.of_switching(action, nodes));
        let powers = power_claims(&self.sources.powers, self.window, nodes);
        held.chain(jobs).chain(switched).chain(powers).collect()
    }

    fn of_reservation(&self, held: &HeldNodes, nodes: &EpochNodes) -> Claim {
        let (_, words) = &self.reservations[&held.reservation];
        let party = Party {
            reservation: Some(held.reservation),
            user: held.owner.clone(),
            owner: held.owner.clone(),
            project: self.project(words, None),
            application: words.label("application"),
            partition: words.partition.clone().unwrap_or_default(),
            ..Party::of(Holder::Reservation)
        };
        // Where jobs are known, nodes without one are idle.
        let draw = if held.managed { ClaimedDraw::Idle } else { busy(Some(held), words) };
        let ordinals = nodes.order.ordinals(&held.ranks);
        Claim { party, span: held.span, nodes: ordinals, draw }
    }

    fn of_switching(&self, action: &PowerAction, nodes: &EpochNodes) -> Option<Claim> {
        let span = Span::new(action.ordered?, action.done.unwrap_or(self.window.end()))?;
        let nodes = nodes.ordinals(std::iter::once(action.node.as_str()));
        Some(Claim { party: Party::of(Holder::Switching), span, nodes, draw: ClaimedDraw::Idle })
    }

    /// Whether the resource manager said of the node's power before an action began, and so of what became of it.
    fn power_is_known(&self, action: &PowerAction) -> bool {
        let mut of_node = self.sources.powers.iter().filter(|it| it.node == action.node);
        of_node.any(|it| action.ordered.is_some_and(|ordered| it.since <= ordered))
    }

    /// The project by the first rule of the settings that says one.
    pub(super) fn project(&self, words: &StoredWords, account: Option<&str>) -> String {
        self.settings.project(Some(&words.project()), account)
    }
}

/// Nodes that are used as a request says; in a slower state they draw what was planned.
pub(super) fn busy(held: Option<&HeldNodes>, words: &StoredWords) -> ClaimedDraw {
    let slowed = held.and_then(|it| it.slowed_draw);
    slowed.map_or_else(|| ClaimedDraw::Busy(words.utilisation()), ClaimedDraw::Each)
}

/// Nodes that were off or on their way in a window, those together that were so at the same time.
fn power_claims(powers: &[NodePowerState], window: Span, nodes: &EpochNodes) -> Vec<Claim> {
    let mut alike: BTreeMap<(Holder, Timestamp, Timestamp), Vec<&str>> = BTreeMap::new();
    for (index, state) in powers.iter().enumerate() {
        let holder = match state.power {
            NodePower::On => continue,
            NodePower::Off => Holder::Off,
            NodePower::PoweringUp | NodePower::PoweringDown => Holder::Switching,
        };
        let next = powers.get(index + 1).filter(|next| next.node == state.node);
        let end = next.map_or(window.end(), |next| next.since);
        let from = state.since.max(window.start());
        alike.entry((holder, from, end)).or_default().push(&state.node);
    }
    let claim = |((holder, from, end), names): (_, Vec<&str>)| {
        let draw = if holder == Holder::Off { ClaimedDraw::Nothing } else { ClaimedDraw::Idle };
        let nodes = nodes.ordinals(names.into_iter());
        Some(Claim { party: Party::of(holder), span: Span::new(from, end)?, nodes, draw })
    };
    alike.into_iter().filter_map(claim).collect()
}

/// The nodes of each rack that an epoch has.
fn racks_of<'a>(racks: &'a Racks, nodes: &EpochNodes) -> Vec<(&'a str, NodeSet)> {
    let set = |names: &'a [String]| nodes.ordinals(names.iter().map(String::as_str));
    racks.iter().map(|(name, names)| (name, set(names))).filter(|it| !it.1.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::ledger::worked_example::{at, held, no_sources, nodes, span};

    #[test]
    fn a_stored_request_that_cannot_be_read_is_told_with_its_reservation() {
        let window = span(0, 3600);
        let sources = |request: &str| LedgerSources {
            held: vec![held(request, window, 0, 0)],
            ..no_sources()
        };
        let stated = StatedJobs::default();
        let settings = LedgerSettings::read(toml::from_str("").unwrap()).unwrap();
        assert!(Claimed::new(&settings, None, &sources("{\"nodes\": 2}"), &stated, window).is_ok());
        let broken = sources("{\"labels\": 1}");
        let Err(Fault::Internal(error)) = Claimed::new(&settings, None, &broken, &stated, window)
        else {
            panic!("it is a fault of the service")
        };
        let told = format!("{error:#}");
        assert!(told.contains(&uuid::Uuid::nil().to_string()), "{told}");
    }

    /// n0 went off before the hour, was switched on at 600 s and was there at 900 s; n1 went off with it; n9 is none of
    /// ours.
    #[test]
    fn nodes_are_off_as_the_resource_manager_said() {
        let state = |node: &str, since: i64, power| NodePowerState {
            node: node.to_owned(),
            since: at(since),
            power,
        };
        let powers = [
            state("n0", -50, NodePower::Off),
            state("n0", 600, NodePower::PoweringUp),
            state("n0", 900, NodePower::On),
            state("n1", -50, NodePower::Off),
            state("n9", 100, NodePower::Off),
        ];
        let nodes = nodes(2);
        let window = span(0, 3600);
        let claims = power_claims(&powers, window, &nodes);
        let told: Vec<(Holder, i64, i64, u32)> = claims
            .iter()
            .filter(|it| !it.nodes.is_empty())
            .map(|it| {
                let (start, end) = (it.span.start(), it.span.end());
                let count = it.nodes.count();
                (it.party.holder, start.as_unix_seconds(), end.as_unix_seconds(), count)
            })
            .collect();
        let (off, switching) = (Holder::Off, Holder::Switching);
        assert_eq!(told, [(switching, 600, 900, 1), (off, 0, 600, 1), (off, 0, 3600, 1)]);
    }

    /// 100 g/kWh until 5400 s and 300 after it, to 9000 s. The second hour has half an hour of each, the third half an hour of 300, and of
    /// the fourth nothing is known.
    #[test]
    fn an_hour_has_its_part_of_what_is_known_of_the_other_accounting() {
        use grid_feeds::feed::{Accounting, Factors};

        let gram = 1_000_000;
        let accounting =
            Co2Accounting { accounting: Accounting::Marginal, factors: Some(Factors::Direct) };
        let known = OtherIntensities {
            accounting: Some(accounting),
            pieces: vec![
                Piece { span: span(0, 5400), value: 100 * gram },
                Piece { span: span(5400, 9000), value: 300 * gram },
            ],
        };
        let lengths = |hour: i64| {
            let window = span(hour * 3600, (hour + 1) * 3600);
            let (counted, intensities) = known.within(window).unwrap()?;
            assert_eq!(counted, accounting);
            let pieces = intensities.agenda().pieces().iter();
            Some(pieces.map(|piece| piece.span.length().get()).collect::<Vec<_>>())
        };
        assert_eq!(lengths(1), Some(vec![1800, 1800]));
        assert_eq!(lengths(2), Some(vec![1800]));
        assert_eq!(lengths(3), None);
        assert!(OtherIntensities::default().within(span(0, 3600)).unwrap().is_none());
    }

    /// From 500 to 2000 lie the rest of one quarter-hour, a whole one and the beginning of the next.
    #[test]
    fn quarters_are_those_of_the_clock() {
        let lengths: Vec<i64> = quarters(span(500, 2000)).map(|it| it.length().get()).collect();
        assert_eq!(lengths, [400, 900, 200]);
    }
}
