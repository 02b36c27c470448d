//! The one place that records who does what: every request that may change something, and reads of others' data of which a
//! handler says so by a [`AuditNote`].
//!
//! A sheet goes with each request. Once the caller is known ([`super::by::By`]) what is about to be done is written down,
//! before the handler does anything; what came of it is recorded when there is an answer, or when the client has gone away.
//! Callers whom nobody knows are not recorded: they could fill the trail.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{Extensions, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use planner::reservation::{Receiver, Reservation};
use serde_json::{Value, json};
use storage::{ActedFor, AuditEnd, AuditEntry, AuditIntent, OwnedKind};

use super::problem::{Problem, ProblemCode};
use crate::service::audit::AuditService;
use crate::service::shared::Fault;

/// Requests that change nothing, whatever their method.
const CHANGE_NOTHING: [&str; 4] = [
    "/api/v1/quotes",
    "/api/v1/estimates",
    "/emissions/average-carbon-intensity/batch",
    "/emissions/forecasts/batch",
];

/// Of paths everybody knows this.
const PREFIX: &str = "/api/v1/";

/// The address that a request came from; `None` where a proxy names it in a way that cannot be read.
#[derive(Clone, Copy, Debug)]
pub struct RequestSource(pub Option<IpAddr>);

/// What routes do, by method and path, as the OpenAPI document calls it.
pub type ActionNames = HashMap<(Method, String), String>;

/// What is needed to record requests.
#[derive(Clone)]
pub struct Recording {
    audit: Arc<AuditService>,
    actions: Arc<ActionNames>,
}

/// What a handler says of what it did, or showed that is not the caller's; it goes with the response.
#[derive(Clone, Debug, Default)]
pub struct AuditNote {
    object: Option<String>,
    owner: Option<String>,
    before: Option<Value>,
    after: Option<Value>,
}

/// What is known of a request while it is answered.
#[derive(Clone)]
pub struct AuditSheet(Arc<SheetParts>);

struct SheetParts {
    audit: Arc<AuditService>,
    /// Whether it may change something.
    changes: bool,
    /// When it came, from where, and what it asks for; the rest is unknown.
    asked: AuditEntry,
    known: Mutex<KnownParts>,
}

#[derive(Default)]
struct KnownParts {
    /// `None` until the caller is known.
    actor: Option<(String, String)>,
    /// For whom they say that they do it.
    acting_for: Option<String>,
    intent: Option<String>,
    /// Whether nothing is left to be recorded.
    over: bool,
}

impl Recording {
    /// By the service that records, with the names of the routes.
    pub fn new(audit: Arc<AuditService>, actions: ActionNames) -> Self {
        Self { audit, actions: Arc::new(actions) }
    }

    fn sheet(&self, request: &Request) -> AuditSheet {
        let (method, path) = (request.method(), request.uri().path());
        let route = request.extensions().get::<MatchedPath>().map_or(path, MatchedPath::as_str);
        let name = self.actions.get(&(method.clone(), route.to_owned()));
        let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(method);
        let asked = AuditEntry {
            at_us: self.audit.now_us(),
            source: source(request.extensions()),
            action: name.map_or_else(|| format!("{method} {route}"), Clone::clone),
            object: path.strip_prefix(PREFIX).unwrap_or(path).to_owned(),
            ..AuditEntry::default()
        };
        AuditSheet(Arc::new(SheetParts {
            audit: Arc::clone(&self.audit),
            changes: !reads && !CHANGE_NOTHING.contains(&route),
            asked,
            known: Mutex::default(),
        }))
    }
}

/// Records a request and what came of it.
pub async fn record(
    State(recording): State<Recording>,
    mut request: Request,
    next: Next,
) -> Response {
    let sheet = recording.sheet(&request);
    request.extensions_mut().insert(sheet.clone());
    let unanswered = Unanswered(sheet);
    let mut response = next.run(request).await;
    let note = response.extensions_mut().remove::<AuditNote>();
    let code = response.extensions().get::<ProblemCode>().map(|it| it.0);
    let sheet = &unanswered.0;
    if sheet.0.changes {
        if response.status().is_success() {
            sheet.tell_acted_for(note.as_ref()).await;
        }
        sheet.end(outcome(response.status(), code), note);
    } else if let Some(note) = note
        && let Err(fault) = sheet.read(outcome(response.status(), code), note).await
    {
        // What cannot be recorded is not told.
        return Problem::from(fault).into_response();
    }
    response
}

/// A request that nobody may have answered: its client goes away, or the handler fails.
struct Unanswered(AuditSheet);

impl Drop for Unanswered {
    fn drop(&mut self) {
        if self.0.0.changes {
            self.0.end("abandoned".to_owned(), None);
        }
    }
}

impl AuditSheet {
    /// Notes who calls, and for whom. Where they may, and may change something, that is written down before anything is done.
    ///
    /// # Errors
    /// It cannot be written, so that nothing may be done.
    pub async fn caller_is(
        &self,
        name: &str,
        issuer: Option<&str>,
        acting_for: Option<&str>,
        is_admitted: bool,
    ) -> Result<(), Fault> {
        let parts = &self.0;
        let intent = (parts.changes && is_admitted).then(AuditService::new_intent);
        {
            let mut known = self.known();
            known.actor = Some((name.to_owned(), issuer.unwrap_or_default().to_owned()));
            known.acting_for = acting_for.map(str::to_owned);
            known.intent.clone_from(&intent);
        }
        let Some(id) = intent else { return Ok(()) };
        let entry = self.entry(None);
        let begun = parts.audit.begin(AuditIntent { id, entry }).await;
        // Nothing was begun, and nothing is done.
        self.known().over |= begun.is_err();
        begun
    }

    /// Records what came of it, once.
    fn end(&self, outcome: String, note: Option<AuditNote>) {
        let entry = AuditEntry { outcome, ..self.entry(note) };
        let mut known = self.known();
        if known.actor.is_none() || std::mem::replace(&mut known.over, true) {
            return;
        }
        let intent = known.intent.take();
        drop(known);
        self.0.audit.end(AuditEnd { intent, entry });
    }

    /// Tells the owner of a reservation or a series who did for them what was done.
    async fn tell_acted_for(&self, note: Option<&AuditNote>) {
        let (actor, acting_for) = {
            let known = self.known();
            (known.actor.clone().unwrap_or_default().0, known.acting_for.clone())
        };
        let Some(note) = note.filter(|_| acting_for.is_some_and(|owner| owner != actor)) else {
            return;
        };
        let mut object = note.object.as_deref().unwrap_or(&self.0.asked.object).split('/');
        let kind = match object.next() {
            Some("reservations") => OwnedKind::Reservation,
            Some("series") => OwnedKind::Series,
            _ => return,
        };
        let (Some(id), Some(owner)) = (object.next(), note.owner.as_deref()) else { return };
        let state = note.after.as_ref().and_then(|after| after["state"].as_str());
        let action = self.0.asked.action.as_str();
        let state = state.unwrap_or_default();
        let acted = ActedFor { kind, id, owner, actor: &actor, action, state };
        // It is done, and the trail has it.
        if let Err(error) = self.0.audit.tell_acted_for(&acted).await {
            let error = format!("{:#}", anyhow::Error::from(error));
            tracing::warn!(id, error, "an owner was not told who acted for them");
        }
    }

    /// Records a read of what is another's.
    async fn read(&self, outcome: String, note: AuditNote) -> Result<(), Fault> {
        let entry = AuditEntry { outcome, before: None, after: None, ..self.entry(Some(note)) };
        if entry.actor.is_empty() || entry.acting_for.is_empty() {
            return Ok(());
        }
        self.0.audit.record_read(entry).await
    }

    fn entry(&self, note: Option<AuditNote>) -> AuditEntry {
        let note = note.unwrap_or_default();
        let text = |state: Option<Value>| state.map(|it| it.to_string());
        let (actor, issuer) = self.known().actor.clone().unwrap_or_default();
        let owner = note.owner.or_else(|| self.known().acting_for.clone());
        let asked = self.0.asked.clone();
        AuditEntry {
            acting_for: owner.filter(|owner| *owner != actor).unwrap_or_default(),
            object: note.object.unwrap_or(asked.object),
            before: text(note.before),
            after: text(note.after),
            actor,
            issuer,
            ..asked
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, KnownParts> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AuditNote {
    /// Of a reservation as it is by now.
    pub fn of_reservation(reservation: &Reservation) -> Self {
        Self {
            object: Some(format!("reservations/{}", reservation.id)),
            owner: Some(reservation.owner.clone()),
            before: None,
            after: Some(state(reservation)),
        }
    }

    /// Puts it with a response.
    pub fn put(self, response: &mut Response) {
        response.extensions_mut().insert(self);
    }

    /// Adds to the note of a response what a reservation was before.
    pub fn changed(response: &mut Response, before: &Reservation) {
        Self::add_before(response, &before.owner, state(before));
    }

    /// Adds to the note of a response what something was before, and whose where it is another's now.
    pub fn add_before(response: &mut Response, owner: &str, mut before: Value) {
        let Some(note) = response.extensions_mut().get_mut::<Self>() else { return };
        let given_to = note.owner.as_deref().filter(|now| *now != owner);
        if let Some((now, after)) = given_to.zip(note.after.as_mut()) {
            after["owner"] = person(now);
            before["owner"] = person(owner);
        }
        note.before = Some(before);
    }

    /// Of what is nobody's, and what it was and is by now, each where that is known.
    pub const fn of_change(before: Option<Value>, after: Option<Value>) -> Self {
        Self { object: None, owner: None, before, after }
    }

    /// The note with what it is about, where the path does not tell.
    #[must_use]
    pub fn about(self, object: String) -> Self {
        Self { object: Some(object), ..self }
    }

    /// The note with whose it is.
    #[must_use]
    pub fn whose(self, owner: &str) -> Self {
        Self { owner: Some(owner.to_owned()), ..self }
    }

    /// Of what is somebody's, and is read.
    pub fn of_owner(owner: impl Into<String>) -> Self {
        Self { owner: Some(owner.into()), ..Self::default() }
    }

    /// The note with what it is by now.
    #[must_use]
    pub fn now(self, after: Value) -> Self {
        Self { after: Some(after), ..self }
    }
}

/// A person's name in what was before or after, where it can be erased.
pub fn person(name: &str) -> Value {
    json!({ "person": name })
}

/// What is recorded of a reservation's state.
fn state(reservation: &Reservation) -> Value {
    let (id, span) = reservation.chosen.unzip();
    json!({
        "state": reservation.state.word(),
        "row_version": reservation.row_version,
        "offer_id": id.map(|id| id.to_string()),
        "start": span.map(|span| span.start().to_string()),
        "end": span.map(|span| span.end().to_string()),
        "shared_with": reservation.shared_with.iter().map(|it| {
            let name = it.receiver.name();
            match it.receiver {
                Receiver::User(_) => json!({ "person": name, "may": it.may.word() }),
                Receiver::Project(_) => json!({ "project": name, "may": it.may.word() }),
            }
        }).collect::<Vec<Value>>(),
    })
}

fn outcome(status: StatusCode, code: Option<&str>) -> String {
    match code {
        Some(code) => format!("{} {code}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

fn source(extensions: &Extensions) -> String {
    match extensions.get::<RequestSource>() {
        Some(RequestSource(Some(address))) => address.to_string(),
        Some(RequestSource(None)) | None => "unknown".to_owned(),
    }
}
