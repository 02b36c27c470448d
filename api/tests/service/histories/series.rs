//! Series in a history: what users do to them, and what is known of their reservations since.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use super::actions::assert_refused;
use super::expected::{Kept, id, is_live};
use super::world::{OPERATOR, USERS, World, moment};
use crate::client::Answer;
use crate::cluster::seconds;

/// By what occurrences are chosen.
const CHOICES: [&str; 3] = ["energy", "cost", "co2"];

/// What the service does about a series by itself, it does within so many tenths of a second.
const PATIENCE: u32 = 1200;

/// What is due within so many seconds is done before anything else happens: claims last for a minute.
const DUE_S: i64 = 90;

/// A series that was made.
pub struct KnownSeries {
    owner: String,
    /// How many nodes were asked for, at any time.
    nodes: BTreeSet<u64>,
    is_over: bool,
    /// Whether something of it is tried again later.
    is_unsettled: bool,
}

/// What becomes of what runs where a series ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Running {
    Kept,
    Released,
}

fn occurrences(series: &Value) -> &[Value] {
    series["occurrences"].as_array().unwrap()
}

fn path(id: &str) -> String {
    format!("/api/v1/series/{id}")
}

fn is_due(occurrence: &Value, now: i64) -> bool {
    let at = &occurrence["next_try_at"];
    at.is_string() && seconds(at) <= now + DUE_S
}

impl World {
    /// All of it, or nothing.
    pub async fn make_series(&mut self) {
        let (owner, mut request) = (self.dice.one_of(&USERS).unwrap(), self.some_request());
        let nodes = 1 + self.dice.below(2);
        request["nodes"] = json!(nodes);
        request["duration_s"] = json!(3600);
        let asked = json!({
            "request": request, "recur": self.some_rule(), "time_zone": "UTC",
            "choose": self.dice.one_of(&CHOICES).unwrap(), "where_impossible": "refuse",
        });
        let place = (Method::POST, "/api/v1/series");
        let made = self.send(owner, "create_series", place, Some(&asked), None).await;
        if made.status != 201 {
            assert_refused(&made);
            return;
        }
        let made = made.ok(201);
        let known = KnownSeries {
            owner: owner.to_owned(),
            nodes: BTreeSet::from([nodes]),
            is_over: false,
            is_unsettled: false,
        };
        self.series.insert(id(&made), known);
        let made = self.settled_series(&id(&made)).await;
        let booked = |it: &Value| (it["state"].clone(), it["reservation_state"].clone());
        for it in occurrences(&made) {
            assert_eq!(booked(it), (json!("booked"), json!("confirmed")), "{made}");
        }
        self.learn(&made, Running::Kept).await;
    }

    fn some_rule(&mut self) -> String {
        let (every, count) = (1 + self.dice.below(2), 2 + self.dice.below(2));
        format!("FREQ=HOURLY;INTERVAL={every};COUNT={count}")
    }

    fn some_series(&mut self) -> Option<(String, String)> {
        let running = self.series.iter().filter(|(_, it)| !it.is_over);
        let running: Vec<_> = running.map(|(id, it)| (id.clone(), it.owner.clone())).collect();
        self.dice.one_of(&running)
    }

    /// Occurrences that cannot be had otherwise keep what they have.
    pub async fn change_series(&mut self) {
        let Some((id, owner)) = self.some_series() else { return };
        let nodes = 1 + self.dice.below(3);
        let patch = match self.dice.below(3) {
            0 => json!({ "recur": self.some_rule() }),
            1 => json!({ "choose": self.dice.one_of(&CHOICES).unwrap() }),
            _ => json!({ "request": { "nodes": nodes } }),
        };
        self.series.get_mut(&id).unwrap().nodes.insert(nodes);
        let place = path(&id);
        let place = (Method::PATCH, place.as_str());
        let changed = self.send(&owner, "modify_series", place, Some(&patch), None).await;
        if changed.status == 400 {
            // All that the rule has was left out before.
            assert_eq!(changed.any_problem()["errors"][0]["pointer"], "/recur", "{changed:?}");
            return;
        }
        self.done(&id, &changed, Running::Kept).await;
    }

    /// One occurrence with a reservation that has yet to begin.
    pub async fn leave_out(&mut self) {
        let Some((id, owner)) = self.some_series() else { return };
        let series = self.client(OPERATOR).get(&path(&id)).await.ok(200);
        let to_come: Vec<Value> = occurrences(&series)
            .iter()
            .filter(|it| it["reservation_state"] == "confirmed")
            .map(|it| it["occurrence"].clone())
            .collect();
        let Some(name) = self.dice.one_of(&to_come) else { return };
        let place = format!("{}/occurrences/{}", path(&id), name.as_str().unwrap());
        let place = (Method::DELETE, place.as_str());
        let left_out = self.send(&owner, "skip_occurrence", place, None, None).await;
        self.done(&id, &left_out, Running::Kept).await;
        if left_out.status == 200 {
            let series = left_out.ok(200);
            let it = occurrences(&series).iter().find(|it| it["occurrence"] == name).unwrap();
            // What was given to somebody else stays theirs.
            assert!(it["state"] == "left_out" || it["state"] == "booked", "{name}: {series}");
            assert_ne!(it["reservation_state"], "confirmed", "{name}: {series}");
        }
    }

    pub async fn end_series(&mut self) {
        let Some((id, owner)) = self.some_series() else { return };
        let running = self.dice.one_of(&[Running::Kept, Running::Released]).unwrap();
        let what = if running == Running::Released { "?running=release" } else { "" };
        let place = path(&id) + what;
        let place = (Method::DELETE, place.as_str());
        let ended = self.send(&owner, "end_series", place, None, None).await;
        self.done(&id, &ended, running).await;
        if ended.status == 200 {
            let series = ended.ok(200);
            assert_eq!(series["state"], "ended");
            // As its owner sees it: what was given to somebody else is not told.
            for it in occurrences(&series) {
                assert_ne!(it["reservation_state"], "confirmed", "{series}");
            }
        }
    }

    /// With what its owner has of it. Where one reservation cannot be given, those before it are, and the series is not.
    pub async fn give_series(&mut self) {
        let Some((id, owner)) = self.some_series() else { return };
        let to = self.dice.one_of(&USERS).unwrap();
        let (place, body) = (path(&id) + "/transfer", json!({ "owner": to }));
        let place = (Method::POST, place.as_str());
        let given = self.send(&owner, "transfer_series", place, Some(&body), None).await;
        let is_given = given.status == 200;
        if is_given {
            to.clone_into(&mut self.series.get_mut(&id).unwrap().owner);
        } else {
            assert_refused(&given);
        }
        let series = self.settled_series(&id).await;
        for it in occurrences(&series) {
            let Some(reservation) = it["reservation_id"].as_str() else { continue };
            if self.kept.get(reservation).is_none_or(|was| was.owner != owner) {
                continue;
            }
            let place = format!("/api/v1/reservations/{reservation}");
            let now = self.client(OPERATOR).get(&place).await.ok(200);
            let (is_its, has) = (is_given && is_live(&now), now["owner"].as_str().unwrap());
            assert!(has == to || (has == owner && !is_its), "{now}");
            has.clone_into(&mut self.kept.get_mut(reservation).unwrap().owner);
        }
        self.learn(&series, Running::Kept).await;
    }

    async fn done(&mut self, id: &str, answered: &Answer, running: Running) {
        if answered.status != 200 {
            assert_refused(answered);
        }
        let series = self.settled_series(id).await;
        self.learn(&series, running).await;
    }

    /// What is due of all series is done: the half-hours that pass bring it.
    pub async fn series_settled(&mut self) {
        let unsettled = self.series.iter().filter(|(_, it)| it.is_unsettled);
        let ids: Vec<String> = unsettled.map(|(id, _)| id.clone()).collect();
        for id in ids {
            let series = self.settled_series(&id).await;
            self.learn(&series, Running::Kept).await;
        }
        let operator = self.client(OPERATOR);
        for (id, known) in self.series.iter_mut().filter(|(_, it)| !it.is_over) {
            known.is_over = operator.get(&path(id)).await.ok(200)["state"] != "running";
        }
    }

    /// A series of which nothing is due.
    async fn settled_series(&self, id: &str) -> Value {
        for _ in 0..PATIENCE {
            let series = self.client(OPERATOR).get(&path(id)).await.ok(200);
            if !occurrences(&series).iter().any(|it| is_due(it, self.now())) {
                return series;
            }
            moment().await;
        }
        panic!("{id} has something to be done that is not done");
    }

    /// What the reservations of a series are since: as it asks for, or cancelled since it says so. Exceptions, and what was
    /// given to others, are what they were.
    async fn learn(&mut self, series: &Value, running: Running) {
        let known = self.series.get_mut(&id(series)).unwrap();
        known.is_over = series["state"] != "running";
        known.is_unsettled = occurrences(series).iter().any(|it| it["next_try_at"].is_string());
        let (owner, asked) = (known.owner.clone(), known.nodes.clone());
        for it in occurrences(series) {
            let Some(reservation) = it["reservation_id"].as_str() else { continue };
            let place = format!("/api/v1/reservations/{reservation}");
            let now = self.client(OPERATOR).get(&place).await.ok(200);
            let gone = it["state"] == "left_out" || it["state"] == "ended";
            if gone {
                assert_eq!(now["state"], "cancelled", "{series}");
                let was = self.kept.remove(reservation);
                assert!(was.is_none_or(|was| self.now() < was.start + 60), "{series}");
                continue;
            }
            let was = self.kept.get(reservation);
            let ran = was.is_some_and(|it| it.state(self.now()) == "active");
            if running == Running::Released && ran && now["owner"] == owner.as_str() {
                let (was, now) = (was.unwrap(), Kept::of(&now));
                assert_eq!(Kept { end: was.end, ..now.clone() }, *was);
                assert!(now.end <= self.now(), "{series}");
                self.kept.insert(reservation.to_owned(), now);
            } else if is_live(&now) && it["exception"] == false && now["owner"] == owner.as_str() {
                let now = Kept::of(&now);
                assert!(asked.contains(&now.nodes), "{series}");
                self.kept.insert(reservation.to_owned(), now);
            }
        }
    }
}
