//! Where a request came from, by which those are counted as one who are not known yet.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

/// The address that a request came from, as clients are counted; all whom a proxy names in a way that cannot be read are one.
#[derive(Clone, Debug, Default)]
pub struct AskedFrom(pub Arc<str>);

impl<S: Sync> FromRequestParts<S> for AskedFrom {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}
