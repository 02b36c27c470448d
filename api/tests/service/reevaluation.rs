//! What is expected of reservations once agendas change: told by every answer, judged once.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::{PgPool, SqlitePool};

use crate::client::{Client, answer};
use crate::cluster::{Hours, choose, furnish, path, propose};
use crate::server::Server;
use crate::site::{Site, on_both_engines};
use crate::supply::until;

on_both_engines! {
    every_answer_about_a_reservation_tells_what_is_expected_now,
    of_two_replicas_one_judges_what_a_change_touches_and_a_restart_judges_nothing_again,
    what_a_dead_replica_was_judging_is_judged_by_another,
    a_replica_that_is_killed_while_it_judges_leaves_nothing_unjudged,
    the_first_cap_of_a_site_is_news_for_all,
}

/// The line that says that reservations were judged.
const JUDGED: &str = "judged by the new agendas";

/// A price for one hour, in EUR/MWh.
async fn put_price(client: &Client, hours: Hours, hour: i64, price: f64) -> i64 {
    let agenda = hours.agenda("price_per_mwh", hour, &[price]);
    client.put("/api/v1/agendas/price", &agenda).await.ok(200)["revision_id"].as_i64().unwrap()
}

fn told(reservation: &Value) -> bool {
    reservation["now_expected"] != Value::Null
}

/// Whether a server wrote that it judged up to a revision.
fn judged(server: &Server, revision: i64) -> bool {
    let number = format!("revision={revision} ");
    server.log().lines().any(|line| line.contains(JUDGED) && line.contains(&number))
}

/// Waits until one of the servers has judged up to a revision.
async fn wait_until_judged(servers: &[&Server], revision: i64) {
    for _ in 0..600 {
        if servers.iter().any(|server| judged(server, revision)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("nobody judged: {}", servers[0].log());
}

async fn serve(site: &Site) -> Server {
    std::fs::write(site.folder().join("wattbook.toml"), "feed_lease_s = 2\n").unwrap();
    site.serve_with(&["--config", "wattbook.toml"]).await
}

/// One node of 200 W for an hour: 0.2 kWh, at 300 EUR/MWh 0.06 EUR.
async fn every_answer_about_a_reservation_tells_what_is_expected_now(site: Site) {
    let server = serve(&site).await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let create = async || {
        let request = client.request(Method::POST, "/api/v1/reservations");
        let request = request.header("Idempotency-Key", "once").json(&hours.request(1, 0, 6));
        answer(request).await
    };
    let reservation = create().await.ok(201);
    assert_eq!(reservation["now_expected"], Value::Null);
    let offers = reservation["offers"].as_array().unwrap();
    assert_eq!(offers.len(), 2, "{reservation:#}");
    put_price(&client, hours, 2, 300.0).await;
    let read = until(&client, &path(&reservation), told).await;
    assert_eq!(read["now_expected"]["offers"].as_array().unwrap().len(), 2);
    assert_eq!(create().await.ok(200)["now_expected"], read["now_expected"]);
    let chosen = choose(&client, &reservation, "cost_co2_energy").await;
    let expected = &chosen["now_expected"];
    let [offer] = expected["offers"].as_array().unwrap().as_slice() else { panic!("{expected}") };
    assert_eq!(offer["offer_id"], chosen["chosen_offer_id"]);
    assert!((offer["cost"].as_f64().unwrap() - 0.06).abs() < 1e-9, "{offer}");
    assert_eq!(expected["cap_kept"], offer["cap_kept"]);
    assert_eq!(client.get(&path(&reservation)).await.ok(200)["now_expected"], *expected);
    let cancelled = client.delete(&path(&reservation)).await.ok(200);
    assert_eq!(cancelled["now_expected"], *expected);
}

async fn of_two_replicas_one_judges_what_a_change_touches_and_a_restart_judges_nothing_again(
    site: Site,
) {
    // With leases that last: who is slow is not dead.
    let (one, two) = (site.serve().await, site.serve().await);
    let client = one.client();
    let hours = furnish(&client, 4, None).await;
    // Nothing of what came before is left to do.
    let before = put_price(&client, hours, 20, 1.0).await;
    wait_until_judged(&[&one, &two], before).await;
    let mut reservations = Vec::new();
    for hour in [0, 1] {
        let reservation = propose(&client, &hours.request(1, hour, hour)).await;
        reservations.push(choose(&client, &reservation, "cost_co2_energy").await);
    }
    let revision = put_price(&client, hours, 1, 250.0).await;
    until(&two.client(), &path(&reservations[1]), told).await;
    wait_until_judged(&[&one, &two], revision).await;
    // Both have looked again by then.
    tokio::time::sleep(Duration::from_secs(5)).await;
    let mut lines = String::new();
    for server in [&one, &two] {
        for line in server.log().lines().filter(|line| line.contains(JUDGED)) {
            lines.push_str(line);
            lines.push('\n');
        }
    }
    let last: Vec<&str> =
        lines.lines().filter(|line| line.contains(&format!("revision={revision} "))).collect();
    assert_eq!(last.len(), 1, "{lines}");
    assert!(last[0].contains("reservations=1"), "the other one lies in another hour: {lines}");
    assert!(!told(&client.get(&path(&reservations[0])).await.ok(200)));
    one.kill();
    two.kill();
    let again = site.serve().await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(!again.log().contains(JUDGED), "{}", again.log());
}

/// As a crash leaves it: the lease is somebody's who will never beat again.
async fn what_a_dead_replica_was_judging_is_judged_by_another(site: Site) {
    let server = serve(&site).await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let reservation = propose(&client, &hours.request(1, 1, 1)).await;
    let taken = "INSERT INTO leases (name, holder, beat) VALUES ('outlooks', 'dead', 7)";
    // The lease may be held for a moment by the server itself.
    let mut tries = 0;
    while execute(&site, taken).await.is_err() {
        tries += 1;
        assert!(tries < 300, "the lease is never free: {}", server.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let revision = put_price(&client, hours, 1, 250.0).await;
    until(&client, &path(&reservation), told).await;
    wait_until_judged(&[&server], revision).await;
}

async fn execute(site: &Site, statement: &'static str) -> sqlx::Result<()> {
    if site.database.starts_with("sqlite:") {
        let pool = SqlitePool::connect(&site.database).await?;
        sqlx::query(statement).execute(&pool).await?;
        pool.close().await;
    } else {
        let pool = PgPool::connect(&site.database).await?;
        sqlx::query(statement).execute(&pool).await?;
        pool.close().await;
    }
    Ok(())
}

async fn a_replica_that_is_killed_while_it_judges_leaves_nothing_unjudged(site: Site) {
    let server = serve(&site).await;
    let client = server.client();
    let hours = furnish(&client, 60, None).await;
    let mut reservations = Vec::new();
    for _ in 0..25 {
        reservations.push(propose(&client, &hours.request(1, 1, 1)).await);
    }
    // Nothing of what came before is left to do.
    let before = put_price(&client, hours, 20, 1.0).await;
    wait_until_judged(&[&server], before).await;
    let revision = put_price(&client, hours, 1, 250.0).await;
    until(&client, &path(&reservations[0]), told).await;
    server.kill();
    let server = serve(&site).await;
    let client = server.client();
    for reservation in &reservations {
        until(&client, &path(reservation), told).await;
    }
    // Whether or not the first was through: it is known to be done.
    put_price(&client, hours, 1, 260.0).await;
    wait_until_judged(&[&server], revision + 1).await;
}

/// Before there is a cap nobody can break it; from then on it is unknown where it is not said.
async fn the_first_cap_of_a_site_is_news_for_all(site: Site) {
    let server = serve(&site).await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let reservation = propose(&client, &hours.request(1, 1, 1)).await;
    let cap = hours.agenda("cap_w", 5, &[9000.0]);
    client.put("/api/v1/agendas/power-cap", &cap).await.ok(200);
    let expected = until(&client, &path(&reservation), told).await;
    assert_eq!(expected["now_expected"]["cap_kept"], json!(null));
}
