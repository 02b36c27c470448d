//! The engine itself refuses a double booking, whoever writes.

use planner::identity::ReservationId;
use planner::reservation::OfferSelector;
use storage::StorageError;

use crate::bench::{
    Bench, Raw, install_ten_nodes, offer, on_both_engines, propose, ranks, reservation, span, t,
};

on_both_engines![
    a_row_that_overlaps_in_nodes_and_time_is_refused,
    rows_that_touch_in_time_or_nodes_are_taken,
    alternatives_of_one_reservation_may_overlap,
    moving_a_row_onto_another_is_refused,
    an_empty_range_is_refused,
    a_row_is_taken_exactly_where_no_other_overlaps,
    what_is_and_was_held_is_told_by_its_spans,
];

/// Writes a row past the repositories, for an offer that exists.
async fn insert(
    bench: &Bench,
    of: (ReservationId, planner::identity::OfferId),
    nodes: std::ops::Range<u32>,
    time: std::ops::Range<i64>,
) -> Result<(), StorageError> {
    let raw: &Raw = &bench.raw;
    let (reservation, offer) = (raw.literal(of.0.as_uuid()), raw.literal(of.1.as_uuid()));
    let (first, end) = (nodes.start, nodes.end);
    raw.execute(format!(
        "INSERT INTO allocations
            (reservation_id, offer_id, epoch, first_rank, end_rank, start_s, end_s)
         VALUES ({reservation}, {offer}, 1, {first}, {end}, {}, {})",
        time.start, time.end
    ))
    .await
}

/// Two reservations with an offer each: the first holds ranks 2 to 5 from 100 to 200, the second
/// ranks 8 and 9 much later.
async fn two(bench: &Bench) -> [(ReservationId, planner::identity::OfferId); 2] {
    install_ten_nodes(&bench.database).await;
    let first = reservation(vec![offer(ranks(2..6), span(100, 200))]);
    let second = reservation(vec![offer(ranks(8..10), span(5000, 6000))]);
    for reservation in [&first, &second] {
        propose(&bench.database, reservation, 0).await.unwrap();
    }
    [(first.id, first.offers[0].id), (second.id, second.offers[0].id)]
}

async fn a_row_that_overlaps_in_nodes_and_time_is_refused(bench: Bench) {
    let [_, second] = two(&bench).await;
    let overlaps =
        [(2..6, 100..200), (5..6, 199..200), (0..3, 50..101), (0..10, 0..1000), (3..4, 120..130)];
    for (nodes, time) in overlaps {
        let refused = insert(&bench, second, nodes.clone(), time.clone()).await;
        assert!(matches!(refused, Err(StorageError::DoubleBooking)), "{nodes:?} {time:?}");
    }
}

async fn rows_that_touch_in_time_or_nodes_are_taken(bench: Bench) {
    let [_, second] = two(&bench).await;
    let touching = [(2..6, 200..300), (2..6, 0..100), (0..2, 100..200), (6..8, 100..200)];
    for (nodes, time) in touching {
        insert(&bench, second, nodes, time).await.unwrap();
    }
}

async fn alternatives_of_one_reservation_may_overlap(bench: Bench) {
    let [first, _] = two(&bench).await;
    insert(&bench, first, 3..5, 150..250).await.unwrap();
}

async fn moving_a_row_onto_another_is_refused(bench: Bench) {
    let [_, second] = two(&bench).await;
    insert(&bench, second, 2..6, 200..300).await.unwrap();
    let update = |set: &str| format!("UPDATE allocations SET {set} WHERE start_s = 200");
    let refused = bench.raw.execute(update("start_s = 199")).await;
    assert!(matches!(refused, Err(StorageError::DoubleBooking)), "{refused:?}");
    bench.raw.execute(update("end_s = 250")).await.unwrap();
    bench.raw.execute(update("start_s = 199, first_rank = 6, end_rank = 8")).await.unwrap();
}

async fn an_empty_range_is_refused(bench: Bench) {
    let [_, second] = two(&bench).await;
    insert(&bench, second, 7..7, 0..10).await.unwrap_err();
    insert(&bench, second, 7..8, 10..10).await.unwrap_err();
}

/// The first has ranks 2 to 5 and 7 and 8 from 100 to 200, 6 nodes, and then rank 2 until 300. The second has chosen
/// nothing yet: its offers are held.
async fn what_is_and_was_held_is_told_by_its_spans(bench: Bench) {
    let [first, second] = two(&bench).await;
    let database = &bench.database;
    database.choose(first.0, OfferSelector::Offer(first.1), t(10), None, false).await.unwrap();
    insert(&bench, first, 7..9, 100..200).await.unwrap();
    insert(&bench, first, 2..3, 200..300).await.unwrap();
    for (from, expected) in [
        (0, vec![(span(100, 200), 6), (span(200, 300), 1)]),
        (299, vec![(span(100, 200), 6), (span(200, 300), 1)]),
        (300, vec![]),
    ] {
        let mut held = database.held_since(t(from)).await.unwrap();
        held.retain(|it| it.reservation_id == first.0);
        assert!(held.iter().all(|it| it.owner == "ada" && it.held_until.is_none()));
        let found: Vec<_> = held.iter().map(|it| (it.span, it.nodes)).collect();
        assert_eq!(found, expected, "{from}");
    }
    let (changed, held) = database.held_changed(0).await.unwrap();
    assert!(changed.contains(&first.0) && changed.contains(&second.0));
    let of_second: Vec<_> = held.iter().filter(|it| it.reservation_id == second.0).collect();
    assert!(!of_second.is_empty() && of_second.iter().all(|it| it.held_until.is_some()));
    assert_eq!(database.held_changed(i64::MAX).await.unwrap(), (vec![], vec![]));
}

/// Two hundred rows in a small rectangle, in time steps that do and do not divide each other, by
/// two reservations in turn: each is judged against all those taken.
async fn a_row_is_taken_exactly_where_no_other_overlaps(bench: Bench) {
    let owners = two(&bench).await;
    let mut taken = vec![(0, 2..6_u32, 100..200_i64), (1, 8..10, 5000..6000)];
    let mut seed = 1_u64;
    let mut below = |bound: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % bound
    };
    for turn in 0..200 {
        let who = turn % 2;
        let first = u32::try_from(below(9)).unwrap();
        let start = i64::try_from(below(1000)).unwrap();
        let nodes = first..first + 1 + u32::try_from(below(2)).unwrap();
        let time = start..start + 1 + i64::try_from(below(130)).unwrap();
        // The same offer, start and first rank would be the same row.
        if taken.iter().any(|it| (it.0, it.1.start, it.2.start) == (who, first, start)) {
            continue;
        }
        let overlaps = |other: &(usize, std::ops::Range<u32>, std::ops::Range<i64>)| {
            other.0 != who
                && other.1.start < nodes.end
                && nodes.start < other.1.end
                && other.2.start < time.end
                && time.start < other.2.end
        };
        let free = !taken.iter().any(overlaps);
        match insert(&bench, owners[who], nodes.clone(), time.clone()).await {
            Ok(()) => {
                assert!(free, "{nodes:?} {time:?} was taken beside an overlapping row");
                taken.push((who, nodes, time));
            }
            Err(error) => {
                assert!(matches!(error, StorageError::DoubleBooking), "{error:?}");
                assert!(!free, "{nodes:?} {time:?} was refused");
            }
        }
    }
    assert!(taken.len() > 20 && taken.len() < 180, "{}", taken.len());
}
