//! Fair shares at work: what is booked counts at once, and what was measured in its place.

use serde_json::{Value, json};

use crate::client::Client;
use crate::ledger::{EVENING, HOUR, furnish, push, serve_with, stated_to, text};
use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    planned_energy_counts_at_once_and_measured_energy_in_its_place,
}

const SHARES: &str = "\
[shares]
half_life_s = 86400
[[shares.accounts]]
account = \"ocean\"
share = 1.0
[[shares.accounts]]
account = \"physics\"
share = 3.0
";

async fn standing(client: &Client, account: &str) -> Option<Value> {
    let told = client.get("/api/v1/shares").await.ok(200);
    let accounts = told["accounts"].as_array().unwrap();
    accounts.iter().find(|it| it["account"] == account).cloned()
}

/// Four nodes of 200 W at most could take 800 W x 86,400 s a day; of the days before, each counts half of the one after it, ten
/// of them 1 - 2^-10: 69,120,000 J x (2 - 2^-10) = 138,172,500 J. The ocean is given a quarter.
fn check(standing: &Value, energy_j: f64) {
    let usage = energy_j / 138_172_500.0;
    let near = |name: &str, expected: f64| {
        let told = standing[name].as_f64().unwrap();
        assert!((told - expected).abs() < 1e-9 * expected, "{name} is not {expected}: {standing}");
    };
    near("usage_energy_j", energy_j);
    near("usage_node_seconds", 10_800.0);
    near("share", 0.25);
    near("normalised_usage", usage);
    near("factor", (-usage / 0.25).exp2());
}

/// ada books two nodes for 5400 s at 150 W each, 1,620,000 J. One of them then draws 160 W from 21:00 to 22:00 in place of
/// 150 W: 36,000 J more.
async fn planned_energy_counts_at_once_and_measured_energy_in_its_place(site: Site) {
    let tokens = [("operator", "operator"), ("ada", "user"), ("eve", "user"), ("grid", "supplier")]
        .map(|(name, role)| site.token(name, role));
    let reservation = furnish(&site, &tokens[0], &tokens[1]).await;
    let own = reservation["offers"][0]["nodes"][0].as_str().unwrap().to_owned();
    let server = serve_with(&site, (EVENING, 1), "", SHARES).await;
    let [operator, ada, eve, supplier] =
        tokens.each_ref().map(|token| server.client().with_token(token));
    for account in ["ada", "ocean"] {
        check(&standing(&ada, account).await.unwrap(), 1_620_000.0);
    }
    let physics = standing(&operator, "physics").await.unwrap();
    assert_eq!((&physics["share"], &physics["factor"]), (&json!(0.75), &json!(1.0)));
    assert_eq!(standing(&ada, "physics").await, None, "what she is no part of");
    assert_eq!(standing(&eve, "ada").await, None);
    assert_eq!(supplier.get("/api/v1/shares").await.status, 403);
    drop(server);

    let server = serve_with(&site, (EVENING + 2 * HOUR + 300, 1), "", SHARES).await;
    push(&server.client().with_token(&tokens[0]), "bmc", &own, 160.0).await;
    drop(server);
    // It has ended, and of its last half hour, 540,000 J, the ledger does not know yet.
    let server = serve_with(&site, (EVENING + 2 * HOUR + 2400, 1), "", SHARES).await;
    stated_to(&server.client().with_token(&tokens[0]), 2).await;
    let ada = server.client().with_token(&tokens[1]);
    check(&standing(&ada, "ada").await.unwrap(), 1_656_000.0);
    drop(server);
    let server = serve_with(&site, (EVENING + 4 * HOUR, 1), "", SHARES).await;
    stated_to(&server.client().with_token(&tokens[0]), 3).await;
    let ada = server.client().with_token(&tokens[1]);
    check(&standing(&ada, "ada").await.unwrap(), 1_656_000.0);

    let mut command = wattbook(&["share", "--format", "csv"]);
    command.env("WATTBOOK_URL", format!("http://{}", server.address));
    command.env("WATTBOOK_TOKEN", &tokens[0]).env_remove("WATTBOOK_TOKEN_FILE");
    let table = text(&command.output().unwrap());
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(
        lines[0],
        "account,parent,share,usage_node_seconds,usage_energy_j,normalised_usage,factor"
    );
    let starts: Vec<&str> = lines[1..].iter().map(|it| it.split(",0.").next().unwrap()).collect();
    assert_eq!(starts, ["ocean,", "ada,ocean", "physics,"]);
}
