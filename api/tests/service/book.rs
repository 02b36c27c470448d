//! What must hold of every book, computed anew from `GET /schedule`, `/nodes` and `/reservations`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::client::Client;
use crate::cluster::{Hours, seconds};

/// Nodes taken during a span, as the schedule shows it.
#[derive(Clone, Debug)]
pub struct Taken {
    pub reservation: String,
    pub offer: String,
    pub state: String,
    pub start: i64,
    pub end: i64,
    pub ordinals: BTreeSet<u64>,
}

/// The schedule over two days around now.
pub async fn schedule(client: &Client, hours: Hours) -> Vec<Taken> {
    let path = format!("/api/v1/schedule?{}", hours.span(-24, 48));
    let schedule = client.get(&path).await.ok(200);
    schedule["items"].as_array().unwrap().iter().map(taken).collect()
}

fn taken(item: &Value) -> Taken {
    let text = |name: &str| item[name].as_str().unwrap().to_owned();
    Taken {
        reservation: text("reservation_id"),
        offer: text("offer_id"),
        state: text("state"),
        start: seconds(&item["start"]),
        end: seconds(&item["end"]),
        ordinals: ordinals(item),
    }
}

/// The nodes of `node_ranges`.
pub fn ordinals(document: &Value) -> BTreeSet<u64> {
    let ranges = document["node_ranges"].as_array().unwrap();
    ranges
        .iter()
        .flat_map(|range| range[0].as_u64().unwrap()..=range[1].as_u64().unwrap())
        .collect()
}

/// No node twice at an instant, and no more power than the cap; gives back the schedule.
pub async fn assert_sound(client: &Client, hours: Hours, cap_w: Option<f64>) -> Vec<Taken> {
    let schedule = schedule(client, hours).await;
    for (position, one) in schedule.iter().enumerate() {
        for other in &schedule[position + 1..] {
            let apart = one.end <= other.start || other.end <= one.start;
            let alternatives = one.reservation == other.reservation;
            assert!(
                apart || alternatives || one.ordinals.is_disjoint(&other.ordinals),
                "double booking: {one:?} and {other:?}"
            );
        }
    }
    if let Some(cap_w) = cap_w {
        assert_below_cap(client, &schedule, cap_w).await;
    }
    schedule
}

/// Of the alternatives of one reservation the largest counts at each instant.
async fn assert_below_cap(client: &Client, schedule: &[Taken], cap_w: f64) {
    let nodes = client.get("/api/v1/nodes?limit=10000").await.ok(200);
    let power = |ordinal: &u64| {
        nodes["nodes"][usize::try_from(*ordinal).unwrap()]["max_power_w"].as_f64().unwrap()
    };
    for start in schedule.iter().map(|taken| taken.start) {
        let mut by_reservation: BTreeMap<&str, f64> = BTreeMap::new();
        for taken in schedule.iter().filter(|taken| taken.start <= start && start < taken.end) {
            let drawn: f64 = taken.ordinals.iter().map(power).sum();
            let most = by_reservation.entry(&taken.reservation).or_default();
            *most = most.max(drawn);
        }
        let reserved: f64 = by_reservation.values().sum();
        assert!(reserved <= cap_w, "{reserved} W at {start} under a cap of {cap_w} W");
    }
}

/// Every reservation is wholly what its state says: confirmed with the nodes of its one offer,
/// proposed with the nodes of all offers, or without nodes.
pub fn assert_whole(reservations: &[Value], schedule: &[Taken]) {
    let known: BTreeSet<&str> =
        reservations.iter().map(|reservation| reservation["id"].as_str().unwrap()).collect();
    for taken in schedule {
        assert!(known.contains(taken.reservation.as_str()), "nobody's: {taken:?}");
    }
    for reservation in reservations {
        let id = reservation["id"].as_str().unwrap();
        let held: Vec<&Taken> = schedule.iter().filter(|taken| taken.reservation == id).collect();
        let offers = reservation["offers"].as_array().unwrap();
        assert!(!offers.is_empty(), "{reservation}");
        let expected: Vec<&Value> = match reservation["state"].as_str().unwrap() {
            "proposed" => offers.iter().collect(),
            "confirmed" | "active" | "completed" => {
                let chosen = |offer: &&Value| offer["offer_id"] == reservation["chosen_offer_id"];
                let chosen: Vec<&Value> = offers.iter().filter(chosen).collect();
                assert_eq!(chosen.len(), 1, "{reservation}");
                assert_eq!(reservation["start"], chosen[0]["start"]);
                chosen
            }
            _ => Vec::new(),
        };
        assert_eq!(held.len(), expected.len(), "{reservation} holds {held:?}");
        for offer in expected {
            let same = |taken: &&&Taken| offer["offer_id"] == taken.offer.as_str();
            let taken = held.iter().find(same).unwrap();
            assert_eq!(taken.state, reservation["state"].as_str().unwrap());
            assert_eq!(
                (taken.start, taken.end),
                (seconds(&offer["start"]), seconds(&offer["end"]))
            );
            assert_eq!(taken.ordinals, ordinals(offer), "{reservation}");
        }
    }
}

/// Everything that can be read, as one text: what a refused request must not change.
pub async fn everything(client: &Client, hours: Hours) -> String {
    let span = hours.span(-24, 48);
    let paths = [
        "/api/v1/nodes?limit=10000".to_owned(),
        "/api/v1/calibrations".to_owned(),
        "/api/v1/reservations?limit=1000".to_owned(),
        format!("/api/v1/agendas/price?{span}"),
        format!("/api/v1/agendas/co2?{span}"),
        format!("/api/v1/agendas/power-cap?{span}"),
        format!("/api/v1/schedule?{span}"),
        format!("/api/v1/power-profile?{span}"),
    ];
    let mut all = String::new();
    for path in paths {
        all += &client.get(&path).await.ok(200).to_string();
        all.push('\n');
    }
    all
}
