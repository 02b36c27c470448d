//! Reservations that are to last longer: where it fits exactly, and what is in the way where it does not.

use reqwest::Method;
use serde_json::{Value, json};

use crate::book::{assert_sound, assert_whole, schedule};
use crate::booking::say;
use crate::client::{Answer, Client, answer};
use crate::cluster::{Hours, choose, furnish, path, propose};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    an_extension_takes_what_a_quote_says_for_the_whole,
    what_is_in_the_way_is_told_with_the_longest_that_fits,
    only_what_was_chosen_is_extended_and_only_by_who_may,
    of_extensions_that_do_not_fit_together_one_wins,
}

/// Books nodes for an hour from an hour on.
async fn booked(client: &Client, request: &Value) -> Value {
    choose(client, &propose(client, request).await, "cost_co2_energy").await
}

async fn extend(client: &Client, reservation: &Value, body: &Value) -> Answer {
    client.post(&format!("{}/extend", path(reservation)), body).await
}

fn with(mut request: Value, field: &str, value: Value) -> Value {
    request[field] = value;
    request
}

fn chosen(reservation: &Value) -> &Value {
    let offers = reservation["offers"].as_array().unwrap();
    let id = &reservation["chosen_offer_id"];
    offers.iter().find(|offer| offer["offer_id"] == *id).unwrap()
}

/// Two nodes of 200 W: 0.4 kWh in hour 1 at 200 per MWh and 0.4 kWh in hour 2 at 100 are 0.12.
async fn an_extension_takes_what_a_quote_says_for_the_whole(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(600.0)).await;
    let whole = with(hours.request(2, 1, 1), "duration_s", json!(7200));
    let quote = client.post("/api/v1/quotes", &whole).await.ok(200);
    let reservation = booked(&client, &hours.request(2, 1, 1)).await;
    let extended = extend(&client, &reservation, &json!({ "by_s": 3600 })).await.ok(200);
    assert_eq!(
        (&extended["start"], &extended["end"]),
        (&json!(hours.hour(1)), &json!(hours.hour(3)))
    );
    for amount in ["start", "end", "energy_j", "cost", "co2_g", "peak_power_w", "node_ranges"] {
        assert_eq!(chosen(&extended)[amount], quote["offers"][0][amount], "{amount}");
    }
    assert!((chosen(&extended)["cost"].as_f64().unwrap() - 0.12).abs() < 1e-12, "{extended}");
    assert_eq!(chosen(&extended)["saves"], chosen(&reservation)["saves"]);
    assert_eq!(
        (&extended["state"], &extended["now_expected"]),
        (&json!("confirmed"), &Value::Null)
    );
    assert_eq!(client.get(&path(&reservation)).await.ok(200), extended);
    let held = assert_sound(&client, hours, Some(600.0)).await;
    assert_whole(&client.all_reservations().await, &held);
    // Nobody else gets what it has in hour 2: 200 W are left.
    client.post("/api/v1/reservations", &hours.request(2, 2, 2)).await.problem(422, "impossible");
    let left = with(hours.request(1, 2, 2), "only", json!(["n2"]));
    client.post("/api/v1/reservations", &left).await.ok(201);
}

/// A on n0 in hour 0, B on n0 in hour 2; C draws 200 W of 300 W on n1 in hour 1 once it is there.
async fn what_is_in_the_way_is_told_with_the_longest_that_fits(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, Some(300.0)).await;
    let on = |node: &str, hour| with(hours.request(1, hour, hour), "only", json!([node]));
    let a = booked(&client, &on("n0", 0)).await;
    booked(&client, &on("n0", 2)).await;
    let before = client.get(&path(&a)).await.ok(200);
    let problem = extend(&client, &a, &json!({ "until": hours.hour(3) })).await;
    let problem = problem.problem(422, "impossible");
    assert_eq!(
        (&problem["longest_s"], &problem["latest_end"]),
        (&json!(3600), &json!(hours.hour(2)))
    );
    let codes: Vec<&Value> =
        problem["reasons"].as_array().unwrap().iter().map(|it| &it["code"]).collect();
    assert_eq!(codes, ["nodes", "power_cap"], "{problem}");
    assert!(
        problem["detail"].as_str().unwrap().contains("others have reserved n0 from"),
        "{problem}"
    );
    assert_eq!(problem["errors"][0]["pointer"], "/until");
    assert_eq!(client.get(&path(&a)).await.ok(200), before);

    let c = booked(&client, &on("n1", 1)).await;
    let problem = extend(&client, &a, &json!({ "by_s": 3600 })).await.problem(422, "impossible");
    assert_eq!(
        (&problem["longest_s"], &problem["reasons"][0]["code"]),
        (&json!(0), &json!("power_cap"))
    );
    assert!(
        problem["reasons"][0]["detail"].as_str().unwrap().contains("100 W too little"),
        "{problem}"
    );
    client.delete(&path(&c)).await.ok(200);

    let outage = json!({
        "nodes": ["n0"], "reason": "fans", "start": hours.hour(1), "end": hours.hour(2),
    });
    let outage = client.post("/api/v1/outages", &outage).await.ok(201);
    let problem = extend(&client, &a, &json!({ "by_s": 60 })).await.problem(422, "impossible");
    assert_eq!(problem["reasons"][0]["code"], "outage", "{problem}");
    client.delete(&format!("/api/v1/outages/{}", outage["id"].as_str().unwrap())).await.ok(200);

    extend(&client, &a, &json!({ "by_s": 3600 })).await.ok(200);
    let problem = extend(&client, &a, &json!({ "by_s": 1 })).await.problem(422, "impossible");
    assert_eq!(
        (&problem["longest_s"], &problem["errors"][0]["pointer"]),
        (&json!(0), &json!("/by_s"))
    );
    assert_sound(&client, hours, Some(300.0)).await;
}

async fn only_what_was_chosen_is_extended_and_only_by_who_may(site: Site) {
    let [ada, bob, olga] = [("ada", "user"), ("bob", "user"), ("olga", "operator")]
        .map(|(owner, role)| site.token(owner, role));
    let server = site.serve().await;
    let [ada, bob, olga] = [&ada, &bob, &olga].map(|token| server.client().with_token(token));
    let hours = furnish(&olga, 2, None).await;
    let held = propose(&ada, &hours.request(1, 0, 6)).await;
    let more = json!({ "by_s": 600 });
    extend(&ada, &held, &more).await.problem(409, "wrong_state");
    let reservation = choose(&ada, &held, "cost_co2_energy").await;
    extend(&bob, &reservation, &more).await.problem(404, "not_found");
    for (body, pointer) in [
        (json!({}), ""),
        (json!({ "by_s": 1, "until": hours.hour(9) }), ""),
        (json!({ "by_s": 0 }), "/by_s"),
        (json!({ "until": "soon" }), "/until"),
        (json!({ "until": hours.hour(0) }), "/until"),
        (json!({ "by_s": 1, "nodes": 2 }), "/nodes"),
    ] {
        let problem = extend(&ada, &reservation, &body).await.problem(400, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{body}");
    }
    let extend_path = format!("{}/extend", path(&reservation));
    let stale = ada.request(Method::POST, &extend_path).header("If-Match", "\"99\"").json(&more);
    answer(stale).await.problem(412, "version_mismatch");
    let tag = ada.get(&path(&reservation)).await.header("etag").to_owned();
    let fresh = ada.request(Method::POST, &extend_path).header("If-Match", &tag).json(&more);
    let extended = answer(fresh).await;
    assert_ne!(extended.header("etag"), tag);
    extended.ok(200);
    extend(&olga, &reservation, &more).await.ok(200);
    olga.delete(&path(&reservation)).await.ok(200);
    extend(&ada, &reservation, &more).await.problem(409, "wrong_state");
}

/// Two nodes of 200 W fit under the cap in hour 0, and one of them in hour 1: both reservations are extended
/// at once, by two processes.
async fn of_extensions_that_do_not_fit_together_one_wins(site: Site) {
    let servers = [site.serve().await, site.serve().await];
    let [here, there] = [servers[0].client(), servers[1].client()];
    let hours = furnish(&here, 2, Some(400.0)).await;
    let lower = hours.agenda("cap_w", 1, &[300.0]);
    here.put("/api/v1/agendas/power-cap", &lower).await.ok(200);
    let a = booked(&here, &hours.request(1, 0, 0)).await;
    let b = booked(&here, &hours.request(1, 0, 0)).await;
    let more = json!({ "by_s": 3600 });
    let (one, other) = tokio::join!(extend(&here, &a, &more), extend(&there, &b, &more));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422], "{} {}", one.body, other.body);
    let lost = if one.status == 422 { &one } else { &other };
    assert_eq!(lost.problem(422, "impossible")["reasons"][0]["code"], "power_cap");
    let taken: usize =
        schedule(&here, hours).await.iter().filter(|it| it.end == hours.at(2)).count();
    assert_eq!(taken, 1);
    // A booking and an extension that want one node: whoever comes first has it.
    let (a, b) = if one.status == 200 { (a, b) } else { (b, a) };
    here.delete(&path(&a)).await.ok(200);
    let raw = hours.agenda("cap_w", 1, &[400.0]);
    here.put("/api/v1/agendas/power-cap", &raw).await.ok(200);
    let names = chosen(&here.get(&path(&b)).await.ok(200))["nodes"].clone();
    let wanted = with(hours.request(1, 1, 1), "only", names);
    let (extended, proposed) =
        tokio::join!(extend(&here, &b, &more), there.post("/api/v1/reservations", &wanted),);
    let won = [extended.status == 200, proposed.status == 201];
    assert!(won[0] != won[1], "{} {}", extended.body, proposed.body);
    assert_sound(&here, hours, Some(400.0)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reservation_is_extended_from_a_terminal() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let client = server.client();
    let hours: Hours = furnish(&client, 1, None).await;
    let reservation = booked(&client, &hours.request(1, 0, 0)).await;
    booked(&client, &hours.request(1, 2, 2)).await;
    let id = reservation["id"].as_str().unwrap();
    let extended = say(&server, &format!("extend {id} --by 0:30:00 --format json")).json();
    assert_eq!(extended["end"], crate::cluster::instant(hours.at(1) + 1800));
    let refused = say(&server, &format!("extend {id} --until {}", hours.hour(4)));
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(refused.err.contains("others have reserved n0"), "{}", refused.err);
    assert_eq!(say(&server, &format!("extend {id}")).code, Some(2));
    let released = say(&server, &format!("release {id}"));
    assert_eq!(released.code, Some(4), "{}", released.err);
    assert!(released.err.contains("wattbook cancel"), "{}", released.err);
    let modified = say(&server, &format!("modify {id} --label project=ocean --format json")).json();
    assert_eq!(modified["request"]["labels"]["project"], "ocean");
    assert_eq!(say(&server, &format!("modify {id}")).code, Some(2));
    let line = format!("modify {id} --without labels --format json");
    assert!(say(&server, &line).json()["request"].get("labels").is_none());
    let must_stay = say(&server, &format!("modify {id} --without nodes"));
    assert_eq!(must_stay.code, Some(2), "{}", must_stay.err);
    assert!(
        must_stay.err.contains("partition"),
        "what may be left out is listed: {}",
        must_stay.err
    );
    let both = say(&server, &format!("modify {id} --without partition -p gpu"));
    assert_eq!(both.code, Some(2), "{}", both.err);
    let moved = say(&server, &format!("transfer {id} --to grace"));
    assert_eq!(moved.out, format!("{id} belongs to grace\n"));
}
