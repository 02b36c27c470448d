//! `GET /locations`

use axum::Json;
use axum::extract::State;
use serde_json::{Map, Value, json};

use super::Site;
use crate::http::by::By;

/// The site, by its name; where it lies is not known here.
pub async fn locations(State(site): State<Site>, _: By) -> Json<Map<String, Value>> {
    let name = site.settings.location.clone();
    let location = json!({ "latitude": null, "longitude": null, "name": name });
    Json(Map::from_iter([(name, location)]))
}
