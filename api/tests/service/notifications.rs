//! Mails to users, taken by a real mail server over TLS: each thing is told once, to whom wants to know it.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{choose, furnish, path, propose};
use crate::ledger;
use crate::mail_server::{MailServer, clock, header, text};
use crate::peers::python;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_user_is_told_once_of_what_they_want,
    a_month_is_reported_once_it_is_over_and_stated,
    of_two_processes_one_sends_and_a_kill_repeats_nothing,
    a_mail_that_no_server_takes_for_a_day_is_given_up_and_holds_up_nobody,
    a_server_with_another_certificate_is_given_nothing,
    codes_are_ten_a_day_however_often_the_address_is_forgotten,
    what_is_wrong_with_a_request_is_told_with_its_place,
    the_command_line_shows_and_changes_what_one_is_told,
}

const NOTIFICATIONS: &str = "/api/v1/notifications";
const CONFIRM: &str = "/api/v1/notifications/confirm";

/// Has a user told of kinds at an address, which they confirm by the code that is sent there.
pub(crate) async fn subscribe(client: &Client, server: &MailServer, address: &str, kinds: &[&str]) {
    let wanted = json!({ "address": address, "kinds": kinds, "begins_soon_min": 10_080 });
    let shown = client.put(NOTIFICATIONS, &wanted).await.ok(200);
    assert_eq!((&shown["address"], &shown["pending_address"]), (&Value::Null, &json!(address)));
    let mail = server.until("is this your address?").await;
    let (_, rest) = text(&mail).split_once("The code is ").unwrap();
    client.post(CONFIRM, &json!({ "code": "0123" })).await.problem(409, "wrong_code");
    let shown = client.post(CONFIRM, &json!({ "code": &rest[..8] })).await.ok(200);
    assert_eq!((&shown["address"], &shown["pending_address"]), (&json!(address), &Value::Null));
    client.post(CONFIRM, &json!({ "code": &rest[..8] })).await.problem(409, "wrong_code");
}

/// A third of a minute passes in a second.
async fn a_user_is_told_once_of_what_they_want(site: Site) {
    let Some(python) = python("a_user_is_told_once_of_what_they_want") else { return };
    let (ada, operator) = (site.token("ada", "user"), site.token("op", "operator"));
    let mails = MailServer::start(&python, "starttls");
    let server = mails.serve(&site, &mails.certificate(), &clock(20)).await;
    let operator = server.client().with_token(&operator);
    let hours = furnish(&operator, 2, None).await;
    let client = server.client().with_token(&ada);
    let kinds = ["offered", "confirmed", "degraded", "begins_soon", "ended"];
    subscribe(&client, &mails, "ada@site.example", &kinds).await;
    let mut request = hours.request(2, 4, 8);
    request["labels"] = json!({ "project": "océan" });
    let reservation = propose(&client, &request).await;
    let offered = mails.until("Offered").await;
    assert!(text(&offered).contains("Held until: "), "{}", text(&offered));
    let reservation = choose(&client, &reservation, "cost_co2_energy").await;
    let confirmed = mails.until("Confirmed").await;
    mails.until("Begins soon").await;
    operator.post("/api/v1/outages", &json!({ "nodes": ["n0"], "reason": "fans" })).await.ok(201);
    let degraded = mails.until("Degraded").await;
    client.delete(&path(&reservation)).await.ok(200);
    mails.until("Cancelled").await;
    // What others do, and what nobody asked for, is not told.
    come_and_go(&operator, &hours.request(1, 4, 8)).await;
    come_and_go(&client, &hours.request(1, 4, 8)).await;
    let id = reservation["id"].as_str().unwrap();
    for part in [
        "Your reservation is confirmed.",
        "What: 2 nodes · océan",
        "Nodes: 2 (n[0-1])",
        "Energy: 0.40 kWh",
        "Europe/Paris)",
        &format!("https://wattbook.example/#/reservations/{id}"),
        "What to do: ",
        "wattbook notify off",
    ] {
        assert!(text(&confirmed).contains(part), "{part}: {}", text(&confirmed));
    }
    assert!(header(&confirmed, "Subject").starts_with("Wattbook: Confirmed: 2 nodes · océan, 20"));
    assert_eq!(header(&confirmed, "From"), "Wattbook <wattbook@site.example>");
    assert_eq!(header(&confirmed, "Auto-Submitted"), "auto-generated");
    assert!(text(&degraded).contains("Why: "), "{}", text(&degraded));
    // The second reservation may have gone before it was offered, or looked what begins soon.
    let all = when_quiet(&mails, 8).await;
    let subjects: Vec<&str> =
        all.iter().map(|mail| header(mail, "Subject").split(':').nth(1).unwrap().trim()).collect();
    let told: BTreeSet<&str> = subjects.iter().copied().collect();
    let expected =
        ["Begins soon", "Cancelled", "Confirmed", "Degraded", "Offered", "is this your address?"];
    assert_eq!(told, BTreeSet::from(expected));
    for (kind, times) in [("Cancelled", 2), ("Confirmed", 2)] {
        let count = subjects.iter().filter(|subject| **subject == kind).count();
        assert_eq!(count, times, "{kind}: {subjects:?}");
    }
    for mail in &all {
        assert_eq!((&mail["tls"], &mail["user"]), (&json!(true), &json!("wattbook")));
        assert_eq!((&mail["to"], &mail["defects"]), (&json!(["ada@site.example"]), &json!([])));
    }
    assert_ids_differ(&all);
    let log = server.log();
    assert!(!log.contains("pa55word") && !log.contains("ada@site.example"), "{log}");
}

/// Ada's two nodes at 150 W from 21:00 to 22:30 on the last evening of February are 3 node-hours, 0.45 kWh, 0.03 EUR
/// and 0.162 kg. An hour after midnight February is over; half a minute passes in a second.
async fn a_month_is_reported_once_it_is_over_and_stated(site: Site) {
    let Some(python) = python("a_month_is_reported_once_it_is_over_and_stated") else { return };
    let (ada, operator) = (site.token("ada", "user"), site.token("op", "operator"));
    ledger::furnish(&site, &operator, &ada).await;
    let mails = MailServer::start(&python, "starttls");
    let settings = mails.settings(&site, &mails.certificate());
    let shown = ledger::EVENING + 5 * ledger::HOUR;
    let server = ledger::serve_with(&site, (shown, 30), "", &settings).await;
    let client = server.client().with_token(&ada);
    subscribe(&client, &mails, "ada@site.example", &["month_report"]).await;
    let report = mails.until("what 2026-02 took").await;
    for part in [
        "Project ocean\nReserved: 3.0 node-hours\nEnergy: 0.45 kWh\nCost: 0.03 EUR\nCO2 (average): 0.162 kg\n",
        "wattbook report",
        "You asked to be told (month_report).",
    ] {
        let told = text(&report).replace("\r\n", "\n");
        assert!(told.contains(part), "{part}: {told}");
    }
    // Not again, by this process or by one that comes after it.
    assert_eq!(when_quiet(&mails, 2).await.len(), 2);
    server.kill();
    let shown = shown + 2 * ledger::HOUR;
    let _server = ledger::serve_with(&site, (shown, 30), "", &settings).await;
    assert_eq!(when_quiet(&mails, 2).await.len(), 2);
}

/// A reservation that is confirmed and cancelled.
async fn come_and_go(client: &Client, request: &Value) {
    let reservation = propose(client, request).await;
    choose(client, &reservation, "cost_co2_energy").await;
    client.delete(&path(&reservation)).await.ok(200);
}

/// All mails, once there are so many and no more have come for a while.
async fn when_quiet(server: &MailServer, least: usize) -> Vec<Value> {
    let mut before = 0;
    for _ in 0..30 {
        tokio::time::sleep(Duration::from_secs(3)).await;
        let mails = server.mails();
        if mails.len() >= least && mails.len() == before {
            return mails;
        }
        before = mails.len();
    }
    panic!("not {least} mails: {:#?}", server.mails());
}

fn assert_ids_differ(mails: &[Value]) {
    let ids: BTreeSet<&str> = mails.iter().map(|mail| header(mail, "Message-ID")).collect();
    assert_eq!(ids.len(), mails.len(), "{ids:?}");
}

async fn of_two_processes_one_sends_and_a_kill_repeats_nothing(site: Site) {
    let name = "of_two_processes_one_sends_and_a_kill_repeats_nothing";
    let Some(python) = python(name) else { return };
    let (ada, operator) = (site.token("ada", "user"), site.token("op", "operator"));
    let mails = MailServer::start(&python, "starttls");
    let (certificate, clock) = (mails.certificate(), clock(1));
    let first = mails.serve(&site, &certificate, &clock).await;
    let second = mails.serve(&site, &certificate, &clock).await;
    let hours = furnish(&first.client().with_token(&operator), 2, None).await;
    let client = first.client().with_token(&ada);
    subscribe(&client, &mails, "ada@site.example", &["confirmed", "ended"]).await;
    for process in [&first, &second] {
        come_and_go(&process.client().with_token(&ada), &hours.request(1, 4, 8)).await;
    }
    assert_eq!(when_quiet(&mails, 5).await.len(), 5, "{:#?}", mails.mails());
    first.kill();
    come_and_go(&second.client().with_token(&ada), &hours.request(1, 4, 8)).await;
    let all = when_quiet(&mails, 7).await;
    assert_eq!(all.len(), 7, "{all:#?}");
    assert_ids_differ(&all);
}

/// An hour passes in a second.
async fn a_mail_that_no_server_takes_for_a_day_is_given_up_and_holds_up_nobody(site: Site) {
    let name = "a_mail_that_no_server_takes_for_a_day_is_given_up_and_holds_up_nobody";
    let Some(python) = python(name) else { return };
    let tokens = ["ada", "bob", "eve"].map(|name| site.token(name, "user"));
    let operator = site.token("op", "operator");
    let mails = MailServer::start(&python, "starttls");
    let server = mails.serve(&site, &mails.certificate(), &clock(3600)).await;
    let addresses = ["ada@refused.example", "bob@busy.example", "eve@site.example"];
    for (token, address) in tokens.iter().zip(addresses) {
        let client = server.client().with_token(token);
        client.put(NOTIFICATIONS, &json!({ "address": address })).await.ok(200);
    }
    let mail = mails.until("is this your address?").await;
    assert_eq!(mail["to"], json!(["eve@site.example"]));
    let operator = server.client().with_token(&operator);
    let given_up = "wattbook_mails_total{outcome=\"given_up\"} 2";
    for _ in 0..900 {
        let metrics = operator.get("/metrics").await.body;
        // Those that wait are counted once in a turn.
        if metrics.contains(given_up) && metrics.contains("wattbook_mails_waiting 0") {
            assert!(metrics.contains("wattbook_mails_total{outcome=\"sent\"} 1"), "{metrics}");
            let log = server.log();
            assert!(
                log.contains("gave up sending a mail") && log.contains("no such mailbox"),
                "{log}"
            );
            assert_eq!(mails.mails().len(), 1);
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("not given up: {}", server.log());
}

async fn a_server_with_another_certificate_is_given_nothing(site: Site) {
    let Some(python) = python("a_server_with_another_certificate_is_given_nothing") else { return };
    let ada = site.token("ada", "user");
    let (mails, other) =
        (MailServer::start(&python, "implicit"), MailServer::start(&python, "implicit"));
    let clock = clock(20);
    let server = mails.serve(&site, &other.certificate(), &clock).await;
    let client = server.client().with_token(&ada);
    client.put(NOTIFICATIONS, &json!({ "address": "ada@site.example" })).await.ok(200);
    for _ in 0..600 {
        if server.log().contains("did not take a mail") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(server.log().contains("did not take a mail"), "{}", server.log());
    assert!(mails.mails().is_empty());
    server.kill();
    let _server = mails.serve(&site, &mails.certificate(), &clock).await;
    assert_eq!(mails.until("is this your address?").await["tls"], true);
}

/// Two minutes pass in a second: the pause of a minute passes often, the day does not end.
async fn codes_are_ten_a_day_however_often_the_address_is_forgotten(site: Site) {
    let settings = "[mail]\nserver = \"localhost\"\nport = 9\nfrom = \"wattbook@site.example\"\n";
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    let clock = clock(120);
    let server = site.serve_with(&["--config", "wattbook.toml", "--clock", &clock]).await;
    let client = server.client();
    let (mut sent, mut paused, mut last_wait_s) = (0, 0, 0);
    for _ in 0..80 {
        client.put(NOTIFICATIONS, &json!({ "address": null })).await.ok(200);
        let named = client.put(NOTIFICATIONS, &json!({ "address": "eve@site.example" })).await;
        if named.status == 200 {
            sent += 1;
        } else {
            named.problem(429, "code_sent");
            last_wait_s = named.header("retry-after").parse().unwrap();
            paused += i32::from(last_wait_s <= 60);
        }
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
    assert_eq!(sent, 10);
    assert!(paused > 0 && last_wait_s > 3600, "{paused}, {last_wait_s}");
}

async fn what_is_wrong_with_a_request_is_told_with_its_place(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let wrong = json!({
        "address": "ada@site.example\r\nBcc: bob@site.example",
        "kinds": ["confirmed", "everything"],
        "begins_soon_min": 0,
        "frequency": "daily",
    });
    let problem = client.put(NOTIFICATIONS, &wrong).await.problem(400, "invalid_body");
    let pointers: BTreeSet<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["pointer"].as_str().unwrap())
        .collect();
    let expected = ["/address", "/begins_soon_min", "/frequency", "/kinds/1"];
    assert_eq!(pointers, BTreeSet::from(expected));
    let address = json!({ "address": "ada@site.example" });
    client.put(NOTIFICATIONS, &address).await.problem(409, "no_mail");
    let shown = client.get(NOTIFICATIONS).await.ok(200);
    let nothing = json!({
        "address": null, "pending_address": null, "kinds": [], "begins_soon_min": 30,
        "sends_mails": false, "webhook_url": null, "webhook_secret": null, "webhook_status": null,
    });
    assert_eq!(shown, nothing);
    // What is left out stays as it is.
    client.put(NOTIFICATIONS, &json!({ "kinds": ["ended", "offered", "ended"] })).await.ok(200);
    client.put(NOTIFICATIONS, &json!({ "begins_soon_min": 45 })).await.ok(200);
    let shown = client.get(NOTIFICATIONS).await.ok(200);
    assert_eq!(shown["kinds"], json!(["offered", "ended"]));
    assert_eq!(shown["begins_soon_min"], 45);
}

async fn the_command_line_shows_and_changes_what_one_is_told(site: Site) {
    let server = site.serve().await;
    let url = format!("http://{}", server.address);
    let run = |arguments: &[&str]| {
        let whole = [&["notify"], arguments, &["--url", &url]].concat();
        let output = site.command(&whole).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (status, told) = run(&["set", "--kinds", "confirmed,ended", "--begins-soon-min", "15"]);
    assert_eq!(status, Some(0));
    assert!(told.contains("told of      confirmed, ended\n"), "{told}");
    assert!(told.contains("begins soon  15 minutes before"), "{told}");
    assert_eq!(run(&["set", "--kinds", "everything"]).0, Some(2));
    assert_eq!(run(&["set", "--address", "nobody"]).0, Some(2));
    assert_eq!(run(&["set", "--address", "ada@site.example"]).0, Some(4), "nobody sends mails");
    assert_eq!(run(&["confirm", "00000000"]).0, Some(4));
    let (_, shown) = run(&["show", "--format", "json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["kinds"], json!(["confirmed", "ended"]));
    assert_eq!(run(&["off"]).0, Some(0));
    assert!(run(&["show"]).1.contains("told of      nothing"));
}
