//! Simulations: the queue, leases, the journal and results.

use storage::{
    ClaimedSimulation, Database, EnqueueError, IdempotencyRecord, JournalledRun, NewSimulation,
    SimulationFilter, SimulationId, SimulationLease, SimulationQueue, SimulationState, WorkerId,
};

use crate::bench::{Bench, next_uuid, on_both_engines, t};

on_both_engines![
    a_simulation_waits_is_played_and_is_finished,
    the_oldest_is_taken_first_and_by_one_worker_only,
    a_lease_that_is_renewed_lasts_and_one_that_is_not_is_lost,
    a_worker_that_lost_its_lease_writes_nothing,
    the_journal_outlives_workers_and_ends_with_the_simulation,
    a_released_simulation_is_taken_again_at_once,
    attempts_count_until_a_run_is_finished,
    a_cancelled_simulation_keeps_results_until_it_is_removed,
    the_queue_has_an_end,
    an_owner_has_a_part_of_the_queue,
    a_key_used_twice_enqueues_once,
    lists_are_filtered_and_paged,
    workers_write_nothing_of_the_book,
];

fn new(owner: &str) -> NewSimulation {
    NewSimulation {
        id: SimulationId::new(next_uuid()),
        owner: owner.to_owned(),
        experiment: r#"{"name":"month"}"#.to_owned(),
        inputs: r#"{"tables":{}}"#.to_owned(),
        notes: "[]".to_owned(),
        cells: 2,
        runs: 6,
        created: t(1),
    }
}

const fn queue(most: u32) -> SimulationQueue {
    SimulationQueue { most, most_of_owner: None }
}

async fn enqueue(database: &Database) -> NewSimulation {
    let new = new("ada");
    database.enqueue_simulation(&new, queue(100), None).await.unwrap();
    new
}

fn worker() -> WorkerId {
    WorkerId::new(next_uuid())
}

/// Takes one at an instant for ten seconds.
async fn claim(database: &Database, now: i64) -> Option<ClaimedSimulation> {
    database.claim_simulation(worker(), t(now), t(now + 10)).await.unwrap()
}

fn run(cell: u32, run: u32) -> JournalledRun {
    JournalledRun { cell, run, played: format!(r#"{{"cell":{cell},"run":{run}}}"#) }
}

async fn state(database: &Database, id: SimulationId) -> SimulationState {
    database.simulation(id).await.unwrap().unwrap().state
}

async fn a_simulation_waits_is_played_and_is_finished(bench: Bench) {
    let database = &bench.database;
    let new = enqueue(database).await;
    let waiting = database.simulation(new.id).await.unwrap().unwrap();
    assert_eq!((waiting.state, waiting.runs, waiting.cells), (SimulationState::Queued, 6, 2));
    assert_eq!((waiting.created, waiting.started, waiting.ended), (t(1), None, None));
    let claimed = claim(database, 5).await.unwrap();
    assert_eq!((claimed.lease.id, &claimed.inputs), (new.id, &new.inputs));
    assert_eq!((claimed.runs, claimed.runs_done, claimed.attempts), (6, 0, 1));
    let lease = claimed.lease;
    assert!(database.add_simulation_runs(lease, &[run(1, 0)], 1, Some(9)).await.unwrap());
    let playing = database.simulation(new.id).await.unwrap().unwrap();
    assert_eq!(playing.state, SimulationState::Running);
    assert_eq!((playing.runs_done, playing.time_left_s, playing.started), (1, Some(9), Some(t(5))));
    assert!(playing.version > waiting.version);
    let files = [("summary.json", b"{}".to_vec()), ("runs.csv", vec![0, 255])];
    assert!(database.add_simulation_results(lease, 1, &files, t(20)).await.unwrap());
    assert!(database.end_simulation(lease, None, t(9)).await.unwrap());
    let finished = database.simulation(new.id).await.unwrap().unwrap();
    assert_eq!(finished.state, SimulationState::Finished);
    assert_eq!((finished.ended, finished.time_left_s), (Some(t(9)), None));
    let result = |cell, name| database.simulation_result(new.id, cell, name);
    assert_eq!(result(1, "runs.csv").await.unwrap(), Some(vec![0, 255]));
    assert_eq!(result(0, "runs.csv").await.unwrap(), None);
    assert_eq!(claim(database, 1000).await, None);
}

async fn the_oldest_is_taken_first_and_by_one_worker_only(bench: Bench) {
    let database = &bench.database;
    let mut waiting = Vec::new();
    for _ in 0..6 {
        waiting.push(enqueue(database).await.id);
    }
    assert_eq!(claim(database, 5).await.unwrap().lease.id, waiting[0]);
    let claims = (0..10).map(|_| {
        let database = database.clone();
        tokio::spawn(async move { claim(&database, 5).await })
    });
    let mut taken = Vec::new();
    for claimed in claims.collect::<Vec<_>>() {
        taken.extend(claimed.await.unwrap().map(|it| it.lease.id));
    }
    // On PostgreSQL one that comes second may leave without the next; it asks again.
    while let Some(claimed) = claim(database, 5).await {
        taken.push(claimed.lease.id);
    }
    taken.sort_unstable();
    assert_eq!(taken, waiting[1..]);
}

async fn a_lease_that_is_renewed_lasts_and_one_that_is_not_is_lost(bench: Bench) {
    let database = &bench.database;
    enqueue(database).await;
    let first = claim(database, 0).await.unwrap();
    assert_eq!(claim(database, 9).await, None);
    assert!(database.renew_simulation(first.lease, t(30)).await.unwrap());
    assert_eq!(claim(database, 29).await, None);
    let second = claim(database, 30).await.unwrap();
    assert_eq!((second.lease.id, second.attempts), (first.lease.id, 2));
    assert_ne!(second.lease.worker, first.lease.worker);
    // Started when it was first.
    let simulation = database.simulation(first.lease.id).await.unwrap().unwrap();
    assert_eq!(simulation.started, Some(t(0)));
}

async fn refused(database: &Database, lease: SimulationLease) {
    assert!(!database.renew_simulation(lease, t(99)).await.unwrap());
    assert!(!database.add_simulation_runs(lease, &[run(1, 0)], 1, None).await.unwrap());
    let files = [("runs.csv", vec![1])];
    assert!(!database.add_simulation_results(lease, 1, &files, t(99)).await.unwrap());
    assert!(!database.end_simulation(lease, Some("why"), t(99)).await.unwrap());
    assert!(!database.release_simulation(lease).await.unwrap());
    assert_eq!(database.simulation_result(lease.id, 1, "runs.csv").await.unwrap(), None);
    assert_eq!(database.simulation_runs(lease.id, 1).await.unwrap(), []);
}

async fn a_worker_that_lost_its_lease_writes_nothing(bench: Bench) {
    let database = &bench.database;
    let id = enqueue(database).await.id;
    let lost = claim(database, 0).await.unwrap().lease;
    let kept = claim(database, 10).await.unwrap().lease;
    refused(database, lost).await;
    assert_eq!(state(database, id).await, SimulationState::Running);
    assert!(database.cancel_simulation(id, t(11)).await.unwrap());
    refused(database, kept).await;
    assert_eq!(state(database, id).await, SimulationState::Cancelled);
}

async fn the_journal_outlives_workers_and_ends_with_the_simulation(bench: Bench) {
    let database = &bench.database;
    let id = enqueue(database).await.id;
    let first = claim(database, 0).await.unwrap().lease;
    let runs = [run(1, 2), run(1, 0), run(2, 1)];
    assert!(database.add_simulation_runs(first, &runs, 3, None).await.unwrap());
    let second = claim(database, 10).await.unwrap();
    assert_eq!(second.runs_done, 3);
    assert_eq!(database.simulation_runs(id, 1).await.unwrap(), [run(1, 0), run(1, 2)]);
    // A run played twice is the same run.
    let again = [run(1, 0), run(1, 1)];
    assert!(database.add_simulation_runs(second.lease, &again, 4, None).await.unwrap());
    assert_eq!(database.simulation_runs(id, 1).await.unwrap().len(), 3);
    assert!(database.end_simulation(second.lease, None, t(12)).await.unwrap());
    assert_eq!(database.simulation_runs(id, 1).await.unwrap(), []);
    assert_eq!(database.simulation_runs(id, 2).await.unwrap(), []);
}

async fn a_released_simulation_is_taken_again_at_once(bench: Bench) {
    let database = &bench.database;
    let id = enqueue(database).await.id;
    let first = claim(database, 0).await.unwrap().lease;
    assert!(database.release_simulation(first).await.unwrap());
    assert_eq!(state(database, id).await, SimulationState::Queued);
    assert_eq!(claim(database, 0).await.unwrap().attempts, 1);
}

async fn attempts_count_until_a_run_is_finished(bench: Bench) {
    let database = &bench.database;
    enqueue(database).await;
    for attempt in 1..=3 {
        let claimed = claim(database, i64::from(attempt) * 10).await.unwrap();
        assert_eq!(claimed.attempts, attempt);
    }
    let claimed = claim(database, 40).await.unwrap();
    assert!(database.add_simulation_runs(claimed.lease, &[run(1, 0)], 1, None).await.unwrap());
    assert_eq!(claim(database, 50).await.unwrap().attempts, 1);
}

async fn a_cancelled_simulation_keeps_results_until_it_is_removed(bench: Bench) {
    let database = &bench.database;
    let id = enqueue(database).await.id;
    assert!(!database.remove_simulation(id).await.unwrap());
    let lease = claim(database, 0).await.unwrap().lease;
    assert!(database.add_simulation_runs(lease, &[run(1, 0)], 1, None).await.unwrap());
    let files = [("runs.csv", vec![1])];
    assert!(database.add_simulation_results(lease, 1, &files, t(20)).await.unwrap());
    assert!(!database.remove_simulation(id).await.unwrap());
    assert!(database.cancel_simulation(id, t(7)).await.unwrap());
    assert!(!database.cancel_simulation(id, t(8)).await.unwrap());
    let cancelled = database.simulation(id).await.unwrap().unwrap();
    assert_eq!((cancelled.state, cancelled.ended), (SimulationState::Cancelled, Some(t(7))));
    assert_eq!(database.simulation_result(id, 1, "runs.csv").await.unwrap(), Some(vec![1]));
    assert_eq!(database.simulation_runs(id, 1).await.unwrap(), []);
    assert!(database.remove_simulation(id).await.unwrap());
    assert!(!database.remove_simulation(id).await.unwrap());
    assert_eq!(database.simulation(id).await.unwrap(), None);
    assert_eq!(database.simulation_result(id, 1, "runs.csv").await.unwrap(), None);
}

async fn the_queue_has_an_end(bench: Bench) {
    let database = &bench.database;
    for _ in 0..2 {
        database.enqueue_simulation(&new("ada"), queue(2), None).await.unwrap();
    }
    let full = database.enqueue_simulation(&new("bob"), queue(2), None).await;
    assert!(matches!(full, Err(EnqueueError::QueueFull)));
    assert_eq!(database.queued_simulations().await.unwrap(), 2);
    claim(database, 0).await.unwrap();
    database.enqueue_simulation(&new("bob"), queue(2), None).await.unwrap();
}

async fn an_owner_has_a_part_of_the_queue(bench: Bench) {
    let database = &bench.database;
    let part = SimulationQueue { most: 3, most_of_owner: Some(1) };
    database.enqueue_simulation(&new("ada"), part, None).await.unwrap();
    let full = database.enqueue_simulation(&new("ada"), part, None).await;
    assert!(matches!(full, Err(EnqueueError::QueueFullForOwner)));
    database.enqueue_simulation(&new("bob"), part, None).await.unwrap();
    claim(database, 0).await.unwrap();
    database.enqueue_simulation(&new("ada"), part, None).await.unwrap();
}

async fn a_key_used_twice_enqueues_once(bench: Bench) {
    let database = &bench.database;
    let record = IdempotencyRecord {
        owner: "ada".to_owned(),
        key: "k".to_owned(),
        fingerprint: "f".to_owned(),
        status: 202,
        response: "id".to_owned(),
        created: t(0),
    };
    let full = database.enqueue_simulation(&new("ada"), queue(0), Some(&record)).await;
    assert!(matches!(full, Err(EnqueueError::QueueFull)), "which leaves the key free");
    database.enqueue_simulation(&new("ada"), queue(9), Some(&record)).await.unwrap();
    let again = database.enqueue_simulation(&new("ada"), queue(9), Some(&record)).await;
    assert!(matches!(again, Err(EnqueueError::IdempotencyKeyReused)));
    assert_eq!(database.queued_simulations().await.unwrap(), 1);
}

async fn lists_are_filtered_and_paged(bench: Bench) {
    let database = &bench.database;
    let mut ids = Vec::new();
    for owner in ["ada", "bob", "ada", "ada"] {
        let new = new(owner);
        database.enqueue_simulation(&new, queue(9), None).await.unwrap();
        ids.push(new.id);
    }
    claim(database, 0).await.unwrap();
    let listed = async |filter: SimulationFilter, after, limit| {
        let found = database.simulations(&filter, after, limit).await.unwrap();
        found.iter().map(|simulation| simulation.id).collect::<Vec<_>>()
    };
    assert_eq!(listed(SimulationFilter::default(), None, 9).await, ids);
    let adas = SimulationFilter { owner: Some("ada".to_owned()), ..SimulationFilter::default() };
    assert_eq!(listed(adas.clone(), Some(ids[0]), 1).await, [ids[2]]);
    let waiting = SimulationFilter { states: vec![SimulationState::Queued], ..adas };
    assert_eq!(listed(waiting, None, 9).await, [ids[2], ids[3]]);
}

async fn workers_write_nothing_of_the_book(bench: Bench) {
    let database = &bench.database;
    enqueue(database).await;
    let before = database.marks().await.unwrap();
    let lease = claim(database, 0).await.unwrap().lease;
    assert!(database.add_simulation_runs(lease, &[run(1, 0)], 1, None).await.unwrap());
    assert!(database.end_simulation(lease, None, t(1)).await.unwrap());
    assert_eq!(database.marks().await.unwrap(), before);
}
