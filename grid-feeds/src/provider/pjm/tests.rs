//! Pages of the shape that Data Miner writes.

use super::map;
use crate::feed::{FeedError, Series};

fn row(utc: &str, ept: &str, price: &str) -> String {
    format!(
        r#"{{"datetime_beginning_utc": "{utc}", "datetime_beginning_ept": "{ept}",
            "pnode_id": 51288, "pnode_name": "WESTERN HUB", "voltage": null, "equipment": null,
            "type": "HUB", "zone": null, "system_energy_price_da": 23.49, "total_lmp_da": {price},
            "congestion_price_da": -0.045139, "marginal_loss_price_da": 0.187335,
            "row_is_current": true, "version_nbr": 1}}"#
    )
}

fn page(rows: &[String]) -> String {
    format!(
        r#"{{"links": [{{"rel": "self", "href": "https://pjm.example/api/v1/da_hrl_lmps"}}],
            "items": [{}], "searchSpecification": {{"rowCount": 50000, "startRow": 1}},
            "totalRows": {}}}"#,
        rows.join(","),
        rows.len()
    )
}

fn series(text: &str) -> Result<Series, FeedError> {
    map::prices(&map::read(text)?.items, "51288")
}

/// Rows of a day: the hour of the clock and how many hours it is behind UTC, prices 10, 11, ...
fn day_of(day: u32, month: &str, clock: &[(u32, u32)]) -> String {
    let row = |(&(at, behind), price): (&(u32, u32), u32)| {
        let (later, utc) = ((at + behind) / 24, (at + behind) % 24);
        row(
            &format!("{month}-{:02}T{utc:02}:00:00", day + later),
            &format!("{month}-{day:02}T{at:02}:00:00"),
            &price.to_string(),
        )
    };
    let mut rows: Vec<String> = clock.iter().zip(10..).map(row).collect();
    rows.reverse();
    page(&rows)
}

/// Days of 23, 24 and 25 hours, the last hour first: each price has the hour of UTC that stands with it.
#[test]
fn days_of_23_24_and_25_hours_are_whole() {
    let hours = |from: u32, to: u32, behind: u32| (from..to).map(move |at| (at, behind));
    let forward: Vec<_> = hours(0, 2, 5).chain(hours(3, 24, 4)).collect();
    let usual: Vec<_> = hours(0, 24, 4).collect();
    let back: Vec<_> = hours(0, 2, 4).chain(hours(1, 24, 5)).collect();
    for (day, month, clock, length) in
        [(8, "2026-03", forward, 23), (23, "2026-09", usual, 24), (2, "2025-11", back, 25)]
    {
        let text = day_of(day, month, &clock);
        let series = series(&text).unwrap();
        assert_eq!(series.agenda.pieces().len(), length, "{month}");
        assert!(series.agenda.covers(series.span().unwrap()), "{month}");
        let split = text.split("_utc\": \"").skip(1).map(|rest| {
            let price = rest.split("\"total_lmp_da\": ").nth(1).unwrap();
            (format!("{}Z", &rest[..19]), price.split(',').next().unwrap().parse().unwrap())
        });
        let mut by_hand: Vec<(String, i64)> = split.collect();
        by_hand.sort();
        let read = series.agenda.pieces().iter();
        let read: Vec<(String, i64)> =
            read.map(|it| (it.span.start().to_string(), it.value.value / 1_000_000)).collect();
        assert_eq!(read, by_hand, "{month}");
        assert_eq!(series.kind.to_string(), "price in USD/MWh");
    }
}

/// Version 2 counts whatever the order; a row that is not current does not, whatever its version.
#[test]
fn the_latest_version_that_is_current_counts() {
    let first = row("2026-01-15T05:00:00", "2026-01-15T00:00:00", "99.5");
    let second = first.replace("99.5", "40.25").replace("_nbr\": 1", "_nbr\": 2");
    let third = first.replace("99.5", "7").replace("_nbr\": 1", "_nbr\": 3");
    let third = third.replace("current\": true", "current\": false");
    for rows in [[&first, &second, &third], [&third, &second, &first]] {
        let series = series(&page(&rows.map(Clone::clone))).unwrap();
        let known: Vec<i64> = series.agenda.pieces().iter().map(|it| it.value.value).collect();
        assert_eq!(known, [40_250_000]);
        assert_eq!(series.notes, ["rows that were replaced and are left out: 1"]);
    }
    let withdrawn = second.replace("40.25", "null");
    let nothing = series(&page(&[first, withdrawn])).unwrap_err();
    assert!(matches!(nothing, FeedError::NotPublished { .. }), "{nothing}");
}

#[test]
fn a_price_that_is_missing_is_a_gap_and_no_rows_are_not_published_yet() {
    let rows = [
        row("2026-01-15T05:00:00", "2026-01-15T00:00:00", "-0.5"),
        row("2026-01-15T06:00:00", "2026-01-15T01:00:00", "null"),
        row("2026-01-15T07:00:00", "2026-01-15T02:00:00", "0"),
    ];
    let known = series(&page(&rows)).unwrap();
    let known: Vec<i64> = known.agenda.pieces().iter().map(|it| it.value.value).collect();
    assert_eq!(known, [-500_000, 0]);
    let nothing = series(&page(&[])).unwrap_err();
    assert!(matches!(nothing, FeedError::NotPublished { .. }), "{nothing}");
    let word = page(&rows)
        .replace("null,\n            \"congestion", "\"n/a\",\n            \"congestion");
    assert!(series(&word).unwrap_err().to_string().contains("/items/1/total_lmp_da"));
}

#[test]
fn another_node_and_clocks_that_differ_are_refused() {
    let text = page(&[row("2026-07-15T04:00:00", "2026-07-15T00:00:00", "31.5")]);
    for (from, to, told) in [
        ("51288", "51217", "asked for node \"51288\", the answer says \"51217\""),
        // Winter time in summer, half an hour, an offset where there is none.
        ("utc\": \"2026-07-15T04", "utc\": \"2026-07-15T05", "/items/0/datetime_beginning_utc"),
        (":00:00\"", ":30:00\"", "/items/0/datetime_beginning_utc"),
        ("04:00:00\"", "04:00:00-04:00\"", "/items/0/datetime_beginning_utc"),
    ] {
        let error = series(&text.replace(from, to)).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(told), "{error}");
    }
    assert!(series(&text).is_ok());
}
