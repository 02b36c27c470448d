//! With whom reservations are shared.

use crate::statements::statements;

statements! {
    /// Shares a reservation with somebody, or says anew what they may.
    SHARE = "INSERT INTO shared_reservations (reservation_id, is_project, name, may)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (reservation_id, is_project, name) DO UPDATE SET may = excluded.may";

    /// Shares a reservation with somebody no more.
    UNSHARE = "DELETE FROM shared_reservations
        WHERE reservation_id = $1 AND is_project = $2 AND name = $3";
}

/// With whom reservations are shared; their ids follow.
pub const SHARED_WITH: &str =
    "SELECT reservation_id, is_project, name, may FROM shared_reservations
    WHERE reservation_id";

/// What follows the ids of [`SHARED_WITH`].
pub const SHARED_WITH_END: &str = " ORDER BY reservation_id, is_project, name";
