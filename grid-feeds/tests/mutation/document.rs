//! Texts of the other parsers: tables, documents and settings. Each panics where it accepts nonsense.

use grid_feeds::feed::Quantity;
use grid_feeds::input::{InputQuantity, open_meteo};
use grid_feeds::provider::entsoe::powers::{PlatformDocument, powers};
use grid_feeds::provider::octopus::catalogue;
use grid_feeds::provider::{Provider, aemo, contract, entsoe, file_drop, rte_tempo};
use grid_feeds::schedule::{Rhythm, Schedule};
use grid_feeds::{measurements_json, power_samples_json, table};
use planner::agenda::Agenda;
use planner::time::{Seconds, Span, Timestamp};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// A text and its parser.
pub struct Document {
    pub name: &'static str,
    pub text: &'static str,
    pub accepts: fn(&str) -> bool,
}

pub const DOCUMENTS: &[Document] = &[
    Document {
        name: "Open-Meteo",
        text: r#"{"latitude": 48.84, "longitude": 2.36, "generationtime_ms": 0.4,
            "utc_offset_seconds": 0, "timezone": "GMT", "elevation": 38.0, "hourly_units": {
            "time": "unixtime", "wind_speed_10m": "m/s", "wind_speed_10m_previous_day1": "m/s",
            "wind_speed_10m_previous_day2": "m/s", "wind_speed_10m_previous_day3": "m/s",
            "wind_speed_10m_previous_day4": "m/s", "wind_speed_10m_previous_day5": "m/s",
            "wind_speed_10m_previous_day6": "m/s", "wind_speed_10m_previous_day7": "m/s"},
            "hourly": {"time": [1772359200, 1772362800], "wind_speed_10m": [5.25, 7.5],
            "wind_speed_10m_previous_day1": [5, null], "wind_speed_10m_previous_day2": [4, 7],
            "wind_speed_10m_previous_day3": [3, 8], "wind_speed_10m_previous_day4": [2, 9],
            "wind_speed_10m_previous_day5": [1, 0], "wind_speed_10m_previous_day6": [0, 1],
            "wind_speed_10m_previous_day7": [2.5, 3]}}"#,
        accepts: weather,
    },
    Document {
        name: "ENTSO-E acknowledgement",
        text: r#"<?xml version="1.0" encoding="UTF-8"?><Acknowledgement_MarketDocument
            xmlns="urn:iec62325.351:tc57wg16:451-1:acknowledgementdocument:7:0"><mRID>1</mRID>
            <Reason><code>999</code><text>No matching data found</text></Reason>
            </Acknowledgement_MarketDocument>"#,
        // An acknowledgement has no values, whatever becomes of it.
        accepts: |text| match entsoe::map::read(text) {
            Ok(document) => {
                assert!(entsoe::map::prices(&[document], "X").is_err());
                true
            }
            Err(error) => error.to_string().contains("No matching data"),
        },
    },
    Document {
        name: "ENTSO-E load forecast",
        text: r#"<?xml version="1.0" encoding="UTF-8"?><GL_MarketDocument
            xmlns="urn:iec62325.351:tc57wg16:451-6:generationloaddocument:3:0"><type>A65</type>
            <process.processType>A01</process.processType><TimeSeries>
            <businessType>A04</businessType>
            <outBiddingZone_Domain.mRID codingScheme="A01">X</outBiddingZone_Domain.mRID>
            <quantity_Measure_Unit.name>MAW</quantity_Measure_Unit.name><curveType>A03</curveType>
            <Period><timeInterval><start>2026-03-01T23:00Z</start><end>2026-03-02T00:00Z</end>
            </timeInterval><resolution>PT15M</resolution>
            <Point><position>1</position><quantity>51234.5</quantity></Point>
            <Point><position>3</position><quantity>50000</quantity></Point>
            </Period></TimeSeries></GL_MarketDocument>"#,
        accepts: |text| platform_powers(text, PlatformDocument::LoadForecast),
    },
    Document {
        name: "ENTSO-E flows",
        text: r#"<?xml version="1.0" encoding="UTF-8"?><Publication_MarketDocument
            xmlns="urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:0"><type>A11</type>
            <TimeSeries><businessType>A66</businessType>
            <in_Domain.mRID codingScheme="A01">X</in_Domain.mRID>
            <out_Domain.mRID codingScheme="A01">Y</out_Domain.mRID>
            <quantity_Measure_Unit.name>MAW</quantity_Measure_Unit.name><curveType>A01</curveType>
            <Period><timeInterval><start>2026-03-01T23:00Z</start><end>2026-03-02T01:00Z</end>
            </timeInterval><resolution>PT60M</resolution>
            <Point><position>1</position><quantity>1500</quantity></Point>
            <Point><position>2</position><quantity>0</quantity></Point>
            </Period></TimeSeries></Publication_MarketDocument>"#,
        accepts: |text| platform_powers(text, PlatformDocument::PhysicalFlow { from: "Y" }),
    },
    Document {
        name: "RTE Tempo, public",
        text: r#"{"values": {"2026-01-15": "WHITE", "2026-01-16": "RED", "2026-01-17": "",
            "2026-01-18": "0", "2026-01-19": "BLUE"}}"#,
        accepts: |text| rte_tempo::map::season(text, Timestamp::MIN).is_ok(),
    },
    Document {
        name: "Prices, CSV",
        text: "start,end,price_per_mwh\n2026-03-01T00:00:00Z,2026-03-01T01:00:00Z,-10.5\n\
            2026-03-01T02:00:00+01:00,2026-03-01T03:00:00+01:00,99.000001\n",
        accepts: |text| agenda_file(text, file_drop::map::Format::Csv, Quantity::Price),
    },
    Document {
        name: "CO2, CSV",
        text: "start,end,intensity_g_per_kwh\r\n2026-03-01T00:00:00Z,2026-03-01T01:00:00Z,56\r\n",
        accepts: |text| agenda_file(text, file_drop::map::Format::Csv, Quantity::Co2),
    },
    Document {
        name: "Caps, CSV",
        text: "cap_w,start,end\n9000.5,2026-03-01T00:00:00Z,2026-03-01T06:00:00Z\n",
        accepts: |text| agenda_file(text, file_drop::map::Format::Csv, Quantity::PowerCap),
    },
    Document {
        name: "Prices, JSON",
        text: r#"[{"start": "2026-03-01T00:00:00Z", "end": "2026-03-01T01:00:00Z",
            "price_per_mwh": -10.5}]"#,
        accepts: |text| agenda_file(text, file_drop::map::Format::Json, Quantity::Price),
    },
    Document {
        name: "CO2, JSON",
        text: r#"[{"start": "2026-03-01T00:00:00Z", "end": "2026-03-01T01:00:00Z",
            "intensity_g_per_kwh": 56.25}]"#,
        accepts: |text| agenda_file(text, file_drop::map::Format::Json, Quantity::Co2),
    },
    Document {
        name: "Nodes, CSV",
        text: "name,idle_power_w,max_power_w,alpha,partitions,features\n\
            n1,95.5,190,0.75,gpu;big,nvme\n\"n,2\",95,190.000001,,,\n",
        accepts: |text| {
            let Ok(nodes) = table::nodes(text) else { return false };
            assert!(nodes.as_slice().iter().all(|node| node.idle() <= node.max()));
            true
        },
    },
    Document {
        name: "Measurements, CSV",
        text: "meter,node,at,power_w,energy_j\nbmc,n1,2026-03-01T00:00:00.5Z,401.25,\n\
            c,n1,2026-03-01T00:01:00Z,,1e3\n",
        accepts: |text| table::measurements(text).is_ok(),
    },
    Document {
        name: "Measurements, JSON",
        text: r#"{"meter": "bmc", "samples": [{"node": "n1", "at": "2026-03-01T00:00:00Z",
            "power_w": 401.25}]}"#,
        accepts: |text| measurements_json(text).is_ok(),
    },
    Document {
        name: "Power samples, CSV",
        text: "node,measured_at,load,power_w\nn1,2026-01-01T00:00:00Z,idle,95.5\n\
            n1,2026-01-01T01:00:00Z,max,190\n",
        accepts: |text| {
            let Ok(samples) = table::power_samples(text) else { return false };
            assert!(samples.iter().all(|sample| sample.power.as_microwatts() >= 0));
            true
        },
    },
    Document {
        name: "Power samples, JSON",
        text: r#"[{"node": "n1", "measured_at": "2026-01-01T00:00:00Z", "load": "max",
            "power_w": 190.100001}]"#,
        accepts: |text| {
            let Ok(samples) = power_samples_json(text) else { return false };
            assert!(samples.iter().all(|sample| sample.power.as_microwatts() >= 0));
            true
        },
    },
    Document {
        name: "Requests, CSV",
        text: "nodes,duration_s,earliest_start,latest_start,utilisation\n\
            2,3600,2013-01-01T00:00:00Z,2013-01-01T04:00:00Z,0.8\n",
        accepts: |text| {
            let Ok(requests) = table::requests(text) else { return false };
            assert!(requests.iter().all(|request| request.errors(Timestamp::MIN).is_empty()));
            true
        },
    },
    Document {
        name: "AEMO's listing",
        text: "<pre><A HREF=\"/Reports/CURRENT/P/PUBLIC_PREDISPATCHIS_202609302330_20260930230312.zip\">\
            PUBLIC_PREDISPATCHIS_202609302330_20260930230312.zip</A></pre>",
        accepts: |text| {
            let Ok(file) = aemo::map::newest(text) else { return false };
            // It becomes a part of an address.
            assert!(file.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte)));
            true
        },
    },
    Document {
        name: "Octopus products",
        text: r#"{"count": 2, "next": null, "previous": null, "results": [
            {"code": "AGILE-24-10-01", "direction": "IMPORT", "brand": "OCTOPUS_ENERGY",
             "available_from": "2024-10-01T00:00:00+01:00", "available_to": null},
            {"code": "AGILE-23-12-06", "direction": "IMPORT", "brand": "OCTOPUS_ENERGY",
             "available_from": "2023-12-06T00:00:00Z",
             "available_to": "2024-10-01T00:00:00+01:00"}]}"#,
        accepts: |text| {
            let family =
                catalogue::Family { name: "AGILE", direction: "IMPORT", brand: "OCTOPUS_ENERGY" };
            let Ok(page) = catalogue::read(text) else { return false };
            let Ok(offerings) = catalogue::offerings(&page.results, family) else { return false };
            let start = Timestamp::from_unix_seconds(1_727_700_000);
            let window = Span::starting(start, Seconds::new(2 * 86_400)).unwrap();
            let stretches =
                catalogue::stretches(&offerings.into_iter().collect(), family.name, window);
            // They follow each other without a gap up to the end.
            assert!(stretches.windows(2).all(|two| two[0].span.end() == two[1].span.start()));
            assert!(stretches.last().is_none_or(|last| last.span.end() == window.end()));
            true
        },
    },
    Document {
        name: "Settings of sources",
        text: r#"sources = [
            { provider = "aemo", region = "SA1" },
            { provider = "awattar", country = "austria" },
            { provider = "caiso", node = "TH_NP15_GEN-APND" },
            { provider = "japan-area", area = "kansai", factors = "direct", base_url = "http://a" },
            { provider = "jepx", area = "system" },
            { provider = "eia", respondent = "PJM", api_key = { environment = "X" } },
            { provider = "electricity-maps", zone = "FR", token = { environment = "X" } },
            { provider = "elexon", market_index = "N2EXMIDP", dataset = "fuelhh" },
            { provider = "electricity-maps", zone = "FR", token = { environment = "X" },
              version = "v4", granularity = "5_minutes" },
            { provider = "energy-charts", zone = "FR" },
            { provider = "entsoe", zone = "X", token = { file = "t" }, base_urls = ["http://a"] },
            { provider = "file-drop", path = "caps", currency = "GBP", binding = true },
            { provider = "nord-pool", area = "SE3", currency = "SEK" },
            { provider = "nyiso", zone = "N.Y.C." },
            { provider = "nord-pool", area = "UK", currency = "GBP", market = "N2EX_DayAhead",
              account = { user = "u", password = { file = "p" } } },
            { provider = "octopus", product = "AGILE", region = "C", with_vat = true },
            { provider = "odre", dataset = "real-time" },
            { provider = "openelectricity", region = "SA1", token = { environment = "X" } },
            { provider = "rte-eco2mix", address = "http://a" },
            { provider = "terna", client_id = "c", client_secret = { file = "s" }, pause_s = 3 },
            { provider = "uk-carbon-intensity", region = 3 },
            { provider = "watttime", region = "X", user = "u", password = { file = "p" } },
            ]"#,
        accepts: |text| {
            #[derive(serde::Deserialize)]
            struct File {
                sources: Vec<Provider>,
            }
            let Ok(file) = toml::from_str::<File>(text) else { return false };
            for source in file.sources {
                // What a debugger shows of a source never fails, nor does its rhythm.
                assert!(!format!("{source:?}").is_empty());
                for quantity in [Quantity::Price, Quantity::Co2, Quantity::PowerCap] {
                    let rhythm = source.rhythm(quantity);
                    let mut random = ChaCha8Rng::from_seed([0; 32]);
                    assert!(Schedule::new(rhythm, Timestamp::MIN, None, &mut random).is_ok());
                }
            }
            true
        },
    },
    Document {
        name: "Settings of a contract",
        text: r#"provider = "contract"
            time_zone = "Europe/Paris"
            currency = "EUR"
            day_starts_at = "06:00"
            holidays = "france"
            extra_holidays = ["2026-12-24"]
            network_per_mwh = "41.5"
            taxes_per_mwh = "25"
            vat_percent = "20"
            rules = [
                { colour = "red", from = "22:00", to = "06:00", energy_per_mwh = "110.5" },
                { days = "free", months = [1, 12], energy_per_mwh = "60", network_per_mwh = "1" },
                { energy_per_mwh = "70" },
            ]"#,
        accepts: contract,
    },
    Document {
        name: "Settings of a rhythm",
        text: r#"time_zone = "Europe/Paris"
            publications = ["12:55", "13:30"]
            poll_every_s = 900
            backoff_first_s = 60
            backoff_longest_s = 3600
            budget_requests = 30
            budget_per_s = 60"#,
        accepts: |text| {
            let Ok(rhythm) = toml::from_str::<Rhythm>(text) else { return false };
            let mut random = ChaCha8Rng::from_seed([0; 32]);
            let now = Timestamp::from_unix_seconds(1_772_323_200);
            Schedule::new(rhythm, now, None, &mut random).is_ok()
        },
    },
];

/// Powers are in order and lie between nothing and a terawatt.
fn platform_powers(text: &str, document: PlatformDocument<'_>) -> bool {
    let read = entsoe::map::read(text).and_then(|page| powers(&[page], "X", document));
    let Ok(read) = read else { return false };
    for pieces in read.kinds.values().map(Agenda::pieces) {
        assert!(pieces.iter().all(|piece| (0..=1_000_000_000_000).contains(&piece.value)));
        assert!(pieces.windows(2).all(|pair| pair[0].span.end() <= pair[1].span.start()));
    }
    true
}

/// Wind is in order and lies between calm and 150 m/s.
fn weather(text: &str) -> bool {
    let place = open_meteo::map::WeatherPlace { latitude: 48.85, longitude: 2.35 };
    let now = Timestamp::from_unix_seconds(1_772_362_800);
    let input = open_meteo::map::read(text).and_then(|read| {
        open_meteo::map::input(&read, "wind", InputQuantity::WindSpeed, place, now)
    });
    let Ok(input) = input else { return false };
    for ahead in &input.values {
        let pieces = ahead.values.pieces();
        assert!(pieces.iter().all(|piece| (0..=150_000_000).contains(&piece.value)));
        in_order(&ahead.values);
    }
    true
}

/// Reads an agenda and writes it: what is written is read as the same.
fn agenda_file(text: &str, format: file_drop::map::Format, quantity: Quantity) -> bool {
    use file_drop::map::{Format, read};
    let Ok(agenda) = read("a file", format, text, quantity) else { return false };
    let column = match quantity {
        Quantity::Price => "price_per_mwh",
        Quantity::Co2 => "intensity_g_per_kwh",
        Quantity::PowerCap => "cap_w",
    };
    let written = table::write_agenda(&agenda, column);
    assert_eq!(read("a file", Format::Csv, &written, quantity).ok().as_ref(), Some(&agenda));
    in_order(&agenda);
    true
}

fn in_order(agenda: &Agenda<i64>) {
    let ends = agenda.pieces().iter().map(|piece| piece.span.end());
    let starts = agenda.pieces().iter().skip(1).map(|piece| piece.span.start());
    assert!(ends.zip(starts).all(|(end, start)| end <= start));
}

/// A contract that can be read has prices, or says which day it cannot tell.
fn contract(text: &str) -> bool {
    let Ok(Provider::Contract(settings)) = toml::from_str::<Provider>(text) else { return false };
    let Ok(tariff) = contract::Tariff::new(&settings) else { return false };
    let start = Timestamp::from_unix_seconds(1_768_539_600);
    let day = Span::starting(start, Seconds::new(2 * 86_400)).unwrap();
    let _ = tariff.prices(day, &rte_tempo::Colours::new());
    let _ = tariff.expected(day);
    true
}
