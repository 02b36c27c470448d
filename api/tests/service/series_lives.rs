//! Series over time: what runs is given back or goes on, who is erased gets nothing more, who asked is told by mail, and
//! all of it from a terminal.

use std::path::Path;
use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use crate::booking::say_as;
use crate::client::{Client, answer};
use crate::cluster::{instant, now, path as path_of, seconds};
use crate::mail_server::{MailServer, clock, header, text};
use crate::notifications::subscribe;
use crate::peers::python;
use crate::series::{announce, daily, furnish_days, of_each, path};
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    what_runs_of_a_series_that_ends_goes_on_or_is_given_back,
    of_who_is_erased_nothing_more_is_booked,
    whoever_wants_it_is_told_by_mail_of_what_cannot_be_had,
    who_has_a_series_is_told_by_mail_of_what_others_do_with_it,
}

/// A quarter of an hour after the first of two occurrences of each of two series began, which last an hour each.
async fn what_runs_of_a_series_that_ends_goes_on_or_is_given_back(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish_days(&client, 4, 3).await;
    let mut asked = daily(hours, 2);
    asked["request"] = hours.request(1, 0, 0);
    let kept = client.post("/api/v1/series", &asked).await.ok(201);
    let given = client.post("/api/v1/series", &asked).await.ok(201);
    server.kill();
    let shown = format!("{}={}@1", instant(now()), instant(hours.at(0) + 900));
    let server = site.serve_with(&["--clock", &shown]).await;
    let client = server.client();

    let ended = client.delete(&path(&kept)).await.ok(200);
    assert_eq!(ended["state"], "ended");
    assert_eq!(of_each(&ended, "reservation_state"), ["active", "cancelled"]);
    assert_eq!(of_each(&ended, "state"), ["booked", "ended"]);
    let ended = client.delete(&format!("{}?running=release", path(&given))).await.ok(200);
    assert_eq!(of_each(&ended, "reservation_state"), ["completed", "cancelled"]);
    let first = path_of(&json!({ "id": of_each(&ended, "reservation_id")[0] }));
    let end = seconds(&client.get(&first).await.ok(200)["end"]);
    assert!((hours.at(0) + 900..hours.at(1)).contains(&end), "{end}");
}

async fn confirmed(client: &Client) -> usize {
    let live = client.get("/api/v1/reservations?state=confirmed").await.ok(200);
    live["items"].as_array().unwrap().len()
}

/// Two of four occurrences are booked. Once these are cancelled, Ada is erased.
async fn of_who_is_erased_nothing_more_is_booked(site: Site) {
    let (ada, olga) = (site.token("ada", "user"), site.token("olga", "operator"));
    let server = site.serve().await;
    let [ada, olga] = [ada, olga].map(|token| server.client().with_token(&token));
    let hours = furnish_days(&olga, 4, 2).await;
    let made = ada.post("/api/v1/series", &daily(hours, 4)).await.ok(201);
    let erase = || site.command(&["user", "erase", "ada"]).output().unwrap();
    let refused = erase();
    let told = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{told}");
    assert!(told.contains("2 reservations of \"ada\" have yet to end"), "{told}");
    for id in &of_each(&made, "reservation_id")[..2] {
        ada.delete(&path_of(&json!({ "id": id }))).await.ok(200);
    }
    let erased = erase();
    assert!(erased.status.success(), "{erased:?}");
    let series = olga.get(&path(&made)).await.ok(200);
    assert_eq!(series["state"], "ended");
    assert!(series["owner"].as_str().unwrap().starts_with("erased-"), "{series}");
    assert_eq!(of_each(&series, "state"), ["booked", "booked", "ended", "ended"]);
    announce(&olga, hours, 5).await;
    // The task looks every two seconds.
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(confirmed(&olga).await, 0);
    assert_eq!(olga.get(&path(&made)).await.ok(200)["occurrences"], series["occurrences"]);
}

/// A service that sends mails, with Ada, who is a user, and Olga, who is an operator.
async fn with_mails(site: &Site, python: &Path) -> (MailServer, Server, [Client; 2]) {
    let tokens = [("ada", "user"), ("olga", "operator")].map(|(name, role)| site.token(name, role));
    let mails = MailServer::start(python, "starttls");
    let server = mails.serve(site, &mails.certificate(), &clock(1)).await;
    let clients = tokens.map(|token| server.client().with_token(&token));
    (mails, server, clients)
}

/// Both nodes are taken in all of the second window.
async fn whoever_wants_it_is_told_by_mail_of_what_cannot_be_had(site: Site) {
    let Some(python) = python("whoever_wants_it_is_told_by_mail_of_what_cannot_be_had") else {
        return;
    };
    let (mails, _server, [ada, olga]) = with_mails(&site, &python).await;
    let hours = furnish_days(&olga, 2, 4).await;
    let mut taken = hours.request(2, 24, 24);
    taken["duration_s"] = json!(7 * 3600);
    let held = olga.post("/api/v1/reservations", &taken).await.ok(201);
    crate::cluster::choose(&olga, &held, "cost_co2_energy").await;
    subscribe(&ada, &mails, "ada@site.example", &["confirmed", "degraded"]).await;
    let made = ada.post("/api/v1/series", &daily(hours, 3)).await.ok(201);
    assert_eq!(of_each(&made, "state"), ["booked", "impossible", "booked"]);
    let mail = mails.until("Not possible").await;
    let occurrence = made["occurrences"][1]["occurrence"].as_str().unwrap();
    let reason = made["occurrences"][1]["reason"]["detail"].as_str().unwrap();
    for part in [occurrence, &reason[..20.min(reason.len())]] {
        assert!(text(&mail).contains(part), "{part}: {}", text(&mail));
    }
    mails.until("Confirmed").await;
}

/// `hour` as a local time of the zone UTC.
fn local(hour: &str) -> &str {
    hour.trim_end_matches('Z')
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_series_is_made_changed_given_and_ended_from_a_terminal() {
    let site = Site::sqlite();
    let [ada, bob, olga] = [("ada", "user"), ("bob", "user"), ("olga", "operator")]
        .map(|(owner, role)| site.token(owner, role));
    let server = site.serve().await;
    let hours = furnish_days(&server.client().with_token(&olga), 4, 5).await;
    let say = |line: &str| say_as(&server, &ada, line);
    let window = format!("-N 1 -t 60 --begin {} --latest-start {}", hours.hour(0), hours.hour(6));

    let made = say(&format!(
        "reserve {window} --recur FREQ=DAILY --until {} --except {} --time-zone UTC --choose cost --format json",
        hours.hour(90),
        local(&hours.hour(24)),
    ))
    .json();
    assert_eq!(
        of_each(&made, "start"),
        [json!(hours.hour(2)), json!(hours.hour(50)), json!(hours.hour(74))]
    );
    let id = made["id"].as_str().unwrap();
    let shown = say(&format!("series show {id}"));
    assert_eq!(shown.code, Some(0), "{}", shown.err);
    assert!(shown.out.contains("of ada is running: FREQ=DAILY (UTC)"), "{}", shown.out);
    // A node of 200 W for an hour is 0.2 kWh, which costs 0.02 EUR.
    assert!(shown.out.contains("Booked: 0.06 EUR, 0.600 kWh"), "{}", shown.out);
    let listed = say("series list --state running");
    let row: Vec<&str> = listed.out.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(
        (row[1], row[2], row[3], &row[4..]),
        ("ada", "running", "FREQ=DAILY", &["3", "0", "0", "3"][..])
    );

    let changed = say(&format!("series modify {id} -N 2 --format json")).json();
    assert_eq!(of_each(&changed, "node_count"), [2, 2, 2]);
    assert_eq!(of_each(&changed, "reservation_id"), of_each(&made, "reservation_id"));
    let skipped = say(&format!("series skip {id} {} --format json", local(&hours.hour(72)))).json();
    assert_eq!(of_each(&skipped, "state"), ["booked", "booked", "left_out"]);
    let given = say(&format!("series transfer {id} --to bob --format json")).json();
    assert_eq!(given["owner"], "bob");
    let gone = say(&format!("series show {id}"));
    assert_eq!(gone.code, Some(1), "{}", gone.err);
    let ended = say_as(&server, &bob, &format!("series end {id} --release --format json")).json();
    assert_eq!(ended["state"], "ended");
    for (line, told) in [
        (format!("reserve {window} --until {}", hours.hour(90)), "need --recur"),
        (format!("reserve {window} --recur FREQ=DAILY;COUNT=2 --format csv"), "no meaning"),
        (format!("reserve {window} --recur FREQ=DAILY"), "COUNT"),
        (format!("series modify {id}"), "nothing to change"),
    ] {
        let refused = say(&line);
        assert_eq!(refused.code, Some(2), "{line}: {}", refused.err);
        assert!(refused.err.contains(told), "{line}: {}", refused.err);
    }
}

/// Olga makes a series for Ada, who changes it, and then ends it for her.
async fn who_has_a_series_is_told_by_mail_of_what_others_do_with_it(site: Site) {
    let Some(python) = python("who_has_a_series_is_told_by_mail_of_what_others_do_with_it") else {
        return;
    };
    let (mails, _server, [ada, olga]) = with_mails(&site, &python).await;
    let hours = furnish_days(&olga, 2, 4).await;
    subscribe(&ada, &mails, "ada@site.example", &["moved"]).await;
    let for_ada = |method, at: &str| olga.request(method, at).header("X-Wattbook-For", "ada");
    let asked = daily(hours, 2);
    let made = answer(for_ada(Method::POST, "/api/v1/series").json(&asked)).await.ok(201);
    let change = ada.request(Method::PATCH, &path(&made)).json(&json!({ "choose": "co2" }));
    answer(change).await.ok(200);
    answer(for_ada(Method::DELETE, &path(&made))).await.ok(200);
    let of_acts = || {
        let mut told = mails.mails();
        told.retain(|mail| header(mail, "Subject").contains("Done for you"));
        told
    };
    for _ in 0..600 {
        if of_acts().len() == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let told = of_acts();
    let id = made["id"].as_str().unwrap();
    assert_eq!(told.len(), 2, "{told:#?}");
    for (mail, action) in told.iter().zip(["create_series", "end_series"]) {
        for part in [id, "By: olga", action] {
            assert!(text(mail).contains(part), "{part}: {}", text(mail));
        }
    }
}
