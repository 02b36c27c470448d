//! The dialogue where the database refuses one of its writes: what was not done is done later.

use serde_json::{Value, json};

use crate::cluster::{Hours, choose, furnish, propose};
use crate::dialogue::{
    allow, closed, open_question, read_negotiation, refuse, serve, until, until_it_cannot_go_on,
};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_question_that_could_not_be_put_is_put_later,
    grants_that_could_not_be_released_are_released_later,
    nothing_is_asked_for_in_nobodys_name,
}

/// Four nodes of 200 W, of which two fit under the cap of 400 W.
fn negotiable(hours: Hours) -> Value {
    let mut request = hours.request(4, 2, 2);
    request["on_cap"] = json!("negotiate");
    request
}

async fn a_question_that_could_not_be_put_is_put_later(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(400.0)).await;
    refuse(&site, "INSERT ON negotiations FOR EACH ROW WHEN (NEW.kind = 'extra_power')").await;
    propose(&client, &negotiable(hours)).await;
    until_it_cannot_go_on(&server).await;
    allow(&site).await;
    open_question(&client, 1).await;
}

/// What is left of grants is everybody's once the question is closed, also where these were two writes
/// and the second failed.
async fn grants_that_could_not_be_released_are_released_later(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(400.0)).await;
    propose(&client, &negotiable(hours)).await;
    let question = open_question(&client, 1).await;
    refuse(&site, "UPDATE ON grants FOR EACH ROW").await;
    let answer = format!("/api/v1/negotiations/{}/answer", question["id"].as_str().unwrap());
    let granted = json!({ "answer": "granted", "power": question["subject"]["power"] });
    client.post(&answer, &granted).await.ok(200);
    closed(&client, &question).await;
    until_it_cannot_go_on(&server).await;
    assert_eq!(client.get("/api/v1/grants").await.ok(200)["items"][0]["standing"], "set_aside");
    allow(&site).await;
    until(&client, "/api/v1/grants", |it| it["items"][0]["standing"] == "in_force").await;
}

/// 800 W reserved, 500 W left. While it is not known who gives way, nobody lacks the 300 W.
async fn nothing_is_asked_for_in_nobodys_name(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(800.0)).await;
    let reservation = propose(&client, &hours.request(4, 2, 2)).await;
    choose(&client, &reservation, "cost_co2_energy").await;
    refuse(&site, "UPDATE OF degraded ON reservations FOR EACH ROW").await;
    let lowered = hours.agenda("cap_w", 2, &[500.0]);
    client.put("/api/v1/agendas/power-cap", &lowered).await.ok(200);
    until_it_cannot_go_on(&server).await;
    allow(&site).await;
    let asks = |list: &Value| list["items"][0]["subject"]["degraded"] == json!([reservation["id"]]);
    let list = "/api/v1/negotiations?kind=extra_power&state=open";
    let question = until(&client, list, asks).await["items"][0].clone();
    let messages = &read_negotiation(&client, &question).await["messages"];
    let asked_for: Vec<&Value> =
        messages.as_array().unwrap().iter().map(|it| &it["document"]["reservations"]).collect();
    assert_eq!(asked_for, [1]);
}
