//! What meters measured in an hour, as statements take it.

use std::collections::BTreeMap;

use planner::ledger::{Metered, NodeEnergy};
use planner::metering::{MeterScope, QUARTER_MS, QuarterHour, QuarterSum};
use planner::quantity::Energy;
use planner::time::{Seconds, Span, Timestamp};

use super::{EpochNodes, QUARTER};
use crate::service::measurements::NodeQuarters;

/// What meters of nodes and of the site measured, by quarter-hours. Of a rack it is not known which nodes are behind
/// its meter: what it measured is left out.
pub(super) struct Measured(Vec<NodeQuarters>);

impl Measured {
    /// Of these.
    pub(super) const fn new(found: Vec<NodeQuarters>) -> Self {
        Self(found)
    }

    /// What was measured of the nodes of an epoch over an interval within a quarter-hour.
    pub(super) fn of_nodes(&self, span: Span, nodes: &EpochNodes) -> Vec<NodeEnergy> {
        let index = nodes.nodes.index();
        let of_nodes = self.0.iter().filter(|it| it.covers == MeterScope::Node);
        let energies: BTreeMap<u32, Metered> = of_nodes
            .filter_map(|it| {
                let sum = it.quarters.get(&QuarterHour::of(span.start()))?.sum;
                Some((index.ordinal(&it.node)?, within(span, sum)))
            })
            .collect();
        energies.into_iter().map(|(ordinal, metered)| NodeEnergy { ordinal, metered }).collect()
    }

    /// What the meters of the site measured over an interval; `None` unless all of them measured all of the
    /// quarter-hour that it is in.
    pub(super) fn of_site(&self, span: Span) -> Option<Energy> {
        let mut site = None;
        for it in self.0.iter().filter(|it| it.covers == MeterScope::Site) {
            let sum = it.quarters.get(&QuarterHour::of(span.start()))?.sum;
            if sum.covered_ms < QUARTER_MS {
                return None;
            }
            site = Some(site.unwrap_or_default() + within(span, sum).energy);
        }
        site
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
