//! The tables, the statements and the connections themselves.

use std::path::Path;

use sqlx::{AssertSqlSafe, Row};
use storage::Database;
use storage::sql::{
    allocations, events, held_spans, ledger, outages, power_states, recalibration, reservations,
    retention, series, simulations, state,
};

use crate::bench::{Bench, Raw, install_ten_nodes, on_both_engines, stored_nodes, t};

on_both_engines![
    every_statement_prepares,
    a_database_opened_again_keeps_what_is_in_it,
    a_closed_database_does_not_answer,
    a_newer_database_names_the_release_it_needs,
];

async fn every_statement_prepares(bench: Bench) {
    for (name, statement) in storage::sql::all() {
        if let Err(error) = bench.raw.prepare(statement).await {
            panic!("{name}: {error}");
        }
    }
}

async fn a_database_opened_again_keeps_what_is_in_it(bench: Bench) {
    install_ten_nodes(&bench.database).await;
    let again = Database::connect(&bench.url).await.unwrap();
    assert_eq!(again.marks().await.unwrap().version, 1);
    assert_eq!(stored_nodes(&again).await.unwrap().unwrap().nodes.count(), 10);
    again.close().await;
}

async fn a_closed_database_does_not_answer(bench: Bench) {
    bench.database.try_write(t(1)).await.unwrap();
    bench.database.close().await;
    bench.database.try_write(t(2)).await.unwrap_err();
}

async fn a_newer_database_names_the_release_it_needs(bench: Bench) {
    let (yes, bytes) = match &bench.raw {
        Raw::Sqlite { .. } => ("1", "X'00'"),
        Raw::Postgres { .. } => ("TRUE", "'\\x00'"),
    };
    let migration = format!(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'later', {yes}, {bytes}, 1)"
    );
    bench.raw.execute(migration).await.unwrap();
    let open = async || Database::connect(&bench.url).await.unwrap_err().to_string();
    let unnamed = open().await;
    assert!(unnamed.contains("needs a newer Wattbook"), "{unnamed}");
    let release = "INSERT INTO releases (migration, version) VALUES (9999, '9.9.0')".to_owned();
    bench.raw.execute(release).await.unwrap();
    let named = open().await;
    assert!(named.contains("needs Wattbook 9.9.0 or newer"), "{named}");
    assert!(
        named.contains("migration 9999") && named.contains("knows migrations up to"),
        "{named}"
    );
}

#[test]
fn migrations_have_the_same_numbers_and_names_on_both_engines() {
    let files = |engine: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations").join(engine);
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(files("sqlite"), files("postgres"));
}

#[tokio::test]
async fn both_engines_have_the_same_tables_and_columns() {
    let sqlite = Bench::sqlite().await;
    assert!(sqlite.raw.columns().await.contains(&"nodes.idle_power_uw".to_owned()));
    if let Some(postgres) = Bench::postgres("both_engines_have_the_same_tables_and_columns").await {
        let expected = sqlite.raw.columns().await;
        let compare = |bench: Bench| async move {
            assert_eq!(bench.raw.columns().await, expected);
        };
        postgres.run(compare).await;
    }
}

#[tokio::test]
async fn sqlite_keeps_a_write_ahead_log() {
    let bench = Bench::sqlite().await;
    let Raw::Sqlite { pool, .. } = &bench.raw else { unreachable!("the bench is SQLite") };
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(pool).await.unwrap();
    assert_eq!(mode, "wal");
}

/// What changed is little, what was ever chosen is much: by its own lights SQLite went by the state.
#[tokio::test]
async fn sqlite_finds_what_changed_by_the_count_of_changes() {
    let bench = Bench::sqlite().await;
    let Raw::Sqlite { pool, .. } = &bench.raw else { unreachable!("the bench is SQLite") };
    for statement in
        [reservations::CHOSEN_LATE, state::CHANGED_RESERVATIONS, held_spans::CHANGED_IDS]
    {
        let explain = format!("EXPLAIN QUERY PLAN {statement}");
        let rows = sqlx::query(AssertSqlSafe(explain)).fetch_all(pool).await.unwrap();
        let steps: Vec<String> = rows.iter().map(|row| row.get("detail")).collect();
        let by_change = |step: &String| step.contains("INDEX reservations_by_change (changed>?)");
        assert!(steps.iter().any(by_change), "{statement}: {steps:?}");
        assert!(!steps.iter().any(|step| step.starts_with("SCAN a")), "{statement}: {steps:?}");
    }
}

/// What some reservations hold, and the spans of it that quotas count, with a list of ids as the engine writes it.
fn held_by(among: &str) -> [String; 2] {
    let conditions = [
        (state::HOLDINGS_OF_WHERE, among),
        (state::HOLDINGS_OF_IN_EPOCH, "1"),
        (state::HOLDINGS_OF_AFTER, "1"),
        (state::HOLDINGS_OF_ORDER, ""),
    ];
    let holdings = conditions.map(|(condition, value)| format!("{condition}{value}")).concat();
    [holdings, [held_spans::SPANS_OF_WHERE, among, held_spans::SPANS_ORDER].concat()]
}

/// What these reservations hold is little of what all hold: PostgreSQL went by the ends of all, or through all.
#[tokio::test]
async fn both_engines_find_what_reservations_hold_by_the_reservations() {
    let bench = Bench::sqlite().await;
    let Raw::Sqlite { pool, .. } = &bench.raw else { unreachable!("the bench is SQLite") };
    for statement in held_by(" IN (x'00', x'01')") {
        let explain = format!("EXPLAIN QUERY PLAN {statement}");
        let rows = sqlx::query(AssertSqlSafe(explain)).fetch_all(pool).await.unwrap();
        let steps: Vec<String> = rows.iter().map(|row| row.get("detail")).collect();
        let by_reservation = "INDEX allocations_by_reservation (reservation_id=?)";
        assert!(steps.iter().any(|step| step.contains(by_reservation)), "{steps:?}");
        assert!(!steps.iter().any(|step| step.starts_with("SCAN")), "{steps:?}");
    }

    let name = "both_engines_find_what_reservations_hold_by_the_reservations";
    let Some(postgres) = Bench::postgres(name).await else { return };
    let explained = |bench: Bench| async move {
        let Raw::Postgres { pool, .. } = &bench.raw else {
            unreachable!("the bench is PostgreSQL")
        };
        let mut connection = pool.acquire().await.unwrap();
        // Of empty tables it reads the whole otherwise, or goes by what saves putting nothing in order.
        for way in ["SET enable_seqscan = off", "SET enable_indexscan = off"] {
            sqlx::query(way).execute(&mut *connection).await.unwrap();
        }
        let among =
            " = ANY('{00000000-0000-0000-0000-000000000001,00000000-0000-0000-0000-000000000002}')";
        for statement in held_by(among) {
            let explain = AssertSqlSafe(format!("EXPLAIN {statement}"));
            let steps: Vec<String> =
                sqlx::query_scalar(explain).fetch_all(&mut *connection).await.unwrap();
            // The index of the constraint knows the reservations too, and either may be the cheaper one.
            let by_reservation = |step: &String| step.contains("Index Cond: (reservation_id =");
            assert!(steps.iter().any(by_reservation), "{steps:?}");
        }
    };
    postgres.run(explained).await;
}

/// What is counted now is little of what was ever held and stated.
#[tokio::test]
async fn sqlite_finds_what_counts_by_its_time() {
    let bench = Bench::sqlite().await;
    let Raw::Sqlite { pool, .. } = &bench.raw else { unreachable!("the bench is SQLite") };
    for (statement, index) in [
        (held_spans::SPANS_SINCE, "INDEX allocations_by_end (end_s>?)"),
        (held_spans::STATED_HOURS_OF, "INDEX ledger_rows_by_counted (counted_s>?)"),
    ] {
        let explain = format!("EXPLAIN QUERY PLAN {statement}");
        let rows = sqlx::query(AssertSqlSafe(explain)).fetch_all(pool).await.unwrap();
        let steps: Vec<String> = rows.iter().map(|row| row.get("detail")).collect();
        assert!(steps.iter().any(|step| step.contains(index)), "{statement}: {steps:?}");
        assert!(!steps.iter().any(|step| step.starts_with("SCAN")), "{statement}: {steps:?}");
    }
}

/// Whoever starts, opens the schedule or states an hour wants what is held then, and nearly all that was ever held has ended.
/// SQLite went through all reservations that were completed, or all allocations.
#[tokio::test]
async fn sqlite_finds_what_is_held_by_its_end() {
    let bench = Bench::sqlite().await;
    let Raw::Sqlite { pool, .. } = &bench.raw else { unreachable!("the bench is SQLite") };
    for statement in [
        state::HOLDINGS,
        state::HOLDERS,
        allocations::LIVE_ALLOCATIONS,
        allocations::UPCOMING_ALLOCATIONS,
        ledger::HELD_DURING,
    ] {
        let steps = plan(pool, statement).await;
        let by_end = |step: &String| step.contains("INDEX allocations_by_end (end_s>?");
        assert!(steps.iter().any(by_end), "{statement}: {steps:?}");
        let by_state = |step: &String| step.contains("(state=?") || step.starts_with("SCAN");
        assert!(!steps.iter().any(by_state), "{statement}: {steps:?}");
    }
}

/// These are asked again and again, and what they look for is little of what is there after years.
#[tokio::test]
async fn sqlite_finds_what_is_to_be_done_without_what_was_done() {
    let bench = Bench::sqlite().await;
    let Raw::Sqlite { pool, .. } = &bench.raw else { unreachable!("the bench is SQLite") };
    for (statement, index) in [
        (simulations::ANY_SIMULATION_TO_PLAY, "INDEX simulations_to_play"),
        (simulations::QUEUED_SIMULATIONS, "INDEX simulations_to_play"),
        (series::ANY_SERIES_TO_COMPLETE, "INDEX series_running"),
        (series::COMPLETE_SERIES, "INDEX series_running"),
        (recalibration::FORGET_RUNS, "INDEX measured_runs_by_end (end_s<?)"),
        (events::EVENTS_KEPT, "SEARCH events"),
        (outages::MANAGED_OUTAGES, "INDEX outages_by_end (end_s>?)"),
        (retention::FIND_POWER_ACTIONS, "INDEX power_actions_boots (node=?)"),
        (retention::FIND_NEGOTIATIONS, "INDEX grants_by_negotiation (negotiation_id=?)"),
    ] {
        let steps = plan(pool, statement).await;
        assert!(steps.iter().any(|step| step.contains(index)), "{statement}: {steps:?}");
        assert!(!steps.iter().any(|step| step == "SCAN events"), "{statement}: {steps:?}");
    }
}

/// How SQLite finds what a statement is about.
async fn plan(pool: &sqlx::SqlitePool, statement: &'static str) -> Vec<String> {
    let explain = format!("EXPLAIN QUERY PLAN {statement}");
    let rows = sqlx::query(AssertSqlSafe(explain)).fetch_all(pool).await.unwrap();
    rows.iter().map(|row| row.get("detail")).collect()
}

/// Power states and actions are kept for years, and an hour's are few.
#[tokio::test]
async fn sqlite_finds_what_was_switched_in_an_hour_by_its_time() {
    let bench = Bench::sqlite().await;
    let Raw::Sqlite { pool, .. } = &bench.raw else { unreachable!("the bench is SQLite") };
    for (statement, index) in [
        (
            power_states::POWER_STATES_DURING,
            "INDEX node_power_states_by_time (since_s>? AND since_s<?)",
        ),
        (power_states::NEWEST_POWER_STATES, "PRIMARY KEY (node=? AND since_s=?)"),
        (ledger::SWITCHED_DURING, "INDEX power_actions_by_end (state=? AND done_s>?)"),
    ] {
        let explain = format!("EXPLAIN QUERY PLAN {statement}");
        let rows = sqlx::query(AssertSqlSafe(explain)).fetch_all(pool).await.unwrap();
        let steps: Vec<String> = rows.iter().map(|row| row.get("detail")).collect();
        assert!(steps.iter().any(|step| step.contains(index)), "{statement}: {steps:?}");
        let scans = steps.iter().filter(|step| step.starts_with("SCAN"));
        assert!(scans.clone().all(|step| step == "SCAN names"), "{statement}: {steps:?}");
    }
}

/// Jobs are kept for years, and an hour's are few.
#[tokio::test]
async fn sqlite_finds_jobs_of_an_hour_by_their_ends() {
    let bench = Bench::sqlite().await;
    let Raw::Sqlite { pool, .. } = &bench.raw else { unreachable!("the bench is SQLite") };
    let explain = format!("EXPLAIN QUERY PLAN {}", ledger::JOBS_DURING);
    let rows = sqlx::query(AssertSqlSafe(explain)).fetch_all(pool).await.unwrap();
    let steps: Vec<String> = rows.iter().map(|row| row.get("detail")).collect();
    let by_end = |step: &String| step.contains("INDEX managed_jobs_by_end (phase=? AND end_s>?)");
    assert!(steps.iter().any(by_end), "{steps:?}");
    assert!(!steps.iter().any(|step| step.starts_with("SCAN")), "{steps:?}");
}
