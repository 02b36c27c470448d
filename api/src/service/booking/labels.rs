//! What people call a reservation, note about it, and which project it is for. Nothing that is planned depends on it.

use std::collections::BTreeMap;

use planner::json::Reader;
use planner::json::reader::Object;
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

/// What is said of a reservation beside what is planned.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// What its owner calls it.
    pub(super) labels: BTreeMap<String, String>,
    /// The project that it is for: the field, or else the label.
    pub(super) project: Option<String>,
    /// What its owner notes about it.
    pub(super) note: Option<String>,
}

/// The words of a request.
pub(super) fn words(reader: &mut Reader, object: &Object<'_>) -> Option<Words> {
    let labels = reader.optional(object, "labels", labels);
    let project = reader.optional(object, "project", Reader::name);
    let note = reader.optional(object, "note", note);
    let (labels, project) = (labels?.unwrap_or_default(), project?.map(String::from));
    let label = labels.get("project").cloned();
    if label.is_some() && project.is_some() && label != project {
        reader.error_at("project", "is another than the label \"project\" says; leave one out");
    }
    Some(Words { labels, project: project.or(label), note: note? })
}

/// Names and what they say, both of which are names of their own.
fn labels(reader: &mut Reader, raw: &RawValue) -> Option<BTreeMap<String, String>> {
    let labels: Option<BTreeMap<String, String>> = serde_json::from_str(raw.get()).ok();
    let known = |labels: &BTreeMap<String, String>| {
        let named = |(name, value): (&String, &String)| is_name(name) && is_name(value);
        labels.len() <= MAX_LABELS && labels.iter().all(named)
    };
    let labels = labels.filter(known);
    reader.accept(labels.ok_or(LABEL_RULE))
}

/// What somebody notes about a reservation, for people to read.
fn note(reader: &mut Reader, raw: &RawValue) -> Option<String> {
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
