//! Who does what only one replica should do.

use crate::statements::statements;

statements! {
    /// Who holds what.
    LEASES = "SELECT name, holder, beat, lasts_ms FROM leases";

    /// Takes a lease that nobody has, or that has not beaten since it was seen with this beat.
    TAKE_LEASE = "INSERT INTO leases (name, holder, beat, lasts_ms) VALUES ($1, $2, 1, $5)
        ON CONFLICT (name) DO UPDATE
        SET holder = excluded.holder, beat = leases.beat + 1, lasts_ms = excluded.lasts_ms
        WHERE leases.holder = $2 OR (leases.holder = $3 AND leases.beat = $4)";

    /// Gives up what a holder has.
    DROP_LEASES = "DELETE FROM leases WHERE holder = $1";

    /// Gives up one of what a holder has.
    DROP_LEASE = "DELETE FROM leases WHERE holder = $1 AND name = $2";
}
