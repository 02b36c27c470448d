//! What suppliers' sites answer, files and tables: all parsers of the feeds' mutation test. A provider is added there.
#![no_main]

#[path = "../../grid-feeds/tests/mutation/document.rs"]
mod document;
#[path = "../../grid-feeds/tests/mutation/europe.rs"]
mod europe;
#[path = "../../grid-feeds/tests/mutation/pacific.rs"]
mod pacific;
#[path = "../../grid-feeds/tests/mutation/parser.rs"]
mod parser;
#[path = "../../grid-feeds/tests/mutation/payload.rs"]
mod payload;

use wattbook_fuzz::FuzzedParser;

wattbook_fuzz::target!(
    parser::parsers()
        .into_iter()
        .map(|it| FuzzedParser::of_text(it.name, it.text, it.accepts))
        .collect()
);
