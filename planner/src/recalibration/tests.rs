//! Worked examples, each with its arithmetic, and properties.

use proptest::prelude::*;

use super::finding::differs;
use super::uses::{QuarterUse, uses_of_quarter};
use super::*;
use crate::decimal::Fraction;
use crate::metering::QuarterHour;
use crate::node::{Node, Nodes};
use crate::node_set::NodeSet;
use crate::quantity::{MILLION, Power};
use crate::time::{Seconds, Span};

const RULES: FollowRules = FollowRules {
    least_quarters: 4,
    drift: 50_000,
    outlying_scales: 5,
    silent_quarters: 96,
    may_be_off: false,
};

fn watts(watts: f64) -> Power {
    Power::from_watts(watts).unwrap()
}

/// 100 W idle and 200 W at most.
fn node() -> Node {
    Node::new(watts(100.0), watts(200.0), None).unwrap()
}

fn quarter(number: i64) -> QuarterHour {
    QuarterHour::from_number(number)
}

/// Quarter-hours of a kind each, newest first from number 1000 down.
fn evidence(of: &[(QuarterKind, &[f64])]) -> Evidence {
    let mut evidence = Evidence::default();
    for (kind, powers) in of {
        for (back, power) in (0..).zip(*powers) {
            evidence.take(quarter(1000 - back), *kind, watts(*power));
        }
    }
    evidence
}

fn found(of: &[(QuarterKind, &[f64])]) -> NodeFinding {
    judge(&node(), &evidence(of), &NodeFinding::default(), quarter(1000), &RULES)
}

fn power(estimate: Option<Estimate>) -> Option<f64> {
    estimate.map(|it| it.power.as_watts())
}

/// The quarter-hour is 900 to 1800 s. Node 0 is nobody's; 1 is held by run 0 from 0 to 1800 s; 2 only from 1200 s;
/// 3 is kept from 0 on and run 1 has all of it; 4 is kept alone; 5 is out of service from 1799 s; 6 has two runs.
#[test]
fn a_node_tells_something_only_where_one_thing_was_true_throughout() {
    let during = |from: i64, to: i64, nodes: &[u32], used_for| {
        let start = quarter(0).start();
        let span = Span::new(start + Seconds::new(from), start + Seconds::new(to)).unwrap();
        NodeUse { span, nodes: NodeSet::from_positions(nodes.iter().copied()), used_for }
    };
    let uses = [
        during(0, 1800, &[1], UsedFor::Run(0)),
        during(1200, 3600, &[2], UsedFor::Run(0)),
        during(900, 1800, &[3], UsedFor::Run(1)),
        during(0, 3600, &[3, 4], UsedFor::Kept),
        during(1799, 3600, &[5], UsedFor::Unknown),
        during(0, 3600, &[6], UsedFor::Run(0)),
        during(0, 3600, &[6], UsedFor::Run(1)),
        during(0, 900, &[0], UsedFor::Run(0)),
    ];
    let expected = [
        QuarterUse::Idle,
        QuarterUse::Run(0),
        QuarterUse::Unclear,
        QuarterUse::Run(1),
        QuarterUse::Unclear,
        QuarterUse::Unclear,
        QuarterUse::Unclear,
    ];
    assert_eq!(uses_of_quarter(quarter(1), 7, &uses), expected);
}

/// Of 96, 97, 98, 99, 100 and 400 W the median is 98.5 W, the median distance (1.5 + 1.5) / 2 = 1.5 W, three scales
/// 3 x 1.4826 x 1.5 = 6.67 W: 400 W goes, and the median of the rest is 98 W.
#[test]
fn idle_power_is_the_median_without_outliers() {
    let finding = found(&[(QuarterKind::Idle, &[400.0, 96.0, 97.0, 98.0, 99.0, 100.0])]);
    assert_eq!(power(finding.idle), Some(98.0));
    assert_eq!(finding.idle.unwrap().quarters, 5);
    assert_eq!(finding.max, None);
}

/// The two largest are not believed: of 150, 160, 170, 900 and 950 W it is 170 W.
#[test]
fn maximum_power_is_what_few_exceed() {
    let powers = [900.0, 150.0, 170.0, 950.0, 160.0].map(watts);
    assert_eq!(power(upper(&powers)), Some(170.0));
    assert_eq!(upper(&powers[..2]), None);
}

/// Half of what it can do says nothing of the most it can do. 230 W held say that it is more than 200 W. 180 W of
/// requests that say that they use it as hard as they can lower it, unless 190 W were held by others.
#[test]
fn the_maximum_is_raised_by_what_is_seen_and_lowered_by_what_is_driven() {
    use QuarterKind::{Driven, Held};
    assert_eq!(found(&[(Held, &[150.0; 6])]).max, None);
    assert_eq!(power(found(&[(Held, &[230.0; 6])]).max), Some(230.0));
    assert_eq!(power(found(&[(Driven, &[180.0; 6])]).max), Some(180.0));
    let both = [(Driven, &[180.0; 6][..]), (Held, &[190.0; 6][..])];
    assert_eq!(power(found(&both).max), Some(190.0));
    assert!(found(&both[..1]).drifted);
    // 5 % of 200 W are 10 W.
    assert!(!found(&both).drifted);
}

/// With a threshold of 5 %: 105 W do not count as drift, 106 W do. Once it has drifted, it has at 103 W still, and not
/// at 102.5 W any more.
#[test]
fn drift_comes_at_the_threshold_and_goes_at_half_of_it() {
    let drifted = |power: f64, drifted: bool| {
        let evidence = evidence(&[(QuarterKind::Idle, &[power; 4])]);
        let before = NodeFinding { drifted, ..NodeFinding::default() };
        judge(&node(), &evidence, &before, quarter(1000), &RULES).drifted
    };
    assert_eq!([105.0, 106.0].map(|it| drifted(it, false)), [false, true]);
    assert_eq!([103.0, 102.5].map(|it| drifted(it, true)), [true, false]);
}

#[test]
fn what_cannot_be_believed_is_a_fault_and_nothing_else() {
    use QuarterKind::{Held, Idle};
    let fault = |of: &[(QuarterKind, &[f64])]| {
        let finding = found(of);
        assert!(finding.fault.is_none() || (finding.idle, finding.drifted) == (None, false));
        finding.fault
    };
    assert_eq!(fault(&[]), None, "it was never measured");
    // 10 W is a tenth of the idle power; an hour of less, held or not.
    assert_eq!(fault(&[(Held, &[9.9; 4])]), Some(NodeFault::DrawsNothing));
    assert_eq!(fault(&[(Idle, &[9.9; 4])]), Some(NodeFault::DrawsNothing));
    assert_eq!(fault(&[(Idle, &[9.9, 9.9, 9.9, 100.0])]), None);
    assert_eq!(fault(&[(Held, &[401.0; 4])]), Some(NodeFault::Implausible));
    assert_eq!(fault(&[(Idle, &[201.0; 4])]), Some(NodeFault::Implausible));
    let both = [(Idle, &[120.0; 4][..]), (Held, &[120.0; 4][..])];
    assert_eq!(fault(&both), Some(NodeFault::Stuck));
    let old = evidence(&[(Idle, &[100.0; 4])]);
    let known = found(&[(Idle, &[100.0; 4])]);
    let judged = |evidence: &Evidence, newest: i64| {
        judge(&node(), evidence, &known, quarter(newest), &RULES).fault
    };
    let unmeasured = Some(NodeFault::Unmeasured);
    assert_eq!([1096, 1097].map(|it| judged(&old, it)), [None, unmeasured]);
    assert_eq!(judged(&Evidence::default(), 1000), unmeasured);
}

/// Where nodes may be off, quarter-hours of next to nothing tell nothing while nobody has them.
#[test]
fn nodes_that_may_be_off_are_idle_only_while_they_are_on() {
    let nodes = Nodes::numbered(vec![node()]).unwrap();
    let rules = FollowRules { may_be_off: true, ..RULES };
    let mut gathering = Gathering::new(1);
    for (back, power) in (0..).zip([2.0, 2.0, 2.0, 2.0, 99.0, 99.0, 99.0, 99.0]) {
        let measured = [Some(watts(power))];
        gathering.add_quarter(quarter(1000 - back), &nodes, &[], &measured, &rules);
    }
    let evidence = &gathering.nodes()[0];
    let finding = judge(&node(), evidence, &NodeFinding::default(), quarter(1000), &rules);
    assert_eq!((power(finding.idle), finding.fault), (Some(99.0), None));
}

/// Four idle nodes of 100 to 103 W and one of 130 W: median 102 W, median distance 1 W, five scales
/// 5 x 1.4826 x 1 = 7.4 W. Another kind has its own median.
#[test]
fn a_node_stands_out_among_those_of_its_kind() {
    let finding = |power: f64| found(&[(QuarterKind::Idle, &[power; 4])]);
    let powers = [100.0, 101.0, 102.0, 103.0, 130.0, 160.0, 160.0, 161.0, 161.0, 160.0];
    let mut findings: Vec<NodeFinding> = powers.into_iter().map(finding).collect();
    mark_outlying(&[0, 0, 0, 0, 0, 1, 1, 1, 1, 1], &mut findings, 5);
    let out: Vec<usize> = (0..10).filter(|it| findings[*it].outlying).collect();
    assert_eq!(out, [4]);
}

/// Proposed at 110 W it stays so at 112 W, which is within 2.5 % of it, and follows to 113 W. Rejected at 110 W it stays
/// so at 115 W and is proposed again at 116 W. It goes once the node is back.
#[test]
fn a_proposal_stays_until_it_is_decided_or_what_is_measured_leaves_it() {
    let finding = |idle: f64| found(&[(QuarterKind::Idle, &[idle; 4])]);
    let powers = |idle: f64| ProposedPowers { idle: watts(idle), max: watts(200.0) };
    let next = |idle: f64, before| propose(&node(), &finding(idle), before, &RULES);
    let open = |idle: f64| Some(ProposalState::Open(powers(idle)));
    let rejected = |idle: f64| Some(ProposalState::Rejected(powers(idle)));
    assert_eq!(next(110.0, None), open(110.0));
    assert_eq!(next(112.0, open(110.0)), open(110.0));
    assert_eq!(next(113.0, open(110.0)), open(113.0));
    assert_eq!(next(115.0, rejected(110.0)), rejected(110.0));
    assert_eq!(next(116.0, rejected(110.0)), open(116.0));
    assert_eq!(next(100.0, rejected(110.0)), None);
    let silent = found(&[(QuarterKind::Idle, &[1.0; 4])]);
    assert_eq!(propose(&node(), &silent, rejected(110.0), &RULES), rejected(110.0));
    assert_eq!(propose(&node(), &silent, open(110.0), &RULES), None);
}

/// Two nodes of 100 to 200 W draw 160 and 170 W, then 150 and 160 W: (640 - 400) / (800 - 400) = 0.6, and 640 / 800 = 0.8
/// of their maximum.
#[test]
fn a_run_has_the_utilisation_that_its_nodes_drew() {
    let mut sums = RunSums::default();
    for power in [160.0, 170.0, 150.0, 160.0] {
        sums.add(&node(), watts(power));
    }
    assert_eq!(
        (sums.quarters, sums.utilisation(), sums.alpha()),
        (4, Some(600_000), Some(800_000))
    );
    assert_eq!(RunSums::default().utilisation(), None);
}

/// Of 0.61, 0.6, 0.62, 0.95 the median is (0.61 + 0.62) / 2 = 0.615; distances are 0.005, 0.015, 0.005 and 0.335 with
/// the median 0.01. The 21st newest counts no more.
#[test]
fn what_earlier_runs_had_is_expected_of_the_next() {
    let runs = [610_000, 600_000, 620_000, 950_000];
    let learnt = LearntUtilisation { utilisation: 615_000, spread: 10_000, runs: 4 };
    assert_eq!(learn_utilisation(&runs, 3), Some(learnt));
    assert_eq!(learn_utilisation(&runs[..2], 3), None);
    let mut many = vec![500_400; MOST_RUNS];
    many.extend([0; 100]);
    let learnt = LearntUtilisation { utilisation: 500_000, spread: 0, runs: 20 };
    assert_eq!(learn_utilisation(&many, 3), Some(learnt));
}

/// 120 for 100 is 20 % too much, 90 for 100 10 % too little: on average 5 % too much, and 15 % wrong.
#[test]
fn errors_are_told_with_and_without_their_signs() {
    let mut errors = ErrorSums::default();
    errors.add(120, 100);
    errors.add(90, 100);
    errors.add(5, 0);
    let expected = ModelError { count: 2, mean: Some(50_000), mean_absolute: Some(150_000) };
    assert_eq!(errors.error(), expected);
    assert_eq!(ErrorSums::default().error(), ModelError::default());
    errors.add(i128::MAX, 1);
    assert_eq!(errors.error().mean, Some(3_366_666));
}

/// Run 0 says 1 itself, run 1 says nothing, run 2 says 0.5: 200, 200 and 150 W are expected of the node. 180 W are
/// measured: 11.1 % too much twice, and 16.7 % too little.
#[test]
fn a_quarter_hour_tells_of_its_node_and_of_its_run() {
    let nodes = Nodes::numbered(vec![node()]).unwrap();
    let mut gathering = Gathering::new(1);
    let half = Fraction::new(0.5).unwrap();
    for (utilisation, said) in [(Fraction::ONE, true), (Fraction::ONE, false), (half, true)] {
        let run = gathering.add_run(ExpectedDraw { utilisation, said });
        let at = quarter(1000 - i64::try_from(run).unwrap());
        let span = Span::starting(at.start(), Seconds::new(900)).unwrap();
        let nodes_of = NodeSet::from_positions([0]);
        let uses = [NodeUse { span, nodes: nodes_of, used_for: UsedFor::Run(run) }];
        gathering.add_quarter(at, &nodes, &uses, &[Some(watts(180.0))], &RULES);
    }
    let evidence = &gathering.nodes()[0];
    assert_eq!(evidence.of(QuarterKind::Held).len(), 3);
    assert_eq!(evidence.of(QuarterKind::Driven).len(), 1);
    let error = evidence.errors().error();
    assert_eq!((error.count, error.mean), (3, Some(18_518)));
    assert_eq!(gathering.run(2).utilisation(), Some(800_000));
    assert_eq!(gathering.newest(), Some(quarter(1000)));
}

/// Powers of a node that draws around 300 W, a part of them replaced by anything.
fn spoilt(wrong: usize) -> impl Strategy<Value = (Vec<i64>, Vec<i64>)> {
    let right = prop::collection::vec(295_000_000_i64..305_000_000, 24..96);
    let anything = prop::collection::vec(0_i64..100_000_000_000, wrong);
    (right, anything)
}

proptest! {
    #[test]
    fn a_few_wrong_quarter_hours_move_no_estimate_out_of_what_was_right(
        (right, wrong) in spoilt(2), at in prop::collection::vec(any::<prop::sample::Index>(), 2)
    ) {
        let (low, high) = (*right.iter().min().unwrap(), *right.iter().max().unwrap());
        let mut all = right.clone();
        for (power, at) in wrong.into_iter().zip(at) {
            all.insert(at.index(all.len() + 1), power);
        }
        let all: Vec<Power> = all.into_iter().map(Power::from_microwatts).collect();
        for estimate in [idle(&all), upper(&all)] {
            let power = estimate.unwrap().power.as_microwatts();
            prop_assert!((low..=high).contains(&power), "{power}");
        }
    }

    #[test]
    fn a_quarter_of_wrong_quarter_hours_leaves_the_idle_power_right((right, wrong) in spoilt(8)) {
        let (low, high) = (*right.iter().min().unwrap(), *right.iter().max().unwrap());
        let all: Vec<Power> =
            right.into_iter().chain(wrong).map(Power::from_microwatts).collect();
        let power = idle(&all).unwrap().power.as_microwatts();
        prop_assert!((low..=high).contains(&power), "{power}");
    }

    #[test]
    fn what_is_proposed_makes_a_node_and_is_no_drift_once_it_is_in_force(
        idle in 50.0..220.0_f64, held in 90.0..400.0_f64, driven: bool
    ) {
        let kind = if driven { QuarterKind::Driven } else { QuarterKind::Held };
        let evidence = evidence(&[(QuarterKind::Idle, &[idle; 8]), (kind, &[held; 8])]);
        let finding = judge(&node(), &evidence, &NodeFinding::default(), quarter(1000), &RULES);
        match propose(&node(), &finding, None, &RULES) {
            Some(ProposalState::Open(powers)) => {
                let applied = powers.applied_to(&node()).unwrap();
                let again = judge(&applied, &evidence, &finding, quarter(1000), &RULES);
                prop_assert!(!again.drifted && again.fault.is_none(), "{again:?}");
            }
            proposal => prop_assert!(proposal.is_none() && !finding.drifted),
        }
    }

    #[test]
    fn between_half_the_threshold_and_all_of_it_nothing_changes(share in 25_001_i64..=50_000) {
        let power = Power::from_microwatts(100 * (MILLION + share));
        prop_assert!(differs(power, watts(100.0), RULES.drift / 2));
        prop_assert!(!differs(power, watts(100.0), RULES.drift));
        let mut evidence = Evidence::default();
        for back in 0..4 {
            evidence.take(quarter(1000 - back), QuarterKind::Idle, power);
        }
        for drifted in [false, true] {
            let before = NodeFinding { drifted, ..NodeFinding::default() };
            let finding = judge(&node(), &evidence, &before, quarter(1000), &RULES);
            prop_assert_eq!(finding.drifted, drifted);
        }
    }
}
