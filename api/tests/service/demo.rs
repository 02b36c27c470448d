//! `wattbook demo`: the service on a supplier that it plays itself.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cluster::{choose, instant, now, path, propose, seconds};
use crate::server::Server;
use crate::site::{Site, on_both_engines};
use crate::supply::{feed, until};

on_both_engines! {
    the_demonstration_is_served_on_live_feeds_and_goes_on_after_a_kill,
}

const SOURCES: [&str; 4] = ["tempo", "electricity-maps", "energy-charts", "caps"];

/// The demonstration at another instant.
async fn demo(site: &Site, at: &str) -> Server {
    let clock = format!("{}={at}@1", instant(now()));
    Server::start(site.command(&["demo", "--listen", "127.0.0.1:0", "--clock", &clock])).await
}

/// The README's request: 8 nodes for 2 hours, starting within the day, but not at once.
fn request(now: i64) -> Value {
    json!({
        "nodes": 8, "duration_s": 7200,
        "earliest_start": instant(now + 3600), "latest_start": instant(now + 86_400),
    })
}

fn rankings(decision: &Value) -> BTreeSet<&str> {
    let offers = decision["offers"].as_array().unwrap().iter();
    let words = offers.flat_map(|offer| offer["rankings"].as_array().unwrap());
    words.map(|word| word.as_str().unwrap()).collect()
}

async fn the_demonstration_is_served_on_live_feeds_and_goes_on_after_a_kill(site: Site) {
    // Within an hour: agendas reach to its end, and an hour further from the next one on.
    let server = demo(&site, "2026-01-14T12:00:30Z").await;
    let client = server.client();
    // Whoever is answered finds everything there.
    let first = client.get("/api/v1/feeds").await.ok(200);
    for agenda in first["agendas"].as_array().unwrap() {
        assert_eq!(agenda["gaps"], json!([]), "{agenda}");
    }
    let quote = client.post("/api/v1/quotes", &request(seconds(&first["now"]))).await.ok(200);
    assert_eq!((&quote["decision"], rankings(&quote).len()), (&json!("choice"), 6));
    let basis = quote["basis"].as_array().unwrap();
    for (quantity, source) in
        [("price", "tempo"), ("co2", "electricity-maps"), ("power_cap", "caps")]
    {
        let of_quantity = basis.iter().find(|it| it["quantity"] == quantity).unwrap();
        assert_eq!(
            (&of_quantity["source"], &of_quantity["standing"]),
            (&json!(source), &json!("fresh"))
        );
    }
    let reservation = propose(&client, &request(seconds(&first["now"]))).await;
    let chosen = choose(&client, &reservation, "cost_co2_energy").await;
    assert_eq!(chosen["state"], "confirmed");
    // The sources are asked every minute, or when somebody wants it.
    tokio::time::sleep(Duration::from_secs(2)).await;
    for id in SOURCES {
        let path = format!("/api/v1/feeds/{id}/refresh");
        client.post(&path, &json!({})).await.ok(202);
    }
    let polled = |feeds: &Value| {
        SOURCES.iter().all(|id| {
            let [before, after] = [&first, feeds].map(|feeds| &feed(feeds, id)["last_poll_at"]);
            feed(feeds, id)["status"] == "ok" && seconds(after) > seconds(before)
        })
    };
    let feeds = until(&client, "/api/v1/feeds", polled).await;
    for id in SOURCES {
        let source = feed(&feeds, id);
        let pause = seconds(&source["next_poll_at"]) - seconds(&source["last_poll_at"]);
        assert!((1..=120).contains(&pause), "{source}");
    }
    let booked = client.all_reservations().await.len();
    server.kill();

    let server = demo(&site, "2026-01-16T12:00:00Z").await;
    let client = server.client();
    assert_eq!(client.all_reservations().await.len(), booked);
    let kept = client.get(&path(&reservation)).await.ok(200);
    assert_eq!(kept["chosen_offer_id"], chosen["chosen_offer_id"]);
    let feeds = client.get("/api/v1/feeds").await.ok(200);
    let quote = client.post("/api/v1/quotes", &request(seconds(&feeds["now"]))).await.ok(200);
    assert_eq!((&quote["decision"], rankings(&quote).len()), (&json!("choice"), 6));
    until(&client, "/api/v1/feeds", |feeds| {
        SOURCES.iter().all(|id| feed(feeds, id)["status"] == "ok")
    })
    .await;
}

/// Before tomorrow's colour is out, in the night between two days of the contract, before days of
/// 25 and 23 hours, on a leap day: there is a choice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_demonstration_has_a_choice_at_any_hour() {
    for at in [
        "2026-07-15T07:00:00Z",
        "2026-12-31T03:30:00Z",
        "2026-10-24T16:00:00Z",
        "2027-03-27T08:15:00Z",
        "2028-02-29T22:59:00Z",
    ] {
        let site = Site::sqlite();
        let server = demo(&site, at).await;
        let client = server.client();
        let feeds = client.get("/api/v1/feeds").await.ok(200);
        let quote = client.post("/api/v1/quotes", &request(seconds(&feeds["now"]))).await.ok(200);
        assert_eq!((&quote["decision"], rankings(&quote).len()), (&json!("choice"), 6), "{at}");
        assert!(quote["offers"].as_array().unwrap().len() >= 2, "{at}: {quote:#}");
    }
}

/// Where the site names its own sources, these are not replaced.
#[tokio::test]
async fn a_site_s_own_feeds_are_kept_and_agendas_are_put_beside_them() {
    let site = Site::sqlite();
    std::fs::create_dir(site.folder().join("caps")).unwrap();
    let own = "[[feeds]]\nid = \"mine\"\nquantity = \"power-cap\"\nprovider = \"file-drop\"\npath = \"caps\"\n";
    std::fs::write(site.folder().join("own.toml"), own).unwrap();
    let arguments = ["demo", "--listen", "127.0.0.1:0", "--config", "own.toml"];
    let server = Server::start(site.command(&arguments)).await;
    let client = server.client();
    let feeds = client.get("/api/v1/feeds").await.ok(200);
    assert_eq!(feeds["feeds"].as_array().unwrap().len(), 1);
    assert_eq!(feeds["agendas"][0]["chain"], json!(["api", "mine"]));
    let quote = client.post("/api/v1/quotes", &request(now())).await.ok(200);
    assert_eq!(quote["decision"], "choice");
}
