//! Extra power: asked for, granted, partly granted, refused, offered, unanswered.
//!
//! The supplier speaks by the API. Nodes draw 200 W at most, the cap leaves room for two.

use serde_json::{Value, json};

use crate::audited::records;
use crate::client::Client;
use crate::cluster::{Hours, choose, furnish, path, propose};
use crate::dialogue::{closed, open_question, read_negotiation, serve, until, until_state};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_peak_above_the_cap_is_requested_granted_and_booked,
    requests_are_combined_and_a_partial_grant_serves_who_came_first,
    a_refusal_rejects_with_the_suppliers_reason,
    silence_is_a_no,
    an_offer_within_the_limit_is_taken_and_its_fee_enters_the_cost,
    an_offer_above_the_limit_is_declined,
    what_was_set_aside_is_for_those_who_asked,
    a_request_that_lacks_more_than_power_is_impossible,
    a_site_that_does_not_negotiate_says_so,
    a_cancelled_request_is_withdrawn,
    wrong_answers_change_nothing,
    a_long_negotiation_is_printed_from_its_end,
    a_named_grant_that_has_ended_keeps_its_id,
}

fn negotiable(hours: Hours, nodes: u32, fee_limit: f64) -> Value {
    let mut request = hours.request(nodes, 2, 2);
    request["on_cap"] = json!("negotiate");
    if fee_limit > 0.0 {
        request["extra_power_fee_limit"] = json!(fee_limit);
    }
    request
}

async fn answer(client: &Client, question: &Value, body: &Value) -> Value {
    let id = question["id"].as_str().unwrap();
    client.post(&format!("/api/v1/negotiations/{id}/answer"), body).await.ok(200)
}

/// Grants what is asked for, as it is asked for.
fn granted(question: &Value) -> Value {
    json!({ "answer": "granted", "power": question["subject"]["power"] })
}

/// The paper's peak (section IV): four nodes of 200 W want 800 W for an hour under a cap of 400 W:
/// 400 W are missing. Granted, they are booked at 0.8 kWh, 100 a MWh, 0.08.
async fn a_peak_above_the_cap_is_requested_granted_and_booked(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 6, Some(400.0)).await;
    let waiting = propose(&client, &negotiable(hours, 4, 0.0)).await;
    assert_eq!((&waiting["state"], &waiting["offers"]), (&json!("awaiting_supplier"), &json!([])));
    let question = open_question(&client, 1).await;
    let asked = json!([{ "start": hours.hour(2), "end": hours.hour(3), "power_w": 400.0 }]);
    assert_eq!(question["subject"]["power"], asked);
    assert_eq!(answer(&client, &question, &granted(&question)).await["outcome"], "taken");
    let record = &records(&client, "answer_negotiation").await[0];
    assert_eq!(record["before"], json!({ "answer": null, "grants": [] }));
    let given = &record["after"]["grants"][0];
    assert_eq!((&record["after"]["answer"], &given["power_w"]), (&json!("taken"), &json!(400.0)));
    assert_eq!((&given["start"], &given["end"]), (&asked[0]["start"], &asked[0]["end"]));
    let proposed = until_state(&client, &waiting, "proposed").await;
    assert_eq!(proposed["offers"][0]["cost"], 0.08);
    assert_eq!(proposed["offers"][0]["extra_power_fee"], Value::Null);
    let chosen = choose(&client, &proposed, "cost_co2_energy").await;
    assert_eq!(chosen["state"], "confirmed");
    let profile = client.get(&format!("/api/v1/power-profile?{}", hours.span(2, 3))).await.ok(200);
    assert_eq!(profile["steps"][0]["cap_w"], 800.0);
    assert_eq!(profile["steps"][0]["headroom_w"], 0.0);
    let told = closed(&client, &question).await;
    assert_eq!((&told["state"], &told["outcome"]), (&json!("closed"), &json!("granted")));
    let kinds: Vec<&Value> =
        told["messages"].as_array().unwrap().iter().map(|it| &it["kind"]).collect();
    assert_eq!(kinds, ["request", "grant"]);
    let newest =
        format!("/api/v1/negotiations/{}?newest=true&limit=1", question["id"].as_str().unwrap());
    let newest = client.get(&newest).await.ok(200);
    assert_eq!(newest["messages"], json!([told["messages"][1]]));
    // The grant is spent: nobody else gets it.
    let other = client.post("/api/v1/reservations", &hours.request(1, 2, 2)).await;
    other.problem(422, "impossible");
}

/// Under 400 W: three nodes (600 W) and then three more lack 200 + 600 W. 200 W are granted: the
/// first is served, the second rejected.
async fn requests_are_combined_and_a_partial_grant_serves_who_came_first(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 6, Some(400.0)).await;
    let first = propose(&client, &negotiable(hours, 3, 0.0)).await;
    let second = propose(&client, &negotiable(hours, 3, 0.0)).await;
    let question = open_question(&client, 2).await;
    assert_eq!(question["subject"]["power"][0]["power_w"], 800.0);
    let power = json!([{ "start": hours.hour(2), "end": hours.hour(3), "power_w": 200 }]);
    answer(&client, &question, &json!({ "answer": "granted", "power": power })).await;
    until_state(&client, &first, "proposed").await;
    let rejected = until_state(&client, &second, "rejected").await;
    assert_eq!(rejected["notice"]["code"], "partly_granted");
    assert_eq!(closed(&client, &question).await["outcome"], "partly_granted");
}

async fn a_refusal_rejects_with_the_suppliers_reason(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(400.0)).await;
    let waiting = propose(&client, &negotiable(hours, 4, 0.0)).await;
    let question = open_question(&client, 1).await;
    let refusal = json!({ "answer": "refused", "reason": "the line is full" });
    assert_eq!(answer(&client, &question, &refusal).await["outcome"], "noted");
    let rejected = until_state(&client, &waiting, "rejected").await;
    assert_eq!(rejected["notice"]["detail"], "the line is full");
    assert_eq!(closed(&client, &question).await["outcome"], "refused");
}

async fn silence_is_a_no(site: Site) {
    let server = serve(&site, "answer_within_s = 5").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(400.0)).await;
    let waiting = propose(&client, &negotiable(hours, 4, 0.0)).await;
    let question = open_question(&client, 1).await;
    let rejected = until_state(&client, &waiting, "rejected").await;
    assert_eq!(rejected["notice"]["code"], "unanswered");
    let told = closed(&client, &question).await;
    assert_eq!(told["outcome"], "unanswered");
    // The supplier need not think about it any longer.
    assert_eq!(told["messages"].as_array().unwrap().last().unwrap()["kind"], "withdrawal");
}

/// 400 W more for 1.5, of at most 2: the cost is 0.08 + 1.5.
async fn an_offer_within_the_limit_is_taken_and_its_fee_enters_the_cost(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(400.0)).await;
    let waiting = propose(&client, &negotiable(hours, 4, 2.0)).await;
    let question = open_question(&client, 1).await;
    assert_eq!(question["subject"]["fee_limit"], 2.0);
    let power = json!([
        { "start": hours.hour(2), "end": hours.hour(3), "power_w": 400, "fee": 1.5, "id": "peak-7" },
    ]);
    let offered = json!({ "answer": "offered", "power": power });
    assert_eq!(answer(&client, &question, &offered).await["outcome"], "taken");
    let proposed = until_state(&client, &waiting, "proposed").await;
    assert_eq!(
        (&proposed["offers"][0]["cost"], &proposed["offers"][0]["extra_power_fee"]),
        (&json!(1.58), &json!(1.5))
    );
    let grants = client.get("/api/v1/grants").await.ok(200);
    assert_eq!(
        (&grants["items"][0]["id"], &grants["items"][0]["fee"]),
        (&json!("peak-7"), &json!(1.5))
    );
}

async fn an_offer_above_the_limit_is_declined(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(400.0)).await;
    let waiting = propose(&client, &negotiable(hours, 4, 1.0)).await;
    let question = open_question(&client, 1).await;
    let power =
        json!([{ "start": hours.hour(2), "end": hours.hour(3), "power_w": 400, "fee": 1.5 }]);
    let offered = json!({ "answer": "offered", "power": power });
    assert_eq!(answer(&client, &question, &offered).await["outcome"], "declined");
    let rejected = until_state(&client, &waiting, "rejected").await;
    let detail = rejected["notice"]["detail"].as_str().unwrap();
    assert!(detail.contains("asks 1.5 EUR") && detail.contains("limit of 1 EUR"), "{detail}");
    assert_eq!(client.get("/api/v1/grants").await.ok(200)["items"], json!([]));
    // A grant for more than was said to be paid is no grant.
    let again = propose(&client, &negotiable(hours, 4, 1.0)).await;
    let question = open_question(&client, 1).await;
    let path = format!("/api/v1/negotiations/{}/answer", question["id"].as_str().unwrap());
    let body = json!({ "answer": "granted", "power": power });
    client.post(&path, &body).await.problem(400, "invalid_body");
    assert_eq!(again["state"], "awaiting_supplier");
}

/// A grant of 400 W for one that waits: another who comes meanwhile does not get it.
async fn what_was_set_aside_is_for_those_who_asked(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 6, Some(400.0)).await;
    let waiting = propose(&client, &negotiable(hours, 4, 0.0)).await;
    let question = open_question(&client, 1).await;
    answer(&client, &question, &granted(&question)).await;
    let other = client.post("/api/v1/reservations", &hours.request(3, 2, 2)).await;
    other.problem(422, "impossible");
    until_state(&client, &waiting, "proposed").await;
    client.delete(&path(&waiting)).await.ok(200);
    // Afterwards it is everybody's.
    until(&client, "/api/v1/grants", |it| it["items"][0]["standing"] == "in_force").await;
    propose(&client, &hours.request(3, 2, 2)).await;
}

async fn a_request_that_lacks_more_than_power_is_impossible(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(400.0)).await;
    let too_many = client.post("/api/v1/reservations", &negotiable(hours, 5, 0.0)).await;
    too_many.problem(422, "impossible");
    let possible = propose(&client, &negotiable(hours, 2, 0.0)).await;
    assert_eq!(possible["state"], "proposed");
    let mut wrong = hours.request(1, 2, 2);
    wrong["on_cap"] = json!("beg");
    wrong["extra_power_fee_limit"] = json!(-1);
    wrong["give_back"] = json!("soon");
    let problem = client.post("/api/v1/reservations", &wrong).await.problem(400, "invalid_body");
    let pointers: Vec<&Value> =
        problem["errors"].as_array().unwrap().iter().map(|it| &it["pointer"]).collect();
    assert_eq!(pointers, ["/on_cap", "/extra_power_fee_limit", "/give_back"]);
}

async fn a_site_that_does_not_negotiate_says_so(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(400.0)).await;
    let detail = async |request: Value| {
        let answer = client.post("/api/v1/reservations", &request).await;
        let problem = answer.problem(422, "impossible");
        assert!(problem["rankings"].is_object() || problem["pareto"].is_array(), "{problem}");
        problem["detail"].as_str().unwrap().to_owned()
    };
    let why = "this site does not ask its supplier";
    assert!(detail(negotiable(hours, 4, 0.0)).await.contains(why));
    // Power would not help, or was not wanted.
    assert!(!detail(negotiable(hours, 5, 0.0)).await.contains(why));
    assert!(!detail(hours.request(4, 2, 2)).await.contains(why));
    assert_eq!(propose(&client, &negotiable(hours, 2, 0.0)).await["state"], "proposed");
}

async fn a_cancelled_request_is_withdrawn(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(400.0)).await;
    let waiting = propose(&client, &negotiable(hours, 4, 0.0)).await;
    let question = open_question(&client, 1).await;
    client.delete(&path(&waiting)).await.ok(200);
    let told = closed(&client, &question).await;
    assert_eq!(told["outcome"], "withdrawn");
    assert_eq!(told["messages"][1]["kind"], "withdrawal");
}

async fn wrong_answers_change_nothing(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(400.0)).await;
    propose(&client, &negotiable(hours, 4, 0.0)).await;
    let question = open_question(&client, 1).await;
    let path = format!("/api/v1/negotiations/{}/answer", question["id"].as_str().unwrap());
    let span = json!({ "start": hours.hour(3), "end": hours.hour(2), "power_w": 0 });
    let wrong = json!({ "answer": "granted", "power": [span] });
    let problem = client.post(&path, &wrong).await.problem(400, "invalid_body");
    let pointers: Vec<&Value> =
        problem["errors"].as_array().unwrap().iter().map(|it| &it["pointer"]).collect();
    assert_eq!(pointers, ["/power/0/power_w", "/power/0/end"]);
    client.post(&path, &json!({ "answer": "maybe" })).await.problem(400, "invalid_body");
    let unknown = "/api/v1/negotiations/01900000-0000-7000-8000-000000000000/answer";
    let refusal = json!({ "answer": "refused" });
    client.post(unknown, &refusal).await.problem(404, "not_found");
    assert_eq!(read_negotiation(&client, &question).await["messages"].as_array().unwrap().len(), 1);
    let operator = site.token("grace", "operator");
    let (user, supplier) = (site.token("ada", "user"), site.token("grid", "supplier"));
    client.with_token(&user).post(&path, &refusal).await.problem(403, "forbidden");
    client.with_token(&user).get("/api/v1/negotiations").await.problem(403, "forbidden");
    client.with_token(&supplier).post(&path, &refusal).await.ok(200);
    client.with_token(&operator).post(&path, &refusal).await.problem(409, "not_asked");
}

/// A grant, and a thousand messages after it: that many are printed, and that there may be more.
async fn a_long_negotiation_is_printed_from_its_end(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let hours = furnish(&client, 1, None).await;
    let gift = json!({ "start": hours.hour(2), "end": hours.hour(3), "power_w": 400 });
    client.post("/api/v1/grants", &gift).await.ok(201);
    let notices = client.get("/api/v1/negotiations?kind=notice").await.ok(200);
    let id = notices["items"][0]["id"].as_str().unwrap();
    let show = || {
        let show = ["negotiation", "show", id, "--format", "json"];
        let output = site.command(&show).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        (told["messages"].as_array().unwrap().clone(), String::from_utf8(output.stderr).unwrap())
    };
    let (messages, said) = show();
    assert_eq!((messages.len(), said.contains("newest")), (1, false), "{said}");
    let copies = "WITH RECURSIVE numbers AS (
            SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
        INSERT INTO negotiation_messages
            (negotiation_id, said_s, direction, kind, carrier, document, delivery)
        SELECT negotiation_id, said_s, direction, 'alert', carrier, document, delivery
        FROM negotiation_messages, numbers WHERE kind = 'grant'";
    site.execute(copies).await;
    let (messages, said) = show();
    assert!(messages.iter().all(|it| it["kind"] == "alert"), "{:#}", messages[0]);
    assert!(messages.len() == 1000 && said.contains("the newest 1000 messages"), "{said}");
}

/// A grant with the name of one that has ended is that one: the answer has its id, by which it is taken back.
async fn a_named_grant_that_has_ended_keeps_its_id(site: Site) {
    let server = serve(&site, "").await;
    let client = server.client();
    let mut answers = Vec::new();
    for power_w in [5.0, 6.0] {
        let (start, end) = ("2020-01-01T00:00:00Z", "2020-01-01T01:00:00Z");
        let gift = json!({ "id": "spring", "start": start, "end": end, "power_w": power_w });
        answers.push(client.post("/api/v1/grants", &gift).await.ok(201));
    }
    assert_eq!(answers[0]["grant_id"], answers[1]["grant_id"]);
    assert_eq!(answers[1]["power_w"], json!(6.0));
    let given = records(&client, "create_grant").await;
    assert_eq!(given[1]["before"]["power_w"], json!(5.0));
    let place = format!("/api/v1/grants/{}", answers[1]["grant_id"].as_str().unwrap());
    assert_eq!(client.delete(&place).await.status, 204);
}
