//! Calibration epochs.

use crate::statements::statements;

statements! {
    /// The newest epoch.
    NEWEST_EPOCH = "SELECT id, created_s, node_count, numbered, labels, digest FROM calibration_epochs
        ORDER BY id DESC LIMIT 1";
}
