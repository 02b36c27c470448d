//! What becomes of reservations whose nodes fail: other nodes, new starts, and who is told. None of
//! it needs a dialogue with a supplier.

use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::book::{assert_sound, assert_whole, ordinals, schedule};
use crate::client::{Client, answer};
use crate::cluster::{Hours, choose, furnish, instant, nodes, now, path, propose, seconds};
use crate::dialogue::until;
use crate::event_stream::Stream;
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    other_nodes_take_the_place_of_those_that_fail,
    where_no_others_are_free_a_new_start_is_held,
    others_come_as_soon_as_they_are_free_and_the_flag_goes,
    the_flag_goes_when_the_outage_ends_or_is_taken_back,
    outages_that_touch_a_reservation_take_nothing,
    other_nodes_keep_the_cap_and_the_filters,
    who_was_confirmed_first_is_mended_first,
    held_offers_get_other_nodes_or_are_made_anew,
    an_active_reservation_keeps_its_healthy_nodes,
    want_of_nodes_and_of_power_are_told_together,
    a_kill_leaves_nothing_half_mended,
    what_a_change_newly_hits_gets_other_nodes_and_the_rest_stays,
}

/// Confirmed, from an hour on for an hour; the window reaches to `latest`.
async fn booked(client: &Client, hours: Hours, count: u32, hour: i64, latest: i64) -> Value {
    let held = propose(client, &hours.request(count, hour, latest)).await;
    let chosen = choose(client, &held, "energy_cost_co2").await;
    client.get(&path(&chosen)).await.ok(200)
}

/// Nodes out of service from one hour to another.
async fn outage(client: &Client, hours: Hours, nodes: &[&str], from: i64, to: i64) -> Value {
    let (start, end) = (hours.hour(from), hours.hour(to));
    let body = json!({ "nodes": nodes, "start": start, "end": end, "reason": "new fans" });
    client.post("/api/v1/outages", &body).await.ok(201)
}

async fn end(client: &Client, outage: &Value) {
    client.delete(&format!("/api/v1/outages/{}", outage["id"].as_str().unwrap())).await.ok(200);
}

async fn until_code(client: &Client, reservation: &Value, code: &str) -> Value {
    until(client, &path(reservation), |it| it["notice"]["code"] == code).await
}

async fn until_whole(client: &Client, reservation: &Value) -> Value {
    let restored = until(client, &path(reservation), |it| it["degraded"] == false).await;
    assert_eq!(restored["state"], "confirmed");
    restored
}

/// Names of the nodes of the chosen offer.
fn names(reservation: &Value) -> Value {
    let offers = reservation["offers"].as_array().unwrap();
    let chosen = offers.iter().find(|it| it["offer_id"] == reservation["chosen_offer_id"]);
    chosen.unwrap()["nodes"].clone()
}

/// The book is sound, and every reservation holds what is told of it.
async fn assert_kept(client: &Client, hours: Hours, cap_w: Option<f64>) {
    let booked = assert_sound(client, hours, cap_w).await;
    assert_whole(&client.all_reservations().await, &booked);
}

async fn other_nodes_take_the_place_of_those_that_fail(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(800.0)).await;
    let reservation = booked(&client, hours, 2, 2, 2).await;
    assert_eq!(names(&reservation), json!(["n0", "n1"]));
    let mut stream = Stream::opened(&client).await;
    // Announced for later, and without an end.
    let open = json!({ "nodes": ["n1"], "start": hours.hour(2), "reason": "new fans" });
    let made = client.post("/api/v1/outages", &open).await.ok(201);
    let told = stream.until("reservation.nodes_replaced").await.pop().unwrap();
    assert_eq!(told.data["reservation_id"], reservation["id"]);
    let mended = client.get(&path(&reservation)).await.ok(200);
    assert_eq!(names(&mended), json!(["n0", "n2"]));
    for field in ["state", "start", "end", "chosen_offer_id", "degraded"] {
        assert_eq!(mended[field], reservation[field], "{field}");
    }
    let notice = &mended["notice"];
    assert_eq!(notice["code"], "nodes_replaced");
    let replaced = &notice["replaced"][0];
    assert_eq!(
        (&replaced["lost"]["nodes"], &replaced["by"]["nodes"]),
        (&json!(["n1"]), &json!(["n2"]))
    );
    assert_eq!(replaced["from"], hours.hour(2));
    assert_eq!(replaced["outages"][0]["outage_id"], made["id"]);
    let detail = notice["detail"].as_str().unwrap();
    assert!(detail.starts_with("node n2 took the place of n1, out of service from"), "{detail}");
    assert!(detail.contains("(new fans)"), "{detail}");
    // Like nodes draw alike.
    assert_eq!(mended["offers"][0]["cost"], reservation["offers"][0]["cost"]);
    assert_kept(&client, hours, Some(800.0)).await;
    // Nobody is left to collide with it.
    let listed = client.get("/api/v1/outages").await.ok(200);
    assert_eq!(listed["items"][0]["reservations"], json!([]));
    // And n3 fails too: nothing happens to anybody.
    outage(&client, hours, &["n3"], 1, 5).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(client.get(&path(&reservation)).await.ok(200), mended);
}

async fn where_no_others_are_free_a_new_start_is_held(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let movable = booked(&client, hours, 2, 2, 6).await;
    assert_eq!(movable["start"], hours.hour(2));
    let mut stream = Stream::opened(&client).await;
    let made = outage(&client, hours, &["n1"], 1, 3).await;
    let told = stream.until("reservation.degraded").await;
    let proposed = told.iter().any(|event| event.kind == "reservation.proposed");
    assert!(proposed, "the new start is there before its owner hears of it: {told:#?}");
    let degraded = client.get(&path(&movable)).await.ok(200);
    assert_eq!((&degraded["state"], &degraded["degraded"]), (&json!("confirmed"), &json!(true)));
    let notice = &degraded["notice"];
    assert_eq!((&notice["code"], &notice["missing_nodes"]), (&json!("outage"), &json!(1)));
    let expected = json!([{
        "outage_id": made["id"], "reason": "new fans", "start": hours.hour(1), "end": hours.hour(3),
        "from": hours.hour(2), "node_count": 1, "nodes": ["n1"], "node_ranges": [[1, 1]],
    }]);
    assert_eq!(notice["outages"], expected);
    let detail = notice["detail"].as_str().unwrap();
    assert!(detail.starts_with("1 of its 2 nodes (n1) is out of service from"), "{detail}");
    assert!(notice["way_out"].as_str().unwrap().starts_with("choose an offer"), "{notice:#}");
    let replacement = json!({ "id": notice["replacement_id"] });
    let offered = client.get(&path(&replacement)).await.ok(200);
    assert_eq!((&offered["state"], &offered["replaces"]), (&json!("proposed"), &movable["id"]));
    let moved = choose(&client, &offered, "co2_cost_energy").await;
    assert_eq!(moved["start"], hours.hour(4));
    assert_eq!(client.get(&path(&movable)).await.ok(200)["state"], "cancelled");
    assert_kept(&client, hours, None).await;
    // One that can start at no other time is told why.
    let fixed = booked(&client, hours, 2, 8, 8).await;
    outage(&client, hours, &["n0"], 8, 9).await;
    let notice = until_code(&client, &fixed, "outage").await["notice"].clone();
    assert_eq!(notice["replacement_id"], Value::Null);
    let detail = notice["detail"].as_str().unwrap();
    assert!(detail.contains("no other start in its window is possible"), "{detail}");
}

async fn others_come_as_soon_as_they_are_free_and_the_flag_goes(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 3, None).await;
    let first = booked(&client, hours, 2, 2, 2).await;
    let other = booked(&client, hours, 1, 2, 2).await;
    outage(&client, hours, &["n1"], 1, 4).await;
    until_code(&client, &first, "outage").await;
    assert_eq!(client.get(&path(&other)).await.ok(200)["degraded"], false);
    client.delete(&path(&other)).await.ok(200);
    let mended = until_whole(&client, &first).await;
    assert_eq!(
        (names(&mended), &mended["notice"]["code"]),
        (json!(["n0", "n2"]), &json!("nodes_replaced"))
    );
    assert_kept(&client, hours, None).await;
}

/// Two outages overlap on n1; while one of them lasts the reservation lacks it.
async fn the_flag_goes_when_the_outage_ends_or_is_taken_back(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let reservation = booked(&client, hours, 2, 2, 2).await;
    let first = outage(&client, hours, &["n1"], 1, 3).await;
    until_code(&client, &reservation, "outage").await;
    let second = client.post("/api/v1/outages", &json!({ "nodes": ["n0", "n1"] })).await.ok(201);
    let both = |it: &Value| it["notice"]["outages"].as_array().is_some_and(|it| it.len() == 2);
    let degraded = until(&client, &path(&reservation), both).await;
    assert_eq!(degraded["notice"]["missing_nodes"], 2);
    end(&client, &first).await;
    let one = |it: &Value| it["notice"]["outages"].as_array().is_some_and(|it| it.len() == 1);
    let degraded = until(&client, &path(&reservation), one).await;
    assert_eq!(degraded["notice"]["outages"][0]["outage_id"], second["id"]);
    let mut stream = Stream::opened(&client).await;
    end(&client, &second).await;
    stream.until("reservation.restored").await;
    let restored = until_whole(&client, &reservation).await;
    assert_eq!((restored["notice"].clone(), names(&restored)), (Value::Null, json!(["n0", "n1"])));
    assert_kept(&client, hours, None).await;
}

async fn outages_that_touch_a_reservation_take_nothing(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let reservation = booked(&client, hours, 2, 2, 2).await;
    outage(&client, hours, &["n0", "n1"], 1, 2).await;
    outage(&client, hours, &["n0", "n1"], 3, 4).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(client.get(&path(&reservation)).await.ok(200), reservation);
}

/// n0 and n1 draw 200 W at most, n2 400 W, n3 200 W in another partition. Under 400 W neither n2 nor n3
/// may come; under 600 W n2 does, and 3/2 of energy, cost and CO2 are told, as offered and as expected.
async fn other_nodes_keep_the_cap_and_the_filters(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(400.0)).await;
    let mut four = nodes(4);
    four[2]["max_power_w"] = json!(400);
    for (index, partition) in ["batch", "batch", "batch", "debug"].iter().enumerate() {
        four[index]["partitions"] = json!([partition]);
    }
    client.put("/api/v1/nodes", &four).await.ok(200);
    let mut request = hours.request(2, 2, 2);
    request["partition"] = json!("batch");
    let held = propose(&client, &request).await;
    let reservation = choose(&client, &held, "energy_cost_co2").await;
    outage(&client, hours, &["n1"], 2, 3).await;
    let degraded = until_code(&client, &reservation, "outage").await;
    let detail = degraded["notice"]["detail"].as_str().unwrap();
    assert!(detail.contains("the power cap leaves no room for others"), "{detail}");
    assert_kept(&client, hours, Some(400.0)).await;
    // Meanwhile the hour becomes dearer: what is expected now is told beside what was offered.
    let price = hours.agenda("price_per_mwh", 2, &[300.0]);
    client.put("/api/v1/agendas/price", &price).await.ok(200);
    let cost = |it: &Value| it["now_expected"]["offers"][0]["cost"].as_f64();
    let dearer = until(&client, &path(&reservation), |it| cost(it).is_some()).await;
    let cap = hours.agenda("cap_w", 2, &[600.0]);
    client.put("/api/v1/agendas/power-cap", &cap).await.ok(200);
    let mended = until_whole(&client, &reservation).await;
    assert_eq!(names(&mended), json!(["n0", "n2"]));
    let follows = |it: &Value| {
        let ratio = cost(it).unwrap() / cost(&dearer).unwrap();
        (ratio - 1.5).abs() < 1e-9
    };
    until(&client, &path(&reservation), follows).await;
    let (before, after) = (&reservation["offers"][0], &mended["offers"][0]);
    for figure in ["energy_j", "cost", "co2_g", "peak_power_w"] {
        let ratio = after[figure].as_f64().unwrap() / before[figure].as_f64().unwrap();
        assert!((ratio - 1.5).abs() < 1e-9, "{figure}: {ratio}");
    }
    // Ordinals, so that powers are looked up by them.
    assert_kept(&client, hours, Some(600.0)).await;
}

/// Two of each of two fail and only n4 is free: the one that was confirmed first gets it.
async fn who_was_confirmed_first_is_mended_first(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 5, None).await;
    let first = booked(&client, hours, 2, 2, 2).await;
    // By the second's resolution of its confirmation.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let second = booked(&client, hours, 2, 2, 2).await;
    outage(&client, hours, &["n1", "n2"], 1, 4).await;
    let degraded = until_code(&client, &second, "outage").await;
    assert_eq!(names(&degraded), json!(["n2", "n3"]));
    let mended = until_code(&client, &first, "nodes_replaced").await;
    assert_eq!(names(&mended), json!(["n0", "n4"]));
    assert_kept(&client, hours, None).await;
}

async fn held_offers_get_other_nodes_or_are_made_anew(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 3, None).await;
    // Cheap in hour 2, clean in hour 4.
    let held = propose(&client, &hours.request(2, 2, 4)).await;
    assert_eq!(held["offers"].as_array().unwrap().len(), 2);
    outage(&client, hours, &["n0"], 2, 3).await;
    let mended = until_code(&client, &held, "nodes_replaced").await;
    assert_eq!(mended["offers"][0]["nodes"], json!(["n1", "n2"]));
    assert_eq!(mended["offers"][1], held["offers"][1]);
    assert_kept(&client, hours, None).await;
    // In hour 2 only one is left; hour 4 is held still.
    outage(&client, hours, &["n1"], 2, 3).await;
    let withdrawn = until_code(&client, &held, "offers_withdrawn").await;
    assert_eq!(withdrawn["offers"], json!([held["offers"][1]]));
    // Then hour 4 goes too, and hour 3 is what is left of the window.
    outage(&client, hours, &["n0", "n1"], 4, 6).await;
    let at_three = |it: &Value| it["offers"][0]["start"] == hours.hour(3);
    let anew = until(&client, &path(&held), at_three).await;
    assert_eq!((&anew["state"], &anew["id"]), (&json!("proposed"), &held["id"]));
    assert_kept(&client, hours, None).await;
    outage(&client, hours, &["n1", "n2"], 1, 6).await;
    let none = until(&client, &path(&held), |it| it["state"] == "rejected").await;
    assert_eq!(none["notice"]["code"], "offers_withdrawn");
    assert_eq!(assert_sound(&client, hours, None).await.len(), 0);
    // One that is chosen after its node failed, before anybody saw that, is mended like any other.
    let late = booked(&client, hours, 2, 8, 8).await;
    outage(&client, hours, &["n0"], 8, 9).await;
    assert_eq!(names(&until_code(&client, &late, "nodes_replaced").await), json!(["n1", "n2"]));
}

/// By a clock of which 30 s pass in one.
async fn serve_fast(site: &Site) -> Server {
    let begin = instant(now());
    let clock = format!("{begin}={begin}@30");
    site.serve_with(&["--clock", &clock]).await
}

/// What a reservation holds over time: length of each span and its nodes.
async fn course(
    client: &Client,
    hours: Hours,
    reservation: &Value,
) -> Vec<(i64, i64, BTreeSet<u64>)> {
    let all = schedule(client, hours).await;
    let own = all.into_iter().filter(|it| reservation["id"] == it.reservation.as_str());
    own.map(|it| (it.start, it.end, it.ordinals)).collect()
}

/// It runs on n0 and n1 when n0 fails: from then on n2 is in its place. An outage of n1 is announced
/// for the last 5 minutes: until then n1 is kept, and then n3 comes. No other node is left when n3
/// fails as well: it is flagged, keeps the others, and is whole again when that outage ends.
async fn an_active_reservation_keeps_its_healthy_nodes(site: Site) {
    let server = serve_fast(&site).await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(800.0)).await;
    let mut request = hours.request(2, 0, 0);
    request["search"] = json!({ "mode": "exact" });
    request["duration_s"] = json!(1200);
    // The clock that runs fast is ahead of the tests' own by now.
    let begin = now() + 450;
    for field in ["earliest_start", "latest_start"] {
        request[field] = json!(instant(begin));
    }
    let held = propose(&client, &request).await;
    let reservation = choose(&client, &held, "energy_cost_co2").await;
    until(&client, &path(&reservation), |it| it["state"] == "active").await;
    // Some seconds of the service's clock.
    tokio::time::sleep(Duration::from_millis(300)).await;
    client.post("/api/v1/outages", &json!({ "nodes": ["n0"], "reason": "disk" })).await.ok(201);
    let mended = until_code(&client, &reservation, "nodes_replaced").await;
    assert_eq!((&mended["state"], names(&mended)), (&json!("active"), json!(["n1", "n2"])));
    let [(start, failed, before), (then, end, after)] =
        course(&client, hours, &reservation).await.try_into().unwrap();
    assert_eq!((start, end, failed), (begin, begin + 1200, then));
    assert!(failed > begin && failed < begin + 1200, "{failed}");
    assert_eq!((before, after), ([0, 1].into(), [1, 2].into()));
    assert_eq!(seconds(&mended["notice"]["replaced"][0]["from"]), failed);
    assert_sound(&client, hours, Some(800.0)).await;

    let last = json!({ "nodes": ["n1"], "start": instant(begin + 900) });
    client.post("/api/v1/outages", &last).await.ok(201);
    let nodes = |it: &Value| names(it) == json!(["n2", "n3"]);
    until(&client, &path(&reservation), nodes).await;
    let spans = course(&client, hours, &reservation).await;
    assert_eq!(spans[1], (failed, begin + 900, [1, 2].into()));
    assert_eq!(spans[2], (begin + 900, begin + 1200, [2, 3].into()));
    assert_sound(&client, hours, Some(800.0)).await;

    // For a part of these, which passes while this waits.
    let short =
        json!({ "nodes": ["n3"], "start": instant(begin + 900), "end": instant(begin + 1100) });
    client.post("/api/v1/outages", &short).await.ok(201);
    let degraded = until_code(&client, &reservation, "outage").await;
    assert_eq!(degraded["state"], "active");
    let way_out = degraded["notice"]["way_out"].as_str().unwrap();
    assert!(way_out.starts_with("the other nodes are kept"), "{way_out}");
    assert_eq!(course(&client, hours, &reservation).await, spans);
    let whole = until(&client, &path(&reservation), |it| it["degraded"] == false).await;
    assert_eq!((&whole["state"], &whole["notice"]), (&json!("active"), &Value::Null));
}

/// 4 nodes of which two are booked, 200 W each. The cap falls to 300 W and n1 fails: both are told.
/// Other nodes come while power lacks, and that is told then alone.
async fn want_of_nodes_and_of_power_are_told_together(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 3, Some(800.0)).await;
    let reservation = booked(&client, hours, 2, 2, 2).await;
    let other = booked(&client, hours, 1, 2, 2).await;
    outage(&client, hours, &["n1"], 1, 4).await;
    until_code(&client, &reservation, "outage").await;
    let cap = hours.agenda("cap_w", 2, &[300.0]);
    client.put("/api/v1/agendas/power-cap", &cap).await.ok(200);
    let both = |it: &Value| it["notice"]["causes"] == json!(["outage", "cap_lowered"]);
    until(&client, &path(&reservation), both).await;
    client.delete(&path(&other)).await.ok(200);
    let one = |it: &Value| it["notice"]["causes"] == json!(["cap_lowered"]);
    let told = until(&client, &path(&reservation), one).await;
    assert_eq!((&told["degraded"], names(&told)), (&json!(true), json!(["n0", "n2"])));
    let cap = hours.agenda("cap_w", 2, &[800.0]);
    client.put("/api/v1/agendas/power-cap", &cap).await.ok(200);
    assert_eq!(until_whole(&client, &reservation).await["notice"], Value::Null);
}

/// A rack of 16 of 64 nodes fails under twelve reservations of four; the process is killed in the
/// middle, again and again. In the end each has four healthy nodes and was told once.
async fn a_kill_leaves_nothing_half_mended(site: Site) {
    let mut server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 64, None).await;
    let mut reservations = Vec::new();
    for hour in [2, 3, 4] {
        for _ in 0..4 {
            reservations.push(booked(&client, hours, 4, hour, hour).await);
        }
    }
    let rack: Vec<String> = (0..16).map(|node| format!("n{node}")).collect();
    client.post("/api/v1/outages", &json!({ "nodes": rack })).await.ok(201);
    for round in 0..3_u64 {
        tokio::time::sleep(Duration::from_millis(40 + 230 * round)).await;
        server.kill();
        server = site.serve().await;
        assert_kept(&server.client(), hours, None).await;
    }
    let client = server.client();
    for reservation in &reservations {
        let mended = until_code(&client, reservation, "nodes_replaced").await;
        let held = ordinals(&mended["offers"][0]);
        assert!(held.len() == 4 && held.iter().all(|node| *node >= 16), "{mended:#}");
        assert_eq!(mended["degraded"], false);
    }
    assert_kept(&client, hours, None).await;
    let mut stream = Stream::open(&client, Some(0)).await;
    let begin = hours.agenda("price_per_mwh", 20, &[150.0]);
    client.put("/api/v1/agendas/price", &begin).await.ok(200);
    let mut told = Vec::new();
    let mut agendas = 0;
    while agendas < 3 {
        told.extend(stream.until("agenda.revised").await);
        agendas = told.iter().filter(|event| event.kind == "agenda.revised").count();
    }
    let replaced = told.iter().filter(|event| event.kind == "reservation.nodes_replaced").count();
    assert_eq!(replaced, reservations.len());
}

/// n3 is to be out from 1 to 3, and two reservations have n0 and n1 from 2 on. n1 is added to the outage: of n2 and n3
/// only n2 may take its place. The one on n0 keeps what it has, also when n1 is given back and the outage gets longer.
async fn what_a_change_newly_hits_gets_other_nodes_and_the_rest_stays(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let (first, second) =
        (booked(&client, hours, 1, 2, 2).await, booked(&client, hours, 1, 2, 2).await);
    let made = outage(&client, hours, &["n3"], 1, 3).await;
    assert_eq!((names(&first), names(&second)), (json!(["n0"]), json!(["n1"])));
    let change = async |patch: Value| {
        let path = format!("/api/v1/outages/{}", made["id"].as_str().unwrap());
        answer(client.request(Method::PATCH, &path).json(&patch)).await.ok(200)
    };
    let changed = change(json!({ "nodes": ["n1", "n3"] })).await;
    assert_eq!(changed["reservations"], json!([second["id"]]));
    let mended = until_code(&client, &second, "nodes_replaced").await;
    assert_eq!(names(&mended), json!(["n2"]));
    let notice = &mended["notice"]["replaced"][0]["outages"][0];
    assert_eq!((&notice["outage_id"], &notice["reason"]), (&made["id"], &json!("new fans")));
    change(json!({ "nodes": ["n3"], "end": hours.hour(6) })).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    for (reservation, expected) in [(&first, json!(["n0"])), (&second, json!(["n2"]))] {
        let it = client.get(&path(reservation)).await.ok(200);
        assert_eq!((names(&it), &it["degraded"]), (expected, &json!(false)));
    }
    assert_kept(&client, hours, None).await;
}
