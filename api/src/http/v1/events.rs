//! `GET /api/v1/events`

use std::convert::Infallible;
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{Response, sse};
use futures_util::stream;
use planner::reservation::Role;
use planner::time::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use storage::{Event, EventId};
use utoipa::ToSchema;

use crate::clock::Clock;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::caller::Caller;
use crate::http::problem::Problem;
use crate::http::v1::event_stream;
use crate::service::events::{Beginning, EventService, Watch};
use crate::service::shared::{Share, StateCache};

/// What happened.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "at": "2026-03-01T12:00:00Z",
    "owner": "ada",
    "reservation_id": "01996e3e-2f7b-7c8e-b1de-5a1f2c3d4e5f",
    "state": "confirmed",
}))]
pub struct EventDocument {
    /// When, RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// Whose subject it is; absent for the site's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Ids and words, by the kind of event.
    #[serde(flatten)]
    #[schema(value_type = Object, additional_properties)]
    pub about: Map<String, Value>,
}

/// What happens, as server-sent events
///
/// For users, operators and suppliers. An event's type is a subject and what became of it:
/// `reservation.` and a state, `simulation.` and a state, `agenda.revised`, `outage.announced`,
/// `outage.ended`, `quota.adjusted`, `quota.adjustment_ended`, `nodes.replaced`, `nodes.calibrated`, `nodes.occupied`, `feed.revised`,
/// `feed.status`, `feed.disagreed`, `feed.agreed`, `outlooks.revised`, `clock.doubted`, `clock.believed`, `grants.changed`; for owners and operators
/// `managed_reservation.` and how it stands in the resource manager, `power_action.` and how far it
/// is, `power.exceeded` and `power.within_plan`; for operators and suppliers `negotiation.` and `opened`, `said` or `closed`, or what became of
/// a message: `delivered`, `delayed` or `failed`; for operators `managed_node.` and `new`, `gone` or
/// `renamed`, of nodes of the resource manager, `site.silent` and `site.answers`, of other sites. Of other people's reservations `book.changed` is
/// all that is told, except to operators and those with whom they are shared, whose events say `shared`. What processes on the same database do is told too, within
/// half a second.
///
/// The first event is `stream.opened`: whatever is read after it is at least as new. With
/// `Last-Event-ID` the stream goes on after that event instead; where that is not kept any more the
/// first event is `stream.reset`, and what was read before should be read again.
#[utoipa::path(
    get,
    path = "/api/v1/events",
    tag = "book",
    params(("Last-Event-ID" = Option<String>, Header, description = "The id of the last event seen")),
    responses(
        (status = OK, body = EventDocument, content_type = "text/event-stream"),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = TOO_MANY_REQUESTS, body = Problem, description = "The caller watches by too many streams; see Retry-After"),
        (status = SERVICE_UNAVAILABLE, body = Problem, description = "Too many watch"),
    ),
)]
pub async fn watch_events(
    State(clock): State<Clock>,
    State(events): State<Arc<EventService>>,
    State(states): State<Arc<StateCache>>,
    by: By,
    headers: HeaderMap,
) -> Result<(Option<Extension<AuditNote>>, Response), Problem> {
    let after = event_stream::last_event_id(&headers)?.map(EventId::from);
    let place = events.stream_place(by.caller.access())?;
    let watch = events.watch(after).await?;
    let note = by.caller.reads(None);
    let watcher = Watcher {
        _place: place,
        greeting: greeting(&watch, clock.now()),
        events,
        states,
        caller: by.caller,
        watch,
        kept: None,
    };
    Ok((note, event_stream::answer(stream::unfold(watcher, Watcher::next))))
}

fn greeting(watch: &Watch, now: Timestamp) -> Option<sse::Event> {
    let kind = match watch.beginning {
        Beginning::Resumed => return None,
        Beginning::Opened => "stream.opened",
        Beginning::Reset => "stream.reset",
    };
    Some(told(kind, watch.last, now, None, Map::new()))
}

fn told(
    kind: &str,
    id: EventId,
    at: Timestamp,
    owner: Option<String>,
    about: Map<String, Value>,
) -> sse::Event {
    let document = EventDocument { at, owner, about };
    event_stream::event(kind, id.get()).data(serde_json::to_string(&document).unwrap_or_default())
}

/// How much of an event a caller is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Disclosure {
    Whole,
    /// That the book changed.
    Change,
    Nothing,
}

/// What is told of an event to whom. What is not known here is for operators and its owner.
fn disclosure(event: &Event, caller: &Caller) -> Disclosure {
    let operator = matches!(caller.role, None | Some(Role::Operator));
    let supplier = caller.role == Some(Role::Supplier);
    let own = event.owner.as_ref() == Some(&caller.owner);
    match event.subject() {
        // Its owner's event tells the others of it.
        "reservation" if !own && event.is_of_shared() => Disclosure::Nothing,
        "agenda" | "feed" | "grants" => Disclosure::Whole,
        "negotiation" if supplier => Disclosure::Whole,
        "nodes" if supplier => Disclosure::Change,
        "clock" | "nodes" | "outage" | "outlooks" | "quota" if !supplier => Disclosure::Whole,
        _ if operator => Disclosure::Whole,
        "reservation" | "simulation" | "managed_reservation" | "power_action"
            if own && !supplier =>
        {
            Disclosure::Whole
        }
        "reservation" => Disclosure::Change,
        "simulation"
        | "clock"
        | "outage"
        | "outlooks"
        | "quota"
        | "tokens"
        | "managed_node"
        | "managed_reservation"
        | "power_action" => Disclosure::Nothing,
        _ if own => Disclosure::Whole,
        _ => Disclosure::Nothing,
    }
}

/// One client that watches.
struct Watcher {
    _place: Share,
    events: Arc<EventService>,
    states: Arc<StateCache>,
    caller: Caller,
    watch: Watch,
    greeting: Option<sse::Event>,
    /// An event that waits until the changes before it were told.
    kept: Option<Arc<Event>>,
}

impl Watcher {
    /// The next event. The stream ends with the service and with the caller's right to watch; also
    /// where the database is out of reach, which clients find out when they come again.
    async fn next(mut self) -> Option<(Result<sse::Event, Infallible>, Self)> {
        if let Some(greeting) = self.greeting.take() {
            return Some((Ok(greeting), self));
        }
        if let Some(event) = self.kept.take() {
            return Some((Ok(whole(&event)?), self));
        }
        // Changes that are there together are told as one.
        let mut change: Option<Arc<Event>> = None;
        loop {
            let event = match &change {
                None => tokio::select! {
                    () = self.events.stopped() => return None,
                    () = self.caller.expired() => return None,
                    event = self.watch.next() => event.ok()?,
                },
                Some(change) => match self.watch.next_if_there() {
                    Some(event) => event,
                    None => return Some((Ok(changed(change)), self)),
                },
            };
            if event.subject() == "tokens" && !self.is_admitted().await {
                return None;
            }
            match (disclosure(&event, &self.caller), &change) {
                (Disclosure::Nothing, _) => {}
                (Disclosure::Change, _) => change = Some(event),
                (Disclosure::Whole, None) => return Some((Ok(whole(&event)?), self)),
                (Disclosure::Whole, Some(change)) => {
                    let changed = changed(change);
                    self.kept = Some(event);
                    return Some((Ok(changed), self));
                }
            }
        }
    }

    /// Whether the caller would be admitted today.
    async fn is_admitted(&mut self) -> bool {
        let Ok(state) = self.states.newest().await else { return false };
        self.caller.learn_end(&state);
        self.caller.is_still_known(&state)
    }
}

/// All of an event; `None`, which ends the stream, where what is stored of it cannot be read.
fn whole(event: &Event) -> Option<sse::Event> {
    match serde_json::from_str(&event.data) {
        Ok(about) => Some(told(&event.kind, event.id, event.at, event.owner.clone(), about)),
        Err(error) => {
            tracing::error!(id = %event.id, %error, "an event cannot be read");
            None
        }
    }
}

fn changed(event: &Event) -> sse::Event {
    told("book.changed", event.id, event.at, None, Map::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::caller::Credential;

    #[test]
    fn what_is_shared_is_told_to_those_with_whom_it_is() {
        let mut shared = event("reservation.extended", Some("bob"));
        shared.data = r#"{"reservation_id":"x","shared":true}"#.to_owned();
        for (owner, role, expected) in [
            ("bob", Role::User, Disclosure::Whole),
            ("ada", Role::User, Disclosure::Nothing),
            ("olga", Role::Operator, Disclosure::Nothing),
        ] {
            let credential = Credential::OnlyUser;
            let (owner, role) = (owner.to_owned(), Some(role));
            let caller =
                Caller { owner, role, credential, projects: None, action: None, actor: None };
            assert_eq!(disclosure(&shared, &caller), expected, "{}", caller.owner);
        }
    }

    fn event(kind: &str, owner: Option<&str>) -> Event {
        Event {
            id: EventId::from(1),
            at: Timestamp::from_unix_seconds(0),
            kind: kind.to_owned(),
            owner: owner.map(str::to_owned),
            data: "{}".to_owned(),
        }
    }

    #[test]
    fn nobody_is_told_more_than_they_could_read() {
        use Disclosure::{Change, Nothing, Whole};
        let credential = Credential::OnlyUser;
        let caller = |owner: &str, role| Caller {
            owner: owner.to_owned(),
            role,
            credential: credential.clone(),
            projects: None,
            action: None,
            actor: None,
        };
        let local = caller("local", None);
        let operator = caller("olga", Some(Role::Operator));
        let ada = caller("ada", Some(Role::User));
        let supplier = caller("grid", Some(Role::Supplier));
        for (kind, owner, expected) in [
            ("reservation.confirmed", Some("ada"), [Whole, Whole, Whole, Change]),
            ("reservation.confirmed", Some("bob"), [Whole, Whole, Change, Change]),
            ("simulation.running", Some("ada"), [Whole, Whole, Whole, Nothing]),
            ("simulation.running", Some("bob"), [Whole, Whole, Nothing, Nothing]),
            ("managed_node.renamed", None, [Whole, Whole, Nothing, Nothing]),
            ("managed_reservation.failed", Some("ada"), [Whole, Whole, Whole, Nothing]),
            ("managed_reservation.failed", Some("grid"), [Whole, Whole, Nothing, Nothing]),
            ("power_action.done", Some("bob"), [Whole, Whole, Nothing, Nothing]),
            ("power_action.given_up", Some("ada"), [Whole, Whole, Whole, Nothing]),
            ("power_action.proposed", None, [Whole, Whole, Nothing, Nothing]),
            ("agenda.revised", None, [Whole; 4]),
            ("feed.status", None, [Whole; 4]),
            ("grants.changed", None, [Whole; 4]),
            ("negotiation.said", None, [Whole, Whole, Nothing, Whole]),
            ("nodes.replaced", None, [Whole, Whole, Whole, Change]),
            ("nodes.occupied", None, [Whole, Whole, Whole, Change]),
            ("outage.announced", None, [Whole, Whole, Whole, Nothing]),
            ("quota.adjusted", None, [Whole, Whole, Whole, Nothing]),
            ("clock.doubted", None, [Whole, Whole, Whole, Nothing]),
            ("outlooks.revised", None, [Whole, Whole, Whole, Nothing]),
            ("tokens.changed", None, [Whole, Whole, Nothing, Nothing]),
            ("site.silent", None, [Whole, Whole, Nothing, Nothing]),
            ("from.a.later.release", None, [Whole, Whole, Nothing, Nothing]),
            ("from.a.later.release", Some("ada"), [Whole, Whole, Whole, Nothing]),
            ("from.a.later.release", Some("grid"), [Whole, Whole, Nothing, Whole]),
        ] {
            let told =
                [&local, &operator, &ada, &supplier].map(|it| disclosure(&event(kind, owner), it));
            assert_eq!(told, expected, "{kind} of {owner:?}");
        }
    }
}
