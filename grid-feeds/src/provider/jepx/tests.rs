//! Files of the shape that the exchange writes.

use std::fmt::Write;

use jiff::civil::{Date, date};
use planner::time::{Seconds, Timestamp};

use super::SpotArea;
use super::map::{fiscal_year, prices, read};
use crate::feed::{FeedError, RetryClass, Series};
use crate::provider::japanese::text;

const HEADER: &str = "受渡日,時刻コード,売り入札量(kWh),買い入札量(kWh),約定総量(kWh),システムプライス(円/kWh),\
    エリアプライス北海道(円/kWh),エリアプライス東北(円/kWh),エリアプライス東京(円/kWh),エリアプライス中部(円/kWh),\
    エリアプライス北陸(円/kWh),エリアプライス関西(円/kWh),エリアプライス中国(円/kWh),エリアプライス四国(円/kWh),\
    エリアプライス九州(円/kWh),売りブロック入札総量(kWh),売りブロック約定総量(kWh),買いブロック入札総量(kWh),\
    買いブロック約定総量(kWh)\r\n";

/// The half-hours of some days; Tokyo's price in yen per kWh is 9 and the number of the half-hour in hundredths: 9.01, 9.02, ...
fn file(days: &[&str]) -> String {
    let mut text = HEADER.to_owned();
    for day in days {
        for code in 1..=48 {
            write!(
                text,
                "{day},{code},9000000,8000000,7000000,11.5,12.1,12.2,9.{code:02},12.4,12.5,12.6,12.7,12.8,0.01,1,2,3,4\r\n"
            )
            .unwrap();
        }
    }
    text
}

fn series(text: &str, year: i16, days: (Date, Date)) -> Result<Series, FeedError> {
    prices(vec![read(text, year, SpotArea::Tokyo, days)?])
}

fn values(series: &Series) -> Vec<i64> {
    series.agenda.pieces().iter().map(|piece| piece.value.value).collect()
}

/// Midnight in Tokyo is 15:00 UTC of the day before. 9.01 yen per kWh are 9,010 yen per MWh. The day on which Europe's
/// clock changes has 48 half-hours like all others.
#[test]
fn a_day_has_48_half_hours_of_tokyo_whatever_the_season() {
    for (day, written) in [(date(2026, 3, 29), "2026/03/29"), (date(2025, 10, 26), "2025/10/26")] {
        let text = file(&[written]);
        let series = series(&text, 2025, (day, day)).unwrap();
        assert_eq!(series.kind.to_string(), "price in JPY/MWh");
        let eve = day.yesterday().unwrap();
        let midnight = Timestamp::parse(&format!("{eve}T15:00:00Z")).unwrap();
        let span = series.span().unwrap();
        assert_eq!((span.start(), span.length()), (midnight, Seconds::new(86_400)));
        assert!(series.agenda.covers(span));
        // Lines again, by their ninth cell in hundredths of a yen, which are 10,000,000 millionths per MWh.
        for (line, index) in text.lines().skip(1).zip(0_i64..) {
            let hundredths = line.split(',').nth(8).unwrap().replace('.', "");
            let wanted = hundredths.parse::<i64>().unwrap() * 10_000_000;
            let start = midnight + Seconds::new(index * 1800);
            assert_eq!(series.agenda.at(start).unwrap().value, wanted, "{line}");
        }
        assert_eq!(values(&series)[0], 9_010_000_000);
    }
}

#[test]
fn fiscal_years_begin_in_april_and_days_that_were_not_asked_for_are_left_out() {
    assert_eq!(fiscal_year(date(2026, 3, 31)), 2025);
    assert_eq!(fiscal_year(date(2026, 4, 1)), 2026);
    let days = ["2026/3/30", "2026/03/31"];
    let last = date(2026, 3, 31);
    let known = series(&file(&days), 2025, (last, date(2026, 4, 1))).unwrap();
    assert_eq!(values(&known).len(), 48);
    let later = series(&file(&days), 2025, (date(2026, 4, 1), date(2026, 4, 1))).unwrap_err();
    assert_eq!(later.retry(), RetryClass::NotYet);
    let error = series(&file(&["2026/04/01"]), 2025, (last, last)).unwrap_err();
    assert!(error.to_string().contains("asked for fiscal year \"2025\", the answer says \"2026\""));
}

#[test]
fn shift_jis_wide_brackets_and_the_older_name_of_the_day_are_read_as_the_same() {
    let day = date(2026, 3, 10);
    let plain = file(&["2026/03/10"]);
    let known = series(&plain, 2025, (day, day)).unwrap();
    let (packed, _, _) = encoding_rs::SHIFT_JIS.encode(&plain);
    let wide = plain.replace("(円/kWh)", "（円/kWh）");
    for other in [
        text(packed.into_owned()).unwrap(),
        wide,
        plain.replace("受渡日", "年月日"),
        format!("\u{feff}{plain}"),
    ] {
        assert_eq!(series(&other, 2025, (day, day)).unwrap(), known);
    }
}

#[test]
fn each_area_has_its_column() {
    let day = date(2026, 3, 10);
    let first = |area| {
        let year = read(&file(&["2026/03/10"]), 2025, area, (day, day)).unwrap();
        values(&prices(vec![year]).unwrap())[0] / 1_000_000
    };
    let all = [
        (SpotArea::System, 11_500),
        (SpotArea::Hokkaido, 12_100),
        (SpotArea::Tohoku, 12_200),
        (SpotArea::Tokyo, 9_010),
        (SpotArea::Chubu, 12_400),
        (SpotArea::Hokuriku, 12_500),
        (SpotArea::Kansai, 12_600),
        (SpotArea::Chugoku, 12_700),
        (SpotArea::Shikoku, 12_800),
        (SpotArea::Kyushu, 10),
    ];
    for (area, price) in all {
        assert_eq!(first(area), price, "{}", area.word());
    }
}

#[test]
fn missing_prices_are_gaps_and_words_are_refused() {
    let day = date(2026, 3, 10);
    let text = file(&["2026/03/10"]);
    let change = |to: &str| series(&text.replace(",9.02,", to), 2025, (day, day));
    for missing in [",,", ",-,"] {
        let known = change(missing).unwrap();
        assert_eq!(values(&known).len(), 47, "{missing}");
        assert!(!known.agenda.covers(known.span().unwrap()));
    }
    assert_eq!(values(&change(",-0.02,").unwrap())[1], -20_000_000);
    for word in [",n/a,", ",9.02円,"] {
        let error = change(word).unwrap_err();
        assert!(error.to_string().contains("line 3"), "{word}: {error}");
    }
}

#[test]
fn another_area_unit_day_or_half_hour_and_a_cut_file_are_refused() {
    let day = date(2026, 3, 10);
    let text = file(&["2026/03/10"]);
    let cut = text.split_inclusive('\n').take(48).collect::<String>();
    let within = &text[..text.len() - 40];
    for (text, told) in [
        (text.replace("東京", "沖縄"), "asked for column \"エリアプライス東京(円/kWh)\""),
        (text.replace("東京(円/kWh)", "東京(円/MWh)"), "エリアプライス東京(円/MWh)"),
        (text.replace("時刻コード", "時刻"), "has no column 時刻コード"),
        (text.replace("受渡日", "日"), "has no column 受渡日 or 年月日"),
        (text.replace("2026/03/10,7,", "2026/03/32,7,"), "line 8: \"2026/03/32\" is no date"),
        (text.replace("10,48,", "10,49,"), "line 49: \"49\" is no half-hour of a day"),
        (text.replace("10,48,", "10,0,"), "line 49: \"0\" is no half-hour of a day"),
        (cut, "ends before the last half-hour of 2026-03-10"),
        (within.to_owned(), "the file"),
    ] {
        let error = series(&text, 2025, (day, day)).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(told), "{told}: {error}");
    }
    let nothing = series("", 2025, (day, day)).unwrap_err();
    assert_eq!(nothing.retry(), RetryClass::Backoff);
}
