//! Agendas: what is in force, and what was known when.

use planner::agenda::Piece;
use planner::quantity::Rate;
use planner::time::Timestamp;
use serde_json::{Value, json};
use storage::{AgendaMeta, AgendaPieces, Database, Quantity, RevisionId, StorageError};

use crate::bench::{Bench, on_both_engines, span, t};

on_both_engines![
    a_revision_replaces_the_span_it_covers_and_leaves_gaps,
    a_revision_inside_a_piece_splits_it,
    what_was_known_then_is_composed_of_the_revisions_received_by_then,
    negative_prices_and_late_years_come_back_as_they_went_in,
    pieces_out_of_order_or_none_are_refused,
    the_newest_announcement_known_by_then_is_dated_by_its_issue_else_its_receipt,
    quantities_do_not_touch_each_other,
    a_long_agenda_is_stored_in_one_put,
    no_cap_is_told_from_a_gap_in_it,
    what_is_withdrawn_is_a_gap_and_was_known_before,
];

fn pieces(list: &[(i64, i64, i64)]) -> Vec<Piece<i64>> {
    list.iter().map(|&(start, end, value)| Piece { span: span(start, end), value }).collect()
}

fn meta() -> AgendaMeta {
    AgendaMeta {
        source: "day-ahead".to_owned(),
        kind: "average".to_owned(),
        quality: "forecast".to_owned(),
        issued: Some(t(-5)),
    }
}

async fn put(database: &Database, now: i64, list: &[(i64, i64, i64)]) -> RevisionId {
    database.put_agenda(Quantity::Price, &meta(), &pieces(list), t(now)).await.unwrap()
}

/// What plans are made with.
async fn in_force(database: &Database, now: i64) -> AgendaPieces {
    database.changes(None, None, t(now), true).await.unwrap().agendas.expect("nothing is known")
}

async fn a_revision_replaces_the_span_it_covers_and_leaves_gaps(bench: Bench) {
    let database = &bench.database;
    put(database, 1, &[(0, 10, 1), (10, 20, 2), (20, 30, 3), (30, 40, 4)]).await;
    put(database, 2, &[(15, 18, 7), (22, 25, 8)]).await;
    let all = database.agenda(Quantity::Price, span(0, 100)).await.unwrap();
    let expected =
        pieces(&[(0, 10, 1), (10, 15, 2), (15, 18, 7), (22, 25, 8), (25, 30, 3), (30, 40, 4)]);
    assert_eq!(all, expected);
    // Untrimmed, and without the pieces that only touch.
    let some = database.agenda(Quantity::Price, span(10, 23)).await.unwrap();
    assert_eq!(some, expected[1..4]);
    assert_eq!(database.marks().await.unwrap().version, 2);
}

async fn a_revision_inside_a_piece_splits_it(bench: Bench) {
    let database = &bench.database;
    put(database, 1, &[(0, 100, 1)]).await;
    put(database, 2, &[(40, 60, 2)]).await;
    let all = database.agenda(Quantity::Price, span(0, 100)).await.unwrap();
    assert_eq!(all, pieces(&[(0, 40, 1), (40, 60, 2), (60, 100, 1)]));
}

async fn the_newest_announcement_known_by_then_is_dated_by_its_issue_else_its_receipt(
    bench: Bench,
) {
    let database = &bench.database;
    let announced = async |as_of| {
        database.agenda_announced(Quantity::Price, span(5, 95), t(as_of)).await.unwrap()
    };
    put(database, 10, &[(0, 50, 1)]).await;
    let meta = AgendaMeta { issued: None, ..meta() };
    let pieces = pieces(&[(50, 100, 2)]);
    database.put_agenda(Quantity::Price, &meta, &pieces, t(20)).await.unwrap();
    // Touches the window only.
    put(database, 30, &[(95, 99, 3)]).await;
    assert_eq!(announced(9).await, None);
    assert_eq!(announced(10).await, Some(t(-5)));
    assert_eq!(announced(40).await, Some(t(20)));
    let other = database.agenda_announced(Quantity::Co2, span(5, 95), t(40)).await;
    assert_eq!(other.unwrap(), None);
}

async fn what_was_known_then_is_composed_of_the_revisions_received_by_then(bench: Bench) {
    let database = &bench.database;
    let known =
        async |as_of| database.agenda_as_of(Quantity::Price, span(5, 95), t(as_of)).await.unwrap();
    put(database, 10, &[(0, 50, 1), (50, 100, 2)]).await;
    put(database, 20, &[(20, 30, 3), (60, 70, 4)]).await;
    // Two at the same instant take effect in the order in which they were put.
    put(database, 30, &[(0, 10, 5)]).await;
    put(database, 30, &[(8, 12, 6)]).await;
    assert_eq!(known(9).await, []);
    assert_eq!(known(10).await, pieces(&[(5, 50, 1), (50, 95, 2)]));
    let second = pieces(&[(5, 20, 1), (20, 30, 3), (60, 70, 4), (70, 95, 2)]);
    assert_eq!(known(29).await, second);
    let third = [(5, 8, 5), (8, 12, 6), (12, 20, 1), (20, 30, 3), (60, 70, 4), (70, 95, 2)];
    assert_eq!(known(30).await, pieces(&third));
    // What is known now is what is in force.
    let in_force = database.agenda(Quantity::Price, span(5, 95)).await.unwrap();
    let trimmed: Vec<_> = in_force
        .iter()
        .map(|piece| Piece {
            span: piece.span.intersection(span(5, 95)).unwrap(),
            value: piece.value,
        })
        .collect();
    assert_eq!(known(30).await, trimmed);
}

async fn negative_prices_and_late_years_come_back_as_they_went_in(bench: Bench) {
    let database = &bench.database;
    let late = Timestamp::MAX.as_unix_seconds();
    let list = [(0, 1, -500_000_001), (late - 1, late, 1_000_000_000_000)];
    put(database, 1, &list).await;
    let window = span(0, late);
    assert_eq!(database.agenda(Quantity::Price, window).await.unwrap(), pieces(&list));
    let planned_with = in_force(database, 0).await;
    assert_eq!(planned_with.price[0].value.as_millionths(), -500_000_001);
    assert_eq!(planned_with.price[1].span, span(late - 1, late));
}

async fn pieces_out_of_order_or_none_are_refused(bench: Bench) {
    let put = async |list: &[(i64, i64, i64)]| {
        bench.database.put_agenda(Quantity::Co2, &meta(), &pieces(list), t(1)).await
    };
    assert!(matches!(put(&[]).await, Err(StorageError::EmptyAgenda)));
    let overlap = put(&[(0, 10, 1), (9, 20, 2)]).await;
    assert!(matches!(overlap, Err(StorageError::UnorderedAgenda(error)) if error.index == 1));
    assert_eq!(bench.database.marks().await.unwrap().version, 0);
}

async fn quantities_do_not_touch_each_other(bench: Bench) {
    let database = &bench.database;
    for (value, quantity) in (1..).zip([Quantity::Price, Quantity::Co2, Quantity::PowerCap]) {
        let list = pieces(&[(0, 10, value)]);
        database.put_agenda(quantity, &meta(), &list, t(1)).await.unwrap();
    }
    let planned_with = in_force(database, 0).await;
    assert_eq!(planned_with.price[0].value.as_millionths(), 1);
    assert_eq!(planned_with.co2[0].value.as_millionths(), 2);
    assert_eq!(planned_with.power_cap.unwrap()[0].value.as_microwatts(), 3);
}

/// A year of quarter hours: 35,040 pieces, more than one statement can bind.
async fn a_long_agenda_is_stored_in_one_put(bench: Bench) {
    let list: Vec<_> = (0..35_040).map(|n| (n * 900, (n + 1) * 900, n)).collect();
    put(&bench.database, 1, &list).await;
    put(&bench.database, 2, &list).await;
    let stored = bench.database.agenda(Quantity::Price, span(0, 35_040 * 900)).await.unwrap();
    assert_eq!(stored, pieces(&list));
}

async fn no_cap_is_told_from_a_gap_in_it(bench: Bench) {
    let database = &bench.database;
    let cap = async || in_force(database, 10_000).await.power_cap;
    assert_eq!(cap().await, None);
    let elsewhere = pieces(&[(100, 200, 1)]);
    database.put_agenda(Quantity::PowerCap, &meta(), &elsewhere, t(1)).await.unwrap();
    assert_eq!(cap().await, Some(Vec::new()));
}

async fn what_is_withdrawn_is_a_gap_and_was_known_before(bench: Bench) {
    let database = &bench.database;
    put(database, 1, &[(0, 10, 1), (10, 20, 2), (30, 40, 3)]).await;
    let before = database.marks().await.unwrap();
    let revision =
        database.withdraw_agenda(Quantity::Price, &meta(), span(5, 35), t(2)).await.unwrap();
    let left = pieces(&[(0, 5, 1), (35, 40, 3)]);
    assert_eq!(database.agenda(Quantity::Price, span(0, 100)).await.unwrap(), left);
    let as_of = async |now| database.agenda_as_of(Quantity::Price, span(0, 100), t(now)).await;
    assert_eq!(as_of(1).await.unwrap(), pieces(&[(0, 10, 1), (10, 20, 2), (30, 40, 3)]));
    assert_eq!(as_of(2).await.unwrap(), left);
    // Plans made before may be wrong, and whoever watches is told.
    assert_eq!(database.marks().await.unwrap().version, before.version + 1);
    let told = database.events_after(None, 100).await.unwrap();
    let told = told.last().unwrap();
    let data: Value = serde_json::from_str(&told.data).unwrap();
    assert_eq!((told.kind.as_str(), &data["revision"]), ("agenda.revised", &json!(revision.get())));
    // What is put later counts again, and the rest stays withdrawn.
    put(database, 3, &[(20, 25, 9)]).await;
    let left = pieces(&[(0, 5, 1), (20, 25, 9), (35, 40, 3)]);
    assert_eq!(database.agenda(Quantity::Price, span(0, 100)).await.unwrap(), left);
    assert_eq!(as_of(3).await.unwrap(), left);
}
