//! MISO: a file for each day of Eastern Standard Time, the hub after other nodes.

use std::fmt::Write;

use axum::Router;
use axum::extract::{Extension, Path};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use jiff::civil::Date;
use planner::decimal::format_millionths;
use planner::time::Seconds;

use super::{ReplayedSource, bad_request};
use crate::view::{View, Zone, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "miso",
    quantity: "price",
    settings: r#"provider = "miso"
node = "INDIANA.HUB"
base_url = "BASE""#,
}];

pub(super) fn routes() -> Router {
    Router::new().route("/marketreports/{file}", get(report))
}

const PUBLICATION: (i8, i8) = (13, 15);
const HOUR: Seconds = Seconds::new(3600);

async fn report(Path(file): Path<String>, Extension(view): Extension<View>) -> Response {
    let day = file.strip_suffix("_da_expost_lmp.csv").and_then(|day| day.parse::<Date>().ok());
    let Some(day) = day else { return bad_request("no such report") };
    let eastern = Zone::named("Etc/GMT+5");
    if !view.day_is_out(&eastern, day, PUBLICATION) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let hours = eastern.day(day).map(|span| steps(span, HOUR)).unwrap_or_default();
    let prices: Vec<String> = hours.iter().map(|&hour| written(view.price(hour))).collect();
    let columns: Vec<String> = (1..=hours.len()).map(|hour| format!("HE {hour}")).collect();
    let others = vec!["31.07"; hours.len()].join(",");
    let hub = view.area(Some(&"INDIANA.HUB".to_owned()));
    let mut text = format!(
        "Day Ahead Market ExPost LMPs\r\n{}/{}/{}\r\n\r\n\
         ,,,All Hours-Ending are Eastern Standard Time (EST)\r\nNode,Type,Value,{}\r\n",
        day.month(),
        day.day(),
        day.year(),
        columns.join(","),
    );
    for node in ["AECI,Interface", "AMIL.BGS6,Loadzone", &format!("{hub},Hub")] {
        for value in ["LMP", "MCC", "MLC"] {
            let is_price = node.ends_with(",Hub") && value == "LMP";
            let row = if is_price { &prices.join(",") } else { &others };
            // Writing to a string cannot fail.
            let _ = write!(text, "{node},{value},{row}\r\n");
        }
    }
    ([(header::CONTENT_TYPE, "application/octet-stream")], text).into_response()
}

/// Without the zero before the point; nothing where there is no price.
fn written(price: Option<i64>) -> String {
    let text = price.map(format_millionths).unwrap_or_default();
    let (sign, rest) = text.strip_prefix('-').map_or(("", &*text), |rest| ("-", rest));
    let short = rest.strip_prefix('0').filter(|rest| rest.starts_with('.')).unwrap_or(rest);
    format!("{sign}{short}")
}
