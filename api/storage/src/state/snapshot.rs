//! The state a plan rests on, read whole.

use planner::agenda::Piece;
use planner::quantity::{CarbonIntensity, EnergyPrice, Power};
use planner::time::{Span, Timestamp};
use sqlx::{Postgres, Sqlite};

use crate::agendas::Quantity;
use crate::engine::connections::Repository;
use crate::error::StorageError;
use crate::state::BookSnapshot;

/// Pieces in the type of their quantity.
pub(super) fn typed<V>(
    pieces: Vec<Piece<i64>>,
    value: impl Fn(i64) -> Option<V>,
) -> Result<Vec<Piece<V>>, StorageError> {
    let typed = |piece: Piece<i64>| {
        let value = value(piece.value).ok_or_else(|| StorageError::Inconsistent {
            table: "agenda_current",
            row: piece.span.to_string(),
            problem: "the value is out of range",
        })?;
        Ok(Piece { span: piece.span, value })
    };
    pieces.into_iter().map(typed).collect()
}

macro_rules! snapshot {
    ($engine:ident) => {
        impl Repository<$engine> {
            pub(crate) async fn snapshot(
                &self,
                window: Span,
                now: Timestamp,
            ) -> Result<BookSnapshot, StorageError> {
                let mut transaction = self.begin_read().await?;
                let connection = &mut *transaction;
                let version = Self::version_inside(connection).await?;
                let epoch = Self::newest_epoch(connection).await?.map(|row| row.id);
                let price = Self::current_pieces(connection, Quantity::Price, window).await?;
                let co2 = Self::current_pieces(connection, Quantity::Co2, window).await?;
                let cap = Self::current_pieces(connection, Quantity::PowerCap, window).await?;
                let capped = Self::ever_announced(connection, Quantity::PowerCap).await?;
                let mut allocations = Self::live_allocations(connection, window, now).await?;
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
    };
}

snapshot!(Sqlite);
snapshot!(Postgres);
