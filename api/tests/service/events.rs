//! The stream of events: what is told to whom, in which order, and that nothing is lost.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::{Client, try_answer};
use crate::cluster::{choose, furnish, nodes, path, propose};
use crate::event_stream::{EVENTS, Stream, Told};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    everybody_is_told_what_they_could_read_and_no_more,
    what_another_process_does_is_told_and_a_stream_goes_on_anywhere,
    a_kill_loses_no_event_and_tells_none_twice,
    a_stream_that_cannot_go_on_says_so,
    a_reader_who_is_slow_misses_nothing_and_takes_no_memory,
    a_stream_ends_with_the_right_to_it,
    a_watched_simulation_ends_for_whose_token_is_revoked,
    a_stream_does_not_keep_the_service_from_stopping,
}

fn kinds(events: &[Told]) -> Vec<&str> {
    events.iter().map(|event| event.kind.as_str()).collect()
}

/// Something small that everybody is told.
pub async fn mark(client: &Client, hours: crate::cluster::Hours) {
    let price = hours.agenda("price_per_mwh", 0, &[150.0]);
    client.put("/api/v1/agendas/price", &price).await.ok(200);
}

async fn everybody_is_told_what_they_could_read_and_no_more(site: Site) {
    let [ada, bob, olga, grid] =
        [("ada", "user"), ("bob", "user"), ("olga", "operator"), ("grid", "supplier")]
            .map(|(owner, role)| site.token(owner, role));
    let server = site.serve().await;
    server.client().get(EVENTS).await.problem(401, "unauthorised");
    let client = |token: &str| server.client().with_token(token);
    let hours = furnish(&client(&olga), 4, None).await;
    let mut streams = Vec::new();
    for token in [&ada, &bob, &olga, &grid] {
        streams.push(Stream::opened(&client(token)).await);
    }
    let reservation = propose(&client(&ada), &hours.request(1, 0, 6)).await;
    choose(&client(&ada), &reservation, "cost_co2_energy").await;
    client(&ada).delete(&path(&reservation)).await.ok(200);
    mark(&client(&olga), hours).await;
    let states = ["proposed", "confirmed", "cancelled"];
    for (stream, sees_all) in streams.iter_mut().zip([true, false, true, false]) {
        let events = stream.until("agenda.revised").await;
        assert!(events.is_sorted_by(|one, next| one.id < next.id), "{events:?}");
        let (agenda, before) = events.split_last().unwrap();
        assert_eq!(agenda.data["quantity"], "price");
        if sees_all {
            assert_eq!(kinds(before), states.map(|state| format!("reservation.{state}")));
            for (event, state) in before.iter().zip(states) {
                let at = &event.data["at"];
                let id = &reservation["id"];
                let whole =
                    json!({ "at": at, "owner": "ada", "reservation_id": id, "state": state });
                assert_eq!(event.data, whole);
            }
        } else {
            assert!(!before.is_empty());
            for event in before {
                assert_eq!(event.kind, "book.changed");
                assert_eq!(event.data, json!({ "at": event.data["at"] }));
            }
        }
    }
}

async fn what_another_process_does_is_told_and_a_stream_goes_on_anywhere(site: Site) {
    let (here, there) = (site.serve().await, site.serve().await);
    let (here, there) = (here.client(), there.client());
    let hours = furnish(&here, 2, None).await;
    let mut stream = Stream::opened(&here).await;
    let first = propose(&there, &hours.request(1, 2, 2)).await;
    let told = stream.next().await.unwrap();
    assert_eq!((&*told.kind, &told.data["reservation_id"]), ("reservation.proposed", &first["id"]));
    drop(stream);
    choose(&here, &first, "cost_co2_energy").await;
    there.put("/api/v1/nodes", &nodes(3)).await.ok(200);
    for client in [&here, &there] {
        let mut stream = Stream::open(client, Some(told.id)).await;
        let rest = stream.until("nodes.replaced").await;
        assert_eq!(kinds(&rest), ["reservation.confirmed", "nodes.replaced"]);
        mark(&here, hours).await;
        assert_eq!(stream.next().await.unwrap().kind, "agenda.revised");
    }
}

async fn a_kill_loses_no_event_and_tells_none_twice(site: Site) {
    let mut server = site.serve().await;
    let hours = furnish(&server.client(), 64, None).await;
    let mut events: Vec<Told> = Vec::new();
    let mut confirmed = Vec::new();
    let mut last = None;
    for round in 0..3 {
        let mut stream = Stream::open(&server.client(), last).await;
        let mut clients = JoinSet::new();
        for _ in 0..4 {
            clients.spawn(confirm_until_cut_off(server.client(), hours));
        }
        for _ in 0..20 + 7 * round {
            events.push(stream.next().await.unwrap());
        }
        server.kill();
        while let Some(event) = stream.next().await {
            events.push(event);
        }
        confirmed.extend(clients.join_all().await.into_iter().flatten());
        last = events.last().map(|event| event.id);
        server = site.serve().await;
    }
    let mut stream = Stream::open(&server.client(), last).await;
    mark(&server.client(), hours).await;
    events.extend(stream.until("agenda.revised").await);
    assert!(events.is_sorted_by(|one, next| one.id < next.id));
    assert!(!confirmed.is_empty());
    for id in &confirmed {
        let of = |event: &&Told| event.data["reservation_id"] == id.as_str();
        let told: Vec<Told> = events.iter().filter(of).cloned().collect();
        assert_eq!(kinds(&told), ["reservation.proposed", "reservation.confirmed"]);
    }
}

/// Proposes and chooses until the service is gone; the reservations that were confirmed.
async fn confirm_until_cut_off(client: Client, hours: crate::cluster::Hours) -> Vec<String> {
    let mut confirmed = Vec::new();
    let mut request = hours.request(1, 0, 20);
    request["duration_s"] = json!(60);
    loop {
        let post = async |path: &str, body: &Value| {
            let answer = try_answer(client.request(Method::POST, path).json(body)).await.ok()?;
            Some((answer.status, serde_json::from_str::<Value>(&answer.body).unwrap()))
        };
        let Some((201, reservation)) = post("/api/v1/reservations", &request).await else {
            return confirmed;
        };
        let choosing = format!("{}/choose", path(&reservation));
        let choice = json!({ "ranking": "cost_co2_energy" });
        let Some((200, chosen)) = post(&choosing, &choice).await else { return confirmed };
        confirmed.push(chosen["id"].as_str().unwrap().to_owned());
    }
}

async fn a_stream_that_cannot_go_on_says_so(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 1, None).await;
    let bad = client.request(Method::GET, EVENTS).header("Last-Event-ID", "yesterday");
    try_answer(bad).await.unwrap().problem(400, "invalid_parameter");
    // Of another database.
    let mut stream = Stream::open(&client, Some(1_000_000)).await;
    let reset = stream.next().await.unwrap();
    assert_eq!(reset.kind, "stream.reset");
    site.execute("DELETE FROM events WHERE id < (SELECT MAX(id) FROM events)").await;
    let mut stream = Stream::open(&client, Some(1)).await;
    let again = stream.next().await.unwrap();
    assert_eq!((again.kind, again.id), (reset.kind, reset.id));
    mark(&client, hours).await;
    assert_eq!(stream.next().await.unwrap().kind, "agenda.revised");
}

/// Forty megabytes of events, which fit neither the ring nor a socket.
const MANY: &str = "INSERT INTO events (at_s, kind, data)
    WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
    SELECT 0, 'agenda.revised', '{\"n\":' || n || ',\"long\":\"' || PADDING || '\"}' FROM numbers";

async fn a_reader_who_is_slow_misses_nothing_and_takes_no_memory(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let mut stream = Stream::opened(&client).await;
    let mut fast = Stream::opened(&client).await;
    let before_kb = server.memory_kb();
    let padding = if site.is_postgres() {
        "repeat('ab', 2000)"
    } else {
        "replace(hex(zeroblob(2000)), '00', 'ab')"
    };
    let statement = MANY.replace("PADDING", padding);
    site.execute(statement).await;
    let numbered = async |stream: &mut Stream| {
        for n in 1..=10_000 {
            let event = stream.next().await.unwrap();
            assert_eq!(event.data["n"], n, "of {}", event.id);
        }
    };
    numbered(&mut fast).await;
    let grown_kb = server.memory_kb().saturating_sub(before_kb);
    assert!(grown_kb < 40_000, "{grown_kb} kB more");
    numbered(&mut stream).await;
}

async fn a_stream_ends_with_the_right_to_it(site: Site) {
    let server = site.serve().await;
    let mut local = Stream::opened(&server.client()).await;
    let ada = site.token("ada", "user");
    assert_eq!(local.next().await, None, "there are tokens now, and it had none");
    let bob = site.token("bob", "user");
    let mut streams = Vec::new();
    for token in [&ada, &bob] {
        streams.push(Stream::opened(&server.client().with_token(token)).await);
    }
    let list = site.command(&["token", "list"]).output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let line = list.lines().find(|line| line.contains("ada")).unwrap();
    let id = line.split_whitespace().find(|word| word.len() == 36).unwrap();
    let revoked = site.command(&["token", "revoke", id]).status().unwrap();
    assert!(revoked.success());
    assert_eq!(streams[0].next().await, None, "revoked");
    let olga = site.token("olga", "operator");
    furnish(&server.client().with_token(&olga), 1, None).await;
    assert_eq!(streams[1].next().await.unwrap().kind, "nodes.replaced");
}

async fn a_watched_simulation_ends_for_whose_token_is_revoked(site: Site) {
    let [ada, olga] = [("ada", "user"), ("olga", "operator")].map(|(o, r)| site.token(o, r));
    let server = site.serve().await;
    let [ada, olga] = [ada, olga].map(|token| server.client().with_token(&token));
    let simulation = crate::simulation::start(&ada, &crate::simulation::long()).await;
    let watched = ada.request(Method::GET, &format!("{simulation}/events"));
    let mut stream = watched.send().await.unwrap();
    assert!(stream.chunk().await.unwrap().is_some());
    let list = site.command(&["token", "list"]).output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let line = list.lines().find(|line| line.contains("ada")).unwrap();
    let id = line.split_whitespace().find(|word| word.len() == 36).unwrap();
    assert!(site.command(&["token", "revoke", id]).status().unwrap().success());
    let ended = async { while let Ok(Some(_)) = stream.chunk().await {} };
    tokio::time::timeout(crate::server::PATIENCE, ended).await.unwrap();
    olga.post(&format!("{simulation}/cancel"), &json!({})).await.ok(200);
}

async fn a_stream_does_not_keep_the_service_from_stopping(site: Site) {
    let server = site.serve().await;
    let mut stream = Stream::opened(&server.client()).await;
    server.signal("TERM");
    assert_eq!(stream.next().await, None);
    let waited = tokio::task::spawn_blocking(move || server.wait());
    let (status, log) =
        tokio::time::timeout(Duration::from_mins(1), waited).await.unwrap().unwrap();
    assert!(status.success() && !log.contains("cut off"), "{log}");
}
