//! A year of 15-minute agendas, revised 50 times a day: how fast they go in and come out.
//!
//! Each revision has the 192 quarter-hours of the next two days: 3.5 million pieces in a year. Runs on
//! a new SQLite file and, where `WATTBOOK_TEST_POSTGRES_URL` names a server, on a new database there.
//! `WATTBOOK_BENCH_DAYS` shortens the year. Prints a Markdown table.

#![expect(clippy::unwrap_used, reason = "a benchmark may panic wherever it is")]

use std::time::{Duration, Instant};

use planner::agenda::Piece;
use planner::time::{Seconds, Span, Timestamp};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use storage::{AgendaMeta, Database, Quantity};

const DAY: i64 = 86_400;
const QUARTER: i64 = 900;
const REVISIONS_A_DAY: i64 = 50;
const AHEAD: i64 = 2 * DAY;

/// 2026-01-01T00:00:00Z.
const START: i64 = 1_767_225_600;

/// How often each question is asked.
const QUESTIONS: i64 = 200;

#[tokio::main]
async fn main() {
    // `cargo test --benches` only asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let days = std::env::var("WATTBOOK_BENCH_DAYS").ok().and_then(|text| text.parse().ok());
    let days = days.unwrap_or(365);
    println!("| engine | what | p50 | p99 |\n|---|---|---|---|");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("year.db");
    year("SQLite", &format!("sqlite://{}", file.display()), days).await;
    println!("| SQLite | file | {} MiB | |", std::fs::metadata(&file).unwrap().len() >> 20);
    if let Ok(server) = std::env::var("WATTBOOK_TEST_POSTGRES_URL") {
        let mut connection = PgConnection::connect(&server).await.unwrap();
        let name = format!("wattbook_bench_{}", std::process::id());
        let create = format!("CREATE DATABASE {name} TEMPLATE template0");
        connection.execute(AssertSqlSafe(create)).await.unwrap();
        let (server_part, _) = server.rsplit_once('/').unwrap();
        year("PostgreSQL", &format!("{server_part}/{name}"), days).await;
        let size = sqlx::query_scalar::<_, i64>("SELECT pg_database_size($1)").bind(&name);
        let size = size.fetch_one(&mut connection).await.unwrap();
        println!("| PostgreSQL | database | {} MiB | |", size >> 20);
        let drop = format!("DROP DATABASE {name} WITH (FORCE)");
        connection.execute(AssertSqlSafe(drop)).await.unwrap();
    }
}

/// The instant `seconds` after the beginning.
fn after(seconds: i64) -> Timestamp {
    Timestamp::from_unix_seconds(START + seconds)
}

/// Two days of quarter-hours from the one after `received` on; values differ with each revision.
fn revision(received: i64, number: i64) -> Vec<Piece<i64>> {
    let first = (received / QUARTER + 1) * QUARTER;
    let piece = |index: i64| Piece {
        span: Span::starting(after(first + index * QUARTER), Seconds::new(QUARTER)).unwrap(),
        value: ((number * 37 + index * 23) % 400 + 20) * 1_000_000,
    };
    (0..AHEAD / QUARTER).map(piece).collect()
}

async fn year(engine: &str, url: &str, days: i64) {
    let database = Database::connect(url).await.unwrap();
    let meta = AgendaMeta {
        source: "bench".to_owned(),
        kind: "average".to_owned(),
        quality: "forecast".to_owned(),
        issued: None,
    };
    let count = days * REVISIONS_A_DAY;
    let mut puts = Vec::new();
    for number in 0..count {
        let received = number * DAY / REVISIONS_A_DAY;
        let pieces = revision(received, number);
        let began = Instant::now();
        let put = database.put_agenda(Quantity::Co2, &meta, &pieces, after(received));
        put.await.unwrap();
        puts.push(began.elapsed());
    }
    let tenth = puts.len() / 10;
    row(engine, "put, the first tenth", puts[..tenth].to_vec());
    row(engine, "put, the last tenth", puts[puts.len() - tenth..].to_vec());
    let total: Duration = puts.iter().sum();
    let rate = count as f64 / total.as_secs_f64();
    println!("| {engine} | ingest | {rate:.0} revisions/s | {:.0} s in all |", total.as_secs_f64());
    questions(engine, &database, days).await;
    database.close().await;
}

async fn questions(engine: &str, database: &Database, days: i64) {
    // Spread over the year, in no order.
    let instants = || (0..QUESTIONS).map(move |n| n * 7919 % QUESTIONS * days * DAY / QUESTIONS);
    let window = |from: i64, length: i64| Span::new(after(from), after(from + length)).unwrap();
    for (what, length) in [("agenda, two days", 2 * DAY), ("agenda, 30 days", 30 * DAY)] {
        let mut took = Vec::new();
        for instant in instants() {
            let began = Instant::now();
            let span = window(instant, length);
            assert!(!database.agenda(Quantity::Co2, span).await.unwrap().is_empty());
            took.push(began.elapsed());
        }
        row(engine, what, took);
    }
    for (what, back, ahead) in
        [("as_of, the two days ahead", 0, 2 * DAY), ("as_of, 30 days back", 30 * DAY, 0)]
    {
        let mut took = Vec::new();
        for instant in instants().map(|instant| instant + DAY) {
            let began = Instant::now();
            let span = window(instant - back, back + ahead);
            let pieces = database.agenda_as_of(Quantity::Co2, span, after(instant)).await.unwrap();
            assert!(!pieces.is_empty());
            took.push(began.elapsed());
        }
        row(engine, what, took);
    }
    let now = after(days * DAY);
    let (mut marks, mut reload) = (Vec::new(), Vec::new());
    for _ in 0..QUESTIONS {
        let began = Instant::now();
        database.marks().await.unwrap();
        marks.push(began.elapsed());
        let began = Instant::now();
        let changes = database.changes(None, None, now, true).await.unwrap();
        assert!(!changes.agendas.unwrap().co2.is_empty());
        reload.push(began.elapsed());
    }
    row(engine, "marks", marks);
    row(engine, "changes, all of the book", reload);
}

fn row(engine: &str, what: &str, mut took: Vec<Duration>) {
    took.sort();
    let at = |share: usize| took[(took.len() - 1) * share / 100].as_secs_f64() * 1e3;
    println!("| {engine} | {what} | {:.2} ms | {:.2} ms |", at(50), at(99));
}
