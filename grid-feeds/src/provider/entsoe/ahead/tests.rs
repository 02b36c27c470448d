use planner::time::{Seconds, Span, Timestamp};

use super::{AheadSettings, Memory, Topic, traced_zone};
use crate::feed::Factors;
use crate::provider::entsoe::map::read;
use crate::provider::entsoe::powers::{PowerKind, powers};

const OWN: &str = "10YZZ-EXAMPLE--0";
const OTHER: &str = "10YAA-EXAMPLE--1";

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// A time series of the hours of 2026-03-02 in Brussels.
fn day(head: &str, power: impl Fn(i64) -> i64) -> String {
    let point = |hour: i64| {
        let (position, power) = (hour + 1, power(hour));
        format!("<Point><position>{position}</position><quantity>{power}</quantity></Point>")
    };
    let points: String = (0..24).map(point).collect();
    format!(
        "<TimeSeries>{head}<quantity_Measure_Unit.name>MAW</quantity_Measure_Unit.name>
         <curveType>A01</curveType><Period><timeInterval><start>2026-03-01T23:00Z</start>
         <end>2026-03-02T23:00Z</end></timeInterval><resolution>PT60M</resolution>{points}</Period>
         </TimeSeries>"
    )
}

fn station(zone: &str, code: &str, power: impl Fn(i64) -> i64) -> String {
    let head = format!(
        "<inBiddingZone_Domain.mRID>{zone}</inBiddingZone_Domain.mRID>
         <MktPSRType><psrType>{code}</psrType></MktPSRType>"
    );
    day(&head, power)
}

fn flow(from: &str, into: &str, power: impl Fn(i64) -> i64) -> String {
    let head =
        format!("<in_Domain.mRID>{into}</in_Domain.mRID><out_Domain.mRID>{from}</out_Domain.mRID>");
    day(&head, power)
}

fn learn(memory: &mut Memory, topic: Topic, zone: &str, text: &str) {
    let (asked, document) = topic.document(OWN, zone);
    let told = powers(&[read(text).unwrap()], asked, document).unwrap();
    memory.learn(topic, zone, &told, at("2026-03-03T00:00:00Z"));
}

fn settings(text: &str) -> AheadSettings {
    toml::from_str(text).unwrap()
}

/// The quantities of one time series, read without the reader under test.
fn quantities(text: &str) -> Vec<f64> {
    let parts = text.split("<quantity>").skip(1);
    parts.map(|part| part.split('<').next().unwrap().parse().unwrap()).collect()
}

/// Gas and nuclear power here, coal and wind there, imports all day and exports as well: each hour equals what the texts
/// say by plain arithmetic. With the intensities `a` here and `b` there and life-cycle factors:
/// `(gas + nuclear + in) a = 490 gas + 12 nuclear + in b` and `(coal + wind + out) b = 820 coal + 11 wind + out a`.
#[test]
fn a_day_equals_an_independent_reading_and_reckoning() {
    let gas = station(OWN, "B04", |hour| 100 + 10 * hour);
    let nuclear = station(OWN, "B14", |_| 300);
    let coal = station(OTHER, "B05", |hour| 500 - hour);
    let wind = station(OTHER, "B19", |hour| 20 * hour);
    let (imported, exported) = (flow(OTHER, OWN, |hour| 50 + hour), flow(OWN, OTHER, |_| 7));
    let document = |root: &str, code: &str, series: String| {
        format!("<{root}_MarketDocument><type>{code}</type>{series}</{root}_MarketDocument>")
    };
    let mut memory = Memory::default();
    memory.begin(at("2026-03-01T00:00:00Z"));
    let own = document("GL", "A75", format!("{gas}{nuclear}"));
    let other = document("GL", "A75", format!("{coal}{wind}"));
    learn(&mut memory, Topic::Generation, OWN, &own);
    learn(&mut memory, Topic::Generation, OTHER, &other);
    let flows = |series: &String| document("Publication", "A11", series.clone());
    learn(&mut memory, Topic::FlowIn, OTHER, &flows(&imported));
    learn(&mut memory, Topic::FlowOut, OTHER, &flows(&exported));

    let ahead = settings(&format!("imports = true\nneighbours = [\"{OTHER}\"]"));
    let now = at("2026-03-03T00:00:00Z");
    let zone = traced_zone(&memory, OWN, &ahead, Factors::Lifecycle, now);
    let start = at("2026-03-01T23:00:00Z");
    let past = zone.past(Span::starting(start, Seconds::new(86_400)).unwrap());
    assert_eq!(past.len(), 24);
    let texts = [&gas, &nuclear, &coal, &wind, &imported, &exported];
    let [gas, nuclear, coal, wind, imported, exported] = texts.map(|text| quantities(text));
    for (hour, piece) in past.iter().enumerate() {
        // The second equation in the first: a is all that is left.
        let there = coal[hour] + wind[hour] + exported[hour];
        let of_coal = (820.0 * coal[hour] + 11.0 * wind[hour]) / there;
        let back = exported[hour] / there;
        let here = gas[hour] + nuclear[hour] + imported[hour] * (1.0 - back);
        let emitted = 490.0 * gas[hour] + 12.0 * nuclear[hour] + imported[hour] * of_coal;
        let off = piece.value as f64 / 1e6 - emitted / here;
        assert!(off.abs() < 1e-5, "hour {hour} is off by {off}");
    }
    let alone = traced_zone(&memory, OWN, &settings(""), Factors::Lifecycle, now);
    // 100 MW of gas and 300 MW of nuclear power: 52,600 / 400 = 131.5 g/kWh.
    assert_eq!(
        alone.past(Span::starting(start, Seconds::new(3600)).unwrap())[0].value,
        131_500_000
    );
}

#[test]
fn a_memory_asks_for_what_is_new_and_forgets_what_is_old() {
    let mut memory = Memory::default();
    assert_eq!(memory.window(Topic::Generation, OWN, at("2026-03-03T00:00:00Z")), None);
    memory.begin(at("2026-02-01T00:00:00Z"));
    let window = |memory: &Memory, until: &str| {
        let span = memory.window(Topic::Generation, OWN, at(until)).unwrap();
        (span.start().to_string(), span.end().to_string())
    };
    let (start, end) = window(&memory, "2026-03-03T00:00:00Z");
    assert_eq!((start.as_str(), end.as_str()), ("2026-02-01T00:00:00Z", "2026-03-03T00:00:00Z"));
    let series = station(OWN, "B04", |hour| hour);
    let text = format!("<GL_MarketDocument><type>A75</type>{series}</GL_MarketDocument>");
    learn(&mut memory, Topic::Generation, OWN, &text);
    // What was told until 23:00 on 2026-03-02 may have changed in the two days before.
    assert_eq!(window(&memory, "2026-03-03T01:00:00Z").0, "2026-02-28T23:00:00Z");
    let hours = |memory: &Memory| memory.sum(Topic::Generation, OWN, |_| true).map(|it| it.len());
    assert_eq!(hours(&memory), Some(24));
    memory.begin(at("2026-03-02T11:00:00Z"));
    assert_eq!(hours(&memory), Some(12));
    memory.begin(at("2026-01-01T00:00:00Z"));
    assert_eq!(hours(&memory), None, "more is asked for than was before");
}

/// Wind off shore (B18) of a day, on shore (B19) only of its first half: 5 MW and 20 MW. The hours that lack the second are not known,
/// and once its half is forgotten the first counts alone.
#[test]
fn a_kind_that_ends_leaves_the_sum() {
    let mut memory = Memory::default();
    memory.begin(at("2026-03-01T00:00:00Z"));
    let series = station(OWN, "B18", |_| 5);
    let whole = format!("<GL_MarketDocument><type>A69</type>{series}</GL_MarketDocument>");
    learn(&mut memory, Topic::WeatherForecast, OWN, &whole);
    let series = station(OWN, "B19", |_| 20).replace("2026-03-02T23:00Z", "2026-03-02T11:00Z");
    let points: Vec<&str> = series.split_inclusive("</Point>").collect();
    let half = format!("{}</Period></TimeSeries>", points[..12].concat());
    let half = format!("<GL_MarketDocument><type>A69</type>{half}</GL_MarketDocument>");
    learn(&mut memory, Topic::WeatherForecast, OWN, &half);
    let sums = |memory: &Memory| {
        let sum = memory.sum(Topic::WeatherForecast, OWN, PowerKind::is_wind).unwrap();
        sum.into_values().map(|power| power.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(sums(&memory), ["25"; 12]);
    memory.begin(at("2026-03-02T11:00:00Z"));
    assert_eq!(sums(&memory), ["5"; 12]);
    memory.begin(at("2026-03-02T23:00:00Z"));
    assert_eq!(memory.kinds(Topic::WeatherForecast, OWN), None);
}

/// Imports are told of the whole day. The question about exports until 06:00 is answered by nothing, and the next fails.
#[test]
fn what_is_not_answered_is_not_known_beyond_the_last_answer() {
    let mut memory = Memory::default();
    memory.begin(at("2026-03-01T00:00:00Z"));
    let series = flow(OTHER, OWN, |_| 50);
    let text = format!(
        "<Publication_MarketDocument><type>A11</type>{series}</Publication_MarketDocument>"
    );
    learn(&mut memory, Topic::FlowIn, OTHER, &text);
    memory.answered(Topic::FlowOut, OTHER, at("2026-03-02T06:00:00Z"));
    let known = |memory: &Memory| {
        let border = memory.border([Topic::FlowIn, Topic::FlowOut], OTHER);
        ["2026-03-02T05:00:00Z", "2026-03-02T06:00:00Z"].map(|hour| border.at(at(hour)))
    };
    assert_eq!(known(&memory), [Some((50.0, 0.0)); 2]);
    memory.unanswered(Topic::FlowOut, OTHER);
    assert_eq!(known(&memory), [Some((50.0, 0.0)), None]);
    memory.answered(Topic::FlowOut, OTHER, at("2026-03-02T07:00:00Z"));
    assert_eq!(known(&memory), [Some((50.0, 0.0)); 2]);
}

#[test]
fn settings_that_cannot_work_are_refused_in_words() {
    let refused = |text: &str| settings(text).check(OWN).unwrap_err().to_string();
    assert!(settings("").check(OWN).is_ok());
    assert!(refused("weeks = 2").contains("ahead.weeks is 2; it must be from 3 to 12"));
    assert!(refused("imports = true").contains("needs ahead.neighbours"));
    assert!(refused(&format!("neighbours = [\"{OWN}\"]")).contains("leave it out"));
    assert!(refused("neighbours = [\"A\", \"B\", \"A\"]").contains("\"A\" twice"));
    let many: Vec<String> = (0..13).map(|number| format!("\"{number}\"")).collect();
    assert!(refused(&format!("neighbours = [{}]", many.join(","))).contains("at most 12"));
    assert!(toml::from_str::<AheadSettings>("neighbors = []").is_err());
}
