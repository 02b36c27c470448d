//! A replay supplier: the interfaces of all suppliers that the feeds know, served from local series
//! by a virtual clock, with faults to switch on.
//!
//! For tests and demonstrations. It writes payloads on its own and shares no code with the feeds
//! that read them. What is not published yet at the virtual time is not told.
//!
//! | supplier | base URL |
//! |---|---|
//! | AEMO | `/aemo` |
//! | Elexon | `/elexon` |
//! | ENTSO-E | `/entsoe` |
//! | Grid companies of Japan | `/japan-area` |
//! | ODRE | `/odre` |
//! | Open Electricity | `/openelectricity` |
//! | RTE | `/rte` |
//! | all others | `/` |
//!
//! `PUT /control/clock/{RFC 3339}`, `PUT /control/rate/{virtual seconds in a real one}`,
//! `PUT /control/fault/{name}` and `DELETE /control/fault` switch a running supplier.

mod clock;
mod control;
mod fault;
mod supplier;
mod truth;
mod view;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use planner::time::Timestamp;
use tokio::net::TcpListener;

pub use clock::eve_of_clock_change;
pub use fault::Fault;
pub use supplier::{ReplayedSource, sources};
pub use truth::{Colour, Truth};

use self::clock::Clock;
use self::fault::Faults;
use self::view::View;

/// A supplier that replays series. Clones share their state.
#[derive(Clone)]
pub struct Supplier(Arc<Inner>);

struct Inner {
    truth: Truth,
    clock: Mutex<Clock>,
    faults: Mutex<Faults>,
    requests: AtomicU64,
}

impl Supplier {
    /// A supplier that tells of `truth` what is known at `now`, where its clock stands still.
    pub fn new(truth: Truth, now: Timestamp) -> Self {
        Self(Arc::new(Inner {
            truth,
            clock: Mutex::new(Clock::standing(now)),
            faults: Mutex::new(Faults::None),
            requests: AtomicU64::new(0),
        }))
    }

    /// Sets the virtual clock.
    pub fn set_now(&self, now: Timestamp) {
        self.clock().set(now);
    }

    /// Lets the virtual clock run, so many seconds in a real one; 0 stops it.
    pub fn set_rate(&self, rate: f64) {
        self.clock().set_rate(rate);
    }

    /// The virtual time.
    pub fn now(&self) -> Timestamp {
        self.clock().now()
    }

    /// All answers from now on have this fault, or none.
    pub fn set_fault(&self, fault: Option<Fault>) {
        *self.faults() = fault.map_or(Faults::None, Faults::Always);
    }

    /// Each fault has its share of all answers from now on, the same ones for one `seed`. Shares
    /// are between 0 and 1; what comes after a sum of 1 has none.
    pub fn set_random_faults(&self, seed: u64, shares: &[(Fault, f64)]) {
        *self.faults() = Faults::Random { seed, shares: shares.to_vec() };
    }

    /// How many requests were answered, faults included.
    pub fn requests(&self) -> u64 {
        self.0.requests.load(Ordering::SeqCst)
    }

    /// Its routes, for a server of one's own.
    pub fn router(&self) -> Router {
        supplier::routes()
            .layer(from_fn_with_state(self.clone(), answer))
            .merge(control::routes(self.clone()))
    }

    /// Serves on `listener` until it fails.
    ///
    /// # Errors
    /// Those of the listener.
    pub async fn serve(self, listener: TcpListener) -> std::io::Result<()> {
        axum::serve(listener, self.router()).await
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.0.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn faults(&self) -> MutexGuard<'_, Faults> {
        self.0.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers a request with the fault of its turn.
async fn answer(State(supplier): State<Supplier>, mut request: Request, next: Next) -> Response {
    let turn = supplier.0.requests.fetch_add(1, Ordering::SeqCst);
    let fault = supplier.faults().of_turn(turn);
    let view = View::new(supplier.0.truth.clone(), supplier.now(), fault);
    request.extensions_mut().insert(view);
    fault::applied(fault, request, next).await
}
