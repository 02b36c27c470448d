//! Outages: stored, ended, and carried over to other nodes.

use planner::identity::OutageId;
use planner::node_set::NodeSet;
use storage::{Database, Outage, OutageKind, StorageError};

use crate::bench::{Bench, cluster, next_uuid, on_both_engines, ranks, t};

on_both_engines![
    outages_come_back_until_they_end,
    an_outage_makes_earlier_plans_wrong,
    an_outage_that_has_yet_to_start_is_taken_back,
    outages_follow_their_nodes_by_name,
    an_outage_of_other_nodes_is_refused,
];

async fn outage(database: &Database, start: i64, end: Option<i64>, ranks: NodeSet) -> Outage {
    Outage {
        id: OutageId::new(next_uuid()),
        kind: OutageKind::OutOfService,
        managed_key: None,
        owner: "olga".to_owned(),
        reason: "fans".to_owned(),
        created: t(0),
        epoch: database.current_epoch().await.unwrap().unwrap(),
        start: t(start),
        end: end.map(t),
        ranks,
    }
}

/// Nodes a to d, which rank in this order.
async fn furnished(bench: &Bench) -> &Database {
    let nodes = cluster(&[("a", 1), ("b", 2), ("c", 3), ("d", 4)]);
    bench.database.replace_nodes(&nodes, &[], None, t(0)).await.unwrap();
    &bench.database
}

async fn outages_come_back_until_they_end(bench: Bench) {
    let database = furnished(&bench).await;
    let short = outage(database, 10, Some(20), ranks(0..1)).await;
    let open = outage(database, 5, None, NodeSet::from_positions([0, 2, 3])).await;
    for outage in [&short, &open] {
        database.create_outage(outage).await.unwrap();
    }
    assert_eq!(database.outages(t(19)).await.unwrap(), [open.clone(), short]);
    assert_eq!(database.outages(t(20)).await.unwrap(), std::slice::from_ref(&open));
    let ended = database.end_outage(open.id, t(30)).await.unwrap().unwrap();
    assert_eq!(ended, Outage { end: Some(t(30)), ..open });
    assert_eq!(database.end_outage(ended.id, t(40)).await.unwrap(), Some(ended));
    assert_eq!(database.outages(t(30)).await.unwrap(), []);
    assert_eq!(database.end_outage(OutageId::new(next_uuid()), t(0)).await.unwrap(), None);
}

async fn an_outage_makes_earlier_plans_wrong(bench: Bench) {
    let database = furnished(&bench).await;
    let before = database.marks().await.unwrap();
    let made = outage(database, 0, None, ranks(0..1)).await;
    database.create_outage(&made).await.unwrap();
    let after = database.marks().await.unwrap();
    assert_eq!(after.version, before.version + 1);
    let changes = database.changes(Some(before), None, t(0), true).await.unwrap();
    assert_eq!(changes.outages, Some(vec![made.clone()]));
    assert_eq!(database.changes(Some(after), None, t(0), true).await.unwrap().outages, None);
    database.end_outage(made.id, t(9)).await.unwrap();
    let changes = database.changes(Some(after), None, t(9), true).await.unwrap();
    assert_eq!(changes.outages, Some(vec![]));
}

async fn an_outage_that_has_yet_to_start_is_taken_back(bench: Bench) {
    let database = furnished(&bench).await;
    let made = outage(database, 100, Some(200), ranks(0..1)).await;
    database.create_outage(&made).await.unwrap();
    let ended = database.end_outage(made.id, t(50)).await.unwrap().unwrap();
    assert_eq!(ended.end, Some(t(100)));
    assert_eq!(database.end_outage(made.id, t(50)).await.unwrap(), None);
}

/// {a, c} of a b c d is {c} of d c b, where a is gone: rank 1.
async fn outages_follow_their_nodes_by_name(bench: Bench) {
    let database = furnished(&bench).await;
    let made = outage(database, 0, None, NodeSet::from_positions([0, 2])).await;
    database.create_outage(&made).await.unwrap();
    let fewer = cluster(&[("b", 9), ("c", 8), ("d", 7)]);
    let epoch = database.replace_nodes(&fewer, &[], None, t(1)).await.unwrap();
    let moved = database.outages(t(1)).await.unwrap();
    assert_eq!(moved, [Outage { epoch, ranks: ranks(1..2), ..made }]);
}

async fn an_outage_of_other_nodes_is_refused(bench: Bench) {
    let database = furnished(&bench).await;
    let made = outage(database, 0, None, ranks(0..1)).await;
    database.replace_nodes(&cluster(&[("a", 1)]), &[], None, t(1)).await.unwrap();
    let refused = database.create_outage(&made).await;
    assert!(matches!(refused, Err(StorageError::EpochChanged)));
    assert_eq!(database.outages(t(1)).await.unwrap(), []);
}
