//! Feeds whose suppliers err for a while: told once, tried again, never believed against what was asked.

use std::process::Output;
use std::time::Duration;

use replay_supplier::Fault;
use serde_json::{Value, json};

use crate::cluster::seconds;
use crate::site::{Site, on_both_engines};
use crate::supply::{SECRET, Supply, feed, until, write};

on_both_engines! {
    provisional_prices_are_used_and_the_final_ones_waited_for,
    a_refusal_and_a_redirect_are_tried_again_and_told_once,
    values_of_another_area_or_currency_are_refused_and_not_kept,
    an_answer_that_repeats_the_token_shows_it_nowhere,
    a_back_fill_skips_nothing_for_a_failure_that_passes,
}

/// Noon of the day after the one that the clock shows first.
const TOMORROW: &str = "/api/v1/agendas/price?from=2026-03-21T11:00:00Z&to=2026-03-21T11:15:00Z";

/// How long after its last poll a source is asked again.
fn pause(feed: &Value) -> i64 {
    seconds(&feed["next_poll_at"]) - seconds(&feed["last_poll_at"])
}

/// Ten minutes of the clock in a second. An early auction tells prices at 10:30 in Paris, half an
/// hour after the clock begins; the final ones are due at 11:55 UTC and come late.
async fn provisional_prices_are_used_and_the_final_ones_waited_for(site: Site) {
    let supply = Supply::at_rate(600).await;
    supply.supplier.set_fault(Some(Fault::Provisional));
    let pace = "poll = { poll_every_s = 3600, catch_up_s = 0 }";
    let server = supply.serve(&site, &supply.entsoe("entsoe", pace)).await;
    let client = server.client();
    let of =
        |quality: &'static str| move |agenda: &Value| agenda["provenance"][0]["quality"] == quality;
    let early = until(&client, TOMORROW, of("forecast")).await;
    let published = crate::supply::at("2026-03-20T11:55:00Z").as_unix_seconds();
    // Each poll from then on is soon followed by another.
    let asked = |after: i64| {
        move |feeds: &Value| {
            let last = &feed(feeds, "entsoe")["last_poll_at"];
            *last != Value::Null && seconds(last) >= after
        }
    };
    let feeds = until(&client, "/api/v1/feeds", asked(published)).await;
    let entsoe = feed(&feeds, "entsoe");
    assert_eq!(entsoe["status"], "ok");
    assert!(pause(entsoe) <= 45 * 60, "{entsoe:#}");
    let notes = entsoe["last_revision"]["notes"].to_string();
    assert!(notes.contains("only auction 2, provisional"), "{notes}");
    supply.supplier.set_fault(None);
    let last = until(&client, TOMORROW, of("measured")).await;
    let price = |agenda: &Value| agenda["pieces"][0]["price_per_mwh"].as_f64().unwrap();
    assert!((price(&last) - price(&early) - 1.0).abs() < 1e-9, "{early} {last}");
    // And then no longer.
    let feeds = client.get("/api/v1/feeds").await.ok(200);
    assert!(pause(feed(&feeds, "entsoe")) >= 3600, "{feeds:#}");
}

/// A minute of the clock in a second. What is refused is asked for again after five minutes, give or
/// take half.
async fn a_refusal_and_a_redirect_are_tried_again_and_told_once(site: Site) {
    let supply = Supply::at_rate(60).await;
    let pace = "poll = { poll_every_s = 60, publications = [], catch_up_s = 0, \
                backoff_longest_s = 60, refused_first_s = 60, refused_s = 60 }";
    let server = supply.serve(&site, &supply.entsoe("entsoe", pace)).await;
    let client = server.client();
    let stands =
        |status: &'static str| move |feeds: &Value| feed(feeds, "entsoe")["status"] == status;
    until(&client, "/api/v1/feeds", stands("ok")).await;
    for (fault, class) in [(Fault::Unauthorised, "refused"), (Fault::Elsewhere, "transient")] {
        supply.supplier.set_fault(Some(fault));
        let before = feed(&client.get("/api/v1/feeds").await.ok(200), "entsoe")["failures"].clone();
        let failed = |feeds: &Value| {
            let feed = feed(feeds, "entsoe");
            feed["failures"].as_i64().unwrap() >= before.as_i64().unwrap() + 4
        };
        let feeds = until(&client, "/api/v1/feeds", failed).await;
        assert_eq!(feed(&feeds, "entsoe")["last_error"]["class"], class);
        supply.supplier.set_fault(None);
        until(&client, "/api/v1/feeds", stands("ok")).await;
    }
    let log = server.log();
    let told = |words: &str| log.lines().filter(|line| line.contains(words)).count();
    let warned = |line: &&str| line.contains("WARN") && line.contains("a poll failed");
    assert_eq!(log.lines().filter(warned).count(), 2, "{log}");
    assert_eq!(told("answers again"), 2, "{log}");
    assert!(log.contains("https://maintenance.invalid"), "{log}");
}

async fn values_of_another_area_or_currency_are_refused_and_not_kept(site: Site) {
    let supply = Supply::at_rate(60).await;
    supply.supplier.set_fault(Some(Fault::OtherArea));
    let pace =
        "poll = { poll_every_s = 60, publications = [], backoff_longest_s = 60, catch_up_s = 0 }";
    let server = supply.serve(&site, &supply.entsoe("entsoe", pace)).await;
    let client = server.client();
    let refused = |feeds: &Value| feed(feeds, "entsoe")["last_error"]["class"] == "payload";
    let feeds = until(&client, "/api/v1/feeds", refused).await;
    let words = feed(&feeds, "entsoe")["last_error"]["detail"].as_str().unwrap();
    assert!(words.contains("asked for zone \"X\", the answer says \"ELSEWHERE\""), "{words}");
    assert!(words.contains("check `zone`"), "{words}");
    let kept = client.get("/api/v1/feeds/entsoe/revisions").await.ok(200);
    assert_eq!(kept["items"], json!([]));
    server.kill();
    supply.supplier.set_fault(None);
    let pounds = format!("currency = \"GBP\"\n{}", supply.entsoe("entsoe", pace));
    let server = supply.serve(&site, &pounds).await;
    let client = server.client();
    let refused = |feeds: &Value| {
        let error = &feed(feeds, "entsoe")["last_error"];
        error["detail"].as_str().is_some_and(|words| words.contains("the site reckons in GBP"))
    };
    let feeds = until(&client, "/api/v1/feeds", refused).await;
    assert_eq!(feed(&feeds, "entsoe")["last_error"]["class"], "payload");
    let kept = client.get("/api/v1/feeds/entsoe/revisions").await.ok(200);
    assert_eq!(kept["items"], json!([]));
}

async fn an_answer_that_repeats_the_token_shows_it_nowhere(site: Site) {
    let supply = Supply::at_rate(60).await;
    supply.supplier.set_fault(Some(Fault::Echo));
    let maps = format!(
        "[[feeds]]\nid = \"maps\"\nquantity = \"co2\"\nprovider = \"electricity-maps\"\n\
         zone = \"FR\"\nbase_url = \"{}\"\ntoken = {{ file = \"token\" }}\n",
        supply.base
    );
    let server = supply.serve(&site, &(supply.entsoe("entsoe", "") + &maps)).await;
    let client = server.client();
    let failed = |feeds: &Value| {
        ["entsoe", "maps"].iter().all(|id| feed(feeds, id)["last_error"] != Value::Null)
    };
    let feeds = until(&client, "/api/v1/feeds", failed).await;
    let words = feed(&feeds, "entsoe")["last_error"]["detail"].as_str().unwrap();
    assert!(words.contains("is not understood: /entsoe/api?securityToken=***"), "{words}");
    for text in [feeds.to_string(), server.log()] {
        assert!(!text.contains(SECRET), "{text}");
    }
}

async fn fetched(site: &Site, supply: &Supply, id: &str) -> Output {
    let clock = supply.clock();
    let mut fetch =
        site.command(&["feeds", "fetch", "--config", "wattbook.toml", "--clock", &clock]);
    // A part is up to a year long.
    fetch.args(["--from", "2026-02-01", "--to", "2026-03-19", "--create-database", id]);
    tokio::task::spawn_blocking(move || fetch.output().unwrap()).await.unwrap()
}

async fn a_back_fill_skips_nothing_for_a_failure_that_passes(site: Site) {
    let supply = Supply::at_rate(1).await;
    for fault in [Fault::Unauthorised, Fault::Elsewhere, Fault::Truncated] {
        supply.supplier.set_fault(Some(fault));
        let supplier = supply.supplier.clone();
        let mended = tokio::spawn(async move {
            let before = supplier.requests();
            while supplier.requests() < before + 2 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            supplier.set_fault(None);
        });
        let id = format!("{fault:?}");
        write(&site, &supply.entsoe(&id, ""));
        let output = fetched(&site, &supply, &id).await;
        mended.await.unwrap();
        assert!(output.status.success(), "{fault:?}: {output:?}");
        let words = String::from_utf8_lossy(&output.stdout).into_owned();
        // 47 days of Brussels.
        assert!(words.contains(&format!("{id}: 4512 values kept, 1 revisions")), "{words}");
        let requests = supply.supplier.requests();
        let again = fetched(&site, &supply, &id).await;
        let words = String::from_utf8_lossy(&again.stdout).into_owned();
        assert!(words.contains("1 parts were kept before"), "{words}");
        assert_eq!(supply.supplier.requests(), requests);
    }
}
