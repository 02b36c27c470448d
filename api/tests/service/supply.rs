//! A supplier at a virtual time, and settings of a service that asks it.
//!
//! Supplier and service go by the same clock: at the instant a supply began it was `BEGIN`, and since
//! then `rate` seconds pass in one.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use grid_feeds::demonstration::demonstration;
use grid_feeds::provider::rte_tempo;
use planner::agenda::{Agenda, Piece};
use planner::time::{Seconds, Span, Timestamp};
use replay_supplier::{Colour, Supplier, Truth};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::client::Client;
use crate::cluster::now;
use crate::server::{PATIENCE, Server};
use crate::site::Site;

pub const MILLION: i64 = 1_000_000;

/// What the clock shows first: a Friday at noon, before the next day's prices are published.
pub const BEGIN: &str = "2026-03-20T09:00:00Z";

/// A token that no log and no answer may ever show.
pub const SECRET: &str = "s3cret-t0ken-0f-the-site";

pub fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// Hours of January to April 2026, whole units: 40 to 75 EUR/MWh and 20 to 189 g/kWh. Colours are
/// the demonstration's: that Friday and Saturday are white, Sunday and Monday blue.
pub fn truth() -> Truth {
    let start = at("2026-01-01T00:00:00Z");
    let hours = |value: fn(i64) -> i64| {
        let piece = |hour: i64| Piece {
            span: Span::starting(start + Seconds::new(hour * 3600), Seconds::new(3600)).unwrap(),
            value: value(hour) * MILLION,
        };
        Arc::new(Agenda::new((0..24 * 110).map(piece).collect()).unwrap())
    };
    let colour = |colour| match colour {
        rte_tempo::Colour::Blue => Colour::Blue,
        rte_tempo::Colour::White => Colour::White,
        rte_tempo::Colour::Red => Colour::Red,
    };
    let colours = demonstration(at(BEGIN)).unwrap().colours.into_iter();
    Truth {
        price: hours(|hour| 40 + hour % 24 + hour % 13),
        co2: hours(|hour| 20 + (hour * 23) % 170),
        colours: Arc::new(colours.map(|(day, of_day)| (day, colour(of_day))).collect()),
    }
}

/// The value that is true at the start of an hour or of a part of it, as documents write it.
pub fn true_value(truth: &Agenda<i64>, start: i64) -> Value {
    (truth.at(Timestamp::from_unix_seconds(start)).unwrap() as f64 / 1e6).into()
}

pub struct Supply {
    pub supplier: Supplier,
    pub base: String,
    real: i64,
    begin: Timestamp,
    rate: i64,
    ticking: JoinHandle<()>,
}

impl Drop for Supply {
    fn drop(&mut self) {
        self.ticking.abort();
    }
}

#[expect(clippy::disallowed_methods, reason = "the supplier's only clock")]
fn milliseconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

impl Supply {
    pub async fn at_rate(rate: i64) -> Self {
        let (real, begin) = (now(), at(BEGIN));
        let supplier = Supplier::new(truth(), begin);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(supplier.clone().serve(listener));
        let told = supplier.clone();
        let ticking = tokio::spawn(async move {
            loop {
                let passed = (milliseconds() - real * 1000) * rate / 1000;
                told.set_now(begin + Seconds::new(passed));
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        });
        Self { supplier, base, real, begin, rate, ticking }
    }

    /// Another supplier of the same truth, on its own port and by the same clock.
    pub async fn beside(&self) -> (Supplier, String) {
        let supplier = Supplier::new(truth(), self.begin);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(supplier.clone().serve(listener));
        let (told, clock) = (supplier.clone(), self.supplier.clone());
        tokio::spawn(async move {
            loop {
                told.set_now(clock.now());
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        });
        (supplier, base)
    }

    /// What the service's clock is set to.
    pub fn clock(&self) -> String {
        let real = Timestamp::from_unix_seconds(self.real);
        format!("{real}={}@{}", self.begin, self.rate)
    }

    /// Prices of ENTSO-E, with a secret.
    pub fn entsoe(&self, id: &str, more: &str) -> String {
        format!(
            "[[feeds]]\nid = \"{id}\"\nquantity = \"price\"\nprovider = \"entsoe\"\nzone = \"X\"\n\
             base_urls = [\"{}/entsoe\"]\ntoken = {{ file = \"token\" }}\n{more}\n",
            self.base
        )
    }

    /// CO2 intensities of the UK.
    pub fn uk(&self, id: &str, more: &str) -> String {
        format!(
            "[[feeds]]\nid = \"{id}\"\nquantity = \"co2\"\nprovider = \"uk-carbon-intensity\"\n\
             base_url = \"{}\"\n{more}\n",
            self.base
        )
    }

    /// Starts a service with these settings and this clock.
    pub async fn serve(&self, site: &Site, settings: &str) -> Server {
        write(site, settings);
        site.serve_with(&["--config", "wattbook.toml", "--clock", &self.clock()]).await
    }
}

/// Writes the settings file and the secret that it names.
pub fn write(site: &Site, settings: &str) {
    // Top-level settings come before any section.
    let settings = format!("feed_lease_s = 2\n{settings}");
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    std::fs::write(site.folder().join("token"), SECRET).unwrap();
}

/// Charts of prices at a base URL.
pub fn charts(id: &str, base: &str, more: &str) -> String {
    format!(
        "[[feeds]]\nid = \"{id}\"\nquantity = \"price\"\nprovider = \"energy-charts\"\n\
         zone = \"FR\"\nbase_url = \"{base}\"\n{more}\n"
    )
}

/// Asks until the answer is as wanted.
#[track_caller]
pub fn until<'a>(
    client: &'a Client,
    path: &'a str,
    wanted: impl Fn(&Value) -> bool + 'a,
) -> impl Future<Output = Value> + 'a {
    let caller = std::panic::Location::caller();
    async move {
        let give_up = tokio::time::Instant::now() + 3 * PATIENCE;
        loop {
            let answer = client.get(path).await.ok(200);
            if wanted(&answer) {
                return answer;
            }
            assert!(tokio::time::Instant::now() < give_up, "{caller}: not in time: {answer:#}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// The feed of an id in `GET /feeds`.
pub fn feed<'a>(feeds: &'a Value, id: &str) -> &'a Value {
    let all = feeds["feeds"].as_array().unwrap();
    all.iter().find(|feed| feed["id"] == id).unwrap()
}
