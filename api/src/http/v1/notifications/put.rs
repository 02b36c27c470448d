//! `PUT /api/v1/notifications`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::json::Reader;
use planner::time::Seconds;
use serde_json::value::RawValue;
use storage::NotificationKind;

use super::{NotificationBody, NotificationDocument};
use crate::http::body::JsonBody;
use crate::http::caller::{Bookers, By};
use crate::http::problem::Problem;
use crate::service::notifications::{
    AddressChange, LONGEST_BEGINS_SOON, NotificationRequest, NotificationService, check_address,
};

/// Says what the caller wants to be told by mail
///
/// What is left out stays as it is. An address that is not the confirmed one is sent a code, by which `POST /api/v1/notifications/confirm` confirms it.
#[utoipa::path(
    put,
    path = "/api/v1/notifications",
    tag = "people",
    request_body = NotificationBody,
    responses(
        (status = OK, body = NotificationDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = CONFLICT, body = Problem, description = "The site sends no mails"),
        (status = REQUEST_TIMEOUT, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = TOO_MANY_REQUESTS, body = Problem, description = "A code was sent less than a minute ago; see Retry-After"),
    ),
)]
pub async fn put_notifications(
    State(service): State<Arc<NotificationService>>,
    by: By<Bookers>,
    body: JsonBody,
) -> Result<Json<NotificationDocument>, Problem> {
    let request = body.read(notifications)?;
    let settings = service.put(by.caller.access(), request).await?;
    Ok(Json(NotificationDocument::new(settings, service.sends_mails())))
}

fn notifications(reader: &mut Reader, raw: &RawValue) -> Option<NotificationRequest> {
    let object = reader.object(raw, &["address", "kinds", "begins_soon_min"])?;
    let given = |name: &str| object.get(name).map(RawValue::get);
    let address = match given("address") {
        Some("null") => Some(Some(AddressChange::Forget)),
        _ => reader.optional(&object, "address", address),
    };
    let kinds =
        reader.optional(&object, "kinds", |reader, raw| reader.array(raw, notification_kind));
    let begins_soon = reader.optional(&object, "begins_soon_min", minutes);
    Some(NotificationRequest {
        address: address?,
        kinds: kinds?.map(|kinds| kinds.into_iter().collect()),
        begins_soon: begins_soon?,
    })
}

fn address(reader: &mut Reader, raw: &RawValue) -> Option<AddressChange> {
    let text = reader.string(raw)?;
    reader.accept(check_address(&text).map(|()| AddressChange::To(text)))
}

fn notification_kind(reader: &mut Reader, raw: &RawValue) -> Option<NotificationKind> {
    let word = reader.string(raw)?;
    let all = NotificationKind::ALL.map(NotificationKind::word).join(", ");
    reader.accept(NotificationKind::from_word(&word).ok_or_else(|| format!("must be one of {all}")))
}

fn minutes(reader: &mut Reader, raw: &RawValue) -> Option<Seconds> {
    let minutes = reader.whole_number(raw)?;
    let most = LONGEST_BEGINS_SOON.get() / 60;
    let is_possible = (1..=most).contains(&minutes);
    let seconds = is_possible.then(|| Seconds::new(minutes * 60));
    reader.accept(seconds.ok_or_else(|| format!("must lie between 1 and {most} minutes")))
}
