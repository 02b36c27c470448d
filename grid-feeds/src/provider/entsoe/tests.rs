use planner::time::Timestamp;

use super::map::{intensities, prices, read};
use crate::feed::{Factors, FeedError, Quality, Series};

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

const ZONE: &str = "10YZZ-EXAMPLE--0";

/// A time series of prices; `points` are position and amount.
fn auction(
    sequence: Option<u32>,
    curve: &str,
    (start, end, resolution): (&str, &str, &str),
    points: &[(u32, &str)],
) -> String {
    let sequence = sequence.map_or_else(String::new, |position| {
        let name = "classificationSequence_AttributeInstanceComponent.position";
        format!("<{name}>{position}</{name}>")
    });
    let point = |(position, amount): &(u32, &str)| {
        format!(
            "<Point><position>{position}</position><price.amount>{amount}</price.amount></Point>"
        )
    };
    let points: String = points.iter().map(point).collect();
    format!(
        "<TimeSeries><mRID>1</mRID><auction.type>A01</auction.type>
         <in_Domain.mRID codingScheme=\"A01\">10YZZ-EXAMPLE--0</in_Domain.mRID>
         <currency_Unit.name>EUR</currency_Unit.name>
         <price_Measure_Unit.name>MWH</price_Measure_Unit.name>{sequence}
         <curveType>{curve}</curveType><Period>
         <timeInterval><start>{start}</start><end>{end}</end></timeInterval>
         <resolution>{resolution}</resolution>{points}</Period></TimeSeries>"
    )
}

fn publication(series: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
         <Publication_MarketDocument xmlns=\"urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:3\">
         <mRID>a</mRID><revisionNumber>1</revisionNumber><type>A44</type>
         <createdDateTime>2026-03-01T12:00:00Z</createdDateTime>{series}
         </Publication_MarketDocument>"
    )
}

fn priced(series: &str) -> Result<Series, FeedError> {
    prices(&[read(&publication(series))?], ZONE)
}

fn values(series: &Series) -> Vec<i64> {
    series.agenda.pieces().iter().map(|piece| piece.value.value).collect()
}

const QUARTERS: (&str, &str, &str) = ("2026-03-01T23:00Z", "2026-03-02T00:30Z", "PT15M");

/// Six quarter-hours, of which 2, 3 and 6 are left out: they repeat 1 and 5.
#[test]
fn a03_omitted_positions_repeat_the_one_before_even_at_the_end() {
    let points = [(1, "105.1"), (4, "-3.25"), (5, "0")];
    let series = priced(&auction(None, "A03", QUARTERS, &points)).unwrap();
    let (first, fourth) = (105_100_000, -3_250_000);
    assert_eq!(values(&series), [first, first, first, fourth, 0, 0]);
    assert_eq!(series.issued_at, Some(at("2026-03-01T12:00:00Z")));
    assert!(series.agenda.pieces().iter().all(|piece| piece.value.quality == Quality::Measured));
}

#[test]
fn a03_without_its_first_position_is_refused() {
    let error = priced(&auction(None, "A03", QUARTERS, &[(2, "1")])).unwrap_err();
    assert!(error.to_string().contains("position 1 is missing"), "{error}");
}

#[test]
fn a01_missing_positions_are_gaps() {
    let series = priced(&auction(None, "A01", QUARTERS, &[(1, "10"), (3, "30")])).unwrap();
    assert_eq!(values(&series), [10_000_000, 30_000_000]);
    assert_eq!(series.agenda.at(at("2026-03-01T23:15:00Z")), None);
}

/// 2026-03-29 begins summer time: 23:00 UTC to 22:00 UTC. 2026-10-25 ends it: 22:00 to 23:00.
#[test]
fn days_have_92_96_or_100_quarter_hours_and_23_24_or_25_hours() {
    let days = [
        ("2026-03-28T23:00Z", "2026-03-29T22:00Z", 92),
        ("2026-03-02T23:00Z", "2026-03-03T23:00Z", 96),
        ("2026-10-24T22:00Z", "2026-10-25T23:00Z", 100),
    ];
    for (start, end, quarters) in days {
        let day = auction(None, "A03", (start, end, "PT15M"), &[(1, "1"), (quarters, "2")]);
        let values = values(&priced(&day).unwrap());
        assert_eq!(values.len(), usize::try_from(quarters).unwrap());
        assert_eq!(values.last(), Some(&2_000_000));
        let beyond = auction(None, "A03", (start, end, "PT15M"), &[(1, "1"), (quarters + 1, "2")]);
        assert!(priced(&beyond).is_err());
        let hourly = auction(None, "A03", (start, end, "PT60M"), &[(1, "1")]);
        assert_eq!(self::values(&priced(&hourly).unwrap()).len() * 4, values.len());
    }
}

#[test]
fn two_sequences_of_a_day_are_not_mixed_and_the_first_counts() {
    let day = ("2026-03-01T23:00Z", "2026-03-02T01:00Z", "PT60M");
    let both = auction(Some(2), "A01", day, &[(1, "7"), (2, "8")])
        + &auction(Some(1), "A01", day, &[(1, "10")]);
    let series = priced(&both).unwrap();
    assert_eq!(values(&series), [10_000_000], "the second hour stays a gap");
    assert!(series.notes[0].contains("other auctions"), "{:?}", series.notes);
}

#[test]
fn a_second_sequence_alone_is_provisional() {
    let day = ("2026-03-01T23:00Z", "2026-03-02T01:00Z", "PT60M");
    let series = priced(&auction(Some(2), "A01", day, &[(1, "7"), (2, "8")])).unwrap();
    assert_eq!(values(&series), [7_000_000, 8_000_000]);
    assert!(series.agenda.pieces().iter().all(|piece| piece.value.quality == Quality::Forecast));
}

#[test]
fn resolutions_of_a_day_are_not_merged_and_the_finer_counts() {
    let hour =
        auction(Some(1), "A03", ("2026-03-01T23:00Z", "2026-03-02T01:00Z", "PT60M"), &[(1, "5")]);
    let quarter =
        auction(Some(1), "A03", ("2026-03-01T23:00Z", "2026-03-02T01:00Z", "PT15M"), &[(1, "7")]);
    let series = priced(&(hour + &quarter)).unwrap();
    assert_eq!(values(&series), [7_000_000; 8]);
}

#[test]
fn hours_before_and_quarter_hours_after_the_switch_follow_each_other() {
    let hours = ("2025-09-29T22:00Z", "2025-09-30T22:00Z", "PT60M");
    let quarters = ("2025-09-30T22:00Z", "2025-10-01T22:00Z", "PT15M");
    let both =
        auction(None, "A03", quarters, &[(1, "2")]) + &auction(None, "A03", hours, &[(1, "1")]);
    let series = priced(&both).unwrap();
    assert_eq!(values(&series).len(), 24 + 96);
    let span = series.span().unwrap();
    assert!(series.agenda.covers(span));
}

#[test]
fn days_weeks_months_and_years_follow_the_calendar() {
    let cases = [
        ("2026-03-27T23:00Z", "2026-03-29T22:00Z", "P1D", 2),
        ("2026-03-22T23:00Z", "2026-03-29T22:00Z", "P7D", 1),
        ("2026-02-28T23:00Z", "2026-04-30T22:00Z", "P1M", 2),
        ("2025-12-31T23:00Z", "2026-12-31T23:00Z", "P1Y", 1),
        ("2026-03-01T23:00Z", "2026-03-01T23:03Z", "PT1M", 3),
        ("2026-03-01T23:00Z", "2026-03-02T00:00Z", "PT30M", 2),
    ];
    for (start, end, resolution, count) in cases {
        let series = auction(None, "A03", (start, end, resolution), &[(1, "1")]);
        assert_eq!(values(&priced(&series).unwrap()).len(), count, "{resolution}");
    }
    let uneven = ("2026-03-01T23:00Z", "2026-03-01T23:20Z", "PT15M");
    assert!(priced(&auction(None, "A03", uneven, &[(1, "1")])).is_err());
}

#[test]
fn thousands_commas_and_negative_prices_are_numbers() {
    let points = [(1, "4,000.5"), (2, "-500.00"), (3, "1"), (4, "1"), (5, "1"), (6, "1")];
    let series = priced(&auction(None, "A01", QUARTERS, &points)).unwrap();
    assert_eq!(values(&series)[..2], [4_000_500_000, -500_000_000]);
    for nonsense in ["", "NaN", "1,5", "n/a"] {
        assert!(priced(&auction(None, "A01", QUARTERS, &[(1, nonsense)])).is_err(), "{nonsense:?}");
    }
}

#[test]
fn points_in_any_order_are_the_same_prices() {
    let sorted = priced(&auction(None, "A03", QUARTERS, &[(1, "1"), (3, "3")])).unwrap();
    let unsorted = priced(&auction(None, "A03", QUARTERS, &[(3, "3"), (1, "1")])).unwrap();
    assert_eq!(sorted, unsorted);
    assert!(priced(&auction(None, "A03", QUARTERS, &[(1, "1"), (1, "2")])).is_err());
}

fn acknowledgement(text: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
         <Acknowledgement_MarketDocument \
         xmlns=\"urn:iec62325.351:tc57wg16:451-1:acknowledgementdocument:7:0\">
         <mRID>b</mRID><createdDateTime>2026-03-01T12:00:00Z</createdDateTime>
         <Reason><code>999</code><text>{text}</text></Reason></Acknowledgement_MarketDocument>"
    )
}

#[test]
fn an_acknowledgement_with_status_200_is_no_data() {
    let none = read(&acknowledgement("No matching data found for Data item X")).unwrap_err();
    assert!(matches!(none, FeedError::NotPublished { .. }));
    let wrong = read(&acknowledgement("The area is not valid for this area")).unwrap_err();
    assert!(wrong.to_string().contains("is not valid for this area"), "{wrong}");
    assert!(matches!(wrong, FeedError::Refused { .. }));
    let mute = read(&acknowledgement("")).unwrap_err().to_string();
    assert_eq!(mute, "refused with status 200: 999");
    let long = read(&acknowledgement(&"very ".repeat(9999))).unwrap_err().to_string();
    assert!(long.len() < 300, "{}", long.len());
}

#[test]
fn truncated_xml_html_and_nothing_are_bad_payloads() {
    let whole = publication(&auction(None, "A03", QUARTERS, &[(1, "1"), (4, "2")]));
    for length in (0..whole.trim_end().len() - 1).step_by(7) {
        let error = read(&whole[..length]).err();
        assert!(matches!(error, Some(FeedError::Payload { .. })), "{length}: {error:?}");
    }
    assert!(read("<html><body>Scheduled maintenance</body></html>").is_err());
    assert!(read("404 page not found").is_err());
}

#[test]
fn prices_per_anything_but_mwh_and_in_two_currencies_are_refused() {
    let series = auction(None, "A03", QUARTERS, &[(1, "1")]);
    assert!(priced(&series.replace("MWH", "KWH")).is_err());
    assert!(priced(&(series.clone() + &series.replace("EUR", "PLN"))).is_err());
}

#[test]
fn another_zone_type_contract_or_unit_is_refused_and_says_what_was_asked() {
    let series = auction(None, "A03", QUARTERS, &[(1, "1")]);
    let head = "<out_Domain.mRID codingScheme=\"A01\">10YZZ-EXAMPLE--0</out_Domain.mRID>\
                <businessType>A62</businessType>\
                <contract_MarketAgreement.type>A01</contract_MarketAgreement.type><currency";
    let whole = publication(&series.replace("<currency", head));
    let read = |text: &str| prices(&[read(text)?], ZONE);
    assert!(read(&whole).is_ok());
    for (from, to, place) in [
        ("10YZZ-EXAMPLE--0</in_", "10Y1001A1001A83F</in_", "in_Domain"),
        ("10YZZ-EXAMPLE--0</out_", "10Y1001A1001A83F</out_", "out_Domain"),
        ("<type>A44", "<type>A25", "type"),
        ("A62", "A66", "businessType"),
        (">A01</contract", ">A07</contract", "contract_MarketAgreement"),
        (">MWH<", ">KWH<", "price_Measure_Unit"),
    ] {
        let error = read(&whole.replace(from, to)).unwrap_err();
        let words = error.to_string();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(words.contains(place) && words.contains("asked for"), "{words}");
    }
    let unnamed = whole.replace("in_Domain.mRID", "some_Domain.mRID");
    assert!(read(&unnamed).unwrap_err().to_string().contains("the answer says nothing"));
}

#[test]
fn a_price_that_cannot_be_is_a_gap_and_the_others_stay() {
    for price in ["10000000", "1e30", "-99999999999999999999"] {
        let points = [(1, "10"), (2, price), (3, "30")];
        let series = priced(&auction(None, "A01", QUARTERS, &points)).unwrap();
        assert_eq!(values(&series), [10_000_000, 30_000_000], "{price}");
        assert!(series.notes[0].contains("cannot be"), "{:?}", series.notes);
    }
}

/// Power of one kind in two hours; `tag` says whether it is generation or consumption.
fn generation(code: &str, tag: &str, points: &[(u32, &str)]) -> String {
    let point = |(position, power): &(u32, &str)| {
        format!("<Point><position>{position}</position><quantity>{power}</quantity></Point>")
    };
    let points: String = points.iter().map(point).collect();
    format!(
        "<TimeSeries><{tag} codingScheme=\"A01\">10YZZ-EXAMPLE--0</{tag}>
         <quantity_Measure_Unit.name>MAW</quantity_Measure_Unit.name><curveType>A01</curveType>
         <MktPSRType><psrType>{code}</psrType></MktPSRType><Period>
         <timeInterval><start>2026-03-01T10:00Z</start><end>2026-03-01T12:00Z</end></timeInterval>
         <resolution>PT60M</resolution>{points}</Period></TimeSeries>"
    )
}

fn mix(series: &str, factors: Factors) -> Result<Series, FeedError> {
    let text = publication(series).replace("Publication_", "GL_").replace("A44", "A75");
    intensities(&[read(&text)?], ZONE, factors)
}

const IN: &str = "inBiddingZone_Domain.mRID";
const OUT: &str = "outBiddingZone_Domain.mRID";

/// Gas 100 MW and nuclear 300 MW: (100 x 490 + 300 x 12) / 400 = 52,600 / 400 = 131.5 g/kWh over
/// the life cycle, 100 x 370 / 400 = 92.5 directly. Pumping and storage do not count, and the
/// solar plant's own use of 0.4 MW at night is no generation.
#[test]
fn generation_makes_an_intensity_by_the_factor_table() {
    let series = generation("B04", IN, &[(1, "100"), (2, "0")])
        + &generation("B14", IN, &[(1, "300"), (2, "300")])
        + &generation("B16", IN, &[(1, "-0.4"), (2, "0")])
        + &generation("B10", IN, &[(1, "900")])
        + &generation("B10", OUT, &[(1, "500")]);
    let lifecycle = mix(&series, Factors::Lifecycle).unwrap();
    assert_eq!(values(&lifecycle), [131_500_000, 12_000_000]);
    assert_eq!(values(&mix(&series, Factors::Direct).unwrap()), [92_500_000, 0]);
}

#[test]
fn an_instant_without_a_kind_reported_elsewhere_is_a_gap() {
    let series =
        generation("B04", IN, &[(1, "100")]) + &generation("B14", IN, &[(1, "300"), (2, "300")]);
    let series = mix(&series, Factors::Lifecycle).unwrap();
    assert_eq!(values(&series), [131_500_000]);
    assert!(series.notes.iter().any(|note| note.contains("1 spans lack")), "{:?}", series.notes);
}

#[test]
fn generation_of_another_zone_process_or_business_is_refused() {
    let series = generation("B14", IN, &[(1, "300"), (2, "300")]);
    assert!(mix(&series, Factors::Direct).is_ok());
    let named = |text: &str, place: &str| {
        let error = mix(text, Factors::Direct).unwrap_err().to_string();
        assert!(error.contains(place), "{error}");
    };
    named(&series.replace("10YZZ-EXAMPLE--0", "10Y1001A1001A83F"), "inBiddingZone_Domain");
    named(&(series.clone() + &series.replace("10YZZ", "10YAA").replace(IN, OUT)), OUT);
    named(&series.replace("<curve", "<businessType>B11</businessType><curve"), "businessType");
    let forecast = format!("<process.processType>A01</process.processType>{series}");
    named(&forecast, "process.processType");
}

#[test]
fn a_power_that_cannot_be_is_a_gap() {
    let series = generation("B14", IN, &[(1, "300"), (2, "1e12")]);
    let series = mix(&series, Factors::Lifecycle).unwrap();
    assert_eq!(values(&series), [12_000_000]);
    assert!(series.notes.iter().any(|note| note.contains("terawatt")), "{:?}", series.notes);
}

#[test]
fn no_generation_at_all_is_no_intensity_rather_than_zero() {
    let series = generation("B14", IN, &[(1, "0"), (2, "0")]);
    assert!(matches!(mix(&series, Factors::Direct), Err(FeedError::NotPublished { .. })));
    assert!(mix(&generation("B99", IN, &[(1, "1")]), Factors::Direct).is_err());
}
