//! Small payloads of the real shapes, with the values that they say.

use grid_feeds::feed::{Factors, FeedError, Quantity, Series};
use grid_feeds::provider::{
    awattar, contract, eia, electricity_maps, elexon, energinet, energy_charts, entsoe, ercot,
    file_drop, iso_ne, miso, nord_pool, nyiso, octopus, odre, openelectricity, pjm, rte_eco2mix,
    rte_tempo, smard, spp, uk_carbon_intensity, watttime,
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

/// All but those of [`crate::europe`] and [`crate::pacific`].
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
        name: "Energinet prices",
        text: r#"{"total": 3, "limit": 10000, "dataset": "DayAheadPrices", "records": [
            {"TimeUTC": "2025-10-11T12:15:00", "TimeDK": "2025-10-11T14:15:00", "PriceArea": "DK1",
             "DayAheadPriceEUR": -2.5, "DayAheadPriceDKK": -18.67},
            {"TimeUTC": "2025-10-11T12:00:00", "TimeDK": "2025-10-11T14:00:00", "PriceArea": "DK1",
             "DayAheadPriceEUR": 99.269997, "DayAheadPriceDKK": null}]}"#,
        values: &[99_269_997, -2_500_000],
        written: &["\"DayAheadPriceEUR\": -2.5,", "\"DayAheadPriceEUR\": 99.269997,"],
        read: |text| {
            use energinet::map::{PriceColumn, prices, read};
            prices(&read(text, "DayAheadPrices")?.records, "DK1", PriceColumn::Eur)
        },
    },
    Payload {
        name: "Energinet CO2",
        text: r#"{"total": 2, "limit": 10000, "dataset": "CO2Emis", "records": [
            {"Minutes5UTC": "2026-01-20T16:30:00", "PriceArea": "DK1", "CO2Emission": 160.000000},
            {"Minutes5UTC": "2026-01-20T16:35:00", "PriceArea": "DK1", "CO2Emission": 155.5}]}"#,
        values: &[160_000_000, 155_500_000],
        written: &["\"CO2Emission\": 160.000000}", "\"CO2Emission\": 155.5}"],
        read: |text| {
            let records = energinet::map::read(text, "CO2Emis")?.records;
            energinet::map::intensities(&records, &[], "DK1")
        },
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
        read: |text| electricity_maps(text, None),
    },
    Payload {
        name: "Electricity Maps, version 4",
        text: r#"{"zone": "DE", "unit": "gCO2eq/kWh", "temporalGranularity": "15_minutes", "data": [
            {"carbonIntensity": 599, "datetime": "2026-03-05T20:00:00.000Z",
             "updatedAt": "2026-03-06T15:48:54.012Z", "emissionFactorType": "lifecycle",
             "flowTraced": true, "isEstimated": false, "temporalGranularity": "15_minutes"},
            {"carbonIntensity": 607.5, "datetime": "2026-03-05T20:15:00.000Z",
             "flowTraced": true, "isEstimated": true, "estimationMethod": "FORECASTS_HIERARCHY"}]}"#,
        values: &[599_000_000, 607_500_000],
        written: &["\"carbonIntensity\": 599,", "\"carbonIntensity\": 607.5,"],
        read: |text| electricity_maps(text, Some(electricity_maps::Granularity::QuarterHour)),
    },
    Payload {
        name: "EIA",
        text: r#"{"response": {"total": "2", "dateFormat": "YYYY-MM-DD\"T\"HH24",
            "frequency": "hourly", "data": [
            {"period": "2026-03-01T12", "respondent": "CISO", "fueltype": "NG",
             "type-name": "Natural Gas", "value": "250", "value-units": "megawatthours"},
            {"period": "2026-03-01T11", "respondent": "CISO", "fueltype": "NG",
             "type-name": "Natural Gas", "value": 100, "value-units": "megawatthours"}]},
            "apiVersion": "2.1.8"}"#,
        values: &[490_000_000, 490_000_000],
        written: &["\"value\": 100,"],
        read: |text| eia::map::intensities(&[eia::map::read(text)?], "CISO", Factors::Lifecycle),
    },
    Payload {
        name: "Elexon prices",
        text: r#"{"metadata": {"datasets": ["MID"]}, "data": [
            {"startTime": "2026-03-01T12:30:00Z", "dataProvider": "APXMIDP",
             "settlementDate": "2026-03-01", "settlementPeriod": 26, "price": -4.25, "volume": 1320.5},
            {"startTime": "2026-03-01T12:00:00Z", "dataProvider": "N2EXMIDP",
             "settlementDate": "2026-03-01", "settlementPeriod": 25, "price": 0.00, "volume": 0.0},
            {"startTime": "2026-03-01T12:00:00Z", "dataProvider": "APXMIDP",
             "settlementDate": "2026-03-01", "settlementPeriod": 25, "price": 61.37, "volume": 2216}]}"#,
        values: &[61_370_000, -4_250_000],
        written: &["\"price\": -4.25,", "\"price\": 61.37,"],
        read: |text| elexon::map::prices(text, "APXMIDP"),
    },
    Payload {
        name: "Elexon generation",
        text: r#"[{"dataset": "FUELINST", "publishTime": "2026-03-01T12:05:00Z",
            "startTime": "2026-03-01T12:00:00Z", "fuelType": "CCGT", "generation": 2249},
            {"dataset": "FUELINST", "publishTime": "2026-03-01T12:10:00Z",
            "startTime": "2026-03-01T12:05:00Z", "fuelType": "CCGT", "generation": 2251}]"#,
        values: &[490_000_000, 490_000_000],
        written: &["\"generation\": 2249}", "\"generation\": 2251}"],
        read: |text| {
            elexon::map::intensities(text, elexon::map::FuelDataset::Fuelinst, Factors::Lifecycle)
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
        name: "Open Electricity prices",
        text: r#"{"version": "4.3.2", "created_at": "2026-03-01T12:07:12+11:00", "success": true,
            "data": [{"network_code": "NEM", "metric": "price", "unit": "$/MWh", "interval": "5m",
            "results": [{"name": "price_SA1", "columns": {"region": "SA1"}, "data": [
            ["2026-03-01T11:00:00+10:00", 40.01], ["2026-03-01T11:05:00+10:00", null],
            ["2026-03-01T11:10:00+10:00", -41.25]]}]}]}"#,
        values: &[40_010_000, -41_250_000],
        written: &[" 40.01]", " -41.25]"],
        read: |text| openelectricity::map::prices(text, "SA1"),
    },
    Payload {
        name: "Open Electricity generation",
        text: r#"{"success": true, "data": [{"network_code": "NEM", "metric": "power", "unit": "MW",
            "interval": "5m", "results": [{"columns": {"region": "SA1", "fueltech": "GAS_CCGT"},
            "data": [["2026-03-01T11:00:00+10:00", 123.4], ["2026-03-01T11:05:00+10:00", 124.5]]}]}]}"#,
        values: &[490_000_000, 490_000_000],
        written: &[" 123.4]", " 124.5]"],
        read: |text| openelectricity::map::intensities(text, "SA1", Factors::Lifecycle),
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
        name: "ERCOT",
        text: r#"{"_meta": {"totalPages": 1}, "fields": [{"name": "deliveryDate"},
            {"name": "hourEnding"}, {"name": "settlementPoint"}, {"name": "settlementPointPrice"},
            {"name": "DSTFlag"}], "data": [["2025-11-02", "02:00", "HB_NORTH", 48.25, false],
            ["2025-11-02", "02:00", "HB_NORTH", -46.5, true]]}"#,
        values: &[48_250_000, -46_500_000],
        written: &[", 48.25,", ", -46.5,"],
        read: |text| ercot::map::prices(&[ercot::map::read(text)?], "HB_NORTH"),
    },
    Payload {
        name: "ISO New England",
        text: r#"{"HourlyLmps": {"HourlyLmp": [
            {"BeginDate": "2026-09-23T00:00:00.000-04:00", "Location": {"@LocId": "4000",
             "@LocType": "HUB", "$": ".H.INTERNAL_HUB"}, "LmpTotal": 31.5, "EnergyComponent": 31.28},
            {"BeginDate": "2026-09-23T01:00:00.000-04:00", "Location": {"@LocId": "4000"},
             "LmpTotal": -7.25, "LossComponent": 0.22}]}}"#,
        values: &[31_500_000, -7_250_000],
        written: &["\"LmpTotal\": 31.5,", "\"LmpTotal\": -7.25,"],
        read: |text| {
            let day = jiff::civil::date(2026, 9, 23);
            iso_ne::map::prices(&iso_ne::map::read(text, day, "4000")?)
        },
    },
    Payload {
        name: "MISO",
        text: "Day Ahead Market ExPost LMPs\n07/14/2026\n\n\
            ,,,All Hours-Ending are Eastern Standard Time (EST)\n\
            Node,Type,Value,HE 1,HE 2,HE 3,HE 4,HE 5,HE 6,HE 7,HE 8,HE 9,HE 10,HE 11,HE 12,HE 13,\
            HE 14,HE 15,HE 16,HE 17,HE 18,HE 19,HE 20,HE 21,HE 22,HE 23,HE 24\n\
            INDIANA.HUB,Hub,LMP,35.25,-2.5,.5,,,,,,,,,,,,,,,,,,,,,\n\
            INDIANA.HUB,Hub,MCC,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n",
        values: &[35_250_000, -2_500_000, 500_000],
        written: &["LMP,35.25,", ",-2.5,"],
        read: |text| {
            let day = jiff::civil::date(2026, 7, 14);
            miso::map::prices(&[miso::map::read(text, day, "INDIANA.HUB")?])
        },
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
            let market = nord_pool::AuctionMarket::DayAhead;
            let day = nord_pool::map::read(text, "2026-03-02", market)?;
            nord_pool::map::prices(&[day], "SE3", "EUR")
        },
    },
    Payload {
        name: "Nord Pool, data service",
        text: r#"[{"market": "N2EX_DayAhead", "deliveryArea": "UK", "status": "Final",
            "unit": "GBP/MWh", "currency": "GBP", "exchangeRate": 0.85569, "prices": [
            {"price": 61.5, "deliveryStart": "2026-03-01T23:00:00Z",
             "deliveryEnd": "2026-03-02T00:00:00Z"},
            {"price": -1.25, "deliveryStart": "2026-03-02T00:00:00Z",
             "deliveryEnd": "2026-03-02T01:00:00Z"}],
            "deliveryDateCET": "2026-03-02", "updatedAt": "2026-03-01T09:59:40.9550842Z"}]"#,
        values: &[61_500_000, -1_250_000],
        written: &["\"price\": 61.5,", "\"price\": -1.25,"],
        read: |text| {
            let market = nord_pool::AuctionMarket::N2ex;
            let day = nord_pool::map::read_area(text, "2026-03-02", market, "UK")?;
            nord_pool::map::prices(day.as_slice(), "UK", "GBP")
        },
    },
    Payload {
        name: "NYISO",
        text: "\"Time Stamp\",\"Name\",\"PTID\",\"LBMP ($/MWHr)\",\"Marginal Cost Losses ($/MWHr)\"\r\n\
            \"11/01/2026 01:00\",\"N.Y.C.\",61761,41.25,2.10\r\n\
            \"11/01/2026 01:00\",\"N.Y.C.\",61761,-3.5,2.20\r\n\
            \"11/01/2026 23:00\",\"N.Y.C.\",61761,57.75,2.30\r\n",
        values: &[41_250_000, -3_500_000, 57_750_000],
        written: &["41.25,", "-3.5,"],
        read: |text| {
            let day = jiff::civil::date(2026, 11, 1);
            nyiso::map::prices(vec![nyiso::map::read(text, day, "N.Y.C.")?])
        },
    },
    Payload {
        name: "PJM",
        text: r#"{"items": [
            {"datetime_beginning_utc": "2026-03-08T07:00:00",
             "datetime_beginning_ept": "2026-03-08T03:00:00", "pnode_id": 51288,
             "total_lmp_da": -12.5, "row_is_current": true, "version_nbr": 1},
            {"datetime_beginning_utc": "2026-03-08T06:00:00",
             "datetime_beginning_ept": "2026-03-08T01:00:00", "pnode_id": 51288,
             "total_lmp_da": 23.632196, "row_is_current": true, "version_nbr": 2}], "totalRows": 2}"#,
        values: &[23_632_196, -12_500_000],
        written: &["\"total_lmp_da\": -12.5,", "\"total_lmp_da\": 23.632196,"],
        read: |text| pjm::map::prices(&pjm::map::read(text)?.items, "51288"),
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
        name: "SPP",
        text: "Interval,GMTIntervalEnd,BAA,Settlement Location,Pnode,LMP,MLC,MCC,MEC\n\
            9/23/2026 1:00,9/23/2026 6:00,SPP,SPPNORTH_HUB,SPPNORTH_H,15.75,-1.1,-1.4,18.5\n\
            9/23/2026 1:00,9/23/2026 6:00,SWPW,SPPNORTH_HUB,SPPNORTH_H,999,-1.1,-1.4,18.5\n\
            09/23/2026 02:00:00,09/23/2026 07:00:00,SPP,SPPNORTH_HUB,SPPNORTH_H,-2.5,-1.1,-1.4,1.5\n",
        values: &[15_750_000, -2_500_000],
        written: &["H,15.75,", "H,-2.5,"],
        read: |text| {
            let day = jiff::civil::date(2026, 9, 23);
            spp::map::prices(&[spp::map::read(text, day, ("SPPNORTH_HUB", "SPP"))?])
        },
    },
    Payload {
        name: "SMARD prices",
        text: r#"{"meta_data": {"version": 1, "created": 1774300000123}, "series": [
            [1773010800000, 50.25], [1773011700000, null], [1773012600000, -3.5]]}"#,
        values: &[50_250_000, -3_500_000],
        written: &["50.25]", "-3.5]"],
        read: |text| {
            use smard::map::{FileStep, prices, read};
            let week = smard_week()?;
            prices(&[read(text, week, FileStep::QuarterHour)?], week)
        },
    },
    Payload {
        name: "SMARD generation",
        text: r#"{"meta_data": {"version": 1, "created": 1774300000123}, "series": [
            [1773010800000, 100.0], [1773011700000, 300.5], [1773012600000, null]]}"#,
        values: &[490_000_000, 490_000_000],
        written: &["100.0]", "300.5]"],
        read: |text| {
            use smard::map::{FileStep, GenerationWeek, intensities, read};
            // Nothing but gas, of which the text is.
            let nothing =
                r#"{"series": [[1773010800000, 0], [1773011700000, 0], [1773012600000, 0]]}"#;
            let (week, step) = (smard_week()?, FileStep::QuarterHour);
            let mut kinds = GenerationWeek::new();
            for series in [1223, 1225, 1226, 1227, 1228, 4066, 4067, 4068, 4069] {
                kinds.insert(series, Some(read(nothing, week, step)?));
            }
            kinds.insert(4071, Some(read(text, week, step)?));
            intensities(&[kinds], week, step, Factors::Lifecycle)
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
        name: "RTE eco2mix",
        text: "<liste><date_actuelle>2026-03-02 09:21:09</date_actuelle><mixtr date='2026-03-01'>
            <type v='Taux de Co2' perimetre='France' granularite='Global' qual='1'>
            <valeur periode='1'>ND</valeur><valeur periode='2'>37</valeur>
            <valeur periode='0'>31</valeur></type></mixtr></liste>",
        values: &[31_000_000, 37_000_000],
        written: &[">31<", ">37<"],
        read: |text| rte_eco2mix::map::intensities(&rte_eco2mix::map::read(text)?),
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

fn electricity_maps(
    text: &str,
    granularity: Option<electricity_maps::Granularity>,
) -> Result<Series, FeedError> {
    let (zone, factors) = ("DE", Factors::Lifecycle);
    let asked = electricity_maps::IntensityQuery { zone, factors, granularity };
    electricity_maps::map::intensities(&[electricity_maps::map::read(text)?], asked)
}

/// The week of 2026-03-09, from its midnight in Berlin.
fn smard_week() -> Result<Span, FeedError> {
    Span::starting(Timestamp::from_unix_seconds(1_773_010_800), Seconds::new(7 * 86_400))
        .ok_or_else(|| FeedError::Transient { message: "no week".into() })
}

/// A day from a Unix second.
pub fn day_from(second: i64) -> Result<Span, FeedError> {
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
