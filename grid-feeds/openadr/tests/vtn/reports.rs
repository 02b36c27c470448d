use openadr::{PlannedInterval, QuietSpan, Used, VenError};
use planner::time::Seconds;
use serde_json::json;

use crate::server::{Vtn, asking, event, hour, now, power, reports, request, span, told, word};

fn planned(kilowatts: f64) -> [PlannedInterval; 2] {
    [(1, 2), (2, 4)].map(|(from, to)| PlannedInterval {
        span: span(from, to),
        reserved_max: power(2.0 * kilowatts),
        expected: power(kilowatts),
    })
}

/// 10 kW over one hour and over two.
#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn the_newest_plan_takes_the_place_of_the_one_before() {
    let vtn = Vtn::start().await;
    let ven = vtn.ven();
    let program = vtn.program().await;
    let error = ven.plan(&planned(10.0), now()).await.unwrap_err();
    assert_eq!(error, VenError::NoEvent { what: "USAGE_FORECAST" });
    let prices = asking(&program, "price", "PRICE", 0, &[0.1; 24]);
    program.create_event(prices).await.unwrap();
    ven.plan(&planned(10.0), now()).await.unwrap();
    let first = reports(&vtn, "wattbook-plan").await;
    assert_eq!(
        told(&first[0]),
        [["USAGE_FORECAST 10.0", "DEMAND 20.0"], ["USAGE_FORECAST 20.0", "DEMAND 20.0"]]
    );
    ven.plan(&planned(15.0), now()).await.unwrap();
    let second = reports(&vtn, "wattbook-plan").await;
    assert_eq!(second.len(), 1);
    assert_eq!(second[0].id, first[0].id);
    assert_eq!(told(&second[0])[0], ["USAGE_FORECAST 15.0", "DEMAND 30.0"]);
}

/// The server does not delete an event that has reports. A newer one that asks takes the report over,
/// and the one before is free to go.
#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_report_moves_on_to_the_newest_event() {
    let vtn = Vtn::start().await;
    let ven = vtn.ven();
    let program = vtn.program().await;
    let prices = |name| asking(&program, name, "PRICE", 0, &[0.1; 24]);
    let first = program.create_event(prices("first")).await.unwrap();
    ven.plan(&planned(10.0), now()).await.unwrap();
    assert!(first.clone().delete().await.unwrap_err().is_conflict());
    let second = program.create_event(prices("second")).await.unwrap();
    ven.plan(&planned(12.0), now()).await.unwrap();
    let moved = reports(&vtn, "wattbook-plan").await;
    assert_eq!((moved.len(), &moved[0].content.event_id), (1, second.id()));
    first.delete().await.unwrap();
}

/// Whatever limits or grants can be deleted while a plan is told; where there is nothing else the plan
/// waits for an event that may have it.
#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn limits_and_grants_can_be_deleted_beside_a_plan() {
    let vtn = Vtn::start().await;
    let ven = vtn.ven();
    let program = vtn.program().await;
    let limit = event(&program, "cap", "IMPORT_CAPACITY_LIMIT", 0, &[100.0; 24]);
    let limit = program.create_event(limit).await.unwrap();
    let grant = event(&program, "grant", "IMPORT_CAPACITY_RESERVATION", 0, &[5.0; 24]);
    let grant = program.create_event(grant).await.unwrap();
    let error = ven.plan(&planned(10.0), now()).await.unwrap_err();
    assert_eq!(error, VenError::NoEvent { what: "USAGE_FORECAST" });
    let prices = asking(&program, "price", "PRICE", 0, &[0.1; 24]);
    program.create_event(prices).await.unwrap();
    ven.plan(&planned(10.0), now()).await.unwrap();
    assert_eq!(reports(&vtn, "wattbook-plan").await.len(), 1);
    assert_eq!(word(&ven).await.grants.said.len(), 24);
    limit.delete().await.unwrap();
    grant.delete().await.unwrap();
    let said = word(&ven).await;
    assert!(said.grants.said.is_empty() && said.limit.said.pieces().is_empty());
}

/// A limit asks for a plan, and then no longer: hearing the supplier takes the plan away, and the
/// limit can be deleted. So it is with an event that is over.
#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn reports_that_hold_up_events_are_taken_away() {
    let vtn = Vtn::start().await;
    let ven = vtn.ven();
    let program = vtn.program().await;
    let asked = asking(&program, "cap", "IMPORT_CAPACITY_LIMIT", 0, &[100.0; 24]);
    let mut limit = program.create_event(asked).await.unwrap();
    ven.plan(&planned(10.0), now()).await.unwrap();
    ven.hear(now()).await.unwrap();
    assert_eq!(reports(&vtn, "wattbook-plan").await.len(), 1, "it was asked for");
    let plain = event(&program, "cap", "IMPORT_CAPACITY_LIMIT", 0, &[100.0; 24]);
    *limit.content_mut() = plain;
    limit.update().await.unwrap();
    ven.hear(now()).await.unwrap();
    assert!(reports(&vtn, "wattbook-plan").await.is_empty());
    limit.delete().await.unwrap();

    let prices = asking(&program, "price", "PRICE", 0, &[0.1; 24]);
    let mut prices = program.create_event(prices).await.unwrap();
    ven.plan(&planned(10.0), now()).await.unwrap();
    assert!(prices.clone().delete().await.unwrap_err().is_conflict());
    *prices.content_mut() = request(json!({
        "programID": program.id().as_str(), "eventName": "price",
        "reportDescriptors": [{"payloadType": "USAGE_FORECAST"}],
        "intervalPeriod": {"start": hour(-3), "duration": "PT1H"},
        "intervals": [{"id": 0, "payloads": [{"type": "PRICE", "values": [0.1]}]}],
    }));
    prices.update().await.unwrap();
    ven.hear(now()).await.unwrap();
    prices.delete().await.unwrap();
}

#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_quiet_night_is_announced_and_withdrawn() {
    let vtn = Vtn::start().await;
    let ven = vtn.ven();
    let program = vtn.program().await;
    let prices = asking(&program, "price", "PRICE", 0, &[0.1; 24]);
    program.create_event(prices).await.unwrap();
    let night = QuietSpan { span: span(10, 16), power: power(2.0), less: power(48.0) };
    ven.warn_low(&[night], now()).await.unwrap();
    let said = reports(&vtn, "wattbook-quiet").await;
    assert_eq!(
        told(&said[0]),
        [["LOAD_SHED_DELTA_AVAILABLE 48.0", "DEMAND 2.0", "OPERATING_STATE \"IDLE_NORMAL\""]]
    );
    ven.warn_low(&[], now()).await.unwrap();
    let withdrawn = reports(&vtn, "wattbook-quiet").await;
    assert_eq!((withdrawn.len(), &withdrawn[0].id), (1, &said[0].id));
    assert_eq!(
        told(&withdrawn[0]),
        [["LOAD_SHED_DELTA_AVAILABLE 0.0", "OPERATING_STATE \"RUNNING_NORMAL\""]]
    );
}

#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn what_was_drawn_is_told() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let prices = asking(&program, "price", "PRICE", 0, &[0.1; 24]);
    program.create_event(prices).await.unwrap();
    let energy = power(36.0) * Seconds::new(3600);
    let used = [Used { span: span(-2, -1), energy, estimated: false }];
    vtn.ven().usage(&used, now()).await.unwrap();
    let said = reports(&vtn, "wattbook-usage").await;
    assert_eq!(told(&said[0]), [["USAGE 36.0", "DATA_QUALITY \"OK\""]]);
}
