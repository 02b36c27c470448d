//! What signing in costs: each access token is verified once a request, and one address takes a part of the room alone.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;

use crate::budgets::metric;
use crate::client::{Answer, answer};
use crate::issuer::{Issuer, Key};
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    an_access_token_is_verified_once_a_request,
    one_address_keeps_nobody_else_from_signing_in,
}

async fn an_access_token_is_verified_once_a_request(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    let server = issuer.serve(&site, "").await;
    let robot = server.client().with_token(&site.token("robot", "operator"));
    let checks = async || metric(&robot, "wattbook_access_token_checks_total").await;
    // The first fetches the keys, and nothing could be said before.
    let ada = server.client().with_token(&key.sign(&issuer.claims("ada", "hpc")));
    ada.get("/api/v1/me").await.ok(200);
    let before = checks().await;
    for _ in 0..10 {
        ada.get("/api/v1/me").await.ok(200);
    }
    assert_eq!(checks().await, before + 10);
    // One that is refused is looked at by the keys as they are then, too.
    let foreign = Key::new("2").sign(&issuer.claims("ada", "hpc"));
    server.client().with_token(&foreign).get("/api/v1/me").await.problem(401, "unauthorised");
}

async fn device_code(server: &Server, issuer: &Issuer, from: &str) -> Answer {
    let body = json!({ "issuer": issuer.address });
    let request = server.client().request(Method::POST, "/api/v1/sign-in/device");
    answer(request.header("X-Forwarded-For", from).json(&body)).await
}

/// Of six that ask at once from one address four are served while the issuer takes its time, and who asks from another one
/// is served, too.
async fn one_address_keeps_nobody_else_from_signing_in(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    let more = "cli_client_id = \"wattbook-cli\"\n[limits]\ntrusted_proxies = [\"127.0.0.1\"]\n";
    let server = issuer.serve(&site, more).await;
    server.client().get("/api/v1/sign-in").await.ok(200);
    issuer.takes(Duration::from_secs(3));
    let mut asking = JoinSet::new();
    for _ in 0..6 {
        let (client, address) = (server.client(), issuer.address.clone());
        asking.spawn(async move {
            let request = client.request(Method::POST, "/api/v1/sign-in/device");
            let body = json!({ "issuer": address });
            answer(request.header("X-Forwarded-For", "192.0.2.7").json(&body)).await
        });
    }
    // Two of them are refused at once.
    for _ in 0..2 {
        let refused = asking.join_next().await.unwrap().unwrap();
        assert_eq!(refused.header("retry-after"), "1");
        let problem = refused.problem(503, "overloaded");
        assert!(problem["detail"].as_str().unwrap().contains("your address"), "{problem}");
    }
    assert_eq!(device_code(&server, &issuer, "192.0.2.8").await.ok(200)["user_code"], "WDJB-MJHT");
    while let Some(served) = asking.join_next().await {
        served.unwrap().ok(200);
    }
    issuer.takes(Duration::ZERO);
    device_code(&server, &issuer, "192.0.2.7").await.ok(200);
}
