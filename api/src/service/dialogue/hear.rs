//! What the supplier says by OpenADR events: grants, offers of power, alerts.
//!
//! The events are the whole truth: a grant that is new is taken, one that is gone is revoked. A
//! refused request is simply absent (OpenADR 3 User Guide, 8.10.2), so that silence is the only no;
//! power that is offered for more than those who ask would pay is one too.
//!
//! What cannot be read grants nothing, and is told as a notice; the rest counts.

use std::sync::Arc;

use openadr::{Available, SupplierWord, Ven};
use planner::dialogue::{Grant, GrantState};
use planner::identity::GrantId;
use serde_json::json;
use storage::{Negotiation, NegotiationKind, NewMessage};
use tokio_util::sync::CancellationToken;

use super::answer::{GrantedPower, grant, told};
use super::document::{HeardDocument, LastWord, PowerSpan, Subject, read_subject};
use super::{DialogueService, LEASE};
use crate::service::shared::{Fault, HeldReading};

/// What names of grants begin with.
const PREFIX: &str = "openadr:";

/// The carrier of what is said by events.
const BY_OPENADR: &str = "openadr";

impl DialogueService {
    /// Listens until told to stop.
    pub async fn hear_supplier(self: Arc<Self>, stop: CancellationToken) {
        let (Some(ven), true) =
            (&self.shared.settings.openadr, self.shared.settings.negotiation.asks)
        else {
            return;
        };
        let pace = std::time::Duration::from_secs(ven.settings().poll_every_s.into());
        let mut changes = ven.changes();
        loop {
            if self.shared.leases.holds(LEASE) {
                let heard = tokio::select! {
                    () = stop.cancelled() => return,
                    heard = self.shared.leases.while_held(LEASE, self.hear(ven)) => heard,
                };
                if let Some(Err(error)) = heard {
                    let error = format!("{error:#}");
                    tracing::warn!(error, "could not hear what the supplier says");
                }
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = changes.next() => {}
                () = tokio::time::sleep(pace) => {}
            }
        }
    }

    async fn hear(&self, ven: &Ven) -> anyhow::Result<()> {
        let word = ven.hear(self.shared.now()).await?;
        let asked = self.shared.database.open_negotiation_of(NegotiationKind::ExtraPower).await?;
        // What becomes of one is no reason not to hear the others.
        let grants = self.hear_grants(&word, asked.as_ref()).await;
        let offers = match &asked {
            Some(asked) => self.hear_offers(asked, &word.available.said).await,
            None => Ok(()),
        };
        self.hear_notices(&word).await?;
        grants?;
        Ok(offers?)
    }

    async fn hear_grants(
        &self,
        word: &SupplierWord,
        asked: Option<&Negotiation>,
    ) -> anyhow::Result<()> {
        let now = self.shared.now();
        let heard: Vec<GrantedPower> = word.grants.said.iter().map(granted_power).collect();
        let known = self.grants().await?;
        let stands = |grant: &&Grant| grant.state != GrantState::Revoked;
        let ours = |grant: &&Grant| {
            grant.supplier_id.as_deref().is_some_and(|name| name.starts_with(PREFIX))
        };
        let gone: Vec<GrantId> = known
            .iter()
            .filter(stands)
            .filter(ours)
            .filter(|it| heard.iter().all(|power| it.supplier_id != power.supplier_id))
            .map(|it| it.id)
            .collect();
        let heard: Vec<GrantedPower> =
            heard.into_iter().filter(|power| power.span.end() > now).collect();
        let negotiation_id = asked.map(|asked| asked.id);
        let grants: Vec<Grant> =
            heard.iter().map(|power| grant(power, negotiation_id, now)).collect();
        if self.put_grants(&grants, &gone, now).await? {
            let message = self.heard(BY_OPENADR, "grant", &told(&heard));
            match asked {
                Some(asked) => self.shared.database.say(asked.id, &[message], None, None).await?,
                None => self.say_in(NegotiationKind::Notice, vec![message], None).await?,
            }
            self.shared.dialogue_bell.notify_one();
        }
        Ok(())
    }

    /// Power that is to be had for more than those who ask would pay is a no to them.
    async fn hear_offers(&self, asked: &Negotiation, available: &[Available]) -> Result<(), Fault> {
        let subject = Subject::of(asked)?;
        if subject.answer.is_some() || subject.power.is_empty() {
            return Ok(());
        }
        let price = |it: &PowerSpan| {
            let span = it.span()?;
            let offer = available.iter().find(|offer| {
                offer.span.start() <= span.start()
                    && offer.span.end() >= span.end()
                    && offer.power.as_watts() >= it.power_w
            })?;
            let power = planner::quantity::Power::from_watts(it.power_w)?;
            offer.price?.total_millionths(power)
        };
        let Some(prices) = subject.power.iter().map(price).collect::<Option<Vec<i64>>>() else {
            return Ok(());
        };
        let fee = prices.iter().sum::<i64>() as f64 / 1e6;
        if fee <= subject.fee_limit {
            return Ok(());
        }
        let limit = subject.fee_limit;
        let document = json!({ "fee": fee, "fee_limit": limit, "power": subject.power });
        let message = self.heard(BY_OPENADR, "offer", &document);
        let word = LastWord { granted: false, reason: self.above_limit(fee, limit) };
        self.note(asked, subject, vec![message], Some(word)).await?;
        self.shared.dialogue_bell.notify_one();
        Ok(())
    }

    /// Writes down alerts that were not heard before, and what could not be read and was not told
    /// before.
    async fn hear_notices(&self, word: &SupplierWord) -> Result<(), Fault> {
        let open = self.shared.database.open_negotiation_of(NegotiationKind::Notice).await?;
        let known: Option<HeardDocument> = open.as_ref().map(read_subject).transpose()?;
        let HeardDocument { alerts: alerts_known, unread: unread_known } =
            known.unwrap_or_default();
        let alerts: Vec<&str> = word.alerts.said.iter().map(|alert| alert.id.as_str()).collect();
        let unread: Vec<String> = word.unread().iter().map(ToString::to_string).collect();
        let count = unread.len() as f64;
        self.shared.held_readings.note(LEASE, HeldReading::SupplierUnread, count);
        if alerts == alerts_known && unread == unread_known {
            return Ok(());
        }
        let new = word.alerts.said.iter().filter(|alert| !alerts_known.contains(&alert.id));
        let alert = |alert: &openadr::Alert| {
            let document = json!({
                "alert": alert.kind,
                "start": alert.span.start(),
                "end": alert.span.end(),
                "text": alert.text,
            });
            self.heard(BY_OPENADR, "alert", &document)
        };
        let mut messages: Vec<NewMessage> = new.map(alert).collect();
        let new: Vec<&String> = unread.iter().filter(|it| !unread_known.contains(it)).collect();
        if !new.is_empty() {
            tracing::warn!(unread = ?new, "a part of what the supplier says cannot be read");
            let document = json!({
                "parts": new,
                "what_to_do": "ask the supplier to mend or cancel these events; until then they \
                               grant nothing, and make no cap higher and no price lower",
            });
            messages.push(self.heard(BY_OPENADR, "unread", &document));
        }
        let subject = json!({ "alerts": alerts, "unread": unread });
        self.say_in(NegotiationKind::Notice, messages, Some(&subject)).await
    }
}

/// A grant of the supplier's as the power that it gives. Where its fee is none, nothing is paid.
fn granted_power(grant: &openadr::Grant) -> GrantedPower {
    let fee = grant.fee.and_then(|fee| fee.total_millionths(grant.power));
    GrantedPower {
        supplier_id: Some(format!("{PREFIX}{}", grant.id)),
        span: grant.span,
        power: grant.power,
        fee_millionths: fee.unwrap_or_default().max(0),
    }
}
