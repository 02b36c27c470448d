//! `/api/v1/agendas/{quantity}`

pub mod get;
pub mod put;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use storage::Quantity;

use crate::http::problem::Problem;

/// The quantity in the path: `price`, `co2` or `power-cap`.
pub struct QuantityInPath(pub Quantity);

impl<S: Send + Sync> FromRequestParts<S> for QuantityInPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let word = path.map_or_else(|_| String::new(), |Path(word)| word);
        match word.as_str() {
            "price" => Ok(Self(Quantity::Price)),
            "co2" => Ok(Self(Quantity::Co2)),
            "power-cap" => Ok(Self(Quantity::PowerCap)),
            _ => Err(Problem::not_found("such agenda; there are price, co2 and power-cap")),
        }
    }
}
