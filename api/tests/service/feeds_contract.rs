//! A contract with colours: from the settings to the agenda and what offers rest on.

use serde_json::{Value, json};

use crate::site::{Site, on_both_engines};
use crate::supply::{Supply, until};

on_both_engines! {
    prices_are_the_contract_s_where_a_colour_is_known_and_what_it_may_be_where_none_is,
}

/// Each price is `(energy + 10) x 1.2`; peaks from 06:00 to 22:00, days from 06:00 to 06:00.
const CONTRACT: &str = r#"
[[feeds]]
id = "tempo"
quantity = "price"
provider = "contract"
time_zone = "Europe/Paris"
currency = "EUR"
day_starts_at = "06:00"
taxes_per_mwh = "10"
vat_percent = "20"
rules = [
    { colour = "blue", from = "06:00", to = "22:00", energy_per_mwh = "120" },
    { colour = "white", from = "06:00", to = "22:00", energy_per_mwh = "180" },
    { colour = "red", from = "06:00", to = "22:00", energy_per_mwh = "500" },
    { colour = "blue", energy_per_mwh = "80" },
    { colour = "white", energy_per_mwh = "100" },
    { colour = "red", energy_per_mwh = "120" },
]
colours = { access = "public", base_url = "BASE/rte" }
poll = { poll_every_s = 60, catch_up_s = 0 }

[agendas.price]
contract = "tempo"
"#;

/// The piece in force at an instant, with what it rests on.
fn at<'a>(agenda: &'a Value, instant: &str) -> Option<(f64, &'a Value)> {
    let holds = |it: &&Value| {
        it["start"].as_str().unwrap() <= instant && instant < it["end"].as_str().unwrap()
    };
    let find = |name: &str| agenda[name].as_array().unwrap().iter().find(holds);
    Some((find("pieces")?["price_per_mwh"].as_f64().unwrap(), find("provenance")?))
}

/// Paris is an hour ahead of UTC on these days: noon there is 11:00Z.
async fn prices_are_the_contract_s_where_a_colour_is_known_and_what_it_may_be_where_none_is(
    site: Site,
) {
    let supply = Supply::at_rate(60).await;
    let server = supply.serve(&site, &CONTRACT.replace("BASE", &supply.base)).await;
    let client = server.client();
    let days = "/api/v1/agendas/price?from=2026-03-20T09:00:00Z&to=2026-03-24T05:00:00Z";
    // Friday is white: (180 + 10) x 1.2 = 228, by night 132. Saturday's colour comes at 10:30.
    let fresh = |agenda: &Value, instant: &str, price: f64| {
        at(agenda, instant).is_some_and(|(value, told)| {
            (value - price).abs() < 1e-9 && told["standing"] == "fresh"
        })
    };
    let agenda = until(&client, days, |agenda| {
        fresh(agenda, "2026-03-20T11:00:00Z", 228.0)
            && fresh(agenda, "2026-03-20T22:00:00Z", 132.0)
            && fresh(agenda, "2026-03-21T11:00:00Z", 228.0)
    })
    .await;
    assert_eq!(agenda["gaps"], json!([]));
    let (_, told) = at(&agenda, "2026-03-21T11:00:00Z").unwrap();
    assert_eq!((&told["source"], &told["quality"]), (&json!("tempo"), &json!("measured")));
    // No Sunday is white or red: (120 + 10) x 1.2 = 156, whatever RTE says.
    let (value, told) = at(&agenda, "2026-03-22T11:00:00Z").unwrap();
    assert!((value - 156.0).abs() < 1e-9, "{value}");
    assert_eq!((&told["standing"], told.get("low")), (&json!("contract"), None));
    // Monday may have any colour: between 156 and (500 + 10) x 1.2 = 612.
    let (value, told) = at(&agenda, "2026-03-23T11:00:00Z").unwrap();
    assert!(156.0 < value && value < 612.0, "{value}");
    assert_eq!((&told["low"], &told["high"]), (&json!(156.0), &json!(612.0)));
    assert_eq!((&told["standing"], &told["quality"]), (&json!("contract"), &json!("estimated")));

    client.put("/api/v1/nodes", &crate::cluster::nodes(2)).await.ok(200);
    let co2 = json!([{
        "start": "2026-03-20T00:00:00Z", "end": "2026-04-10T00:00:00Z", "intensity_g_per_kwh": 50,
    }]);
    client.put("/api/v1/agendas/co2", &co2).await.ok(200);
    // One node of 200 W for an hour: 0.2 kWh, from 0.2 x 0.156 to 0.2 x 0.612 EUR.
    let request = json!({
        "nodes": 1, "duration_s": 3600,
        "earliest_start": "2026-03-23T11:00:00Z", "latest_start": "2026-03-23T11:00:00Z",
    });
    let quote = client.post("/api/v1/quotes", &request).await.ok(200);
    let price = quote["basis"].as_array().unwrap().iter().find(|it| it["quantity"] == "price");
    let price = price.unwrap();
    assert_eq!((&price["standing"], &price["quality"]), (&json!("contract"), &json!("estimated")));
    assert_eq!(price["received_at"], Value::Null);
    let offer = &quote["offers"][0];
    for (name, expected) in [("cost_low", 0.0312), ("cost_high", 0.1224), ("cost", 0.2e-3 * value)]
    {
        let found = offer[name].as_f64().unwrap_or_else(|| panic!("{name}: {offer}"));
        assert!((found - expected).abs() < 1e-6, "{name}: {found}");
    }
}
