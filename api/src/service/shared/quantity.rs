//! What agendas are of: as feeds have it, and as it is stored.

use grid_feeds::feed;
use storage::Quantity;

/// The quantity as it is stored.
pub const fn stored_quantity(quantity: feed::Quantity) -> Quantity {
    match quantity {
        feed::Quantity::Price => Quantity::Price,
        feed::Quantity::Co2 => Quantity::Co2,
        feed::Quantity::PowerCap => Quantity::PowerCap,
    }
}
