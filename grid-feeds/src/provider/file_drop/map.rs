//! From the texts of files to an agenda.

use planner::agenda::{Agenda, Piece};
use planner::json;
use planner::quantity::{Power, Rate};
use planner::time::Span;

use crate::feed::{FeedError, Kind, KnownValue, Quality, Quantity, Series};
use crate::table;

/// What a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values.
    Csv,
    /// An array of objects.
    Json,
}

/// Reads a file's values.
///
/// # Errors
/// The first few errors with their lines or pointers; `name` says in which file.
pub fn read(
    name: &str,
    format: Format,
    text: &str,
    quantity: Quantity,
) -> Result<Agenda<i64>, FeedError> {
    let agenda = match format {
        Format::Csv => csv(text, quantity).map_err(|errors| words(&errors)),
        Format::Json => object(text, quantity).map_err(|errors| words(&errors)),
    };
    agenda.map_err(|message| FeedError::payload(name, message))
}

fn csv(text: &str, quantity: Quantity) -> Result<Agenda<i64>, Vec<table::TableError>> {
    Ok(match quantity {
        Quantity::Price => table::price_agenda(text)?.map(Rate::as_millionths),
        Quantity::Co2 => table::co2_agenda(text)?.map(Rate::as_millionths),
        Quantity::PowerCap => table::power_cap_agenda(text)?.map(Power::as_microwatts),
    })
}

fn object(text: &str, quantity: Quantity) -> Result<Agenda<i64>, Vec<json::JsonError>> {
    Ok(match quantity {
        Quantity::Price => json::read(text, json::agendas::price)?.map(Rate::as_millionths),
        Quantity::Co2 => json::read(text, json::agendas::co2)?.map(Rate::as_millionths),
        Quantity::PowerCap => json::read(text, json::agendas::power_cap)?.map(Power::as_microwatts),
    })
}

/// The first few errors in words.
fn words<E: std::fmt::Display>(errors: &[E]) -> String {
    const LISTED: usize = 5;
    let listed: Vec<String> = errors.iter().take(LISTED).map(ToString::to_string).collect();
    match errors.len().saturating_sub(LISTED) {
        0 => listed.join("; "),
        more => format!("{}; and {more} more errors", listed.join("; ")),
    }
}

/// One agenda of several files: each replaces the span it covers.
///
/// # Errors
/// Where there is no value at all.
pub fn merged(kind: Kind, quality: Quality, files: &[Agenda<i64>]) -> Result<Series, FeedError> {
    let mut pieces: Vec<Piece<i64>> = Vec::new();
    for file in files {
        let (Some(first), Some(last)) = (file.pieces().first(), file.pieces().last()) else {
            continue;
        };
        let (start, end) = (first.span.start(), last.span.end());
        pieces = pieces
            .iter()
            .flat_map(|piece| {
                let before = Span::new(piece.span.start(), piece.span.end().min(start));
                let after = Span::new(piece.span.start().max(end), piece.span.end());
                let value = piece.value;
                [before, after].into_iter().flatten().map(move |span| Piece { span, value })
            })
            .chain(file.pieces().iter().copied())
            .collect();
        pieces.sort_by_key(|piece| piece.span);
    }
    if pieces.is_empty() {
        return Err(FeedError::not_published("no file has a value"));
    }
    let agenda = Agenda::new(pieces).map_err(|error| FeedError::payload("the files", error))?;
    let agenda = agenda.map(|value| KnownValue { value, quality });
    Ok(Series { kind, issued_at: None, agenda, notes: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cap(format: Format, text: &str) -> Result<Agenda<i64>, FeedError> {
        read("cap", format, text, Quantity::PowerCap)
    }

    const CSV: &str = "start,end,cap_w\n2026-03-01T00:00:00Z,2026-03-01T06:00:00Z,9000\n";

    #[test]
    fn a_later_file_replaces_the_span_it_covers_gaps_included() {
        let json = r#"[{"start": "2026-03-01T01:00:00Z", "end": "2026-03-01T02:00:00Z", "cap_w": 5},
                       {"start": "2026-03-01T03:00:00Z", "end": "2026-03-01T04:00:00Z", "cap_w": 6}]"#;
        let files = [cap(Format::Csv, CSV).unwrap(), cap(Format::Json, json).unwrap()];
        let series = merged(Kind::PowerCap, Quality::Forecast, &files).unwrap();
        let watts: Vec<i64> =
            series.agenda.pieces().iter().map(|piece| piece.value.value / 1_000_000).collect();
        assert_eq!(watts, [9000, 5, 6, 9000]);
        let gap = series.agenda.first_gap(series.span().unwrap()).unwrap();
        assert_eq!(gap.to_string(), "2026-03-01T02:00:00Z to 2026-03-01T03:00:00Z");
    }

    #[test]
    fn errors_name_the_file_and_the_line() {
        let error = cap(Format::Csv, &CSV.replace("9000", "9000 W")).unwrap_err();
        assert_eq!(error.to_string(), "bad payload at cap: line 2, cap_w: is not a number");
        assert!(cap(Format::Json, "{}").is_err());
        let nothing = [cap(Format::Json, "[]").unwrap()];
        assert!(merged(Kind::PowerCap, Quality::Forecast, &nothing).is_err());
    }
}
