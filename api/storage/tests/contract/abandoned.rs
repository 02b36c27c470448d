//! Callers that go away in the middle of a call, at any await: the others get right answers, and
//! what they were told is so. `WATTBOOK_STORM_S` says for how many seconds; 3 unless set.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use planner::identity::ReservationId;
use planner::reservation::{Ending, OfferSelector, ReservationState};
use storage::{
    Database, NewReservation, NewSimulation, ProposeError, SimulationFilter, SimulationId,
    SimulationQueue,
};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use crate::bench::{
    Bench, install_ten_nodes, next_uuid, offer, on_both_engines, propose, ranks, reservation, span,
    t,
};

on_both_engines![callers_that_go_away_leave_nothing_behind];

/// Who goes away, and who stays: so few that two cores get round to everybody in time.
const IMPATIENT: u64 = 16;
const PATIENT: usize = 4;

/// One storm after the other: two at once leave those who stay no turn on two cores.
static STORM: Mutex<()> = Mutex::const_new(());

/// Room for all.
const QUEUE: SimulationQueue = SimulationQueue { most: 1_000_000, most_of_owner: None };

/// Starts that nobody else asks for.
static NEXT_START: AtomicI64 = AtomicI64::new(2000);

async fn callers_that_go_away_leave_nothing_behind(bench: Bench) {
    let _storm = STORM.lock().await;
    install_ten_nodes(&bench.database).await;
    let seconds = std::env::var("WATTBOOK_STORM_S").map_or(3, |text| text.parse().unwrap());
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut impatient = JoinSet::new();
    for number in 0..IMPATIENT {
        impatient.spawn(go_away(bench.database.clone(), number, end));
    }
    let mut patient = JoinSet::new();
    for _ in 0..PATIENT {
        patient.spawn(stay(bench.database.clone(), end));
    }
    let mut told = Told::default();
    while let Some(more) = patient.join_next().await {
        let more = more.unwrap();
        told.cancelled.extend(more.cancelled);
        told.removed.extend(more.removed);
    }
    let abandoned: u64 = impatient.join_all().await.into_iter().sum();
    assert!(abandoned > 100, "only {abandoned} calls were abandoned");
    assert!(told.removed.len() > 3, "only {} rounds", told.removed.len());
    // As somebody sees it who comes anew, and as the same handle sees it.
    let other = Database::connect(&bench.url).await.unwrap();
    for database in [&other, &bench.database] {
        told.assert_so(database).await;
    }
    other.close().await;
    // Every connection of the pool is in use again.
    let mut after = JoinSet::new();
    for _ in 0..24 {
        let database = bench.database.clone();
        after.spawn(async move { removed(&database).await });
    }
    let again = Told { removed: after.join_all().await, ..Told::default() };
    again.assert_so(&bench.database).await;
    stay(bench.database.clone(), Instant::now()).await.assert_so(&bench.database).await;
    eprintln!("{} rounds told right, {abandoned} calls abandoned", told.removed.len());
}

/// What somebody who stayed was told.
#[derive(Default)]
struct Told {
    cancelled: Vec<ReservationId>,
    removed: Vec<SimulationId>,
}

impl Told {
    async fn assert_so(&self, database: &Database) {
        for id in &self.cancelled {
            let found = database.reservation(*id).await.unwrap();
            let state = found.map(|it| it.state);
            assert_eq!(state, Some(ReservationState::Cancelled), "{id} was cancelled");
        }
        for id in &self.removed {
            assert!(database.simulation(*id).await.unwrap().is_none(), "{id} was removed");
        }
    }
}

fn wanted() -> NewReservation {
    let start = NEXT_START.fetch_add(10, Ordering::Relaxed);
    reservation(vec![offer(ranks(0..5), span(start, start + 10))])
}

fn simulation() -> NewSimulation {
    NewSimulation {
        id: SimulationId::new(next_uuid()),
        owner: "ada".to_owned(),
        experiment: "{}".to_owned(),
        inputs: "{}".to_owned(),
        notes: "[]".to_owned(),
        cells: 1,
        runs: 1,
        created: t(1),
    }
}

/// Calls of all kinds, each abandoned after a while that differs; how many were.
async fn go_away(database: Database, number: u64, end: Instant) -> u64 {
    let mut random = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut abandoned = 0;
    while Instant::now() < end {
        // Xorshift: any spread will do.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let patience = Duration::from_micros(random % 4000);
        let done = tokio::time::timeout(patience, one_of_each(&database, random)).await;
        abandoned += u64::from(done.is_err());
        // Those who stay have their turn, on two cores as well.
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    abandoned
}

async fn one_of_each(database: &Database, random: u64) {
    let wanted = wanted();
    // Few, since each that succeeds makes the plans of those who stay wrong.
    if random.is_multiple_of(8) {
        let _ = propose(database, &wanted, 0).await;
    }
    let _ = database.reservation(wanted.id).await;
    let choice = OfferSelector::Offer(wanted.offers[0].id);
    let _ = database.choose(wanted.id, choice, t(1), None, false).await;
    let _ = database.changes(None, None, t(1), true).await;
    if random.is_multiple_of(2) {
        let _ = database.end(wanted.id, Ending::Cancelled, t(2), None).await;
    }
    let new = simulation();
    let _ = database.enqueue_simulation(&new, QUEUE, None).await;
    let _ = database.simulations(&SimulationFilter::default(), None, 10).await;
    let _ = database.cancel_simulation(new.id, t(3)).await;
    let _ = database.remove_simulation(new.id).await;
    let _ = database.marks().await;
}

/// Books and cancels, enqueues and removes, and looks each time whether what was told is so.
async fn stay(database: Database, end: Instant) -> Told {
    let mut told = Told::default();
    loop {
        let wanted = wanted();
        loop {
            match propose(&database, &wanted, 0).await {
                Ok(()) => break,
                Err(ProposeError::BookChanged { .. } | ProposeError::HoldChosen) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
        assert!(database.reservation(wanted.id).await.unwrap().is_some(), "just proposed");
        database.end(wanted.id, Ending::Cancelled, t(2), None).await.unwrap();
        told.cancelled.push(wanted.id);
        told.removed.push(removed(&database).await);
        if Instant::now() >= end {
            return told;
        }
    }
}

/// A simulation that was enqueued, cancelled and removed.
async fn removed(database: &Database) -> SimulationId {
    let new = simulation();
    database.enqueue_simulation(&new, QUEUE, None).await.unwrap();
    assert!(database.simulation(new.id).await.unwrap().is_some(), "just enqueued");
    assert!(database.cancel_simulation(new.id, t(3)).await.unwrap());
    assert!(database.remove_simulation(new.id).await.unwrap());
    new.id
}
