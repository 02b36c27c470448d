//! The dialogue as people read it.

use super::{DialogueError, DialogueService};
use crate::service::shared::{Fault, cut_page};
use planner::identity::NegotiationId;
use storage::{Message, MessageId, Negotiation, NegotiationFilter};

/// A page of negotiations.
#[derive(Debug)]
pub struct NegotiationsPage {
    /// Newest first.
    pub negotiations: Vec<Negotiation>,
    /// Where the next page starts.
    pub next: Option<NegotiationId>,
}

/// A page of a negotiation.
#[derive(Debug)]
pub struct MessagesPage {
    /// Which negotiation.
    pub negotiation: Negotiation,
    /// Oldest first.
    pub messages: Vec<Message>,
    /// Where the next page starts.
    pub next: Option<MessageId>,
}

impl DialogueService {
    /// A page of negotiations.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn negotiations(
        &self,
        filter: NegotiationFilter,
        after: Option<NegotiationId>,
        limit: u16,
    ) -> Result<NegotiationsPage, Fault> {
        let mut negotiations = self.shared.database.negotiations(filter, after, limit + 1).await?;
        let next = cut_page(&mut negotiations, limit, |it| it.id);
        Ok(NegotiationsPage { negotiations, next })
    }

    /// A page of one negotiation: the messages after one, or the newest.
    ///
    /// # Errors
    /// `NoNegotiation`.
    pub async fn negotiation(
        &self,
        id: NegotiationId,
        after: Option<MessageId>,
        limit: u16,
    ) -> Result<MessagesPage, DialogueError> {
        let found = self.shared.database.negotiation(id).await?;
        let negotiation = found.ok_or(DialogueError::NoNegotiation(id))?;
        let Some(after) = after else {
            let messages = self.shared.database.newest_messages(id, limit).await?;
            return Ok(MessagesPage { negotiation, messages, next: None });
        };
        let mut messages = self.shared.database.messages(id, after, limit + 1).await?;
        let next = cut_page(&mut messages, limit, |it| it.id);
        Ok(MessagesPage { negotiation, messages, next })
    }
}
