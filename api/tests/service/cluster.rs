//! A small cluster and agendas by the hour around now.
//!
//! All instants count from `hour(0)`, a full hour between one and two hours ahead, so that nothing
//! in a test starts or ends while it runs.

use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::client::Client;

/// Seconds since the epoch.
#[expect(clippy::disallowed_methods, reason = "the tests' only clock")]
pub fn now() -> i64 {
    let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since_epoch.as_secs()).unwrap()
}

/// Full hours ahead of the instant a test began.
#[derive(Clone, Copy, Debug)]
pub struct Hours(i64);

impl Hours {
    pub fn ahead() -> Self {
        Self((now() / 3600 + 2) * 3600)
    }

    /// Hours from a full hour on, by the service's clock.
    pub const fn from(hour: i64) -> Self {
        Self(hour)
    }

    /// The instant `hours` after the first full hour, in seconds.
    pub const fn at(self, hours: i64) -> i64 {
        self.0 + hours * 3600
    }

    /// The same as text.
    pub fn hour(self, hours: i64) -> String {
        instant(self.at(hours))
    }

    /// `from=...&to=...` for queries.
    pub fn span(self, from: i64, to: i64) -> String {
        format!("from={}&to={}", self.hour(from), self.hour(to))
    }

    /// A request for nodes for an hour, to start between two hours.
    pub fn request(self, nodes: u32, earliest: i64, latest: i64) -> Value {
        json!({
            "nodes": nodes,
            "duration_s": 3600,
            "earliest_start": self.hour(earliest),
            "latest_start": self.hour(latest),
        })
    }

    /// An agenda of an hour for each value, the first from `from` on.
    pub fn agenda(self, name: &str, from: i64, values: &[f64]) -> Value {
        let piece = |(hour, value): (i64, &f64)| json!({ "start": self.hour(hour), "end": self.hour(hour + 1), name: value });
        (from..).zip(values).map(piece).collect()
    }
}

/// An instant as RFC 3339.
pub fn instant(seconds: i64) -> String {
    let instant = DateTime::<Utc>::from_timestamp(seconds, 0).unwrap();
    instant.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// The instant that a document names, in seconds.
pub fn seconds(text: &Value) -> i64 {
    DateTime::parse_from_rfc3339(text.as_str().unwrap()).unwrap().timestamp()
}

/// `count` nodes n0, n1, ... that draw 100 W idle and 200 W at most.
pub fn nodes(count: u32) -> Value {
    let node = |n: u32| json!({ "name": format!("n{n}"), "idle_power_w": 100, "max_power_w": 200 });
    (0..count).map(node).collect()
}

/// Puts `count` like nodes, and flat agendas but for a cheap hour 2 and a clean hour 4, over 32
/// hours from 4 before the first full hour on. Without a cap there is no cap agenda.
pub async fn furnish(client: &Client, count: u32, cap_w: Option<f64>) -> Hours {
    let hours = Hours::ahead();
    furnish_in(client, hours, count, cap_w).await;
    hours
}

/// The same in hours that are given.
pub async fn furnish_in(client: &Client, hours: Hours, count: u32, cap_w: Option<f64>) {
    client.put("/api/v1/nodes", &nodes(count)).await.ok(200);
    let flat_but = |hour: usize, usual: f64, then: f64| {
        let mut values = [usual; 32];
        values[hour + 4] = then;
        values
    };
    let price = hours.agenda("price_per_mwh", -4, &flat_but(2, 200.0, 100.0));
    client.put("/api/v1/agendas/price", &price).await.ok(200);
    let co2 = hours.agenda("intensity_g_per_kwh", -4, &flat_but(4, 60.0, 30.0));
    client.put("/api/v1/agendas/co2", &co2).await.ok(200);
    if let Some(cap_w) = cap_w {
        let cap = hours.agenda("cap_w", -4, &[cap_w; 32]);
        client.put("/api/v1/agendas/power-cap", &cap).await.ok(200);
    }
}

/// Proposes a reservation that must be possible.
pub async fn propose(client: &Client, request: &Value) -> Value {
    client.post("/api/v1/reservations", request).await.ok(201)
}

/// The path of a reservation.
pub fn path(reservation: &Value) -> String {
    format!("/api/v1/reservations/{}", reservation["id"].as_str().unwrap())
}

/// Chooses by a ranking.
pub async fn choose(client: &Client, reservation: &Value, ranking: &str) -> Value {
    let path = format!("{}/choose", path(reservation));
    client.post(&path, &json!({ "ranking": ranking })).await.ok(200)
}

/// Waits until a proposal's hold has passed.
pub async fn expire(reservation: &Value) {
    pass(seconds(&reservation["expires_at"])).await;
}

/// Waits until an instant has passed by everybody's clock.
pub async fn pass(instant: i64) {
    while now() <= instant {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
