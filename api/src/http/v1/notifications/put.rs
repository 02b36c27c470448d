//! `PUT /api/v1/notifications`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use grid_feeds::reach::Reach;
use planner::json::Reader;
use planner::json::reader::Object;
use planner::time::Seconds;
use serde_json::value::RawValue;
use storage::NotificationKind;

use super::{NotificationBody, NotificationDocument};
use crate::config::Settings;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::notifications::{
    AddressChange, LONGEST_BEGINS_SOON, NotificationRequest, NotificationService, check_address,
};
use crate::service::webhooks::check_webhook;

/// Says what the caller wants to be told by mail and by a webhook
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
        (status = TOO_MANY_REQUESTS, body = Problem, description = "A code was sent less than a minute ago, or ten within a day; see Retry-After"),
    ),
)]
pub async fn put_notifications(
    State(service): State<Arc<NotificationService>>,
    State(settings): State<Arc<Settings>>,
    by: By,
    body: JsonBody,
) -> Result<Json<NotificationDocument>, Problem> {
    let (access, reach) = (by.caller.access(), settings.own_webhooks);
    let request = body.read(|reader, raw| notifications(reader, raw, reach))?;
    let (stored, secret) = service.put(access, request).await?;
    Ok(Json(NotificationDocument::new(&service, access, stored, secret).await?))
}

fn notifications(reader: &mut Reader, raw: &RawValue, reach: Reach) -> Option<NotificationRequest> {
    let object = reader.object(raw, &["address", "kinds", "begins_soon_min", "webhook_url"])?;
    let address = address_change(reader, &object, "address", check_address);
    let webhook = address_change(reader, &object, "webhook_url", |text| check_webhook(text, reach));
    let kinds =
        reader.optional(&object, "kinds", |reader, raw| reader.array(raw, notification_kind));
    let begins_soon = reader.optional(&object, "begins_soon_min", minutes);
    Some(NotificationRequest {
        address: address?,
        kinds: kinds?.map(|kinds| kinds.into_iter().collect()),
        begins_soon: begins_soon?,
        webhook: webhook?,
    })
}

/// What is read of an address: `None` on an error, and `Some(None)` where it is left out.
type ReadChange = Option<Option<AddressChange>>;

/// An address that may be left out, and is forgotten by null.
fn address_change(
    reader: &mut Reader,
    object: &Object<'_>,
    name: &'static str,
    check: impl Fn(&str) -> Result<(), &'static str>,
) -> ReadChange {
    if object.get(name).is_some_and(|raw| raw.get() == "null") {
        return Some(Some(AddressChange::Forget));
    }
    reader.optional(object, name, |reader, raw| {
        let text = reader.string(raw)?;
        reader.accept(check(&text).map(|()| AddressChange::To(text)))
    })
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
