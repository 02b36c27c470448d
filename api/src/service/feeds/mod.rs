//! Feeds at work: sources are asked, what they say is kept, agendas are composed.
//!
//! A task for each source (`poll`) and one for each agenda (`compose`), each of one process by a
//! lease. They share nothing but the database and the bells that wake them up, so that one process
//! may poll and another compose. Agendas of one process share what inputs said.

mod agreement;
mod answer;
mod compose;
mod difference;
mod disagreement;
mod expectation;
mod failure_log;
mod inputs;
mod other_co2;
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
use tokio::sync::{Mutex, Notify, Semaphore};

use self::inputs::SharedInputs;
use super::agendas::AgendaService;
use super::shared::Shared;
use crate::config::feeds::Source;

pub use agreement::LONGEST_JUDGED;
pub use answer::{PARTLY_READ, class};
pub use compose::LOOK as COMPOSE_EVERY;
pub use disagreement::SourceAgreement;
pub use inputs::past_inputs;
pub use other_co2::LONGEST_OTHER_CO2;
pub use received::stored;
pub use refresh::LOOK as REFRESH_EVERY;
pub use status::{
    AgendaReach, AgendaStatus, FeedStatus, FeedsStatus, OtherCo2Status, Refreshed, Status,
};

/// Asks sources, keeps what they say, and composes agendas of it.
pub struct FeedService {
    shared: Arc<Shared>,
    agendas: Arc<AgendaService>,
    /// Wakes the task of a source.
    bells: HashMap<String, Notify>,
    /// What forecasts know ahead of time.
    inputs: SharedInputs,
    /// Reports of who was right are made one at a time.
    judging: Semaphore,
    /// Whose turn it is to compose CO2 by the other accounting.
    other_co2_turn: Mutex<()>,
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
        Self {
            shared,
            agendas,
            bells,
            inputs: SharedInputs::default(),
            judging: Semaphore::new(1),
            other_co2_turn: Mutex::default(),
        }
    }

    /// The agendas that are composed, and those that were put.
    pub fn agendas(&self) -> &AgendaService {
        &self.agendas
    }

    /// Asks the task of a source to look whether somebody wants a refresh.
    fn wake(&self, id: &str) {
        if let Some(bell) = self.bells.get(id) {
            bell.notify_one();
        }
    }
}
