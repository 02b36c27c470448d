//! Rows of promises.

use planner::criterion::Values;
use planner::decision::Savings;
use planner::identity::ReservationId;
use planner::quantity::Currency;
use sqlx::FromRow;
use uuid::Uuid;

use crate::amounts::{energy, mass, money};
use crate::error::StorageError;
use crate::promises::OfferPromise;
use crate::row::RowPlace;

#[derive(FromRow)]
pub(crate) struct PromiseRow {
    #[sqlx(try_from = "Uuid")]
    reservation_id: ReservationId,
    owner: String,
    completed: bool,
    node_s: i64,
    energy_uj: String,
    cost_exact: String,
    currency: String,
    co2_exact: String,
    saved_energy_uj: String,
    saved_cost_exact: String,
    saved_co2_exact: String,
}

impl TryFrom<PromiseRow> for OfferPromise {
    type Error = StorageError;
    fn try_from(row: PromiseRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "kept_promises", row: row.reservation_id };
        let currency = place.readable("currency", Currency::parse(&row.currency).ok())?;
        let cost = |column, text: &str| place.readable(column, money(text, currency));
        Ok(Self {
            reservation: row.reservation_id,
            completed: row.completed,
            node_s: row.node_s,
            values: Values {
                energy: place.readable("energy_uj", energy(&row.energy_uj))?,
                cost: cost("cost_exact", &row.cost_exact)?,
                co2: place.readable("co2_exact", mass(&row.co2_exact))?,
            },
            saves: Savings {
                energy: place.readable("saved_energy_uj", energy(&row.saved_energy_uj))?,
                cost: cost("saved_cost_exact", &row.saved_cost_exact)?,
                co2: place.readable("saved_co2_exact", mass(&row.saved_co2_exact))?,
            },
            owner: row.owner,
        })
    }
}
