//! Messages: what is told as JSON, and answers as decisions with their places.

use std::collections::VecDeque;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::ExternalError;
use crate::time::Time;

/// An answer: until when nobody asks again, and what is decided, in the order of the times.
pub(super) struct Answer {
    pub(super) until: Time,
    pub(super) decisions: VecDeque<Decision>,
}

/// One event of an answer.
pub(super) struct Decision {
    pub(super) at: Time,
    pub(super) kind: String,
    pub(super) data: Value,
    /// In which answer, and which of its events; both from 1.
    pub(super) place: (u64, usize),
}

impl Decision {
    /// What is wrong with it.
    pub(super) fn wrong(&self, what: impl Into<String>) -> ExternalError {
        let (message, event) = self.place;
        ExternalError::Decision { message, event, kind: self.kind.clone(), what: what.into() }
    }

    /// Whether everything is as it was after it: nothing else may come of it than another message.
    pub(super) fn changes_nothing(&self) -> bool {
        matches!(self.kind.as_str(), "CALL_ME_LATER" | "QUERY" | "ANSWER" | "SET_JOB_METADATA")
    }

    /// Reads the data of the message.
    pub(super) fn data<T: DeserializeOwned>(&self) -> Result<T, ExternalError> {
        T::deserialize(&self.data).map_err(|error| self.wrong(error.to_string()))
    }
}

#[derive(Deserialize)]
struct Document {
    now: f64,
    events: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    timestamp: f64,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    data: Value,
}

/// A message.
pub(super) fn written(now: Time, events: &[Value]) -> String {
    json!({"now": now.as_seconds(), "events": events}).to_string()
}

/// An event at `now`.
pub(super) fn event(now: Time, kind: &str, data: Value) -> Value {
    let mut event = json!({"timestamp": now.as_seconds(), "type": kind});
    event["data"] = data;
    event
}

/// Reads the answer to the message of this number, which was sent at `now`.
pub(super) fn read(text: &str, number: u64, now: Time) -> Result<Answer, ExternalError> {
    let malformed = |what: String| ExternalError::Malformed { message: number, what };
    let document: Document = serde_json::from_str(text)
        .map_err(|error| malformed(format!("is no message of the protocol: {error}")))?;
    let until = Time::from_seconds_f64(document.now)
        .ok_or_else(|| malformed(format!("has a now of {}", document.now)))?;
    if until < now {
        return Err(malformed(format!("was sent at {until} s, before its message at {now} s")));
    }
    let mut decisions = VecDeque::new();
    let mut before = now;
    for (place, Event { timestamp, kind, data }) in (1..).zip(document.events) {
        let at = Time::from_seconds_f64(timestamp);
        let decision = Decision { at: at.unwrap_or(now), kind, data, place: (number, place) };
        match at {
            None => return Err(decision.wrong(format!("{timestamp} is not a timestamp"))),
            Some(at) if at < before => {
                let what = format!("its timestamp {at} lies before {before}, which was reached");
                return Err(decision.wrong(what));
            }
            Some(at) if at > until => {
                let what = format!("its timestamp {at} lies after {until}, the answer's now");
                return Err(decision.wrong(what));
            }
            Some(at) => before = at,
        }
        decisions.push_back(decision);
    }
    Ok(Answer { until, decisions })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_are_none_or_come_late_are_told() {
        let at = Time::from_seconds;
        let error = |text: &str| read(text, 7, at(10)).err().unwrap().to_string();
        let event = |timestamp: f64| {
            format!(r#"{{"timestamp":{timestamp},"type":"NOTIFY","data":{{"type":"x"}}}}"#)
        };
        let answer = |now: f64, events: &[String]| {
            format!(r#"{{"now":{now},"events":[{}]}}"#, events.join(","))
        };
        assert!(error("{").starts_with("the answer to message 7 is no message of the protocol"));
        assert!(error(r#"{"now":10}"#).contains("missing field `events`"));
        assert!(error(r#"{"now":1e300,"events":[]}"#).contains("has a now of"));
        assert!(error(&answer(9.0, &[])).contains("was sent at 9.000000 s, before"));
        let before = answer(12.0, &[event(11.0), event(10.5)]);
        let told = "event 2 (NOTIFY): its timestamp 10.500000 lies before 11.000000";
        assert!(error(&before).contains(told));
        let after = answer(12.0, &[event(12.5)]);
        assert!(error(&after).contains("lies after 12.000000, the answer's now"));
        let read = read(&answer(12.0, &[event(10.0), event(12.0)]), 7, at(10)).unwrap();
        assert_eq!((read.until, read.decisions.len()), (at(12), 2));
    }
}
