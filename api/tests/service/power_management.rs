//! Idle nodes are switched off where that pays, and woken in time: the service with a site's own command.

use std::time::Duration;

use serde_json::{Value, json};

use crate::audited::records;
use crate::client::Client;
use crate::cluster::{choose, furnish, instant, now, pass, path, propose};
use crate::machines::Machines;
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    idle_nodes_sleep_and_are_up_when_they_are_booked,
    sleeps_are_proposed_approved_and_refused_by_those_who_may,
    a_node_that_does_not_come_is_replaced_before_the_start,
    people_switch_and_hold_nodes,
    what_switches_nobody_says_so,
    kills_in_the_middle_of_two_hundred_actions_order_nothing_twice,
}

pub const PATH: &str = "/api/v1/power-actions";

/// Boots of 2 s: woken 2 + 1 + 1 + 30 = 34 s before the start, and given up 18 s later.
pub fn settings(machines: &Machines, rights: &str) -> String {
    let driver = format!("kind = \"command\", program = \"{}\"", machines.program().display());
    settings_of(&driver, 2, rights)
}

/// With another driver, whose nodes take so long to boot.
pub fn settings_of(driver: &str, boot_s: u32, rights: &str) -> String {
    format!(
        "[power]\nevery_s = 1\nhorizon_h = 24\nfirst_wait_s = 1\nlongest_wait_s = 2\noff_patience_s = 5\n\
         at_once = 300\nrank_by = [\"energy\"]\ndriver = {{ {driver} }}\n\
         [[power.switching]]\npartition = \"batch\"\noff_power_w = 10\nswitching_off_s = 1\n\
         switching_off_power_w = 100\nswitching_on_s = {boot_s}\nswitching_on_power_w = 150\n{rights}"
    )
}

pub const AUTOMATIC: &str =
    "[[power.rights]]\npartition = \"batch\"\nlevel = \"automatic\"\nactions = [\"off\"]\n";
pub const WITH_APPROVAL: &str = "[[power.rights]]\npartition = \"batch\"\nlevel = \"with_approval\"\nactions = [\"off\"]\n\
                             decided_by = [\"carol\"]\n";

pub async fn served(site: &Site, text: &str) -> Server {
    let path = site.folder().join("wattbook.toml");
    std::fs::write(&path, text).unwrap();
    site.serve_with(&["--config", path.to_str().unwrap()]).await
}

/// Nodes n0, n1, ... of the partition batch, that draw 100 W idle, and agendas.
pub async fn furnished(client: &Client, count: u32) {
    furnish(client, count, None).await;
    let node = |n: u32| json!({"name": format!("n{n}"), "idle_power_w": 100, "max_power_w": 200, "partitions": ["batch"]});
    client.put("/api/v1/nodes", &(0..count).map(node).collect()).await.ok(200);
}

/// Books nodes for ten minutes from so many seconds on.
pub async fn booked(client: &Client, nodes: u32, in_s: i64) -> (Value, i64) {
    let start = now() + in_s;
    let request = json!({
        "nodes": nodes, "duration_s": 600, "search": {"mode": "exact"},
        "earliest_start": instant(start), "latest_start": instant(start),
    });
    let held = propose(client, &request).await;
    (choose(client, &held, "energy_cost_co2").await, start)
}

/// Names of the nodes of a reservation now.
pub async fn nodes_of(client: &Client, reservation: &Value) -> Vec<String> {
    let told = client.get(&path(reservation)).await.ok(200);
    let offers = told["offers"].as_array().unwrap();
    let chosen = offers.iter().find(|it| it["offer_id"] == told["chosen_offer_id"]).unwrap();
    chosen["nodes"].as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

pub async fn until<F: Future<Output = bool>>(what: &str, is_so: impl Fn() -> F) {
    for _ in 0..600 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it did not come to it that {what}");
}

pub async fn actions(client: &Client, query: &str) -> Vec<Value> {
    client.get(&format!("{PATH}?{query}")).await.ok(200)["actions"].as_array().unwrap().clone()
}

fn asleep(machines: &Machines, count: u32) -> Vec<String> {
    let names = (0..count).map(|node| format!("n{node}"));
    names.filter(|node| machines.state(node) == "off").collect()
}

/// Four nodes, one of which stays warm: three sleep at once. Two are booked for a minute later.
async fn idle_nodes_sleep_and_are_up_when_they_are_booked(site: Site) {
    let machines = Machines::of(&site);
    let warm = "[[power.keep_warm]]\npartition = \"batch\"\nnodes = 1\n";
    let server = served(&site, &settings(&machines, &format!("{AUTOMATIC}{warm}"))).await;
    let client = server.client();
    furnished(&client, 4).await;
    until("three of four sleep", || async { asleep(&machines, 4).len() == 3 }).await;
    let (reservation, start) = booked(&client, 2, 60).await;
    let nodes = nodes_of(&client, &reservation).await;
    pass(start).await;
    for node in &nodes {
        assert_eq!(machines.state(node), "on", "{node} at the start, {:?}", machines.orders());
    }
    let done = actions(&client, "state=final&limit=1000").await;
    let off: Vec<&Value> =
        done.iter().filter(|it| it["action"] == "off" && it["state"] == "done").collect();
    assert!(off.len() >= 3, "{done:#?}");
    assert!(off.iter().all(|it| it["saves"]["energy_j"].as_f64().unwrap() > 0.0), "{off:#?}");
    let woken: Vec<&Value> = done.iter().filter(|it| it["asked_by"] == "reservation").collect();
    assert!(woken.iter().all(|it| it["reservation_id"] == reservation["id"]), "{woken:#?}");
    for it in &woken {
        let lead = start - crate::cluster::seconds(&it["ordered"]);
        println!("{} was ordered {lead} s before the start", it["node"]);
        assert!((20..=36).contains(&lead), "{it:#}");
    }
    // Nothing was ordered that was so already.
    assert!(machines.orders().iter().all(|it| it.verb != it.was), "{:?}", machines.orders());
    let log = client.get(&format!("{PATH}/log?node={}&limit=1000", nodes[0])).await.ok(200);
    assert!(!log["entries"].as_array().unwrap().is_empty());
}

async fn sleeps_are_proposed_approved_and_refused_by_those_who_may(site: Site) {
    let machines = Machines::of(&site);
    let [operator, user, carol] = [("root", "operator"), ("ada", "user"), ("carol", "user")]
        .map(|(owner, role)| site.token(owner, role));
    let server = served(&site, &settings(&machines, WITH_APPROVAL)).await;
    let client = server.client().with_token(&operator);
    furnished(&client, 3).await;
    until("three sleeps are proposed", || async {
        actions(&client, "state=open").await.len() == 3
    })
    .await;
    assert_eq!(asleep(&machines, 3).len(), 0, "nobody approved");
    let open = actions(&client, "state=open").await;
    let id = |node: &str| open.iter().find(|it| it["node"] == node).unwrap()["id"].clone();
    let approve = json!({"action": "approve", "id": id("n0")});
    server.client().with_token(&user).post(PATH, &approve).await.problem(403, "forbidden");
    let carol = server.client().with_token(&carol);
    let approved = carol.post(PATH, &approve).await.ok(200);
    assert_eq!(approved["actions"][0]["decided_by"], "carol");
    carol.post(PATH, &approve).await.problem(409, "decided");
    until("n0 sleeps", || async { asleep(&machines, 3) == ["n0"] }).await;
    let refuse = json!({"action": "refuse", "id": id("n1"), "because": "new fans are tried"});
    let refused = carol.post(PATH, &refuse).await.ok(200);
    assert_eq!(refused["actions"][0]["state"], "refused");
    assert_eq!(refused["holds"][0]["node"], "n1");
    // It is not proposed anew, and the other proposal stays.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let open = actions(&client, "state=open").await;
    let nodes: Vec<&Value> = open.iter().map(|it| &it["node"]).collect();
    assert_eq!(nodes, ["n2"]);
    let log = client.get(&format!("{PATH}/log?node=n1")).await.ok(200);
    let entries = log["entries"].as_array().unwrap();
    let refused = entries.iter().find(|it| it["what"] == "refused").unwrap();
    assert_eq!(
        (&refused["by"], &refused["because"]),
        (&json!("carol"), &json!("new fans are tried"))
    );
    client.post(PATH, &json!({"action": "approve", "id": 999_999})).await.problem(404, "not_found");

    let mut recorded = records(&client, "decide_power_actions").await;
    recorded.retain(|it| it["outcome"] == "200");
    let as_it =
        |id: &Value, node: &str, state: &str| json!({ "id": id, "node": node, "state": state });
    let [approval, refusal] = recorded.as_slice() else { panic!("{recorded:#?}") };
    for (record, of, node, state) in
        [(approval, &approve, "n0", "waiting"), (refusal, &refuse, "n1", "refused")]
    {
        let at = |when: &str| record[when]["actions"].clone();
        assert_eq!(at("before"), json!([as_it(&of["id"], node, "proposed")]), "{record}");
        assert_eq!(at("after"), json!([as_it(&of["id"], node, state)]), "{record}");
    }
    let held = |when: &str| refusal[when]["holds"].as_array().unwrap().len();
    assert_eq!((held("before"), held("after")), (0, 1), "{refusal}");
}

/// n0 draws as little as the others and is first in their order; it does not come on any more.
async fn a_node_that_does_not_come_is_replaced_before_the_start(site: Site) {
    let machines = Machines::of(&site);
    let server = served(&site, &settings(&machines, AUTOMATIC)).await;
    let client = server.client();
    furnished(&client, 3).await;
    until("all sleep", || async { asleep(&machines, 3).len() == 3 }).await;
    let (reservation, start) = booked(&client, 1, 70).await;
    let node = nodes_of(&client, &reservation).await[0].clone();
    machines.break_down(&node);
    let replaced = || async { nodes_of(&client, &reservation).await[0] != node };
    until("it has another node", replaced).await;
    println!("replaced {} s before the start", start - now());
    let told = client.get(&path(&reservation)).await.ok(200);
    assert_eq!(told["notice"]["code"], "nodes_replaced");
    let detail = told["notice"]["detail"].as_str().unwrap();
    assert!(detail.contains(&node) && detail.contains("did not switch on"), "{detail}");
    let other = nodes_of(&client, &reservation).await[0].clone();
    until("the other node is on", || async { machines.state(&other) == "on" }).await;
    println!("the other was on {} s before the start", start - now());
    let given_up = actions(&client, &format!("state=final&node={node}")).await;
    let given_up = given_up.iter().find(|it| it["state"] == "given_up").unwrap();
    assert_eq!((&given_up["action"], &given_up["orders"]), (&json!("wake"), &json!(1)));
    let outages = client.get("/api/v1/outages").await.ok(200);
    assert_eq!(outages["items"][0]["nodes"], json!([node]), "{outages:#}");
}

async fn people_switch_and_hold_nodes(site: Site) {
    let machines = Machines::of(&site);
    let server = served(&site, &settings(&machines, "")).await;
    let client = server.client();
    furnished(&client, 2).await;
    client.post(PATH, &json!({"action": "off", "nodes": ["n0"]})).await.ok(200);
    until("n0 is off", || async { asleep(&machines, 2) == ["n0"] }).await;
    until("that is seen", || async { actions(&client, "state=open").await.is_empty() }).await;
    let woken = client.post(PATH, &json!({"action": "wake", "nodes": ["n0"]})).await.ok(200);
    assert_eq!(woken["holds"][0]["node"], "n0", "{woken:#}");
    until("n0 is on", || async { asleep(&machines, 2).is_empty() }).await;
    let until_s = instant(now() + 3600);
    let held =
        client.post(PATH, &json!({"action": "hold", "nodes": ["n1"], "until": until_s})).await;
    assert_eq!(held.ok(200)["holds"][0]["until"], until_s);
    for (body, pointer) in [
        (json!({"action": "sleep"}), "/action"),
        (json!({"action": "off"}), ""),
        (json!({"action": "off", "nodes": ["n9"]}), "/nodes/0"),
        (json!({"action": "approve"}), "/id"),
        (json!({"action": "approve", "id": 1, "nodes": ["n0"]}), "/nodes"),
        (json!({ "action": "hold", "nodes": ["n0"] }), "/until"),
    ] {
        let problem = client.post(PATH, &body).await.any_problem();
        let first = &problem["errors"][0];
        assert_eq!(first["pointer"], pointer, "{body}: {problem:#}");
    }
    let past = instant(now() - 60);
    let ended = json!({ "action": "hold", "nodes": ["n0", "n1"], "until": past });
    assert_eq!(client.post(PATH, &ended).await.ok(200)["holds"], json!([]));
    assert_eq!(machines.orders().len(), 2, "{:?}", machines.orders());
}

async fn what_switches_nobody_says_so(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    furnish(&client, 1, None).await;
    let body = json!({"action": "off", "nodes": ["n0"]});
    client.post(PATH, &body).await.problem(409, "no_power_driver");
    assert_eq!(client.get(PATH).await.ok(200), json!({"actions": [], "holds": []}));
}

/// Two hundred nodes fall asleep while the service is killed again and again.
async fn kills_in_the_middle_of_two_hundred_actions_order_nothing_twice(site: Site) {
    const NODES: u32 = 200;
    let machines = Machines::of(&site);
    let text = settings(&machines, AUTOMATIC).replace("at_once = 300", "at_once = 40");
    let mut server = served(&site, &text).await;
    furnished(&server.client(), NODES).await;
    let mut kills = 0;
    let mut before = 0;
    while kills < 8 {
        let slept = || asleep(&machines, NODES).len();
        until("more sleep", || async { slept() > before }).await;
        if slept() == NODES as usize {
            break;
        }
        tokio::time::sleep(Duration::from_millis((now() * 37 % 60).unsigned_abs())).await;
        server.kill();
        kills += 1;
        before = slept();
        server = served(&site, &text).await;
    }
    let client = server.client();
    until("all sleep", || async { asleep(&machines, NODES).len() == NODES as usize }).await;
    until("nothing is open", || async {
        actions(&client, "state=open&limit=1000").await.is_empty()
    })
    .await;
    let done = actions(&client, "state=final&limit=1000").await;
    let done = done.iter().filter(|it| it["state"] == "done").count();
    assert_eq!(done, NODES as usize, "each node has one action that is done");
    let orders = machines.orders();
    let twice: Vec<_> = orders.iter().filter(|it| it.verb == it.was).collect();
    assert!(twice.is_empty(), "{twice:?}");
    println!(
        "{kills} kills while some but not all slept; {} orders for {NODES} nodes",
        orders.len()
    );
}
