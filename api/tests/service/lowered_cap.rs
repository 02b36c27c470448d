//! What becomes of the book when the supplier lowers the cap, and when it gives power back.

use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{Hours, choose, furnish, path, propose};
use crate::dialogue::{open_question, serve, until, until_state};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    who_was_confirmed_last_is_degraded_and_offered_new_starts,
    the_supplier_is_asked_for_the_difference_and_a_grant_restores,
    held_offers_that_no_longer_fit_are_withdrawn,
    of_two_offers_at_one_time_the_one_that_fits_stays,
    the_site_says_who_gives_way_and_what_runs_is_protected,
    what_still_stands_is_moved_only_for_a_gain,
    a_revoked_grant_degrades_who_used_it,
    where_a_cap_is_withdrawn_nobody_lacks_power_and_nothing_more_is_planned,
}

/// From hour 2 on for an hour, two nodes each.
async fn confirmed(client: &Client, hours: Hours, latest: i64) -> Value {
    let reservation = propose(client, &hours.request(2, 2, latest)).await;
    choose(client, &reservation, "cost_co2_energy").await
}

async fn lower(client: &Client, hours: Hours, hour: i64, cap_w: f64) {
    client.put("/api/v1/agendas/power-cap", &hours.agenda("cap_w", hour, &[cap_w])).await.ok(200);
}

async fn until_degraded(client: &Client, reservation: &Value, degraded: bool) -> Value {
    until(client, &path(reservation), |it| it["degraded"] == degraded).await
}

/// Two reservations of 400 W under 800 W, lowered to 500 W in their hour: the later one gives way.
/// Its window reaches to hour 3, which is offered instead; choosing it ends the degraded one.
async fn who_was_confirmed_last_is_degraded_and_offered_new_starts(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(800.0)).await;
    let first = confirmed(&client, hours, 2).await;
    let second = confirmed(&client, hours, 4).await;
    assert_eq!(second["start"], hours.hour(2));
    lower(&client, hours, 2, 500.0).await;
    let degraded = until_degraded(&client, &second, true).await;
    assert_eq!(degraded["state"], "confirmed");
    assert_eq!(degraded["notice"]["code"], "cap_lowered");
    assert_eq!(client.get(&path(&first)).await.ok(200)["degraded"], false);
    let id = &degraded["notice"]["replacement_id"];
    let replacement = json!({ "id": id });
    let offered = client.get(&path(&replacement)).await.ok(200);
    assert_eq!((&offered["state"], &offered["replaces"]), (&json!("proposed"), &second["id"]));
    let moved = choose(&client, &offered, "co2_cost_energy").await;
    assert_eq!((&moved["state"], &moved["start"]), (&json!("confirmed"), &json!(hours.hour(4))));
    assert_eq!(client.get(&path(&second)).await.ok(200)["state"], "cancelled");
}

/// 800 W reserved, 500 W left: 300 W are asked for. Granted, nobody lacks anything.
async fn the_supplier_is_asked_for_the_difference_and_a_grant_restores(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(800.0)).await;
    confirmed(&client, hours, 2).await;
    let second = confirmed(&client, hours, 2).await;
    lower(&client, hours, 2, 500.0).await;
    let degraded = until_degraded(&client, &second, true).await;
    assert_eq!(degraded["notice"]["replacement_id"], Value::Null);
    let question = open_question(&client, 0).await;
    assert_eq!(question["subject"]["degraded"], json!([second["id"]]));
    let lacking = json!([{ "start": hours.hour(2), "end": hours.hour(3), "power_w": 300.0 }]);
    assert_eq!(question["subject"]["power"], lacking);
    let answer = format!("/api/v1/negotiations/{}/answer", question["id"].as_str().unwrap());
    client.post(&answer, &json!({ "answer": "granted", "power": lacking })).await.ok(200);
    let restored = until_degraded(&client, &second, false).await;
    assert_eq!(restored["notice"], Value::Null);
}

async fn held_offers_that_no_longer_fit_are_withdrawn(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(800.0)).await;
    let one_start = propose(&client, &hours.request(4, 2, 2)).await;
    lower(&client, hours, 2, 500.0).await;
    let rejected = until_state(&client, &one_start, "rejected").await;
    assert_eq!(rejected["notice"]["code"], "offers_withdrawn");
    // Hour 3 on, 4 nodes: offers of the cheap and the clean hour; only hour 4 is lowered.
    let held = propose(&client, &hours.request(4, 3, 6)).await;
    let starts = |it: &Value| {
        let offers = it["offers"].as_array().unwrap();
        offers.iter().map(|offer| offer["start"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(starts(&held).contains(&hours.hour(4)), "{held:#}");
    lower(&client, hours, 4, 500.0).await;
    let code = |it: &Value| it["notice"]["code"] == "offers_withdrawn";
    let left = until(&client, &path(&held), code).await;
    assert!(!starts(&left).contains(&hours.hour(4)), "{left:#}");
}

/// Who takes electricity in hour 2 is paid for it, so that two nodes need the least energy and four
/// cost the least. Four draw 800 W; under 500 W the two, with 400 W, still fit.
async fn of_two_offers_at_one_time_the_one_that_fits_stays(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(800.0)).await;
    let paid = hours.agenda("price_per_mwh", 2, &[-100.0]);
    client.put("/api/v1/agendas/price", &paid).await.ok(200);
    let mut request = hours.request(2, 2, 2);
    request["alternatives"] = json!([{ "nodes": 4, "duration_s": 3600 }]);
    let held = propose(&client, &request).await;
    let counts = |it: &Value| {
        let offers = it["offers"].as_array().unwrap();
        let mut counts: Vec<u64> =
            offers.iter().map(|offer| offer["node_count"].as_u64().unwrap()).collect();
        counts.sort_unstable();
        counts
    };
    assert_eq!(counts(&held), [2, 4]);
    lower(&client, hours, 2, 500.0).await;
    let left = until(&client, &path(&held), |it| !it["notice"].is_null()).await;
    assert_eq!((&left["state"], counts(&left)), (&json!("proposed"), vec![2]));
}

/// By draw: the larger of two gives way though it was confirmed first.
async fn the_site_says_who_gives_way_and_what_runs_is_protected(site: Site) {
    let server = serve(&site, "yield_order = \"largest_draw_first\"").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(800.0)).await;
    let large = propose(&client, &hours.request(3, 2, 2)).await;
    choose(&client, &large, "cost_co2_energy").await;
    let small = propose(&client, &hours.request(1, 2, 2)).await;
    choose(&client, &small, "cost_co2_energy").await;
    lower(&client, hours, 2, 700.0).await;
    until_degraded(&client, &large, true).await;
    assert_eq!(client.get(&path(&small)).await.ok(200)["degraded"], false);
    // Room again: it is restored.
    lower(&client, hours, 2, 800.0).await;
    until_degraded(&client, &large, false).await;
}

/// The cheap hour 2 costs half. From hour 5 to hour 2 both cost and CO2 are at most as good but not
/// the CO2 of hour 4; moving from there needs a gain of 5 %.
async fn what_still_stands_is_moved_only_for_a_gain(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let dear = propose(&client, &hours.request(1, 5, 5)).await;
    choose(&client, &dear, "cost_co2_energy").await;
    let replacing = |from: i64, to: i64| {
        let mut request = hours.request(1, from, to);
        request["replaces"] = dear["id"].clone();
        request
    };
    client.post("/api/v1/reservations", &replacing(6, 7)).await.problem(409, "no_gain");
    let cheaper = propose(&client, &replacing(2, 2)).await;
    choose(&client, &cheaper, "cost_co2_energy").await;
    assert_eq!(client.get(&path(&dear)).await.ok(200)["state"], "cancelled");
    client.post("/api/v1/reservations", &replacing(2, 2)).await.problem(409, "wrong_state");
}

async fn a_revoked_grant_degrades_who_used_it(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(400.0)).await;
    let gift = json!({ "start": hours.hour(2), "end": hours.hour(3), "power_w": 400, "id": "g1" });
    let grant = client.post("/api/v1/grants", &gift).await.ok(201);
    assert_eq!(grant["standing"], "in_force");
    let large = propose(&client, &hours.request(4, 2, 2)).await;
    choose(&client, &large, "cost_co2_energy").await;
    let path = format!("/api/v1/grants/{}", grant["grant_id"].as_str().unwrap());
    assert_eq!(client.delete(&path).await.status, 204);
    until_degraded(&client, &large, true).await;
    client.delete(&path).await.problem(404, "not_found");
}

/// Of two reservations one gives way to a lower cap. Where the cap is withdrawn it has its power again, and nobody gets
/// more nodes there, since it is not known how much there is.
async fn where_a_cap_is_withdrawn_nobody_lacks_power_and_nothing_more_is_planned(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(800.0)).await;
    let first = confirmed(&client, hours, 2).await;
    let second = confirmed(&client, hours, 2).await;
    lower(&client, hours, 2, 500.0).await;
    until_degraded(&client, &second, true).await;
    let cap = format!("/api/v1/agendas/power-cap?{}", hours.span(2, 3));
    client.delete(&cap).await.ok(200);
    let restored = until_degraded(&client, &second, false).await;
    assert_eq!((&restored["state"], &restored["notice"]), (&json!("confirmed"), &Value::Null));
    client.delete(&path(&first)).await.ok(200);
    let refused = client.post("/api/v1/reservations", &hours.request(1, 2, 2)).await;
    let refused = refused.problem(422, "impossible");
    assert_eq!(refused["reasons"][0]["code"], "agenda_gap");
    client.post("/api/v1/reservations", &hours.request(1, 3, 3)).await.ok(201);
}
