//! `GET /api/v1/occupancy`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::clock::Clock;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::book_views::BookViewService;

/// Which part of the book, and how finely.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OccupancyQuery {
    /// RFC 3339; now unless given.
    pub from: Option<String>,
    /// RFC 3339; a day after `from` unless given.
    pub to: Option<String>,
    /// The first node's ordinal; 0 unless given.
    pub first_node: Option<u32>,
    /// The last node's ordinal; the cluster's last unless given.
    pub last_node: Option<u32>,
    /// At most so many groups of nodes, 1 to 500; 50 unless given.
    pub rows: Option<u16>,
    /// At most so many lengths of time, 1 to 500; 96 unless given.
    pub columns: Option<u16>,
}

/// How full the cluster is: groups of nodes by lengths of time.
///
/// The cells of `booked`, `held` and `out` stand row by row, in thousandths of the cell's nodes and
/// time; what is taken at all is at least 1.
#[derive(Serialize, ToSchema)]
pub struct OccupancyDocument {
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub from: Timestamp,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub to: Timestamp,
    /// Nodes of the whole cluster.
    pub count: u32,
    /// Ordinal of the first row's first node.
    pub first_node: u32,
    /// Ordinal of the last row's last node.
    pub last_node: u32,
    /// Nodes of a row; the last may have fewer.
    pub row_nodes: u32,
    /// The name of each row's first node.
    pub row_names: Vec<String>,
    /// Seconds of a column; the last may be shorter.
    pub column_s: i64,
    /// How many columns there are.
    pub columns: usize,
    /// Reservations that hold some of the nodes in the span.
    pub reservations: usize,
    /// Booked for certain.
    pub booked: Vec<u16>,
    /// Held by offers that were not chosen yet.
    pub held: Vec<u16>,
    /// Out of service.
    pub out: Vec<u16>,
}

/// How full the cluster is, by groups of nodes
///
/// For users and operators. As large for a million nodes as for forty.
#[utoipa::path(
    get,
    path = "/api/v1/occupancy",
    tag = "book",
    params(OccupancyQuery),
    responses(
        (status = OK, body = OccupancyDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn get_occupancy(
    State(book_views): State<Arc<BookViewService>>,
    State(clock): State<Clock>,
    by: By,
    Parameters(parameters): Parameters<OccupancyQuery>,
) -> Result<Json<OccupancyDocument>, Problem> {
    let span = query::span(parameters.from.as_deref(), parameters.to.as_deref(), clock.now())?;
    let nodes = query::nodes(parameters.first_node, parameters.last_node)?;
    let rows = query::cells("rows", parameters.rows, 50)?;
    let columns = query::cells("columns", parameters.columns, 96)?;
    let found = book_views.occupancy(span, nodes, rows, columns, &by.kept()).await?;
    let (frame, names) = (&found.frame, &found.cluster.nodes);
    let first = |row: usize| frame.nodes.clone().step_by(frame.row_nodes as usize).nth(row);
    let row_names = (0..frame.rows()).filter_map(first);
    Ok(Json(OccupancyDocument {
        from: span.start(),
        to: span.end(),
        count: names.count(),
        first_node: frame.nodes.start,
        last_node: frame.nodes.end - 1,
        row_nodes: frame.row_nodes,
        row_names: row_names.map(|ordinal| names.name(ordinal).into_owned()).collect(),
        column_s: frame.column_s,
        columns: frame.columns(),
        reservations: found.reservations,
        booked: found.booked,
        held: found.held,
        out: found.out,
    }))
}
