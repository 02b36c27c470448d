//! Nodes as they were judged, proposals and what becomes of them, runs, and nodes with other people's jobs.

use std::sync::Arc;

use planner::identity::ReservationId;
use planner::node::{Node, Nodes};
use planner::quantity::Power;
use planner::recalibration::{
    Estimate, ModelError, NodeFault, NodeFinding, ProposalState, ProposedPowers,
};
use storage::{
    Calibration, CalibrationSource, JudgedCounts, JudgedNode, JudgedStanding, MeasuredRun,
    NewEvent, NewJudgement, PlanBasis, RecalibrationState, StorageError,
};
use uuid::Uuid;

use crate::bench::{Bench, cluster, on_both_engines, ranks, span, stored_nodes, t};

on_both_engines![
    nodes_are_judged_only_by_what_was_read,
    proposals_are_taken_with_the_book_or_rejected,
    runs_of_an_application_are_told_newest_first,
    occupied_nodes_of_a_quarter_hour_are_united,
];

fn watts(watts: i64) -> Power {
    Power::from_microwatts(watts * 1_000_000)
}

fn judged(node: &str, finding: NodeFinding, proposal: Option<ProposalState>) -> JudgedNode {
    let error = ModelError { count: 3, mean: Some(-10_000), mean_absolute: Some(20_000) };
    JudgedNode { node: node.to_owned(), finding, error, proposal: proposal.map(|it| (it, t(50))) }
}

/// Three nodes: one that drifted with a proposal, one that fails, one of which nothing is known.
fn three() -> Vec<JudgedNode> {
    let estimate = |power| Some(Estimate { power: watts(power), spread: watts(1), quarters: 96 });
    let drifted =
        NodeFinding { idle: estimate(11), drifted: true, outlying: true, ..NodeFinding::default() };
    let failing = NodeFinding { fault: Some(NodeFault::Stuck), ..NodeFinding::default() };
    let powers = ProposedPowers { idle: watts(11), max: watts(20) };
    vec![
        judged("a", drifted, Some(ProposalState::Open(powers))),
        judged("b", failing, Some(ProposalState::Rejected(powers))),
        judged("c", NodeFinding { max: estimate(25), ..NodeFinding::default() }, None),
    ]
}

fn run(number: u128, application: &str, end: i64, quarters: u32, of: Option<i64>) -> MeasuredRun {
    MeasuredRun {
        reservation: ReservationId::new(Uuid::from_u128(number)),
        owner: "ada".to_owned(),
        application: application.to_owned(),
        span: span(end - 10, end),
        quarters,
        utilisation: of,
        alpha: of,
    }
}

fn judgement(version: i64, nodes: Vec<JudgedNode>, runs: Vec<MeasuredRun>) -> NewJudgement {
    let events = vec![NewEvent::new("calibration.proposed", serde_json::json!({ "count": 1 }))];
    let (judged, window) = (t(100), span(0, 90));
    NewJudgement { version, judged, window, nodes, runs, forget_before: t(5), events }
}

async fn nodes_are_judged_only_by_what_was_read(bench: Bench) {
    let database = &bench.database;
    let (state, none) = database.judged_nodes().await.unwrap();
    assert_eq!((state, none), (RecalibrationState::default(), Vec::new()));
    assert!(database.put_judgement(&judgement(0, three(), Vec::new())).await.unwrap());
    let (state, nodes) = database.judged_nodes().await.unwrap();
    let expected = RecalibrationState { version: 1, judged: Some((t(100), span(0, 90))) };
    assert_eq!((state, nodes), (expected, three()));
    // Somebody else wrote meanwhile: nothing changes.
    assert!(!database.put_judgement(&judgement(0, Vec::new(), Vec::new())).await.unwrap());
    let (state, counts) = database.judged_counts().await.unwrap();
    let one =
        JudgedCounts { nodes: 3, drifted: 1, outlying: 1, failing: 1, proposed: 1, rejected: 1 };
    assert_eq!((state.version, counts), (1, one));
    for (standing, name) in [
        (JudgedStanding::Drifted, "a"),
        (JudgedStanding::Outlying, "a"),
        (JudgedStanding::Failing, "b"),
        (JudgedStanding::Proposed, "a"),
        (JudgedStanding::Rejected, "b"),
    ] {
        let page = database.judged_page(Some(standing), "", 10).await.unwrap();
        assert_eq!(page.iter().map(|it| it.node.as_str()).collect::<Vec<_>>(), [name]);
    }
    let page = database.judged_page(None, "a", 1).await.unwrap();
    assert_eq!(page, three()[1..2]);
    // A node that is gone is forgotten.
    assert!(
        database.put_judgement(&judgement(1, three()[1..].to_vec(), Vec::new())).await.unwrap()
    );
    assert_eq!(database.judged_nodes().await.unwrap().1, three()[1..]);
}

async fn proposals_are_taken_with_the_book_or_rejected(bench: Bench) {
    let database = &bench.database;
    let nodes = cluster(&[("a", 20), ("b", 20), ("c", 20)]);
    database.replace_nodes(&nodes, &[], None, t(0)).await.unwrap();
    database.put_judgement(&judgement(0, three(), Vec::new())).await.unwrap();
    let basis = PlanBasis::from(database.marks().await.unwrap());
    let node = Node::new(watts(11), watts(20), None).unwrap();
    let mut changed = nodes.as_slice().to_vec();
    changed[0] = node;
    let changed: Arc<Nodes> = Arc::new(nodes.with_powers(changed).unwrap());
    let calibration = Calibration {
        node_name: "a".to_owned(),
        measured: t(100),
        idle_power: watts(11),
        max_power: watts(20),
        idle_spread: watts(1),
        max_spread: watts(0),
        idle_samples: 96,
        max_samples: 0,
        outliers: 0,
        source: CalibrationSource::Meters,
    };
    // Somebody booked meanwhile.
    let before = PlanBasis { version: basis.version - 1, ..basis };
    let taken = |basis| {
        let calibration = calibration.clone();
        let changed = Arc::clone(&changed);
        async move { database.take_proposals(basis, &changed, &[calibration], t(200)).await }
    };
    assert!(matches!(taken(before).await, Err(StorageError::EpochChanged)));
    assert_eq!(database.judged_nodes().await.unwrap().1, three());
    let epoch = taken(basis).await.unwrap();
    let stored = stored_nodes(database).await.unwrap().unwrap();
    assert_eq!((stored.epoch, stored.nodes.as_slice()[0]), (epoch, node));
    assert_eq!(
        database.calibrations(Some("a"), 10).await.unwrap(),
        std::slice::from_ref(&calibration)
    );
    let (state, judged) = database.judged_nodes().await.unwrap();
    assert_eq!((state.version, judged[0].proposal, judged[0].finding.drifted), (2, None, false));
    assert_eq!(judged[1], three()[1], "what was rejected stays so");
    // What was judged before the decision is not written over it.
    assert!(!database.put_judgement(&judgement(1, three(), Vec::new())).await.unwrap());
    assert!(database.put_judgement(&judgement(2, three(), Vec::new())).await.unwrap());
    let event = NewEvent::new("calibration.rejected", serde_json::json!({ "count": 1 }));
    database.reject_proposals(&["a".to_owned()], &[event], t(300)).await.unwrap();
    let judged = database.judged_nodes().await.unwrap().1;
    assert!(matches!(judged[0].proposal, Some((ProposalState::Rejected(_), _))));
    let kinds: Vec<String> =
        database.events_after(None, 100).await.unwrap().into_iter().map(|it| it.kind).collect();
    let told = kinds.iter().filter(|kind| kind.starts_with("calibration.")).count();
    assert_eq!(told, 3, "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| *kind == "nodes.calibrated").count(), 1);
}

/// Of "ocean" those of four quarter-hours or more, newest first; one that ended before 5 is forgotten, one without a
/// utilisation does not count, and one that is known better now counts once.
async fn runs_of_an_application_are_told_newest_first(bench: Bench) {
    let database = &bench.database;
    let runs = vec![
        run(1, "ocean", 20, 4, Some(100)),
        run(2, "ocean", 30, 4, Some(200)),
        run(3, "ocean", 40, 3, Some(300)),
        run(4, "atmosphere", 50, 9, Some(400)),
        run(5, "ocean", 60, 9, None),
        run(6, "ocean", 4, 9, Some(600)),
    ];
    database.put_judgement(&judgement(0, Vec::new(), runs)).await.unwrap();
    let ocean = async |limit| database.runs_of_application("ocean", 4, limit).await.unwrap();
    assert_eq!(ocean(10).await, [200, 100]);
    assert_eq!(ocean(1).await, [200]);
    let better = vec![run(1, "ocean", 20, 8, Some(150))];
    database.put_judgement(&judgement(1, Vec::new(), better)).await.unwrap();
    assert_eq!(ocean(10).await, [200, 150]);
}

async fn occupied_nodes_of_a_quarter_hour_are_united(bench: Bench) {
    let database = &bench.database;
    let nodes = cluster(&[("a", 1), ("b", 2)]);
    let first = database.replace_nodes(&nodes, &[], None, t(0)).await.unwrap();
    for (quarter, occupied) in [(10, 0..1), (10, 3..5), (11, 0..0)] {
        database.note_occupied(quarter, first, &ranks(occupied), 0).await.unwrap();
    }
    let found = database.occupied_quarters(10, 12).await.unwrap();
    let told: Vec<_> = found.iter().map(|it| (it.quarter, it.looks, it.ordinals.count())).collect();
    assert_eq!(told, [(10, 2, 3), (11, 1, 0)]);
    // Ordinals of another epoch are others, and what is old is forgotten.
    let second = database.replace_nodes(&nodes, &[], None, t(1)).await.unwrap();
    database.note_occupied(11, second, &ranks(1..2), 11).await.unwrap();
    let found = database.occupied_quarters(0, 100).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].epoch, found[0].looks, &found[0].ordinals), (second, 1, &ranks(1..2)));
}
