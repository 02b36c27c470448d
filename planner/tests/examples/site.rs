//! Filters, outages, a cap of the whole cluster and where constraints bind, with their arithmetic.

use std::sync::Arc;

use planner::book::Outage;
use planner::cap_scope::CapScope;
use planner::decision::{Binding, Shortage};
use planner::labels::{Labels, NodeLabels};
use planner::node::{Node, Nodes};
use planner::problem::PlanningProblem;
use planner::quantity::Power;

use super::build::*;

/// Nodes of 10, 20 and 40 W at midnight: the last two in partition `batch`, the first and the last
/// with feature `gpu`.
pub fn labelled() -> PlanningProblem {
    let mut problem = request_for_an_hour(&[10, 20, 40], 0);
    let labels = |partition: &[&str], features: &[&str]| NodeLabels {
        partitions: partition.iter().map(|&it| it.into()).collect(),
        features: features.iter().map(|&it| it.into()).collect(),
    };
    let labels = [labels(&[], &["gpu"]), labels(&["batch"], &[]), labels(&["batch"], &["gpu"])];
    let nodes = Nodes::clone(&problem.nodes).with_labels(Labels::new(labels));
    problem.nodes = Arc::new(nodes);
    problem
}

/// An outage of these nodes from hour to hour.
pub fn out(from: i64, until: i64, nodes: &[u32]) -> Outage {
    let booked = booked("", from, until, nodes);
    Outage { span: booked.span, nodes: booked.nodes }
}

/// Three nodes of 50 W idle and 100 W at most, with that cap on the whole cluster.
pub fn idling(cap: f64) -> PlanningProblem {
    let mut problem = request_for_an_hour(&[], 0);
    let watts = |watts| Power::from_watts(watts).unwrap();
    let node = Node::new(watts(50.0), watts(100.0), None).unwrap();
    problem.nodes = Arc::new(Nodes::numbered(vec![node; 3]).unwrap());
    problem.agendas.power_cap = Some(caps(&[(0, 24, cap)]));
    problem.cap_scope = CapScope::AllNodes;
    problem
}

/// The node that the only offer takes.
fn taken(problem: &PlanningProblem) -> Option<u32> {
    let (order, decision) = planned(problem);
    order.ordinals(&decision.offers().first()?.ranks).positions().next()
}

fn binding(problem: &PlanningProblem) -> Binding {
    let (_, decision) = planned(problem);
    let [reason] = &decision.reasons[..] else { panic!("one reason: {:?}", decision.reasons) };
    reason.binding
}

#[test]
fn a_filter_leaves_the_least_drawing_of_what_it_admits() {
    let of = |partition: Option<&str>, features: &[&str], exclude: &[&str]| {
        let mut problem = labelled();
        let filter = &mut problem.request.filter;
        filter.partition = partition.map(Into::into);
        filter.features = features.iter().map(|&it| it.into()).collect();
        filter.exclude = exclude.iter().map(|&it| it.into()).collect();
        taken(&problem)
    };
    assert_eq!(of(None, &[], &[]), Some(0));
    assert_eq!(of(Some("batch"), &[], &[]), Some(1));
    assert_eq!(of(None, &["gpu"], &[]), Some(0));
    assert_eq!(of(Some("batch"), &["gpu"], &[]), Some(2));
    assert_eq!(of(None, &[], &["n0"]), Some(1));
    assert_eq!(of(None, &["gpu"], &["n0"]), Some(2));
    assert_eq!(of(Some("batch"), &["gpu"], &["n2"]), None);
}

/// The 10 W node is down from 1:00 to 3:00. Then the 20 W node is taken, and at a cap of 20 W it may
/// be: a node that is down reserves nothing. Were it reserved, 10 + 20 W would exceed the cap.
#[test]
fn an_outage_takes_nodes_and_no_power() {
    let mut problem = request_for_an_hour(&[10, 20], 2);
    problem.agendas.power_cap = Some(caps(&[(0, 24, 20.0)]));
    problem.request.earliest_start = hour(1);
    problem.outages = vec![out(1, 3, &[0])];
    assert_eq!(taken(&problem), Some(1));
    problem.outages = vec![out(0, 1, &[0]), out(3, 4, &[0])];
    assert_eq!(taken(&problem), Some(0), "spans that touch do not overlap");
    problem.outages.clear();
    problem.reservations = vec![booked("r", 1, 3, &[0])];
    assert_eq!(taken(&problem), None);
}

/// One node reserved and two idle: 100 + 50 + 50 = 200 W, be the idle ones down or not admitted.
#[test]
fn idle_nodes_count_against_a_cap_of_all_nodes() {
    let mut problem = idling(200.0);
    problem.outages = vec![out(0, 24, &[0])];
    problem.request.filter.exclude = vec!["n1".into()];
    assert_eq!(taken(&problem), Some(2));
    problem.agendas.power_cap = Some(caps(&[(0, 24, 199.999_999)]));
    let lacking = |watts| Shortage::Power(Power::from_watts(watts).unwrap());
    assert_eq!(binding(&problem).shortage, lacking(0.000_001));
    problem.cap_scope = CapScope::ReservedNodes;
    assert_eq!(taken(&problem), Some(2));
}

/// Alternatives of one reservation: a node of 100 W that idles at 90, or one of 60 W that idles at
/// none. The first has more power, the second adds more (60 instead of 10 W) and counts: 90 + 60 and
/// the 30 W asked for are 180 W. Were it the first, 100 + 0 + 30 = 130 W would be enough.
#[test]
fn of_alternatives_the_one_that_adds_most_counts_where_idle_nodes_do() {
    let mut problem = idling(180.0);
    let node = |idle, max| {
        let watts = |watts| Power::from_watts(watts).unwrap();
        Node::new(watts(idle), watts(max), None).unwrap()
    };
    let nodes = vec![node(90.0, 100.0), node(0.0, 60.0), node(0.0, 30.0)];
    problem.nodes = Arc::new(Nodes::numbered(nodes).unwrap());
    problem.reservations = vec![booked("r", 0, 1, &[0]), booked("r", 0, 1, &[1])];
    assert_eq!(taken(&problem), Some(2));
    problem.agendas.power_cap = Some(caps(&[(0, 24, 179.0)]));
    assert_eq!(taken(&problem), None);
}

/// Both nodes are asked for. At 0:00 one of them is free, at 1:00 none: one is missing at least.
#[test]
fn nodes_bind_where_the_fewest_are_missing() {
    let mut problem = request_for_an_hour(&[10, 10], 1);
    problem.request.nodes = 2;
    problem.reservations = vec![booked("a", 0, 1, &[0]), booked("b", 1, 2, &[0, 1])];
    let expected = Binding { start: hour(0), span: hours(0, 1), shortage: Shortage::Nodes(1) };
    assert_eq!(binding(&problem), expected);
}

/// Two hours of 100 W from 0:00 or 1:00 under caps of 60, 95 and 90 W: 40 W are missing at most from
/// 0:00, 10 W from 1:00, namely from 2:00 to 3:00.
#[test]
fn the_cap_binds_where_the_least_is_missing() {
    let mut problem = request_for_an_hour(&[100], 1);
    problem.request.duration = planner::time::Seconds::new(2 * HOUR);
    problem.agendas.power_cap = Some(caps(&[(0, 1, 60.0), (1, 2, 95.0), (2, 24, 90.0)]));
    let lacking = Shortage::Power(Power::from_watts(10.0).unwrap());
    assert_eq!(binding(&problem), Binding { start: hour(1), span: hours(2, 3), shortage: lacking });
}

#[test]
fn a_gap_binds_where_the_agenda_has_no_value() {
    let mut problem = request_for_an_hour(&[10], 2);
    problem.agendas.co2 = intensities(&[(0, 2, 50.0), (3, 24, 50.0)]);
    let expected = Binding { start: hour(2), span: hours(2, 3), shortage: Shortage::Agenda("co2") };
    assert_eq!(binding(&problem), expected);
}
