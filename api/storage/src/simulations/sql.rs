//! Simulations, their journal and their results.
//!
//! A worker's statements name the simulation and the worker first, and change nothing where the
//! worker does not have it.

use crate::statements::statements;

/// What is read of simulations.
macro_rules! columns {
    () => {
        "id, owner, state, experiment, notes, cells, runs, runs_done, time_left_s, created_s, \
         started_s, ended_s, error, version"
    };
}

statements! {
    /// A new simulation.
    INSERT_SIMULATION = "INSERT INTO simulations
        (id, owner, state, experiment, inputs, notes, cells, runs, created_s)
        VALUES ($1, $2, 'queued', $3, $4, $5, $6, $7, $8)";

    /// How many wait.
    QUEUED_SIMULATIONS = "SELECT COUNT(*) FROM simulations
        WHERE state IN ('queued', 'running') AND state = 'queued'";

    /// How many of an owner's wait.
    QUEUED_SIMULATIONS_OF_OWNER =
        "SELECT COUNT(*) FROM simulations WHERE state = 'queued' AND owner = $1";

    /// One simulation.
    SIMULATION = concat!("SELECT ", columns!(), " FROM simulations WHERE id = $1");

    /// Whose it is.
    SIMULATION_OWNER = "SELECT owner FROM simulations WHERE id = $1";

    /// Stops one at an instant.
    CANCEL_SIMULATION = "UPDATE simulations SET state = 'cancelled', ended_s = $2, worker = NULL,
            lease_until_s = NULL, time_left_s = NULL, version = version + 1
        WHERE id = $1 AND state IN ('queued', 'running')";

    /// Removes one that has ended, with its results.
    DELETE_SIMULATION = "DELETE FROM simulations
        WHERE id = $1 AND state IN ('finished', 'failed', 'cancelled')";

    /// Whether one waits, or was left by its worker before an instant.
    ANY_SIMULATION_TO_PLAY = "SELECT EXISTS (SELECT 1 FROM simulations
        WHERE state IN ('queued', 'running') AND (state = 'queued' OR lease_until_s <= $1))";

    /// Gives the oldest of these to a worker until an instant; the instant now comes last. Of two
    /// workers at once the second finds the condition false, on either engine.
    CLAIM_SIMULATION = "UPDATE simulations SET state = 'running', worker = $1, lease_until_s = $2,
            attempts = attempts + 1, started_s = COALESCE(started_s, $3), version = version + 1
        WHERE id = (SELECT id FROM simulations
                WHERE state = 'queued' OR (state = 'running' AND lease_until_s <= $3)
                ORDER BY id LIMIT 1)
            AND (state = 'queued' OR (state = 'running' AND lease_until_s <= $3))
        RETURNING id, experiment, inputs, runs, runs_done, attempts";

    /// Prolongs a lease until an instant.
    RENEW_SIMULATION = "UPDATE simulations SET lease_until_s = $3
        WHERE id = $1 AND worker = $2 AND state = 'running'";

    /// How many runs are done, and how long the others will take.
    SIMULATION_PROGRESS = "UPDATE simulations SET runs_done = $3, time_left_s = $4, attempts = 0,
            version = version + 1
        WHERE id = $1 AND worker = $2 AND state = 'running'";

    /// Ends one in a state, with an error or none, at an instant.
    END_SIMULATION = "UPDATE simulations SET state = $3, error = $4, ended_s = $5, worker = NULL,
            lease_until_s = NULL, time_left_s = NULL, version = version + 1
        WHERE id = $1 AND worker = $2 AND state = 'running'";

    /// Gives one back, to be taken by any worker; this was no failed attempt.
    RELEASE_SIMULATION = "UPDATE simulations SET state = 'queued', worker = NULL,
            lease_until_s = NULL, time_left_s = NULL, attempts = 0, version = version + 1
        WHERE id = $1 AND worker = $2 AND state = 'running'";

    /// Finished runs of a cell.
    SIMULATION_RUNS = "SELECT cell, run, played FROM simulation_runs
        WHERE simulation_id = $1 AND cell = $2 ORDER BY run";

    /// A finished run; one that is there already is the same.
    INSERT_SIMULATION_RUN = "INSERT INTO simulation_runs (simulation_id, cell, run, played)
        VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";

    /// Ends the journal.
    DELETE_SIMULATION_RUNS = "DELETE FROM simulation_runs WHERE simulation_id = $1";

    /// A file of a cell; one that is there already is the same.
    INSERT_SIMULATION_RESULT = "INSERT INTO simulation_results
        (simulation_id, cell, name, content) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";

    /// A file of a cell.
    SIMULATION_RESULT = "SELECT content FROM simulation_results
        WHERE simulation_id = $1 AND cell = $2 AND name = $3";
}

/// Simulations that pass a filter.
pub const SIMULATIONS_WHERE: &str = concat!("SELECT ", columns!(), " FROM simulations WHERE 1 = 1");
