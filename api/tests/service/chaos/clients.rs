//! Clients that propose, choose, cancel, modify, quote and read by way of any replica, and know what they were told.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};

use super::caller::{Call, Caller, Outcome, Tally};
use super::fleet::Fleet;
use crate::client::Answer;
use crate::cluster::Hours;

/// How many reservations a client keeps; beyond it cancels.
const MOST_KEPT: usize = 6;

/// Hours after the first in which reservations may begin.
const WINDOW_H: i64 = 12;

/// What a client was told of a reservation that is confirmed.
#[derive(Clone, Debug)]
pub struct Kept {
    pub id: String,
    pub offer: String,
    pub start: String,
    pub end: String,
    pub nodes: u64,
    /// Its version.
    tag: String,
    /// Nodes of modifications that were cut off and then refused: one may have been done all the same.
    pub perhaps: Vec<u64>,
}

/// What a client knows at the end.
#[derive(Default)]
pub struct Promises {
    pub kept: Vec<Kept>,
    /// Cancellations that were acknowledged.
    pub cancelled: Vec<String>,
    /// Every confirmation that was acknowledged.
    pub confirmed: Vec<String>,
    /// Keys of requests that were sent.
    pub keys: u64,
    /// Reservations of which nothing definite was told at last.
    pub unsure: u64,
}

/// What is cancelled: an earlier try may be done, and what nobody chooses expires.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Proposed,
    Confirmed,
}

/// How clients behave.
#[derive(Clone)]
pub struct Behaviour {
    pub hours: Hours,
    /// The longest pause between two actions.
    pub pause: Duration,
}

/// A client of one user.
pub struct Client {
    number: u64,
    caller: Caller,
    behaviour: Behaviour,
    promises: Promises,
}

fn path(id: &str) -> String {
    format!("/api/v1/reservations/{id}")
}

fn document(answer: &Answer) -> Value {
    serde_json::from_str(&answer.body).unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Client {
    /// A client with a number.
    pub fn new(number: u64, caller: Caller, behaviour: Behaviour) -> Self {
        Self { number, caller, behaviour, promises: Promises::default() }
    }

    fn fleet(&self) -> &Arc<Fleet> {
        &self.caller.fleet
    }

    fn tally(&self) -> &Arc<Tally> {
        &self.caller.tally
    }

    fn wrong(&self, what: &str, answer: &Answer) {
        self.tally().wrong(format!("client {}: {what}: {answer:?}", self.number));
    }

    /// Acts until the end.
    pub async fn run(mut self) -> Promises {
        while !self.caller.is_over() {
            match self.caller.dice.below(10) {
                0..=2 => self.quote().await,
                3..=6 => self.book().await,
                7 => self.modify().await,
                8 => self.look().await,
                _ => self.cancel().await,
            }
            if self.promises.kept.len() > MOST_KEPT {
                self.cancel().await;
            }
            let most = u64::try_from(self.behaviour.pause.as_millis()).unwrap();
            let pause = self.caller.dice.below(most + 1);
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
        self.promises
    }

    fn some_request(&mut self) -> Value {
        let dice = &mut self.caller.dice;
        let earliest = i64::try_from(dice.below(WINDOW_H.unsigned_abs())).unwrap();
        let nodes = u32::try_from(dice.between(1, 3)).unwrap();
        let mut request = self.behaviour.hours.request(nodes, earliest, WINDOW_H);
        request["duration_s"] = json!([900, 1800, 3600][self.caller.dice.index(3)]);
        request
    }

    async fn quote(&mut self) {
        let call = Call::new("quote", Method::POST, "/api/v1/quotes".to_owned());
        let call = call.body(self.some_request());
        self.caller.once(&call).await;
    }

    /// Proposes under a key, and mostly chooses.
    async fn book(&mut self) {
        let mut request = self.some_request();
        let key = format!("{}-{}", self.number, self.promises.keys);
        self.promises.keys += 1;
        request["note"] = json!(key);
        let call = Call::new("propose", Method::POST, "/api/v1/reservations".to_owned());
        let call = call.body(request).header("Idempotency-Key", key);
        let Some(told) = self.caller.insist(&call).await else { return };
        let proposed = document(&told.answer);
        match told.answer.status {
            200 | 201 => {}
            422 if proposed["code"] == "impossible" => return,
            _ => return self.wrong("a proposal", &told.answer),
        }
        let id = text(&proposed["id"]);
        match self.caller.dice.below(10) {
            // Nobody chooses: it expires.
            0 => {}
            1 => self.cancel_one(&id, State::Proposed).await,
            _ => self.choose(&proposed).await,
        }
    }

    async fn choose(&mut self, proposed: &Value) {
        let proposed_at = Instant::now();
        let offers = proposed["offers"].as_array().cloned().unwrap_or_default();
        let offer = text(&offers[self.caller.dice.index(offers.len().max(1))]["offer_id"]);
        let id = text(&proposed["id"]);
        let choice = json!({ "offer_id": offer });
        let call = Call::new("choose", Method::POST, format!("{}/choose", path(&id))).body(choice);
        let Some(told) = self.caller.insist(&call).await else {
            self.promises.unsure += 1;
            return;
        };
        let Outcome { answer, replica, .. } = &told;
        match (answer.status, document(answer)["code"].as_str()) {
            (200, _) => {
                self.fleet().acknowledged(*replica);
                let kept = kept_of(answer);
                if kept.offer != offer || kept.id != id {
                    self.wrong("another offer was chosen", answer);
                }
                self.promises.confirmed.push(id);
                self.promises.kept.push(kept);
            }
            // It took longer than the hold, or some clock was wrong.
            (409, Some("offers_expired" | "wrong_state")) => {
                let is_late = proposed_at.elapsed() + Duration::from_secs(5) > super::HOLD;
                if !is_late && !self.fleet().has_jumped() {
                    self.wrong("a hold ended early", answer);
                }
                self.promises.unsure += 1;
            }
            _ => self.wrong("a choice", answer),
        }
    }

    /// One of what is kept, if any.
    fn some_kept(&mut self) -> Option<Kept> {
        let count = self.promises.kept.len();
        (count > 0).then(|| self.promises.kept[self.caller.dice.index(count)].clone())
    }

    fn keep(&mut self, kept: Kept) {
        let place = self.promises.kept.iter_mut().find(|it| it.id == kept.id);
        *place.unwrap() = kept;
    }

    fn forget(&mut self, id: &str) {
        self.promises.kept.retain(|it| it.id != id);
    }

    /// Other nodes for a reservation, if it is still as it was told.
    async fn modify(&mut self) {
        let Some(mut kept) = self.some_kept() else { return };
        let nodes = self.caller.dice.between(1, 4);
        let call = Call::new("modify", Method::PATCH, path(&kept.id));
        let call = call.body(json!({ "nodes": nodes })).header("If-Match", kept.tag.clone());
        let Some(told) = self.caller.insist(&call).await else {
            kept.perhaps.push(nodes);
            return self.keep(kept);
        };
        let code = document(&told.answer)["code"].clone();
        if told.was_cut {
            kept.perhaps.push(nodes);
        }
        match (told.answer.status, code.as_str()) {
            (200, _) => {
                let now = kept_of(&told.answer);
                if now.nodes != nodes {
                    self.wrong("a modification to other nodes", &told.answer);
                }
                self.keep(now);
            }
            (422, Some("impossible")) => self.keep(kept),
            // What was cut off was done.
            (412, _) if !kept.perhaps.is_empty() => self.read_anew(&kept.id, &kept.perhaps).await,
            _ => self.wrong(&format!("a modification of {kept:?}"), &told.answer),
        }
    }

    /// Reads what became of a reservation whose modification was cut off.
    async fn read_anew(&mut self, id: &str, perhaps: &[u64]) {
        let call = Call::new("read", Method::GET, path(id));
        let Some(told) = self.caller.insist(&call).await else {
            self.promises.unsure += 1;
            return self.forget(id);
        };
        let now = kept_of(&told.answer);
        if told.answer.status != 200 || !perhaps.contains(&now.nodes) {
            self.wrong(&format!("not what a modification wanted ({perhaps:?})"), &told.answer);
        }
        self.keep(now);
    }

    /// Whether what was told is so, by whichever replica.
    async fn look(&mut self) {
        let Some(kept) = self.some_kept() else { return };
        let call = Call::new("read", Method::GET, path(&kept.id));
        let Some((answer, _)) = self.caller.once(&call).await else { return };
        if answer.status == 503 {
            return;
        }
        let now = kept_of(&answer);
        let is_same = (&now.offer, &now.start, now.nodes, &now.tag)
            == (&kept.offer, &kept.start, kept.nodes, &kept.tag);
        if answer.status != 200 || (!is_same && !kept.perhaps.contains(&now.nodes)) {
            self.wrong(&format!("{kept:?} was told"), &answer);
        }
    }

    async fn cancel(&mut self) {
        let Some(kept) = self.some_kept() else { return };
        self.forget(&kept.id);
        self.cancel_one(&kept.id, State::Confirmed).await;
    }

    async fn cancel_one(&mut self, id: &str, before: State) {
        let call = Call::new("cancel", Method::DELETE, path(id));
        let Some(told) = self.caller.insist(&call).await else {
            self.promises.unsure += 1;
            return;
        };
        let state = document(&told.answer)["state"].clone();
        match told.answer.status {
            200 if state == "cancelled" => self.promises.cancelled.push(id.to_owned()),
            409 if told.was_cut || before == State::Proposed => self.promises.unsure += 1,
            _ => self.wrong("a cancellation", &told.answer),
        }
    }
}

/// What an answer tells of a confirmed reservation.
fn kept_of(answer: &Answer) -> Kept {
    let told = document(answer);
    let offers = told["offers"].as_array().cloned().unwrap_or_default();
    let chosen = offers.iter().find(|it| it["offer_id"] == told["chosen_offer_id"]);
    let chosen = chosen.filter(|_| told["state"] == "confirmed").cloned().unwrap_or_default();
    Kept {
        id: text(&told["id"]),
        offer: text(&told["chosen_offer_id"]),
        start: text(&chosen["start"]),
        end: text(&chosen["end"]),
        nodes: chosen["node_count"].as_u64().unwrap_or_default(),
        tag: answer.header("etag").to_owned(),
        perhaps: Vec::new(),
    }
}
