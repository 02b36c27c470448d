//! Power actions, holds and the log of them, as the API answers and as people read them.

use comfy_table::Table;
use comfy_table::presets::NOTHING;
use serde::Deserialize;
use serde_json::Value;

use crate::cli::booking::answers::{kg, kwh, local, local_text, right};

/// What is not known or not so.
const NOTHING_TOLD: &str = "-";

/// Power actions and holds.
#[derive(Default, Deserialize)]
pub struct PowerActionsAnswer {
    pub actions: Vec<Value>,
    pub holds: Vec<Value>,
}

/// A power action, as far as it is shown.
#[derive(Deserialize)]
pub struct PowerActionAnswer {
    pub id: i64,
    node: String,
    action: String,
    limit_w: Option<f64>,
    state: String,
    because: Option<String>,
    asked_by: String,
    reservation_id: Option<String>,
    since: String,
    due: String,
    wake_at: Option<String>,
    ordered: Option<String>,
    saves: Option<SavesAnswer>,
    currency: Option<String>,
}

/// What an action saves, as far as it is known.
#[derive(Deserialize)]
struct SavesAnswer {
    energy_j: Option<f64>,
    cost: Option<f64>,
    co2_g: Option<f64>,
}

/// A node that is not switched off until an instant.
#[derive(Deserialize)]
struct PowerHoldAnswer {
    node: String,
    until: String,
    by: String,
}

/// Entries of the log.
#[derive(Deserialize)]
pub struct PowerLogAnswer {
    pub entries: Vec<Value>,
}

/// An entry of the log, as far as it is shown.
#[derive(Deserialize)]
pub struct PowerLogEntryAnswer {
    pub id: i64,
    at: String,
    node: String,
    action_id: Option<i64>,
    what: String,
    by: Option<String>,
    because: Option<String>,
}

impl PowerActionAnswer {
    /// When it is due; of what was ordered, when; of what is over, since when.
    fn when(&self) -> &str {
        match (self.state.as_str(), &self.ordered) {
            ("proposed" | "waiting", _) => &self.due,
            ("ordered" | "failed", Some(ordered)) => ordered,
            _ => &self.since,
        }
    }

    /// What is to become of the node, with its power limit where it is to have one.
    fn action(&self) -> String {
        match self.limit_w {
            Some(watts) => format!("{} {watts} W", self.action),
            None => self.action.clone(),
        }
    }

    /// Who asked for it, with the reservation that it is for.
    fn asked_by(&self) -> String {
        match &self.reservation_id {
            Some(id) => format!("{} {id}", self.asked_by),
            None => self.asked_by.clone(),
        }
    }

    /// What it saves of energy, cost and CO2.
    fn saves(&self) -> [String; 3] {
        let saves = self.saves.as_ref();
        let currency = self.currency.as_deref().unwrap_or_default();
        let cost = |cost: f64| format!("{cost:.2} {currency}").trim_end().to_owned();
        let shown = [
            saves.and_then(|it| it.energy_j).map(kwh),
            saves.and_then(|it| it.cost).map(cost),
            saves.and_then(|it| it.co2_g).map(kg),
        ];
        shown.map(|it| it.unwrap_or_else(|| NOTHING_TOLD.to_owned()))
    }
}

/// Power actions, a row each.
pub fn actions(items: &[Value]) -> anyhow::Result<Table> {
    let mut table = Table::new();
    let head =
        ["ID", "NODE", "ACTION", "STATE", "WHEN", "WAKE", "SAVES", "", "", "ASKED BY", "WHY"];
    table.load_style(NOTHING).set_header(head);
    for item in items {
        let it: PowerActionAnswer = read(item)?;
        let [energy, cost, co2] = it.saves();
        table.add_row([
            it.id.to_string(),
            it.node.clone(),
            it.action(),
            it.state.clone(),
            local(it.when()),
            it.wake_at.as_deref().map_or_else(|| NOTHING_TOLD.to_owned(), local),
            energy,
            cost,
            co2,
            it.asked_by(),
            local_text(it.because.as_deref().unwrap_or_default()),
        ]);
    }
    right(&mut table, [0, 6, 7, 8]);
    Ok(table)
}

/// Nodes that are not switched off, a row each.
pub fn holds(items: &[Value]) -> anyhow::Result<Table> {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["HELD NODE", "UNTIL", "BY"]);
    for item in items {
        let it: PowerHoldAnswer = read(item)?;
        table.add_row([it.node, local(&it.until), it.by]);
    }
    Ok(table)
}

/// The log, a row for each entry.
pub fn log(items: &[Value]) -> anyhow::Result<Table> {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["AT", "NODE", "ID", "WHAT", "BY", "WHY"]);
    for item in items {
        let it: PowerLogEntryAnswer = read(item)?;
        table.add_row([
            local(&it.at),
            it.node,
            it.action_id.map_or_else(|| NOTHING_TOLD.to_owned(), |id| id.to_string()),
            it.what,
            it.by.unwrap_or_else(|| NOTHING_TOLD.to_owned()),
            local_text(it.because.as_deref().unwrap_or_default()),
        ]);
    }
    right(&mut table, [2]);
    Ok(table)
}

/// Reads a part of an answer.
pub fn read<'a, T: Deserialize<'a>>(answer: &'a Value) -> anyhow::Result<T> {
    let read = T::deserialize(answer);
    read.map_err(|error| anyhow::anyhow!("the answer is not one of this version: {error}"))
}

#[cfg(test)]
pub mod tests {
    use serde_json::json;

    use super::*;

    /// A proposal to switch n1 off for 3.6 MJ, 1 kWh, of whose cost nothing is known.
    pub fn proposal(id: i64) -> Value {
        json!({"id": id, "node": "n1", "action": "off", "limit_w": null, "state": "proposed", "because": null,
            "asked_by": "plan", "reservation_id": null, "created": "2026-01-01T00:00:00Z",
            "since": "2026-01-01T00:00:00Z", "due": "2026-01-01T01:00:00Z",
            "until": "2026-01-01T02:00:00Z", "wake_at": "2026-01-01T05:00:00Z", "orders": 0,
            "ordered": null, "done": null, "currency": "EUR", "decided_by": null, "decided": null,
            "saves": {"energy_j": 3.6e6, "cost": null, "co2_g": 56.04}})
    }

    /// The cells of a table's rows below its head.
    fn rows(table: &Table) -> Vec<Vec<String>> {
        let cells =
            |row: &comfy_table::Row| row.cell_iter().map(|it| it.content().clone()).collect();
        table.row_iter().map(cells).collect()
    }

    #[test]
    fn what_an_action_saves_is_told_as_far_as_it_is_known() {
        let table = actions(&[proposal(7)]).unwrap();
        let due = local("2026-01-01T01:00:00Z");
        let wake = local("2026-01-01T05:00:00Z");
        let expected =
            ["7", "n1", "off", "proposed", &due, &wake, "1.000 kWh", "-", "0.056 kg", "plan", ""];
        assert_eq!(rows(&table), [expected]);
        let mut bare = proposal(8);
        (bare["saves"], bare["currency"], bare["wake_at"]) =
            (Value::Null, Value::Null, Value::Null);
        let cells = &rows(&actions(&[bare]).unwrap())[0];
        assert_eq!(cells[5..9], ["-", "-", "-", "-"]);
        let mut priced = proposal(9);
        priced["saves"]["cost"] = json!(-0.125);
        assert_eq!(rows(&actions(&[priced]).unwrap())[0][7], "-0.12 EUR");
    }

    #[test]
    fn when_is_due_ordered_or_over() {
        let [ordered, since] = ["2026-01-01T01:00:30Z", "2026-01-01T01:02:00Z"];
        for (state, expected) in [
            ("proposed", "2026-01-01T01:00:00Z"),
            ("waiting", "2026-01-01T01:00:00Z"),
            ("ordered", ordered),
            ("failed", ordered),
            ("done", since),
            ("given_up", since),
        ] {
            let mut action = proposal(7);
            action["state"] = json!(state);
            (action["ordered"], action["since"]) = (json!(ordered), json!(since));
            let it: PowerActionAnswer = read(&action).unwrap();
            assert_eq!(it.when(), expected, "{state}");
        }
    }

    #[test]
    fn a_reservation_is_told_with_what_it_asked_for_and_why_in_one_zone() {
        let mut action = proposal(7);
        (action["asked_by"], action["reservation_id"]) = (json!("reservation"), json!("019ab3c4"));
        action["because"] = json!("it is of no use from 2026-01-01T02:00:00Z on");
        let cells = &rows(&actions(&[action]).unwrap())[0];
        let why = format!("it is of no use from {} on", local("2026-01-01T02:00:00Z"));
        assert_eq!(cells[9..], ["reservation 019ab3c4".to_owned(), why]);
    }

    #[test]
    fn holds_and_the_log_have_a_row_each() {
        let hold = json!({"node": "n3", "until": "2026-01-01T02:00:00Z", "by": "olga"});
        let until = local("2026-01-01T02:00:00Z");
        assert_eq!(rows(&holds(&[hold]).unwrap()), [["n3", until.as_str(), "olga"]]);
        let of_action = json!({"id": 2, "at": "2026-01-01T02:00:00Z", "node": "n1", "action_id": 7,
            "what": "refused", "by": "olga", "because": "maintenance"});
        let ordered = json!({"id": 1, "at": "2026-01-01T02:00:00Z", "node": "n3", "action_id": null,
            "what": "ordered", "by": null, "because": null});
        let expected = [
            [until.as_str(), "n1", "7", "refused", "olga", "maintenance"],
            [until.as_str(), "n3", "-", "ordered", "-", ""],
        ];
        assert_eq!(rows(&log(&[of_action, ordered]).unwrap()), expected);
    }

    #[test]
    fn an_answer_of_another_version_is_told() {
        let error = actions(&[json!({"id": "seven"})]).unwrap_err().to_string();
        assert!(error.starts_with("the answer is not one of this version: "), "{error}");
    }
}
