//! Chaos: three replicas on a PostgreSQL of their own, clients at each, and faults one after another and two at a time.
//! Whatever happens no node is booked twice, no cap is exceeded, nothing acknowledged is lost, nothing is done twice that is
//! promised once, and nothing has to be restarted but what was killed.
//!
//! | variable | what | unless set |
//! |---|---|---|
//! | `WATTBOOK_CHAOS_S` | for how many seconds faults happen | 40 |
//! | `WATTBOOK_CHAOS_CLIENTS` | how many clients there are | 64, or 16 for less than two minutes |
//! | `WATTBOOK_CHAOS_PAUSE_MS` | the longest pause of a client between two actions | 500 |
//! | `WATTBOOK_CHAOS_SEED` | what faults and requests are drawn from | the time |
//! | `WATTBOOK_OLDER` | a binary of an earlier release, from which replicas are upgraded (`.ci/rolling-upgrade`) | no upgrade |

mod caller;
mod clients;
pub mod database;
pub mod dice;
mod faults;
mod fleet;
mod forgotten;
mod judgement;
mod listeners;
mod upgrade;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use sqlx::{Connection, PgConnection};
use tempfile::TempDir;
use tokio::task::JoinSet;

use self::caller::{Caller, Tally};
use self::clients::{Behaviour, Client, Promises};
use self::database::{Database, OnDisk};
use self::dice::Dice;
use self::faults::{Fault, Story};
use self::fleet::Fleet;
use self::judgement::unsound;
use self::listeners::{Receiver, Watcher};
use crate::cluster::{Hours, furnish_in, now};
use crate::left_out::left_out;

/// How long offers are held.
pub const HOLD: Duration = Duration::from_mins(1);

/// Nodes of 200 W under a cap that not all of them fit under.
const NODES: u32 = 64;
pub const NODE_W: i64 = 200;
pub const CAP_W: i64 = 9000;

/// Clients have accounts of so many users.
const USERS: usize = 8;

/// From this length of a run on there are many clients.
const LONG: Duration = Duration::from_mins(2);

/// How long clients go on with what they began when nothing new is begun.
const FINISHED_WITHIN: Duration = Duration::from_mins(1);

/// How often the book is judged meanwhile.
const SWEEP: Duration = Duration::from_secs(3);

/// All of it.
pub struct World {
    database: Database,
    fleet: Arc<Fleet>,
    tally: Arc<Tally>,
    receiver: Receiver,
    watcher: Arc<Watcher>,
    tokens: Vec<String>,
    hours: Hours,
    dice: Dice,
    /// For how long faults happen.
    run: Duration,
    begun: Instant,
    _folder: TempDir,
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(format!("WATTBOOK_CHAOS_{name}")).ok().map(|text| text.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whatever_happens_to_three_replicas_and_their_database_promises_are_kept() {
    let test = "chaos::whatever_happens_to_three_replicas_and_their_database_promises_are_kept";
    let Some((world, story)) = play(test, None).await else { return };
    if !world.database.has_disk {
        left_out(test, "full disks in chaos: no mounts of one's own (unshare --user --mount)");
    }
    if world.fleet.clock_library.is_none() {
        left_out(test, "clocks that jump in chaos: no libfaketime; .ci/chaos install brings it");
    }
    if world.database.has_disk && story.count_of(Fault::FullDisk) > 0 {
        assert!(world.tally.disk_told.load(Ordering::Relaxed), "nobody was told of a full disk");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn three_replicas_are_upgraded_one_after_another_and_promises_are_kept() {
    let test = "chaos::three_replicas_are_upgraded_one_after_another_and_promises_are_kept";
    let Some(older) = std::env::var_os("WATTBOOK_OLDER") else {
        return left_out(test, "no binary of an earlier release; .ci/rolling-upgrade builds one");
    };
    play(test, Some(older.into())).await;
}

/// Lets clients act while faults happen, or replicas are upgraded from an older binary, and judges what came of it. `None` where
/// this machine has no PostgreSQL.
async fn play(test: &str, older: Option<PathBuf>) -> Option<(World, Story)> {
    let Some(programs) = database::programs() else {
        let required = std::env::var("WATTBOOK_REQUIRE_POSTGRES").is_ok_and(|it| it == "1");
        assert!(!required, "WATTBOOK_REQUIRE_POSTGRES=1 needs PostgreSQL's initdb and pg_ctl");
        left_out(test, "no PostgreSQL programs; Debian: apt install postgresql");
        return None;
    };
    let seed = variable("SEED").unwrap_or_else(|| now().unsigned_abs());
    let run = Duration::from_secs(variable("S").unwrap_or(40));
    let clients = variable("CLIENTS").unwrap_or(if run < LONG { 16 } else { 64 });
    let pause = Duration::from_millis(variable("PAUSE_MS").unwrap_or(500));
    eprintln!("WATTBOOK_CHAOS_SEED={seed}, {clients} clients, {run:?}");
    let mut world = World::begin(&programs, seed, run, older).await;
    let (promises, story) = world.live(seed, clients, pause).await;
    world.judge(&promises, &story).await;
    world.fleet.assert_well();
    world.tell(&promises, &story);
    let wrong = world.tally.all_wrong();
    assert!(wrong.is_empty(), "seed {seed}, {}: {:#?}", wrong.len(), &wrong[..wrong.len().min(10)]);
    Some((world, story))
}

/// Settings that all replicas share.
fn settings(receiver: &Receiver) -> String {
    format!(
        "hold_s = {}\nfeed_lease_s = 5\n\
         [limits]\nconnections_per_client = 4096\nholds_per_user = 10000\nplans_per_user = 1000\n\
         held_cluster_hours_per_user = 1000000\n\
         [[webhooks]]\nid = \"receiver\"\nurl = \"http://{}/hook\"\nsecret = {{ file = \"secret\" }}\n\
         events = [\"reservation.confirmed\"]\n",
        HOLD.as_secs(),
        receiver.address
    )
}

/// Makes a token by a binary and gives its text.
fn token(
    program: &Path,
    folder: &Path,
    database: &Database,
    (owner, role): (&str, &str),
) -> String {
    let arguments = ["token", "create", "--create-database", "--owner", owner, "--role", role];
    let mut command: Command = crate::site::command_of(program, &arguments);
    command.current_dir(folder).env("WATTBOOK_DATABASE", Database::url(database.port));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

impl World {
    /// A database, three replicas on it, nodes, agendas and users.
    async fn begin(programs: &Path, seed: u64, run: Duration, older: Option<PathBuf>) -> Self {
        let mut dice = Dice::of(seed, 0);
        let database = Database::begin(programs, &mut dice, OnDisk::Tables).await;
        let folder = tempfile::tempdir().unwrap();
        let path: PathBuf = folder.path().to_path_buf();
        let tally = Arc::new(Tally::default());
        let receiver = Receiver::open(Arc::clone(&tally)).await;
        std::fs::write(path.join("secret"), "a-secret-of-the-receiver").unwrap();
        std::fs::write(path.join("wattbook.toml"), settings(&receiver)).unwrap();
        let first = older.clone().unwrap_or_else(|| env!("CARGO_BIN_EXE_wattbook").into());
        let token = |owner: &str, role| token(&first, &path, &database, (owner, role));
        let operator = token("olga", "operator");
        let tokens = (0..USERS).map(|user| token(&format!("user{user}"), "user")).collect();
        let fleet = Fleet::start(&path, &database, older).await;
        // Nothing begins while the run lasts.
        let hours =
            Hours::from((now() / 3600 + 3 + i64::try_from(run.as_secs() / 3600).unwrap()) * 3600);
        let client = crate::client::Client::new(&fleet.address(0).unwrap()).with_token(&operator);
        furnish_in(&client, hours, NODES, Some(CAP_W as f64)).await;
        let watcher = Watcher::new(Arc::clone(&fleet), Arc::clone(&tally), operator);
        let begun = Instant::now();
        Self {
            database,
            fleet,
            tally,
            receiver,
            watcher,
            tokens,
            hours,
            dice,
            run,
            begun,
            _folder: folder,
        }
    }

    /// Clients act and faults happen, until the end.
    async fn live(&mut self, seed: u64, clients: u64, pause: Duration) -> (Vec<Promises>, Story) {
        self.begun = Instant::now();
        let watching = tokio::spawn(Arc::clone(&self.watcher).watch(Dice::of(seed, 1)));
        let sweeping = tokio::spawn(sweep(self.database.port, Arc::clone(&self.tally)));
        let mut acting = JoinSet::new();
        // Clients end after the last fault was mended.
        let (ended, no_more) = tokio::sync::watch::channel(false);
        // Clients of one user share connections: one takes a while to be made.
        let build = |_| reqwest::Client::builder().no_proxy().build().unwrap();
        let connections: Vec<reqwest::Client> = (0..USERS).map(build).collect();
        for number in 0..clients {
            let user = usize::try_from(number).unwrap() % USERS;
            let caller = Caller {
                fleet: Arc::clone(&self.fleet),
                tally: Arc::clone(&self.tally),
                dice: Dice::of(seed, 2 + number),
                http: connections[user].clone(),
                token: self.tokens[user].clone(),
                end: no_more.clone(),
                patience_at_the_end: FINISHED_WITHIN,
            };
            let behaviour = Behaviour { hours: self.hours, pause };
            acting.spawn(Client::new(number, caller, behaviour).run());
        }
        let end = self.begun + self.run;
        let story = match self.fleet.older {
            Some(_) => self.upgrade_all(end).await,
            None => self.suffer(end).await,
        };
        ended.send_replace(true);
        self.run = self.begun.elapsed();
        let promises = acting.join_all().await;
        sweeping.abort();
        self.watcher.stop.store(true, Ordering::Relaxed);
        assert!(!watching.is_finished(), "{:?}", watching.await);
        (promises, story)
    }

    /// Prints the figures.
    fn tell(&self, promises: &[Promises], story: &Story) {
        let seconds = self.run.as_secs_f64();
        let sum = |count: fn(&Promises) -> usize| promises.iter().map(count).sum::<usize>();
        let (confirmed, cancelled) = (sum(|it| it.confirmed.len()), sum(|it| it.cancelled.len()));
        let (kept, unsure) =
            (sum(|it| it.kept.len()), promises.iter().map(|it| it.unsure).sum::<u64>());
        let quotes = self.tally.count("quote", &[200]);
        eprintln!("{}", story.figures());
        eprintln!(
            "{:.1} confirmations and {:.1} quotes a second over {seconds:.0} s, the slowest answer in {:.1?}",
            confirmed as f64 / seconds,
            quotes as f64 / seconds,
            self.tally.longest(),
        );
        eprintln!("answers: {}", self.tally.answers());
        eprintln!(
            "{confirmed} confirmations and {cancelled} cancellations acknowledged, {kept} reservations kept, {unsure} \
             unsure; {} events by the stream, {} by the webhook, {} of them again; {} faults",
            self.watcher.seen().len(),
            self.receiver.count(),
            self.receiver.with(|it| it.repeated),
            story.count,
        );
    }
}

/// Judges the book now and then, whenever the database lets us.
async fn sweep(port: u16, tally: Arc<Tally>) {
    loop {
        tokio::time::sleep(SWEEP).await;
        let Ok(mut database) = PgConnection::connect(&Database::url(port)).await else { continue };
        for wrong in unsound(&mut database).await.into_iter().flatten() {
            tally.wrong(wrong);
        }
    }
}
