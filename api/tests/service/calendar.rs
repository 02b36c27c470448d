//! The calendar feed: read by a calendar program's reader, at an address that is secret and ends when it must.

use reqwest::header::{ETAG, IF_NONE_MATCH};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{choose, furnish, path, propose};
use crate::peers::{answer, python};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_calendar_program_reads_what_is_booked,
    only_the_newest_secret_of_somebody_who_may_ask_reads_a_feed,
    the_command_line_makes_renews_and_ends_an_address,
}

const CALENDAR: &str = "/api/v1/calendar";

/// Makes an address.
async fn subscribe(client: &Client) -> String {
    let made = client.post(CALENDAR, &json!({})).await.ok(200);
    made["url"].as_str().unwrap().to_owned()
}

async fn a_calendar_program_reads_what_is_booked(site: Site) {
    let Some(python) = python("a_calendar_program_reads_what_is_booked") else { return };
    let settings = "public_url = \"https://wattbook.example/\"\nlocation = \"Lyon, hall 2\"\n";
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    let ada = site.token("ada", "user");
    let (bob, operator) = (site.token("bob", "user"), site.token("op", "operator"));
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let hours = furnish(&server.client().with_token(&operator), 8, None).await;
    let client = server.client().with_token(&ada);
    // Long, and not in ASCII: lines of the feed are folded.
    let project = "océan; Atlantique, Méditerranée et mer du Nord — prévisions à dix jours 🌊";
    let labelled = |nodes: u32, from: i64| {
        let mut request = hours.request(nodes, from, from + 4);
        request["labels"] = json!({ "project": project });
        request
    };
    let confirmed = propose(&client, &labelled(4, 0)).await;
    let confirmed = choose(&client, &confirmed, "cost_co2_energy").await;
    let cancelled = propose(&client, &hours.request(1, 6, 10)).await;
    choose(&client, &cancelled, "cost_co2_energy").await;
    client.delete(&path(&cancelled)).await.ok(200);
    let proposed = propose(&client, &hours.request(1, 12, 20)).await;
    let bob = server.client().with_token(&bob);
    let others = propose(&bob, &hours.request(1, 0, 4)).await;
    let shared = propose(&bob, &hours.request(2, 0, 4)).await;
    let shared = choose(&bob, &shared, "cost_co2_energy").await;
    let with_ada = json!({ "with": ["ada"], "may": "see" });
    bob.post(&format!("{}/share", path(&shared)), &with_ada).await.ok(200);
    let feed = subscribe(&client).await;
    let answered = server.client().get(&feed).await;
    assert_eq!(answered.status, 200, "{}", answered.body);
    assert_eq!(answered.header("content-type"), "text/calendar; charset=utf-8");
    let read = answer(&python, "read_calendar.py", answered.body.as_bytes());
    let read: Value = serde_json::from_str(&read).unwrap();
    let expected = (&json!("2.0"), &json!(900), &json!(0), &json!([]));
    let told = (&read["version"], &read["refresh_s"], &read["bare_line_ends"], &read["errors"]);
    assert_eq!(told, expected);
    assert!(read["longest_line"].as_u64().unwrap() <= 75, "{read}");
    let events = read["events"].as_array().unwrap();
    assert_eq!(events.len(), 4, "{read:#}");
    let event_of = |reservation: &Value| {
        let uid = format!("{}@wattbook", reservation["id"].as_str().unwrap());
        events.iter().find(|it| it["uid"] == uid.as_str()).unwrap().clone()
    };
    let event = event_of(&confirmed);
    assert_eq!((&event["start"], &event["end"]), (&confirmed["start"], &confirmed["end"]));
    assert_eq!(event["status"], "CONFIRMED");
    assert_eq!(event["summary"], format!("4 nodes · {project}"));
    assert_eq!(event["sequence"], version_of(&client, &confirmed).await);
    assert_eq!(event["stamp"], event["modified"]);
    let id = confirmed["id"].as_str().unwrap();
    assert_eq!(event["url"], format!("https://wattbook.example/#/reservations/{id}"));
    let description = event["description"].as_str().unwrap();
    for part in ["Nodes: 4 (n[0-3])", "Energy: 0.80 kWh", "Cost: ", " EUR", "CO2 (average): "] {
        assert!(description.contains(part), "{description}");
    }
    let event = event_of(&proposed);
    assert_eq!(
        (&event["status"], &event["summary"]),
        (&json!("TENTATIVE"), &json!("1 node (offered)"))
    );
    assert_eq!(event["start"], proposed["offers"][0]["start"], "the earliest");
    assert_eq!(event_of(&cancelled)["status"], "CANCELLED");
    let event = event_of(&shared);
    assert_eq!((&event["status"], &event["summary"]), (&json!("CONFIRMED"), &json!("2 nodes")));
    assert_eq!((&event["start"], &event["end"]), (&shared["start"], &shared["end"]));
    assert!(
        events
            .iter()
            .all(|it| !it["uid"].as_str().unwrap().contains(others["id"].as_str().unwrap()))
    );
    // Shared with her no more, it is shown no more.
    let with_ada = json!({ "with": ["ada"] });
    bob.post(&format!("{}/unshare", path(&shared)), &with_ada).await.ok(200);
    let feed = server.client().get(&feed).await;
    assert!(!feed.body.contains(shared["id"].as_str().unwrap()), "{}", feed.body);
}

/// The version of a reservation, as its entity tag says.
async fn version_of(client: &Client, reservation: &Value) -> i64 {
    let answered = client.get(&path(reservation)).await;
    answered.header("etag").trim_matches('"').parse().unwrap()
}

async fn only_the_newest_secret_of_somebody_who_may_ask_reads_a_feed(site: Site) {
    let (ada, operator) = (site.token("ada", "user"), site.token("op", "operator"));
    let server = site.serve().await;
    let hours = furnish(&server.client().with_token(&operator), 2, None).await;
    let (client, nobody) = (server.client().with_token(&ada), server.client());
    assert_eq!(client.get(CALENDAR).await.ok(200), json!({ "created_at": null }));
    let first = subscribe(&client).await;
    let second = subscribe(&client).await;
    nobody.get(&first).await.problem(404, "not_found");
    assert!(client.get(CALENDAR).await.ok(200)["created_at"].is_string());
    // It is read anew where it changed only.
    let read = |tag: String| {
        let request = nobody.request(Method::GET, &second).header(IF_NONE_MATCH, tag);
        async move { request.send().await.unwrap() }
    };
    let whole = read("\"other\"".to_owned()).await;
    let tag = whole.headers()[ETAG].to_str().unwrap().to_owned();
    assert_eq!(read(tag.clone()).await.status(), StatusCode::NOT_MODIFIED);
    propose(&client, &hours.request(1, 0, 4)).await;
    assert_eq!(read(tag).await.status(), StatusCode::OK);
    // The database has digests only, and the log has no addresses.
    let secret = second.rsplit('/').next().unwrap().trim_end_matches(".ics");
    assert!(!server.log().contains(secret));
    for wrong in [
        "none.ics".to_owned(),
        "%ff.ics".to_owned(),
        secret.to_owned(),
        format!("{}0.ics", &secret[1..]),
    ] {
        nobody.get(&format!("{CALENDAR}/{wrong}")).await.problem(404, "not_found");
    }
    // Whoever may not ask any more shows nobody what they booked.
    let listed = site.command(&["token", "list"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let row = listed.lines().find(|line| line.contains(" ada ")).unwrap();
    let id = row.split_whitespace().next().unwrap();
    assert!(site.command(&["token", "revoke", id]).status().unwrap().success());
    nobody.get(&second).await.problem(404, "not_found");
    let again = server.client().with_token(&site.token("ada", "user"));
    assert_eq!(nobody.get(&second).await.status, 200);
    assert_eq!(again.delete(CALENDAR).await.status, 204);
    nobody.get(&second).await.problem(404, "not_found");
}

async fn the_command_line_makes_renews_and_ends_an_address(site: Site) {
    let server = site.serve().await;
    let run = |arguments: &[&str]| {
        let url = format!("http://{}", server.address);
        let whole = [&["calendar", "--url", &url], arguments].concat();
        let output = site.command(&whole).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap().trim().to_owned())
    };
    let feed_of = |address: &str| {
        let address =
            address.strip_prefix(&format!("http://{}", server.address)).unwrap().to_owned();
        let client = server.client();
        async move { client.get(&address).await.status }
    };
    let (status, first) = run(&[]);
    assert_eq!((status, feed_of(&first).await), (Some(0), 200));
    assert_eq!(run(&[]).0, Some(4), "it cannot be shown again");
    let (status, second) = run(&["--renew"]);
    assert_eq!((status, feed_of(&first).await, feed_of(&second).await), (Some(0), 404, 200));
    assert_eq!(run(&["--end"]).0, Some(0));
    assert_eq!(feed_of(&second).await, 404);
    assert_eq!(run(&["--end", "--renew"]).0, Some(2));
}
