//! Forecasts as a table: the columns of an agenda, and `issued_at`, the instant from which a row was
//! known. The rows of one instant are one forecast.

use std::collections::BTreeMap;

use grid_feeds::table::TableError;
use planner::agenda::Agenda;
use planner::time::Timestamp;
use simulator::sesames::Forecast;

/// Reads forecasts, each by `agenda`.
///
/// # Errors
/// Every error with its line, in words.
pub fn read<R>(
    text: &str,
    agenda: fn(&str) -> Result<Agenda<R>, Vec<TableError>>,
) -> Result<Vec<Forecast<R>>, Vec<String>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split(',').map(str::trim).collect();
    let Some(column) = header.iter().position(|name| *name == "issued_at") else {
        return Err(vec!["line 1: the column issued_at is missing".to_owned()]);
    };
    let without = |fields: &[&str]| {
        let others = fields.iter().enumerate().filter(|(place, _)| *place != column);
        others.map(|(_, field)| *field).collect::<Vec<_>>().join(",")
    };
    let mut errors = Vec::new();
    // Lines of other forecasts are left empty, so that errors name the right ones.
    let mut by_issue: BTreeMap<Timestamp, (usize, String)> = BTreeMap::new();
    for (number, line) in (2..).zip(lines).filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(',').collect();
        match Timestamp::parse(fields.get(column).copied().unwrap_or("").trim()) {
            Err(error) => errors.push(format!("line {number}, issued_at: {error}")),
            Ok(issued_at) => {
                let (at, table) = by_issue.entry(issued_at).or_insert((1, without(&header)));
                table.extend(std::iter::repeat_n('\n', number - *at));
                table.push_str(&without(&fields));
                *at = number;
            }
        }
    }
    let mut forecasts = Vec::with_capacity(by_issue.len());
    for (issued_at, (_, table)) in by_issue {
        match agenda(&table) {
            Ok(agenda) => forecasts.push(Forecast { issued_at, agenda }),
            Err(found) => errors.extend(found.iter().map(ToString::to_string)),
        }
    }
    if errors.is_empty() { Ok(forecasts) } else { Err(errors) }
}

#[cfg(test)]
mod tests {
    use grid_feeds::table::price_agenda;

    use super::*;

    #[test]
    fn rows_of_one_instant_are_one_forecast() {
        let text = "issued_at,start,end,price_per_mwh\n\
                    2026-01-01T00:00:00Z,2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,10\n\
                    2026-01-01T00:30:00Z,2026-01-01T01:00:00Z,2026-01-01T02:00:00Z,30\n\
                    2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,2026-01-01T02:00:00Z,20\n";
        let forecasts = read(text, price_agenda).unwrap();
        let pieces: Vec<usize> = forecasts.iter().map(|f| f.agenda.pieces().len()).collect();
        assert_eq!(pieces, [2, 1]);
        assert_eq!(forecasts[1].issued_at.to_string(), "2026-01-01T00:30:00Z");
    }

    #[test]
    fn errors_name_their_lines() {
        let text = "start,issued_at,end,price_per_mwh\n\
                    2026-01-01T00:00:00Z,2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,10\n\
                    2026-01-01T00:00:00Z,noon,2026-01-01T01:00:00Z,10\n\n\
                    2026-01-01T01:00:00Z,2026-01-01T00:00:00Z,2026-01-01T02:00:00Z,much\n";
        let errors = read(text, price_agenda).unwrap_err();
        assert!(errors[0].starts_with("line 3, issued_at"), "{errors:?}");
        assert!(errors[1].starts_with("line 5, price_per_mwh"), "{errors:?}");
        assert!(read("start,end,price_per_mwh\n", price_agenda).is_err());
    }
}
