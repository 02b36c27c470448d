//! What was decided and done about the power of nodes, and nodes that are not switched off.

use planner::power_action::{PowerActionState, PowerChange};
use storage::{
    LogWhat, NewPowerAction, PowerAction, PowerActionChange, PowerHold, PowerLogEntry,
    PowerLogFilter,
};

use crate::bench::{Bench, on_both_engines, t};

on_both_engines![
    everything_that_happens_to_an_action_is_logged,
    what_is_in_the_log_cannot_be_changed,
    the_log_is_read_newest_first_by_node_and_time,
    nodes_are_held_until_an_instant_or_released,
];

/// Every entry of the log, as far as tests write any.
pub fn all() -> PowerLogFilter {
    PowerLogFilter { node: None, from: None, to: None, before: None, limit: 5000 }
}

fn off(node: &str, asked_by: &str, state: PowerActionState) -> NewPowerAction {
    NewPowerAction {
        node: node.to_owned(),
        change: PowerChange::Off,
        asked_by: asked_by.to_owned(),
        reservation_id: None,
        state,
        due: t(10),
        until: None,
        wake_at: None,
        saves: None,
        because: None,
    }
}

/// Node, what, by whom and why, the oldest first.
fn words(log: &[PowerLogEntry]) -> Vec<(&str, &str, Option<&str>, Option<&str>)> {
    let words = |it: &PowerLogEntry| it.what.word();
    let entry = |it| (words(it), it);
    let told = log.iter().rev().map(entry);
    told.map(|(what, it)| (it.node.as_str(), what, it.by.as_deref(), it.because.as_deref()))
        .collect()
}

/// What the plan proposes Olga approves; what Otto asks for nobody has to approve.
async fn everything_that_happens_to_an_action_is_logged(bench: Bench) {
    let database = &bench.database;
    let planned = [
        off("n1", "plan", PowerActionState::Proposed),
        off("n2", "otto", PowerActionState::Waiting),
        off("n3", "keep_warm", PowerActionState::Waiting),
    ];
    database.plan_power_actions(&planned, t(10)).await.unwrap();
    let mut action = database.open_power_actions().await.unwrap().remove(0);
    for (at, state, by, because) in [
        (20, PowerActionState::Waiting, Some("olga"), None),
        (30, PowerActionState::Ordered, None, None),
        (40, PowerActionState::Failed, None, Some("its power is on after 10 s")),
        (50, PowerActionState::GivenUp, None, Some("given up after 1 orders")),
    ] {
        action = PowerAction { state, because: because.map(str::to_owned), ..action };
        let (action_then, by) = (action.clone(), by.map(str::to_owned));
        let change = PowerActionChange { action: action_then, what: LogWhat::of(state), by };
        assert_eq!(database.put_power_actions(&[change], t(at)).await.unwrap().len(), 1);
        action.row_version += 1;
    }
    let log = database.power_log(&all()).await.unwrap();
    let expected = [
        ("n1", "proposed", None, None),
        ("n2", "asked", Some("otto"), None),
        ("n3", "asked", None, None),
        ("n1", "approved", Some("olga"), None),
        ("n1", "ordered", None, None),
        ("n1", "failed", None, Some("its power is on after 10 s")),
        ("n1", "given_up", None, Some("given up after 1 orders")),
    ];
    assert_eq!(words(&log), expected);
    assert_eq!((log[0].at, log[6].at), (t(50), t(10)));
    assert_eq!((log[0].action_id, log[6].action_id), (Some(action.id), Some(action.id)));
}

/// What an action was forgotten for stays in the log.
async fn what_is_in_the_log_cannot_be_changed(bench: Bench) {
    let database = &bench.database;
    let planned = [off("n1", "plan", PowerActionState::Waiting)];
    database.plan_power_actions(&planned, t(10)).await.unwrap();
    let before = database.power_log(&all()).await.unwrap();
    assert_eq!(before.len(), 1);
    for change in ["UPDATE power_log SET by_name = 'eve'", "DELETE FROM power_log"] {
        let error = bench.raw.execute(change.to_owned()).await.unwrap_err();
        let told = format!("{error:?}");
        assert!(told.contains("never"), "{told}");
    }
    let open = database.open_power_actions().await.unwrap();
    database.forget_power_actions(&[open[0].id]).await.unwrap();
    assert_eq!(database.power_log(&all()).await.unwrap(), before);
}

async fn the_log_is_read_newest_first_by_node_and_time(bench: Bench) {
    let database = &bench.database;
    for (node, at) in [("n1", 10), ("n2", 20), ("n1", 30)] {
        let nodes = [node.to_owned()];
        database.put_power_holds(&nodes, Some(t(at + 100)), "olga", t(at)).await.unwrap();
    }
    let read = async |filter| {
        let log = database.power_log(&filter).await.unwrap();
        log.into_iter().map(|it| it.at.as_unix_seconds()).collect::<Vec<_>>()
    };
    assert_eq!(read(all()).await, [30, 20, 10]);
    let node = Some("n1".to_owned());
    assert_eq!(read(PowerLogFilter { node, ..all() }).await, [30, 10]);
    assert_eq!(read(PowerLogFilter { from: Some(t(20)), ..all() }).await, [30, 20]);
    assert_eq!(read(PowerLogFilter { to: Some(t(20)), ..all() }).await, [10]);
    assert_eq!(read(PowerLogFilter { limit: 2, ..all() }).await, [30, 20]);
    let before = Some(database.power_log(&all()).await.unwrap()[1].id);
    assert_eq!(read(PowerLogFilter { before, ..all() }).await, [10]);
}

/// n1 is held until 100 and then until 200, n2 until 50: at 50 only n1 is. Releasing n2 then tells nothing.
async fn nodes_are_held_until_an_instant_or_released(bench: Bench) {
    let database = &bench.database;
    let names = ["n1", "n2", "n1"].map(str::to_owned);
    let hold = async |nodes: &[String], until: Option<i64>, by, at| {
        database.put_power_holds(nodes, until.map(t), by, t(at)).await.unwrap();
    };
    let in_force = async |at| database.power_holds(t(at)).await.unwrap();
    let expected = |node: &str, until, by: &str, created| PowerHold {
        node: node.to_owned(),
        until: t(until),
        by: by.to_owned(),
        created: t(created),
    };
    hold(&names, Some(50), "olga", 10).await;
    assert_eq!(
        in_force(49).await,
        [expected("n1", 50, "olga", 10), expected("n2", 50, "olga", 10)]
    );
    assert_eq!(in_force(50).await, []);
    hold(&names[..1], Some(200), "otto", 20).await;
    hold(&[], Some(200), "otto", 20).await;
    assert_eq!(in_force(50).await, [expected("n1", 200, "otto", 20)]);
    hold(&names, None, "olga", 60).await;
    hold(&names, None, "olga", 61).await;
    assert_eq!(in_force(60).await, []);
    let log = database.power_log(&all()).await.unwrap();
    let expected = [
        ("n1", "held", Some("olga"), Some("until 1970-01-01T00:00:50Z")),
        ("n2", "held", Some("olga"), Some("until 1970-01-01T00:00:50Z")),
        ("n1", "held", Some("otto"), Some("until 1970-01-01T00:03:20Z")),
        ("n1", "released", Some("olga"), None),
    ];
    assert_eq!(words(&log), expected);
    assert!(log.iter().all(|it| it.action_id.is_none()));
}
