//! Small payloads of the real shapes, with the values that they say.

use grid_feeds::feed::{Factors, FeedError, Quantity, Series};
use grid_feeds::provider::{
    awattar, contract, electricity_maps, energy_charts, entsoe, file_drop, nord_pool, octopus,
    odre, rte_tempo, uk_carbon_intensity, watttime,
};
use planner::time::{Seconds, Span, Timestamp};

/// A payload and its parser.
pub struct Payload {
    pub name: &'static str,
    pub text: &'static str,
    /// Exact, in time order.
    pub values: &'static [i64],
    /// Where values stand: text with one number that is unique in the payload.
    pub written: &'static [&'static str],
    pub read: fn(&str) -> Result<Series, FeedError>,
}

pub const PAYLOADS: &[Payload] = &[
    Payload {
        name: "ENTSO-E prices",
        text: r#"<?xml version="1.0"?><Publication_MarketDocument
            xmlns="urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:3"><type>A44</type>
            <createdDateTime>2026-03-01T12:00:00Z</createdDateTime><TimeSeries>
            <in_Domain.mRID codingScheme="A01">10YZZ-EXAMPLE--0</in_Domain.mRID>
            <currency_Unit.name>EUR</currency_Unit.name>
            <price_Measure_Unit.name>MWH</price_Measure_Unit.name><curveType>A03</curveType><Period>
            <timeInterval><start>2026-03-01T23:00Z</start><end>2026-03-02T00:00Z</end></timeInterval>
            <resolution>PT15M</resolution>
            <Point><position>1</position><price.amount>71.25</price.amount></Point>
            <Point><position>3</position><price.amount>-83.5</price.amount></Point>
            </Period></TimeSeries></Publication_MarketDocument>"#,
        values: &[71_250_000, 71_250_000, -83_500_000, -83_500_000],
        written: &["<price.amount>71.25<", "<price.amount>-83.5<"],
        read: |text| entsoe::map::prices(&[entsoe::map::read(text)?], "10YZZ-EXAMPLE--0"),
    },
    Payload {
        name: "ENTSO-E generation",
        text: r#"<GL_MarketDocument
            xmlns="urn:iec62325.351:tc57wg16:451-6:generationloaddocument:3:0"><TimeSeries>
            <inBiddingZone_Domain.mRID codingScheme="A01">10YZZ-EXAMPLE--0</inBiddingZone_Domain.mRID>
            <quantity_Measure_Unit.name>MAW</quantity_Measure_Unit.name><curveType>A01</curveType>
            <MktPSRType><psrType>B04</psrType></MktPSRType><Period>
            <timeInterval><start>2026-03-01T10:00Z</start><end>2026-03-01T12:00Z</end></timeInterval>
            <resolution>PT60M</resolution>
            <Point><position>1</position><quantity>100</quantity></Point>
            <Point><position>2</position><quantity>250</quantity></Point>
            </Period></TimeSeries></GL_MarketDocument>"#,
        values: &[490_000_000, 490_000_000],
        written: &["<quantity>100<", "<quantity>250<"],
        read: |text| {
            let document = entsoe::map::read(text)?;
            entsoe::map::intensities(&[document], "10YZZ-EXAMPLE--0", Factors::Lifecycle)
        },
    },
    Payload {
        name: "Energy-Charts prices",
        text: r#"{"license_info": "CC BY 4.0", "unix_seconds": [1759788000, 1759788900, 1759789800],
            "price": [101.2, null, -5.75], "unit": "EUR / MWh", "deprecated": false}"#,
        values: &[101_200_000, -5_750_000],
        written: &["101.2,", "-5.75]"],
        read: energy_charts::map::prices,
    },
    Payload {
        name: "Energy-Charts CO2",
        text: r#"{"unix_seconds": [1759788000, 1759788900], "co2eq": [310.5, null],
            "co2eq_forecast": [null, 320.25], "deprecated": false}"#,
        values: &[310_500_000, 320_250_000],
        written: &["310.5,", "320.25]"],
        read: energy_charts::map::intensities,
    },
    Payload {
        name: "ODRE",
        text: r#"{"total_count": 2, "results": [
            {"date_heure": "2026-03-01T00:15:00+01:00", "nature": "Données temps réel",
             "taux_co2": "37"},
            {"date_heure": "2026-03-01T00:00:00+01:00", "taux_co2": 31, "prevision_j": 36200}]}"#,
        values: &[31_000_000, 37_000_000],
        written: &["\"taux_co2\": 31,"],
        read: |text| {
            odre::map::intensities(
                &odre::map::read(text, "eco2mix-national-tr")?.0,
                Seconds::new(900),
            )
        },
    },
    Payload {
        name: "UK Carbon Intensity",
        text: r#"{"data": [
            {"from": "2026-03-01T12:00Z", "to": "2026-03-01T12:30Z",
             "intensity": {"forecast": 146, "actual": 151, "index": "low"}},
            {"from": "2026-03-01T12:30Z", "to": "2026-03-01T13:00Z",
             "intensity": {"forecast": 148, "actual": null, "index": "low"}}]}"#,
        values: &[151_000_000, 148_000_000],
        written: &["\"actual\": 151,", "\"forecast\": 148,"],
        read: |text| {
            uk_carbon_intensity::map::intensities(&uk_carbon_intensity::map::read(text, None)?)
        },
    },
    Payload {
        name: "Electricity Maps",
        text: r#"{"zone": "DE", "history": [
            {"zone": "DE", "carbonIntensity": 599, "datetime": "2026-03-05T20:00:00.000Z",
             "updatedAt": "2026-03-06T15:48:54.012Z", "emissionFactorType": "lifecycle",
             "isEstimated": false, "estimationMethod": null},
            {"zone": "DE", "carbonIntensity": 607.5, "datetime": "2026-03-05T21:00:00.000Z",
             "isEstimated": true, "estimationMethod": "TIME_SLICER_AVERAGE"}]}"#,
        values: &[599_000_000, 607_500_000],
        written: &["\"carbonIntensity\": 599,", "\"carbonIntensity\": 607.5,"],
        read: |text| {
            electricity_maps::map::intensities(
                &[electricity_maps::map::read(text)?],
                "DE",
                Factors::Lifecycle,
            )
        },
    },
    Payload {
        name: "Octopus",
        text: r#"{"count": 2, "next": null, "previous": null, "results": [
            {"value_exc_vat": 16.38, "value_inc_vat": 17.199,
             "valid_from": "2026-03-01T06:00:00Z", "valid_to": null, "payment_method": null},
            {"value_exc_vat": -2.5, "value_inc_vat": -2.625, "valid_from": "2026-03-01T05:30:00Z",
             "valid_to": "2026-03-01T06:00:00Z", "payment_method": null}]}"#,
        values: &[-25_000_000, 163_800_000],
        written: &["\"value_exc_vat\": 16.38,", "\"value_exc_vat\": -2.5,"],
        read: |text| {
            let window = day_from(1_772_323_200)?;
            let terms = octopus::map::Terms { with_vat: false, direct_debit: true };
            let page = octopus::map::read(text, "E-1R-AGILE-24-10-01-C")?;
            octopus::map::prices(&page.results, window, terms)
        },
    },
    Payload {
        name: "aWATTar",
        text: r#"{"object": "list", "data": [
            {"start_timestamp": 1772359200000, "end_timestamp": 1772362800000,
             "marketprice": 42.09, "unit": "Eur/MWh"},
            {"start_timestamp": 1772362800000, "end_timestamp": 1772366400000,
             "marketprice": -5.5, "unit": "Eur/MWh"}], "url": "/de/v1/marketdata"}"#,
        values: &[42_090_000, -5_500_000],
        written: &["\"marketprice\": 42.09,", "\"marketprice\": -5.5,"],
        read: |text| awattar::map::prices(text, "de"),
    },
    Payload {
        name: "Nord Pool",
        text: r#"{"deliveryDateCET": "2026-03-02", "updatedAt": "2026-03-01T11:55:05.1234567Z",
            "currency": "EUR", "multiAreaEntries": [
            {"deliveryStart": "2026-03-01T23:00:00Z", "deliveryEnd": "2026-03-01T23:15:00Z",
             "entryPerArea": {"SE3": 61.5}},
            {"deliveryStart": "2026-03-01T23:15:00Z", "deliveryEnd": "2026-03-01T23:30:00Z",
             "entryPerArea": {"SE3": -1.25}}],
            "areaStates": [{"state": "Final", "areas": ["SE3"]}]}"#,
        values: &[61_500_000, -1_250_000],
        written: &["\"SE3\": 61.5}", "\"SE3\": -1.25}"],
        read: |text| {
            nord_pool::map::prices(&[nord_pool::map::read(text, "2026-03-02")?], "SE3", "EUR")
        },
    },
    Payload {
        name: "Files",
        text: r#"[{"start": "2026-03-01T00:00:00Z", "end": "2026-03-01T01:00:00Z", "cap_w": 900.5},
            {"start": "2026-03-01T01:00:00Z", "end": "2026-03-01T02:00:00Z", "cap_w": 1200}]"#,
        values: &[900_500_000, 1_200_000_000],
        written: &["\"cap_w\": 900.5}", "\"cap_w\": 1200}"],
        read: |text| {
            use file_drop::map::{Format, merged, read};
            let agenda = read("cap.json", Format::Json, text, Quantity::PowerCap)?;
            merged(grid_feeds::feed::Kind::PowerCap, grid_feeds::feed::Quality::Forecast, &[agenda])
        },
    },
    Payload {
        name: "WattTime",
        text: r#"{"data": [
            {"point_time": "2026-05-01T00:00:00+00:00", "value": 870.0},
            {"point_time": "2026-05-01T00:05:00+00:00", "value": 500}],
            "meta": {"region": "CAISO_NORTH", "signal_type": "co2_moer",
            "units": "lbs_co2_per_mwh", "data_point_period_seconds": 300,
            "generated_at": "2026-05-01T00:00:00+00:00", "model": {"date": "2026-03-01"}}}"#,
        values: &[394_625_362, 226_796_185],
        written: &["\"value\": 870.0}", "\"value\": 500}"],
        read: |text| {
            let quality = grid_feeds::feed::Quality::Forecast;
            let answer = (watttime::map::read(text)?, quality);
            watttime::map::intensities(&[answer], ("CAISO_NORTH", "co2_moer"))
        },
    },
    Payload {
        name: "RTE Tempo",
        text: r#"{"tempo_like_calendars": {"values": [
            {"start_date": "2026-01-16T00:00:00+01:00", "end_date": "2026-01-17T00:00:00+01:00",
             "value": "RED", "fallback": false, "updated_date": "2026-01-15T10:31:00+01:00"}]}}"#,
        values: &[30_000_000],
        written: &[],
        read: |text| {
            let colours = rte_tempo::map::calendar(text, Timestamp::MIN)?;
            tempo()?.prices(day_from(1_768_539_600)?, &colours)
        },
    },
];

/// A day from a Unix second.
fn day_from(second: i64) -> Result<Span, FeedError> {
    Span::starting(Timestamp::from_unix_seconds(second), Seconds::new(86_400))
        .ok_or_else(|| FeedError::Transient { message: "no window".into() })
}

/// A contract whose prices are 10, 20 and 30 by colour, all day.
fn tempo() -> Result<contract::Tariff, FeedError> {
    let settings = r#"
        time_zone = "Europe/Paris"
        currency = "EUR"
        day_starts_at = "06:00"
        rules = [
            { colour = "blue", energy_per_mwh = "10" },
            { colour = "white", energy_per_mwh = "20" },
            { colour = "red", energy_per_mwh = "30" },
        ]
    "#;
    let settings = toml::from_str(settings)
        .map_err(|error| FeedError::Configuration { message: error.to_string() })?;
    contract::Tariff::new(&settings)
}
