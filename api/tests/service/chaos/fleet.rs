//! Three processes of the service on one database, each by a link of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::database::Database;
use super::dice::Dice;
use crate::clock_jumps::clock_library;
use crate::link::Link;
use crate::server::Server;
use crate::site::{command_of, wattbook};

/// How many replicas there are.
pub const REPLICAS: usize = 3;

/// How long a replica may take until it is ready after a fault was mended, and books again.
const READY_WITHIN: Duration = Duration::from_mins(1);

/// How often it is asked whether it is.
const LOOK: Duration = Duration::from_millis(50);

/// A process of the service.
pub struct Replica {
    pub link: Link,
    server: Mutex<Option<Server>>,
    /// Where clients find it; `None` while it is known not to be there, as a proxy knows.
    address: Mutex<Option<String>>,
    /// Choices that it acknowledged.
    acknowledged: AtomicU64,
    /// By how much its clock is wrong, for the library that sets it.
    clock: PathBuf,
}

/// All of them.
pub struct Fleet {
    folder: PathBuf,
    pub replicas: Vec<Replica>,
    /// The library that sets the clock of a process while it runs.
    pub clock_library: Option<PathBuf>,
    has_jumped: AtomicBool,
    /// A binary of an earlier release, which replicas begin with where they are to be upgraded.
    pub older: Option<PathBuf>,
    /// Whether any was, so that the database is as the newer binary needs it.
    is_newer: AtomicBool,
}

impl Fleet {
    /// Starts all replicas in a folder with their settings.
    pub async fn start(folder: &Path, database: &Database, older: Option<PathBuf>) -> Arc<Self> {
        let mut replicas = Vec::new();
        for number in 0..REPLICAS {
            replicas.push(Replica {
                link: Link::to(database.port).await,
                server: Mutex::default(),
                address: Mutex::default(),
                acknowledged: AtomicU64::new(0),
                clock: folder.join(format!("clock-{number}")),
            });
        }
        let (folder, clock_library) = (folder.to_path_buf(), clock_library());
        let (has_jumped, is_newer) = (AtomicBool::new(false), AtomicBool::new(false));
        let fleet = Self { folder, replicas, clock_library, has_jumped, older, is_newer };
        for number in 0..REPLICAS {
            fleet.set_clock(number, 0);
            fleet.start_one(number);
            fleet.until_ready(number).await;
        }
        fleet.has_jumped.store(false, Ordering::Relaxed);
        Arc::new(fleet)
    }

    /// A command of the binary with the replicas' settings, on a database.
    pub fn command(&self, database_port: u16, arguments: &[&str]) -> Command {
        let mut command = match &self.older {
            Some(older) if !self.is_newer.load(Ordering::Relaxed) => command_of(older, arguments),
            _ => wattbook(arguments),
        };
        command.current_dir(&self.folder).env("WATTBOOK_CONFIG", "wattbook.toml");
        command.env("WATTBOOK_DATABASE", Database::url(database_port));
        command
    }

    /// Starts a replica that does not run, and waits until it listens.
    pub fn start_one(&self, number: usize) {
        let replica = &self.replicas[number];
        let mut command = self.command(replica.link.port, &["serve", "--listen", "127.0.0.1:0"]);
        if let Some(library) = &self.clock_library {
            command.env("LD_PRELOAD", library).env("FAKETIME_TIMESTAMP_FILE", &replica.clock);
            command.env("FAKETIME_CACHE_DURATION", "1").env("NO_FAKE_STAT", "1");
            // Watches go on as they did: what is wrong is the time of day.
            command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").env("DONT_FAKE_MONOTONIC", "1");
        }
        let server = tokio::task::block_in_place(|| Server::launch(command));
        *replica.address.lock().unwrap() = Some(server.address.clone());
        *replica.server.lock().unwrap() = Some(server);
    }

    /// SIGKILL.
    pub fn kill(&self, number: usize) {
        *self.replicas[number].address.lock().unwrap() = None;
        if let Some(server) = self.replicas[number].server.lock().unwrap().take() {
            assert_no_panic(&server);
            server.kill();
        }
    }

    /// Ends a replica as an operator does, and starts the newer binary in its place.
    pub async fn upgrade(&self, number: usize) {
        self.is_newer.store(true, Ordering::Relaxed);
        *self.replicas[number].address.lock().unwrap() = None;
        let server = self.replicas[number].server.lock().unwrap().take().unwrap();
        assert_no_panic(&server);
        server.signal("TERM");
        let (status, log) = tokio::task::block_in_place(|| server.wait());
        assert!(status.success(), "replica {number} ended with {status}: {log}");
        self.start_one(number);
        self.until_ready(number).await;
    }

    /// Sends a signal by its name.
    pub fn signal(&self, number: usize, name: &str) {
        self.replicas[number].server.lock().unwrap().as_ref().unwrap().signal(name);
    }

    /// Lets a replica's clock be wrong by so many seconds, within a second.
    pub fn set_clock(&self, number: usize, seconds: i64) {
        std::fs::write(&self.replicas[number].clock, format!("{seconds:+}\n")).unwrap();
        self.has_jumped.store(true, Ordering::Relaxed);
    }

    /// Whether any clock was wrong at any time.
    pub fn has_jumped(&self) -> bool {
        self.has_jumped.load(Ordering::Relaxed)
    }

    /// A replica for a client, and where it is.
    pub fn any(&self, dice: &mut Dice) -> Option<(usize, String)> {
        let number = dice.index(REPLICAS);
        Some((number, self.address(number)?))
    }

    /// Where a replica is.
    pub fn address(&self, number: usize) -> Option<String> {
        self.replicas[number].address.lock().unwrap().clone()
    }

    /// A client was told of a choice.
    pub fn acknowledged(&self, number: usize) {
        self.replicas[number].acknowledged.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until a replica says that it is ready.
    pub async fn until_ready(&self, number: usize) {
        let http = reqwest::Client::builder().no_proxy().timeout(READY_WITHIN).build().unwrap();
        let begun = Instant::now();
        loop {
            let address = self.address(number).unwrap();
            let answer = http.get(format!("http://{address}/health/ready")).send().await;
            if answer.is_ok_and(|it| it.status() == 200) {
                return;
            }
            let took = begun.elapsed();
            assert!(
                took < READY_WITHIN,
                "replica {number} is not ready: {}",
                self.end_of_log(number)
            );
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits until a replica that is cut off says that it is not ready; how long that took.
    pub async fn until_not_ready(&self, number: usize, within: Duration) -> Duration {
        let http = reqwest::Client::builder().no_proxy().timeout(within).build().unwrap();
        let address = self.address(number).unwrap();
        let begun = Instant::now();
        loop {
            let answer = http.get(format!("http://{address}/health/ready")).send().await;
            let took = begun.elapsed();
            if answer.is_ok_and(|it| it.status() == 503) {
                return took;
            }
            assert!(took < within, "replica {number} does not notice: {}", self.end_of_log(number));
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits until all replicas are ready, and have acknowledged a choice from now on; how long both took.
    pub async fn until_all_book(&self) -> (Duration, Duration) {
        let begun = Instant::now();
        let acknowledged = |it: &Replica| it.acknowledged.load(Ordering::Relaxed);
        let before: Vec<u64> = self.replicas.iter().map(acknowledged).collect();
        for number in 0..REPLICAS {
            self.until_ready(number).await;
        }
        let ready = begun.elapsed();
        for (number, (replica, before)) in self.replicas.iter().zip(before).enumerate() {
            while acknowledged(replica) == before {
                let is_late = begun.elapsed() > 2 * READY_WITHIN;
                assert!(!is_late, "replica {number} books nothing: {}", self.end_of_log(number));
                tokio::time::sleep(LOOK).await;
            }
        }
        (ready, begun.elapsed())
    }

    /// No replica ended by itself, and none panicked.
    pub fn assert_well(&self) {
        for replica in &self.replicas {
            assert_no_panic(replica.server.lock().unwrap().as_ref().unwrap());
        }
    }

    /// What a replica wrote last.
    pub fn end_of_log(&self, number: usize) -> String {
        let log = self.replicas[number].server.lock().unwrap().as_ref().unwrap().log();
        let lines: Vec<&str> = log.lines().rev().take(60).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n")
    }
}

fn assert_no_panic(server: &Server) {
    let log = server.log();
    assert!(!log.contains("panicked"), "{log}");
    // What a fault of the service itself was: its answer says only that the log has it.
    let is_fault = |line: &&str| line.contains(" ERROR ") && !line.contains("503 Service");
    log.lines().filter(is_fault).for_each(|line| eprintln!("{line}"));
}
