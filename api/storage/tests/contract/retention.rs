//! What is pruned by age, and what stays.

use planner::agenda::Piece;
use planner::identity::ReservationId;
use planner::ledger::{LedgerRow, Party};
use planner::power_action::{PowerActionState, PowerChange};
use planner::reservation::{Ending, OfferSelector};
use planner::resource_manager::NodePower;
use storage::{
    AgendaMeta, Database, Filter, LogWhat, NewPowerAction, NewReservation, NodePowerState,
    OfferPromise, PowerAction, PowerActionChange, PowerLogFilter, PrunedKind, Quantity, ReportKey,
};

use crate::bench::{
    Bench, install_ten_nodes, offer, on_both_engines, propose, ranks, reservation, span, t,
};
use crate::ledger::{all, row, statement};

on_both_engines![
    reservations_go_with_all_that_refers_to_them_and_their_promises_stay,
    what_is_not_over_keeps_a_reservation,
    offers_that_were_not_chosen_go_before_their_reservations,
    proposals_that_nobody_chose_from_go,
    sealed_hours_are_not_stated_anew,
    values_of_old_revisions_go_and_what_is_in_force_stays,
    of_power_the_newest_that_says_something_stays,
];

/// Prunes all of a kind; how many rows, which were as many as were counted before.
async fn prune(database: &Database, kind: PrunedKind, before: i64) -> u64 {
    let counted = database.old_rows(kind, t(before)).await.unwrap();
    let mut rows = 0;
    while let Some(piece) = database.prune_piece(kind, t(before)).await.unwrap() {
        rows += piece;
    }
    assert_eq!(database.old_rows(kind, t(before)).await.unwrap(), 0);
    assert_eq!(rows, counted.unsigned_abs(), "{kind:?}");
    rows
}

/// A reservation of two offers over a span, of which the first is chosen.
async fn chosen(database: &Database, node: u32, start: i64, end: i64) -> NewReservation {
    let offers = [node, node + 1].map(|node| offer(ranks(node..node + 1), span(start, end)));
    let made = reservation(offers.into());
    propose(database, &made, 0).await.unwrap();
    let taken = OfferSelector::Offer(made.offers[0].id);
    database.choose(made.id, taken, t(1), None, false).await.unwrap();
    made
}

async fn ids(database: &Database) -> Vec<ReservationId> {
    let all = database.reservations(&Filter::default(), None, 100).await.unwrap();
    all.iter().map(|it| it.id).collect()
}

fn ledger_row(of: &NewReservation) -> LedgerRow {
    let row = row("ada", 100);
    LedgerRow { party: Party { reservation: Some(of.id), ..row.party }, ..row }
}

/// Of two that ended the first ended before; the third runs on.
async fn reservations_go_with_all_that_refers_to_them_and_their_promises_stay(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let old = chosen(database, 0, 2000, 3000).await;
    let young = chosen(database, 2, 2000, 5000).await;
    let lasting = chosen(database, 4, 2000, 9000).await;
    database.advance(t(2500)).await.unwrap();
    database.advance(t(6000)).await.unwrap();
    let rows = [&old, &young].map(ledger_row).into();
    database.put_statement(&statement(0, 0, 0, rows)).await.unwrap();
    // What waits for a node and what draws too much name their reservation, too.
    for sql in [
        "INSERT INTO power_excesses (reservation_id, since_s, told) SELECT id, 1, FALSE FROM reservations",
        "INSERT INTO shared_reservations (reservation_id, is_project, name, may)
            SELECT id, FALSE, 'bob', 'see' FROM reservations",
        "INSERT INTO managed_reservations (reservation_id, name, state, changed_s)
            SELECT id, 'r' || end_s, 'removed', 1 FROM reservations",
        "INSERT INTO outlooks (reservation_id, evaluated_s) SELECT id, 1 FROM reservations",
        "INSERT INTO power_actions (node, action, reservation_id, state, created_s, asked_by, since_s, orders, due_s)
            SELECT 'n' || end_s, 'power_up', id, 'done', 1, 'reservation', 1, 1, 1
            FROM reservations WHERE end_s = 3000",
    ] {
        bench.raw.execute(sql.to_owned()).await.unwrap();
    }
    let ids_of = [old.id, young.id, lasting.id];
    let promises = database.promises_in_ledger(&ids_of, t(6000)).await.unwrap();
    let by = [ReportKey::User];
    let sums = database.report_sums(&all(0, 1), &by).await.unwrap();

    assert_eq!(prune(database, PrunedKind::Reservations, 3000).await, 0);
    assert_eq!(prune(database, PrunedKind::Reservations, 3001).await, 1);
    assert_eq!(ids(database).await, [young.id, lasting.id]);
    let mut kept = database.promises_in_ledger(&ids_of, t(6000)).await.unwrap();
    kept.sort_by_key(|(promise, _)| promise.reservation);
    assert_eq!(kept, promises);
    assert_eq!(database.report_sums(&all(0, 1), &by).await.unwrap(), sums);
    let check = database.check_book().await.unwrap();
    assert_eq!((check.reservations, check.errors), (2, Vec::new()));
    let action = database.power_action(1.into()).await.unwrap().unwrap();
    assert_eq!(action.reservation_id, None);
    // What is pruned is not promised twice, and somebody who is erased is named nowhere.
    assert_eq!(prune(database, PrunedKind::Reservations, 3001).await, 0);
    database.end(lasting.id, Ending::Cancelled, t(6000), None).await.unwrap();
    database.erase_person("ada", "erased-1", None, t(6001)).await.unwrap();
    let kept: Vec<OfferPromise> = database.promises(&[old.id], t(6000)).await.unwrap();
    assert_eq!(kept.iter().map(|it| it.owner.as_str()).collect::<Vec<_>>(), ["erased-1"]);
    assert_eq!(database.rows_left(PrunedKind::Reservations).await.unwrap(), 2);
}

/// One is in the resource manager, one has a job that runs, one was replaced by another that lasts.
async fn what_is_not_over_keeps_a_reservation(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let mut made = Vec::new();
    for (node, start) in [(0, 2000), (2, 2001), (4, 2002), (6, 2003)] {
        made.push(chosen(database, node, start, start + 100).await.id);
    }
    database.advance(t(2050)).await.unwrap();
    database.advance(t(3000)).await.unwrap();
    let of = |start: i64| format!("SELECT id FROM reservations WHERE start_s = {start}");
    for sql in [
        format!(
            "INSERT INTO managed_reservations (reservation_id, name, state, changed_s)
             VALUES (({}), 'r', 'in_force', 1)",
            of(2000)
        ),
        format!(
            "INSERT INTO managed_jobs (id, submitted_s, reservation_id, user_name, account, partition_name, job_name,
                state, phase, nodes)
             VALUES ('1', 1, ({}), 'ada', '', '', '', 'RUNNING', 'running', 'n1')",
            of(2001)
        ),
        "UPDATE reservations SET replaces = (SELECT o.id FROM reservations AS o WHERE o.start_s = 2002),
            end_s = 9000 WHERE start_s = 2003"
            .to_owned(),
    ] {
        bench.raw.execute(sql).await.unwrap();
    }
    assert_eq!(prune(database, PrunedKind::Reservations, 4000).await, 0);
    assert_eq!(ids(database).await, made);
    for sql in [
        "UPDATE managed_reservations SET state = 'removed'",
        "UPDATE managed_jobs SET phase = 'ended', end_s = 2100",
        "UPDATE reservations SET end_s = 2103 WHERE start_s = 2003",
    ] {
        bench.raw.execute(sql.to_owned()).await.unwrap();
    }
    let counted = database.old_rows(PrunedKind::Reservations, t(4000)).await.unwrap();
    assert_eq!(counted, 3, "the one that was replaced goes after the other");
    while database.prune_piece(PrunedKind::Reservations, t(4000)).await.unwrap().is_some() {}
    assert_eq!(ids(database).await, []);
}

async fn offers_that_were_not_chosen_go_before_their_reservations(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let old = chosen(database, 0, 2000, 3000).await;
    let lasting = chosen(database, 2, 2000, 9000).await;
    database.advance(t(2500)).await.unwrap();
    database.advance(t(6000)).await.unwrap();
    let before = database.reservation(old.id).await.unwrap().unwrap();
    assert_eq!(prune(database, PrunedKind::Offers, 5000).await, 1);
    let after = database.reservation(old.id).await.unwrap().unwrap();
    assert_eq!(after.chosen_offer(), before.chosen_offer());
    assert_eq!((after.offers.len(), before.offers.len()), (1, 2));
    let other = database.reservation(lasting.id).await.unwrap().unwrap();
    assert_eq!(other.offers.len(), 2);
    // Once it has ended its turn comes, too, though others were looked for up to a later instant before.
    database.advance(t(9500)).await.unwrap();
    assert_eq!(prune(database, PrunedKind::Offers, 9501).await, 1);
}

/// One is held, one expired before.
async fn proposals_that_nobody_chose_from_go(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let expired = reservation(vec![offer(ranks(0..1), span(2000, 3000))]);
    let held = NewReservation {
        expires: t(9000),
        ..reservation(vec![offer(ranks(1..2), span(20_000, 30_000))])
    };
    let taken = chosen(database, 4, 2000, 3000).await;
    for made in [&expired, &held] {
        propose(database, made, 0).await.unwrap();
    }
    database.advance(t(2000)).await.unwrap();
    database.advance(t(4000)).await.unwrap();
    assert_eq!(prune(database, PrunedKind::Proposals, 1000).await, 0);
    assert_eq!(prune(database, PrunedKind::Proposals, 8000).await, 1);
    let mut left = [held.id, taken.id];
    left.sort_unstable();
    assert_eq!(ids(database).await, left);
}

async fn sealed_hours_are_not_stated_anew(bench: Bench) {
    let database = &bench.database;
    for hour in 0..3 {
        database.put_statement(&statement(hour, 0, hour, vec![row("ada", 100)])).await.unwrap();
    }
    assert_eq!(database.sealed_until().await.unwrap(), t(0));
    database.seal_hours(t(2 * 3600)).await.unwrap();
    database.seal_hours(t(3600)).await.unwrap();
    assert_eq!(database.sealed_until().await.unwrap(), t(2 * 3600));
    let correction = |hour| statement(hour, 1, 2, vec![row("ada", -1)]);
    assert!(!database.put_statement(&correction(1)).await.unwrap());
    assert!(database.put_statement(&correction(2)).await.unwrap());
}

/// The first revision says 0 to 40, the second 20 to 60, the third reaches to 1000.
async fn values_of_old_revisions_go_and_what_is_in_force_stays(bench: Bench) {
    let database = &bench.database;
    let meta = AgendaMeta {
        source: "day-ahead".to_owned(),
        kind: "average".to_owned(),
        quality: "forecast".to_owned(),
        issued: None,
    };
    for (now, from, to, value) in [(1, 0, 40, 7), (2, 20, 60, 8), (3, 50, 1000, 9)] {
        let piece = Piece { span: span(from, to), value };
        database.put_agenda(Quantity::Price, &meta, &[piece], t(now)).await.unwrap();
    }
    let now = async || database.proven_agenda(Quantity::Price, span(0, 1000), None).await.unwrap();
    let later = async |as_of| {
        database.agenda_as_of(Quantity::Price, span(100, 1000), t(as_of)).await.unwrap()
    };
    let (in_force, known) = (now().await, later(500).await);
    assert_eq!(prune(database, PrunedKind::AgendaRevisions, 100).await, 2);
    assert_eq!((now().await, later(500).await), (in_force, known));
    let then = database.agenda_as_of(Quantity::Price, span(0, 60), t(2)).await.unwrap();
    assert_eq!(then, []);
}

/// Node n1 was limited, lifted, and is limited again; it came up once.
async fn of_power_the_newest_that_says_something_stays(bench: Bench) {
    let database = &bench.database;
    let state = |since, power| NodePowerState { node: "n1".to_owned(), since: t(since), power };
    let states = [state(10, NodePower::Off), state(20, NodePower::On), state(90, NodePower::Off)];
    for it in &states {
        database.note_power_states(std::slice::from_ref(it)).await.unwrap();
    }
    let during = async || {
        let sources = database.ledger_sources(span(50, 100)).await.unwrap();
        sources.powers
    };
    let before = during().await;
    assert_eq!(prune(database, PrunedKind::PowerStates, 50).await, 1);
    assert_eq!(during().await, before);

    let off = NewPowerAction {
        node: "n1".to_owned(),
        change: PowerChange::Off,
        asked_by: "plan".to_owned(),
        reservation_id: None,
        state: PowerActionState::Waiting,
        due: t(10),
        until: None,
        wake_at: None,
        saves: None,
        because: None,
    };
    for (change, at) in [(PowerChange::Off, 10), (PowerChange::On, 20), (PowerChange::Off, 60)] {
        let wanted = NewPowerAction { change, ..off.clone() };
        database.plan_power_actions(&[wanted], t(at)).await.unwrap();
        let action = database.open_power_actions().await.unwrap().remove(0);
        let state = PowerActionState::Done;
        let done = Some(t(at));
        let action = PowerAction { state, ordered: done, done, ..action };
        let change = PowerActionChange { action, what: LogWhat::of(state), by: None };
        database.put_power_actions(&[change], t(at)).await.unwrap();
    }
    let boots = async || database.boot_times(&["n1".to_owned()]).await.unwrap();
    let known = boots().await;
    assert_eq!(prune(database, PrunedKind::PowerActions, 50).await, 1);
    assert_eq!(boots().await, known);
    let log = async || {
        let filter = PowerLogFilter { node: None, from: None, to: None, before: None, limit: 5000 };
        database.power_log(&filter).await.unwrap()
    };
    let told = log().await;
    bench.raw.execute("DELETE FROM power_log".to_owned()).await.unwrap_err();
    let old = told.iter().filter(|it| it.at < t(50)).count() as u64;
    assert!(old > 0);
    assert_eq!(prune(database, PrunedKind::PowerLog, 50).await, old);
    assert_eq!(log().await.len() as u64, told.len() as u64 - old);
    bench.raw.execute("DELETE FROM power_log".to_owned()).await.unwrap_err();
}
