//! The outbox: mails are written of events, of time that passes, and of months, and then sent.
//!
//! One replica does so, by a lease. Mails of events are written in the transaction that notes how far that is, and each
//! mail has an id made of what it tells of: whoever takes over writes none twice. A mail that was sent and not noted is
//! sent again, under the same Message-ID.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use planner::identity::ReservationId;
use planner::reservation::{Reservation, ReservationState, SharedRight};
use planner::time::{Seconds, Timestamp};
use serde::Deserialize;
use storage::{Event, EventId, Filter, NewMail, NotificationKind, NotificationSettings};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::mail_text::{BEGINS_SOON, EventText, foot, of_event};
use super::{LONGEST_BEGINS_SOON, NotificationService};
use crate::service::shared::{Fault, SiteState, digest};

/// The lease of who writes and sends mails.
pub const LEASE: &str = "mail";

/// How often it is looked for mails to write and to send.
pub const LOOK: Duration = Duration::from_secs(1);

/// Events that are read at once.
const PAGE: u16 = 200;

/// Reservations that are read at once.
const RESERVATIONS: u16 = 500;

/// How often it is looked for what begins soon, and for months that are over.
const MINUTE: Seconds = Seconds::new(60);

/// What happened longer ago is no news: nobody was there to tell it.
const NEWS_FOR: Seconds = Seconds::new(86_400);

/// What an event tells of its reservation.
#[derive(Deserialize)]
struct EventData {
    reservation_id: ReservationId,
    #[serde(default)]
    state: String,
}

/// The event of an occurrence that cannot be had.
const IMPOSSIBLE: &str = "series.occurrence_impossible";

/// What it tells.
#[derive(Deserialize)]
struct ImpossibleData {
    series: String,
    occurrence: String,
    detail: String,
}

/// The event of what somebody did with a series for its owner.
const ACTED_FOR: &str = "series.acted_for";

/// What it tells.
#[derive(Deserialize)]
struct ActedData {
    series: String,
    by: String,
    action: String,
}

/// How far this process has looked at what time brings.
#[derive(Default)]
struct Looked {
    /// When it is looked again what begins soon; `None` before the first look.
    next: Option<Timestamp>,
    /// The last month of which reports were written.
    month: Option<String>,
}

/// Who wants to be told, by name.
type WhoIsTold = HashMap<String, NotificationSettings>;

impl NotificationService {
    /// Writes and sends mails whenever this replica is the one to, until told to stop.
    pub async fn tell_by_mail(self: Arc<Self>, stop: CancellationToken) {
        let mut looked = Looked::default();
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.wait_for(LEASE) => {}
            }
            let turn = Box::pin(self.shared.unless_cut_off(self.turn(&mut looked)));
            let done = self.shared.leases.while_held(LEASE, turn).await;
            if let Some(Some(Err(error))) = done {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(error, "could not go on telling by mail");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    async fn turn(&self, looked: &mut Looked) -> Result<(), Fault> {
        let Some(mail) = self.mail() else { return Ok(()) };
        let position = self.shared.database.open_mails(Uuid::now_v7()).await?;
        self.write_of_events(position.position).await?;
        let now = self.shared.now();
        if looked.next.is_none_or(|next| next <= now) {
            self.write_of_time(now, looked).await?;
            looked.next = Some(now + MINUTE);
        }
        self.send_due(mail, position.instance).await
    }

    /// Everybody who wants to be told something and may still ask.
    async fn told(&self) -> Result<WhoIsTold, Fault> {
        let state = self.shared.state().await?;
        let all = self.shared.database.told_notifications().await?;
        let known = all.into_iter().filter(|it| state.callers().knows(&it.owner));
        Ok(known.map(|it| (it.owner.clone(), it)).collect())
    }

    /// Writes the mails that tell of the events after one.
    async fn write_of_events(&self, mut position: EventId) -> Result<(), Fault> {
        let database = &self.shared.database;
        loop {
            let events = database.events_after(Some(position), PAGE).await?;
            let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(()) };
            let oldest = database.events_kept().await?.oldest;
            if oldest == Some(first.id) && first.id.get() > position.get() + 1 {
                let (after, before) = (position.get(), first.id.get());
                tracing::warn!(
                    missed = before - after - 1,
                    after,
                    before,
                    "events were forgotten before anybody was told by mail"
                );
            }
            let mails = self.mails_of(&events).await?;
            if !database.write_mails_of_events(&mails, position, last.id).await? {
                return Ok(());
            }
            position = last.id;
        }
    }

    /// The mails that tell of events.
    async fn mails_of(&self, events: &[Event]) -> Result<Vec<NewMail>, Fault> {
        let oldest = self.shared.now() - NEWS_FOR;
        let is_told = |event: &&Event| {
            let is_theirs =
                event.subject() == "reservation" || [IMPOSSIBLE, ACTED_FOR].contains(&&*event.kind);
            is_theirs && event.owner.is_some() && event.at >= oldest
        };
        let of_reservations: Vec<&Event> = events.iter().filter(is_told).collect();
        if of_reservations.is_empty() {
            return Ok(Vec::new());
        }
        let (told, mut mails) = (self.told().await?, Vec::new());
        for event in of_reservations {
            let owner = event.owner.as_deref().unwrap_or_default();
            let Some(settings) = told.get(owner) else { continue };
            if event.kind == IMPOSSIBLE {
                mails.extend(self.mail_of_occurrence(event, settings)?);
                continue;
            }
            if event.kind == ACTED_FOR {
                mails.extend(self.mail_of_act(event, settings)?);
                continue;
            }
            let data: EventData = serde_json::from_str(&event.data).map_err(Fault::internal)?;
            let text = of_event(&event.kind, &data.state);
            let Some(text) = text.filter(|text| settings.kinds.contains(&text.kind)) else {
                continue;
            };
            let found = self.shared.database.reservation(data.reservation_id).await?;
            let Some(reservation) = found else { continue };
            // Who chose at once, or too late, has nothing to choose any more.
            let state = reservation.state_at(self.shared.now());
            if text.kind == NotificationKind::Offered && state != ReservationState::Proposed {
                continue;
            }
            mails.extend(self.mail_of(format!("event-{}", event.id), text, settings, &reservation));
        }
        Ok(mails)
    }

    /// The mail that tells that an occurrence of a series cannot be had.
    fn mail_of_occurrence(
        &self,
        event: &Event,
        to: &NotificationSettings,
    ) -> Result<Option<NewMail>, Fault> {
        let ImpossibleData { series, occurrence, detail } =
            serde_json::from_str(&event.data).map_err(Fault::internal)?;
        let wanted = to.kinds.contains(&NotificationKind::Degraded);
        let Some(address) = to.address.clone().filter(|_| wanted) else { return Ok(None) };
        let body = format!(
            "An occurrence of your series cannot be had as it is asked for.\n\nSeries: {series}\nOccurrence: {occurrence}\n\
             Why: {detail}\n\nWhat to do: Nothing; it is tried again while its window lasts. `wattbook series show {series}` \
             says how it stands, `wattbook series modify` asks for other nodes or times.\n"
        );
        Ok(Some(NewMail {
            id: format!("event-{}", event.id),
            owner: to.owner.clone(),
            address,
            subject: format!("Wattbook: Not possible: occurrence {occurrence}"),
            body,
            created: self.shared.now(),
        }))
    }

    /// The mail that tells that somebody did something with a series for its owner.
    fn mail_of_act(
        &self,
        event: &Event,
        to: &NotificationSettings,
    ) -> Result<Option<NewMail>, Fault> {
        let ActedData { series, by, action } =
            serde_json::from_str(&event.data).map_err(Fault::internal)?;
        let wanted = to.kinds.contains(&NotificationKind::Moved);
        let Some(address) = to.address.clone().filter(|_| wanted) else { return Ok(None) };
        let body = format!(
            "Somebody who may acted for you with a series.\n\nSeries: {series}\nBy: {by}\nWhat they did: {action}\n\n\
             What to do: Nothing, if you asked for it. `wattbook series show {series}` says how it stands.\n"
        );
        Ok(Some(NewMail {
            id: format!("event-{}", event.id),
            owner: to.owner.clone(),
            address,
            subject: format!("Wattbook: Done for you: series {series}"),
            body: body + &foot(NotificationKind::Moved),
            created: self.shared.now(),
        }))
    }

    /// Writes the mails that time brings: of what begins soon, and of the last month.
    async fn write_of_time(&self, now: Timestamp, looked: &mut Looked) -> Result<(), Fault> {
        let told = self.told().await?;
        let wanting = |kind| told.values().filter(move |it| it.kinds.contains(&kind));
        let monthly: Vec<&NotificationSettings> = wanting(NotificationKind::MonthReport).collect();
        let of_month = self.month_reports(&monthly, looked.month.as_deref()).await?;
        let (month, mut mails) = of_month.unwrap_or_default();
        if wanting(NotificationKind::BeginsSoon).next().is_some() {
            mails.extend(self.beginnings(&told, now).await?);
        }
        if !mails.is_empty() {
            self.shared.database.write_mails(&mails).await?;
        }
        looked.month = month.or_else(|| looked.month.take());
        Ok(())
    }

    /// The mails that tell of reservations that begin soon, each the same however often it is looked.
    async fn beginnings(&self, told: &WhoIsTold, now: Timestamp) -> Result<Vec<NewMail>, Fault> {
        let ahead = told.values().map(|it| it.begins_soon).max().unwrap_or_default();
        let filter = Filter {
            states: vec![ReservationState::Confirmed],
            from: Some(now),
            to: Some(now + ahead.min(LONGEST_BEGINS_SOON) + Seconds::new(1)),
            ..Filter::default()
        };
        let state = self.shared.state().await?;
        let (mut mails, mut after) = (Vec::new(), None);
        loop {
            let page = self.shared.database.reservations(&filter, after, RESERVATIONS).await?;
            after = page.last().map(|last| last.id);
            let is_last = page.len() < usize::from(RESERVATIONS);
            for reservation in page {
                for user in runs_jobs_in(&state, &reservation) {
                    mails.extend(self.beginning(told, user, &reservation, now));
                }
            }
            if is_last {
                return Ok(mails);
            }
        }
    }

    /// The mail that tells a user that a reservation begins soon, if it does and they want to know.
    fn beginning(
        &self,
        told: &WhoIsTold,
        user: &str,
        reservation: &Reservation,
        now: Timestamp,
    ) -> Option<NewMail> {
        let settings = told.get(user)?;
        let (_, span) = reservation.chosen?;
        let left = span.start() - now;
        let is_soon = (1..=settings.begins_soon.get()).contains(&left.get());
        if !is_soon || !settings.kinds.contains(&NotificationKind::BeginsSoon) {
            return None;
        }
        // Of one that is moved it is told again.
        let mut id = format!("begins-{}-{}", reservation.id, span.start().as_unix_seconds());
        if user != reservation.owner {
            id = format!("{id}-{}", digest(user));
        }
        self.mail_of(id, BEGINS_SOON, settings, reservation)
    }

    fn mail_of(
        &self,
        id: String,
        text: EventText,
        to: &NotificationSettings,
        reservation: &Reservation,
    ) -> Option<NewMail> {
        let (subject, body) = text.mail(&to.owner, reservation, &self.shared.settings);
        let created = self.shared.now();
        let address = to.address.clone()?;
        Some(NewMail { id, owner: to.owner.clone(), address, subject, body, created })
    }
}

/// Who runs jobs in a reservation: its owner, and those with whom it is shared for that. Members of projects are those
/// that the site keeps.
fn runs_jobs_in<'a>(state: &'a SiteState, reservation: &'a Reservation) -> BTreeSet<&'a str> {
    let shared = reservation.shared_with.iter().filter(|it| it.may >= SharedRight::Use);
    let receivers = shared.flat_map(|it| state.callers().users_of(&it.receiver));
    receivers.chain([reservation.owner.as_str()]).collect()
}
