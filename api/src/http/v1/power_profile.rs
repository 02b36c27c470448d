//! `GET /api/v1/power-profile`

use axum::Json;
use axum::extract::State;
use planner::time::{Seconds, Span, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::App;
use crate::http::caller::{Anyone, By};
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::ProfileStep;

/// Which span, and how finely.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ProfileQuery {
    /// RFC 3339; now unless given.
    pub from: Option<String>,
    /// RFC 3339; a day after `from` unless given.
    pub to: Option<String>,
    /// At most so many steps, 1 to 500. Where there are more, as many lengths of time are told by
    /// their greatest reserved power and least cap. Every step by itself unless given.
    pub columns: Option<u16>,
}

/// Power that counts against the cap over a span.
#[derive(Serialize, ToSchema)]
pub struct PowerProfileDocument {
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub from: Timestamp,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub to: Timestamp,
    /// What the cap limits: `reserved_nodes`, or `all_nodes`, idle ones too.
    #[schema(example = "reserved_nodes")]
    pub cap_scope: &'static str,
    /// What counts whatever is reserved, part of every step: the idle power of all nodes where the
    /// cap limits all. Watts.
    pub base_power_w: f64,
    /// Covering the span without gaps; neighbours differ.
    pub steps: Vec<ProfileStepDocument>,
}

/// Reserved power and the cap during a step.
#[derive(Serialize, ToSchema)]
pub struct ProfileStepDocument {
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub start: Timestamp,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub end: Timestamp,
    /// The sum of the maximum power of all reserved nodes, held offers included; of the
    /// alternative offers of one reservation the largest counts. Where the cap limits all nodes,
    /// the idle power of the others too. Watts.
    pub reserved_power_w: f64,
    /// Of which confirmed. Watts.
    pub confirmed_power_w: f64,
    /// The cap in force; null where none is known. Watts.
    pub cap_w: Option<f64>,
    /// `cap_w - reserved_power_w`. Watts.
    pub headroom_w: Option<f64>,
}

/// Reserved power and headroom against the cap, step by step
///
/// For users, operators and suppliers.
#[utoipa::path(
    get,
    path = "/api/v1/power-profile",
    tag = "book",
    params(ProfileQuery),
    responses(
        (status = OK, body = PowerProfileDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
    ),
)]
pub async fn get_power_profile(
    State(app): State<App>,
    _: By<Anyone>,
    Parameters(parameters): Parameters<ProfileQuery>,
) -> Result<Json<PowerProfileDocument>, Problem> {
    let span =
        query::span(parameters.from.as_deref(), parameters.to.as_deref(), app.service.now())?;
    let columns = parameters.columns.map(|it| query::cells("columns", Some(it), 0)).transpose()?;
    let mut profile = app.service.power_profile(span).await?;
    if let Some(columns) = columns
        && profile.steps.len() > columns as usize
    {
        profile.steps = coarsened(&profile.steps, span, columns);
    }
    Ok(Json(PowerProfileDocument {
        from: span.start(),
        to: span.end(),
        cap_scope: profile.cap_scope.word(),
        base_power_w: profile.base_power.as_watts(),
        steps: profile.steps.iter().map(document).collect(),
    }))
}

/// At most `columns` steps of one length, each with its greatest powers and its least cap. Both are
/// in time order, so a step is looked at once for each column that it is in.
fn coarsened(steps: &[ProfileStep], span: Span, columns: u32) -> Vec<ProfileStep> {
    let columns = i64::from(columns);
    let length = Seconds::new((span.length().get() + columns - 1) / columns);
    let mut rest = steps;
    let mut coarse = Vec::new();
    let mut start = span.start();
    while let Some(column) = Span::new(start, (start + length).min(span.end())) {
        let passed = rest.partition_point(|step| step.span.end() <= column.start());
        rest = &rest[passed..];
        let inside = rest.iter().take_while(|step| step.span.start() < column.end());
        coarse.extend(
            inside
                .copied()
                .reduce(|one, other| ProfileStep {
                    span: column,
                    confirmed: one.confirmed.max(other.confirmed),
                    reserved: one.reserved.max(other.reserved),
                    cap: [one.cap, other.cap].into_iter().flatten().min(),
                })
                .map(|step| ProfileStep { span: column, ..step }),
        );
        start = column.end();
    }
    coarse
}

fn document(step: &ProfileStep) -> ProfileStepDocument {
    ProfileStepDocument {
        start: step.span.start(),
        end: step.span.end(),
        reserved_power_w: step.reserved.as_watts(),
        confirmed_power_w: step.confirmed.as_watts(),
        cap_w: step.cap.map(planner::quantity::Power::as_watts),
        headroom_w: step.cap.map(|cap| (cap - step.reserved).as_watts()),
    }
}

#[cfg(test)]
mod tests {
    use super::{ProfileStep, coarsened};
    use planner::quantity::Power;
    use planner::time::{Span, Timestamp};

    fn span(start: i64, end: i64) -> Span {
        let at = Timestamp::from_unix_seconds;
        Span::new(at(start), at(end)).expect("start is before end")
    }

    #[test]
    fn columns_tell_the_greatest_power_and_the_least_cap() {
        let watts = |watts: i64| Power::from_microwatts(watts * 1_000_000);
        let step = |start, end, reserved, cap: Option<i64>| ProfileStep {
            span: span(start, end),
            confirmed: watts(reserved / 2),
            reserved: watts(reserved),
            cap: cap.map(watts),
        };
        let steps =
            [step(0, 10, 100, Some(500)), step(10, 60, 300, None), step(60, 100, 200, Some(400))];
        let expected = [
            ProfileStep { span: span(0, 50), ..step(0, 50, 300, Some(500)) },
            ProfileStep { span: span(50, 100), ..step(50, 100, 300, Some(400)) },
        ];
        assert_eq!(coarsened(&steps, span(0, 100), 2), expected);
        assert_eq!(coarsened(&steps, span(0, 100), 500).len(), 100);
    }
}
