//! A peak is asked for, and granted, partly granted, refused, or left without an answer.

use openadr::{Fee, PowerRequest, Ven};
use openleadr_client::{BusinessLogic, ProgramClient};
use planner::quantity::Currency;
use serde_json::{Value, json};

use crate::server::{Vtn, event, hour, now, power, reports, request, span, told, word};

/// What the supplier grants or offers.
fn answer(
    program: &ProgramClient<BusinessLogic>,
    kinds: [&str; 2],
    hours: [i64; 2],
    numbers: [f64; 2],
) -> Value {
    let period =
        json!({"start": hour(hours[0]), "duration": format!("PT{}H", hours[1] - hours[0])});
    json!({
        "programID": program.id().as_str(), "eventName": "answer", "priority": 5,
        "payloadDescriptors": [
            {"payloadType": kinds[0], "units": "KW"},
            {"payloadType": kinds[1], "units": "EUR", "currency": "EUR"}],
        "intervals": [{"id": 0, "intervalPeriod": period, "payloads": [
            {"type": kinds[0], "values": [numbers[0]]},
            {"type": kinds[1], "values": [numbers[1]]}]}],
    })
}

const GRANT: [&str; 2] = ["IMPORT_CAPACITY_RESERVATION", "IMPORT_CAPACITY_RESERVATION_FEE"];
const OFFER: [&str; 2] = ["IMPORT_CAPACITY_AVAILABLE", "IMPORT_CAPACITY_AVAILABLE_PRICE"];

/// A site with a contract that asks for 50 kW from the third to the fifth hour.
async fn asked() -> (Vtn, ProgramClient<BusinessLogic>, Ven) {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let mut contract = event(&program, "contract", "IMPORT_CAPACITY_SUBSCRIPTION", 0, &[100.0; 24]);
    let asks = json!([{"payloadType": "IMPORT_RESERVATION_CAPACITY"}]);
    contract.report_descriptors = Some(serde_json::from_value(asks).unwrap());
    let contract = program.create_event(contract).await.unwrap();
    // Newer, but it asks for nothing.
    program.create_event(event(&program, "price", "PRICE", 0, &[0.2])).await.unwrap();
    let ven = vtn.ven();
    let fee = Fee { per_kw_millionths: 150_000, currency: Currency::EUR };
    let asked = PowerRequest { span: span(3, 5), power: power(50.0), fee_limit: Some(fee) };
    ven.ask(&[asked], now()).await.unwrap();
    let received = reports(&vtn, "wattbook-request").await;
    assert_eq!(received.len(), 1);
    assert_eq!(received[0].content.event_id, *contract.id());
    assert_eq!(
        told(&received[0]),
        [["IMPORT_RESERVATION_CAPACITY 50.0", "IMPORT_RESERVATION_FEE 0.15"]]
    );
    assert!(word(&ven).await.grants.said.is_empty(), "nothing is granted by asking");
    (vtn, program, ven)
}

#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_peak_is_granted() {
    let (_vtn, program, ven) = asked().await;
    let granted = request(answer(&program, GRANT, [3, 5], [50.0, 0.11]));
    program.create_event(granted).await.unwrap();
    let grants = word(&ven).await.grants.said;
    let [grant] = grants.as_slice() else { panic!("{grants:?}") };
    assert_eq!((grant.span, grant.power), (span(3, 5), power(50.0)));
    assert_eq!(grant.fee.unwrap().total_millionths(grant.power), Some(5_500_000), "50 x 0.11");
}

/// 30 of 50 kW, and one of two hours; then the supplier grants all of it in the same event.
#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_peak_is_partly_granted_and_then_wholly() {
    let (_vtn, program, ven) = asked().await;
    let part = request(answer(&program, GRANT, [3, 4], [30.0, 0.11]));
    let mut event = program.create_event(part).await.unwrap();
    let grants = word(&ven).await.grants.said;
    assert_eq!((grants[0].span, grants[0].power), (span(3, 4), power(30.0)));
    *event.content_mut() = request(answer(&program, GRANT, [3, 5], [50.0, 0.11]));
    event.update().await.unwrap();
    let later = word(&ven).await.grants.said;
    assert_eq!((later.len(), later[0].span, later[0].power), (1, span(3, 5), power(50.0)));
    assert_eq!(later[0].id, grants[0].id, "it is the same grant, changed");
}

/// A refusal is an offer of less, at a price, and no grant.
#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_peak_is_refused_with_an_offer() {
    let (vtn, program, ven) = asked().await;
    let offer = request(answer(&program, OFFER, [3, 5], [20.0, 0.4]));
    program.create_event(offer).await.unwrap();
    let said = word(&ven).await;
    assert!(said.grants.said.is_empty());
    let available = said.available.said;
    assert_eq!((available[0].span, available[0].power), (span(3, 5), power(20.0)));
    let price = available[0].price.unwrap();
    assert_eq!(price.per_kw_millionths, 400_000);
    // Asked again for what is to be had: the request takes the place of the one before.
    let again = PowerRequest { span: span(3, 5), power: power(20.0), fee_limit: Some(price) };
    ven.ask(&[again], now()).await.unwrap();
    let received = reports(&vtn, "wattbook-request").await;
    assert_eq!(received.len(), 1);
    assert_eq!(
        told(&received[0]),
        [["IMPORT_RESERVATION_CAPACITY 20.0", "IMPORT_RESERVATION_FEE 0.4"]]
    );
}

#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_peak_is_left_without_an_answer() {
    let (_vtn, _program, ven) = asked().await;
    let said = word(&ven).await;
    assert!(said.grants.said.is_empty() && said.available.said.is_empty());
    assert_eq!(said.power_cap.said.at(hour(3)), Some(power(100.0)), "the cap stays");
}

/// A grant that is withdrawn is gone.
#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_grant_is_withdrawn() {
    let (_vtn, program, ven) = asked().await;
    let granted = request(answer(&program, GRANT, [3, 5], [50.0, 0.0]));
    let event = program.create_event(granted).await.unwrap();
    assert_eq!(word(&ven).await.grants.said.len(), 1);
    event.delete().await.unwrap();
    assert!(word(&ven).await.grants.said.is_empty());
}
