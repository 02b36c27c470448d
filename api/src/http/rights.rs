//! The one table of which right each route needs. A route that is not in it answers nobody: see [`RouteRight::of`] and
//! [`unlisted`]. What the rights are by default is in [`planner::rights::Action`], what the site makes of them in `[[rights]]`.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{Extensions, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use planner::rights::Action;

use super::audit::ActionNames;
use super::problem::Problem;
use crate::service::shared::Forbidden;

/// What a route needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteRight {
    /// The right to an action.
    Of(Action),
    /// Nothing: who asks need not be known.
    Open,
}

use RouteRight::{Of, Open};

/// Method, path as the OpenAPI document has it, and what it needs.
type ListedRoute = (&'static str, &'static str, RouteRight);

/// Every route whose caller is known, and those below `/api/v1/` that are open.
#[rustfmt::skip]
pub const ROUTES: &[ListedRoute] = &[
    ("POST", "/api/v1/quotes", Of(Action::QuoteCreate)),
    ("POST", "/api/v1/estimates", Of(Action::EstimateCreate)),
    ("POST", "/api/v1/predictions", Of(Action::PredictionCreate)),
    ("POST", "/api/v1/reservations", Of(Action::ReservationCreate)),
    ("GET", "/api/v1/reservations", Of(Action::ReservationRead)),
    ("GET", "/api/v1/reservations/{id}", Of(Action::ReservationRead)),
    ("GET", "/api/v1/reservations/{id}/jobs", Of(Action::ReservationRead)),
    ("POST", "/api/v1/reservations/{id}/choose", Of(Action::ReservationChoose)),
    ("PATCH", "/api/v1/reservations/{id}", Of(Action::ReservationChange)),
    ("POST", "/api/v1/reservations/{id}/extend", Of(Action::ReservationExtend)),
    ("POST", "/api/v1/reservations/{id}/release", Of(Action::ReservationRelease)),
    ("DELETE", "/api/v1/reservations/{id}", Of(Action::ReservationCancel)),
    ("POST", "/api/v1/reservations/{id}/swap", Of(Action::ReservationSwap)),
    ("POST", "/api/v1/reservations/{id}/share", Of(Action::ReservationShare)),
    ("POST", "/api/v1/reservations/{id}/unshare", Of(Action::ReservationShare)),
    ("POST", "/api/v1/reservations/{id}/transfer", Of(Action::ReservationGiveAway)),
    ("POST", "/api/v1/site-offers", Of(Action::SiteOfferCreate)),
    ("POST", "/api/v1/site-reservations", Of(Action::SiteReservationCreate)),
    ("GET", "/api/v1/site-reservations", Of(Action::SiteReservationRead)),
    ("GET", "/api/v1/site-reservations/{id}", Of(Action::SiteReservationRead)),
    ("DELETE", "/api/v1/site-reservations/{id}", Of(Action::SiteReservationCancel)),
    // A series is reservations: who may do something with these may with it.
    ("POST", "/api/v1/series", Of(Action::ReservationCreate)),
    ("GET", "/api/v1/series", Of(Action::ReservationRead)),
    ("GET", "/api/v1/series/{id}", Of(Action::ReservationRead)),
    ("PATCH", "/api/v1/series/{id}", Of(Action::ReservationChange)),
    ("DELETE", "/api/v1/series/{id}", Of(Action::ReservationCancel)),
    ("DELETE", "/api/v1/series/{id}/occurrences/{occurrence}", Of(Action::ReservationCancel)),
    ("POST", "/api/v1/series/{id}/transfer", Of(Action::ReservationGiveAway)),
    ("POST", "/api/v1/simulations", Of(Action::SimulationRun)),
    ("GET", "/api/v1/simulations", Of(Action::SimulationRead)),
    ("GET", "/api/v1/simulations/{id}", Of(Action::SimulationRead)),
    ("GET", "/api/v1/simulations/{id}/events", Of(Action::SimulationRead)),
    ("GET", "/api/v1/simulations/{id}/{result}", Of(Action::SimulationRead)),
    ("POST", "/api/v1/simulations/{id}/cancel", Of(Action::SimulationStop)),
    ("DELETE", "/api/v1/simulations/{id}", Of(Action::SimulationStop)),
    ("GET", "/api/v1/schedule", Of(Action::ScheduleRead)),
    ("GET", "/api/v1/occupancy", Of(Action::ScheduleRead)),
    ("GET", "/api/v1/events", Of(Action::EventWatch)),
    ("GET", "/api/v1/calendar", Of(Action::CalendarRead)),
    ("POST", "/api/v1/calendar", Of(Action::CalendarChange)),
    ("DELETE", "/api/v1/calendar", Of(Action::CalendarChange)),
    // The secret in its address is the right.
    ("GET", "/api/v1/calendar/{file}", Open),
    ("GET", "/api/v1/notifications", Of(Action::NotificationRead)),
    ("PUT", "/api/v1/notifications", Of(Action::NotificationChange)),
    ("POST", "/api/v1/notifications/confirm", Of(Action::NotificationChange)),
    ("GET", "/api/v1/nodes", Of(Action::NodeRead)),
    ("PUT", "/api/v1/nodes", Of(Action::NodeChange)),
    ("GET", "/api/v1/outages", Of(Action::OutageRead)),
    ("POST", "/api/v1/outages", Of(Action::OutageDeclare)),
    // Who changes one must be let end it, too: the handler sees to that.
    ("PATCH", "/api/v1/outages/{id}", Of(Action::OutageDeclare)),
    ("DELETE", "/api/v1/outages/{id}", Of(Action::OutageEnd)),
    ("GET", "/api/v1/calibrations", Of(Action::CalibrationRead)),
    ("GET", "/api/v1/calibrations/findings", Of(Action::CalibrationRead)),
    ("POST", "/api/v1/calibrations", Of(Action::CalibrationChange)),
    ("POST", "/api/v1/calibrations/accept", Of(Action::CalibrationChange)),
    ("POST", "/api/v1/calibrations/reject", Of(Action::CalibrationChange)),
    ("GET", "/api/v1/measurements", Of(Action::MeasurementRead)),
    ("POST", "/api/v1/measurements", Of(Action::MeasurementSend)),
    ("GET", "/api/v1/meters", Of(Action::MeterRead)),
    ("GET", "/api/v1/power", Of(Action::PowerRead)),
    ("GET", "/api/v1/nodes/powers", Of(Action::PowerRead)),
    ("GET", "/api/v1/power-profile", Of(Action::PowerProfileRead)),
    ("GET", "/api/v1/power-actions", Of(Action::PowerActionRead)),
    ("GET", "/api/v1/power-actions/log", Of(Action::PowerActionRead)),
    ("POST", "/api/v1/power-actions", Of(Action::PowerApprove)),
    ("GET", "/api/v1/agendas/{quantity}", Of(Action::AgendaRead)),
    ("PUT", "/api/v1/agendas/{quantity}", Of(Action::AgendaPublish)),
    ("DELETE", "/api/v1/agendas/{quantity}", Of(Action::AgendaPublish)),
    ("GET", "/api/v1/agendas/{quantity}/agreement", Of(Action::FeedCompare)),
    ("GET", "/api/v1/feeds", Of(Action::FeedRead)),
    ("GET", "/api/v1/feeds/{id}/revisions", Of(Action::FeedRead)),
    ("POST", "/api/v1/feeds/{id}/refresh", Of(Action::FeedRefresh)),
    ("GET", "/api/v1/negotiations", Of(Action::NegotiationRead)),
    ("GET", "/api/v1/negotiations/{id}", Of(Action::NegotiationRead)),
    ("POST", "/api/v1/negotiations/{id}/answer", Of(Action::NegotiationAnswer)),
    ("GET", "/api/v1/grants", Of(Action::GrantRead)),
    ("POST", "/api/v1/grants", Of(Action::GrantGive)),
    ("DELETE", "/api/v1/grants/{grant_id}", Of(Action::GrantGive)),
    ("GET", "/api/v1/consumption", Of(Action::ConsumptionRead)),
    ("PUT", "/api/v1/consumption", Of(Action::ConsumptionSend)),
    ("GET", "/api/v1/quotas", Of(Action::QuotaRead)),
    ("GET", "/api/v1/quotas/adjustments", Of(Action::QuotaAdjust)),
    ("POST", "/api/v1/quotas/adjustments", Of(Action::QuotaAdjust)),
    ("PATCH", "/api/v1/quotas/adjustments/{id}", Of(Action::QuotaAdjust)),
    ("DELETE", "/api/v1/quotas/adjustments/{id}", Of(Action::QuotaAdjust)),
    ("GET", "/api/v1/shares", Of(Action::ShareRead)),
    ("GET", "/api/v1/ledger", Of(Action::LedgerRead)),
    ("GET", "/api/v1/ledger/totals", Of(Action::LedgerRead)),
    ("GET", "/api/v1/reports", Of(Action::LedgerRead)),
    ("GET", "/api/v1/bills", Of(Action::LedgerRead)),
    ("GET", "/api/v1/model-error", Of(Action::ModelErrorRead)),
    ("GET", "/api/v1/projects", Of(Action::ProjectRead)),
    ("GET", "/api/v1/projects/{name}", Of(Action::ProjectRead)),
    ("PUT", "/api/v1/projects/{name}/members/{user}", Of(Action::ProjectMembers)),
    ("DELETE", "/api/v1/projects/{name}/members/{user}", Of(Action::ProjectMembers)),
    ("PUT", "/api/v1/projects", Of(Action::ProjectChange)),
    ("PUT", "/api/v1/projects/{name}", Of(Action::ProjectChange)),
    ("DELETE", "/api/v1/projects/{name}", Of(Action::ProjectChange)),
    ("GET", "/api/v1/tokens", Of(Action::TokenRead)),
    ("POST", "/api/v1/tokens", Of(Action::TokenChange)),
    ("POST", "/api/v1/tokens/{id}/renew", Of(Action::TokenChange)),
    ("DELETE", "/api/v1/tokens/{id}", Of(Action::TokenChange)),
    ("GET", "/api/v1/site", Of(Action::SiteRead)),
    ("GET", "/api/v1/slurm", Of(Action::SiteRead)),
    ("GET", "/api/v1/slurm/occupied", Of(Action::OccupiedRead)),
    ("GET", "/api/v1/webhooks", Of(Action::WebhookRead)),
    ("GET", "/metrics", Of(Action::MetricsRead)),
    ("GET", "/api/v1/audit", Of(Action::AuditRead)),
    ("GET", "/api/v1/rights", Of(Action::RightsRead)),
    ("GET", "/api/v1/me", Of(Action::MeRead)),
    ("GET", "/api/v1/sign-in", Open),
    ("POST", "/api/v1/sign-in/device", Open),
    ("POST", "/api/v1/sign-in/tokens", Open),
    ("POST", "/api/v1/sign-in/forget", Open),
    ("GET", "/emissions/bylocation", Of(Action::AgendaRead)),
    ("GET", "/emissions/bylocations", Of(Action::AgendaRead)),
    ("GET", "/emissions/bylocations/best", Of(Action::AgendaRead)),
    ("GET", "/emissions/average-carbon-intensity", Of(Action::AgendaRead)),
    ("POST", "/emissions/average-carbon-intensity/batch", Of(Action::AgendaRead)),
    ("GET", "/emissions/forecasts/current", Of(Action::AgendaRead)),
    ("POST", "/emissions/forecasts/batch", Of(Action::AgendaRead)),
    ("GET", "/locations", Of(Action::AgendaRead)),
];

/// By method and path.
static BY_ROUTE: LazyLock<HashMap<(&str, &str), RouteRight>> = LazyLock::new(|| {
    ROUTES.iter().map(|(method, path, right)| ((*method, *path), *right)).collect()
});

impl RouteRight {
    /// What a route needs; `None` where it is not in the table, and nobody may.
    pub fn of(method: &Method, route: &str) -> Option<Self> {
        // Heads are asked as their bodies are.
        let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
        BY_ROUTE.get(&(method, route)).copied()
    }

    /// The routes of an action, such as `GET /api/v1/me`.
    pub fn routes_of(action: Action) -> Vec<String> {
        let of_action = ROUTES.iter().filter(|(_, _, right)| *right == Of(action));
        of_action.map(|(method, path, _)| format!("{method} {path}")).collect()
    }
}

/// The action that a request is about; `None` where its route is not in the table, or open.
pub fn action_of(method: &Method, extensions: &Extensions) -> Option<Action> {
    let route = extensions.get::<MatchedPath>()?;
    match RouteRight::of(method, route.as_str())? {
        Of(action) => Some(action),
        Open => None,
    }
}

/// Routes that are served and not in the table.
pub type Unlisted = Arc<HashSet<(Method, String)>>;

/// The routes of the description that are not in the table. There are none, unless somebody forgot one.
pub fn unlisted(described: &ActionNames) -> Unlisted {
    let missing = described.keys().filter(|(method, path)| RouteRight::of(method, path).is_none());
    let missing: HashSet<(Method, String)> = missing.cloned().collect();
    for (method, path) in &missing {
        tracing::error!(%method, path, "a route has no right in the table, and answers nobody");
    }
    Arc::new(missing)
}

/// Refuses what is not in the table.
pub async fn refuse_unlisted(
    State(unlisted): State<Unlisted>,
    request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let asked = route.filter(|_| !unlisted.is_empty());
    let asked = asked.map(|route| (request.method().clone(), route.to_owned()));
    if asked.is_some_and(|asked| unlisted.contains(&asked)) {
        return not_listed().into_response();
    }
    next.run(request).await
}

/// The answer where no right is known.
pub fn not_listed() -> Problem {
    let detail = "This is not in the service's table of rights, and so for nobody.";
    Problem::new(StatusCode::FORBIDDEN, "forbidden", "Not allowed", detail)
}

impl From<Forbidden> for Problem {
    fn from(forbidden: Forbidden) -> Self {
        let detail = forbidden.to_string();
        Self::new(StatusCode::FORBIDDEN, "forbidden", "Not allowed", detail).with(&forbidden)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::v1;

    #[test]
    fn every_route_is_in_the_table_once_and_nothing_else_is() {
        assert_eq!(BY_ROUTE.len(), ROUTES.len(), "a route is in the table twice");
        let described = v1::action_names(&v1::openapi());
        assert!(unlisted(&described).is_empty());
        for (method, path, _) in ROUTES.iter().filter(|(_, path, _)| path.starts_with("/api/")) {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let route = (method, (*path).to_owned());
            assert!(described.contains_key(&route), "{route:?} is not served");
        }
    }

    #[test]
    fn every_action_has_a_route_but_to_act_for_others() {
        for action in Action::ALL {
            let routes = RouteRight::routes_of(*action);
            assert_eq!(routes.is_empty(), *action == Action::UserActFor, "{}", action.word());
        }
    }

    #[test]
    fn what_is_not_in_the_table_is_nobodys() {
        assert_eq!(RouteRight::of(&Method::GET, "/api/v1/secrets"), None);
        assert_eq!(RouteRight::of(&Method::DELETE, "/api/v1/me"), None);
        assert_eq!(RouteRight::of(&Method::HEAD, "/api/v1/me"), Some(Of(Action::MeRead)));
    }

    /// `docs/RIGHTS.md` is written by hand, and read here.
    #[test]
    fn the_documented_table_is_this_one() {
        let documented = include_str!("../../../docs/RIGHTS.md");
        let rows: Vec<&str> = documented.lines().filter(|line| line.contains("` | ")).collect();
        for action in Action::ALL {
            let roles: Vec<&str> = action.roles().iter().map(|role| role.word()).collect();
            let (roles, whose) = (roles.join(", "), action.regard().word());
            let routes = RouteRight::routes_of(*action);
            let routes: Vec<String> = routes.iter().map(|route| format!("`{route}`")).collect();
            let (word, told) = (action.word(), action.told());
            let row = format!("| `{word}` | {roles} | {whose} | {told} | {} |", routes.join(", "));
            assert!(rows.contains(&row.as_str()), "docs/RIGHTS.md should have the row\n{row}");
        }
        let of_actions = rows.iter().filter(|row| row.matches(" | ").count() == 4);
        assert_eq!(of_actions.count(), Action::ALL.len(), "docs/RIGHTS.md has rows of no action");
    }
}
