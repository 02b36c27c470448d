//! `POST /api/v1/negotiations/{id}/answer`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::identity::NegotiationId;
use planner::json::Reader;
use planner::quantity::Power;
use planner::time::Span;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::http::audit::AuditNote;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::v1::path::IdInPath;
use crate::http::v1::schema::AnswerRequest;
use crate::service::dialogue::DialogueService;
use crate::service::dialogue::{Answered, GrantedPower, SupplierAnswer};

/// The longest name or reason, in characters.
const MAX_TEXT: usize = 1000;

/// What became of an answer.
#[derive(Serialize, ToSchema)]
pub struct AnswerDocument {
    /// `taken`; `declined` where the fee is above what those who ask pay; `noted` for a refusal.
    #[schema(example = "taken")]
    pub outcome: &'static str,
}

/// Takes the supplier's answer to a question for extra power
///
/// For suppliers and operators. A grant raises the cap for those who asked; an offer is taken where
/// its fees are within what they would pay, and declined otherwise.
#[utoipa::path(
    post,
    path = "/api/v1/negotiations/{id}/answer",
    tag = "grid",
    params(("id" = uuid::Uuid, Path)),
    request_body = AnswerRequest,
    responses(
        (status = OK, body = AnswerDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It waits for no answer"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn answer_negotiation(
    State(dialogue): State<Arc<DialogueService>>,
    _: By,
    IdInPath(id): IdInPath<NegotiationId>,
    body: JsonBody,
) -> Result<(Extension<AuditNote>, Json<AnswerDocument>), Problem> {
    let answer = body.read(read)?;
    let before = audited(&dialogue, id, None).await?;
    let outcome = match dialogue.take_answer(id, answer).await? {
        Answered::Taken => "taken",
        Answered::Declined => "declined",
        Answered::Noted => "noted",
    };
    let note =
        AuditNote::of_change(Some(before), Some(audited(&dialogue, id, Some(outcome)).await?));
    Ok((Extension(note), Json(AnswerDocument { outcome })))
}

/// What is recorded of a question: what became of its answer, and the power that was given to it and has yet to end.
async fn audited(
    dialogue: &DialogueService,
    id: NegotiationId,
    outcome: Option<&str>,
) -> Result<Value, Problem> {
    let grants = dialogue.grants().await?;
    let given = grants.iter().filter(|it| it.negotiation_id == Some(id));
    let given = given.map(|it| {
        json!({
            "grant_id": it.id.to_string(),
            "standing": it.state.word(),
            "start": it.span.start().to_string(),
            "end": it.span.end().to_string(),
            "power_w": it.power.as_watts(),
        })
    });
    let given: Vec<Value> = given.collect();
    Ok(json!({ "answer": outcome, "grants": given }))
}

fn read(reader: &mut Reader, raw: &RawValue) -> Option<SupplierAnswer> {
    let object = reader.object(raw, &["answer", "power", "reason", "last_word"])?;
    let answer = reader.required(&object, "answer", Reader::string);
    let reason = reader.optional(&object, "reason", text);
    let last_word = reader.optional(&object, "last_word", Reader::boolean);
    match answer?.as_str() {
        "granted" => {
            let power = reader.required(&object, "power", granted_powers)?;
            Some(SupplierAnswer::Granted { power, last_word: last_word?.unwrap_or(true) })
        }
        "offered" => reader.required(&object, "power", granted_powers).map(SupplierAnswer::Offered),
        "refused" => {
            let reason = reason?.unwrap_or_else(|| "the supplier refused".to_owned());
            Some(SupplierAnswer::Refused { reason })
        }
        _ => {
            reader.error_at("answer", "must be \"granted\", \"offered\" or \"refused\"");
            None
        }
    }
}

fn granted_powers(reader: &mut Reader, raw: &RawValue) -> Option<Vec<GrantedPower>> {
    let powers = reader.array(raw, granted_power)?;
    if powers.is_empty() {
        reader.error("must name at least one span");
        return None;
    }
    Some(powers)
}

/// Reads power over a span with its fee.
pub fn granted_power(reader: &mut Reader, raw: &RawValue) -> Option<GrantedPower> {
    let object = reader.object(raw, &["id", "start", "end", "power_w", "fee"])?;
    let supplier_id = reader.optional(&object, "id", text);
    let start = reader.required(&object, "start", Reader::timestamp);
    let end = reader.required(&object, "end", Reader::timestamp);
    let power = reader.required(&object, "power_w", watts);
    let fee = reader.optional(&object, "fee", fee);
    let span = start.zip(end).and_then(|(start, end)| Span::new(start, end));
    if start.is_some() && end.is_some() && span.is_none() {
        reader.error_at("end", "must be after start");
    }
    Some(GrantedPower {
        supplier_id: supplier_id?,
        span: span?,
        power: power?,
        fee_millionths: fee?.unwrap_or_default(),
    })
}

fn watts(reader: &mut Reader, raw: &RawValue) -> Option<Power> {
    let watts: Option<f64> = serde_json::from_str(raw.get()).ok();
    let power = watts.and_then(Power::from_watts).filter(|power| *power > Power::ZERO);
    reader.accept(power.ok_or("must be a power above zero in watts"))
}

fn fee(reader: &mut Reader, raw: &RawValue) -> Option<i64> {
    let fee: Option<f64> = serde_json::from_str(raw.get()).ok();
    let fee = fee.filter(|fee| (0.0..=1e9).contains(fee));
    #[expect(clippy::cast_possible_truncation, reason = "at most 1e15")]
    let fee = fee.map(|fee| (fee * 1e6).round() as i64);
    reader.accept(fee.ok_or("must be an amount from 0 to 1e9"))
}

fn text(reader: &mut Reader, raw: &RawValue) -> Option<String> {
    let text = reader.string(raw)?;
    if text.is_empty() || text.chars().count() > MAX_TEXT {
        reader.error(format!("must have 1 to {MAX_TEXT} characters"));
        return None;
    }
    Some(text)
}
