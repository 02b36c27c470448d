//! Bodies: JSON or, where an endpoint takes tables, CSV. Every error is a problem document.
//!
//! A body is read only after its caller is known, within limits of time and size, and of what all
//! bodies together and those of one user may take. What it takes it gives back when it goes out of
//! scope, so that work that waits with a body in hand counts too.

use std::time::Duration;

use axum::body::{BodyDataStream, HttpBody};
use axum::extract::{FromRequest, OptionalFromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use futures_util::StreamExt;
use grid_feeds::table::TableError;
use planner::json::{JsonError, Reader, read};
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout_at};

use super::App;
use super::caller::Caller;
use super::problem::{PlacedError, Problem};
use crate::service::shared::{Access, CallerKind, Exceeded, Share};

/// The largest body of a route, in bytes, where that is not the usual: an extension of its requests.
#[derive(Clone, Copy, Debug)]
pub enum MaxBody {
    /// This number of bytes.
    Bytes(usize),
    /// What the settings allow a request for nodes (`limits.request_bytes`).
    OfRequest,
}

/// The largest body, but for tables of nodes and samples.
const MAX_BODY_BYTES: usize = 8 << 20;

/// What is read of any body, whatever others take: most requests fit in.
const ALWAYS_BYTES: usize = 16 << 10;

/// How long the rest of a refused body may come, and how long nothing of it.
const REST_TIME: Duration = Duration::from_secs(5);
const REST_IDLE_TIME: Duration = Duration::from_secs(1);

/// A body's text, with the room that it takes.
pub struct Body {
    kind: Kind,
    text: String,
    room: Share,
}

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// JSON (`application/json`).
    Json,
    /// A table (`text/csv`).
    Csv,
}

/// A body that must be JSON.
pub struct JsonBody(Body);

impl JsonBody {
    /// Reads the whole body.
    ///
    /// # Errors
    /// A problem with every error in it.
    pub fn read<T>(
        &self,
        part: impl FnOnce(&mut Reader, &RawValue) -> Option<T>,
    ) -> Result<T, Problem> {
        read(self.text(), part).map_err(Problem::invalid_json)
    }

    /// The text as received.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The room that it takes, for what was made of it.
    pub fn into_room(self) -> Share {
        self.0.room
    }
}

/// A small body that must be JSON, of a route for callers who are not known yet: it takes nothing from what bodies share.
pub struct SmallJsonBody(String);

impl SmallJsonBody {
    /// Reads the whole body.
    ///
    /// # Errors
    /// A problem with every error in it.
    pub fn read<T>(
        &self,
        part: impl FnOnce(&mut Reader, &RawValue) -> Option<T>,
    ) -> Result<T, Problem> {
        read(&self.0, part).map_err(Problem::invalid_json)
    }
}

impl Body {
    /// How places of samples in it are told.
    pub const fn sample_places(&self) -> PlaceKind {
        match self.kind {
            Kind::Json => PlaceKind::Element("samples"),
            Kind::Csv => PlaceKind::Line,
        }
    }

    /// Reads the whole body by the reader of its kind.
    ///
    /// # Errors
    /// A problem with every error in it.
    pub fn read<T>(
        &self,
        json: impl FnOnce(&str) -> Result<T, Vec<JsonError>>,
        csv: impl FnOnce(&str) -> Result<T, Vec<TableError>>,
    ) -> Result<T, Problem> {
        match self.kind {
            Kind::Json => json(&self.text).map_err(Problem::invalid_json),
            Kind::Csv => csv(&self.text).map_err(invalid_table),
        }
    }
}

/// How places in a body are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// By their position in the array of this name.
    Element(&'static str),
    /// By their line.
    Line,
}

impl PlaceKind {
    /// What is wrong at a place.
    pub fn error(self, place: u64, detail: String) -> PlacedError {
        match self {
            Self::Element(array) => {
                PlacedError { pointer: Some(format!("/{array}/{place}")), place: None, detail }
            }
            Self::Line => {
                PlacedError { pointer: None, place: Some(format!("line {place}")), detail }
            }
        }
    }
}

fn invalid_table(errors: Vec<TableError>) -> Problem {
    let placed = |error: TableError| {
        let place = match &error.column {
            Some(column) => format!("line {}, {column}", error.line),
            None => format!("line {}", error.line),
        };
        PlacedError { pointer: None, place: Some(place), detail: error.message }
    };
    Problem::invalid_body(errors.into_iter().map(placed).collect())
}

impl FromRequest<App> for Body {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let kind = match media_type(request.headers()).as_deref() {
            Some("application/json") => Kind::Json,
            Some("text/csv") => Kind::Csv,
            _ => return Err(unsupported("application/json or text/csv")),
        };
        let (text, room) = read_text(request, app).await?;
        Ok(Self { kind, text, room })
    }
}

impl FromRequest<App> for JsonBody {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        if media_type(request.headers()).as_deref() != Some("application/json") {
            return Err(unsupported("application/json"));
        }
        Ok(Self(<Body as FromRequest<App>>::from_request(request, app).await?))
    }
}

/// A body that may be left out altogether, and its media type with it.
impl OptionalFromRequest<App> for JsonBody {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Option<Self>, Problem> {
        let is_left_out = request.body().is_end_stream();
        if is_left_out && !request.headers().contains_key(header::CONTENT_TYPE) {
            return Ok(None);
        }
        <Self as FromRequest<App>>::from_request(request, app).await.map(Some)
    }
}

impl FromRequest<App> for SmallJsonBody {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        if media_type(request.headers()).as_deref() != Some("application/json") {
            return Err(unsupported("application/json"));
        }
        let nobody = Access::of("", CallerKind::Site);
        let room = app.services.shared.body_room(nobody);
        Ok(Self(read_at_most(ALWAYS_BYTES, room, request, app).await?.0))
    }
}

fn media_type(headers: &HeaderMap) -> Option<String> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// The whole text of a request's body.
///
/// # Errors
/// Problems: no known caller, too large, too slow, no room, no text.
pub async fn read_text(request: Request, app: &App) -> Result<(String, Share), Problem> {
    let Some(caller) = request.extensions().get::<Caller>() else {
        return Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "unauthorised",
            "Who are you?",
            "Bodies are read only from callers who are known.",
        ));
    };
    let room = app.services.shared.body_room(caller.access());
    let most = match request.extensions().get() {
        Some(MaxBody::Bytes(bytes)) => *bytes,
        Some(MaxBody::OfRequest) => app.services.shared.settings.limits.request_bytes,
        None => MAX_BODY_BYTES,
    };
    read_at_most(most, room, request, app).await
}

/// The whole text of a body of at most so many bytes.
async fn read_at_most(
    most: usize,
    mut room: Share,
    request: Request,
    app: &App,
) -> Result<(String, Share), Problem> {
    let limits = &app.services.shared.settings.limits;
    let announced = request.headers().get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let asks_first = request.headers().contains_key(header::EXPECT);
    let (whole, part) = (limits.body, limits.body_idle);
    let mut parts: BodyDataStream = request.into_body().into_data_stream();
    let read = match announced {
        Some(bytes) if bytes > most => Err(too_large(most)),
        _ => read_parts(&mut parts, most, &mut room, (whole, part)).await,
    };
    if let Err(refusal) = &read
        && refusal.is_of_size()
        && !asks_first
    {
        pass_over(parts).await;
    }
    match String::from_utf8(read?) {
        Ok(text) => Ok((text, room)),
        Err(_) => Err(Problem::invalid_body(vec![PlacedError {
            pointer: Some(String::new()),
            place: None,
            detail: "is not text in UTF-8".to_owned(),
        }])),
    }
}

/// The bytes of a body, while there is room for them, within a time for the whole and for each part.
async fn read_parts(
    parts: &mut BodyDataStream,
    most: usize,
    room: &mut Share,
    (whole, part): (Duration, Duration),
) -> Result<Vec<u8>, Problem> {
    let end = Instant::now() + whole;
    let mut bytes = Vec::new();
    loop {
        let part = match timeout_at(end.min(Instant::now() + part), parts.next()).await {
            Ok(Some(Ok(part))) => part,
            Ok(Some(Err(_))) => return Err(broken_off()),
            Ok(None) => return Ok(bytes),
            Err(_) => return Err(too_slow()),
        };
        let length = bytes.len() + part.len();
        if length > most {
            return Err(too_large(most));
        }
        let counted = |length: usize| length.saturating_sub(ALWAYS_BYTES);
        room.grow(counted(length) - counted(bytes.len())).map_err(no_room)?;
        bytes.extend_from_slice(&part);
    }
}

/// Lets the rest of a refused body come for a while and keeps none of it: clients that have yet to
/// send would not hear the answer.
async fn pass_over(mut parts: BodyDataStream) {
    let end = Instant::now() + REST_TIME;
    while let Ok(Some(Ok(_))) =
        timeout_at(end.min(Instant::now() + REST_IDLE_TIME), parts.next()).await
    {}
}

fn too_large(most: usize) -> Problem {
    Problem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "body_too_large",
        "The body is too large",
        format!("This endpoint accepts at most {most} bytes."),
    )
}

fn too_slow() -> Problem {
    Problem::new(
        StatusCode::REQUEST_TIMEOUT,
        "request_timeout",
        "The body came too slowly",
        "The body did not come in time; nothing was changed. Send it again without pauses.",
    )
}

fn broken_off() -> Problem {
    Problem::new(
        StatusCode::BAD_REQUEST,
        "invalid_body",
        "The body is not valid",
        "The body ended before it was whole; nothing was changed.",
    )
}

fn no_room(exceeded: Exceeded) -> Problem {
    let of_all = (
        "body_bytes",
        "As many bytes are being read as the service has room for; try again in a second.",
    );
    let of_user = (
        "body_bytes_per_user",
        "The bodies that you send at the same time are too large together; send fewer at a time.",
    );
    Problem::no_room(exceeded, "Too much is being read", of_all, of_user)
}

fn unsupported(accepted: &str) -> Problem {
    Problem::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "unsupported_media_type",
        "Unsupported media type",
        format!("The Content-Type must be {accepted}."),
    )
}
