//! What must hold at each step of a history, and what once the service has judged it.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::world::{KnownOutage, LATER_HOURS, OPERATOR, World, moment};
use crate::book::{Taken, assert_sound, ordinals, schedule};
use crate::cluster::{path, seconds};
use crate::plain_count::holdings;

/// What the service judges by itself, it judges within so many tenths of a second on a busy machine.
const PATIENCE: u32 = 600;

/// What a confirmed reservation is by what was answered last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub owner: String,
    pub project: Value,
    pub start: i64,
    pub end: i64,
    pub nodes: u64,
}

/// The offer that was chosen.
pub fn chosen(reservation: &Value) -> &Value {
    let offers = reservation["offers"].as_array().unwrap();
    offers.iter().find(|it| it["offer_id"] == reservation["chosen_offer_id"]).unwrap()
}

impl Kept {
    pub fn of(reservation: &Value) -> Self {
        Self {
            owner: reservation["owner"].as_str().unwrap().to_owned(),
            project: reservation["project"].clone(),
            start: seconds(&reservation["start"]),
            end: seconds(&reservation["end"]),
            nodes: chosen(reservation)["node_count"].as_u64().unwrap(),
        }
    }

    pub fn state(&self, now: i64) -> &'static str {
        match now {
            _ if now < self.start => "confirmed",
            _ if now < self.end => "active",
            _ => "completed",
        }
    }
}

pub fn is_live(reservation: &Value) -> bool {
    reservation["state"] == "confirmed" || reservation["state"] == "active"
}

pub fn id(reservation: &Value) -> String {
    reservation["id"].as_str().unwrap().to_owned()
}

/// Offers that hold nodes, with the instant from which they do: nodes that took the place of others came later.
fn holding_offers(reservation: &Value, now: i64) -> Vec<(&Value, i64)> {
    let offers = reservation["offers"].as_array().unwrap();
    let replaced = reservation["notice"]["replaced"].as_array();
    let from = replaced.into_iter().flatten().map(|it| seconds(&it["from"]));
    let from = from.fold(now, Ord::max);
    let is_open = reservation["state"] == "proposed";
    let held = offers.iter().filter(|it| {
        is_open || (is_live(reservation) && it["offer_id"] == reservation["chosen_offer_id"])
    });
    held.map(|it| (it, from)).collect()
}

/// No node is had by two reservations at an instant from now on, as the reservations themselves tell.
fn assert_apart(all: &[Value], now: i64) {
    let held: Vec<_> = all
        .iter()
        .flat_map(|it| {
            holding_offers(it, now).into_iter().map(move |(offer, from)| (it, offer, from))
        })
        .collect();
    for (place, (one, offer, from)) in held.iter().enumerate() {
        for (other, others, others_from) in &held[place + 1..] {
            let start = [&offer["start"], &others["start"]].map(seconds).into_iter().max().unwrap();
            let start = start.max(*from).max(*others_from);
            let end = [&offer["end"], &others["end"]].map(seconds).into_iter().min().unwrap();
            let is_apart = one["id"] == other["id"] || start >= end;
            assert!(
                is_apart || ordinals(offer).is_disjoint(&ordinals(others)),
                "double booking: {one} and {other}"
            );
        }
    }
}

impl World {
    /// What holds at each step.
    pub async fn assert_kept(&self) {
        let (all, now) = (self.reservations().await, self.now());
        let by_id: HashMap<String, &Value> = all.iter().map(|it| (id(it), it)).collect();
        for (id, kept) in &self.kept {
            let reservation = by_id[id];
            assert_eq!(&Kept::of(reservation), kept, "{reservation}");
            assert_eq!(reservation["state"], kept.state(now), "{reservation}");
        }
        for reservation in all.iter().filter(|it| is_live(it)) {
            assert!(self.kept.contains_key(&id(reservation)), "{reservation}");
        }
        assert_apart(&all, now);
        assert_sound(&self.client(OPERATOR), self.hours, None).await;
        self.assert_counted().await;
    }

    /// Quotas are kept, and told exactly.
    async fn assert_counted(&self) {
        let operator = self.client(OPERATOR);
        for _ in 0..PATIENCE {
            let all = self.reservations().await;
            let mut held = holdings(&operator, self.hours, &all).await;
            held.extend(self.given_up.iter().cloned());
            let now = self.now();
            let told = operator.get("/api/v1/quotas").await.ok(200);
            // What the service did by itself in between is counted with the next look.
            if self.reservations().await == all {
                self.limits.assert_kept(&held, now);
                self.limits.assert_told(&told, &held, now);
                return;
            }
        }
        panic!("reservations change all the time");
    }

    /// Waits until everybody who lacks power or nodes is flagged or has others, and nobody else is flagged.
    pub async fn settled(&mut self) {
        let operator = self.client(OPERATOR);
        let mut last = String::new();
        for _ in 0..PATIENCE {
            let all = self.reservations().await;
            let schedule = schedule(&operator, self.hours).await;
            let wrong = self.judge(&all, &schedule);
            if wrong.is_empty() {
                return;
            }
            last = wrong.join("; ");
            moment().await;
        }
        panic!("{last}");
    }

    fn granted_w(&self, hour: i64) -> f64 {
        self.grants.iter().filter(|(at, ..)| *at == hour).map(|(_, power_w, _)| power_w).sum()
    }

    /// The hours of an offer from now on, and what it draws in them.
    fn claim(&self, offer: &Value) -> (std::ops::Range<i64>, f64) {
        let hour = |instant: &str| (seconds(&offer[instant]) - self.hours.at(0)).div_euclid(3600);
        let during = hour("start").max(self.hour())..hour("end");
        (during, 200.0 * offer["node_count"].as_f64().unwrap())
    }

    /// What is wrong.
    fn judge(&self, all: &[Value], schedule: &[Taken]) -> Vec<String> {
        let now = self.now();
        let live = all.iter().filter(|it| is_live(it));
        let (degraded, kept): (Vec<&Value>, Vec<&Value>) =
            live.partition(|it| it["degraded"] == true);
        let kept: Vec<_> = kept.into_iter().map(|it| self.claim(chosen(it))).collect();
        let open: Vec<Vec<_>> = all
            .iter()
            .filter(|it| it["state"] == "proposed")
            .map(|it| it["offers"].as_array().unwrap().iter().map(|it| self.claim(it)).collect())
            .collect();
        let drawn_w = |claims: &[(std::ops::Range<i64>, f64)], hour: i64| -> f64 {
            let there = claims.iter().filter(|(during, _)| during.contains(&hour));
            there.map(|(_, power_w)| power_w).sum()
        };
        let most_w = |offers: &Vec<(std::ops::Range<i64>, f64)>, hour: i64| {
            let each = offers.iter().map(|it| drawn_w(std::slice::from_ref(it), hour));
            each.fold(0.0, f64::max)
        };
        let open_w = |hour: i64| open.iter().map(|it| most_w(it, hour)).sum::<f64>();
        let limit_w = |hour: i64| self.announced_w[&hour] + self.granted_w(hour);
        let exceeded = (self.hour().max(-1)..LATER_HOURS).filter_map(|hour| {
            let (kept_w, limit_w) = (drawn_w(&kept, hour), limit_w(hour));
            (kept_w > limit_w).then(|| format!("hour {hour}: {kept_w} W of {limit_w} W"))
        });
        let lacks = |it: &Taken, outage: &KnownOutage| {
            let from = it.start.max(outage.start).max(now);
            let nodes: BTreeSet<u64> = outage.nodes.iter().copied().collect();
            from < it.end.min(outage.end) && !it.ordinals.is_disjoint(&nodes)
        };
        let hit: BTreeSet<&str> = schedule
            .iter()
            .filter(|it| self.outages.iter().any(|outage| lacks(it, outage)))
            .map(|it| it.reservation.as_str())
            .collect();
        let is_flagged = |id: &str| degraded.iter().any(|it| it["id"] == id);
        let unnoticed = hit.iter().filter(|id| !is_flagged(id));
        let unnoticed = unnoticed.map(|id| format!("{id} has nodes that are out of service"));
        let in_vain = degraded.iter().filter(|it| {
            let (mut during, power_w) = self.claim(chosen(it));
            let fits =
                during.all(|hour| drawn_w(&kept, hour) + open_w(hour) + power_w <= limit_w(hour));
            fits && !hit.contains(it["id"].as_str().unwrap())
        });
        let in_vain = in_vain.map(|it| format!("{} is degraded in vain", path(it)));
        exceeded.chain(unnoticed).chain(in_vain).collect()
    }
}
