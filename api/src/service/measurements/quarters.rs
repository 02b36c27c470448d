//! Quarter-hours of nodes, racks and the site, of all the meters that cover them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use planner::metering::{MeterScope, QuarterHour, QuarterSum};
use storage::MeasuredQuarters;

use crate::config::meters::MeterSettings;

/// What was measured of a node, rack or site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeQuarters {
    /// What it is.
    pub covers: MeterScope,
    /// Its name.
    pub node: Arc<str>,
    /// Of each quarter-hour in which something was measured, in order.
    pub quarters: Vec<(QuarterHour, QuarterOfNode)>,
}

impl NodeQuarters {
    /// What was measured in a quarter-hour; `None` where nothing was.
    pub fn of(&self, quarter: QuarterHour) -> Option<&QuarterOfNode> {
        self.position(quarter).ok().map(|at| &self.quarters[at].1)
    }

    fn position(&self, quarter: QuarterHour) -> Result<usize, usize> {
        self.quarters.binary_search_by_key(&quarter, |(at, _)| *at)
    }

    /// Takes what another meter says of a quarter-hour, where that measured more of it.
    fn consider(&mut self, quarter: QuarterHour, other: QuarterOfNode) {
        match self.position(quarter) {
            Ok(at) => {
                let known = &mut self.quarters[at].1;
                if other.sum.covered_ms > known.sum.covered_ms {
                    *known = other;
                }
            }
            Err(at) => self.quarters.insert(at, (quarter, other)),
        }
    }
}

/// What was measured in a quarter-hour, and by which meter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuarterOfNode {
    /// The meter's name.
    pub meter: Arc<str>,
    /// The energy, and how long it was measured.
    pub sum: QuarterSum,
}

/// Of each quarter-hour what the meter says that measured most of it; of those that measured as much, the first of the
/// settings. Series of meters that are not in the settings, or described otherwise, are left out, and components. In
/// the order of their first meters in the settings, then as they were found.
pub(super) fn best_covered(
    meters: &[MeterSettings],
    found: Vec<MeasuredQuarters>,
) -> Vec<NodeQuarters> {
    let known = |series: &MeasuredQuarters| {
        meters.iter().position(|it| {
            *it.meter.name == *series.meter
                && it.meter.values == series.values
                && it.meter.covers != MeterScope::Component
        })
    };
    let mut ranked: Vec<(usize, MeasuredQuarters)> =
        found.into_iter().filter_map(|series| Some((known(&series)?, series))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    let mut nodes: Vec<NodeQuarters> = Vec::with_capacity(ranked.len());
    let mut places: HashMap<(MeterScope, Arc<str>), usize> = HashMap::with_capacity(ranked.len());
    for (rank, MeasuredQuarters { meter, node, quarters, .. }) in ranked {
        let covers = meters[rank].meter.covers;
        let of_meter = quarters
            .into_iter()
            .map(|(quarter, sum)| (quarter, QuarterOfNode { meter: Arc::clone(&meter), sum }));
        match places.entry((covers, Arc::clone(&node))) {
            Entry::Vacant(vacant) => {
                vacant.insert(nodes.len());
                nodes.push(NodeQuarters { covers, node, quarters: of_meter.collect() });
            }
            Entry::Occupied(known) => {
                let known = &mut nodes[*known.get()];
                of_meter.for_each(|(quarter, other)| known.consider(quarter, other));
            }
        }
    }
    nodes
}

#[cfg(test)]
mod tests {
    use planner::metering::{LARGEST_POWER, Meter, ValueKind};
    use planner::quantity::Power;
    use planner::time::Seconds;

    use super::*;
    use crate::config::meters::MeterSource;

    fn meter(name: &str, covers: MeterScope) -> MeterSettings {
        let values = ValueKind::Gauge;
        let meter = Meter {
            name: name.into(),
            covers,
            values,
            unit: Meter::pushed_unit(values),
            period: Seconds::new(60),
            longest_gap: Seconds::new(150),
            zero_is_missing: false,
            least: Power::ZERO,
            most: LARGEST_POWER,
        };
        MeterSettings { meter, source: MeterSource::Push }
    }

    fn series(meter: &str, node: &str, quarters: &[(i64, i64)]) -> MeasuredQuarters {
        let quarter = |(number, covered_s): &(i64, i64)| {
            let sum = QuarterSum { energy_uj: covered_s * 1_000_000, covered_ms: covered_s * 1000 };
            (QuarterHour::from_number(*number), sum)
        };
        MeasuredQuarters {
            meter: meter.into(),
            values: ValueKind::Gauge,
            node: node.into(),
            quarters: quarters.iter().map(quarter).collect(),
        }
    }

    /// In quarter-hour 1 the second meter measured 60 s more, in 2 as much as the first, and in 3 only the second
    /// anything. Components, and meters that the settings do not have, count nowhere.
    #[test]
    fn the_meter_that_measured_most_of_a_quarter_hour_counts() {
        let meters = [
            meter("first", MeterScope::Node),
            meter("second", MeterScope::Node),
            meter("part", MeterScope::Component),
            meter("rack", MeterScope::Rack),
        ];
        let found = vec![
            series("second", "n1", &[(1, 900), (2, 900), (3, 60)]),
            series("part", "n1", &[(1, 900)]),
            series("gone", "n1", &[(1, 900)]),
            series("first", "n1", &[(1, 840), (2, 900)]),
            series("rack", "n1", &[(1, 900)]),
        ];
        let told = best_covered(&meters, found);
        let of = |it: &NodeQuarters| -> Vec<(i64, String)> {
            it.quarters.iter().map(|(at, it)| (at.number(), it.meter.to_string())).collect()
        };
        assert_eq!(told.len(), 2, "a rack of a node's name is another thing");
        let second = || "second".to_owned();
        assert_eq!(of(&told[0]), [(1, second()), (2, "first".to_owned()), (3, second())]);
        assert_eq!(
            (told[1].covers, of(&told[1])),
            (MeterScope::Rack, vec![(1, "rack".to_owned())])
        );
    }
}
