use planner::time::{Seconds, Span, Timestamp};

use super::{AheadSettings, Memory, Subject, Topic, traced_zone};
use crate::feed::Factors;
use crate::provider::entsoe::map::read;
use crate::provider::entsoe::powers::{PowerKind, powers};

const OWN: &str = "10YZZ-EXAMPLE--0";
const OTHER: &str = "10YAA-EXAMPLE--1";
const BEYOND: &str = "10YBB-EXAMPLE--2";

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

fn document(root: &str, code: &str, series: &str) -> String {
    format!("<{root}_MarketDocument><type>{code}</type>{series}</{root}_MarketDocument>")
}

fn learn(memory: &mut Memory, subject: &Subject, text: &str) {
    let told = powers(&[read(text).unwrap()], &subject.zone, subject.document()).unwrap();
    memory.learn(subject, &told, at("2026-03-03T00:00:00Z"));
}

fn learn_generation(memory: &mut Memory, zone: &str, series: &str) {
    learn(memory, &Subject::of(Topic::Generation, zone), &document("GL", "A75", series));
}

fn learn_flow(memory: &mut Memory, (from, into): (&str, &str), series: &str) {
    let subject = Subject::between(Topic::Flow, from, into);
    learn(memory, &subject, &document("Publication", "A11", series));
}

fn settings(text: &str) -> AheadSettings {
    toml::from_str(text).unwrap()
}

/// A time series without the second half of its day.
fn first_half(series: &str) -> String {
    let series = series.replace("2026-03-02T23:00Z", "2026-03-02T11:00Z");
    let points: Vec<&str> = series.split_inclusive("</Point>").collect();
    format!("{}</Period></TimeSeries>", points[..12].concat())
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
    let mut memory = Memory::default();
    memory.begin(at("2026-03-01T00:00:00Z"));
    learn_generation(&mut memory, OWN, &format!("{gas}{nuclear}"));
    learn_generation(&mut memory, OTHER, &format!("{coal}{wind}"));
    learn_flow(&mut memory, (OTHER, OWN), &imported);
    learn_flow(&mut memory, (OWN, OTHER), &exported);

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

/// Nuclear power of 100 MW here, gas of 100 MW next door, coal of 100 MW beyond; 50 MW go from there through next door to us. Next
/// door: (490 x 100 + 820 x 50) / 150 = 600 g/kWh, and here (12 x 100 + 600 x 50) / 150 = 208. Without the border beyond, and in
/// hours of which it is not told, gas alone comes: (1,200 + 24,500) / 150 = 171.333. So it is where nothing is known of the generation
/// beyond; with 400 g/kWh for what is not known, next door has (49,000 + 20,000) / 150 = 460, and we have 161.333.
#[test]
fn power_is_traced_through_a_neighbour_to_where_it_comes_from() {
    let mut memory = Memory::default();
    memory.begin(at("2026-03-01T00:00:00Z"));
    learn_generation(&mut memory, OWN, &station(OWN, "B14", |_| 100));
    learn_generation(&mut memory, OTHER, &station(OTHER, "B04", |_| 100));
    learn_flow(&mut memory, (OTHER, OWN), &flow(OTHER, OWN, |_| 50));
    let half = first_half(&flow(BEYOND, OTHER, |_| 50));
    learn_flow(&mut memory, (BEYOND, OTHER), &half);
    let unknown = memory.clone();
    learn_generation(&mut memory, BEYOND, &station(BEYOND, "B05", |_| 100));

    let neighbours = format!("imports = true\nneighbours = [\"{OTHER}\"]");
    let beyond = format!("{neighbours}\nborders = [[\"{BEYOND}\", \"{OTHER}\"]]");
    let intensities = |memory: &Memory, ahead: &str| {
        let (ahead, now) = (settings(ahead), at("2026-03-03T00:00:00Z"));
        ahead.check(OWN).unwrap();
        let zone = traced_zone(memory, OWN, &ahead, Factors::Lifecycle, now);
        // The first hour, and the first of the second half of the day.
        let hours = ["2026-03-01T23:00:00Z", "2026-03-02T11:00:00Z"];
        hours.map(|hour| {
            let hour = Span::starting(at(hour), Seconds::new(3600)).unwrap();
            zone.past(hour)[0].value / 1000
        })
    };
    assert_eq!(intensities(&memory, &neighbours), [171_333; 2]);
    assert_eq!(intensities(&memory, &beyond), [208_000, 171_333]);
    assert_eq!(intensities(&unknown, &beyond), [171_333; 2]);
    let otherwise = format!("{beyond}\notherwise_g_per_kwh = 400");
    assert_eq!(intensities(&unknown, &otherwise), [161_333, 171_333]);
}

#[test]
fn a_memory_asks_for_what_is_new_and_forgets_what_is_old() {
    let mut memory = Memory::default();
    let generation = Subject::of(Topic::Generation, OWN);
    assert_eq!(memory.window(&generation, at("2026-03-03T00:00:00Z")), None);
    memory.begin(at("2026-02-01T00:00:00Z"));
    let window = |memory: &Memory, until: &str| {
        let span = memory.window(&generation, at(until)).unwrap();
        (span.start().to_string(), span.end().to_string())
    };
    let (start, end) = window(&memory, "2026-03-03T00:00:00Z");
    assert_eq!((start.as_str(), end.as_str()), ("2026-02-01T00:00:00Z", "2026-03-03T00:00:00Z"));
    learn_generation(&mut memory, OWN, &station(OWN, "B04", |hour| hour));
    // What was told until 23:00 on 2026-03-02 may have changed in the two days before.
    assert_eq!(window(&memory, "2026-03-03T01:00:00Z").0, "2026-02-28T23:00:00Z");
    let hours = |memory: &Memory| memory.sum(&generation, |_| true).map(|it| it.len());
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
    let weather = Subject::of(Topic::WeatherForecast, OWN);
    let whole = station(OWN, "B18", |_| 5);
    learn(&mut memory, &weather, &document("GL", "A69", &whole));
    let half = first_half(&station(OWN, "B19", |_| 20));
    learn(&mut memory, &weather, &document("GL", "A69", &half));
    let sums = |memory: &Memory| {
        let sum = memory.sum(&weather, PowerKind::is_wind).unwrap();
        sum.into_values().map(|power| power.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(sums(&memory), ["25"; 12]);
    memory.begin(at("2026-03-02T11:00:00Z"));
    assert_eq!(sums(&memory), ["5"; 12]);
    memory.begin(at("2026-03-02T23:00:00Z"));
    assert_eq!(memory.kinds(&weather), None);
}

/// Imports are told of the whole day. The question about exports until 06:00 is answered by nothing, and the next fails.
#[test]
fn what_is_not_answered_is_not_known_beyond_the_last_answer() {
    let mut memory = Memory::default();
    memory.begin(at("2026-03-01T00:00:00Z"));
    learn_flow(&mut memory, (OTHER, OWN), &flow(OTHER, OWN, |_| 50));
    let exports = Subject::between(Topic::Flow, OWN, OTHER);
    memory.answered(&exports, at("2026-03-02T06:00:00Z"));
    let known = |memory: &Memory| {
        let border = memory.border(Topic::Flow, OWN, OTHER);
        ["2026-03-02T05:00:00Z", "2026-03-02T06:00:00Z"].map(|hour| border.at(at(hour)))
    };
    assert_eq!(known(&memory), [Some((50.0, 0.0)); 2]);
    memory.unanswered(&exports);
    assert_eq!(known(&memory), [Some((50.0, 0.0)), None]);
    memory.answered(&exports, at("2026-03-02T07:00:00Z"));
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

    let borders = |text: &str| {
        let ahead = format!("imports = true\nneighbours = [\"A\", \"B\"]\nborders = [{text}]");
        settings(&ahead).check(OWN).map_err(|error| error.to_string())
    };
    // C is joined to a neighbour, and D to C, whatever the order.
    assert_eq!(borders("[\"D\", \"C\"], [\"C\", \"A\"], [\"B\", \"A\"]"), Ok(()));
    assert!(borders("[\"D\", \"C\"]").unwrap_err().contains("no border joins to a neighbour"));
    assert!(borders(&format!("[\"A\", \"{OWN}\"]")).unwrap_err().contains("ahead.neighbours"));
    for twice in ["[\"A\", \"A\"]", "[\"A\", \"B\"], [\"B\", \"A\"]"] {
        assert!(borders(twice).unwrap_err().contains("leave it out"), "{twice}");
    }
    let many: Vec<String> = (0..25).map(|number| format!("[\"A\", \"{number}\"]")).collect();
    assert!(borders(&many.join(",")).unwrap_err().contains("at most 24"));
    assert!(refused("borders = [[\"A\", \"B\"]]").contains("needs imports"));
}
