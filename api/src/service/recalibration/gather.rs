//! Quarter-hours of a window, with what nodes were used for in them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use planner::identity::ReservationId;
use planner::metering::{MeterScope, QuarterHour, QuarterSum};
use planner::node::Nodes;
use planner::node_set::NodeSet;
use planner::quantity::Power;
use planner::recalibration::{ExpectedDraw, FollowRules, Gathering, NodeUse, UsedFor};
use planner::resource_manager::JobPhase;
use planner::time::{Seconds, Span, Timestamp};
use storage::{EpochId, HeldNodes, LedgerSources, MeasuredRun, OccupiedQuarter, Outage};
use tokio_util::sync::CancellationToken;

use super::{LEAST_LOOKS, RecalibrationService};
use crate::service::measurements::NodeQuarters;
use crate::service::shared::{EpochNodes, Fault, SiteState, StoredWords, blocking};

/// So many quarter-hours of nodes are at hand at once, unless an hour has more.
const MOST_QUARTERS: u64 = 4_000_000;

/// The hours of the parts in which a window is gathered, of which a day has a whole number.
const PART_HOURS: [u32; 8] = [24, 12, 8, 6, 4, 3, 2, 1];

/// What is gathered of a window.
pub(super) struct Gathered {
    pub nodes: Arc<Nodes>,
    pub gathering: Gathering,
    runs: Runs,
    rules: FollowRules,
    /// Whether nodes may have other people's jobs on them.
    shared_nodes: bool,
}

/// The runs that were met.
#[derive(Default)]
struct Runs {
    numbers: HashMap<ReservationId, usize>,
    list: Vec<Run>,
}

/// The run of a reservation.
struct Run {
    reservation: ReservationId,
    owner: String,
    application: String,
    span: Span,
}

/// What the uses of a part of the window follow from.
struct Part {
    span: Span,
    sources: LedgerSources,
    outages: Vec<Outage>,
    occupied: Vec<OccupiedQuarter>,
    measured: Vec<NodeQuarters>,
    epochs: HashMap<EpochId, EpochNodes>,
}

impl RecalibrationService {
    /// What a window has, which begins and ends with quarter-hours; `None` where it was told to stop.
    pub(super) async fn gather(
        &self,
        state: &SiteState,
        window: Span,
        stop: &CancellationToken,
    ) -> Result<Option<Gathered>, Fault> {
        let (settings, database) = (&self.shared.settings, &self.shared.database);
        let mut gathered = Gathered {
            nodes: Arc::clone(&state.cluster.nodes),
            gathering: Gathering::new(state.cluster.nodes.count()),
            runs: Runs::default(),
            rules: settings.calibration.rules,
            shared_nodes: settings.manager.is_some(),
        };
        let mut known: HashMap<EpochId, EpochNodes> = HashMap::new();
        let length = part_length(state.cluster.nodes.count());
        let mut end = window.end();
        while let Some(span) = part_before(end, window.start(), length) {
            if stop.is_cancelled() {
                return Ok(None);
            }
            let sources = database.ledger_sources(span).await?;
            let outages = database.outages_during(span).await?;
            let quarters = [span.start(), span.end()].map(|it| QuarterHour::of(it).number());
            let occupied = database.occupied_quarters(quarters[0], quarters[1]).await?;
            let measured = self.measurements.quarters(span, None).await?;
            let epochs = sources.held.iter().map(|it| it.epoch);
            let epochs = epochs.chain(outages.iter().map(|it| it.epoch));
            for id in epochs.chain(occupied.iter().map(|it| it.epoch)) {
                if let Entry::Vacant(unknown) = known.entry(id) {
                    unknown.insert(self.shared.nodes_of_epoch(id).await?);
                }
            }
            let part = Part { span, sources, outages, occupied, measured, epochs: known.clone() };
            gathered = blocking(move || gathered.with(&part)).await??;
            end = span.start();
        }
        Ok(Some(gathered))
    }
}

/// The longest part of a window of which this many nodes have no more quarter-hours than are at hand at once.
fn part_length(nodes: u32) -> Seconds {
    let fits = |hours: &u32| u64::from(*hours) * 4 * u64::from(nodes) <= MOST_QUARTERS;
    let hours = PART_HOURS.into_iter().find(fits).unwrap_or(1);
    Seconds::new(i64::from(hours) * 3600)
}

/// The part of a day of UTC before an instant, or what of it is not before another.
fn part_before(end: Timestamp, first: Timestamp, length: Seconds) -> Option<Span> {
    let start = end.ceil_to(length) - length;
    Span::new(start.max(first), end)
}

impl Gathered {
    /// What was gathered, and a part of the window, quarter-hour by quarter-hour, the newest first.
    fn with(mut self, part: &Part) -> Result<Self, Fault> {
        let uses = self.uses(part)?;
        let index = self.nodes.index();
        let of_nodes = part.measured.iter().filter(|it| it.covers == MeterScope::Node);
        let measured: Vec<(u32, &NodeQuarters)> =
            of_nodes.filter_map(|it| Some((index.ordinal(&it.node)?, it))).collect();
        let nodes = Arc::clone(&self.nodes);
        let quarters: Vec<QuarterHour> = QuarterHour::within(part.span).collect();
        for quarter in quarters.into_iter().rev() {
            let mut powers: Vec<Option<Power>> = vec![None; nodes.count() as usize];
            for (ordinal, it) in &measured {
                let sum = it.of(quarter).map(|it| it.sum);
                powers[*ordinal as usize] = sum.and_then(QuarterSum::mean_power);
            }
            let of_quarter = self.occupied(quarter, part);
            let uses: Vec<NodeUse> =
                uses.iter().filter(|it| it.span.overlaps(quarter.span())).cloned().collect();
            let uses = [uses, of_quarter].concat();
            self.gathering.add_quarter(quarter, &nodes, &uses, &powers, &self.rules);
        }
        Ok(self)
    }

    /// What nodes were used for in a part of the window.
    fn uses(&mut self, part: &Part) -> Result<Vec<NodeUse>, Fault> {
        let mut uses = Vec::new();
        for held in &part.sources.held {
            // In a slower state nodes tell nothing of what they draw at full speed.
            let used_for = if held.slowed_draw.is_some() {
                UsedFor::Unknown
            } else {
                let run = self.runs.of(held, &mut self.gathering)?;
                // Where jobs are known, they are the runs.
                if held.managed { UsedFor::Kept } else { UsedFor::Run(run) }
            };
            let nodes = self.now(part, held.epoch, |it| it.order.ordinals(&held.ranks));
            uses.push(NodeUse { span: held.span, nodes, used_for });
        }
        let index = self.nodes.index();
        let named = |names: &[String]| {
            NodeSet::from_positions(names.iter().filter_map(|name| index.ordinal(name)))
        };
        for (reservation, job) in &part.sources.jobs {
            // Nodes with other people's jobs are known by quarter-hours.
            let Some(reservation) = reservation else { continue };
            let end = if job.phase == JobPhase::Ended { job.end } else { Some(part.span.end()) };
            let span = job.start.zip(end).and_then(|(start, end)| Span::new(start, end));
            let Some(span) = span else { continue };
            let run = self.runs.numbers.get(reservation).copied();
            let used_for = run.map_or(UsedFor::Unknown, UsedFor::Run);
            uses.push(NodeUse { span, nodes: named(&job.nodes), used_for });
        }
        for action in &part.sources.switched {
            let end = action.done.unwrap_or(part.span.end());
            let span = action.ordered.and_then(|start| Span::new(start, end));
            let nodes = named(std::slice::from_ref(&action.node));
            uses.extend(span.map(|span| NodeUse { span, nodes, used_for: UsedFor::Unknown }));
        }
        for outage in &part.outages {
            let nodes = self.now(part, outage.epoch, |it| it.order.ordinals(&outage.ranks));
            let span = outage.span();
            uses.extend(span.map(|span| NodeUse { span, nodes, used_for: UsedFor::Unknown }));
        }
        Ok(uses)
    }

    /// Where nodes may have other people's jobs on them: those that have in a quarter-hour; all where it was not looked.
    fn occupied(&self, quarter: QuarterHour, part: &Part) -> Vec<NodeUse> {
        if !self.shared_nodes {
            return Vec::new();
        }
        let span = quarter.span();
        let looked = part.occupied.iter().find(|it| it.quarter == quarter.number());
        let looked = looked.filter(|it| it.looks >= LEAST_LOOKS);
        let (nodes, used_for) = match looked {
            Some(it) => (self.now(part, it.epoch, |_| it.ordinals.clone()), UsedFor::Unknown),
            // What runs in reservations is known all the same.
            None => (NodeSet::from_positions(0..self.nodes.count()), UsedFor::Kept),
        };
        vec![NodeUse { span, nodes, used_for }]
    }

    /// Ordinals of an epoch as ordinals of the nodes that there are now, by name.
    fn now(
        &self,
        part: &Part,
        epoch: EpochId,
        ordinals: impl Fn(&EpochNodes) -> NodeSet,
    ) -> NodeSet {
        let Some(then) = part.epochs.get(&epoch) else { return NodeSet::default() };
        let ordinals = ordinals(then);
        if then.nodes.names() == self.nodes.names() {
            return ordinals;
        }
        let index = self.nodes.index();
        let now = ordinals.positions().filter_map(|it| index.ordinal(&then.nodes.name(it)));
        NodeSet::from_positions(now)
    }

    /// What runs drew that have ended by an instant.
    pub fn ended_runs(&self, by: Timestamp) -> Vec<MeasuredRun> {
        let measured = |(number, run): (usize, &Run)| {
            let sums = self.gathering.run(number);
            (sums.quarters > 0 && run.span.end() <= by).then(|| MeasuredRun {
                reservation: run.reservation,
                owner: run.owner.clone(),
                application: run.application.clone(),
                span: run.span,
                quarters: sums.quarters,
                utilisation: sums.utilisation(),
                alpha: sums.alpha(),
            })
        };
        self.runs.list.iter().enumerate().filter_map(measured).collect()
    }
}

impl Runs {
    /// The number of a reservation's run.
    fn of(&mut self, held: &HeldNodes, gathering: &mut Gathering) -> Result<usize, Fault> {
        if let Some(&number) = self.numbers.get(&held.reservation) {
            let run = &mut self.list[number];
            let (start, end) = (run.span.start(), run.span.end());
            let both = Span::new(start.min(held.span.start()), end.max(held.span.end()));
            run.span = both.unwrap_or(run.span);
            return Ok(number);
        }
        let words = StoredWords::of(held)?;
        let number = gathering.add_run(ExpectedDraw {
            utilisation: words.utilisation(),
            said: words.says_utilisation(),
        });
        self.numbers.insert(held.reservation, number);
        self.list.push(Run {
            reservation: held.reservation,
            owner: held.owner.clone(),
            application: words.label("application"),
            span: held.span,
        });
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10,000 nodes have 960,000 quarter-hours a day; 100,000 have 3,200,000 in 8 hours and 4,800,000 in 12; 1,000,000 have
    /// 4,000,000 in an hour.
    #[test]
    fn parts_are_shorter_where_there_are_more_nodes_and_end_with_days() {
        let hours = |nodes| part_length(nodes).get() / 3600;
        assert_eq!([1, 10_000, 100_000, 1_000_000, u32::MAX].map(hours), [24, 24, 8, 1, 1]);
        let at = |hour: i64| Timestamp::from_unix_seconds(hour * 3600);
        let (mut end, mut parts) = (at(49), Vec::new());
        while let Some(part) = part_before(end, at(20), Seconds::new(8 * 3600)) {
            parts.push([part.start(), part.end()].map(|it| it.as_unix_seconds() / 3600));
            end = part.start();
        }
        assert_eq!(parts, [[48, 49], [40, 48], [32, 40], [24, 32], [20, 24]]);
    }
}
