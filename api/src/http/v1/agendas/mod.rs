//! `/api/v1/agendas/{quantity}`

pub mod accounting;
pub mod agreement;
pub mod get;
pub mod put;
pub mod withdraw;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use storage::Quantity;

use crate::http::problem::Problem;
use crate::http::v1::path::part;

/// The quantity in the path: `price`, `co2` or `power-cap`.
pub struct QuantityInPath(pub Quantity);

impl<S: Send + Sync> FromRequestParts<S> for QuantityInPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match part(parts, state, "quantity").await.as_str() {
            "price" => Ok(Self(Quantity::Price)),
            "co2" => Ok(Self(Quantity::Co2)),
            "power-cap" => Ok(Self(Quantity::PowerCap)),
            _ => Err(Problem::not_found("such agenda; there are price, co2 and power-cap")),
        }
    }
}
