//! Batsim's external events: one JSON document a line,
//! `{"type": "machine_unavailable", "resources": "0-4 6", "timestamp": 10}`.

use planner::node_set::NodeSet;
use serde_json::{Map, Value};

use super::{Outside, OutsideEvent};
use crate::machine_ranges;
use crate::time::Time;

/// A line that is no event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct EventsError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with the line.
    pub what: String,
}

/// Reads events on `machines` machines, which come in the order of their times.
///
/// # Errors
/// The first line that is none.
pub fn read_events(text: &str, machines: u32) -> Result<Vec<OutsideEvent>, EventsError> {
    let mut events: Vec<OutsideEvent> = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let wrong = |what: String| EventsError { line, what };
        let event = event(text, machines).map_err(wrong)?;
        if events.last().is_some_and(|before| before.at > event.at) {
            return Err(wrong("its timestamp lies before that of the event above".to_owned()));
        }
        events.push(event);
    }
    Ok(events)
}

fn event(text: &str, machines: u32) -> Result<OutsideEvent, String> {
    let event: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    let timestamp = event.get("timestamp").and_then(Value::as_f64);
    let at = timestamp.and_then(Time::from_seconds_f64).filter(|at| *at >= Time::ZERO);
    let at = at.ok_or("timestamp must be a number of seconds from 0 on")?;
    let resources = || -> Result<NodeSet, String> {
        let text = event.get("resources").and_then(Value::as_str).ok_or("resources are missing")?;
        let set = machine_ranges::read_each_once(text)?;
        match set.ranges().last() {
            Some(last) if last.end > machines => {
                Err(format!("resources {text:?}: there are {machines} machines"))
            }
            _ => Ok(set),
        }
    };
    let what = match event.get("type").and_then(Value::as_str) {
        Some("machine_unavailable") => Outside::Unavailable(resources()?),
        Some("machine_available") => Outside::Available(resources()?),
        Some(_) => Outside::Unknown(event),
        None => return Err("type is missing".to_owned()),
    };
    Ok(OutsideEvent { at, what })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_with_the_lines_of_errors() {
        let line = |kind: &str, resources: &str, timestamp: f64| {
            format!(r#"{{"type":"{kind}","resources":"{resources}","timestamp":{timestamp}}}"#)
        };
        let text = line("machine_unavailable", "0-1", 1.0) + "\n\n" + &line("moon", "", 2.5) + "\n";
        let events = read_events(&text, 2).unwrap();
        let first = Outside::Unavailable(NodeSet::from_positions([0, 1]));
        assert_eq!(events[0], OutsideEvent { at: Time::from_seconds(1), what: first });
        assert!(matches!(&events[1].what, Outside::Unknown(data) if data["type"] == "moon"));
        let error = |text: &str| read_events(text, 2).unwrap_err().to_string();
        let unsorted = line("moon", "", 2.0) + "\n" + &line("moon", "", 1.0);
        assert_eq!(error(&unsorted), "line 2: its timestamp lies before that of the event above");
        let beyond = line("machine_available", "1-2", 1.0);
        assert_eq!(error(&beyond), "line 1: resources \"1-2\": there are 2 machines");
        assert!(error("{}").contains("timestamp"));
        assert!(error("x").starts_with("line 1: expected value"));
    }
}
