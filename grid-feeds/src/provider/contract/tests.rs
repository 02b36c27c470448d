use jiff::civil::date;
use planner::time::{Span, Timestamp};

use super::{Settings, Tariff};
use crate::feed::Quality;
use crate::provider::rte_tempo::{Announced, Colour, Colours};

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn span(start: &str, end: &str) -> Span {
    Span::new(at(start), at(end)).unwrap()
}

fn tariff(text: &str) -> Result<Tariff, String> {
    let settings: Settings = toml::from_str(text).map_err(|error| error.to_string())?;
    Tariff::new(&settings).map_err(|error| error.to_string())
}

/// Six prices by colour, in which a night belongs to the day before.
const TEMPO: &str = r#"
    time_zone = "Europe/Paris"
    currency = "EUR"
    day_starts_at = "06:00"
    rules = [
        { colour = "blue", from = "22:00", to = "06:00", energy_per_mwh = "120" },
        { colour = "blue", energy_per_mwh = "150" },
        { colour = "white", from = "22:00", to = "06:00", energy_per_mwh = "140" },
        { colour = "white", energy_per_mwh = "170" },
        { colour = "red", from = "22:00", to = "06:00", energy_per_mwh = "146" },
        { colour = "red", energy_per_mwh = "646.8" },
    ]
"#;

fn colours(days: &[(i8, Colour, Quality)]) -> Colours {
    let day = |&(day, colour, quality): &(i8, Colour, Quality)| {
        (date(2026, 1, day), Announced { colour, quality })
    };
    days.iter().map(day).collect()
}

/// Paris is an hour ahead of UTC in January: the red day of the 15th lasts from 05:00 UTC to 05:00
/// UTC of the 16th, its night from 21:00.
#[test]
fn a_tempo_day_lasts_from_06_to_06() {
    let known =
        colours(&[(14, Colour::White, Quality::Measured), (15, Colour::Red, Quality::Measured)]);
    let window = span("2026-01-15T00:00:00Z", "2026-01-16T12:00:00Z");
    let series = tariff(TEMPO).unwrap().prices(window, &known).unwrap();
    let price = |text| series.agenda.at(at(text)).map(|known| known.value / 100_000);
    assert_eq!(price("2026-01-15T04:59:59Z"), Some(1400));
    assert_eq!(price("2026-01-15T05:00:00Z"), Some(6468));
    assert_eq!(price("2026-01-15T21:00:00Z"), Some(1460));
    assert_eq!(price("2026-01-16T04:59:59Z"), Some(1460));
    assert_eq!(price("2026-01-16T05:00:00Z"), None, "the colour of the 16th is not known");
    assert_eq!(series.notes, ["no colour of 1 days from 2026-01-16"]);
}

#[test]
fn a_colour_that_is_not_binding_makes_a_forecast() {
    let known = colours(&[(15, Colour::Blue, Quality::Forecast)]);
    let window = span("2026-01-15T06:00:00Z", "2026-01-15T07:00:00Z");
    let series = tariff(TEMPO).unwrap().prices(window, &known).unwrap();
    assert_eq!(series.agenda.pieces()[0].value.quality, Quality::Forecast);
}

/// Wednesday 2026-01-14 may be any colour, Saturday the 17th not red, Sunday the 18th only blue.
#[test]
fn prices_without_a_colour_are_expected_between_the_least_and_the_most() {
    let tariff = tariff(TEMPO).unwrap();
    let noon = |day: i8| {
        let start = at(&format!("2026-01-{day}T11:00:00Z"));
        let window = Span::starting(start, planner::time::Seconds::new(3600)).unwrap();
        tariff.expected(window).unwrap().pieces()[0].value
    };
    let (wednesday, saturday, sunday) = (noon(14), noon(17), noon(18));
    assert_eq!((wednesday.low, wednesday.high), (150_000_000, 646_800_000));
    assert!(wednesday.low < wednesday.value && wednesday.value < wednesday.high);
    assert_eq!((saturday.low, saturday.high), (150_000_000, 170_000_000));
    assert_eq!((sunday.low, sunday.value, sunday.high), (150_000_000, 150_000_000, 150_000_000));
}

const HOURS: &str = r#"
    time_zone = "Europe/Paris"
    currency = "EUR"
    holidays = "france"
    extra_holidays = ["2026-12-24"]
    network_per_mwh = "20"
    taxes_per_mwh = "0.5"
    vat_percent = "20"
    rules = [
        { days = "free", energy_per_mwh = "60" },
        { months = [11, 12, 1, 2, 3], from = "08:00", to = "20:00", energy_per_mwh = "100", network_per_mwh = "30" },
        { energy_per_mwh = "70" },
    ]
"#;

/// (60 + 20 + 0.5) x 1.2 = 96.6; (100 + 30 + 0.5) x 1.2 = 156.6; (70 + 20 + 0.5) x 1.2 = 108.6.
#[test]
fn taxes_and_network_fees_are_a_formula_and_legal_holidays_are_free_days() {
    let tariff = tariff(HOURS).unwrap();
    let price = |text: &str| {
        let window = Span::starting(at(text), planner::time::Seconds::new(60)).unwrap();
        let series = tariff.prices(window, &Colours::new()).unwrap();
        series.agenda.pieces()[0].value.value
    };
    assert_eq!(price("2026-12-23T11:00:00Z"), 156_600_000);
    assert_eq!(price("2026-12-23T20:00:00Z"), 108_600_000);
    for holiday in ["2026-12-24", "2026-12-25", "2026-12-26", "2026-05-14", "2026-07-14"] {
        assert_eq!(price(&format!("{holiday}T11:00:00Z")), 96_600_000, "{holiday}");
    }
    assert_eq!(price("2026-07-15T11:00:00Z"), 108_600_000);
}

/// Peak lasts twelve hours of the clock; the rest of Friday 2026-03-27, Saturday and Sunday
/// 2026-03-29 (23 hours) is 12 + 24 + 23 hours.
#[test]
fn days_of_the_change_of_the_clock_have_23_and_25_hours() {
    let text = HOURS.replace("{ days = \"free\", energy_per_mwh = \"60\" },", "");
    let tariff = tariff(&text).unwrap();
    for (day, next, hours) in [
        ("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", 23),
        ("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", 25),
    ] {
        let window = span(day, next);
        let series = tariff.prices(window, &Colours::new()).unwrap();
        assert!(series.agenda.covers(window));
        let length: i64 =
            series.agenda.pieces().iter().map(|piece| piece.span.length().get()).sum();
        assert_eq!(length, hours * 3600);
    }
    let spring =
        tariff.prices(span("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"), &Colours::new());
    let peak = spring.unwrap().agenda.pieces()[1].span;
    assert_eq!(peak, span("2026-03-29T06:00:00Z", "2026-03-29T18:00:00Z"));
}

#[test]
fn a_contract_that_is_not_whole_is_refused_with_the_place() {
    let error = |from: &str, to: &str| tariff(&HOURS.replace(from, to)).unwrap_err();
    assert!(error("{ energy_per_mwh = \"70\" },", "").contains("no rule fits Blue Working days"));
    assert!(error("\"08:00\"", "\"8\"").contains("rules[1]: \"8\" is no time"));
    assert!(error("\"0.5\"", "\"0,5\"").contains("\"0,5\" is not a number"));
    assert!(error("[11, 12, 1, 2, 3]", "[13]").contains("month 13"));
    assert!(error("Europe/Paris", "Europe/Nowhere").contains("Nowhere"));
    assert!(error("vat_percent", "vat").contains("unknown field"));
}

/// The contract that the documentation shows, at the moments that it lists with their prices.
#[test]
fn the_contract_of_the_documentation_has_the_prices_that_it_says() {
    let text = include_str!("../../../../docs/FEEDS.md");
    let section = text.split("### Contracts").nth(1).unwrap().split("\n## ").next().unwrap();
    let block = section.split("```toml").nth(1).unwrap().split("```").next().unwrap();
    let mut file: toml::Table = toml::from_str(block).unwrap();
    let mut feed = file.remove("feeds").unwrap().as_array().unwrap()[0].as_table().unwrap().clone();
    feed.retain(|name, _| !["id", "quantity", "provider"].contains(&name));
    let settings: Settings = toml::Value::Table(feed).try_into().unwrap();
    let tariff = Tariff::new(&settings).unwrap();
    let paris = crate::local_time::LocalTime::paris().unwrap();
    let rows: Vec<Vec<&str>> = section
        .lines()
        .filter(|line| line.starts_with("| 20"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), 7);
    for row in rows {
        let [time, colour, price] = row[..] else { panic!("{row:?}") };
        let colour: Colour = toml::Value::from(colour).try_into().unwrap();
        let local: jiff::civil::DateTime = time.parse().unwrap();
        let instant = paris.civil_instant(local).unwrap();
        // A day lasts to 06:00.
        let day = if local.hour() < 6 { local.date().yesterday().unwrap() } else { local.date() };
        let known = Colours::from([(day, Announced { colour, quality: Quality::Measured })]);
        let second = Span::starting(instant, planner::time::Seconds::ONE).unwrap();
        let value = tariff.prices(second, &known).unwrap().agenda.at(instant).unwrap().value;
        assert_eq!(planner::decimal::format_millionths(value), price, "{row:?}");
    }
}
