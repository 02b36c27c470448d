//! Jobs that ran in managed reservations, and outside of them.

use planner::identity::ReservationId;
use planner::quantity::Energy;
use planner::resource_manager::{JobPhase, JobsSummary, ManagedJob};
use planner::time::{Seconds, Timestamp};

use crate::bench::{
    Bench, install_ten_nodes, offer, on_both_engines, propose, ranks, reservation, span, t,
};

on_both_engines![
    jobs_come_back_with_their_reservations,
    a_job_is_known_by_its_id_and_its_submission,
    raw_ids_are_noted_once_they_are_known,
    jobs_are_forgotten_by_id_and_submission,
    many_jobs_are_put_at_once,
    jobs_whose_consumption_is_not_known_are_found_by_their_ends,
    jobs_are_read_in_parts,
    what_jobs_are_together_is_counted,
    jobs_outside_of_reservations_are_noted_until_one_has_them,
    jobs_outside_of_reservations_are_forgotten_long_after_their_end,
    jobs_that_ran_unseen_are_noted_once_they_are_known,
    the_jobs_that_ended_last_are_read,
];

fn job(id: &str, submitted: i64) -> ManagedJob {
    ManagedJob {
        id: id.to_owned(),
        raw_id: id.parse().ok(),
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
        queued: None,
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
        queued: None,
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
    let all = database.recent_managed_jobs_of(&[second, first], Timestamp::MIN).await.unwrap();
    assert_eq!(all, [runs, waits, of_second.clone()]);
    assert_eq!(
        database.recent_managed_jobs_of(&[second], Timestamp::MIN).await.unwrap(),
        [of_second]
    );
    assert_eq!(database.recent_managed_jobs_of(&[], Timestamp::MIN).await.unwrap(), []);
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
    assert_eq!(
        database.recent_managed_jobs_of(&[first], Timestamp::MIN).await.unwrap(),
        [(first, ended.clone())]
    );
    assert_eq!(
        database.recent_managed_jobs_of(&[second], Timestamp::MIN).await.unwrap(),
        [(second, job("7", 90))]
    );
    // Who does not tell the energy or the raw id does not take them back.
    let without =
        ManagedJob { energy: None, raw_id: None, state: "CANCELLED".to_owned(), ..ended.clone() };
    database.put_managed_jobs(&[(first, without)]).await.unwrap();
    let kept = ManagedJob { state: "CANCELLED".to_owned(), ..ended };
    assert_eq!(
        database.recent_managed_jobs_of(&[first], Timestamp::MIN).await.unwrap(),
        [(first, kept)]
    );
}

/// A task of an array that an earlier release noted, in the same state still.
async fn raw_ids_are_noted_once_they_are_known(bench: Bench) {
    let database = &bench.database;
    let [first, _] = reservations(&bench).await;
    let noted = job("9_1", 60);
    assert_eq!(noted.raw_id, None);
    let known = ManagedJob { raw_id: Some(10), ..noted.clone() };
    for job in [noted, known.clone()] {
        database.put_managed_jobs(&[(first, job)]).await.unwrap();
    }
    let found = database.recent_managed_jobs_of(&[first], Timestamp::MIN).await.unwrap();
    assert_eq!(found, [(first, known)]);
}

async fn jobs_are_forgotten_by_id_and_submission(bench: Bench) {
    let database = &bench.database;
    let [first, _] = reservations(&bench).await;
    let (kept, other) = ((first, job("7", 60)), (first, job("7", 90)));
    database.put_managed_jobs(&[kept.clone(), other]).await.unwrap();
    let named = [("7".to_owned(), t(90)), ("8".to_owned(), t(60))];
    database.forget_managed_jobs(&named).await.unwrap();
    assert_eq!(database.recent_managed_jobs_of(&[first], Timestamp::MIN).await.unwrap(), [kept]);
}

/// More than one statement binds.
async fn many_jobs_are_put_at_once(bench: Bench) {
    let [first, _] = reservations(&bench).await;
    let jobs: Vec<_> = (0..5000).map(|id| (first, job(&format!("{id:04}"), 60))).collect();
    bench.database.put_managed_jobs(&jobs).await.unwrap();
    assert_eq!(
        bench.database.recent_managed_jobs_of(&[first], Timestamp::MIN).await.unwrap(),
        jobs
    );
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

/// Of one reservation 1 to 5 by submission, of which 4 runs and 5 waits; another one has a job.
async fn jobs_are_read_in_parts(bench: Bench) {
    let [first, second] = reservations(&bench).await;
    let ended = |id: &str, submitted: i64, end: i64| ManagedJob {
        phase: JobPhase::Ended,
        end: Some(t(end)),
        ..job(id, submitted)
    };
    let all = [
        (first, ended("1", 1500, 2100)),
        (first, ended("2", 1500, 2400)),
        (first, ended("3", 1600, 2300)),
        (first, job("4", 1700)),
        (first, waiting("5", 1800)),
        (second, ended("6", 1500, 2100)),
    ];
    let database = &bench.database;
    database.put_managed_jobs(&all).await.unwrap();
    let ids = |jobs: Vec<(ReservationId, ManagedJob)>| {
        jobs.into_iter().map(|(of, job)| (of, job.id)).collect::<Vec<_>>()
    };
    let of = |jobs: &[&str], of: ReservationId| {
        jobs.iter().map(|id| (of, (*id).to_owned())).collect::<Vec<_>>()
    };
    let both = [first, second];
    let recent = database.recent_managed_jobs_of(&both, t(2300)).await.unwrap();
    assert_eq!(ids(recent), of(&["2", "3", "4", "5"], first));
    let newest = ids(database.newest_managed_jobs_of(&both, 2).await.unwrap());
    let mut expected = [of(&["4", "5"], first), of(&["6"], second)].concat();
    expected.sort_unstable_by_key(|(of, _)| *of);
    assert_eq!(newest, expected);
    let page = async |after: Option<(i64, &str)>| {
        let after = after.map(|(submitted, id)| (t(submitted), id.to_owned()));
        let jobs = database.managed_jobs_page(first, after, 2).await.unwrap();
        jobs.into_iter().map(|job| job.id).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(page(None).await, "1 2");
    assert_eq!(page(Some((1500, "1"))).await, "2 3");
    assert_eq!(page(Some((1600, "3"))).await, "4 5");
    assert_eq!(page(Some((1800, "5"))).await, "");
}

/// At 2200: a job on two nodes from 2001 to 2151, which is 2 x 150; one on two that runs since 2001, until 2501 at
/// the most: 2 x 199; one that waits. 300 + 398 = 698.
async fn what_jobs_are_together_is_counted(bench: Bench) {
    let [first, second] = reservations(&bench).await;
    let ended =
        |id: &str| ManagedJob { phase: JobPhase::Ended, end: Some(t(2151)), ..job(id, 1500) };
    let database = &bench.database;
    let all = [(first, ended("1")), (first, job("2", 1500)), (first, waiting("3", 1500))];
    database.put_managed_jobs(&all).await.unwrap();
    let summary = async || database.managed_jobs_summary(&[first, second], t(2200)).await.unwrap();
    let expected = JobsSummary {
        jobs: 3,
        lasting: 2,
        unknown_ends: 0,
        begun: 2,
        last_end: Some(t(2151)),
        used_node_seconds: 698,
    };
    assert_eq!(summary().await, [(first, expected)].into());
    // One that was cancelled before it began has no nodes, and nobody knows when another one ended.
    let cancelled = ManagedJob { phase: JobPhase::Ended, end: Some(t(2160)), ..waiting("3", 1500) };
    let unknown = ManagedJob { phase: JobPhase::Ended, end: None, ..job("2", 1500) };
    database.put_managed_jobs(&[(first, cancelled), (first, unknown)]).await.unwrap();
    let expected = JobsSummary { lasting: 0, unknown_ends: 1, last_end: Some(t(2160)), ..expected };
    assert_eq!(summary().await, [(first, expected)].into());
}

async fn jobs_outside_of_reservations_are_noted_until_one_has_them(bench: Bench) {
    let database = &bench.database;
    let [first, _] = reservations(&bench).await;
    assert_eq!(database.running_jobs_outside().await.unwrap(), (Vec::new(), None));
    let before = database.marks().await.unwrap();
    database.put_jobs_outside(&[job("7", 60), job("8", 60)], t(2010)).await.unwrap();
    let running = database.running_jobs_outside().await.unwrap();
    assert_eq!(running, (vec![job("7", 60), job("8", 60)], Some(t(2010))));
    let of_ledger = async || database.ledger_sources(span(0, 3600)).await.unwrap().jobs;
    assert_eq!(of_ledger().await, [(None, job("7", 60)), (None, job("8", 60))]);
    // One of them belongs to a reservation, as is told late, and stays with it whoever tells of it.
    database.put_managed_jobs(&[(first, job("7", 60))]).await.unwrap();
    let ended = ManagedJob { phase: JobPhase::Ended, ..job("7", 60) };
    database.put_jobs_outside(std::slice::from_ref(&ended), t(2520)).await.unwrap();
    assert_eq!(of_ledger().await, [(Some(first), ended.clone()), (None, job("8", 60))]);
    let recent = database.recent_managed_jobs_of(&[first], Timestamp::MIN).await.unwrap();
    assert_eq!(recent, [(first, ended)]);
    database.put_jobs_outside(&[], t(2530)).await.unwrap();
    let running = database.running_jobs_outside().await.unwrap();
    assert_eq!(running, (vec![job("8", 60)], Some(t(2530))));
    // No plan rests on jobs.
    assert_eq!(database.marks().await.unwrap(), before);
}

/// Each ended at 2501 but for one that runs.
async fn jobs_outside_of_reservations_are_forgotten_long_after_their_end(bench: Bench) {
    let database = &bench.database;
    let [first, _] = reservations(&bench).await;
    let ended = |id: &str| ManagedJob { phase: JobPhase::Ended, ..job(id, 60) };
    database.put_managed_jobs(&[(first, ended("1"))]).await.unwrap();
    database.put_jobs_outside(&[ended("2"), job("3", 60)], t(2600)).await.unwrap();
    let unaccounted = database.unaccounted_managed_jobs(t(0), "UNKNOWN", t(0), 10).await.unwrap();
    assert_eq!(unaccounted, [(first, ended("1"))], "the accounting is not asked for the others");
    let left = async |before: i64| {
        database.prune_piece(storage::PrunedKind::JobsOutside, t(before)).await.unwrap();
        let jobs = database.ledger_sources(span(0, 3600)).await.unwrap().jobs;
        jobs.into_iter().map(|(_, job)| job.id).collect::<Vec<_>>()
    };
    assert_eq!(left(2501).await, ["1", "2", "3"]);
    assert_eq!(left(2502).await, ["1", "3"]);
}

/// Jobs were seen last at 2010, and again at 9000. Of 7 nobody saw the end, 8 was seen to end, and 9 is of a reservation.
async fn jobs_that_ran_unseen_are_noted_once_they_are_known(bench: Bench) {
    let database = &bench.database;
    let [first, _] = reservations(&bench).await;
    let unseen = async || database.unseen_outside().await.unwrap();
    database.note_unseen_outside(t(2000)).await.unwrap();
    assert_eq!(unseen().await, None, "nothing was ever seen");
    let ended = |id: &str, end: i64| {
        let state = "COMPLETED".to_owned();
        ManagedJob { phase: JobPhase::Ended, state, end: Some(t(end)), ..job(id, 60) }
    };
    database.put_jobs_outside(&[job("7", 60), ended("8", 2005)], t(2010)).await.unwrap();
    database.note_unseen_outside(t(2010)).await.unwrap();
    assert_eq!(unseen().await, None, "no time has passed");
    database.note_unseen_outside(t(9000)).await.unwrap();
    database.put_jobs_outside(&[job("7", 60).forgotten(t(2010))], t(9000)).await.unwrap();
    database.put_managed_jobs(&[(first, ended("9", 2400))]).await.unwrap();
    assert_eq!(unseen().await, Some(span(2010, 9000)));
    database.note_unseen_outside(t(9500)).await.unwrap();
    assert_eq!(unseen().await, Some(span(2010, 9500)), "the first absence is not asked for yet");

    let told = [ended("7", 2400), ended("8", 2400), ended("9", 2500), ended("10", 2600)];
    database.put_unseen_outside(&told, span(2010, 2700)).await.unwrap();
    assert_eq!(unseen().await, Some(span(2700, 9500)));
    let jobs = database.ledger_sources(span(0, 3600)).await.unwrap().jobs;
    let ends: Vec<_> = jobs.iter().map(|(of, job)| (&*job.id, *of, job.end.unwrap())).collect();
    let expected = [
        ("10", None, t(2600)),
        ("7", None, t(2400)),
        ("8", None, t(2005)),
        ("9", Some(first), t(2400)),
    ];
    assert_eq!(ends, expected);
    database.put_unseen_outside(&[], span(2700, 9500)).await.unwrap();
    assert_eq!(unseen().await, None);
}

/// Those that wait, run or never ran are none of them. The last one is first.
async fn the_jobs_that_ended_last_are_read(bench: Bench) {
    let database = &bench.database;
    let [reservation, _] = reservations(&bench).await;
    let ended = |id: &str, end: i64| ManagedJob {
        phase: JobPhase::Ended,
        end: Some(t(end)),
        ..job(id, 40)
    };
    let never_ran = ManagedJob { start: None, nodes: Vec::new(), ..ended("5", 2900) };
    database.put_managed_jobs(&[(reservation, ended("1", 2300))]).await.unwrap();
    let outside = [ended("2", 2700), ended("3", 2500), job("4", 50), never_ran];
    database.put_jobs_outside(&outside, t(3000)).await.unwrap();
    let ids = |jobs: Vec<ManagedJob>| jobs.into_iter().map(|job| job.id).collect::<Vec<_>>();
    assert_eq!(ids(database.last_ended_jobs(9).await.unwrap()), ["2", "3", "1"]);
    assert_eq!(ids(database.last_ended_jobs(2).await.unwrap()), ["2", "3"]);
}
