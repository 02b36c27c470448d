//! Japan Electric Power Exchange: a file of a fiscal year, for who comes from the page of the market.

use std::fmt::Write;

use axum::Router;
use axum::extract::{Extension, Query};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use jiff::ToSpan;
use jiff::civil::Date;
use planner::time::Seconds;

use super::{Parameters, ReplayedSource, bad_request};
use crate::view::{View, Zone, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "jepx",
    quantity: "price",
    settings: r#"provider = "jepx"
area = "tokyo"
base_url = "BASE""#,
}];

pub(super) fn routes() -> Router {
    Router::new().route("/js/csv_read.php", get(file))
}

const PUBLICATION: (i8, i8) = (10, 0);
const HALF_HOUR: Seconds = Seconds::new(1800);

/// The file, or nothing where no day of it is out yet.
async fn file(
    headers: HeaderMap,
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    let year = asked.get("file").and_then(|file| {
        file.strip_prefix("spot_summary_")?.strip_suffix(".csv")?.parse::<i16>().ok()
    });
    let first = year.and_then(|year| Date::new(year, 4, 1).ok());
    let next = first.and_then(|first| first.checked_add(1.year()).ok());
    let Some((first, next)) = first.zip(next) else { return bad_request("no such file") };
    if !headers.contains_key(header::REFERER) {
        return String::new().into_response();
    }
    let tokyo = Zone::named("Asia/Tokyo");
    let days = first.series(1.day()).take_while(|day| *day < next);
    let mut rows = String::new();
    for day in days.filter(|&day| view.day_is_out(&tokyo, day, PUBLICATION)) {
        let whole = tokyo.day(day).filter(|span| view.truth.price.covers(*span));
        for (half_hour, code) in whole.into_iter().flat_map(|day| steps(day, HALF_HOUR)).zip(1..) {
            let price = view.price(half_hour).map(per_kwh).unwrap_or_default();
            let day = day.strftime("%Y/%m/%d");
            // Writing to a string cannot fail.
            let _ = write!(
                rows,
                "{day},{code},9000000,8000000,7000000,99.9,12.1,12.2,{price},12.4,12.5,12.6,12.7,12.8,12.9,1,2,3,4\r\n"
            );
        }
    }
    let text = if rows.is_empty() { rows } else { columns(&view) + &rows };
    ([(header::CONTENT_TYPE, "text/csv")], text).into_response()
}

fn columns(view: &View) -> String {
    let tokyo = view.area(Some(&"東京".to_owned()));
    let areas = ["北海道", "東北", &*tokyo, "中部", "北陸", "関西", "中国", "四国", "九州"];
    let areas: Vec<String> =
        areas.iter().map(|area| format!("エリアプライス{area}(円/kWh)")).collect();
    format!(
        "受渡日,時刻コード,売り入札量(kWh),買い入札量(kWh),約定総量(kWh),システムプライス(円/kWh),{},\
         売りブロック入札総量(kWh),売りブロック約定総量(kWh),買いブロック入札総量(kWh),買いブロック約定総量(kWh)\r\n",
        areas.join(",")
    )
}

/// Millionths per MWh as a decimal per kWh.
fn per_kwh(price: i64) -> String {
    let sign = if price < 0 { "-" } else { "" };
    let size = price.unsigned_abs();
    format!("{sign}{}.{:09}", size / 1_000_000_000, size % 1_000_000_000)
}
