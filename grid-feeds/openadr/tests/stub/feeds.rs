use grid_feeds::feed::{FeedError, Fetched, Quality, Quantity, Query, Revision, Role};
use grid_feeds::http::{Http, Timeouts};
use openadr::FeedSettings;
use planner::time::{Seconds, Span};
use serde_json::{Value, json};

use crate::server::{Server, limit, now};

const DAY: Seconds = Seconds::new(86_400);

fn role(server: &Server, quantity: Quantity, settings: &str) -> (Role, Http) {
    let settings: FeedSettings = toml::from_str(settings).unwrap();
    let http = Http::new(Timeouts::default()).unwrap();
    (server.ven().feed(&settings, "vtn", quantity, &http).unwrap(), http)
}

async fn fetched(role: &Role) -> Result<Revision, FeedError> {
    let window = Span::new(now() - DAY, now() + DAY).unwrap();
    match role.fetch(Query { now: now(), window, validator: None }).await? {
        Fetched::Revision(revision) => Ok(*revision),
        Fetched::Unchanged => panic!("no validator was sent"),
    }
}

/// Start, end and W of each piece, in hours since 06:00.
fn drawn(revision: &Revision) -> Vec<(i64, i64, i64)> {
    let hours = |at: planner::time::Timestamp| (at - now()).get() / 3600;
    let pieces = revision.series.agenda.pieces().iter();
    pieces
        .map(|it| (hours(it.span.start()), hours(it.span.end()), it.value.value / 1_000_000))
        .collect()
}

fn of_type(payload: &str, value: f64) -> Value {
    let mut event = limit(payload, &[value]);
    event["intervals"][0]["payloads"][0]["type"] = json!(payload);
    event
}

#[tokio::test]
async fn a_program_without_an_event_of_a_quantity_has_not_published_it() {
    let server = Server::start();
    server.world().events = vec![limit("a", &[10.0])];
    let (prices, _) = role(&server, Quantity::Price, "");
    let error = fetched(&prices).await.unwrap_err();
    assert_eq!(error.to_string(), "not published yet: the program has no price");
}

/// Without end becomes until a midnight sixty days on, the same one all day long: else there would
/// be news with every poll.
#[tokio::test]
async fn what_has_no_end_is_the_same_all_day() {
    let server = Server::start();
    let mut endless = limit("a", &[10.0]);
    endless["intervalPeriod"] = json!({"start": "2026-01-01T00:00:00Z"});
    server.world().events = vec![endless];
    let (caps, _) = role(&server, Quantity::PowerCap, "");
    let revision = fetched(&caps).await.unwrap();
    let [(start, end, 10_000)] = drawn(&revision)[..] else { panic!("{:?}", drawn(&revision)) };
    // The window begins a day before 06:00; 61 midnights lie ahead of it within 60 days and a part.
    assert_eq!((start, end), (-24, 61 * 24 - 6));
    assert_eq!(&*revision.zone, "power");
}

/// From 08:00 to 10:00 events limit; before and after the site's own word holds.
#[tokio::test]
async fn where_no_event_limits_the_sites_own_word_holds() {
    let server = Server::start();
    server.world().events = vec![limit("a", &[10.0, 8.0])];
    let (caps, _) = role(&server, Quantity::PowerCap, "without_limit_w = 50000");
    let caps_now = drawn(&fetched(&caps).await.unwrap());
    assert_eq!(caps_now[0], (-24, 2, 50_000));
    assert_eq!(caps_now[1..3], [(2, 3, 10_000), (3, 4, 8_000)]);
    assert_eq!(caps_now[3].2, 50_000);
    // The event is cancelled, which the agenda says.
    server.world().events.clear();
    assert_eq!(drawn(&fetched(&caps).await.unwrap()).len(), 1);
}

#[tokio::test]
async fn prices_and_caps_bind_and_co2_is_a_forecast_of_its_kind() {
    let server = Server::start();
    server.world().events = vec![of_type("PRICE", 0.17), of_type("GHG", 56.0)];
    let (prices, http) = role(&server, Quantity::Price, "");
    let price = fetched(&prices).await.unwrap();
    assert_eq!(price.series.agenda.pieces()[0].value.quality, Quality::Measured);
    assert_eq!(price.series.kind.to_string(), "price in EUR/MWh");
    assert!(http.requests() >= 2, "they count against the source's budget");
    let (co2, _) = role(&server, Quantity::Co2, "factors = \"direct\"");
    let co2 = fetched(&co2).await.unwrap();
    assert_eq!(co2.series.agenda.pieces()[0].value.quality, Quality::Forecast);
    assert_eq!(co2.series.kind.to_string(), "marginal direct CO2 in g/kWh");
}

/// The limit in amperes of 08:00 is told, and in doubt; what else there is arrives, though one event
/// of the page is no OpenADR at all.
#[tokio::test]
async fn an_event_that_cannot_be_read_is_told_and_hides_no_other() {
    let server = Server::start();
    let mut amperes = limit("amperes", &[16.0]);
    amperes["payloadDescriptors"] =
        json!([{"payloadType": "IMPORT_CAPACITY_LIMIT", "units": "AMPS"}]);
    let mut emergency = limit("emergency", &[0.2]);
    emergency["intervalPeriod"]["start"] = json!("2026-03-10T06:00:00Z");
    let mut odd = of_type("GHG", 1.0);
    odd["intervalPeriod"]["start"] = json!("0000-00-00");
    server.world().events = vec![odd, amperes, emergency, of_type("PRICE", 0.17)];
    let (caps, _) = role(&server, Quantity::PowerCap, "");
    let revision = fetched(&caps).await.unwrap();
    assert_eq!(drawn(&revision), [(0, 1, 200)]);
    let doubt = &revision.doubt;
    assert!(doubt.words[0].contains("event amperes, interval 0: AMPS"), "{doubt:?}");
    assert_eq!(doubt.words.len(), 1, "the odd one is of CO2");
    assert_eq!((doubt.spans[0].start() - now()).get() / 3600, 2);
    let (prices, _) = role(&server, Quantity::Price, "");
    let prices = fetched(&prices).await.unwrap();
    assert_eq!((prices.series.agenda.pieces().len(), prices.doubt.words.len()), (1, 0));
    let (co2, _) = role(&server, Quantity::Co2, "");
    let co2 = fetched(&co2).await.unwrap();
    assert!(co2.doubt.words[0].contains("0000-00-00"), "{:?}", co2.doubt);
}

#[tokio::test]
async fn a_cap_of_the_sites_own_is_of_caps_only() {
    let server = Server::start();
    let http = Http::new(Timeouts::default()).unwrap();
    for (quantity, text, wrong) in [
        (Quantity::Price, "without_limit_w = 1", "power-cap only"),
        (Quantity::PowerCap, "without_limit_w = -1", "0 W or more"),
    ] {
        let settings: FeedSettings = toml::from_str(text).unwrap();
        let error = server.ven().feed(&settings, "vtn", quantity, &http).unwrap_err().to_string();
        assert!(error.contains(wrong), "{error}");
    }
}
