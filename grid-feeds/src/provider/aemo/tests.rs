//! Files of the shape that the operator writes.

use std::fmt::Write;

use planner::time::{Seconds, Timestamp};

use super::map::{newest, prices, read};
use crate::feed::{FeedError, Quality, RetryClass, Series};

const HEAD: &str = "C,NEMP.WORLD,PREDISPATCHIS,AEMO,PUBLIC,2026/10/04,00:03:21,0000000398,PREDISPATCH,0000000398\n\
    I,PREDISPATCH,CASE_SOLUTION,1,PREDISPATCHSEQNO,RUNNO,SOLUTIONSTATUS\n\
    D,PREDISPATCH,CASE_SOLUTION,1,2026100341,1,0\n\
    I,PREDISPATCH,REGION_PRICES,1,PREDISPATCHSEQNO,RUNNO,REGIONID,PERIODID,INTERVENTION,RRP,EEP,LASTCHANGED,DATETIME\n";

const TAIL: &str = "I,PREDISPATCH,REGION_SOLUTION,4,PREDISPATCHSEQNO,RUNNO,REGIONID,PERIODID,INTERVENTION,RRP,DATETIME\n\
    D,PREDISPATCH,REGION_SOLUTION,4,2026100341,1,SA1,01,0,999,\"2026/10/04 00:30:00\"\n\
    C,\"END OF REPORT\",99\n";

fn row(region: &str, intervention: u8, price: &str, end: &str) -> String {
    format!(
        "D,PREDISPATCH,REGION_PRICES,1,2026100341,1,{region},01,{intervention},{price},0,\"2026/10/04 00:03:21\",\"{end}\"\n"
    )
}

fn file(rows: &[String]) -> String {
    format!("{HEAD}{}{TAIL}", rows.concat())
}

fn series(text: &str) -> Result<Series, FeedError> {
    prices(&read(text, "SA1")?)
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// The day on which the clock of Sydney goes forward has 48 half-hours of the market's time, from 14:00 UTC of the day before
/// to 14:00: the price of each is its number and a quarter, and each is named by its end.
#[test]
fn the_day_of_the_change_of_the_clock_has_48_half_hours_by_their_ends() {
    let mut rows = String::new();
    for number in 1..=48_i64 {
        let (day, minutes) = (4 + number / 48, number % 48 * 30);
        let end = format!("2026/10/{day:02} {:02}:{:02}:00", minutes / 60, minutes % 60);
        let price = format!("{number}.25");
        for (region, price) in [("NSW1", "70.5"), ("SA1", &*price), ("VIC1", "-2.33")] {
            rows.write_str(&row(region, 0, price, &end)).unwrap();
        }
    }
    let text = file(&[rows]);
    let series = series(&text).unwrap();
    assert_eq!(series.kind.to_string(), "price in AUD/MWh");
    assert_eq!(series.issued_at, Some(at("2026-10-03T14:03:21Z")));
    let span = series.span().unwrap();
    assert_eq!((span.start(), span.length()), (at("2026-10-03T14:00:00Z"), Seconds::new(86_400)));
    assert!(series.agenda.covers(span));
    // Lines again, split at commas: the tenth cell in hundredths, times 10,000.
    let lines = text.lines().filter(|line| line.contains("PRICES") && line.contains(",SA1,"));
    for (line, index) in lines.zip(0_i64..) {
        let hundredths: i64 = line.split(',').nth(9).unwrap().replace('.', "").parse().unwrap();
        let known = series.agenda.at(span.start() + Seconds::new(index * 1800)).unwrap();
        assert_eq!(
            (known.value, known.quality),
            (hundredths * 10_000, Quality::Forecast),
            "{line}"
        );
    }
    let again = prices(&read(&text, "sa1").unwrap()).unwrap();
    assert_eq!(again, series);
}

/// Of the two runs while the operator intervenes the one without it counts; -1,000 is the market's floor.
#[test]
fn runs_with_intervention_do_not_count_and_missing_prices_are_gaps() {
    let rows = [
        row("SA1", 0, "56.06", "2026/10/04 00:30:00"),
        row("SA1", 1, "999", "2026/10/04 00:30:00"),
        row("SA1", 0, "", "2026/10/04 01:00:00"),
        row("SA1", 0, "-1000", "2026/10/04 01:30:00"),
    ];
    let known = series(&file(&rows)).unwrap();
    let values: Vec<i64> = known.agenda.pieces().iter().map(|it| it.value.value).collect();
    assert_eq!(values, [56_060_000, -1_000_000_000]);
    assert!(known.notes.is_empty());
    let none = series(&file(&rows[2..3])).unwrap_err();
    assert_eq!(none.retry(), RetryClass::NotYet);
}

#[test]
fn another_region_report_or_time_and_a_cut_file_are_refused() {
    let text = file(&[
        row("NSW1", 0, "70", "2026/10/04 00:30:00"),
        row("SA1", 0, "56.06", "2026/10/04 00:30:00"),
    ]);
    assert!(series(&text).is_ok());
    for (from, to, told) in [
        (
            ",SA1,01,0,56",
            ",TAS1,01,0,56",
            "asked for region \"SA1\", the answer says \"NSW1, TAS1\"",
        ),
        ("PREDISPATCHIS", "DISPATCHIS", "asked for report \"PREDISPATCHIS\""),
        (",RRP,EEP", ",PRICE,EEP", "line 4: has no column RRP"),
        ("I,PREDISPATCH,REGION_PRICES", "I,PREDISPATCH,OTHER", "line 5: comes before its columns"),
        ("00:30:00", "00:20:00", "line 6: \"2026/10/04 00:20:00\" ends no half-hour"),
        ("2026/10/04 00:30:00", "04/10/2026 00:30", "ends no half-hour"),
        ("56.06", "n/a", "line 6: has a price that is not a number"),
        ("C,\"END OF REPORT\",99\n", "", "it is cut off"),
    ] {
        let changed = text.replace(from, to);
        assert_ne!(changed, text, "{from}");
        let error = series(&changed).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(told), "{told}: {error}");
    }
    for text in ["", "{}", "<html>404</html>"] {
        assert_eq!(series(text).unwrap_err().retry(), RetryClass::Backoff, "{text}");
    }
}

#[test]
fn the_newest_file_of_a_listing_is_found() {
    let name = |first: &str, written: &str| format!("PUBLIC_PREDISPATCHIS_{first}_{written}.zip");
    let (old, new) =
        (name("202609302330", "20260930230312"), name("202610010000", "20260930233321"));
    let link = |name: &str| {
        format!(
            "  Wednesday, 30 September 2026 11:03 PM  450000 <A HREF=\"/Reports/CURRENT/PredispatchIS_Reports/{name}\">{name}</A><br>"
        )
    };
    let page = |names: &[&str]| {
        let links: Vec<String> = names.iter().map(|name| link(name)).collect();
        format!("<html><body><pre>{}</pre></body></html>", links.join("\n"))
    };
    assert_eq!(newest(&page(&[&new, &old])).unwrap(), new);
    assert_eq!(
        newest(&page(&[&old, &new, "PUBLIC_PREDISPATCHIS_20261004_20261010.zip"])).unwrap(),
        new
    );
    assert_eq!(newest(&new.replace("zip", "ZIP")).unwrap(), new.replace("zip", "ZIP"));
    for (listing, retry) in [("", RetryClass::Backoff), ("{}", RetryClass::Backoff)] {
        assert_eq!(newest(listing).unwrap_err().retry(), retry, "{listing}");
    }
    let other =
        page(&["PUBLIC_PREDISPATCHIS_202610010000_x.zip", "../etc", "PUBLIC_PREDISPATCHIS_"]);
    assert!(newest(&other).is_err());
}
