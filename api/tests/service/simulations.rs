//! Simulations in the background: results, progress, cancelling, who may.

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Answer, answer};
use crate::cluster::{Hours, furnish, nodes};
use crate::server::PATIENCE;
use crate::simulation::{
    SIMULATIONS, assert_same, command_line, finished, long, middling, short, start, until,
};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    results_have_the_bytes_that_the_command_line_writes,
    a_grid_has_results_of_each_cell_and_of_all,
    tables_and_inline_inputs_are_played,
    the_managers_rights_are_by_partition,
    the_sites_nodes_and_agendas_are_played_as_they_were_at_the_start,
    progress_is_told_by_server_sent_events_that_end_and_resume,
    a_simulation_may_be_cancelled_at_any_time_and_removed_afterwards,
    users_see_and_stop_their_own_only,
    the_same_key_starts_one_simulation,
    the_key_of_a_simulation_that_was_removed_starts_no_other,
}

async fn results_have_the_bytes_that_the_command_line_writes(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let path = start(&client, &short()).await;
    let document = finished(&client, &path).await;
    assert_eq!((&document["runs"], &document["runs_done"]), (&json!(4), &json!(4)));
    assert_eq!(document["cells"], json!([{ "cell": 1, "name": "" }]));
    assert_eq!(document["experiment"]["parameters"], short()["parameters"]);
    let expected = ["summary", "runs.csv", "requests.csv", "curves.csv", "report"];
    assert_eq!(document["results"].as_array().unwrap()[..5], expected);
    let files = command_line(&site, &short(), &[]);
    assert_same(&client, &path, "", &files, "").await;
    assert_same(&client, &path, "?cell=1", &files, "").await;
    let summary: Value = serde_json::from_str(&files["summary.json"]).unwrap();
    assert_eq!(document["summary"], summary);
    let report = client.get(&format!("{path}/report")).await;
    assert!(report.header("content-security-policy").starts_with("default-src 'none';"));
    assert_eq!(report.header("x-content-type-options"), "nosniff");
    assert!(report.body.contains("short &amp; sweet"));
    client.get(&format!("{path}/summary.csv")).await.problem(404, "not_found");
    client.get(&format!("{path}/runs.csv?cell=2")).await.problem(400, "invalid_parameter");
    // The list has it without the summary.
    let mut listed = client.get(SIMULATIONS).await.ok(200)["items"][0].clone();
    assert!(listed.get("summary").is_none());
    listed["summary"] = summary;
    assert_eq!(listed, document);
}

async fn a_grid_has_results_of_each_cell_and_of_all(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let mut grid = short();
    grid["vary"] = json!({ "max_delay_h": [1, 12], "alpha_known": [true, false] });
    let path = start(&client, &grid).await;
    let document = finished(&client, &path).await;
    assert_eq!(document["runs"], 16);
    assert_eq!(document["cells"][3]["name"], "max_delay_h=12, alpha_known=false");
    let files = command_line(&site, &grid, &[]);
    for (cell, folder) in
        [(1, "001-max_delay_h=1__alpha_known=true/"), (4, "004-max_delay_h=12__alpha_known=false/")]
    {
        assert_same(&client, &path, &format!("?cell={cell}"), &files, folder).await;
    }
    for (result, file) in [("summary.csv", "summary.csv"), ("report", "report.html")] {
        let whole = client.get(&format!("{path}/{result}")).await;
        assert!(whole.status == 200 && whole.body == files[file], "{result}");
    }
    let summaries = document["summary"].as_array().unwrap();
    assert_eq!((summaries.len(), &summaries[2]["parameters"]["max_delay_h"]), (4, &json!(12.0)));
    assert_eq!(client.get(&format!("{path}/summary")).await.ok(200), document["summary"]);
    client.get(&format!("{path}/runs.csv")).await.problem(400, "invalid_parameter");
    client.get(&format!("{path}/summary.csv?cell=1")).await.problem(400, "invalid_parameter");
}

const DAY: &str = "2026-01-01T00:00:00Z,2026-01-02T00:00:00Z";

/// Two nodes of 100 W for two hours are 0.4 kWh, of 100 g/kWh here and at 100 per MWh there.
async fn tables_and_inline_inputs_are_played(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let price = format!("start,end,price_per_mwh\n{DAY},100\n");
    let cap = format!("start,end,cap_w\n{DAY},1000\n");
    let co2 = format!("start,end,intensity_g_per_kwh\n{DAY},100\n");
    let nodes = "name,idle_power_w,max_power_w,alpha\na,50,100,1\nb,50,100,1\n";
    let requests = "nodes,duration_s,earliest_start,latest_start\n\
                    2,7200,2026-01-01T01:00:00Z,2026-01-01T04:00:00Z\n";
    let tables = [
        ("price.csv", price.as_str()),
        ("cap.csv", &cap),
        ("co2.csv", &co2),
        ("nodes.csv", nodes),
        ("requests.csv", requests),
    ];
    let experiment = json!({
        "parameters": { "start": "2026-01-01T00:00:00Z", "days": 1, "runs": 1 },
        "files": { "currency": "GBP", "price_file": "price.csv", "co2_file": "co2.csv", "power_cap_file": "cap.csv",
                   "nodes_file": "nodes.csv", "requests_file": "requests.csv" },
    });
    let mut sent = experiment.clone();
    sent["tables"] = tables.iter().map(|(name, text)| ((*name).to_owned(), json!(text))).collect();
    let path = start(&client, &sent).await;
    let document = finished(&client, &path).await;
    let files = command_line(&site, &experiment, &tables);
    assert_same(&client, &path, "", &files, "").await;
    let measured = &document["summary"]["policies"]["asap_least"];
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-9;
    assert!(near(&measured["cost"], 0.04) && near(&measured["co2_g"], 40.0), "{measured}");
    let tables = json!(["cap.csv", "co2.csv", "nodes.csv", "price.csv", "requests.csv"]);
    assert_eq!(document["experiment"]["tables"], tables, "only their names");
    // The same as documents.
    let piece = |name: &str, value: u32| json!([{ "start": "2026-01-01T00:00:00Z", "end": "2026-01-02T00:00:00Z", name: value }]);
    let inline = json!({
        "parameters": experiment["parameters"],
        "files": { "currency": "GBP" },
        "nodes": { "classes": [{ "count": 2, "idle_power_w": 50, "max_power_w": 100, "alpha": 1 }] },
        "agendas": { "price": piece("price_per_mwh", 100), "co2": piece("intensity_g_per_kwh", 100),
                     "power_cap": piece("cap_w", 1000) },
        "requests": [{ "nodes": 2, "duration_s": "PT2H", "earliest_start": "2026-01-01T01:00:00Z",
                       "latest_start": "2026-01-01T04:00:00Z" }],
    });
    let path = start(&client, &inline).await;
    finished(&client, &path).await;
    assert_same(&client, &path, "", &files, "").await;
}

/// Two nodes for a day that nobody has after 02:00: the one of the partition batch may be switched off, and the one of the partition
/// debug stays warm.
async fn the_managers_rights_are_by_partition(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let nodes = "name,idle_power_w,max_power_w,partitions\na,50,100,batch\nb,50,100,debug\n";
    let requests = "nodes,duration_s,earliest_start,latest_start\n\
                    2,7200,2013-01-01T00:00:00Z,2013-01-01T00:00:00Z\n";
    let tables = [("nodes.csv", nodes), ("requests.csv", requests)];
    let right = |partition: &str| json!({ "partition": partition, "level": "automatic" });
    let experiment = json!({
        "policies": ["asap_first"],
        "parameters": { "days": 1, "runs": 1, "manager": "sleep", "rights": [right("batch")] },
        "files": { "nodes_file": "nodes.csv", "requests_file": "requests.csv" },
        "vary": { "keep_warm_in": [[], [{ "partition": "batch", "nodes": 1 }]] },
    });
    let mut sent = experiment.clone();
    sent["tables"] = tables.iter().map(|(name, text)| ((*name).to_owned(), json!(text))).collect();
    let path = start(&client, &sent).await;
    let document = finished(&client, &path).await;
    let files = command_line(&site, &experiment, &tables);
    let summary = client.get(&format!("{path}/summary.csv")).await;
    assert_eq!(summary.body, files["summary.csv"]);
    let summaries = document["summary"].as_array().unwrap();
    let sleeps = |cell: usize| &summaries[cell]["policies"]["asap_first"]["manager"]["sleeps"];
    assert_eq!((sleeps(0), sleeps(1)), (&json!(1.0), &json!(0.0)), "{document}");
    let parameters = &summaries[1]["parameters"];
    assert_eq!(parameters["rights"], experiment["parameters"]["rights"]);
    assert_eq!(parameters["keep_warm_in"], experiment["vary"]["keep_warm_in"][1]);
}

/// What the site's agendas are, as tables.
async fn tables(client: &crate::client::Client, hours: Hours) -> [String; 3] {
    let mut tables = [const { String::new() }; 3];
    for (table, quantity) in tables.iter_mut().zip(["price", "co2", "power-cap"]) {
        let path = format!("/api/v1/agendas/{quantity}?{}", hours.span(-4, 40));
        let get = client.request(Method::GET, &path).header("Accept", "text/csv");
        *table = answer(get).await.body;
    }
    tables
}

async fn the_sites_nodes_and_agendas_are_played_as_they_were_at_the_start(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let mut experiment = json!({
        "parameters": { "requests": 10, "runs": 2, "days": 1, "max_delay_h": 1, "max_duration_s": 3600 },
        "nodes": "site", "agendas": "site",
    });
    let problem = client.post(SIMULATIONS, &experiment).await.problem(400, "invalid_body");
    let pointers: Vec<&Value> =
        problem["errors"].as_array().unwrap().iter().map(|error| &error["pointer"]).collect();
    assert_eq!(pointers, ["/nodes", "/agendas", "/agendas"]);
    let hours = furnish(&client, 6, Some(1000.0)).await;
    experiment["parameters"]["start"] = json!(hours.hour(-4));
    let path = start(&client, &experiment).await;
    let [price, co2, cap] = tables(&client, hours).await;
    // What changes now comes too late for it.
    client.put("/api/v1/nodes", &nodes(1)).await.ok(200);
    client
        .put("/api/v1/agendas/price", &hours.agenda("price_per_mwh", -4, &[999.0; 32]))
        .await
        .ok(200);
    let document = finished(&client, &path).await;
    assert_eq!(document["experiment"]["agendas"], "site");
    assert_eq!(document["summary"]["parameters"]["nodes"], 6);
    let listed: Vec<String> = (0..6).map(|n| format!("n{n},100,200")).collect();
    let nodes = format!("name,idle_power_w,max_power_w\n{}\n", listed.join("\n"));
    let mut same = experiment.clone();
    same.as_object_mut().unwrap().retain(|member, _| member == "parameters");
    same["files"] = json!({ "nodes_file": "nodes.csv", "price_file": "price.csv", "co2_file": "co2.csv", "power_cap_file": "cap.csv" });
    let tables = [
        ("nodes.csv", nodes.as_str()),
        ("price.csv", &price),
        ("co2.csv", &co2),
        ("cap.csv", &cap),
    ];
    assert_same(&client, &path, "", &command_line(&site, &same, &tables), "").await;
}

/// An event's name, id and data.
fn event(text: &str) -> Option<(&str, &str, Value)> {
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let data = serde_json::from_str(field("data: ")?).unwrap();
    Some((field("event: ")?, field("id: ")?, data))
}

fn events(answer: &Answer) -> Vec<(&str, &str, Value)> {
    assert_eq!(answer.header("content-type"), "text/event-stream");
    answer.body.split("\n\n").filter_map(event).collect()
}

async fn progress_is_told_by_server_sent_events_that_end_and_resume(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let path = start(&client, &middling()).await;
    let watch = client.request(Method::GET, &format!("{path}/events"));
    let answer_to_all = answer(watch.timeout(4 * PATIENCE)).await;
    let told = events(&answer_to_all);
    let (last, id, standing) = told.last().unwrap();
    assert_eq!((*last, &standing["state"]), ("state", &json!("finished")));
    assert_eq!((&standing["runs"], &standing["runs_done"]), (&json!(150), &json!(150)));
    let progress: Vec<&Value> = told
        .iter()
        .filter(|(name, ..)| *name == "progress")
        .map(|(.., standing)| &standing["runs_done"])
        .collect();
    assert!(!progress.is_empty(), "{}", answer_to_all.body);
    assert!(progress.is_sorted_by_key(|done| done.as_u64()), "{progress:?}");
    let ids: Vec<i64> = told.iter().map(|(_, id, _)| id.parse().unwrap()).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    // After the one before the last only the last comes, and after the last nothing.
    let resumed = async |id: &str| {
        let request = client.request(Method::GET, &format!("{path}/events"));
        answer(request.header("Last-Event-ID", id)).await
    };
    let rest = resumed(told[told.len() - 2].1).await;
    let rest = events(&rest);
    assert_eq!((rest.len(), rest[0].1, &rest[0].2), (1, *id, standing));
    assert_eq!(resumed(id).await.status, 204);
    client.get(&format!("{SIMULATIONS}/nonsense/events")).await.problem(404, "not_found");
}

async fn a_simulation_may_be_cancelled_at_any_time_and_removed_afterwards(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let running = start(&client, &long()).await;
    let waiting = start(&client, &long()).await;
    until(&client, &running, |it| it["runs_done"].as_u64() > Some(0)).await;
    client.get(&format!("{running}/summary")).await.problem(409, "not_finished");
    let watching = {
        let (client, path) = (client.clone(), format!("{running}/events"));
        tokio::spawn(async move { client.get(&path).await })
    };
    let cancel = async |path: &str| client.post(&format!("{path}/cancel"), &json!({})).await;
    assert_eq!(cancel(&waiting).await.ok(200)["state"], "cancelled");
    let cancelled = client.delete(&running).await.ok(200);
    assert_eq!(
        (&cancelled["state"], &cancelled["time_left_s"]),
        (&json!("cancelled"), &json!(null))
    );
    assert_eq!(cancel(&running).await.ok(200), cancelled, "a repeated cancel is a success");
    let watched = watching.await.unwrap();
    assert_eq!(events(&watched).last().unwrap().2["state"], "cancelled");
    // The worker is free again.
    let next = start(&client, &short()).await;
    finished(&client, &next).await;
    assert_eq!(client.get(&running).await.ok(200)["state"], "cancelled");
    cancel(&next).await.problem(409, "wrong_state");
    for path in [&running, &waiting, &next] {
        assert_eq!(client.delete(path).await.status, 204);
        client.get(path).await.problem(404, "not_found");
        client.get(&format!("{path}/report")).await.problem(404, "not_found");
        client.delete(path).await.problem(404, "not_found");
    }
    assert_eq!(client.get(SIMULATIONS).await.ok(200)["items"], json!([]));
}

async fn users_see_and_stop_their_own_only(site: Site) {
    let tokens = [("ada", "user"), ("bob", "user"), ("olga", "operator"), ("sam", "supplier")];
    let tokens = tokens.map(|(owner, role)| site.token(owner, role));
    let server = site.serve().await;
    let [ada, bob, olga, sam] = tokens.map(|token| server.client().with_token(&token));
    let path = start(&ada, &short()).await;
    finished(&ada, &path).await;
    for part in ["", "/events", "/summary", "/report", "/requests.csv"] {
        bob.get(&format!("{path}{part}")).await.problem(404, "not_found");
        sam.get(&format!("{path}{part}")).await.problem(403, "forbidden");
        assert_eq!(olga.get(&format!("{path}{part}")).await.status, 200);
    }
    bob.post(&format!("{path}/cancel"), &json!({})).await.problem(404, "not_found");
    bob.delete(&path).await.problem(404, "not_found");
    sam.post(SIMULATIONS, &short()).await.problem(403, "forbidden");
    server.client().post(SIMULATIONS, &short()).await.problem(401, "unauthorised");
    let bobs = start(&bob, &short()).await;
    let owners = async |client: &crate::client::Client, query: &str| -> Vec<Value> {
        let page = client.get(&format!("{SIMULATIONS}{query}")).await.ok(200);
        page["items"].as_array().unwrap().iter().map(|it| it["owner"].clone()).collect()
    };
    assert_eq!(owners(&bob, "").await, ["bob"]);
    assert_eq!(owners(&bob, "?owner=ada").await, ["bob"]);
    assert_eq!(owners(&olga, "").await, ["ada", "bob"]);
    assert_eq!(owners(&olga, "?owner=ada&state=finished").await, ["ada"]);
    let first = olga.get(&format!("{SIMULATIONS}?limit=1")).await.ok(200);
    let cursor = first["next_cursor"].as_str().unwrap();
    assert_eq!(owners(&olga, &format!("?limit=1&cursor={cursor}")).await, ["bob"]);
    olga.get(&format!("{SIMULATIONS}?state=sleeping")).await.problem(400, "invalid_parameter");
    finished(&bob, &bobs).await;
    assert_eq!(olga.delete(&bobs).await.status, 204);
}

async fn the_same_key_starts_one_simulation(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let once = async |body: &Value| {
        let post = client.request(Method::POST, SIMULATIONS);
        answer(post.header("Idempotency-Key", "once").json(body)).await
    };
    let first = once(&short()).await;
    let again = once(&short()).await;
    assert_eq!(first.ok(202)["id"], again.ok(200)["id"]);
    assert_eq!(first.header("location"), again.header("location"));
    once(&json!({})).await.problem(409, "idempotency_key_reused");
    assert_eq!(client.get(SIMULATIONS).await.ok(200)["items"].as_array().unwrap().len(), 1);
}

async fn the_key_of_a_simulation_that_was_removed_starts_no_other(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let once = async |key: &'static str| {
        let post = client.request(Method::POST, SIMULATIONS);
        answer(post.header("Idempotency-Key", key).json(&short())).await
    };
    let path = once("once").await.header("location").to_owned();
    finished(&client, &path).await;
    assert!([200, 204].contains(&client.delete(&path).await.status));
    let problem = once("once").await.problem(409, "simulation_removed");
    assert!(problem["detail"].as_str().unwrap().contains("another key"), "{problem}");
    assert_eq!(once("again").await.status, 202);
}
