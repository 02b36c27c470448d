//! What the ledger rests on beside nodes' own meters in time: samples that come late, and meters of racks.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::Client;
use crate::ledger::{EVENING, HOUR, furnish, of, push, rows, serve_with, stated_to, sum};
use crate::server::PATIENCE;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    late_samples_restate_hours_however_old_they_are,
    what_racks_measure_and_no_node_can_be_given_is_unallocated,
}

/// Rows that correct the evening's second hour.
async fn corrections(client: &Client) -> Vec<Value> {
    let all = rows(client, 0, 24).await;
    all.into_iter().filter(|row| !row["correction_of"].is_null()).collect()
}

/// No hour is looked at again for its own sake. At 21:00 to 22:00 one of ada's nodes drew 160 W instead of 150 W, which is
/// sent four hours later: 576,000 J are measured instead of 540,000 J estimated, and half of the 36,000 J more are the
/// facility's.
async fn late_samples_restate_hours_however_old_they_are(site: Site) {
    let tokens = [site.token("operator", "operator"), site.token("ada", "user")];
    let reservation = furnish(&site, &tokens[0], &tokens[1]).await;
    let own = reservation["offers"][0]["nodes"][0].as_str().unwrap().to_owned();
    let at = |hours: i64| (EVENING + hours * HOUR, 1);
    let never = "look_again_s = 0\n";
    let server = serve_with(&site, at(6), never, "").await;
    let operator = server.client().with_token(&tokens[0]);
    stated_to(&operator, 5).await;
    push(&operator, "bmc", &own, 160.0).await;
    drop(server);
    let server = serve_with(&site, at(7), never, "").await;
    let operator = server.client().with_token(&tokens[0]);
    stated_to(&operator, 6).await;
    let began = Instant::now();
    let corrected = loop {
        let found = corrections(&operator).await;
        if !found.is_empty() {
            break found;
        }
        assert!(began.elapsed() < PATIENCE, "{}", server.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let column = |holder: &str, column: &str| of(&corrected, 1, holder)[column].as_i64().unwrap();
    assert_eq!(column("reservation", "measured_j"), 576_000);
    assert_eq!(column("reservation", "estimated_j"), -540_000);
    assert_eq!(column("reservation", "missing_s"), -3600);
    assert_eq!(column("facility", "energy_j"), 18_000);
    assert_eq!(corrected.len(), 2, "{corrected:?}");
    drop(server);
    // What is stated anew is not stated once more.
    let server = serve_with(&site, at(8), never, "").await;
    let operator = server.client().with_token(&tokens[0]);
    stated_to(&operator, 7).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(corrections(&operator).await, corrected);
}

/// The nodes are estimated at 2 x 150 W and 2 x 100 W, and their rack's meter says 600 W: 100 W over an hour can be given to
/// no node. The facility is half of all of it.
async fn what_racks_measure_and_no_node_can_be_given_is_unallocated(site: Site) {
    let tokens = [site.token("operator", "operator"), site.token("ada", "user")];
    furnish(&site, &tokens[0], &tokens[1]).await;
    let racks = "[[meters]]\nid = \"pdu\"\nkind = \"push\"\ncovers = \"rack\"\n\
        [racks]\nr1 = \"n[0-3]\"\nr2 = \"n9\"\n";
    let server = serve_with(&site, (EVENING + 2 * HOUR + 300, 1), "", racks).await;
    let operator = server.client().with_token(&tokens[0]);
    push(&operator, "pdu", "r1", 600.0).await;
    drop(server);
    let server = serve_with(&site, (EVENING + 3 * HOUR, 1), "", racks).await;
    let operator = server.client().with_token(&tokens[0]);
    stated_to(&operator, 2).await;
    let all = rows(&operator, 1, 2).await;
    let unallocated = of(&all, 1, "unallocated");
    assert_eq!(unallocated["measured_j"], 360_000);
    assert_eq!(unallocated["estimated_j"], 0);
    assert_eq!(of(&all, 1, "facility")["energy_j"], 1_080_000);
    assert_eq!(sum(&all, "energy_j"), 3_240_000);
}
