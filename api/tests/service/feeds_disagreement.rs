//! Sources of one quantity that disagree: told once, outvoted where the site wants that, judged later.

use std::time::Duration;

use replay_supplier::Fault;
use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{Hours, seconds};
use crate::event_stream::{Stream, Told};
use crate::server::PATIENCE;
use crate::site::{Site, on_both_engines};
use crate::supply::{Supply, charts, true_value, truth, until, write};

on_both_engines! {
    a_disagreement_is_told_once_and_once_that_it_is_over_and_who_was_right_is_said,
    the_median_of_three_outvotes_the_first,
    another_method_is_learnt_of_a_source_that_comes_late_and_of_two_that_were_silent,
}

/// A minute of the clock in a second, and a poll every two minutes.
const PACE: &str = "poll = { poll_every_s = 120, publications = [], catch_up_s = 10 }";

/// A revised price is 1 EUR/MWh higher than the true one, which lies between 40 and 75.
const STRICT: &str = "absolute = 0.5, percent = 0.5";

const FEEDS: &str = "/api/v1/feeds";

/// The next event of this kind.
async fn next(stream: &mut Stream, kind: &str) -> Told {
    loop {
        let event = stream.next().await.unwrap();
        if event.kind == kind {
            return event;
        }
    }
}

/// The one agenda that there is.
fn agenda(feeds: &Value) -> &Value {
    &feeds["agendas"][0]
}

fn is_told(feeds: &Value) -> bool {
    agenda(feeds)["disagreeing_since"] != Value::Null
}

/// The second source says 1 EUR/MWh too much, is corrected, and is judged by the first.
async fn a_disagreement_is_told_once_and_once_that_it_is_over_and_who_was_right_is_said(
    site: Site,
) {
    let supply = Supply::at_rate(60).await;
    let (second, base) = supply.beside().await;
    second.set_fault(Some(Fault::Revised));
    let rules = format!("[agendas.price]\ndisagreement = {{ {STRICT} }}\n");
    let settings = supply.entsoe("first", PACE) + &charts("second", &base, PACE) + &rules;
    let server = supply.serve(&site, &settings).await;
    let client = server.client();
    let mut stream = Stream::open(&client, Some(0)).await;
    let feeds = until(&client, FEEDS, is_told).await;
    let told = agenda(&feeds);
    let (since, disagreement) = (told["disagreeing_since"].clone(), &told["disagreements"][0]);
    assert_eq!(
        (&told["take"], &disagreement["sources"]),
        (&json!("order"), &json!(["first", "second"]))
    );
    let value = true_value(&truth().price, seconds(&disagreement["widest_start"]));
    let higher = value.as_f64().unwrap() + 1.0;
    let values =
        json!([{ "source": "first", "value": value }, { "source": "second", "value": higher }]);
    assert_eq!(disagreement["values"], values);
    assert_eq!(disagreement["taken"], values[0]);
    assert!(disagreement["apart_s"].as_i64().unwrap() >= 3600);
    let event = next(&mut stream, "feed.disagreed").await;
    let about = [&event.data["quantity"], &event.data["sources"], &event.data["taken"]];
    assert_eq!(about, [&json!("price"), &json!(["first", "second"]), &values[0]]);
    let metrics = client.get("/metrics").await.body;
    let gauge = "wattbook_feed_disagreement_seconds{quantity=\"price\"} ";
    let line = metrics.lines().find_map(|line| line.strip_prefix(gauge)).unwrap();
    assert!(line.parse::<f64>().unwrap() >= 3600.0, "{line}");
    assert_eq!(client.get("/health/ready").await.status, 200);
    let clock = supply.clock();
    let command = |arguments: &str| {
        let all = format!("{arguments} --config wattbook.toml --clock {clock}");
        let mut command = site.command(&all.split_whitespace().collect::<Vec<_>>());
        async move {
            let output =
                tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        }
    };
    let table = command("feeds disagreements").await;
    assert!(table.contains("price: told since") && table.contains("second "), "{table}");
    server.kill();

    // Whoever begins again tells nothing again.
    let server = supply.serve(&site, &settings).await;
    let client = server.client();
    let mut stream = Stream::opened(&client).await;
    assert_eq!(agenda(&client.get(FEEDS).await.ok(200))["disagreeing_since"], since);
    second.set_fault(None);
    until(&client, FEEDS, |feeds| !is_told(feeds)).await;
    loop {
        let event = stream.next().await.unwrap();
        assert_ne!(event.kind, "feed.disagreed");
        if event.kind == "feed.agreed" {
            let about = (&event.data["quantity"], &event.data["since"]);
            assert_eq!(about, (&json!("price"), &since));
            break;
        }
    }
    let table = command("feeds disagreements").await;
    assert!(table.contains("price: the sources agree"), "{table}");

    // The clock began at 09:00: of the hours before, the first words count. The second's were wrong.
    let span = "from=2026-03-20T00:00:00Z&to=2026-03-20T09:00:00Z";
    let path = format!("/api/v1/agendas/price/agreement?{span}");
    let report = client.get(&path).await.ok(200);
    let judged = [&report["judged_s"], &report["disagreements"], &report["apart_s"]];
    assert_eq!(judged, [&json!(32_400), &json!(1), &json!(32_400)], "{report:#}");
    let record = |source: &str, error: f64, referee_s: i64, nearest: i64| {
        json!({
            "source": source, "judged_s": 32_400, "referee_s": referee_s, "bias": error, "mae": error,
            "disagreements": 1, "nearest": nearest, "mae_apart": error, "usual_ratio": 1.0,
        })
    };
    let records = json!([record("first", 0.0, 32_400, 1), record("second", 1.0, 0, 0)]);
    assert_eq!(report["sources"], records);
    let (from, to) = ("2026-03-20T00:00:00Z", "2026-03-20T09:00:00Z");
    let csv =
        command(&format!("feeds agreement --quantity price --from {from} --to {to} --format csv"));
    assert_eq!(
        csv.await.lines().collect::<Vec<&str>>(),
        [
            "source,judged_s,referee_s,bias,mae,disagreements,nearest,mae_apart,usual_ratio",
            "first,32400,32400,0.0,0.0,1,1,0.0,1.0",
            "second,32400,0,1.0,1.0,1,0,1.0,1.0",
        ]
    );
    let long = "from=2026-01-01T00:00:00Z&to=2026-03-20T09:00:00Z";
    let path = format!("/api/v1/agendas/price/agreement?{long}");
    let problem = client.get(&path).await;
    assert_eq!(problem.status, 400);
    assert!(problem.body.contains("at most 62 days after from"), "{}", problem.body);
    client.get("/api/v1/agendas/co2/agreement").await.problem(404, "not_found");
}

/// The first of three says 1 EUR/MWh too much; the other two say what is true.
async fn the_median_of_three_outvotes_the_first(site: Site) {
    let supply = Supply::at_rate(60).await;
    let ((_, second), (_, third)) = (supply.beside().await, supply.beside().await);
    supply.supplier.set_fault(Some(Fault::Revised));
    let rules = format!("[agendas.price]\ndisagreement = {{ take = \"median\", {STRICT} }}\n");
    let settings = supply.entsoe("first", PACE)
        + &charts("second", &second, PACE)
        + &charts("third", &third, PACE)
        + &rules;
    let server = supply.serve(&site, &settings).await;
    let client = server.client();
    let day = "/api/v1/agendas/price?from=2026-03-20T00:00:00Z&to=2026-03-20T23:00:00Z";
    let is_true = |agenda: &Value| {
        let pieces = agenda["pieces"].as_array().unwrap();
        let of_truth = |piece: &Value| {
            piece["price_per_mwh"] == true_value(&truth().price, seconds(&piece["start"]))
        };
        agenda["gaps"] == json!([]) && pieces.iter().all(of_truth)
    };
    let known = until(&client, day, is_true).await;
    let provenance = known["provenance"].as_array().unwrap();
    assert!(provenance.iter().all(|it| it["source"] == "second"), "{known:#}");
    assert!(provenance.iter().all(|it| it["standing"] == "fresh"), "{known:#}");
    let feeds = until(&client, FEEDS, is_told).await;
    assert_eq!(agenda(&feeds)["take"], "median");
    let taken = &agenda(&feeds)["disagreements"][0]["taken"];
    assert_eq!(taken["source"], "second", "{feeds:#}");
}

/// CO2 of two files.
const TWO_FILES: &str = "[[feeds]]
id = \"first\"
quantity = \"co2\"
provider = \"file-drop\"
path = \"first.csv\"
[[feeds]]
id = \"second\"
quantity = \"co2\"
provider = \"file-drop\"
path = \"second.csv\"
";

/// Two days, from three hours before the first full hour on: 100, 110 and 120 g/kWh in turn, times a factor of each hour in
/// hundredths.
fn drop_co2(site: &Site, name: &str, hours: Hours, percent: impl Fn(i64) -> i64) {
    let row = |hour: i64| {
        let value = (100 + 10 * hour.rem_euclid(3)) * percent(hour) / 100;
        format!("{},{},{value}\n", hours.hour(hour), hours.hour(hour + 1))
    };
    let rows: String = (-3..45).map(row).collect();
    let beside = site.folder().join("beside.txt");
    std::fs::write(&beside, format!("start,end,intensity_g_per_kwh\n{rows}")).unwrap();
    std::fs::rename(&beside, site.folder().join(name)).unwrap();
}

/// Asks the second source anew, and waits until this is where both disagree, and nowhere else.
async fn until_only_apart(client: &Client, hours: Hours, from: i64, to: i64) {
    client.post("/api/v1/feeds/second/refresh", &json!({})).await.ok(202);
    let feeds = until(client, FEEDS, |feeds| {
        agenda(feeds)["disagreements"][0]["start"] == hours.hour(from)
    });
    let feeds = feeds.await;
    let told = agenda(&feeds)["disagreements"].as_array().unwrap();
    assert_eq!((told.len(), &told[0]["end"]), (1, &json!(hours.hour(to))), "{feeds:#}");
    assert_eq!(told[0]["apart_s"], 3600 * (to - from));
}

/// The second source says 1.5 times what the first says, but for three hours, in which it is 3 times as much. It is first heard
/// of after the agenda was composed of the first alone. Later the service begins again when neither was heard of for a day.
async fn another_method_is_learnt_of_a_source_that_comes_late_and_of_two_that_were_silent(
    site: Site,
) {
    let hours = Hours::ahead();
    let but_for =
        |from: i64| move |hour: i64| if (from..from + 3).contains(&hour) { 300 } else { 150 };
    drop_co2(&site, "first.csv", hours, |_| 100);
    write(&site, TWO_FILES);
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let client = server.client();
    let day = format!("/api/v1/agendas/co2?{}", hours.span(0, 24));
    until(&client, &day, |agenda| agenda["gaps"] == json!([])).await;
    drop_co2(&site, "second.csv", hours, but_for(20));
    until_only_apart(&client, hours, 20, 23).await;
    server.kill();

    site.execute("UPDATE feeds SET last_success_s = last_success_s - 86400").await;
    drop_co2(&site, "second.csv", hours, but_for(30));
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let client = server.client();
    client.post("/api/v1/feeds/first/refresh", &json!({})).await.ok(202);
    until_only_apart(&client, hours, 30, 33).await;
    server.kill();

    // Of sources that the settings do not name any more nothing is told.
    write(&site, "");
    let _server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let give_up = tokio::time::Instant::now() + 3 * PATIENCE;
    while site.count("SELECT COUNT(*) FROM feed_disagreements").await > 0 {
        assert!(tokio::time::Instant::now() < give_up, "a disagreement of nobody is kept");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let agreed = "SELECT COUNT(*) FROM events WHERE kind = 'feed.agreed'";
    assert!(site.count(agreed).await > 0);
}
