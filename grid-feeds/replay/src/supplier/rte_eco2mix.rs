//! RTE eco2mix: XML of the quarter-hours of days in Paris, numbered from midnight.

use std::fmt::Write;

use axum::Router;
use axum::extract::{Extension, Query};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use jiff::civil::Date;
use planner::time::{Seconds, Span};

use super::{Parameters, ReplayedSource, bad_request};
use crate::view::{View, Zone, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "rte-eco2mix",
    quantity: "co2",
    settings: r#"provider = "rte-eco2mix"
address = "BASE/curves/eco2mixWeb""#,
}];

pub(super) fn routes() -> Router {
    Router::new().route("/curves/eco2mixWeb", get(curves))
}

const QUARTER: Seconds = Seconds::new(900);

/// Measurements come this long after their start.
const DELAY: Seconds = Seconds::new(1800);

async fn curves(Query(asked): Query<Parameters>, Extension(view): Extension<View>) -> Response {
    let day = |name: &str| Date::strptime("%d/%m/%Y", asked.get(name)?).ok();
    let (Some(first), Some(last)) = (day("dateDeb"), day("dateFin")) else {
        return bad_request("no days");
    };
    let paris = Zone::named("Europe/Paris");
    let days = paris.day(first).zip(paris.day(last));
    let Some(span) = days.and_then(|(first, last)| Span::new(first.start(), last.end())) else {
        return bad_request("no days");
    };
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<liste>\n<date_actuelle>{} 00:00:00</date_actuelle>\n\
         <date_debut>{first}</date_debut>\n<date_fin>{last}</date_fin>\n\
         <date_consolidee>2023-01-31</date_consolidee>\n",
        paris.date(view.now)
    );
    for date in paris.days(span) {
        add_day(&mut text, date, &paris, &view);
    }
    text.push_str("</liste>\n");
    ([(header::CONTENT_TYPE, "text/xml")], text).into_response()
}

fn add_day(text: &mut String, date: Date, paris: &Zone, view: &View) {
    let _ = writeln!(
        text,
        "<mixtr date='{date}'>\n<type v='Taux de Co2' perimetre='France' granularite='Global' qual='1'>"
    );
    let spans = paris.day(date).map(|day| steps(day, QUARTER)).unwrap_or_default();
    let known = spans.into_iter().take_while(|span| view.is_out(span.start() + DELAY));
    for (period, span) in known.enumerate() {
        let value =
            view.co2(span).map_or("ND".to_owned(), |value| (value as f64 / 1e6).to_string());
        let _ = writeln!(text, "<valeur periode='{period}'>{value}</valeur>");
    }
    text.push_str("</type>\n</mixtr>\n");
}
