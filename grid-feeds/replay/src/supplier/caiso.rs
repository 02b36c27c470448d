//! California ISO: an archive of one file, prices and their parts with the last hour first, or of a refusal.

use std::fmt::Write;

use axum::Router;
use axum::extract::{Extension, Query};
use axum::response::Response;
use axum::routing::get;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use planner::decimal::format_millionths;
use planner::time::{Seconds, Span, Timestamp};

use super::{Parameters, ReplayedSource, bad_request, packed};
use crate::view::{View, Zone, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "caiso",
    quantity: "price",
    settings: r#"provider = "caiso"
node = "TH_NP15_GEN-APND"
base_url = "BASE""#,
}];

pub(super) fn routes() -> Router {
    Router::new().route("/oasisapi/SingleZip", get(prices))
}

const PUBLICATION: (i8, i8) = (13, 0);
const HOUR: Seconds = Seconds::new(3600);

const HEADER: &str = "INTERVALSTARTTIME_GMT,INTERVALENDTIME_GMT,OPR_DT,OPR_HR,OPR_INTERVAL,NODE_ID_XML,NODE_ID,NODE,\
    MARKET_RUN_ID,LMP_TYPE,XML_DATA_ITEM,PNODE_RESMRID,GRP_TYPE,POS,MW,GROUP\n";

/// A refusal where there are no prices.
const NOTHING: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <m:OASISReport xmlns:m=\"http://www.caiso.com/soa/OASISReport_v1.xsd\"><m:MessagePayload><m:RTO>\
    <m:name>CAISO</m:name><m:ERROR><m:ERR_CODE>1000</m:ERR_CODE>\
    <m:ERR_DESC>No data returned for the specified selection</m:ERR_DESC></m:ERROR></m:RTO>\
    </m:MessagePayload></m:OASISReport>\n";

async fn prices(Query(asked): Query<Parameters>, Extension(view): Extension<View>) -> Response {
    let time = |name: &str| oasis_instant(asked.get(name)?);
    let bounds = time("startdatetime").and_then(|start| Span::new(start, time("enddatetime")?));
    let Some(bounds) = bounds else { return bad_request("no span") };
    let pacific = Zone::named("America/Los_Angeles");
    let is_out = |hour: &Span| view.day_is_out(&pacific, pacific.date(hour.start()), PUBLICATION);
    let hours: Vec<Span> = steps(bounds, HOUR).into_iter().filter(is_out).collect();
    if hours.is_empty() {
        return packed("INVALID_REQUEST.xml", NOTHING);
    }
    let node = view.area(asked.get("node"));
    let mut text = HEADER.to_owned();
    for hour in hours.into_iter().rev() {
        let price = view.price(hour).map(format_millionths).unwrap_or_default();
        let time = |at: Timestamp| at.to_string().replace('Z', "-00:00");
        let (start, end) = (time(hour.start()), time(hour.end()));
        let day = pacific.date(hour.start());
        for (part, price) in [("MCE", "999.5"), ("LMP", &*price), ("MCC", "-1.25")] {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{start},{end},{day},1,0,{node},{node},{node},DAM,{part},{part}_PRC,{node},ALL_APNODES,0,{price},1"
            );
        }
    }
    packed("20260310_20260310_PRC_LMP_DAM_v1.csv", &text)
}

/// `20260310T07:00-0000`.
fn oasis_instant(text: &str) -> Option<Timestamp> {
    let utc = DateTime::strptime("%Y%m%dT%H:%M-0000", text).ok()?.to_zoned(TimeZone::UTC).ok()?;
    Some(Timestamp::from_unix_seconds(utc.timestamp().as_second()))
}
