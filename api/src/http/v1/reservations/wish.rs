//! Requests for nodes as bodies: the problem file's `request`, and optionally its `search`.

use planner::json::Reader;
use planner::json::reader::read;
use planner::json::request::{
    REQUEST_FIELDS, check_candidates, check_filter, request_fields, search,
};
use planner::problem::SearchMode;
use planner::time::Timestamp;
use serde_json::value::RawValue;

use crate::http::body::JsonBody;
use crate::http::problem::Problem;
use crate::service::{Service, State, Wish};

/// What a body is read against.
struct Context<'a> {
    now: Timestamp,
    /// Where starts are looked for unless the body says otherwise.
    search: SearchMode,
    state: &'a State,
    /// The fields it may have beside the request's.
    fields: &'static [&'static str],
}

impl<'a> Context<'a> {
    fn new(service: &Service, state: &'a State, fields: &'static [&'static str]) -> Self {
        Self { now: service.now(), search: service.settings().search, state, fields }
    }

    fn wish(&self, reader: &mut Reader, raw: &RawValue) -> Option<Wish> {
        let known = [REQUEST_FIELDS.as_slice(), self.fields].concat();
        let object = reader.object(raw, &known)?;
        let mode = reader.optional(&object, "search", search);
        let pareto_nodes = reader.optional(&object, "pareto_nodes", boolean);
        let explain = reader.optional(&object, "explain", boolean);
        let request = request_fields(reader, &object, self.now)?;
        check_filter(reader, &request.filter, &self.state.cluster.nodes);
        let search = mode?.unwrap_or(self.search);
        check_candidates(reader, search, &request, self.now);
        Some(Wish {
            request,
            search,
            pareto_nodes: pareto_nodes?.unwrap_or(true),
            explain: explain?.unwrap_or(false),
        })
    }
}

fn boolean(reader: &mut Reader, raw: &RawValue) -> Option<bool> {
    let value = serde_json::from_str(raw.get());
    reader.accept(value.map_err(|_| "is neither true nor false"))
}

/// Reads what a reservation is asked for.
///
/// # Errors
/// A problem with every error in it.
pub fn read_wish(body: &JsonBody, service: &Service, state: &State) -> Result<Wish, Problem> {
    let context = Context::new(service, state, &["search"]);
    body.read(|reader, raw| context.wish(reader, raw))
}

/// Reads what a quote is asked for, and what it is to tell.
///
/// # Errors
/// A problem with every error in it.
pub fn read_quote(body: &JsonBody, service: &Service, state: &State) -> Result<Wish, Problem> {
    let context = Context::new(service, state, &["search", "pareto_nodes", "explain"]);
    body.read(|reader, raw| context.wish(reader, raw))
}

/// Reads a wish that was stored; `None` once its window has passed, or nodes it names are gone.
pub fn stored_wish(text: &str, service: &Service, state: &State) -> Option<Wish> {
    let context = Context::new(service, state, &["search"]);
    read(text, |reader, raw| context.wish(reader, raw)).ok()
}
