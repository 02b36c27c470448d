//! `GET /api/v1/power-profile`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::time::{Seconds, Span, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::clock::Clock;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::book_views::{BookViewService, ProfileStep};

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
    /// How long each step is, the last at the most, where steps were put together for `columns`:
    /// nothing in one need hold at every instant. Null where each step is one. Seconds.
    pub column_s: Option<i64>,
    /// Covering the span without gaps; neighbours differ.
    pub steps: Vec<ProfileStepDocument>,
}

/// Reserved power and the cap during a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
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
    /// `cap_w - reserved_power_w`; the least of them where steps were put together. Watts.
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
    State(book_views): State<Arc<BookViewService>>,
    State(clock): State<Clock>,
    by: By,
    Parameters(parameters): Parameters<ProfileQuery>,
) -> Result<Json<PowerProfileDocument>, Problem> {
    let span = query::span(parameters.from.as_deref(), parameters.to.as_deref(), clock.now())?;
    let most = parameters.columns.map(|it| query::cells("columns", Some(it), 0)).transpose()?;
    let profile = book_views.power_profile(span, &by.kept()).await?;
    let exact = profile.steps.iter().map(document).collect();
    let (column_s, steps) = match most {
        Some(columns) => coarsened(exact, span, columns),
        None => (None, exact),
    };
    Ok(Json(PowerProfileDocument {
        from: span.start(),
        to: span.end(),
        cap_scope: profile.cap_scope.word(),
        base_power_w: profile.base_power.as_watts(),
        column_s,
        steps,
    }))
}

/// At most `columns` steps; where there are more, as many of one length, each with its greatest powers,
/// its least cap and its least headroom. Both are in time order, so a step is looked at once for each
/// column that it is in.
fn coarsened(
    steps: Vec<ProfileStepDocument>,
    span: Span,
    columns: u32,
) -> (Option<i64>, Vec<ProfileStepDocument>) {
    if steps.len() <= columns as usize {
        return (None, steps);
    }
    let columns = i64::from(columns);
    let length = Seconds::new((span.length().get() + columns - 1) / columns);
    let mut rest = steps.as_slice();
    let mut coarse = Vec::new();
    let mut start = span.start();
    while let Some(column) = Span::new(start, (start + length).min(span.end())) {
        rest = &rest[rest.partition_point(|step| step.end <= column.start())..];
        let inside = rest.iter().take_while(|step| step.start < column.end()).copied();
        let step = inside.reduce(ProfileStepDocument::with);
        coarse.extend(step.map(|step| ProfileStepDocument {
            start: column.start(),
            end: column.end(),
            ..step
        }));
        start = column.end();
    }
    (Some(length.get()), coarse)
}

impl ProfileStepDocument {
    /// Both as one: what they reserve at the most, and what is left at the least.
    fn with(self, other: Self) -> Self {
        let least = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        Self {
            start: self.start,
            end: other.end,
            reserved_power_w: self.reserved_power_w.max(other.reserved_power_w),
            confirmed_power_w: self.confirmed_power_w.max(other.confirmed_power_w),
            cap_w: least(self.cap_w, other.cap_w),
            headroom_w: least(self.headroom_w, other.headroom_w),
        }
    }
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
    use super::{ProfileStepDocument, coarsened};
    use planner::time::{Span, Timestamp};

    fn step(start: i64, end: i64, reserved: f64, cap: Option<f64>) -> ProfileStepDocument {
        ProfileStepDocument {
            start: Timestamp::from_unix_seconds(start),
            end: Timestamp::from_unix_seconds(end),
            reserved_power_w: reserved,
            confirmed_power_w: reserved / 2.0,
            cap_w: cap,
            headroom_w: cap.map(|cap| cap - reserved),
        }
    }

    #[test]
    fn columns_tell_the_greatest_power_and_the_least_that_is_left() {
        let steps = [
            step(0, 10, 100.0, Some(500.0)),
            step(10, 60, 300.0, None),
            step(60, 80, 600.0, Some(700.0)),
            step(80, 100, 200.0, Some(400.0)),
        ];
        let at = Timestamp::from_unix_seconds;
        let span = Span::new(at(0), at(100)).expect("start is before end");
        let first =
            ProfileStepDocument { headroom_w: Some(400.0), ..step(0, 50, 300.0, Some(500.0)) };
        // No instant is above its cap, although the greatest power is above the least cap.
        let second =
            ProfileStepDocument { headroom_w: Some(100.0), ..step(50, 100, 600.0, Some(400.0)) };
        assert_eq!(coarsened(steps.to_vec(), span, 2), (Some(50), vec![first, second]));
        assert_eq!(coarsened(steps.to_vec(), span, 4), (None, steps.to_vec()));
        let (length, fine) = coarsened(steps.to_vec(), span, 3);
        assert_eq!((length, fine.len()), (Some(34), 3));
    }
}
