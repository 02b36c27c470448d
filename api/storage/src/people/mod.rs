//! Who signs in at an issuer.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::reservation::Role;
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
    /// What the newest token that was seen says of them; `None` where none was, or it does not say when it was issued.
    pub seen: Option<SeenToken>,
}

/// What an access token says of a person: what is done later on their behalf, without a token, is judged by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenToken {
    /// What they may do; `None` for nothing.
    pub role: Option<Role>,
    /// The projects that the issuer vouches for.
    pub projects: Vec<String>,
    /// When the token was issued.
    pub issued: Timestamp,
}

impl SeenToken {
    /// Whether this is news where another was seen before: a newer token says something else.
    pub fn is_news(&self, before: Option<&Self>) -> bool {
        before.is_none_or(|before| {
            let says_other = (self.role, &self.projects) != (before.role, &before.projects);
            before.issued < self.issued && says_other
        })
    }
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
            seen: None,
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

    #[test]
    fn a_newer_token_is_news_where_it_says_something_else() {
        let seen = |role: Option<Role>, project: &str, issued: i64| SeenToken {
            role,
            projects: vec![project.to_owned()],
            issued: Timestamp::from_unix_seconds(issued),
        };
        let before = seen(Some(Role::Operator), "ocean", 5);
        for (now, is_news) in [
            (seen(Some(Role::Operator), "ocean", 6), false),
            (seen(Some(Role::User), "ocean", 6), true),
            (seen(None, "ocean", 6), true),
            (seen(Some(Role::Operator), "ice", 6), true),
            // One that was issued before says nothing of now.
            (seen(Some(Role::User), "ocean", 5), false),
        ] {
            assert_eq!(now.is_news(Some(&before)), is_news, "{now:?}");
        }
        assert!(before.is_news(None));
    }
}
