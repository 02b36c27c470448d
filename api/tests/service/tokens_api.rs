//! Tokens that are made, listed, renewed and revoked by the API: one's own, operators everybody's, and none that can do more than
//! who makes it.

use reqwest::Method;
use serde_json::{Value, json};

use crate::audited::records;
use crate::client::{Client, answer};
use crate::cluster::seconds;
use crate::server::Server;
use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    people_keep_their_own_tokens,
    a_token_is_renewed_with_an_overlap,
    a_token_for_some_actions_makes_none_for_others,
    no_token_outlasts_the_one_that_makes_it,
    operators_keep_everybodys_tokens,
    a_rule_takes_tokens_from_people,
    an_owner_has_a_hundred_tokens_at_most,
    what_is_wrong_with_a_body_is_told_with_its_place,
    the_only_user_makes_the_first_token,
    people_keep_their_tokens_on_the_command_line,
}

const TOKENS: &str = "/api/v1/tokens";
const DAY: i64 = 86_400;

fn client(server: &Server, made: &Value) -> Client {
    server.client().with_token(made["secret"].as_str().unwrap())
}

fn path(made: &Value) -> String {
    format!("{TOKENS}/{}", made["id"].as_str().unwrap())
}

/// For how long a token counts.
fn length(made: &Value) -> i64 {
    seconds(&made["expires_at"]) - seconds(&made["created_at"])
}

async fn listed(client: &Client, query: &str) -> Vec<Value> {
    let page = client.get(&format!("{TOKENS}{query}")).await.ok(200);
    page["items"].as_array().unwrap().clone()
}

fn each<'a>(tokens: &'a [Value], key: &str) -> Vec<&'a Value> {
    tokens.iter().map(|it| &it[key]).collect()
}

async fn people_keep_their_own_tokens(site: Site) {
    let [ada, bob] = ["ada", "bob"].map(|name| site.token(name, "user"));
    let server = site.serve().await;
    let [ada, bob] = [ada, bob].map(|token| server.client().with_token(&token));
    let answered = ada.post(TOKENS, &json!({})).await;
    assert_eq!(answered.header("cache-control"), "no-store");
    let made = answered.ok(201);
    assert_eq!(
        (&made["owner"], &made["role"], length(&made)),
        (&json!("ada"), &json!("user"), 90 * DAY)
    );
    let second = client(&server, &made);
    assert_eq!(second.get("/api/v1/me").await.ok(200)["expires_at"], made["expires_at"]);
    let short = ada.post(TOKENS, &json!({ "expires_in_s": 3600 })).await.ok(201);
    assert_eq!(length(&short), 3600);

    let answered = second.get(TOKENS).await;
    let secrets = [&made, &short].map(|it| it["secret"].as_str().unwrap());
    assert!(secrets.iter().all(|secret| !answered.body.contains(secret)), "{}", answered.body);
    let tokens = listed(&second, "").await;
    assert_eq!(each(&tokens, "owner"), ["ada"; 3]);
    assert_eq!(each(&tokens, "current"), [false, true, false]);
    assert_eq!(each(&listed(&bob, "").await, "owner"), ["bob"]);
    assert!(listed(&bob, "?owner=ada").await.is_empty());
    bob.delete(&path(&made)).await.problem(404, "not_found");
    bob.post(&format!("{}/renew", path(&made)), &json!({})).await.problem(404, "not_found");
    for wider in [json!({ "owner": "bob" }), json!({ "role": "operator" })] {
        ada.post(TOKENS, &wider).await.problem(403, "forbidden");
    }

    let revoked = ada.delete(&path(&made)).await.ok(200);
    assert_eq!(revoked["state"], "revoked");
    second.get("/api/v1/me").await.problem(401, "unauthorised");
    assert_eq!(ada.delete(&path(&made)).await.ok(200), revoked, "it stays as it is");
    assert_eq!(each(&listed(&ada, "").await, "state"), ["valid"; 2]);
    let all = listed(&ada, "?ended=true").await;
    assert_eq!(each(&all, "state"), ["valid", "revoked", "valid"]);
    let first = ada.get(&format!("{TOKENS}?ended=true&limit=2")).await.ok(200);
    let rest =
        listed(&ada, &format!("?ended=true&cursor={}", first["next_cursor"].as_str().unwrap()))
            .await;
    assert_eq!(rest, all[2..]);
}

async fn a_token_is_renewed_with_an_overlap(site: Site) {
    let ada = site.token("ada", "user");
    let olga = site.token("olga", "operator");
    let server = site.serve().await;
    let [ada, olga] = [ada, olga].map(|token| server.client().with_token(&token));
    let wanted = json!({ "expires_in_s": 10 * DAY, "actions": ["token.change", "node.read"] });
    let first = ada.post(TOKENS, &wanted).await.ok(201);
    let (old, renew) = (client(&server, &first), format!("{}/renew", path(&first)));
    // It renews itself, and counts beside the new one.
    let second = old.post(&renew, &json!({ "overlap_s": 3600 })).await.ok(201);
    let new = client(&server, &second);
    assert_eq!(
        (length(&second), &second["actions"]),
        (10 * DAY, &json!(["node.read", "token.change"]))
    );
    for both in [&old, &new] {
        both.get("/api/v1/nodes").await.ok(200);
    }
    let tokens = listed(&ada, "").await;
    assert_eq!(seconds(&tokens[1]["expires_at"]) - seconds(&second["created_at"]), 3600);
    // Without an overlap it is over at once, and is renewed no more.
    let shorter = json!({ "overlap_s": 0, "expires_in_s": DAY });
    let third = new.post(&format!("{}/renew", path(&second)), &shorter).await.ok(201);
    assert_eq!(length(&third), DAY);
    new.get("/api/v1/nodes").await.problem(401, "unauthorised");
    ada.post(&format!("{}/renew", path(&second)), &json!({})).await.problem(409, "wrong_state");

    let renewed = &records(&olga, "renew_api_token").await[0];
    assert_eq!((&renewed["actor"], &renewed["for"]), (&json!("ada"), &json!("")));
    assert_eq!(renewed["object"], format!("tokens/{}", second["id"].as_str().unwrap()));
    assert_eq!((&renewed["before"]["id"], &renewed["after"]["id"]), (&first["id"], &second["id"]));
    assert_eq!(renewed["after"]["expires_at"], second["expires_at"]);
    let trail = olga.get("/api/v1/audit?limit=1000").await.body;
    for made in [first, second, third] {
        assert!(!trail.contains(made["secret"].as_str().unwrap()));
    }
}

async fn a_token_for_some_actions_makes_none_for_others(site: Site) {
    let ada = site.token("ada", "user");
    let server = site.serve().await;
    let ada = server.client().with_token(&ada);
    let made = ada.post(TOKENS, &json!({ "actions": ["node.read"] })).await.ok(201);
    let reads = client(&server, &made);
    for refused in [reads.post(TOKENS, &json!({})).await, reads.get(TOKENS).await] {
        refused.problem(403, "forbidden");
    }
    let actions = json!({ "actions": ["token.read", "token.change", "node.read"] });
    let narrow = client(&server, &ada.post(TOKENS, &actions).await.ok(201));
    let same = narrow.post(TOKENS, &json!({})).await.ok(201);
    assert_eq!(same["actions"], json!(["node.read", "token.read", "token.change"]));
    let fewer = narrow.post(TOKENS, &json!({ "actions": ["node.read"] })).await.ok(201);
    client(&server, &fewer).get("/api/v1/nodes").await.ok(200);
    client(&server, &fewer).get("/api/v1/outages").await.problem(403, "forbidden");
    let wider = narrow.post(TOKENS, &json!({ "actions": ["node.read", "outage.read"] })).await;
    let wider = wider.problem(403, "forbidden");
    assert!(wider["detail"].as_str().unwrap().contains("outage.read"), "{wider}");
    // The first token of hers is for everything.
    let everything = path(&listed(&narrow, "").await[0]);
    let renewed = narrow.post(&format!("{everything}/renew"), &json!({})).await;
    renewed.problem(403, "forbidden");
}

/// Of an hour's token nothing comes that lasts a day; itself it renews, for an hour.
async fn no_token_outlasts_the_one_that_makes_it(site: Site) {
    let [ada, olga] =
        [("ada", "user"), ("olga", "operator")].map(|(name, role)| site.token(name, role));
    let server = site.serve().await;
    let [ada, olga] = [ada, olga].map(|token| server.client().with_token(&token));
    let hour = ada.post(TOKENS, &json!({ "expires_in_s": 3600 })).await.ok(201);
    let day = ada.post(TOKENS, &json!({ "expires_in_s": DAY })).await.ok(201);
    let (short, long) = (client(&server, &hour), client(&server, &day));
    let longer = json!({ "expires_in_s": DAY });
    let refused = short.post(TOKENS, &longer).await.problem(403, "forbidden");
    assert!(refused["detail"].as_str().unwrap().contains("outlast"), "{refused}");
    let usual = short.post(TOKENS, &json!({})).await.ok(201);
    assert_eq!(usual["expires_at"], hour["expires_at"]);
    let renew = |made: &Value| format!("{}/renew", path(made));
    // A successor of another of hers is bounded, too.
    short.post(&renew(&day), &longer).await.problem(403, "forbidden");
    let successor = short.post(&renew(&day), &json!({})).await.ok(201);
    assert_eq!(successor["expires_at"], hour["expires_at"]);
    short.post(&renew(&hour), &json!({ "expires_in_s": 3601 })).await.problem(403, "forbidden");
    let again = short.post(&renew(&hour), &json!({})).await.ok(201);
    assert_eq!(length(&again), 3600);
    // The day's token makes one for an hour; its own successor is of a day.
    long.post(TOKENS, &json!({ "expires_in_s": 3600 })).await.ok(201);
    assert_eq!(length(&long.post(&renew(&day), &json!({})).await.ok(201)), DAY);
    // An operator's makes lasting ones of users, and none of operators.
    let operators = olga.post(TOKENS, &json!({ "expires_in_s": 3600 })).await.ok(201);
    let operators = client(&server, &operators);
    let of = |owner: &str, role: &str| json!({ "owner": owner, "role": role, "expires_in_s": DAY });
    assert_eq!(length(&operators.post(TOKENS, &of("bob", "user")).await.ok(201)), DAY);
    operators.post(TOKENS, &of("otto", "operator")).await.problem(403, "forbidden");
}

async fn operators_keep_everybodys_tokens(site: Site) {
    let olga = site.token("olga", "operator");
    let server = site.serve().await;
    let olga = server.client().with_token(&olga);
    for (owner, role) in [("ada", "user"), ("grid", "supplier"), ("otto", "operator")] {
        let made = olga.post(TOKENS, &json!({ "owner": owner, "role": role })).await.ok(201);
        let me = client(&server, &made).get("/api/v1/me").await.ok(200);
        assert_eq!((&me["name"], &me["role"]), (&json!(owner), &json!(role)));
    }
    assert_eq!(each(&listed(&olga, "").await, "owner"), ["olga", "ada", "grid", "otto"]);
    let adas = listed(&olga, "?owner=ada").await;
    assert_eq!(each(&adas, "owner"), ["ada"]);
    olga.post(&format!("{}/renew", path(&adas[0])), &json!({})).await.ok(201);
    olga.delete(&path(&adas[0])).await.ok(200);
    let words =
        |record: &Value| ["for", "outcome"].map(|key| record[key].as_str().unwrap().to_owned());
    let of =
        async |action: &str| records(&olga, action).await.iter().map(words).collect::<Vec<_>>();
    let with = |whose: &[&str], outcome: &str| {
        whose.iter().map(|it| [(*it).to_owned(), outcome.to_owned()]).collect::<Vec<_>>()
    };
    assert_eq!(of("create_api_token").await, with(&["ada", "grid", "otto"], "201"));
    assert_eq!(of("renew_api_token").await, with(&["ada"], "201"));
    assert_eq!(of("revoke_api_token").await, with(&["ada"], "200"));
    assert_eq!(of("list_api_tokens").await, with(&["*", "ada"], "200"));
    let revoked = &records(&olga, "revoke_api_token").await[0];
    assert_eq!(revoked["before"]["revoked_at"], Value::Null);
    assert!(revoked["after"]["revoked_at"].is_string(), "{revoked}");
}

/// Users make none, and olga may not say which nodes there are: nor may any token that she makes.
async fn a_rule_takes_tokens_from_people(site: Site) {
    let [ada, olga] =
        [("ada", "user"), ("olga", "operator")].map(|(name, role)| site.token(name, role));
    let settings = site.folder().join("wattbook.toml");
    let rules = "[[rights]]\ndeny = [\"token.change\"]\nroles = [\"user\"]\n\
                 [[rights]]\ndeny = [\"node.change\"]\nusers = [\"olga\"]\n";
    std::fs::write(&settings, rules).unwrap();
    let server = site.serve_with(&["--config", settings.to_str().unwrap()]).await;
    let [ada, olga] = [ada, olga].map(|token| server.client().with_token(&token));
    ada.post(TOKENS, &json!({})).await.problem(403, "forbidden");
    assert_eq!(listed(&ada, "").await.len(), 1);
    let otto = |more: Value| {
        let mut body = json!({ "owner": "otto", "role": "operator" });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let refused = olga.post(TOKENS, &otto(json!({}))).await.problem(403, "forbidden");
    assert!(refused["detail"].as_str().unwrap().contains("node.change"), "{refused}");
    olga.post(TOKENS, &otto(json!({ "actions": ["outage.declare"] }))).await.ok(201);
    olga.post(TOKENS, &json!({})).await.ok(201);
}

/// Ada has one already. What is revoked counts for 30 days, too.
async fn an_owner_has_a_hundred_tokens_at_most(site: Site) {
    let [ada, bob] = ["ada", "bob"].map(|name| site.token(name, "user"));
    let server = site.serve().await;
    let [ada, bob] = [ada, bob].map(|token| server.client().with_token(&token));
    let mut last = Value::Null;
    for _ in 0..99 {
        last = ada.post(TOKENS, &json!({})).await.ok(201);
    }
    ada.post(TOKENS, &json!({})).await.problem(409, "too_many_tokens");
    ada.delete(&path(&last)).await.ok(200);
    ada.post(TOKENS, &json!({})).await.problem(409, "too_many_tokens");
    bob.post(TOKENS, &json!({})).await.ok(201);
}

async fn what_is_wrong_with_a_body_is_told_with_its_place(site: Site) {
    let ada = site.token("ada", "user");
    let server = site.serve().await;
    let ada = server.client().with_token(&ada);
    let renew = format!("{}/renew", path(&listed(&ada, "").await[0]));
    for (to, body, pointer) in [
        (TOKENS, json!({ "expires_in_s": 59 }), "/expires_in_s"),
        (TOKENS, json!({ "expires_in_s": 366 * DAY + 1 }), "/expires_in_s"),
        (TOKENS, json!({ "actions": [] }), "/actions"),
        (TOKENS, json!({ "actions": ["me.read", "node.paint"] }), "/actions/1"),
        (TOKENS, json!({ "role": "admin" }), "/role"),
        (TOKENS, json!({ "owner": "" }), "/owner"),
        (TOKENS, json!({ "secret": "x" }), "/secret"),
        (&*renew, json!({ "overlap_s": -1 }), "/overlap_s"),
        (&*renew, json!({ "overlap_s": 30 * DAY + 1 }), "/overlap_s"),
    ] {
        let problem = ada.post(to, &body).await.problem(400, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
    }
    assert_eq!(listed(&ada, "?ended=true").await.len(), 1, "nothing was made");
}

async fn the_only_user_makes_the_first_token(site: Site) {
    let server = site.serve().await;
    let nobody = server.client();
    // What could make no other, or not for a day, would shut everybody out.
    for narrow in [
        json!({ "role": "user" }),
        json!({ "owner": "grid", "role": "supplier" }),
        json!({ "actions": ["metrics.read"] }),
        json!({ "expires_in_s": 60 }),
        json!({ "expires_in_s": DAY - 1 }),
    ] {
        let refused = nobody.post(TOKENS, &narrow).await.problem(409, "first_token");
        assert!(refused["detail"].as_str().unwrap().contains("wattbook token create"), "{refused}");
        nobody.get("/api/v1/nodes").await.ok(200);
    }
    let made = nobody.post(TOKENS, &json!({})).await.ok(201);
    assert_eq!((&made["owner"], &made["role"]), (&json!("local"), &json!("operator")));
    nobody.get("/api/v1/nodes").await.problem(401, "unauthorised");
    let local = client(&server, &made);
    local.get("/api/v1/nodes").await.ok(200);
    let stranger = nobody.request(Method::GET, TOKENS);
    answer(stranger).await.problem(401, "unauthorised");
}

async fn people_keep_their_tokens_on_the_command_line(site: Site) {
    let ada = site.token("ada", "user");
    let server = site.serve().await;
    let run = |token: &str, arguments: &[&str]| {
        let mut command = wattbook(&[&["token", "own"], arguments].concat());
        command
            .env("WATTBOOK_URL", format!("http://{}", server.address))
            .env("WATTBOOK_TOKEN", token);
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().trim().to_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let only = "token.read,token.change,node.read";
    let (status, made, told) = run(&ada, &["create", "--expires-in", "7d", "--only", only]);
    assert_eq!(status, Some(0), "{told}");
    assert!(told.contains("for ada (user), until ") && !told.contains(&made), "{told}");
    // It renews itself: with the same actions, and for 7 days again.
    let (status, renewed, told) = run(&made, &["renew", "--overlap", "1h"]);
    assert_eq!(status, Some(0), "{told}");
    let client = |token: &str| server.client().with_token(token);
    for token in [&made, &renewed] {
        client(token).get("/api/v1/nodes").await.ok(200);
        client(token).get("/api/v1/outages").await.problem(403, "forbidden");
    }
    let tokens = listed(&client(&ada), "").await;
    assert_eq!(length(&tokens[2]), 7 * DAY);
    let (_, table, _) = run(&renewed, &["list"]);
    let rows: Vec<Vec<&str>> = table.lines().map(|it| it.split_whitespace().collect()).collect();
    let header = ["ID", "OWNER", "ROLE", "STATE", "CREATED", "USED", "EXPIRES", "ONLY"];
    assert_eq!((rows.len(), &rows[0][..]), (4, &header[..]), "{table}");
    assert_eq!((rows[3][1], rows[3][3]), ("ada", "valid"), "{table}");
    assert!(!table.contains(&renewed) && !table.contains(&ada), "{table}");
    assert_eq!(run(&ada, &["revoke", rows[3][0]]).0, Some(0));
    client(&renewed).get("/api/v1/nodes").await.problem(401, "unauthorised");
    let wider = run(&made, &["create", "--only", "outage.read"]);
    assert!(wider.0 != Some(0) && wider.2.contains("outage.read"), "{wider:?}");
}
