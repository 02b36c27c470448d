//! Calibration epochs.

use crate::statements::statements;

statements! {
    /// The newest epoch.
    NEWEST_EPOCH = "SELECT id, created_s, node_count, numbered, labels, digest FROM calibration_epochs
        ORDER BY id DESC LIMIT 1";

    /// One epoch.
    EPOCH = "SELECT id, created_s, node_count, numbered, labels, digest FROM calibration_epochs
        WHERE id = $1";
}
