//! Reservations that are shared: who finds them, and who is told of them.

use planner::identity::ReservationId;
use planner::reservation::{Receiver, SharedRight, SharedWith};
use storage::{ChangeError, Database, Filter, SeenBy, SharingChange};

use crate::bench::{
    Bench, install_ten_nodes, offer, on_both_engines, propose, ranks, reservation, span, t,
};

on_both_engines![
    what_is_shared_is_found_and_told_until_it_is_shared_no_more,
    only_what_has_not_ended_and_is_as_it_was_read_is_shared,
];

/// One of ada's.
async fn hers(database: &Database) -> ReservationId {
    install_ten_nodes(database).await;
    let held = reservation(vec![offer(ranks(0..3), span(2000, 3000))]);
    propose(database, &held, 10).await.unwrap();
    held.id
}

fn bob() -> Receiver {
    Receiver::User("bob".to_owned())
}

fn ice() -> Receiver {
    Receiver::Project("ice".to_owned())
}

/// How many somebody finds who is in some projects.
async fn found(database: &Database, owner: &str, member_of: &[&str]) -> usize {
    let member_of = member_of.iter().map(|&name| name.to_owned()).collect();
    let seen_by = SeenBy { owner: owner.to_owned(), projects: Vec::new(), member_of };
    let filter = Filter { seen_by: Some(seen_by), ..Filter::default() };
    database.reservations(&filter, None, 10).await.unwrap().len()
}

/// Kinds of the events that somebody is told of reservations, and whether they are told as those of a shared one.
async fn told(database: &Database, owner: &str) -> Vec<(String, bool)> {
    let events = database.reservation_events_of(owner, t(0), 100).await.unwrap();
    events.iter().rev().map(|it| (it.kind.clone(), it.is_of_shared())).collect()
}

async fn what_is_shared_is_found_and_told_until_it_is_shared_no_more(bench: Bench) {
    let database = &bench.database;
    let id = hers(database).await;
    let version = database.reservation(id).await.unwrap().unwrap().row_version;
    assert_eq!(found(database, "ada", &[]).await, 1);
    assert_eq!(found(database, "bob", &["ice"]).await, 0);
    let both = SharingChange::Share(vec![ice(), bob()], SharedRight::See);
    let shared = database.change_sharing(id, &both, t(20), Some(version)).await.unwrap();
    assert_eq!(shared.row_version, version + 1);
    let with = |receiver, may| SharedWith { receiver, may };
    let expected = [with(bob(), SharedRight::See), with(ice(), SharedRight::See)];
    assert_eq!(shared.shared_with, expected);
    assert_eq!(Some(shared), database.reservation(id).await.unwrap());
    // What is said last counts.
    let more = SharingChange::Share(vec![bob()], SharedRight::Act);
    let shared = database.change_sharing(id, &more, t(21), None).await.unwrap();
    assert_eq!(shared.shared_with[0], with(bob(), SharedRight::Act));
    assert_eq!(shared.shared_with.len(), 2);
    for (owner, projects, count) in
        [("bob", &[][..], 1), ("eve", &["ice"][..], 1), ("eve", &["sea"][..], 0), ("ice", &[], 0)]
    {
        assert_eq!(found(database, owner, projects).await, count, "{owner} {projects:?}");
    }
    let less = SharingChange::Unshare(vec![bob()]);
    let left = database.change_sharing(id, &less, t(22), None).await.unwrap();
    assert_eq!(left.shared_with, [with(ice(), SharedRight::See)]);
    assert_eq!(found(database, "bob", &[]).await, 0);
    database.cancel(id, t(30), None).await.unwrap();
    let kinds = ["reservation.shared", "reservation.shared", "reservation.unshared"];
    let expected: Vec<(String, bool)> = kinds.iter().map(|it| ((*it).to_owned(), true)).collect();
    assert_eq!(told(database, "bob").await, expected);
    let hers = told(database, "ada").await;
    assert!(hers.iter().all(|(_, shared)| !shared), "{hers:?}");
    assert_eq!(hers.last().unwrap().0, "reservation.cancelled");
}

async fn only_what_has_not_ended_and_is_as_it_was_read_is_shared(bench: Bench) {
    let database = &bench.database;
    let id = hers(database).await;
    let change = SharingChange::Share(vec![bob()], SharedRight::Use);
    let stale = database.change_sharing(id, &change, t(20), Some(99)).await;
    assert!(matches!(stale, Err(ChangeError::VersionMismatch { .. })), "{stale:?}");
    database.cancel(id, t(30), None).await.unwrap();
    let late = database.change_sharing(id, &change, t(40), None).await;
    assert!(matches!(late, Err(ChangeError::WrongState { .. })), "{late:?}");
    let nobody = ReservationId::new(crate::bench::next_uuid());
    let refused = database.change_sharing(nobody, &change, t(40), None).await;
    assert!(matches!(refused, Err(ChangeError::NotFound)), "{refused:?}");
    assert_eq!(database.reservation(id).await.unwrap().unwrap().shared_with, []);
}
