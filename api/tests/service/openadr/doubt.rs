//! A supplier who says what cannot be read, and who wants to take back what was said.

use serde_json::{Value, json};

use super::vtn::{self, Vtn, event, hour};
use super::{report, serve, settings, until_cap};
use crate::client::Client;
use crate::cluster::{Hours, furnish};
use crate::server::Server;
use crate::site::Site;
use crate::supply::{feed, until};

/// A site that speaks with its supplier, under a contract of 1,000 W which asks for nothing.
async fn under_contract(site: &Site, vtn: &Vtn, program: &super::Program) -> (Server, Hours) {
    let contract = event(program, "contract", "IMPORT_CAPACITY_SUBSCRIPTION", 0, &[1.0; 72]);
    program.create_event(contract).await.unwrap();
    let settings = settings(vtn, 1, 7200).replace("days_ahead = 1", "days_ahead = 3")
        + "[negotiation]\ninterval_s = 3600\ndebounce_s = 0\n";
    let server = serve(site, &settings).await;
    let hours = furnish(&server.client(), 6, None).await;
    until_cap(&server.client(), 1_000.0, "fresh").await;
    (server, hours)
}

/// The caps of an hour so many hours ahead.
async fn caps(client: &Client, ahead: i64) -> Vec<Value> {
    let path = format!("/api/v1/agendas/power-cap?from={}&to={}", hour(ahead), hour(ahead + 1));
    let agenda = client.get(&path).await.ok(200);
    agenda["pieces"].as_array().unwrap().iter().map(|piece| piece["cap_w"].clone()).collect()
}

async fn until_feed(client: &Client, status: &str) -> Value {
    let feeds = until(client, "/api/v1/feeds", |it| feed(it, "caps")["status"] == status).await;
    feed(&feeds, "caps").clone()
}

/// The limit of 3 kW in kVA, two hours of it, is 40 hours ahead: the 1,000 W of the contract hold there
/// and do not rise when the contract does. The emergency of 200 W counts at once. Once the limit is
/// mended to kW, all is as the events say.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn an_event_that_cannot_be_read_does_not_keep_an_emergency_from_counting() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let site = Site::sqlite();
    let (server, _) = under_contract(&site, &vtn, &program).await;
    let client = server.client();
    let mut apparent = event(&program, "apparent", "IMPORT_CAPACITY_LIMIT", 40, &[3.0, 3.0]);
    let descriptor = |unit: &str| {
        let descriptors = json!([{"payloadType": "IMPORT_CAPACITY_LIMIT", "units": unit}]);
        Some(serde_json::from_value(descriptors).unwrap())
    };
    apparent.payload_descriptors = descriptor("KVA");
    let mut apparent = program.create_event(apparent).await.unwrap();
    let told = until_feed(&client, "failing").await;
    let error = &told["last_error"];
    assert_eq!(error["class"], "partly_read");
    let detail = error["detail"].as_str().unwrap();
    assert!(detail.contains("apparent") && detail.contains("interval 0"), "{detail}");
    assert!(detail.contains("KVA") && detail.contains("mends or cancels"), "{detail}");
    assert_eq!(caps(&client, 40).await, [json!(1_000.0)]);

    let emergency = event(&program, "emergency", "IMPORT_CAPACITY_LIMIT", 2, &[0.2]);
    program.create_event(emergency).await.unwrap();
    until_cap(&client, 200.0, "fresh").await;
    let more = event(&program, "more", "IMPORT_CAPACITY_SUBSCRIPTION", 36, &[2.0; 12]);
    program.create_event(more).await.unwrap();
    vtn::until(async || (caps(&client, 39).await == [json!(2_000.0)]).then_some(())).await;
    assert_eq!(caps(&client, 40).await, [json!(1_000.0)], "it may fall and not rise");
    assert_eq!(caps(&client, 41).await, [json!(1_000.0)]);
    let metrics = client.get("/metrics").await.body;
    assert!(metrics.contains("wattbook_feed_unread{feed=\"caps\"} 1"), "{metrics}");

    // The dialogue tells it too, once.
    let list = "/api/v1/negotiations?kind=notice";
    let notices = until(&client, list, |it| !it["items"].as_array().unwrap().is_empty()).await;
    let path = format!("/api/v1/negotiations/{}", notices["items"][0]["id"].as_str().unwrap());
    let unread = |told: &Value| {
        let messages = told["messages"].as_array().unwrap();
        messages.iter().filter(|it| it["kind"] == "unread").count()
    };
    let told = until(&client, &path, |told| unread(told) == 1).await;
    assert!(told.to_string().contains("KVA"), "{told:#}");

    apparent.content_mut().payload_descriptors = descriptor("KW");
    apparent.update().await.unwrap();
    vtn::until(async || (caps(&client, 40).await == [json!(2_000.0)]).then_some(())).await;
    assert_eq!(until_feed(&client, "ok").await["last_error"], Value::Null);
}

/// Nothing asks for reports: the plan answers the price, so that the grant, which is the newest event,
/// can be taken back without a conflict. It ends here too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_grant_can_be_taken_back_while_plans_are_told() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let site = Site::sqlite();
    let (server, hours) = under_contract(&site, &vtn, &program).await;
    let client = server.client();
    // Until there is an event that may have it the plan waits, and says what for.
    let list = "/api/v1/negotiations?kind=planned_consumption";
    let open = until(&client, list, |it| !it["items"].as_array().unwrap().is_empty()).await;
    let path = format!("/api/v1/negotiations/{}", open["items"][0]["id"].as_str().unwrap());
    let waiting = until(&client, &path, |told| {
        let messages = told["messages"].as_array().unwrap();
        messages.last().is_some_and(|it| it["attempts"].as_u64() > Some(0))
    })
    .await;
    let words = waiting.to_string();
    assert!(words.contains("report descriptor of USAGE_FORECAST"), "{waiting:#}");
    program.create_event(event(&program, "price", "PRICE", 0, &[0.1; 24])).await.unwrap();
    let plan = report(&vtn, "wattbook-plan").await;
    let grant = super::says(&program, hours, "IMPORT_CAPACITY_RESERVATION", 0.4, 0.0);
    let grant = program.create_event(grant).await.unwrap();
    let granted = |it: &Value| it["items"].as_array().is_some_and(|it| !it.is_empty());
    until(&client, "/api/v1/grants", granted).await;
    // Told anew, since the book changed: it does not move to the grant.
    let request = hours.request(2, 2, 2);
    let proposed = crate::cluster::propose(&client, &request).await;
    crate::cluster::choose(&client, &proposed, "cost_co2_energy").await;
    let newer = async || {
        let newest = report(&vtn, "wattbook-plan").await;
        (newest.modification_date_time > plan.modification_date_time).then_some(newest)
    };
    assert_ne!(vtn::until(newer).await.content.event_id, *grant.id());
    grant.delete().await.unwrap();
    until(&client, "/api/v1/grants", |it| it["items"][0]["standing"] == "revoked").await;
}
