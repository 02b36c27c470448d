//! Who signs in at an issuer.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::time::Timestamp;

use crate::identity::PersonId;

/// A subject of an issuer (OpenID Connect), and the name under which what is theirs is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The person's id.
    pub id: PersonId,
    /// The issuer, as its tokens name it.
    pub issuer: String,
    /// What the issuer calls them; it is nobody else's there.
    pub subject: String,
    /// The name under which what is theirs is kept; it is nobody else's here.
    pub name: String,
    /// When they first signed in.
    pub first_seen: Timestamp,
    /// Tokens that were issued before are refused.
    pub tokens_from: Option<Timestamp>,
    /// Since when all their tokens are refused.
    pub blocked: Option<Timestamp>,
}

impl Person {
    /// Whether a token of theirs counts that was issued then; `None` where it does not say when.
    pub fn admits(&self, issued: Option<Timestamp>) -> bool {
        let is_old = |from| issued.is_none_or(|issued| issued < from);
        self.blocked.is_none() && !self.tokens_from.is_some_and(is_old)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_token_counts_unless_it_is_older_than_the_end_of_sessions_or_its_person_is_blocked() {
        let t = Timestamp::from_unix_seconds;
        let person = |tokens_from: Option<i64>, blocked: Option<i64>| Person {
            id: PersonId::new(Uuid::nil()),
            issuer: "https://id.example.org".to_owned(),
            subject: "1".to_owned(),
            name: "ada".to_owned(),
            first_seen: t(0),
            tokens_from: tokens_from.map(t),
            blocked: blocked.map(t),
        };
        for (tokens_from, blocked, issued, counts) in [
            (None, None, Some(5), true),
            (None, None, None, true),
            (Some(6), None, Some(5), false),
            (Some(6), None, Some(6), true),
            // When it was issued, nobody knows.
            (Some(6), None, None, false),
            (None, Some(6), Some(7), false),
        ] {
            assert_eq!(person(tokens_from, blocked).admits(issued.map(t)), counts);
        }
    }
}
