//! The orders of magnitude of the paper's section VI-B, on its cluster of a million nodes.

use std::sync::Arc;

use planner::decimal::Fraction;
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::quantity::Power;
use planner::time::Seconds;

use super::build::*;

/// "On average, a user requests half of the platform (5 x 10^5 nodes) during a mean reservation
/// duration (12 x 3600 = 43200 s). On average, a node consumes 17.5 W." (0.75 x 25 W, the paper
/// writes, but 17.5 W are 0.7 x 25 W.)
///
/// Energy: 5e5 x 17.5 W x 43,200 s = 8.75e6 W x 43,200 s = 3.78e11 J, of the order of 3e11.
/// Cost: at 5e-8 EUR/J = 180 EUR/MWh, 3.78e11 x 5e-8 = 18,900 EUR, of the order of 1.5e4.
/// CO2: at 100 g/kWh, 3.78e11 J = 105,000 kWh, 10.5 t.
/// Peak: 5e5 x 25 W = 12.5 MW.
#[test]
fn half_a_million_nodes_for_half_a_day_cost_what_the_paper_says() {
    let mut problem = request_for_an_hour(&[], 0);
    let watts = |watts| Power::from_watts(watts).unwrap();
    let node = Node::new(watts(10.0), watts(25.0), Fraction::new(0.7)).unwrap();
    problem.nodes = Arc::new(Nodes::numbered(vec![node; 1_000_000]).unwrap());
    problem.agendas.price = prices(&[(0, 24, 180.0)]);
    problem.agendas.co2 = intensities(&[(0, 24, 100.0)]);
    problem.request.nodes = 500_000;
    problem.request.duration = Seconds::new(43_200);

    let (order, decision) = planned(&problem);

    let offer = &decision.offers()[0];
    assert_eq!(decision.word(), "optimum");
    assert_eq!(order.ordinals(&offer.ranks), NodeSet::from_positions(0..500_000));
    assert_eq!(offer.values.energy.as_microjoules(), 378_000_000_000 * 1_000_000);
    assert_eq!(offer.values.cost, euros_exact(18_900 * 3_600_000_000_000_000_000_000));
    assert_eq!(offer.values.co2.as_exact(), 10_500_000 * 3_600_000_000_000_000_000);
    assert_eq!(offer.peak_power, watts(12.5e6));
    assert_order(offer.values.energy.as_joules(), 3e11);
    assert_order(offer.values.cost.as_units(), 1.5e4);
}

/// Within a factor of the square root of ten.
#[track_caller]
fn assert_order(found: f64, stated: f64) {
    assert!((found / stated).log10().abs() < 0.5, "{found} is not of the order of {stated}");
}
