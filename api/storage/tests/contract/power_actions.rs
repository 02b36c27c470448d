//! What is done to nodes so that they are on when a reservation begins.

use std::collections::HashSet;

use planner::identity::ReservationId;
use planner::time::Seconds;
use storage::{Database, NewPowerAction, PowerAction, PowerActionKind, PowerActionState};

use crate::bench::{
    Bench, install_ten_nodes, offer, on_both_engines, propose, ranks, reservation, span, t,
};

on_both_engines![
    what_is_planned_is_open_until_it_is_done_or_fails,
    what_is_over_may_be_planned_again,
    only_what_has_yet_to_be_ordered_is_forgotten,
    who_waits_for_a_node_is_told,
    boot_times_are_those_of_the_newest_twenty,
];

fn wake(node: &str, reservation_id: ReservationId) -> NewPowerAction {
    NewPowerAction { node: node.to_owned(), kind: PowerActionKind::PowerUp, reservation_id }
}

async fn reserved(database: &Database, node: u32) -> ReservationId {
    let made = reservation(vec![offer(ranks(node..node + 1), span(2000, 3000))]);
    propose(database, &made, 0).await.unwrap();
    made.id
}

async fn put(database: &Database, action: PowerAction) {
    let at = action.done.or(action.ordered).unwrap_or(action.created);
    database.put_power_action(&action, at).await.unwrap();
}

async fn what_is_planned_is_open_until_it_is_done_or_fails(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let (one, other) = (reserved(database, 0).await, reserved(database, 1).await);
    let both = [wake("n1", one), wake("n2", one)];
    assert_eq!(database.plan_power_actions(&both, t(10)).await.unwrap(), 2);
    // The same node for the same reservation is planned once, for another once more.
    let again = [wake("n1", one), wake("n1", other)];
    assert_eq!(database.plan_power_actions(&again, t(11)).await.unwrap(), 1);
    assert_eq!(database.plan_power_actions(&[], t(11)).await.unwrap(), 0);
    let open = database.open_power_actions().await.unwrap();
    let planned: Vec<_> = open.iter().map(|it| (it.node.as_str(), it.reservation_id)).collect();
    assert_eq!(planned, [("n1", one), ("n2", one), ("n1", other)]);
    assert!(open.iter().all(|it| it.state == PowerActionState::Waiting && it.because.is_none()));
    let [first, second, third] = open.try_into().unwrap();
    assert_eq!((first.created, third.created), (t(10), t(11)));
    let (state, ordered) = (PowerActionState::Ordered, Some(t(20)));
    let ordered = PowerAction { state, ordered, ..first };
    put(database, ordered.clone()).await;
    let (state, because) = (PowerActionState::Failed, Some("refused".to_owned()));
    put(database, PowerAction { state, because, ..second }).await;
    assert_eq!(database.open_power_actions().await.unwrap(), [ordered.clone(), third.clone()]);
    let (state, done) = (PowerActionState::Done, Some(t(80)));
    put(database, PowerAction { state, done, ..ordered }).await;
    assert_eq!(database.open_power_actions().await.unwrap(), [third]);
}

/// n1 came and was switched off again; n2 was refused before it was ordered.
async fn what_is_over_may_be_planned_again(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let id = reserved(database, 0).await;
    let both = [wake("n1", id), wake("n2", id)];
    database.plan_power_actions(&both, t(10)).await.unwrap();
    let [first, second] = database.open_power_actions().await.unwrap().try_into().unwrap();
    let (ordered, done) = (Some(t(20)), Some(t(80)));
    put(database, PowerAction { state: PowerActionState::Done, ordered, done, ..first }).await;
    put(database, PowerAction { state: PowerActionState::Failed, ..second }).await;
    let ordered = database.nodes_ordered_for(&[id]).await.unwrap();
    assert_eq!(ordered, HashSet::from([(id, "n1".to_owned())]));
    assert_eq!(database.nodes_ordered_for(&[]).await.unwrap(), HashSet::new());
    assert_eq!(database.plan_power_actions(&both, t(90)).await.unwrap(), 2);
    assert_eq!(database.plan_power_actions(&both, t(91)).await.unwrap(), 0);
    let again = database.open_power_actions().await.unwrap();
    assert!(again.iter().all(|it| it.state == PowerActionState::Waiting && it.created == t(90)));
}

async fn only_what_has_yet_to_be_ordered_is_forgotten(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let id = reserved(database, 0).await;
    database.plan_power_actions(&[wake("n1", id), wake("n2", id)], t(10)).await.unwrap();
    let [first, second] = database.open_power_actions().await.unwrap().try_into().unwrap();
    let (state, at) = (PowerActionState::Ordered, Some(t(20)));
    let ordered = PowerAction { state, ordered: at, ..first };
    put(database, ordered.clone()).await;
    database.forget_power_actions(&[ordered.id, second.id]).await.unwrap();
    assert_eq!(database.open_power_actions().await.unwrap(), [ordered]);
}

async fn who_waits_for_a_node_is_told(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let id = reserved(database, 0).await;
    let last = database.events_kept().await.unwrap().newest;
    database.plan_power_actions(&[wake("n1", id)], t(10)).await.unwrap();
    let planned = database.open_power_actions().await.unwrap().pop().unwrap();
    let (state, at) = (PowerActionState::Ordered, Some(t(20)));
    let ordered = PowerAction { state, ordered: at, ..planned };
    put(database, ordered.clone()).await;
    put(database, ordered.clone()).await;
    let (state, done) = (PowerActionState::Done, Some(t(80)));
    put(database, PowerAction { state, done, ..ordered }).await;
    let told = database.events_after(last, 10).await.unwrap();
    let kinds: Vec<_> =
        told.iter().map(|it| (it.kind.as_str(), it.owner.as_deref().unwrap(), it.at)).collect();
    let expected = [("power_action.ordered", "ada", t(20)), ("power_action.done", "ada", t(80))];
    assert_eq!(kinds, expected);
    let data = format!(r#"{{"reservation_id":"{id}","node":"n1","action":"power_up"}}"#);
    assert_eq!(told[0].data, data);
}

/// The n-th of 22 reservations has n1 on n seconds after the order: the newest 20 are of 21 to 2 s.
async fn boot_times_are_those_of_the_newest_twenty(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    for number in 0..22 {
        let id = reserved(database, 0).await;
        database.plan_power_actions(&[wake("n1", id), wake("n2", id)], t(0)).await.unwrap();
        let open = database.open_power_actions().await.unwrap();
        let newest = open.into_iter().find(|it| it.node == "n1").unwrap();
        let ordered = t(1000 * number);
        let (state, done) = (PowerActionState::Done, Some(ordered + Seconds::new(number)));
        put(database, PowerAction { state, ordered: Some(ordered), done, ..newest }).await;
        database.cancel(id, t(1), None).await.unwrap();
    }
    // n2 was never seen to come.
    let names = ["n1", "n2", "n3"].map(str::to_owned);
    let times = database.boot_times(&names).await.unwrap();
    let expected: Vec<Seconds> = (2..22).rev().map(Seconds::new).collect();
    assert_eq!((times.len(), &times["n1"]), (1, &expected));
}
