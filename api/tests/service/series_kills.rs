//! SIGKILL while clients make, change, shorten and end series: what was answered stays, what was cut off is done as a whole or
//! not at all once what it left is gone on with, no occurrence is booked twice, and quotas and budgets are exact.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::book::assert_sound;
use crate::client::{Client, answer_unless_cut_off};
use crate::cluster::{Hours, furnish_in, instant, now, seconds};
use crate::plain_count::{Limits, Whose, holdings};
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_kill_while_series_are_made_and_changed_leaves_nothing_half_done_and_books_nothing_twice,
}

const ROUNDS: u64 = 4;
const USERS: [&str; 4] = ["ada", "bob", "cleo", "dora"];
const NODES: u32 = 32;
const CAP_W: f64 = 6000.0;

/// 2026-03-10T18:00:00Z, so that a day ends within reach.
const EVENING: i64 = 1_773_165_600;

/// From one round to the next, so that nothing is claimed any more by who was killed.
const ROUND_S: i64 = 120;

/// Of 0.2 kWh, 0.04 EUR and 12 g of CO2 for each hour of a node, or half of it.
const LIMITS: Limits = Limits {
    nodes: (Whose::User, 9),
    reservations: (Whose::User, 9),
    node_hours: (Whose::User, 30),
    budgets: Some([(Whose::User, 5.0), (Whose::User, 0.9), (Whose::User, 0.3)]),
};

/// A client of one user, and the series that it alone changes, as they were told last.
struct Keeper {
    user: &'static str,
    known: Vec<Known>,
    /// Whether a request for a new series was cut off.
    has_asked: bool,
    answered: usize,
    random: u64,
}

struct Known {
    series: Value,
    /// What was cut off.
    cut: Option<Change>,
}

#[derive(Clone, Debug)]
enum Change {
    Nodes(u64),
    LeftOut(Value),
    Ended,
}

impl Keeper {
    fn below(&mut self, sides: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 33) % sides
    }
}

type Clients = Arc<HashMap<&'static str, Client>>;

fn occurrences(series: &Value) -> &[Value] {
    series["occurrences"].as_array().unwrap()
}

fn path(series: &Value) -> String {
    format!("/api/v1/series/{}", series["id"].as_str().unwrap())
}

/// The service by a clock that shows `shown` at `real`.
async fn serve(site: &Site, (real, shown): (i64, i64)) -> Server {
    let settings = format!("[audit]\nreads = false\n[quotas]\n{}", LIMITS.settings());
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    let clock = format!("{}={}@1", instant(real), instant(shown));
    site.serve_with(&["--config", "wattbook.toml", "--clock", &clock]).await
}

async fn a_kill_while_series_are_made_and_changed_leaves_nothing_half_done_and_books_nothing_twice(
    site: Site,
) {
    let mut tokens = vec![("olga", site.token("olga", "operator"))];
    tokens.extend(USERS.map(|user| (user, site.token(user, "user"))));
    let clients_of = |server: &Server| -> Clients {
        let each = tokens.iter().map(|(name, token)| (*name, server.client().with_token(token)));
        Arc::new(each.collect())
    };
    let hours = Hours::from(EVENING);
    let (real, shown) = (now(), hours.at(0) - 3600);
    let mut server = serve(&site, (real, shown)).await;
    furnish_in(&clients_of(&server)["olga"], hours, NODES, Some(CAP_W)).await;
    let keeper = |(user, number): (&'static str, u64)| Keeper {
        user,
        known: Vec::new(),
        has_asked: false,
        answered: 0,
        random: now().unsigned_abs() * 31 + number * 7919,
    };
    let mut keepers: Vec<Keeper> = USERS.into_iter().zip(1..).map(keeper).collect();
    for (round, passed) in (1..=ROUNDS).zip((ROUND_S..).step_by(120)) {
        let clients = clients_of(&server);
        let mut work = JoinSet::new();
        for keeper in keepers {
            let client = clients[keeper.user].clone();
            work.spawn(go_on_until_cut_off(keeper, client, hours));
        }
        let millis = 500 + (now().unsigned_abs() * 37 + round * 131) % 1500;
        tokio::time::sleep(Duration::from_millis(millis)).await;
        server.kill();
        keepers = work.join_all().await;
        server = serve(&site, (real, shown + passed)).await;
        let operator = &clients_of(&server)["olga"];
        let at = move || shown + passed + now() - real;
        assert_as_answered(operator, hours, &at, &mut keepers).await;
        let verified = site.command(&["audit", "verify"]).output().unwrap();
        assert!(verified.status.success(), "{verified:?}");
    }
    assert!(keepers.iter().map(|it| it.answered).sum::<usize>() > 0);
}

/// Sends one request; `None` where it was cut off.
async fn send(
    keeper: &mut Keeper,
    client: &Client,
    (method, place): (Method, &str),
    body: &Value,
) -> Option<(u16, Value)> {
    let answer = answer_unless_cut_off(client.request(method, place).json(body)).await?;
    keeper.answered += 1;
    let told: Value = serde_json::from_str(&answer.body).unwrap();
    let code = told["code"].as_str().unwrap_or_default();
    let refusals = ["impossible", "quota", "wrong_state", "book_changed"];
    assert!(answer.status < 300 || refusals.contains(&code), "{} {told}", answer.status);
    Some((answer.status, told))
}

async fn go_on_until_cut_off(mut keeper: Keeper, client: Client, hours: Hours) -> Keeper {
    loop {
        let running = keeper.known.iter().filter(|it| it.series["state"] == "running").count();
        let going_on = if running == 0 || keeper.below(4) == 0 {
            make(&mut keeper, &client, hours).await
        } else {
            change(&mut keeper, &client).await
        };
        if going_on.is_none() {
            return keeper;
        }
    }
}

async fn make(keeper: &mut Keeper, client: &Client, hours: Hours) -> Option<()> {
    let hour = i64::try_from(keeper.below(4)).unwrap();
    let nodes = 1 + u32::try_from(keeper.below(2)).unwrap();
    let asked = json!({
        "request": hours.request(nodes, hour, hour + 1), "recur": "FREQ=HOURLY;INTERVAL=3;COUNT=3",
        "time_zone": "UTC", "where_impossible": "refuse",
    });
    let place = (Method::POST, "/api/v1/series");
    let Some((status, series)) = send(keeper, client, place, &asked).await else {
        keeper.has_asked = true;
        return None;
    };
    if status == 201 {
        keeper.known.push(Known { series, cut: None });
    }
    Some(())
}

async fn change(keeper: &mut Keeper, client: &Client) -> Option<()> {
    let count = keeper.known.len();
    let first = usize::try_from(keeper.below(count as u64)).unwrap();
    let mut places = (0..count).map(|place| (first + place) % count);
    let place = places.find(|place| keeper.known[*place].series["state"] == "running").unwrap();
    let series = keeper.known[place].series.clone();
    let at = path(&series);
    let (change, (method, at), body) = match keeper.below(4) {
        0 => (Change::Ended, (Method::DELETE, at), json!({})),
        1 => {
            let name = occurrences(&series)[1]["occurrence"].clone();
            let at = format!("{at}/occurrences/{}", name.as_str().unwrap());
            (Change::LeftOut(name), (Method::DELETE, at), json!({}))
        }
        _ => {
            let nodes = 1 + keeper.below(3);
            (Change::Nodes(nodes), (Method::PATCH, at), json!({ "request": { "nodes": nodes } }))
        }
    };
    let Some((status, told)) = send(keeper, client, (method, &at), &body).await else {
        keeper.known[place].cut = Some(change);
        return None;
    };
    if status == 200 {
        keeper.known[place].series = told;
    }
    Some(())
}

/// All series once nothing of them is due: what was cut off is gone on with.
async fn settled(operator: &Client, at: &impl Fn() -> i64) -> Vec<Value> {
    let mut last = Value::Null;
    for _ in 0..600 {
        let listed = operator.get("/api/v1/series?limit=1000").await.ok(200);
        let mut all = Vec::new();
        for series in listed["items"].as_array().unwrap() {
            all.push(operator.get(&path(series)).await.ok(200));
        }
        let is_due =
            |it: &Value| it["next_try_at"].is_string() && seconds(&it["next_try_at"]) <= at() + 90;
        let due = all.iter().find(|series| occurrences(series).iter().any(is_due));
        match due {
            None => return all,
            Some(due) => last = due.clone(),
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("{last}");
}

async fn assert_as_answered(
    operator: &Client,
    hours: Hours,
    at: &impl Fn() -> i64,
    keepers: &mut [Keeper],
) {
    let all = settled(operator, at).await;
    let reservations = operator.all_reservations().await;
    assert_booked_once(&all, &reservations);
    let mut unknown: BTreeMap<&str, &Value> =
        all.iter().map(|it| (it["id"].as_str().unwrap(), it)).collect();
    for known in keepers.iter_mut().flat_map(|it| &mut it.known) {
        let id = known.series["id"].as_str().unwrap().to_owned();
        let now = unknown.remove(id.as_str()).unwrap_or_else(|| panic!("{id} is gone"));
        let cut = known.cut.take();
        assert_follows(&known.series, now, cut.as_ref());
        known.series = now.clone();
    }
    // What nobody was told of was asked for by somebody, or refused.
    for series in unknown.into_values().filter(|it| it["state"] == "running") {
        let is_theirs = |it: &&mut Keeper| it.has_asked && series["owner"] == it.user;
        let keeper = keepers.iter_mut().find(is_theirs);
        let keeper = keeper.unwrap_or_else(|| panic!("nobody asked for {series}"));
        keeper.has_asked = false;
        keeper.known.push(Known { series: series.clone(), cut: None });
    }
    for keeper in keepers.iter_mut() {
        keeper.has_asked = false;
    }
    assert_sound(operator, hours, Some(CAP_W)).await;
    let held = holdings(operator, hours, &reservations).await;
    let told = operator.get("/api/v1/quotas").await.ok(200);
    LIMITS.assert_kept(&held, at());
    LIMITS.assert_told(&told, &held, at());
}

/// Each reservation that is confirmed is of one occurrence of a series that runs; of each occurrence of such there is one, but
/// of those that were left out. Nothing is held that nobody chose.
fn assert_booked_once(all: &[Value], reservations: &[Value]) {
    let mut booked = BTreeSet::new();
    for series in all {
        for it in occurrences(series) {
            let runs = series["state"] == "running";
            let state = &it["state"];
            if runs && state == "booked" {
                assert_eq!(it["reservation_state"], "confirmed", "{series}");
                let id = it["reservation_id"].as_str().unwrap().to_owned();
                assert!(booked.insert(id), "{series}");
            } else {
                let words =
                    if runs { &["left_out"][..] } else { &["left_out", "ended", "impossible"] };
                let is_over = words.iter().any(|word| state == word);
                assert!(is_over && it["reservation_state"] != "confirmed", "{series}");
            }
        }
    }
    let held =
        reservations.iter().filter(|it| it["state"] == "confirmed" || it["state"] == "proposed");
    let held: BTreeSet<String> = held.map(|it| it["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(held, booked);
}

/// A series is as it was told, or was changed as a whole by what was cut off.
fn assert_follows(before: &Value, now: &Value, cut: Option<&Change>) {
    let bare = |series: &Value| {
        let fields = ["owner", "state", "request", "recur", "except", "choose", "time_zone"];
        fields.map(|name| series[name].clone())
    };
    let reservation = |it: &Value| {
        let fields = ["occurrence", "state", "reservation_id", "start", "node_count"];
        fields.map(|name| it[name].clone())
    };
    if bare(before) == bare(now) {
        let of = |series: &Value| occurrences(series).iter().map(reservation).collect::<Vec<_>>();
        // What was told to be tried again may have been had since.
        let is_told = !before.to_string().contains("\"next_try_at\":\"");
        assert!(!is_told || cut.is_some() || of(before) == of(now), "{before} has become {now}");
        return;
    }
    match cut {
        Some(Change::Nodes(nodes)) => assert_eq!(now["request"]["nodes"], *nodes, "{now}"),
        Some(Change::LeftOut(name)) => assert_eq!(now["except"], json!([name]), "{now}"),
        Some(Change::Ended) => assert_eq!(now["state"], "ended", "{now}"),
        None => panic!("{before} has become {now}"),
    }
}
