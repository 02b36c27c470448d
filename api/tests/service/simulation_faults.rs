//! Simulations when things go wrong: bad bodies, full queues, kills, several processes.

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Client;
use crate::server::Server;
use crate::simulation::{
    SIMULATIONS, assert_same, command_line, finished, long, middling, short, start, until,
};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_bad_body_gets_all_its_errors_and_starts_nothing,
    a_full_queue_refuses_and_says_when_to_come_again,
    after_a_kill_the_next_process_goes_on_from_the_journal,
    a_process_told_to_stop_gives_its_simulation_back,
    two_processes_share_the_work_and_one_takes_over_from_the_other,
    what_cannot_be_played_fails_in_words,
}

fn pointers(problem: &Value) -> Vec<&str> {
    let errors = problem["errors"].as_array().unwrap();
    errors.iter().map(|error| error["pointer"].as_str().unwrap()).collect()
}

async fn a_bad_body_gets_all_its_errors_and_starts_nothing(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let secret = site.folder().join("secret.csv");
    std::fs::write(&secret, "start,end,price_per_mwh\n").unwrap();
    for (body, expected) in [
        (json!([]), vec![""]),
        (
            json!({ "polices": [], "policies": ["asap_first", "cheapest"], "parameters": { "runs": -1, "node": 2 },
                    "files": { "price_file": secret, "co2_file": "../secret.csv" },
                    "vary": { "seed": [1, "two"] }, "nodes": "mine", "tables": { "t": 5 } }),
            vec![
                "/polices",
                "/policies/1",
                "/tables/t",
                "/parameters/runs",
                "/parameters/node",
                "/vary/seed/1",
                "/nodes",
            ],
        ),
        // A path of the machine's is the name of no table.
        (
            json!({ "files": { "price_file": secret, "co2_file": "../secret.csv" },
                    "vary": { "requests_file": ["/etc/hostname"] } }),
            vec!["/files/price_file", "/files/co2_file", "/vary/requests_file/0"],
        ),
        (json!({ "nodes": { "file": "nodes.csv" } }), vec!["/nodes/file"]),
        (
            json!({ "parameters": { "runs": 0, "days": 0 }, "vary": { "slot_s": [900, 7] } }),
            vec!["/parameters/runs", "/parameters/days", "/vary/slot_s"],
        ),
        (
            json!({ "files": { "price_file": "t" }, "tables": { "t": "start,end\n" } }),
            vec!["/tables/t"],
        ),
        (json!({ "parameters": { "nodes": 2_000_000 } }), vec!["/parameters/nodes"]),
        // What the manager is told of partitions and features: each error at its own place.
        (
            json!({ "parameters": { "rights": [{ "partition": "batch", "level": "propose" }, { "level": "nothing" }] },
                    "vary": { "keep_warm_in": [[], [{ "feature": "gpu", "nodes": -1 }]] } }),
            vec![
                "/parameters/rights/0/level",
                "/parameters/rights/1",
                "/vary/keep_warm_in/1/0/nodes",
            ],
        ),
        (
            json!({ "nodes": { "classes": [{ "count": 2, "idle_power_w": 50, "max_power_w": 100, "partitions": ["batch"] }] },
                    "parameters": { "rights": [{ "partition": "batch", "level": "automatic" },
                                               { "feature": "gpu", "level": "nothing" }],
                                    "keep_warm_in": [{ "partition": "bach", "nodes": 1 }] } }),
            vec!["/parameters/rights/1/feature", "/parameters/keep_warm_in/0/partition"],
        ),
        (json!({ "parameters": { "runs": 10_001, "nodes": 1 } }), vec!["", "", ""]),
    ] {
        let problem = client.post(SIMULATIONS, &body).await.problem(400, "invalid_body");
        assert_eq!(pointers(&problem), expected, "{body}: {problem}");
        assert!(!problem.to_string().contains("price_per_mwh\\n"), "{problem}");
    }
    assert_eq!(client.get(SIMULATIONS).await.ok(200)["items"], json!([]));
}

/// The service with settings of simulations.
async fn serve(site: &Site, settings: &str) -> Server {
    let file = site.folder().join("settings.toml");
    std::fs::write(&file, settings).unwrap();
    site.serve_with(&["--config", file.to_str().unwrap()]).await
}

async fn is_running(client: &Client, path: &str) -> Value {
    until(client, path, |it| it["runs_done"].as_u64() > Some(0)).await
}

async fn a_full_queue_refuses_and_says_when_to_come_again(site: Site) {
    let server = serve(&site, "simulation_queue = 1\nsimulation_threads = 1\n").await;
    let client = server.client();
    let running = start(&client, &long()).await;
    is_running(&client, &running).await;
    let waiting = start(&client, &short()).await;
    let refused = client.post(SIMULATIONS, &short()).await;
    refused.problem(503, "simulation_queue_full");
    assert!(refused.header("retry-after").parse::<u32>().unwrap() > 0);
    // Planning goes on meanwhile.
    let hours = crate::cluster::furnish(&client, 2, None).await;
    crate::cluster::propose(&client, &hours.request(1, 0, 6)).await;
    assert_eq!(client.get(&waiting).await.ok(200)["state"], "queued");
    client.delete(&running).await.ok(200);
    finished(&client, &waiting).await;
    let next = start(&client, &short()).await;
    finished(&client, &next).await;
}

async fn after_a_kill_the_next_process_goes_on_from_the_journal(site: Site) {
    let server = site.serve().await;
    let path = start(&server.client(), &middling()).await;
    let before = is_running(&server.client(), &path).await;
    server.kill();
    assert_eq!(before["state"], "running");
    let server = site.serve().await;
    let client = server.client();
    let kept = client.get(&path).await.ok(200);
    assert!(kept["runs_done"].as_u64() >= before["runs_done"].as_u64(), "{kept}");
    let document = finished(&client, &path).await;
    assert_eq!(document["started_at"], before["started_at"]);
    assert!(server.log().contains("playing a simulation"), "{}", server.log());
    assert_same(&client, &path, "", &command_line(&site, &middling(), &[]), "").await;
}

async fn a_process_told_to_stop_gives_its_simulation_back(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let path = start(&client, &middling()).await;
    is_running(&client, &path).await;
    let watching = client.request(Method::GET, &format!("{path}/events")).send().await.unwrap();
    server.signal("TERM");
    let (status, log) = server.wait();
    assert!(status.success() && !log.contains("cut off"), "{status}: {log}");
    assert!(watching.text().await.unwrap().contains("running"), "and the stream has ended");
    // Taken at once: it was given back, and no lease has to run out.
    let server = site.serve().await;
    let client = server.client();
    let document = client.get(&path).await.ok(200);
    assert!(document["runs_done"].as_u64() > Some(0), "{document}");
    finished(&client, &path).await;
    assert_same(&client, &path, "", &command_line(&site, &middling(), &[]), "").await;
}

async fn two_processes_share_the_work_and_one_takes_over_from_the_other(site: Site) {
    let (here, there) = (site.serve().await, site.serve().await);
    let client = here.client();
    let mut paths = Vec::new();
    for _ in 0..6 {
        paths.push(start(&client, &short()).await);
    }
    let files = command_line(&site, &short(), &[]);
    for path in &paths {
        finished(&client, path).await;
        assert_same(&there.client(), path, "", &files, "").await;
        let id = path.rsplit('/').next().unwrap();
        let playing = format!("playing a simulation id={id}");
        let times = [&here, &there].map(|server| server.log().matches(&playing).count());
        assert_eq!(times.iter().sum::<usize>(), 1, "{path}: {times:?}");
    }
    // Whoever has it is killed, and the other goes on.
    let path = start(&client, &middling()).await;
    is_running(&client, &path).await;
    let id = path.rsplit('/').next().unwrap();
    let has_it = here.log().contains(&format!("playing a simulation id={id}"));
    let (dead, alive) = if has_it { (here, there) } else { (there, here) };
    dead.kill();
    let client = alive.client();
    finished(&client, &path).await;
    assert_same(&client, &path, "", &command_line(&site, &middling(), &[]), "").await;
}

/// A price forecast for the second day, of which no price comes true: what is planned by it cannot
/// be billed.
async fn what_cannot_be_played_fails_in_words(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let days = |first: u32, last: u32, value: &str| {
        format!("2026-01-0{first}T00:00:00Z,2026-01-0{last}T00:00:00Z,{value}\n")
    };
    let forecast = days(1, 3, "50").replace("2026-01-01", "2026-01-01T00:00:00Z,2026-01-01");
    let experiment = json!({
        "parameters": { "nodes": 2, "start": "2026-01-01T00:00:00Z", "days": 1, "runs": 1, "cap_mean_percent": 200,
                        "allow_uncovered": true },
        "files": { "price_file": "p", "co2_file": "c", "price_forecast_file": "f" },
        "tables": { "p": format!("start,end,price_per_mwh\n{}", days(1, 2, "50")),
                    "c": format!("start,end,intensity_g_per_kwh\n{}", days(1, 4, "60")),
                    "f": format!("issued_at,start,end,price_per_mwh\n{forecast}") },
        "requests": [{ "nodes": 1, "duration_s": 3600, "earliest_start": "2026-01-02T06:00:00Z",
                       "latest_start": "2026-01-02T12:00:00Z" }],
    });
    let path = start(&client, &experiment).await;
    let failed = until(&client, &path, |it| it["ended_at"].is_string()).await;
    assert_eq!(failed["state"], "failed", "{failed}");
    let error = failed["error"].as_str().unwrap();
    assert!(error.contains("price or co2 end before it does"), "{error}");
    client.get(&format!("{path}/report")).await.problem(409, "not_finished");
    client.post(&format!("{path}/cancel"), &json!({})).await.problem(409, "wrong_state");
    // The next one is played.
    let next = start(&client, &short()).await;
    finished(&client, &next).await;
    assert_eq!(client.delete(&path).await.status, 204);
}

/// As after a worker ran out of memory over it, again and again.
#[tokio::test]
async fn a_simulation_over_which_workers_die_is_given_up() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let path = start(&server.client(), &long()).await;
    is_running(&server.client(), &path).await;
    server.kill();
    let pool = sqlx::SqlitePool::connect(&site.database).await.unwrap();
    sqlx::query("UPDATE simulations SET attempts = 5").execute(&pool).await.unwrap();
    pool.close().await;
    let server = site.serve().await;
    let client = server.client();
    let failed = until(&client, &path, |it| it["ended_at"].is_string()).await;
    assert_eq!(failed["state"], "failed", "{failed}");
    assert!(failed["error"].as_str().unwrap().contains("without finishing a run"), "{failed}");
}
