//! The service on a real OpenADR server, which `.ci/openadr-vtn` brings; elsewhere ignored.

// The server, as the tests of the VEN itself have it.
#[path = "../../../grid-feeds/openadr/tests/vtn/server.rs"]
#[expect(dead_code, reason = "what only the tests of the VEN need")]
mod vtn;

mod contact;
mod doubt;
mod silence;

use openleadr_client::{BusinessLogic, ProgramClient};
use openleadr_wire::Report;
use openleadr_wire::event::EventRequest;
use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{Hours, choose, furnish, path, propose};
use crate::server::Server;
use crate::site::Site;
use crate::supply::{feed, until, write};
use vtn::{Vtn, event, hour, reports, request, told};

type Program = ProgramClient<BusinessLogic>;

/// A cap of the server, as good for `fresh_for_s`, in place of which 5 kW hold.
fn settings(vtn: &Vtn, poll_every_s: u32, fresh_for_s: u32) -> String {
    let settings = vtn.settings();
    let grid_feeds::feed::SecretSource::File(secret) = settings.client_secret else {
        panic!("a file");
    };
    format!(
        "[openadr]\nbase_url = \"{}\"\nclient_id = \"{}\"\nclient_secret = {{ file = \"{}\" }}\n\
         ven_name = \"site-1\"\nprogram = \"power\"\npoll_every_s = {poll_every_s}\n\
         [[feeds]]\nid = \"caps\"\nquantity = \"power-cap\"\nprovider = \"openadr\"\n\
         fresh_for_s = {fresh_for_s}\n\
         poll = {{ catch_up_s = 0, backoff_first_s = 1, backoff_longest_s = 2, refused_s = 1 }}\n\
         [agendas.power-cap]\nsafe_mode_cap_w = 5000\ndays_ahead = 1\n",
        vtn.url(),
        settings.client_id,
        secret.display()
    )
}

async fn serve(site: &Site, settings: &str) -> Server {
    write(site, settings);
    site.serve_with(&["--config", "wattbook.toml"]).await
}

/// Until the agenda says so of the hour after next.
async fn until_cap(client: &Client, cap_w: f64, standing: &str) {
    let (from, to) = (hour(2), hour(3));
    let path = format!("/api/v1/agendas/power-cap?from={from}&to={to}");
    let holds = |agenda: &Value| {
        agenda["pieces"][0]["cap_w"] == cap_w && agenda["provenance"][0]["standing"] == standing
    };
    until(client, &path, holds).await;
}

/// A poll would take an hour: what the supplier changes comes by a notification.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_lowered_cap_comes_at_once() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let limits =
        |kilowatts: f64| event(&program, "cap", "IMPORT_CAPACITY_LIMIT", 0, &[kilowatts; 12]);
    let mut cap = program.create_event(limits(60.0)).await.unwrap();
    let site = Site::sqlite();
    let server = serve(&site, &settings(&vtn, 3600, 7200)).await;
    let client = server.client();
    until_cap(&client, 60_000.0, "fresh").await;
    let connected = async || {
        let metrics = client.get("/metrics").await.body;
        metrics.contains("wattbook_supplier_notifications_total").then_some(())
    };
    vtn::until(connected).await;
    *cap.content_mut() = limits(40.0);
    cap.update().await.unwrap();
    until_cap(&client, 40_000.0, "fresh").await;
    let feeds = client.get("/api/v1/feeds").await.ok(200);
    assert_eq!(feed(&feeds, "caps")["provider"], "openadr");
    assert!(!server.log().contains("ven-client\""), "{}", server.log());
}

/// What the supplier cancels it says no longer, though it was heard of a moment ago.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_cancelled_event_is_taken_back() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let limits =
        |kilowatts: f64| event(&program, "cap", "IMPORT_CAPACITY_LIMIT", 0, &[kilowatts; 12]);
    let cap = program.create_event(limits(60.0)).await.unwrap();
    let site = Site::sqlite();
    let server = serve(&site, &settings(&vtn, 1, 7200)).await;
    let client = server.client();
    until_cap(&client, 60_000.0, "fresh").await;
    cap.delete().await.unwrap();
    until_cap(&client, 5_000.0, "safe_mode").await;
    let revisions = client.get("/api/v1/feeds/caps/revisions").await.ok(200);
    let note = revisions["items"][0]["notes"][0].as_str().unwrap();
    assert!(note.starts_with("takes back what was said of"), "{note}");
    program.create_event(limits(40.0)).await.unwrap();
    until_cap(&client, 40_000.0, "fresh").await;
}

/// Contact is lost for longer than the cap is fresh: the safe-mode cap holds, until the supplier is
/// there again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn without_contact_the_safe_mode_cap_holds() {
    let mut vtn = Vtn::start().await;
    let program = vtn.program().await;
    // From now on and without end.
    let endless = request(serde_json::json!({
        "programID": program.id().as_str(),
        "intervalPeriod": {"start": "0001-01-01T00:00:00Z", "duration": "P9999Y"},
        "intervals": [{"id": 0, "payloads":
            [{"type": "IMPORT_CAPACITY_LIMIT", "values": [60.0]}]}],
    }));
    program.create_event(endless).await.unwrap();
    let site = Site::sqlite();
    let server = serve(&site, &settings(&vtn, 1, 5)).await;
    let client = server.client();
    until_cap(&client, 60_000.0, "fresh").await;
    vtn.kill();
    until_cap(&client, 5_000.0, "safe_mode").await;
    vtn.start_again('B').await;
    until_cap(&client, 60_000.0, "fresh").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn the_command_line_tries_the_server() {
    let vtn = Vtn::start().await;
    let site = Site::sqlite();
    write(&site, &settings(&vtn, 60, 7200));
    let check = || {
        let output = site.command(&["feeds", "check", "--config", "wattbook.toml"]).output();
        let output = output.unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    let (passed, words) = check();
    // A program that is not there yet is nothing that this site could mend.
    assert!(passed && words.contains("shows no program"), "{words}");
    let program = vtn.program().await;
    let cap = event(&program, "cap", "IMPORT_CAPACITY_LIMIT", 1, &[60.0, 50.0]);
    program.create_event(cap).await.unwrap();
    let (passed, words) = check();
    assert!(passed && words.contains("power cap in W of power: 2 values"), "{words}");
}

/// Six nodes of 200 W under a contract of 400 W, and a supplier that takes requests for more.
async fn under_contract(
    site: &Site,
    vtn: &Vtn,
    program: &Program,
    answer_within_s: u32,
) -> (Server, Hours) {
    under_contract_with(site, program, settings(vtn, 1, 7200), answer_within_s).await
}

/// The same with these settings of the server.
async fn under_contract_with(
    site: &Site,
    program: &Program,
    settings: String,
    answer_within_s: u32,
) -> (Server, Hours) {
    let mut contract = event(program, "contract", "IMPORT_CAPACITY_SUBSCRIPTION", 0, &[0.4; 24]);
    let asks = json!([
        { "payloadType": "IMPORT_RESERVATION_CAPACITY" },
        { "payloadType": "USAGE_FORECAST" },
    ]);
    contract.report_descriptors = Some(serde_json::from_value(asks).unwrap());
    program.create_event(contract).await.unwrap();
    let settings = settings
        + &format!(
            "[negotiation]\ninterval_s = 3600\ndebounce_s = 0\nanswer_within_s = {answer_within_s}\n"
        );
    let server = serve(site, &settings).await;
    let client = server.client();
    let hours = furnish(&client, 6, None).await;
    until_cap(&client, 400.0, "fresh").await;
    (server, hours)
}

/// Four nodes want 800 W for an hour, with at most 2 EUR to be paid.
async fn ask(client: &Client, hours: Hours) -> Value {
    let mut request = hours.request(4, 2, 2);
    request["on_cap"] = json!("negotiate");
    request["extra_power_fee_limit"] = json!(2);
    let waiting = propose(client, &request).await;
    assert_eq!(waiting["state"], "awaiting_supplier");
    waiting
}

/// An event that says how much more there is in the hour asked for, and what each kW of it costs.
fn says(program: &Program, hours: Hours, kind: &str, kilowatts: f64, per_kw: f64) -> EventRequest {
    let price = if kind.ends_with("AVAILABLE") { "PRICE" } else { "FEE" };
    let price = format!("{kind}_{price}");
    request(json!({
        "programID": program.id().as_str(), "eventName": "answer", "priority": 5,
        "payloadDescriptors": [
            {"payloadType": kind, "units": "KW"},
            {"payloadType": price, "units": "EUR", "currency": "EUR"}],
        "intervals": [{"id": 0,
            "intervalPeriod": {"start": hours.hour(2), "duration": "PT1H"},
            "payloads": [
                {"type": kind, "values": [kilowatts]}, {"type": price, "values": [per_kw]}]}],
    }))
}

/// Our report of a name, once the server has it.
async fn report(vtn: &Vtn, name: &str) -> Report {
    vtn::until(async || reports(vtn, name).await.pop()).await
}

async fn until_state(client: &Client, reservation: &Value, state: &str) -> Value {
    until(client, &path(reservation), |it| it["state"] == state).await
}

/// 400 W are missing: 0.4 kW are asked for, at most 5 EUR for each kW. They are granted at 2 EUR, 0.8
/// in all, and booked: 0.8 kWh at 100 a MWh and the fee.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_peak_is_asked_for_granted_and_booked() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let site = Site::sqlite();
    let (server, hours) = under_contract(&site, &vtn, &program, 900).await;
    let client = server.client();
    let waiting = ask(&client, hours).await;
    let asked = told(&report(&vtn, "wattbook-request").await);
    assert_eq!(asked, [["IMPORT_RESERVATION_CAPACITY 0.4", "IMPORT_RESERVATION_FEE 5.0"]]);
    report(&vtn, "wattbook-plan").await;
    let grant = says(&program, hours, "IMPORT_CAPACITY_RESERVATION", 0.4, 2.0);
    let grant = program.create_event(grant).await.unwrap();
    let proposed = until_state(&client, &waiting, "proposed").await;
    let offer = &proposed["offers"][0];
    assert_eq!((&offer["extra_power_fee"], &offer["cost"]), (&json!(0.8), &json!(0.88)));
    choose(&client, &proposed, "cost_co2_energy").await;
    // The supplier takes it back: whoever used it is flagged.
    grant.delete().await.unwrap();
    until(&client, &path(&waiting), |it| it["degraded"] == true).await;
}

/// 0.4 kW at 10 EUR for each are 4 EUR; 2 were said to be paid.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn power_for_more_than_the_limit_is_a_no() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let site = Site::sqlite();
    let (server, hours) = under_contract(&site, &vtn, &program, 900).await;
    let client = server.client();
    let waiting = ask(&client, hours).await;
    report(&vtn, "wattbook-request").await;
    let offer = says(&program, hours, "IMPORT_CAPACITY_AVAILABLE", 1.0, 10.0);
    program.create_event(offer).await.unwrap();
    let rejected = until_state(&client, &waiting, "rejected").await;
    let detail = rejected["notice"]["detail"].as_str().unwrap();
    assert!(detail.contains("asks 4 EUR") && detail.contains("limit of 2 EUR"), "{detail}");
}
