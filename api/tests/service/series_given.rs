//! Series that get another owner: one who may have them, with all that is booked, or nothing changes.

use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::path as path_of;
use crate::series::{announce, daily, furnish_days, of_each, path, settled};
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_series_is_given_with_its_reservations_to_who_may_have_it,
    whoever_may_not_book_it_or_has_too_many_is_given_none_and_nothing_changes,
}

async fn give(client: &Client, series: &Value, to: &str) -> crate::client::Answer {
    client.post(&format!("{}/transfer", path(series)), &json!({ "owner": to })).await
}

/// Ada, Bob, Eve and Olga, who runs the cluster. A user may have one series; Eve books nothing.
async fn cast(site: &Site) -> (Server, [Client; 4]) {
    let tokens = [("ada", "user"), ("bob", "user"), ("eve", "user"), ("olga", "operator")]
        .map(|(owner, role)| site.token(owner, role));
    let settings = "[limits]\nseries_per_user = 1\n[[rights]]\ndeny = [\"reservation.create\"]\nusers = [\"eve\"]\n";
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let clients = tokens.map(|token| server.client().with_token(&token));
    (server, clients)
}

/// Two of four occurrences are booked when Ada gives the series away, and one of these is Olga's by then.
async fn a_series_is_given_with_its_reservations_to_who_may_have_it(site: Site) {
    let (_server, [ada, bob, _, olga]) = cast(&site).await;
    let hours = furnish_days(&olga, 4, 3).await;
    let made = ada.post("/api/v1/series", &daily(hours, 4)).await.ok(201);
    assert_eq!(of_each(&made, "state"), ["booked", "booked", "booked", "waiting"]);
    let ids = of_each(&made, "reservation_id");
    let first = path_of(&json!({ "id": ids[0] }));
    ada.post(&format!("{first}/transfer"), &json!({ "owner": "olga" })).await.ok(200);

    give(&ada, &made, "nobody").await.problem(422, "unknown_owner");
    give(&bob, &made, "bob").await.problem(404, "not_found");
    let given = give(&ada, &made, "bob").await.ok(200);
    assert_eq!((&given["owner"], &given["state"]), (&json!("bob"), &json!("running")));
    ada.get(&path(&made)).await.problem(404, "not_found");
    for (id, owner) in ids.iter().zip(["olga", "bob", "bob"]) {
        let reservation = olga.get(&path_of(&json!({ "id": id }))).await.ok(200);
        assert_eq!(
            (&reservation["owner"], &reservation["state"]),
            (&json!(owner), &json!("confirmed"))
        );
    }
    // Asked again it is as it was.
    let again = give(&bob, &made, "bob").await.ok(200);
    assert_eq!(again["owner"], "bob");
    // What is booked later is his.
    announce(&olga, hours, 5).await;
    let whole = settled(&olga, &made, 4).await;
    let last = path_of(&json!({ "id": of_each(&whole, "reservation_id")[3] }));
    assert_eq!(bob.get(&last).await.ok(200)["owner"], "bob");
    // An operator gives as many as they want, and the series is booked by what its owner may.
    bob.post("/api/v1/series", &daily(hours, 1)).await.problem(429, "too_many_series");
    let other = olga.post("/api/v1/series", &daily(hours, 1)).await.ok(201);
    assert_eq!(give(&olga, &other, "bob").await.ok(200)["owner"], "bob");
}

/// Nothing of the first series is booked yet, so that no reservation is refused either.
async fn whoever_may_not_book_it_or_has_too_many_is_given_none_and_nothing_changes(site: Site) {
    let (_server, [ada, bob, eve, olga]) = cast(&site).await;
    let hours = furnish_days(&olga, 4, 2).await;
    let mut later = daily(hours, 2);
    later["request"] = hours.request(1, 72, 78);
    let made = ada.post("/api/v1/series", &later).await.ok(201);
    assert_eq!(of_each(&made, "state"), ["waiting", "waiting"]);
    let before = ada.get(&path(&made)).await.ok(200);

    let refused = give(&ada, &made, "eve").await.problem(403, "forbidden");
    assert_eq!(refused["action"], "reservation.create");
    give(&olga, &made, "eve").await.problem(403, "forbidden");
    let own = bob.post("/api/v1/series", &daily(hours, 2)).await.ok(201);
    let refused = give(&ada, &made, "bob").await.problem(409, "too_many_series");
    assert!(refused["detail"].as_str().unwrap().contains("\"bob\" has 1 series"), "{refused}");
    assert_eq!(ada.get(&path(&made)).await.ok(200), before);
    for client in [&bob, &eve] {
        client.get(&path(&made)).await.problem(404, "not_found");
    }
    bob.delete(&path(&own)).await.ok(200);
    assert_eq!(give(&ada, &made, "bob").await.ok(200)["owner"], "bob");
}
