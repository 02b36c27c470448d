//! Calibration that follows what meters measure: nodes are judged, calibrations proposed, taken and rejected, and what
//! was promised stays.

use std::fmt::Write;
use std::process::Output;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{choose, instant, nodes, now, path};
use crate::server::{PATIENCE, Server};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    what_is_measured_is_proposed_and_moves_no_reservation,
    what_is_measured_is_taken_where_the_site_says_so,
    the_utilisation_of_an_application_is_learnt_from_its_runs,
    the_error_of_the_model_is_told_to_those_whose_it_is,
}

/// 2026-02-28T20:00:00Z.
const EVENING: i64 = 1_772_308_800;
const HOUR: i64 = 3600;
const QUARTER: i64 = 900;

/// The service with a clock that shows `shown` now.
async fn serve(site: &Site, shown: i64, follow: &str) -> Server {
    serve_stating(site, shown, follow, 900).await
}

/// The same, with hours of the ledger stated so long after their end.
async fn serve_stating(site: &Site, shown: i64, follow: &str, delay_s: i64) -> Server {
    let settings = format!(
        "[ledger]\ndelay_s = {delay_s}\n\
        [[meters]]\nid = \"bmc\"\nkind = \"push\"\nperiod_s = 900\n\
        [calibration]\nfollow = \"{follow}\"\nevery_s = 1\nwindow_days = 2\nleast_quarters = 4\n"
    );
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    let clock = format!("{}={}@1", instant(now()), instant(shown));
    site.serve_with(&["--config", "wattbook.toml", "--clock", &clock]).await
}

/// Seven nodes of 100 W idle and 200 W at most, agendas of two days, and a cap.
async fn furnish(operator: &Client, cap_w: f64) {
    operator.put("/api/v1/nodes", &nodes(7)).await.ok(200);
    let flat = |name: &str, value: f64| {
        let (start, end) = (instant(EVENING), instant(EVENING + 48 * HOUR));
        json!([{ "start": start, "end": end, name: value }])
    };
    for (agenda, name, value) in [
        ("price", "price_per_mwh", 72.0),
        ("co2", "intensity_g_per_kwh", 360.0),
        ("power-cap", "cap_w", cap_w),
    ] {
        let path = format!("/api/v1/agendas/{agenda}");
        operator.put(&path, &flat(name, value)).await.ok(200);
    }
}

/// Books two nodes from one instant after the evening to another.
async fn book(user: &Client, from: i64, to: i64, more: Value) -> Value {
    let start = instant(EVENING + from);
    let mut request = json!({ "nodes": 2, "duration_s": to - from, "earliest_start": start, "latest_start": start });
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let proposed = user.post("/api/v1/reservations", &request).await.ok(201);
    choose(user, &proposed, "cost_co2_energy").await
}

/// Sends a sample a quarter-hour over six hours. n0 and n1 draw 100 W, and while they are held what `held` says; n2 and n5
/// draw 100 W, n3 110 W, n4 5 W. Of n6 nothing is measured.
async fn measure(operator: &Client, held: impl Fn(i64) -> Option<f64>) {
    let mut table = "meter,node,at,power_w\n".to_owned();
    for at in (0..=6 * HOUR).step_by(900) {
        let of_held = held(at).unwrap_or(100.0);
        for (node, power) in [of_held, of_held, 100.0, 110.0, 5.0, 100.0].iter().enumerate() {
            writeln!(table, "bmc,n{node},{},{power}", instant(EVENING + at)).unwrap();
        }
    }
    let taken = operator.send_csv(Method::POST, "/api/v1/measurements", &table).await.ok(200);
    assert_eq!((&taken["taken"], &taken["refused"]), (&json!(150), &json!(0)));
}

/// Waits until nodes are judged so that it holds.
async fn judged(client: &Client, holds: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let page = client.get("/api/v1/calibrations/findings").await.ok(200);
        if holds(&page) {
            return page;
        }
        assert!(began.elapsed() < PATIENCE, "{page}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// What must not change of a reservation.
async fn promised(client: &Client, reservation: &Value) -> Value {
    let it = client.get(&path(reservation)).await.ok(200);
    json!([it["state"], it["degraded"], it["start"], it["end"], it["offers"], it["notice"]])
}

fn counts(page: &Value) -> [i64; 6] {
    ["nodes", "drifted", "outlying", "failing", "proposed", "rejected"]
        .map(|name| page["counts"][name].as_i64().unwrap())
}

fn run(site: &Site, server: &Server, token: &str, arguments: &[&str]) -> Output {
    let mut program = site.command(&["calibrations"]);
    program.args(arguments).args(["--url", &server.address]);
    program.env("WATTBOOK_TOKEN", token).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// n0 and n1 draw 230 W while ada's request has them as hard as it can, 15 % more than their maximum; n3 draws 10 % more
/// than its idle power, and stands out. n4 draws next to nothing.
async fn what_is_measured_is_proposed_and_moves_no_reservation(site: Site) {
    let tokens = [site.token("olga", "operator"), site.token("ada", "user")];
    let server = serve(&site, EVENING, "propose").await;
    let [operator, ada] = [0, 1].map(|it| server.client().with_token(&tokens[it]));
    // Two nodes of 200 W fit under it, two of 230 W do not.
    furnish(&operator, 420.0).await;
    let later = book(&ada, 30 * HOUR, 31 * HOUR, json!({})).await;
    book(&ada, HOUR, HOUR + 6 * QUARTER, json!({ "utilisation": 1.0 })).await;
    drop(server);

    let server = serve(&site, EVENING + 6 * HOUR + 2 * QUARTER, "propose").await;
    let [operator, ada] = [0, 1].map(|it| server.client().with_token(&tokens[it]));
    measure(&operator, |at| (HOUR..=HOUR + 6 * QUARTER).contains(&at).then_some(230.0)).await;
    let page = judged(&operator, |page| page["counts"]["proposed"] == 3).await;
    assert_eq!(counts(&page), [7, 3, 1, 1, 3, 0]);
    assert_eq!(page["follow"], "propose");
    let of = |name: &str| {
        let items = page["items"].as_array().unwrap();
        items.iter().find(|it| it["node"] == name).unwrap().clone()
    };
    let (first, third) = (of("n0"), of("n3"));
    assert_eq!(first["measured_max"]["power_w"], 230.0);
    assert_eq!(first["measured_idle"]["power_w"], 100.0);
    // 200 W were predicted of 230 W: 13.0434 % too little, in each of six quarter-hours.
    assert_eq!(first["error"]["count"], 6);
    assert_eq!(first["error"]["mean_percent"], -13.0434);
    assert_eq!(first["error"]["mean_absolute_percent"], 13.0434);
    assert_eq!(first["proposal"]["max_power_w"], 230.0);
    assert_eq!(
        (&third["proposal"]["idle_power_w"], &third["outlying"]),
        (&json!(110.0), &json!(true))
    );
    assert_eq!(
        (&of("n4")["fault"], &of("n4")["proposal"]),
        (&json!("draws_nothing"), &Value::Null)
    );
    assert_eq!((&of("n6")["fault"], &of("n6")["measured_idle"]), (&Value::Null, &Value::Null));

    // Users see it, and operators decide.
    assert_eq!(judged(&ada, |_| true).await["counts"], page["counts"]);
    let told = text(&run(&site, &server, &tokens[1], &["list", "--standing", "proposed"]));
    assert!(["n0", "n1", "n3"].iter().all(|name| told.contains(name)) && !told.contains("n4"));
    assert_eq!(run(&site, &server, &tokens[1], &["accept", "--all"]).status.code(), Some(1));
    let unknown = json!({ "nodes": ["n2"] });
    operator.post("/api/v1/calibrations/accept", &unknown).await.problem(409, "not_proposed");
    text(&run(&site, &server, &tokens[0], &["reject", "n3"]));

    // Two nodes of 230 W would not fit under the cap for the reservation to come.
    let before = promised(&ada, &later).await;
    operator.post("/api/v1/calibrations/accept", &json!({})).await.problem(409, "over_cap");
    assert_eq!(run(&site, &server, &tokens[0], &["accept", "--all"]).status.code(), Some(4));
    let cap =
        json!([{ "start": instant(EVENING), "end": instant(EVENING + 48 * HOUR), "cap_w": 460.0 }]);
    operator.put("/api/v1/agendas/power-cap", &cap).await.ok(200);
    let told = text(&run(&site, &server, &tokens[0], &["accept", "n[0-1]"]));
    assert!(told.starts_with("taken for n0, n1: calibration epoch "), "{told}");
    let calibrations = operator.get("/api/v1/calibrations?node=n0").await.ok(200);
    let newest = &calibrations["items"][0];
    assert_eq!((&newest["max_power_w"], &newest["source"]), (&json!(230.0), &json!("meters")));
    assert_eq!((&newest["idle_power_w"], &newest["max_samples"]), (&json!(100.0), &json!(4)));
    // Judged anew by what is in force now: n3 has drifted still, and stays rejected.
    let page = judged(&operator, |page| page["items"][0]["error"]["mean_percent"] == 0.0).await;
    assert_eq!(counts(&page), [7, 1, 1, 1, 0, 1]);
    assert_eq!(page["items"][0]["max_power_w"], 230.0);
    assert_eq!(promised(&ada, &later).await, before);
    assert_eq!(before[1], false, "{before}");
}

/// The same without a word of anybody: n0, n1 and n3 get what is measured; with the low cap they do not.
async fn what_is_measured_is_taken_where_the_site_says_so(site: Site) {
    let tokens = [site.token("olga", "operator"), site.token("ada", "user")];
    let server = serve(&site, EVENING, "take").await;
    let [operator, ada] = [0, 1].map(|it| server.client().with_token(&tokens[it]));
    furnish(&operator, 420.0).await;
    let later = book(&ada, 30 * HOUR, 31 * HOUR, json!({})).await;
    book(&ada, HOUR, HOUR + 6 * QUARTER, json!({ "utilisation": 1.0 })).await;
    drop(server);

    let server = serve(&site, EVENING + 6 * HOUR + 2 * QUARTER, "take").await;
    let [operator, ada] = [0, 1].map(|it| server.client().with_token(&tokens[it]));
    let before = promised(&ada, &later).await;
    measure(&operator, |at| (HOUR..=HOUR + 6 * QUARTER).contains(&at).then_some(230.0)).await;
    let page = judged(&operator, |page| page["counts"]["proposed"] == 3).await;
    let judged_at = page["judged_at"].clone();
    let again = |page: &Value| page["judged_at"] != judged_at && page["counts"]["proposed"] == 3;
    judged(&operator, again).await;
    let cap =
        json!([{ "start": instant(EVENING), "end": instant(EVENING + 48 * HOUR), "cap_w": 500.0 }]);
    operator.put("/api/v1/agendas/power-cap", &cap).await.ok(200);
    let page = judged(&operator, |page| counts(page)[1] == 0 && counts(page)[4] == 0).await;
    assert_eq!(counts(&page), [7, 0, 1, 1, 0, 0]);
    let powers = |at: usize| {
        let it = &page["items"][at];
        (it["idle_power_w"].clone(), it["max_power_w"].clone())
    };
    assert_eq!(powers(0), (json!(100.0), json!(230.0)));
    assert_eq!(powers(3), (json!(110.0), json!(200.0)));
    assert_eq!(promised(&ada, &later).await, before);
}

/// Three runs of an hour of ocean draw 150 W of two nodes of 100 to 200 W: a utilisation of 0.5. The next is expected to
/// draw as much: 2 x 150 W x 3600 s = 1,080,000 J, unless its request says a utilisation itself.
async fn the_utilisation_of_an_application_is_learnt_from_its_runs(site: Site) {
    let tokens = [site.token("olga", "operator"), site.token("ada", "user")];
    let server = serve(&site, EVENING, "propose").await;
    let [operator, ada] = [0, 1].map(|it| server.client().with_token(&tokens[it]));
    furnish(&operator, 2000.0).await;
    let ocean = json!({ "labels": { "application": "ocean" } });
    for hour in 1..4 {
        let made = book(&ada, hour * HOUR, (hour + 1) * HOUR, ocean.clone()).await;
        assert_eq!(made["learnt_utilisation"], Value::Null);
    }
    drop(server);

    let half_past_two = EVENING + 6 * HOUR + 2 * QUARTER;
    let server = serve_stating(&site, half_past_two, "propose", 86_400).await;
    let [operator, ada] = [0, 1].map(|it| server.client().with_token(&tokens[it]));
    measure(&operator, |at| (HOUR..=4 * HOUR).contains(&at).then_some(150.0)).await;
    judged(&operator, |page| page["judged_at"].is_string()).await;
    let start = instant(EVENING + 20 * HOUR);
    let request = |more: Value| {
        let mut request = json!({ "nodes": 2, "duration_s": 3600, "earliest_start": start, "latest_start": start });
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    };
    let learnt = json!({ "application": "ocean", "utilisation": 0.5, "spread": 0.0, "runs": 3 });
    let quoted = ada.post("/api/v1/quotes", &request(ocean.clone())).await.ok(200);
    assert_eq!(quoted["learnt_utilisation"], learnt);
    assert_eq!(quoted["offers"][0]["energy_j"], 1_080_000.0);
    let other = json!({ "labels": { "application": "atmosphere" } });
    let quoted = ada.post("/api/v1/quotes", &request(other)).await.ok(200);
    assert_eq!(
        (&quoted["learnt_utilisation"], &quoted["offers"][0]["energy_j"]),
        (&Value::Null, &json!(1_440_000.0))
    );
    let mut own = ocean.clone();
    own["utilisation"] = json!(0.75);
    let quoted = ada.post("/api/v1/quotes", &request(own.clone())).await.ok(200);
    assert_eq!(quoted["offers"][0]["energy_j"], 1_260_000.0);
    // What a reservation tells may be asked for again.
    let proposed = ada.post("/api/v1/reservations", &request(ocean)).await.ok(201);
    assert_eq!(proposed["learnt_utilisation"], learnt);
    let told = &proposed["request"];
    assert_eq!(
        (&told["utilisation"], &told["utilisation_from"]),
        (&json!(0.5), &json!("application"))
    );
    own["utilisation_from"] = json!("application");
    let quoted = ada.post("/api/v1/quotes", &request(own)).await.ok(200);
    assert_eq!(quoted["learnt_utilisation"], learnt);
    let mut program =
        site.command(&["quote", "-N", "2", "-t", "60", "--label", "application=ocean"]);
    program.args(["--begin", &start, "--latest-start", &start, "--url", &server.address]);
    let output = program.env("WATTBOOK_TOKEN", &tokens[1]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("a utilisation of 0.5, as 3 earlier runs of ocean"), "{told}");
}

/// Of each of three runs 2 x 200 W x 3600 s = 1,440,000 J were predicted, for 28,800 millionths and 144 g, and
/// 1,080,000 J measured, for 21,600 and 108 g: a third too much.
async fn the_error_of_the_model_is_told_to_those_whose_it_is(site: Site) {
    let tokens =
        [site.token("olga", "operator"), site.token("ada", "user"), site.token("eve", "user")];
    let server = serve(&site, EVENING, "propose").await;
    let [operator, ada] = [0, 1].map(|it| server.client().with_token(&tokens[it]));
    furnish(&operator, 2000.0).await;
    let ocean = json!({ "labels": { "application": "ocean" } });
    for hour in 1..4 {
        book(&ada, hour * HOUR, (hour + 1) * HOUR, ocean.clone()).await;
    }
    drop(server);
    // Hours are stated once everything is measured.
    let half_past_two = EVENING + 6 * HOUR + 2 * QUARTER;
    let server = serve_stating(&site, half_past_two, "propose", 86_400).await;
    let operator = server.client().with_token(&tokens[0]);
    measure(&operator, |at| (HOUR..=4 * HOUR).contains(&at).then_some(150.0)).await;
    drop(server);

    let server = serve(&site, half_past_two, "propose").await;
    let [operator, ada, eve] = [0, 1, 2].map(|it| server.client().with_token(&tokens[it]));
    let window = format!("from={}&to={}", instant(EVENING), instant(EVENING + 6 * HOUR));
    let errors = |by: &str| format!("/api/v1/model-error?by={by}&{window}");
    let began = Instant::now();
    let told = loop {
        let told = operator.get(&errors("application")).await.ok(200);
        if told["rows"][0]["reservations"] == 3 {
            break told;
        }
        assert!(began.elapsed() < PATIENCE, "{told}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    let error = json!({ "count": 3, "mean_percent": 33.3333, "mean_absolute_percent": 33.3333 });
    let expected = json!({
        "group": "ocean",
        "reservations": 3,
        "predicted": { "energy_j": 4_320_000.0, "cost": 0.0864, "co2_g": 432.0 },
        "measured": { "energy_j": 3_240_000.0, "cost": 0.0648, "co2_g": 324.0 },
        "energy": error,
        "cost": error,
        "co2": error,
    });
    assert_eq!(told["rows"], json!([expected]));
    let by_user = ada.get(&errors("user")).await.ok(200);
    assert_eq!(
        (&by_user["rows"][0]["group"], &by_user["rows"][0]["energy"]),
        (&json!("ada"), &error)
    );
    assert_eq!(ada.get(&errors("reservation")).await.ok(200)["rows"].as_array().unwrap().len(), 3);
    assert_eq!(eve.get(&errors("user")).await.ok(200)["rows"], json!([]));
    assert_eq!(eve.get(&format!("{}&user=ada", errors("user"))).await.status, 403);
    ada.get(&errors("month")).await.problem(400, "invalid_parameter");
    judged(&operator, |page| page["judged_at"].is_string()).await;
    // n0 and n1 were held for twelve quarter-hours each.
    let by_node = eve.get(&errors("node")).await.ok(200);
    assert_eq!(
        (&by_node["rows"][0]["group"], &by_node["rows"][0]["energy"]["count"]),
        (&json!("n0"), &json!(12))
    );
    assert_eq!(by_node["rows"][0]["energy"]["mean_percent"], 33.3333);
    assert_eq!(by_node["rows"].as_array().unwrap().len(), 2);
}
