//! ENTSO-E: documents of prices and of powers, or an acknowledgement that there are none.

mod powers;

use std::fmt::Write;

use axum::Router;
use axum::extract::{Extension, Query};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use jiff::civil::Date;
use planner::decimal::format_millionths;
use planner::time::{Seconds, Span, Timestamp};

use self::powers::PowersAsked;
use super::{Parameters, ReplayedSource, bad_request};
use crate::view::{View, Zone, price_step, steps};

/// Settings of a source that asks here.
const SETTINGS: &str = r#"provider = "entsoe"
zone = "10YFR-RTE------C"
token = TOKEN
base_urls = ["BASE/entsoe"]"#;

pub(super) const SOURCES: &[ReplayedSource] = &[
    ReplayedSource { id: "entsoe", quantity: "price", settings: SETTINGS },
    ReplayedSource { id: "entsoe-co2", quantity: "co2", settings: SETTINGS },
];

pub(super) fn routes() -> Router {
    Router::new().route("/entsoe/api", get(document))
}

/// Day-ahead prices come out at 12:55.
const AUCTION: (i8, i8) = (12, 55);

async fn document(Query(asked): Query<Parameters>, Extension(view): Extension<View>) -> Response {
    let text = |name: &str| asked.get(name).map(String::as_str).unwrap_or_default();
    if text("securityToken").is_empty() {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let span = minute(text("periodStart"))
        .zip(minute(text("periodEnd")))
        .and_then(|(start, end)| Span::new(start, end));
    let Some(span) = span else { return bad_request("no period") };
    let offset: usize = text("offset").parse().unwrap_or(0);
    let zone = view.area(asked.get("in_Domain").or(asked.get("outBiddingZone_Domain")));
    let powers = PowersAsked { view: &view, zone: &zone, from: text("out_Domain"), span };
    let document = match text("documentType") {
        "A44" if offset == 0 => prices(&view, &zone, span),
        "A09" => powers.exchanges(),
        "A11" => powers.flows(),
        "A65" => powers.load(text("processType") == "A01"),
        "A69" => powers.weather(),
        "A71" => powers.all_generation(),
        "A75" => powers.generation(),
        _ => None,
    };
    let document = document.unwrap_or_else(|| acknowledgement(&view));
    ([(header::CONTENT_TYPE, "text/xml")], document).into_response()
}

/// `YYYYMMDDHHMM`.
fn minute(text: &str) -> Option<Timestamp> {
    let part = |from: usize, to: usize| text.get(from..to);
    let (date, time) = (part(0, 8)?, part(8, 12)?);
    let (year, month, day) = (date.get(..4)?, date.get(4..6)?, date.get(6..)?);
    let (hour, minute) = time.split_at_checked(2)?;
    Timestamp::parse(&format!("{year}-{month}-{day}T{hour}:{minute}:00Z")).ok()
}

/// A time series for each day that is out: `A01` of hours until September 2025, then `A03` of
/// quarter-hours, but `A01` where values are missing.
fn prices(view: &View, zone: &str, span: Span) -> Option<String> {
    let market = Zone::named("Europe/Brussels");
    let mut series = String::new();
    for day in market.days(span) {
        if view.day_is_provisional(&market, day) || view.day_is_out(&market, day, AUCTION) {
            series += &day_of_prices(view, zone, &market, day)?;
        }
    }
    let head = "<Publication_MarketDocument \
                xmlns=\"urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:3\"><type>A44</type>";
    (!series.is_empty())
        .then(|| format!("{head}{}{series}</Publication_MarketDocument>", created(view)))
}

fn day_of_prices(view: &View, zone: &str, market: &Zone, day: Date) -> Option<String> {
    let step = price_step(day);
    let spans = steps(market.day(day)?, step);
    let early = view.day_is_provisional(market, day);
    let price = |&span: &Span| {
        if early { view.provisional_price(span) } else { view.price(span) }
    };
    let values: Vec<Option<i64>> = spans.iter().map(price).collect();
    let repeats = step.get() == 900 && values.iter().all(Option::is_some);
    Some(format!(
        "<TimeSeries><businessType>A62</businessType>\
         <in_Domain.mRID codingScheme=\"A01\">{zone}</in_Domain.mRID>\
         <out_Domain.mRID codingScheme=\"A01\">{zone}</out_Domain.mRID>\
         <contract_MarketAgreement.type>A01</contract_MarketAgreement.type>\
         <currency_Unit.name>EUR</currency_Unit.name>\
         <price_Measure_Unit.name>MWH</price_Measure_Unit.name>\
         <classificationSequence_AttributeInstanceComponent.position>{}\
         </classificationSequence_AttributeInstanceComponent.position><curveType>{}</curveType>{}\
         </TimeSeries>",
        if early { 2 } else { 1 },
        if repeats { "A03" } else { "A01" },
        period(market.day(day)?, step, &values, repeats, "price.amount"),
    ))
}

/// Points by position; where they repeat, the first of equal ones.
fn period(
    span: Span,
    step: Seconds,
    values: &[Option<i64>],
    repeats: bool,
    element: &str,
) -> String {
    let mut points = String::new();
    let mut latest = None;
    for (position, value) in (1..).zip(values) {
        if let Some(value) = value.filter(|value| !(repeats && latest == Some(*value))) {
            let text = format_millionths(value);
            // Writing to a string cannot fail.
            let _ = write!(
                points,
                "<Point><position>{position}</position><{element}>{text}</{element}></Point>"
            );
        }
        latest = *value;
    }
    let minute = |instant: Timestamp| instant.to_string().replace(":00Z", "Z");
    format!(
        "<Period><timeInterval><start>{}</start><end>{}</end></timeInterval>\
         <resolution>PT{}M</resolution>{points}</Period>",
        minute(span.start()),
        minute(span.end()),
        step.get() / 60,
    )
}

fn created(view: &View) -> String {
    format!("<createdDateTime>{}</createdDateTime>", view.now)
}

fn acknowledgement(view: &View) -> String {
    format!(
        "<Acknowledgement_MarketDocument \
         xmlns=\"urn:iec62325.351:tc57wg16:451-1:acknowledgementdocument:7:0\">{}<Reason>\
         <code>999</code><text>No matching data found for the data item asked</text></Reason>\
         </Acknowledgement_MarketDocument>",
        created(view)
    )
}
