//! The VEN against a server that misbehaves, over real sockets.
#![expect(clippy::unwrap_used, reason = "tests")]

mod failures;
mod feeds;
mod notifications;
mod reports;
mod server;
