//! Power actions of a release that only woke nodes, and knew no order that is given again.

use std::str::FromStr;

use planner::identity::ReservationId;
use planner::power_action::{PowerActionState, PowerChange};
use planner::time::Seconds;
use sqlx::PgPool;
use sqlx::SqlitePool;
use sqlx::migrate::Migrator;
use sqlx::sqlite::SqliteConnectOptions;
use storage::{Database, PowerAction, PowerActionFilter};
use uuid::Uuid;

use crate::bench::{Bench, Raw, t};
use crate::left_out::postgres_server;

/// The migration that makes of them what they are now.
const MIGRATION: i64 = 38;

/// The reservation that they are for.
const RESERVATION: Uuid = Uuid::from_u128(7);

/// Tables as the release before had them.
fn former(mut all: Migrator) -> Migrator {
    let former = all.iter().filter(|it| it.version < MIGRATION);
    all.migrations = former.cloned().collect::<Vec<_>>().into();
    all
}

/// A reservation with an action in each state of that time.
async fn fill(raw: &Raw) {
    let id = raw.literal(RESERVATION);
    let reservation = format!(
        "INSERT INTO reservations (id, owner, state, request, created_s, expires_s, document)
         VALUES ({id}, 'ada', 'confirmed', '{{}}', 0, 10, '{{}}')"
    );
    raw.execute(reservation).await.unwrap();
    for (node, state, because, ordered, done) in [
        ("n1", "waiting", "NULL", "NULL", "NULL"),
        ("n2", "ordered", "NULL", "20", "NULL"),
        ("n3", "done", "NULL", "20", "80"),
        ("n4", "failed", "'it did not come'", "20", "NULL"),
        ("n5", "failed", "'refused'", "NULL", "NULL"),
    ] {
        let action = format!(
            "INSERT INTO power_actions
                (node, action, reservation_id, state, because, created_s, ordered_s, done_s)
             VALUES ('{node}', 'power_up', {id}, '{state}', {because}, 10, {ordered}, {done})"
        );
        raw.execute(action).await.unwrap();
    }
}

#[tokio::test]
async fn sqlite_converts_them() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("test.db").display());
    let options = SqliteConnectOptions::from_str(&url).unwrap().create_if_missing(true);
    let pool = SqlitePool::connect_with(options).await.unwrap();
    former(sqlx::migrate!("../../migrations/sqlite")).run(&pool).await.unwrap();
    let raw = Raw::Sqlite { pool, _folder: folder.into() };
    fill(&raw).await;
    let database = Database::connect(&url).await.unwrap();
    Bench { database, url, raw }.run(they_are_followed_like_others).await;
}

#[tokio::test]
async fn postgres_converts_them() {
    let Some(server_url) = postgres_server("postgres_converts_them") else { return };
    let server = PgPool::connect(&server_url).await.unwrap();
    let name = format!("wattbook_test_{}", Uuid::now_v7().simple());
    let create = format!("CREATE DATABASE {name} TEMPLATE template0");
    sqlx::query(sqlx::AssertSqlSafe(create)).execute(&server).await.unwrap();
    let url = format!("{}/{name}", server_url.rsplit_once('/').unwrap().0);
    let pool = PgPool::connect(&url).await.unwrap();
    former(sqlx::migrate!("../../migrations/postgres")).run(&pool).await.unwrap();
    let raw = Raw::Postgres { pool, server, name };
    fill(&raw).await;
    let database = Database::connect(&url).await.unwrap();
    Bench { database, url, raw }.run(they_are_followed_like_others).await;
}

/// What waited and what was ordered goes on; what had failed was final, and is given up.
async fn they_are_followed_like_others(bench: Bench) {
    use PowerActionState::{Done, GivenUp, Ordered, Waiting};
    let database = &bench.database;
    let filter = PowerActionFilter { node: None, open: None, before: None, limit: 10 };
    let mut actions = database.power_actions(&filter).await.unwrap();
    actions.reverse();
    let expected =
        |(node, state, because, since, ordered, done): (&str, _, Option<&str>, _, _, _)| {
            let found = actions.iter().find(|it| it.node == node).unwrap();
            PowerAction {
                former_limit: None,
                id: found.id,
                node: node.to_owned(),
                change: PowerChange::On,
                asked_by: "reservation".to_owned(),
                reservation_id: Some(ReservationId::new(RESERVATION)),
                state,
                due: t(10),
                until: None,
                wake_at: None,
                saves: None,
                because: because.map(str::to_owned),
                created: t(10),
                since: t(since),
                orders: u32::from(Option::is_some(&ordered)),
                ordered,
                done,
                decided_by: None,
                decided: None,
                row_version: 1,
            }
        };
    let rows = [
        ("n1", Waiting, None, 10, None, None),
        ("n2", Ordered, None, 20, Some(t(20)), None),
        ("n3", Done, None, 80, Some(t(20)), Some(t(80))),
        ("n4", GivenUp, Some("it did not come"), 20, Some(t(20)), None),
        ("n5", GivenUp, Some("refused"), 10, None, None),
    ];
    assert_eq!(actions, rows.map(expected));
    assert_eq!(database.open_power_actions().await.unwrap(), actions[..2]);
    let names: Vec<String> = actions.iter().map(|it| it.node.clone()).collect();
    let times = database.boot_times(&names).await.unwrap();
    assert_eq!(times, [("n3".to_owned(), vec![Seconds::new(60)])].into());
}
