//! What is made of the answers of controllers and programs, good and bad: by a controller of ours, and by small scripts.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod command;
mod controller;
mod follow;
mod freeipmi;
mod limits;
mod redfish;
mod scripts;

use power::ByNode;

/// The answer of the only node.
fn only<T>(answers: ByNode<T>) -> T {
    assert_eq!(answers.len(), 1);
    answers.into_values().next().unwrap()
}
