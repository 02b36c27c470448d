//! Grants of extra power.

use crate::statements::statements;

/// What is read of grants.
macro_rules! columns {
    () => {
        "id, supplier_id, negotiation_id, standing, start_s, end_s, power_uw, fee_millionths, \
         received_s"
    };
}

statements! {
    /// A new grant.
    INSERT_GRANT = concat!("INSERT INTO grants (", columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)");

    /// The grant that the supplier calls so.
    GRANT_BY_NAME = concat!("SELECT ", columns!(), " FROM grants WHERE supplier_id = $1");

    /// Other figures for a grant that the supplier knows by name.
    CHANGE_GRANT = "UPDATE grants SET standing = $2, start_s = $3, end_s = $4, power_uw = $5,
            fee_millionths = $6, received_s = $7, revoked_s = NULL
        WHERE id = $1";

    /// Takes a grant back.
    REVOKE_GRANT = "UPDATE grants SET standing = 'revoked', revoked_s = $2
        WHERE id = $1 AND standing <> 'revoked'";

    /// Those who asked had their turn: what is left is for everybody.
    RELEASE_GRANTS = "UPDATE grants SET standing = 'in_force' WHERE standing = 'set_aside'";

    /// Grants that have yet to end at an instant.
    GRANTS = concat!("SELECT ", columns!(), " FROM grants WHERE end_s > $1 ORDER BY start_s, id");
}
