//! The audit trail: a chain that writers of all connections keep, that is never changed, and that begins later once old records
//! were dropped.

use storage::{AuditEnd, AuditEntry, AuditFilter, AuditIntent, AuditRecord, ChainCheck, Database};

use crate::bench::{Bench, on_both_engines};

on_both_engines![
    concurrent_writers_keep_one_chain,
    records_are_never_changed_or_deleted,
    what_was_begun_and_never_ended_is_recorded_once,
    what_was_begun_later_than_it_ended_is_recorded_once,
    records_that_are_dropped_leave_a_chain_that_can_be_checked,
];

fn entry(at_us: i64, actor: &str) -> AuditEntry {
    AuditEntry {
        at_us,
        actor: actor.to_owned(),
        action: "put_nodes".to_owned(),
        object: "nodes".to_owned(),
        outcome: "200".to_owned(),
        ..AuditEntry::default()
    }
}

fn end(at_us: i64, actor: &str) -> AuditEnd {
    AuditEnd { intent: None, entry: entry(at_us, actor) }
}

async fn all(database: &Database) -> Vec<AuditRecord> {
    let filter = AuditFilter { limit: 1000, ..AuditFilter::default() };
    database.audit_records(&filter).await.unwrap()
}

/// Whether all that is kept fits, from what was dropped to the newest.
async fn fits(database: &Database) -> bool {
    let ends = database.audit_ends().await.unwrap();
    let mut chain = ChainCheck::after(ends.dropped_hash);
    let records = all(database).await;
    let ids: Vec<i64> = records.iter().map(|it| it.id).collect();
    ids == (ends.dropped_id + 1..=ends.head_id).collect::<Vec<_>>()
        && records.iter().all(|it| chain.follow(&it.entry, &it.hash, &it.previous).is_ok())
        && chain.hash() == Some(ends.head_hash.as_str())
}

async fn concurrent_writers_keep_one_chain(bench: Bench) {
    let other = Database::connect(&bench.url).await.unwrap();
    let writers = (0..16).map(|index: i64| {
        let database = if index % 2 == 0 { bench.database.clone() } else { other.clone() };
        tokio::spawn(async move {
            for at in 0..4 {
                let ends = [end(at, &format!("user{index}")), end(at, "olga")];
                database.keep_audit(&[], &ends, 0).await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    assert_eq!(all(&bench.database).await.len(), 128);
    assert!(fits(&bench.database).await);
    other.close().await;
}

async fn records_are_never_changed_or_deleted(bench: Bench) {
    bench.database.keep_audit(&[], &[end(1, "ada"), end(2, "bob")], 0).await.unwrap();
    for statement in [
        "UPDATE audit SET actor = 'eve' WHERE id = 1",
        "UPDATE audit SET outcome = '403' WHERE id = 1",
        "UPDATE audit SET state_after = '{}' WHERE id = 1",
        "UPDATE audit SET hash = previous WHERE id = 2",
        "DELETE FROM audit WHERE id = 1",
    ] {
        bench.raw.execute(statement.to_owned()).await.unwrap_err();
    }
    assert!(fits(&bench.database).await);
}

async fn what_was_begun_and_never_ended_is_recorded_once(bench: Bench) {
    let database = &bench.database;
    let intent = |id: &str, at_us| AuditIntent { id: id.to_owned(), entry: entry(at_us, "ada") };
    let begun = [intent("a", 10), intent("b", 20), intent("c", 30)];
    database.keep_audit(&begun, &[], 0).await.unwrap();
    let ended = AuditEnd { intent: Some("a".to_owned()), entry: entry(10, "ada") };
    database.keep_audit(&[], std::slice::from_ref(&ended), 0).await.unwrap();
    // What is refused before anything is begun has no intent by which it is known.
    let refused = [end(15, "ada"), end(15, "bob")];
    database.keep_audit(&[], &refused, 0).await.unwrap();
    // The answers were lost, and it is tried again with what came meanwhile.
    let again = [ended, refused[0].clone(), refused[1].clone(), end(15, "eve"), end(40, "bob")];
    database.keep_audit(&[], &again, 4).await.unwrap();
    assert_eq!(database.record_left_begun(30, 10).await.unwrap(), 1);
    assert_eq!(database.record_left_begun(30, 10).await.unwrap(), 0);
    let records = all(database).await;
    let told: Vec<(i64, &str, &str)> = records
        .iter()
        .map(|AuditRecord { entry, .. }| (entry.at_us, &*entry.actor, &*entry.outcome))
        .collect();
    let first = [(10, "ada", "200"), (15, "ada", "200"), (15, "bob", "200")];
    let then = [(15, "eve", "200"), (40, "bob", "200"), (20, "ada", "unknown")];
    assert_eq!(told, [first, then].concat());
    assert!(fits(database).await);
}

/// A write of what was begun hung on its way; meanwhile its client was told so, that was recorded, and the answer to that was lost.
async fn what_was_begun_later_than_it_ended_is_recorded_once(bench: Bench) {
    let database = &bench.database;
    let begun = AuditIntent { id: "a".to_owned(), entry: entry(10, "ada") };
    let mut entry = entry(10, "ada");
    (entry.object, entry.outcome) = ("nodes/n1".to_owned(), "503 unavailable".to_owned());
    let ended = [AuditEnd { intent: Some("a".to_owned()), entry }];
    database.keep_audit(&[], &ended, 0).await.unwrap();
    database.keep_audit(&[begun], &[], 0).await.unwrap();
    database.keep_audit(&[], &ended, 1).await.unwrap();
    assert_eq!(database.record_left_begun(20, 10).await.unwrap(), 0);
    assert!(database.audit_begun_ids().await.unwrap().is_empty());
    let records = all(database).await;
    assert_eq!(records.iter().map(|it| &it.entry).collect::<Vec<_>>(), [&ended[0].entry]);
    assert!(fits(database).await);
}

async fn records_that_are_dropped_leave_a_chain_that_can_be_checked(bench: Bench) {
    let database = &bench.database;
    assert_eq!(database.drop_audit(100).await.unwrap(), 0);
    let ends: Vec<AuditEnd> = [10, 20, 15, 30, 40].map(|at| end(at, "ada")).into();
    database.keep_audit(&[], &ends, 0).await.unwrap();
    // The third is older than the second, and goes with it.
    assert_eq!(database.drop_audit(30).await.unwrap(), 3);
    assert_eq!(all(database).await.len(), 2);
    assert!(fits(database).await);
    assert_eq!(database.drop_audit(100).await.unwrap(), 2);
    database.keep_audit(&[], &[end(50, "ada")], 0).await.unwrap();
    assert_eq!(all(database).await[0].id, 6);
    assert!(fits(database).await);
}
