//! A process that freezes while it holds the book's row: the others are told at once, and go on as
//! soon as PostgreSQL has ended its transaction. On SQLite the file's lock has no owner to be ended.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::{Connection, Executor, PgConnection};
use tokio::task::JoinSet;

use crate::book::assert_sound;
use crate::client::{Answer, Client, try_answer};
use crate::cluster::{Hours, furnish, path, propose};
use crate::site::Site;

/// An idle machine answers within 2 s and goes on within 10 s; a busy one may take its time.
const ANSWERED_WITHIN: Duration = Duration::from_secs(8);
const GOES_ON_WITHIN: Duration = Duration::from_secs(40);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_freezes_with_the_book_stops_the_others_for_seconds_only() {
    let name = "a_process_that_freezes_with_the_book_stops_the_others_for_seconds_only";
    if let Some(site) = Site::postgres(name).await {
        site.run(frozen_process).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_a_session_holds_the_book_everybody_is_told_at_once_and_quotes_go_on() {
    let name = "while_a_session_holds_the_book_everybody_is_told_at_once_and_quotes_go_on";
    if let Some(site) = Site::postgres(name).await {
        site.run(held_by_a_session).await;
    }
}

async fn frozen_process(site: Site) {
    let (freezing, other) = (site.serve().await, site.serve().await);
    let hours = furnish(&other.client(), 2000, None).await;
    let mut load = JoinSet::new();
    for number in 0..8 {
        load.spawn(propose_without_end(freezing.client(), hours, number));
    }
    let mut observer = site.raw().await;
    let give_up = Instant::now() + 3 * GOES_ON_WITHIN;
    loop {
        freezing.signal("STOP");
        if is_held(&mut observer).await {
            break;
        }
        freezing.signal("CONT");
        assert!(Instant::now() < give_up, "it never froze with the book");
        tokio::time::sleep(Duration::from_millis(7)).await;
    }
    let frozen = Instant::now();
    let client = other.client();
    let mut refused = 0_u32;
    let mut longest = Duration::ZERO;
    let booked = loop {
        let asked = Instant::now();
        let answer = client.post("/api/v1/reservations", &hours.request(1, 2, 3)).await;
        longest = longest.max(asked.elapsed());
        if answer.status == 201 {
            break answer.ok(201);
        }
        assert_told(&answer);
        refused += 1;
        assert!(frozen.elapsed() < GOES_ON_WITHIN, "{}", other.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    eprintln!(
        "{refused} refusals, the slowest answer in {longest:?}, booked {:?} after the freeze",
        frozen.elapsed()
    );
    assert!(refused > 0, "nobody was held up");
    assert!(longest < ANSWERED_WITHIN, "{longest:?}");
    client.get(&path(&booked)).await.ok(200);
    load.abort_all();
    // Who froze goes on as well, with other connections.
    freezing.signal("CONT");
    let give_up = Instant::now() + GOES_ON_WITHIN;
    while freezing.client().post("/api/v1/reservations", &hours.request(1, 4, 5)).await.status
        != 201
    {
        assert!(Instant::now() < give_up, "{}", freezing.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_sound(&freezing.client(), hours, None).await;
}

/// A clear refusal, for a while.
fn assert_told(answer: &Answer) {
    let problem = answer.problem(503, "unavailable");
    assert!(problem["detail"].as_str().unwrap().contains("another process"), "{problem}");
    assert!(!answer.header("retry-after").is_empty());
}

async fn propose_without_end(client: Client, hours: Hours, number: i64) {
    loop {
        let wanted = hours.request(1, number, number + 1);
        let request = client.request(Method::POST, "/api/v1/reservations").json(&wanted);
        let _ = try_answer(request).await;
    }
}

/// Whether anybody holds the book's row, and still does after a moment in which whoever runs would have
/// gone on.
async fn is_held(observer: &mut PgConnection) -> bool {
    for _ in 0..2 {
        let mut transaction = observer.begin().await.unwrap();
        let taken = transaction.execute("SELECT 1 FROM book WHERE id = 1 FOR UPDATE NOWAIT").await;
        if taken.is_ok() {
            return false;
        }
        transaction.rollback().await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    true
}

async fn held_by_a_session(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 200, None).await;
    let proposed: Value = propose(&client, &hours.request(1, 2, 3)).await;
    let mut holder = site.raw().await;
    let mut held = holder.begin().await.unwrap();
    held.execute("UPDATE book SET changes = changes WHERE id = 1").await.unwrap();
    let began = Instant::now();
    let mut asking = JoinSet::new();
    for number in 0..60 {
        let (client, proposed) = (server.client(), path(&proposed));
        asking.spawn(async move {
            let asked = Instant::now();
            let answer = match number % 3 {
                0 => client.post("/api/v1/reservations", &hours.request(1, 2, 3)).await,
                1 => {
                    let choice = json!({ "ranking": "cost_co2_energy" });
                    client.post(&format!("{proposed}/choose"), &choice).await
                }
                _ => client.delete(&proposed).await,
            };
            assert_told(&answer);
            asked.elapsed()
        });
    }
    let slowest = asking.join_all().await.into_iter().max().unwrap();
    eprintln!("60 at once, the slowest was told after {slowest:?}");
    assert!(slowest < ANSWERED_WITHIN, "{slowest:?}");
    client.post("/api/v1/quotes", &hours.request(1, 2, 3)).await.ok(200);
    client.get("/health/ready").await.ok(200);
    held.rollback().await.unwrap();
    let give_up = began + GOES_ON_WITHIN;
    while client.post("/api/v1/reservations", &hours.request(1, 2, 3)).await.status != 201 {
        assert!(Instant::now() < give_up, "{}", server.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(client.get(&path(&proposed)).await.ok(200)["state"], "proposed");
}
