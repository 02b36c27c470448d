//! Tests that cannot run on this machine say so: the harness knows only tests that are left out when
//! they are compiled.

use std::fs::OpenOptions;
use std::io::Write;

/// Says that a test was left out and why, past the harness, which shows nothing of tests that pass,
/// and to the file that `make test` counts them from.
pub fn left_out(test: &str, reason: &str) {
    let line = format!("left out: {test}: {reason}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("WATTBOOK_TESTS_LEFT_OUT") {
        let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        file.write_all(format!("{reason}\n").as_bytes()).unwrap();
    }
}

/// The PostgreSQL server for tests; without one `test` is left out, or fails where it may not be.
pub fn postgres_server(test: &str) -> Option<String> {
    let url = std::env::var("WATTBOOK_TEST_POSTGRES_URL").ok();
    if url.is_none() {
        let required = std::env::var("WATTBOOK_REQUIRE_POSTGRES").is_ok_and(|it| it == "1");
        assert!(!required, "WATTBOOK_REQUIRE_POSTGRES=1 needs WATTBOOK_TEST_POSTGRES_URL");
        left_out(test, "no PostgreSQL server; WATTBOOK_TEST_POSTGRES_URL names one");
    }
    url
}
