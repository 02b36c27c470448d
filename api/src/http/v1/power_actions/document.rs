//! Power actions as JSON.

use planner::power_action::PowerChange;
use planner::power_plan::CriteriaAmounts;
use planner::quantity::{Currency, Power};
use planner::time::Timestamp;
use serde::Serialize;
use storage::{PowerAction, PowerHold};
use utoipa::ToSchema;

use crate::service::power_management::PowerActionList;

/// Power actions, and the nodes that are held.
#[derive(Serialize, ToSchema)]
pub struct PowerActionsDocument {
    /// The newest first.
    pub actions: Vec<PowerActionDocument>,
    /// Nodes that are not switched off until an instant.
    pub holds: Vec<PowerHoldDocument>,
}

/// What is done, or proposed, to switch a node.
#[derive(Serialize, ToSchema)]
pub struct PowerActionDocument {
    /// Later ones are greater.
    pub id: i64,
    /// The node, by name.
    pub node: String,
    /// `off`, `wake`, `limit` (its power, for a reservation in a slower state) or `lift` (that limit).
    #[schema(example = "off")]
    pub action: &'static str,
    /// The power limit that it leads to, watts; null where it leads to none.
    pub limit_w: Option<f64>,
    /// How far it is: `proposed`, `waiting`, `ordered`, `failed` (an order had no effect, another follows), `done`, `refused` or
    /// `given_up`.
    #[schema(example = "proposed")]
    pub state: &'static str,
    /// Why it stands so, in words.
    pub because: Option<String>,
    /// Who asks for it: `plan`, `keep_warm`, `reservation`, or a person by name.
    pub asked_by: String,
    /// The reservation that the node is woken or limited for.
    pub reservation_id: Option<String>,
    /// When it was planned. RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub created: Timestamp,
    /// When it came to its state. RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
    /// When it is to be ordered first. RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub due: Timestamp,
    /// From then on it is of no use. RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub until: Option<Timestamp>,
    /// When a node that is switched off is to be woken again. RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub wake_at: Option<Timestamp>,
    /// So many orders were given.
    pub orders: u32,
    /// When the last order was given. RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub ordered: Option<Timestamp>,
    /// When the node was seen to be as it ought to be. RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub done: Option<Timestamp>,
    /// What it saves against leaving the node on.
    pub saves: Option<SavedAmounts>,
    /// Of the cost, by ISO 4217.
    #[schema(example = "EUR")]
    pub currency: String,
    /// Who approved or refused it.
    pub decided_by: Option<String>,
    /// When. RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub decided: Option<Timestamp>,
}

/// What a sleep saves; null where a price or an intensity is not known.
#[derive(Serialize, ToSchema)]
pub struct SavedAmounts {
    /// Joules.
    pub energy_j: Option<f64>,
    /// Units of the currency.
    pub cost: Option<f64>,
    /// Grams of CO2.
    pub co2_g: Option<f64>,
}

/// A node that is not switched off until an instant.
#[derive(Serialize, ToSchema)]
pub struct PowerHoldDocument {
    /// The node, by name.
    pub node: String,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub until: Timestamp,
    /// Who said so.
    pub by: String,
}

impl PowerActionsDocument {
    /// Actions and holds, with costs in the site's currency.
    pub fn new(list: PowerActionList, currency: Currency) -> Self {
        let action = |it| PowerActionDocument::new(it, currency);
        Self {
            actions: list.actions.into_iter().map(action).collect(),
            holds: list.holds.into_iter().map(PowerHoldDocument::from).collect(),
        }
    }
}

impl PowerActionDocument {
    fn new(it: PowerAction, currency: Currency) -> Self {
        Self {
            id: it.id.get(),
            node: it.node,
            action: match it.change {
                PowerChange::On => "wake",
                PowerChange::Off => "off",
                PowerChange::Limit(_) => "limit",
                PowerChange::Lift(_) => "lift",
            },
            limit_w: match it.change {
                PowerChange::On | PowerChange::Off => None,
                PowerChange::Limit(limit) => Some(limit.as_watts()),
                PowerChange::Lift(before) => before.map(Power::as_watts),
            },
            state: it.state.word(),
            because: it.because,
            asked_by: it.asked_by,
            reservation_id: it.reservation_id.map(|id| id.to_string()),
            created: it.created,
            since: it.since,
            due: it.due,
            until: it.until,
            wake_at: it.wake_at,
            orders: it.orders,
            ordered: it.ordered,
            done: it.done,
            saves: it.saves.map(SavedAmounts::from),
            currency: currency.code().to_owned(),
            decided_by: it.decided_by,
            decided: it.decided,
        }
    }
}

impl From<CriteriaAmounts> for SavedAmounts {
    fn from(it: CriteriaAmounts) -> Self {
        Self { energy_j: it.energy_j(), cost: it.cost(), co2_g: it.co2_g() }
    }
}

impl From<PowerHold> for PowerHoldDocument {
    fn from(it: PowerHold) -> Self {
        Self { node: it.node, until: it.until, by: it.by }
    }
}
