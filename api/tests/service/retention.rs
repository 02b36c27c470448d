//! What is pruned by rules while the service runs: reports and bills stay as they were, and the database is sound.

use std::process::Output;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{instant, now};
use crate::ledger::{EVENING, HOUR, furnish, serve_with, stated_to, text};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    what_is_pruned_leaves_reports_and_bills_as_they_were,
    tokens_go_by_the_machines_clock_where_the_services_is_set,
}

const DAY: i64 = 86_400;

/// `wattbook database` on a site, by a clock that shows an instant now.
fn database(site: &Site, arguments: &[&str], shown: i64) -> Output {
    let clock = format!("{}={}@1", instant(now()), instant(shown));
    let given = [&["database"], arguments, &["--config", "wattbook.toml", "--clock", &clock]];
    site.command(&given.concat()).output().unwrap()
}

/// A token that is revoked today is not old for a service whose clock shows an instant in more than a year.
async fn tokens_go_by_the_machines_clock_where_the_services_is_set(site: Site) {
    site.token("ada", "user");
    let listed = text(&site.command(&["token", "list"]).output().unwrap());
    let id = listed.lines().nth(1).unwrap().split_whitespace().next().unwrap();
    assert!(site.command(&["token", "revoke", id]).output().unwrap().status.success());
    // The newest would stay anyway.
    site.token("operator", "operator");
    let settings = site.folder().join("wattbook.toml");
    std::fs::write(settings, "[retention]\ntokens_days = 31\n").unwrap();
    let pruned = text(&database(&site, &["prune"], now() + 500 * DAY));
    assert_eq!(told(&pruned, "API tokens that count no more"), (0, 2), "{pruned}");
}

/// How many rows of a kind went, and how many are left.
#[track_caller]
fn told(printed: &str, kind: &str) -> (u64, u64) {
    let line = printed.lines().find(|line| line.starts_with(&format!("{kind}  "))).unwrap();
    let numbers: Vec<&str> = line.split_whitespace().rev().take(2).collect();
    (numbers[1].parse().unwrap(), numbers[0].parse().unwrap())
}

/// The report and the bill of the evening's month, and what the ledger adds up to.
async fn documents(client: &Client) -> Vec<Value> {
    let (from, to) = (instant(EVENING), instant(EVENING + 4 * HOUR));
    let mut all = Vec::new();
    for path in [
        format!("/api/v1/reports?from={from}&to={to}&by=user,month"),
        format!("/api/v1/reports?from={from}&to={to}&by=reservation"),
        "/api/v1/bills?month=2026-02".to_owned(),
        format!("/api/v1/ledger/totals?from={from}&to={to}"),
        format!("/api/v1/model-error?from={from}&to={to}"),
    ] {
        let mut document = client.get(&path).await.ok(200);
        document["stated_to"] = Value::Null;
        all.push(document);
    }
    all
}

/// Ada's reservation ended 500 days ago; offers that nobody chose from were held until then, too.
async fn what_is_pruned_leaves_reports_and_bills_as_they_were(site: Site) {
    let [operator, ada] =
        [("operator", "operator"), ("ada", "user")].map(|it| site.token(it.0, it.1));
    furnish(&site, &operator, &ada).await;
    let server =
        serve_with(&site, (EVENING + 5 * HOUR, 1), "", "[retention]\nreservations_days = 400\n")
            .await;
    let client = server.client().with_token(&operator);
    stated_to(&client, 4).await;
    let before = documents(&client).await;
    let mut lines = before[1]["rows"].as_array().unwrap().iter();
    let line = lines.find(|it| it["promised_saving_cost"].is_number());
    assert!(line.is_some(), "{}", before[1]);
    let (rows, reservations) =
        ("SELECT COUNT(*) FROM ledger_rows", "SELECT COUNT(*) FROM reservations");
    let (stated, made) = (site.count(rows).await, site.count(reservations).await);
    assert_eq!(made, 1);

    let early = text(&database(&site, &["prune"], EVENING + 399 * DAY));
    assert_eq!(told(&early, "reservations"), (0, 1), "{early}");
    let later = EVENING + 500 * DAY;
    let dry = text(&database(&site, &["prune", "--dry-run"], later));
    assert_eq!(told(&dry, "reservations"), (1, 0), "{dry}");
    assert!(dry.ends_with("Nothing was changed.\n"), "{dry}");
    assert_eq!(site.count(reservations).await, 1);
    let pruned = text(&database(&site, &["prune"], later));
    assert_eq!(told(&pruned, "reservations"), (1, 0), "{pruned}");
    assert!(pruned.contains("series") && pruned.contains("kept for ever"), "{pruned}");
    assert!(pruned.lines().last().unwrap().contains("MB"), "{pruned}");
    for table in ["reservations", "offers", "allocations"] {
        assert_eq!(site.count(&format!("SELECT COUNT(*) FROM {table}")).await, 0, "{table}");
    }
    assert_eq!(documents(&client).await, before);
    let check = text(&database(&site, &["check"], later));
    assert!(check.starts_with("The database is sound.\nreservations: 0;"), "{check}");
    let said = site.count("SELECT COUNT(*) FROM audit WHERE action = 'database.prune'").await;
    assert_eq!(said, 2, "those that changed something");

    // Its hours are sealed: another price for them would state them anew as nobody's.
    let [from, to] = [EVENING, EVENING + 4 * HOUR].map(instant);
    let price = json!([{ "start": from, "end": to, "price_per_mwh": 36.0 }]);
    client.put("/api/v1/agendas/price", &price).await.ok(200);
    let followed = "SELECT COUNT(*) FROM ledger_marks
        WHERE revision_id = (SELECT MAX(id) FROM agenda_revisions)";
    for _ in 0..200 {
        if site.count(followed).await == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(site.count(followed).await, 1);
    assert_eq!(site.count("SELECT COUNT(*) FROM ledger_statements WHERE number > 0").await, 0);
    assert!(site.count(rows).await >= stated);
}
