//! `/api/v1/simulations`

pub mod cancel;
pub mod create;
pub mod document;
pub mod events;
pub mod get;
pub mod list;
pub mod remove;
pub mod result;
pub mod schema;
mod stored;

use axum::Extension;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::App;
use crate::http::body::MaxBody;

/// The largest experiment with its tables.
const MAX_EXPERIMENT_BYTES: usize = 32 << 20;

/// The routes.
pub fn router() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create::create_simulation, list::list_simulations))
        .layer(Extension(MaxBody::Bytes(MAX_EXPERIMENT_BYTES)))
        .routes(routes!(get::get_simulation, remove::remove_simulation))
        .routes(routes!(cancel::cancel_simulation))
        .routes(routes!(events::watch_simulation))
        .routes(routes!(result::get_result))
}
