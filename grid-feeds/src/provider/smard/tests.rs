use jiff::civil::date;
use planner::decimal::parse_millionths;
use planner::time::{Seconds, Span, Timestamp};

use super::filter;
use super::map::{FileStep, GenerationWeek, SeriesWeek, intensities, prices, read, weeks};
use crate::feed::{Factors, FeedError, Quality, Quantity, Series};
use crate::http::{Http, Timeouts};
use crate::provider::Declaration;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn span(start: &str, end: &str) -> Span {
    Span::new(at(start), at(end)).unwrap()
}

/// A file of steps of so many seconds from `start`; `null` for those without a value.
fn file(start: &str, step: i64, values: &[&str]) -> String {
    let start = at(start).as_unix_seconds();
    let points = values
        .iter()
        .zip(0..)
        .map(|(value, index)| format!("[{},{value}]", (start + index * step) * 1000));
    let points: Vec<String> = points.collect();
    format!(
        r#"{{"meta_data":{{"version":1,"created":1774300000123}},"series":[{}]}}"#,
        points.join(",")
    )
}

fn priced(text: &str, week: Span, resolution: FileStep) -> Result<Series, FeedError> {
    prices(&[read(text, week, resolution)?], week)
}

fn values(series: &Series) -> Vec<(Span, i64)> {
    series.agenda.pieces().iter().map(|piece| (piece.span, piece.value.value)).collect()
}

/// The weeks of the two changes of the clock: of 167 and of 169 hours, the latter in quarter-hours.
#[test]
fn weeks_of_167_and_169_hours_equal_what_a_plain_split_says() {
    for (start, end, resolution, count) in [
        ("2026-03-22T23:00:00Z", "2026-03-29T22:00:00Z", FileStep::Hour, 167),
        ("2026-10-18T22:00:00Z", "2026-10-25T23:00:00Z", FileStep::QuarterHour, 4 * 169),
    ] {
        let amounts: Vec<String> =
            (0..count).map(|index| format!("{}.{:02}", index % 90 - 40, index % 100)).collect();
        let amounts: Vec<&str> = amounts.iter().map(String::as_str).collect();
        let step = resolution.step().get();
        let text = file(start, step, &amounts);
        let series = priced(&text, span(start, end), resolution).unwrap();
        let points = text.split("\"series\":[[").nth(1).unwrap().trim_end_matches("]]}");
        let points: Vec<(i64, i64)> = points
            .split("],[")
            .map(|point| point.split_once(',').unwrap())
            .map(|(time, amount)| (time.parse().unwrap(), parse_millionths(amount).unwrap()))
            .collect();
        let read = values(&series);
        assert_eq!((read.len(), points.len()), (amounts.len(), amounts.len()));
        for ((span, value), (milliseconds, amount)) in read.into_iter().zip(points) {
            assert_eq!(span.start().as_unix_seconds() * 1000, milliseconds);
            assert_eq!((span.length().get(), value), (step, amount));
        }
        assert_eq!(series.span(), Some(span(start, end)));
        assert_eq!(series.issued_at, Some(at("2026-03-23T21:06:40Z")));
    }
}

/// 2026-03-09 and 2026-03-16 are Mondays; midnight in Berlin is 23:00 UTC.
#[test]
fn the_index_tells_the_weeks_that_touch_the_span() {
    let milliseconds = |text: &str| at(text).as_unix_seconds() * 1000;
    let index = |starts: &[&str]| {
        let starts: Vec<i64> = starts.iter().map(|start| milliseconds(start)).collect();
        format!(r#"{{"timestamps":{starts:?}}}"#)
    };
    let (first, second) = ("2026-03-08T23:00:00Z", "2026-03-15T23:00:00Z");
    let window = span("2026-03-15T22:00:00Z", "2026-03-16T22:00:00Z");
    let listed = index(&[second, "2026-03-01T23:00:00Z", first, first]);
    let both = [span(first, second), span(second, "2026-03-22T23:00:00Z")];
    assert_eq!(weeks(&listed, window).unwrap(), both);
    assert_eq!(weeks(&index(&[first]), window).unwrap(), both[..1]);
    let tuesday = weeks(&index(&["2026-03-09T23:00:00Z"]), window).unwrap_err();
    assert!(tuesday.to_string().contains("is no start of a week"), "{tuesday}");
    assert!(weeks(r#"{"timestamps":[-1]}"#, window).is_err());
    assert!(matches!(weeks("{}", window), Err(FeedError::Payload { .. })));
}

const WEEK: (&str, &str) = ("2026-03-08T23:00:00Z", "2026-03-15T23:00:00Z");

fn week() -> Span {
    span(WEEK.0, WEEK.1)
}

#[test]
fn nulls_are_gaps_and_zero_is_a_price() {
    let text = file(WEEK.0, 900, &["50.1", "0", "null", "-3.25", "null"]);
    let series = priced(&text, week(), FileStep::QuarterHour).unwrap();
    let read: Vec<i64> = values(&series).into_iter().map(|(_, value)| value).collect();
    assert_eq!(read, [50_100_000, 0, -3_250_000]);
    assert_eq!(series.agenda.at(at("2026-03-08T23:30:00Z")), None);
    assert!(series.agenda.pieces().iter().all(|piece| piece.value.quality == Quality::Measured));
    assert_eq!(series.kind.to_string(), "price in EUR/MWh");
    let unknown = file(WEEK.0, 900, &["null", "null"]);
    let error = priced(&unknown, week(), FileStep::QuarterHour).unwrap_err();
    assert!(matches!(error, FeedError::NotPublished { .. }), "{error}");
}

/// A week has days that nobody asked for.
#[test]
fn only_the_span_asked_for_counts() {
    let week_file = read(&file(WEEK.0, 3600, &["1", "2", "3"]), week(), FileStep::Hour).unwrap();
    let second = span("2026-03-09T00:30:00Z", "2026-03-09T01:00:00Z");
    let series = prices(&[week_file], second).unwrap();
    assert_eq!(
        values(&series),
        [(span("2026-03-09T00:00:00Z", "2026-03-09T01:00:00Z"), 2_000_000)]
    );
    let week_file = read(&file(WEEK.0, 3600, &["1"]), week(), FileStep::Hour).unwrap();
    let error = prices(&[week_file], second).unwrap_err();
    assert!(matches!(error, FeedError::NotPublished { .. }), "{error}");
}

#[test]
fn values_of_another_week_and_between_the_steps_are_refused() {
    let error = |text: &str| priced(text, week(), FileStep::Hour).unwrap_err().to_string();
    let next = error(&file(WEEK.1, 3600, &["1"]));
    assert!(next.contains("asked for the week 2026-03-08"), "{next}");
    for milliseconds in [",1]", "001,1]"] {
        let broken = error(&file(WEEK.0, 3600, &["1"]).replace("000,1]", milliseconds));
        assert!(broken.contains("is no time of whole seconds"), "{broken}");
    }
    let quarter = error(&file("2026-03-08T23:15:00Z", 3600, &["1"]));
    assert!(quarter.contains("is no start of 3600 s"), "{quarter}");
    let word = error(&file(WEEK.0, 3600, &["\"n/a\""]));
    assert!(word.contains("is not a number"), "{word}");
    for broken in ["{}", r#"{"series":[[1773010800000]]}"#, r#"{"series":[["1773010800000",1]]}"#] {
        let error = priced(broken, week(), FileStep::Hour).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{broken}: {error}");
    }
}

/// A file of quarter-hours with the same values for all series but those named.
fn generated(start: &str, end: &str, usual: &[&str], others: &[(u32, &[&str])]) -> GenerationWeek {
    let kinds = filter::generation(date(2023, 1, 2)).map(|series| {
        let other = others.iter().find(|(named, _)| *named == series);
        let text = file(start, 900, other.map_or(usual, |(_, values)| values));
        (series, Some(read(&text, span(start, end), FileStep::QuarterHour).unwrap()))
    });
    kinds.collect()
}

fn mixed(weeks: &[GenerationWeek], window: Span) -> Result<Series, FeedError> {
    intensities(weeks, window, FileStep::QuarterHour, Factors::Lifecycle)
}

const GAS: u32 = 4071;
const WIND: u32 = 4067;

/// 100 MWh of gas and 300 MWh of wind: (100 x 490 + 300 x 11) / 400 = 130.75 g/kWh; the second
/// quarter-hour has no value of solar power, the third is not known yet.
#[test]
fn a_mix_needs_every_kind() {
    let generation = generated(
        WEEK.0,
        WEEK.1,
        &["0", "0", "null"],
        &[
            (GAS, &["100.0", "100.0", "null"]),
            (WIND, &["300", "300", "null"]),
            (4068, &["0", "null", "null"]),
        ],
    );
    let series = mixed(&[generation], week()).unwrap();
    let first = span(WEEK.0, "2026-03-08T23:15:00Z");
    assert_eq!(values(&series), [(first, 130_750_000)]);
    assert_eq!(series.kind.to_string(), "average life-cycle CO2 in g/kWh");
    let gaps = "1 steps lack a kind of generation and are gaps";
    assert!(series.notes.iter().any(|note| note == gaps), "{:?}", series.notes);
}

/// Without the file of solar power, and without a value in it, there is no mix of the others.
#[test]
fn a_week_without_a_kind_is_a_gap() {
    let others: [(u32, &[&str]); 2] = [(GAS, &["100"]), (WIND, &["300"])];
    let mut generation = generated(WEEK.0, WEEK.1, &["0"], &others);
    assert_eq!(values(&mixed(std::slice::from_ref(&generation), week()).unwrap()).len(), 1);
    generation.insert(4068, None);
    let error = mixed(&[generation], week()).unwrap_err();
    assert!(matches!(error, FeedError::NotPublished { .. }), "{error}");
    let silent: [(u32, &[&str]); 3] = [others[0], others[1], (4068, &["null"])];
    let error = mixed(&[generated(WEEK.0, WEEK.1, &["0"], &silent)], week()).unwrap_err();
    assert!(matches!(error, FeedError::NotPublished { .. }), "{error}");
}

/// The last reactors stopped on Saturday 2023-04-15. 100 MWh of gas and 300 MWh of nuclear power:
/// (100 x 490 + 300 x 12) / 400 = 131.5; gas alone: 490. The week after has no file of nuclear power.
#[test]
fn nuclear_power_is_missed_until_its_end_alone() {
    let (saturday, monday) = ("2023-04-15T21:30:00Z", "2023-04-16T22:00:00Z");
    let ended: [(u32, &[&str]); 2] =
        [(GAS, &["100", "100", "100"]), (filter::NUCLEAR, &["300", "null", "null"])];
    let ending = generated(saturday, monday, &["0", "0", "0"], &ended);
    let after = "2023-04-23T22:00:00Z";
    let mut next = generated(monday, after, &["0"], &[(GAS, &["100"])]);
    next.remove(&filter::NUCLEAR);
    let series = mixed(&[ending, next], span(saturday, after)).unwrap();
    let read: Vec<(String, i64)> = values(&series)
        .into_iter()
        .map(|(span, value)| (span.start().to_string(), value / 100_000))
        .collect();
    let wanted = [
        (saturday, 1315),
        // 21:45 is Saturday still.
        ("2023-04-15T22:00:00Z", 4900),
        (monday, 4900),
    ];
    let wanted: Vec<(String, i64)> =
        wanted.iter().map(|(start, value)| ((*start).to_owned(), *value)).collect();
    assert_eq!(read, wanted);
    assert!(filter::generation(date(2023, 4, 10)).any(|series| series == filter::NUCLEAR));
    assert!(filter::generation(date(2023, 4, 17)).all(|series| series != filter::NUCLEAR));
}

/// Of hours, megawatt-hours are megawatts; the mix is of energies either way.
#[test]
fn hours_and_quarter_hours_mix_alike() {
    let kinds = |resolution: FileStep| -> GenerationWeek {
        let read = |value: &str| -> SeriesWeek {
            let text = file(WEEK.0, resolution.step().get(), &[value]);
            read(&text, week(), resolution).unwrap()
        };
        let value = |series| if series == GAS { "10" } else { "30" };
        filter::generation(date(2026, 3, 9))
            .map(|series| (series, Some(read(value(series)))))
            .collect()
    };
    let mixed = |resolution| {
        let mixed = intensities(&[kinds(resolution)], week(), resolution, Factors::Direct);
        let series = mixed.unwrap();
        let piece = series.agenda.pieces()[0];
        (piece.span.length(), piece.value.value)
    };
    let (hour, quarter) = (mixed(FileStep::Hour), mixed(FileStep::QuarterHour));
    assert_eq!((hour.0, quarter.0), (Seconds::new(3600), Seconds::new(900)));
    // Coal twice 30 x 760, unknown twice 30 x 575, gas 10 x 370, others 0, of 9 x 30 + 10 = 280.
    assert_eq!((hour.1, quarter.1), (299_285_714, 299_285_714));
}

#[test]
fn a_zone_that_there_is_not_is_named_with_those_that_there_are() {
    let connect = |text: &str, quantity| {
        let settings: super::Settings = toml::from_str(text).map_err(|error| error.to_string())?;
        let http = Http::new(Timeouts::default()).map_err(|error| error.to_string())?;
        let role = settings.connect("a", quantity, &http).map_err(|error| error.to_string())?;
        Ok::<_, String>(role.map(|role| role.quantity()))
    };
    assert_eq!(connect("zone = \"SE4\"", Quantity::Price), Ok(Some(Quantity::Price)));
    let hours = "zone = \"DE\"\nresolution = \"hour\"\nfactors = \"direct\"";
    assert_eq!(connect(hours, Quantity::Co2), Ok(Some(Quantity::Co2)));
    let prices = connect("zone = \"DE\"", Quantity::Price).unwrap_err();
    assert!(prices.contains("\"DE\"") && prices.contains("DE-LU, DK1"), "{prices}");
    let generation = connect("zone = \"AT\"", Quantity::Co2).unwrap_err();
    assert!(generation.contains("generation is told of DE alone"), "{generation}");
    let minutes = connect("zone = \"DE\"\nresolution = \"minute\"", Quantity::Co2).unwrap_err();
    assert!(minutes.contains("`hour`") && minutes.contains("`quarterhour`"), "{minutes}");
}
