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
use storage::{Delivery, Direction, Negotiation, NegotiationKind, NewMessage};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::DialogueService;
use super::LEASE;
use super::document::{HeardDocument, LastWord, PowerSpan, Subject, read_subject};
use crate::service::shared::Fault;

/// What names of grants begin with.
const PREFIX: &str = "openadr:";

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
        let grants = &word.grants.said;
        let name = |grant: &openadr::Grant| format!("{PREFIX}{}", grant.id);
        let known = self.shared.database.grants(now).await?;
        let stands = |grant: &&Grant| grant.state != GrantState::Revoked;
        let ours = |grant: &&Grant| {
            grant.supplier_id.as_deref().is_some_and(|name| name.starts_with(PREFIX))
        };
        let gone: Vec<GrantId> = known
            .iter()
            .filter(stands)
            .filter(ours)
            .filter(|it| !grants.iter().any(|grant| it.supplier_id == Some(name(grant))))
            .map(|it| it.id)
            .collect();
        let heard: Vec<Grant> = grants
            .iter()
            .filter(|grant| grant.span.end() > now)
            .map(|grant| Grant {
                id: GrantId::new(Uuid::now_v7()),
                supplier_id: Some(name(grant)),
                negotiation_id: asked.map(|asked| asked.id),
                state: match asked {
                    Some(_) => GrantState::SetAside,
                    None => GrantState::InForce,
                },
                span: grant.span,
                power: grant.power,
                fee_millionths: grant
                    .fee
                    .and_then(|fee| fee.total_millionths(grant.power))
                    .unwrap_or_default()
                    .max(0),
                received: now,
            })
            .collect();
        let changed = {
            let _booking = self.shared.pool.site_turn().await;
            self.shared.database.put_grants(&heard, &gone, now).await?
        };
        if changed {
            let told: Vec<_> = heard.iter().map(told).collect();
            let message = self.heard_by_openadr("grant", &json!({ "power": told }));
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
        let (limit, currency) = (subject.fee_limit, self.shared.settings.currency.code());
        let reason = format!(
            "the supplier asks {fee} {currency} for extra power, above the limit of {limit} \
             {currency}"
        );
        let document = json!({ "fee": fee, "fee_limit": limit, "power": subject.power });
        let message = self.heard_by_openadr("offer", &document);
        let answer = Some(LastWord { granted: false, reason });
        let subject = Subject { answer, ..subject }.text()?;
        let subject = Some((subject.as_str(), asked.deadline));
        self.shared.database.say(asked.id, &[message], subject, None).await?;
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
        metrics::gauge!("wattbook_supplier_unread")
            .set(u32::try_from(unread.len()).unwrap_or(u32::MAX));
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
            self.heard_by_openadr("alert", &document)
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
            messages.push(self.heard_by_openadr("unread", &document));
        }
        let subject = json!({ "alerts": alerts, "unread": unread });
        self.say_in(NegotiationKind::Notice, messages, Some(&subject)).await
    }

    fn heard_by_openadr(&self, kind: &str, document: &serde_json::Value) -> NewMessage {
        NewMessage {
            said: self.shared.now(),
            direction: Direction::FromSupplier,
            kind: kind.to_owned(),
            carrier: "openadr".to_owned(),
            document: document.to_string(),
            delivery: Delivery::Received,
        }
    }
}

fn told(grant: &Grant) -> serde_json::Value {
    json!({
        "id": grant.supplier_id,
        "start": grant.span.start(),
        "end": grant.span.end(),
        "power_w": grant.power.as_watts(),
        "fee": grant.fee_millionths as f64 / 1e6,
    })
}
