//! The audit trail.

use crate::statements::statements;

/// All columns of records.
macro_rules! columns {
    () => {
        "id, at_us, actor, issuer, acting_for, source, action, object, state_before, state_after, outcome, hash, previous"
    };
}

/// The columns of what was begun, but its id.
macro_rules! begun_columns {
    () => {
        "at_us, actor, issuer, acting_for, source, action, object"
    };
}

statements! {
    /// Takes the chain's row: whoever writes records holds it until the end, so that each follows the newest.
    TAKE_CHAIN = "UPDATE audit_chain SET head_id = head_id WHERE id = 1";

    /// The chain's ends.
    CHAIN_ENDS = "SELECT head_id, head_hash, dropped_id, dropped_hash FROM audit_chain WHERE id = 1";

    /// The newest record by now.
    MOVE_HEAD = "UPDATE audit_chain SET head_id = $1, head_hash = $2 WHERE id = 1";

    /// The newest record that is dropped by now.
    MOVE_DROPPED = "UPDATE audit_chain SET dropped_id = $1, dropped_hash = $2 WHERE id = 1";

    /// Deletes what was dropped.
    DELETE_DROPPED = "DELETE FROM audit WHERE id <= $1";

    /// The first record that is not older than an instant.
    FIRST_FROM = "SELECT MIN(id) FROM audit WHERE at_us >= $1";

    /// Such a record among those up to an id. SQLite goes by the ids: nearly all records are younger.
    FIRST_FROM_UP_TO = "SELECT MIN(id) FROM audit WHERE id <= $2 AND +at_us >= $1";

    /// The last record from before an instant.
    LAST_BEFORE = "SELECT MAX(id) FROM audit WHERE at_us < $1";

    /// The hash of a record.
    HASH_OF = "SELECT hash FROM audit WHERE id = $1";

    /// Records after one, up to another, at most so many.
    RECORDS_AFTER = concat!("SELECT ", columns!(), " FROM audit WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3");

    /// Who was erased, and when.
    ERASED_NAMES = "SELECT digest, at_us FROM erased_names";

    /// Forgets who was erased before an instant.
    FORGET_ERASED_NAMES = "DELETE FROM erased_names WHERE at_us < $1";

    /// What is under way.
    BEGUN_IDS = "SELECT id FROM audit_begun";

    /// What was begun before an instant and is not recorded, at most so many.
    LEFT_BEGUN = concat!("SELECT id, ", begun_columns!(), " FROM audit_begun WHERE at_us < $1 ORDER BY at_us LIMIT $2");
}

/// Records.
pub const RECORDS_BULK: &str = concat!("INSERT INTO audit (", columns!(), ") ");

/// What is begun.
pub const BEGUN_BULK: &str = concat!("INSERT INTO audit_begun (id, ", begun_columns!(), ") ");

/// What was begun and is recorded now.
pub const BEGUN_DONE_WHERE: &str = "DELETE FROM audit_begun WHERE id IN ";

/// Records after one.
pub const RECORDS_WHERE: &str = concat!("SELECT ", columns!(), " FROM audit WHERE id > ");

/// Records of what came at some instants.
pub const RECORDS_AT_WHERE: &str = concat!("SELECT ", columns!(), " FROM audit WHERE at_us IN ");
