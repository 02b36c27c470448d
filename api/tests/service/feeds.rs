//! Agendas that come from suppliers: fetched, composed, replaced, refused.

use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{instant, nodes, seconds};
use crate::site::{Site, on_both_engines};
use crate::supply::{Supply, at, charts, feed, true_value, truth, until, write};
use replay_supplier::Fault;

on_both_engines! {
    agendas_arrive_and_say_where_their_values_come_from,
    a_second_source_takes_over_and_the_last_good_values_of_a_late_one_stand_in_before_a_gap,
    an_unknown_cap_is_the_safe_mode_cap_and_what_is_put_by_hand_counts_before,
    what_is_withdrawn_or_left_open_is_the_others_word_again,
    offers_on_estimates_have_ranges_and_a_site_may_refuse_them,
    a_changed_agenda_changes_what_is_expected_of_held_offers,
}

/// An hour at which a day of prices is known.
const DAY: &str = "/api/v1/agendas/price?from=2026-03-20T00:00:00Z&to=2026-03-20T23:00:00Z";

fn pieces(agenda: &Value) -> &Vec<Value> {
    agenda["pieces"].as_array().unwrap()
}

fn provenance(agenda: &Value) -> &Vec<Value> {
    agenda["provenance"].as_array().unwrap()
}

/// What the first piece rests on.
fn first(agenda: &Value) -> &Value {
    provenance(agenda).first().unwrap_or(&Value::Null)
}

fn whole(agenda: &Value) -> bool {
    agenda["gaps"] == json!([])
}

async fn agendas_arrive_and_say_where_their_values_come_from(site: Site) {
    let supply = Supply::at_rate(60).await;
    let server = supply.serve(&site, &(supply.entsoe("entsoe", "") + &supply.uk("uk", ""))).await;
    let client = server.client();
    let agenda = until(&client, DAY, whole).await;
    for piece in pieces(&agenda) {
        let start = seconds(&piece["start"]);
        assert_eq!(piece["price_per_mwh"], true_value(&truth().price, start));
    }
    for told in provenance(&agenda) {
        assert_eq!((&told["source"], &told["quality"]), (&json!("entsoe"), &json!("measured")));
        assert_eq!(told["standing"], "fresh");
        assert!(seconds(&told["received_at"]) >= at(crate::supply::BEGIN).as_unix_seconds());
    }
    let feeds = until(&client, "/api/v1/feeds", |feeds| {
        ["entsoe", "uk"].iter().all(|id| feed(feeds, id)["status"] == "ok")
    })
    .await;
    let entsoe = feed(&feeds, "entsoe");
    assert_eq!((&entsoe["quantity"], &entsoe["provider"]), (&json!("price"), &json!("entsoe")));
    assert_eq!(entsoe["last_error"], Value::Null);
    assert_eq!(entsoe["last_revision"]["kind"], "price in EUR/MWh");
    assert!(entsoe["requests"].as_i64().unwrap() >= 1);
    assert_eq!(feeds["agendas"][0]["chain"], json!(["api", "entsoe"]));
    // The day after tomorrow is nobody's yet: a gap that is told.
    assert!(!feeds["agendas"][0]["gaps"].as_array().unwrap().is_empty());
    let revisions = client.get("/api/v1/feeds/entsoe/revisions").await.ok(200);
    assert_eq!(revisions["items"][0], entsoe["last_revision"]);
    client.get("/api/v1/feeds/nobody/revisions").await.problem(404, "not_found");
}

/// What is in force at the service's time, once it is as wanted.
async fn current(client: &Client, wanted: impl Fn(&Value) -> bool) -> Value {
    let give_up = tokio::time::Instant::now() + 4 * crate::server::PATIENCE;
    loop {
        let feeds = client.get("/api/v1/feeds").await.ok(200);
        let from = seconds(&feeds["now"]);
        let span = format!("from={}&to={}", instant(from), instant(from + 60));
        let agenda = client.get(&format!("/api/v1/agendas/price?{span}")).await.ok(200);
        if wanted(&agenda) {
            return agenda;
        }
        assert!(tokio::time::Instant::now() < give_up, "not in time: {agenda:#}\n{feeds:#}");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

/// Ten minutes of the clock in a second. Both sources poll every 10 minutes, are fresh for 30 and of
/// use for 90.
async fn a_second_source_takes_over_and_the_last_good_values_of_a_late_one_stand_in_before_a_gap(
    site: Site,
) {
    let supply = Supply::at_rate(600).await;
    let (second, base) = supply.beside().await;
    let pace = "fresh_for_s = 1800\nusable_for_s = 5400\n\
                poll = { poll_every_s = 600, backoff_longest_s = 600, publications = [] }";
    let settings = supply.entsoe("first", pace) + &charts("second", &base, pace);
    let server = supply.serve(&site, &settings).await;
    let client = server.client();
    current(&client, |agenda| first(agenda)["source"] == "first").await;
    supply.supplier.set_fault(Some(Fault::Unavailable));
    current(&client, |agenda| first(agenda)["source"] == "second").await;
    let feeds = client.get("/api/v1/feeds").await.ok(200);
    let late = feed(&feeds, "first");
    assert_eq!((&late["status"], &late["last_error"]["class"]), (&json!("late"), &json!("busy")));
    second.set_fault(Some(Fault::Unavailable));
    current(&client, |agenda| first(agenda)["standing"] == "last_good").await;
    current(&client, |agenda| pieces(agenda).is_empty()).await;
    let feeds = client.get("/api/v1/feeds").await.ok(200);
    assert!(!feeds["agendas"][0]["gaps"].as_array().unwrap().is_empty(), "the gap is told");
    supply.supplier.set_fault(None);
    current(&client, |agenda| first(agenda)["source"] == "first").await;
}

async fn an_unknown_cap_is_the_safe_mode_cap_and_what_is_put_by_hand_counts_before(site: Site) {
    let supply = Supply::at_rate(60).await;
    let settings = "[agendas.power-cap]\nsafe_mode_cap_w = 5000\ndays_ahead = 2\n";
    let server = supply.serve(&site, settings).await;
    let client = server.client();
    let day = "/api/v1/agendas/power-cap?from=2026-03-20T12:00:00Z&to=2026-03-21T12:00:00Z";
    let agenda = until(&client, day, whole).await;
    let caps = |agenda: &Value| {
        let shown = |(piece, told): (&Value, &Value)| {
            assert_eq!((&piece["start"], &piece["end"]), (&told["start"], &told["end"]));
            (piece["cap_w"].as_f64().unwrap(), told["standing"].clone())
        };
        pieces(agenda).iter().zip(provenance(agenda)).map(shown).collect::<Vec<_>>()
    };
    assert_eq!(caps(&agenda), [(5000.0, json!("safe_mode"))]);
    let cap = json!([{
        "start": "2026-03-20T18:00:00Z", "end": "2026-03-20T20:00:00Z", "cap_w": 9000,
    }]);
    client.put("/api/v1/agendas/power-cap?source=grid", &cap).await.ok(200);
    let put =
        vec![(5000.0, json!("safe_mode")), (9000.0, json!("put")), (5000.0, json!("safe_mode"))];
    assert_eq!(caps(&client.get(day).await.ok(200)), put);
    // And after a composition too.
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    assert_eq!(caps(&client.get(day).await.ok(200)), put);
    assert_eq!(provenance(&client.get(day).await.ok(200))[1]["source"], "grid");
    let kept = client.get("/api/v1/feeds/api/revisions").await.ok(200);
    assert_eq!(kept["items"][0]["zone"], "grid");
}

/// A request for an hour on Wednesday, five days after the prices end.
fn next_week() -> Value {
    json!({
        "nodes": 1, "duration_s": 3600,
        "earliest_start": "2026-03-25T10:00:00Z", "latest_start": "2026-03-25T12:00:00Z",
    })
}

async fn furnish_beside_prices(client: &Client) {
    client.put("/api/v1/nodes", &nodes(4)).await.ok(200);
    let co2 = json!([{
        "start": "2026-03-20T00:00:00Z", "end": "2026-04-10T00:00:00Z", "intensity_g_per_kwh": 50,
    }]);
    client.put("/api/v1/agendas/co2", &co2).await.ok(200);
}

/// What is put from 18 to 20 is withdrawn from 19 on, and the rest put anew with a gap: what was put there before does not
/// count any more.
async fn what_is_withdrawn_or_left_open_is_the_others_word_again(site: Site) {
    let supply = Supply::at_rate(60).await;
    let settings = "[agendas.power-cap]\nsafe_mode_cap_w = 5000\ndays_ahead = 2\n";
    let server = supply.serve(&site, settings).await;
    let client = server.client();
    let day = "/api/v1/agendas/power-cap?from=2026-03-20T17:00:00Z&to=2026-03-20T21:00:00Z";
    until(&client, day, whole).await;
    let piece = |from: &str, to: &str, cap: u32| {
        let at = |time: &str| format!("2026-03-20T{time}:00Z");
        json!({ "start": at(from), "end": at(to), "cap_w": cap })
    };
    let cap = json!([piece("18:00", "20:00", 9000)]);
    client.put("/api/v1/agendas/power-cap", &cap).await.ok(200);
    let span = "from=2026-03-20T19:00:00Z&to=2026-03-20T20:30:00Z";
    client.delete(&format!("/api/v1/agendas/power-cap?{span}")).await.ok(200);
    let caps_at = |agenda: &Value, times: &[&str]| {
        let at = |time: &str| {
            let time = format!("2026-03-20T{time}:00Z");
            let holds = |it: &&Value| {
                *it["start"].as_str().unwrap() <= *time && *time < *it["end"].as_str().unwrap()
            };
            pieces(agenda).iter().find(holds).map_or(Value::Null, |it| it["cap_w"].clone())
        };
        times.iter().map(|time| at(time)).collect::<Value>()
    };
    let left =
        |it: &Value| caps_at(it, &["18:30", "19:30", "20:15"]) == json!([9000.0, 5000.0, 5000.0]);
    until(&client, day, |it| whole(it) && left(it)).await;
    let kept = client.get("/api/v1/feeds/api/revisions").await.ok(200);
    let note = kept["items"][0]["notes"][0].as_str().unwrap();
    assert!(note.starts_with("withdrawn"), "{note}");
    let cap = json!([piece("18:00", "18:20", 7000), piece("18:40", "19:00", 8000)]);
    client.put("/api/v1/agendas/power-cap", &cap).await.ok(200);
    let open =
        |it: &Value| caps_at(it, &["18:10", "18:30", "18:50"]) == json!([7000.0, 5000.0, 8000.0]);
    until(&client, day, |it| whole(it) && open(it)).await;
    // And after a composition too.
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    let agenda = client.get(day).await.ok(200);
    assert!(whole(&agenda) && open(&agenda), "{agenda:#}");
}

async fn offers_on_estimates_have_ranges_and_a_site_may_refuse_them(site: Site) {
    let supply = Supply::at_rate(60).await;
    let forecast = "[agendas.price]\nforecast = { time_zone = \"Europe/Paris\" }\n";
    write(&site, &(supply.entsoe("entsoe", "") + forecast));
    let arguments = ["feeds", "fetch", "--config", "wattbook.toml", "--clock", &supply.clock()];
    let mut fetch = site.command(&arguments);
    fetch.args(["--from", "2026-01-20", "--to", "2026-03-20T00:00:00Z", "--create-database"]);
    let output = tokio::task::spawn_blocking(move || fetch.output().unwrap()).await.unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("entsoe: "), "{output:?}");
    let clock = supply.clock();
    let mut backtest = site.command(&["feeds", "backtest", "--config", "wattbook.toml"]);
    backtest.args(["--clock", &clock, "--days", "3"]);
    let output = tokio::task::spawn_blocking(move || backtest.output().unwrap()).await.unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.contains("price: from 28 past days"), "{report}");
    assert!(report.contains("as last week") && report.lines().count() == 5, "{report}");
    let server = supply.serve(&site, &(supply.entsoe("entsoe", "") + forecast)).await;
    let client = server.client();
    furnish_beside_prices(&client).await;
    let far = "/api/v1/agendas/price?from=2026-03-25T00:00:00Z&to=2026-03-26T00:00:00Z";
    let agenda = until(&client, far, whole).await;
    for piece in pieces(&agenda) {
        let told = provenance(&agenda).iter().find(|it| it["end"] == piece["end"]).unwrap();
        assert_eq!(
            (&told["quality"], &told["standing"]),
            (&json!("estimated"), &json!("forecast"))
        );
        let value = piece["price_per_mwh"].as_f64().unwrap();
        let end = |name: &str| told[name].as_f64().unwrap_or_else(|| panic!("{told}"));
        assert!(end("low") <= value && value <= end("high"), "{piece} {told}");
    }
    let quote = client.post("/api/v1/quotes", &next_week()).await.ok(200);
    let offer = &quote["offers"][0];
    let figure = |name: &str| offer[name].as_f64().unwrap_or_else(|| panic!("{name}: {offer}"));
    assert!(figure("cost_low") <= figure("cost") && figure("cost") <= figure("cost_high"));
    assert!(figure("cost_low") < figure("cost_high"));
    assert!(offer.get("co2_low_g").is_none(), "CO2 was put, not estimated");
    let basis = quote["basis"].as_array().unwrap();
    let of = |quantity: &str| basis.iter().find(|it| it["quantity"] == quantity).unwrap();
    assert_eq!(of("price")["quality"], "estimated");
    assert_eq!((&of("co2")["source"], &of("co2")["standing"]), (&json!("api"), &json!("put")));
    server.kill();

    let refusing = forecast.replace("forecast =", "refuse_estimates = true\nforecast =");
    let server = supply.serve(&site, &(supply.entsoe("entsoe", "") + &refusing)).await;
    let client = server.client();
    until(&client, far, |agenda| pieces(agenda).is_empty()).await;
    let quote = client.post("/api/v1/quotes", &next_week()).await.ok(200);
    assert_eq!(quote["decision"], "impossible");
    let reason = &quote["reasons"][0];
    assert_eq!(reason["code"], "agenda_gap");
    let words = reason["detail"].as_str().unwrap();
    assert!(words.contains("no promises on estimates"), "{words}");
}

/// One node of 200 W for an hour: 0.2 kWh. When the price rises by 1 EUR/MWh it costs 0.0002 EUR
/// more.
async fn a_changed_agenda_changes_what_is_expected_of_held_offers(site: Site) {
    let supply = Supply::at_rate(60).await;
    let pace = "poll = { poll_every_s = 60, publications = [] }";
    let server = supply.serve(&site, &supply.entsoe("entsoe", pace)).await;
    let client = server.client();
    furnish_beside_prices(&client).await;
    let cap = json!([{
        "start": "2026-03-20T00:00:00Z", "end": "2026-04-10T00:00:00Z", "cap_w": 500,
    }]);
    client.put("/api/v1/agendas/power-cap", &cap).await.ok(200);
    until(&client, DAY, whole).await;
    let request = json!({
        "nodes": 1, "duration_s": 3600,
        "earliest_start": "2026-03-20T20:00:00Z", "latest_start": "2026-03-20T20:00:00Z",
    });
    let reservation = client.post("/api/v1/reservations", &request).await.ok(201);
    assert_eq!(reservation["now_expected"], Value::Null);
    assert_eq!(reservation["basis"][0]["source"], "entsoe");
    let path = crate::cluster::path(&reservation);
    let chosen = crate::cluster::choose(&client, &reservation, "cost_co2_energy").await;
    let offered = chosen["offers"][0]["cost"].as_f64().unwrap();
    supply.supplier.set_fault(Some(Fault::Revised));
    let changed = until(&client, &path, |it| it["now_expected"] != Value::Null).await;
    let expected = &changed["now_expected"]["offers"][0];
    assert_eq!(expected["offer_id"], chosen["chosen_offer_id"]);
    let rise = expected["cost"].as_f64().unwrap() - offered;
    assert!((rise - 0.0002).abs() < 1e-9, "{rise}");
    assert_eq!((&expected["cap_kept"], &expected["co2_g"]), (&json!(true), &json!(10.0)));
    // Below what the node takes.
    let low = json!([{
        "start": "2026-03-20T20:00:00Z", "end": "2026-03-20T21:00:00Z", "cap_w": 100,
    }]);
    client.put("/api/v1/agendas/power-cap", &low).await.ok(200);
    let broken = |it: &Value| it["now_expected"]["cap_kept"] == false && it["degraded"] == true;
    let broken = until(&client, &path, broken).await;
    assert_eq!(broken["state"], "confirmed");
    let listed = client.get("/api/v1/reservations").await.ok(200);
    assert_eq!(listed["items"][0]["now_expected"]["cap_kept"], false);
}
