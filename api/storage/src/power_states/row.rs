//! Rows of power states, and their way into the domain.

use planner::resource_manager::NodePower;
use planner::time::Timestamp;
use sqlx::FromRow;

use crate::error::StorageError;
use crate::power_states::NodePowerState;
use crate::row::RowPlace;

/// The word of a state in the table.
pub(crate) const fn word(power: NodePower) -> &'static str {
    match power {
        NodePower::On => "on",
        NodePower::PoweringUp => "powering_up",
        NodePower::PoweringDown => "powering_down",
        NodePower::Off => "off",
    }
}

fn from_word(text: &str) -> Option<NodePower> {
    let all = [NodePower::On, NodePower::PoweringUp, NodePower::PoweringDown, NodePower::Off];
    all.into_iter().find(|power| word(*power) == text)
}

#[derive(FromRow)]
pub(crate) struct PowerStateRow {
    node: String,
    since_s: i64,
    state: String,
}

impl TryFrom<PowerStateRow> for NodePowerState {
    type Error = StorageError;
    fn try_from(row: PowerStateRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "node_power_states", row: &row.node };
        let power = place.word("state", &row.state, from_word)?;
        let since = Timestamp::from_unix_seconds(row.since_s);
        Ok(Self { since, power, node: row.node })
    }
}
