//! `wattbook openapi`: the document that `/api/openapi.json` serves.

use super::Failure;

pub fn run() -> Result<(), Failure> {
    let document = crate::http::v1::document()?;
    Ok(super::print(serde_json::to_string_pretty(&document)?)?)
}
