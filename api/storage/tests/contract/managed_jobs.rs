//! Jobs that ran in managed reservations.

use planner::identity::ReservationId;
use planner::quantity::Energy;
use planner::resource_manager::{JobPhase, ManagedJob};
use planner::time::Seconds;

use crate::bench::{
    Bench, install_ten_nodes, offer, on_both_engines, propose, ranks, reservation, span, t,
};

on_both_engines![
    jobs_come_back_with_their_reservations,
    a_job_is_known_by_its_id_and_its_submission,
    jobs_are_forgotten_by_id_and_submission,
    many_jobs_are_put_at_once,
    jobs_whose_consumption_is_not_known_are_found_by_their_ends,
];

fn job(id: &str, submitted: i64) -> ManagedJob {
    ManagedJob {
        id: id.to_owned(),
        submitted: t(submitted),
        user: "alice".to_owned(),
        account: "physics".to_owned(),
        partition: "batch".to_owned(),
        name: "test \"it\"".to_owned(),
        state: "RUNNING".to_owned(),
        phase: JobPhase::Running,
        start: Some(t(2001)),
        end: Some(t(2501)),
        limit: Some(Seconds::new(500)),
        nodes: vec!["n1".to_owned(), "n2".to_owned()],
        reservation: Some("wattbook-x".to_owned()),
        energy: None,
    }
}

fn waiting(id: &str, submitted: i64) -> ManagedJob {
    ManagedJob {
        state: "PENDING".to_owned(),
        phase: JobPhase::Waiting,
        start: None,
        end: None,
        limit: None,
        nodes: Vec::new(),
        reservation: None,
        ..job(id, submitted)
    }
}

/// Two reservations, in the order of their ids.
async fn reservations(bench: &Bench) -> [ReservationId; 2] {
    install_ten_nodes(&bench.database).await;
    let first = reservation(vec![offer(ranks(0..2), span(2000, 3000))]);
    let second = reservation(vec![offer(ranks(4..6), span(2000, 3000))]);
    for made in [&first, &second] {
        propose(&bench.database, made, 0).await.unwrap();
    }
    [first.id, second.id]
}

async fn jobs_come_back_with_their_reservations(bench: Bench) {
    let database = &bench.database;
    let [first, second] = reservations(&bench).await;
    let before = database.marks().await.unwrap();
    let jobs = [(second, job("7", 60)), (first, waiting("9_1", 70)), (first, job("8", 50))];
    database.put_managed_jobs(&jobs).await.unwrap();
    let [of_second, waits, runs] = jobs;
    let all = database.managed_jobs_of(&[second, first]).await.unwrap();
    assert_eq!(all, [runs, waits, of_second.clone()]);
    assert_eq!(database.managed_jobs_of(&[second]).await.unwrap(), [of_second]);
    assert_eq!(database.managed_jobs_of(&[]).await.unwrap(), []);
    // No plan rests on jobs.
    assert_eq!(database.marks().await.unwrap(), before);
}

async fn a_job_is_known_by_its_id_and_its_submission(bench: Bench) {
    let database = &bench.database;
    let [first, second] = reservations(&bench).await;
    let measured = Energy::from_microjoules(10_i128.pow(25));
    let ended = ManagedJob {
        phase: JobPhase::Ended,
        state: "COMPLETED".to_owned(),
        energy: Some(measured),
        ..job("7", 60)
    };
    // One of the three is the same job later in one list.
    let jobs = [(first, waiting("7", 60)), (first, ended.clone()), (second, job("7", 90))];
    database.put_managed_jobs(&jobs).await.unwrap();
    assert_eq!(database.managed_jobs_of(&[first]).await.unwrap(), [(first, ended.clone())]);
    assert_eq!(database.managed_jobs_of(&[second]).await.unwrap(), [(second, job("7", 90))]);
    // Who does not tell the energy does not take it back.
    let without = ManagedJob { energy: None, state: "CANCELLED".to_owned(), ..ended.clone() };
    database.put_managed_jobs(&[(first, without)]).await.unwrap();
    let kept = ManagedJob { state: "CANCELLED".to_owned(), ..ended };
    assert_eq!(database.managed_jobs_of(&[first]).await.unwrap(), [(first, kept)]);
}

async fn jobs_are_forgotten_by_id_and_submission(bench: Bench) {
    let database = &bench.database;
    let [first, _] = reservations(&bench).await;
    let (kept, other) = ((first, job("7", 60)), (first, job("7", 90)));
    database.put_managed_jobs(&[kept.clone(), other]).await.unwrap();
    let named = [("7".to_owned(), t(90)), ("8".to_owned(), t(60))];
    database.forget_managed_jobs(&named).await.unwrap();
    assert_eq!(database.managed_jobs_of(&[first]).await.unwrap(), [kept]);
}

/// More than one statement binds.
async fn many_jobs_are_put_at_once(bench: Bench) {
    let [first, _] = reservations(&bench).await;
    let jobs: Vec<_> = (0..5000).map(|id| (first, job(&format!("{id:04}"), 60))).collect();
    bench.database.put_managed_jobs(&jobs).await.unwrap();
    assert_eq!(bench.database.managed_jobs_of(&[first]).await.unwrap(), jobs);
}

/// Since 2500, and those of which nobody saw the end since 2000.
async fn jobs_whose_consumption_is_not_known_are_found_by_their_ends(bench: Bench) {
    let [first, second] = reservations(&bench).await;
    let ended = |id: &str, end: i64, state: &str| ManagedJob {
        phase: JobPhase::Ended,
        state: state.to_owned(),
        end: Some(t(end)),
        ..job(id, 1500)
    };
    let measured =
        ManagedJob { energy: Some(Energy::from_microjoules(1)), ..ended("6", 2700, "COMPLETED") };
    let all = [
        (first, ended("1", 2600, "COMPLETED")),
        (second, ended("2", 2500, "FAILED")),
        (first, ended("3", 2499, "COMPLETED")),
        (first, ended("4", 2000, "UNKNOWN")),
        (first, ended("5", 1999, "UNKNOWN")),
        (first, measured),
        (first, job("7", 1500)),
    ];
    let database = &bench.database;
    database.put_managed_jobs(&all).await.unwrap();
    let found = async |limit| {
        let jobs = database.unaccounted_managed_jobs(t(2500), "UNKNOWN", t(2000), limit).await;
        let jobs = jobs.unwrap();
        jobs.into_iter().map(|(of, job)| (of, job.id)).collect::<Vec<_>>()
    };
    let expected = [(first, "4"), (second, "2"), (first, "1")];
    let expected = expected.map(|(of, id)| (of, id.to_owned()));
    assert_eq!(found(10).await, expected);
    assert_eq!(found(2).await, expected[..2]);
}
