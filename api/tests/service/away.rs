//! A database that is away: it says nothing, it cuts everybody off, or what is said is lost on the way. Whoever asks is told in
//! time, and the service goes on by itself once the database is back. And PostgreSQL on a disk that is full.

use std::time::{Duration, Instant};

use planner::time::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::chaos::database::{Database, OnDisk, programs};
use crate::chaos::dice::Dice;
use crate::client::{Answer, Client, answer};
use crate::cluster::{Hours, choose, furnish, nodes, path, propose};
use crate::full_disk::{booked_at_last, until_ready};
use crate::left_out::left_out;
use crate::link::Link;
use crate::server::Server;
use crate::site::Site;

/// The header of answers from memory.
const AS_OF: &str = "x-wattbook-as-of";

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

/// A server that reaches its database by a link.
async fn serve_by_link(site: &Site) -> (Link, Server) {
    let (server, place) = site.database.rsplit_once('/').unwrap();
    let (user, host) = server.rsplit_once('@').unwrap();
    let port = host.rsplit_once(':').map_or(5432, |(_, port)| port.parse().unwrap());
    let link = Link::to(port).await;
    let database = format!("{user}@127.0.0.1:{}/{place}", link.port);
    // The link does its work meanwhile.
    let server = tokio::task::block_in_place(|| site.serve_on(&database));
    (link, server)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_is_lost_beside_others_is_told_in_time() {
    let name = "away::a_connection_that_is_lost_beside_others_is_told_in_time";
    if let Some(site) = Site::postgres(name).await {
        site.run(one_is_lost_beside_others).await;
    }
}

/// Five connections are lost while requests go on by others.
async fn one_is_lost_beside_others(site: Site) {
    let (link, server) = serve_by_link(&site).await;
    let hours = furnish(&server.client(), 2000, None).await;
    let mut asking = JoinSet::new();
    for number in 0..6 {
        asking.spawn(ask_without_end(server.client(), hours, number));
    }
    for _ in 0..5 {
        link.forget_one();
        let give_up = Instant::now() + crate::server::PATIENCE;
        while !link.has_forgotten() {
            assert!(Instant::now() < give_up, "nothing is said to the database");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::time::sleep(Duration::from_secs(3)).await;
        nobody_failed(&mut asking);
    }
    // Whoever waits still is answered in time.
    tokio::time::sleep(ANSWERED_WITHIN).await;
    nobody_failed(&mut asking);
    asking.abort_all();
    let client = server.client();
    let booked = booked_at_last(&client, hours).await;
    client.get(&path(&booked)).await.ok(200);
    until_ready(&client, 200, "ready").await;
    assert!(!server.log().contains(" 500 "), "{}", server.log());
}

fn nobody_failed(asking: &mut JoinSet<()>) {
    while let Some(ended) = asking.try_join_next() {
        ended.unwrap();
    }
}

/// Asks again and again; each answer comes in time, and is right or says that the database is away.
async fn ask_without_end(client: Client, hours: Hours, number: u64) {
    loop {
        let asked = Instant::now();
        let answered = async {
            match number % 3 {
                0 => client.post("/api/v1/reservations", &hours.request(1, 2, 3)).await,
                _ => client.get("/api/v1/reservations").await,
            }
        };
        let answered = tokio::time::timeout(ANSWERED_WITHIN, answered).await;
        let answer = answered.unwrap_or_else(|_| panic!("no answer after {ANSWERED_WITHIN:?}"));
        if answer.status >= 500 {
            answer.problem(503, "unavailable");
            eprintln!("{number}: 503 after {:.1?}", asked.elapsed());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn is_told_and_goes_on(site: Site, fault: fn(&Link)) {
    let (link, server) = serve_by_link(&site).await;
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
    let (_, times) = read_kept(&client, hours).await;
    // Each says as of when it is, and that does not move on.
    assert!(Timestamp::parse(&times[0]).is_ok(), "{times:?}");
    assert!(times.iter().all(|it| *it == times[0]), "{times:?}");

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

/// The reads that are answered by what is in memory, with as of when each says to be.
async fn read_kept(client: &Client, hours: Hours) -> (Vec<Value>, Vec<String>) {
    let span = hours.span(0, 9);
    let reads = [
        format!("agendas/price?{span}"),
        "me".to_owned(),
        "nodes?limit=7".to_owned(),
        "nodes/powers".to_owned(),
        format!("occupancy?{span}"),
        "outages".to_owned(),
        format!("power-profile?{span}"),
        "site".to_owned(),
    ];
    let (mut bodies, mut times) = (Vec::new(), Vec::new());
    for read in reads {
        let answer = timed(client, Method::GET, &format!("/api/v1/{read}"), None).await;
        times.push(answer.header(AS_OF).to_owned());
        bodies.push(answer.ok(200));
    }
    (bodies, times)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_kept_is_read_only_by_who_is_known_to_be_let() {
    let name = "away::what_is_kept_is_read_only_by_who_is_known_to_be_let";
    if let Some(site) = Site::postgres(name).await {
        site.run(kept_is_for_the_known).await;
    }
}

async fn kept_is_for_the_known(site: Site) {
    let [olga, ada, grid] = [("olga", "operator"), ("ada", "user"), ("grid", "supplier")]
        .map(|(name, role)| site.token(name, role));
    let (link, server) = serve_by_link(&site).await;
    let client = |token: &str| server.client().with_token(token);
    let hours = furnish(&client(&olga), 20, None).await;
    propose(&client(&ada), &hours.request(1, 2, 3)).await;
    client(&grid).get("/api/v1/nodes").await.problem(403, "forbidden");
    let (before, times) = read_kept(&client(&ada), hours).await;
    assert!(times.iter().all(String::is_empty), "{times:?}");

    link.fall_silent();
    let (kept, times) = read_kept(&client(&ada), hours).await;
    assert!(times.iter().all(|it| !it.is_empty()), "{times:?}");
    assert_eq!(kept, before);
    // What they may not, and who they are, may have changed since.
    is_unavailable(&timed(&client(&grid), Method::GET, "/api/v1/nodes", None).await);
    is_unavailable(&timed(&client("nobody's"), Method::GET, "/api/v1/nodes", None).await);
    is_unavailable(&timed(&server.client(), Method::GET, "/api/v1/nodes", None).await);
    let acting = client(&olga).request(Method::GET, "/api/v1/nodes");
    is_unavailable(&answer(acting.header("X-Wattbook-For", "ada")).await);
    // What was before, and what it was as of then, is in the database.
    let past = format!("/api/v1/agendas/price?{}", hours.span(-3, 2));
    is_unavailable(&timed(&client(&ada), Method::GET, &past, None).await);
    let nodes = nodes(5);
    is_unavailable(&timed(&client(&olga), Method::PUT, "/api/v1/nodes", Some(&nodes)).await);

    link.open();
    until_ready(&client(&olga), 200, "ready").await;
    let read = client(&ada).get("/api/v1/nodes").await;
    assert!(read.header(AS_OF).is_empty(), "{read:?}");
    assert_eq!(read.ok(200)["count"], 20);
    client(&grid).get("/api/v1/nodes").await.problem(403, "forbidden");
}

/// A route of each kind.
async fn everything_is_answered(client: &Client, hours: Hours, proposed: &Value) {
    let request = hours.request(1, 2, 3);
    let chosen = json!({ "ranking": "cost_co2_energy" });
    let choose = format!("{}/choose", path(proposed));
    let (one, listed) = (path(proposed), format!("/api/v1/schedule?{}", hours.span(0, 9)));
    let ready = timed(client, Method::GET, "/health/ready", None).await;
    ready.problem(503, "not_ready");
    for (method, path, body) in [
        (Method::POST, "/api/v1/quotes", Some(&request)),
        (Method::POST, "/api/v1/reservations", Some(&request)),
        (Method::POST, choose.as_str(), Some(&chosen)),
        (Method::GET, one.as_str(), None),
        (Method::GET, "/api/v1/reservations", None),
        (Method::GET, "/api/v1/projects", None),
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
    let mut asking = JoinSet::new();
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

/// A server of PostgreSQL with a disk that can be filled; `None` where there can be none, after saying so.
async fn with_a_disk(test: &str, on_disk: OnDisk, number: u64) -> Option<Database> {
    let Some(programs) = programs() else {
        left_out(test, "no programs of PostgreSQL (initdb, pg_ctl)");
        return None;
    };
    let mut dice = Dice::of(u64::from(std::process::id()), number);
    let database = Database::begin(&programs, &mut dice, on_disk).await;
    if !database.has_disk {
        left_out(test, "no mounts of one's own (unshare --user --mount)");
        return None;
    }
    Some(database)
}

/// The server ends all connections, and then itself, since it cannot recover without room for its log. Whoever runs it makes
/// room and begins it again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_log_had_no_room_loses_nothing_and_needs_no_restart_of_ours() {
    let test = "away::a_server_whose_log_had_no_room_loses_nothing_and_needs_no_restart_of_ours";
    let Some(mut database) = with_a_disk(test, OnDisk::Log, 8).await else { return };
    let site = Site::sqlite();
    let server = tokio::task::block_in_place(|| site.serve_on(&Database::url(database.port)));
    let client = server.client();
    let hours = furnish(&client, 2000, None).await;
    database.fill_the_disk();
    let (mut proposed, mut confirmed) = (Vec::new(), Vec::new());
    let give_up = Instant::now() + crate::server::PATIENCE;
    let refused = loop {
        assert!(Instant::now() < give_up, "the disk is never full");
        let answer = client.post("/api/v1/reservations", &hours.request(1, 2, 3)).await;
        if answer.status != 201 {
            break answer;
        }
        let reservation = answer.ok(201);
        let choice = json!({ "ranking": "cost_co2_energy" });
        let chosen = client.post(&format!("{}/choose", path(&reservation)), &choice).await;
        if chosen.status != 200 {
            proposed.push(reservation);
            break chosen;
        }
        confirmed.push(reservation);
    };
    refused.problem(503, "unavailable");
    assert!(!refused.header("retry-after").is_empty());
    let ready = timed(&client, Method::GET, "/health/ready", None).await;
    ready.problem(503, "not_ready");

    database.free_the_disk();
    let give_up = Instant::now() + crate::server::PATIENCE;
    while client.get("/health/ready").await.status != 200 {
        assert!(Instant::now() < give_up, "{}", server.log());
        database.begin_again();
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    proposed.push(booked_at_last(&client, hours).await);
    for one in &confirmed {
        assert_eq!(client.get(&path(one)).await.ok(200)["state"], "confirmed");
    }
    for one in &proposed {
        client.get(&path(one)).await.ok(200);
    }
    assert!(!server.log().contains(" 500 "), "{}", server.log());
}

/// Reads and quotes go on; bookings are refused with the reason, and go on once there is room.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_disk_was_full_needs_no_restart() {
    let test = "away::a_server_whose_disk_was_full_needs_no_restart";
    let Some(mut database) = with_a_disk(test, OnDisk::Tables, 7).await else { return };
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
