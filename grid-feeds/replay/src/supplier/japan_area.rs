//! A grid company of Japan: a file of the month up to now, and the half-hours of today that are to come, without values.

use std::fmt::Write;

use axum::Router;
use axum::extract::{Extension, Path};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use jiff::ToSpan;
use jiff::civil::Date;
use planner::time::{Seconds, Span};

use super::ReplayedSource;
use crate::view::{View, Zone, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "japan-area",
    quantity: "co2",
    settings: r#"provider = "japan-area"
area = "tokyo"
base_url = "BASE/japan-area""#,
}];

pub(super) fn routes() -> Router {
    Router::new().route("/japan-area/{file}", get(file))
}

const HALF_HOUR: Seconds = Seconds::new(1800);

/// All generation in megawatts.
const GENERATION: i64 = 30_000;

/// Life-cycle g/kWh of gas and of nuclear power.
const GAS: i64 = 490;
const NUCLEAR: i64 = 12;

const HEADER: &str = "単位[MW平均],,,供給力,,,,,,,,,,,,,,,,\r\n\
    DATE,TIME,エリア需要,原子力,火力(LNG),火力(石炭),火力(石油),火力(その他),水力,地熱,バイオマス,\
    太陽光発電実績,太陽光出力制御量,風力発電実績,風力出力制御量,揚水,蓄電池,連系線,その他,合計\r\n";

async fn file(Path(name): Path<String>, Extension(view): Extension<View>) -> Response {
    let tokyo = Zone::named("Asia/Tokyo");
    let month = name.strip_prefix("eria_jukyu_").and_then(|rest| rest.strip_suffix("_03.csv"));
    let month = month.and_then(|month| Date::strptime("%Y%m%d", format!("{month}01")).ok());
    let today = tokyo.date(view.now);
    let Some(month) = month.filter(|month| *month <= today) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let last = month.last_of_month().min(today);
    let mut text = HEADER.to_owned();
    for day in month.series(1.day()).take_while(|day| *day <= last) {
        let whole = tokyo.day(day).filter(|span| view.truth.co2.covers(*span));
        for half_hour in whole.into_iter().flat_map(|day| steps(day, HALF_HOUR)) {
            text += &row(&view, &tokyo, half_hour);
        }
    }
    ([(header::CONTENT_TYPE, "text/csv")], text).into_response()
}

/// Gas and nuclear power in the proportion that makes the intensity, and what does not count.
fn row(view: &View, tokyo: &Zone, half_hour: Span) -> String {
    let clock = tokyo.clock(half_hour.start());
    let mut text = clock.strftime("%Y/%-m/%-d,%-H:%M,").to_string();
    if !view.is_out(half_hour.end()) {
        return text + ",,,,,,,,,,,,,,,,,\r\n";
    }
    let gas = view.co2(half_hour).map(|co2| {
        let above = co2 - NUCLEAR * 1_000_000;
        (above * GENERATION + (GAS - NUCLEAR) * 500_000).div_euclid((GAS - NUCLEAR) * 1_000_000)
    });
    let cell = |power: Option<i64>| power.map_or_else(String::new, |power| power.to_string());
    let (nuclear, gas) = (cell(gas.map(|gas| GENERATION - gas)), cell(gas));
    // Writing to a string cannot fail.
    let _ = write!(text, "35000,{nuclear},{gas},0,0,0,0,0,0,0,100,0,0,2600,40,2360,0,35000\r\n");
    text
}
