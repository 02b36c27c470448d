//! `GET /api/v1/simulations/{id}/{result}`

use std::sync::Arc;

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use storage::SimulationId;
use utoipa::IntoParams;

use super::stored::{is_sweep, parsed};
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::Parameters;
use crate::http::v1::path::{IdInPath, part};
use crate::service::simulations::SimulationService;
use crate::simulation::results::{CellFile, SweepFile};

/// The report has styles of its own and nothing else: no script, no request, no frame around it
/// but ours.
const REPORT_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'self'; sandbox",
);

/// Of which cell.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CellQuery {
    /// A cell of a grid, from 1; without it the whole grid.
    pub cell: Option<u32>,
}

/// The result in the path, as it was written.
pub struct ResultInPath(pub String);

impl<S: Send + Sync> FromRequestParts<S> for ResultInPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        Ok(Self(part(parts, state, "result").await))
    }
}

/// A result as it is stored and sent.
#[derive(Clone, Copy)]
struct Sent {
    /// The last part of its URL.
    name: &'static str,
    /// The name under which it is stored.
    file: &'static str,
    kind: &'static str,
    /// Whether cells have it, and grids as a whole.
    of_cells: bool,
    of_sweeps: bool,
}

const CSV: &str = "text/csv; charset=utf-8";
#[cfg(feature = "parquet")]
const PARQUET: &str = "application/vnd.apache.parquet";

/// All results that a simulation may have.
const RESULTS: &[Sent] = &[
    Sent {
        name: "summary",
        file: CellFile::Summary.name(),
        kind: "application/json",
        of_cells: true,
        of_sweeps: true,
    },
    Sent {
        name: "runs.csv",
        file: CellFile::Runs.name(),
        kind: CSV,
        of_cells: true,
        of_sweeps: false,
    },
    Sent {
        name: "requests.csv",
        file: CellFile::Requests.name(),
        kind: CSV,
        of_cells: true,
        of_sweeps: false,
    },
    Sent {
        name: "curves.csv",
        file: CellFile::Curves.name(),
        kind: CSV,
        of_cells: true,
        of_sweeps: false,
    },
    Sent {
        name: "report",
        file: CellFile::Report.name(),
        kind: "text/html; charset=utf-8",
        of_cells: true,
        of_sweeps: true,
    },
    Sent {
        name: "summary.csv",
        file: SweepFile::Summary.name(),
        kind: CSV,
        of_cells: false,
        of_sweeps: true,
    },
    #[cfg(feature = "parquet")]
    Sent {
        name: "runs.parquet",
        file: CellFile::RunsParquet.name(),
        kind: PARQUET,
        of_cells: true,
        of_sweeps: false,
    },
    #[cfg(feature = "parquet")]
    Sent {
        name: "requests.parquet",
        file: CellFile::RequestsParquet.name(),
        kind: PARQUET,
        of_cells: true,
        of_sweeps: false,
    },
];

/// The results that a simulation has.
pub fn names(sweep: bool) -> impl Iterator<Item = &'static str> {
    RESULTS.iter().filter(move |sent| sent.of_cells || sweep).map(|sent| sent.name)
}

/// A result: `summary`, `runs.csv`, `requests.csv`, `curves.csv`, `report`, of a grid `summary.csv`
///
/// For its owner and operators. The bytes are those that `wattbook simulate` writes for the same
/// experiment and seed. Of a grid, `cell` says of which cell; `summary`, `report` and `summary.csv`
/// are there for the whole grid too.
#[utoipa::path(
    get,
    path = "/api/v1/simulations/{id}/{result}",
    tag = "simulation",
    params(("id" = uuid::Uuid, Path), ("result" = String, Path, example = "report"), CellQuery),
    responses(
        (status = OK, content((serde_json::Value = "application/json"), (String = "text/csv"), (String = "text/html"))),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It is not there yet"),
    ),
)]
pub async fn get_result(
    State(simulations): State<Arc<SimulationService>>,
    by: By,
    IdInPath(id): IdInPath<SimulationId>,
    ResultInPath(result): ResultInPath,
    Parameters(query): Parameters<CellQuery>,
) -> Result<Response, Problem> {
    let simulation = simulations.simulation(by.caller.access(), id).await?;
    let sweep = is_sweep(&parsed(&simulation.experiment)?);
    let sent = RESULTS.iter().find(|sent| sent.name == result && (sent.of_cells || sweep));
    let sent = sent.ok_or_else(|| Problem::not_found(format!("result {result:?}")))?;
    let cell = match query.cell {
        Some(cell) if !sent.of_cells || !(1..=simulation.cells).contains(&cell) => {
            let detail = format!("of this result there is no cell {cell}");
            return Err(Problem::invalid_parameter("cell", detail));
        }
        Some(cell) => cell,
        None if !sweep => 1,
        None if sent.of_sweeps => 0,
        None => {
            let detail = format!("must say which of the {} cells", simulation.cells);
            return Err(Problem::invalid_parameter("cell", detail));
        }
    };
    let content = simulations.simulation_result(&simulation, cell, sent.file).await?;
    let note = by.caller.reads(Some(&simulation.owner));
    let mut response = (note, [(header::CONTENT_TYPE, sent.kind)], content).into_response();
    if sent.name == "report" {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, REPORT_POLICY);
    }
    Ok(response)
}
