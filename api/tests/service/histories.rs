//! Random histories of bookings, cancellations, extensions, modifications, transfers, caps, grants and
//! revocations.
//!
//! Whatever happens: once the service has judged it, reservations that are not flagged `degraded`
//! are within the cap in force at every hour, and what is reserved beyond the announced cap is never
//! more than what is granted. No node is taken twice at an instant, nothing confirmed is lost but by its
//! cancellation, and what is refused changes nothing.

use std::collections::{HashMap, HashSet};

use reqwest::Method;
use serde_json::{Value, json};

use crate::book::assert_sound;
use crate::client::{Answer, Client, answer};
use crate::cluster::{Hours, furnish, path, seconds};
use crate::dialogue::serve;
use crate::site::{Site, on_both_engines};

on_both_engines! { no_history_takes_more_power_than_there_is }

/// Hours that things happen in.
const HOURS: u64 = 5;

/// Hours into which reservations may be extended.
const LATER_HOURS: i64 = 20;

/// What is announced unless something else is.
const CAP_W: f64 = 800.0;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// What holds in each hour, by the test's own book-keeping.
struct Known {
    announced_w: HashMap<i64, f64>,
    /// Hour, watts, id.
    grants: Vec<(i64, f64, String)>,
    /// Ids of what was confirmed and not cancelled.
    confirmed: HashSet<String>,
}

impl Known {
    fn granted_w(&self, hour: i64) -> f64 {
        self.grants.iter().filter(|(at, ..)| *at == hour).map(|(_, power_w, _)| power_w).sum()
    }
}

async fn no_history_takes_more_power_than_there_is(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 8, Some(CAP_W)).await;
    let announced_w = (0..LATER_HOURS).map(|hour| (hour, CAP_W)).collect();
    let mut known = Known { announced_w, grants: Vec::new(), confirmed: HashSet::new() };
    let mut dice = Dice(20_261_121);
    for step in 0..60 {
        happen(&client, hours, &mut known, &mut dice).await;
        if step % 4 == 3 {
            settled(&client, hours, &known).await;
        }
    }
}

async fn happen(client: &Client, hours: Hours, known: &mut Known, dice: &mut Dice) {
    let hour = i64::try_from(dice.below(HOURS)).unwrap();
    match dice.below(12) {
        0..=3 => {
            let nodes = u32::try_from(dice.below(4)).unwrap() + 1;
            let request = hours.request(nodes, hour, hour);
            let made = client.post("/api/v1/reservations", &request).await;
            if made.status == 201 {
                let choose = format!("{}/choose", path(&made.ok(201)));
                let chosen = client.post(&choose, &json!({ "ranking": "cost_co2_energy" })).await;
                known.confirmed.insert(id(&chosen.ok(200)));
            }
        }
        4 => {
            if let Some(some) = some_confirmed(client, dice).await {
                client.delete(&path(&some)).await.ok(200);
                known.confirmed.remove(&id(&some));
            }
        }
        5 => {
            let cap_w = [0.0, 300.0, 500.0, 800.0, 1600.0][usize::try_from(dice.below(5)).unwrap()];
            let cap = hours.agenda("cap_w", hour, &[cap_w]);
            client.put("/api/v1/agendas/power-cap", &cap).await.ok(200);
            known.announced_w.insert(hour, cap_w);
        }
        6 => {
            let gift = json!({
                "start": hours.hour(hour), "end": hours.hour(hour + 1), "power_w": 200,
            });
            let grant = client.post("/api/v1/grants", &gift).await.ok(201);
            known.grants.push((hour, 200.0, grant["grant_id"].as_str().unwrap().to_owned()));
        }
        7 => {
            if let Some((_, _, id)) = known.grants.pop() {
                assert_eq!(client.delete(&format!("/api/v1/grants/{id}")).await.status, 204);
            }
        }
        _ => live_on(client, hours, hour, dice).await,
    }
}

fn id(reservation: &Value) -> String {
    reservation["id"].as_str().unwrap().to_owned()
}

/// One of the confirmed reservations; sometimes none.
async fn some_confirmed(client: &Client, dice: &mut Dice) -> Option<Value> {
    let all = client.all_reservations().await;
    let live: Vec<Value> = all.into_iter().filter(|it| it["state"] == "confirmed").collect();
    live.into_iter().nth(usize::try_from(dice.below(20)).unwrap())
}

/// A confirmed reservation is extended, modified, transferred or released, where that is possible.
async fn live_on(client: &Client, hours: Hours, hour: i64, dice: &mut Dice) {
    let Some(before) = some_confirmed(client, dice).await else { return };
    let path = path(&before);
    let post = |action: &str| format!("{path}/{action}");
    let answered: Answer = match dice.below(5) {
        0 | 1 => client.post(&post("extend"), &json!({ "by_s": 3600 })).await,
        2 => {
            let nodes = dice.below(4) + 1;
            let wanted = json!({
                "nodes": nodes, "duration_s": 3600,
                "earliest_start": hours.hour(hour), "latest_start": hours.hour(hour),
            });
            answer(client.request(Method::PATCH, &path).json(&wanted)).await
        }
        3 => client.post(&post("transfer"), &json!({ "owner": "grace" })).await,
        // It has not begun.
        _ => client.post(&post("release"), &json!({})).await,
    };
    match answered.status {
        200 => assert_eq!(answered.ok(200)["state"], "confirmed"),
        status => {
            let code = answered.any_problem()["code"].clone();
            let known = [(422, "impossible"), (409, "wrong_state"), (409, "book_changed")];
            assert!(known.contains(&(status, code.as_str().unwrap())), "{answered:?}");
            let after = client.get(&path).await.ok(200);
            for same in ["start", "end", "offers", "request", "owner"] {
                assert_eq!(after[same], before[same], "{same} after {answered:?}");
            }
        }
    }
}

/// Waits until everybody who lacks power is flagged, and nobody else.
async fn settled(client: &Client, hours: Hours, known: &Known) {
    assert_sound(client, hours, None).await;
    let mut last = String::new();
    for _ in 0..600 {
        let all = client.all_reservations().await;
        let live = |it: &&Value| it["state"] == "confirmed" || it["state"] == "active";
        let live: HashSet<String> = all.iter().filter(live).map(id).collect();
        assert_eq!(live, known.confirmed, "what was confirmed is kept");
        let wrong = judge(&all, hours, known);
        if wrong.is_empty() {
            return;
        }
        last = wrong.join("; ");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("{last}");
}

/// The hours of a reservation, and what it draws in them.
fn claim(reservation: &Value, hours: Hours) -> (std::ops::Range<i64>, f64) {
    let hour = |instant: &str| (seconds(&reservation[instant]) - hours.at(0)) / 3600;
    let offers = reservation["offers"].as_array().unwrap();
    let chosen = offers.iter().find(|it| it["offer_id"] == reservation["chosen_offer_id"]);
    (hour("start")..hour("end"), 200.0 * chosen.unwrap()["node_count"].as_f64().unwrap())
}

/// What is wrong.
fn judge(all: &[Value], hours: Hours, known: &Known) -> Vec<String> {
    let live = |it: &&Value| it["state"] == "confirmed" || it["state"] == "active";
    let (degraded, kept): (Vec<&Value>, Vec<&Value>) =
        all.iter().filter(live).partition(|it| it["degraded"] == true);
    let kept: Vec<_> = kept.into_iter().map(|it| claim(it, hours)).collect();
    let kept_w = |hour: i64| -> f64 {
        kept.iter().filter(|(during, _)| during.contains(&hour)).map(|(_, power_w)| power_w).sum()
    };
    let limit_w = |hour: i64| known.announced_w[&hour] + known.granted_w(hour);
    let exceeded = (0..LATER_HOURS).filter(|hour| kept_w(*hour) > limit_w(*hour));
    let exceeded =
        exceeded.map(|hour| format!("hour {hour}: {} W of {} W", kept_w(hour), limit_w(hour)));
    let in_vain = degraded.into_iter().filter(|it| {
        let (mut during, power_w) = claim(it, hours);
        during.all(|hour| kept_w(hour) + power_w <= limit_w(hour))
    });
    let in_vain = in_vain.map(|it| format!("{} is degraded in vain", it["id"]));
    exceeded.chain(in_vain).collect()
}
