//! Nodes by their calibrated powers, as in figure 3 of the paper: in ascending order of idle power, with
//! those that stand out. Groups keep the picture small where there are many nodes.

use planner::node::{Node, Nodes};
use planner::order::{NodeOrder, Preference};
use planner::quantity::Power;
use serde::Serialize;
use utoipa::ToSchema;

/// The most nodes told by name as standing out.
const MAX_OUTLIERS: usize = 100;

/// The nodes in ascending order of idle power.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct NodePowers {
    /// Of the whole cluster.
    pub count: u32,
    /// The sum of all idle powers, watts.
    pub idle_power_w: f64,
    /// The sum of all maximum powers, watts.
    pub max_power_w: f64,
    /// Neighbours in this order; one node each where there are no more nodes than groups asked for.
    pub groups: Vec<NodeGroup>,
    /// What idle powers usually are: outside, a node stands out.
    pub usual_idle_power_w: UsualPower,
    /// What maximum powers usually are.
    pub usual_max_power_w: UsualPower,
    /// How many nodes stand out.
    pub outlier_count: u32,
    /// Of these the first 100, farthest out first.
    pub outliers: Vec<OutlyingNode>,
}

/// Nodes with similar idle power.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct NodeGroup {
    /// How many.
    pub nodes: u32,
    /// The name of the first.
    pub name: String,
    /// Watts.
    pub idle_power_w: PowerRange,
    /// Watts.
    pub max_power_w: PowerRange,
}

/// Least, mean and greatest of a power.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct PowerRange {
    /// Watts.
    pub least: f64,
    /// Watts.
    pub mean: f64,
    /// Watts.
    pub greatest: f64,
}

/// Tukey's fences: one and a half times the distance of the quartiles beyond them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct UsualPower {
    /// Watts.
    pub from: f64,
    /// Watts.
    pub to: f64,
}

/// A node that stands out.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct OutlyingNode {
    /// Position in input order.
    pub ordinal: u32,
    /// Its name.
    pub name: String,
    /// Watts.
    pub idle_power_w: f64,
    /// Watts.
    pub max_power_w: f64,
    /// Which of the two stands out, or both: `idle`, `max`.
    pub by: Vec<&'static str>,
}

impl NodePowers {
    /// The nodes in at most `groups` groups. `O(n)`, with a radix sort.
    pub fn of(nodes: &Nodes, groups: u32) -> Self {
        let idle: Vec<Power> = nodes.as_slice().iter().map(Node::idle).collect();
        let max: Vec<Power> = nodes.as_slice().iter().map(Node::max).collect();
        let by_idle = NodeOrder::of_powers(&idle, &max, Preference::LeastDraw);
        let by_max = NodeOrder::of_powers(&max, &max, Preference::LeastDraw);
        let size = nodes.count().div_ceil(groups.max(1)).max(1);
        let group = |first: u32| {
            let ranks = first..first.saturating_add(size).min(nodes.count());
            let ordinals = ranks.clone().map(|rank| by_idle.ordinal(rank) as usize);
            NodeGroup {
                nodes: ranks.end - ranks.start,
                name: nodes.name(by_idle.ordinal(first)).into_owned(),
                idle_power_w: range(ordinals.clone().map(|it| idle[it])),
                max_power_w: range(ordinals.map(|it| max[it])),
            }
        };
        let usual_idle = usual(&by_idle, &idle);
        let usual_max = usual(&by_max, &max);
        let mut outliers = outliers(nodes, usual_idle, usual_max);
        let outlier_count = u32::try_from(outliers.len()).unwrap_or(u32::MAX);
        outliers.truncate(MAX_OUTLIERS);
        Self {
            count: nodes.count(),
            idle_power_w: Power::as_watts(nodes.idle_power()),
            max_power_w: Power::as_watts(nodes.max_power()),
            groups: (0..nodes.count()).step_by(size as usize).map(group).collect(),
            usual_idle_power_w: usual_idle,
            usual_max_power_w: usual_max,
            outlier_count,
            outliers: outliers.into_iter().map(|(_, outlier)| outlier).collect(),
        }
    }
}

fn range(powers: impl Iterator<Item = Power>) -> PowerRange {
    let (mut least, mut greatest, mut sum, mut count) = (f64::INFINITY, 0.0f64, 0.0, 0u32);
    for power in powers {
        let watts = power.as_watts();
        least = least.min(watts);
        greatest = greatest.max(watts);
        sum += watts;
        count += 1;
    }
    PowerRange { least, mean: sum / f64::from(count.max(1)), greatest }
}

/// Tukey's fences around powers by ordinal, of which `order` knows the ranks; quartiles are powers
/// that occur.
fn usual(order: &NodeOrder, powers: &[Power]) -> UsualPower {
    let Some(last) = order.count().checked_sub(1) else {
        return UsualPower { from: 0.0, to: 0.0 };
    };
    let at = |rank: u32| powers[order.ordinal(rank) as usize].as_watts();
    let (lower, upper) = (at(last / 4), at(last - last / 4));
    let reach = 1.5 * (upper - lower);
    UsualPower { from: (lower - reach).max(0.0), to: upper + reach }
}

/// Those outside the fences with how far out they are, farthest first.
fn outliers(nodes: &Nodes, idle: UsualPower, max: UsualPower) -> Vec<(f64, OutlyingNode)> {
    let beyond = |usual: UsualPower, watts: f64| (usual.from - watts).max(watts - usual.to);
    let mut found: Vec<(f64, OutlyingNode)> = Vec::new();
    for (ordinal, node) in (0..).zip(nodes.as_slice()) {
        let far = [
            ("idle", beyond(idle, node.idle().as_watts())),
            ("max", beyond(max, node.max().as_watts())),
        ];
        let by: Vec<&str> = far.iter().filter(|(_, far)| *far > 0.0).map(|(by, _)| *by).collect();
        if by.is_empty() {
            continue;
        }
        let outlier = OutlyingNode {
            ordinal,
            name: nodes.name(ordinal).into_owned(),
            idle_power_w: node.idle().as_watts(),
            max_power_w: node.max().as_watts(),
            by,
        };
        found.push((far[0].1.max(far[1].1), outlier));
    }
    found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    found
}

#[cfg(test)]
mod tests {
    use super::NodePowers;
    use planner::node::{Node, Nodes};
    use planner::quantity::Power;

    fn nodes(powers: &[(i64, i64)]) -> Nodes {
        let watts = |watts: i64| Power::from_microwatts(watts * 1_000_000);
        let node = |(idle, max): &(i64, i64)| {
            Node::new(watts(*idle), watts(*max), None).expect("idle is below max")
        };
        Nodes::numbered(powers.iter().map(node).collect()).expect("few nodes")
    }

    #[test]
    fn nodes_stand_in_ascending_order_of_idle_power() {
        let powers = NodePowers::of(&nodes(&[(100, 200), (90, 220), (95, 210)]), 10);
        let names: Vec<&str> = powers.groups.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["n1", "n2", "n0"]);
        assert_eq!(powers.outlier_count, 0);
        assert!((powers.max_power_w - 630.0).abs() < 1e-9);
    }

    #[test]
    fn many_nodes_are_told_in_groups() {
        let many: Vec<(i64, i64)> = (0..1000).map(|it| (100 + it % 10, 200)).collect();
        let powers = NodePowers::of(&nodes(&many), 10);
        assert_eq!(powers.groups.len(), 10);
        let first = &powers.groups[0];
        assert_eq!(first.nodes, 100);
        assert!((first.idle_power_w.mean - 100.0).abs() < 1e-9);
    }

    #[test]
    fn a_node_beyond_the_fences_stands_out() {
        // Idle quartiles of 100..=107: with one at 150 added the fences are 102 - 1.5 * 4 = 96 and
        // 106 + 1.5 * 4 = 112.
        let mut many: Vec<(i64, i64)> = (0..8).map(|it| (100 + it, 200)).collect();
        many.push((150, 200));
        let powers = NodePowers::of(&nodes(&many), 10);
        assert!((powers.usual_idle_power_w.from - 96.0).abs() < 1e-9);
        assert!((powers.usual_idle_power_w.to - 112.0).abs() < 1e-9);
        assert_eq!(powers.outlier_count, 1);
        assert_eq!(
            (powers.outliers[0].name.as_str(), &powers.outliers[0].by[..]),
            ("n8", &["idle"][..])
        );
    }

    #[test]
    fn no_nodes_are_no_groups() {
        let powers = NodePowers::of(&nodes(&[]), 10);
        assert!(powers.groups.is_empty() && powers.outliers.is_empty());
    }
}
