//! Each route of the table of rights leaves the records that it should: what changes something always, what shows one person
//! another's data where it does.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::Method;
use serde_json::{Value, json};

use crate::audited::records;
use crate::client::{Client, answer};
use crate::cluster::{path, propose};
use crate::series::{daily, furnish_days};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    every_route_that_changes_something_leaves_a_record,
    every_read_of_others_data_leaves_a_record,
}

/// Routes that change nothing, though their method says that they might.
const CHANGE_NOTHING: [&str; 4] = [
    "/api/v1/quotes",
    "/api/v1/estimates",
    "/emissions/average-carbon-intensity/batch",
    "/emissions/forecasts/batch",
];

/// Reads of what is of people, with what is asked for: operators see others'.
const OF_OTHERS: [(&str, &str); 24] = [
    ("/api/v1/reservations", "/api/v1/reservations"),
    ("/api/v1/reservations/{id}", "RESERVATION"),
    ("/api/v1/reservations/{id}/jobs", "RESERVATION/jobs"),
    ("/api/v1/series", "/api/v1/series"),
    ("/api/v1/series/{id}", "SERIES"),
    ("/api/v1/site-reservations", "/api/v1/site-reservations"),
    ("/api/v1/simulations", "/api/v1/simulations"),
    ("/api/v1/simulations/{id}", "SIMULATION"),
    ("/api/v1/simulations/{id}/events", "SIMULATION/events"),
    ("/api/v1/simulations/{id}/{result}", "SIMULATION/report"),
    ("/api/v1/events", "/api/v1/events"),
    ("/api/v1/power", "/api/v1/power"),
    ("/api/v1/quotas", "/api/v1/quotas"),
    ("/api/v1/shares", "/api/v1/shares"),
    ("/api/v1/ledger", "/api/v1/ledger"),
    ("/api/v1/ledger/totals", "/api/v1/ledger/totals"),
    ("/api/v1/reports", "/api/v1/reports?by=user"),
    ("/api/v1/model-error", "/api/v1/model-error?by=user"),
    ("/api/v1/projects", "/api/v1/projects"),
    ("/api/v1/projects/{name}", "/api/v1/projects/ice"),
    ("/api/v1/slurm/occupied", "/api/v1/slurm/occupied"),
    ("/api/v1/tokens", "/api/v1/tokens"),
    ("/api/v1/rights", "/api/v1/rights?user=ada"),
    ("/api/v1/bills", "/api/v1/bills?month=2026-01"),
];

/// Reads of others' data that nobody can make here, and why.
const NOT_HERE: [&str; 1] = [
    // Another site must have taken it.
    "/api/v1/site-reservations/{id}",
];

/// Reads of what is one's own alone, of what everybody may see, and of what is the site's and nobody's.
const OF_NOBODY_ELSE: [&str; 35] = [
    "/api/v1/calendar",
    "/api/v1/notifications",
    "/api/v1/me",
    "/api/v1/schedule",
    "/api/v1/occupancy",
    "/api/v1/nodes",
    "/api/v1/nodes/powers",
    "/api/v1/outages",
    "/api/v1/calibrations",
    "/api/v1/calibrations/findings",
    "/api/v1/measurements",
    "/api/v1/meters",
    "/api/v1/power-profile",
    "/api/v1/power-actions",
    "/api/v1/power-actions/log",
    "/api/v1/agendas/{quantity}",
    "/api/v1/agendas/{quantity}/agreement",
    "/api/v1/feeds",
    "/api/v1/feeds/{id}/revisions",
    "/api/v1/negotiations",
    "/api/v1/negotiations/{id}",
    "/api/v1/grants",
    "/api/v1/consumption",
    // Rules that operators made.
    "/api/v1/quotas/adjustments",
    "/api/v1/site",
    "/api/v1/slurm",
    "/api/v1/webhooks",
    "/metrics",
    // Who reads the trail would fill it.
    "/api/v1/audit",
    "/emissions/bylocation",
    "/emissions/bylocations",
    "/emissions/bylocations/best",
    "/emissions/average-carbon-intensity",
    "/emissions/forecasts/current",
    "/locations",
];

/// Method and path of every route that somebody needs a right for.
async fn routes(client: &Client) -> BTreeSet<(String, String)> {
    let document = client.get("/api/v1/rights").await.ok(200);
    let rights = document["rights"].as_array().unwrap().iter();
    let listed = rights.flat_map(|right| right["routes"].as_array().unwrap());
    let split = |route: &Value| {
        let (method, path) = route.as_str().unwrap().split_once(' ').unwrap();
        (method.to_owned(), path.to_owned())
    };
    listed.map(split).collect()
}

/// What the description calls a route.
async fn names(client: &Client) -> BTreeMap<(String, String), String> {
    let document = client.get("/api/openapi.json").await.ok(200);
    let mut names = BTreeMap::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap().to_owned();
            names.insert((method.to_uppercase(), path.clone()), name);
        }
    }
    names
}

/// A path with something in place of its parts, of which there is mostly nothing.
fn filled(path: &str) -> String {
    let none = "01900000-0000-7000-8000-000000000000";
    let filled = path.replace("{quantity}", "price").replace("{name}", "ice");
    ["{id}", "{grant_id}", "{occurrence}", "{user}"].iter().fold(filled, |filled, part| {
        filled.replace(part, if *part == "{user}" { "bob" } else { none })
    })
}

async fn every_route_that_changes_something_leaves_a_record(site: Site) {
    let olga = site.token("olga", "operator");
    let server = site.serve().await;
    let olga = server.client().with_token(&olga);
    let names = names(&server.client()).await;
    let mut called = 0;
    for route in routes(&olga).await {
        let (method, path) = &route;
        if method == "GET" || CHANGE_NOTHING.contains(&path.as_str()) {
            continue;
        }
        let name = names.get(&route).unwrap_or_else(|| panic!("{method} {path} has no name"));
        let before = records(&olga, name).await.len();
        let request = olga.request(Method::from_bytes(method.as_bytes()).unwrap(), &filled(path));
        let answered = answer(request.json(&json!({}))).await;
        let made = records(&olga, name).await.split_off(before);
        assert_eq!(made.len(), 1, "{method} {path} was answered {}: {made:?}", answered.status);
        let outcome = made[0]["outcome"].as_str().unwrap();
        assert_eq!(made[0]["actor"], "olga", "{method} {path}");
        assert!(outcome.starts_with(&answered.status.to_string()), "{method} {path}: {outcome}");
        called += 1;
    }
    // 35 routes change something of reservations, series, other sites and simulations alone.
    assert!(called > 35, "{called}");
}

async fn every_read_of_others_data_leaves_a_record(site: Site) {
    let [olga, ada] =
        [("olga", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    let server = site.serve().await;
    let [olga, ada] = [olga, ada].map(|token| server.client().with_token(&token));
    let listed = routes(&olga).await;
    let reads = listed.iter().filter(|(method, _)| method == "GET").map(|(_, path)| path.as_str());
    let known = OF_OTHERS.map(|(route, _)| route).into_iter().chain(NOT_HERE).chain(OF_NOBODY_ELSE);
    let (reads, known): (BTreeSet<&str>, BTreeSet<&str>) = (reads.collect(), known.collect());
    assert_eq!(reads, known, "each read must be in one of the lists of this file");

    let hours = furnish_days(&olga, 4, 2).await;
    olga.put("/api/v1/projects/ice", &json!({})).await.ok(200);
    let reservation = path(&propose(&ada, &hours.request(1, 0, 6)).await);
    let series = ada.post("/api/v1/series", &daily(hours, 2)).await.ok(201);
    let simulation = crate::simulation::start(&ada, &crate::simulation::short()).await;
    crate::simulation::finished(&ada, &simulation).await;
    let names = names(&server.client()).await;
    for (route, asked) in OF_OTHERS {
        let called = asked.replace("RESERVATION", &reservation).replace("SIMULATION", &simulation);
        let called = called.replace("SERIES", &crate::series::path(&series));
        let name = &names[&("GET".to_owned(), route.to_owned())];
        let before = records(&olga, name).await.len();
        // A stream does not end: its head is enough.
        let answered = olga.request(Method::GET, &called).send().await.unwrap();
        assert_eq!(answered.status(), 200, "{called}");
        let made = records(&olga, name).await.split_off(before);
        let made: Vec<[&str; 3]> = made
            .iter()
            .map(|it| ["actor", "for", "outcome"].map(|key| it[key].as_str().unwrap()))
            .collect();
        let whose = made.first().map(|it| it[1]).unwrap_or_default();
        assert_eq!(made, [["olga", whose, "200"]], "{called}");
        assert!(whose == "ada" || whose == "*", "{called}: {whose}");
    }
}
