//! The compromise is held beside the best by each ranking, and chosen by its name.

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::answer;
use crate::cluster::{furnish, instant, path, propose};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    the_compromise_is_held_and_booked,
    it_is_held_only_where_that_is_asked_for,
}

/// Two hours from 1:00 to 4:00 on, where 2:00 to 3:00 costs half and 4:00 to 5:00 emits half. 1:00 costs least, 3:00 emits least, 2
/// hours later. On the front between them are 2:15, which loses 1/4 of the cost, 3/4 of the CO2 and 5/8 of the delay; 2:30 with 1/2, 1/2 and
/// 3/4; and 2:45 with 3/4, 1/4 and 7/8. The first two lose 3/4 at most, and 2:15 is the earlier.
async fn the_compromise_is_held_and_booked(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let mut request = hours.request(1, 1, 4);
    request["duration_s"] = json!(7200);
    request["hold_compromise"] = json!(true);
    let held = propose(&client, &request).await;
    let offers = held["offers"].as_array().unwrap();
    let of_each = |key: &str| offers.iter().map(|it| it[key].clone()).collect::<Vec<Value>>();
    let quarter_past = json!(instant(hours.at(2) + 900));
    assert_eq!(
        of_each("start"),
        [json!(hours.hour(1)), quarter_past.clone(), json!(hours.hour(3))]
    );
    assert_eq!(of_each("compromise"), [Value::Null, json!(true), Value::Null]);
    assert_eq!(offers[1]["rankings"], json!([]));
    let choice = json!({ "ranking": "compromise" });
    let choose = format!("{}/choose", path(&held));
    assert_eq!(client.post(&choose, &choice).await.ok(200)["start"], quarter_past);
    // It stays the compromise when it is planned anew, unless something else is wanted.
    for (patch, start) in [
        (json!({ "nodes": 2 }), quarter_past),
        (json!({ "nodes": 3, "ranking": "co2_cost_energy" }), json!(hours.hour(3))),
    ] {
        let modified = answer(client.request(Method::PATCH, &path(&held)).json(&patch)).await;
        assert_eq!(modified.ok(200)["start"], start, "{patch}");
    }
    let wrong = json!({ "ranking": "compromises" });
    let problem = client.post(&choose, &wrong).await.any_problem();
    assert_eq!(problem["errors"][0]["pointer"], "/ranking", "{problem}");
}

/// An hour between 1:00 and 4:00, where 2:00 to 3:00 costs half: 2:00 is the best by all rankings. 1:30 loses half of the cost and half
/// of the delay.
async fn it_is_held_only_where_that_is_asked_for(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let mut request = hours.request(1, 1, 3);
    let choice = json!({ "ranking": "compromise" });
    let held = propose(&client, &request).await;
    assert_eq!(held["offers"].as_array().unwrap().len(), 1);
    let choose = format!("{}/choose", path(&held));
    client.post(&choose, &choice).await.problem(422, "unknown_offer");
    request["hold_compromise"] = json!(true);
    let held = propose(&client, &request).await;
    assert_eq!(held["offers"].as_array().unwrap().len(), 2);
    let chosen = client.post(&format!("{}/choose", path(&held)), &choice).await.ok(200);
    assert_eq!(chosen["start"], instant(hours.at(1) + 1800));
    assert_eq!(chosen["request"]["hold_compromise"], true);
}
