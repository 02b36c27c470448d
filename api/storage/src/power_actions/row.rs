//! Rows of power actions, and their way into the domain.

use planner::criterion::Criterion;
use planner::identity::ReservationId;
use planner::power_action::{PowerActionState, PowerChange};
use planner::power_plan::CriteriaAmounts;
use planner::quantity::Power;
use planner::time::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::identity::PowerActionId;
use crate::power_actions::PowerAction;
use crate::row::{RowPlace, instant};

/// The word of a change in the table and in events.
pub(crate) const fn change_word(change: PowerChange) -> &'static str {
    match change {
        PowerChange::On => "power_up",
        PowerChange::Off => "power_down",
        PowerChange::Limit(_) => "limit",
        PowerChange::Lift(_) => "lift",
    }
}

/// The power limit that a change leads to, if it leads to one.
pub(crate) const fn limit_of(change: PowerChange) -> Option<Power> {
    match change {
        PowerChange::On | PowerChange::Off => None,
        PowerChange::Limit(limit) => Some(limit),
        PowerChange::Lift(before) => before,
    }
}

fn change_of(word: &str, limit: Option<Power>) -> Option<PowerChange> {
    match (word, limit) {
        ("power_up", _) => Some(PowerChange::On),
        ("power_down", _) => Some(PowerChange::Off),
        ("limit", limit) => limit.map(PowerChange::Limit),
        ("lift", before) => Some(PowerChange::Lift(before)),
        _ => None,
    }
}

fn state_of(text: &str) -> Option<PowerActionState> {
    PowerActionState::ALL.into_iter().find(|state| state.word() == text)
}

/// What an action saves of each criterion as the table keeps it.
pub(crate) fn saves_texts(saves: Option<&CriteriaAmounts>) -> [Option<String>; 3] {
    let text = |criterion| saves?.thousandths(criterion).map(|amount| amount.to_string());
    Criterion::ALL.map(text)
}

#[derive(FromRow)]
pub(crate) struct PowerActionRow {
    id: PowerActionId,
    node: String,
    action: String,
    reservation_id: Option<Uuid>,
    state: String,
    because: Option<String>,
    created_s: i64,
    ordered_s: Option<i64>,
    done_s: Option<i64>,
    asked_by: String,
    since_s: i64,
    orders: i64,
    due_s: i64,
    until_s: Option<i64>,
    wake_s: Option<i64>,
    #[sqlx(flatten)]
    saves: SavesRow,
    decided_by: Option<String>,
    decided_s: Option<i64>,
    limit_uw: Option<i64>,
    former_limit_uw: Option<i64>,
    row_version: i64,
}

/// What an action saves; a column is empty where nothing is known.
#[derive(FromRow)]
struct SavesRow {
    #[sqlx(rename = "saves_energy_uj_thousandths")]
    energy: Option<String>,
    #[sqlx(rename = "saves_cost_exact_thousandths")]
    cost: Option<String>,
    #[sqlx(rename = "saves_co2_exact_thousandths")]
    co2: Option<String>,
}

impl SavesRow {
    /// What an action saves; `None` where nothing of it is known.
    fn amounts(
        &self,
        place: &RowPlace<PowerActionId>,
    ) -> Result<Option<CriteriaAmounts>, StorageError> {
        let columns = [
            ("saves_energy_uj_thousandths", &self.energy),
            ("saves_cost_exact_thousandths", &self.cost),
            ("saves_co2_exact_thousandths", &self.co2),
        ];
        let mut thousandths = [None; 3];
        for (amount, (column, text)) in thousandths.iter_mut().zip(columns) {
            let read = text.as_deref().map(|text| place.readable(column, text.parse().ok()));
            *amount = read.transpose()?;
        }
        let known = thousandths.iter().any(Option::is_some);
        Ok(known.then(|| CriteriaAmounts::from_thousandths(thousandths)))
    }
}

impl TryFrom<PowerActionRow> for PowerAction {
    type Error = StorageError;
    fn try_from(row: PowerActionRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "power_actions", row: row.id };
        let limit = row.limit_uw.map(Power::from_microwatts);
        Ok(Self {
            id: row.id,
            change: place.word("action", &row.action, |word| change_of(word, limit))?,
            former_limit: row.former_limit_uw.map(Power::from_microwatts),
            asked_by: row.asked_by,
            reservation_id: row.reservation_id.map(ReservationId::new),
            state: place.word("state", &row.state, state_of)?,
            due: Timestamp::from_unix_seconds(row.due_s),
            until: instant(row.until_s),
            wake_at: instant(row.wake_s),
            saves: row.saves.amounts(&place)?,
            because: row.because,
            created: Timestamp::from_unix_seconds(row.created_s),
            since: Timestamp::from_unix_seconds(row.since_s),
            orders: place.count("orders", row.orders)?,
            ordered: instant(row.ordered_s),
            done: instant(row.done_s),
            decided_by: row.decided_by,
            decided: instant(row.decided_s),
            row_version: row.row_version,
            node: row.node,
        })
    }
}
