//! `wattbook openapi`: the document that `/api/openapi.json` serves.

use super::Failure;

pub fn run() -> Result<(), Failure> {
    Ok(super::print(crate::http::v1::openapi().to_pretty_json()?)?)
}
