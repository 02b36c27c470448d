//! Offers of the service that count the idle energy which a booking avoids or causes.

use serde_json::json;

use crate::cluster::{choose, instant, now, path, propose};
use crate::machines::Machines;
use crate::power_management::{AUTOMATIC, furnished, served, settings};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    an_offer_tells_what_it_changes_of_idle_energy,
}

/// A sleep of a gap of g seconds saves 90 (g - 3) - 50 x 2 = 90 g - 370 J, since switching off draws what idling does and
/// switching on 50 W more. Ten minutes in the middle of a gap avoid 100 x 600 = 60,000 J of idling, and save
/// 90 x 600 + 370 = 54,370 J less by sleeping: -5,630 J, which is 10 W off for ten minutes, less one cycle more.
async fn an_offer_tells_what_it_changes_of_idle_energy(site: Site) {
    let machines = Machines::of(&site);
    let without = settings(&machines, AUTOMATIC);
    let text = without.replace("[power]\n", "[power]\ncount_idle_energy = \"long_gaps\"\n");
    let server = served(&site, &text).await;
    let client = server.client();
    furnished(&client, 3).await;
    let start = instant(now() + 3600);
    let request = json!({
        "nodes": 1, "duration_s": 600, "utilisation": 1.0, "search": {"mode": "exact"},
        "earliest_start": start, "latest_start": start,
    });
    let held = propose(&client, &request).await;
    let idle = &held["offers"][0]["idle_change"];
    assert_eq!(idle["energy_j"], -5630.0, "{held:#}");
    assert_eq!(held["offers"][0]["energy_j"], 120_000.0);
    let chosen = choose(&client, &held, "energy_cost_co2").await;
    drop(server);
    // It is kept as it was offered. A site that does not count idle energy tells none of new offers.
    let server = served(&site, &without).await;
    let client = server.client();
    let told = client.get(&path(&chosen)).await.ok(200);
    assert_eq!(&told["offers"][0]["idle_change"], idle);
    let quoted = client.post("/api/v1/quotes", &request).await.ok(200);
    assert_eq!(quoted["offers"][0].get("idle_change"), None);
}
