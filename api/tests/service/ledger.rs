//! The ledger at work: hours are stated as their time comes, stated anew where something is heard late, and told to
//! those whose they are.

use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{choose, instant, nodes, now, seconds};
use crate::server::{PATIENCE, Server};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    hours_are_stated_and_told_to_those_whose_they_are,
    what_meters_measured_counts_and_the_rest_is_estimated,
    what_is_heard_late_is_stated_anew_and_closed_months_stay_closed,
    killed_at_any_time_it_loses_and_doubles_nothing,
}

/// 2026-02-28T20:00:00Z: four hours before a month ends.
pub(crate) const EVENING: i64 = 1_772_308_800;
pub(crate) const HOUR: i64 = 3600;

const COLUMNS: &str = "hour_start,holder,reservation_id,job_id,user,project,partition,nodes,energy_j,\
    measured_j,estimated_j,missing_s,cost_millionths,currency,co2_location_mg,co2_market_mg,correction_of,co2_accounting,\
    other_co2_mg,other_co2_accounting";

/// The service with a clock that shows `shown` now, and its settings.
async fn serve(site: &Site, shown: i64, rate: i64) -> Server {
    serve_with(site, (shown, rate), "", "").await
}

/// The same with more settings of the ledger, and others.
pub(crate) async fn serve_with(
    site: &Site,
    (shown, rate): (i64, i64),
    ledger: &str,
    others: &str,
) -> Server {
    let settings = "month_closes_after_s = 86400\noverheads = [0.5]\npue_category = 3\n\
        water = { wue_l_per_kwh = 0.5, supplier_l_per_kwh = 1.6 }\n\
        embodied = { kg_per_node = 87.66, lifetime_years = 1.0 }\n\
        market = { g_per_kwh = 36.0, source = \"certificates\", error = 0.02 }\nlocation_error = 0.05\n\
        [[billing.demand]]\nname = \"peak\"\nper_kw = 9.0\n\
        [[billing.demand]]\nname = \"evening\"\nper_kw = 2.0\n\
        windows = [{ weekdays = [\"sat\"], from = \"22:30\", to = \"23:00\" }]\n\
        [[billing.fixed]]\nname = \"connection\"\nper_month = 400.0\n\
        [[meters]]\nid = \"bmc\"\nkind = \"push\"\n\
        [[meters]]\nid = \"feed\"\nkind = \"push\"\ncovers = \"site\"\n";
    let settings = format!("[ledger]\n{ledger}{settings}{others}");
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    let clock = format!("{}={}@{rate}", instant(now()), instant(shown));
    site.serve_with(&["--config", "wattbook.toml", "--clock", &clock]).await
}

/// An agenda of one value over two days from the evening on.
fn flat(name: &str, from: i64, to: i64, value: f64) -> Value {
    json!([{ "start": instant(EVENING + from * HOUR), "end": instant(EVENING + to * HOUR), name: value }])
}

/// Four nodes of 100 W idle and 200 W at most, of which ada's take two from 21:00 to 22:30 at half of what they
/// can, 150 W; 72 EUR/MWh, so 2e-8 EUR/J, and 360 g/kWh, so 1e-4 g/J.
pub(crate) async fn furnish(site: &Site, operator: &str, ada: &str) -> Value {
    let server = serve(site, EVENING, 1).await;
    let operator = server.client().with_token(operator);
    operator.put("/api/v1/nodes", &nodes(4)).await.ok(200);
    let price = flat("price_per_mwh", 0, 48, 72.0);
    operator.put("/api/v1/agendas/price", &price).await.ok(200);
    let co2 = flat("intensity_g_per_kwh", 0, 48, 360.0);
    operator.put("/api/v1/agendas/co2", &co2).await.ok(200);
    let request = json!({
        "nodes": 2,
        "duration_s": 5400,
        "earliest_start": instant(EVENING + HOUR),
        "latest_start": instant(EVENING + HOUR),
        "utilisation": 0.5,
        "labels": { "project": "ocean" },
    });
    let ada = server.client().with_token(ada);
    let proposed = ada.post("/api/v1/reservations", &request).await.ok(201);
    assert_eq!(proposed["request"]["labels"], request["labels"]);
    choose(&ada, &proposed, "cost_co2_energy").await
}

/// Waits until hours are stated up to one after the evening's first.
pub(crate) async fn stated_to(client: &Client, hours: i64) -> Value {
    let began = Instant::now();
    let path = format!("/api/v1/ledger/totals?from={}", instant(EVENING));
    loop {
        let totals = client.get(&path).await.ok(200);
        if totals["stated_to"].is_string()
            && seconds(&totals["stated_to"]) >= EVENING + hours * HOUR
        {
            return totals;
        }
        assert!(began.elapsed() < PATIENCE, "{totals}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Every row that the caller sees of some hours, page by page.
pub(crate) async fn rows(client: &Client, from: i64, to: i64) -> Vec<Value> {
    let (from, to) = (instant(EVENING + from * HOUR), instant(EVENING + to * HOUR));
    let first = format!("/api/v1/ledger?from={from}&to={to}&limit=7");
    let (mut path, mut found) = (first.clone(), Vec::new());
    loop {
        let page = client.get(&path).await.ok(200);
        found.extend(page["items"].as_array().unwrap().iter().cloned());
        let Some(cursor) = page["next_cursor"].as_str() else { return found };
        path = format!("{first}&cursor={cursor}");
    }
}

pub(crate) fn sum(rows: &[Value], column: &str) -> i64 {
    rows.iter().filter_map(|row| row[column].as_i64()).sum()
}

pub(crate) fn of<'a>(rows: &'a [Value], hour: i64, holder: &str) -> &'a Value {
    let start = instant(EVENING + hour * HOUR);
    let found = |row: &&Value| row["hour_start"] == start.as_str() && row["holder"] == holder;
    rows.iter().find(found).unwrap_or_else(|| panic!("no {holder} at {start}"))
}

pub(crate) fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

async fn hours_are_stated_and_told_to_those_whose_they_are(site: Site) {
    let tokens = ["operator", "user", "supplier"].map(|role| site.token(role, role));
    let ada_token = site.token("ada", "user");
    let reservation = furnish(&site, &tokens[0], &ada_token).await;
    let server = serve(&site, EVENING + 4 * HOUR, 1).await;
    let operator = server.client().with_token(&tokens[0]);
    stated_to(&operator, 3).await;
    let all = rows(&operator, 1, 3).await;
    // 21:00 to 22:00: 2 x 150 W x 3600 s = 1,080,000 J, 21,600 millionths, 108 g; the market's 36 g/kWh are a
    // tenth. Idle 2 x 100 W x 3600 s. The facility half of both.
    assert_eq!(
        *of(&all, 1, "reservation"),
        json!({
            "hour_start": instant(EVENING + HOUR),
            "holder": "reservation",
            "reservation_id": reservation["id"],
            "job_id": null,
            "user": "ada",
            "project": "ocean",
            "partition": null,
            "nodes": 2,
            "energy_j": 1_080_000,
            "measured_j": 0,
            "estimated_j": 1_080_000,
            "missing_s": 7200,
            "cost_millionths": 21_600,
            "currency": "EUR",
            "co2_location_mg": 108_000,
            "co2_market_mg": 10_800,
            "correction_of": null,
            "co2_accounting": { "accounting": "average", "factors": null },
            "other_co2_mg": null,
            "other_co2_accounting": null,
        })
    );
    assert_eq!(of(&all, 1, "idle")["energy_j"], 720_000);
    assert_eq!(of(&all, 1, "facility")["energy_j"], 900_000);
    // 22:00 to 23:00: half of it; for 30 minutes four nodes are idle, for 30 two.
    assert_eq!(of(&all, 2, "reservation")["energy_j"], 540_000);
    assert_eq!(of(&all, 2, "idle")["energy_j"], 1_080_000);
    assert_eq!(of(&all, 2, "idle")["nodes"], 4);
    for (who, expected) in [("ada", 2), ("user", 0)] {
        let token = if who == "ada" { &ada_token } else { &tokens[1] };
        let client = server.client().with_token(token);
        let own = rows(&client, 0, 3).await;
        assert_eq!(own.len(), expected, "{own:?}");
        assert!(own.iter().all(|row| row["user"] == who));
        let path = format!("/api/v1/ledger/totals?from={}&user={who}", instant(EVENING));
        let totals = client.get(&path).await.ok(200);
        let told = totals["totals"].as_array().unwrap().first().map(|it| it["energy_j"].clone());
        assert_eq!(told, own.first().map(|_| json!(1_620_000)));
        for path in ["/api/v1/ledger", "/api/v1/ledger/totals"] {
            assert_eq!(client.get(&format!("{path}?user=somebody")).await.status, 403);
            let supplier = server.client().with_token(&tokens[2]);
            assert_eq!(supplier.get(path).await.status, 403);
        }
    }
    assert_eq!(operator.get("/api/v1/ledger?cursor=x").await.status, 400);
    let totals = totals_of(&operator, 1, 3).await;
    assert_eq!(totals["co2_market_source"], "certificates");
    let counted = json!({ "accounting": "average", "factors": null });
    let source = |method: &str,
                  source: &str,
                  quality: Option<&str>,
                  counted: &Value,
                  error: f64| {
        json!({"method": method, "source": source, "quality": quality, "co2_accounting": counted,
            "seconds": 2 * HOUR, "error": error})
    };
    let location = source("location", "api", Some("forecast"), &counted, 0.05);
    let market = source("market", "certificates", None, &Value::Null, 0.02);
    assert_eq!(totals["co2_sources"], json!([location, market]));
    assert_eq!(totals["co2_accounting"], counted);
    assert_sums(&all, &totals);
    export(&site, &server, &tokens, &all);
    report(&site, &server, &tokens[0], &ada_token);
    bill(&site, &server, [&tokens[0], &ada_token]).await;
}

/// From 21:00 to 22:30 each quarter-hour has 2 x 150 W x 900 s = 270,000 J of ada's, 180,000 J of idle nodes and half of
/// both, 225,000 J: 675,000 J are 0.75 kW, 6.75 EUR, of which ada's are 270 / 675. From 22:30, on a Saturday, 360,000 J of
/// idle nodes and half: 0.6 kW, 1.20 EUR, none of it ada's.
async fn bill(site: &Site, server: &Server, [operator, ada]: [&str; 2]) {
    let told =
        server.client().with_token(operator).get("/api/v1/bills?month=2026-02").await.ok(200);
    let [peak, evening] = told["demand"].as_array().unwrap().as_slice() else { panic!("{told}") };
    assert_eq!(peak["quarter_start"], instant(EVENING + HOUR));
    assert_eq!((&peak["energy_j"], &peak["cost_millionths"]), (&json!(675_000), &json!(6_750_000)));
    assert_eq!(evening["quarter_start"], instant(EVENING + 2 * HOUR + 1800));
    assert_eq!(evening["cost_millionths"], 1_200_000);
    let rows = told["rows"].as_array().unwrap();
    let part = |holder: &str| {
        let row = rows.iter().find(|row| row["holder"] == holder).unwrap();
        row["demand_cost_millionths"].as_i64().unwrap()
    };
    let parts = ["reservation", "idle", "facility"].map(part);
    assert_eq!(parts, [2_700_000, 1_800_000 + 800_000, 2_250_000 + 400_000]);
    let energy = told["energy_cost_millionths"].as_i64().unwrap();
    assert_eq!(sum(rows, "energy_cost_millionths"), energy);
    assert_eq!(told["total_millionths"], energy + 7_950_000 + 400_000_000);
    let own = server.client().with_token(ada).get("/api/v1/bills?month=2026-02").await.ok(200);
    assert_eq!((&own["fixed"], &own["demand"][0]["energy_j"]), (&json!([]), &Value::Null));
    assert_eq!(own["total_millionths"], 32_400 + 2_700_000);
    assert_eq!(own["rows"].as_array().unwrap().len(), 1);
    let another = server.client().with_token(ada).get("/api/v1/bills?user=bob").await;
    assert_eq!(another.status, 403);
    let wrong = server.client().with_token(operator).get("/api/v1/bills?month=2026-13").await;
    assert!(
        wrong.status == 400 && wrong.body.contains("a month such as 2026-03"),
        "{}",
        wrong.body
    );
    let run = |format: &str| {
        let mut program = site.command(&["bill", "--month", "2026-02", "--format", format]);
        program.args(["--url", &server.address]).env("WATTBOOK_TOKEN", operator).output().unwrap()
    };
    assert!(text(&run("csv")).starts_with("holder,reservation_id,user,project,energy_j,"));
    let shown = text(&run("table"));
    assert!(shown.contains("0.750 kW") && shown.contains("6.75 EUR"), "{shown}");
}

async fn totals_of(client: &Client, from: i64, to: i64) -> Value {
    let (from, to) = (instant(EVENING + from * HOUR), instant(EVENING + to * HOUR));
    client.get(&format!("/api/v1/ledger/totals?from={from}&to={to}")).await.ok(200)
}

/// Rows sum to totals exactly.
fn assert_sums(rows: &[Value], totals: &Value) {
    let total = &totals["totals"][0];
    for column in ["energy_j", "measured_j", "estimated_j", "missing_s", "cost_millionths"] {
        assert_eq!(total[column], sum(rows, column), "{column}");
    }
    for column in ["co2_location_mg", "co2_market_mg"] {
        assert_eq!(total[column], sum(rows, column), "{column}");
    }
    for holder in totals["holders"].as_array().unwrap() {
        let own = rows.iter().filter(|row| row["holder"] == holder["holder"]).cloned();
        assert_eq!(holder["energy_j"], sum(&own.collect::<Vec<_>>(), "energy_j"));
    }
}

fn export(site: &Site, server: &Server, tokens: &[String; 3], all: &[Value]) {
    let window = ["--from", &instant(EVENING + HOUR), "--to", &instant(EVENING + 3 * HOUR)];
    let run = |token: &str, command: &str, more: &[&str]| {
        let mut program = site.command(&["ledger", command]);
        program.args(window).args(more).args(["--url", &server.address]);
        program.env("WATTBOOK_TOKEN", token).output().unwrap()
    };
    let table = text(&run(&tokens[0], "export", &["--format", "csv"]));
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some(COLUMNS));
    assert_eq!(lines.count(), all.len());
    let exported = text(&run(&tokens[0], "export", &["--format", "json"]));
    let exported: Vec<Value> = serde_json::from_str(&exported).unwrap();
    assert_eq!(exported, all);
    let keys: Vec<&str> = COLUMNS.split(',').collect();
    assert_eq!(exported[0].as_object().unwrap().len(), keys.len());
    assert!(keys.iter().all(|key| exported[0].get(key).is_some()));
    let nothing = text(&run(&tokens[1], "export", &["--format", "json"]));
    assert_eq!(nothing.trim(), "[]");
    let told = text(&run(&tokens[0], "totals", &[]));
    // 1,620,000 J reserved and 1,800,000 J idle, and half of both: 5,130,000 J = 1.425 kWh.
    assert!(told.contains("1.425") && told.contains("Hours are stated to"), "{told}");
    // The facility is half of the nodes.
    let (from, to) = (instant(EVENING + HOUR), instant(EVENING + 3 * HOUR));
    assert!(told.contains(&format!("PUE3 from {from} to {to}: 1.500.")), "{told}");
    let parquet = run(&tokens[0], "export", &["--format", "parquet"]);
    if cfg!(feature = "parquet") {
        assert_eq!(&parquet.stdout[..4], b"PAR1");
    } else {
        assert_eq!(parquet.status.code(), Some(2));
        let told = String::from_utf8(parquet.stderr).unwrap();
        assert!(told.contains("feature parquet"), "{told}");
    }
    let wrong = run(&tokens[0], "export", &["--user", ""]);
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
    assert_eq!(run(&tokens[2], "totals", &[]).status.code(), Some(1), "suppliers may not");
}

/// Ada's two nodes were reserved for 1.5 hours, 3 node-hours, and took 1,620,000 J = 0.45 kWh: 0.0324 EUR, 0.162 kg, by
/// what was bought 0.0162 kg. They began as soon as possible, so that nothing was saved. Nobody's are 1,800,000 J of
/// idle nodes and half of all, 1,710,000 J: 0.975 kWh. Water: 0.5 l a kWh of nodes and 1.6 l a kWh of all, so that ada's is
/// 0.45 x 2.1 l, and nobody's 0.5 x 0.5 + 0.975 x 1.6 l. A node of 87.66 kg bears 10 g an hour over a year of 8766 h: ada's
/// 30 g, 64 g a node-hour with the grid's 162 g; idle nodes have 5 node-hours.
fn report(site: &Site, server: &Server, operator: &str, ada: &str) {
    let (from, to) = (instant(EVENING + HOUR), instant(EVENING + 3 * HOUR));
    let run = |token: &str, by: &str, format: &str| {
        let mut program = site.command(&["report", "--from", &from, "--to", &to]);
        program.args(["--by", by, "--format", format, "--url", &server.address]);
        program.env("WATTBOOK_TOKEN", token).output().unwrap()
    };
    let table = text(&run(operator, "user,project,month", "csv"));
    assert_eq!(
        table,
        "user,project,month,node_hours_reserved,node_hours_used,energy_kwh,measured_share,cost,currency,\
         co2_location_kg,co2_market_kg,promised_saving_cost,promised_saving_co2_kg,measured_saving_cost,\
         measured_saving_co2_kg,mean_error,water_l,embodied_co2_kg,sci_g_per_node_hour,other_co2_kg,\
         co2_accounting,other_co2_accounting\n\
         ,,2026-02,0,,0.975,0,0.0702,EUR,0.351,0.0351,,,,,,1.81,0.05,,,average,\n\
         ada,ocean,2026-02,3,,0.45,0,0.0324,EUR,0.162,0.0162,0,0,0,0,,0.945,0.03,64,,average,\n"
    );
    let own = text(&run(ada, "application", "json"));
    let own: Value = serde_json::from_str(&own).unwrap();
    assert_eq!(own["rows"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&own["rows"][0]["energy_kwh"], &own["rows"][0]["application"]),
        (&json!(0.45), &json!(""))
    );
    let page = text(&run(operator, "partition", "html"));
    assert!(page.starts_with("<!doctype html>") && page.contains("1.4 kWh"), "{page}");
    assert!(text(&run(operator, "month", "table")).contains("NODE_HOURS_RESERVED"));
    assert_eq!(run(operator, "weekday", "csv").status.code(), Some(2));
    let parquet = run(operator, "user", "parquet");
    if cfg!(feature = "parquet") {
        assert_eq!(&parquet.stdout[..4], b"PAR1");
    } else {
        assert_eq!(parquet.status.code(), Some(2), "{parquet:?}");
    }
}

/// Samples of a meter from 21:00 to 22:00, one a minute.
pub(crate) async fn push(client: &Client, meter: &str, node: &str, power_w: f64) {
    let sample = |minute: i64| json!({ "node": node, "at": instant(EVENING + HOUR + minute * 60), "power_w": power_w });
    let samples: Vec<Value> = (0..=60).map(sample).collect();
    let body = json!({ "meter": meter, "samples": samples });
    let taken = client.post("/api/v1/measurements", &body).await.ok(200);
    assert_eq!(taken["taken"], 61, "{taken}");
}

/// One of ada's nodes drew 160 W, 576,000 J; of the other, at 150 W, 540,000 J are estimated. The site drew 1000 W,
/// 3,600,000 J: less these and 720,000 J of idle nodes the facility has 1,764,000 J.
async fn what_meters_measured_counts_and_the_rest_is_estimated(site: Site) {
    let tokens = [site.token("operator", "operator"), site.token("ada", "user")];
    let reservation = furnish(&site, &tokens[0], &tokens[1]).await;
    let own = reservation["offers"][0]["nodes"][0].as_str().unwrap().to_owned();
    let server = serve(&site, EVENING + 2 * HOUR + 300, 1).await;
    let operator = server.client().with_token(&tokens[0]);
    push(&operator, "bmc", &own, 160.0).await;
    push(&operator, "feed", "site", 1000.0).await;
    drop(server);
    let server = serve(&site, EVENING + 3 * HOUR, 1).await;
    let operator = server.client().with_token(&tokens[0]);
    stated_to(&operator, 2).await;
    let all = rows(&operator, 1, 2).await;
    let of = |holder: &str| {
        let row = of(&all, 1, holder);
        ["measured_j", "estimated_j", "missing_s"].map(|column| row[column].as_i64().unwrap())
    };
    assert_eq!(of("reservation"), [576_000, 540_000, 3600]);
    assert_eq!(of("idle"), [0, 720_000, 7200]);
    assert_eq!(of("facility"), [1_764_000, 0, 0]);
    assert_eq!(sum(&all, "energy_j"), 3_600_000);
    assert_sums(&all, &totals_of(&operator, 1, 2).await);
}

async fn what_is_heard_late_is_stated_anew_and_closed_months_stay_closed(site: Site) {
    let tokens = ["operator", "ada"]
        .map(|name| site.token(name, if name == "ada" { "user" } else { "operator" }));
    furnish(&site, &tokens[0], &tokens[1]).await;
    let server = serve(&site, EVENING + 6 * HOUR, 1).await;
    let operator = server.client().with_token(&tokens[0]);
    stated_to(&operator, 5).await;
    let before = rows(&operator, 0, 5).await;
    assert!(before.iter().all(|row| row["correction_of"].is_null()));
    // The price of 21:00 to 22:00 was 36 EUR/MWh: half of what was said.
    operator.put("/api/v1/agendas/price", &flat("price_per_mwh", 1, 2, 36.0)).await.ok(200);
    let corrected = until_rows(&operator, before.len() + 3).await;
    let corrections: Vec<Value> =
        corrected.iter().filter(|row| !row["correction_of"].is_null()).cloned().collect();
    assert_eq!(corrections.len(), 3, "reservation, idle and facility");
    for row in &corrections {
        assert_eq!(row["correction_of"], instant(EVENING + HOUR));
        assert_eq!(row["hour_start"], row["correction_of"], "February is open");
        assert_eq!((&row["energy_j"], &row["nodes"]), (&json!(0), &json!(0)));
    }
    let own = corrections.iter().find(|row| row["user"] == "ada").unwrap();
    assert_eq!(own["cost_millionths"], -10_800);
    assert_sums(&corrected, &totals_of(&operator, 0, 5).await);
    drop(server);
    // Thirty hours into March February is closed.
    let server = serve(&site, EVENING + 34 * HOUR, 1).await;
    let operator = server.client().with_token(&tokens[0]);
    stated_to(&operator, 33).await;
    let february = rows(&operator, 0, 4).await;
    operator.put("/api/v1/agendas/price", &flat("price_per_mwh", 1, 2, 0.0)).await.ok(200);
    let began = Instant::now();
    let carried = loop {
        let march = rows(&operator, 4, 5).await;
        let carried: Vec<Value> =
            march.into_iter().filter(|row| !row["correction_of"].is_null()).collect();
        if !carried.is_empty() {
            break carried;
        }
        assert!(began.elapsed() < PATIENCE, "{}", server.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert_eq!(carried.len(), 3);
    for row in &carried {
        assert_eq!(row["correction_of"], instant(EVENING + HOUR));
        assert_eq!(row["hour_start"], "2026-03-01T00:00:00Z");
    }
    assert_eq!(sum(&carried, "cost_millionths"), -(10_800 + 7200 + 9000));
    assert_eq!(rows(&operator, 0, 4).await, february, "what is closed stays as it is");
    assert_sums(&rows(&operator, 0, 33).await, &totals_of(&operator, 0, 33).await);
}

async fn until_rows(client: &Client, count: usize) -> Vec<Value> {
    let began = Instant::now();
    loop {
        let found = rows(client, 0, 5).await;
        if found.len() >= count {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "{found:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Thirty days of hours are stated by processes that are killed in the middle. Each node has 3600 s of each hour,
/// all of them estimated, so that an hour that was lost or stated twice would be seen.
async fn killed_at_any_time_it_loses_and_doubles_nothing(site: Site) {
    const HOURS: i64 = 30 * 24;
    let tokens = [site.token("operator", "operator"), site.token("ada", "user")];
    furnish(&site, &tokens[0], &tokens[1]).await;
    for round in 0..4 {
        let server = serve(&site, EVENING + (HOURS + 1) * HOUR, 1).await;
        let operator = server.client().with_token(&tokens[0]);
        // In the middle of it: hours were stated since the last process died, and some are left.
        let before = seconds(&stated_to(&operator, 0).await["stated_to"]);
        let newest = loop {
            let newest = seconds(&stated_to(&operator, 0).await["stated_to"]);
            if newest > before {
                break newest;
            }
        };
        let millis = (now().unsigned_abs() * 37 + round * 131) % 90;
        tokio::time::sleep(Duration::from_millis(millis)).await;
        server.kill();
        assert!(newest < EVENING + HOURS * HOUR, "the process was killed too late");
    }
    let server = serve(&site, EVENING + (HOURS + 1) * HOUR, 1).await;
    let operator = server.client().with_token(&tokens[0]);
    stated_to(&operator, HOURS).await;
    let all = rows(&operator, 0, HOURS).await;
    // The first hour begins with the nodes, a moment after it.
    for hour in 1..HOURS {
        let start = instant(EVENING + hour * HOUR);
        let own: Vec<Value> = all
            .iter()
            .filter(|row| row["hour_start"] == start.as_str() && row["holder"] != "facility")
            .cloned()
            .collect();
        assert_eq!(sum(&own, "missing_s"), 4 * HOUR, "{start}: {own:?}");
    }
    let reserved: Vec<Value> = all.iter().filter(|row| row["user"] == "ada").cloned().collect();
    assert_eq!(sum(&reserved, "energy_j"), 1_620_000);
    assert_sums(&all, &totals_of(&operator, 0, HOURS).await);
}
