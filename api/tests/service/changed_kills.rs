//! SIGKILL while clients book, extend, modify, release, transfer and cancel: what was answered stays, what was cut off is
//! done as a whole or not at all.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::book::{Taken, assert_sound, assert_whole, ordinals};
use crate::client::{Client, answer_unless_cut_off};
use crate::cluster::{Hours, choose, furnish_in, instant, now, path, propose, seconds};
use crate::plain_count::{Limits, Whose, holdings};
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_kill_in_the_middle_of_changes_loses_nothing_and_leaves_nothing_half_done,
}

const ROUNDS: u64 = 5;
const USERS: [&str; 6] = ["ada", "bob", "cleo", "dora", "emil", "fred"];
const NODES: u32 = 48;
const CAP_W: f64 = 7000.0;

/// 2026-03-10T20:00:00Z, so that a day ends within reach.
const EVENING: i64 = 1_773_172_800;

const LIMITS: Limits = Limits {
    nodes: (Whose::User, 9),
    reservations: (Whose::User, 4),
    node_hours: (Whose::Project, 130),
    budgets: None,
};

/// Requests of one person for one thing: those that were answered, and those that were cut off.
type Counts = BTreeMap<(String, &'static str), (usize, usize)>;

/// A client, and the reservations that it alone changes, as they were told last.
struct Booker {
    known: Vec<Known>,
    counts: Counts,
    /// Whose request for a new reservation was cut off.
    asked_for: Option<&'static str>,
    random: u64,
}

struct Known {
    document: Value,
    /// What was cut off.
    cut: Option<(&'static str, Value)>,
}

impl Booker {
    fn below(&mut self, sides: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 33) % sides
    }

    fn some_user(&mut self) -> &'static str {
        USERS[usize::try_from(self.below(USERS.len() as u64)).unwrap()]
    }
}

/// Each by a token of its own.
type Clients = Arc<HashMap<&'static str, Client>>;

/// The service by a clock that shows `shown` at `real`.
async fn serve(site: &Site, real: i64, shown: i64) -> Server {
    let settings =
        format!("hold_s = 3600\n[audit]\nreads = false\n[quotas]\n{}", LIMITS.settings());
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    let clock = format!("{}={}@1", instant(real), instant(shown));
    site.serve_with(&["--config", "wattbook.toml", "--clock", &clock]).await
}

fn clients_of(server: &Server, tokens: &[(&'static str, String)]) -> Clients {
    let each = tokens.iter().map(|(name, token)| (*name, server.client().with_token(token)));
    Arc::new(each.collect())
}

async fn a_kill_in_the_middle_of_changes_loses_nothing_and_leaves_nothing_half_done(site: Site) {
    let mut tokens = vec![("olga", site.token("olga", "operator"))];
    tokens.extend(USERS.map(|user| (user, site.token(user, "user"))));
    let hours = Hours::from(EVENING);
    let server = serve(&site, now(), hours.at(0) - 1800).await;
    let mut bookers = furnished(&clients_of(&server, &tokens), hours).await;
    // What was done a moment ago is recorded by then.
    clients_of(&server, &tokens)["olga"].all_audit_records().await;
    server.kill();
    // A quarter of an hour later these run.
    let (real, shown) = (now(), hours.at(0) + 900);
    let mut server = serve(&site, real, shown).await;
    let operator = clients_of(&server, &tokens)["olga"].clone();
    for known in bookers.iter_mut().flat_map(|it| &mut it.known) {
        known.document = operator.get(&path(&known.document)).await.ok(200);
        assert_eq!(known.document["state"], "active");
    }
    let begun_with = operator.all_audit_records().await.len();
    for round in 0..ROUNDS {
        let clients = clients_of(&server, &tokens);
        let mut work = JoinSet::new();
        for booker in bookers {
            work.spawn(change_until_cut_off(booker, Arc::clone(&clients), hours));
        }
        let millis = 300 + (now().unsigned_abs() * 37 + round * 131) % 900;
        tokio::time::sleep(Duration::from_millis(millis)).await;
        server.kill();
        bookers = work.join_all().await;
        server = serve(&site, real, shown).await;
        let operator = &clients_of(&server, &tokens)["olga"];
        assert_as_answered(operator, (real, shown), hours, &mut bookers).await;
        let verified = site.command(&["audit", "verify"]).output().unwrap();
        assert!(verified.status.success(), "{verified:?}");
    }
    let changed = bookers.iter().flat_map(|it| it.counts.values()).map(|(answered, _)| answered);
    assert!(changed.sum::<usize>() > 0);
    // What was begun and never told is recorded as unknown a quarter of an hour later.
    server.kill();
    let server = serve(&site, now(), shown + now() - real + 1200).await;
    assert_recorded(&clients_of(&server, &tokens)["olga"], begun_with, &bookers).await;
    let verified = site.command(&["audit", "verify"]).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
}

/// A booker for each user, with a reservation of three nodes in hours 0 and 1.
async fn furnished(clients: &Clients, hours: Hours) -> Vec<Booker> {
    furnish_in(&clients["olga"], hours, NODES, Some(CAP_W)).await;
    let mut bookers = Vec::new();
    for (user, number) in USERS.into_iter().zip(1_u64..) {
        let mut request = hours.request(3, 0, 0);
        request["duration_s"] = json!(7200);
        request["project"] = json!("ocean");
        let held = propose(&clients[user], &request).await;
        let document = choose(&clients[user], &held, "cost_co2_energy").await;
        let random = now().unsigned_abs() * 31 + number * 7919;
        let known = vec![Known { document, cut: None }];
        bookers.push(Booker { known, counts: Counts::new(), asked_for: None, random });
    }
    bookers
}

/// Sends one request; `None` where it was cut off.
async fn send(
    booker: &mut Booker,
    clients: &Clients,
    (who, action): (&str, &'static str),
    (method, place): (Method, &str),
    body: &Value,
) -> Option<(u16, Value)> {
    let answer = answer_unless_cut_off(clients[who].request(method, place).json(body)).await;
    let counts = booker.counts.entry((who.to_owned(), action)).or_default();
    let Some(answer) = answer else {
        counts.1 += 1;
        return None;
    };
    counts.0 += 1;
    let told: Value = serde_json::from_str(&answer.body).unwrap();
    let code = told["code"].as_str().unwrap_or_default();
    let refusals =
        ["impossible", "quota", "wrong_state", "book_changed", "unknown_offer", "too_many_holds"];
    assert!(answer.status < 300 || refusals.contains(&code), "{action}: {} {told}", answer.status);
    Some((answer.status, told))
}

/// Changes what it has until the service is gone.
async fn change_until_cut_off(mut booker: Booker, clients: Clients, hours: Hours) -> Booker {
    loop {
        let going_on = if booker.known.is_empty() || booker.below(4) == 0 {
            ask(&mut booker, &clients, hours).await
        } else {
            change(&mut booker, &clients, hours).await
        };
        if going_on.is_none() {
            return booker;
        }
    }
}

async fn ask(booker: &mut Booker, clients: &Clients, hours: Hours) -> Option<()> {
    let user = booker.some_user();
    let hour = 1 + i64::try_from(booker.below(6)).unwrap();
    let mut request = hours.request(1 + u32::try_from(booker.below(3)).unwrap(), hour, hour + 2);
    request["project"] = json!("ocean");
    let place = (Method::POST, "/api/v1/reservations");
    let made = send(booker, clients, (user, "create_reservation"), place, &request).await;
    let Some((status, document)) = made else {
        booker.asked_for = Some(user);
        return None;
    };
    if status == 201 {
        booker.known.push(Known { document, cut: None });
    }
    Some(())
}

/// An action that may be possible in this state, where it is, and what is sent.
fn some_action(
    booker: &mut Booker,
    document: &Value,
    hours: Hours,
) -> (&'static str, (Method, String), Value) {
    let post = |of: &str| (Method::POST, path(document) + of);
    let hour = 1 + i64::try_from(booker.below(6)).unwrap();
    let wanted = json!({
        "nodes": 1 + booker.below(3), "duration_s": 3600,
        "earliest_start": hours.hour(hour), "latest_start": hours.hour(hour + 1),
    });
    let transfer = json!({ "owner": booker.some_user() });
    match (document["state"].as_str().unwrap(), booker.below(8)) {
        ("proposed", 0..=2) => {
            ("choose_offer", post("/choose"), json!({ "ranking": "cost_co2_energy" }))
        }
        ("active", 0..=2) => ("release_reservation", post("/release"), json!({ "nodes": 1 })),
        ("active", 3) => ("release_reservation", post("/release"), json!({})),
        ("proposed" | "confirmed", 5) => {
            ("cancel_reservation", (Method::DELETE, path(document)), json!({}))
        }
        ("proposed" | "confirmed", 0..=3) => {
            ("modify_reservation", (Method::PATCH, path(document)), wanted)
        }
        ("confirmed" | "active", 4) => {
            ("extend_reservation", post("/extend"), json!({ "by_s": 1800 }))
        }
        _ => ("transfer_reservation", post("/transfer"), transfer),
    }
}

async fn change(booker: &mut Booker, clients: &Clients, hours: Hours) -> Option<()> {
    let place = usize::try_from(booker.below(booker.known.len() as u64)).unwrap();
    let document = booker.known[place].document.clone();
    let (action, (method, at), body) = some_action(booker, &document, hours);
    let who = document["owner"].as_str().unwrap();
    let Some((status, told)) = send(booker, clients, (who, action), (method, &at), &body).await
    else {
        booker.known[place].cut = Some((action, body));
        return None;
    };
    if status == 200 {
        booker.known[place].document = told;
    }
    // What has ended changes no more, but stays as it is.
    Some(())
}

/// What a reservation is, but for what is expected of it.
fn bare(document: &Value) -> Value {
    let mut bare = document.clone();
    bare.as_object_mut().unwrap().remove("now_expected");
    bare
}

fn chosen(document: &Value) -> &Value {
    let offers = document["offers"].as_array().unwrap();
    offers.iter().find(|it| it["offer_id"] == document["chosen_offer_id"]).unwrap()
}

/// What was cut off was done as a whole.
fn assert_wholly_new(before: &Value, after: &Value, action: &str, body: &Value) {
    let same = |keys: &[&str]| {
        for key in keys {
            assert_eq!(after[key], before[key], "{key} after {action}: {after}");
        }
    };
    let count = |document: &Value| chosen(document)["node_count"].as_u64().unwrap();
    match action {
        "choose_offer" => {
            same(&["owner", "request", "offers"]);
            assert_eq!(after["state"], "confirmed");
        }
        "cancel_reservation" => {
            same(&["owner", "request"]);
            assert_eq!(after["state"], "cancelled");
        }
        "extend_reservation" => {
            same(&["owner", "request", "state", "start"]);
            assert_eq!(seconds(&after["end"]), seconds(&before["end"]) + 1800);
            assert_eq!((&chosen(after)["end"], count(after)), (&after["end"], count(before)));
        }
        "modify_reservation" => {
            same(&["owner", "state"]);
            for key in ["nodes", "earliest_start", "latest_start"] {
                assert_eq!(after["request"][key], body[key], "{after}");
            }
            for offer in after["offers"].as_array().unwrap() {
                assert_eq!(offer["node_count"], body["nodes"], "{after}");
            }
        }
        "release_reservation" if after["state"] == "active" => {
            same(&["owner", "request", "start", "end"]);
            assert_eq!(count(after) + 1, count(before));
        }
        "release_reservation" => {
            same(&["owner", "request", "start"]);
            assert_eq!(after["state"], "completed");
        }
        "transfer_reservation" => {
            same(&["request", "state", "start", "end", "offers"]);
            assert_eq!(after["owner"], body["owner"]);
        }
        other => panic!("{other}"),
    }
}

/// Everything is there as it was answered, nothing is doubled, and quotas are told exactly.
async fn assert_as_answered(
    operator: &Client,
    (real, shown): (i64, i64),
    hours: Hours,
    bookers: &mut [Booker],
) {
    let all = operator.all_reservations().await;
    let mut unknown: BTreeSet<&str> = all.iter().map(|it| it["id"].as_str().unwrap()).collect();
    let now_of = |id: &Value| all.iter().find(|it| it["id"] == *id).cloned();
    for known in bookers.iter_mut().flat_map(|it| &mut it.known) {
        let before = bare(&known.document);
        let after = now_of(&before["id"]).unwrap_or_else(|| panic!("{before} is gone"));
        unknown.remove(after["id"].as_str().unwrap());
        let cut = known.cut.take();
        if bare(&after) != before {
            let (action, body) = cut.unwrap_or_else(|| panic!("{before} has become {after}"));
            assert_wholly_new(&before, &after, action, &body);
        }
        known.document = after;
    }
    // What nobody was told of was asked for by somebody, and is held as a whole.
    for id in unknown {
        let document = now_of(&json!(id)).unwrap();
        assert_eq!(document["state"], "proposed", "{document}");
        let is_theirs = |it: &&mut Booker| it.asked_for.is_some_and(|it| document["owner"] == it);
        let booker = bookers.iter_mut().find(is_theirs);
        let booker = booker.unwrap_or_else(|| panic!("nobody asked for {document}"));
        booker.asked_for = None;
        booker.known.push(Known { document, cut: None });
    }
    for booker in bookers.iter_mut() {
        booker.asked_for = None;
    }
    let taken = assert_sound(operator, hours, Some(CAP_W)).await;
    assert_held_as_told(&all, &taken);
    let held = holdings(operator, hours, &all).await;
    let at = shown + now() - real;
    let told = operator.get("/api/v1/quotas").await.ok(200);
    LIMITS.assert_kept(&held, at);
    LIMITS.assert_told(&told, &held, at);
}

/// What has yet to begin is held as its offers say; what has begun has the nodes of its offer at last.
fn assert_held_as_told(all: &[Value], taken: &[Taken]) {
    let has_begun = |it: &&Value| it["state"] == "active" || it["state"] == "completed";
    let (begun, coming): (Vec<&Value>, Vec<&Value>) = all.iter().partition(has_begun);
    let coming: Vec<Value> = coming.into_iter().cloned().collect();
    let is_of = |taken: &Taken, it: &Value| it["id"] == taken.reservation.as_str();
    let mut theirs = taken.to_vec();
    theirs.retain(|taken| coming.iter().any(|it| is_of(taken, it)));
    assert_whole(&coming, &theirs);
    for it in begun {
        let own: Vec<&Taken> = taken.iter().filter(|taken| is_of(taken, it)).collect();
        let last = own.iter().max_by_key(|taken| taken.end).unwrap();
        // All may have been given back in the second in which some of it was.
        let promised = ordinals(chosen(it));
        let is_same = last.ordinals == promised || it["state"] == "completed";
        assert!(is_same && last.ordinals.is_superset(&promised), "{last:?}: {it}");
        assert_eq!(last.end, seconds(&it["end"]), "{it}");
        let start = own.iter().map(|taken| taken.start).min();
        assert_eq!(start, Some(seconds(&it["start"])), "{it}");
    }
}

/// Each answered request is recorded once; of what was cut off, what came to the service.
async fn assert_recorded(operator: &Client, begun_with: usize, bookers: &[Booker]) {
    let mut counts = Counts::new();
    for (key, (answered, cut)) in bookers.iter().flat_map(|it| &it.counts) {
        let both = counts.entry(key.clone()).or_default();
        *both = (both.0 + answered, both.1 + cut);
    }
    let mut last = String::new();
    for _ in 0..600 {
        let records = operator.all_audit_records().await;
        let recorded = |(who, action): &(String, &str)| {
            let is_it = |it: &&Value| it["actor"] == who.as_str() && it["action"] == *action;
            records[begun_with..].iter().filter(is_it).count()
        };
        let wrong: Vec<String> = counts
            .iter()
            .map(|(key, (answered, cut))| (key, recorded(key), *answered..=answered + cut))
            .filter(|(_, recorded, right)| !right.contains(recorded))
            .map(|(key, recorded, right)| format!("{key:?}: {recorded}, not {right:?}"))
            .collect();
        if wrong.is_empty() {
            return;
        }
        last = wrong.join("; ");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{last}");
}
