//! What of a job's request only the service's nodes tell: whether they have partitions, and which nodes are
//! beside those that the job names.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::bad;
use super::job::JobRequest;
use crate::cli::Failure;
use crate::cli::booking::server::Server;

/// How many nodes are read at once.
const PAGE: usize = 10_000;

#[derive(Deserialize)]
struct NodesPage {
    nodes: Vec<NodeAnswer>,
    next_cursor: Option<u32>,
}

#[derive(Deserialize)]
struct NodeAnswer {
    name: String,
    #[serde(default)]
    partitions: Vec<String>,
}

/// The request in the API's words, with the partition that Slurm chooses where the service knows partitions,
/// and without all nodes but those that the job names, if it names some.
///
/// # Errors
/// Names of nodes that the service does not have.
pub async fn completed(
    server: &Server,
    request: JobRequest,
) -> Result<Map<String, Value>, Failure> {
    let JobRequest { mut body, default_partition, nodelist } = request;
    if let Some(partition) = default_partition {
        let first = page(server, None, 1000).await?;
        if first.nodes.iter().any(|node| !node.partitions.is_empty()) {
            body.insert("partition".to_owned(), json!(partition));
        }
    }
    if let Some(named) = nodelist {
        let others = others(server, named).await?;
        let excluded = body.get_mut("exclude").and_then(Value::as_array_mut);
        match excluded {
            Some(excluded) => excluded.extend(others.into_iter().map(Value::from)),
            None if others.is_empty() => {}
            None => {
                body.insert("exclude".to_owned(), json!(others));
            }
        }
    }
    Ok(body)
}

/// The names of all nodes but these.
async fn others(server: &Server, named: Vec<String>) -> Result<Vec<String>, Failure> {
    let mut unknown: HashSet<String> = named.into_iter().collect();
    let mut others = Vec::new();
    let mut cursor = None;
    loop {
        let page = page(server, cursor, PAGE).await?;
        let beside = page.nodes.into_iter().filter(|node| !unknown.remove(&node.name));
        others.extend(beside.map(|node| node.name));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    if unknown.is_empty() {
        return Ok(others);
    }
    let mut unknown: Vec<String> = unknown.into_iter().collect();
    unknown.sort_unstable();
    Err(bad(format!("--nodelist: the service has no node {}", unknown.join(", "))))
}

async fn page(server: &Server, cursor: Option<u32>, limit: usize) -> Result<NodesPage, Failure> {
    let mut query = vec![("limit", limit.to_string())];
    query.extend(cursor.map(|cursor| ("cursor", cursor.to_string())));
    server.get_with("nodes", &query).await
}
