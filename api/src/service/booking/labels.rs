//! What people call a reservation, and note about it. Nothing that is planned depends on it.

use std::collections::BTreeMap;

use planner::json::Reader;
use planner::node::is_name;
use serde_json::value::RawValue;

/// The most labels that a request has.
const MAX_LABELS: usize = 16;

/// The most characters of a note.
const MAX_NOTE: usize = 1000;

const LABEL_RULE: &str = "must be an object of at most 16 labels such as {\"project\": \"ocean\"}, whose names and \
    values have 1 to 255 characters and no control characters";

const NOTE_RULE: &str =
    "must have 1 to 1000 characters, and no control characters but ends of lines and tabs";

/// Names and what they say, both of which are names of their own.
pub(super) fn labels(reader: &mut Reader, raw: &RawValue) -> Option<BTreeMap<String, String>> {
    let labels: Option<BTreeMap<String, String>> = serde_json::from_str(raw.get()).ok();
    let known = |labels: &BTreeMap<String, String>| {
        let named = |(name, value): (&String, &String)| is_name(name) && is_name(value);
        labels.len() <= MAX_LABELS && labels.iter().all(named)
    };
    let labels = labels.filter(known);
    reader.accept(labels.ok_or(LABEL_RULE))
}

/// What somebody notes about a reservation, for people to read.
pub(super) fn note(reader: &mut Reader, raw: &RawValue) -> Option<String> {
    let text = reader.string(raw)?;
    let is_text = |it: char| !it.is_control() || it == '\n' || it == '\t';
    let is_note = (1..=MAX_NOTE).contains(&text.chars().count()) && text.chars().all(is_text);
    reader.accept(is_note.then_some(text).ok_or(NOTE_RULE))
}

#[cfg(test)]
mod tests {
    use planner::json::reader::read;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_note_is_text_of_some_lines() {
        let noted = |text: &str| read(&json!(text).to_string(), note).is_ok();
        assert!(noted("for the review on Monday\n\tmoved twice; Größe 3"));
        assert!(noted(&"ö".repeat(1000)));
        for text in ["", "\u{7}", "a\r\nb", &"x".repeat(1001)] {
            assert!(!noted(text), "{text:?}");
        }
    }
}
