//! Programs of others that tests speak to, in Python: `.ci/peers install` brings them from the Python Package Index.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::left_out::left_out;

/// The Python that has the peers; without one `test` is left out, or fails where it may not be.
pub fn python(test: &str) -> Option<PathBuf> {
    let named = std::env::var_os("WATTBOOK_TEST_PEERS").map(PathBuf::from);
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo"));
    let folder = named.or_else(|| Some(cargo.or(home)?.join("wattbook-peers")));
    let found = folder.filter(|it| it.join("ready").exists()).map(|it| it.join("bin/python"));
    if found.is_none() {
        let required = std::env::var("WATTBOOK_REQUIRE_PEERS").is_ok_and(|it| it == "1");
        assert!(!required, "WATTBOOK_REQUIRE_PEERS=1 needs what .ci/peers install brings");
        left_out(test, "no SMTP server and no calendar program; .ci/peers install brings both");
    }
    found
}

/// The path of a script of ours.
pub fn script(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/peers").join(name)
}

/// What a script prints for an input.
pub fn answer(python: &PathBuf, name: &str, input: &[u8]) -> String {
    let mut command = Command::new(python);
    command.arg(script(name)).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}
