//! `wattbook estimate`: what checkpoints, restarts and collective operations take, from a calibration file.
//!
//! Options become the request that `POST /api/v1/estimates` takes, so that both are read and refused alike.

mod arguments;
mod table;

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use planner::json::estimate::{self, OperationEstimateDocument};
use planner::json::{JsonError, read};
use planner::quantity::Currency;
use planner::service_estimate;
use serde_json::Number;
use serde_json::value::RawValue;

pub use arguments::Arguments;

use super::{Failure, ListFormat, print};

/// Prints the estimates.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (operation, common, fields) = arguments.request();
    let calibration = calibration(&common.calibration)?;
    let mut members = vec![
        format!("\"calibration\": {calibration}"),
        format!("\"operation\": {}", text(operation)),
    ];
    let given = common.fields().into_iter().chain(fields);
    members.extend(given.filter_map(|(name, value)| {
        let value = value.as_deref()?;
        Some(format!(
            "\"{name}\": {}",
            if is_number(value) { value.to_owned() } else { text(value) }
        ))
    }));
    let document = format!("{{{}}}", members.join(", "));
    let input = read(&document, |reader, raw| estimate::estimate(reader, raw, Currency::EUR))
        .map_err(|errors| {
            Failure::BadInput(errors.iter().map(|it| placed(it, &common.calibration)).collect())
        })?;
    let estimate = service_estimate::estimate(&input.request);
    let document = OperationEstimateDocument::new(&input.request, &estimate);
    match common.format {
        ListFormat::Json => Ok(print(serde_json::to_string_pretty(&document)?)?),
        ListFormat::Table => Ok(table::print_estimates(&document)?),
    }
}

/// The text of the calibration file, which is JSON.
fn calibration(path: &Path) -> Result<String, Failure> {
    let read = if path == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        fs::read_to_string(path)
    };
    let refused = |what: String| Failure::BadInput(vec![what]);
    let text = read.map_err(|error| refused(format!("cannot read {}: {error}", path.display())))?;
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    serde_json::from_str::<&RawValue>(text)
        .map(|raw| raw.get().to_owned())
        .map_err(|error| refused(format!("{} is not JSON: {error}", path.display())))
}

fn is_number(value: &str) -> bool {
    serde_json::from_str::<Number>(value).is_ok()
}

/// A JSON string.
fn text(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

/// An error with the option or the place in the file that it is about.
fn placed(error: &JsonError, file: &Path) -> String {
    let JsonError { pointer, message } = error;
    match pointer.strip_prefix("/calibration") {
        Some("") => format!("{}: {message}", file.display()),
        Some(place) => format!("{}: {place}: {message}", file.display()),
        None => {
            let option = pointer.trim_start_matches('/').replace('_', "-");
            format!("--{option}: {message}")
        }
    }
}
