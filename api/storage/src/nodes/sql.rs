//! Calibration epochs, their nodes and measurements.

use crate::statements::statements;

/// What is read of measurements.
macro_rules! measured_columns {
    () => {
        "node_name, measured_s, idle_power_uw, max_power_uw, idle_spread_uw, max_spread_uw, \
         idle_samples, max_samples, outliers, source"
    };
}

statements! {
    /// Opens an epoch.
    INSERT_EPOCH = "INSERT INTO calibration_epochs (created_s, node_count, numbered, labels)
        VALUES ($1, $2, $3, $4) RETURNING id";

    /// Notes how an epoch is packed.
    SEAL_EPOCH = "UPDATE calibration_epochs SET numbered = $2, digest = $3 WHERE id = $1";

    /// A chunk of packed nodes.
    INSERT_CHUNK = "INSERT INTO node_chunks (epoch, first_ordinal, data) VALUES ($1, $2, $3)";

    /// The chunk of an epoch that begins at an ordinal.
    CHUNK = "SELECT data FROM node_chunks WHERE epoch = $1 AND first_ordinal = $2";

    /// Removes the rows of an epoch whose nodes are packed.
    DELETE_NODES = "DELETE FROM nodes WHERE epoch = $1";

    /// The nodes of an epoch that was not packed, in input order.
    NODES = "SELECT rank, name, idle_power_uw, max_power_uw, alpha FROM nodes
        WHERE epoch = $1 ORDER BY ordinal";

    /// The newest measurements of all nodes, at most so many.
    CALIBRATIONS = concat!("SELECT ", measured_columns!(), "
        FROM calibrations ORDER BY epoch DESC, node_name LIMIT $1");

    /// The newest measurements of one node, at most so many.
    CALIBRATIONS_OF_NODE = concat!("SELECT ", measured_columns!(), "
        FROM calibrations WHERE node_name = $1 ORDER BY epoch DESC LIMIT $2");
}

/// Measurements.
pub const CALIBRATIONS_BULK: &str =
    concat!("INSERT INTO calibrations (epoch, ", measured_columns!(), ") ");
