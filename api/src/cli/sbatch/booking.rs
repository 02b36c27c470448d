//! A booking that is given up again where its job is not submitted.

use std::time::Duration;

use super::arguments::OwnArguments;
use super::interruption::Interruption;
use crate::cli::booking::answers::ReservationAnswer;
use crate::cli::booking::server::Server;
use crate::cli::{Failure, tell};

/// How long the service is asked to cancel a booking while it does not answer.
const CANCELLING: Duration = Duration::from_secs(30);

/// How often it is asked.
const AGAIN: Duration = Duration::from_secs(2);

/// Nodes that are booked for a job which is not submitted yet.
pub struct Booking {
    server: Server,
    /// The service's reservation.
    pub id: String,
    /// What ends the process meanwhile; it is heard from before the nodes are held.
    pub interruption: Interruption,
    keep: bool,
}

impl Booking {
    /// A reservation that the service holds.
    pub const fn new(
        server: Server,
        id: String,
        interruption: Interruption,
        own: &OwnArguments,
    ) -> Self {
        Self { server, id, interruption, keep: own.unused.keep }
    }

    /// The service, and the path of the reservation there.
    pub fn place(&self) -> (&Server, String) {
        (&self.server, format!("reservations/{}", self.id))
    }

    /// Cancels the reservation unless it is to be kept, and says what came of it.
    pub async fn give_up(&self) {
        let id = &self.id;
        if self.keep {
            tell(format_args!("the reservation is kept: {id}"));
            return;
        }
        let ended = tokio::time::timeout(CANCELLING, self.cancelled()).await;
        match ended {
            Ok(Ok(ended)) => tell(format_args!("the reservation {id} is {}", ended.state)),
            _ => tell(format_args!(
                "the reservation {id} could not be cancelled: wattbook cancel {id}"
            )),
        }
    }

    async fn cancelled(&self) -> Result<ReservationAnswer, Failure> {
        let (server, path) = self.place();
        loop {
            match server.delete(&path).await {
                Err(Failure::Unavailable(_)) => tokio::time::sleep(AGAIN).await,
                ended => return ended,
            }
        }
    }
}
