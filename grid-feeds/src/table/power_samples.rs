//! Power samples as a table: `node,measured_at,load,power_w`.

use planner::calibration::PowerSample;

use super::{Columns, TableError, read};
use crate::power_sample::parse_load;

const NODE: usize = 0;
const MEASURED_AT: usize = 1;
const LOAD: usize = 2;
const POWER: usize = 3;

const COLUMNS: Columns =
    Columns { required: &["node", "measured_at", "load", "power_w"], optional: &[] };

/// Reads power samples in the order of the rows; `load` is `idle` or `max`.
///
/// # Errors
/// Every error with its line.
pub fn power_samples(text: &str) -> Result<Vec<PowerSample>, Vec<TableError>> {
    read(text, &COLUMNS, |row, errors| {
        let node = row.name(NODE, errors);
        let measured_at = row.instant(MEASURED_AT, errors);
        let load = row.accept(LOAD, errors, parse_load(row.text(LOAD)));
        let power = row.power(POWER, errors)?;
        Some(PowerSample { node: node?.into(), measured_at: measured_at?, load: load?, power })
    })
}

#[cfg(test)]
mod tests {
    use planner::calibration::Load;
    use planner::quantity::Power;
    use planner::time::Timestamp;

    use super::*;

    #[test]
    fn reads_samples() {
        let text = "node,measured_at,load,power_w\n\
                    n1,2026-01-01T00:00:00Z,idle,95.5\n\
                    n1,2026-01-01T01:00:00Z,max,190\n";
        let samples = power_samples(text).unwrap();
        assert_eq!(
            samples[0],
            PowerSample {
                node: "n1".into(),
                measured_at: Timestamp::parse("2026-01-01T00:00:00Z").unwrap(),
                load: Load::Idle,
                power: Power::from_watts(95.5).unwrap(),
            }
        );
        assert_eq!(samples[1].load, Load::Max);
    }

    #[test]
    fn collects_all_errors() {
        let text = "node,measured_at,load,power_w\n,now,Idle,-5\nn1,2026-01-01T00:00:00Z,idle,\n";
        let errors: Vec<String> =
            power_samples(text).unwrap_err().iter().map(ToString::to_string).collect();
        assert_eq!(
            errors,
            [
                "line 2, node: must have 1 to 255 characters and no control characters",
                "line 2, measured_at: is not an RFC 3339 time such as 2026-01-01T00:00:00Z",
                "line 2, load: must be idle or max",
                "line 2, power_w: must lie between 0 and 1e11 W",
                "line 3, power_w: is not a number",
            ]
        );
    }
}
