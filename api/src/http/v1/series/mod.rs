//! `/api/v1/series`

pub mod create;
pub mod document;
pub mod end;
pub mod get;
pub mod list;
pub mod modify;
pub mod schema;
pub mod skip;
pub mod transfer;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::App;

/// The routes.
pub fn router() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create::create_series, list::list_series))
        .routes(routes!(get::get_series, modify::modify_series, end::end_series))
        .routes(routes!(skip::skip_occurrence))
        .routes(routes!(transfer::transfer_series))
}
