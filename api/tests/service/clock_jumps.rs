//! Clocks that jump: what is booked neither expires nor ends by them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::client::Client;
use crate::cluster::{furnish, path, propose};
use crate::event_stream::Stream;
use crate::left_out::left_out;
use crate::server::Server;
use crate::site::Site;

const DAY_S: i64 = 86_400;

/// The library by which Debian's `faketime` sets the clock of a process.
pub fn clock_library() -> Option<PathBuf> {
    let folders = std::fs::read_dir("/usr/lib").ok()?.flatten();
    let mut all = folders.map(|it| it.path().join("faketime/libfaketimeMT.so.1"));
    all.find(|it| it.exists())
}

/// Lets the clock of a process be wrong by so many seconds, within a second.
fn set_clock(file: &Path, seconds: i64) {
    std::fs::write(file, format!("{seconds:+}\n")).unwrap();
}

fn serve(site: &Site, library: &Path, clock: &Path) -> Server {
    let mut command = site.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("LD_PRELOAD", library).env("FAKETIME_TIMESTAMP_FILE", clock);
    command.env("FAKETIME_CACHE_DURATION", "1").env("NO_FAKE_STAT", "1");
    // Watches go on as they did: what is wrong is the time of day.
    command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").env("DONT_FAKE_MONOTONIC", "1");
    tokio::task::block_in_place(|| Server::launch(command))
}

/// Waits until readiness tells so much of the clock.
async fn until_told(client: &Client, told: impl Fn(&Value) -> bool) {
    for _ in 0..100 {
        if told(&client.get("/health/ready").await.ok(200)["clock"]) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("readiness never told it");
}

fn is_ahead(days: i64) -> impl Fn(&Value) -> bool {
    move |clock| clock["jumped_by_s"].as_i64().is_some_and(|by| (by - days * DAY_S).abs() < 60)
}

/// The next event of the clock is of this kind, of a jump of so many days.
async fn is_told(told: &mut Stream, days: i64, kind: &str, because: &Value) {
    let events = told.until(kind).await;
    let of_clock = events.iter().filter(|event| event.kind.starts_with("clock."));
    assert_eq!(of_clock.count(), 1, "{events:?}");
    let data = &events[events.len() - 1].data;
    let by_s = data["jumped_by_s"].as_i64().unwrap();
    assert!((by_s - days * DAY_S).abs() < 60, "{data}");
    assert_eq!(&data["because"], because, "{data}");
}

async fn state(client: &Client, reservation: &Value) -> String {
    client.get(&path(reservation)).await.ok(200)["state"].as_str().unwrap().to_owned()
}

/// Books for an hour that begins in two or three, and proposes something else besides.
async fn book(client: &Client) -> [Value; 2] {
    let hours = furnish(client, 4, None).await;
    let confirmed = propose(client, &hours.request(1, 2, 3)).await;
    let choice = serde_json::json!({ "offer_id": confirmed["offers"][0]["offer_id"] });
    let chosen = client.post(&format!("{}/choose", path(&confirmed)), &choice).await;
    assert_eq!(chosen.ok(200)["state"], "confirmed");
    [confirmed, propose(client, &hours.request(1, 3, 4)).await]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_jumps_ends_nothing_until_it_is_accepted() {
    let test = "a_clock_that_jumps_ends_nothing_until_it_is_accepted";
    let Some(library) = clock_library() else {
        return left_out(test, "clocks that jump: no libfaketime; .ci/chaos install brings it");
    };
    let site = Site::sqlite();
    let clock = site.folder().join("clock");
    set_clock(&clock, 0);
    let server = serve(&site, &library, &clock);
    let client = server.client();
    let [confirmed, proposed] = book(&client).await;
    let mut told = Stream::opened(&client).await;
    for days in [10, -10] {
        set_clock(&clock, days * DAY_S);
        until_told(&client, is_ahead(days)).await;
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert_eq!(state(&client, &confirmed).await, "confirmed");
        assert_eq!(state(&client, &proposed).await, "proposed");
        is_told(&mut told, days, "clock.doubted", &Value::Null).await;
        set_clock(&clock, 0);
        until_told(&client, Value::is_null).await;
        is_told(&mut told, days, "clock.believed", &"went_back".into()).await;
    }
    // Ten days later indeed, as somebody knows.
    set_clock(&clock, 10 * DAY_S);
    until_told(&client, is_ahead(10)).await;
    is_told(&mut told, 10, "clock.doubted", &Value::Null).await;
    let accepted = site.command(&["clock", "accept"]).output().unwrap();
    assert!(accepted.status.success(), "{}", String::from_utf8_lossy(&accepted.stderr));
    until_told(&client, Value::is_null).await;
    is_told(&mut told, 10, "clock.believed", &"accepted".into()).await;
    for _ in 0..50 {
        if state(&client, &confirmed).await == "completed" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(state(&client, &confirmed).await, "completed");
    assert_eq!(state(&client, &proposed).await, "expired");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_processes_on_postgresql_one_with_a_wrong_clock_goes_by_the_database_s() {
    let test = "of_processes_on_postgresql_one_with_a_wrong_clock_goes_by_the_database_s";
    let Some(library) = clock_library() else {
        return left_out(test, "clocks that jump: no libfaketime; .ci/chaos install brings it");
    };
    let Some(site) = Site::postgres(test).await else { return };
    site.run(move |site: Site| async move {
        let clock = site.folder().join("clock");
        // Wrong from the begin, and then otherwise wrong.
        set_clock(&clock, 10 * DAY_S);
        let server = serve(&site, &library, &clock);
        let client = server.client();
        let [confirmed, proposed] = book(&client).await;
        for days in [10, -10, 0, 20] {
            set_clock(&clock, days * DAY_S);
            tokio::time::sleep(Duration::from_secs(4)).await;
            assert_eq!(client.get("/health/ready").await.ok(200)["clock"], Value::Null);
            assert_eq!(state(&client, &confirmed).await, "confirmed");
            assert_eq!(state(&client, &proposed).await, "proposed");
        }
    })
    .await;
}
