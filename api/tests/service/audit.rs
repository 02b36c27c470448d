//! Who did or read what: recorded in order, in a chain that shows whatever is changed behind the service's back.

use std::process::Output;

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Client, answer};
use crate::cluster::{choose, furnish, path, propose};
use crate::server::Server;
use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    who_does_what_is_recorded_in_order_with_what_came_of_it,
    reads_of_others_data_are_recorded_and_of_ones_own_are_not,
    concurrent_bookings_of_two_processes_keep_one_chain,
    a_record_that_is_changed_behind_the_services_back_is_found,
    records_are_exported_and_checked_without_a_service,
    what_operators_do_on_the_command_line_is_recorded,
    who_is_erased_leaves_sums_and_a_chain,
    what_operators_change_is_recorded_as_it_was_and_is,
}

/// All records, page by page.
async fn records(operator: &Client) -> Vec<Value> {
    let (mut all, mut after) = (Vec::new(), json!(0));
    loop {
        let page = operator.get(&format!("/api/v1/audit?limit=7&after={after}")).await.ok(200);
        all.extend(page["items"].as_array().unwrap().iter().cloned());
        after = page["next_after"].clone();
        if after.is_null() {
            return all;
        }
    }
}

/// Actor, action, whose it is and outcome of a record.
fn words(record: &Value) -> [&str; 4] {
    ["actor", "action", "for", "outcome"].map(|key| record[key].as_str().unwrap())
}

fn verify(site: &Site, arguments: &[&str]) -> (Option<i32>, String) {
    let output = site.command(&[&["audit", "verify"], arguments].concat()).output().unwrap();
    (output.status.code(), said(&output))
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    text(&output.stdout) + &text(&output.stderr)
}

async fn who_does_what_is_recorded_in_order_with_what_came_of_it(site: Site) {
    let [olga, ada] =
        [("olga", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    let server = site.serve().await;
    let [operator, ada] = [olga, ada].map(|token| server.client().with_token(&token));
    let hours = furnish(&operator, 8, None).await;
    let known = records(&operator).await.len();
    let reservation = propose(&ada, &hours.request(1, 0, 6)).await;
    choose(&ada, &reservation, "cost_co2_energy").await;
    operator.delete(&path(&reservation)).await.ok(200);
    ada.put("/api/v1/nodes", &json!([])).await.problem(403, "forbidden");
    ada.post("/api/v1/reservations", &json!({ "nodes": 0 })).await.problem(400, "invalid_body");
    // Quotes change nothing, and whoever is unknown could fill the trail.
    ada.post("/api/v1/quotes", &hours.request(1, 0, 6)).await.ok(200);
    server.client().delete(&path(&reservation)).await.problem(401, "unauthorised");

    let all = records(&operator).await;
    let new: Vec<[&str; 4]> = all[known..].iter().map(words).collect();
    assert_eq!(
        new,
        [
            ["ada", "create_reservation", "", "201"],
            ["ada", "choose_offer", "", "200"],
            ["olga", "cancel_reservation", "ada", "200"],
            ["ada", "put_nodes", "", "403 forbidden"],
            ["ada", "create_reservation", "", "400 invalid_body"],
        ]
    );
    let object = format!("reservations/{}", reservation["id"].as_str().unwrap());
    for (record, before, after) in [
        (&all[known], None, "proposed"),
        (&all[known + 1], Some("proposed"), "confirmed"),
        (&all[known + 2], Some("confirmed"), "cancelled"),
    ] {
        assert_eq!(record["object"], object);
        assert_eq!(record["before"]["state"].as_str(), before, "{record}");
        assert_eq!(record["after"]["state"], after, "{record}");
        assert!(record["from"].as_str().unwrap().starts_with("127."), "{record}");
    }
    assert_eq!(all[known + 3]["object"], "nodes");
    let about = operator.get(&format!("/api/v1/audit?object={object}&actor=ada")).await.ok(200);
    assert_eq!(about["items"].as_array().unwrap().len(), 2);
    ada.get("/api/v1/audit").await.problem(403, "forbidden");
    let (status, told) = verify(&site, &[]);
    assert_eq!((status, told.contains("records fit")), (Some(0), true), "{told}");
}

async fn reads_of_others_data_are_recorded_and_of_ones_own_are_not(site: Site) {
    let [olga, ada] =
        [("olga", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    let server = site.serve().await;
    let [operator, ada] = [olga, ada].map(|token| server.client().with_token(&token));
    let hours = furnish(&operator, 8, None).await;
    let reservation = propose(&ada, &hours.request(1, 0, 6)).await;
    let known = records(&operator).await.len();
    ada.get(&path(&reservation)).await.ok(200);
    ada.get("/api/v1/reservations").await.ok(200);
    // Again and again is once, for a minute.
    for _ in 0..3 {
        operator.get(&path(&reservation)).await.ok(200);
        operator.get("/api/v1/reservations").await.ok(200);
    }
    operator.get("/api/v1/reservations?owner=olga").await.ok(200);
    operator.get("/api/v1/ledger?user=ada").await.ok(200);
    operator.get("/api/v1/nodes").await.ok(200);
    let all = records(&operator).await;
    let new: Vec<[&str; 4]> = all[known..].iter().map(words).collect();
    assert_eq!(
        new,
        [
            ["olga", "get_reservation", "ada", "200"],
            ["olga", "list_reservations", "*", "200"],
            ["olga", "list_ledger_rows", "ada", "200"],
        ]
    );
    drop(server);

    let settings = site.folder().join("wattbook.toml");
    std::fs::write(&settings, "[audit]\nreads = false\n").unwrap();
    let server = site.serve_with(&["--config", settings.to_str().unwrap()]).await;
    let operator = server.client().with_token(&site.token("otto", "operator"));
    let before = records(&operator).await.len();
    operator.get(&path(&reservation)).await.ok(200);
    assert_eq!(records(&operator).await.len(), before);
}

async fn concurrent_bookings_of_two_processes_keep_one_chain(site: Site) {
    let olga = site.token("olga", "operator");
    let servers = [site.serve().await, site.serve().await];
    let operators = servers.each_ref().map(|it| it.client().with_token(&olga));
    let hours = furnish(&operators[0], 64, None).await;
    let known = records(&operators[0]).await.len();
    let bookings = (0..32).map(|index: usize| {
        let (client, request) = (operators[index % 2].clone(), hours.request(1, 0, 6));
        // Where both processes plan at once, one of them may be told to try again.
        tokio::spawn(async move {
            while client.post("/api/v1/reservations", &request).await.status != 201 {}
        })
    });
    for booking in bookings.collect::<Vec<_>>() {
        booking.await.unwrap();
    }
    // Each process tells at once what it has recorded itself.
    records(&operators[1]).await;
    let all = records(&operators[0]).await;
    let booked = all[known..].iter().filter(|it| it["outcome"] == "201");
    assert_eq!(booked.count(), 32);
    let ids: Vec<i64> = all.iter().map(|it| it["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, (1..=i64::try_from(all.len()).unwrap()).collect::<Vec<_>>());
    for pair in all.windows(2) {
        assert_eq!(pair[0]["hash"], pair[1]["previous"]);
    }
    let (status, told) = verify(&site, &[]);
    assert_eq!(status, Some(0), "{told}");
}

async fn a_record_that_is_changed_behind_the_services_back_is_found(site: Site) {
    let olga = site.token("olga", "operator");
    let server = site.serve().await;
    let operator = server.client().with_token(&olga);
    furnish(&operator, 8, None).await;
    let all = records(&operator).await;
    let (changed, last) = (all[1]["id"].as_i64().unwrap(), all.len());
    let drop_trigger = if site.is_postgres() {
        "DROP TRIGGER audit_refuse_changes ON audit"
    } else {
        "DROP TRIGGER audit_refuse_update; DROP TRIGGER audit_refuse_delete"
    };
    site.execute(drop_trigger).await;
    let set =
        |outcome: &str| format!("UPDATE audit SET outcome = '{outcome}' WHERE id = {changed}");
    site.execute(set("500")).await;
    let (status, told) = verify(&site, &[]);
    assert_eq!(status, Some(1));
    assert!(
        told.contains(&format!("record {changed} of ")) && told.contains("was changed"),
        "{told}"
    );
    site.execute(set(all[1]["outcome"].as_str().unwrap())).await;
    assert_eq!(verify(&site, &[]).0, Some(0));
    site.execute(format!("DELETE FROM audit WHERE id = {last}")).await;
    let (status, told) = verify(&site, &[]);
    assert_eq!(
        (status, told.contains(&format!("record {last} is missing"))),
        (Some(1), true),
        "{told}"
    );
}

async fn records_are_exported_and_checked_without_a_service(site: Site) {
    let olga = site.token("olga", "operator");
    let server = site.serve().await;
    furnish(&server.client().with_token(&olga), 8, None).await;
    let export = |server: &Server, arguments: &[&str]| {
        let mut command = wattbook(&[&["audit", "export"], arguments].concat());
        command.env("WATTBOOK_URL", format!("http://{}", server.address));
        let output = command.env("WATTBOOK_TOKEN", &olga).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let lines = export(&server, &["--from", "2026-01-01T00:00:00Z", "--to", "now+1hours"]);
    let keys = "at,actor,issuer,for,from,action,object,before,after,outcome,hash,previous";
    for line in lines.lines() {
        let record: serde_json::Map<String, Value> = serde_json::from_str(line).unwrap();
        assert_eq!(record.keys().map(String::as_str).collect::<Vec<_>>().join(","), keys);
    }
    assert!(lines.lines().count() >= 3, "{lines}");
    let syslog = export(&server, &["--format", "syslog"]);
    assert!(
        syslog.lines().any(|line| line.starts_with("<110>1 ") && line.contains("put_nodes")),
        "{syslog}"
    );
    drop(server);

    let file = site.folder().join("audit.jsonl");
    std::fs::write(&file, &lines).unwrap();
    let checked = || {
        let output = wattbook(&["audit", "verify", file.to_str().unwrap()]).output().unwrap();
        (output.status.code(), said(&output))
    };
    let (status, told) = checked();
    assert_eq!((status, told.contains("records fit")), (Some(0), true), "{told}");
    let changed = lines.replacen("olga", "otto", 1);
    assert_ne!(changed, lines);
    std::fs::write(&file, changed).unwrap();
    let (status, told) = checked();
    assert_eq!((status, told.contains("line ")), (Some(1), true), "{told}");
}

async fn what_operators_do_on_the_command_line_is_recorded(site: Site) {
    let olga = site.token("olga", "operator");
    site.token("ada", "user");
    let server = site.serve().await;
    let operator = server.client().with_token(&olga);
    let all = records(&operator).await;
    let done: Vec<&str> = all.iter().map(|it| it["action"].as_str().unwrap()).collect();
    assert_eq!(done, ["token.create", "token.create"]);
    assert_eq!((&all[1]["for"], &all[1]["from"]), (&json!("ada"), &json!("command-line")));
    let told = operator.request(Method::HEAD, "/api/v1/nodes").send().await.unwrap();
    assert_eq!(told.status(), 200);
    assert_eq!(records(&operator).await.len(), 2);
}

async fn who_is_erased_leaves_sums_and_a_chain(site: Site) {
    let [olga, ada] =
        [("olga", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    let server = site.serve().await;
    let [operator, ada] = [olga, ada].map(|token| server.client().with_token(&token));
    let hours = furnish(&operator, 8, None).await;
    let reservation = propose(&ada, &hours.request(1, 0, 6)).await;
    operator.get(&path(&reservation)).await.ok(200);
    let user = |arguments: &[&str]| {
        let output = site.command(&[&["user"], arguments].concat()).output().unwrap();
        (output.status.code(), said(&output))
    };
    let (status, exported) = user(&["export", "ada"]);
    assert_eq!(status, Some(0), "{exported}");
    let exported: Value = serde_json::from_str(&exported).unwrap();
    assert_eq!(exported["reservations"][0]["id"], reservation["id"]);
    assert_eq!(exported["tokens"][0]["role"], "user");
    assert!(exported["tokens"][0].get("digest").is_none());
    // Made, booked, read by the operator.
    assert_eq!(exported["audit"].as_array().unwrap().len(), 3, "{exported}");

    let (status, told) = user(&["erase", "ada"]);
    assert_eq!((status, told.contains("have yet to end")), (Some(1), true), "{told}");
    operator.delete(&path(&reservation)).await.ok(200);
    // What is under way is recorded.
    records(&operator).await;
    assert_eq!(user(&["erase", "ada"]).0, Some(0));
    ada.get("/api/v1/reservations").await.problem(401, "unauthorised");
    let owner = operator.get(&path(&reservation)).await.ok(200)["owner"].clone();
    assert!(owner.as_str().unwrap().starts_with("erased-"), "{owner}");
    let told = operator.get("/api/v1/audit?limit=1000").await;
    assert!(!told.body.contains("\"ada\"") && !told.body.contains("users/ada"), "{}", told.body);
    assert!(told.body.contains("user.erase") && told.body.contains("erased:"), "{}", told.body);
    let (status, told) = verify(&site, &[]);
    assert_eq!(status, Some(0), "{told}");
    let listed = site.command(&["token", "list"]).output().unwrap();
    assert!(said(&listed).split_whitespace().all(|it| it != "ada"), "{}", said(&listed));
    let (_, exported) = user(&["export", "ada"]);
    let exported: Value = serde_json::from_str(&exported).unwrap();
    for kept in ["people", "tokens", "reservations", "ledger"] {
        assert_eq!(exported[kept], json!([]), "{exported}");
    }
}

/// Eight nodes are put, and agendas. Two of the nodes go out of service without an end; one is back, then the other.
async fn what_operators_change_is_recorded_as_it_was_and_is(site: Site) {
    let olga = site.token("olga", "operator");
    let server = site.serve().await;
    let operator = server.client().with_token(&olga);
    furnish(&operator, 8, None).await;
    let outage = json!({ "nodes": ["n0", "n2"], "reason": "for grace" });
    let outage = operator.post("/api/v1/outages", &outage).await.ok(201);
    let ended = format!("/api/v1/outages/{}", outage["id"].as_str().unwrap());
    let change = operator.request(Method::PATCH, &ended).json(&json!({ "nodes": ["n0"] }));
    answer(change).await.ok(200);
    operator.delete(&ended).await.ok(200);
    let all = records(&operator).await;
    let of = |action: &str| all.iter().rev().find(|it| it["action"] == action).unwrap();
    let nodes = of("put_nodes");
    assert_eq!((&nodes["before"], &nodes["after"]["count"]), (&Value::Null, &json!(8)), "{nodes}");
    let agenda = of("put_agenda");
    assert!(agenda["after"]["revision_id"].is_i64() && agenda["after"]["end"].is_string());
    let (declared, taken_back) = (of("create_outage"), of("end_outage"));
    assert_eq!(declared["before"], Value::Null);
    assert_eq!(declared["after"]["node_count"], 2);
    assert_eq!(declared["after"]["end"], Value::Null);
    let changed = of("change_outage");
    assert_eq!(
        (&changed["before"], &taken_back["before"]),
        (&declared["after"], &changed["after"])
    );
    assert_eq!(changed["after"]["node_count"], 1);
    assert!(taken_back["after"]["end"].is_string(), "{taken_back}");
    assert!(!declared.to_string().contains("grace"), "{declared}");
}
