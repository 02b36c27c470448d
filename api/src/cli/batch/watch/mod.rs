//! A live view of simulations on systems: progress, the queue and use by resource, on a terminal and as a page.
//!
//! Simulations write counters ([`LiveState`]); viewers read them. What stands on standard output stays what it is.

mod page;
mod terminal;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use batch::dispatch::system::System;
use batch::dispatch::{LiveSnapshot, LiveState};
use serde::Serialize;

use crate::cli::Failure;

/// How the live view is asked for.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct WatchArguments {
    /// With systems: show progress, the queue and use by resource on standard error while it runs: a panel on a terminal, else a
    /// line every 5 s
    #[arg(long)]
    watch: bool,
    /// With systems: serve the same as a page at this address while it runs, such as 127.0.0.1:0 (any free port)
    #[arg(long, value_name = "ADDRESS")]
    watch_on: Option<SocketAddr>,
    /// With --watch-on: let it be an address that other computers reach; whoever does may read the page
    #[arg(long, requires = "watch_on")]
    watch_openly: bool,
}

impl WatchArguments {
    /// Whether anything is to be seen.
    pub const fn asked(&self) -> bool {
        self.watch || self.watch_on.is_some()
    }

    /// Whether it is shown on the terminal, where nothing else may be painted then.
    pub const fn on_terminal(&self) -> bool {
        self.watch
    }

    /// Begins to show `watched`; until the answer is dropped.
    pub fn show(&self, watched: &Arc<Watched>) -> Result<Viewers, Failure> {
        let mut viewers = Viewers { watched: Arc::clone(watched), threads: Vec::new() };
        if let Some(address) = self.watch_on {
            if !address.ip().is_loopback() && !self.watch_openly {
                return Err(Failure::BadInput(vec![format!(
                    "--watch-on {address}: other computers reach this address: say --watch-openly too, or name one on 127.0.0.1"
                )]));
            }
            viewers.threads.push(page::serve(address, Arc::clone(watched))?);
        }
        if self.watch {
            viewers.threads.push(terminal::show(Arc::clone(watched)));
        }
        Ok(viewers)
    }
}

/// What shows simulations; it ends with this.
pub struct Viewers {
    watched: Arc<Watched>,
    threads: Vec<JoinHandle<()>>,
}

impl Drop for Viewers {
    fn drop(&mut self) {
        self.watched.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            // A viewer that failed has nothing to end.
            let _ = thread.join();
        }
    }
}

/// Simulations that are watched.
pub struct Watched {
    began: Instant,
    /// How many there are, of which some were finished before.
    instances: usize,
    instances_done: AtomicU64,
    jobs_done: AtomicU64,
    runs: Mutex<Vec<Arc<WatchedRun>>>,
    over: AtomicBool,
}

/// A simulation that runs.
pub struct WatchedRun {
    name: String,
    began: Instant,
    pub state: LiveState,
    /// How many jobs there are; 0 as long as that is not known.
    pub jobs: AtomicU64,
}

/// What viewers show.
#[derive(Serialize)]
struct WatchSnapshot {
    instances: usize,
    instances_done: u64,
    /// Since the beginning, s.
    elapsed_s: f64,
    /// Jobs of all simulations, those that ended before not counted, by wall time.
    jobs_per_s: f64,
    runs: Vec<RunSnapshot>,
}

#[derive(Serialize)]
struct RunSnapshot {
    name: String,
    /// How many jobs there are, if that is known.
    jobs: Option<u64>,
    elapsed_s: f64,
    #[serde(flatten)]
    state: LiveSnapshot,
}

impl Watched {
    /// So many simulations, some of which are done.
    pub fn new(instances: usize, done: usize) -> Arc<Self> {
        Arc::new(Self {
            began: Instant::now(),
            instances,
            instances_done: AtomicU64::new(done as u64),
            jobs_done: AtomicU64::new(0),
            runs: Mutex::new(Vec::new()),
            over: AtomicBool::new(false),
        })
    }

    /// A simulation begins; it has so many jobs, or 0 if nobody knows.
    pub fn begin(&self, name: String, system: &System, jobs: u64) -> Arc<WatchedRun> {
        let (began, state, jobs) = (Instant::now(), LiveState::new(system), AtomicU64::new(jobs));
        let run = Arc::new(WatchedRun { name, began, state, jobs });
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&run));
        run
    }

    /// A simulation ended; whether it is one of those that are counted.
    pub fn end(&self, run: &Arc<WatchedRun>, counted: bool) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.retain(|it| !Arc::ptr_eq(it, run));
        self.jobs_done.fetch_add(run.state.read().jobs_done, Ordering::Relaxed);
        self.instances_done.fetch_add(u64::from(counted), Ordering::Relaxed);
    }

    fn read(&self) -> WatchSnapshot {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot = |run: &Arc<WatchedRun>| RunSnapshot {
            name: run.name.clone(),
            jobs: Some(run.jobs.load(Ordering::Relaxed)).filter(|jobs| *jobs > 0),
            elapsed_s: run.began.elapsed().as_secs_f64(),
            state: run.state.read(),
        };
        let runs: Vec<RunSnapshot> = runs.iter().map(snapshot).collect();
        let now: u64 = runs.iter().map(|run| run.state.jobs_done).sum();
        let elapsed_s = self.began.elapsed().as_secs_f64();
        let done = self.jobs_done.load(Ordering::Relaxed) + now;
        WatchSnapshot {
            instances: self.instances,
            instances_done: self.instances_done.load(Ordering::Relaxed),
            elapsed_s,
            jobs_per_s: done as f64 / elapsed_s.max(0.001),
            runs,
        }
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}
