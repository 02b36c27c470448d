//! What is wrong around a body: its type, encoding and size, query parameters, headers.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;

use crate::book::everything;
use crate::client::answer;
use crate::cluster::{furnish, path, propose};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    bodies_of_another_kind_encoding_or_size_are_refused_and_change_nothing,
    tables_of_nodes_and_samples_may_be_larger_than_other_bodies,
    parameters_with_errors_are_named,
    a_null_character_in_a_parameter_is_no_failure_of_the_service,
    headers_with_errors_are_named_and_change_nothing,
}

/// Every route with a body, and whether it takes tables too.
fn routes(reservation: &str) -> [(Method, String, bool); 8] {
    let v1 = |path: &str| format!("/api/v1/{path}");
    [
        (Method::PUT, v1("nodes"), true),
        (Method::PUT, v1("agendas/price"), true),
        (Method::PUT, v1("agendas/co2"), true),
        (Method::PUT, v1("agendas/power-cap"), true),
        (Method::POST, v1("calibrations"), true),
        (Method::POST, v1("quotes"), false),
        (Method::POST, v1("reservations"), false),
        (Method::POST, format!("{reservation}/choose"), false),
    ]
}

async fn bodies_of_another_kind_encoding_or_size_are_refused_and_change_nothing(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let reservation = propose(&client, &hours.request(1, 0, 6)).await;
    let before = everything(&client, hours).await;
    for (method, path, tables) in routes(&path(&reservation)) {
        let send = async |kind: Option<&str>, body: Vec<u8>| {
            let request = client.request(method.clone(), &path).body(body);
            answer(match kind {
                Some(kind) => request.header(CONTENT_TYPE, kind),
                None => request,
            })
            .await
        };
        let json = Some("application/json; charset=utf-8");
        let mut wrong = vec![None, Some("text/plain"), Some("application/x-www-form-urlencoded")];
        if !tables {
            wrong.push(Some("text/csv"));
        }
        for kind in wrong {
            send(kind, b"[]".to_vec()).await.problem(415, "unsupported_media_type");
        }
        send(json, Vec::new()).await.problem(400, "invalid_body");
        let invalid = send(json, b"[\"\xff\xfe\"]".to_vec()).await.problem(400, "invalid_body");
        assert_eq!(invalid["errors"][0]["pointer"], "");
        send(json, vec![b'['; 100_000]).await.problem(400, "invalid_body");
        if tables {
            send(Some("text/csv"), vec![0xff; 9]).await.problem(400, "invalid_body");
            send(Some("text/csv"), vec![0; 9]).await.problem(400, "invalid_body");
        } else {
            send(json, vec![b' '; (8 << 20) + 1]).await.problem(413, "body_too_large");
        }
    }
    assert_eq!(everything(&client, hours).await, before);
}

/// A million nodes as a table are some 20 MB; here a node and 9 MB of blanks.
async fn tables_of_nodes_and_samples_may_be_larger_than_other_bodies(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    furnish(&client, 1, None).await;
    let blanks = " ".repeat(9 << 20);
    let nodes = format!("{}{blanks}", crate::cluster::nodes(1));
    for (method, path, body, status) in [
        (Method::PUT, "/api/v1/nodes", nodes, 200),
        (Method::POST, "/api/v1/calibrations", format!("{}{blanks}", samples()), 201),
    ] {
        let request = client.request(method, path).header(CONTENT_TYPE, "application/json");
        answer(request.body(body)).await.ok(status);
    }
}

fn samples() -> serde_json::Value {
    let sample = |load: &str, power: u32| {
        let measured_at = "2026-01-01T00:00:00Z";
        json!({ "node": "n0", "measured_at": measured_at, "load": load, "power_w": power })
    };
    json!([sample("idle", 100), sample("max", 200)])
}

async fn a_null_character_in_a_parameter_is_no_failure_of_the_service(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    for path in ["reservations?owner=%00", "calibrations?node=n%000"] {
        let answer = client.get(&format!("/api/v1/{path}")).await;
        assert!(matches!(answer.status, 200 | 400), "{path}: {answer:?}");
    }
}

async fn parameters_with_errors_are_named(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let spans = [
        ("from=now", "from"),
        ("to=2026-02-30T00:00:00Z", "to"),
        ("from=2026-01-01T00:00:00.5Z", "from"),
        ("from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "to"),
        ("from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", "to"),
        ("until=2026-01-01T00:00:00Z", "query"),
        ("from=a&from=b", "query"),
    ];
    for path in ["schedule", "power-profile", "agendas/price", "agendas/power-cap"] {
        for (query, place) in spans {
            expect(&client, path, query, place).await;
        }
    }
    for (path, query, place) in [
        ("agendas/co2", "as_of=yesterday", "as_of"),
        ("nodes", "limit=0", "limit"),
        ("nodes", "limit=10001", "limit"),
        ("nodes", "limit=-1", "query"),
        ("nodes", "cursor=first", "query"),
        ("calibrations", "limit=0", "limit"),
        ("calibrations", "nodes=n1", "query"),
        ("outages", "limit=0", "limit"),
        ("reservations", "limit=0", "limit"),
        ("reservations", "limit=1001", "limit"),
        ("reservations", "limit=1e3", "query"),
        ("reservations", "limit=99999999999999999999", "query"),
        ("reservations", "state=held", "state"),
        ("reservations", "state=proposed,", "state"),
        ("reservations", "cursor=7", "query"),
        ("reservations", "from=today", "from"),
        ("power-actions", "node=", "node"),
        ("power-actions/log", "node=%C2%9B", "node"),
    ] {
        expect(&client, path, query, place).await;
    }
}

async fn expect(client: &crate::client::Client, path: &str, query: &str, place: &str) {
    let answer = client.get(&format!("/api/v1/{path}?{query}")).await;
    let problem = answer.problem(400, "invalid_parameter");
    assert_eq!(problem["errors"][0]["place"], place, "{path} {query}: {problem}");
}

async fn headers_with_errors_are_named_and_change_nothing(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let reservation = propose(&client, &hours.request(1, 0, 6)).await;
    let before = everything(&client, hours).await;
    let choosing = format!("{}/choose", path(&reservation));
    for tag in ["7", "\"seven\"", "W/\"1\"", "", "\"1\", \"2\""] {
        let choice = json!({ "ranking": "cost_co2_energy" });
        let choose = client.request(Method::POST, &choosing).json(&choice).header("If-Match", tag);
        let cancel = client.request(Method::DELETE, &path(&reservation)).header("If-Match", tag);
        for request in [choose, cancel] {
            let problem = answer(request).await.problem(400, "invalid_parameter");
            assert_eq!(problem["errors"][0]["place"], "If-Match");
        }
    }
    for key in [String::new(), "k".repeat(256)] {
        let request = client.request(Method::POST, "/api/v1/reservations");
        let request = request.header("Idempotency-Key", key).json(&hours.request(1, 0, 6));
        let problem = answer(request).await.problem(400, "invalid_parameter");
        assert_eq!(problem["errors"][0]["place"], "Idempotency-Key");
    }
    assert_eq!(everything(&client, hours).await, before);
}
