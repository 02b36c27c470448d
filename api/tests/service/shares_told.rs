//! How one stands is told before one chooses: what each offer would do to it, and how it can be better.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{Hours, choose, furnish, path, propose};
use crate::dialogue::serve;
use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    what_an_offer_would_do_is_told_before_one_chooses,
    money_and_co2_count_by_what_offers_cost_and_emit,
    who_has_no_shares_is_told_nothing,
}

/// Four nodes of 200 W at most, of which ada has booked all for hour 6: 2,880,000 J. So little damping makes that tell.
async fn site_where(
    site: &Site,
    counts: &str,
) -> (crate::server::Server, String, [Client; 3], Hours) {
    let tokens = [("olga", "operator"), ("ada", "user"), ("eve", "user")]
        .map(|(name, role)| site.token(name, role));
    let shares = format!("[shares]\ndamping = 0.01\nhalf_life_s = 86400\ncounts = \"{counts}\"\n");
    let server = serve(site, &shares).await;
    let clients = tokens.each_ref().map(|token| server.client().with_token(token));
    let hours = furnish(&clients[0], 4, Some(800.0)).await;
    let first = propose(&clients[1], &hours.request(4, 6, 6)).await;
    choose(&clients[1], &first, "cost_co2_energy").await;
    (server, tokens[1].clone(), clients, hours)
}

/// What is possible, once it is told with a factor below that.
async fn quoted_below(client: &Client, request: &Value, most: f64) -> Value {
    for _ in 0..60 {
        let told = client.post("/api/v1/quotes", request).await.ok(200);
        if told["standing"]["factor"].as_f64().is_some_and(|it| it < most) {
            return told;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    panic!("what was booked does not count");
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn near(told: &Value, expected: f64) {
    let told = number(told);
    assert!((told - expected).abs() <= 1e-9 * expected.abs(), "{told} is not {expected}");
}

fn advice<'a>(standing: &'a Value, code: &str) -> Option<&'a Value> {
    standing["advice"].as_array().unwrap().iter().find(|it| it["code"] == code)
}

/// What there was is 800 W x 86,400 s x (2 - 2^-10), the damping 0.01. ada alone used anything, and has all. With two nodes for
/// an hour, 1,440,000 J, she has used half as much again.
async fn what_an_offer_would_do_is_told_before_one_chooses(site: Site) {
    let (server, token, [_, ada, eve], hours) = site_where(&site, "energy").await;
    let factor = |energy_j: f64, share: f64| {
        (-energy_j / (69_120_000.0 * (2.0 - 2.0_f64.powi(-10))) / share / 0.01).exp2()
    };
    let told = quoted_below(&ada, &hours.request(2, 2, 4), 1.0).await;
    let standing = &told["standing"];
    assert_eq!([&standing["account"], &standing["parent"]], [&json!("ada"), &json!("")]);
    assert_eq!((&standing["counts"], &standing["until_half"]), (&json!("energy"), &json!(0.0)));
    near(&standing["factor"], factor(2_880_000.0, 1.0));
    for offer in told["offers"].as_array().unwrap() {
        near(&offer["standing"]["factor"], factor(2_880_000.0, 1.0));
        near(&offer["standing"]["factor_after"], factor(4_320_000.0, 1.0));
        near(&offer["standing"]["uses"], 1_440_000.0);
    }
    assert!(told["as_soon_as_possible"]["standing"].is_object());
    assert!(advice(standing, "least_used").is_none(), "all draw the same");
    // 2^-2.08 at first. In a day what is booked is over and counts in whole; in two days half, 2^-1.04; in three 2^-0.52.
    near(&advice(standing, "wait").unwrap()["factor"], factor(2_880_000.0 / 4.0, 1.0));
    assert!(advice(standing, "wait").unwrap()["detail"].as_str().unwrap().contains("in 3 days"));

    // eve, who used nothing, would be one of two.
    let of_eve = eve.post("/api/v1/quotes", &hours.request(2, 2, 4)).await.ok(200);
    near(&of_eve["standing"]["factor"], 1.0);
    near(&of_eve["offers"][0]["standing"]["factor_after"], factor(1_440_000.0, 0.5));
    near(&of_eve["standing"]["until_half"], 0.5 * 0.01 * 69_120_000.0 * (2.0 - 2.0_f64.powi(-10)));
    assert!(advice(&of_eve["standing"], "wait").is_none());
    assert!(advice(&of_eve["standing"], "until_half").is_some());

    // What is held says the same until it is chosen, and then it comes true.
    let held = propose(&ada, &hours.request(2, 2, 4)).await;
    let before = held["offers"][0]["standing"]["factor_after"].clone();
    near(&before, factor(4_320_000.0, 1.0));
    assert_eq!(held["standing"]["account"], "ada");
    let mut command = wattbook(&["show", held["id"].as_str().unwrap()]);
    command.env("WATTBOOK_URL", format!("http://{}", server.address));
    command.env("WATTBOOK_TOKEN", &token).env_remove("WATTBOOK_TOKEN_FILE");
    let shown = command.output().unwrap();
    assert!(String::from_utf8(shown.stdout).unwrap().contains("FACTOR"));
    assert!(String::from_utf8(shown.stderr).unwrap().contains("Your factor is"));
    let chosen = choose(&ada, &held, "cost_co2_energy").await;
    assert!(chosen.get("standing").is_none() && chosen["offers"][0].get("standing").is_none());
    let after = quoted_below(&ada, &hours.request(1, 8, 8), number(&before) * 1.000_001).await;
    near(&after["standing"]["factor"], number(&before));

    let shares = ada.get("/api/v1/shares").await.ok(200);
    let own = &shares["accounts"][0];
    near(&own["factor"], number(&before));
    assert_eq!(own["until_half"], 0.0);
    assert!(advice(own, "wait").is_some());
}

/// ada's first booking is 0.8 kWh at 200 EUR/MWh and 60 g/kWh: 0.16 EUR and 48 g. Of two nodes, 0.4 kWh, hour 2 costs half of
/// that price, 0.04 EUR, and emits 24 g; hour 4 costs 0.08 EUR and emits 12 g. Logarithms of factors are as usage is.
async fn money_and_co2_count_by_what_offers_cost_and_emit(site: Site) {
    let (server, token, [olga, ada, _], hours) = site_where(&site, "cost").await;
    let told = quoted_below(&ada, &hours.request(2, 2, 4), 1.0).await;
    check_growth(&told, [(0.04, 1.25), (0.08, 1.5)]);
    assert!(advice(&told["standing"], "least_used").is_none(), "the first is the cheapest");
    // 19.2 kWh a day at 196.875 EUR/MWh on the average of what is known, of which some is over.
    let available = 0.0192 * 196.875 * (2.0 - 2.0_f64.powi(-10));
    let exponent = -number(&told["standing"]["factor"]).log2();
    assert!((exponent * 0.01 * available / 0.16 - 1.0).abs() < 0.01, "{exponent}");
    let shares = ada.get("/api/v1/shares").await.ok(200);
    assert_eq!((&shares["counts"], &shares["currency"]), (&json!("cost"), &json!("EUR")));
    near(&shares["accounts"][0]["usage_cost"], 0.16);
    near(&shares["accounts"][0]["usage_co2_g"], 48.0);
    // What costs less than nothing counts nothing.
    let negative = hours.agenda("price_per_mwh", 2, &[-100.0]);
    olga.put("/api/v1/agendas/price", &negative).await.ok(200);
    let paid = ada.post("/api/v1/quotes", &hours.request(2, 2, 2)).await.ok(200);
    let standing = &paid["offers"][0]["standing"];
    assert!(number(&paid["offers"][0]["cost"]) < 0.0);
    assert_eq!(standing["uses"], 0.0);
    assert_eq!(standing["factor_after"], standing["factor"]);
    drop(server);

    // The same book, now by CO2.
    let shares = "[shares]\ndamping = 0.01\nhalf_life_s = 86400\ncounts = \"co2\"\n";
    let server = serve(&site, shares).await;
    let ada = server.client().with_token(&token);
    let told = quoted_below(&ada, &hours.request(2, 2, 4), 1.0).await;
    check_growth(&told, [(24.0, 1.5), (12.0, 1.25)]);
    let least = advice(&told["standing"], "least_used").unwrap();
    assert_eq!(least["offer"], 1);
    near(&least["factor"], number(&told["offers"][1]["standing"]["factor_after"]));
    assert!(least["detail"].as_str().unwrap().contains(&hours.hour(4)), "{least}");
}

/// What each of two offers uses, and by how much the logarithm of the factor grows by it.
fn check_growth(told: &Value, expected: [(f64, f64); 2]) {
    assert_eq!(told["offers"].as_array().unwrap().len(), 2, "{told}");
    for (offer, (uses, growth)) in told["offers"].as_array().unwrap().iter().zip(expected) {
        let standing = &offer["standing"];
        near(&standing["uses"], uses);
        let grown = number(&standing["factor_after"]).log2() / number(&standing["factor"]).log2();
        assert!((grown - growth).abs() < 1e-6, "{grown} is not {growth}");
    }
}

async fn who_has_no_shares_is_told_nothing(site: Site) {
    let tokens = [("olga", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    let server = serve(&site, "").await;
    let [olga, ada] = tokens.each_ref().map(|token| server.client().with_token(token));
    let hours = furnish(&olga, 4, Some(800.0)).await;
    let told = ada.post("/api/v1/quotes", &hours.request(2, 2, 4)).await.ok(200);
    let held = propose(&ada, &hours.request(2, 2, 4)).await;
    for document in [told, held] {
        assert!(document.get("standing").is_none());
        assert!(document["offers"][0].get("standing").is_none());
    }
    let again = propose(&ada, &hours.request(1, 3, 3)).await;
    assert!(ada.get(&path(&again)).await.ok(200).get("standing").is_none());
}
