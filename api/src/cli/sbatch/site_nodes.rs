//! What of a job's request only the service's nodes tell: whether they have partitions.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::job::JobRequest;
use crate::cli::Failure;
use crate::cli::booking::server::Server;

#[derive(Deserialize)]
struct NodesPage {
    nodes: Vec<NodeAnswer>,
}

#[derive(Deserialize)]
struct NodeAnswer {
    #[serde(default)]
    partitions: Vec<String>,
}

/// The request in the API's words, with the partition that Slurm chooses where the service knows partitions.
///
/// # Errors
/// The service does not answer.
pub async fn completed(
    server: &Server,
    request: JobRequest,
) -> Result<Map<String, Value>, Failure> {
    let JobRequest { mut body, default_partition } = request;
    if let Some(partition) = default_partition {
        let first: NodesPage = server.get_with("nodes", &[("limit", "1000".to_owned())]).await?;
        if first.nodes.iter().any(|node| !node.partitions.is_empty()) {
            body.insert("partition".to_owned(), json!(partition));
        }
    }
    Ok(body)
}
