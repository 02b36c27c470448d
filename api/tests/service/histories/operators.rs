//! What operators do in a history: the cap, extra power, outages.

use reqwest::Method;
use serde_json::{Value, json};

use super::world::{KnownOutage, LATER_HOURS, NODES, OPERATOR, World};
use crate::cluster::instant;

/// So many outages at a time.
const MOST_OUTAGES: usize = 2;

/// How long an outage lasts of which nobody says the end: longer than the history.
const LONG_S: i64 = 48 * 3600;

impl World {
    async fn operate(
        &mut self,
        action: &'static str,
        (method, path): (Method, &str),
        body: Option<&Value>,
        status: u16,
    ) -> String {
        let answered = self.send(OPERATOR, action, (method, path), body, None).await;
        assert_eq!(answered.status, status, "{answered:?}");
        answered.body
    }

    pub async fn announce_cap(&mut self) {
        let hour = self.some_hour();
        let cap_w = self.dice.one_of(&[0.0, 400.0, 600.0, 1000.0, 1000.0, 1600.0]).unwrap();
        let cap = self.hours.agenda("cap_w", hour, &[cap_w]);
        let place = (Method::PUT, "/api/v1/agendas/power-cap");
        self.operate("put_agenda", place, Some(&cap), 200).await;
        self.announced_w.insert(hour, cap_w);
    }

    pub async fn grant(&mut self) {
        let hour = self.some_hour();
        let (start, end) = (self.hours.hour(hour), self.hours.hour(hour + 1));
        let gift = json!({ "start": start, "end": end, "power_w": 200 });
        let place = (Method::POST, "/api/v1/grants");
        let grant = self.operate("create_grant", place, Some(&gift), 201).await;
        let grant: Value = serde_json::from_str(&grant).unwrap();
        self.grants.push((hour, 200.0, grant["grant_id"].as_str().unwrap().to_owned()));
    }

    /// Of an hour to come: what has begun is used.
    pub async fn revoke(&mut self) {
        let ahead = self.hour() + 1;
        let Some(place) = self.grants.iter().position(|(hour, ..)| *hour >= ahead) else { return };
        let (_, _, id) = self.grants.remove(place);
        let path = format!("/api/v1/grants/{id}");
        self.operate("revoke_grant", (Method::DELETE, &path), None, 204).await;
    }

    /// One or two nodes, from now on or in hours to come.
    pub async fn take_out(&mut self) {
        let now = self.now();
        if self.outages.iter().filter(|it| it.end > now).count() >= MOST_OUTAGES {
            return;
        }
        let first = self.dice.below(u64::from(NODES));
        let nodes: Vec<u64> = (first..=first + self.dice.below(2)).map(|it| it % 8).collect();
        let names: Vec<String> = nodes.iter().map(|node| format!("n{node}")).collect();
        let mut wanted = json!({ "nodes": names, "reason": "fans" });
        let (start, end) = if self.dice.below(2) == 0 {
            (now, now + LONG_S)
        } else {
            let hour = self.some_hour();
            let length = 1 + i64::try_from(self.dice.below(3)).unwrap();
            (self.hours.at(hour), self.hours.at((hour + length).min(LATER_HOURS)))
        };
        if start > now {
            wanted["start"] = json!(instant(start));
            wanted["end"] = json!(instant(end));
        }
        let place = (Method::POST, "/api/v1/outages");
        let outage = self.operate("create_outage", place, Some(&wanted), 201).await;
        let outage: Value = serde_json::from_str(&outage).unwrap();
        let id = outage["id"].as_str().unwrap().to_owned();
        self.outages.push(KnownOutage { id, nodes, start, end });
        // What it hits has other nodes, or is flagged, before anything else happens.
        self.settled().await;
    }

    pub async fn put_back(&mut self) {
        let now = self.now();
        let Some(place) = self.outages.iter().position(|it| it.end > now) else { return };
        let outage = self.outages.remove(place);
        let path = format!("/api/v1/outages/{}", outage.id);
        self.operate("end_outage", (Method::DELETE, &path), None, 200).await;
    }
}
