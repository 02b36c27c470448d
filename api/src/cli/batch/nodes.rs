//! Machines from what a service knows of its nodes: asked of it, or in a file.

use std::io::Read;
use std::path::Path;

use axum::http::Method;
use batch::platform::KnownMachine;
use grid_feeds::feed::Secret;
use grid_feeds::http::{Http, Timeouts, send};
use grid_feeds::table;
use planner::node::Node;
use planner::quantity::Power;
use serde::Deserialize;

use super::files::{bad_input, open};
use crate::cli::{Failure, block_on};
use crate::clock::Clock;

/// Nodes that are asked for at once.
const PAGE: usize = 10_000;

/// A page of `GET /api/v1/nodes`, or a document with nodes.
#[derive(Deserialize)]
struct Page {
    epoch: Option<i64>,
    next_cursor: Option<u32>,
    nodes: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    name: Box<str>,
    idle_power_w: f64,
    max_power_w: f64,
}

/// Whether services may be asked.
#[derive(Clone, Copy)]
pub enum Services<'a> {
    /// With this token, where there is one.
    Asked(Option<&'a Secret>),
    /// What they say may change: whoever begins again would not know.
    Refused,
}

/// Whether this names a service, and not a file.
pub fn is_url(source: &str) -> bool {
    source.starts_with("http://") || source.starts_with("https://")
}

/// The machines that a service knows, or a file in `folder` says.
pub fn read(
    source: &str,
    folder: &Path,
    services: Services<'_>,
) -> Result<Vec<KnownMachine>, Failure> {
    if is_url(source) {
        let Services::Asked(token) = services else {
            let what = "a sweep asks no service: keep its nodes in a file";
            return Err(bad_input(Path::new(source), what));
        };
        return block_on(asked(source, token));
    }
    let file = folder.join(source);
    let mut text = String::new();
    open(&file)?.read_to_string(&mut text).map_err(|error| bad_input(&file, error))?;
    parse(&file, &text)
}

/// The machines of a table, of a list in JSON, or of a whole answer of `GET /api/v1/nodes`.
pub fn parse(file: &Path, text: &str) -> Result<Vec<KnownMachine>, Failure> {
    let json = |error: serde_json::Error| bad_input(file, error);
    let listed = match text.trim_start().as_bytes().first() {
        Some(b'[') => serde_json::from_str(text).map_err(json)?,
        Some(b'{') => {
            let page: Page = serde_json::from_str(text).map_err(json)?;
            if page.next_cursor.is_some() {
                let what = "is a page of several: give the service's URL as --platform, which asks for all";
                return Err(bad_input(file, what));
            }
            page.nodes
        }
        _ => return table(file, text),
    };
    listed.into_iter().map(|node| known(node).map_err(|what| bad_input(file, what))).collect()
}

fn table(file: &Path, text: &str) -> Result<Vec<KnownMachine>, Failure> {
    let nodes = table::nodes(text).map_err(|errors| {
        let named = errors.iter().map(|error| format!("{}: {error}", file.display()));
        Failure::BadInput(named.collect())
    })?;
    let machine = |(ordinal, node): (u32, &Node)| KnownMachine {
        name: nodes.name(ordinal).into(),
        power_states: node.power_states(),
    };
    Ok((0..).zip(nodes.as_slice()).map(machine).collect())
}

fn known(node: Listed) -> Result<KnownMachine, String> {
    let Listed { name, idle_power_w, max_power_w } = node;
    let wrong = |what: String| format!("node {name:?}: {what}");
    let power = |watts| {
        Power::from_watts(watts).ok_or_else(|| wrong(format!("{watts} is not a power in watts")))
    };
    let (idle, computing) = (power(idle_power_w)?, power(max_power_w)?);
    let node = Node::new(idle, computing, None).map_err(|error| wrong(error.to_string()))?;
    Ok(KnownMachine { name, power_states: node.power_states() })
}

/// Asks a service, page by page.
async fn asked(service: &str, token: Option<&Secret>) -> Result<Vec<KnownMachine>, Failure> {
    let place = Path::new(service);
    let wrong = |error: &dyn std::fmt::Display| bad_input(place, error);
    let http = Http::new(Timeouts::default()).map_err(|error| wrong(&error))?;
    let (mut machines, mut cursor, mut epoch) = (Vec::new(), Some(0), None);
    while let Some(from) = cursor {
        let base = service.trim_end_matches('/');
        let url = format!("{base}/api/v1/nodes?limit={PAGE}&cursor={from}");
        let mut request = http.request(Method::GET, url);
        if let Some(token) = token {
            request = request.bearer_auth(token.expose());
        }
        let answer = send(request, token, Clock::default().now()).await;
        let answer = answer.map_err(|error| wrong(&error))?;
        if let 401 | 403 = answer.status {
            let what = "asks for the token of a user or operator: --token-file, or WATTBOOK_TOKEN";
            return Err(wrong(&what));
        }
        let text = answer.success().map_err(|error| wrong(&error))?;
        let page: Page = serde_json::from_str(text).map_err(|error| wrong(&error))?;
        if *epoch.get_or_insert(page.epoch) != page.epoch {
            return Err(wrong(&"its nodes were replaced while they were read: try again"));
        }
        cursor = page.next_cursor;
        for node in page.nodes {
            machines.push(known(node).map_err(|what| wrong(&what))?);
        }
    }
    if machines.is_empty() {
        return Err(wrong(&"it has no nodes yet"));
    }
    Ok(machines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_pages_and_tables_say_the_same() {
        let watts = |watts| Power::from_watts(watts).unwrap();
        let node = Node::new(watts(95.5), watts(190.0), None).unwrap();
        let expected = [KnownMachine { name: "n1".into(), power_states: node.power_states() }];
        let node = r#"{"ordinal": 0, "name": "n1", "idle_power_w": 95.5, "max_power_w": 190, "alpha": null}"#;
        let page = format!(r#"{{"epoch": 1, "count": 1, "nodes": [{node}], "next_cursor": null}}"#);
        let read = |text: &str| parse(Path::new("nodes"), text);
        for text in [
            format!("[{node}]"),
            page.clone(),
            "name,idle_power_w,max_power_w\nn1,95.5,190\n".to_owned(),
        ] {
            assert_eq!(read(&text).ok().unwrap(), expected, "{text}");
        }
        let error = |text: &str| match read(text) {
            Err(Failure::BadInput(errors)) => errors.join("\n"),
            _ => panic!("{text}"),
        };
        assert!(error(&page.replace(": null}", ": 1}")).contains("is a page of several"));
        let above = error(&page.replace("95.5", "500"));
        assert_eq!(above, "nodes: node \"n1\": idle_power_w must not exceed max_power_w");
        assert!(error("name,idle_power_w\n").contains("max_power_w"));
    }
}
