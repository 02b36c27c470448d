//! The service of a history, its clock, who speaks to it, and what they know.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::Method;
use serde_json::Value;

use super::expected::Kept;
use super::series::KnownSeries;
use super::trail::Sent;
use crate::client::{Answer, Client, answer};
use crate::cluster::{Hours, furnish_in, instant, now};
use crate::plain_count::{Holding, Limits};
use crate::server::Server;
use crate::site::Site;

/// Who books.
pub const USERS: [&str; 3] = ["ada", "bob", "cleo"];

pub const OPERATOR: &str = "olga";

/// Nodes n0, n1, ... of 200 W.
pub const NODES: u32 = 8;

/// What is announced unless something else is.
pub const CAP_W: f64 = 1000.0;

/// Hours ahead in which things happen.
pub const HOURS: i64 = 5;

/// Hours into which reservations may be extended.
pub const LATER_HOURS: i64 = 22;

/// 2026-03-10T21:00:00Z, so that a day ends within the history.
const EVENING: i64 = 1_773_176_400;

/// Numbers that look random and are the same each time.
pub struct Dice(u64);

impl Dice {
    pub fn below(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    /// One of several.
    pub fn one_of<T: Clone>(&mut self, all: &[T]) -> Option<T> {
        let count = u64::try_from(all.len()).unwrap();
        (count > 0).then(|| all[usize::try_from(self.below(count)).unwrap()].clone())
    }
}

/// At this second of the machine's clock the service's showed that one.
#[derive(Clone, Copy)]
struct SetClock {
    real: i64,
    shown: i64,
}

/// Nodes out of service from an instant on, until another.
pub struct KnownOutage {
    pub id: String,
    pub nodes: Vec<u64>,
    pub start: i64,
    pub end: i64,
}

pub struct World {
    site: Site,
    server: Option<Server>,
    clock: SetClock,
    tokens: BTreeMap<&'static str, String>,
    pub hours: Hours,
    pub dice: Dice,
    pub limits: Limits,
    /// What is announced for each hour.
    pub announced_w: BTreeMap<i64, f64>,
    /// Hour, watts, id.
    pub grants: Vec<(i64, f64, String)>,
    pub outages: Vec<KnownOutage>,
    /// What was confirmed and not cancelled, as it was told last.
    pub kept: BTreeMap<String, Kept>,
    /// Series that were made, by id.
    pub series: BTreeMap<String, KnownSeries>,
    /// What was held by those that were cancelled while they ran.
    pub given_up: Vec<Holding>,
    /// Requests that may have changed something.
    pub sent: Vec<Sent>,
    /// Records of the audit trail before the first of these.
    pub recorded_before: usize,
}

impl World {
    /// A service three quarters of an hour before the first hour.
    pub async fn furnished(site: Site, seed: u64, limits: Limits) -> Self {
        // What was planned counts: no hour is stated within a history.
        let settings = "feed_lease_s = 2\nhold_s = 600\n[negotiation]\n[audit]\nreads = false\n\
            [ledger]\ndelay_s = 86400\n[quotas]\nfile = \"quotas.toml\"\n";
        std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
        let quotas = limits.settings().replace("quotas.rules", "rules");
        std::fs::write(site.folder().join("quotas.toml"), quotas).unwrap();
        let mut tokens = BTreeMap::from([(OPERATOR, site.token(OPERATOR, "operator"))]);
        tokens.extend(USERS.map(|user| (user, site.token(user, "user"))));
        let hours = Hours::from(EVENING);
        let mut world = Self {
            site,
            server: None,
            clock: SetClock { real: now(), shown: hours.at(0) - 2700 },
            tokens,
            hours,
            dice: Dice(seed),
            limits,
            announced_w: (-1..LATER_HOURS).map(|hour| (hour, CAP_W)).collect(),
            grants: Vec::new(),
            outages: Vec::new(),
            kept: BTreeMap::new(),
            series: BTreeMap::new(),
            given_up: Vec::new(),
            sent: Vec::new(),
            recorded_before: 0,
        };
        world.start().await;
        furnish_in(&world.client(OPERATOR), hours, NODES, Some(CAP_W)).await;
        world.recorded_before = world.records().await.len();
        world
    }

    async fn start(&mut self) {
        let clock = format!("{}={}@1", instant(self.clock.real), instant(self.clock.shown));
        let arguments = ["--config", "wattbook.toml", "--clock", &clock];
        self.server = Some(self.site.serve_with(&arguments).await);
    }

    /// The service ends, by a signal or a kill, and goes on half an hour later.
    pub async fn pass_half_an_hour(&mut self) {
        // What was done a moment ago is recorded by then.
        self.records().await;
        let server = self.server.take().unwrap();
        if self.dice.below(2) == 0 {
            server.kill();
        } else {
            server.signal("TERM");
            assert!(server.wait().0.success());
        }
        let shown = self.hours.at(0) - 2700;
        let halves = (self.now() - shown) / 1800 + 1;
        self.clock = SetClock { real: now(), shown: shown + halves * 1800 };
        self.start().await;
    }

    /// What the service's clock shows.
    pub fn now(&self) -> i64 {
        self.clock.shown + now() - self.clock.real
    }

    /// The hour that is now.
    pub fn hour(&self) -> i64 {
        (self.now() - self.hours.at(0)).div_euclid(3600)
    }

    /// One of the hours to come.
    pub fn some_hour(&mut self) -> i64 {
        let ahead = self.dice.below(u64::try_from(HOURS).unwrap());
        self.hour() + 1 + i64::try_from(ahead).unwrap()
    }

    pub fn client(&self, who: &str) -> Client {
        self.server.as_ref().unwrap().client().with_token(&self.tokens[who])
    }

    pub fn command(&self, arguments: &[&str]) -> std::process::Output {
        self.site.command(arguments).output().unwrap()
    }

    /// Every reservation, as the operator sees it.
    pub async fn reservations(&self) -> Vec<Value> {
        self.client(OPERATOR).all_reservations().await
    }

    /// Sends what may change something, and remembers that.
    pub async fn send(
        &mut self,
        who: &str,
        action: &'static str,
        (method, path): (Method, &str),
        body: Option<&Value>,
        version: Option<&str>,
    ) -> Answer {
        let mut request = self.client(who).request(method, path);
        if let Some(body) = body {
            request = request.json(body);
        }
        if let Some(version) = version {
            request = request.header("If-Match", version);
        }
        let answered = answer(request).await;
        self.sent.push(Sent::new(who, action, &answered));
        answered
    }
}

/// A moment, for what happens by itself.
pub async fn moment() {
    tokio::time::sleep(Duration::from_millis(100)).await;
}
