//! Agendas as tables: `start,end` and the value, in time order; gaps are allowed.

use std::fmt::Write;

use planner::agenda::{Agenda, Piece};
use planner::decimal::format_millionths;
use planner::quantity::{CarbonIntensity, EnergyPrice, MAX_POWER_MICROWATTS, Power};

use super::{Columns, TableError, read};

const START: usize = 0;
const END: usize = 1;
const VALUE: usize = 2;

const PRICE: Columns = Columns { required: &["start", "end", "price_per_mwh"], optional: &[] };
const CO2: Columns = Columns { required: &["start", "end", "intensity_g_per_kwh"], optional: &[] };
const POWER_CAP: Columns = Columns { required: &["start", "end", "cap_w"], optional: &[] };

/// Reads a price agenda: `start,end,price_per_mwh`, in the contract's currency; may be negative.
///
/// # Errors
/// Every error with its line; reversed, unsorted and overlapping pieces are errors.
pub fn price_agenda(text: &str) -> Result<Agenda<EnergyPrice>, Vec<TableError>> {
    agenda(text, &PRICE, |millionths| {
        EnergyPrice::from_millionths_per_mwh(millionths)
            .ok_or("must lie between -1e6 and 1e6 per MWh")
    })
}

/// Reads a CO2 agenda: `start,end,intensity_g_per_kwh`, at least zero.
///
/// # Errors
/// As [`price_agenda`].
pub fn co2_agenda(text: &str) -> Result<Agenda<CarbonIntensity>, Vec<TableError>> {
    agenda(text, &CO2, |millionths| {
        CarbonIntensity::from_millionths_g_per_kwh(millionths)
            .filter(|_| millionths >= 0)
            .ok_or("must lie between 0 and 1e6 g/kWh")
    })
}

/// Reads a power cap agenda: `start,end,cap_w`, at least zero.
///
/// # Errors
/// As [`price_agenda`].
pub fn power_cap_agenda(text: &str) -> Result<Agenda<Power>, Vec<TableError>> {
    agenda(text, &POWER_CAP, |microwatts| {
        (0..=MAX_POWER_MICROWATTS)
            .contains(&microwatts)
            .then(|| Power::from_microwatts(microwatts))
            .ok_or("must lie between 0 and 1e11 W")
    })
}

/// Writes an agenda of whole millionths as the readers above read it; `value` is its column.
pub fn write_agenda(agenda: &Agenda<i64>, value: &str) -> String {
    let mut text = format!("start,end,{value}\n");
    for Piece { span, value } in agenda.pieces() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{},{},{}", span.start(), span.end(), format_millionths(*value));
    }
    text
}

fn agenda<V: Copy>(
    text: &str,
    columns: &Columns,
    value: impl Fn(i64) -> Result<V, &'static str>,
) -> Result<Agenda<V>, Vec<TableError>> {
    let mut covered_until = None;
    let pieces = read(text, columns, |row, errors| {
        let span = row.span(START, END, errors);
        let millionths = row.millionths(VALUE, errors);
        let value = millionths.and_then(|number| row.accept(VALUE, errors, value(number)));
        let span = span?;
        match covered_until {
            Some((end, line)) if span.start() < end => row.error(
                START,
                errors,
                format!("lies before {end}, the end of the piece on line {line}"),
            ),
            _ => covered_until = Some((span.end(), row.line())),
        }
        Some(Piece { span, value: value? })
    })?;
    // The reader has refused what could fail here, with its line.
    Agenda::new(pieces)
        .map_err(|error| vec![TableError { line: 1, column: None, message: error.to_string() }])
}

#[cfg(test)]
mod tests {
    use planner::quantity::Rate;
    use planner::time::Timestamp;

    use super::*;

    fn messages<T: std::fmt::Debug>(result: Result<T, Vec<TableError>>) -> Vec<String> {
        result.unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn reads_columns_in_any_order_with_byte_order_mark_and_crlf() {
        let text = "\u{feff}price_per_mwh,start,end\r\n\
                    -1.5,2026-01-01T01:00:00+01:00,2026-01-01T06:00:00Z\r\n\
                    76.320001,2026-01-01T06:00:00Z,2026-01-01T22:00:00Z\r\n";
        let agenda = price_agenda(text).unwrap();
        assert_eq!(
            write_agenda(&agenda.map(Rate::as_millionths), "price_per_mwh"),
            "start,end,price_per_mwh\n\
             2026-01-01T00:00:00Z,2026-01-01T06:00:00Z,-1.5\n\
             2026-01-01T06:00:00Z,2026-01-01T22:00:00Z,76.320001\n"
        );
        let noon = Timestamp::parse("2026-01-01T12:00:00Z").unwrap();
        assert_eq!(agenda.at(noon).map(Rate::as_millionths), Some(76_320_001));
    }

    #[test]
    fn writes_what_it_reads() {
        let co2 = "start,end,intensity_g_per_kwh\n2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,56.5\n";
        assert_eq!(
            write_agenda(&co2_agenda(co2).unwrap().map(Rate::as_millionths), "intensity_g_per_kwh"),
            co2
        );
        let cap = "start,end,cap_w\n2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,12000\n";
        assert_eq!(
            write_agenda(&power_cap_agenda(cap).unwrap().map(Power::as_microwatts), "cap_w"),
            cap
        );
        let empty = "start,end,cap_w\n";
        assert_eq!(
            write_agenda(&power_cap_agenda(empty).unwrap().map(Power::as_microwatts), "cap_w"),
            empty
        );
    }

    #[test]
    fn collects_all_errors_with_their_places() {
        let text = "start,end,price_per_mwh\r\n\
                    \r\n\
                    2026-01-01T06:00:00Z,2026-01-01T06:00:00Z,0.0000001\r\n\
                    2026-01-01T06:00:00.5Z,tomorrow,NaN\r\n\
                    2026-01-01,2026-01-02,\"1,000\"\r\n\
                    1,2\r\n\
                    2026-01-01T06:00:00Z,2026-01-01T07:00:00Z,1000000.000001";
        assert_eq!(
            messages(price_agenda(text)),
            [
                "line 3, end: must be after start",
                "line 3, price_per_mwh: has more than 6 decimals",
                "line 4, start: has a fraction of a second; times are whole seconds",
                "line 4, end: is not an RFC 3339 time such as 2026-01-01T00:00:00Z",
                "line 4, price_per_mwh: is not a number",
                "line 5, start: is not an RFC 3339 time such as 2026-01-01T00:00:00Z",
                "line 5, end: is not an RFC 3339 time such as 2026-01-01T00:00:00Z",
                "line 5, price_per_mwh: is not a number",
                "line 6: has 2 cells, the header 3",
                "line 7, price_per_mwh: must lie between -1e6 and 1e6 per MWh",
            ]
        );
    }

    #[test]
    fn refuses_pieces_that_overlap_or_go_back_in_time() {
        let text = "start,end,intensity_g_per_kwh\n\
                    2026-01-01T00:00:00Z,2026-01-01T06:00:00Z,-1\n\
                    2026-01-01T05:00:00Z,2026-01-01T07:00:00Z,50\n\
                    2026-01-01T06:00:00Z,2026-01-01T07:00:00Z,50\n\
                    2025-01-01T00:00:00Z,2025-01-01T01:00:00Z,50\n";
        assert_eq!(
            messages(co2_agenda(text)),
            [
                "line 2, intensity_g_per_kwh: must lie between 0 and 1e6 g/kWh",
                "line 3, start: lies before 2026-01-01T06:00:00Z, the end of the piece on line 2",
                "line 5, start: lies before 2026-01-01T07:00:00Z, the end of the piece on line 4",
            ]
        );
        let text = "start,end,cap_w\n2026-01-01T00:00:00Z,2026-01-01T06:00:00Z,-0.1\n";
        assert_eq!(
            messages(power_cap_agenda(text)),
            ["line 2, cap_w: must lie between 0 and 1e11 W"]
        );
    }

    #[test]
    fn refuses_headers_that_are_not_exact() {
        assert_eq!(
            messages(price_agenda("\nstart;end;price_per_mwh\n1;2;3\n")),
            [
                "line 2, start;end;price_per_mwh: is not a column of this table; those are \
                 start,end,price_per_mwh",
                "line 2, start: is missing",
                "line 2, end: is missing",
                "line 2, price_per_mwh: is missing",
            ]
        );
        assert_eq!(
            messages(price_agenda("start,end,price_per_mwh,end,source\n")),
            [
                "line 1, end: is there twice",
                "line 1, source: is not a column of this table; those are start,end,price_per_mwh",
            ]
        );
        let missing = "line 1: the header is missing; columns are start,end,price_per_mwh";
        assert_eq!(messages(price_agenda("")), [missing]);
        assert_eq!(messages(price_agenda("\u{feff}\r\n")), [missing]);
    }

    #[test]
    fn stops_after_a_hundred_errors() {
        let text = format!("start,end,price_per_mwh\n{}", "a,b,c\n".repeat(1000));
        assert_eq!(price_agenda(&text).unwrap_err().len(), super::super::MAX_ERRORS);
    }
}
