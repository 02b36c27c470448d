//! What stands in paths, read with every error as a problem document.

use std::collections::HashMap;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use planner::identity::{GrantId, NegotiationId, OutageId, QuotaAdjustmentId, ReservationId};
use storage::{SeriesId, SimulationId, SiteReservationId, TokenId};
use uuid::Uuid;

use crate::http::problem::Problem;

/// An id that stands in paths.
pub trait PathId: From<Uuid> {
    /// What it is the id of, as problems call it.
    const NOUN: &'static str;
    /// The name of the part of the path.
    const PART: &'static str = "id";
}

impl PathId for ReservationId {
    const NOUN: &'static str = "reservation";
}

impl PathId for NegotiationId {
    const NOUN: &'static str = "negotiation";
}

impl PathId for OutageId {
    const NOUN: &'static str = "outage";
}

impl PathId for QuotaAdjustmentId {
    const NOUN: &'static str = "quota adjustment";
}

impl PathId for SeriesId {
    const NOUN: &'static str = "series";
}

impl PathId for SimulationId {
    const NOUN: &'static str = "simulation";
}

impl PathId for SiteReservationId {
    const NOUN: &'static str = "reservation at another site";
}

impl PathId for TokenId {
    const NOUN: &'static str = "token";
}

impl PathId for GrantId {
    const NOUN: &'static str = "grant";
    const PART: &'static str = "grant_id";
}

/// The id in the path. Where it is none, there is nothing of that name.
pub struct IdInPath<T>(pub T);

impl<T: PathId, S: Send + Sync> FromRequestParts<S> for IdInPath<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let text = part(parts, state, T::PART).await;
        match text.parse::<Uuid>() {
            Ok(id) => Ok(Self(T::from(id))),
            Err(_) => Err(Problem::not_found(format!("{} {text:?}", T::NOUN))),
        }
    }
}

/// A part of the path by its name, as it was written; empty where it cannot be read.
pub async fn part<S: Send + Sync>(parts: &mut Parts, state: &S, name: &str) -> String {
    let path = Path::<HashMap<String, String>>::from_request_parts(parts, state).await;
    let found = path.ok().and_then(|Path(mut path)| path.remove(name));
    found.unwrap_or_default()
}
