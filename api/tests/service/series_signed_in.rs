//! Series of people who sign in at an issuer: booked by what their newest access token said of them.

use serde_json::{Value, json};

use crate::client::Client;
use crate::issuer::{Issuer, Key};
use crate::series::{announce, daily, furnish_days, of_each, path, settled};
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_series_of_an_operator_is_booked_as_one_of_a_user_once_they_are_one,
    a_project_that_an_issuer_vouches_for_counts_until_it_does_so_no_more,
    a_site_knows_who_runs_it_by_an_issuer_where_it_plans_anew,
    whoever_is_given_something_may_be_in_a_project_by_their_issuer,
}

const PROJECTS: &str = "project_claims = [\"groups\"]\nproject_prefix = \"hpc-\"\n";

/// The client of somebody whose token is so many seconds old.
fn client_of(
    server: &Server,
    issuer: &Issuer,
    key: &Key,
    who: (&str, &[&str]),
    age_s: u64,
) -> Client {
    let (name, groups) = who;
    let mut claims = issuer.claims(name, "hpc");
    claims["groups"] = json!(groups);
    claims["iat"] = json!(claims["iat"].as_u64().unwrap() - age_s);
    server.client().with_token(&key.sign(&claims))
}

async fn reason(client: &Client, series: &Value, place: usize) -> Value {
    for _ in 0..300 {
        let found = client.get(&path(series)).await.ok(200);
        let reason = found["occurrences"][place]["reason"]["code"].clone();
        if !reason.is_null() {
            return reason;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    panic!("{}", client.get(&path(series)).await.ok(200));
}

/// A user may have one reservation; who runs the cluster is free of quotas.
async fn a_series_of_an_operator_is_booked_as_one_of_a_user_once_they_are_one(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    let quotas = "[[quotas.rules.default]]\nuser = \"/\"\nnode_hours = 2\nper = \"year\"\n";
    let server = issuer.serve(&site, quotas).await;
    let robot = server.client().with_token(&site.token("robot", "operator"));
    let olga = |groups: &[&str], age_s| client_of(&server, &issuer, &key, ("olga", groups), age_s);
    let hours = furnish_days(&robot, 4, 3).await;
    let was = olga(&["admins"], 60);
    let made = was.post("/api/v1/series", &daily(hours, 6)).await.ok(201);
    assert_eq!(made["totals"]["booked"], 3, "{made}");
    // An older token says nothing of now.
    olga(&["hpc"], 120).get("/api/v1/me").await.ok(200);
    announce(&robot, hours, 5).await;
    settled(&robot, &made, 5).await;
    // A newer one does.
    assert_eq!(olga(&["hpc"], 30).get("/api/v1/me").await.ok(200)["role"], "user");
    announce(&robot, hours, 7).await;
    assert_eq!(reason(&robot, &made, 5).await, "quota");
}

/// Ada is in the project ocean by her issuer alone. Bob, whom the site keeps in ice, makes it a site with projects.
async fn a_project_that_an_issuer_vouches_for_counts_until_it_does_so_no_more(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    let server = issuer.serve(&site, PROJECTS).await;
    let robot = server.client().with_token(&site.token("robot", "operator"));
    robot.put("/api/v1/projects/ice", &json!({ "parent": null })).await.ok(200);
    let ada = |groups: &[&str], age_s| client_of(&server, &issuer, &key, ("ada", groups), age_s);
    let hours = furnish_days(&robot, 4, 2).await;
    let made =
        ada(&["hpc", "hpc-ocean"], 60).post("/api/v1/series", &daily(hours, 5)).await.ok(201);
    assert_eq!(
        (&made["project"], &made["totals"]["booked"]),
        (&json!("ocean"), &json!(2)),
        "{made}"
    );
    // Nobody asks meanwhile: it is booked all the same.
    announce(&robot, hours, 4).await;
    let booked = settled(&robot, &made, 4).await;
    assert_eq!(booked["project"], "ocean");
    // She left it.
    ada(&["hpc"], 30).get("/api/v1/me").await.ok(200);
    announce(&robot, hours, 6).await;
    assert_eq!(reason(&robot, &made, 4).await, "not_in_project");
    let kept = robot.get(&path(&made)).await.ok(200);
    assert_eq!(of_each(&kept, "reservation_state")[..4], vec![json!("confirmed"); 4]);
}

/// The partition gpu is closed to users, and Olga runs the cluster by her issuer alone.
async fn a_site_knows_who_runs_it_by_an_issuer_where_it_plans_anew(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    let server = issuer.serve(&site, "").await;
    let robot = server.client().with_token(&site.token("robot", "operator"));
    let olga = |groups: &[&str], age_s| client_of(&server, &issuer, &key, ("olga", groups), age_s);
    let role = async || {
        let told = robot.get("/api/v1/rights?user=olga").await.ok(200);
        let rights = told["rights"].as_array().unwrap().clone();
        rights.into_iter().find(|it| it["action"] == "node.change").unwrap()["may"].clone()
    };
    olga(&["admins"], 60).get("/api/v1/me").await.ok(200);
    assert_eq!(role().await, "yes");
    // She is in none of the groups any more, and in one that books later.
    olga(&["students"], 40).get("/api/v1/me").await.problem(403, "forbidden");
    assert_eq!(role().await, "no");
    olga(&["hpc"], 20).get("/api/v1/me").await.ok(200);
    assert_eq!(role().await, "no");
    olga(&["admins"], 10).get("/api/v1/me").await.ok(200);
    assert_eq!(role().await, "yes");
    assert!(site.command(&["user", "block", "olga"]).status().unwrap().success());
    assert_eq!(role().await, "no");
}

/// The site keeps the project ocean; Bob is in it by his issuer alone, and Eve is not.
async fn whoever_is_given_something_may_be_in_a_project_by_their_issuer(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    let server = issuer.serve(&site, PROJECTS).await;
    let robot = server.client().with_token(&site.token("robot", "operator"));
    robot.put("/api/v1/projects/ocean", &json!({ "parent": null })).await.ok(200);
    let client =
        |name: &str, groups: &[&str]| client_of(&server, &issuer, &key, (name, groups), 30);
    let hours = furnish_days(&robot, 4, 3).await;
    let ada = client("ada", &["hpc", "hpc-ocean"]);
    client("bob", &["hpc", "hpc-ocean"]).get("/api/v1/me").await.ok(200);
    client("eve", &["hpc"]).get("/api/v1/me").await.ok(200);
    let made = ada.post("/api/v1/series", &daily(hours, 2)).await.ok(201);
    let give = async |to: &str| {
        ada.post(&format!("{}/transfer", path(&made)), &json!({ "owner": to })).await
    };
    give("eve").await.problem(422, "not_in_project");
    assert_eq!(give("bob").await.ok(200)["owner"], "bob");
}
