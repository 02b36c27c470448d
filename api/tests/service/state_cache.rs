//! The book in memory is never behind what was committed, by whichever process.

use serde_json::{Value, json};
use sqlx::Executor;

use crate::client::Client;
use crate::cluster::{choose, expire, furnish, nodes, path, propose};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_quote_sees_every_change_that_another_process_made_before_it,
    quotes_at_once_all_see_what_was_committed_before_them,
    an_offer_that_lapses_frees_its_nodes_without_a_write,
    tokens_of_another_process_hold_and_are_revoked_at_once,
    nodes_on_the_front_are_told_unless_they_are_not_wanted,
    a_quote_explains_itself_where_asked_to,
    a_quote_does_not_wait_for_a_writer,
}

async fn free_at(client: &Client, request: &Value) -> String {
    let quote = client.post("/api/v1/quotes", request).await.ok(200);
    quote["decision"].as_str().unwrap().to_owned()
}

/// One node and one hour: whoever asks knows who has it.
async fn a_quote_sees_every_change_that_another_process_made_before_it(site: Site) {
    let (here, there) = (site.serve().await, site.serve().await);
    let (here, there) = (here.client(), there.client());
    let hours = furnish(&here, 1, None).await;
    let request = hours.request(1, 2, 2);
    for round in 0..6 {
        let (writer, reader) = if round % 2 == 0 { (&here, &there) } else { (&there, &here) };
        assert_eq!(free_at(reader, &request).await, "optimum", "round {round}");
        let held = propose(writer, &request).await;
        assert_eq!(free_at(reader, &request).await, "impossible", "round {round}");
        choose(writer, &held, "cost_co2_energy").await;
        assert_eq!(free_at(reader, &request).await, "impossible", "round {round}");
        reader.delete(&path(&held)).await.ok(200);
        assert_eq!(free_at(writer, &request).await, "optimum", "round {round}");
    }
    there.put("/api/v1/nodes", &nodes(2)).await.ok(200);
    assert_eq!(free_at(&here, &hours.request(2, 2, 2)).await, "optimum");
    let dear = hours.agenda("price_per_mwh", 2, &[9000.0]);
    there.put("/api/v1/agendas/price", &dear).await.ok(200);
    let quote = here.post("/api/v1/quotes", &request).await.ok(200);
    // 200 W for an hour are 0.2 kWh, at 9 a kWh 1.8.
    assert_eq!(quote["offers"][0]["cost"], 1.8);
}

/// Sixteen quotes are on their way while another process books, and sixteen come after it.
async fn quotes_at_once_all_see_what_was_committed_before_them(site: Site) {
    let (here, there) = (site.serve().await, site.serve().await);
    let (here, there) = (here.client(), there.client());
    let hours = furnish(&here, 1, None).await;
    let request = hours.request(1, 2, 2);
    let ask = || {
        let (client, request) = (here.clone(), request.clone());
        tokio::spawn(async move { free_at(&client, &request).await })
    };
    for _ in 0..5 {
        let before: Vec<_> = (0..16).map(|_| ask()).collect();
        let held = propose(&there, &request).await;
        let after: Vec<_> = (0..16).map(|_| ask()).collect();
        for quote in before {
            quote.await.unwrap();
        }
        for quote in after {
            assert_eq!(quote.await.unwrap(), "impossible");
        }
        there.delete(&path(&held)).await.ok(200);
    }
}

/// Nobody reads reservations meanwhile, which would move them on.
async fn an_offer_that_lapses_frees_its_nodes_without_a_write(site: Site) {
    let server = site.serve_with(&["--hold-s", "6"]).await;
    let client = server.client();
    let hours = furnish(&client, 1, None).await;
    let request = hours.request(1, 2, 2);
    let held = propose(&client, &request).await;
    assert_eq!(free_at(&client, &request).await, "impossible");
    expire(&held).await;
    assert_eq!(free_at(&client, &request).await, "optimum");
}

async fn tokens_of_another_process_hold_and_are_revoked_at_once(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    client.get("/api/v1/nodes").await.ok(200);
    let token = site.token("ada", "user");
    client.get("/api/v1/nodes").await.problem(401, "unauthorised");
    let ada = client.with_token(&token);
    ada.get("/api/v1/nodes").await.ok(200);
    let listed = site.command(&["token", "list"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let id = listed.split_whitespace().find(|word| uuid::Uuid::parse_str(word).is_ok()).unwrap();
    assert!(site.command(&["token", "revoke", id]).status().unwrap().success());
    ada.get("/api/v1/nodes").await.problem(401, "unauthorised");
}

/// Somebody holds the lock that every write takes until the quote is answered.
async fn a_quote_does_not_wait_for_a_writer(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 1, None).await;
    let write = "UPDATE book SET changes = changes + 1 WHERE id = 1";
    let answered = if site.database.starts_with("sqlite:") {
        let pool = sqlx::SqlitePool::connect(&site.database).await.unwrap();
        let mut writing = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
        writing.execute(write).await.unwrap();
        let answered = free_at(&client, &hours.request(1, 2, 2)).await;
        writing.rollback().await.unwrap();
        answered
    } else {
        let pool = sqlx::PgPool::connect(&site.database).await.unwrap();
        let mut writing = pool.begin().await.unwrap();
        writing.execute(write).await.unwrap();
        let answered = free_at(&client, &hours.request(1, 2, 2)).await;
        writing.rollback().await.unwrap();
        pool.close().await;
        answered
    };
    assert_eq!(answered, "optimum");
    choose(&client, &propose(&client, &hours.request(1, 2, 2)).await, "cost_co2_energy").await;
}

async fn nodes_on_the_front_are_told_unless_they_are_not_wanted(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let mut request = hours.request(2, 0, 6);
    let told = client.post("/api/v1/quotes", &request).await.ok(200);
    request["pareto_nodes"] = json!(false);
    let quote = client.post("/api/v1/quotes", &request).await.ok(200);
    let front = quote["pareto"].as_array().unwrap();
    assert!(front.iter().all(|it| it.get("nodes").is_none() && it["node_count"] == 2));
    assert_eq!(told["offers"], quote["offers"]);
    for (point, told) in front.iter().zip(told["pareto"].as_array().unwrap()) {
        let mut told = told.clone();
        assert_eq!(told["node_ranges"], json!([[0, 1]]));
        let members = told.as_object_mut().unwrap();
        members.remove("node_ranges");
        members.remove("nodes");
        assert_eq!(&told, point);
    }
    request["pareto_nodes"] = json!("yes");
    let problem = client.post("/api/v1/quotes", &request).await.problem(400, "invalid_body");
    assert_eq!(problem["errors"][0]["pointer"], "/pareto_nodes");
}

async fn a_quote_explains_itself_where_asked_to(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let mut request = hours.request(2, 0, 2);
    assert!(client.post("/api/v1/quotes", &request).await.ok(200).get("explanation").is_none());
    request["explain"] = json!(true);
    let quote = client.post("/api/v1/quotes", &request).await.ok(200);
    let rankings = quote["explanation"]["rankings"].as_array().unwrap();
    assert_eq!(rankings.len(), 6);
    for explained in rankings {
        let wins = |offer: &&serde_json::Value| {
            offer["rankings"].as_array().unwrap().contains(&explained["ranking"])
        };
        let offer = quote["offers"].as_array().unwrap().iter().find(wins).unwrap();
        for key in ["start", "end", "node_count", "energy_j", "cost", "co2_g"] {
            assert_eq!(explained["best"][key], offer[key], "{key}");
        }
        assert_ne!(explained["next_best"]["start"], offer["start"]);
        assert!(explained["one_more_hour"]["start"].is_string());
    }
}
