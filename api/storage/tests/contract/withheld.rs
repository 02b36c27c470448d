//! What the resource manager withholds, as outages.

use planner::node_set::NodeSet;
use planner::time::Timestamp;
use storage::{
    Database, EpochId, EventId, Marks, Outage, OutageKind, StorageError, Withheld, WithheldCounts,
};

use crate::bench::{Bench, cluster, on_both_engines, ranks, t};

on_both_engines![
    what_is_withheld_is_an_outage_until_it_is_gone,
    nothing_is_written_where_nothing_differs,
    only_what_is_newly_withheld_makes_earlier_plans_wrong,
    what_is_over_is_withheld_again_if_it_lasts_longer,
    what_is_withheld_follows_its_nodes_by_name,
    ranks_of_other_nodes_are_refused,
    ten_thousand_jobs_are_put_and_read,
];

fn node_down(node: u32) -> Withheld {
    Withheld {
        key: format!("node {node}"),
        kind: OutageKind::OutOfService,
        reason: "fans".to_owned(),
        start: t(5),
        end: None,
        ranks: ranks(node..node + 1),
    }
}

fn job(id: u32, end: i64, nodes: NodeSet) -> Withheld {
    Withheld {
        key: format!("job {id}"),
        kind: OutageKind::Occupied,
        reason: format!("job {id} of alice runs there"),
        start: t(1),
        end: Some(t(end)),
        ranks: nodes,
    }
}

/// Nodes a to d, which rank in this order, and their epoch.
async fn furnished(bench: &Bench) -> (&Database, EpochId) {
    let nodes = cluster(&[("a", 1), ("b", 2), ("c", 3), ("d", 4)]);
    let epoch = bench.database.replace_nodes(&nodes, &[], None, t(0)).await.unwrap();
    (&bench.database, epoch)
}

/// Key, end and nodes of all outages, by start and then by creation.
async fn stored(database: &Database, now: i64) -> Vec<(String, Option<i64>, NodeSet)> {
    let outages = database.outages(t(now)).await.unwrap();
    let told = |it: Outage| {
        let end = it.end.map(Timestamp::as_unix_seconds);
        (it.managed_key.unwrap_or_default(), end, it.ranks)
    };
    outages.into_iter().map(told).collect()
}

/// What is told after an event: kinds, with the data of those on occupied nodes.
async fn told_after(database: &Database, last: Option<EventId>) -> Vec<String> {
    let events = database.events_after(last, 1000).await.unwrap();
    let told = events.into_iter().map(|event| match event.kind.as_str() {
        "nodes.occupied" => event.data,
        kind => kind.to_owned(),
    });
    told.collect()
}

async fn last_event(database: &Database) -> Option<EventId> {
    database.events_kept().await.unwrap().newest
}

async fn what_is_withheld_is_an_outage_until_it_is_gone(bench: Bench) {
    let (database, epoch) = furnished(&bench).await;
    let before = last_event(database).await;
    let withheld = [job(7, 100, ranks(1..3)), node_down(0)];
    let counts = database.put_withheld(epoch, t(10), &withheld).await.unwrap();
    let expected = WithheldCounts { added: 2, newly_withheld: true, ..WithheldCounts::default() };
    assert_eq!(counts, expected);
    let outages = database.outages(t(10)).await.unwrap();
    let [occupied, down] = outages.as_slice() else { panic!("{outages:?}") };
    assert_eq!((occupied.kind, occupied.owner.as_str()), (OutageKind::Occupied, "slurm"));
    assert_eq!(occupied.reason, "job 7 of alice runs there");
    assert_eq!((down.kind, down.start, down.end), (OutageKind::OutOfService, t(5), None));
    assert_eq!(
        told_after(database, before).await,
        ["outage.announced", r#"{"count":2,"taken":2,"freed":0}"#]
    );
    // Half of the job's nodes, and the node that was down is back.
    let before = last_event(database).await;
    let fewer = [job(7, 100, ranks(2..3))];
    let counts = database.put_withheld(epoch, t(20), &fewer).await.unwrap();
    let expected = WithheldCounts { changed: 1, removed: 1, ..WithheldCounts::default() };
    assert_eq!(counts, expected);
    assert_eq!(stored(database, 20).await, [("job 7".to_owned(), Some(100), ranks(2..3))]);
    assert_eq!(
        told_after(database, before).await,
        ["outage.ended", r#"{"count":1,"taken":0,"freed":1}"#]
    );
    // What was down is kept with its end; of jobs nothing is.
    let ended = database.end_outage(down.id, t(30)).await.unwrap();
    assert_eq!(ended.unwrap().end, Some(t(20)));
    database.put_withheld(epoch, t(30), &[]).await.unwrap();
    assert_eq!(database.end_outage(occupied.id, t(30)).await.unwrap(), None);
}

async fn nothing_is_written_where_nothing_differs(bench: Bench) {
    let (database, epoch) = furnished(&bench).await;
    let withheld = [job(7, 100, ranks(1..3)), node_down(0)];
    database.put_withheld(epoch, t(10), &withheld).await.unwrap();
    let (before, last) = (database.marks().await.unwrap(), last_event(database).await);
    // It is not always known since when, and what is over or has no nodes is not withheld.
    let since = Withheld { start: t(11), ..node_down(0) };
    let over = job(8, 12, ranks(3..4));
    let nowhere = job(9, 100, NodeSet::new());
    let again = [nowhere, since, over, job(7, 100, ranks(1..3))];
    let counts = database.put_withheld(epoch, t(12), &again).await.unwrap();
    assert_eq!(counts, WithheldCounts::default());
    assert_eq!(database.marks().await.unwrap(), before);
    assert_eq!(last_event(database).await, last);
}

async fn only_what_is_newly_withheld_makes_earlier_plans_wrong(bench: Bench) {
    let (database, epoch) = furnished(&bench).await;
    let put = async |withheld: &[Withheld], now: i64| -> (Marks, Marks, WithheldCounts) {
        let before = database.marks().await.unwrap();
        let counts = database.put_withheld(epoch, t(now), withheld).await.unwrap();
        (before, database.marks().await.unwrap(), counts)
    };
    let other_words = Withheld { reason: "job 7 of bob".to_owned(), ..job(7, 90, ranks(1..2)) };
    let later = Withheld { start: t(50), ..job(8, 90, ranks(3..4)) };
    let sooner = Withheld { start: t(40), ..job(8, 90, ranks(3..4)) };
    for (now, withheld, newly) in [
        (10, vec![job(7, 100, ranks(1..3))], true),
        (11, vec![job(7, 90, ranks(1..3))], false),
        (12, vec![job(7, 90, ranks(1..2))], false),
        (13, vec![other_words.clone()], false),
        (14, vec![Withheld { end: Some(t(91)), ..other_words }], true),
        (15, vec![job(7, 91, ranks(0..2))], true),
        (16, vec![later], true),
        (17, vec![sooner], true),
        (18, vec![], false),
    ] {
        let (before, after, counts) = put(&withheld, now).await;
        assert_eq!(counts.newly_withheld, newly, "at {now}");
        assert_eq!(after.version, before.version + i64::from(newly), "at {now}");
        assert_eq!(after.changes, before.changes + 1, "at {now}");
        assert_eq!(after.outages, after.changes, "at {now}");
    }
}

/// A job runs on beyond its limit: its nodes are occupied again.
async fn what_is_over_is_withheld_again_if_it_lasts_longer(bench: Bench) {
    let (database, epoch) = furnished(&bench).await;
    database.put_withheld(epoch, t(10), &[job(7, 100, ranks(1..3))]).await.unwrap();
    assert_eq!(stored(database, 100).await, []);
    let counts = database.put_withheld(epoch, t(105), &[job(7, 200, ranks(1..3))]).await.unwrap();
    let (added, removed, newly_withheld) = (1, 1, true);
    assert_eq!(counts, WithheldCounts { added, removed, newly_withheld, changed: 0 });
    assert_eq!(stored(database, 105).await, [("job 7".to_owned(), Some(200), ranks(1..3))]);
}

/// {b, c} of a b c d is {b, c} of d c b, in which they have the ranks 1 and 2.
async fn what_is_withheld_follows_its_nodes_by_name(bench: Bench) {
    let (database, epoch) = furnished(&bench).await;
    let withheld = [job(7, 100, ranks(1..3)), node_down(3)];
    database.put_withheld(epoch, t(10), &withheld).await.unwrap();
    let fewer = cluster(&[("b", 9), ("c", 8), ("d", 7)]);
    let epoch = database.replace_nodes(&fewer, &[], None, t(11)).await.unwrap();
    let moved =
        [("job 7".to_owned(), Some(100), ranks(1..3)), ("node 3".to_owned(), None, ranks(0..1))];
    assert_eq!(stored(database, 11).await, moved);
    let before = database.marks().await.unwrap();
    let same = [job(7, 100, ranks(1..3)), Withheld { ranks: ranks(0..1), ..node_down(3) }];
    let counts = database.put_withheld(epoch, t(12), &same).await.unwrap();
    assert_eq!((counts, database.marks().await.unwrap()), (WithheldCounts::default(), before));
}

async fn ranks_of_other_nodes_are_refused(bench: Bench) {
    let (database, epoch) = furnished(&bench).await;
    database.replace_nodes(&cluster(&[("a", 1)]), &[], None, t(1)).await.unwrap();
    let refused = database.put_withheld(epoch, t(2), &[node_down(0)]).await;
    assert!(matches!(refused, Err(StorageError::EpochChanged)), "{refused:?}");
    assert_eq!(stored(database, 2).await, []);
}

async fn ten_thousand_jobs_are_put_and_read(bench: Bench) {
    let database = &bench.database;
    let names: Vec<String> = (0..10_000).map(|n| format!("node-{n}")).collect();
    let nodes: Vec<(&str, i64)> = names.iter().map(String::as_str).zip(100..).collect();
    let epoch = database.replace_nodes(&cluster(&nodes), &[], None, t(0)).await.unwrap();
    let jobs = |longer: i64| -> Vec<Withheld> {
        let end = |node: u32| 1000 + i64::from(node) + longer;
        (0..10_000).map(|node| job(node, end(node), ranks(node..node + 1))).collect()
    };
    let counts = database.put_withheld(epoch, t(10), &jobs(0)).await.unwrap();
    assert_eq!(counts.added, 10_000);
    let read = database.changes(None, None, t(10), true).await.unwrap().outages.unwrap();
    let mut ends: Vec<_> = read.iter().map(|it| (it.end, it.ranks.clone())).collect();
    ends.sort_unstable_by_key(|(end, _)| *end);
    let expected = (0..10_000).map(|node: u32| {
        let end = t(1000 + i64::from(node));
        (Some(end), ranks(node..node + 1))
    });
    assert!(ends.into_iter().eq(expected));
    let counts = database.put_withheld(epoch, t(11), &jobs(5)).await.unwrap();
    assert_eq!((counts.changed, counts.newly_withheld), (10_000, true));
    // The nodes in the reverse order: node 0 has the last rank.
    let reversed: Vec<(&str, i64)> =
        nodes.iter().map(|(name, watts)| (*name, 20_000 - watts)).collect();
    database.replace_nodes(&cluster(&reversed), &[], None, t(12)).await.unwrap();
    let first = database.outages(t(12)).await.unwrap();
    let first = first.iter().find(|it| it.managed_key.as_deref() == Some("job 0")).unwrap();
    assert_eq!(first.ranks, ranks(9_999..10_000));
    let epoch = database.current_epoch().await.unwrap().unwrap();
    let counts = database.put_withheld(epoch, t(13), &[]).await.unwrap();
    assert_eq!(counts.removed, 10_000);
    assert_eq!(stored(database, 13).await, []);
}
