//! Reservations that get another request, or another owner.

use reqwest::Method;
use serde_json::{Value, json};

use crate::book::{assert_sound, assert_whole, schedule};
use crate::client::{Answer, Client, answer};
use crate::cluster::{choose, furnish, path, propose};
use crate::event_stream::Stream;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_proposal_gets_the_offers_of_its_new_request,
    a_confirmed_reservation_is_planned_as_if_it_were_not_there,
    what_is_impossible_or_not_expected_changes_nothing,
    labels_change_nothing_that_is_held,
    patches_are_refused_with_their_places,
    a_reservation_gets_an_owner_whom_the_site_knows,
}

async fn patch(client: &Client, reservation: &Value, body: &Value) -> Answer {
    answer(client.request(Method::PATCH, &path(reservation)).json(body)).await
}

/// The offers without what is of this reservation alone.
fn offers(document: &Value) -> Vec<Value> {
    let offers = document["offers"].as_array().unwrap().iter().cloned();
    let bare = |mut offer: Value| {
        offer.as_object_mut().unwrap().remove("offer_id");
        offer
    };
    offers.map(bare).collect()
}

async fn a_proposal_gets_the_offers_of_its_new_request(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(600.0)).await;
    let quote = client.post("/api/v1/quotes", &hours.request(3, 0, 6)).await.ok(200);
    let held = propose(&client, &hours.request(2, 0, 6)).await;
    let modified = patch(&client, &held, &json!({ "nodes": 3 })).await.ok(200);
    assert_eq!((&modified["id"], &modified["state"]), (&held["id"], &json!("proposed")));
    assert_eq!(modified["request"]["nodes"], 3);
    for amount in ["start", "end", "node_count", "energy_j", "cost", "co2_g", "rankings"] {
        let of = |document: &Value| -> Vec<Value> {
            offers(document).into_iter().map(|offer| offer[amount].clone()).collect()
        };
        assert_eq!(of(&modified), of(&quote), "{amount}");
    }
    // What was held before is gone.
    let old = json!({ "offer_id": held["offers"][0]["offer_id"] });
    let choice = format!("{}/choose", path(&held));
    client.post(&choice, &old).await.problem(422, "unknown_offer");
    let booked = assert_sound(&client, hours, Some(600.0)).await;
    assert_whole(&client.all_reservations().await, &booked);
    choose(&client, &modified, "cost_co2_energy").await;
}

/// All four nodes have hour 0; the new request wants two hours, of which the first is its own.
async fn a_confirmed_reservation_is_planned_as_if_it_were_not_there(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let mut stream = Stream::opened(&client).await;
    let held = propose(&client, &hours.request(4, 0, 0)).await;
    let reservation = choose(&client, &held, "cost_co2_energy").await;
    let tag = client.get(&path(&held)).await.header("etag").to_owned();
    let longer = patch(&client, &reservation, &json!({ "duration_s": 7200 })).await;
    let version = |tag: &str| tag.trim_matches('"').parse::<i64>().unwrap();
    assert_eq!(version(longer.header("etag")), version(&tag) + 1);
    let longer = longer.ok(200);
    assert_eq!((&longer["state"], &longer["end"]), (&json!("confirmed"), &json!(hours.hour(2))));
    let events = stream.until("reservation.modified").await;
    assert_eq!(events.last().unwrap().data["reservation_id"], held["id"]);

    // To the clean hour 4 by another ranking, and in a window of which the old one is no part.
    let wanted = json!({
        "nodes": 2, "duration_s": 3600, "ranking": "co2_cost_energy",
        "earliest_start": hours.hour(1), "latest_start": hours.hour(6),
    });
    let moved = patch(&client, &longer, &wanted).await.ok(200);
    assert_eq!((&moved["start"], &moved["state"]), (&json!(hours.hour(4)), &json!("confirmed")));
    let booked = assert_sound(&client, hours, None).await;
    assert_whole(&client.all_reservations().await, &booked);
    assert_eq!(booked.len(), 1);
    // What was extended keeps its length where the patch says none.
    let extend = format!("{}/extend", path(&moved));
    client.post(&extend, &json!({ "by_s": 1800 })).await.ok(200);
    let wider = patch(&client, &moved, &json!({ "nodes": 3 })).await.ok(200);
    assert_eq!(wider["request"]["duration_s"], 5400);
    assert_eq!(
        schedule(&client, hours).await[0].end - schedule(&client, hours).await[0].start,
        5400
    );
}

async fn what_is_impossible_or_not_expected_changes_nothing(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(600.0)).await;
    let reservation =
        choose(&client, &propose(&client, &hours.request(2, 0, 6)).await, "cost_co2_energy").await;
    let proposal = propose(&client, &hours.request(1, 0, 0)).await;
    let before = (client.all_reservations().await, schedule(&client, hours).await.len());
    for one in [&reservation, &proposal] {
        let problem = patch(&client, one, &json!({ "nodes": 4 })).await.problem(422, "impossible");
        assert!(!problem["reasons"].as_array().unwrap().is_empty());
        let other = json!({ "tolerance": { "cost": 0.5 }, "expected": { "node_count": 9 } });
        let problem = patch(&client, one, &other).await.problem(409, "offer_changed");
        assert!(problem["detail"].as_str().unwrap().contains("not 9"), "{problem}");
    }
    let stale = client.request(Method::PATCH, &path(&reservation)).header("If-Match", "\"99\"");
    answer(stale.json(&json!({ "nodes": 1 }))).await.problem(412, "version_mismatch");
    let after = (client.all_reservations().await, schedule(&client, hours).await.len());
    assert_eq!(after, before);
    client.delete(&path(&reservation)).await.ok(200);
    patch(&client, &reservation, &json!({ "nodes": 1 })).await.problem(409, "wrong_state");
}

async fn labels_change_nothing_that_is_held(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let mut request = hours.request(2, 0, 6);
    request["labels"] = json!({ "project": "ocean", "user": "ada" });
    let held = propose(&client, &request).await;
    let labels = json!({ "labels": { "project": "ice", "user": null, "run": "7" } });
    let relabelled = patch(&client, &held, &labels).await.ok(200);
    assert_eq!(relabelled["request"]["labels"], json!({ "project": "ice", "run": "7" }));
    for same in ["offers", "expires_at", "state"] {
        assert_eq!(relabelled[same], held[same], "{same}");
    }
    let none = json!({ "labels": null, "note": "for the review\non Monday" });
    let none = patch(&client, &held, &none).await.ok(200);
    assert_eq!(none["request"]["labels"], Value::Null);
    assert_eq!(none["request"]["note"], "for the review\non Monday");
    assert_eq!(none["offers"], held["offers"]);
    let tag = client.get(&path(&held)).await.header("etag").to_owned();
    let same = patch(&client, &held, &json!({ "nodes": 2 })).await;
    assert_eq!((same.status, same.header("etag")), (200, tag.as_str()));
}

async fn patches_are_refused_with_their_places(site: Site) {
    let [ada, bob, olga] = [("ada", "user"), ("bob", "user"), ("olga", "operator")]
        .map(|(owner, role)| site.token(owner, role));
    let server = site.serve().await;
    let [ada, bob, olga] = [&ada, &bob, &olga].map(|token| server.client().with_token(token));
    let hours = furnish(&olga, 4, None).await;
    let held = propose(&ada, &hours.request(1, 0, 6)).await;
    for (body, pointer) in [
        (json!([]), ""),
        (json!({ "nodes": 0 }), "/nodes"),
        (json!({ "nodes": null }), "/nodes"),
        (json!({ "knots": 1 }), "/knots"),
        (json!({ "labels": { "": "x" } }), "/labels"),
        (json!({ "note": "x".repeat(1001) }), "/note"),
        (json!({ "ranking": "cheap" }), "/ranking"),
        (json!({ "replaces": held["id"] }), "/replaces"),
        (json!({ "latest_start": hours.hour(-1) }), "/latest_start"),
        (json!({ "only": ["n9"] }), "/only/0"),
    ] {
        let problem = patch(&ada, &held, &body).await.problem(400, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{body}: {problem}");
    }
    patch(&bob, &held, &json!({ "nodes": 2 })).await.problem(404, "not_found");
    patch(&ada, &held, &json!({ "priority": 5 })).await.problem(403, "forbidden");
    let raised = patch(&olga, &held, &json!({ "priority": 5 })).await.ok(200);
    assert_eq!((&raised["priority"], &raised["owner"]), (&json!(5), &json!("ada")));
    // What an operator gave, its owner keeps.
    patch(&ada, &held, &json!({ "nodes": 2 })).await.ok(200);
}

async fn a_reservation_gets_an_owner_whom_the_site_knows(site: Site) {
    let [ada, bob, olga] = [("ada", "user"), ("bob", "user"), ("olga", "operator")]
        .map(|(owner, role)| site.token(owner, role));
    site.token("grid", "supplier");
    let server = site.serve().await;
    let [ada, bob, olga] = [&ada, &bob, &olga].map(|token| server.client().with_token(token));
    let hours = furnish(&olga, 4, None).await;
    let reservation =
        choose(&ada, &propose(&ada, &hours.request(1, 0, 6)).await, "cost_co2_energy").await;
    let transfer = format!("{}/transfer", path(&reservation));
    let to = |name: &str| json!({ "owner": name });
    bob.post(&transfer, &to("bob")).await.problem(404, "not_found");
    for nobody in ["grace", "grid"] {
        let problem = ada.post(&transfer, &to(nobody)).await.problem(422, "unknown_owner");
        assert_eq!(problem["errors"][0]["pointer"], "/owner");
    }
    for (body, pointer) in [(json!({}), "/owner"), (json!({ "owner": "" }), "/owner")] {
        let problem = ada.post(&transfer, &body).await.problem(400, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], pointer);
    }
    let stale = ada.request(Method::POST, &transfer).header("If-Match", "\"99\"").json(&to("bob"));
    answer(stale).await.problem(412, "version_mismatch");
    let (mut to_ada, mut to_bob) = (Stream::opened(&ada).await, Stream::opened(&bob).await);
    let transferred = ada.post(&transfer, &to("bob")).await.ok(200);
    assert_eq!(transferred["owner"], "bob");
    assert_eq!(transferred["chosen_offer_id"], reservation["chosen_offer_id"]);
    for stream in [&mut to_ada, &mut to_bob] {
        let told = stream.until("reservation.transferred").await;
        let data = &told.last().unwrap().data;
        assert_eq!((&data["from"], &data["to"]), (&json!("ada"), &json!("bob")));
    }
    ada.get(&path(&reservation)).await.problem(404, "not_found");
    // To whom it belongs already, nothing changes.
    let tag = bob.get(&path(&reservation)).await.header("etag").to_owned();
    assert_eq!(bob.post(&transfer, &to("bob")).await.header("etag"), tag);
    olga.post(&transfer, &to("ada")).await.ok(200);
    ada.delete(&path(&reservation)).await.ok(200);
    ada.post(&transfer, &to("bob")).await.problem(409, "wrong_state");
}
