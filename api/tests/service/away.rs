//! A database that is away: it says nothing, it cuts everybody off, or what is said is lost on the way. Whoever asks is told in
//! time, and the service goes on by itself once the database is back. And PostgreSQL on a disk that is full.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};

use crate::chaos::database::{Database, programs};
use crate::chaos::dice::Dice;
use crate::client::{Answer, Client, answer};
use crate::cluster::{Hours, choose, furnish, path, propose};
use crate::full_disk::{booked_at_last, until_ready};
use crate::left_out::left_out;
use crate::link::Link;
use crate::site::Site;

/// An idle machine answers within 2 s; a busy one may take its time.
const ANSWERED_WITHIN: Duration = Duration::from_secs(6);

/// Makes tests of a fault of the way to the database.
macro_rules! faults {
    ($($name:ident: $fault:expr;)*) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            if let Some(site) = Site::postgres(concat!("away::", stringify!($name))).await {
                site.run(async |site: Site| is_told_and_goes_on(site, $fault).await).await;
            }
        }
    )*};
}

faults! {
    a_database_that_hangs_is_told_in_time: Link::fall_silent;
    a_database_that_resets_connections_is_told_in_time: Link::refuse;
    a_database_of_which_nothing_arrives_is_told_in_time: |link: &Link| link.lose_after(0);
    a_database_whose_answers_break_off_is_told_in_time: |link: &Link| link.lose_after(700);
}

/// A request whose answer must come in time.
async fn timed(client: &Client, method: Method, path: &str, body: Option<&Value>) -> Answer {
    let request = client.request(method.clone(), path);
    let request = body.map_or(request.try_clone().unwrap(), |body| request.json(body));
    let asked = Instant::now();
    let answered = answer(request).await;
    let took = asked.elapsed();
    eprintln!("{method} {path}: {} after {took:.1?}", answered.status);
    assert!(took < ANSWERED_WITHIN, "{method} {path} took {took:?}");
    answered
}

fn is_unavailable(answer: &Answer) {
    let problem = answer.problem(503, "unavailable");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("database"), "{problem}");
    assert!(!answer.header("retry-after").is_empty(), "{answer:?}");
}

async fn is_told_and_goes_on(site: Site, fault: fn(&Link)) {
    let (server, place) = site.database.rsplit_once('/').unwrap();
    let (user, host) = server.rsplit_once('@').unwrap();
    let port = host.rsplit_once(':').map_or(5432, |(_, port)| port.parse().unwrap());
    let link = Link::to(port).await;
    let database = format!("{user}@127.0.0.1:{}/{place}", link.port);
    // The link does its work meanwhile.
    let server = tokio::task::block_in_place(|| site.serve_on(&database));
    let client = server.client();
    let hours = furnish(&client, 200, None).await;
    let proposed = propose(&client, &hours.request(1, 2, 3)).await;
    let confirmed = propose(&client, &hours.request(1, 2, 3)).await;
    choose(&client, &confirmed, "cost_co2_energy").await;

    fault(&link);
    everything_is_answered(&client, hours, &proposed).await;
    // By now it is known to be away.
    everything_is_answered(&client, hours, &proposed).await;
    all_at_once_are_answered(&client, hours).await;

    link.open();
    until_ready(&client, 200, "ready").await;
    let booked = booked_at_last(&client, hours).await;
    for kept in [&proposed, &confirmed, &booked] {
        client.get(&path(kept)).await.ok(200);
    }
    let stands = client.get(&path(&confirmed)).await.ok(200);
    assert_eq!(stands["state"], "confirmed");
    // What was answered 503 was done, or not: nobody was told that it was.
    let state = client.get(&path(&proposed)).await.ok(200)["state"].clone();
    assert!(["proposed", "confirmed"].iter().any(|it| state == **it), "{state}");
    assert!(!server.log().contains(" 500 "), "{}", server.log());
}

/// A route of each kind.
async fn everything_is_answered(client: &Client, hours: Hours, proposed: &Value) {
    let request = hours.request(1, 2, 3);
    let chosen = json!({ "ranking": "cost_co2_energy" });
    let choose = format!("{}/choose", path(proposed));
    let (one, listed) = (path(proposed), format!("/api/v1/agendas/price?{}", hours.span(0, 9)));
    let ready = timed(client, Method::GET, "/health/ready", None).await;
    ready.problem(503, "not_ready");
    for (method, path, body) in [
        (Method::POST, "/api/v1/quotes", Some(&request)),
        (Method::POST, "/api/v1/reservations", Some(&request)),
        (Method::POST, choose.as_str(), Some(&chosen)),
        (Method::GET, one.as_str(), None),
        (Method::GET, "/api/v1/reservations", None),
        (Method::GET, "/api/v1/nodes", None),
        (Method::GET, listed.as_str(), None),
        (Method::GET, "/api/v1/ledger", None),
    ] {
        is_unavailable(&timed(client, method, path, body).await);
    }
    // These rest on no database.
    assert_eq!(timed(client, Method::GET, "/health/live", None).await.status, 200);
    assert_eq!(timed(client, Method::GET, "/", None).await.status, 200);
}

/// Those who come together wait no longer than one.
async fn all_at_once_are_answered(client: &Client, hours: Hours) {
    let mut asking = tokio::task::JoinSet::new();
    for number in 0..20 {
        let client = client.clone();
        asking.spawn(async move {
            let request = hours.request(1, 2, 3);
            match number % 2 {
                0 => timed(&client, Method::POST, "/api/v1/reservations", Some(&request)).await,
                _ => timed(&client, Method::GET, "/api/v1/reservations", None).await,
            }
        });
    }
    asking.join_all().await.iter().for_each(is_unavailable);
}

/// Reads and quotes go on; bookings are refused with the reason, and go on once there is room.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_disk_was_full_needs_no_restart() {
    let test = "away::a_server_whose_disk_was_full_needs_no_restart";
    let Some(programs) = programs() else {
        return left_out(test, "no programs of PostgreSQL (initdb, pg_ctl)");
    };
    let mut dice = Dice::of(u64::from(std::process::id()), 7);
    let mut database = Database::begin(&programs, &mut dice).await;
    if !database.has_disk {
        return left_out(test, "no mounts of one's own (unshare --user --mount)");
    }
    let site = Site::sqlite();
    let server = tokio::task::block_in_place(|| site.serve_on(&Database::url(database.port)));
    let client = server.client();
    let hours = furnish(&client, 200, None).await;
    let confirmed = propose(&client, &hours.request(1, 2, 3)).await;
    choose(&client, &confirmed, "cost_co2_energy").await;
    let mut acknowledged = vec![confirmed];

    database.fill_the_disk();
    let give_up = Instant::now() + crate::server::PATIENCE;
    // There is room in pages that are there already, for a while.
    let refused = loop {
        let answer = client.post("/api/v1/reservations", &hours.request(1, 2, 3)).await;
        if answer.status != 201 {
            break answer;
        }
        acknowledged.push(answer.ok(201));
        assert!(Instant::now() < give_up, "the disk is never full");
    };
    let problem = refused.problem(503, "unavailable");
    assert!(problem["detail"].as_str().unwrap().contains("disk"), "{problem}");
    assert!(!refused.header("retry-after").is_empty());
    until_ready(&client, 503, "full").await;
    client.post("/api/v1/quotes", &hours.request(1, 2, 3)).await.ok(200);
    for one in &acknowledged {
        client.get(&path(one)).await.ok(200);
    }

    database.free_the_disk();
    acknowledged.push(booked_at_last(&client, hours).await);
    until_ready(&client, 200, "ready").await;
    for one in &acknowledged {
        client.get(&path(one)).await.ok(200);
    }
    assert_eq!(client.get(&path(&acknowledged[0])).await.ok(200)["state"], "confirmed");
    assert!(!server.log().contains(" 500 "), "{}", server.log());
}
