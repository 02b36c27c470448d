use openleadr_wire::ven::BlVenRequest;
use planner::agenda::Agenda;
use planner::quantity::{Power, Rate};
use serde_json::json;

use crate::server::{Vtn, event, hour, power, request, span, word};

fn caps(agenda: &Agenda<Power>) -> Vec<Power> {
    agenda.pieces().iter().map(|piece| piece.value).collect()
}

#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn agendas_arrive() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let mut price = event(&program, "price", "PRICE", 1, &[0.17, -0.02]);
    price.payload_descriptors = Some(vec![
        serde_json::from_value(json!({"payloadType": "PRICE", "units": "KWH", "currency": "EUR"}))
            .unwrap(),
    ]);
    program.create_event(price).await.unwrap();
    program.create_event(event(&program, "co2", "GHG", 1, &[56.0])).await.unwrap();
    program
        .create_event(event(&program, "cap", "IMPORT_CAPACITY_LIMIT", 1, &[60.0, 120.0]))
        .await
        .unwrap();
    let contract = request(json!({
        "programID": program.id().as_str(), "eventName": "contract", "priority": null,
        "intervalPeriod": {"start": "0001-01-01T00:00:00Z", "duration": "P9999Y"},
        "intervals": [{"id": 0, "payloads":
            [{"type": "IMPORT_CAPACITY_SUBSCRIPTION", "values": [100.0]}]}],
    }));
    program.create_event(contract).await.unwrap();
    let alert = request(json!({
        "programID": program.id().as_str(), "priority": 0,
        "intervalPeriod": {"start": hour(0), "duration": "PT1H"},
        "intervals": [{"id": 0, "payloads":
            [{"type": "ALERT_GRID_EMERGENCY", "values": ["a line is down"]}]}],
    }));
    program.create_event(alert).await.unwrap();

    let word = word(&vtn.ven()).await;
    let prices = word.price.said;
    let prices: Vec<i64> = prices.pieces().iter().map(|it| it.value.as_millionths()).collect();
    assert_eq!(prices, [170_000_000, -20_000_000]);
    assert_eq!(word.co2.said.pieces()[0].value.as_millionths(), 56_000_000);
    let limit = word.limit.said;
    assert_eq!(limit.pieces()[0].span, span(1, 2));
    assert_eq!(caps(&limit), [power(60.0), power(120.0)]);
    let cap = word.power_cap.said;
    assert_eq!(cap.at(hour(1)), Some(power(60.0)));
    assert_eq!(cap.at(hour(2)), Some(power(100.0)), "the contract is lower than the limit");
    assert_eq!(cap.at(hour(1000)), Some(power(100.0)));
    assert_eq!(word.alerts.said[0].text, "a line is down");
}

#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_cap_is_lowered_overridden_and_cancelled() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let ven = vtn.ven();
    let first = event(&program, "cap", "IMPORT_CAPACITY_LIMIT", 1, &[60.0, 60.0]);
    let mut cap = program.create_event(first).await.unwrap();
    assert_eq!(caps(&word(&ven).await.limit.said), [power(60.0), power(60.0)]);

    let lowered = event(&program, "cap", "IMPORT_CAPACITY_LIMIT", 1, &[60.0, 40.0]);
    *cap.content_mut() = lowered;
    cap.update().await.unwrap();
    assert_eq!(caps(&word(&ven).await.limit.said), [power(60.0), power(40.0)]);

    let mut emergency = event(&program, "emergency", "IMPORT_CAPACITY_LIMIT", 1, &[20.0]);
    emergency.priority = openleadr_wire::event::Priority::MAX;
    let emergency = program.create_event(emergency).await.unwrap();
    assert_eq!(caps(&word(&ven).await.limit.said), [power(20.0), power(40.0)]);

    emergency.delete().await.unwrap();
    assert_eq!(caps(&word(&ven).await.limit.said), [power(60.0), power(40.0)]);
    cap.delete().await.unwrap();
    assert!(word(&ven).await.limit.said.pieces().is_empty());
}

#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn events_for_others_are_not_ours() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let enrolled = BlVenRequest::new(
        "ven-client-client-id".parse().unwrap(),
        "site-1".to_owned(),
        None,
        vec!["site-1".parse().unwrap()],
    );
    let created = vtn.supplier().create_ven(enrolled).await;
    created.unwrap();
    for (target, kilowatts) in [("site-1", 60.0), ("site-2", 10.0)] {
        let mut limit = event(&program, target, "IMPORT_CAPACITY_LIMIT", 1, &[kilowatts]);
        limit.targets = vec![target.parse().unwrap()];
        program.create_event(limit).await.unwrap();
    }
    assert_eq!(caps(&word(&vtn.ven()).await.limit.said), [power(60.0)]);
}

#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn more_events_than_a_page_are_all_read() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    for number in 0..103_u32 {
        let from = i64::from(number);
        let limit = event(&program, "e", "IMPORT_CAPACITY_LIMIT", from, &[f64::from(number)]);
        program.create_event(limit).await.unwrap();
    }
    let limit = word(&vtn.ven()).await.limit.said;
    assert_eq!(caps(&limit), (0..103_u32).map(|it| power(f64::from(it))).collect::<Vec<_>>());
}

/// A limit in kVA ahead, and then an emergency now: it counts at once, and the other is told.
#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn an_emergency_counts_beside_what_cannot_be_read() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let mut apparent = event(&program, "apparent", "IMPORT_CAPACITY_LIMIT", 40, &[5.0]);
    let descriptors = json!([{"payloadType": "IMPORT_CAPACITY_LIMIT", "units": "KVA"}]);
    apparent.payload_descriptors = Some(serde_json::from_value(descriptors).unwrap());
    let apparent = program.create_event(apparent).await.unwrap();
    let emergency = event(&program, "emergency", "IMPORT_CAPACITY_LIMIT", 0, &[0.2]);
    program.create_event(emergency).await.unwrap();
    let ven = vtn.ven();
    let limit = word(&ven).await.limit;
    assert_eq!((limit.said.pieces().len(), limit.said.at(hour(0))), (1, Some(power(0.2))));
    assert_eq!(limit.doubtful, [span(40, 41)]);
    let words = limit.unread[0].to_string();
    assert!(words.contains("apparent") && words.contains("KVA"), "{words}");
    apparent.delete().await.unwrap();
    assert!(word(&ven).await.limit.unread.is_empty());
}
