//! Reservations that are shared: who sees them, who changes them, and who is told.

use reqwest::Method;
use serde_json::{Value, json};

use crate::booking::say_as;
use crate::client::{Client, answer};
use crate::cluster::{choose, furnish, path, propose};
use crate::event_stream::Stream;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_reservation_is_seen_and_changed_by_those_with_whom_it_is_shared,
    who_is_in_a_project_sees_what_is_shared_with_it,
    sharing_is_refused_with_the_place_of_each_error,
    what_is_shared_goes_with_a_transfer_and_with_an_erased_person,
}

async fn listed(client: &Client, query: &str) -> Vec<Value> {
    let page = client.get(&format!("/api/v1/reservations{query}")).await.ok(200);
    page["items"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect()
}

async fn share(client: &Client, reservation: &Value, body: &Value) -> Value {
    client.post(&format!("{}/share", path(reservation)), body).await.ok(200)
}

/// Ada, Bob, Eve, and Olga who runs the cluster; a node of Ada's.
async fn cast(site: &Site) -> (crate::server::Server, [Client; 4], Value) {
    let tokens = [("ada", "user"), ("bob", "user"), ("eve", "user"), ("olga", "operator")]
        .map(|(owner, role)| site.token(owner, role));
    let server = site.serve().await;
    let clients = tokens.map(|token| server.client().with_token(&token));
    let hours = furnish(&clients[3], 4, None).await;
    let hers = propose(&clients[0], &hours.request(1, 0, 6)).await;
    let hers = choose(&clients[0], &hers, "cost_co2_energy").await;
    (server, clients, hers)
}

/// First Bob sees it, then he changes it, then he does neither.
async fn a_reservation_is_seen_and_changed_by_those_with_whom_it_is_shared(site: Site) {
    let (_server, [ada, bob, eve, olga], hers) = cast(&site).await;
    let (whole, id) = (path(&hers), hers["id"].clone());
    bob.get(&whole).await.problem(404, "not_found");
    assert_eq!(listed(&bob, "").await, [Value::Null; 0]);

    let (mut to_bob, mut to_olga) = (Stream::opened(&bob).await, Stream::opened(&olga).await);
    let shared = share(&ada, &hers, &json!({ "with": ["bob"], "may": "see" })).await;
    assert_eq!(shared["shared_with"], json!([{ "user": "bob", "may": "see" }]));
    let told = to_bob.until("reservation.shared").await.pop().unwrap();
    assert_eq!(
        (&told.data["reservation_id"], &told.data["shared"], &told.data["owner"]),
        (&id, &json!(true), &json!("bob"))
    );
    assert_eq!(bob.get(&whole).await.ok(200)["owner"], "ada");
    for query in ["", "?owner=ada", "?state=confirmed", "?newest=true"] {
        assert_eq!(listed(&bob, query).await, std::slice::from_ref(&id), "{query}");
    }
    assert_eq!(listed(&bob, "?owner=bob").await, [Value::Null; 0]);
    assert_eq!(listed(&eve, "").await, [Value::Null; 0]);
    let labels = json!({ "labels": { "run": "7" } });
    let change = |client: &Client| client.request(Method::PATCH, &whole).json(&labels);
    answer(change(&bob)).await.problem(403, "forbidden");

    share(&ada, &hers, &json!({ "with": ["bob"], "may": "act" })).await;
    assert_eq!(answer(change(&bob)).await.ok(200)["owner"], "ada");
    to_bob.until("reservation.modified").await;
    // Its owner alone says who else may, and whose it is.
    let body = json!({ "with": ["eve"], "may": "see" });
    bob.post(&format!("{whole}/share"), &body).await.problem(403, "forbidden");
    let to = json!({ "owner": "bob" });
    bob.post(&format!("{whole}/transfer"), &to).await.problem(403, "forbidden");

    let with = json!({ "with": ["bob"] });
    let unshared = ada.post(&format!("{whole}/unshare"), &with).await.ok(200);
    assert_eq!(unshared["shared_with"], json!([]));
    to_bob.until("reservation.unshared").await;
    bob.get(&whole).await.problem(404, "not_found");
    answer(change(&bob)).await.problem(404, "not_found");
    assert_eq!(listed(&bob, "").await, [Value::Null; 0]);
    // Operators are told once of each.
    let told = to_olga.until("reservation.unshared").await;
    let kinds: Vec<&str> = told.iter().map(|it| it.kind.as_str()).collect();
    let of = |kind: &str| kinds.iter().filter(|it| **it == kind).count();
    assert_eq!((of("reservation.shared"), of("reservation.modified")), (2, 1), "{kinds:?}");
    assert!(told.iter().all(|it| it.data["owner"] == "ada"), "{told:?}");
}

async fn who_is_in_a_project_sees_what_is_shared_with_it(site: Site) {
    let (_server, [ada, bob, eve, olga], hers) = cast(&site).await;
    olga.put("/api/v1/projects/ice", &json!({})).await.ok(200);
    olga.put("/api/v1/projects/ice/members/bob", &json!({})).await.ok(200);
    let mut to_bob = Stream::opened(&bob).await;
    let body = json!({ "projects": ["ice"], "with": ["eve"], "may": "use" });
    let shared = share(&ada, &hers, &body).await;
    let expected = json!([{ "user": "eve", "may": "use" }, { "project": "ice", "may": "use" }]);
    assert_eq!(shared["shared_with"], expected);
    to_bob.until("reservation.shared").await;
    for client in [&bob, &eve] {
        assert_eq!(listed(client, "").await, std::slice::from_ref(&hers["id"]));
        client.delete(&path(&hers)).await.problem(403, "forbidden");
    }
    // Who is in the project no more sees it no more.
    assert_eq!(olga.delete("/api/v1/projects/ice/members/bob").await.status, 204);
    bob.get(&path(&hers)).await.problem(404, "not_found");
    assert_eq!(listed(&bob, "").await, [Value::Null; 0]);
}

async fn sharing_is_refused_with_the_place_of_each_error(site: Site) {
    let (_server, [ada, bob, _, _], hers) = cast(&site).await;
    let share = format!("{}/share", path(&hers));
    let many: Vec<String> = (0..101).map(|it| format!("nobody{it}")).collect();
    for (body, pointers) in [
        (json!({}), &["", "/may"][..]),
        (json!({ "with": [], "may": "see" }), &[""]),
        (json!({ "with": ["bob"] }), &["/may"]),
        (json!({ "with": ["bob"], "may": "own" }), &["/may"]),
        (json!({ "with": ["bob", ""], "may": "see" }), &["/with/1"]),
        (json!({ "with": ["bob"], "may": "see", "for": 1 }), &["/for"]),
        (json!({ "with": ["bob", "grace"], "may": "see" }), &["/with/1"]),
        (json!({ "with": ["ada"], "may": "see" }), &["/with/0"]),
        (
            json!({ "projects": ["none"], "with": ["grace"], "may": "see" }),
            &["/with/0", "/projects/0"],
        ),
    ] {
        let problem = ada.post(&share, &body).await.problem(400, "invalid_body");
        let found: Vec<&str> = problem["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["pointer"].as_str().unwrap())
            .collect();
        assert_eq!(found, pointers, "{body}: {problem}");
    }
    ada.post(&share, &json!({ "with": many, "may": "see" })).await.problem(400, "invalid_body");
    let unshare = format!("{}/unshare", path(&hers));
    let problem =
        ada.post(&unshare, &json!({ "with": ["bob"] })).await.problem(400, "invalid_body");
    assert_eq!(problem["errors"][0]["pointer"], "/with/0");
    let with_bob = json!({ "with": ["bob"], "may": "see" });
    bob.post(&share, &with_bob).await.problem(404, "not_found");
    let stale = ada.request(Method::POST, &share).header("If-Match", "\"99\"").json(&with_bob);
    answer(stale).await.problem(412, "version_mismatch");
    assert_eq!(ada.get(&path(&hers)).await.ok(200), hers, "nothing was changed");
    ada.delete(&path(&hers)).await.ok(200);
    ada.post(&share, &with_bob).await.problem(409, "wrong_state");
}

/// It is shared with Bob and Eve. Bob becomes its owner, Eve is erased.
async fn what_is_shared_goes_with_a_transfer_and_with_an_erased_person(site: Site) {
    let (_server, [ada, bob, _, _], hers) = cast(&site).await;
    share(&ada, &hers, &json!({ "with": ["bob", "eve"], "may": "act" })).await;
    let transfer = format!("{}/transfer", path(&hers));
    let his = ada.post(&transfer, &json!({ "owner": "bob" })).await.ok(200);
    assert_eq!(his["shared_with"], json!([{ "user": "eve", "may": "act" }]));
    let erased = site.command(&["user", "erase", "eve"]).output().unwrap();
    assert!(erased.status.success(), "{erased:?}");
    assert_eq!(bob.get(&path(&hers)).await.ok(200)["shared_with"], json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reservation_is_shared_from_a_terminal() {
    let site = Site::sqlite();
    let token = site.token("ada", "user");
    let (server, [ada, ..], hers) = cast(&site).await;
    let id = hers["id"].as_str().unwrap();
    let shared = say_as(&server, &token, &format!("share-with {id} --user bob,eve --may act"));
    assert_eq!(shared.code, Some(0), "{}", shared.err);
    assert!(shared.out.contains("Shared with: bob (act), eve (act)"), "{}", shared.out);
    assert_eq!(say_as(&server, &token, &format!("unshare {id} --user bob")).code, Some(0));
    let left = ada.get(&path(&hers)).await.ok(200);
    assert_eq!(left["shared_with"], json!([{ "user": "eve", "may": "act" }]));
    let unknown = say_as(&server, &token, &format!("share-with {id} --user grace"));
    assert_eq!(unknown.code, Some(2), "{}", unknown.err);
    assert!(unknown.err.contains("grace"), "{}", unknown.err);
    assert_eq!(say_as(&server, &token, &format!("share-with {id}")).code, Some(2));
}
