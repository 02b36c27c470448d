//! Feeds at work: sources are asked, what they say is kept, agendas are composed.
//!
//! A task for each source (`poll`), one for each agenda (`compose`), one for the leases that make
//! them the only ones among replicas (`leases`). They share nothing but the database and the bells
//! that wake them up, so that one replica may poll and another compose.

mod answer;
mod compose;
mod difference;
mod expectation;
mod held;
mod leases;
mod poll;
#[cfg(feature = "openadr")]
mod push;
mod received;
mod status;
mod told;

use std::collections::HashMap;
use std::sync::Arc;

use grid_feeds::feed;
use storage::Quantity;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::Service;
use super::negotiation::LEASE;
use super::webhooks::webhook_lease;
use crate::config::feeds::Feeds as Settings;

pub use answer::{PARTLY_READ, class};
pub use leases::Leases;

pub use received::stored;
pub use status::{AgendaStatus, FeedStatus, FeedsStatus, Refreshed, Status};

/// What the tasks of feeds share.
pub struct Feeds {
    leases: Leases,
    /// Wakes the task of a source.
    bells: HashMap<String, Notify>,
    /// Wakes the task of an agenda.
    news: HashMap<Quantity, Notify>,
}

impl Feeds {
    /// Nothing runs yet.
    pub fn new(settings: &Settings) -> Self {
        let bell = |source: &crate::config::feeds::Source| (source.id.clone(), Notify::new());
        Self {
            leases: Leases::new(settings.lease),
            bells: settings.sources.iter().map(bell).collect(),
            news: Quantity::ALL.into_iter().map(|quantity| (quantity, Notify::new())).collect(),
        }
    }

    /// Who sees to what among replicas.
    pub(super) const fn leases(&self) -> &Leases {
        &self.leases
    }

    /// Asks the task of a source to look whether somebody wants a refresh.
    fn wake(&self, id: &str) {
        if let Some(bell) = self.bells.get(id) {
            bell.notify_one();
        }
    }

    /// Tells the task of an agenda that there is something new.
    pub(super) fn ring(&self, quantity: Quantity) {
        if let Some(bell) = self.news.get(&quantity) {
            bell.notify_one();
        }
    }
}

/// The lease of a source.
fn source_lease(id: &str) -> String {
    format!("feed:{id}")
}

/// The lease of an agenda.
fn agenda_lease(quantity: Quantity) -> String {
    format!("agenda:{}", quantity.word())
}

/// The quantity as it is stored.
pub const fn stored_quantity(quantity: feed::Quantity) -> Quantity {
    match quantity {
        feed::Quantity::Price => Quantity::Price,
        feed::Quantity::Co2 => Quantity::Co2,
        feed::Quantity::PowerCap => Quantity::PowerCap,
    }
}

impl Service {
    /// Runs all feeds until told to stop; returns when they have ended what they were doing.
    pub async fn run_feeds(self: Arc<Self>, stop: CancellationToken) {
        let settings = &self.settings.feeds;
        let sources = settings.sources.iter().map(|source| source_lease(&source.id));
        let agendas = settings.agendas.iter().map(|it| stored_quantity(it.quantity));
        let dialogue = std::iter::once(LEASE.to_owned());
        let webhooks = self.settings.webhooks.iter().map(|webhook| webhook_lease(&webhook.id));
        let agendas = agendas.map(agenda_lease);
        let names = sources.chain(agendas).chain(dialogue).chain(webhooks).collect();
        let mut tasks = JoinSet::new();
        for index in 0..settings.sources.len() {
            let (service, stop) = (Arc::clone(&self), stop.clone());
            tasks.spawn(async move { service.poll_source(index, stop).await });
        }
        for index in 0..settings.agendas.len() {
            let (service, stop) = (Arc::clone(&self), stop.clone());
            tasks.spawn(async move { service.compose_agenda(index, stop).await });
        }
        for index in 0..self.settings.webhooks.len() {
            let (service, stop) = (Arc::clone(&self), stop.clone());
            tasks.spawn(service.tell_webhook(index, stop));
        }
        #[cfg(feature = "openadr")]
        {
            let (service, stop) = (Arc::clone(&self), stop.clone());
            tasks.spawn(async move { service.listen_to_supplier(stop).await });
        }
        self.keep_leases(names, stop).await;
        while let Some(ended) = tasks.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a task of the feeds failed");
            }
        }
        self.give_up_leases().await;
    }

    /// Sleeps until an instant of the service's clock, perhaps not all the time.
    pub(super) async fn sleep_until(&self, instant: planner::time::Timestamp) {
        // Not for long at once: the machine's clock may be set meanwhile.
        let wait = self.clock.until(instant).min(std::time::Duration::from_secs(30));
        tokio::time::sleep(wait).await;
    }
}
