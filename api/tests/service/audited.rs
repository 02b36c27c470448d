//! What the audit trail says of people, of what is changed and of what is done for others; and that who is erased is erased from
//! it, and from what was under way.

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Client, answer};
use crate::cluster::{choose, furnish, path, propose};
use crate::event_stream::Stream;
use crate::raw::Raw;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    people_are_recorded_where_they_can_be_erased,
    grants_and_series_are_recorded_as_they_were_and_are,
    who_changes_a_series_for_somebody_is_told_to_its_owner,
    what_is_under_way_while_somebody_is_erased_is_kept_without_their_name,
}

/// The records of an action, oldest first.
pub async fn records(operator: &Client, action: &str) -> Vec<Value> {
    let page = operator.get(&format!("/api/v1/audit?limit=1000&action={action}")).await.ok(200);
    page["items"].as_array().unwrap().clone()
}

fn erase(site: &Site, name: &str) -> std::process::Output {
    site.command(&["user", "erase", name]).output().unwrap()
}

fn assert_verified(site: &Site) {
    let verified = site.command(&["audit", "verify"]).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
}

/// Ada shares with Bob and a project, and gives it to Eve; Bob comes into the project and leaves it. Then Bob is erased.
async fn people_are_recorded_where_they_can_be_erased(site: Site) {
    let tokens = [("olga", "operator"), ("ada", "user"), ("bob", "user"), ("eve", "user")]
        .map(|(name, role)| site.token(name, role));
    let server = site.serve().await;
    let [olga, ada, _, _] = tokens.map(|token| server.client().with_token(&token));
    let hours = furnish(&olga, 4, None).await;
    olga.put("/api/v1/projects/ice", &json!({})).await.ok(200);
    let member = "/api/v1/projects/ice/members/bob";
    olga.put(member, &json!({ "manager": true })).await.ok(200);
    assert_eq!(olga.delete(member).await.status, 204);
    let hers = propose(&ada, &hours.request(1, 0, 6)).await;
    choose(&ada, &hers, "cost_co2_energy").await;
    let to = json!({ "with": ["bob"], "projects": ["ice"], "may": "see" });
    ada.post(&format!("{}/share", path(&hers)), &to).await.ok(200);
    ada.post(&format!("{}/transfer", path(&hers)), &json!({ "owner": "eve" })).await.ok(200);

    let made = &records(&olga, "put_project").await[0];
    let of_ice = |members: Value| json!([{ "project": "ice", "parent": null, "source": "api", "members": members }]);
    assert_eq!((&made["before"], &made["after"]), (&Value::Null, &of_ice(json!([]))));
    let (came, left) = (
        &records(&olga, "put_project_member").await[0],
        &records(&olga, "remove_project_member").await[0],
    );
    let with_bob = of_ice(json!([{ "person": "bob", "manager": true, "source": "api" }]));
    assert_eq!((&came["before"], &came["after"]), (&of_ice(json!([])), &with_bob));
    assert_eq!((&left["before"], &left["after"]), (&with_bob, &of_ice(json!([]))));
    let shared = &records(&olga, "share_reservation").await[0];
    let with = json!([{ "person": "bob", "may": "see" }, { "project": "ice", "may": "see" }]);
    assert_eq!(
        (&shared["before"]["shared_with"], &shared["after"]["shared_with"]),
        (&json!([]), &with)
    );
    let given = &records(&olga, "transfer_reservation").await[0];
    let owner = |name: &str| json!({ "person": name });
    assert_eq!(
        (&given["before"]["owner"], &given["after"]["owner"]),
        (&owner("ada"), &owner("eve"))
    );
    assert_eq!(given["for"], "eve");
    let exported = site.command(&["user", "export", "bob"]).output().unwrap();
    let exported: Value = serde_json::from_slice(&exported.stdout).unwrap();
    // Made a token of his, came, left, shared with, and given away with that.
    assert_eq!(exported["audit"].as_array().unwrap().len(), 5, "{exported}");

    let erased = erase(&site, "bob");
    assert!(erased.status.success(), "{erased:?}");
    let all = olga.get("/api/v1/audit?limit=1000").await;
    assert!(!all.body.contains("\"bob\"") && !all.body.contains("members/bob"), "{}", all.body);
    let shared = &records(&olga, "share_reservation").await[0];
    let gone = shared["after"]["shared_with"][0]["person"].as_str().unwrap();
    assert!(gone.starts_with("erased:") && gone.len() == 71, "{shared}");
    assert_eq!(shared["after"]["shared_with"][1], with[1]);
    let given = &records(&olga, "transfer_reservation").await[0];
    assert_eq!(given["before"]["owner"], owner("ada"));
    assert_verified(&site);
}

/// A grant is given, given anew and taken back; a series is made, changed, shortened and ended.
async fn grants_and_series_are_recorded_as_they_were_and_are(site: Site) {
    let tokens = [("olga", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    std::fs::write(site.folder().join("wattbook.toml"), "[negotiation]\n").unwrap();
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let [olga, ada] = tokens.map(|token| server.client().with_token(&token));
    let hours = furnish(&olga, 4, Some(800.0)).await;
    let mut answers = Vec::new();
    for power_w in [100.0, 200.0] {
        let gift = json!({ "id": "spring", "start": hours.hour(1), "end": hours.hour(2), "power_w": power_w });
        answers.push(olga.post("/api/v1/grants", &gift).await.ok(201)["grant_id"].clone());
    }
    let stands = olga.get("/api/v1/grants").await.ok(200)["items"][0].clone();
    assert_eq!(answers, [stands["grant_id"].clone(), stands["grant_id"].clone()]);
    let place = format!("/api/v1/grants/{}", stands["grant_id"].as_str().unwrap());
    assert_eq!(olga.delete(&place).await.status, 204);
    let given = records(&olga, "create_grant").await;
    let watts = |record: &Value, when: &str| record[when]["power_w"].clone();
    assert_eq!((&given[0]["before"], watts(&given[0], "after")), (&Value::Null, json!(100.0)));
    assert_eq!(
        (watts(&given[1], "before"), watts(&given[1], "after")),
        (json!(100.0), json!(200.0))
    );
    let taken = &records(&olga, "revoke_grant").await[0];
    let standing = |when: &str| taken[when]["standing"].clone();
    assert_eq!((standing("before"), standing("after")), (json!("in_force"), json!("revoked")));

    let asked = json!({ "request": hours.request(1, 0, 2), "recur": "FREQ=HOURLY;INTERVAL=4;COUNT=3", "time_zone": "UTC" });
    let made = ada.post("/api/v1/series", &asked).await.ok(201);
    let place = format!("/api/v1/series/{}", made["id"].as_str().unwrap());
    let patch = json!({ "request": { "nodes": 2 } });
    answer(ada.request(Method::PATCH, &place).json(&patch)).await.ok(200);
    let last = made["occurrences"][2]["occurrence"].as_str().unwrap();
    olga.delete(&format!("{place}/occurrences/{last}")).await.ok(200);
    ada.delete(&place).await.ok(200);
    let of = async |action: &str| records(&olga, action).await[0].clone();
    let (made, changed) = (of("create_series").await, of("modify_series").await);
    let (shortened, ended) = (of("skip_occurrence").await, of("end_series").await);
    assert_eq!((&made["before"], &made["after"]["state"]), (&Value::Null, &json!("running")));
    assert_eq!((&changed["before"]["nodes"], &changed["after"]["nodes"]), (&json!(1), &json!(2)));
    assert_eq!(changed["before"], made["after"]);
    assert_eq!(
        (&shortened["before"]["except"], &shortened["after"]["except"]),
        (&json!([]), &json!([last]))
    );
    assert_eq!((&shortened["actor"], &shortened["for"]), (&json!("olga"), &json!("ada")));
    assert_eq!(ended["before"], shortened["after"]);
    assert_eq!(ended["after"]["state"], "ended");
    assert!([&made, &changed, &shortened, &ended].iter().all(|it| it["object"] == place[8..]));
    assert_verified(&site);
}

/// Olga makes a series for Ada and ends it; the event says who did what, and Ada's own doings are not told so.
async fn who_changes_a_series_for_somebody_is_told_to_its_owner(site: Site) {
    let tokens = [("olga", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    let server = site.serve().await;
    let [olga, ada] = tokens.map(|token| server.client().with_token(&token));
    let hours = furnish(&olga, 4, None).await;
    let mut to_ada = Stream::opened(&ada).await;
    let for_ada =
        |method: Method, place: &str| olga.request(method, place).header("X-Wattbook-For", "ada");
    let asked = json!({ "request": hours.request(1, 0, 2), "recur": "FREQ=HOURLY;INTERVAL=4;COUNT=2", "time_zone": "UTC" });
    let made = answer(for_ada(Method::POST, "/api/v1/series").json(&asked)).await.ok(201);
    assert_eq!(made["owner"], "ada");
    let place = format!("/api/v1/series/{}", made["id"].as_str().unwrap());
    let change = json!({ "choose": "co2" });
    answer(ada.request(Method::PATCH, &place).json(&change)).await.ok(200);
    answer(for_ada(Method::DELETE, &place)).await.ok(200);
    for (action, state) in [("create_series", "running"), ("end_series", "ended")] {
        let told = to_ada.until("series.acted_for").await.pop().unwrap().data;
        for (name, expected) in [
            ("series", made["id"].clone()),
            ("by", json!("olga")),
            ("action", json!(action)),
            ("state", json!(state)),
        ] {
            assert_eq!(told[name], expected, "{told}");
        }
    }
    let record = &records(&olga, "create_series").await[0];
    assert_eq!((&record["actor"], &record["for"]), (&json!("olga"), &json!("ada")));
}

/// Ada's request is half sent when she is erased. Somebody new of her name finds nothing of it.
async fn what_is_under_way_while_somebody_is_erased_is_kept_without_their_name(site: Site) {
    let [olga, token] =
        [("olga", "operator"), ("ada", "user")].map(|(name, role)| site.token(name, role));
    let server = site.serve().await;
    let [olga, ada] = [olga, token.clone()].map(|token| server.client().with_token(&token));
    let body = json!({ "begins_soon_min": 77 }).to_string();
    let (first, rest) = body.split_at(9);
    let mut slow = Raw::from("127.0.0.1", &server).await;
    let (credential, length) =
        (format!("Authorization: Bearer {token}"), format!("Content-Length: {}", body.len()));
    let headers = [&*credential, "Content-Type: application/json", &*length];
    slow.request("PUT", "/api/v1/notifications", &headers).await;
    slow.send(first).await;
    // It has begun once it is written down that it has.
    let begun =
        || async { site.count("SELECT COUNT(*) FROM audit_begun WHERE actor = 'ada'").await };
    while begun().await == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let erasing = {
        let site = site.clone();
        tokio::task::spawn_blocking(move || erase(&site, "ada"))
    };
    while ada.get("/api/v1/notifications").await.status != 401 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert!(slow.send(rest).await);
    assert_eq!(slow.status().await, 200);
    let erased = erasing.await.unwrap();
    assert!(erased.status.success(), "{erased:?}");

    let record = &records(&olga, "put_notifications").await[0];
    let erased = |key: &str| record[key].as_str().unwrap().starts_with("erased:");
    assert!(erased("actor") && erased("from"), "{record}");
    let all = olga.get("/api/v1/audit?limit=1000").await;
    assert!(!all.body.contains("\"ada\""), "{}", all.body);
    assert_verified(&site);
    let somebody_new = server.client().with_token(&site.token("ada", "user"));
    let told = somebody_new.get("/api/v1/notifications").await.ok(200);
    assert_ne!(told["begins_soon_min"], 77, "{told}");
}
