//! The resource manager's nodes as it told them last: what they have, and where they are, so that one that is
//! renamed is known again.

mod repository;
mod row;
pub mod sql;

use planner::resource_manager::NodeNews;
use serde_json::json;

use crate::events::NewEvent;
use crate::words::worded;

worded! {
    /// What is told of a node of the resource manager.
    ManagedNodeEvent {
        /// There is one of this name.
        New = "managed_node.new",
        /// There is none of this name any more.
        Gone = "managed_node.gone",
        /// It has another name.
        Renamed = "managed_node.renamed",
    }
}

/// The event that tells what became of a node.
fn told(news: &NodeNews) -> NewEvent {
    let (event, data) = match news {
        NodeNews::New(node) => (ManagedNodeEvent::New, json!({ "node": node })),
        NodeNews::Gone(node) => (ManagedNodeEvent::Gone, json!({ "node": node })),
        NodeNews::Renamed { from, to } => {
            (ManagedNodeEvent::Renamed, json!({ "node": to, "from": from }))
        }
    };
    NewEvent::new(event.word(), data)
}
