//! Outages: stored, ended, and carried over to other nodes.

use planner::identity::OutageId;
use planner::node_set::NodeSet;
use planner::time::Span;
use storage::{
    ChangeOutageError, Database, FieldChange, Outage, OutageChange, OutageKind, StorageError,
    Withheld,
};

use crate::bench::{Bench, cluster, next_uuid, on_both_engines, ranks, t};

on_both_engines![
    outages_come_back_until_they_end,
    an_outage_makes_earlier_plans_wrong,
    an_outage_that_has_yet_to_start_is_taken_back,
    outages_follow_their_nodes_by_name,
    an_outage_of_other_nodes_is_refused,
    an_outage_changes_in_one_step,
    nodes_that_are_given_back_were_out_until_then,
    what_cannot_be_changed_is_refused,
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

/// What is changed and nothing else; only what takes more makes earlier plans wrong.
async fn an_outage_changes_in_one_step(bench: Bench) {
    let database = furnished(&bench).await;
    let made = outage(database, 100, Some(200), ranks(0..2)).await;
    database.create_outage(&made).await.unwrap();
    let first = database.marks().await.unwrap();
    let less = OutageChange { end: FieldChange::To(t(150)), ..OutageChange::default() };
    let (before, shorter) = database.change_outage(made.id, &less, t(10)).await.unwrap();
    assert_eq!((&before, &shorter), (&made, &Outage { end: Some(t(150)), ..made.clone() }));
    let second = database.marks().await.unwrap();
    assert_eq!(second.version, first.version);
    let changes = database.changes(Some(first), None, t(10), true).await.unwrap();
    assert_eq!(changes.outages, Some(vec![shorter.clone()]));
    // The same again writes nothing.
    database.change_outage(made.id, &less, t(11)).await.unwrap();
    assert_eq!(database.marks().await.unwrap(), second);
    let more = OutageChange {
        ranks: Some((made.epoch, ranks(1..4))),
        start: Some(t(50)),
        end: FieldChange::LeftOut,
        reason: Some("cooling".to_owned()),
    };
    let (_, wider) = database.change_outage(made.id, &more, t(12)).await.unwrap();
    let expected = Outage {
        ranks: ranks(1..4),
        start: t(50),
        end: None,
        reason: "cooling".to_owned(),
        ..made.clone()
    };
    assert_eq!(wider, expected);
    assert_eq!(database.marks().await.unwrap().version, second.version + 1);
    assert_eq!(database.outages(t(12)).await.unwrap(), [expected]);
    let told = database.events_after(None, 100).await.unwrap();
    let told = told.iter().filter(|event| event.kind == "outage.announced");
    assert_eq!(told.count(), 3, "when it was made, and by each change");
}

/// b and c are out since 10. At 30 c is given back, and d is out too: b stays out all along. Nobody is told of an
/// outage that is over, but findings are by what was out when.
async fn nodes_that_are_given_back_were_out_until_then(bench: Bench) {
    let database = furnished(&bench).await;
    let made = outage(database, 10, None, ranks(1..3)).await;
    database.create_outage(&made).await.unwrap();
    let other = NodeSet::from_positions([1, 3]);
    let change =
        OutageChange { ranks: Some((made.epoch, other.clone())), ..OutageChange::default() };
    let (_, after) = database.change_outage(made.id, &change, t(30)).await.unwrap();
    assert_eq!(after, Outage { ranks: other, ..made.clone() });
    assert_eq!(database.outages(t(30)).await.unwrap(), std::slice::from_ref(&after));
    let during = database.outages_during(Span::new(t(0), t(100)).unwrap()).await.unwrap();
    let past: Vec<&Outage> = during.iter().filter(|it| it.id != made.id).collect();
    let [past] = past.as_slice() else { panic!("{during:?}") };
    let expected = Outage { id: past.id, end: Some(t(30)), ranks: ranks(2..3), ..made };
    assert_eq!(**past, expected);
    // One that has yet to begin leaves nothing behind.
    let coming = outage(database, 100, None, ranks(0..2)).await;
    database.create_outage(&coming).await.unwrap();
    let change = OutageChange { ranks: Some((coming.epoch, ranks(0..1))), ..change };
    database.change_outage(coming.id, &change, t(40)).await.unwrap();
    let during = database.outages_during(Span::new(t(0), t(200)).unwrap()).await.unwrap();
    assert_eq!(during.len(), 3);
}

async fn what_cannot_be_changed_is_refused(bench: Bench) {
    let database = furnished(&bench).await;
    let made = outage(database, 10, Some(100), ranks(0..1)).await;
    database.create_outage(&made).await.unwrap();
    let to_end = |end| OutageChange { end: FieldChange::To(t(end)), ..OutageChange::default() };
    let to_start = |start| OutageChange { start: Some(t(start)), ..OutageChange::default() };
    let id = made.id;
    let unknown = database.change_outage(OutageId::new(next_uuid()), &to_end(50), t(20)).await;
    assert!(matches!(unknown, Err(ChangeOutageError::NotFound)));
    let early = database.change_outage(id, &to_end(10), t(5)).await;
    assert!(matches!(early, Err(ChangeOutageError::EndsBeforeStart { .. })));
    let over = database.change_outage(id, &to_end(20), t(20)).await;
    assert!(matches!(over, Err(ChangeOutageError::Over)));
    let begun = database.change_outage(id, &to_start(30), t(20)).await;
    assert!(matches!(begun, Err(ChangeOutageError::Begun { start }) if start == t(10)));
    database.change_outage(id, &to_start(10), t(20)).await.unwrap();
    let ended = database.change_outage(id, &to_end(200), t(100)).await;
    assert!(matches!(ended, Err(ChangeOutageError::Ended { end }) if end == t(100)));
    assert_eq!(database.outages(t(20)).await.unwrap(), std::slice::from_ref(&made));
    // The nodes of another epoch, and those of the resource manager.
    database.replace_nodes(&cluster(&[("a", 1), ("b", 2)]), &[], None, t(30)).await.unwrap();
    let stale = OutageChange { ranks: Some((made.epoch, ranks(1..2))), ..OutageChange::default() };
    let stale = database.change_outage(id, &stale, t(30)).await;
    let refused = matches!(stale, Err(ChangeOutageError::Storage(StorageError::EpochChanged)));
    assert!(refused, "{stale:?}");
    let drained = Withheld {
        key: "node b".to_owned(),
        kind: OutageKind::OutOfService,
        reason: "drained".to_owned(),
        start: t(30),
        end: None,
        ranks: ranks(1..2),
    };
    let epoch = database.current_epoch().await.unwrap().unwrap();
    database.put_withheld(epoch, t(30), &[drained]).await.unwrap();
    let all = database.outages(t(30)).await.unwrap();
    let managed = all.iter().find(|it| it.managed_key.is_some()).unwrap();
    let refused = database.change_outage(managed.id, &to_end(500), t(40)).await;
    assert!(matches!(refused, Err(ChangeOutageError::Managed)));
}
