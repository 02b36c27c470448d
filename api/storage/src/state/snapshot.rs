//! The state a plan rests on, read whole.

use planner::agenda::Piece;
use planner::quantity::{CarbonIntensity, EnergyPrice, Power};
use planner::time::{Span, Timestamp};

use crate::agendas::Quantity;
use crate::agendas::repository::Agendas;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::epochs::repository::Epochs;
use crate::error::StorageError;
use crate::reservations::allocations::repository::Allocations;
use crate::row::RowPlace;
use crate::state::BookSnapshot;

/// Pieces in the type of their quantity.
pub(super) fn typed<V>(
    pieces: Vec<Piece<i64>>,
    value: impl Fn(i64) -> Option<V>,
) -> Result<Vec<Piece<V>>, StorageError> {
    let typed = |piece: Piece<i64>| {
        let place = RowPlace { table: "agenda_current", row: piece.span };
        let wrong = || place.wrong("value_millionths", "the value is out of range");
        Ok(Piece { span: piece.span, value: value(piece.value).ok_or_else(wrong)? })
    };
    pieces.into_iter().map(typed).collect()
}

repository!(
    /// What a plan rests on, read whole.
    impl Database for Snapshots {
        /// What a plan in `window` rests on, as one consistent state.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn snapshot(
            &self,
            window: Span,
            now: Timestamp,
        ) -> Result<BookSnapshot, StorageError> {
            let mut transaction = self.begin_read().await?;
            let connection = &mut *transaction;
            let version = BookRow::<Engine>::version_inside(connection).await?;
            let epoch = Epochs::<Engine>::newest(connection).await?.map(|row| row.id);
            let price =
                Agendas::<Engine>::current_pieces(connection, Quantity::Price, window).await?;
            let co2 = Agendas::<Engine>::current_pieces(connection, Quantity::Co2, window).await?;
            let cap =
                Agendas::<Engine>::current_pieces(connection, Quantity::PowerCap, window).await?;
            let capped = Agendas::<Engine>::ever_announced(connection, Quantity::PowerCap).await?;
            let mut allocations = Allocations::<Engine>::live(connection, window, now).await?;
            transaction.commit().await?;
            // Ranks of an older epoch mean other nodes; such rows are history, which no plan
            // reaches.
            allocations.retain(|allocation| Some(allocation.epoch) == epoch);
            let power = |microwatts| Some(Power::from_microwatts(microwatts));
            Ok(BookSnapshot {
                version,
                epoch,
                price: typed(price, EnergyPrice::from_millionths_per_mwh)?,
                co2: typed(co2, CarbonIntensity::from_millionths_g_per_kwh)?,
                power_cap: if capped { Some(typed(cap, power)?) } else { None },
                allocations,
            })
        }
    }
);
