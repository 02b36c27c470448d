//! NYISO: a file of a day, hours as the clock in New York shows them, or 404.

use std::fmt::Write;

use axum::Router;
use axum::extract::{Extension, Path};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use jiff::civil::Date;
use planner::decimal::format_millionths;
use planner::time::Seconds;

use super::ReplayedSource;
use crate::view::{View, Zone, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "nyiso",
    quantity: "price",
    settings: r#"provider = "nyiso"
zone = "N.Y.C."
base_url = "BASE""#,
}];

pub(super) fn routes() -> Router {
    Router::new().route("/public/csv/damlbmp/{file}", get(file))
}

/// Prices of a day come out on the day before.
const PUBLICATION: (i8, i8) = (10, 30);

const HOUR: Seconds = Seconds::new(3600);

const HEADER: &str = "\"Time Stamp\",\"Name\",\"PTID\",\"LBMP ($/MWHr)\",\
    \"Marginal Cost Losses ($/MWHr)\",\"Marginal Cost Congestion ($/MWHr)\"\r\n";

async fn file(Path(name): Path<String>, Extension(view): Extension<View>) -> Response {
    let new_york = Zone::named("America/New_York");
    let day = name.strip_suffix("damlbmp_zone.csv");
    let day = day.and_then(|day| Date::strptime("%Y%m%d", day).ok());
    match day.filter(|&day| view.day_is_out(&new_york, day, PUBLICATION)) {
        Some(day) => {
            ([(header::CONTENT_TYPE, "text/csv")], table(&view, &new_york, day)).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn table(view: &View, new_york: &Zone, day: Date) -> String {
    let zone = view.area(Some(&"N.Y.C.".to_owned()));
    let mut text = HEADER.to_owned();
    for hour in new_york.day(day).map(|day| steps(day, HOUR)).unwrap_or_default() {
        let stamp = new_york.clock(hour.start()).strftime("%m/%d/%Y %H:%M").to_string();
        let price = view.price(hour).map(format_millionths).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\"{stamp}\",\"CAPITL\",61757,99.99,1.00,0.00\r\n\
             \"{stamp}\",\"{zone}\",61761,{price},2.00,-1.00\r\n"
        );
    }
    text
}
