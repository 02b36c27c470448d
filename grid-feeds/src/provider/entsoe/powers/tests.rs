use planner::agenda::Agenda;

use super::{PlatformDocument, PowerKind, ZonePowers, powers};
use crate::feed::FeedError;
use crate::provider::entsoe::map::read;

const ZONE: &str = "10YZZ-EXAMPLE--0";
const OTHER: &str = "10YAA-EXAMPLE--1";

const IN: &str = "inBiddingZone_Domain.mRID";
const OUT: &str = "outBiddingZone_Domain.mRID";

/// A time series of two hours from 2026-03-01T23:00Z; `points` are position and megawatts.
fn series(head: &str, curve: &str, resolution: &str, points: &[(u32, &str)]) -> String {
    let point = |(position, power): &(u32, &str)| {
        format!("<Point><position>{position}</position><quantity>{power}</quantity></Point>")
    };
    let points: String = points.iter().map(point).collect();
    format!(
        "<TimeSeries><mRID>1</mRID>{head}
         <quantity_Measure_Unit.name>MAW</quantity_Measure_Unit.name><curveType>{curve}</curveType>
         <Period><timeInterval><start>2026-03-01T23:00Z</start><end>2026-03-02T01:00Z</end>
         </timeInterval><resolution>{resolution}</resolution>{points}</Period></TimeSeries>"
    )
}

fn zone(tag: &str, zone: &str) -> String {
    format!("<{tag} codingScheme=\"A01\">{zone}</{tag}>")
}

fn station(code: &str, points: &[(u32, &str)]) -> String {
    let head = format!("{}<MktPSRType><psrType>{code}</psrType></MktPSRType>", zone(IN, ZONE));
    series(&head, "A01", "PT60M", points)
}

fn document(code: &str, process: &str, series: &str) -> String {
    format!(
        "<GL_MarketDocument xmlns=\"urn:iec62325.351:tc57wg16:451-6:generationloaddocument:3:0\">
         <mRID>a</mRID><type>{code}</type>
         <process.processType>{process}</process.processType>
         <createdDateTime>2026-03-01T18:00:00Z</createdDateTime>{series}</GL_MarketDocument>"
    )
}

fn flows(code: &str, series: &str) -> String {
    format!(
        "<Publication_MarketDocument \
         xmlns=\"urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:0\">
         <mRID>a</mRID><type>{code}</type>{series}</Publication_MarketDocument>"
    )
}

fn told(text: &str, document: PlatformDocument<'_>) -> Result<ZonePowers, FeedError> {
    powers(&[read(text)?], ZONE, document)
}

fn watts(agenda: &Agenda<i64>) -> Vec<i64> {
    agenda.pieces().iter().map(|piece| piece.value).collect()
}

fn station_kind(code: &str) -> PowerKind {
    PowerKind::Station(code.into())
}

/// Of eight quarter-hours the document tells the first and the fifth: the others repeat them.
#[test]
fn a_forecast_of_load_is_read_with_what_a03_leaves_out() {
    let head = format!("<businessType>A04</businessType>{}", zone(OUT, ZONE));
    let points = [(1, "50000"), (5, "48000.5")];
    let text = document("A65", "A01", &series(&head, "A03", "PT15M", &points));
    let read = told(&text, PlatformDocument::LoadForecast).unwrap();
    let expected = [[50_000_000_000; 4], [48_000_500_000; 4]].concat();
    assert_eq!(watts(&read.kinds[&PowerKind::Load]), expected);
    assert_eq!(read.issued_at.unwrap().to_string(), "2026-03-01T18:00:00Z");
    assert!(told(&text, PlatformDocument::Load).is_err(), "A16 was asked for");
    let wrong = |from: &str, to: &str| {
        told(&text.replace(from, to), PlatformDocument::LoadForecast).unwrap_err().to_string()
    };
    assert!(wrong(ZONE, OTHER).contains("outBiddingZone_Domain"));
    assert!(wrong(">MAW<", ">MWH<").contains("quantity_Measure_Unit"));
    assert!(wrong(">A04<", ">A01<").contains("businessType"));
    assert!(wrong(">A65<", ">A69<").contains("document type"));
}

/// Wind off shore 100 and 200 MW, on shore 1,000 MW and then not known: 1,100 MW and a gap. The solar
/// plants' own use of 0.4 MW is no generation.
#[test]
fn forecasts_of_wind_add_up_where_both_are_known() {
    let text = document(
        "A69",
        "A01",
        &(station("B18", &[(1, "100"), (2, "200")])
            + &station("B19", &[(1, "1000")])
            + &station("B16", &[(1, "-0.4"), (2, "30")])),
    );
    let read = told(&text, PlatformDocument::WindAndSolarForecast).unwrap();
    assert_eq!(watts(&read.sum(PowerKind::is_wind).unwrap()), [1_100_000_000]);
    assert_eq!(watts(&read.sum(PowerKind::is_solar).unwrap()), [0, 30_000_000]);
    assert_eq!(watts(&read.sum(|_| false).unwrap()), [0; 0]);
    let coal = document("A69", "A01", &station("B05", &[(1, "1")]));
    let error = told(&coal, PlatformDocument::WindAndSolarForecast).unwrap_err();
    assert!(error.to_string().contains("psrType"), "{error}");
}

#[test]
fn a_forecast_of_generation_keeps_own_use_apart() {
    let text = document(
        "A71",
        "A01",
        &(series(&zone(IN, ZONE), "A01", "PT60M", &[(1, "60000"), (2, "59000")])
            + &series(&zone(OUT, ZONE), "A01", "PT60M", &[(1, "500"), (2, "400")])),
    );
    let read = told(&text, PlatformDocument::GenerationForecast).unwrap();
    assert_eq!(watts(&read.kinds[&PowerKind::Generation]), [60_000_000_000, 59_000_000_000]);
    assert_eq!(watts(&read.kinds[&PowerKind::OwnUse]), [500_000_000, 400_000_000]);
    let other = text.replace(ZONE, OTHER);
    assert!(told(&other, PlatformDocument::GenerationForecast).is_err());
}

#[test]
fn generation_by_kind_leaves_out_storage_and_what_cannot_be() {
    let pumps = format!("{}<MktPSRType><psrType>B10</psrType></MktPSRType>", zone(OUT, ZONE));
    let text = document(
        "A75",
        "A16",
        &(station("B04", &[(1, "100"), (2, "1e12")])
            + &station("B10", &[(1, "900")])
            + &series(&pumps, "A01", "PT60M", &[(1, "500")])),
    );
    let read = told(&text, PlatformDocument::Generation).unwrap();
    assert_eq!(read.kinds.keys().collect::<Vec<_>>(), [&station_kind("B04")]);
    assert_eq!(watts(&read.kinds[&station_kind("B04")]), [100_000_000]);
    assert!(read.notes[0].contains("terawatt"), "{:?}", read.notes);
    let unknown = text.replace("B04", "B99");
    assert!(told(&unknown, PlatformDocument::Generation).is_err());
}

#[test]
fn flows_and_exchanges_have_a_direction() {
    let head = |business: &str| {
        let zones = zone("in_Domain.mRID", ZONE) + &zone("out_Domain.mRID", OTHER);
        format!("<businessType>{business}</businessType>{zones}")
    };
    let points = [(1, "1500"), (2, "0")];
    let flow = flows("A11", &series(&head("A66"), "A01", "PT60M", &points));
    let from_other = PlatformDocument::PhysicalFlow { from: OTHER };
    let read = told(&flow, from_other).unwrap();
    assert_eq!(watts(&read.kinds[&PowerKind::Flow]), [1_500_000_000, 0]);
    let error = told(&flow, PlatformDocument::PhysicalFlow { from: ZONE }).unwrap_err();
    assert!(error.to_string().contains("out_Domain.mRID"), "{error}");
    let turned = flow.replace("in_Domain", "x_Domain").replace("out_Domain", "in_Domain");
    assert!(told(&turned.replace("x_Domain", "out_Domain"), from_other).is_err());

    let contract = format!(
        "{}<contract_MarketAgreement.type>A01</contract_MarketAgreement.type>",
        head("A06")
    );
    let exchange = flows("A09", &series(&contract, "A01", "PT60M", &points));
    let day_ahead = PlatformDocument::ScheduledExchange { from: OTHER };
    assert_eq!(watts(&told(&exchange, day_ahead).unwrap().kinds[&PowerKind::Flow])[1], 0);
    let total = exchange.replace(">A01</contract", ">A05</contract");
    assert!(told(&total, day_ahead).unwrap_err().to_string().contains("contract"));
}

#[test]
fn nothing_is_not_published_and_parts_of_a_span_are_refused() {
    let nothing = document("A71", "A01", "");
    let error = told(&nothing, PlatformDocument::GenerationForecast).unwrap_err();
    assert!(matches!(error, FeedError::NotPublished { .. }), "{error}");
    let hour = series(&zone(IN, ZONE), "A01", "PT60M", &[(1, "5")]);
    let quarter = series(&zone(IN, ZONE), "A01", "PT15M", &[(1, "7")]);
    let both = document("A71", "A01", &(hour + &quarter));
    assert!(told(&both, PlatformDocument::GenerationForecast).is_err());
}

#[test]
fn a_question_names_what_the_platform_wants_to_know() {
    let asked = |document: PlatformDocument<'static>| document.parameters(ZONE);
    assert_eq!(
        asked(PlatformDocument::LoadForecast),
        [("documentType", "A65"), ("processType", "A01"), ("outBiddingZone_Domain", ZONE)]
    );
    assert_eq!(
        asked(PlatformDocument::WindAndSolarForecast),
        [("documentType", "A69"), ("processType", "A01"), ("in_Domain", ZONE)]
    );
    assert_eq!(
        asked(PlatformDocument::PhysicalFlow { from: OTHER }),
        [("documentType", "A11"), ("in_Domain", ZONE), ("out_Domain", OTHER)]
    );
    assert_eq!(
        asked(PlatformDocument::ScheduledExchange { from: OTHER })[3],
        ("contract_MarketAgreement.type", "A01")
    );
}
