//! Measurements as a table: `meter,node,at,power_w` or `meter,node,at,energy_j`.

use planner::metering::{MeterUnit, Sample, SampleTime};

use super::reader::Errors;
use super::{Columns, Row, TableError, read};
use crate::measurement::{Names, SentSample, one};

const METER: usize = 0;
const NODE: usize = 1;
const AT: usize = 2;
const POWER: usize = 3;
const ENERGY: usize = 4;

const COLUMNS: Columns =
    Columns { required: &["meter", "node", "at"], optional: &["power_w", "energy_j"] };

/// Reads samples in the order of the rows; each has a power or an energy, rounded to milliwatts or millijoules.
///
/// # Errors
/// Every error with its line.
pub fn measurements(text: &str) -> Result<Vec<SentSample>, Vec<TableError>> {
    let mut names = Names::default();
    read(text, &COLUMNS, |row, errors| {
        let meter = row.name(METER, errors);
        let node = row.name(NODE, errors);
        let at = row.accept(AT, errors, SampleTime::parse(row.text(AT)));
        let power = value(row, errors, POWER, MeterUnit::Watt);
        let energy = value(row, errors, ENERGY, MeterUnit::Joule);
        let (power, energy) = (power?, energy?);
        let Some((unit, value_milli)) = one(power, energy) else {
            errors.row(row.line(), "must have either power_w or energy_j");
            return None;
        };
        let (meter, node) = (names.get(meter?), names.get(node?));
        let sample = Sample { at: at?, value_milli };
        Some(SentSample { meter, node, unit, sample, place: row.line() })
    })
}

/// A value that may be missing: `Some(None)` then, `None` on an error.
#[expect(clippy::option_option, reason = "an empty cell is not a wrong one")]
fn value(
    row: &Row,
    errors: &mut Errors,
    column: usize,
    unit: MeterUnit,
) -> Option<Option<(MeterUnit, i64)>> {
    row.optional(column, errors, |row, column, errors| {
        row.accept(column, errors, unit.parse_milli(row.text(column))).map(|value| (unit, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_power_or_energy() {
        let text = "meter,node,at,power_w\nbmc,n1,2026-01-01T00:00:00Z,401.25\n";
        let samples = measurements(text).unwrap();
        assert_eq!((&*samples[0].meter, &*samples[0].node, samples[0].place), ("bmc", "n1", 2));
        assert_eq!((samples[0].unit, samples[0].sample.value_milli), (MeterUnit::Watt, 401_250));
        let text = "meter,node,at,energy_j\nc,n1,2026-01-01T00:00:00Z,12\n";
        let samples = measurements(text).unwrap();
        assert_eq!((samples[0].unit, samples[0].sample.value_milli), (MeterUnit::Joule, 12_000));
        // Both columns, one of which has a cell.
        let text = "meter,node,at,power_w,energy_j\nc,n1,2026-01-01T00:00:00Z,,12\n";
        assert_eq!(measurements(text).unwrap(), samples);
    }

    #[test]
    fn collects_all_errors() {
        let text = "meter,node,at,power_w,energy_j\n,n1,now,x,\nm,n1,2026-01-01T00:00:00Z,1,1\n\
                    m,n1,2026-01-01T00:00:00Z,,\n";
        let errors: Vec<String> =
            measurements(text).unwrap_err().iter().map(ToString::to_string).collect();
        assert_eq!(
            errors,
            [
                "line 2, meter: must have 1 to 255 characters and no control characters",
                "line 2, at: is not an RFC 3339 time such as 2026-01-01T00:00:00Z",
                "line 2, power_w: is not a number",
                "line 3: must have either power_w or energy_j",
                "line 4: must have either power_w or energy_j",
            ]
        );
        assert!(measurements("meter,node,at\n").unwrap().is_empty());
    }
}
