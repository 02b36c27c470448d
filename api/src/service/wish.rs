//! Wishes: requests for nodes, and what to do about them, as documents.

use planner::json::reader::read;
use planner::json::request::{
    REQUEST_FIELDS, check_candidates, check_filter, request_fields, search,
};
use planner::json::{JsonError, Reader};
use planner::problem::SearchMode;
use planner::request::Request;
use planner::time::Timestamp;
use serde_json::value::RawValue;
use storage::{ReservationId, StoredReservation};
use uuid::Uuid;

use super::{Expected, Service, State};

/// The highest priority.
const MAX_PRIORITY: i64 = 1000;

/// A request, where its starts are looked for, and what to tell of them.
#[derive(Clone, Debug)]
pub struct Wish {
    /// What is asked for.
    pub request: Request,
    /// Where starts are looked for.
    pub search: SearchMode,
    /// Whether the nodes of every start on the Pareto front are told.
    pub pareto_nodes: bool,
    /// Whether to tell what lies beside the best starts.
    pub explain: bool,
    /// What to do where only the cap is in the way.
    pub on_cap: OnCap,
    /// The lowest gives way first where the site says so.
    pub priority: i64,
    /// The reservation whose place it takes once an offer is chosen.
    pub replaces: Option<ReservationId>,
    /// What one of its offers must be; without such an offer nothing is held.
    pub expected: Option<Expected>,
}

impl Wish {
    /// A request and nothing beside it.
    pub const fn plain(request: Request, search: SearchMode) -> Self {
        let (on_cap, priority, replaces, expected) = (OnCap::Refuse, 0, None, None);
        let (pareto_nodes, explain) = (false, false);
        Self { request, search, pareto_nodes, explain, on_cap, priority, replaces, expected }
    }
}

/// What to do about a request that fails only for the cap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum OnCap {
    /// Say that it is impossible.
    #[default]
    Refuse,
    /// Ask the supplier for extra power, for at most this fee in the site's currency.
    Negotiate {
        /// None unless said: what costs nothing.
        fee_limit: f64,
    },
}

/// What a body is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be held.
    Reservation,
    /// To be told only.
    Quote,
}

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
    fn new(service: &Service, state: &'a State, purpose: Purpose) -> Self {
        let fields: &[&str] = match purpose {
            Purpose::Reservation => {
                &["search", "on_cap", "extra_power_fee_limit", "priority", "replaces", "expected"]
            }
            Purpose::Quote => &["search", "pareto_nodes", "explain"],
        };
        Self { now: service.now(), search: service.settings().search, state, fields }
    }

    fn wish(&self, reader: &mut Reader, raw: &RawValue) -> Option<Wish> {
        let known = [REQUEST_FIELDS.as_slice(), self.fields].concat();
        let object = reader.object(raw, &known)?;
        let mode = reader.optional(&object, "search", search);
        let pareto_nodes = reader.optional(&object, "pareto_nodes", Reader::boolean);
        let explain = reader.optional(&object, "explain", Reader::boolean);
        let on_cap = reader.optional(&object, "on_cap", on_cap);
        let fee_limit = reader.optional(&object, "extra_power_fee_limit", amount);
        let priority = reader.optional(&object, "priority", priority);
        let replaces = reader.optional(&object, "replaces", reservation);
        let expected = reader.optional(&object, "expected", Expected::read);
        let request = request_fields(reader, &object, self.now)?;
        check_filter(reader, &request.filter, &self.state.cluster.nodes);
        let search = mode?.unwrap_or(self.search);
        check_candidates(reader, search, &request, self.now);
        let (on_cap, fee_limit) = (on_cap?.unwrap_or_default(), fee_limit?);
        if fee_limit.is_some() && on_cap == OnCap::Refuse {
            reader.error_at("extra_power_fee_limit", "needs \"on_cap\": \"negotiate\"");
        }
        Some(Wish {
            request,
            search,
            pareto_nodes: pareto_nodes?.unwrap_or(true),
            explain: explain?.unwrap_or(false),
            on_cap: match on_cap {
                OnCap::Negotiate { .. } => {
                    OnCap::Negotiate { fee_limit: fee_limit.unwrap_or_default() }
                }
                OnCap::Refuse => OnCap::Refuse,
            },
            priority: priority?.unwrap_or_default(),
            replaces: replaces?,
            expected: expected?,
        })
    }
}

fn on_cap(reader: &mut Reader, raw: &RawValue) -> Option<OnCap> {
    match reader.string(raw)?.as_str() {
        "refuse" => Some(OnCap::Refuse),
        "negotiate" => Some(OnCap::Negotiate { fee_limit: 0.0 }),
        _ => {
            reader.error("must be \"refuse\" or \"negotiate\"");
            None
        }
    }
}

/// Money, zero or more.
fn amount(reader: &mut Reader, raw: &RawValue) -> Option<f64> {
    let value: Option<f64> = serde_json::from_str(raw.get()).ok();
    let value = value.filter(|amount| (0.0..=1e9).contains(amount));
    reader.accept(value.ok_or("must be an amount from 0 to 1e9"))
}

fn priority(reader: &mut Reader, raw: &RawValue) -> Option<i64> {
    let value: Option<i64> = serde_json::from_str(raw.get()).ok();
    let value = value.filter(|priority| (0..=MAX_PRIORITY).contains(priority));
    reader.accept(value.ok_or("must be a whole number from 0 to 1000"))
}

fn reservation(reader: &mut Reader, raw: &RawValue) -> Option<ReservationId> {
    let text = reader.string(raw)?;
    let id = text.parse::<Uuid>().map_err(|_| "is not a reservation's id");
    reader.accept(id).map(ReservationId::new)
}

/// Reads what is wished for.
///
/// # Errors
/// Every error in the document.
pub fn read_wish(
    text: &str,
    purpose: Purpose,
    service: &Service,
    state: &State,
) -> Result<Wish, Vec<JsonError>> {
    let context = Context::new(service, state, purpose);
    read(text, |reader, raw| context.wish(reader, raw))
}

/// Reads a wish that was stored, whatever its offers were expected to be; `None` once its window has
/// passed, or nodes it names are gone.
pub fn stored_wish(text: &str, service: &Service, state: &State) -> Option<Wish> {
    let wish = read_wish(text, Purpose::Reservation, service, state).ok()?;
    Some(Wish { expected: None, ..wish })
}

/// A reservation's wish as it was made, also once its window has passed; `None` where nodes or labels
/// that it names are gone.
pub fn wish_as_made(stored: &StoredReservation, service: &Service, state: &State) -> Option<Wish> {
    let context = Context::new(service, state, Purpose::Reservation);
    let context = Context { now: stored.created, ..context };
    read(&stored.request, |reader, raw| context.wish(reader, raw)).ok()
}
