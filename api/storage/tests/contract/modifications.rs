//! Reservations that last longer, get another request or another owner, or give back nodes.

use planner::fair_share::ShareFactor;
use planner::identity::{OfferId, ReservationId};
use planner::node_set::NodeSet;
use planner::reservation::{OfferSelector, OfferTerms, ReservationState};
use planner::time::Span;
use storage::{
    AfterModification, ChangeError, Database, Modification, NewEnd, NewNodes, NewOffer, NewOwner,
    NewWords, PlanBasis, ProposeError, Unchanged,
};

use crate::bench::{
    Bench, install_ten_nodes, newest, offer, on_both_engines, propose, ranks, reservation, span, t,
    terms,
};

on_both_engines![
    a_later_end_takes_the_same_nodes_and_makes_older_plans_wrong,
    a_later_end_that_others_hold_is_refused_and_nothing_changes,
    another_request_takes_the_place_of_the_old_at_once,
    some_nodes_are_given_back_and_no_plan_is_wrong_for_it,
    owners_and_requests_change_only_as_they_were_read,
];

/// Holds nodes 0 to 2 from 2000 to 3000, confirmed at 20.
async fn confirmed(database: &Database) -> (ReservationId, OfferId) {
    let held = reservation(vec![offer(ranks(0..3), span(2000, 3000))]);
    propose(database, &held, 10).await.unwrap();
    let chosen = OfferSelector::Offer(held.offers[0].id);
    database.choose(held.id, chosen, t(20), None, false).await.unwrap();
    (held.id, held.offers[0].id)
}

async fn basis(database: &Database) -> PlanBasis {
    newest(database.marks().await.unwrap().version)
}

async fn as_read(database: &Database, id: ReservationId) -> Unchanged {
    let row_version = database.reservation(id).await.unwrap().unwrap().row_version;
    Unchanged { id, row_version, basis: basis(database).await }
}

fn until(offer: OfferId, end: i64) -> NewEnd {
    let terms = OfferTerms { basis: None, ..terms(&ranks(0..3), span(2000, end)) };
    NewEnd { offer, before: t(3000), terms, summary: None }
}

async fn held(database: &Database, id: ReservationId) -> Vec<(Span, NodeSet)> {
    let allocations = database.allocations_of(id).await.unwrap();
    allocations.into_iter().map(|it| (it.span, it.ranks)).collect()
}

async fn last_event(database: &Database) -> (String, Option<String>) {
    let events = database.events_after(None, 100).await.unwrap();
    let last = events.last().unwrap();
    (last.kind.clone(), last.owner.clone())
}

async fn a_later_end_takes_the_same_nodes_and_makes_older_plans_wrong(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let (id, chosen) = confirmed(database).await;
    let (before, unchanged) = (database.marks().await.unwrap(), as_read(database, id).await);
    let new = until(chosen, 4000);
    let extended = database.extend(unchanged, &new, t(30)).await.unwrap().unwrap();
    assert_eq!(extended.chosen, Some((chosen, span(2000, 4000))));
    assert_eq!(extended.row_version, unchanged.row_version + 1);
    assert_eq!(extended.offers[0].terms, new.terms);
    assert_eq!(Some(extended), database.reservation(id).await.unwrap());
    assert_eq!(held(database, id).await, [(span(2000, 4000), ranks(0..3))]);
    assert!(database.marks().await.unwrap().version > before.version);
    assert_eq!(last_event(database).await.0, "reservation.extended");
    // The same plan again: the reservation is another since.
    let again = Unchanged { basis: basis(database).await, ..unchanged };
    assert_eq!(database.extend(again, &until(chosen, 5000), t(31)).await.unwrap(), None);
    let stale = Unchanged { row_version: unchanged.row_version + 1, ..unchanged };
    let refused = database.extend(stale, &until(chosen, 5000), t(31)).await;
    assert!(matches!(refused, Err(ProposeError::BookChanged { .. })), "{refused:?}");
    // It lasts until its new end.
    database.advance(t(3500)).await.unwrap();
    let stored = database.reservation(id).await.unwrap().unwrap();
    assert_eq!(stored.state, ReservationState::Active);
}

async fn a_later_end_that_others_hold_is_refused_and_nothing_changes(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let (id, chosen) = confirmed(database).await;
    let others = reservation(vec![offer(ranks(2..4), span(3500, 4000))]);
    propose(database, &others, 20).await.unwrap();
    let (unchanged, before) =
        (as_read(database, id).await, database.reservation(id).await.unwrap());
    let refused = database.extend(unchanged, &until(chosen, 3501), t(30)).await;
    assert!(matches!(refused, Err(ProposeError::DoubleBooking)), "{refused:?}");
    assert_eq!(database.reservation(id).await.unwrap(), before);
    assert_eq!(held(database, id).await, [(span(2000, 3000), ranks(0..3))]);
    assert!(database.extend(unchanged, &until(chosen, 3500), t(30)).await.unwrap().is_some());
}

fn modification(offers: Vec<NewOffer>, then: AfterModification) -> Modification {
    let (request, summary) = ("{\"nodes\":2}".to_owned(), "{\"decision\":\"choice\"}".to_owned());
    let project = "ice".to_owned();
    Modification {
        request,
        project,
        share_factor: None,
        summary,
        priority: 7,
        gives_back: true,
        offers,
        then,
    }
}

async fn another_request_takes_the_place_of_the_old_at_once(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let (id, _) = confirmed(database).await;
    let unchanged = as_read(database, id).await;
    // Overlaps what it holds, and goes beyond.
    let offers = vec![offer(ranks(1..5), span(2500, 3500)), offer(ranks(0..4), span(4000, 5000))];
    let new = modification(offers.clone(), AfterModification::Chosen(offers[0].id));
    let held_anew = Modification { then: AfterModification::HeldUntil(t(900)), ..new.clone() };
    assert_eq!(database.modify(unchanged, &held_anew, t(30)).await.unwrap(), None, "it is chosen");
    let modified = database.modify(unchanged, &new, t(30)).await.unwrap().unwrap();
    assert_eq!(modified.chosen, Some((offers[0].id, span(2500, 3500))));
    assert_eq!((modified.state, modified.confirmed), (ReservationState::Confirmed, Some(t(30))));
    assert_eq!((modified.priority, modified.gives_back), (7, true));
    assert_eq!(modified.project, "ice");
    assert_eq!(
        (&*modified.request, modified.row_version),
        (&*new.request, unchanged.row_version + 1)
    );
    assert_eq!(held(database, id).await, [(span(2500, 3500), ranks(1..5))]);
    assert_eq!(last_event(database).await.0, "reservation.modified");

    // A proposal's new offers collide with another's: the old ones stay.
    let proposed = reservation(vec![offer(ranks(5..6), span(2000, 3000))]);
    propose(database, &proposed, 40).await.unwrap();
    let unchanged = as_read(database, proposed.id).await;
    let then = AfterModification::HeldUntil(t(950));
    let taken = modification(vec![offer(ranks(4..6), span(3400, 4000))], then);
    let refused = database.modify(unchanged, &taken, t(50)).await;
    assert!(matches!(refused, Err(ProposeError::DoubleBooking)), "{refused:?}");
    assert_eq!(held(database, proposed.id).await, [(span(2000, 3000), ranks(5..6))]);
    let free = modification(vec![offer(ranks(4..6), span(3500, 4000))], then);
    let modified = database.modify(unchanged, &free, t(50)).await.unwrap().unwrap();
    assert_eq!((modified.state, modified.expires), (ReservationState::Proposed, t(950)));
    assert_eq!((modified.chosen, modified.offers.len()), (None, 1));
    assert_eq!(held(database, proposed.id).await, [(span(3500, 4000), ranks(4..6))]);
}

async fn some_nodes_are_given_back_and_no_plan_is_wrong_for_it(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let (id, chosen) = confirmed(database).await;
    database.advance(t(2400)).await.unwrap();
    let (before, unchanged) = (database.marks().await.unwrap(), as_read(database, id).await);
    let kept = NodeSet::from_positions([0, 2]);
    let holdings = vec![(span(2400, 3000), kept.clone())];
    let terms = OfferTerms { basis: None, ..terms(&kept, span(2000, 3000)) };
    let nodes = NewNodes { offer: chosen, from: t(2400), holdings, terms };
    let released = database.release_nodes(unchanged, &nodes, t(2400)).await.unwrap().unwrap();
    assert_eq!(released.offers[0].terms, nodes.terms);
    assert_eq!(released.row_version, unchanged.row_version + 1);
    let expected = [(span(2000, 2400), ranks(0..3)), (span(2400, 3000), kept)];
    assert_eq!(held(database, id).await, expected);
    let after = database.marks().await.unwrap();
    assert_eq!((after.version, after.changes), (before.version, before.changes + 1));
    assert_eq!(last_event(database).await.0, "reservation.nodes_released");
    assert_eq!(database.release_nodes(unchanged, &nodes, t(2400)).await.unwrap(), None);
    let all = database.release(id, t(2500), Some(released.row_version)).await.unwrap();
    assert_eq!(all.chosen, Some((chosen, span(2000, 2500))));
    assert_eq!(all.state, ReservationState::Completed);
}

fn to(owner: &str) -> NewOwner<'_> {
    NewOwner { owner, share_factor: None }
}

fn words(request: &str, basis: Option<PlanBasis>) -> NewWords<'_> {
    NewWords { request, project: "ocean", share_factor: ShareFactor::from_millionths(7), basis }
}

async fn owners_and_requests_change_only_as_they_were_read(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let (id, _) = confirmed(database).await;
    let before = database.reservation(id).await.unwrap().unwrap();
    let version = before.row_version;
    let refused =
        database.transfer(id, to("grace"), basis(database).await, t(30), Some(version + 1)).await;
    assert!(matches!(refused, Err(ChangeError::VersionMismatch { .. })), "{refused:?}");
    let early = database.release(id, t(30), None).await;
    let confirmed = ReservationState::Confirmed;
    assert!(
        matches!(early, Err(ChangeError::WrongState { state }) if state == confirmed),
        "{early:?}"
    );
    // What quotas count of both is another, for whoever plans meanwhile.
    let old = basis(database).await;
    let transferred = database
        .transfer(id, to("grace"), basis(database).await, t(30), Some(version))
        .await
        .unwrap();
    assert_eq!((&*transferred.owner, transferred.row_version), ("grace", version + 1));
    assert_eq!(Some(transferred), database.reservation(id).await.unwrap());
    let events = database.events_after(None, 100).await.unwrap();
    let told: Vec<_> =
        events.iter().rev().take(2).map(|it| (&*it.kind, it.owner.clone())).collect();
    let kind = "reservation.transferred";
    assert_eq!(told, [(kind, Some("grace".to_owned())), (kind, Some(before.owner))]);

    let late = database.transfer(id, to("ada"), old, t(35), None).await;
    assert!(matches!(late, Err(ChangeError::BookChanged)), "{late:?}");

    let request = "{\"labels\":{}}";
    let stale = database.set_request(id, words(request, None), t(40), version).await;
    assert!(matches!(stale, Err(ChangeError::VersionMismatch { .. })), "{stale:?}");
    let relabelled = database
        .set_request(id, words(request, Some(basis(database).await)), t(40), version + 1)
        .await
        .unwrap();
    assert_eq!((&*relabelled.request, relabelled.row_version), (request, version + 2));
    assert_eq!(relabelled.project, "ocean");
    assert_eq!(relabelled.share_factor.map(ShareFactor::millionths), Some(7));
    assert_eq!(Some(relabelled), database.reservation(id).await.unwrap());
    database.cancel(id, t(50), None).await.unwrap();
    for refused in [
        database.transfer(id, to("ada"), basis(database).await, t(60), None).await,
        database.set_request(id, words("{}", None), t(60), version + 3).await,
        database.release(id, t(60), None).await,
    ] {
        assert!(matches!(refused, Err(ChangeError::WrongState { .. })), "{refused:?}");
    }
    let nobody = ReservationId::new(crate::bench::next_uuid());
    let refused = database.transfer(nobody, to("ada"), basis(database).await, t(60), None).await;
    assert!(matches!(refused, Err(ChangeError::NotFound)), "{refused:?}");
}
