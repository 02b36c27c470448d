//! `wattbook feeds backtest` of a series in a file: no service and no database.

use std::iter;

use serde_json::Value;

use crate::command_folder::CommandFolder;

/// 59 days of hours from 2026-01-01, of which the third lacks values: the hour, and seven more on every fourth day.
fn series() -> String {
    let row = |hour: i64| {
        let (day, hour) = (hour / 24, hour % 24);
        let date =
            if day < 31 { format!("01-{:02}", day + 1) } else { format!("02-{:02}", day - 30) };
        let value = hour + if day % 4 == 0 { 7 } else { 0 };
        let value = if day == 2 { String::new() } else { value.to_string() };
        format!("2026-{date} {hour:02}:00,FR,{value}\n")
    };
    iter::once("time,zone,price\n".to_owned()).chain((0..59 * 24).map(row)).collect()
}

fn folder() -> CommandFolder {
    CommandFolder::of(&[("series.csv", &series())])
}

const OF_SERIES: &str = "feeds backtest --series series.csv --column price --quantity price";

/// Days count from 0. From 10 February, day 40, to day 58 there are 19 days, of which ten differ by 7 from the day before: those
/// that are 0 or 1 more than a multiple of four. So yesterday errs by 70 / 19 in the mean. Three days ahead there are 17.
#[test]
fn a_table_has_a_row_for_each_horizon() {
    let folder = folder();
    let table =
        folder.done(&format!("{OF_SERIES} --from 2026-02-10 --format csv --horizon-h 24,72"));
    let mut lines = table.lines();
    assert_eq!(
        lines.next().unwrap(),
        "horizon_h,mae,mae_yesterday,mae_last_week,mae_mean_of_both,rmse,skill,coverage_80,width_80,samples"
    );
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!((rows[0][0], rows[1][0]), ("24", "72"));
    assert_eq!(rows[0][2], "3.684211", "{table}");
    assert_eq!((rows[0][9], rows[1][9]), ("456", "408"), "19 and 17 days of 24 hours");
}

#[test]
fn the_same_is_said_as_json_by_hour_and_as_a_table() {
    let folder = folder();
    let json = folder.done(&format!("{OF_SERIES} --format json --horizon-h 48 --by-hour"));
    let rows: Vec<Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(rows.len(), 48);
    assert_eq!((&rows[0]["horizon_h"], &rows[47]["horizon_h"]), (&1.into(), &48.into()));
    for name in ["mae", "skill", "coverage_80", "width_80", "samples"] {
        assert!(rows[0][name].is_number(), "{name}: {}", rows[0]);
    }
    let table = folder.done(OF_SERIES);
    assert_eq!(table.lines().count(), 8, "a header and a week of days:\n{table}");
}

/// Every forecast that was tested is there, made before what it is about.
#[test]
fn forecasts_are_written_to_a_file() {
    let folder = folder();
    folder.done(&format!("{OF_SERIES} --from 2026-02-27 --horizon-h 24 --out forecasts.csv"));
    let text = std::fs::read_to_string(folder.path().join("forecasts.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next().unwrap(), "made_at,start,end,value,p10,p90");
    let first: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(
        first[..3],
        ["2026-02-27T00:00:00Z", "2026-02-27T00:00:00Z", "2026-02-27T01:00:00Z"]
    );
    let [value, low, high] = [3, 4, 5].map(|cell| first[cell].parse::<f64>().unwrap());
    assert!(low <= value && value <= high, "{first:?}");
    assert_eq!(lines.count() + 1, 2 * 24, "27 and 28 February");
}

#[test]
fn what_cannot_be_tested_is_refused_with_what_helps() {
    let folder = folder();
    let refused = |arguments: &str| folder.refused(arguments);
    let error = refused("feeds backtest --series series.csv --quantity price");
    assert!(
        error.contains(
            "series.csv: line 1: name the column of the values; those are time, zone, price"
        ),
        "{error}"
    );
    let error = refused("feeds backtest --series series.csv --column price --quantity energy");
    assert!(error.contains("--quantity energy: is price, co2 or power-cap"), "{error}");
    let error = refused(&format!("{OF_SERIES} --to 2026-01-10"));
    assert!(error.contains("two weeks of values before a forecast are needed"), "{error}");
    let error = refused("feeds backtest --series series.csv");
    assert!(error.contains("--quantity"), "{error}");
    let error = refused("feeds backtest --series none.csv --quantity co2");
    assert!(error.contains("cannot read none.csv"), "{error}");
    let error = refused(&format!("{OF_SERIES} --horizon-h 400"));
    assert!(error.contains("400"), "{error}");
    let error = refused(&format!("{OF_SERIES} --time-zone Mars/Olympus"));
    assert!(error.contains("Mars/Olympus is not a time zone"), "{error}");
}
