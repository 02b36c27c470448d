//! What is booked is what was shown, or nothing.

use serde_json::{Value, json};

use crate::book::schedule;
use crate::cluster::{choose, furnish, nodes, path, propose};
use crate::dialogue::until;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    nothing_is_held_for_another_request_than_was_shown,
    an_offer_that_is_gone_is_told_with_those_there_are,
    an_offer_is_confirmed_only_as_what_it_was_shown_as,
    an_offer_whose_nodes_were_replaced_is_another_until_it_is_chosen,
}

/// What of an offer a page shows.
fn shown(offer: &Value) -> Value {
    let names = ["start", "end", "node_count", "energy_j", "cost", "co2_g"];
    names
        .into_iter()
        .map(|name| (name.to_owned(), offer[name].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn with(request: &Value, expected: &Value) -> Value {
    let mut request = request.clone();
    request["expected"] = expected.clone();
    request
}

async fn nothing_is_held_for_another_request_than_was_shown(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let quote = client.post("/api/v1/quotes", &hours.request(1, 0, 6)).await.ok(200);
    let one = shown(&quote["offers"][0]);
    // The form went on to three nodes while the offer of one was still on the page.
    let three = with(&hours.request(3, 0, 6), &one);
    let problem = client.post("/api/v1/reservations", &three).await.problem(409, "offer_changed");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("node_count is 3, not 1"), "{detail}");
    assert_eq!(problem["offers"][0]["node_count"], 3);
    assert!(schedule(&client, hours).await.is_empty());
    assert!(client.all_reservations().await.is_empty());

    let made =
        client.post("/api/v1/reservations", &with(&hours.request(1, 0, 6), &one)).await.ok(201);
    assert_eq!(shown(&made["offers"][0]), one);
    for (expected, place) in
        [(json!({}), "/expected"), (json!({ "cost": "much" }), "/expected/cost")]
    {
        let wrong = with(&hours.request(1, 0, 6), &expected);
        let problem =
            client.post("/api/v1/reservations", &wrong).await.problem(400, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], place);
    }
}

async fn an_offer_that_is_gone_is_told_with_those_there_are(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let request = hours.request(2, 0, 6);
    let quote = client.post("/api/v1/quotes", &request).await.ok(200);
    let cheapest = shown(&quote["offers"][0]);
    let other = propose(&client, &request).await;
    choose(&client, &other, "cost_co2_energy").await;
    let late = with(&request, &cheapest);
    let problem = client.post("/api/v1/reservations", &late).await.problem(409, "offer_changed");
    let now = client.post("/api/v1/quotes", &request).await.ok(200);
    assert_eq!(problem["offers"], now["offers"]);
    assert_eq!(client.all_reservations().await.len(), 1);
}

async fn an_offer_is_confirmed_only_as_what_it_was_shown_as(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let made = propose(&client, &hours.request(2, 0, 6)).await;
    let (first, second) = (&made["offers"][0], &made["offers"][1]);
    let choose = format!("{}/choose", path(&made));
    let by_id = |expected: Value| json!({ "offer_id": first["offer_id"], "expected": expected });
    let problem = client.post(&choose, &by_id(shown(second))).await.problem(409, "offer_changed");
    assert!(problem["detail"].as_str().unwrap().contains("start is "), "{problem}");
    let by_ranking = json!({ "ranking": first["rankings"][0], "expected": shown(second) });
    client.post(&choose, &by_ranking).await.problem(409, "offer_changed");
    assert_eq!(client.get(&path(&made)).await.ok(200)["state"], "proposed");
    let chosen = client.post(&choose, &by_id(shown(first))).await.ok(200);
    assert_eq!((&chosen["state"], &chosen["start"]), (&json!("confirmed"), &first["start"]));
}

/// In the place of a node of 200 W comes one of 400 W. What is held is then another offer than was
/// shown; what is booked stays booked, and who sends the choice again hears so.
async fn an_offer_whose_nodes_were_replaced_is_another_until_it_is_chosen(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let mut four = nodes(4);
    for index in [2, 3] {
        four[index]["max_power_w"] = json!(400);
    }
    client.put("/api/v1/nodes", &four).await.ok(200);
    let booked = propose(&client, &hours.request(1, 2, 2)).await;
    let held = propose(&client, &hours.request(1, 2, 2)).await;
    let as_shown = |made: &Value| {
        let offer = &made["offers"][0];
        json!({ "offer_id": offer["offer_id"], "expected": shown(offer) })
    };
    let chosen = format!("{}/choose", path(&booked));
    client.post(&chosen, &as_shown(&booked)).await.ok(200);
    let (start, end) = (hours.hour(2), hours.hour(3));
    let outage = json!({ "nodes": ["n0", "n1"], "start": start, "end": end });
    client.post("/api/v1/outages", &outage).await.ok(201);
    let replaced = |it: &Value| it["notice"]["code"] == "nodes_replaced";
    for made in [&booked, &held] {
        let mended = until(&client, &path(made), replaced).await;
        assert_ne!(mended["offers"][0]["energy_j"], made["offers"][0]["energy_j"]);
    }
    let again = client.post(&chosen, &as_shown(&booked)).await.ok(200);
    assert_eq!(again["state"], "confirmed");
    let choose = format!("{}/choose", path(&held));
    let problem = client.post(&choose, &as_shown(&held)).await.problem(409, "offer_changed");
    assert!(problem["detail"].as_str().unwrap().contains("energy_j is "), "{problem}");
    let anew = client.get(&path(&held)).await.ok(200);
    assert_eq!(anew["state"], "proposed");
    assert_eq!(client.post(&choose, &as_shown(&anew)).await.ok(200)["state"], "confirmed");
}
