//! Nodes, their ranks, and bookings across a recalibration.

use std::sync::Arc;

use planner::decimal::Fraction;
use planner::labels::{Labels, NodeLabels};
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::quantity::Power;
use planner::reservation::OfferSelector;
use storage::{BookChanges, Calibration, CalibrationSource, Database, StorageError};

use crate::bench::{
    Bench, Raw, cluster, offer, on_both_engines, propose, ranks, reservation, span, stored_nodes, t,
};

on_both_engines![
    nodes_come_back_as_they_went_in,
    numbered_nodes_come_back_numbered,
    recalibration_keeps_every_booking_on_its_machines,
    recalibration_keeps_the_history_of_what_runs,
    a_booked_node_does_not_vanish,
    nodes_based_on_an_epoch_that_has_passed_are_refused,
    a_node_whose_hold_is_over_may_vanish,
    nodes_that_are_not_those_that_were_sealed_are_reported,
    rows_of_an_earlier_release_are_packed_when_the_database_is_opened,
    labels_come_back_over_several_chunks,
    calibrations_are_read_by_node_newest_first,
];

async fn nodes_come_back_as_they_went_in(bench: Bench) {
    let database = &bench.database;
    assert_eq!(database.current_epoch().await.unwrap(), None);
    assert!(stored_nodes(database).await.unwrap().is_none());
    let node = |idle, max, alpha: Option<f64>| {
        let alpha = alpha.map(|alpha| Fraction::new(alpha).unwrap());
        Node::new(Power::from_microwatts(idle), Power::from_microwatts(max), alpha).unwrap()
    };
    let nodes = Nodes::listed(vec![
        ("rack 1/ü".into(), node(89_999_999, 300_000_000, Some(0.1 + 0.2))),
        ("n0".into(), node(0, 0, None)),
    ]);
    let nodes = Arc::new(nodes.unwrap());
    let epoch = database.replace_nodes(&nodes, &[], None, t(77)).await.unwrap();
    let stored = stored_nodes(database).await.unwrap().unwrap();
    assert_eq!((&stored.nodes, stored.epoch, stored.created), (&*nodes, epoch, t(77)));
    assert_eq!(stored.order.ranks(&ranks(0..1)), ranks(1..2));
    assert_eq!(database.current_epoch().await.unwrap(), Some(epoch));
    assert_eq!(database.marks().await.unwrap().version, 1);
}

/// 12,000 rows of 7 columns: more than one statement can bind.
async fn numbered_nodes_come_back_numbered(bench: Bench) {
    let power = |n: i64| Power::from_microwatts(n % 17 * 1_000_000);
    let nodes = (0..12_000).map(|n| Node::new(Power::ZERO, power(n), None).unwrap()).collect();
    let nodes = Arc::new(Nodes::numbered(nodes).unwrap());
    bench.database.replace_nodes(&nodes, &[], None, t(0)).await.unwrap();
    assert_eq!(stored_nodes(&bench.database).await.unwrap().unwrap().nodes, *nodes);
}

/// a to d draw 1 to 4 W and rank 0 to 3; then the order is reversed and e, in the middle, is new:
/// d c e b a, so that {a, b} moves from ranks 0..2 to 3..5 and {a, c} from {0, 2} to {1, 4}.
async fn recalibration_keeps_every_booking_on_its_machines(bench: Bench) {
    let database = &bench.database;
    let old = cluster(&[("a", 1), ("b", 2), ("c", 3), ("d", 4)]);
    database.replace_nodes(&old, &[], None, t(0)).await.unwrap();
    let both = reservation(vec![
        offer(ranks(0..2), span(100, 200)),
        offer(NodeSet::from_positions([0, 2]), span(300, 400)),
    ]);
    let other = reservation(vec![offer(ranks(2..4), span(100, 200))]);
    for reservation in [&both, &other] {
        propose(database, reservation, 0).await.unwrap();
    }
    let new = cluster(&[("a", 40), ("b", 30), ("c", 10), ("d", 5), ("e", 20)]);
    let epoch = database.replace_nodes(&new, &[], None, t(50)).await.unwrap();
    let marks = database.marks().await.unwrap();
    assert_eq!((marks.version, marks.epoch), (4, Some(epoch)));
    let held = database.allocations(span(0, 1000), t(50)).await.unwrap();
    assert!(held.iter().all(|it| it.epoch == epoch));
    let mut held: Vec<_> = held.into_iter().map(|it| (it.offer_id, it.span, it.ranks)).collect();
    held.sort_by_key(|(offer, ..)| *offer);
    let expected = [
        (both.offers[0].id, span(100, 200), ranks(3..5)),
        (both.offers[1].id, span(300, 400), NodeSet::from_positions([1, 4])),
        (other.offers[0].id, span(100, 200), ranks(0..2)),
    ];
    assert_eq!(held, expected);
}

/// At 150 the past of what runs stays in the ranks of its epoch, what has ended is not touched, and
/// the two do not collide although their ranks, of different epochs, overlap.
async fn recalibration_keeps_the_history_of_what_runs(bench: Bench) {
    let database = &bench.database;
    database.replace_nodes(&cluster(&[("a", 1), ("b", 2)]), &[], None, t(0)).await.unwrap();
    let ended = reservation(vec![offer(ranks(0..1), span(100, 140))]);
    let running = reservation(vec![offer(ranks(1..2), span(100, 200))]);
    for reservation in [&ended, &running] {
        propose(database, reservation, 0).await.unwrap();
        let selector = OfferSelector::Offer(reservation.offers[0].id);
        database.choose(reservation.id, selector, t(1), None, false).await.unwrap();
    }
    let before = database.current_epoch().await.unwrap().unwrap();
    let reversed = cluster(&[("a", 2), ("b", 1)]);
    let after = database.replace_nodes(&reversed, &[], None, t(150)).await.unwrap();
    let rows = |all: Vec<storage::Allocation>| -> Vec<_> {
        all.into_iter().map(|it| (it.epoch, it.span, it.ranks)).collect()
    };
    let history = database.allocations_of(running.id).await.unwrap();
    let expected = [(before, span(100, 150), ranks(1..2)), (after, span(150, 200), ranks(0..1))];
    assert_eq!(rows(history), expected);
    let untouched = database.allocations_of(ended.id).await.unwrap();
    assert_eq!(rows(untouched), [(before, span(100, 140), ranks(0..1))]);
    let BookChanges::All(planned) = database.changes(None, None, t(150), true).await.unwrap().book
    else {
        panic!("nothing was known before")
    };
    let planned: Vec<_> = planned.into_iter().map(|it| (after, it.span, it.ranks)).collect();
    assert_eq!(planned, expected[1..]);
}

async fn nodes_based_on_an_epoch_that_has_passed_are_refused(bench: Bench) {
    let database = &bench.database;
    let nodes = cluster(&[("a", 1), ("b", 2)]);
    let first = database.replace_nodes(&nodes, &[], None, t(0)).await.unwrap();
    let second = database.replace_nodes(&nodes, &[], Some(first), t(1)).await.unwrap();
    let late = database.replace_nodes(&nodes, &[], Some(first), t(2)).await;
    assert!(matches!(late, Err(StorageError::EpochChanged)));
    assert_eq!(database.current_epoch().await.unwrap(), Some(second));
}

async fn a_booked_node_does_not_vanish(bench: Bench) {
    let database = &bench.database;
    database
        .replace_nodes(&cluster(&[("a", 1), ("b", 2), ("c", 3)]), &[], None, t(0))
        .await
        .unwrap();
    let booked = reservation(vec![offer(ranks(0..2), span(100, 200))]);
    propose(database, &booked, 0).await.unwrap();
    let refused = database.replace_nodes(&cluster(&[("a", 1), ("c", 3)]), &[], None, t(50)).await;
    let Err(StorageError::NodesInUse { names, reservations }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!((names, reservations), (vec!["b".to_owned()], vec![booked.id]));
    assert_eq!(database.marks().await.unwrap().version, 2);
    assert_eq!(stored_nodes(database).await.unwrap().unwrap().nodes.count(), 3);
    database.replace_nodes(&cluster(&[("a", 1), ("b", 3)]), &[], None, t(50)).await.unwrap();
}

/// The hold ends at 1000.
async fn a_node_whose_hold_is_over_may_vanish(bench: Bench) {
    let database = &bench.database;
    database.replace_nodes(&cluster(&[("a", 1), ("b", 2)]), &[], None, t(0)).await.unwrap();
    let held = reservation(vec![offer(ranks(0..2), span(2000, 3000))]);
    propose(database, &held, 0).await.unwrap();
    let less = cluster(&[("a", 1)]);
    database.replace_nodes(&less, &[], None, t(999)).await.unwrap_err();
    database.replace_nodes(&less, &[], None, t(1000)).await.unwrap();
}

async fn nodes_that_are_not_those_that_were_sealed_are_reported(bench: Bench) {
    let nodes = cluster(&[("a", 1), ("b", 2)]);
    bench.database.replace_nodes(&nodes, &[], None, t(0)).await.unwrap();
    let other = match bench.raw {
        Raw::Sqlite { .. } => "X'00'",
        Raw::Postgres { .. } => "'\\x00'",
    };
    let changed = format!("UPDATE calibration_epochs SET digest = {other}");
    bench.raw.execute(changed).await.unwrap();
    let error = stored_nodes(&bench.database).await.unwrap_err();
    assert!(matches!(error, StorageError::Inconsistent { table: "nodes", .. }), "{error}");
    bench.raw.execute("DELETE FROM node_chunks".to_owned()).await.unwrap();
    let error = stored_nodes(&bench.database).await.unwrap_err();
    assert!(matches!(error, StorageError::Inconsistent { table: "nodes", .. }), "{error}");
}

/// What the release before stored: a row for each node, with its rank.
async fn rows_of_an_earlier_release_are_packed_when_the_database_is_opened(bench: Bench) {
    let nodes = cluster(&[("a", 2), ("b", 1)]);
    bench.database.replace_nodes(&nodes, &[], None, t(7)).await.unwrap();
    let powers = |index: usize| {
        let node = nodes.as_slice()[index];
        format!("{}, {}, NULL", node.idle().as_microwatts(), node.max().as_microwatts())
    };
    for statement in [
        "DELETE FROM node_chunks".to_owned(),
        "UPDATE calibration_epochs SET digest = NULL".to_owned(),
        format!("INSERT INTO nodes SELECT id, 0, 1, 'a', {} FROM calibration_epochs", powers(0)),
        format!("INSERT INTO nodes SELECT id, 1, 0, 'b', {} FROM calibration_epochs", powers(1)),
    ] {
        bench.raw.execute(statement).await.unwrap();
    }
    let again = Database::connect(&bench.url).await.unwrap();
    let stored = stored_nodes(&again).await.unwrap().unwrap();
    assert_eq!((&stored.nodes, stored.created), (&*nodes, t(7)));
    assert_eq!(stored.order.rank(0), Some(1));
    again.close().await;
    bench.raw.execute("DELETE FROM nodes".to_owned()).await.unwrap();
    assert_eq!(stored_nodes(&bench.database).await.unwrap().unwrap().nodes, *nodes);
}

/// More nodes than a chunk holds; every third has labels.
async fn labels_come_back_over_several_chunks(bench: Bench) {
    let node = Node::new(Power::ZERO, Power::from_microwatts(9), None).unwrap();
    let nodes = (0..70_000).map(|n| (format!("rack{n}").into(), node)).collect();
    let labels = |n: u32| NodeLabels {
        partitions: if n.is_multiple_of(3) { vec!["gpu".into()] } else { Vec::new() },
        features: Vec::new(),
    };
    let labels = Labels::new((0..70_000).map(labels));
    let nodes = Arc::new(Nodes::listed(nodes).unwrap().with_labels(labels));
    bench.database.replace_nodes(&nodes, &[], None, t(0)).await.unwrap();
    assert_eq!(stored_nodes(&bench.database).await.unwrap().unwrap().nodes, *nodes);
}

async fn calibrations_are_read_by_node_newest_first(bench: Bench) {
    let database = &bench.database;
    let measured = |name: &str, at| Calibration {
        node_name: name.to_owned(),
        measured: t(at),
        idle_power: Power::from_microwatts(100),
        max_power: Power::from_microwatts(200),
        idle_spread: Power::from_microwatts(1),
        max_spread: Power::from_microwatts(2),
        idle_samples: 30,
        max_samples: 40,
        outliers: 3,
        source: CalibrationSource::Meters,
    };
    let nodes = cluster(&[("a", 1), ("b", 2)]);
    for at in [10, 20] {
        let calibrations = [measured("a", at), measured("b", at)];
        database.replace_nodes(&nodes, &calibrations, None, t(at)).await.unwrap();
    }
    let of_b = database.calibrations(Some("b"), 10).await.unwrap();
    assert_eq!(of_b, [measured("b", 20), measured("b", 10)]);
    let newest = database.calibrations(None, 3).await.unwrap();
    assert_eq!(newest, [measured("a", 20), measured("b", 20), measured("a", 10)]);
}
