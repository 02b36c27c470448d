//! Quotas: who may hold how much, what a refusal says, and that nobody gets more by being quick.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::book::schedule;
use crate::client::{Answer, Client};
use crate::cluster::{Hours, choose, furnish, instant, path, propose};
use crate::ledger::{self, EVENING, HOUR};
use crate::server::Server;
use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    a_refusal_names_the_rule_and_the_next_start,
    offers_are_made_where_the_quotas_allow_them,
    oars_file_is_read_and_what_is_wrong_with_it_is_told,
    node_hours_of_a_month_count_what_has_ended,
    what_is_cancelled_while_it_runs_has_used_its_node_hours,
    what_runs_is_extended_up_to_the_limit_and_not_beyond,
    rules_that_must_not_follow_each_other_are_told,
    sixty_four_clients_at_the_edge_of_a_quota_never_overrun_it,
}

const CLIENTS: u32 = 64;

/// The service with settings.
async fn serve(site: &Site, settings: &str) -> Server {
    let file = site.folder().join("wattbook.toml");
    std::fs::write(&file, settings).unwrap();
    site.serve_with(&["--config", file.to_str().unwrap()]).await
}

/// The operator, ada and bob.
async fn with_users(site: &Site, settings: &str) -> (Server, [Client; 3], Hours) {
    let tokens = [("operator", "operator"), ("ada", "user"), ("bob", "user")]
        .map(|(name, role)| site.token(name, role));
    let server = serve(site, settings).await;
    let clients = tokens.each_ref().map(|token| server.client().with_token(token));
    let hours = furnish(&clients[0], 8, None).await;
    (server, clients, hours)
}

const FOUR_NODES_EACH: &str = "[[quotas.rules.default]]\nuser = \"/\"\nnodes = 4\n";

async fn a_refusal_names_the_rule_and_the_next_start(site: Site) {
    let (_server, [operator, ada, bob], hours) = with_users(&site, FOUR_NODES_EACH).await;
    let held = propose(&ada, &hours.request(3, 0, 0)).await;
    let request = hours.request(2, 0, 0);
    let refused = |problem: &Value| {
        for (member, expected) in [
            ("rules", json!("default")),
            ("rule", json!("*,*,*,/")),
            ("measure", json!("nodes")),
            ("limit", json!(4.0)),
            ("used", json!(3.0)),
            ("left", json!(1.0)),
            ("asked", json!(2.0)),
            ("next_start", json!(hours.hour(1))),
        ] {
            assert_eq!(problem[member], expected, "{member} of {problem}");
        }
    };
    refused(&ada.post("/api/v1/reservations", &request).await.problem(422, "quota"));
    let quote = ada.post("/api/v1/quotes", &request).await.ok(200);
    assert_eq!(
        (&quote["decision"], &quote["reasons"][0]["code"]),
        (&json!("impossible"), &json!("quota"))
    );
    let detail = quote["reasons"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("*,*,*,/") && detail.contains(&hours.hour(1)), "{detail}");

    // Chosen it counts as before; others count by themselves, and operators not at all.
    choose(&ada, &held, "cost_co2_energy").await;
    refused(&ada.post("/api/v1/reservations", &request).await.problem(422, "quota"));
    propose(&bob, &request).await;
    propose(&operator, &hours.request(3, 0, 0)).await;

    // What is cancelled counts no more, and at the very edge there is room.
    ada.delete(&path(&held)).await.ok(200);
    propose(&ada, &hours.request(4, 1, 1)).await;
    ada.post("/api/v1/reservations", &hours.request(5, 2, 2)).await.problem(422, "quota");
}

async fn offers_are_made_where_the_quotas_allow_them(site: Site) {
    let (server, [operator, ada, _], hours) = with_users(&site, FOUR_NODES_EACH).await;
    // Hour 2 is cheap and hour 4 clean: where she has her nodes already nothing is offered.
    choose(&ada, &propose(&ada, &hours.request(4, 2, 2)).await, "cost_co2_energy").await;
    choose(&ada, &propose(&ada, &hours.request(4, 4, 4)).await, "cost_co2_energy").await;
    for mode in ["slots", "exact"] {
        let mut request = hours.request(1, 1, 4);
        request["search"] = json!({ "mode": mode });
        if mode == "slots" {
            request["search"]["slot_s"] = json!(900);
        }
        let quote = ada.post("/api/v1/quotes", &request).await.ok(200);
        let starts: Vec<&str> = quote["pareto"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["start"].as_str().unwrap())
            .collect();
        assert!(!starts.is_empty());
        assert!(
            starts.iter().all(|it| [hours.hour(1), hours.hour(3)].contains(&(*it).to_owned())),
            "{starts:?}"
        );
    }
    let told = |answer: &Value| answer["quotas"].as_array().unwrap().clone();
    let own = told(&ada.get("/api/v1/quotas").await.ok(200));
    assert_eq!(own.len(), 1);
    let expected =
        [("user", json!("ada")), ("limit", json!(4.0)), ("used", json!(0.0)), ("left", json!(4.0))];
    for (member, expected) in expected {
        assert_eq!(own[0][member], expected, "{member}");
    }
    let all = told(&operator.get("/api/v1/quotas").await.ok(200));
    assert_eq!((all.len(), &all[0]["user"]), (1, &json!("ada")), "of those who hold something");
    let mut command = wattbook(&["quota", "--format", "csv"]);
    command.env("WATTBOOK_URL", format!("http://{}", server.address));
    let printed = command.env("WATTBOOK_TOKEN", site.token("ada", "user")).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(printed.starts_with(
        "rules,rule,partition,project,job_type,user,measure,limit,used,left,per,from,to"
    ));
    assert!(printed.contains("default,\"*,*,*,/\",*,*,*,ada,nodes,4,0,4,,"), "{printed}");
}

async fn oars_file_is_read_and_what_is_wrong_with_it_is_told(site: Site) {
    let file = site.folder().join("quotas.json");
    let text = r#"{
        "periodical": [["* * * *", "all days"]],
        "all days": {"*,*,*,/": [-1, 1, "ALL"], "*,ocean,*,*": ["0.5*ALL", -1, -1]}
    }"#;
    std::fs::write(&file, text).unwrap();
    let settings = format!("[quotas]\nfile = {:?}\n", file.to_str().unwrap());
    let (_server, [_, ada, bob], hours) = with_users(&site, &settings).await;
    propose(&ada, &hours.request(2, 0, 0)).await;
    let second = ada.post("/api/v1/reservations", &hours.request(1, 0, 0)).await;
    let second = second.problem(422, "quota");
    assert_eq!((&second["measure"], &second["limit"]), (&json!("reservations"), &json!(1.0)));
    // Of eight nodes half are four, and a project goes before a user.
    let mut ocean = hours.request(5, 0, 0);
    ocean["labels"] = json!({ "project": "ocean" });
    let refused = bob.post("/api/v1/reservations", &ocean).await.problem(422, "quota");
    assert_eq!((&refused["rule"], &refused["limit"]), (&json!("*,ocean,*,*"), &json!(4.0)));
    ocean["nodes"] = json!(4);
    propose(&bob, &ocean).await;

    let check = |text: &str| {
        std::fs::write(&file, text).unwrap();
        wattbook(&["quota", "check", file.to_str().unwrap()]).output().unwrap()
    };
    let right = check(text);
    assert_eq!(right.status.code(), Some(0));
    assert!(String::from_utf8(right.stdout).unwrap().contains("otherwise: rules \"all days\""));
    let wrong = check(r#"{"periodical": [["* mon-fri * *", "a"], ["* sat * jan", "a"]], "a": {}}"#);
    assert_eq!(wrong.status.code(), Some(2));
    let told = String::from_utf8(wrong.stderr).unwrap();
    assert!(told.contains("/periodical/1: the month of"), "{told}");
}

/// Ada's two nodes from 21:00 to 22:30 on the last of February are 3 of her 4 node-hours of the month. Two nodes for an hour
/// would be 2 more before 23:00; from 23:30 on only one of them is February's.
async fn node_hours_of_a_month_count_what_has_ended(site: Site) {
    let tokens =
        [("operator", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    ledger::furnish(&site, &tokens[0], &tokens[1]).await;
    let settings = "[[quotas.rules.default]]\nuser = \"/\"\nnode_hours = 4\nper = \"month\"\n";
    let server = ledger::serve_with(&site, (EVENING + 2 * HOUR + 2400, 1), "", settings).await;
    let ada = server.client().with_token(&tokens[1]);
    let request = |start: i64| {
        json!({
            "nodes": 2,
            "duration_s": 3600,
            "earliest_start": instant(EVENING + start),
            "latest_start": instant(EVENING + start),
        })
    };
    let refused =
        ada.post("/api/v1/reservations", &request(2 * HOUR + 2700)).await.problem(422, "quota");
    for (member, expected) in [
        ("measure", json!("node_hours")),
        ("limit", json!(4.0)),
        ("used", json!(3.0)),
        ("left", json!(1.0)),
        ("per", json!("month")),
        ("to", json!(instant(EVENING + 4 * HOUR))),
        ("next_start", json!(instant(EVENING + 3 * HOUR + 1800))),
    ] {
        assert_eq!(refused[member], expected, "{member} of {refused}");
    }
    propose(&ada, &request(3 * HOUR + 1800)).await;
}

/// Ada and her two nodes from 21:00 to 22:30, so many seconds after 20:00.
async fn with_what_runs(site: &Site, after_s: i64, settings: &str) -> (Server, Client, Value) {
    let tokens =
        [("operator", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    let reservation = ledger::furnish(site, &tokens[0], &tokens[1]).await;
    let server = ledger::serve_with(site, (EVENING + after_s, 1), "", settings).await;
    let ada = server.client().with_token(&tokens[1]);
    (server, ada, reservation)
}

/// For an hour from so many seconds after 20:00.
fn an_hour(nodes: u32, after_s: i64) -> Value {
    let start = instant(EVENING + after_s);
    json!({ "nodes": nodes, "duration_s": 3600, "earliest_start": start, "latest_start": start })
}

const FOUR_NODE_HOURS: &str = "[[quotas.rules.default]]\nuser = \"/\"\nnode_hours = 4\n";

/// Two nodes from 21:00 to 22:10 are 2.33 of the month's 4 node-hours; of an hour there is room for one node more.
async fn what_is_cancelled_while_it_runs_has_used_its_node_hours(site: Site) {
    let settings = format!("{FOUR_NODE_HOURS}per = \"month\"\n");
    let (_server, ada, reservation) = with_what_runs(&site, 2 * HOUR + 600, &settings).await;
    ada.delete(&path(&reservation)).await.ok(200);
    let later = 2 * HOUR + 1800;
    let refused = ada.post("/api/v1/reservations", &an_hour(2, later)).await;
    let refused = refused.problem(422, "quota");
    let used = refused["used"].as_f64().unwrap();
    assert!((2.3..3.0).contains(&used), "{refused}");
    propose(&ada, &an_hour(1, later)).await;
}

/// Two nodes from 21:00 on: until 23:00 they are 4 node-hours, and 450 s later 4.25.
async fn what_runs_is_extended_up_to_the_limit_and_not_beyond(site: Site) {
    let settings = format!("{FOUR_NODE_HOURS}per = \"month\"\n");
    let (server, ada, reservation) = with_what_runs(&site, 2 * HOUR, &settings).await;
    let extend = format!("{}/extend", path(&reservation));
    let until = |end_s: i64| json!({ "until": instant(EVENING + end_s) });
    let is_refused = |refused: &Value| {
        assert_eq!((&refused["used"], &refused["asked"]), (&json!(0.0), &json!(4.25)), "{refused}");
        assert!(refused.get("next_start").is_none(), "nobody looked for one: {refused}");
        assert!(!refused["detail"].as_str().unwrap().contains("no start"), "{refused}");
    };
    is_refused(&ada.post(&extend, &until(3 * HOUR + 450)).await.problem(422, "quota"));
    server.kill();
    // Over the time of the reservation alone what has passed of it counts too.
    let token = site.token("ada", "user");
    let server = ledger::serve_with(&site, (EVENING + 2 * HOUR, 1), "", FOUR_NODE_HOURS).await;
    let ada = server.client().with_token(&token);
    is_refused(&ada.post(&extend, &until(3 * HOUR + 450)).await.problem(422, "quota"));
    server.kill();
    let server = ledger::serve_with(&site, (EVENING + 2 * HOUR, 1), "", &settings).await;
    let ada = server.client().with_token(&token);
    let longer = ada.post(&extend, &until(3 * HOUR)).await.ok(200);
    assert_eq!(longer["end"], instant(EVENING + 3 * HOUR));
}

async fn rules_that_must_not_follow_each_other_are_told(site: Site) {
    let settings = "[quotas]\nacross_rules = \"refuse\"\n\
        [[quotas.periods]]\nhours = \"20:00-23:00\"\nrules = \"evening\"\n\
        [[quotas.rules.evening]]\nuser = \"/\"\nnodes = 4\n\
        [[quotas.rules.default]]\nuser = \"/\"\nnodes = 4\n";
    let (_server, ada, _) = with_what_runs(&site, 2 * HOUR, settings).await;
    let refused = ada.post("/api/v1/reservations", &an_hour(2, 3 * HOUR - 900)).await;
    let refused = refused.problem(422, "quota");
    for (member, expected) in [
        ("rules", json!("evening")),
        ("rules_after", json!("default")),
        ("from", json!(instant(EVENING + 3 * HOUR))),
        ("next_start", json!(instant(EVENING + 3 * HOUR))),
    ] {
        assert_eq!(refused[member], expected, "{member} of {refused}");
    }
}

/// A losing answer: it says which quota, or that others were quicker at each try.
fn is_lost(answer: &Answer) -> bool {
    if answer.status < 400 {
        return false;
    }
    let problem = answer.any_problem();
    match (answer.status, problem["code"].as_str().unwrap()) {
        (422, "quota") => assert_eq!(problem["rule"], "*,ocean,*,*"),
        (409, "book_changed") => {}
        other => panic!("{other:?}: {problem}"),
    }
    true
}

/// The project has 8 of 128 nodes at a time, and 64 clients want two each, by two processes on one database.
async fn sixty_four_clients_at_the_edge_of_a_quota_never_overrun_it(site: Site) {
    let settings =
        "[quotas]\noperators = true\n[[quotas.rules.default]]\nproject = \"ocean\"\nnodes = 8\n";
    let servers = [serve(&site, settings).await, serve(&site, settings).await];
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
            request["labels"] = json!({ "project": "ocean" });
            let answer = client.post("/api/v1/reservations", &request).await;
            if is_lost(&answer) {
                return false;
            }
            let rankings = ["cost_co2_energy", "co2_cost_energy", "energy_cost_co2"];
            choose(&client, &answer.ok(201), rankings[(number % 3) as usize]).await;
            true
        });
    }
    let won = clients.join_all().await.into_iter().filter(|won| *won).count();
    assert!(won >= 1);
    let booked = schedule(&client, hours).await;
    assert_eq!(booked.len(), won);
    // At each quarter-hour no more than the project's 8 nodes are taken.
    for quarter in 0..12 {
        let at = hours.at(0) + quarter * 900;
        let there = booked.iter().filter(|it| it.start <= at && at < it.end);
        let nodes: usize = there.map(|it| it.ordinals.len()).sum();
        assert!(nodes <= 8, "{nodes} nodes at {}", instant(at));
    }
}
