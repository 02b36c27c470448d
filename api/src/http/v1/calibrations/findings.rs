//! `GET /api/v1/calibrations/findings`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::quantity::{MILLION, Power};
use planner::recalibration::{Estimate, ModelError, NodeFault, ProposalState};
use planner::time::{Span, Timestamp};
use serde::{Deserialize, Serialize};
use storage::{JudgedCounts, JudgedNode, JudgedStanding};
use utoipa::{IntoParams, ToSchema};

use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::recalibration::RecalibrationService;
use crate::service::shared::SiteState;

/// Which nodes.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FindingsQuery {
    /// Only `drifted`, `outlying`, `failing`, `proposed` or `rejected` ones.
    pub standing: Option<String>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<String>,
    /// Nodes in a page, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
}

/// Nodes as they were judged last.
#[derive(Serialize, ToSchema)]
pub struct FindingsPage {
    /// What becomes of what is measured: `propose`, `take`, or `off`, also where no meter measures nodes.
    #[schema(example = "propose")]
    pub follow: &'static str,
    /// When nodes were judged; null before that.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub judged_at: Option<Timestamp>,
    /// The quarter-hours that counted begin here.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub from: Option<Timestamp>,
    /// They end here.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub to: Option<Timestamp>,
    /// How many nodes there are of each standing.
    pub counts: FindingCounts,
    /// By name.
    pub items: Vec<FindingDocument>,
    /// Where the next page starts; null on the last.
    pub next_cursor: Option<String>,
}

/// How many nodes there are of each standing.
#[derive(Serialize, ToSchema)]
pub struct FindingCounts {
    /// All.
    pub nodes: i64,
    /// Those that differ from the calibration in force.
    pub drifted: i64,
    /// Those that stand out among their kind.
    pub outlying: i64,
    /// Those of which nothing can be believed.
    pub failing: i64,
    /// Those for which a calibration is proposed.
    pub proposed: i64,
    /// Those for which one was rejected.
    pub rejected: i64,
}

/// A node as it was judged last.
#[derive(Serialize, ToSchema)]
pub struct FindingDocument {
    /// Its name.
    #[schema(example = "n1")]
    pub node: String,
    /// The idle power in force, watts; null where the node is gone.
    pub idle_power_w: Option<f64>,
    /// The maximum power in force, watts; null where the node is gone.
    pub max_power_w: Option<f64>,
    /// What it draws when nobody has it; null where too little is known.
    pub measured_idle: Option<EstimateDocument>,
    /// The most that it draws; null where nobody made it work as hard as it can.
    pub measured_max: Option<EstimateDocument>,
    /// Whether it differs from the calibration in force.
    pub drifted: bool,
    /// Whether it stands out among the nodes with the same partitions and features.
    pub outlying: bool,
    /// Why what is measured cannot be believed: `unmeasured`, `draws_nothing`, `implausible` or `stuck`; else null.
    pub fault: Option<&'static str>,
    /// The error of the calibration in force over the quarter-hours in which it was held.
    pub error: ErrorDocument,
    /// The calibration that is proposed for it.
    pub proposal: Option<ProposalDocument>,
}

/// A power that quarter-hours show.
#[derive(Serialize, ToSchema)]
pub struct EstimateDocument {
    /// Watts.
    pub power_w: f64,
    /// Standard deviation, watts.
    pub spread_w: f64,
    /// How many quarter-hours it rests on.
    pub quarters: u32,
}

/// The model's error: what was predicted less what was measured, of what was measured.
#[derive(Serialize, ToSchema)]
pub struct ErrorDocument {
    /// How many predictions.
    pub count: u32,
    /// The mean, percent: above zero where more was predicted than measured; null for none.
    #[schema(example = 2.5)]
    pub mean_percent: Option<f64>,
    /// The mean of the errors without their signs, percent; null for none.
    #[schema(example = 4.1)]
    pub mean_absolute_percent: Option<f64>,
}

/// A calibration that is proposed.
#[derive(Serialize, ToSchema)]
pub struct ProposalDocument {
    /// `open` or `rejected`.
    pub state: &'static str,
    /// Since when it is so.
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
    /// Watts.
    pub idle_power_w: f64,
    /// Watts.
    pub max_power_w: f64,
}

/// What meters say of nodes against their calibration
///
/// For users and operators. Nodes are judged by the quarter-hours of the last weeks: what they draw when nobody has them
/// and when they are held, whether that differs from the calibration in force, and what is proposed.
#[utoipa::path(
    get,
    path = "/api/v1/calibrations/findings",
    tag = "cluster",
    params(FindingsQuery),
    responses(
        (status = OK, body = FindingsPage),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_findings(
    State(recalibration): State<Arc<RecalibrationService>>,
    by: By,
    Parameters(parameters): Parameters<FindingsQuery>,
) -> Result<Json<FindingsPage>, Problem> {
    let limit = query::limit(parameters.limit, 100, 1000)?;
    let standing =
        query::words("standing", parameters.standing.as_deref(), JudgedStanding::from_word)?;
    let ([] | [_]) = standing[..] else {
        return Err(Problem::invalid_parameter("standing", "must be one word"));
    };
    let after = query::name("cursor", parameters.cursor)?.unwrap_or_default();
    let page = recalibration.judged(standing.first().copied(), &after, limit).await?;
    let (list, span) = (page.list, page.list.state.judged.map(|(_, span)| span));
    let document = |it: &JudgedNode| FindingDocument::new(it, &by.state);
    Ok(Json(FindingsPage {
        follow: list.follow.word(),
        judged_at: list.state.judged.map(|(at, _)| at),
        from: span.map(Span::start),
        to: span.map(Span::end),
        counts: list.counts.into(),
        items: page.nodes.iter().map(document).collect(),
        next_cursor: page.next,
    }))
}

impl From<JudgedCounts> for FindingCounts {
    fn from(counts: JudgedCounts) -> Self {
        let JudgedCounts { nodes, drifted, outlying, failing, proposed, rejected } = counts;
        Self { nodes, drifted, outlying, failing, proposed, rejected }
    }
}

impl FindingDocument {
    fn new(judged: &JudgedNode, state: &SiteState) -> Self {
        let nodes = &state.cluster.nodes;
        let node = nodes.index().ordinal(&judged.node).map(|it| &nodes.as_slice()[it as usize]);
        let finding = &judged.finding;
        Self {
            node: judged.node.clone(),
            idle_power_w: node.map(|it| it.idle().as_watts()),
            max_power_w: node.map(|it| it.max().as_watts()),
            measured_idle: finding.idle.map(EstimateDocument::from),
            measured_max: finding.max.map(EstimateDocument::from),
            drifted: finding.drifted,
            outlying: finding.outlying,
            fault: finding.fault.map(NodeFault::word),
            error: judged.error.into(),
            proposal: judged.proposal.map(|(state, since)| {
                let (state, powers) = match state {
                    ProposalState::Open(powers) => ("open", powers),
                    ProposalState::Rejected(powers) => ("rejected", powers),
                };
                let (idle_power_w, max_power_w) = (powers.idle.as_watts(), powers.max.as_watts());
                ProposalDocument { state, since, idle_power_w, max_power_w }
            }),
        }
    }
}

impl From<Estimate> for EstimateDocument {
    fn from(estimate: Estimate) -> Self {
        let watts = Power::as_watts;
        let Estimate { power, spread, quarters } = estimate;
        Self { power_w: watts(power), spread_w: watts(spread), quarters }
    }
}

impl From<ModelError> for ErrorDocument {
    fn from(error: ModelError) -> Self {
        let percent = |millionths: i64| millionths as f64 * 100.0 / MILLION as f64;
        Self {
            count: error.count,
            mean_percent: error.mean.map(percent),
            mean_absolute_percent: error.mean_absolute.map(percent),
        }
    }
}
