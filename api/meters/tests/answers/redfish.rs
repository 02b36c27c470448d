//! Redfish: controllers of many kinds, good and bad, which a server of ours plays; no vendor's controller stands behind
//! it. Its payloads are those in `redfish/`, which `.ci/redfish` checks by the DMTF's schemas, with the readings and
//! links of each test.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use grid_feeds::feed::{FeedError, SecretSource};
use grid_feeds::http::{Http, Timeouts};
use meters::access::Access;
use meters::address::Addresses;
use meters::answer::Answer;
use meters::redfish::{Redfish, RedfishSettings, RedfishValue};
use planner::metering::SampleTime;
use serde_json::{Value, json};

use super::server::{Reply, Request, Server};

const NOW: SampleTime = SampleTime::from_unix_milliseconds(1_767_225_600_000);

fn ok(document: &Value) -> Reply {
    Reply::Answer(200, document.to_string())
}

fn missing() -> Reply {
    let error = json!({"error": {"code": "Base.1.16.ResourceMissingAtURI", "message": "not here"}});
    Reply::Answer(404, error.to_string())
}

/// A payload that the schema of its type allows.
fn valid(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn collection(paths: &[&str]) -> Reply {
    let mut document = valid(include_str!("redfish/collection.json"));
    document["Members@odata.count"] = json!(paths.len());
    document["Members"] = paths.iter().map(|it| json!({"@odata.id": it})).collect();
    ok(&document)
}

/// `EnvironmentMetrics` is a link that chassis have had since version 1.15 of their schema.
fn chassis(id: &str, links: &[&str], inside: Option<&str>) -> Reply {
    let path = format!("/redfish/v1/Chassis/{id}");
    let mut document = valid(include_str!("redfish/chassis.json"));
    document["Id"] = json!(id);
    document["@odata.id"] = json!(path);
    let members = document.as_object_mut().unwrap();
    members.remove("Power");
    for link in links {
        members.insert((*link).to_owned(), json!({"@odata.id": format!("{path}/{link}")}));
    }
    document["Links"] = inside.map_or(
        json!({}),
        |outer| json!({"ContainedBy": {"@odata.id": format!("/redfish/v1/Chassis/{outer}")}}),
    );
    ok(&document)
}

pub fn environment(power: &Value, energy: &Value) -> Reply {
    let mut document = valid(include_str!("redfish/environment_metrics.json"));
    document["PowerWatts"]["Reading"] = power.clone();
    document["EnergykWh"]["Reading"] = energy.clone();
    ok(&document)
}

fn power(watts: &Value) -> Reply {
    let mut document = valid(include_str!("redfish/power.json"));
    document["PowerControl"][0]["PowerConsumedWatts"] = watts.clone();
    ok(&document)
}

/// What the controller of a node answers, each node's another.
pub fn reply(request: &Request) -> Reply {
    let (node, path) = request.path[1..].split_once('/').unwrap();
    let path = path.strip_prefix("redfish/v1/").unwrap();
    match (node, path) {
        ("hangs", _) => Reply::Silence,
        ("cut", _) => Reply::Cut("{\"Members\": [".to_owned()),
        ("denies", _) => Reply::Answer(401, "{}".to_owned()),
        ("busy", _) => Reply::Answer(503, String::new()),
        ("page", _) => Reply::Answer(200, "<html>".to_owned()),
        // A controller of a new kind, with a system that tells nothing itself.
        ("new", "Systems") => collection(&["/redfish/v1/Systems/1"]),
        ("new", "Systems/1") => ok(&json!({"Id": "1"})),
        ("new" | "old" | "null" | "text" | "wrong" | "zero" | "away", "Chassis") => {
            collection(&["/redfish/v1/Chassis/1"])
        }
        ("new", "Chassis/1") => chassis("1", &["EnvironmentMetrics"], None),
        ("new", "Chassis/1/EnvironmentMetrics") => environment(&json!(374.5), &json!(325.675)),
        // One that has both, of which the new resource is not there.
        ("old", "Chassis/1") => chassis("1", &["EnvironmentMetrics", "Power"], None),
        ("old", "Chassis/1/Power") => power(&json!(344)),
        ("null" | "text" | "wrong" | "zero", "Chassis/1") => chassis("1", &["Power"], None),
        ("null", "Chassis/1/Power") => power(&Value::Null),
        ("text", "Chassis/1/Power") => power(&json!("223")),
        ("wrong", "Chassis/1/Power") => power(&json!([223])),
        ("zero", "Chassis/1/Power") => power(&json!(0)),
        ("away", "Chassis/1") => ok(&json!({"Power": {"@odata.id": "//elsewhere.example/x"}})),
        // A system that tells by itself.
        ("system", "Systems") => collection(&["/redfish/v1/Systems/Self"]),
        ("system", "Systems/Self") => {
            let path = "/redfish/v1/Systems/Self/EnvironmentMetrics";
            ok(&json!({"EnvironmentMetrics": {"@odata.id": path}}))
        }
        ("system", "Systems/Self/EnvironmentMetrics") => environment(&json!(500), &json!(1)),
        // A chassis with a board of accelerators inside, which is a part of it.
        ("nested", "Chassis") => {
            collection(&["/redfish/v1/Chassis/Board", "/redfish/v1/Chassis/Whole"])
        }
        ("nested", "Chassis/Board") => chassis("Board", &["EnvironmentMetrics"], Some("Whole")),
        ("nested", "Chassis/Board/EnvironmentMetrics") => environment(&json!(2100), &json!(1)),
        ("nested", "Chassis/Whole") => chassis("Whole", &["Power"], None),
        ("nested", "Chassis/Whole/Power") => power(&json!(2800)),
        // An enclosure of several nodes.
        ("n1" | "n2", "Chassis") => {
            collection(&["/redfish/v1/Chassis/n1", "/redfish/v1/Chassis/n2"])
        }
        ("n1" | "n2", "Chassis/n1") => chassis("n1", &["Power"], None),
        ("n1" | "n2", "Chassis/n2") => chassis("n2", &["Power"], None),
        ("n1" | "n2", "Chassis/n1/Power") => power(&json!(101)),
        ("n1" | "n2", "Chassis/n2/Power") => power(&json!(102)),
        _ => missing(),
    }
}

pub fn settings(server: &Server, value: RedfishValue) -> RedfishSettings {
    let template = Some(format!("{}/{{node}}/", server.url));
    RedfishSettings {
        addresses: Addresses { template, listed: BTreeMap::new() },
        path: None,
        access: Access::Open,
        sessions: false,
        value,
        at_once: 4,
    }
}

pub fn redfish(settings: RedfishSettings) -> Redfish {
    let timeouts = Timeouts { total: Duration::from_secs(1), ..Timeouts::default() };
    Redfish::new(settings, Http::new(timeouts).unwrap())
}

async fn asked(settings: RedfishSettings, nodes: &[&str]) -> Result<Answer, FeedError> {
    redfish(settings).samples(&names(nodes), &|| NOW).await
}

pub fn names(nodes: &[&str]) -> Vec<String> {
    nodes.iter().map(|it| (*it).to_owned()).collect()
}

/// Names and thousandths.
fn told(answer: &Answer) -> Vec<(&str, i64)> {
    let samples = answer.series.iter().map(|it| (&*it.name, it.samples.as_slice()));
    let one = |(name, samples): (_, &[planner::metering::Sample])| {
        assert!(samples.len() == 1 && samples[0].at == NOW);
        (name, samples[0].value_milli)
    };
    samples.map(one).collect()
}

#[tokio::test]
async fn every_kind_of_controller_is_understood_without_being_told_which_it_is() {
    let server = Server::new(reply).await;
    let nodes = ["new", "old", "text", "zero", "system", "nested"];
    let answer = asked(settings(&server, RedfishValue::Power), &nodes).await.unwrap();
    assert_eq!(
        told(&answer),
        [
            ("nested", 2_800_000),
            ("new", 374_500),
            ("old", 344_000),
            ("system", 500_000),
            ("text", 223_000),
            ("zero", 0)
        ]
    );
    assert!(answer.notes.is_empty(), "{answer:?}");
    let energy = asked(settings(&server, RedfishValue::Energy), &["new"]).await.unwrap();
    assert_eq!(told(&energy), [("new", 1_172_430_000_000)]);
    let mean = asked(settings(&server, RedfishValue::AveragePower), &["old"]).await.unwrap();
    assert_eq!(told(&mean), [("old", 319_000)]);
}

#[tokio::test]
async fn what_was_found_is_asked_for_directly_and_looked_for_anew_where_it_is_gone() {
    let gone = AtomicUsize::new(0);
    let server = Server::new(move |request| {
        let is_resource = request.path.ends_with("/EnvironmentMetrics");
        if is_resource && gone.fetch_add(1, Ordering::Relaxed) == 2 {
            return missing();
        }
        reply(request)
    })
    .await;
    let redfish = redfish(settings(&server, RedfishValue::Power));
    let nodes = names(&["new"]);
    let mut requests = Vec::new();
    let mut told_it = Vec::new();
    for _ in 0..4 {
        let before = server.requests().len();
        told_it.push(redfish.samples(&nodes, &|| NOW).await.is_ok());
        requests.push(server.requests().len() - before);
    }
    // Systems, the system, Chassis, the chassis and the resource; then the resource alone.
    assert_eq!((requests, told_it), (vec![5, 1, 1, 5], vec![true, true, false, true]));
}

#[tokio::test]
async fn nodes_that_do_not_tell_are_named_with_why_and_keep_no_others_back() {
    let server = Server::new(reply).await;
    for (node, words) in [
        ("hangs", "no answer"),
        ("cut", "no answer"),
        ("denies", "status 401"),
        ("busy", "status 503"),
        ("page", "bad payload"),
        ("null", "no chassis tells it"),
        ("wrong", "/PowerControl/0/PowerConsumedWatts is no number"),
        ("away", "is no path of a resource"),
        ("n1", "several tell it"),
        ("nobody", "status 404"),
    ] {
        let settings = settings(&server, RedfishValue::Power);
        let answer = asked(settings.clone(), &["new", node]).await.unwrap();
        assert_eq!(told(&answer), [("new", 374_500)], "{node}");
        let notes: Vec<_> = answer.notes.iter().collect();
        assert!(notes.len() == 1 && notes[0].starts_with(node), "{notes:?}");
        assert!(notes[0].contains(words), "{notes:?}");
        let error = asked(settings, &[node]).await.unwrap_err().to_string();
        assert!(error.contains(words), "{node}: {error}");
    }
    let many =
        asked(settings(&server, RedfishValue::Power), &["new", "busy", "null", "busy"]).await;
    let notes: Vec<_> = many.unwrap().notes.into_iter().collect();
    assert!(notes.iter().any(|it| it.starts_with("2 nodes, such as busy: ")), "{notes:?}");
}

#[tokio::test]
async fn a_site_says_which_resource_where_a_controller_has_several() {
    let server = Server::new(reply).await;
    let path = Some("/redfish/v1/Chassis/{node}/Power".to_owned());
    let settings = RedfishSettings { path, ..settings(&server, RedfishValue::Power) };
    let answer = asked(settings.clone(), &["n2", "n1"]).await.unwrap();
    assert_eq!(told(&answer), [("n1", 101_000), ("n2", 102_000)]);
    // The addresses of some may be others.
    let listed = BTreeMap::from([("n2".to_owned(), format!("{}/n1", server.url))]);
    let addresses = Addresses { template: None, listed };
    let answer = asked(RedfishSettings { addresses, ..settings }, &["n2", "n1"]).await.unwrap();
    assert_eq!(told(&answer), [("n2", 102_000)]);
    assert!(answer.notes.iter().any(|it| it.starts_with("n1: ") && it.contains("no address")));
}

#[tokio::test]
async fn a_session_is_opened_once_and_again_after_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "s3cr3t-passw0rd\n").unwrap();
    let opened = AtomicUsize::new(0);
    let server = Server::new(move |request| {
        if request.path.ends_with("/SessionService/Sessions") {
            let body: Value = serde_json::from_str(&request.body).unwrap();
            assert_eq!(body, json!({"UserName": "alice", "Password": "s3cr3t-passw0rd"}));
            let token = format!("t0ken-{}", opened.fetch_add(1, Ordering::Relaxed));
            return Reply::WithHeader(201, "X-Auth-Token", token, "{}".to_owned());
        }
        let token = request.headers.get("x-auth-token").map(|it| it.to_str().unwrap());
        assert!(request.headers.get("authorization").is_none());
        // The first session ends after five requests.
        let is_first = token == Some("t0ken-0");
        if is_first
            && request.path.ends_with("EnvironmentMetrics")
            && opened.load(Ordering::Relaxed) == 1
        {
            opened.fetch_add(1, Ordering::Relaxed);
            return reply(request);
        }
        if is_first && opened.load(Ordering::Relaxed) > 1 {
            return Reply::Answer(401, "session t0ken-0 has ended".to_owned());
        }
        reply(request)
    })
    .await;
    let access = Access::Basic { user: "alice".into(), password: SecretSource::File(file) };
    let sessions = true;
    let redfish =
        redfish(RedfishSettings { access, sessions, ..settings(&server, RedfishValue::Power) });
    for _ in 0..3 {
        let answer = redfish.samples(&names(&["new"]), &|| NOW).await.unwrap();
        assert_eq!(told(&answer), [("new", 374_500)]);
    }
    let opening = server.requests().into_iter().filter(|it| it.path.ends_with("/Sessions"));
    assert_eq!(opening.count(), 2);
}
