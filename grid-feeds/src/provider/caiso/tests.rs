//! Files of the shapes that OASIS writes.

use planner::time::{Seconds, Timestamp};

use super::map;
use crate::feed::{FeedError, RetryClass, Series};

const HEADER: &str = "INTERVALSTARTTIME_GMT,INTERVALENDTIME_GMT,OPR_DT,OPR_HR,OPR_INTERVAL,NODE_ID_XML,NODE_ID,NODE,\
    MARKET_RUN_ID,LMP_TYPE,XML_DATA_ITEM,PNODE_RESMRID,GRP_TYPE,POS,MW,GROUP\n";

const NODE: &str = "TH_NP15_GEN-APND";

fn row(start: Timestamp, day: &str, (part, price): (&str, &str)) -> String {
    let time = |at: Timestamp| at.to_string().replace('Z', "-00:00");
    let (start, end) = (time(start), time(start + Seconds::new(3600)));
    format!(
        "{start},{end},{day},1,0,{NODE},{NODE},{NODE},DAM,{part},{part}_PRC,{NODE},ALL_APNODES,0,{price},1\n"
    )
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// So many hours of `day` from `first` on, the last one first, each with the parts of its price; prices 10.5, 11.5, ...
fn file(day: &str, first: &str, hours: i64) -> String {
    let mut text = HEADER.to_owned();
    for hour in (0..hours).rev() {
        let start = at(first) + Seconds::new(hour * 3600);
        let price = format!("{}.5", hour + 10);
        for part in [("MCE", "900"), ("LMP", &*price), ("MCC", "-5"), ("MGHG", "0")] {
            text += &row(start, day, part);
        }
    }
    text
}

fn series(text: &str) -> Result<Series, FeedError> {
    map::prices(&map::read(text, NODE)?)
}

/// In Los Angeles the clock went forward on 2026-03-08 and back on 2025-11-02 and is 8 h behind UTC in winter, 7 h in
/// summer: such days begin at 08:00, 07:00 and 07:00 UTC and end at 07:00, 07:00 and 08:00.
#[test]
fn days_of_23_24_and_25_hours_are_whole() {
    for (day, first, last, hours) in [
        ("2026-03-08", "2026-03-08T08:00:00Z", "2026-03-09T07:00:00Z", 23),
        ("2026-07-14", "2026-07-14T07:00:00Z", "2026-07-15T07:00:00Z", 24),
        ("2025-11-02", "2025-11-02T07:00:00Z", "2025-11-03T08:00:00Z", 25),
    ] {
        let text = file(day, first, hours);
        let series = series(&text).unwrap();
        let span = series.span().unwrap();
        assert_eq!((span.start(), span.end()), (at(first), at(last)), "{day}");
        assert!(series.agenda.covers(span), "{day}");
        assert_eq!(series.kind.to_string(), "price in USD/MWh");
        // Lines again, by their place from the comma: the first cell without its offset, the last but one in tenths.
        let mut by_hand: Vec<(String, i64)> = text
            .lines()
            .filter(|line| line.contains(",LMP,"))
            .map(|line| {
                let cells: Vec<&str> = line.split(',').collect();
                let tenths: i64 = cells[cells.len() - 2].replace('.', "").parse().unwrap();
                (format!("{}Z", cells[0].trim_end_matches("-00:00")), tenths * 100_000)
            })
            .collect();
        by_hand.sort();
        let read = series.agenda.pieces().iter();
        let read: Vec<(String, i64)> =
            read.map(|it| (it.span.start().to_string(), it.value.value)).collect();
        assert_eq!(read, by_hand, "{day}");
    }
}

/// The first hour is said a second time and dearer, as after a correction; the third has no price.
#[test]
fn prices_below_zero_count_missing_ones_are_gaps_and_the_dearer_of_two_counts() {
    let first = at("2026-07-14T07:00:00Z");
    let hour = |hours: i64, price| row(first + Seconds::new(hours * 3600), "2026-07-14", price);
    let text = [
        HEADER.to_owned(),
        hour(0, ("LMP", "31.25")),
        hour(1, ("LMP", "-12.48613")),
        hour(2, ("LMP", "")),
        hour(3, ("LMP", "0")),
        hour(0, ("LMP", "32.5")),
    ]
    .concat();
    let known = series(&text).unwrap();
    let values: Vec<i64> = known.agenda.pieces().iter().map(|it| it.value.value).collect();
    assert_eq!(values, [32_500_000, -12_486_130, 0]);
    assert!(known.notes[0].contains("two values for"), "{:?}", known.notes);
    let word = series(&text.replace("-12.48613", "n/a")).unwrap_err();
    assert!(word.to_string().contains("line 3, MW"), "{word}");
    let none = series(HEADER).unwrap_err();
    assert!(matches!(none, FeedError::NotPublished { .. }), "{none}");
}

#[test]
fn another_node_market_day_or_length_is_refused() {
    let text = file("2026-07-14", "2026-07-14T07:00:00Z", 1);
    assert!(series(&text).is_ok());
    for (from, to, told) in [
        ("GEN-APND,DAM", "GEN2-APND,DAM", "asked for node \"TH_NP15_GEN-APND\""),
        (",DAM,", ",RTM,", "asked for market \"DAM\", the answer says \"RTM\""),
        (",2026-07-14,", ",2026-07-13,", "asked for day \"2026-07-14\", the answer says"),
        ("T08:00:00", "T07:15:00", "is not the start of an hour"),
        ("T07:00:00", "T07:30:00", "is not the start of an hour"),
        ("07:00:00-00:00", "07:00:00", "is not the start of an hour"),
        (START_COLUMN, "START", "has no column INTERVALSTARTTIME_GMT"),
        (",MW,", ",VALUE,", "missing field `MW`"),
    ] {
        let changed = text.replace(from, to);
        assert_ne!(changed, text, "{from}");
        let error = series(&changed).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains(told), "{error}");
    }
}

const START_COLUMN: &str = "INTERVALSTARTTIME_GMT";

fn refusal(code: &str, words: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <m:OASISReport xmlns:m=\"http://www.caiso.com/soa/OASISReport_v1.xsd\">\n<m:MessageHeader>\n\
         \t<m:TimeDate>2026-09-14T17:10:55.764Z</m:TimeDate>\n\t<m:Source>OASIS</m:Source>\n\
         </m:MessageHeader>\n<m:MessagePayload>\n<m:RTO>\n<m:name>CAISO</m:name>\n<m:DISCLAIMER_ITEM>\n\
         <m:DISCLAIMER>Subject to change.</m:DISCLAIMER>\n</m:DISCLAIMER_ITEM>\n<m:ERROR>\n\
         <m:ERR_CODE>{code}</m:ERR_CODE>\n<m:ERR_DESC>{words}</m:ERR_DESC>\n</m:ERROR>\n\n</m:RTO>\n\
         </m:MessagePayload>\n</m:OASISReport>\n"
    )
}

#[test]
fn a_refusal_in_the_archive_means_what_its_code_means() {
    let error = |code, words| series(&refusal(code, words)).unwrap_err();
    let none = error("1000", "No data returned for the specified selection");
    assert_eq!(none.retry(), RetryClass::NotYet);
    assert!(none.to_string().contains("check `node`"), "{none}");
    for code in ["1003", "1010", "1015"] {
        assert_eq!(error(code, "Timed out").retry(), RetryClass::Backoff, "{code}");
    }
    let long = error("1004", "Data can be requested for period of 31 days only");
    assert_eq!(long.retry(), RetryClass::Permanent);
    assert!(long.to_string().contains("1004: Data can be requested"), "{long}");
    assert_eq!(error("", "").retry(), RetryClass::Permanent);
    for text in ["<html><body>Sorry</body></html>", "<m:OASISReport", ""] {
        assert_eq!(series(text).unwrap_err().retry(), RetryClass::Backoff, "{text}");
    }
}
