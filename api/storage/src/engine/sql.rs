//! What is known of the database itself: which releases made its tables, and whether it can be
//! written.

use crate::statements::statements;

statements! {
    /// Whether there are tables of ours.
    MIGRATIONS = "SELECT COUNT(*) FROM _sqlx_migrations";

    /// The release that brought a migration.
    RELEASE = "SELECT version FROM releases WHERE migration = $1";

    /// The release that brought the newest migration.
    NEWEST_RELEASE = "SELECT migration, version FROM releases ORDER BY migration DESC LIMIT 1";

    /// Notes which release brought a migration.
    NOTE_RELEASE = "INSERT INTO releases (migration, version) VALUES ($1, $2)
        ON CONFLICT (migration) DO NOTHING";
}
