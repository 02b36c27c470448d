//! Asked for one choice, several sites answer as one planner that knows all of them.

use serde_json::{Value, json};

use super::all_known::{Start, Wanted, all_starts, best, compromise};
use super::three::{Three, known, of_site};
use crate::cluster::{instant, now, seconds};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    the_choice_is_that_of_a_planner_that_knows_all_sites,
}

/// The criteria in the order in which amounts stand.
const CRITERIA: [&str; 3] = ["energy", "cost", "co2"];

const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

fn ranking(order: [usize; 3]) -> String {
    order.map(|criterion| CRITERIA[criterion]).join("_")
}

/// The document of an offer says what a start is.
#[track_caller]
fn assert_is(offer: &Value, start: &Start, three: &Three) {
    let found = (offer["site"].as_str().unwrap(), offer["start"].as_str().unwrap());
    assert_eq!(
        found,
        (start.site, instant(three.hours.at(0) + start.begins_s).as_str()),
        "{offer}"
    );
    let [energy, cost, co2] = start.amounts;
    for (name, amount) in
        [("energy_j", energy as f64), ("cost", cost as f64 / 3.6e9), ("co2_g", co2 as f64 / 3.6e6)]
    {
        let told = offer[name].as_f64().unwrap();
        assert!(
            (told - amount).abs() <= 1e-9 * amount.abs().max(1.0),
            "{name} is {amount}: {offer}"
        );
    }
}

async fn check(three: &Three, wanted: Wanted) {
    let mut request = three.hours.request(u32::try_from(wanted.nodes).unwrap(), 0, 0);
    request["duration_s"] = json!(wanted.duration_s);
    request["earliest_start"] = json!(instant(three.hours.at(0) + wanted.earliest_s));
    request["latest_start"] = json!(instant(three.hours.at(0) + wanted.latest_s));
    let question = json!({
        "request": request,
        "input_bytes": wanted.input_gb * 1_000_000_000,
        "output_bytes": wanted.output_gb * 1_000_000_000,
    });
    let told = three.home.client().post("/api/v1/site-offers", &question).await.ok(200);
    for site in told["sites"].as_array().unwrap() {
        assert!(site["state"] == "offers" || site["state"] == "impossible", "{site}");
    }
    let starts = all_starts(&known(), &wanted);
    let offers = told["offers"].as_array().unwrap();
    for order in ORDERS {
        let best = best(&starts, order).unwrap();
        let wins =
            |it: &&Value| it["rankings"].as_array().unwrap().contains(&json!(ranking(order)));
        assert_is(offers.iter().find(wins).unwrap(), &best, three);
    }
    assert_is(&told["compromise"], &compromise(&starts).unwrap(), three);
    // Each site beside the others: its own best, and what its data takes.
    for site in ["home", "lyon", "nice"] {
        let own: Vec<Start> = starts.iter().filter(|it| it.site == site).copied().collect();
        let told = of_site(&told, site);
        let Some(best) = best(&own, ORDERS[3]) else {
            assert_eq!((&told["state"], &told["offers"]), (&json!("impossible"), &json!([])));
            continue;
        };
        let wins =
            |it: &&Value| it["rankings"].as_array().unwrap().contains(&json!(ranking(ORDERS[3])));
        let offer = told["offers"].as_array().unwrap().iter().find(wins).unwrap();
        assert_is(offer, &best, three);
        if site == "home" {
            assert!(
                offer.get("data_transfer").is_none() && told.get("location").is_none(),
                "{told}"
            );
            assert_eq!(told["here"], true);
        } else {
            let output_s = wanted.output_gb * 50;
            assert_eq!(offer["data_transfer"]["output_s"], output_s);
            let arrives = seconds(&offer["data_transfer"]["output_arrives"]);
            assert_eq!(arrives - seconds(&offer["end"]), output_s);
            assert_eq!(told["location"], format!("{site} by the sea"));
        }
    }
}

/// Requests of different sizes, lengths and windows, without data and with some: 50 s for a gigabyte.
async fn the_choice_is_that_of_a_planner_that_knows_all_sites(site: Site) {
    let three = Three::start(&site, "timeout_s = 30.0").await;
    let mut won = std::collections::BTreeSet::new();
    for draw in 0..24_i64 {
        let now_s = now() - three.hours.at(0);
        let earliest_s = draw % 5 * 2700;
        let wanted = Wanted {
            nodes: 1 + draw % 4,
            duration_s: 1800 + draw % 7 * 1500,
            earliest_s,
            latest_s: earliest_s + 3600 * (1 + draw % 11),
            input_gb: [0, 40, 0, 170][usize::try_from(draw % 4).unwrap()],
            output_gb: [0, 3, 25][usize::try_from(draw % 3).unwrap()],
            now_s,
        };
        // Nothing is on its way at the border of a slot, since a second may pass.
        let arrival = now_s + wanted.input_gb * 50;
        if wanted.input_gb > 0 && (arrival.rem_euclid(900) > 880 || arrival.rem_euclid(900) == 0) {
            continue;
        }
        won.extend(all_starts(&known(), &wanted).is_empty().then_some("none"));
        if !all_starts(&known(), &wanted).is_empty() {
            won.extend(
                ORDERS.map(|order| best(&all_starts(&known(), &wanted), order).unwrap().site),
            );
            check(&three, wanted).await;
        }
    }
    assert!(won.contains("home") && won.contains("lyon") && won.contains("nice"), "{won:?}");
    what_cannot_be_asked_is_told(&three).await;
}

async fn what_cannot_be_asked_is_told(three: &Three) {
    let client = three.home.client();
    let mut question = three.question();
    question["input_bytes"] = json!(-1);
    question["request"]["nodes"] = json!(0);
    let problem = client.post("/api/v1/site-offers", &question).await.problem(400, "invalid_body");
    let pointers: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(pointers, ["/input_bytes", "/request/nodes"]);
    // A petabyte takes 579 days, and whoever has it is told so.
    question = three.question();
    question["input_bytes"] = json!(1_000_000_000_000_000_u64);
    let told = client.post("/api/v1/site-offers", &question).await.ok(200);
    assert_eq!(of_site(&told, "lyon")["state"], "data_too_late");
    assert_eq!(of_site(&told, "home")["state"], "offers");
    // What one site does not know is that site's alone.
    question = three.question();
    question["request"]["partition"] = json!("gpu");
    let told = client.post("/api/v1/site-offers", &question).await.ok(200);
    assert_eq!(told["decision"], "impossible");
    for site in ["home", "lyon", "nice"] {
        let told = of_site(&told, site);
        assert_eq!(told["state"], "refused", "{told}");
        assert!(told["detail"].as_str().unwrap().contains("partition"), "{told}");
    }
}
