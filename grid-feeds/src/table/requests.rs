//! Requests as a table: `nodes,duration_s,earliest_start,latest_start` and optionally
//! `utilisation`.

use planner::request::{Request, Shape};
use planner::time::{Seconds, Timestamp};

use super::{Columns, Row, TableError, read};

const NODES: usize = 0;
const DURATION: usize = 1;
const EARLIEST_START: usize = 2;
const LATEST_START: usize = 3;
const UTILISATION: usize = 4;

const COLUMNS: Columns = Columns {
    required: &["nodes", "duration_s", "earliest_start", "latest_start"],
    optional: &["utilisation"],
};

/// Reads requests in the order of the rows; an empty `utilisation` means none is given.
///
/// # Errors
/// Every error with its line, the rules of a request among them; none is "in the past".
pub fn requests(text: &str) -> Result<Vec<Request>, Vec<TableError>> {
    read(text, &COLUMNS, |row, errors| {
        let nodes = row.whole_number(NODES, errors);
        let duration = row.whole_number(DURATION, errors);
        let earliest_start = row.instant(EARLIEST_START, errors);
        let latest_start = row.instant(LATEST_START, errors);
        let utilisation = row.optional(UTILISATION, errors, Row::fraction);
        let shape = Shape { nodes: nodes?, duration: Seconds::new(i64::from(duration?)) };
        let request = Request {
            utilisation: utilisation?,
            ..Request::new(shape, earliest_start?, latest_start?)
        };
        // Nothing that can be written lies before the epoch.
        let broken_rules = request.errors(Timestamp::MIN);
        for rule in &broken_rules {
            errors.row(row.line(), rule);
        }
        broken_rules.is_empty().then_some(request)
    })
}

#[cfg(test)]
mod tests {
    use planner::decimal::Fraction;

    use super::*;

    #[test]
    fn reads_requests_with_and_without_utilisation() {
        let text = "nodes,duration_s,earliest_start,latest_start,utilisation\n\
                    2,3600,2013-01-01T00:00:00Z,2013-01-01T04:00:00Z,0.8\n\
                    1,1,2013-01-01T00:00:00Z,2013-01-01T00:00:00Z,\n";
        let read = requests(text).unwrap();
        let start = Timestamp::parse("2013-01-01T00:00:00Z").unwrap();
        assert_eq!(
            read[0],
            Request {
                utilisation: Fraction::new(0.8),
                ..Request::new(
                    Shape { nodes: 2, duration: Seconds::new(3600) },
                    start,
                    start + Seconds::new(4 * 3600),
                )
            }
        );
        assert_eq!(read[1].utilisation, None);
    }

    #[test]
    fn collects_all_errors() {
        let text = "nodes,duration_s,earliest_start,latest_start\n\
                    0,100000001,2013-01-02T00:00:00Z,2013-01-01T00:00:00Z\n\
                    +2,1.5,2013-01-02T00:00:00Z,2013-01-03\n\
                    -2,,2013-01-02T00:00:00Z,2013-01-02T00:00:00Z\n";
        let errors: Vec<String> =
            requests(text).unwrap_err().iter().map(ToString::to_string).collect();
        let no_whole_number = "is not a whole number between 0 and 4294967295";
        assert_eq!(
            errors,
            [
                "line 2: nodes must be at least 1".to_owned(),
                "line 2: duration_s must be between 1 and 100000000 seconds".to_owned(),
                "line 2: latest_start must not be before earliest_start".to_owned(),
                format!("line 3, nodes: {no_whole_number}"),
                format!("line 3, duration_s: {no_whole_number}"),
                "line 3, latest_start: is not an RFC 3339 time such as 2026-01-01T00:00:00Z"
                    .to_owned(),
                format!("line 4, nodes: {no_whole_number}"),
                format!("line 4, duration_s: {no_whole_number}"),
            ]
        );
    }
}
