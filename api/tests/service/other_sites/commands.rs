//! `wattbook sites`: the same from a terminal.

use std::process::Output;

use serde_json::Value;

use super::between::Does;
use super::booked::{PATH, states_there};
use super::three::Three;
use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    sites_are_asked_booked_at_and_cancelled_at_from_a_terminal,
}

fn sites(three: &Three, arguments: &str) -> Output {
    let mut command = wattbook(&["sites"]);
    command.args(arguments.split_whitespace());
    command.env("WATTBOOK_URL", format!("http://{}", three.home.address)).output().unwrap()
}

#[track_caller]
fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[track_caller]
fn json_of(output: &Output) -> Value {
    serde_json::from_str(&text(output)).unwrap()
}

async fn sites_are_asked_booked_at_and_cancelled_at_from_a_terminal(site: Site) {
    let three = Three::start(&site, "timeout_s = 30.0").await;
    let window = format!(
        "-N 1 -t 1h --begin {} --latest-start {}",
        three.hours.hour(1),
        three.hours.hour(12)
    );
    let shown = text(&sites(&three, &format!("quote {window} --output 1GB")));
    for told in ["BEST BY RANKING", "cost_energy_co2", "compromise", "lyon by the sea", "here"] {
        assert!(shown.contains(told), "{told}: {shown}");
    }
    let offers = json_of(&sites(&three, &format!("quote {window} --output 1GB --format json")));
    let best = offers["offers"].as_array().unwrap().iter();
    let best = |ranking: &str| {
        let won = best
            .clone()
            .find(|it| it["rankings"].as_array().unwrap().iter().any(|won| won == ranking));
        won.unwrap()["site"].as_str().unwrap().to_owned()
    };
    // The cheapest of all is at lyon, what takes least is here.
    assert_eq!(
        (best("cost_energy_co2").as_str(), best("energy_cost_co2").as_str()),
        ("lyon", "home")
    );
    let booked = json_of(&sites(
        &three,
        &format!("reserve {window} --output 1GB --ranking cost_energy_co2 --format json"),
    ));
    assert_eq!((&booked["site"], &booked["state"]), (&"lyon".into(), &"confirmed".into()));
    assert_eq!(states_there(&three.lyon.client()).await, ["confirmed"]);
    let here = json_of(&sites(
        &three,
        &format!("reserve {window} --output 1GB --ranking energy_cost_co2 --format json"),
    ));
    assert_eq!(here["state"], "confirmed");
    assert_eq!(states_there(&three.home.client()).await, ["confirmed"]);
    let id = booked["id"].as_str().unwrap();
    assert!(text(&sites(&three, "list")).contains(id));
    assert!(text(&sites(&three, &format!("show {id}"))).contains("is confirmed at lyon"));
    assert!(text(&sites(&three, &format!("cancel {id}"))).contains("is cancelled at lyon"));
    assert_eq!(three.home.client().get(PATH).await.ok(200)["items"][0]["state"], "cancelled");

    three.to_lyon.now(Does::CutOff);
    let shown = text(&sites(&three, &format!("quote {window}")));
    assert!(shown.contains("unreachable"), "{shown}");
    let much = sites(&three, "quote -N 1000 -t 1h");
    assert_eq!(much.status.code(), Some(3), "{much:?}");
    let wrong = sites(&three, "quote -N 1 -t 1h --input much");
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("25GB"), "{wrong:?}");
}
