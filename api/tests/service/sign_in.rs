//! People sign in at an issuer and send its access tokens; the site lets them in, and no more once it says so.

use std::time::Duration;

use serde_json::json;

use crate::client::Client;
use crate::cluster::{furnish, path, propose};
use crate::event_stream::Stream;
use crate::issuer::{Issuer, Key};
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    people_do_what_their_groups_may,
    an_issuer_names_the_projects_of_its_people,
    a_name_is_one_persons_for_good,
    who_is_signed_out_or_blocked_is_refused_at_once_by_every_replica,
    a_stream_ends_with_the_token_that_opened_it,
    keys_are_exchanged_without_anybody_noticing,
    an_issuer_that_does_not_answer_is_told_and_does_no_harm,
    the_door_stays_shut_where_people_have_signed_in,
    whoever_goes_away_keeps_nobody_from_the_keys,
    a_watched_simulation_is_watched_no_longer_than_its_token_counts,
}

/// The clients of some people.
fn signed_in(server: &Server, issuer: &Issuer, key: &Key, name: &str, group: &str) -> Client {
    server.client().with_token(&key.sign(&issuer.claims(name, group)))
}

fn user_command(site: &Site, arguments: &[&str]) -> (Option<i32>, String) {
    let output = site.command(&[&["user"], arguments].concat()).output().unwrap();
    let (out, error) = (String::from_utf8(output.stdout), String::from_utf8(output.stderr));
    (output.status.code(), out.unwrap() + &error.unwrap())
}

async fn people_do_what_their_groups_may(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    let server = issuer.serve(&site, "").await;
    let client = |name, group| signed_in(&server, &issuer, &key, name, group);
    let hours = furnish(&client("olga", "admins"), 4, None).await;
    let (ada, bob) = (client("ada", "hpc"), client("bob", "hpc"));
    let reservation = propose(&ada, &hours.request(1, 0, 6)).await;
    assert_eq!(ada.get(&path(&reservation)).await.ok(200)["owner"], "ada");
    bob.get(&path(&reservation)).await.problem(404, "not_found");
    client("olga", "admins").get(&path(&reservation)).await.ok(200);
    ada.get("/api/v1/meters").await.problem(403, "forbidden");
    client("grid", "grid").get("/api/v1/power-profile").await.ok(200);
    client("grid", "grid").get("/api/v1/nodes").await.problem(403, "forbidden");
    let stranger = client("eve", "students").get("/api/v1/nodes").await.problem(403, "forbidden");
    assert!(stranger["detail"].as_str().unwrap().contains("none of your groups"), "{stranger}");
    // Nobody is the local user any more.
    let nobody = server.client().get("/api/v1/nodes").await.problem(401, "unauthorised");
    assert!(nobody["detail"].as_str().unwrap().contains("issuer"), "{nobody}");
    let me = ada.get("/api/v1/me").await.ok(200);
    assert_eq!((&me["name"], &me["role"]), (&json!("ada"), &json!("user")));
    assert_eq!(me["issuer"], issuer.address);
    // Tokens of ours count beside.
    let robot = server.client().with_token(&site.token("robot", "user"));
    let me = robot.get("/api/v1/me").await.ok(200);
    assert_eq!((&me["name"], &me["issuer"]), (&json!("robot"), &json!(null)));
    assert_eq!(issuer.asked(), 1);
}

/// Groups that begin with `hpc-` are projects here, whether the site keeps them or not.
async fn an_issuer_names_the_projects_of_its_people(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    let settings = "project_claims = [\"groups\"]\nproject_prefix = \"hpc-\"\n";
    let server = issuer.serve(&site, settings).await;
    let client = |name: &str, groups: &[&str]| {
        let mut claims = issuer.claims(name, "hpc");
        claims["groups"] = json!(groups);
        server.client().with_token(&key.sign(&claims))
    };
    let hours = furnish(&client("olga", &["admins"]), 4, None).await;
    let (ada, bob) = (client("ada", &["hpc", "hpc-ocean"]), client("bob", &["hpc", "hpc-ocean"]));
    let eve = client("eve", &["hpc", "hpc-ice"]);
    let hers = propose(&ada, &hours.request(1, 0, 6)).await;
    assert_eq!(hers["project"], "ocean");
    assert_eq!(bob.get(&path(&hers)).await.ok(200)["owner"], "ada");
    eve.get(&path(&hers)).await.problem(404, "not_found");
    let mut elsewhere = hours.request(1, 0, 6);
    elsewhere["project"] = json!("ocean");
    eve.post("/api/v1/reservations", &elsewhere).await.problem(403, "not_in_project");
    assert_eq!(ada.get("/api/v1/me").await.ok(200)["projects"], json!(["ocean"]));
    // A newer token without the group sees it no more.
    client("bob", &["hpc"]).get(&path(&hers)).await.problem(404, "not_found");
}

async fn a_name_is_one_persons_for_good(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    let server = issuer.serve(&site, "").await;
    let asked = async |subject: &str, name: &str| {
        let mut claims = issuer.claims(name, "hpc");
        claims["sub"] = json!(subject);
        server.client().with_token(&key.sign(&claims)).get("/api/v1/reservations").await
    };
    asked("1", "ada").await.ok(200);
    let taken = asked("2", "ada").await.problem(403, "forbidden");
    assert!(taken["detail"].as_str().unwrap().contains("signed in as \"ada\" before"), "{taken}");
    // What the issuer calls her later does not change whose reservations are hers.
    asked("1", "lovelace").await.ok(200);
    asked("2", "lovelace").await.ok(200);
    for unusable in ["", "ada\n"] {
        asked("3", unusable).await.problem(403, "forbidden");
    }
    let (status, listed) = user_command(&site, &["list"]);
    assert_eq!(status, Some(0));
    let rows: Vec<Vec<&str>> =
        listed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0][..3], ["NAME", "ISSUER", "SUBJECT"]);
    assert_eq!(rows[1][..3], ["ada", &issuer.address, "1"]);
    assert_eq!((rows[2][0], rows[2][2], rows.len()), ("lovelace", "2", 3));
}

async fn who_is_signed_out_or_blocked_is_refused_at_once_by_every_replica(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    let servers = [issuer.serve(&site, "").await, issuer.serve(&site, "").await];
    let token = |age_s: u64| {
        let mut claims = issuer.claims("ada", "hpc");
        claims["iat"] = json!(claims["iat"].as_u64().unwrap() - age_s);
        key.sign(&claims)
    };
    let refused = async |token: &str, why: &str| {
        for server in &servers {
            let client = server.client().with_token(token);
            let problem = client.get("/api/v1/nodes").await.problem(401, "unauthorised");
            assert!(problem["detail"].as_str().unwrap().contains(why), "{problem}");
        }
    };
    let admitted = async |token: &str| {
        for server in &servers {
            server.client().with_token(token).get("/api/v1/nodes").await.ok(200);
        }
    };
    let (old, bob) = (token(5), key.sign(&issuer.claims("bob", "hpc")));
    admitted(&old).await;
    admitted(&bob).await;
    let mut stream = Stream::opened(&servers[1].client().with_token(&old)).await;
    assert_eq!(user_command(&site, &["sign-out", "ada"]).0, Some(0));
    refused(&old, "sessions were ended").await;
    assert_eq!(stream.next().await, None);
    admitted(&bob).await;
    // Tokens are told apart by the second in which they were made.
    tokio::time::sleep(Duration::from_millis(2100)).await;
    let new = token(0);
    admitted(&new).await;
    assert_eq!(user_command(&site, &["block", "ada"]).0, Some(0));
    refused(&new, "blocked").await;
    refused(&token(0), "blocked").await;
    let ours = site.token("ada", "user");
    refused(&ours, "revoked").await;
    assert_eq!(user_command(&site, &["unblock", "ada"]).0, Some(0));
    admitted(&new).await;
    admitted(&ours).await;
    refused(&old, "sessions were ended").await;
    for command in ["sign-out", "block", "unblock"] {
        let (status, said) = user_command(&site, &[command, "eve"]);
        assert_eq!(status, Some(1));
        assert!(said.contains("nobody has signed in as \"eve\""), "{said}");
    }
}

async fn a_stream_ends_with_the_token_that_opened_it(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    let server = issuer.serve(&site, "skew_s = 0").await;
    let mut claims = issuer.claims("ada", "hpc");
    claims["exp"] = json!(claims["iat"].as_u64().unwrap() + 10);
    let client = server.client().with_token(&key.sign(&claims));
    let mut stream = Stream::opened(&client).await;
    assert_eq!(stream.next().await, None);
    client.get("/api/v1/nodes").await.problem(401, "unauthorised");
}

async fn keys_are_exchanged_without_anybody_noticing(site: Site) {
    let (first, second, foreign) = (Key::new("1"), Key::new("2"), Key::new("3"));
    let issuer = Issuer::start(&first).await;
    let server = issuer.serve(&site, "").await;
    let nodes =
        async |key: &Key| signed_in(&server, &issuer, key, "ada", "hpc").get("/api/v1/nodes").await;
    nodes(&first).await.ok(200);
    issuer.publish(&[&first, &second]);
    // An issuer is asked again at the earliest after ten seconds, whatever is sent.
    for _ in 0..20 {
        nodes(&foreign).await.problem(401, "unauthorised");
    }
    assert_eq!(issuer.asked(), 1);
    tokio::time::sleep(Duration::from_secs(10)).await;
    nodes(&second).await.ok(200);
    nodes(&first).await.ok(200);
    assert_eq!(issuer.asked(), 2);
    // What the issuer withdraws does not count once its keys were read again.
    issuer.publish(&[&second]);
    tokio::time::sleep(Duration::from_secs(10)).await;
    nodes(&foreign).await.problem(401, "unauthorised");
    nodes(&first).await.problem(401, "unauthorised");
    nodes(&second).await.ok(200);
    assert_eq!(issuer.asked(), 3);
}

async fn an_issuer_that_does_not_answer_is_told_and_does_no_harm(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    issuer.is_down(true);
    let server = issuer.serve(&site, "").await;
    let ada = signed_in(&server, &issuer, &key, "ada", "hpc");
    let robot = server.client().with_token(&site.token("robot", "operator"));
    let answer = ada.get("/api/v1/nodes").await;
    assert_eq!(answer.header("retry-after"), "10");
    let problem = answer.problem(503, "issuer_unavailable");
    assert!(problem["detail"].as_str().unwrap().contains(&issuer.address), "{problem}");
    robot.get("/api/v1/nodes").await.ok(200);
    issuer.is_down(false);
    tokio::time::sleep(Duration::from_secs(10)).await;
    ada.get("/api/v1/nodes").await.ok(200);
    // Keys that are known count on.
    issuer.is_down(true);
    ada.get("/api/v1/nodes").await.ok(200);
    assert!(server.log().contains("cannot read the issuer's keys"), "{}", server.log());
}

async fn the_door_stays_shut_where_people_have_signed_in(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    let server = issuer.serve(&site, "").await;
    signed_in(&server, &issuer, &key, "ada", "hpc").get("/api/v1/nodes").await.ok(200);
    drop(server);
    // Somebody leaves the section out.
    let server = site.serve().await;
    server.client().get("/api/v1/nodes").await.problem(401, "unauthorised");
}

async fn whoever_goes_away_keeps_nobody_from_the_keys(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    issuer.takes(Duration::from_secs(1));
    let server = issuer.serve(&site, "").await;
    let impatient = server.client().request(reqwest::Method::GET, "/api/v1/sign-in");
    impatient.timeout(Duration::from_millis(300)).send().await.unwrap_err();
    signed_in(&server, &issuer, &key, "ada", "hpc").get("/api/v1/nodes").await.ok(200);
    assert_eq!(issuer.asked(), 1);
}

async fn a_watched_simulation_is_watched_no_longer_than_its_token_counts(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    let server = issuer.serve(&site, "").await;
    let ada = signed_in(&server, &issuer, &key, "ada", "hpc");
    let simulation = crate::simulation::start(&ada, &crate::simulation::long()).await;
    let watched = ada.request(reqwest::Method::GET, &format!("{simulation}/events"));
    let mut stream = watched.send().await.unwrap();
    assert!(stream.chunk().await.unwrap().is_some());
    assert_eq!(user_command(&site, &["block", "ada"]).0, Some(0));
    let ended = async { while let Ok(Some(_)) = stream.chunk().await {} };
    tokio::time::timeout(crate::server::PATIENCE, ended).await.unwrap();
    let olga = signed_in(&server, &issuer, &key, "olga", "admins");
    olga.post(&format!("{simulation}/cancel"), &json!({})).await.ok(200);
}
