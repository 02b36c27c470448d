//! A supplier who grants a part, says nothing, or lowers the cap under what is confirmed.

use std::time::{Duration, Instant};

use serde_json::json;

use super::vtn::{self, Vtn, event, reports, told};
use super::{report, says, under_contract, until_state};
use crate::cluster::{choose, path, propose};
use crate::site::Site;
use crate::supply::until;

/// Once our report of a name is as wanted; one that says nothing is taken away.
async fn until_told(vtn: &Vtn, name: &str, wanted: &[&[&str]]) {
    let begun = Instant::now();
    loop {
        let told: Vec<_> = reports(vtn, name).await.iter().map(told).collect();
        let nothing = wanted.is_empty() && told.is_empty();
        if nothing || told.last().is_some_and(|told| told == wanted) {
            return;
        }
        assert!(begun.elapsed() < vtn::LONG, "{wanted:?} is not told: {told:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Two want three of six nodes, 600 W each, in one hour under 400 W: 800 W are missing. 200 W are
/// granted at 2 a kW: the first is proposed for 0.4 more, the second waits in vain for the 600 W that
/// it lacks still.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_part_that_is_granted_is_for_whoever_asked_first() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let site = Site::sqlite();
    let (server, hours) = under_contract(&site, &vtn, &program, 60).await;
    let client = server.client();
    let mut request = hours.request(3, 2, 2);
    request["on_cap"] = json!("negotiate");
    let mut paying = request.clone();
    paying["extra_power_fee_limit"] = json!(2);
    let first = propose(&client, &paying).await;
    let second = propose(&client, &request).await;
    let asked = ["IMPORT_RESERVATION_CAPACITY 0.8", "IMPORT_RESERVATION_FEE 2.5"];
    until_told(&vtn, "wattbook-request", &[&asked]).await;
    let grant = says(&program, hours, "IMPORT_CAPACITY_RESERVATION", 0.2, 2.0);
    program.create_event(grant).await.unwrap();
    let proposed = until_state(&client, &first, "proposed").await;
    assert_eq!(proposed["offers"][0]["extra_power_fee"], 0.4);
    choose(&client, &proposed, "cost_co2_energy").await;
    let rest = ["IMPORT_RESERVATION_CAPACITY 0.6", "IMPORT_RESERVATION_FEE 0.0"];
    until_told(&vtn, "wattbook-request", &[&rest]).await;
    let rejected = until_state(&client, &second, "rejected").await;
    assert_eq!(rejected["notice"]["code"], "unanswered");
    let list = "/api/v1/negotiations?kind=extra_power&state=closed";
    let closed = until(&client, list, |it| it["items"][0]["outcome"] == "partly_granted").await;
    assert_eq!(closed["items"].as_array().unwrap().len(), 1);
    assert_eq!(client.get(&path(&first)).await.ok(200)["state"], "confirmed");
    assert_eq!(client.get(&path(&first)).await.ok(200)["degraded"], false);
    // Nothing is asked for any more.
    until_told(&vtn, "wattbook-request", &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn silence_until_the_deadline_is_a_no() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let site = Site::sqlite();
    let (server, hours) = under_contract(&site, &vtn, &program, 20).await;
    let client = server.client();
    let waiting = super::ask(&client, hours).await;
    report(&vtn, "wattbook-request").await;
    let rejected = until_state(&client, &waiting, "rejected").await;
    let notice = &rejected["notice"];
    assert_eq!(notice["code"], "unanswered");
    assert_eq!(notice["detail"], "the supplier did not answer in time");
    assert!(notice["way_out"].as_str().is_some_and(|it| it.contains("fewer nodes")), "{notice}");
    let list = "/api/v1/negotiations?kind=extra_power";
    let closed = until(&client, list, |it| it["items"][0]["state"] == "closed").await;
    assert_eq!(closed["items"][0]["outcome"], "unanswered");
    // The request is taken back, so that the supplier grants nothing that nobody wants.
    until_told(&vtn, "wattbook-request", &[]).await;
}

/// Two nodes are booked with the 400 W there are; then there are 200. The supplier is asked for the
/// difference, and what it grants makes the promise good again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_cap_lowered_under_a_confirmed_plan_is_made_good_by_a_grant() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let site = Site::sqlite();
    let (server, hours) = under_contract(&site, &vtn, &program, 900).await;
    let client = server.client();
    let booked = propose(&client, &hours.request(2, 2, 2)).await;
    choose(&client, &booked, "cost_co2_energy").await;
    let lower = event(&program, "lower", "IMPORT_CAPACITY_LIMIT", 0, &[0.2; 24]);
    program.create_event(lower).await.unwrap();
    let flagged = until(&client, &path(&booked), |it| it["degraded"] == true).await;
    assert_eq!(flagged["state"], "confirmed");
    assert!(flagged["notice"]["detail"].is_string(), "{flagged}");
    let difference = ["IMPORT_RESERVATION_CAPACITY 0.2", "IMPORT_RESERVATION_FEE 0.0"];
    until_told(&vtn, "wattbook-request", &[&difference]).await;
    let grant = says(&program, hours, "IMPORT_CAPACITY_RESERVATION", 0.2, 0.0);
    program.create_event(grant).await.unwrap();
    until(&client, &path(&booked), |it| it["degraded"] == false).await;
}
