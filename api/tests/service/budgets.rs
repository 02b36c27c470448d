//! Budgets of energy, cost and CO2: reserved by what is booked, settled by what was measured, and never overrun.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::client::{Client, answer};
use crate::cluster::{choose, furnish, instant, path, propose};
use crate::ledger::{self, EVENING, HOUR, push, stated_to};
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_budget_refuses_and_offers_are_made_where_it_is_kept,
    where_a_budget_is_kept_next_is_told_as_far_as_it_is_known,
    a_budget_is_reserved_and_settled_by_what_was_measured,
    what_was_stated_is_read_once,
    what_lives_keeps_its_budgets_exact,
    a_project_keeps_the_budget_of_what_it_is_a_part_of,
    sixty_four_clients_at_the_edge_of_a_budget_never_overrun_it,
}

const CLIENTS: u32 = 64;

/// A member of a document is near a number.
fn near(document: &Value, member: &str, expected: f64) {
    let told = document[member].as_f64().unwrap();
    assert!((told - expected).abs() < 1e-9, "{member} is not {expected}: {document}");
}

/// The rows of a measure that a client sees.
async fn rows(client: &Client, measure: &str) -> Vec<Value> {
    let told = client.get("/api/v1/quotas").await.ok(200);
    let all = told["quotas"].as_array().unwrap().iter();
    all.filter(|it| it["measure"] == measure).cloned().collect()
}

/// One row: what is used, reserved, measured and left.
async fn stands(client: &Client, measure: &str, [used, measured, left]: [f64; 3]) {
    let rows = rows(client, measure).await;
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    near(row, "used", used);
    near(row, "measured", measured);
    near(row, "reserved", used - measured);
    near(row, "left", left);
}

/// The service so many seconds after 20:00.
async fn serve(site: &Site, after_s: i64, rules: &str) -> Server {
    serve_at(site, (after_s, 1), rules).await
}

/// The same by a clock of which so many seconds pass in one.
async fn serve_at(site: &Site, (after_s, rate): (i64, i64), rules: &str) -> Server {
    ledger::serve_with(site, (EVENING + after_s, rate), "", rules).await
}

/// One node of 200 W for an hour, 0.2 kWh, 0.0144 EUR and 0.072 kg, from so many seconds after 20:00.
fn an_hour(earliest_s: i64, latest_s: i64) -> Value {
    json!({
        "nodes": 1,
        "duration_s": 3600,
        "utilisation": 1.0,
        "earliest_start": instant(EVENING + earliest_s),
        "latest_start": instant(EVENING + latest_s),
    })
}

/// Ada has 0.45 kWh on the last of February, 0.0324 EUR and 0.162 kg. Each budget has less than what one more hour takes.
async fn a_budget_refuses_and_offers_are_made_where_it_is_kept(site: Site) {
    let tokens =
        [("operator", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    ledger::furnish(&site, &tokens[0], &tokens[1]).await;
    // Of an hour 0.05 of 0.2 kWh, 0.0076 of 0.0144 EUR and 0.038 of 0.072 kg may be in February: 15 minutes of energy, and
    // 31 of cost and CO2, in slots of 15 minutes 30.
    for (measure, limit, used, asked, before_s) in [
        ("energy_kwh", 0.5, 0.45, 0.2, 900),
        ("cost", 0.04, 0.0324, 0.0144, 1800),
        ("co2_kg", 0.2, 0.162, 0.072, 1800),
    ] {
        let rules =
            format!("[[quotas.rules.default]]\nuser = \"/\"\n{measure} = {limit}\nper = \"day\"\n");
        let server = serve(&site, 0, &rules).await;
        let ada = server.client().with_token(&tokens[1]);
        let at_once = an_hour(2 * HOUR + 1800, 2 * HOUR + 1800);
        let refused = ada.post("/api/v1/reservations", &at_once).await.problem(422, "quota");
        for (member, expected) in [
            ("rule", json!("*,*,*,/")),
            ("measure", json!(measure)),
            ("per", json!("day")),
            ("from", json!(instant(EVENING - 20 * HOUR))),
            ("to", json!(instant(EVENING + 4 * HOUR))),
            ("next_start", json!(instant(EVENING + 4 * HOUR - before_s))),
        ] {
            assert_eq!(refused[member], expected, "{member} of {refused}");
        }
        near(&refused, "limit", limit);
        near(&refused, "used", used);
        near(&refused, "left", limit - used);
        near(&refused, "asked", asked);
        stands(&ada, measure, [used, 0.0, limit - used]).await;
        server.kill();
    }
    // Of 0.05 kWh a quarter of an hour may be in February, to the second.
    let rules = "[[quotas.rules.default]]\nuser = \"/\"\nenergy_kwh = 0.5\nper = \"day\"\n";
    let server = serve(&site, 0, rules).await;
    let ada = server.client().with_token(&tokens[1]);
    for mode in [json!({ "mode": "exact" }), json!({ "mode": "slots", "slot_s": 900 })] {
        let mut request = an_hour(2 * HOUR + 1800, 6 * HOUR);
        request["search"] = mode;
        let quote = ada.post("/api/v1/quotes", &request).await.ok(200);
        let soonest = &quote["as_soon_as_possible"]["start"];
        assert_eq!(*soonest, json!(instant(EVENING + 4 * HOUR - 900)), "{quote}");
        let reasons = quote["reasons"].as_array().unwrap();
        assert!(reasons.iter().any(|it| it["code"] == "quota"), "{quote}");
    }
    propose(&ada, &an_hour(4 * HOUR - 900, 4 * HOUR - 900)).await;
    let next = an_hour(2 * HOUR + 1800, 2 * HOUR + 1800);
    ada.post("/api/v1/reservations", &next).await.problem(422, "quota");
}

/// Of this quarter 0.05 kWh are left, so that an hour may begin a quarter of an hour before the next one, whatever it
/// costs then. Prices are known for two days, so that when it costs little enough is not.
async fn where_a_budget_is_kept_next_is_told_as_far_as_it_is_known(site: Site) {
    let tokens =
        [("operator", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    ledger::furnish(&site, &tokens[0], &tokens[1]).await;
    let april = EVENING + 4 * HOUR + 31 * 24 * HOUR;
    for (rule, next_start, told) in [
        (
            "energy_kwh = 0.5\nper = \"quarter\"",
            json!(instant(april - 900)),
            "the next start that keeps",
        ),
        ("cost = 0.04\nper = \"quarter\"", Value::Null, "as far as prices and CO2 are known"),
        // Half of its hour, 0.1 kWh, is on each side of midnight.
        ("energy_kwh = 0.1\nper = \"day\"", json!("2026-03-01T23:30:00Z"), "the next start that"),
        ("energy_kwh = 0.05\nper = \"day\"", Value::Null, "within two months no start"),
    ] {
        let rules = format!("[[quotas.rules.default]]\nuser = \"/\"\n{rule}\n");
        let server = serve(&site, 0, &rules).await;
        let ada = server.client().with_token(&tokens[1]);
        let later = an_hour(6 * HOUR, 6 * HOUR);
        let refused = ada.post("/api/v1/reservations", &later).await.problem(422, "quota");
        assert_eq!(refused["next_start"], next_start, "{rule}: {refused}");
        let quote = ada.post("/api/v1/quotes", &later).await.ok(200);
        let detail = quote["reasons"][0]["detail"].as_str().unwrap();
        assert!(detail.contains(told), "{rule}: {detail}");
        server.kill();
    }
}

/// A row of the metrics without labels; 0 where there is none yet.
pub(crate) async fn metric(client: &Client, name: &str) -> i64 {
    let told = client.get("/metrics").await.body;
    let line = told.lines().find(|line| line.split(' ').next() == Some(name));
    line.map_or(0, |line| line.rsplit(' ').next().unwrap().parse().unwrap())
}

/// Ada's reservation has a row in each of the hours from 21:00 and from 22:00, of all nodes: with each of them stated one
/// row is read, whoever asks how often.
async fn what_was_stated_is_read_once(site: Site) {
    const READ: &str = "wattbook_quota_ledger_rows_read_total";
    let tokens =
        [("operator", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    ledger::furnish(&site, &tokens[0], &tokens[1]).await;
    let rules = "[[quotas.rules.default]]\nuser = \"/\"\nenergy_kwh = 9\nper = \"year\"\n";
    let server = serve(&site, 2 * HOUR + 2400, rules).await;
    let [operator, ada] = tokens.each_ref().map(|token| server.client().with_token(token));
    stated_to(&operator, 2).await;
    for _ in 0..3 {
        stands(&ada, "energy_kwh", [0.45, 0.3, 8.55]).await;
    }
    assert_eq!(metric(&operator, READ).await, 1);
    server.kill();
    // Others are stated while it runs: five minutes pass in a second.
    let server = serve_at(&site, (2 * HOUR + 2400, 300), rules).await;
    let [operator, ada] = tokens.each_ref().map(|token| server.client().with_token(token));
    rows(&ada, "energy_kwh").await;
    for hours in 3..6 {
        stated_to(&operator, hours).await;
        stands(&ada, "energy_kwh", [0.45, 0.45, 8.55]).await;
    }
    // One of 21:00 and one of 22:00; in the hours since nobody had anything.
    assert_eq!(metric(&operator, READ).await, 2);
}

/// 0.30 kWh are planned from 21:00 to 22:00 and 0.15 after it. One of the two nodes draws 160 W in place of 150 W in the first
/// hour: 0.31 kWh. When the second hour is stated too, 0.46 kWh are measured, which is 0.01 more than there is.
async fn a_budget_is_reserved_and_settled_by_what_was_measured(site: Site) {
    let tokens =
        [("operator", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    let reservation = ledger::furnish(&site, &tokens[0], &tokens[1]).await;
    let own = reservation["offers"][0]["nodes"][0].as_str().unwrap().to_owned();
    let rules = "[[quotas.rules.default]]\nuser = \"/\"\nenergy_kwh = 0.45\ncost = 1\nco2_kg = 1\nper = \"quarter\"\n";
    let server = serve(&site, 0, rules).await;
    let ada = server.client().with_token(&tokens[1]);
    stands(&ada, "energy_kwh", [0.45, 0.0, 0.0]).await;
    server.kill();

    let server = serve(&site, 2 * HOUR + 300, rules).await;
    push(&server.client().with_token(&tokens[0]), "bmc", &own, 160.0).await;
    server.kill();
    let server = serve(&site, 2 * HOUR + 2400, rules).await;
    let [operator, ada] = tokens.each_ref().map(|token| server.client().with_token(token));
    stated_to(&operator, 2).await;
    // At 72 EUR/MWh and 360 g/kWh.
    stands(&ada, "energy_kwh", [0.46, 0.31, -0.01]).await;
    stands(&ada, "cost", [0.033_12, 0.022_32, 0.966_88]).await;
    stands(&ada, "co2_kg", [0.1656, 0.1116, 0.8344]).await;
    server.kill();
    let server = serve(&site, 4 * HOUR, rules).await;
    let [operator, ada] = tokens.each_ref().map(|token| server.client().with_token(token));
    stated_to(&operator, 3).await;
    stands(&ada, "energy_kwh", [0.46, 0.46, -0.01]).await;
    // What was measured took nothing from her, and refuses what is new.
    assert_eq!(ada.get(&path(&reservation)).await.ok(200)["state"], "completed");
    let later = an_hour(6 * HOUR, 6 * HOUR);
    let refused = ada.post("/api/v1/reservations", &later).await.problem(422, "quota");
    near(&refused, "left", -0.01);
}

/// Two nodes of 150 W are 0.3 kWh an hour: from 21:00 until 22:30 0.45 kWh, until 23:00 0.6, which is what there is.
async fn what_lives_keeps_its_budgets_exact(site: Site) {
    let tokens = [("operator", "operator"), ("ada", "user"), ("bob", "user")]
        .map(|(name, role)| site.token(name, role));
    let reservation = ledger::furnish(&site, &tokens[0], &tokens[1]).await;
    let rules = "[[quotas.rules.default]]\nuser = \"/\"\nenergy_kwh = 0.6\nper = \"quarter\"\n";
    let server = serve(&site, 0, rules).await;
    let [_, ada, bob] = tokens.each_ref().map(|token| server.client().with_token(token));
    let at = |action: &str| format!("{}/{action}", path(&reservation));
    let until = |end_s: i64| json!({ "until": instant(EVENING + end_s) });

    let refused = ada.post(&at("extend"), &until(3 * HOUR + 600)).await.problem(422, "quota");
    near(&refused, "asked", 0.65);
    near(&refused, "used", 0.0);
    stands(&ada, "energy_kwh", [0.45, 0.0, 0.15]).await;
    ada.post(&at("extend"), &until(3 * HOUR)).await.ok(200);
    stands(&ada, "energy_kwh", [0.6, 0.0, 0.0]).await;

    // Planned anew on one node it is 0.3 kWh, and may be two nodes again, since it does not count beside itself.
    for (nodes, used) in [(1, 0.3), (2, 0.6)] {
        let body = json!({ "nodes": nodes, "duration_s": 7200 });
        let patch = ada.request(Method::PATCH, &path(&reservation)).json(&body);
        let changed = answer(patch).await.ok(200);
        assert_eq!(
            (&changed["state"], &changed["end"]),
            (&json!("confirmed"), &json!(instant(EVENING + 3 * HOUR)))
        );
        stands(&ada, "energy_kwh", [used, 0.0, 0.6 - used]).await;
    }

    // Bob has 0.2 kWh of his own, and so no room for hers.
    let own = propose(&bob, &an_hour(6 * HOUR, 6 * HOUR)).await;
    let to_bob = json!({ "owner": "bob" });
    let refused = ada.post(&at("transfer"), &to_bob).await.problem(422, "quota");
    near(&refused, "used", 0.2);
    bob.delete(&path(&own)).await.ok(200);
    ada.post(&at("transfer"), &to_bob).await.ok(200);
    stands(&ada, "energy_kwh", [0.0, 0.0, 0.6]).await;
    stands(&bob, "energy_kwh", [0.6, 0.0, 0.0]).await;
    server.kill();

    // At 22:00 half of it is over; what is to come is given back.
    let server = serve(&site, 2 * HOUR, rules).await;
    let bob = server.client().with_token(&tokens[2]);
    bob.post(&at("release"), &json!({})).await.ok(200);
    let rows = rows(&bob, "energy_kwh").await;
    let used = rows[0]["used"].as_f64().unwrap();
    assert!((0.3..0.32).contains(&used), "{rows:?}");
    near(&rows[0], "left", 0.6 - used);
    propose(&bob, &an_hour(6 * HOUR, 6 * HOUR)).await;
}

/// Science has 0.5 kWh with all below it. Of ice, a part of it, two hours are 0.4; a third is refused by what is above.
async fn a_project_keeps_the_budget_of_what_it_is_a_part_of(site: Site) {
    let tokens =
        [("operator", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    ledger::furnish(&site, &tokens[0], &tokens[1]).await;
    let rules = "[[quotas.rules.default]]\nproject = \"science\"\nenergy_kwh = 0.5\nper = \"year\"\nwith_below = true\n\
        [[quotas.rules.default]]\nproject = \"ice\"\nenergy_kwh = 9\nper = \"year\"\n";
    let server = serve(&site, 0, rules).await;
    let [operator, ada] = tokens.each_ref().map(|token| server.client().with_token(token));
    for (place, body) in [
        ("science", json!({ "parent": null })),
        ("ice", json!({ "parent": "science" })),
        ("ice/members/ada", json!({ "manager": false })),
    ] {
        operator.put(&format!("/api/v1/projects/{place}"), &body).await.ok(200);
    }
    let of_ice = |hour: i64| {
        let mut request = an_hour(hour * HOUR, hour * HOUR);
        request["project"] = json!("ice");
        request
    };
    for hour in [5, 6] {
        propose(&ada, &of_ice(hour)).await;
    }
    let refused = ada.post("/api/v1/reservations", &of_ice(7)).await.problem(422, "quota");
    assert_eq!(refused["rule"], "*,science,*,*");
    near(&refused, "used", 0.4);
    let told = rows(&ada, "energy_kwh").await;
    let of = |project: &str| told.iter().find(|it| it["project"] == project).unwrap();
    near(of("science"), "left", 0.1);
    near(of("ice"), "left", 8.6);
}

/// The project has 1.7 kWh and 64 clients want two nodes of 200 W for an hour, 0.4 kWh, by two processes on one database.
async fn sixty_four_clients_at_the_edge_of_a_budget_never_overrun_it(site: Site) {
    let settings = "[quotas]\noperators = true\n[[quotas.rules.default]]\nproject = \"ocean\"\nenergy_kwh = 1.7\n\
        from = \"2000-01-01 00:00\"\nto = \"2100-01-01 00:00\"\n";
    let file = site.folder().join("wattbook.toml");
    std::fs::write(&file, settings).unwrap();
    let arguments = ["--config", file.to_str().unwrap()];
    let servers = [site.serve_with(&arguments).await, site.serve_with(&arguments).await];
    let client = servers[0].client();
    let hours = furnish(&client, 2 * CLIENTS, None).await;
    let start = Arc::new(Barrier::new(CLIENTS as usize));
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let server = &servers[number as usize % servers.len()];
        let (client, start) = (server.client(), Arc::clone(&start));
        clients.spawn(async move {
            start.wait().await;
            let mut request = hours.request(2, 0, 2);
            request["utilisation"] = json!(1.0);
            request["labels"] = json!({ "project": "ocean" });
            let answer = client.post("/api/v1/reservations", &request).await;
            if answer.status >= 400 {
                let problem = answer.any_problem();
                match (answer.status, problem["code"].as_str().unwrap()) {
                    (422, "quota") => assert_eq!(problem["measure"], "energy_kwh"),
                    (409, "book_changed") => {}
                    other => panic!("{other:?}: {problem}"),
                }
                return false;
            }
            let rankings = ["cost_co2_energy", "co2_cost_energy", "energy_cost_co2"];
            choose(&client, &answer.ok(201), rankings[(number % 3) as usize]).await;
            true
        });
    }
    let won = clients.join_all().await.into_iter().filter(|won| *won).count();
    assert!((1..=4).contains(&won), "{won} have 0.4 kWh each of 1.7");
    let used = 0.4 * f64::from(u32::try_from(won).unwrap());
    stands(&client, "energy_kwh", [used, 0.0, 1.7 - used]).await;
    // What was left over is taken one after the other, to the last that fits.
    for _ in won..4 {
        let mut request = hours.request(2, 0, 2);
        request["utilisation"] = json!(1.0);
        request["labels"] = json!({ "project": "ocean" });
        propose(&client, &request).await;
    }
    stands(&client, "energy_kwh", [1.6, 0.0, 0.1]).await;
}
