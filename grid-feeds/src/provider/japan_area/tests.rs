//! Files of the shapes that grid companies write.

use std::fmt::Write;

use jiff::civil::{Date, date};
use planner::time::{Seconds, Span, Timestamp};

use super::map::{intensities, read};
use crate::feed::{Factors, FeedError, RetryClass, Series};
use crate::provider::japanese::text;

const MONTH: Date = date(2026, 3, 1);

/// The twenty columns of Tokyo.
const TOKYO: &str = "単位[MW平均],,,供給力,,,,,,,,,,,,,,,,\r\n\
    DATE,TIME,エリア需要,原子力,火力(LNG),火力(石炭),火力(石油),火力(その他),水力,地熱,バイオマス,\
    太陽光発電実績,太陽光出力制御量,風力発電実績,風力出力制御量,揚水,蓄電池,連系線,その他,合計\r\n";

/// The 22 columns of Hokkaido and others, which tell what heat and biomass were kept from generating.
const HOKKAIDO: &str = "エリア需給実績 単位[MW平均]\r\n\
    DATE,TIME,エリア需要,原子力,火力(LNG),火力(石炭),火力(石油),火力(その他),火力出力制御量,水力,地熱,\
    バイオマス,バイオマス出力制御量,太陽光発電実績,太陽光出力制御量,風力発電実績,風力出力制御量,揚水,\
    蓄電池,連系線,その他,合計\r\n";

fn march() -> Span {
    let at = |text| Timestamp::parse(text).unwrap();
    Span::new(at("2026-02-28T15:00:00Z"), at("2026-03-31T15:00:00Z")).unwrap()
}

fn series(text: &str, factors: Factors) -> Result<Series, FeedError> {
    intensities(&[read(text, MONTH)?], march(), factors)
}

fn values(series: &Series) -> Vec<i64> {
    series.agenda.pieces().iter().map(|piece| piece.value.value).collect()
}

/// Life-cycle, of 1,000 MW of nuclear power and 3,000 of gas: (1,000 x 12 + 3,000 x 490) / 4,000 = 370.5 g/kWh; then of 250
/// of coal and 750 of sun: (250 x 820 + 750 x 45) / 1,000 = 238.75. Storage, lines, what was curtailed and the sum do not
/// count. 12:00 in Tokyo is 03:00 UTC.
#[test]
fn the_mix_of_what_generates_is_the_intensity_by_two_sets_of_columns() {
    let tokyo = format!(
        "{TOKYO}2026/3/1,12:00,9000,1000,3000,0,0,0,0,0,0,0,1200,0,30,2600,40,4100,0,9000\r\n\
         2026/3/1,12:30,9000,0,0,250,0,0,0,0,0,750,0,0,0,-2600,-40,-4100,0,9000\r\n"
    );
    let hokkaido = format!(
        "{HOKKAIDO}2026/03/01,12:30,9000,0,0,250,0,0,700,0,0,0,500,750,0,0,0,-2600,-40,-4100,0,9000\r\n\
         2026/03/01,12:00,9000,1000,3000,0,0,0,700,0,0,0,500,0,1200,0,30,2600,40,4100,0,9000\r\n\
         ,,,,,,,,,,,,,,,,,,,,,\r\n"
    );
    for text in [tokyo, hokkaido] {
        let series = series(&text, Factors::Lifecycle).unwrap();
        assert_eq!(series.kind.to_string(), "average life-cycle CO2 in g/kWh");
        assert_eq!(values(&series), [370_500_000, 238_750_000]);
        let span = series.span().unwrap();
        assert_eq!(span.start(), Timestamp::parse("2026-03-01T03:00:00Z").unwrap());
        assert_eq!(span.length(), Seconds::new(3600));
        assert_eq!(series.notes, ["production in the zone; imports are not traced"]);
    }
}

/// One kind at a time, 10 MW each: direct factors of the table, in the order of the columns.
#[test]
fn each_kind_has_its_factor() {
    let kinds = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 18];
    let factors = [0, 370, 760, 406, 575, 0, 0, 0, 0, 0, 575];
    let mut text = TOKYO.to_owned();
    for (index, kind) in kinds.iter().enumerate() {
        let cells: Vec<&str> =
            (3..20).map(|column| if column == *kind { "10" } else { "0" }).collect();
        writeln!(text, "2026/3/1,{}:00,1,{}\r", index + 8, cells.join(",")).unwrap();
    }
    let series = series(&text, Factors::Direct).unwrap();
    assert_eq!(values(&series), factors.map(|grams: i64| grams * 1_000_000));
}

/// A day by itself: the power of gas is 100 and the number of the half-hour, that of water 100. The clock of Japan never
/// changes, so that the day on which Europe's does has 48 half-hours too.
#[test]
fn a_day_has_48_half_hours_from_midnight_in_tokyo() {
    let mut text = TOKYO.to_owned();
    for index in 0..48 {
        let (hour, minute) = (index / 2, index % 2 * 30);
        let gas = 100 + index;
        writeln!(text, "2026/3/29,{hour}:{minute:02},1,0,{gas},0,0,0,100,0,0,0,0,0,0,0,0,0,0,1\r")
            .unwrap();
    }
    let series = series(&text, Factors::Lifecycle).unwrap();
    let midnight = Timestamp::parse("2026-03-28T15:00:00Z").unwrap();
    let span = series.span().unwrap();
    assert_eq!((span.start(), span.length()), (midnight, Seconds::new(86_400)));
    assert!(series.agenda.covers(span));
    // Lines again, by their fifth cell: (gas x 490 + 100 x 24) / (gas + 100), to half a millionth of a gram.
    for (line, index) in text.lines().skip(2).zip(0_i64..) {
        let gas: i64 = line.split(',').nth(4).unwrap().parse().unwrap();
        let (emitted, power) = ((gas * 490 + 2400) * 1_000_000, gas + 100);
        let known = series.agenda.at(midnight + Seconds::new(index * 1800)).unwrap().value;
        assert!((known * power - emitted).abs() * 2 <= power, "{line}");
    }
}

#[test]
fn half_hours_to_come_and_those_that_lack_a_kind_are_gaps() {
    let text = format!(
        "{TOKYO}2026/3/1,0:00,1,0,100,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1\n\
         2026/3/1,0:30,1,,100,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1\n\
         2026/3/1,1:00,1,－,100,0,0,0,0,0,0,0,0,0,0,0,0,0,-3,1\n\
         2026/3/1,1:30,1,0,100,0,0,0,0,0,0,0,0,0,0,0,0,0,-3,1\n\
         2026/3/1,2:00,,,,,,,,,,,,,,,,,,\n"
    );
    let known = series(&text, Factors::Lifecycle).unwrap();
    // Of the last a station's own use counts as none.
    assert_eq!(values(&known), [490_000_000, 490_000_000]);
    assert_eq!(known.notes[1], "2 spans lack a kind of generation and are gaps");
    let later = Span::starting(march().end(), Seconds::new(3600)).unwrap();
    let none = intensities(&[read(&text, MONTH).unwrap()], later, Factors::Direct).unwrap_err();
    assert_eq!(none.retry(), RetryClass::NotYet);
}

#[test]
fn shift_jis_quotes_and_wide_letters_are_read_as_the_same() {
    let plain = format!("{TOKYO}2026/3/1,0:00,1,40,100,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1\r\n");
    let known = series(&plain, Factors::Direct).unwrap();
    let (packed, _, _) = encoding_rs::SHIFT_JIS.encode(&plain);
    let quoted = "\"単位[MW平均]\",\"\",\"\",\"供給力\"\r\n".to_owned()
        + "\"DATE\",\"TIME\",\"エリア需要\",\"原子力\",\"火力（ＬＮＧ）\",\"火力（石炭）\",\"火力（石油）\",\
           \"火力（その他）\",\"水力\",\"地熱\",\"バイオマス\",\"太陽光発電実績\",\"太陽光出力制御量\",\"風力発電実績\",\
           \"風力出力制御量\",\"揚水\",\"蓄電池\",\"連系線\",\"その他\",\"合計\"\r\n\
           \"20260301\",\"00:00\",\"1\",\"40\",\"100\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\
           \"0\",\"0\",\"0\",\"0\",\"1\"\r\n";
    for other in [text(packed.into_owned()).unwrap(), quoted, format!("\u{feff}{plain}")] {
        assert_eq!(series(&other, Factors::Direct).unwrap(), known);
    }
}

#[test]
fn another_unit_month_time_or_set_of_columns_is_refused() {
    let whole = format!("{TOKYO}2026/3/1,9:30,1,40,100,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1\r\n");
    for (from, to, told) in [
        (
            "[MW平均]",
            "[万kW]",
            "asked for unit \"[MW平均]\", the answer says \"単位[万kW],,,供給力\"",
        ),
        ("2026/3/1", "2026/4/1", "asked for month \"2026-03\", the answer says \"2026-04\""),
        ("2026/3/1", "3/1/2026", "line 3: \"3/1/2026\" is no half-hour of a day"),
        ("9:30", "9:15", "line 3: \"9:15\" is no half-hour of a day"),
        ("9:30", "24:00", "line 3: \"24:00\" is no half-hour of a day"),
        ("9:30", "-9:30", "is no half-hour of a day"),
        ("水力,", "水,", "\"水\" is no known column"),
        ("水力,", "水力出力制御量,", "has no column 水力"),
        (",40,", ",n/a,", "line 3: \"n/a\" is no number"),
        ("0,0,1\r\n", "0,0\r\n", "the file"),
    ] {
        let text = whole.replace(from, to);
        assert_ne!(text, whole, "{from}");
        let error = series(&text, Factors::Direct).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(told), "{told}: {error}");
    }
    for text in ["", "{}", "<html>"] {
        assert_eq!(series(text, Factors::Direct).unwrap_err().retry(), RetryClass::Backoff);
    }
}
