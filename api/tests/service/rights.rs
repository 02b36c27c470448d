//! Rights: the table that is documented, rules of the site, and acting for somebody.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Client, answer};
use crate::cluster::{furnish, path, propose};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    everybody_is_told_their_rights_as_documented,
    nobody_does_more_with_a_reservation_than_the_table_says,
    rules_narrow_and_widen_by_action_project_and_partition,
    who_acts_for_somebody_is_bound_by_their_rights_and_marked,
    series_are_changed_and_ended_by_the_rights_to_reservations,
}

/// The roles of each action and its routes, as docs/RIGHTS.md has them.
fn documented() -> BTreeMap<String, (Vec<String>, String)> {
    let text = include_str!("../../../docs/RIGHTS.md");
    let rows =
        text.lines().filter(|line| line.starts_with("| `") && line.matches(" | ").count() == 4);
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let roles = cells[1].split(", ").map(str::to_owned).collect();
        (cells[0].trim_matches('`').to_owned(), (roles, cells[4].replace('`', "")))
    };
    rows.map(row).collect()
}

async fn everybody_is_told_their_rights_as_documented(site: Site) {
    let roles = ["user", "operator", "supplier"];
    let tokens = roles.map(|role| site.token(role, role));
    let server = site.serve().await;
    let table = documented();
    assert!(table.len() > 50, "{}", table.len());
    for (role, token) in roles.into_iter().zip(&tokens) {
        let told = server.client().with_token(token).get("/api/v1/rights").await.ok(200);
        assert_eq!((&told["user"], &told["role"]), (&json!(role), &json!(role)));
        assert_eq!(told["rules"], json!([]));
        let rights = told["rights"].as_array().unwrap();
        assert_eq!(rights.len(), table.len());
        for right in rights {
            let (may, routes) = &table[right["action"].as_str().unwrap()];
            let expected = if may.iter().any(|it| it == role) { "yes" } else { "no" };
            assert_eq!(right["may"], expected, "{role}: {right}");
            let listed = right["routes"].as_array().unwrap();
            let listed: Vec<&str> = listed.iter().map(|it| it.as_str().unwrap()).collect();
            assert_eq!(listed.join(", "), *routes);
        }
    }
    let [user, operator, _] = tokens;
    let of_user =
        server.client().with_token(&operator).get("/api/v1/rights?user=user").await.ok(200);
    assert_eq!(of_user["user"], "user");
    let refused = server.client().with_token(&user).get("/api/v1/rights?user=operator").await;
    assert_eq!(refused.problem(403, "forbidden")["action"], "rights.read");
}

/// What each may do with a reservation of `ada` for `ocean`: see, change, give away.
const WITH_ADAS: [(&str, [bool; 3]); 5] = [
    ("ada", [true, true, true]),
    // In `ocean`, whose members see by default.
    ("bob", [true, false, false]),
    // Manages `ocean`.
    ("mary", [true, true, true]),
    // A stranger.
    ("eve", [false, false, false]),
    ("olga", [true, true, true]),
];

async fn nobody_does_more_with_a_reservation_than_the_table_says(site: Site) {
    let clients = WITH_ADAS
        .map(|(name, _)| site.token(name, if name == "olga" { "operator" } else { "user" }));
    let server = site.serve().await;
    let by: Vec<Client> = clients.iter().map(|token| server.client().with_token(token)).collect();
    let olga = &by[4];
    let hours = furnish(olga, 4, None).await;
    in_ocean(olga, &[("ada", false), ("bob", false), ("mary", true)]).await;
    for ((name, [sees, changes, gives]), client) in WITH_ADAS.iter().zip(&by) {
        let calls: [(Method, &str, Value, bool); 8] = [
            (Method::GET, "", Value::Null, *sees),
            (Method::GET, "/jobs", Value::Null, *sees),
            (Method::PATCH, "", json!({ "note": "x" }), *changes),
            (Method::POST, "/choose", json!({ "ranking": "cost_co2_energy" }), *changes),
            (Method::POST, "/extend", json!({ "by_s": 3600 }), *changes),
            (Method::POST, "/release", json!({}), *changes),
            (Method::POST, "/transfer", json!({ "owner": "ada" }), *gives),
            (Method::DELETE, "", Value::Null, *changes),
        ];
        for (method, below, body, may) in calls {
            let mut request = hours.request(1, 0, 6);
            request["project"] = json!("ocean");
            let reservation = path(&propose(&by[0], &request).await);
            let call = client.request(method.clone(), &format!("{reservation}{below}"));
            let call = if body.is_null() { call } else { call.json(&body) };
            let answered = answer(call).await;
            let told = format!("{name} {method} {below}: {}", answered.status);
            match (may, sees) {
                // What is proposed is neither extended nor released.
                (true, _) => assert!([200, 409].contains(&answered.status), "{told}"),
                (false, true) => assert_eq!(answered.status, 403, "{told}"),
                (false, false) => assert_eq!(answered.status, 404, "{told}"),
            }
            olga.delete(&reservation).await;
        }
    }
}

const RULES: &str = r#"
[[rights]]
deny = ["reservation.create"]
partitions = ["gpu"]
except = { projects = ["gpu-users"] }
because = "they paid for it"

[[rights]]
allow = ["outage.declare"]
members = ["ops"]
partitions = ["gpu"]

[[rights]]
allow = ["outage.end"]
users = ["ada"]
partitions = ["gpu"]

[[rights]]
deny = ["simulation.*"]
users = ["eve"]
"#;

async fn rules_narrow_and_widen_by_action_project_and_partition(site: Site) {
    std::fs::write(site.folder().join("wattbook.toml"), RULES).unwrap();
    let tokens = [("olga", "operator"), ("ada", "user"), ("eve", "user"), ("mary", "user")]
        .map(|(name, role)| site.token(name, role));
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let [olga, ada, eve, mary] = tokens.map(|token| server.client().with_token(&token));
    let hours = furnish(&olga, 4, None).await;
    let mut nodes = crate::cluster::nodes(4);
    for (place, node) in nodes.as_array_mut().unwrap().iter_mut().enumerate() {
        node["partitions"] = json!([if place < 2 { "gpu" } else { "cpu" }]);
    }
    olga.put("/api/v1/nodes", &nodes).await.ok(200);
    for (project, user) in
        [("ocean", "ada"), ("gpu-users", "ada"), ("ops", "ada"), ("ocean", "eve"), ("ops", "mary")]
    {
        olga.put(&format!("/api/v1/projects/{project}"), &json!({})).await.ok(200);
        let path = format!("/api/v1/projects/{project}/members/{user}");
        olga.put(&path, &json!({})).await.ok(200);
    }
    let request = |count: u32, project: &str, partition: Option<&str>| {
        let mut request = hours.request(count, 0, 6);
        request["project"] = json!(project);
        if let Some(partition) = partition {
            request["partition"] = json!(partition);
        }
        request
    };
    for route in ["/api/v1/quotes", "/api/v1/reservations"] {
        let refused = ada.post(route, &request(1, "ocean", Some("gpu"))).await;
        let refused = refused.problem(403, "forbidden");
        assert_eq!(refused["action"], "reservation.create");
        assert!(refused["rule"].as_str().unwrap().contains("they paid for it"), "{refused}");
    }
    ada.post("/api/v1/reservations", &request(1, "gpu-users", Some("gpu"))).await.ok(201);
    // Two of the four nodes are closed to who names no partition: three are not there, two are.
    ada.post("/api/v1/reservations", &request(3, "ocean", None)).await.problem(422, "impossible");
    ada.post("/api/v1/reservations", &request(2, "ocean", None)).await.ok(201);
    // Who would move a reservation there is refused too, and operators are not meant.
    let held = propose(&eve, &request(1, "ocean", Some("cpu"))).await;
    let moved = eve.request(Method::PATCH, &path(&held)).json(&json!({ "partition": "gpu" }));
    answer(moved).await.problem(403, "forbidden");
    olga.post("/api/v1/quotes", &request(1, "ocean", Some("gpu"))).await.ok(200);
    // Outages: in the partition, by who is in ops.
    let outage = |node: &str| json!({ "nodes": [node], "reason": "fans" });
    let made = ada.post("/api/v1/outages", &outage("n0")).await.ok(201);
    ada.post("/api/v1/outages", &outage("n3")).await.problem(403, "forbidden");
    eve.post("/api/v1/outages", &outage("n0")).await.problem(403, "forbidden");
    // Who changes one must be let declare what it becomes, and end what it was.
    let change = async |client: &Client, outage: &Value, node: &str| {
        let path = format!("/api/v1/outages/{}", outage["id"].as_str().unwrap());
        answer(client.request(Method::PATCH, &path).json(&json!({ "nodes": [node] }))).await
    };
    change(&ada, &made, "n1").await.ok(200);
    change(&ada, &made, "n3").await.problem(403, "forbidden");
    let theirs = olga.post("/api/v1/outages", &outage("n3")).await.ok(201);
    change(&ada, &theirs, "n1").await.problem(403, "forbidden");
    change(&eve, &made, "n0").await.problem(403, "forbidden");
    let refused = change(&mary, &made, "n0").await.problem(403, "forbidden");
    assert_eq!(refused["action"], "outage.end");
    eve.get("/api/v1/simulations").await.problem(403, "forbidden");
    ada.get("/api/v1/simulations").await.ok(200);
    let told = ada.get("/api/v1/rights").await.ok(200);
    let rights = told["rights"].as_array().unwrap();
    let answer =
        |action: &str| rights.iter().find(|it| it["action"] == action).unwrap()["may"].clone();
    assert_eq!(answer("reservation.create"), "partly");
    assert_eq!(answer("outage.declare"), "partly");
    assert_eq!(answer("simulation.run"), "yes");
    let numbers: Vec<&Value> =
        told["rules"].as_array().unwrap().iter().map(|it| &it["number"]).collect();
    assert_eq!(numbers, [&json!(1), &json!(2), &json!(3)], "the fourth is about eve");
}

async fn who_acts_for_somebody_is_bound_by_their_rights_and_marked(site: Site) {
    let tokens = [("olga", "operator"), ("ada", "user"), ("mary", "user"), ("eve", "user")]
        .map(|(name, role)| site.token(name, role));
    let server = site.serve().await;
    let [olga, ada, mary, eve] = tokens.map(|token| server.client().with_token(&token));
    let hours = furnish(&olga, 4, None).await;
    in_ocean(&olga, &[("ada", false), ("mary", true)]).await;
    let create = |client: &Client, user: &str, more: &Value| {
        let mut request = hours.request(1, 0, 6);
        for (name, value) in more.as_object().unwrap() {
            request[name] = value.clone();
        }
        client
            .request(Method::POST, "/api/v1/reservations")
            .header("X-Wattbook-For", user)
            .json(&request)
    };
    let made = answer(create(&olga, "ada", &json!({}))).await.ok(201);
    assert_eq!((&made["owner"], &made["project"]), (&json!("ada"), &json!("ocean")));
    ada.get(&path(&made)).await.ok(200);
    // Never more than theirs.
    answer(create(&olga, "ada", &json!({ "priority": 1 }))).await.problem(403, "forbidden");
    answer(create(&olga, "ada", &json!({ "project": "ice" }))).await.problem(403, "not_in_project");
    answer(create(&olga, "nobody", &json!({}))).await.problem(422, "unknown_owner");
    // A manager within the project, and not what is of another owner there.
    let managed = answer(create(&mary, "ada", &json!({ "project": "ocean" }))).await.ok(201);
    assert_eq!(managed["owner"], "ada");
    answer(create(&mary, "eve", &json!({}))).await.problem(403, "forbidden");
    answer(create(&eve, "ada", &json!({}))).await.problem(403, "forbidden");
    let nodes = olga.request(Method::GET, "/api/v1/nodes").header("X-Wattbook-For", "ada");
    answer(nodes).await.problem(400, "invalid_parameter");
    // It is marked.
    let query = "/api/v1/audit?action=create_reservation&actor=olga";
    let records = olga.get(query).await.ok(200)["items"].as_array().unwrap().clone();
    assert!(!records.is_empty());
    for record in &records {
        let expected = if record["outcome"] == "422 unknown_owner" { "nobody" } else { "ada" };
        assert_eq!(record["for"], expected, "{record}");
    }
    let page = olga.get("/api/v1/audit?limit=1").await.ok(200);
    assert_eq!(page["next_cursor"], page["next_after"]);
    let next =
        olga.get(&format!("/api/v1/audit?limit=1&cursor={}", page["next_cursor"])).await.ok(200);
    assert_ne!(next["items"][0]["id"], page["items"][0]["id"]);
    olga.get("/api/v1/audit?cursor=1&after=1").await.problem(400, "invalid_parameter");
}

const NO_ENDS: &str = r#"
[[rights]]
deny = ["reservation.cancel"]
users = ["ada"]
projects = ["ocean"]
"#;

async fn series_are_changed_and_ended_by_the_rights_to_reservations(site: Site) {
    std::fs::write(site.folder().join("wattbook.toml"), NO_ENDS).unwrap();
    let tokens = [("olga", "operator"), ("ada", "user"), ("mary", "user")]
        .map(|(name, role)| site.token(name, role));
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let [olga, ada, mary] = tokens.map(|token| server.client().with_token(&token));
    let hours = furnish(&olga, 4, None).await;
    in_ocean(&olga, &[("ada", false), ("mary", true)]).await;
    olga.put("/api/v1/projects/lake", &json!({})).await.ok(200);
    olga.put("/api/v1/projects/lake/members/ada", &json!({})).await.ok(200);
    let mut request = hours.request(1, 0, 6);
    request["project"] = json!("ocean");
    let asked = json!({ "request": request, "recur": "FREQ=DAILY;COUNT=1", "time_zone": "UTC" });
    let made = ada.post("/api/v1/series", &asked).await.ok(201);
    let series = format!("/api/v1/series/{}", made["id"].as_str().unwrap());
    // Mary manages ocean, and is not in lake.
    let moved = json!({ "request": { "project": "lake" } });
    let moved = answer(mary.request(Method::PATCH, &series).json(&moved)).await;
    moved.problem(403, "not_in_project");
    let refused = ada.delete(&series).await;
    assert_eq!(refused.problem(403, "forbidden")["action"], "reservation.cancel");
    assert_eq!(ada.get(&series).await.ok(200)["state"], "running");
    assert_eq!(mary.delete(&series).await.ok(200)["state"], "ended");
}

async fn in_ocean(olga: &Client, people: &[(&str, bool)]) {
    olga.put("/api/v1/projects/ocean", &json!({})).await.ok(200);
    for (user, manager) in people {
        let path = format!("/api/v1/projects/ocean/members/{user}");
        olga.put(&path, &json!({ "manager": manager })).await.ok(200);
    }
}
