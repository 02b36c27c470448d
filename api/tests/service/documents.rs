//! The OpenAPI document, the page that browses it, health.

use std::path::Path;

use serde_json::{Value, json};

use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    health_and_readiness_are_open_to_everyone,
}

async fn health_and_readiness_are_open_to_everyone(site: Site) {
    site.token("ada", "user");
    let server = site.serve().await;
    let client = server.client();
    assert_eq!(client.get("/health/live").await.ok(200), json!({ "status": "live" }));
    for path in ["/health", "/health/ready"] {
        assert_eq!(client.get(path).await.ok(200), json!({ "status": "ready" }));
    }
}

#[tokio::test]
async fn the_openapi_document_served_is_the_one_printed_and_the_one_kept() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let document = server.client().get("/api/openapi.json").await.ok(200);
    assert_eq!(document["openapi"], "3.1.0");
    let output = wattbook(&["openapi"]).output().unwrap();
    assert_eq!(document, serde_json::from_slice::<Value>(&output.stdout).unwrap());
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi.json");
    let Ok(text) = std::fs::read_to_string(&kept) else {
        eprintln!("left out: there is no {}", kept.display());
        return;
    };
    assert_eq!(document, serde_json::from_str::<Value>(&text).unwrap(), "run make generated");
}

#[test]
fn every_error_in_the_openapi_document_is_a_problem_document() {
    let output = wattbook(&["openapi"]).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut wrong = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            for (status, response) in operation["responses"].as_object().unwrap() {
                let content = &response["content"];
                if status.as_str() >= "400" && !content["application/problem+json"].is_object() {
                    wrong.push(format!("{method} {path} {status}: {content}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Files of the page, and whether they name another host to load from.
#[tokio::test]
async fn the_pages_load_nothing_from_other_hosts() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let client = server.client();
    for page in ["/", "/api/docs/"] {
        let html = client.get(page).await;
        assert_eq!(html.status, 200);
        assert!(html.header("content-type").starts_with("text/html"));
        let sources = sources(&html.body);
        assert!(sources.len() >= 3, "{}", html.body);
        for source in sources {
            assert!(!source.contains("//"), "{page} loads {source}");
            let path = format!("{page}{}", source.trim_start_matches("./"));
            let path = if source.starts_with('/') { source.clone() } else { path };
            if !path.starts_with("data:") {
                assert_eq!(client.get(&path).await.status, 200, "{path}");
            }
        }
    }
    let style = client.get("/api/docs/swagger-ui.css").await.body;
    assert!(!style.contains("url(http") && !style.contains("@import"));
    let settings = client.get("/api/docs/swagger-initializer.js").await.body;
    assert!(settings.contains("/api/openapi.json") && !settings.contains("http"), "{settings}");
}

/// What `src` and `href` attributes of scripts, styles and images name.
fn sources(html: &str) -> Vec<String> {
    let tags = html
        .split('<')
        .filter(|tag| ["script", "link", "img", "iframe"].iter().any(|name| tag.starts_with(name)));
    let attribute = |tag: &str| {
        let rest = tag.split_once("src=\"").or_else(|| tag.split_once("href=\""))?.1;
        Some(rest.split('"').next()?.to_owned())
    };
    tags.filter_map(attribute).collect()
}

/// Each answer has the members that the document asks for, and no others: operators are told all of it, users the
/// first three.
#[tokio::test]
async fn what_is_told_of_slurm_is_as_documented() {
    let site = Site::sqlite();
    let (user, operator) = (site.token("ada", "user"), site.token("opal", "operator"));
    let server = site.serve().await;
    let document = server.client().get("/api/openapi.json").await.ok(200);
    let schemas = &document["components"]["schemas"];
    let parts = schemas["Slurm"]["allOf"].as_array().unwrap().iter().map(|part| {
        let name = part["$ref"].as_str().and_then(|it| it.rsplit('/').next());
        name.map_or(part, |name| &schemas[name])
    });
    let parts: Vec<&Value> = parts.collect();
    assert!(parts.iter().all(|part| part["type"] == "object"), "{parts:?}");
    let properties = || parts.iter().flat_map(|part| part["properties"].as_object().unwrap());
    for (token, members) in [(user, 3), (operator, properties().count())] {
        let answer = server.client().with_token(&token).get("/api/v1/slurm").await.ok(200);
        let answer = answer.as_object().unwrap();
        let known = |name: &String| properties().any(|(it, _)| it == name);
        assert!(answer.len() == members && answer.keys().all(known), "{answer:?}");
        let mut required = parts.iter().filter_map(|part| part["required"].as_array()).flatten();
        assert!(required.all(|it| answer.contains_key(it.as_str().unwrap())), "{answer:?}");
    }
}
