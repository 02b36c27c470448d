//! Quotas that operators adjust while the service runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::client::{Client, answer};
use crate::cluster::{Hours, choose, furnish, instant, now, pass, propose};
use crate::ledger::{self, EVENING, HOUR};
use crate::server::Server;
use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    an_adjustment_goes_before_the_settings_in_its_time_for_whom_it_concerns,
    what_is_in_force_is_told_without_who_made_it,
    a_limit_that_is_lowered_takes_nothing_from_anybody,
    a_budget_is_adjusted_and_its_use_counts_on,
    what_cannot_be_adjusted_is_told,
    operators_adjust_quotas_from_a_terminal,
    nothing_is_offered_above_a_limit_once_any_replica_has_lowered_it,
}

const ADJUSTMENTS: &str = "/api/v1/quotas/adjustments";

const FOUR_NODES_EACH: &str = "[[quotas.rules.default]]\nuser = \"/\"\nnodes = 4\n";

async fn serve(site: &Site, settings: &str) -> Server {
    let file = site.folder().join("wattbook.toml");
    std::fs::write(&file, settings).unwrap();
    site.serve_with(&["--config", file.to_str().unwrap()]).await
}

/// The operator, ada and bob, of eight nodes.
async fn with_users(site: &Site) -> (Server, [Client; 3], Hours) {
    let tokens = [("olga", "operator"), ("ada", "user"), ("bob", "user")]
        .map(|(name, role)| site.token(name, role));
    let server = serve(site, FOUR_NODES_EACH).await;
    let clients = tokens.each_ref().map(|token| server.client().with_token(token));
    let hours = furnish(&clients[0], 8, None).await;
    (server, clients, hours)
}

async fn adjust(operator: &Client, body: &Value) -> Value {
    operator.post(ADJUSTMENTS, body).await.ok(201)
}

fn path(adjustment: &Value) -> String {
    format!("{ADJUSTMENTS}/{}", adjustment["id"].as_str().unwrap())
}

async fn patch(operator: &Client, adjustment: &Value, body: &Value) -> crate::client::Answer {
    answer(operator.request(Method::PATCH, &path(adjustment)).json(body)).await
}

async fn refused(client: &Client, request: &Value) -> Value {
    client.post("/api/v1/reservations", request).await.problem(422, "quota")
}

async fn listed(operator: &Client, query: &str) -> Vec<Value> {
    let page = operator.get(&format!("{ADJUSTMENTS}{query}")).await.ok(200);
    page["items"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect()
}

/// Everybody has 4 nodes, and ada 6 from hour 1 to hour 2: there 6 fit and 7 do not, before and after 5 do not, nor half an
/// hour of it before. Later there are 7 in its place: of two of the same key the newer says.
async fn an_adjustment_goes_before_the_settings_in_its_time_for_whom_it_concerns(site: Site) {
    let (_server, [operator, ada, bob], hours) = with_users(&site).await;
    let body = json!({
        "user": "ada", "nodes": 6, "from": hours.hour(1), "to": hours.hour(2), "reason": "a paper",
    });
    let made = adjust(&operator, &body).await;
    for (member, expected) in [
        ("made_by", json!("olga")),
        ("user", json!("ada")),
        ("project", json!("*")),
        ("nodes", json!("6")),
        ("cost", Value::Null),
        ("from", json!(hours.hour(1))),
        ("to", json!(hours.hour(2))),
    ] {
        assert_eq!(made[member], expected, "{member} of {made}");
    }
    let by_rule = |told: &Value, limit: f64| {
        assert_eq!((&told["rule"], &told["limit"]), (&json!("*,*,*,/"), &json!(limit)), "{told}");
        assert!(told.get("adjustment").is_none(), "{told}");
    };
    by_rule(&refused(&ada, &hours.request(5, 0, 0)).await, 4.0);
    by_rule(&refused(&ada, &hours.request(5, 2, 2)).await, 4.0);
    by_rule(&refused(&bob, &hours.request(5, 1, 1)).await, 4.0);
    let mut across = hours.request(5, 0, 0);
    across["earliest_start"] = json!(instant(hours.at(0) + 1800));
    across["latest_start"] = across["earliest_start"].clone();
    let told = refused(&ada, &across).await;
    by_rule(&told, 4.0);
    assert_eq!((&told["to"], &told["next_start"]), (&json!(hours.hour(1)), &json!(hours.hour(1))));
    let by_adjustment = refused(&ada, &hours.request(7, 1, 1)).await;
    for (member, expected) in [
        ("rule", json!("*,*,*,ada")),
        ("adjustment", made["id"].clone()),
        ("limit", json!(6.0)),
        ("asked", json!(7.0)),
        ("from", json!(hours.hour(1))),
        ("to", json!(hours.hour(2))),
    ] {
        assert_eq!(by_adjustment[member], expected, "{member} of {by_adjustment}");
    }
    let detail = by_adjustment["detail"].as_str().unwrap();
    assert!(detail.contains("the quota adjustment *,*,*,ada allows 6 nodes"), "{detail}");
    let newer =
        adjust(&operator, &json!({ "user": "ada", "nodes": 7, "from": hours.hour(1) })).await;
    let eight = refused(&ada, &hours.request(8, 1, 1)).await;
    assert_eq!((&eight["adjustment"], &eight["limit"]), (&newer["id"], &json!(7.0)));
    operator.delete(&path(&newer)).await.ok(200);
    propose(&ada, &hours.request(6, 1, 1)).await;

    // Shorter by half an hour it has no room for what is there, which stays.
    let half = json!({ "to": instant(hours.at(1) + 1800) });
    let changed = patch(&operator, &made, &half).await.ok(200);
    assert_eq!((&changed["to"], &changed["nodes"]), (&half["to"], &json!("6")));
    assert_eq!(ada.all_reservations().await.len(), 1);
    let audit = operator.all_audit_records().await;
    let of = |action: &str| audit.iter().filter(|it| it["action"] == action).collect::<Vec<_>>();
    let change = of("change_quota_adjustment");
    assert_eq!(change[0]["actor"], "olga");
    assert_eq!((of("create_quota_adjustment").len(), of("end_quota_adjustment").len()), (2, 1));
}

/// Ada sees 6 in place of 4 as long as it lasts, why and until when; bob sees his 4.
async fn what_is_in_force_is_told_without_who_made_it(site: Site) {
    let (_server, [operator, ada, bob], hours) = with_users(&site).await;
    let until = hours.hour(3);
    let body = json!({ "user": "ada", "nodes": 6, "to": until, "reason": "a paper" });
    let made = adjust(&operator, &body).await;
    let row = async |client: &Client| {
        let told = client.get("/api/v1/quotas").await.ok(200);
        let [row] = told["quotas"].as_array().unwrap().as_slice() else { panic!("{told}") };
        row.clone()
    };
    let told = row(&ada).await;
    assert_eq!((&told["rule"], &told["limit"]), (&json!("*,*,*,ada"), &json!(6.0)), "{told}");
    let adjusted = json!({ "id": made["id"], "until": until, "reason": "a paper" });
    assert_eq!(told["adjustment"], adjusted);
    assert!(!told.to_string().contains("olga"), "{told}");
    let of_bob = row(&bob).await;
    assert_eq!((&of_bob["limit"], &of_bob["adjustment"]), (&json!(4.0), &Value::Null));
    propose(&ada, &hours.request(6, 0, 0)).await;

    let later = format!("?at={}", hours.hour(2));
    assert_eq!(listed(&operator, &later).await, [made["id"].clone()]);
    assert_eq!(listed(&operator, &format!("?at={until}")).await, Vec::<Value>::new());
    // One that ends in the second in which it was made leaves nothing.
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    operator.delete(&path(&made)).await.ok(200);
    assert_eq!(row(&ada).await["limit"], json!(4.0));
    assert_eq!(listed(&operator, "").await, Vec::<Value>::new());
    assert_eq!(listed(&operator, "?ended=true").await, [made["id"].clone()]);
    // It has ended, and stays.
    patch(&operator, &made, &json!({ "nodes": 8 })).await.problem(409, "wrong_state");
    operator.delete(&path(&made)).await.ok(200);
    // What has yet to begin leaves nothing.
    let coming = adjust(&operator, &json!({ "user": "ada", "nodes": 5, "from": until })).await;
    operator.delete(&path(&coming)).await.ok(200);
    operator.delete(&path(&coming)).await.problem(404, "not_found");
}

/// Of four nodes that ada holds one would be left to her: the offers are chosen still, and nothing more is offered.
async fn a_limit_that_is_lowered_takes_nothing_from_anybody(site: Site) {
    let (_server, [operator, ada, _], hours) = with_users(&site).await;
    let chosen = propose(&ada, &hours.request(2, 0, 0)).await;
    choose(&ada, &chosen, "cost_co2_energy").await;
    let held = propose(&ada, &hours.request(2, 0, 0)).await;
    adjust(&operator, &json!({ "user": "ada", "nodes": 1 })).await;
    choose(&ada, &held, "cost_co2_energy").await;
    let told = refused(&ada, &hours.request(1, 0, 0)).await;
    for (member, expected) in [("limit", 1.0), ("used", 4.0), ("left", 0.0), ("asked", 1.0)] {
        assert_eq!(told[member], json!(expected), "{member} of {told}");
    }
    let states: Vec<Value> =
        ada.all_reservations().await.iter().map(|it| it["state"].clone()).collect();
    assert_eq!(states, [json!("confirmed"), json!("confirmed")]);
    propose(&ada, &hours.request(1, 1, 1)).await;
}

/// Ada has used 0.45 of 0.5 kWh of the day, and one node of 200 W for an hour is 0.2 kWh: of 0.7 kWh there is room for one,
/// and 0.05 kWh are left.
async fn a_budget_is_adjusted_and_its_use_counts_on(site: Site) {
    let tokens =
        [("operator", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    ledger::furnish(&site, &tokens[0], &tokens[1]).await;
    let rules = "[[quotas.rules.default]]\nuser = \"/\"\nenergy_kwh = 0.5\nper = \"day\"\n";
    let server = ledger::serve_with(&site, (EVENING, 1), "", rules).await;
    let [operator, ada] = tokens.each_ref().map(|token| server.client().with_token(token));
    let start = instant(EVENING + 2 * HOUR + 1800);
    let request = json!({
        "nodes": 1, "duration_s": 3600, "utilisation": 1.0, "earliest_start": start, "latest_start": start,
    });
    let near = |told: &Value, member: &str, expected: f64| {
        let amount = told[member].as_f64().unwrap();
        assert!((amount - expected).abs() < 1e-9, "{member} is not {expected}: {told}");
    };
    near(&refused(&ada, &request).await, "limit", 0.5);
    let body = json!({ "user": "ada", "energy_kwh": 0.7, "per": "day", "reason": "one more run" });
    let made = adjust(&operator, &body).await;
    propose(&ada, &request).await;
    let told = refused(&ada, &request).await;
    assert_eq!((&told["adjustment"], &told["measure"]), (&made["id"], &json!("energy_kwh")));
    for (member, expected) in [("limit", 0.7), ("used", 0.65), ("left", 0.05), ("asked", 0.2)] {
        near(&told, member, expected);
    }
    let quotas = ada.get("/api/v1/quotas").await.ok(200);
    let [row] = quotas["quotas"].as_array().unwrap().as_slice() else { panic!("{quotas}") };
    near(row, "left", 0.05);
    assert_eq!(row["adjustment"]["reason"], "one more run");
}

async fn what_cannot_be_adjusted_is_told(site: Site) {
    let (server, [operator, ada, _], hours) = with_users(&site).await;
    let past = instant(now() - 60);
    for (body, told) in [
        (json!({ "user": "ada" }), "says nothing"),
        (json!({ "user": "ada", "nodes": "many" }), "must be -1 (unlimited)"),
        (json!({ "user": "", "nodes": 1 }), "is no name"),
        (json!({ "job_type": "/", "nodes": 1 }), "job type"),
        (json!({ "cost": 5 }), "budgets need per"),
        (json!({ "cost": "ALL", "per": "day" }), "nodes have no part in it"),
        (json!({ "nodes": 1, "per": "day" }), "are added up over"),
        (json!({ "nodes": 1, "with_below": true }), "is of budgets"),
        (json!({ "cost": 1, "per": "day", "per_from": "2026-10-01 00:00" }), "stands alone"),
        (json!({ "nodes": 1, "from": past }), "from is past"),
        (json!({ "nodes": 1, "to": past }), "to must be after from"),
        (
            json!({ "nodes": 1, "from": hours.hour(2), "to": hours.hour(1) }),
            "to must be after from",
        ),
        (json!({ "nodes": 1, "owner": "ada" }), "owner"),
    ] {
        let problem = operator.post(ADJUSTMENTS, &body).await.problem(400, "invalid_body");
        assert!(problem.to_string().contains(told), "{told}: {problem}");
    }
    let once = json!({
        "project": "ocean", "cost": 5, "per_from": "2026-10-01 00:00", "per_to": "2027-04-01 00:00",
    });
    let made = adjust(&operator, &once).await;
    assert_eq!((&made["per"], &made["per_to"]), (&json!("fixed"), &json!("2027-04-01 00:00")));
    for (body, told) in [
        (json!({ "cost": null }), "says nothing"),
        (json!({ "per": null }), "budgets need per"),
        (json!({ "to": past }), "to must be after from"),
        (json!({ "user": "ada" }), "user"),
    ] {
        let problem = patch(&operator, &made, &body).await.problem(400, "invalid_body");
        assert!(problem.to_string().contains(told), "{told}: {problem}");
    }
    let changed =
        patch(&operator, &made, &json!({ "cost": 6, "per": "year", "reason": "r" })).await;
    let changed = changed.ok(200);
    assert_eq!((&changed["per"], &changed["per_from"]), (&json!("year"), &Value::Null));
    ada.post(ADJUSTMENTS, &once).await.problem(403, "forbidden");
    ada.get(ADJUSTMENTS).await.problem(403, "forbidden");
    let nobody = json!({ "id": "none" });
    patch(&operator, &nobody, &json!({})).await.problem(404, "not_found");
    server.kill();
    let server = serve(&site, "").await;
    let operator = server.client().with_token(&site.token("olga", "operator"));
    operator.post(ADJUSTMENTS, &once).await.problem(409, "no_quotas");
}

async fn operators_adjust_quotas_from_a_terminal(site: Site) {
    let (server, [operator, ..], hours) = with_users(&site).await;
    let token = site.token("olga", "operator");
    let run = |arguments: &[&str]| {
        let mut command = wattbook(&[&["quota"], arguments].concat());
        command.env("WATTBOOK_URL", format!("http://{}", server.address));
        let output = command.env("WATTBOOK_TOKEN", &token).env("TZ", "UTC").output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout) + &text(output.stderr))
    };
    let end = hours.hour(3);
    let made = run(&[
        "adjust",
        "--user",
        "ada",
        "--nodes",
        "36",
        "--reservations",
        "-1",
        "--end",
        &end,
        "--reason",
        "a paper",
    ]);
    assert_eq!(made.0, Some(0), "{}", made.1);
    for part in ["*,*,*,ada", "nodes 36, reservations -1", "olga", "a paper"] {
        assert!(made.1.contains(part), "{part}: {}", made.1);
    }
    let id = listed(&operator, "").await[0].as_str().unwrap().to_owned();
    let csv = run(&["adjustments", "--format", "csv"]).1;
    assert!(csv.starts_with("id,made_by,from,to,partition,project,job_type,user,nodes,"), "{csv}");
    assert!(
        csv.contains(&format!("{id},olga,")) && csv.contains(",ada,36,-1,,,,,false,,,,a paper"),
        "{csv}"
    );
    let changed = run(&["change", &id[..13], "--nodes", "24"]);
    assert!(changed.0 == Some(0) && changed.1.contains("nodes 24"), "{}", changed.1);
    assert_eq!(run(&["change", &id]).0, Some(2), "nothing is to change");
    assert!(run(&["adjustments", "--at", &end]).1.contains("no quotas are adjusted"));
    let quotas = run(&["--format", "csv"]).1;
    assert!(
        quotas.lines().next().unwrap().ends_with("adjustment,adjusted_until,reason"),
        "{quotas}"
    );
    // One that ends in the second in which it begins has yet to begin, and is taken back.
    pass(now()).await;
    let ended = run(&["end", &id]);
    assert!(ended.0 == Some(0) && ended.1.contains("is over: *,*,*,ada"), "{}", ended.1);
    assert!(run(&["adjustments", "--all", "--format", "json"]).1.contains(&id));
}

const CLIENTS: usize = 24;

/// The project has 200 of 256 nodes, of which 4 are taken, and clients of two processes ask for two each and choose at once,
/// again and again. Then it has 4: whoever asks after that was answered gets none, and whoever was offered some chooses.
async fn nothing_is_offered_above_a_limit_once_any_replica_has_lowered_it(site: Site) {
    let settings =
        "[quotas]\noperators = true\n[[quotas.rules.default]]\nproject = \"ocean\"\nnodes = 200\n";
    let servers = [serve(&site, settings).await, serve(&site, settings).await];
    let hours = furnish(&servers[0].client(), 256, None).await;
    let mut request = hours.request(4, 0, 0);
    request["project"] = json!("ocean");
    propose(&servers[0].client(), &request).await;
    request["nodes"] = json!(2);
    let (start, lowered) = (Arc::new(Barrier::new(CLIENTS + 1)), Arc::new(AtomicBool::new(false)));
    let (won, lost) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let (client, request) = (servers[number % 2].client(), request.clone());
        let (start, lowered) = (Arc::clone(&start), Arc::clone(&lowered));
        let (won, lost) = (Arc::clone(&won), Arc::clone(&lost));
        clients.spawn(async move {
            start.wait().await;
            loop {
                let was_lowered = lowered.load(Ordering::SeqCst);
                let answered = client.post("/api/v1/reservations", &request).await;
                if answered.status < 400 {
                    assert!(!was_lowered, "an offer above the limit");
                    choose(&client, &answered.ok(201), "cost_co2_energy").await;
                    won.fetch_add(1, Ordering::SeqCst);
                    continue;
                }
                let problem = answered.any_problem();
                match problem["code"].as_str().unwrap() {
                    "quota" if was_lowered => {
                        assert_eq!(problem["limit"], json!(4.0), "{problem}");
                        lost.fetch_add(1, Ordering::SeqCst);
                        return;
                    }
                    "quota" | "book_changed" | "too_many_plans" | "too_many_holds" => {
                        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                    }
                    other => panic!("{other}: {problem}"),
                }
            }
        });
    }
    start.wait().await;
    while won.load(Ordering::SeqCst) < 3 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let lower = json!({ "project": "ocean", "nodes": 4 });
    servers[1].client().post(ADJUSTMENTS, &lower).await.ok(201);
    lowered.store(true, Ordering::SeqCst);
    clients.join_all().await;
    assert_eq!(lost.load(Ordering::SeqCst), CLIENTS);
}
