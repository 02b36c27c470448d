//! Values of parameters as the command line says them.

use serde_json::Value;

/// A name with its value: `NAME=VALUE`.
pub fn named(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("must be NAME=VALUE")?;
    Ok((name.replace('-', "_"), value.to_owned()))
}

/// A JSON value, or else a text.
pub fn value_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}
