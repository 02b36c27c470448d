//! The sources that a replay supplier can be, as they are written in the settings file.

use std::fmt::Write;
use std::path::Path;

use planner::time::Timestamp;
use replay_supplier::ReplayedSource;

/// The files of `--drop`.
const FILES: [&str; 3] = ["price", "co2", "power-cap"];

/// All sources of the supplier at `base`, as TOML.
pub fn settings(base: &str, at: Timestamp, drop: Option<&Path>) -> String {
    let mut text = format!(
        "# The replay supplier listens on {base}; the virtual time is {at}.
# Sources for the settings file; take those that fit together. Any token will do:
# export REPLAY_TOKEN=any\n"
    );
    for source in replay_supplier::sources() {
        let provider = source.settings_at(base, "{ environment = \"REPLAY_TOKEN\" }");
        let ReplayedSource { id, quantity, .. } = source;
        // Writing to a string cannot fail.
        let _ = write!(text, "\n[[feeds]]\nid = \"{id}\"\nquantity = \"{quantity}\"\n{provider}\n");
    }
    for quantity in drop.into_iter().flat_map(|_| FILES) {
        let path = drop.map(|folder| folder.join(quantity).with_extension("csv"));
        let path = serde_json::Value::from(path.map(|path| path.display().to_string()));
        let _ = write!(
            text,
            "\n[[feeds]]\nid = \"file-{quantity}\"\nquantity = \"{quantity}\"
provider = \"file-drop\"\npath = {path}\n"
        );
    }
    text
}
