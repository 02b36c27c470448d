//! The audit trail of a history: it has each change exactly once, in order.

use std::collections::BTreeMap;

use serde_json::Value;

use super::world::{OPERATOR, World};
use crate::client::Answer;

/// A request that may have changed something, and what came of it, in the trail's words.
#[derive(Debug, PartialEq, Eq)]
pub struct Sent {
    actor: String,
    action: String,
    outcome: String,
    /// The state of a reservation or a series afterwards.
    state: Option<String>,
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

impl Sent {
    pub fn new(actor: &str, action: &str, answered: &Answer) -> Self {
        let status = answered.status;
        let told: Value = serde_json::from_str(&answered.body).unwrap_or_default();
        let outcome = match told["code"].as_str().filter(|_| status >= 400) {
            Some(code) => format!("{status} {code}"),
            None => status.to_string(),
        };
        let is_told = ["offers", "occurrences"].iter().any(|key| told[key].is_array());
        let state = text(&told["state"]).filter(|_| status < 300 && is_told);
        Self { actor: actor.to_owned(), action: action.to_owned(), outcome, state }
    }

    fn of(record: &Value) -> Self {
        let word = |key: &str| text(&record[key]).unwrap();
        let (actor, action, outcome) = (word("actor"), word("action"), word("outcome"));
        let state = text(&record["after"]["state"]);
        Self { actor, action, outcome, state }
    }
}

impl World {
    pub async fn records(&self) -> Vec<Value> {
        self.client(OPERATOR).all_audit_records().await
    }

    /// How often what came of it.
    pub fn outcomes(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for Sent { action, outcome, .. } in &self.sent {
            *counts.entry(format!("{action} {outcome}")).or_default() += 1;
        }
        counts
    }

    /// The chain fits, and has what was sent and nothing else.
    pub async fn assert_recorded(&self) {
        let records = self.records().await;
        let recorded: Vec<Sent> = records[self.recorded_before..].iter().map(Sent::of).collect();
        for (place, (recorded, sent)) in recorded.iter().zip(&self.sent).enumerate() {
            assert_eq!(recorded, sent, "record {place} of what was sent");
        }
        assert_eq!(recorded.len(), self.sent.len());
        let verified = self.command(&["audit", "verify"]);
        assert!(verified.status.success(), "{verified:?}");
    }
}
