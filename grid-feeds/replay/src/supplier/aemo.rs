//! Australia's market operator: the listing of pre-dispatches, and each of them in an archive.

use std::fmt::Write;

use axum::Router;
use axum::extract::{Extension, Path};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use planner::decimal::format_millionths;
use planner::time::{Seconds, Span, Timestamp};

use super::{ReplayedSource, packed};
use crate::view::{View, Zone, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "aemo",
    quantity: "price",
    settings: r#"provider = "aemo"
region = "NSW1"
base_url = "BASE/aemo""#,
}];

pub(super) fn routes() -> Router {
    Router::new()
        .route("/aemo/Reports/Current/PredispatchIS_Reports/", get(listing))
        .route("/aemo/Reports/Current/PredispatchIS_Reports/{file}", get(file))
}

const HALF_HOUR: Seconds = Seconds::new(1800);

/// The clock of this city is the market's time all year.
const MARKET: &str = "Australia/Brisbane";

/// The market's time is ahead of UTC by so much.
const AHEAD_OF_UTC: Seconds = Seconds::new(10 * 3600);

/// So many runs are listed.
const LISTED: i64 = 3;

/// The newest runs, the last one first.
async fn listing(Extension(view): Extension<View>) -> Response {
    let mut text = "<html><head><title>Listing</title></head><body><pre>\n".to_owned();
    // A run is out as its first half-hour begins; late ones are looked for as far back as they may be.
    let mut starts = (0..48).map(|back| view.now.ceil_to(HALF_HOUR) - half_hours(back));
    let newest = starts.find(|start| view.is_out(*start));
    for back in 0..LISTED {
        let Some(first_end) = newest.map(|start| start + HALF_HOUR - half_hours(back)) else {
            break;
        };
        let name = name(first_end);
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "<A HREF=\"/Reports/CURRENT/PredispatchIS_Reports/{name}\">{name}</A>");
    }
    text += "</pre></body></html>\n";
    ([(header::CONTENT_TYPE, "text/html")], text).into_response()
}

fn half_hours(count: i64) -> Seconds {
    Seconds::new(count * HALF_HOUR.get())
}

fn name(first_end: Timestamp) -> String {
    let (first, written) =
        (shown(first_end, "%Y%m%d%H%M"), shown(first_end - HALF_HOUR, "%Y%m%d%H%M"));
    format!("PUBLIC_PREDISPATCHIS_{first}_{written}21.zip")
}

/// A run, from its first half-hour to the end of the last trading day whose bids are there.
async fn file(Path(name): Path<String>, Extension(view): Extension<View>) -> Response {
    let first = name.strip_prefix("PUBLIC_PREDISPATCHIS_").and_then(|rest| rest.split_once('_'));
    let Some(first_end) = first.and_then(|(first, _)| market_instant(first)) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let region = view.area(Some(&"NSW1".to_owned()));
    let made = shown(first_end - HALF_HOUR, "%Y/%m/%d,%H:%M:%S");
    let mut text = format!(
        "C,NEMP.WORLD,PREDISPATCHIS,AEMO,PUBLIC,{made},0000000398,PREDISPATCH,0000000398\n\
         I,PREDISPATCH,REGION_PRICES,1,PREDISPATCHSEQNO,RUNNO,REGIONID,PERIODID,INTERVENTION,RRP,EEP,DATETIME\n"
    );
    let run = Span::new(first_end - HALF_HOUR, end(first_end));
    for half_hour in run.map(|run| steps(run, HALF_HOUR)).unwrap_or_default() {
        let price = view.price(half_hour).map(format_millionths).unwrap_or_default();
        let end = shown(half_hour.end(), "%Y/%m/%d %H:%M:%S");
        for (region, intervention, price) in
            [("QLD1", 0, "99.5"), (&*region, 0, &*price), (&*region, 1, "999.5")]
        {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "D,PREDISPATCH,REGION_PRICES,1,2026031001,1,{region},01,{intervention},{price},0,\"{end}\""
            );
        }
    }
    text += "C,\"END OF REPORT\",99\n";
    packed("PUBLIC_PREDISPATCHIS.CSV", &text)
}

/// Trading days end at 04:00; the bids of the next one are there at 12:30.
fn end(first_end: Timestamp) -> Timestamp {
    let market = Zone::named(MARKET);
    let since_four = first_end - Seconds::new(4 * 3600);
    let day = market.date(since_four);
    let is_next_known = market.instant(day, 12, 30) < first_end;
    let days = if is_next_known { 2 } else { 1 };
    market.instant(day, 4, 0) + Seconds::new(days * 86_400)
}

fn shown(instant: Timestamp, format: &str) -> String {
    Zone::named(MARKET).shown(instant, format)
}

/// `202506220030` in the market's time.
fn market_instant(text: &str) -> Option<Timestamp> {
    let local = DateTime::strptime("%Y%m%d%H%M", text).ok()?.to_zoned(TimeZone::UTC).ok()?;
    Some(Timestamp::from_unix_seconds(local.timestamp().as_second()) - AHEAD_OF_UTC)
}
