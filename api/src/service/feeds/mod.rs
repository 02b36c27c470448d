//! Feeds at work: sources are asked, what they say is kept, agendas are composed.
//!
//! A task for each source (`poll`) and one for each agenda (`compose`), each of one process by a
//! lease. They share nothing but the database and the bells that wake them up, so that one process
//! may poll and another compose.

mod answer;
mod compose;
mod difference;
mod expectation;
mod failure_log;
mod poll;
#[cfg(feature = "openadr")]
mod push;
mod received;
mod refresh;
mod said_before;
mod status;

use std::collections::HashMap;
use std::sync::Arc;

use storage::Quantity;
use tokio::sync::Notify;

use super::agendas::AgendaService;
use super::shared::Shared;
use crate::config::feeds::Source;

pub use answer::{PARTLY_READ, class};
pub use compose::LOOK as COMPOSE_EVERY;
pub use received::stored;
pub use refresh::LOOK as REFRESH_EVERY;
pub use status::{AgendaReach, AgendaStatus, FeedStatus, FeedsStatus, Refreshed, Status};

/// Asks sources, keeps what they say, and composes agendas of it.
pub struct FeedService {
    shared: Arc<Shared>,
    agendas: Arc<AgendaService>,
    /// Wakes the task of a source.
    bells: HashMap<String, Notify>,
}

/// The lease of a source.
pub fn source_lease(id: &str) -> String {
    format!("feed:{id}")
}

/// The lease of an agenda.
pub fn agenda_lease(quantity: Quantity) -> String {
    format!("agenda:{}", quantity.word())
}

impl FeedService {
    /// Feeds of the settings, whose agendas are put in force by `agendas`.
    pub fn new(shared: Arc<Shared>, agendas: Arc<AgendaService>) -> Self {
        let bell = |source: &Source| (source.id.clone(), Notify::new());
        let bells = shared.settings.feeds.sources.iter().map(bell).collect();
        Self { shared, agendas, bells }
    }

    /// Asks the task of a source to look whether somebody wants a refresh.
    fn wake(&self, id: &str) {
        if let Some(bell) = self.bells.get(id) {
            bell.notify_one();
        }
    }
}
