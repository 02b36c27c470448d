//! A series of one quantity, as suppliers and researchers publish it: a column of times, and one of values.

use std::cmp::Reverse;
use std::collections::HashMap;

use csv::{ReaderBuilder, StringRecord};
use planner::agenda::{Agenda, Piece};
use planner::time::{Seconds, Span, Timestamp};
use rust_decimal::Decimal;

use super::{MAX_ERRORS, TableError};
use crate::feed::{decimal, millionths};

/// Columns of values that need not be named.
const VALUES: [&str; 4] = ["value", "price_per_mwh", "intensity_g_per_kwh", "cap_w"];

/// Cells that say that there is no value.
const MISSING: [&str; 4] = ["", "nan", "null", "n/a"];

/// Reads a series in time order: when each value begins in the column `start`, or else the first one, and where there is a
/// column `end`, when it ends; else it lasts until the next, or as long as most do. Times without an offset are UTC. Values,
/// in millionths, are in the column that is named, or else in one of the project's own tables' names, or the only one
/// that is left. Cells that are empty or `NaN` are gaps.
///
/// # Errors
/// Every error with its line, at most [`MAX_ERRORS`].
pub fn series(text: &str, column: Option<&str>) -> Result<Agenda<i64>, Vec<TableError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader =
        ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| vec![whole(1, error.to_string())])?.clone();
    let columns = SeriesColumns::of(&header, column).map_err(|message| vec![whole(1, message)])?;
    let (mut rows, mut errors) = (Vec::new(), Vec::new());
    for record in reader.records() {
        match record.map_err(|error| vec![whole(1, error.to_string())]).and_then(|record| {
            let line = record.position().map_or(0, csv::Position::line);
            columns.row(&header, &record, line)
        }) {
            Ok(row) => rows.push(row),
            Err(mut wrong) => errors.append(&mut wrong),
        }
        if errors.len() >= MAX_ERRORS {
            break;
        }
    }
    for pair in rows
        .windows(2)
        .filter(|pair| pair[1].start < pair[0].end.unwrap_or(pair[0].start + Seconds::ONE))
    {
        let message =
            format!("is not after the row on line {}; rows are in time order", pair[0].line);
        errors.push(TableError {
            line: pair[1].line,
            column: header.get(columns.start).map(str::to_owned),
            message,
        });
    }
    if !errors.is_empty() {
        errors.truncate(MAX_ERRORS);
        return Err(errors);
    }
    let pieces = pieces(&rows);
    Agenda::new(pieces).map_err(|error| vec![whole(1, error.to_string())])
}

fn whole(line: u64, message: String) -> TableError {
    TableError { line, column: None, message }
}

struct SeriesColumns {
    start: usize,
    end: Option<usize>,
    value: usize,
}

struct SeriesRow {
    line: u64,
    start: Timestamp,
    end: Option<Timestamp>,
    /// `None` for a gap.
    value: Option<i64>,
}

impl SeriesColumns {
    fn of(header: &StringRecord, named: Option<&str>) -> Result<Self, String> {
        let position = |name: &str| header.iter().position(|it| it.eq_ignore_ascii_case(name));
        let start = position("start").unwrap_or(0);
        let end = position("end");
        let list = || header.iter().collect::<Vec<_>>().join(", ");
        let value = if let Some(name) = named {
            position(name)
                .ok_or_else(|| format!("there is no column {name:?}; those are {}", list()))?
        } else {
            let rest = (0..header.len()).filter(|&it| it != start && Some(it) != end);
            let rest: Vec<usize> = rest.collect();
            match (VALUES.iter().find_map(|name| position(name)), rest.as_slice()) {
                (Some(value), _) => value,
                (None, [only]) => *only,
                _ => return Err(format!("name the column of the values; those are {}", list())),
            }
        };
        Ok(Self { start, end, value })
    }

    fn row(
        &self,
        header: &StringRecord,
        record: &StringRecord,
        line: u64,
    ) -> Result<SeriesRow, Vec<TableError>> {
        let wrong = |column: usize, message: &str| TableError {
            line,
            column: header.get(column).map(str::to_owned),
            message: message.to_owned(),
        };
        let cell = |column: usize| record.get(column).unwrap_or_default();
        let mut errors = Vec::new();
        let mut time = |column: usize| {
            let read = instant(cell(column));
            if read.is_none() {
                errors.push(wrong(
                    column,
                    "is not a time such as 2026-01-01T00:00:00Z or 2026-01-01 00:00",
                ));
            }
            read
        };
        let start = time(self.start);
        let end = self.end.and_then(&mut time);
        let text = cell(self.value);
        let value = if MISSING.iter().any(|it| text.eq_ignore_ascii_case(it)) {
            None
        } else {
            let read = number(text);
            if read.is_none() {
                errors.push(wrong(self.value, "is not a number"));
            }
            read
        };
        if start.zip(end).is_some_and(|(start, end)| end <= start) {
            errors.push(wrong(self.end.unwrap_or(0), "must be after start"));
        }
        match start {
            Some(start) if errors.is_empty() => Ok(SeriesRow { line, start, end, value }),
            _ => Err(errors),
        }
    }
}

/// To the nearest millionth.
fn number(text: &str) -> Option<i64> {
    millionths(decimal(text)?, Decimal::ONE)
}

/// With an offset, or else in UTC.
fn instant(text: &str) -> Option<Timestamp> {
    let in_utc = || {
        let civil = text.parse::<jiff::civil::DateTime>().ok()?;
        Some(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
    };
    let seconds = text.parse::<jiff::Timestamp>().ok().or_else(in_utc)?.as_second();
    let instant = Timestamp::from_unix_seconds(seconds);
    (Timestamp::MIN..=Timestamp::MAX).contains(&instant).then_some(instant)
}

fn pieces(rows: &[SeriesRow]) -> Vec<Piece<i64>> {
    let usual = most_frequent(rows.windows(2).map(|pair| pair[1].start - pair[0].start));
    let piece = |index: usize| {
        let row = rows.get(index)?;
        let next = rows.get(index + 1).map(|next| next.start);
        let longest = row.start + usual;
        let end = row.end.unwrap_or_else(|| next.map_or(longest, |next| next.min(longest)));
        Some(Piece { span: Span::new(row.start, end)?, value: row.value? })
    };
    (0..rows.len()).filter_map(piece).collect()
}

/// The length of most pieces of a series; an hour without any.
pub fn usual_length(series: &Agenda<i64>) -> Seconds {
    most_frequent(series.pieces().iter().map(|piece| piece.span.length()))
}

/// The shorter of those that come as often; an hour without any.
fn most_frequent(lengths: impl Iterator<Item = Seconds>) -> Seconds {
    let mut counts: HashMap<i64, usize> = HashMap::new();
    for length in lengths {
        *counts.entry(length.get()).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|&(length, count)| (count, Reverse(length)));
    Seconds::new(most.map_or(3600, |(length, _)| length))
}

#[cfg(test)]
mod tests {
    use planner::quantity::MILLION;

    use super::*;

    fn told(text: &str, column: Option<&str>) -> Vec<String> {
        series(text, column).unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn values_last_until_the_next_or_as_long_as_most_do() {
        let text = "Datetime (UTC),Zone,g/kWh\n\
                    2021-01-01 00:00:00,FR,40.17\n\
                    2021-01-01 01:00:00,FR,\n\
                    2021-01-01 02:00:00,FR,41.1234567\n\
                    2021-01-01 05:00:00,FR,7e1\n";
        let agenda = series(text, Some("g/kWh")).unwrap();
        let hours: Vec<(i64, i64, i64)> = agenda
            .pieces()
            .iter()
            .map(|it| {
                (
                    it.span.start().as_unix_seconds() % 86_400 / 3600,
                    it.span.length().get(),
                    it.value,
                )
            })
            .collect();
        assert_eq!(hours, [(0, 3600, 40_170_000), (2, 3600, 41_123_457), (5, 3600, 70 * MILLION)]);
    }

    #[test]
    fn the_projects_own_tables_are_series() {
        let text = "start,end,price_per_mwh\n2026-01-01T00:00Z,2026-01-01T06:00:00+00:00,-1.5\n";
        let agenda = series(text, None).unwrap();
        assert_eq!((agenda.pieces().len(), agenda.pieces()[0].value), (1, -1_500_000));
        assert_eq!(agenda.pieces()[0].span.length().get(), 6 * 3600);
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_line() {
        let text = "time,a,b\n2026-01-01 00:00,1,2\n";
        assert_eq!(
            told(text, None),
            ["line 1: name the column of the values; those are time, a, b"]
        );
        assert_eq!(
            told(text, Some("c")),
            ["line 1: there is no column \"c\"; those are time, a, b"]
        );
        let text = "time,value\n2026-01-01 00:00,1\nyesterday,x\n2026-01-01 00:00,2\n";
        assert_eq!(
            told(text, None),
            [
                "line 3, time: is not a time such as 2026-01-01T00:00:00Z or 2026-01-01 00:00",
                "line 3, value: is not a number",
                "line 4, time: is not after the row on line 2; rows are in time order",
            ]
        );
    }
}
