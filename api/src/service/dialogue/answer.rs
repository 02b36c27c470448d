//! What the supplier says: answers to what was asked, and grants by itself.

use planner::dialogue::{Grant, GrantState};
use planner::identity::{GrantId, NegotiationId};
use planner::quantity::Power;
use planner::time::{Span, Timestamp};
use serde_json::{Value, json};
use storage::{Delivery, Direction, Negotiation, NegotiationKind, NewMessage};
use uuid::Uuid;

use super::document::{LastWord, Subject};
use super::{DialogueError, DialogueService};
use crate::service::shared::Fault;

/// Fees that differ by less are the same: they are shared out as fractions.
const SAME_FEE: f64 = 1e-6;

/// The carrier of what is said by the API.
const BY_API: &str = "api";

/// What the supplier says to a question.
#[derive(Clone, Debug)]
pub enum SupplierAnswer {
    /// It gives power.
    Granted {
        /// The power that it gives, by span.
        power: Vec<GrantedPower>,
        /// Whether nothing more is to come.
        last_word: bool,
    },
    /// It would give power for a fee.
    Offered(Vec<GrantedPower>),
    /// It gives none.
    Refused {
        /// The supplier's reason.
        reason: String,
    },
}

/// Power that the supplier gives or would give.
#[derive(Clone, Debug)]
pub struct GrantedPower {
    /// The supplier's own name of it.
    pub supplier_id: Option<String>,
    /// The time for which it is given.
    pub span: Span,
    /// The power.
    pub power: Power,
    /// What it takes for all of it, millionths of the site's currency.
    pub fee_millionths: i64,
}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// The power was taken.
    Taken,
    /// The fee is above what those who ask pay.
    Declined,
    /// It was a refusal.
    Noted,
}

impl DialogueService {
    /// Takes the supplier's answer to an open question.
    ///
    /// # Errors
    /// `NoNegotiation`, `NotAsked` where it is closed or no question, `Invalid` where a grant takes
    /// more than was said.
    pub async fn take_answer(
        &self,
        id: NegotiationId,
        answer: SupplierAnswer,
    ) -> Result<Answered, DialogueError> {
        let found = self.shared.database.negotiation(id).await?;
        let asked = found.ok_or(DialogueError::NoNegotiation(id))?;
        if asked.kind != NegotiationKind::ExtraPower {
            return Err(DialogueError::NotAsked("no question"));
        }
        if asked.outcome.is_some() {
            return Err(DialogueError::NotAsked("closed"));
        }
        let subject = Subject::of(&asked)?;
        if subject.answer.is_some() {
            return Err(DialogueError::NotAsked("answered"));
        }
        let answered = match answer {
            SupplierAnswer::Granted { power, last_word } => {
                self.take_grant(&asked, subject, &power, last_word).await?
            }
            SupplierAnswer::Offered(power) => self.weigh_offer(&asked, subject, &power).await?,
            SupplierAnswer::Refused { reason } => {
                let message = self.heard(BY_API, "refusal", &json!({ "reason": reason }));
                let word = LastWord { granted: false, reason };
                self.note(&asked, subject, vec![message], Some(word)).await?;
                Answered::Noted
            }
        };
        self.shared.dialogue_bell.notify_one();
        Ok(answered)
    }

    async fn take_grant(
        &self,
        asked: &Negotiation,
        subject: Subject,
        power: &[GrantedPower],
        last_word: bool,
    ) -> Result<Answered, DialogueError> {
        let fee = fee_of(power);
        if fee > subject.fee_limit + SAME_FEE {
            return Err(DialogueError::Invalid(format!(
                "the fees add up to {fee}, and at most {} was said to be paid; send it as an offer",
                subject.fee_limit
            )));
        }
        let message = self.heard(BY_API, "grant", &told(power));
        self.set_aside(asked, power).await?;
        let word = LastWord { granted: true, reason: "the supplier granted no more".to_owned() };
        self.note(asked, subject, vec![message], last_word.then_some(word)).await?;
        Ok(Answered::Taken)
    }

    async fn weigh_offer(
        &self,
        asked: &Negotiation,
        subject: Subject,
        power: &[GrantedPower],
    ) -> Result<Answered, DialogueError> {
        let (fee, limit) = (fee_of(power), subject.fee_limit);
        let offer = self.heard(BY_API, "offer", &told(power));
        if fee > limit + SAME_FEE {
            let reason = self.above_limit(fee, limit);
            let currency = self.shared.settings.currency.code();
            let decline = json!({ "fee": fee, "fee_limit": limit, "currency": currency });
            let decline = self.message(self.shared.now(), "decline", &decline);
            let word = LastWord { granted: false, reason };
            self.note(asked, subject, vec![offer, decline], Some(word)).await?;
            return Ok(Answered::Declined);
        }
        let acceptance = self.message(self.shared.now(), "acceptance", &told(power));
        self.set_aside(asked, power).await?;
        let word = LastWord { granted: true, reason: "the supplier offered no more".to_owned() };
        self.note(asked, subject, vec![offer, acceptance], Some(word)).await?;
        Ok(Answered::Taken)
    }

    /// Why an offer is declined.
    pub(super) fn above_limit(&self, fee: f64, limit: f64) -> String {
        let currency = self.shared.settings.currency.code();
        format!(
            "the supplier asks {fee} {currency} for extra power, above the limit of {limit} \
             {currency}"
        )
    }

    /// Writes down what was said to a question; `answer` ends it.
    pub(super) async fn note(
        &self,
        asked: &Negotiation,
        subject: Subject,
        messages: Vec<NewMessage>,
        answer: Option<LastWord>,
    ) -> Result<(), Fault> {
        let subject = Subject { answer, ..subject }.text()?;
        let subject = Some((subject.as_str(), asked.deadline));
        Ok(self.shared.database.say(asked.id, &messages, subject, None).await?)
    }

    async fn set_aside(&self, asked: &Negotiation, power: &[GrantedPower]) -> Result<(), Fault> {
        let now = self.shared.now();
        let grants: Vec<Grant> = power.iter().map(|it| grant(it, Some(asked.id), now)).collect();
        self.put_grants(&grants, &[], now).await?;
        Ok(())
    }

    /// Stores grants and revokes others; whether anything changed.
    pub(super) async fn put_grants(
        &self,
        grants: &[Grant],
        gone: &[GrantId],
        now: Timestamp,
    ) -> Result<bool, Fault> {
        let _booking = self.shared.pool.site_turn().await;
        Ok(self.shared.database.put_grants(grants, gone, now).await?)
    }

    /// Takes power that nobody asked for: it is everybody's. The grant as it stands: with the name of another, it is that one,
    /// changed.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn take_gift(&self, power: &GrantedPower) -> Result<Grant, Fault> {
        let now = self.shared.now();
        let grant = grant(power, None, now);
        self.put_grants(std::slice::from_ref(&grant), &[], now).await?;
        self.say_notice("grant", &told(std::slice::from_ref(power))).await?;
        self.shared.dialogue_bell.notify_one();
        let stored = match &grant.supplier_id {
            Some(name) => self.grant_by_name(name).await?,
            None => None,
        };
        Ok(stored.unwrap_or(grant))
    }

    /// Takes a grant back, as the supplier says.
    ///
    /// # Errors
    /// `NoGrant` where there is none that stands.
    pub async fn revoke_grant(&self, id: GrantId) -> Result<(), DialogueError> {
        if !self.put_grants(&[], &[id], self.shared.now()).await? {
            return Err(DialogueError::NoGrant(id));
        }
        self.say_notice("revocation", &json!({ "grant_id": id.to_string() })).await?;
        self.shared.dialogue_bell.notify_one();
        Ok(())
    }

    /// Grants that have yet to end, revoked ones too.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn grants(&self) -> Result<Vec<Grant>, Fault> {
        Ok(self.shared.database.grants(self.shared.now()).await?)
    }

    /// The grant that the supplier calls so, ended or revoked too; `None` where there is none.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn grant_by_name(&self, name: &str) -> Result<Option<Grant>, Fault> {
        Ok(self.shared.database.grant_by_name(name).await?)
    }

    /// Writes down what the supplier said by itself.
    async fn say_notice(&self, kind: &str, document: &Value) -> Result<(), Fault> {
        let message = self.heard(BY_API, kind, document);
        self.say_in(NegotiationKind::Notice, vec![message], None).await
    }

    /// A message of the supplier's that came by a carrier.
    pub(super) fn heard(&self, carrier: &str, kind: &str, document: &Value) -> NewMessage {
        NewMessage {
            said: self.shared.now(),
            direction: Direction::FromSupplier,
            kind: kind.to_owned(),
            carrier: carrier.to_owned(),
            document: document.to_string(),
            delivery: Delivery::Received,
        }
    }

    /// Says something in the one negotiation of a kind, which is opened where there is none.
    pub(super) async fn say_in(
        &self,
        kind: NegotiationKind,
        messages: Vec<NewMessage>,
        subject: Option<&Value>,
    ) -> Result<(), Fault> {
        let text = subject.map_or_else(|| "{}".to_owned(), Value::to_string);
        if let Some(open) = self.shared.database.open_negotiation_of(kind).await? {
            let subject = subject.map(|_| (text.as_str(), None));
            return Ok(self.shared.database.say(open.id, &messages, subject, None).await?);
        }
        let new = Negotiation {
            id: NegotiationId::new(Uuid::now_v7()),
            kind,
            outcome: None,
            subject: text,
            opened: self.shared.now(),
            deadline: None,
            closed: None,
        };
        Ok(self.shared.database.open_negotiation(&new, &messages).await?)
    }
}

/// Power as a grant: set aside for those who asked in a negotiation, else everybody's.
pub(super) fn grant(
    it: &GrantedPower,
    negotiation_id: Option<NegotiationId>,
    now: Timestamp,
) -> Grant {
    let state = match negotiation_id {
        Some(_) => GrantState::SetAside,
        None => GrantState::InForce,
    };
    Grant {
        id: GrantId::new(Uuid::now_v7()),
        supplier_id: it.supplier_id.clone(),
        negotiation_id,
        state,
        span: it.span,
        power: it.power,
        fee_millionths: it.fee_millionths,
        received: now,
    }
}

fn fee_of(power: &[GrantedPower]) -> f64 {
    power.iter().map(|it| it.fee_millionths).sum::<i64>() as f64 / 1e6
}

/// Power as messages tell it.
pub(super) fn told(power: &[GrantedPower]) -> Value {
    let span = |it: &GrantedPower| {
        json!({
            "id": it.supplier_id,
            "start": it.span.start(),
            "end": it.span.end(),
            "power_w": it.power.as_watts(),
            "fee": it.fee_millionths as f64 / 1e6,
        })
    };
    json!({ "power": power.iter().map(span).collect::<Vec<_>>() })
}
