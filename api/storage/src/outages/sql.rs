//! Outages.

use crate::statements::statements;

/// All columns of outages.
macro_rules! columns {
    () => {
        "id, kind, managed_key, owner, reason, created_s, epoch, start_s, end_s, ranks"
    };
}

statements! {
    /// A new outage that an operator told of.
    INSERT_OUTAGE = "INSERT INTO outages
        (id, owner, reason, created_s, epoch, start_s, end_s, ranks)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

    /// One outage.
    OUTAGE = concat!("SELECT ", columns!(), " FROM outages WHERE id = $1");

    /// Outages that have yet to end at an instant, by start.
    UPCOMING_OUTAGES = concat!("SELECT ", columns!(), "
        FROM outages WHERE end_s IS NULL OR end_s > $1 ORDER BY start_s, id");

    /// Outages that last at an instant of a window, but for what was occupied and is not any more.
    OUTAGES_DURING = concat!("SELECT ", columns!(), "
        FROM outages WHERE start_s < $2 AND (end_s IS NULL OR end_s > $1) ORDER BY start_s, id");

    /// What the resource manager withholds: outages of it that have yet to end at an instant, and all
    /// that is occupied, since nothing is kept of that once it has ended. By a column alone SQLite would read all outages in that order.
    MANAGED_OUTAGES = concat!("SELECT ", columns!(), " FROM outages
        WHERE managed_key IS NOT NULL AND (kind = 'occupied' OR end_s IS NULL OR end_s > $1)
        ORDER BY COALESCE(id, id)");

    /// Ends an outage at an instant.
    END_OUTAGE = "UPDATE outages SET end_s = $2 WHERE id = $1";

    /// Takes an outage back that has yet to start.
    DELETE_OUTAGE = "DELETE FROM outages WHERE id = $1";
}

/// Outages, new ones or known ones as they are now; [`OUTAGES_BULK_END`] follows the rows.
pub const OUTAGES_BULK: &str = concat!("INSERT INTO outages (", columns!(), ") ");

/// What may change of outages that are known.
pub const OUTAGES_BULK_END: &str = " ON CONFLICT (id) DO UPDATE SET reason = excluded.reason,
    epoch = excluded.epoch, start_s = excluded.start_s, end_s = excluded.end_s,
    ranks = excluded.ranks";

/// Forgets outages by their ids.
pub const DELETE_OUTAGES_BULK: &str = "DELETE FROM outages WHERE id IN (";
