//! How CO2 is counted: named on figures, kept with what was offered, and the other accounting beside it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{Hours, nodes};
use crate::server::{PATIENCE, Server};
use crate::site::{Site, on_both_engines};
use crate::supply::{until, write};

on_both_engines! {
    the_other_accounting_stands_beside_and_decides_nothing,
    what_was_offered_names_its_accounting_after_the_site_counts_otherwise,
    a_withdrawn_hour_leaves_the_rest_of_a_marginal_agenda,
}

/// The source says nothing: its file is not there.
const SILENT: &str = "[[feeds]]
id = \"file\"
quantity = \"co2\"
provider = \"file-drop\"
path = \"absent.csv\"
";

/// Average intensities are put, marginal ones are in a file.
pub(crate) const SETTINGS: &str = "[[feeds]]
id = \"file\"
quantity = \"co2\"
provider = \"file-drop\"
path = \"other.csv\"
accounting = \"marginal\"
factors = \"direct\"
[agendas.co2]
accounting = \"average\"
factors = \"direct\"
other = { chain = [\"file\"], factors = \"direct\" }
";

fn average() -> Value {
    json!({ "accounting": "average", "factors": "direct" })
}

pub(crate) fn marginal() -> Value {
    json!({ "accounting": "marginal", "factors": "direct" })
}

/// Four nodes of 200 W at most. Of four hours the first emits least, 50 g/kWh, and the last two cost least. By the other
/// accounting the first two emit 400 and 500 g/kWh, and nothing is known of the others.
async fn furnished(site: &Site, hours: Hours) -> Server {
    let row =
        |hour: i64, value: u32| format!("{},{},{value}\n", hours.hour(hour), hours.hour(hour + 1));
    let table = format!("start,end,intensity_g_per_kwh\n{}{}", row(0, 400), row(1, 500));
    std::fs::write(site.folder().join("other.csv"), table).unwrap();
    write(site, SETTINGS);
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let client = server.client();
    client.put("/api/v1/nodes", &nodes(4)).await.ok(200);
    let price = hours.agenda("price_per_mwh", 0, &[60.0, 60.0, 40.0, 40.0]);
    client.put("/api/v1/agendas/price", &price).await.ok(200);
    let co2 = hours.agenda("intensity_g_per_kwh", 0, &[50.0, 200.0, 100.0, 100.0]);
    client.put("/api/v1/agendas/co2", &co2).await.ok(200);
    server
}

/// A quote for an hour of a node, once the other accounting is known.
async fn quote(client: &Client, request: &Value) -> Value {
    let give_up = tokio::time::Instant::now() + 3 * PATIENCE;
    loop {
        let quote = client.post("/api/v1/quotes", request).await.ok(200);
        if quote["offers"][0]["other_co2_g"].is_number() {
            return quote;
        }
        assert!(tokio::time::Instant::now() < give_up, "not in time: {quote:#}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// An hour of a node takes 0.2 kWh: 10 g and by the other accounting 80 g in the first hour, 20 g in the third.
async fn the_other_accounting_stands_beside_and_decides_nothing(site: Site) {
    let hours = Hours::ahead();
    let server = furnished(&site, hours).await;
    let client = server.client();
    let co2 = hours.agenda("intensity_g_per_kwh", 0, &[50.0]);
    for query in ["kind=marginal", "factors=life-cycle"] {
        let refused = client.put(&format!("/api/v1/agendas/co2?{query}"), &co2).await;
        let told = refused.problem(400, "invalid_body").to_string();
        assert!(told.contains("they do not mix"), "{told}");
    }
    let of = |query: &str| format!("/api/v1/agendas/co2?{}{query}", hours.span(0, 4));
    let other = of("&accounting=marginal");
    let other = until(&client, &other, |it| it["pieces"].as_array().unwrap().len() == 2).await;
    assert_eq!(other["co2_accounting"], marginal());
    assert_eq!(other["pieces"][1]["intensity_g_per_kwh"], 500.0);
    assert_eq!(other["gaps"], json!([{ "start": hours.hour(2), "end": hours.hour(4) }]));
    for query in ["", "&accounting=average"] {
        let planned = client.get(&of(query)).await.ok(200);
        assert_eq!(planned["co2_accounting"], average());
        assert_eq!(planned["provenance"][0]["co2_accounting"], average());
        assert_eq!(planned["pieces"][0]["intensity_g_per_kwh"], 50.0);
    }
    client.get(&of("&accounting=mean")).await.problem(400, "invalid_parameter");
    let long = |to| format!("/api/v1/agendas/co2?{}&accounting=marginal", hours.span(0, to));
    client.get(&long(31 * 24)).await.ok(200);
    let refused = client.get(&long(31 * 24 + 1)).await;
    assert!(refused.problem(400, "invalid_parameter").to_string().contains("31 days"));
    let price = format!("/api/v1/agendas/price?{}&accounting=average", hours.span(0, 4));
    client.get(&price).await.problem(404, "not_found");
    let told = client.get("/api/v1/site").await.ok(200);
    assert_eq!(told["co2_accounting"], average());
    assert_eq!(told["other_co2_accounting"], marginal());
    let feeds = client.get("/api/v1/feeds").await.ok(200);
    let agenda = &feeds["agendas"][0];
    assert_eq!((&agenda["chain"], &agenda["co2_accounting"]), (&json!(["api"]), &average()));
    let beside =
        json!({ "co2_accounting": marginal(), "chain": ["file"], "horizon": hours.hour(2) });
    assert_eq!(agenda["other"], beside);

    let request = hours.request(1, 0, 2);
    let quote = quote(&client, &request).await;
    assert_eq!(quote["co2_accounting"], average());
    assert_eq!(quote["other_co2_accounting"], marginal());
    let told = |offer: &Value| {
        ["start", "co2_g", "other_co2_g"].map(|name| offer.get(name).cloned().unwrap_or_default())
    };
    let first = [json!(hours.hour(0)), json!(10.0), json!(80.0)];
    let third = [json!(hours.hour(2)), json!(20.0), Value::Null];
    assert_eq!(told(&quote["offers"][0]), first);
    assert_eq!(told(&quote["offers"][1]), third);
    assert_eq!(told(&quote["as_soon_as_possible"]), first);
    let held = client.post("/api/v1/reservations", &request).await.ok(201);
    assert_eq!(held["other_co2_accounting"], marginal());
    let offers: Vec<_> = held["offers"].as_array().unwrap().iter().map(told).collect();
    assert_eq!(offers, [first, third]);
}

/// The file of marginal intensities is what is planned by from then on; what was put as average counts no longer.
async fn what_was_offered_names_its_accounting_after_the_site_counts_otherwise(site: Site) {
    let hours = Hours::ahead();
    let server = furnished(&site, hours).await;
    let client = server.client();
    let request = hours.request(1, 0, 0);
    quote(&client, &request).await;
    let held = client.post("/api/v1/reservations", &request).await.ok(201);
    let path = format!("/api/v1/reservations/{}", held["id"].as_str().unwrap());
    let choice = json!({ "offer_id": held["offers"][0]["offer_id"] });
    client.post(&format!("{path}/choose"), &choice).await.ok(200);
    server.kill();

    let other = "other = { chain = [\"file\"], factors = \"direct\" }\n";
    let settings = SETTINGS.replace(other, "").replace("\"average\"", "\"marginal\"");
    write(&site, &settings);
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let client = server.client();
    let span = format!("/api/v1/agendas/co2?{}", hours.span(0, 4));
    let agenda = until(&client, &span, |it| it["co2_accounting"] == marginal()).await;
    assert_eq!(agenda["pieces"][0]["intensity_g_per_kwh"], 400.0);
    assert_eq!(agenda["gaps"], json!([{ "start": hours.hour(2), "end": hours.hour(4) }]));
    assert_eq!(client.get("/api/v1/site").await.ok(200)["co2_accounting"], marginal());
    let booked = client.get(&path).await.ok(200);
    assert_eq!(booked["state"], "confirmed");
    assert_eq!(booked["co2_accounting"], average());
    assert_eq!(booked["other_co2_accounting"], marginal());
    let offer = &booked["offers"][0];
    assert_eq!((&offer["co2_g"], &offer["other_co2_g"]), (&json!(10.0), &json!(80.0)));
    let quote = client.post("/api/v1/quotes", &request).await.ok(200);
    assert_eq!(quote["co2_accounting"], marginal());
    assert_eq!(quote["offers"][0]["co2_g"], 80.0);
    assert!(quote.get("other_co2_accounting").is_none());

    // Another hour is 0.2 kWh at 500 g/kWh, marginal: 10 g and 100 g are counted in two ways.
    let more = json!({ "by_s": 3600 });
    let extended = client.post(&format!("{path}/extend"), &more).await.ok(200);
    assert_eq!(extended["offers"][0]["co2_g"], 110.0);
    assert_eq!(extended["co2_accounting"], Value::Null);
    let basis = extended["basis"].as_array().unwrap();
    let counted = basis.iter().filter(|it| it["quantity"] == "co2").map(|it| &it["co2_accounting"]);
    assert_eq!(counted.collect::<Vec<_>>(), [&average(), &marginal()]);
}

/// Marginal intensities are put of two days, and nobody else says anything: the agenda is of their kind.
async fn a_withdrawn_hour_leaves_the_rest_of_a_marginal_agenda(site: Site) {
    let hours = Hours::ahead();
    write(&site, SILENT);
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let client = server.client();
    let co2 = hours.agenda("intensity_g_per_kwh", 0, &[300.0; 48]);
    client.put("/api/v1/agendas/co2?kind=marginal", &co2).await.ok(200);
    let other = hours.agenda("intensity_g_per_kwh", 0, &[50.0]);
    for query in ["", "?kind=average", "?kind=marginal&factors=direct"] {
        let refused = client.put(&format!("/api/v1/agendas/co2{query}"), &other).await;
        let told = refused.problem(400, "invalid_body").to_string();
        assert!(told.contains("they do not mix"), "{told}");
    }
    client.delete(&format!("/api/v1/agendas/co2?{}", hours.span(1, 2))).await.ok(200);
    // The service composes anew every 2 s, and within an instant where something is put or withdrawn.
    tokio::time::sleep(Duration::from_secs(5)).await;
    let left = client.get(&format!("/api/v1/agendas/co2?{}", hours.span(0, 48))).await.ok(200);
    assert_eq!(left["pieces"].as_array().unwrap().len(), 47);
    assert_eq!(left["gaps"], json!([{ "start": hours.hour(1), "end": hours.hour(2) }]));
    let counted = &left["co2_accounting"];
    assert_eq!((&counted["accounting"], &counted["factors"]), (&json!("marginal"), &Value::Null));

    // Once nothing is put any more, anything may be.
    client.delete(&format!("/api/v1/agendas/co2?{}", hours.span(0, 48))).await.ok(200);
    client.put("/api/v1/agendas/co2?kind=average&factors=direct", &other).await.ok(200);
    client.put("/api/v1/agendas/co2", &other).await.ok(200);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let told = client.get(&format!("/api/v1/agendas/co2?{}", hours.span(0, 1))).await.ok(200);
    assert_eq!(told["co2_accounting"], average());
}
