//! What is newer than what somebody has in memory.

use planner::identity::ReservationId;
use planner::quantity::Power;
use planner::reservation::{Ending, OfferSelector};
use storage::{
    AgendaMeta, BookChanges, Changes, Database, Holder, Marks, NewReservation, Quantity,
};

use planner::agenda::Piece;

use crate::bench::{
    Bench, cluster, install_ten_nodes, offer, on_both_engines, propose, ranks, reservation, span, t,
};

on_both_engines![
    an_unknown_database_is_read_whole,
    only_what_changed_is_read_again,
    every_way_to_free_nodes_is_a_change,
    new_nodes_change_all_that_is_held,
    agendas_are_read_again_when_they_are_put,
];

async fn since(database: &Database, marks: Marks) -> Changes {
    database.changes(Some(marks), None, t(1), true).await.unwrap()
}

/// The reservations that changed, and how many things they hold now.
fn changed(changes: &Changes) -> (Vec<ReservationId>, usize) {
    match &changes.book {
        BookChanges::Of(ids, holdings) => (ids.clone(), holdings.len()),
        BookChanges::All(_) => panic!("everything was read"),
    }
}

/// Whose a reservation is, as it is told.
fn holder(made: &NewReservation) -> Holder {
    let (owner, request) = (made.owner.clone(), made.request.clone());
    Holder { reservation_id: made.id, owner, request }
}

async fn an_unknown_database_is_read_whole(bench: Bench) {
    let database = &bench.database;
    let empty = database.changes(None, None, t(0), true).await.unwrap();
    assert!(matches!(&empty.book, BookChanges::All(all) if all.is_empty()));
    assert_eq!((empty.marks.epoch, empty.nodes.is_none()), (None, true));
    install_ten_nodes(database).await;
    let made =
        reservation(vec![offer(ranks(0..2), span(100, 200)), offer(ranks(4..6), span(150, 300))]);
    propose(database, &made, 0).await.unwrap();
    let all = database.changes(None, None, t(0), true).await.unwrap();
    assert_eq!(all.marks, database.marks().await.unwrap());
    assert_eq!(all.nodes.unwrap().nodes.count(), 10);
    let BookChanges::All(mut holdings) = all.book else { panic!("not all") };
    holdings.sort_by_key(|holding| holding.span);
    // Offers of these tests are in a slower state, in which their nodes draw so much at the most.
    assert!(holdings.iter().all(|it| it.slowed_peak == Some(Power::from_microwatts(4))));
    let held: Vec<_> =
        holdings.iter().map(|it| (it.reservation_id, it.held_until, it.ranks.clone())).collect();
    let expected = [ranks(0..2), ranks(4..6)].map(|ranks| (made.id, Some(t(1000)), ranks));
    assert_eq!(held, expected);
    assert_eq!(all.holders, [holder(&made)]);
    // At 250 the first offer is over.
    let later = database.changes(None, None, t(250), true).await.unwrap();
    assert!(matches!(later.book, BookChanges::All(held) if held.len() == 1));
}

async fn only_what_changed_is_read_again(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let first = reservation(vec![offer(ranks(0..2), span(100, 200))]);
    propose(database, &first, 0).await.unwrap();
    let marks = database.marks().await.unwrap();
    let nothing = since(database, marks).await;
    assert_eq!((changed(&nothing), nothing.marks), ((vec![], 0), marks));
    assert!(nothing.nodes.is_none() && nothing.agendas.is_none() && nothing.access.is_none());
    let second = reservation(vec![offer(ranks(2..4), span(100, 200))]);
    propose(database, &second, 0).await.unwrap();
    let newer = since(database, marks).await;
    assert_eq!((changed(&newer), newer.holders), ((vec![second.id], 1), vec![holder(&second)]));
    // Where nobody needs to know whose they are it is not read.
    let bare = database.changes(Some(marks), None, t(1), false).await.unwrap();
    assert_eq!((changed(&bare), bare.holders), ((vec![second.id], 1), vec![]));
}

async fn every_way_to_free_nodes_is_a_change(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let both = || vec![offer(ranks(0..1), span(5000, 6000)), offer(ranks(1..2), span(7000, 8000))];
    let made = reservation(both());
    propose(database, &made, 0).await.unwrap();
    let marks = database.marks().await.unwrap();
    let first = OfferSelector::Offer(made.offers[0].id);
    database.choose(made.id, first, t(1), None, false).await.unwrap();
    let chosen = since(database, marks).await;
    assert_eq!(changed(&chosen), (vec![made.id], 1));
    assert_eq!(chosen.marks.version, marks.version);
    let marks = chosen.marks;
    database.end(made.id, Ending::Cancelled, t(2), None).await.unwrap();
    assert_eq!(changed(&since(database, marks).await), (vec![made.id], 0));
    let lapsing = reservation(both());
    propose(database, &lapsing, 2).await.unwrap();
    let marks = database.marks().await.unwrap();
    database.advance(t(1000)).await.unwrap();
    assert_eq!(changed(&since(database, marks).await), (vec![lapsing.id], 0));
}

async fn new_nodes_change_all_that_is_held(bench: Bench) {
    let database = &bench.database;
    database.replace_nodes(&cluster(&[("a", 1), ("b", 2)]), &[], None, t(0)).await.unwrap();
    propose(database, &reservation(vec![offer(ranks(0..1), span(100, 200))]), 0).await.unwrap();
    let marks = database.marks().await.unwrap();
    let reversed = cluster(&[("a", 2), ("b", 1)]);
    let epoch = database.replace_nodes(&reversed, &[], None, t(0)).await.unwrap();
    let changes = since(database, marks).await;
    assert_eq!(changes.nodes.unwrap().nodes, *reversed);
    assert!(matches!(changes.book, BookChanges::All(held) if held[0].ranks == ranks(1..2)));
    let prepared = database.changes(Some(marks), Some(epoch), t(1), true).await.unwrap();
    assert!(prepared.nodes.is_none());
}

async fn agendas_are_read_again_when_they_are_put(bench: Bench) {
    let database = &bench.database;
    let marks = database.marks().await.unwrap();
    let known = database.changes(None, None, t(0), true).await.unwrap().agendas.unwrap();
    assert_eq!(known.power_cap, None);
    let meta = AgendaMeta {
        source: "test".to_owned(),
        kind: "average".to_owned(),
        quality: "forecast".to_owned(),
        issued: None,
    };
    let piece = Piece { span: span(0, 100), value: 7_000_000 };
    database.put_agenda(Quantity::PowerCap, &meta, &[piece], t(0)).await.unwrap();
    let agendas = since(database, marks).await.agendas.unwrap();
    assert_eq!(agendas.power_cap.unwrap()[0].value.as_microwatts(), 7_000_000);
}
