//! Reservations that run: given back as a whole or in part, extended, relabelled.

use reqwest::Method;
use serde_json::{Value, json};

use crate::book::{Taken, schedule};
use crate::client::{Client, answer};
use crate::cluster::{Hours, choose, furnish, instant, now, path, propose, seconds};
use crate::ledger::{self, EVENING, HOUR};
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    what_runs_is_given_back_and_others_get_it,
    some_nodes_are_given_back_and_the_amounts_are_less_by_them,
    what_is_expected_of_what_is_kept_is_told_at_once,
    what_runs_changes_its_labels_and_its_length_alone,
    nodes_that_were_given_back_count_until_then_where_the_rest_is_extended,
}

/// Three of four nodes of 200 W are reserved in hours 2 and 3, of which 900 s have passed.
async fn running(site: &Site) -> (Server, Client, Hours, Value) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let mut request = hours.request(3, 2, 2);
    request["duration_s"] = json!(7200);
    let held = propose(&client, &request).await;
    let release = format!("{}/release", path(&held));
    client.post(&release, &json!({})).await.problem(409, "wrong_state");
    let reservation = choose(&client, &held, "energy_cost_co2").await;
    let early = client.post(&release, &json!({})).await.problem(409, "wrong_state");
    assert!(early["detail"].as_str().unwrap().contains("wattbook cancel"), "{early}");
    server.kill();
    let clock = format!("{}={}@1", instant(now()), instant(hours.at(2) + 900));
    let server = site.serve_with(&["--clock", &clock]).await;
    let client = server.client();
    (server, client, hours, reservation)
}

async fn what_runs_is_given_back_and_others_get_it(site: Site) {
    let (_server, client, hours, reservation) = running(&site).await;
    let release = format!("{}/release", path(&reservation));
    let stale = client.request(Method::POST, &release).header("If-Match", "\"99\"");
    answer(stale.json(&json!({}))).await.problem(412, "version_mismatch");
    let mut all = hours.request(4, 3, 3);
    all["duration_s"] = json!(600);
    client.post("/api/v1/reservations", &all).await.problem(422, "impossible");
    // A body without its media type is none of ours, and no body gives back all.
    let unnamed = client.request(Method::POST, &release).body("{\"nodes\":1}");
    answer(unnamed).await.problem(415, "unsupported_media_type");
    let released = answer(client.request(Method::POST, &release)).await.ok(200);
    assert_eq!(released["state"], "completed");
    let end = seconds(&released["end"]);
    assert!((hours.at(2) + 900..hours.at(3)).contains(&end), "{released}");
    let taken = schedule(&client, hours).await;
    assert_eq!((taken.len(), taken[0].end), (1, end));
    client.post("/api/v1/reservations", &all).await.ok(201);
    let again = client.post(&release, &json!({})).await.problem(409, "wrong_state");
    assert!(again["detail"].as_str().unwrap().contains("has ended"), "{again}");
}

/// Joules that are drawn by what is taken, at 200 W a node.
fn drawn_j(taken: &[Taken]) -> i64 {
    let of = |it: &Taken| i64::try_from(it.ordinals.len()).unwrap() * 200 * (it.end - it.start);
    taken.iter().map(of).sum()
}

async fn some_nodes_are_given_back_and_the_amounts_are_less_by_them(site: Site) {
    let (_server, client, hours, reservation) = running(&site).await;
    let release = format!("{}/release", path(&reservation));
    for (body, pointer, told) in [
        (json!({ "nodes": 4 }), "/nodes", "it has 3 nodes"),
        (json!({ "node_names": ["n1", "n3", "n9"] }), "/node_names/1", "n3 is none of the nodes"),
        (json!({ "node_names": [] }), "/node_names", "must name a node"),
        (json!({ "nodes": 1, "node_names": ["n0"] }), "", "must not have both"),
    ] {
        let problem = client.post(&release, &body).await.problem(400, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{body}: {problem}");
        assert!(problem["errors"][0]["detail"].as_str().unwrap().contains(told), "{problem}");
    }
    for body in [json!({ "nodes": 1, "node_names": ["n0"] }), json!({ "nodes": 0 })] {
        client.post(&release, &body).await.problem(400, "invalid_body");
    }
    let fewer = client.post(&release, &json!({ "node_names": ["n1"] })).await.ok(200);
    assert_eq!((&fewer["state"], &fewer["end"]), (&json!("active"), &json!(hours.hour(4))));
    let offer = |it: &Value| {
        let all = it["offers"].as_array().unwrap();
        all.iter().find(|offer| offer["offer_id"] == it["chosen_offer_id"]).unwrap().clone()
    };
    assert_eq!(offer(&fewer)["nodes"], json!(["n0", "n2"]));
    // More is drawn in the cheap hour than in the other, and that is what was reckoned.
    assert_eq!(fewer["now_expected"], Value::Null);
    let taken = schedule(&client, hours).await;
    assert_eq!(taken.len(), 2);
    assert_eq!(offer(&fewer)["energy_j"], json!(drawn_j(&taken) as f64));
    // n1 is free now, beside n3.
    let mut two = hours.request(2, 3, 3);
    two["duration_s"] = json!(600);
    let other = propose(&client, &two).await;
    assert_eq!(offer_nodes(&other), json!(["n1", "n3"]));
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    let one = client.post(&release, &json!({ "nodes": 1 })).await.ok(200);
    assert_eq!(offer(&one)["nodes"], json!(["n0"]));
    let id = reservation["id"].as_str().unwrap();
    let mut own = schedule(&client, hours).await;
    own.retain(|it| it.reservation == id);
    assert_eq!(offer(&one)["energy_j"], json!(drawn_j(&own) as f64));
    let all = client.post(&release, &json!({ "nodes": 1 })).await.ok(200);
    assert_eq!(all["state"], "completed");
}

/// Both hours cost 400 per MWh by now: what is expected is the energy, whatever of it is left, times 400 / 3.6e9 J.
async fn what_is_expected_of_what_is_kept_is_told_at_once(site: Site) {
    let (_server, client, hours, reservation) = running(&site).await;
    let dear = hours.agenda("price_per_mwh", 2, &[400.0, 400.0]);
    client.put("/api/v1/agendas/price", &dear).await.ok(200);
    let expected = |it: &Value| it["now_expected"]["offers"][0]["cost"].as_f64();
    let judged =
        crate::dialogue::until(&client, &path(&reservation), |it| expected(it).is_some()).await;
    // Three nodes of 200 W for two hours are 1.2 kWh.
    assert!((expected(&judged).unwrap() - 0.48).abs() < 1e-9, "{judged}");
    let release = format!("{}/release", path(&reservation));
    let fewer = client.post(&release, &json!({ "node_names": ["n1"] })).await.ok(200);
    let offers = fewer["offers"].as_array().unwrap();
    let offer = offers.iter().find(|it| it["offer_id"] == fewer["chosen_offer_id"]).unwrap();
    let cost = offer["energy_j"].as_f64().unwrap() * 400.0 / 3.6e9;
    assert!(cost < 0.48 && (expected(&fewer).unwrap() - cost).abs() < 1e-9, "{fewer}");
}

fn offer_nodes(reservation: &Value) -> Value {
    reservation["offers"][0]["nodes"].clone()
}

async fn what_runs_changes_its_labels_and_its_length_alone(site: Site) {
    let (_server, client, hours, reservation) = running(&site).await;
    let change = |body: Value| client.request(Method::PATCH, &path(&reservation)).json(&body);
    let labelled = answer(change(json!({ "labels": { "project": "ice" } }))).await.ok(200);
    assert_eq!((&labelled["state"], &labelled["end"]), (&json!("active"), &json!(hours.hour(4))));
    assert_eq!(labelled["request"]["labels"]["project"], "ice");
    let refused = answer(change(json!({ "nodes": 1 }))).await.problem(409, "wrong_state");
    assert!(refused["detail"].as_str().unwrap().contains("wattbook extend"), "{refused}");
    let extend = format!("{}/extend", path(&reservation));
    let longer = client.post(&extend, &json!({ "until": hours.hour(5) })).await.ok(200);
    assert_eq!((&longer["state"], &longer["end"]), (&json!("active"), &json!(hours.hour(5))));
    let taken = schedule(&client, hours).await;
    assert_eq!((taken.len(), taken[0].end - taken[0].start), (1, 10_800));
}

/// Two nodes from 21:00 to 22:00 and one of them from then on: at 23:00 they have used 3 of the month's node-hours, at 23:30
/// 3.5.
async fn nodes_that_were_given_back_count_until_then_where_the_rest_is_extended(site: Site) {
    let tokens =
        [("operator", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    let reservation = ledger::furnish(&site, &tokens[0], &tokens[1]).await;
    let settings = "[[quotas.rules.default]]\nuser = \"/\"\nnode_hours = 3.25\nper = \"month\"\n";
    let server = ledger::serve_with(&site, (EVENING + 2 * HOUR, 1), "", settings).await;
    let ada = server.client().with_token(&tokens[1]);
    let post = |action: &str| format!("{}/{action}", path(&reservation));
    ada.post(&post("release"), &json!({ "nodes": 1 })).await.ok(200);
    let until = |end_s: i64| json!({ "until": instant(EVENING + end_s) });
    ada.post(&post("extend"), &until(3 * HOUR)).await.ok(200);
    let refused = ada.post(&post("extend"), &until(3 * HOUR + 1800)).await.problem(422, "quota");
    assert_eq!((&refused["measure"], &refused["limit"]), (&json!("node_hours"), &json!(3.25)));
}
