//! Records as messages of syslog (RFC 5424), with every field as structured data.

use std::fmt::Write;

use serde_json::Value;

use crate::http::v1::audit::AuditRecordDocument;

/// The facility of audit logs (13), times eight.
const FACILITY: u8 = 13 * 8;

/// Severities: what was refused or failed, and all else.
const WARNING: u8 = 4;
const INFORMATIONAL: u8 = 6;

/// The structured data's name; 32473 is the number that examples have where an enterprise has none.
const DATA_ID: &str = "audit@32473";

/// The longest name of a message.
const LONGEST_NAME: usize = 32;

/// A record as a message.
pub fn message(record: &AuditRecordDocument) -> String {
    let is_done = record.outcome.starts_with('2') || record.outcome == "done";
    let severity = if is_done { INFORMATIONAL } else { WARNING };
    let printable = record.action.bytes().filter(u8::is_ascii_graphic).map(char::from);
    let name: String = printable.take(LONGEST_NAME).collect();
    let name = if name.is_empty() { "-" } else { &name };
    let mut data = String::new();
    let state = |state: &Value| if state.is_null() { String::new() } else { state.to_string() };
    for (name, value) in [
        ("actor", &record.actor),
        ("issuer", &record.issuer),
        ("for", &record.r#for),
        ("from", &record.from),
        ("action", &record.action),
        ("object", &record.object),
        ("before", &state(&record.before)),
        ("after", &state(&record.after)),
        ("outcome", &record.outcome),
        ("hash", &record.hash),
        ("previous", &record.previous),
    ] {
        // A text cannot fail to be written to.
        let _ = write!(data, " {name}=\"{}\"", escaped(value));
    }
    format!(
        "<{}>1 {} - wattbook - {name} [{DATA_ID}{data}] {}",
        FACILITY + severity,
        record.at,
        summary(record)
    )
}

/// For people who read the log.
fn summary(record: &AuditRecordDocument) -> String {
    let whose = match record.r#for.as_str() {
        "" => String::new(),
        whose => format!(" of {whose}"),
    };
    let text = format!(
        "{} from {}: {} {}{whose}: {}",
        record.actor, record.from, record.action, record.object, record.outcome
    );
    text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect()
}

/// A value of structured data: quotes, backslashes and brackets stand behind a backslash.
fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for character in value.chars() {
        if matches!(character, '"' | '\\' | ']') {
            text.push('\\');
        }
        text.push(if character.is_control() { ' ' } else { character });
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// 13 x 8 + 6 = 110, and 13 x 8 + 4 = 108 where it was refused.
    #[test]
    fn a_record_is_a_message_with_all_fields() {
        let mut record = AuditRecordDocument {
            at: "2026-03-01T06:00:00.000042Z".to_owned(),
            actor: "o\"l]g\\a".to_owned(),
            issuer: String::new(),
            r#for: "ada".to_owned(),
            from: "192.0.2.7".to_owned(),
            action: "cancel_reservation".to_owned(),
            object: "reservations/1".to_owned(),
            before: Value::Null,
            after: json!({ "state": "cancelled" }),
            outcome: "200".to_owned(),
            hash: "ab".to_owned(),
            previous: "00".to_owned(),
        };
        assert_eq!(
            message(&record),
            "<110>1 2026-03-01T06:00:00.000042Z - wattbook - cancel_reservation [audit@32473 \
             actor=\"o\\\"l\\]g\\\\a\" issuer=\"\" for=\"ada\" from=\"192.0.2.7\" action=\"cancel_reservation\" \
             object=\"reservations/1\" before=\"\" after=\"{\\\"state\\\":\\\"cancelled\\\"}\" outcome=\"200\" hash=\"ab\" \
             previous=\"00\"] o\"l]g\\a from 192.0.2.7: cancel_reservation reservations/1 of ada: 200"
        );
        record.outcome = "403 forbidden".to_owned();
        record.action = "a name that is far longer than 32 characters".to_owned();
        let message = message(&record);
        assert!(message.starts_with("<108>1 "), "{message}");
        assert!(message.contains(" - wattbook - anamethatisfarlongerthan32charac ["), "{message}");
    }
}
