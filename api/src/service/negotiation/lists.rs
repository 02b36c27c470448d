//! The dialogue as people read it.

use storage::{Message, MessageId, Negotiation, NegotiationFilter, NegotiationId};

use crate::service::{Service, ServiceError, cut_page};

/// A page of conversations.
#[derive(Debug)]
pub struct NegotiationsPage {
    /// Newest first.
    pub negotiations: Vec<Negotiation>,
    /// Where the next page starts.
    pub next: Option<NegotiationId>,
}

/// A page of a conversation.
#[derive(Debug)]
pub struct MessagesPage {
    /// Which conversation.
    pub negotiation: Negotiation,
    /// Oldest first.
    pub messages: Vec<Message>,
    /// Where the next page starts.
    pub next: Option<MessageId>,
}

impl Service {
    /// A page of conversations.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn negotiations(
        &self,
        filter: NegotiationFilter,
        after: Option<NegotiationId>,
        limit: u16,
    ) -> Result<NegotiationsPage, ServiceError> {
        let mut negotiations = self.database.negotiations(filter, after, limit + 1).await?;
        let next = cut_page(&mut negotiations, limit, |it| it.id);
        Ok(NegotiationsPage { negotiations, next })
    }

    /// A page of one conversation: the messages after one, or the newest.
    ///
    /// # Errors
    /// `NoNegotiation`.
    pub async fn negotiation(
        &self,
        id: NegotiationId,
        after: Option<MessageId>,
        limit: u16,
    ) -> Result<MessagesPage, ServiceError> {
        let found = self.database.negotiation(id).await?;
        let negotiation = found.ok_or(ServiceError::NoNegotiation(id))?;
        let Some(after) = after else {
            let messages = self.database.newest_messages(id, limit).await?;
            return Ok(MessagesPage { negotiation, messages, next: None });
        };
        let mut messages = self.database.messages(id, after, limit + 1).await?;
        let next = cut_page(&mut messages, limit, |it| it.id);
        Ok(MessagesPage { negotiation, messages, next })
    }
}
