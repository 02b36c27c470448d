//! What is done to switch nodes, and how far it is.

use std::collections::{HashMap, HashSet};

use planner::identity::ReservationId;
use planner::power_action::{PowerActionState, PowerChange};
use planner::power_plan::CriteriaAmounts;
use planner::quantity::Power;
use planner::time::Seconds;
use storage::{
    Database, LogWhat, NewPowerAction, PowerAction, PowerActionChange, PowerActionFilter,
};

use crate::bench::{
    Bench, install_ten_nodes, offer, on_both_engines, propose, ranks, reservation, span, t,
};

on_both_engines![
    what_is_planned_is_open_until_it_is_final,
    what_is_over_may_be_planned_again,
    of_a_node_one_action_without_a_reservation_is_open,
    everything_of_an_action_comes_back_exactly,
    only_what_has_yet_to_be_ordered_is_forgotten,
    what_somebody_else_wrote_meanwhile_is_not_written,
    a_thousand_are_written_in_one_transaction,
    actions_are_listed_newest_first_by_node_and_state,
    who_waits_for_a_node_and_operators_are_told,
    boot_times_are_those_of_the_newest_twenty,
    nodes_are_counted_that_were_ordered_off_in_a_span,
    the_newest_limit_of_a_node_tells_what_it_had_before,
];

fn action(node: &str, change: PowerChange) -> NewPowerAction {
    NewPowerAction {
        node: node.to_owned(),
        change,
        asked_by: "plan".to_owned(),
        reservation_id: None,
        state: PowerActionState::Waiting,
        due: t(10),
        until: None,
        wake_at: None,
        saves: None,
        because: None,
    }
}

fn wake(node: &str, reservation_id: ReservationId) -> NewPowerAction {
    let asked_by = "reservation".to_owned();
    let reservation_id = Some(reservation_id);
    NewPowerAction { asked_by, reservation_id, ..action(node, PowerChange::On) }
}

async fn reserved(database: &Database, node: u32) -> ReservationId {
    let made = reservation(vec![offer(ranks(node..node + 1), span(2000, 3000))]);
    propose(database, &made, 0).await.unwrap();
    made.id
}

/// Writes an action as the service does; whether it was written.
async fn put(database: &Database, action: PowerAction) -> bool {
    let at = action.done.or(action.ordered).unwrap_or(action.created);
    let what = LogWhat::of(action.state);
    let change = PowerActionChange { action, what, by: None };
    database.put_power_actions(&[change], at).await.unwrap().len() == 1
}

/// An action that was written once more than what was read.
fn written(action: &PowerAction) -> PowerAction {
    PowerAction { row_version: action.row_version + 1, ..action.clone() }
}

async fn open(database: &Database) -> Vec<PowerAction> {
    database.open_power_actions().await.unwrap()
}

async fn what_is_planned_is_open_until_it_is_final(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let (one, other) = (reserved(database, 0).await, reserved(database, 1).await);
    let both = [wake("n1", one), wake("n2", one)];
    assert_eq!(database.plan_power_actions(&both, t(10)).await.unwrap(), 2);
    // The same node for the same reservation is planned once, for another once more.
    let again = [wake("n1", one), wake("n1", other)];
    assert_eq!(database.plan_power_actions(&again, t(11)).await.unwrap(), 1);
    assert_eq!(database.plan_power_actions(&[], t(11)).await.unwrap(), 0);
    let planned = open(database).await;
    let names: Vec<_> = planned.iter().map(|it| (it.node.as_str(), it.reservation_id)).collect();
    assert_eq!(names, [("n1", Some(one)), ("n2", Some(one)), ("n1", Some(other))]);
    let [first, second, third] = planned.try_into().unwrap();
    assert_eq!((first.created, first.since, third.created), (t(10), t(10), t(11)));
    let (state, ordered, orders) = (PowerActionState::Ordered, Some(t(20)), 1);
    let ordered = PowerAction { state, ordered, orders, since: t(20), ..first };
    assert!(put(database, ordered.clone()).await);
    let (state, because) = (PowerActionState::Refused, Some("refused".to_owned()));
    assert!(put(database, PowerAction { state, because, ..second }).await);
    assert_eq!(open(database).await, [written(&ordered), third.clone()]);
    // What failed is ordered again later: it is open.
    let failed = PowerAction { state: PowerActionState::Failed, ..written(&ordered) };
    assert!(put(database, failed.clone()).await);
    assert_eq!(open(database).await, [written(&failed), third.clone()]);
    assert_eq!(database.plan_power_actions(&[wake("n1", one)], t(30)).await.unwrap(), 0);
    let (state, done) = (PowerActionState::Done, Some(t(80)));
    assert!(put(database, PowerAction { state, done, ..written(&failed) }).await);
    assert_eq!(open(database).await, [third]);
}

/// n1 came and was switched off again; n2 was given up before it was ordered.
async fn what_is_over_may_be_planned_again(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let id = reserved(database, 0).await;
    let both = [wake("n1", id), wake("n2", id)];
    database.plan_power_actions(&both, t(10)).await.unwrap();
    let [first, second] = open(database).await.try_into().unwrap();
    let (ordered, done) = (Some(t(20)), Some(t(80)));
    put(database, PowerAction { state: PowerActionState::Done, ordered, done, ..first }).await;
    put(database, PowerAction { state: PowerActionState::GivenUp, ..second }).await;
    let ordered = database.nodes_ordered_for(&[id]).await.unwrap();
    assert_eq!(ordered, HashSet::from([(id, "n1".to_owned())]));
    assert_eq!(database.nodes_ordered_for(&[]).await.unwrap(), HashSet::new());
    assert_eq!(database.plan_power_actions(&both, t(90)).await.unwrap(), 2);
    assert_eq!(database.plan_power_actions(&both, t(91)).await.unwrap(), 0);
    let again = open(database).await;
    assert!(again.iter().all(|it| it.state == PowerActionState::Waiting && it.created == t(90)));
}

/// An action for a reservation does not count: its node is woken for it, whatever else is open.
async fn of_a_node_one_action_without_a_reservation_is_open(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let id = reserved(database, 0).await;
    let off = action("n1", PowerChange::Off);
    let both = [off.clone(), action("n1", PowerChange::On), wake("n1", id)];
    assert_eq!(database.plan_power_actions(&both, t(10)).await.unwrap(), 2);
    let proposed = NewPowerAction { state: PowerActionState::Proposed, ..off.clone() };
    assert_eq!(database.plan_power_actions(&[proposed], t(11)).await.unwrap(), 0);
    let [first, second] = open(database).await.try_into().unwrap();
    assert_eq!((first.change, second.change), (PowerChange::Off, PowerChange::On));
    assert!(put(database, PowerAction { state: PowerActionState::GivenUp, ..first }).await);
    assert_eq!(database.plan_power_actions(&[off], t(12)).await.unwrap(), 1);
}

/// Amounts need all 128 bits, and each may be unknown.
async fn everything_of_an_action_comes_back_exactly(bench: Bench) {
    let database = &bench.database;
    let saves = CriteriaAmounts::from_thousandths([Some(i128::MAX), None, Some(i128::MIN)]);
    let new = NewPowerAction {
        asked_by: "olga".to_owned(),
        state: PowerActionState::Proposed,
        due: t(100),
        until: Some(t(200)),
        wake_at: Some(t(300)),
        saves: Some(saves),
        because: Some("nobody has it".to_owned()),
        ..action("n1", PowerChange::Off)
    };
    database.plan_power_actions(&[new], t(10)).await.unwrap();
    let [planned] = open(database).await.try_into().unwrap();
    let expected = PowerAction {
        former_limit: None,
        id: planned.id,
        node: "n1".to_owned(),
        change: PowerChange::Off,
        asked_by: "olga".to_owned(),
        reservation_id: None,
        state: PowerActionState::Proposed,
        due: t(100),
        until: Some(t(200)),
        wake_at: Some(t(300)),
        saves: Some(saves),
        because: Some("nobody has it".to_owned()),
        created: t(10),
        since: t(10),
        orders: 0,
        ordered: None,
        done: None,
        decided_by: None,
        decided: None,
        row_version: 1,
    };
    assert_eq!(planned, expected);
    let changed = PowerAction {
        state: PowerActionState::Done,
        due: t(101),
        until: None,
        wake_at: None,
        saves: Some(CriteriaAmounts::from_thousandths([None, Some(-7), None])),
        because: None,
        since: t(15),
        orders: 3,
        ordered: Some(t(12)),
        done: Some(t(15)),
        decided_by: Some("otto".to_owned()),
        decided: Some(t(11)),
        ..planned
    };
    assert!(put(database, changed.clone()).await);
    assert_eq!(database.power_action(changed.id).await.unwrap(), Some(written(&changed)));
    assert_eq!(database.power_action((changed.id.get() + 1).into()).await.unwrap(), None);
}

/// An id is never used twice, though the newest action was forgotten.
async fn only_what_has_yet_to_be_ordered_is_forgotten(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let id = reserved(database, 0).await;
    let both = [wake("n1", id), wake("n2", id)];
    database.plan_power_actions(&both, t(10)).await.unwrap();
    let [first, second] = open(database).await.try_into().unwrap();
    let (state, at) = (PowerActionState::Ordered, Some(t(20)));
    let ordered = PowerAction { state, ordered: at, ..first };
    put(database, ordered.clone()).await;
    database.forget_power_actions(&[ordered.id, second.id]).await.unwrap();
    assert_eq!(open(database).await, [written(&ordered)]);
    assert_eq!(database.plan_power_actions(&both, t(30)).await.unwrap(), 1);
    let newest = open(database).await.pop().unwrap();
    assert!(newest.id > second.id, "{newest:?}");
}

/// Two people decide on one proposal: the second has read what is not so any more. What else is written at once is.
async fn what_somebody_else_wrote_meanwhile_is_not_written(bench: Bench) {
    let database = &bench.database;
    let propose = |node| NewPowerAction {
        state: PowerActionState::Proposed,
        ..action(node, PowerChange::Off)
    };
    database.plan_power_actions(&[propose("n1"), propose("n2")], t(10)).await.unwrap();
    let [first, second] = open(database).await.try_into().unwrap();
    let decided = |it: &PowerAction, state, by: &str| PowerActionChange {
        action: PowerAction { state, decided_by: Some(by.to_owned()), ..it.clone() },
        what: LogWhat::of(state),
        by: Some(by.to_owned()),
    };
    let approved = decided(&first, PowerActionState::Waiting, "olga");
    let ids = database.put_power_actions(&[approved], t(20)).await.unwrap();
    assert_eq!(ids, HashSet::from([first.id]));
    let (log, last) = (database.power_log(&crate::power_log::all()).await.unwrap(), t(30));
    let refused = PowerActionState::Refused;
    let both = [decided(&first, refused, "otto"), decided(&second, refused, "otto")];
    let ids = database.put_power_actions(&both, last).await.unwrap();
    assert_eq!(ids, HashSet::from([second.id]));
    let [kept] = open(database).await.try_into().unwrap();
    assert_eq!((kept.state, kept.decided_by.as_deref()), (PowerActionState::Waiting, Some("olga")));
    assert_eq!(kept.row_version, 2);
    assert_eq!(database.power_log(&crate::power_log::all()).await.unwrap().len(), log.len() + 1);
}

/// More than one statement may bind: 16 values of each.
async fn a_thousand_are_written_in_one_transaction(bench: Bench) {
    let database = &bench.database;
    let new = |node: u32| action(&format!("n{node}"), PowerChange::Off);
    let many: Vec<NewPowerAction> = (0..2500).map(new).collect();
    assert_eq!(database.plan_power_actions(&many, t(10)).await.unwrap(), 2500);
    let change = |action: PowerAction| PowerActionChange {
        action: PowerAction { state: PowerActionState::Ordered, ordered: Some(t(20)), ..action },
        what: LogWhat::Ordered,
        by: None,
    };
    let changes: Vec<PowerActionChange> = open(database).await.into_iter().map(change).collect();
    let last = database.events_kept().await.unwrap().newest;
    assert_eq!(database.put_power_actions(&changes, t(20)).await.unwrap().len(), 2500);
    let ordered = open(database).await;
    assert!(ordered.iter().all(|it| it.state == PowerActionState::Ordered && it.row_version == 2));
    assert_eq!(database.events_after(last, 5000).await.unwrap().len(), 2500);
    assert!(database.put_power_actions(&changes, t(21)).await.unwrap().is_empty());
    assert!(database.put_power_actions(&[], t(21)).await.unwrap().is_empty());
}

async fn actions_are_listed_newest_first_by_node_and_state(bench: Bench) {
    let database = &bench.database;
    let nodes = ["n1", "n2", "n3"].map(|node| action(node, PowerChange::Off));
    database.plan_power_actions(&nodes, t(10)).await.unwrap();
    let first = open(database).await.remove(0);
    put(database, PowerAction { state: PowerActionState::Done, ..first }).await;
    database.plan_power_actions(&nodes[..1], t(20)).await.unwrap();
    let listed = async |node: Option<&str>, open, before, limit| {
        let node = node.map(str::to_owned);
        let filter = PowerActionFilter { node, open, before, limit };
        let actions = database.power_actions(&filter).await.unwrap();
        actions.into_iter().map(|it| (it.id, it.node)).collect::<Vec<_>>()
    };
    let all = listed(None, None, None, 10).await;
    let names: Vec<&str> = all.iter().map(|it| it.1.as_str()).collect();
    assert_eq!(names, ["n1", "n3", "n2", "n1"]);
    assert_eq!(listed(None, Some(true), None, 10).await, all[..3]);
    assert_eq!(listed(None, Some(false), None, 10).await, all[3..]);
    assert_eq!(listed(Some("n1"), None, None, 10).await, [all[0].clone(), all[3].clone()]);
    assert_eq!(listed(Some("n1"), Some(false), None, 10).await, all[3..]);
    assert_eq!(listed(None, None, Some(all[0].0), 2).await, all[1..3]);
}

/// The owner of a reservation is told of its nodes once there is something to tell; operators are told of all.
async fn who_waits_for_a_node_and_operators_are_told(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let id = reserved(database, 0).await;
    let last = database.events_kept().await.unwrap().newest;
    let off = action("n2", PowerChange::Off);
    database.plan_power_actions(&[wake("n1", id), off], t(10)).await.unwrap();
    let [planned, alone] = open(database).await.try_into().unwrap();
    let (state, at) = (PowerActionState::Ordered, Some(t(20)));
    let ordered = PowerAction { state, ordered: at, ..planned };
    assert!(put(database, ordered.clone()).await);
    assert!(!put(database, ordered.clone()).await);
    let (state, done) = (PowerActionState::Done, Some(t(80)));
    put(database, PowerAction { state, done, ..written(&ordered) }).await;
    let changed = PowerAction { because: Some("it is in use".to_owned()), ..alone.clone() };
    let changed = PowerActionChange { action: changed, what: LogWhat::Changed, by: None };
    assert_eq!(database.put_power_actions(&[changed], t(90)).await.unwrap().len(), 1);
    put(database, PowerAction { state: PowerActionState::GivenUp, ..written(&alone) }).await;
    let told = database.events_after(last, 10).await.unwrap();
    let kinds: Vec<_> = told.iter().map(|it| (it.kind.as_str(), it.owner.as_deref())).collect();
    let expected = [
        ("power_action.waiting", None),
        ("power_action.ordered", Some("ada")),
        ("power_action.done", Some("ada")),
        ("power_action.given_up", None),
    ];
    assert_eq!(kinds, expected);
    assert_eq!((told[1].at, told[2].at), (t(20), t(80)));
    let data = |place: usize| serde_json::from_str::<serde_json::Value>(&told[place].data).unwrap();
    let (woken, off) = (ordered.id.get(), alone.id.get());
    assert_eq!(
        data(1),
        serde_json::json!({"action_id": woken, "reservation_id": id.to_string(), "node": "n1",
            "action": "power_up"})
    );
    let expected = serde_json::json!({"action_id": off, "node": "n2", "action": "power_down"});
    assert_eq!(data(3), expected);
}

/// The n-th of 22 reservations has n1 on n seconds after the order: the newest 20 are of 21 to 2 s. One that was on
/// without an order says nothing.
async fn boot_times_are_those_of_the_newest_twenty(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    for number in 0..22 {
        let id = reserved(database, 0).await;
        database.plan_power_actions(&[wake("n1", id), wake("n2", id)], t(0)).await.unwrap();
        let newest = open(database).await.into_iter().find(|it| it.node == "n1").unwrap();
        let ordered = t(1000 * number);
        let (state, done) = (PowerActionState::Done, Some(ordered + Seconds::new(number)));
        put(database, PowerAction { state, ordered: Some(ordered), done, ..newest }).await;
        database.cancel(id, t(1), None).await.unwrap();
    }
    let alone = action("n1", PowerChange::On);
    database.plan_power_actions(&[alone], t(0)).await.unwrap();
    let newest = open(database).await.pop().unwrap();
    let (state, done) = (PowerActionState::Done, Some(t(90_000)));
    put(database, PowerAction { state, done, ..newest }).await;
    // n2 was never seen to come.
    let names = ["n1", "n2", "n3"].map(str::to_owned);
    let times = database.boot_times(&names).await.unwrap();
    let expected: Vec<Seconds> = (2..22).rev().map(Seconds::new).collect();
    assert_eq!((times.len(), &times["n1"]), (1, &expected));
}

/// n1 is ordered off at 100 and at 200, on at 150; n2 off at 300. From 100 to before 300 there are the two of n1.
async fn nodes_are_counted_that_were_ordered_off_in_a_span(bench: Bench) {
    let database = &bench.database;
    let (on, off) = (PowerChange::On, PowerChange::Off);
    for (node, change, at) in
        [("n1", off, 100), ("n1", on, 150), ("n1", off, 200), ("n2", off, 300)]
    {
        database.plan_power_actions(&[action(node, change)], t(at)).await.unwrap();
        let planned = open(database).await.pop().unwrap();
        let (state, ordered) = (PowerActionState::Done, Some(t(at)));
        put(database, PowerAction { state, ordered, ..planned }).await;
    }
    database.plan_power_actions(&[action("n1", off)], t(250)).await.unwrap();
    let names = ["n1", "n2", "n3"].map(str::to_owned);
    let count =
        async |nodes, from, to| database.switched_off_on(nodes, t(from), t(to)).await.unwrap();
    assert_eq!(count(&names[..], 100, 300).await, HashMap::from([("n1".to_owned(), 2)]));
    assert_eq!(count(&names[..], 101, 200).await, HashMap::new());
    assert_eq!(count(&names[1..], 0, 301).await, HashMap::from([("n2".to_owned(), 1)]));
    assert_eq!(count(&[], 0, 301).await, HashMap::new());
}

/// A limit counts once it was ordered, a lift from when it is planned; those of other nodes stay apart.
async fn the_newest_limit_of_a_node_tells_what_it_had_before(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let one = reserved(database, 0).await;
    let watts = |watts: i64| Power::from_microwatts(watts * 1_000_000);
    let limit = |node: &str| {
        let change = PowerChange::Limit(watts(120));
        NewPowerAction { reservation_id: Some(one), ..action(node, change) }
    };
    database.plan_power_actions(&[limit("n1"), limit("n2")], t(10)).await.unwrap();
    assert_eq!(database.newest_limits().await.unwrap(), []);
    let both: HashSet<String> = ["n1", "n2"].map(str::to_owned).into();
    assert_eq!(database.nodes_limited_for(one).await.unwrap(), both);
    let [first, _] = open(database).await.try_into().unwrap();
    assert_eq!((first.change, first.former_limit), (PowerChange::Limit(watts(120)), None));
    let state = PowerActionState::Ordered;
    let ordered = PowerAction {
        state,
        orders: 1,
        ordered: Some(t(20)),
        since: t(20),
        former_limit: Some(watts(300)),
        ..first
    };
    assert!(put(database, ordered.clone()).await);
    assert_eq!(database.newest_limits().await.unwrap(), [written(&ordered)]);
    assert_eq!(database.nodes_ordered_for(&[one]).await.unwrap(), HashSet::new());
    let change = PowerChange::Lift(ordered.former_limit);
    let lift = NewPowerAction { reservation_id: Some(one), ..action("n1", change) };
    database.plan_power_actions(&[lift], t(30)).await.unwrap();
    let [newest] = database.newest_limits().await.unwrap().try_into().unwrap();
    assert_eq!((newest.change, newest.state), (change, PowerActionState::Waiting));
    // One that had no limit before is lifted to none.
    let none =
        NewPowerAction { reservation_id: Some(one), ..action("n2", PowerChange::Lift(None)) };
    database.plan_power_actions(&[none], t(30)).await.unwrap();
    let lifts = database.newest_limits().await.unwrap();
    assert!(lifts.iter().any(|it| it.node == "n2" && it.change == PowerChange::Lift(None)));
}
