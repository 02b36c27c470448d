//! The VEN against a real server, openleadr-vtn, each test with one of its own. `.ci/openadr-vtn`
//! brings what they need and runs them; elsewhere they are ignored.
#![expect(clippy::unwrap_used, reason = "tests")]

mod agendas;
mod failures;
mod peak;
mod push;
mod reports;
mod server;
