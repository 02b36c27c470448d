//! What meters measured in an hour, as statements take it.

use planner::ledger::{Metered, NodeEnergy, RackEnergy};
use planner::metering::{MeterScope, QUARTER_MS, QuarterHour, QuarterSum};
use planner::node_set::NodeSet;
use planner::quantity::Energy;
use planner::time::{Seconds, Span, Timestamp};

use super::QUARTER;
use crate::service::measurements::NodeQuarters;
use crate::service::shared::EpochNodes;

/// What meters of nodes, racks and the site measured, by quarter-hours.
pub(super) struct Measured(Vec<NodeQuarters>);

impl Measured {
    /// Of these.
    pub(super) const fn new(found: Vec<NodeQuarters>) -> Self {
        Self(found)
    }

    /// What was measured of the nodes of an epoch.
    pub(super) fn of_epoch(&self, nodes: &EpochNodes) -> MeasuredNodes<'_> {
        let index = nodes.nodes.index();
        let of_nodes = self.0.iter().filter(|it| it.covers == MeterScope::Node);
        let mut of_nodes: Vec<(u32, &NodeQuarters)> =
            of_nodes.filter_map(|it| Some((index.ordinal(&it.node)?, it))).collect();
        of_nodes.sort_unstable_by_key(|(ordinal, _)| *ordinal);
        MeasuredNodes(of_nodes)
    }

    /// What the meters of racks measured over an interval, of which `of_nodes` are the nodes. Left out are racks whose
    /// meter did not measure all of the quarter-hour, and those of which every node was measured all the time: what they
    /// draw beside their nodes is the facility's.
    pub(super) fn of_racks(
        &self,
        span: Span,
        racks: &[(&str, NodeSet)],
        of_nodes: &[NodeEnergy],
    ) -> Vec<RackEnergy> {
        if racks.is_empty() {
            return Vec::new();
        }
        let whole = of_nodes.iter().filter(|it| it.metered.covered >= span.length());
        let whole = NodeSet::from_positions(whole.map(|it| it.ordinal));
        let measured = |(name, nodes): &(&str, NodeSet)| {
            if nodes.difference(&whole).is_empty() {
                return None;
            }
            let of_rack = |it: &&NodeQuarters| it.covers == MeterScope::Rack && *it.node == **name;
            let found = self.0.iter().find(of_rack)?;
            let sum = found.of(QuarterHour::of(span.start()))?.sum;
            let energy = within(span, sum).energy;
            (sum.covered_ms >= QUARTER_MS).then(|| RackEnergy { nodes: nodes.clone(), energy })
        };
        racks.iter().filter_map(measured).collect()
    }

    /// What the meters of the site measured over an interval; `None` unless all of them measured all of the
    /// quarter-hour that it is in.
    pub(super) fn of_site(&self, span: Span) -> Option<Energy> {
        let mut site = None;
        for it in self.0.iter().filter(|it| it.covers == MeterScope::Site) {
            let sum = it.of(QuarterHour::of(span.start()))?.sum;
            if sum.covered_ms < QUARTER_MS {
                return None;
            }
            site = Some(site.unwrap_or_default() + within(span, sum).energy);
        }
        site
    }
}

/// What was measured of the nodes of an epoch, by their ordinals.
pub(super) struct MeasuredNodes<'a>(Vec<(u32, &'a NodeQuarters)>);

impl MeasuredNodes<'_> {
    /// What was measured over an interval within a quarter-hour.
    pub(super) fn during(&self, span: Span) -> Vec<NodeEnergy> {
        let quarter = QuarterHour::of(span.start());
        let energy = |(ordinal, it): &(u32, &NodeQuarters)| {
            let metered = within(span, it.of(quarter)?.sum);
            Some(NodeEnergy { ordinal: *ordinal, metered })
        };
        self.0.iter().filter_map(energy).collect()
    }
}

/// The part of a quarter-hour's measurement that falls to an interval in it, as if it had been measured evenly: parts of
/// intervals that follow one another sum to the whole.
fn within(span: Span, sum: QuarterSum) -> Metered {
    let start = QuarterHour::of(span.start()).start();
    let until = |whole: i128, instant: Timestamp| {
        let passed: Seconds = instant - start;
        whole * i128::from(passed.get()) / i128::from(QUARTER.get())
    };
    let part = |whole: i128| until(whole, span.end()) - until(whole, span.start());
    let covered = part(sum.covered().get().into());
    Metered {
        energy: Energy::from_microjoules(part(sum.energy_uj.into())),
        covered: Seconds::new(i64::try_from(covered).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::measurements::QuarterOfNode;

    fn rack(name: &str, covered_ms: i64) -> NodeQuarters {
        let sum = QuarterSum { energy_uj: 5000, covered_ms };
        let of_rack = QuarterOfNode { meter: "pdu".into(), sum };
        let quarter = QuarterHour::of(Timestamp::from_unix_seconds(9000));
        NodeQuarters {
            covers: MeterScope::Rack,
            node: name.into(),
            quarters: vec![(quarter, of_rack)],
        }
    }

    /// Both nodes of r1 are measured: nothing of it is unallocated. Of r2's one node a second is missing. r3's own meter
    /// has a gap.
    #[test]
    fn racks_tell_where_nodes_do_not() {
        let span = Span::starting(Timestamp::from_unix_seconds(9000), QUARTER).unwrap();
        let measured = Measured::new(vec![
            rack("r1", QUARTER_MS),
            rack("r2", QUARTER_MS),
            rack("r3", QUARTER_MS - 1),
        ]);
        let set = |nodes: std::ops::Range<u32>| NodeSet::from_positions(nodes);
        let racks = [("r1", set(0..2)), ("r2", set(2..3)), ("r3", set(3..4)), ("r4", set(4..5))];
        let node = |(ordinal, covered)| {
            let covered = Seconds::new(covered);
            NodeEnergy { ordinal, metered: Metered { energy: Energy::default(), covered } }
        };
        let of_nodes = [(0, 900), (1, 900), (2, 899)].map(node);
        let told = measured.of_racks(span, &racks, &of_nodes);
        let energy = Energy::from_microjoules(5000);
        assert_eq!(told, [RackEnergy { nodes: set(2..3), energy }]);
    }

    /// 100 s of a quarter-hour in which 1000 uJ were measured over 450 s: 111 uJ over 50 s; the other 800 s have the
    /// rest.
    #[test]
    fn parts_of_a_quarter_hour_sum_to_it() {
        let at = |second: i64| Timestamp::from_unix_seconds(9000 + second);
        let sum = QuarterSum { energy_uj: 1000, covered_ms: 450_999 };
        let part = |from, to| within(Span::new(at(from), at(to)).unwrap(), sum);
        let parts = [part(0, 100), part(100, 900)];
        let told = parts.map(|it| (it.energy.as_microjoules(), it.covered.get()));
        assert_eq!(told, [(111, 50), (889, 400)]);
    }
}
