//! Booked at the site that is chosen, seen and cancelled from here.

use reqwest::Method;
use serde_json::{Value, json};

use super::between::Does;
use super::three::{Three, of_site};
use crate::client::{Answer, Client, answer};
use crate::dialogue::until;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    what_a_site_offers_is_booked_there_seen_and_cancelled_from_here,
    an_answer_that_is_lost_books_once,
    what_a_site_that_is_gone_cannot_cancel_is_cancelled_when_it_is_back,
    each_sees_their_own_and_a_site_refuses_whom_it_does_not_know,
}

pub const PATH: &str = "/api/v1/site-reservations";

/// Sends an order under a key.
pub async fn order(client: &Client, order: &Value, key: &str) -> Answer {
    answer(client.request(Method::POST, PATH).header("Idempotency-Key", key).json(order)).await
}

/// The states of the reservations at a site but for the one that was there before.
pub async fn states_there(client: &Client) -> Vec<String> {
    let mut all = client.all_reservations().await;
    all.sort_by_key(|it| it["created_at"].as_str().unwrap().to_owned());
    all[1..].iter().map(|it| it["state"].as_str().unwrap().to_owned()).collect()
}

fn path(reservation: &Value) -> String {
    format!("{PATH}/{}", reservation["id"].as_str().unwrap())
}

async fn what_a_site_offers_is_booked_there_seen_and_cancelled_from_here(site: Site) {
    let three = Three::start(&site, "timeout_s = 30.0").await;
    let (home, lyon) = (three.home.client(), three.lyon.client());
    let wanted = three.order(&three.ask().await, "lyon");
    let booked = order(&home, &wanted, "k").await.ok(201);
    assert_eq!((&booked["state"], &booked["site"]), (&json!("confirmed"), &json!("lyon")));
    assert_eq!((&booked["booked"], &booked["asked"]), (&wanted["expected"], &wanted));
    let there = format!("/api/v1/reservations/{}", booked["reservation_id"].as_str().unwrap());
    let reservation = lyon.get(&there).await.ok(200);
    assert_eq!(reservation["state"], "confirmed");
    for name in ["start", "end", "node_count", "energy_j", "cost", "co2_g"] {
        let chosen = &reservation["offers"][0][name];
        assert_eq!(chosen, &wanted["expected"][name], "{name}");
    }
    // Again it is the same, and another order under the key is none.
    assert_eq!(order(&home, &wanted, "k").await.ok(201)["id"], booked["id"]);
    let mut other = wanted.clone();
    other["output_bytes"] = json!(5);
    order(&home, &other, "k").await.problem(409, "idempotency_key_reused");
    assert_eq!(states_there(&lyon).await, ["confirmed"]);
    let seen = home.get(&path(&booked)).await.ok(200);
    assert_eq!(seen["state_there"], "confirmed");
    assert_eq!(home.get(PATH).await.ok(200)["items"][0]["id"], booked["id"]);
    // What the site does with it is seen here, too.
    let cancelled = home.delete(&path(&booked)).await.ok(200);
    assert_eq!(
        (&cancelled["state"], &cancelled["reason"]),
        (&json!("cancelled"), &json!("cancelled_here"))
    );
    assert_eq!(lyon.get(&there).await.ok(200)["state"], "cancelled");
    assert_eq!(home.delete(&path(&booked)).await.ok(200)["state"], "cancelled");
    what_cannot_be_ordered_is_told(&three, &wanted).await;
}

async fn what_cannot_be_ordered_is_told(three: &Three, wanted: &Value) {
    let home = three.home.client();
    for (name, code) in [("paris", "unknown_site"), ("home", "this_site")] {
        let mut other = wanted.clone();
        other["site"] = json!(name);
        home.post(PATH, &other).await.problem(422, code);
    }
    let mut other = wanted.clone();
    other["expected"]["node_count"] = json!(2);
    let problem = home.post(PATH, &other).await.problem(400, "invalid_body");
    assert_eq!(problem["errors"][0]["pointer"], "/expected");
    home.get(&format!("{PATH}/none")).await.problem(404, "not_found");
    // After three failures in turn it is not asked, so that it heard nothing.
    three.to_lyon.now(Does::CutOff);
    for _ in 0..3 {
        three.ask().await;
    }
    let problem = home.post(PATH, wanted).await.problem(503, "site_unreachable");
    assert!(problem["detail"].as_str().unwrap().contains("lyon"), "{problem}");
    let id = problem["site_reservation_id"].as_str().unwrap();
    let stored = home.get(&format!("{PATH}/{id}")).await.ok(200);
    assert_eq!((&stored["state"], &stored["reason"]), (&json!("refused"), &json!("not_asked")));
}

/// The site does what it is asked, and nobody hears of it: once when it holds, once when it confirms.
async fn an_answer_that_is_lost_books_once(site: Site) {
    let three = Three::start(&site, "timeout_s = 30.0").await;
    let (home, lyon) = (three.home.client(), three.lyon.client());
    let wanted = three.order(&three.ask().await, "lyon");
    three.to_lyon.now(Does::LoseAnswers("/reservations"));
    let waits = order(&home, &wanted, "k").await.ok(202);
    assert_eq!(waits["state"], "asked");
    assert_eq!(states_there(&lyon).await, ["proposed"]);
    three.to_lyon.now(Does::LoseAnswers("/choose"));
    let waits = order(&home, &wanted, "k").await.ok(202);
    assert_eq!(waits["state"], "held");
    assert_eq!(states_there(&lyon).await, ["confirmed"]);
    three.to_lyon.now(Does::Pass);
    assert_eq!(order(&home, &wanted, "k").await.ok(201)["state"], "confirmed");
    assert_eq!(states_there(&lyon).await, ["confirmed"]);

    // Cancelled while it is not known what the site did: that is found out, and cancelled.
    three.to_lyon.now(Does::LoseAnswers("/reservations"));
    let waits = order(&home, &three.order(&three.ask().await, "lyon"), "l").await.ok(202);
    three.to_lyon.now(Does::Pass);
    assert_eq!(home.delete(&path(&waits)).await.ok(200)["state"], "cancelled");
    assert_eq!(states_there(&lyon).await, ["confirmed", "cancelled"]);
}

async fn what_a_site_that_is_gone_cannot_cancel_is_cancelled_when_it_is_back(site: Site) {
    let three = Three::start(&site, "timeout_s = 5.0\npause_s = 1.0").await;
    let (home, lyon) = (three.home.client(), three.lyon.client());
    let booked = order(&home, &three.order(&three.ask().await, "lyon"), "k").await.ok(201);
    three.to_lyon.now(Does::CutOff);
    let waits = home.delete(&path(&booked)).await.ok(202);
    assert_eq!(waits["state"], "cancelling");
    assert!(waits["because"].as_str().unwrap().contains("as soon as the site answers"), "{waits}");
    assert_eq!(states_there(&lyon).await, ["confirmed"]);
    three.to_lyon.now(Does::Pass);
    // Nobody asks for it again: the service does.
    until(&home, PATH, |it| it["items"][0]["state"] == "cancelled").await;
    assert_eq!(states_there(&lyon).await, ["cancelled"]);
}

async fn each_sees_their_own_and_a_site_refuses_whom_it_does_not_know(site: Site) {
    let three = Three::start(&site, "timeout_s = 30.0").await;
    let tokens = [("ada", "user"), ("bob", "user"), ("olga", "operator")];
    let tokens = tokens.map(|(name, role)| site.token(name, role));
    let [ada, bob, olga] = tokens.each_ref().map(|token| three.home.client().with_token(token));
    let offers = ada.post("/api/v1/site-offers", &three.question()).await.ok(200);
    let booked = order(&ada, &three.order(&offers, "lyon"), "k").await.ok(201);
    assert_eq!(booked["owner"], "ada");
    bob.get(&path(&booked)).await.problem(404, "not_found");
    bob.delete(&path(&booked)).await.problem(404, "not_found");
    assert_eq!(bob.get(PATH).await.ok(200)["items"], json!([]));
    for client in [&ada, &olga] {
        assert_eq!(client.get(PATH).await.ok(200)["items"][0]["id"], booked["id"]);
    }
    // From now on the site wants a token, and has not given any.
    let token = three.sites[0].token("paris", "operator");
    let offers = ada.post("/api/v1/site-offers", &three.question()).await.ok(200);
    let told = of_site(&offers, "lyon");
    assert_eq!(told["state"], "refused", "{told}");
    assert!(told["detail"].as_str().unwrap().contains("token of its [[sites]]"), "{told}");
    // What it does not let this one cancel is booked.
    assert_eq!(ada.delete(&path(&booked)).await.ok(202)["state"], "cancelling");
    let lyon = three.lyon.client().with_token(&token);
    assert_eq!(states_there(&lyon).await, ["confirmed"]);
    // With the token it is let.
    let file = site.folder().join("lyon.token");
    std::fs::write(&file, &token).unwrap();
    let (url, folder) = (&three.to_lyon.address, site.folder());
    let settings = format!(
        "[[sites]]\nname = \"lyon\"\nurl = \"http://{url}\"\ntoken = {{ file = \"{}\" }}\n",
        file.display()
    );
    std::fs::write(folder.join("token.toml"), settings).unwrap();
    let home = site.serve_with(&["--config", "token.toml"]).await;
    let ada = home.client().with_token(&tokens[0]);
    let offers = ada.post("/api/v1/site-offers", &three.question()).await.ok(200);
    assert_eq!(of_site(&offers, "lyon")["state"], "offers");
    assert_eq!(ada.delete(&path(&booked)).await.ok(200)["state"], "cancelled");
    assert_eq!(states_there(&lyon).await, ["cancelled"]);
    assert!(!home.log().contains(&token));
}
