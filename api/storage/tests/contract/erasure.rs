//! A pseudonym in place of a person: nothing names them any more, and everything adds up as before.

use planner::identity::ReservationId;
use planner::reservation::{Ending, Role};
use storage::sql::erasure;
use storage::{
    ApiToken, AuditEnd, AuditEntry, AuditFilter, ChainCheck, Erased, Filter, Occurrence,
    OccurrenceState, RecurringSeries, ReportKey, SeriesChange, SeriesId, SeriesStanding,
    SeriesState, TokenId,
};

use crate::bench::{
    Bench, install_ten_nodes, next_uuid, offer, on_both_engines, propose, ranks, reservation, span,
    t,
};
use crate::ledger::{all, row, statement};

on_both_engines![
    who_is_erased_is_named_nowhere_and_the_books_add_up,
    who_has_reservations_that_have_yet_to_end_is_not_erased,
    what_was_to_come_of_a_persons_series_ends_and_the_rest_is_settled_later,
    every_column_with_names_is_erased,
];

const PSEUDONYM: &str = "erased-0011223344556677";

fn entry(actor: &str, acting_for: &str, object: &str) -> AuditEntry {
    AuditEntry {
        actor: actor.to_owned(),
        acting_for: acting_for.to_owned(),
        object: object.to_owned(),
        source: "192.0.2.7".to_owned(),
        outcome: "200".to_owned(),
        ..AuditEntry::default()
    }
}

/// The rows are ada's reservations in which bob and she herself ran jobs, 300 J together.
async fn who_is_erased_is_named_nowhere_and_the_books_add_up(bench: Bench) {
    let database = &bench.database;
    let rows = vec![row("bob", 100), row("ada", 200)];
    database.put_statement(&statement(0, 0, 0, rows)).await.unwrap();
    let token = ApiToken {
        id: TokenId::new(next_uuid()),
        owner: "ada".to_owned(),
        role: Role::User,
        digest: "d".to_owned(),
        created: t(0),
        revoked: None,
        expires: None,
        used: None,
        actions: None,
    };
    database.create_token(&token).await.unwrap();
    let entries = [
        entry("ada", "", "nodes"),
        entry("olga", "ada", "reservations/1"),
        entry("olga", "", "users/ada"),
        entry("bob", "", "nodes"),
    ];
    let ends = entries.map(|entry| AuditEnd { intent: None, entry });
    database.keep_audit(&[], &ends, 0).await.unwrap();
    let by = [ReportKey::Project];
    let before = database.report_sums(&all(0, 1), &by).await.unwrap();
    let sums = database.person_sums("ada").await.unwrap();
    assert_eq!((sums[0].energy_j, sums[0].node_s, sums.len()), (300, 14_400, 1));

    let record = entry("root", PSEUDONYM, "users");
    let erased = database.erase_person("ada", PSEUDONYM, Some(&record), t(50)).await.unwrap();
    // A token, the user of one row, the owner of both, three records.
    assert_eq!(erased, Erased::Rows(7));
    assert_eq!(database.report_sums(&all(0, 1), &by).await.unwrap(), before);
    assert_eq!(database.person_sums("ada").await.unwrap(), []);
    assert_eq!(database.person_sums(PSEUDONYM).await.unwrap(), sums);
    let tokens = database.list_tokens().await.unwrap();
    assert_eq!((tokens[0].owner.as_str(), tokens[0].revoked), (PSEUDONYM, Some(t(50))));

    let filter = AuditFilter { limit: 100, ..AuditFilter::default() };
    let records = database.audit_records(&filter).await.unwrap();
    let mut chain = ChainCheck::default();
    for it in &records {
        chain.follow(&it.entry, &it.hash, &it.previous).unwrap();
        let texts = [&it.entry.actor, &it.entry.acting_for, &it.entry.object];
        assert!(texts.iter().all(|text| text.split('/').all(|it| it != "ada")), "{it:?}");
    }
    assert_eq!(records.len(), 5);
    assert_eq!((&records[3].entry, &records[4].entry), (&ends[3].entry, &record));
    assert!(records[0].entry.source.starts_with("erased:"));
    assert_eq!(records[1].entry.source, "192.0.2.7");
}

async fn who_has_reservations_that_have_yet_to_end_is_not_erased(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let held = reservation(vec![offer(ranks(0..1), span(100, 200))]);
    propose(database, &held, 1).await.unwrap();
    let record = entry("root", PSEUDONYM, "users");
    let erase =
        async || database.erase_person("ada", PSEUDONYM, Some(&record), t(50)).await.unwrap();
    assert_eq!(erase().await, Erased::HasReservations(1));
    let owners = async |owner: &str| {
        let filter = Filter { owner: Some(owner.to_owned()), ..Filter::default() };
        database.reservations(&filter, None, 10).await.unwrap().len()
    };
    assert_eq!((owners("ada").await, owners(PSEUDONYM).await), (1, 0));
    database.end(held.id, Ending::Cancelled, t(40), None).await.unwrap();
    assert!(matches!(erase().await, Erased::Rows(_)));
    assert_eq!((owners("ada").await, owners(PSEUDONYM).await), (0, 1));
}

/// Of a series one occurrence waits, another is being booked, one is being left out, one is to be planned anew, and one is as
/// it is to be. Those that are booked or on their way out are left to who settles them.
async fn what_was_to_come_of_a_persons_series_ends_and_the_rest_is_settled_later(bench: Bench) {
    use OccurrenceState::{Booked, Ended, Ending, Leaving, Waiting};
    let database = &bench.database;
    let series = RecurringSeries {
        id: SeriesId::new(next_uuid()),
        owner: "ada".to_owned(),
        project: String::new(),
        standing: SeriesStanding::User,
        state: SeriesState::Running,
        request: "{}".to_owned(),
        rule: "{}".to_owned(),
        being_made: false,
        releases: false,
        created: t(0),
        ended: None,
        revision: 2,
        row_version: 1,
    };
    let occurrence =
        |(name, state, is_claimed, next_try): (&str, _, bool, Option<i64>)| Occurrence {
            series: series.id,
            occurrence: name.to_owned(),
            earliest_start: t(100),
            latest_start: t(200),
            known_by: t(300),
            state,
            is_exception: false,
            reservation: is_claimed.then(|| ReservationId::new(next_uuid())),
            revision: 1,
            next_try: next_try.map(t),
            reason: None,
            version: 1,
        };
    let added = [
        ("a", Waiting, false, Some(5)),
        ("b", Waiting, true, Some(70)),
        ("c", Leaving, true, Some(60)),
        ("d", Booked, true, Some(60)),
        ("e", Booked, true, None),
    ];
    let rest = SeriesChange { added: added.map(occurrence).to_vec(), ..SeriesChange::default() };
    database.create_series(&series, &rest, None).await.unwrap();
    let record = entry("root", PSEUDONYM, "users");
    let erased = database.erase_person("ada", PSEUDONYM, Some(&record), t(50)).await.unwrap();
    assert!(matches!(erased, Erased::Rows(_)));
    let kept = database.series(series.id).await.unwrap().unwrap();
    assert_eq!((kept.owner.as_str(), kept.state), (PSEUDONYM, SeriesState::Ended));
    let found = database.occurrences_of(series.id).await.unwrap();
    let states: Vec<_> =
        found.iter().map(|it| (it.occurrence.as_str(), it.state, it.next_try)).collect();
    let expected = [
        ("a", Ended, None),
        ("b", Ending, Some(t(70))),
        ("c", Leaving, Some(t(60))),
        ("d", Booked, Some(t(60))),
        ("e", Booked, None),
    ];
    assert_eq!(states, expected);
    // Who claimed one before writes no more of it.
    let claimed = SeriesChange { changed: vec![rest.added[1].clone()], ..SeriesChange::default() };
    assert!(!database.change_series(&claimed, t(51)).await.unwrap());
}

/// A table that gets such a column needs a statement in `erasure/sql.rs`.
async fn every_column_with_names_is_erased(bench: Bench) {
    let names = [
        "owner",
        "user_name",
        "by_name",
        "made_by",
        "asked_by",
        "decided_by",
        "actor",
        "acting_for",
    ];
    let lists = erasure::RENAMES.iter().chain(erasure::FORGETS).copied();
    let statements: Vec<&str> = erasure::ALL.iter().map(|it| it.1).chain(lists).collect();
    for place in bench.raw.columns().await {
        let (table, column) = place.split_once('.').unwrap();
        if names.contains(&column) {
            let erases = |statement: &&&str| {
                let table = [format!("UPDATE {table} SET"), format!("DELETE FROM {table} ")];
                table.iter().any(|it| statement.starts_with(it)) && statement.contains(column)
            };
            assert!(statements.iter().any(|it| erases(&it)), "{place}");
        }
    }
}
