//! CO2 by the accounting that the site does not plan by, in the ledger: stated beside the other, stated anew as its source says
//! more, and told by totals and reports.

use std::time::Instant;

use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::instant;
use crate::co2_accounting::{SETTINGS, marginal};
use crate::ledger::{EVENING, HOUR, furnish, rows, serve_with, sum, text};
use crate::server::{PATIENCE, Server};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    what_a_marginal_source_says_stands_beside,
}

/// The file says this much from the first hour after the evening's on, g/kWh.
fn say(site: &Site, intensities: &[u32]) {
    let at = |hour: i64| instant(EVENING + hour * HOUR);
    let row = |(hour, value): (i64, &u32)| format!("{},{},{value}\n", at(hour), at(hour + 1));
    let rows: String = (1..).zip(intensities).map(row).collect();
    let table = format!("start,end,intensity_g_per_kwh\n{rows}");
    std::fs::write(site.folder().join("other.csv"), table).unwrap();
}

/// All rows of what ada reserved.
async fn of_ada(client: &Client) -> Vec<Value> {
    let all = rows(client, 1, 40).await;
    all.into_iter().filter(|row| row["holder"] == "reservation").collect()
}

/// What ada's nodes emit by the accounting that is planned by, whatever the other says.
const PLANNED_BY_MG: i64 = 162_000;

/// Waits until all of ada's hours are stated and emit this much by the other accounting, mg.
async fn emitted(client: &Client, mg: i64) -> Vec<Value> {
    let began = Instant::now();
    loop {
        let own = of_ada(client).await;
        if sum(&own, "other_co2_mg") == mg && sum(&own, "co2_location_mg") == PLANNED_BY_MG {
            return own;
        }
        assert!(began.elapsed() < 3 * PATIENCE, "{own:#?}");
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
}

fn command(site: &Site, server: &Server, token: &str, words: &[&str]) -> String {
    let mut program = site.command(words);
    program.args(["--from", &instant(EVENING), "--to", &instant(EVENING + 40 * HOUR)]);
    program.args(["--url", &server.address]).env("WATTBOOK_TOKEN", token);
    text(&program.output().unwrap())
}

/// Ada's nodes take 1,080,000 J from 21:00 to 22:00, at 720 g/kWh 216 g by the other accounting, of which nothing is known for her
/// 540,000 J after that. Then the file says 360 for both hours: 108 g, and 54 g. An hour of the clock takes 6 s.
async fn what_a_marginal_source_says_stands_beside(site: Site) {
    let (operator, ada) = (site.token("operator", "operator"), site.token("ada", "user"));
    furnish(&site, &operator, &ada).await;
    say(&site, &[720]);
    let server = serve_with(&site, (EVENING + 4 * HOUR, 600), "", SETTINGS).await;
    let client = server.client().with_token(&operator);
    let own = emitted(&client, 216_000).await;
    let known = own.iter().find(|row| row["other_co2_mg"] == 216_000).unwrap();
    assert_eq!(known["other_co2_accounting"], marginal());
    let second = instant(EVENING + 2 * HOUR);
    let unknown = own.iter().find(|row| row["hour_start"] == second.as_str()).unwrap();
    assert_eq!(
        (&unknown["other_co2_mg"], &unknown["other_co2_accounting"]),
        (&Value::Null, &Value::Null)
    );

    let (from, to) = (instant(EVENING), instant(EVENING + 40 * HOUR));
    let totals = format!("/api/v1/ledger/totals?from={from}&to={to}&user=ada");
    let told = client.get(&totals).await.ok(200);
    assert_eq!(told["other_co2_accounting"], marginal());
    let all = &told["totals"][0];
    assert_eq!((&all["other_co2_mg"], &all["other_unrated_j"]), (&json!(216_000), &json!(540_000)));
    let shown = command(&site, &server, &ada, &["ledger", "totals"]);
    assert!(shown.contains("0.216") && shown.contains("Other CO2: marginal, direct."), "{shown}");
    let table = command(&site, &server, &ada, &["report", "--by", "user", "--format", "csv"]);
    let (header, line) = table.split_once('\n').unwrap();
    assert!(header.ends_with(",other_co2_kg,co2_accounting,other_co2_accounting"), "{header}");
    assert!(line.trim_end().ends_with(",0.216,average,\"marginal, direct\""), "{line}");

    say(&site, &[360, 360]);
    let own = emitted(&client, 162_000).await;
    let corrections = own.iter().filter(|row| row["correction_of"].is_string());
    let mut changed: Vec<i64> =
        corrections.filter_map(|row| row["other_co2_mg"].as_i64()).filter(|it| *it != 0).collect();
    changed.retain(|it| [-108_000, 54_000].contains(it));
    changed.sort_unstable();
    assert_eq!(changed, [-108_000, 54_000]);
    let told = client.get(&totals).await.ok(200);
    assert_eq!(told["totals"][0]["other_unrated_j"], 0);
}
