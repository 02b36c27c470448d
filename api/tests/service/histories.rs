//! Random histories of bookings, cancellations, caps, grants and revocations.
//!
//! Whatever happens: once the service has judged it, reservations that are not flagged `degraded`
//! are within the cap in force at every hour, and what is reserved beyond the announced cap is never
//! more than what is granted.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{Hours, furnish, path};
use crate::dialogue::serve;
use crate::site::{Site, on_both_engines};

on_both_engines! { no_history_takes_more_power_than_there_is }

/// Hours that things happen in.
const HOURS: i64 = 5;

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
}

impl Known {
    fn granted_w(&self, hour: i64) -> f64 {
        self.grants.iter().filter(|(at, ..)| *at == hour).map(|(_, power_w, _)| power_w).sum()
    }
}

async fn no_history_takes_more_power_than_there_is(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 8, Some(800.0)).await;
    let announced_w = (0..HOURS).map(|hour| (hour, 800.0)).collect();
    let mut known = Known { announced_w, grants: Vec::new() };
    let mut dice = Dice(20_261_121);
    for step in 0..40 {
        happen(&client, hours, &mut known, &mut dice).await;
        if step % 4 == 3 {
            settled(&client, hours, &known).await;
        }
    }
}

async fn happen(client: &Client, hours: Hours, known: &mut Known, dice: &mut Dice) {
    let hour = i64::try_from(dice.below(5)).unwrap();
    match dice.below(8) {
        0..=3 => {
            let nodes = u32::try_from(dice.below(4)).unwrap() + 1;
            let request = hours.request(nodes, hour, hour);
            let made = client.post("/api/v1/reservations", &request).await;
            if made.status == 201 {
                let choose = format!("{}/choose", path(&made.ok(201)));
                client.post(&choose, &json!({ "ranking": "cost_co2_energy" })).await;
            }
        }
        4 => {
            let all = client.all_reservations().await;
            let live = all.iter().filter(|it| it["state"] == "confirmed").collect::<Vec<_>>();
            if let Some(some) = live.get(usize::try_from(dice.below(20)).unwrap()) {
                client.delete(&path(some)).await.ok(200);
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
        _ => {
            if let Some((_, _, id)) = known.grants.pop() {
                assert_eq!(client.delete(&format!("/api/v1/grants/{id}")).await.status, 204);
            }
        }
    }
}

/// Waits until everybody who lacks power is flagged, and nobody else.
async fn settled(client: &Client, hours: Hours, known: &Known) {
    let mut last = String::new();
    for _ in 0..600 {
        let all = client.all_reservations().await;
        let wrong: Vec<String> =
            (0..HOURS).filter_map(|hour| judge(&all, hours, hour, known)).collect();
        if wrong.is_empty() {
            return;
        }
        last = wrong.join("; ");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("{last}");
}

/// What is wrong in an hour.
fn judge(all: &[Value], hours: Hours, hour: i64, known: &Known) -> Option<String> {
    let live = |it: &&Value| {
        (it["state"] == "confirmed" || it["state"] == "active") && it["start"] == hours.hour(hour)
    };
    let power_w = |it: &Value| 200.0 * it["request"]["nodes"].as_f64().unwrap();
    let kept_w: f64 =
        all.iter().filter(live).filter(|it| it["degraded"] == false).map(power_w).sum();
    let limit_w = known.announced_w[&hour] + known.granted_w(hour);
    let fits = |it: &&Value| kept_w + power_w(it) <= limit_w;
    let in_vain = all.iter().filter(live).filter(|it| it["degraded"] == true).find(fits);
    match in_vain {
        _ if kept_w > limit_w => Some(format!("hour {hour}: {kept_w} W of {limit_w} W")),
        Some(it) => Some(format!("hour {hour}: {} is degraded in vain", it["id"])),
        None => None,
    }
}
