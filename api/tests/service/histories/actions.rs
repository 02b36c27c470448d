//! What users do in a history. Each action is sent by the owner of a reservation, and either done or refused for a reason
//! that may be; what is refused has changed nothing.

use reqwest::Method;
use serde_json::{Value, json};

use super::expected::{Kept, chosen, id, is_live};
use super::world::{OPERATOR, USERS, World};
use crate::client::Answer;
use crate::cluster::{path, seconds};
use crate::plain_count::{Holding, Piece, holdings};

const RANKINGS: [&str; 3] = ["cost_co2_energy", "co2_cost_energy", "energy_cost_co2"];

/// Why something may be refused.
const REFUSALS: [(u16, &str); 9] = [
    (422, "impossible"),
    (422, "quota"),
    (422, "unknown_offer"),
    (409, "wrong_state"),
    (409, "book_changed"),
    (409, "no_gain"),
    (409, "offers_expired"),
    (409, "no_other_nodes"),
    (409, "nothing_to_swap"),
];

/// What is refused has changed nothing. What happens to a reservation by itself is told by its notice.
fn assert_unchanged(before: &Value, after: &Value, answered: &Answer) {
    let (mut before, mut after) = (before.clone(), after.clone());
    let happened = before["notice"] != after["notice"];
    for document in [&mut before, &mut after] {
        let fields = document.as_object_mut().unwrap();
        fields.remove("now_expected");
        if happened {
            fields.retain(|key, _| ["owner", "project", "request", "created_at"].contains(&&**key));
        }
    }
    assert_eq!(after, before, "after {answered:?}");
}

impl World {
    /// One thing happens.
    pub async fn happen(&mut self) {
        match self.dice.below(55) {
            0..=8 => self.book().await,
            9..=10 => self.propose().await,
            11..=12 => self.choose_what_is_held().await,
            13 => self.replace().await,
            14..=15 => self.cancel().await,
            16..=20 => self.extend().await,
            21..=23 => self.modify().await,
            24..=25 => self.relabel().await,
            26..=27 => self.transfer().await,
            28..=31 => self.release().await,
            32 => self.change_what_has_changed().await,
            33..=34 => self.announce_cap().await,
            35 => self.grant().await,
            36 => self.revoke().await,
            37..=38 => self.take_out().await,
            39..=41 => self.swap().await,
            42 => self.share().await,
            43..=46 => self.make_series().await,
            47..=49 => self.change_series().await,
            50..=51 => self.leave_out().await,
            52 => self.end_series().await,
            53 => self.give_series().await,
            _ => self.put_back().await,
        }
    }

    async fn some(&mut self, is_it: impl Fn(&Value) -> bool) -> Option<Value> {
        let all: Vec<Value> = self.reservations().await.into_iter().filter(is_it).collect();
        self.dice.one_of(&all)
    }

    /// Asks for a change of a reservation as its owner; the document afterwards where it was done.
    async fn change(
        &mut self,
        before: &Value,
        action: &'static str,
        (method, of): (Method, &str),
        body: Option<&Value>,
    ) -> Option<Value> {
        let owner = before["owner"].as_str().unwrap();
        let place = path(before) + of;
        let answered = self.send(owner, action, (method, &place), body, None).await;
        if answered.status == 200 {
            return Some(answered.ok(200));
        }
        assert_refused(&answered);
        let after = self.client(OPERATOR).get(&path(before)).await.ok(200);
        assert_unchanged(before, &after, &answered);
        None
    }

    /// What was changed is as it was told.
    fn keep(&mut self, changed: Option<Value>) {
        if let Some(changed) = changed.filter(|it| it["chosen_offer_id"].is_string()) {
            self.kept.insert(id(&changed), Kept::of(&changed));
        }
    }

    pub fn some_request(&mut self) -> Value {
        let hour = self.some_hour();
        let nodes = u32::try_from(self.dice.below(4)).unwrap() + 1;
        let later = i64::try_from(self.dice.below(3)).unwrap();
        let mut request = self.hours.request(nodes, hour, hour + later);
        request["duration_s"] = json!(3600 * (1 + self.dice.below(2)));
        if let Some(project) = self.dice.one_of(&[Some("ocean"), Some("ice"), None]).flatten() {
            request["project"] = json!(project);
        }
        request
    }

    async fn asked(&mut self, owner: &str, request: &Value) -> Option<Value> {
        let place = (Method::POST, "/api/v1/reservations");
        let made = self.send(owner, "create_reservation", place, Some(request), None).await;
        if made.status == 201 {
            return Some(made.ok(201));
        }
        assert_refused(&made);
        None
    }

    async fn choose(&mut self, proposed: &Value) {
        let choice = json!({ "ranking": self.dice.one_of(&RANKINGS).unwrap() });
        let place = (Method::POST, "/choose");
        let Some(chosen) = self.change(proposed, "choose_offer", place, Some(&choice)).await else {
            return;
        };
        if let Some(replaced) = proposed["replaces"].as_str() {
            self.kept.remove(replaced);
        }
        self.keep(Some(chosen));
    }

    async fn book(&mut self) {
        let (owner, request) = (self.dice.one_of(&USERS).unwrap(), self.some_request());
        if let Some(proposed) = self.asked(owner, &request).await {
            self.choose(&proposed).await;
        }
    }

    /// Nobody may ever choose: it expires then.
    async fn propose(&mut self) {
        let (owner, request) = (self.dice.one_of(&USERS).unwrap(), self.some_request());
        self.asked(owner, &request).await;
    }

    /// Of the user, or of the service where a reservation lacks something.
    async fn choose_what_is_held(&mut self) {
        if let Some(proposed) = self.some(|it| it["state"] == "proposed").await {
            self.choose(&proposed).await;
        }
    }

    async fn replace(&mut self) {
        let Some(before) = self.some(|it| it["state"] == "confirmed").await else { return };
        let mut request = self.some_request();
        request["replaces"] = before["id"].clone();
        let owner = before["owner"].as_str().unwrap().to_owned();
        let Some(proposed) = self.asked(&owner, &request).await else { return };
        if self.dice.below(3) > 0 {
            self.choose(&proposed).await;
        }
    }

    async fn cancel(&mut self) {
        let Some(before) = self.some(|it| is_live(it) || it["state"] == "proposed").await else {
            return;
        };
        let pieces = self.used_pieces(&before).await;
        let cancelled =
            self.change(&before, "cancel_reservation", (Method::DELETE, ""), None).await;
        if cancelled.is_none() {
            return;
        }
        self.kept.remove(&id(&before));
        let (cut, now) = (pieces.1, self.now());
        let pieces = pieces.0.into_iter().filter(|it| it.start < now);
        let until = |it: Piece| Piece { end: (it.end.0.min(cut), it.end.1.min(now)), ..it };
        let text = |key: &str| before[key].as_str().unwrap_or_default().to_owned();
        self.given_up.push(Holding {
            id: id(&before),
            owner: text("owner"),
            project: text("project"),
            is_open: false,
            replaces: None,
            pieces: pieces.map(until).collect(),
        });
    }

    /// What a reservation has used where it runs, and when that was read.
    async fn used_pieces(&self, reservation: &Value) -> (Vec<Piece>, i64) {
        let now = self.now();
        if reservation["state"] != "active" {
            return (Vec::new(), now);
        }
        let alone = std::slice::from_ref(reservation);
        let held = holdings(&self.client(OPERATOR), self.hours, alone).await;
        (held.into_iter().flat_map(|it| it.pieces).collect(), now)
    }

    /// Running ones as often as not.
    async fn some_live(&mut self) -> Option<Value> {
        let running = self.dice.below(2) == 0;
        let wanted = if running { "active" } else { "confirmed" };
        self.some(|it| it["state"] == wanted).await
    }

    async fn extend(&mut self) {
        let Some(before) = self.some_live().await else { return };
        let place = (Method::POST, "/extend");
        let more = json!({ "by_s": 3600 });
        let extended = self.change(&before, "extend_reservation", place, Some(&more)).await;
        if let Some(extended) = &extended {
            assert_eq!(seconds(&extended["end"]), seconds(&before["end"]) + 3600, "{extended}");
        }
        self.keep(extended);
    }

    async fn modify(&mut self) {
        let Some(before) = self.some(|it| is_live(it) || it["state"] == "proposed").await else {
            return;
        };
        let hour = self.some_hour();
        let wanted = json!({
            "nodes": self.dice.below(4) + 1, "duration_s": 3600,
            "earliest_start": self.hours.hour(hour), "latest_start": self.hours.hour(hour + 1),
        });
        let place = (Method::PATCH, "");
        let modified = self.change(&before, "modify_reservation", place, Some(&wanted)).await;
        self.keep(modified);
    }

    /// Words, and the project, of what is to come, runs or is held.
    async fn relabel(&mut self) {
        let Some(before) = self.some(|it| is_live(it) || it["state"] == "proposed").await else {
            return;
        };
        let words = [
            json!({ "labels": { "run": self.dice.below(9).to_string() } }),
            json!({ "note": format!("for review {}", self.dice.below(9)) }),
            json!({ "project": "ocean" }),
            json!({ "project": "ice" }),
        ];
        let words = self.dice.one_of(&words).unwrap();
        let place = (Method::PATCH, "");
        let relabelled = self.change(&before, "modify_reservation", place, Some(&words)).await;
        if let Some(relabelled) = &relabelled {
            assert_eq!(relabelled["offers"], before["offers"]);
        }
        self.keep(relabelled);
    }

    async fn transfer(&mut self) {
        let Some(before) = self.some(|it| is_live(it) || it["state"] == "proposed").await else {
            return;
        };
        let to = json!({ "owner": self.dice.one_of(&USERS).unwrap() });
        let place = (Method::POST, "/transfer");
        let transferred = self.change(&before, "transfer_reservation", place, Some(&to)).await;
        if let Some(transferred) = &transferred {
            assert_eq!(transferred["owner"], to["owner"]);
        }
        self.keep(transferred);
    }

    /// All of what runs, or some of its nodes; what has not begun is refused.
    async fn release(&mut self) {
        let Some(before) = self.some_live().await else { return };
        let count = chosen(&before)["node_count"].as_u64().unwrap();
        let given = if count > 1 && self.dice.below(3) > 0 {
            json!({ "nodes": 1 + self.dice.below(count - 1) })
        } else {
            json!({})
        };
        let place = (Method::POST, "/release");
        let released = self.change(&before, "release_reservation", place, Some(&given)).await;
        if let Some(released) = &released {
            let given = given["nodes"].as_u64();
            let left = given.map_or("completed", |_| "active");
            assert_eq!((&before["state"], &released["state"]), (&json!("active"), &json!(left)));
            if let Some(given) = given {
                assert_eq!(chosen(released)["node_count"], count - given, "{released}");
            }
        }
        self.keep(released);
    }

    /// Other nodes for one that is named, or for those that are out of service.
    async fn swap(&mut self) {
        let Some(before) = self.some_live().await else { return };
        let names = chosen(&before)["nodes"].as_array().unwrap().clone();
        let wanted = match self.dice.below(3) {
            0 => json!({}),
            _ => json!({ "nodes": [self.dice.one_of(&names).unwrap()] }),
        };
        let place = (Method::POST, "/swap");
        let swapped = self.change(&before, "swap_nodes", place, Some(&wanted)).await;
        if let Some(swapped) = &swapped {
            let has = chosen(swapped)["nodes"].as_array().unwrap();
            assert_eq!(has.len(), names.len(), "{swapped}");
            let left = wanted["nodes"].as_array().is_none_or(|it| !has.contains(&it[0]));
            assert!(left, "{wanted}: {swapped}");
        }
        self.keep(swapped);
    }

    /// Somebody else sees it from then on, and sees it no more.
    async fn share(&mut self) {
        let Some(before) = self.some_live().await else { return };
        let owner = before["owner"].as_str().unwrap();
        let other = USERS.iter().find(|user| **user != owner).unwrap();
        let with = json!({ "with": [other], "may": "see" });
        let place = (Method::POST, "/share");
        let shared = self.change(&before, "share_reservation", place, Some(&with)).await;
        let Some(shared) = shared else { return };
        let seen = self.client(other).get(&path(&before)).await.ok(200);
        assert_eq!((&seen["id"], &seen["start"]), (&shared["id"], &shared["start"]));
        let with = json!({ "with": [other] });
        let place = (Method::POST, "/unshare");
        let alone = self.change(&shared, "unshare_reservation", place, Some(&with)).await;
        self.client(other).get(&path(&before)).await.problem(404, "not_found");
        self.keep(alone);
    }

    /// Every change of a reservation that was read before another change is refused, and changes nothing.
    async fn change_what_has_changed(&mut self) {
        let Some(before) = self.some(is_live).await else { return };
        let stale = Some("\"999999\"");
        let owner = before["owner"].as_str().unwrap();
        for (action, method, of, body) in [
            ("cancel_reservation", Method::DELETE, "", None),
            ("modify_reservation", Method::PATCH, "", Some(json!({ "nodes": 1 }))),
            ("extend_reservation", Method::POST, "/extend", Some(json!({ "by_s": 60 }))),
            ("release_reservation", Method::POST, "/release", Some(json!({}))),
            ("transfer_reservation", Method::POST, "/transfer", Some(json!({ "owner": "bob" }))),
            ("swap_nodes", Method::POST, "/swap", Some(json!({}))),
            (
                "share_reservation",
                Method::POST,
                "/share",
                Some(json!({ "with": ["bob"], "may": "see" })),
            ),
        ] {
            let place = path(&before) + of;
            let answered = self.send(owner, action, (method, &place), body.as_ref(), stale).await;
            answered.problem(412, "version_mismatch");
            let after = self.client(OPERATOR).get(&path(&before)).await.ok(200);
            assert_unchanged(&before, &after, &answered);
        }
    }
}

pub fn assert_refused(answered: &Answer) {
    let problem = answered.any_problem();
    let code = problem["code"].as_str().unwrap();
    assert!(REFUSALS.contains(&(answered.status, code)), "{answered:?}");
    if code == "quota" {
        let [used, asked, limit] = ["used", "asked", "limit"].map(|key| problem[key].as_f64());
        assert!(used.unwrap() + asked.unwrap() > limit.unwrap() - 1e-9, "{problem}");
    }
}
