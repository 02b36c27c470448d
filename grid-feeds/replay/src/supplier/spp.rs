//! Southwest Power Pool: a file for each day, with other locations and the west beside the hub.

use std::fmt::Write;

use axum::Router;
use axum::extract::{Extension, Query};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use jiff::civil::Date;
use planner::decimal::format_millionths;
use planner::time::{Seconds, Span};

use super::{Parameters, ReplayedSource, bad_request};
use crate::view::{View, Zone, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "spp",
    quantity: "price",
    settings: r#"provider = "spp"
location = "SPPNORTH_HUB"
base_url = "BASE""#,
}];

pub(super) fn routes() -> Router {
    Router::new().route("/file-browser-api/download/da-lmp-by-settlement-location", get(report))
}

const PUBLICATION: (i8, i8) = (13, 0);
const HOUR: Seconds = Seconds::new(3600);

async fn report(Query(asked): Query<Parameters>, Extension(view): Extension<View>) -> Response {
    let path = asked.get("path").map(String::as_str).unwrap_or_default();
    let day = path
        .rsplit_once("/By_Day/DA-LMP-SL-")
        .and_then(|(_, file)| file.strip_suffix("0100.csv")?.parse::<Date>().ok());
    let Some(day) = day else { return bad_request("no such file") };
    let central = Zone::named("America/Chicago");
    if !view.day_is_out(&central, day, PUBLICATION) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let hub = view.area(Some(&"SPPNORTH_HUB".to_owned()));
    let hours = central.day(day).map(|span| steps(span, HOUR)).unwrap_or_default();
    let mut text =
        "Interval,GMTIntervalEnd,BAA,Settlement Location,Pnode,LMP,MLC,MCC,MEC\r\n".to_owned();
    for hour in hours {
        let price = view.price(hour).map(format_millionths).unwrap_or_default();
        let times = format!("{},{}", ends(&central, hour), ends(&Zone::named("UTC"), hour));
        for (area, location, price) in
            [("SPP", "AEC", "17.02"), ("SPP", &*hub, &*price), ("SWPW", &*hub, "999.5")]
        {
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "{times},{area},{location},{location}_1,{price},-1.1890,-1.4197,18.5070\r\n"
            );
        }
    }
    ([(header::CONTENT_TYPE, "text/csv")], text).into_response()
}

fn ends(zone: &Zone, hour: Span) -> String {
    zone.shown(hour.end(), "%m/%d/%Y %H:%M:%S")
}
