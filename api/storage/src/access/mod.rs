//! Who may ask.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::reservation::Role;
use planner::rights::Action;
use planner::time::{Seconds, Timestamp};

use crate::identity::TokenId;

/// A token of the API, known by its digest only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiToken {
    /// The token's id.
    pub id: TokenId,
    /// The user who owns it.
    pub owner: String,
    /// What it allows.
    pub role: Role,
    /// SHA-256 of the token in lower-case hexadecimal.
    pub digest: String,
    /// When it was made.
    pub created: Timestamp,
    /// When it was revoked; `None` where it was not.
    pub revoked: Option<Timestamp>,
    /// When it ends by itself; `None` where it does not.
    pub expires: Option<Timestamp>,
    /// When it was used last, as far as that was noted; `None` where it was not.
    pub used: Option<Timestamp>,
    /// What it may do of what its role may; `None` for everything.
    pub actions: Option<Vec<Action>>,
}

impl ApiToken {
    /// Whether it lets somebody in at an instant.
    pub fn counts_at(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|end| end > now)
    }
}

/// How many tokens an owner may have.
#[derive(Clone, Copy, Debug)]
pub struct TokenLimit {
    /// So many at the most.
    pub most: usize,
    /// A token that counts no more is one of them for as long after it was made.
    pub kept_for: Seconds,
}

impl TokenLimit {
    /// Whether an owner may have another, of all tokens that there are at an instant.
    pub fn leaves_room(self, all: &[ApiToken], owner: &str, now: Timestamp) -> bool {
        let counts = |token: &&ApiToken| {
            token.owner == owner && (token.counts_at(now) || now - token.created < self.kept_for)
        };
        all.iter().filter(counts).count() < self.most
    }
}

/// What became of the successor of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenewalOutcome {
    /// It is stored.
    Stored,
    /// Nothing is stored: the token counts no more.
    Ended,
    /// Nothing is stored: the owner has as many as they may.
    TooMany,
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn made(day: i64, days: Option<i64>) -> ApiToken {
        let at = |day: i64| Timestamp::from_unix_seconds(day * 86_400);
        ApiToken {
            id: TokenId::new(Uuid::nil()),
            owner: "ada".to_owned(),
            role: Role::User,
            digest: String::new(),
            created: at(day),
            revoked: None,
            expires: days.map(|days| at(day + days)),
            used: None,
            actions: None,
        }
    }

    /// A hundred of a day each, made on day 100: they have ended on day 101, and are counted until day 130.
    #[test]
    fn a_token_that_has_ended_is_counted_for_a_while() {
        let limit = TokenLimit { most: 100, kept_for: Seconds::new(30 * 86_400) };
        let mut all = vec![made(100, Some(1)); 100];
        let leaves_room = |all: &[ApiToken], owner: &str, day: i64| {
            limit.leaves_room(all, owner, Timestamp::from_unix_seconds(day * 86_400))
        };
        assert!(!leaves_room(&all, "ada", 129) && leaves_room(&all, "ada", 130));
        assert!(leaves_room(&all, "bob", 101));
        all.pop();
        assert!(leaves_room(&all, "ada", 101));
        all.push(made(1, None));
        assert!(!leaves_room(&all, "ada", 101), "it counts however old it is");
    }
}
