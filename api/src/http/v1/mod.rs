//! Version 1 of the API: the resources and their description.
#![expect(clippy::missing_errors_doc, reason = "a handler's `utoipa::path` lists its responses")]

pub mod agendas;
pub mod audit;
pub mod bills;
mod bounds;
pub mod calendar;
pub mod calibrations;
pub mod consumption;
pub mod estimates;
mod event_stream;
pub mod events;
pub mod feeds;
pub mod grants;
pub mod ledger;
pub mod me;
pub mod measurements;
pub mod meters;
pub mod model_error;
pub mod negotiations;
pub mod nodes;
pub mod notifications;
pub mod occupancy;
pub mod occupied;
pub mod outages;
mod path;
pub mod power;
pub mod power_actions;
pub mod power_profile;
pub mod predictions;
pub mod projects;
pub mod quota_adjustments;
pub mod quotas;
pub mod quotes;
pub mod reports;
pub mod reservations;
mod responses;
pub mod rights;
pub mod schedule;
pub mod schema;
pub mod series;
pub mod shares;
pub mod sign_in;
pub mod simulations;
pub mod site;
pub mod site_offers;
pub mod site_reservations;
pub mod slurm;
pub mod tokens;
pub mod webhooks;

use axum::http::Method;
use axum::{Extension, Router};
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::App;
use super::audit::ActionNames;
use super::body::MaxBody;
use super::kept;

/// The description that the routes fill.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Wattbook",
        description = "Books supercomputer nodes when power is clean and cheap.\n\n\
            Errors are problem documents (RFC 9457) with a stable `code`; bodies with errors get \
            all of them, each with a JSON pointer. Times are RFC 3339, spans half-open, units in \
            names. Without tokens the service runs for one local user on a loopback address.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    modifiers(&Tokens),
    security(("token" = [])),
    tags(
        (name = "planning", description = "Quotes and reservations"),
        (name = "cluster", description = "Nodes and their calibration"),
        (name = "grid", description = "The supplier's agendas"),
        (name = "metering", description = "What is measured"),
        (name = "simulation", description = "Experiments: what a month would have cost under other policies"),
        (name = "book", description = "Who holds what, and how much power it takes"),
        (name = "people", description = "Who asks, signing in at the site's OpenID provider, and projects"),
        (name = "accounting", description = "Whose energy it was, what it cost and what it emitted"),
    ),
)]
struct Description;

struct Tokens;

impl Modify for Tokens {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("A token made by `wattbook token create`, or an access token of an issuer of `GET /api/v1/sign-in`."))
            .build();
        let components = description.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(scheme));
    }
}

/// The largest table of nodes or samples: room for a million nodes.
const MAX_TABLE_BYTES: usize = 256 << 20;

/// The largest body of measurements: about half a million samples in CSV.
const MAX_MEASUREMENTS_BYTES: usize = 32 << 20;

/// The routes and their description.
pub fn router() -> OpenApiRouter<App> {
    let tables = OpenApiRouter::new()
        .routes(routes!(nodes::put::put_nodes, nodes::list::list_nodes))
        .routes(routes!(projects::import::import_projects, projects::list::list_projects))
        .routes(routes!(
            calibrations::create::create_calibration,
            calibrations::list::list_calibrations
        ))
        .layer(Extension(MaxBody::Bytes(MAX_TABLE_BYTES)));
    let measured = OpenApiRouter::new()
        .routes(routes!(
            measurements::create::create_measurements,
            measurements::list::list_measurements
        ))
        .layer(Extension(MaxBody::Bytes(MAX_MEASUREMENTS_BYTES)));
    let requests = OpenApiRouter::new()
        .routes(routes!(quotes::create_quote))
        .routes(routes!(
            reservations::create::create_reservation,
            reservations::list::list_reservations
        ))
        .routes(routes!(
            reservations::get::get_reservation,
            reservations::cancel::cancel_reservation,
            reservations::modify::modify_reservation
        ))
        .merge(series::router())
        .merge(of_sites())
        .layer(Extension(MaxBody::OfRequest));
    OpenApiRouter::with_openapi(Description::openapi())
        .merge(tables)
        .merge(measured)
        .merge(of_people())
        .routes(routes!(audit::list_audit_records))
        .routes(routes!(
            agendas::put::put_agenda,
            agendas::get::get_agenda,
            agendas::withdraw::withdraw_agenda
        ))
        .routes(routes!(calibrations::findings::list_findings))
        .routes(routes!(calibrations::decide::accept_calibrations))
        .routes(routes!(calibrations::decide::reject_calibrations))
        .routes(routes!(meters::list_meters))
        .routes(routes!(agendas::agreement::get_agreement))
        .routes(routes!(feeds::list::list_feeds))
        .routes(routes!(feeds::revisions::list_feed_revisions))
        .routes(routes!(feeds::refresh::refresh_feed))
        .routes(routes!(negotiations::list::list_negotiations))
        .routes(routes!(negotiations::get::get_negotiation))
        .routes(routes!(negotiations::answer::answer_negotiation))
        .routes(routes!(grants::create::create_grant, grants::list::list_grants))
        .routes(routes!(grants::revoke::revoke_grant))
        .routes(routes!(consumption::put_consumption, consumption::get_consumption))
        .routes(routes!(outages::create::create_outage, outages::list::list_outages))
        .routes(routes!(outages::change::change_outage, outages::end::end_outage))
        .merge(requests)
        .routes(routes!(reservations::choose::choose_offer))
        .routes(routes!(reservations::extend::extend_reservation))
        .routes(routes!(reservations::release::release_reservation))
        .routes(routes!(reservations::transfer::transfer_reservation))
        .routes(routes!(reservations::share::share_reservation))
        .routes(routes!(reservations::swap::swap_nodes))
        .routes(routes!(reservations::unshare::unshare_reservation))
        .routes(routes!(reservations::jobs::list_jobs))
        .routes(routes!(nodes::powers::get_node_powers))
        .merge(simulations::router())
        .routes(routes!(power::get_power))
        .routes(routes!(
            power_actions::list::list_power_actions,
            power_actions::decide::decide_power_actions
        ))
        .routes(routes!(power_actions::log::list_power_log))
        .routes(routes!(power_profile::get_power_profile))
        .routes(routes!(schedule::get_schedule))
        .routes(routes!(occupancy::get_occupancy))
        .routes(routes!(events::watch_events))
        .routes(routes!(ledger::rows::list_ledger_rows))
        .routes(routes!(ledger::totals::get_ledger_totals))
        .routes(routes!(model_error::get_model_error))
        .routes(routes!(reports::get_report))
        .routes(routes!(bills::get_bill))
        .routes(routes!(shares::list_shares))
        .routes(routes!(webhooks::list_webhooks))
        .routes(routes!(estimates::create::create_estimate))
        .routes(routes!(predictions::create::create_prediction))
        .routes(routes!(site::get_site))
        .routes(routes!(slurm::get_slurm))
        .routes(routes!(occupied::list_occupied))
}

/// The routes of other sites.
fn of_sites() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(site_offers::create::create_site_offers))
        .routes(routes!(
            site_reservations::create::create_site_reservation,
            site_reservations::list::list_site_reservations
        ))
        .routes(routes!(
            site_reservations::get::get_site_reservation,
            site_reservations::cancel::cancel_site_reservation
        ))
}

/// The routes of people: who they are, in which projects, and what they are told.
fn of_people() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(
            projects::get::get_project,
            projects::put::put_project,
            projects::remove::remove_project
        ))
        .routes(routes!(
            projects::put_member::put_project_member,
            projects::remove_member::remove_project_member
        ))
        .routes(routes!(quotas::list_quotas))
        .routes(routes!(
            quota_adjustments::create::create_quota_adjustment,
            quota_adjustments::list::list_quota_adjustments
        ))
        .routes(routes!(
            quota_adjustments::change::change_quota_adjustment,
            quota_adjustments::end::end_quota_adjustment
        ))
        .routes(routes!(
            calendar::create::renew_calendar,
            calendar::get::get_calendar,
            calendar::end::end_calendar
        ))
        .routes(routes!(calendar::feed::get_calendar_feed))
        .routes(routes!(
            notifications::get::get_notifications,
            notifications::put::put_notifications
        ))
        .routes(routes!(notifications::confirm::confirm_notifications))
        .routes(routes!(me::get_me))
        .routes(routes!(rights::list_rights))
        .routes(routes!(tokens::create::create_api_token, tokens::list::list_api_tokens))
        .routes(routes!(tokens::renew::renew_api_token))
        .routes(routes!(tokens::revoke::revoke_api_token))
        .routes(routes!(sign_in::ways::list_sign_in_ways))
        .routes(routes!(sign_in::device::create_device_code))
        .routes(routes!(sign_in::tokens::create_tokens))
        .routes(routes!(sign_in::forget::forget_tokens))
}

/// The description of all routes.
pub fn openapi() -> utoipa::openapi::OpenApi {
    describe(router()).1
}

/// The OpenAPI document: the description of all routes, with what values of requests may be.
///
/// # Errors
/// A bound of what is not described.
pub fn document() -> anyhow::Result<Value> {
    let mut document = serde_json::to_value(openapi())?;
    bounds::add(&mut document)
        .map_err(|error| anyhow::anyhow!("bounds of the OpenAPI document: {error}"))?;
    Ok(document)
}

/// What each route does, by the name that the description has for it.
pub fn action_names(description: &utoipa::openapi::OpenApi) -> ActionNames {
    let mut names = ActionNames::new();
    for (path, item) in &description.paths.paths {
        let operations = [
            (Method::GET, &item.get),
            (Method::PUT, &item.put),
            (Method::POST, &item.post),
            (Method::PATCH, &item.patch),
            (Method::DELETE, &item.delete),
        ];
        for (method, operation) in operations {
            let name = operation.as_ref().and_then(|it| it.operation_id.clone());
            names.extend(name.map(|name| ((method, path.clone()), name)));
        }
    }
    names
}

/// The routes apart from their description, which calls problems by their media type and says what
/// each response means.
pub fn describe(router: OpenApiRouter<App>) -> (Router<App>, utoipa::openapi::OpenApi) {
    let (router, mut description) = router.split_for_parts();
    let items = description.paths.paths.values_mut();
    let operations = items.flat_map(|item| {
        [&mut item.get, &mut item.put, &mut item.post, &mut item.patch, &mut item.delete]
            .into_iter()
            .flatten()
    });
    for (status, response) in operations.flat_map(|operation| &mut operation.responses.responses) {
        if let RefOr::T(response) = response
            && status.starts_with(['4', '5'])
            && let Some(content) = response.content.swap_remove("application/json")
        {
            response.content.insert("application/problem+json".to_owned(), content);
        }
    }
    responses::describe(&mut description);
    kept::describe(&mut description);
    (router, description)
}
