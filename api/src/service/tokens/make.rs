//! Tokens are made and renewed. Their secrets are told once and kept as digests.

use planner::reservation::Role;
use planner::rights::{Action, Asker};
use planner::time::{Seconds, Timestamp};
use storage::{ApiToken, RenewalOutcome, TokenId, TokenLimit};
use uuid::Uuid;

use super::maker::bounded_length;
use super::{TokenError, TokenMaker, TokenService, found};
use crate::clock::Clock;
use crate::service::shared::{CallerProjects, Fault, SiteState, digest, new_secret};

/// How long a token counts that callers make, unless they say otherwise.
const USUAL_LENGTH: Seconds = Seconds::new(90 * 86_400);

/// The longest time that they may say.
pub const LONGEST_LENGTH: Seconds = Seconds::new(366 * 86_400);

/// How long a token counts beside its successor, unless who renews it says otherwise.
pub const USUAL_OVERLAP: Seconds = Seconds::new(86_400);

/// The longest time that they may say.
pub const LONGEST_OVERLAP: Seconds = Seconds::new(30 * 86_400);

/// How many tokens of an owner count or were made within 30 days: all are read whenever one changes.
const LIMIT: TokenLimit = TokenLimit { most: 100, kept_for: Seconds::new(30 * 86_400) };

/// A token to be; what is not given is as who makes it.
#[derive(Clone, Debug, Default)]
pub struct NewToken {
    /// Whose it is.
    pub owner: Option<String>,
    /// What it allows.
    pub role: Option<Role>,
    /// For how long.
    pub expires_in: Option<Seconds>,
    /// What it may do of what its role may.
    pub actions: Option<Vec<Action>>,
}

/// A token with its secret, which nobody learns again.
pub struct SecretToken {
    /// What is sent with requests.
    pub secret: String,
    /// What is kept.
    pub token: ApiToken,
}

impl SecretToken {
    /// A new token of an owner, which is kept nowhere yet.
    ///
    /// # Errors
    /// The operating system has no randomness.
    pub fn new(
        owner: String,
        role: Role,
        expires_in: Option<Seconds>,
        actions: Option<Vec<Action>>,
        created: Timestamp,
    ) -> Result<Self, Fault> {
        let secret = format!("wattbook_{}", new_secret()?);
        let token = ApiToken {
            id: TokenId::new(Uuid::now_v7()),
            owner,
            role,
            digest: digest(&secret),
            created,
            revoked: None,
            expires: expires_in.map(|length| created + length),
            used: None,
            actions,
        };
        Ok(Self { secret, token })
    }

    /// One in place of another, with its owner, role and actions; it counts for as long as the other one did unless said
    /// otherwise.
    ///
    /// # Errors
    /// The operating system has no randomness.
    pub fn succeeding(
        old: &ApiToken,
        expires_in: Option<Seconds>,
        created: Timestamp,
    ) -> Result<Self, Fault> {
        let length = expires_in.or_else(|| old.expires.map(|end| end - old.created));
        Self::new(old.owner.clone(), old.role, length, old.actions.clone(), created)
    }
}

impl TokenService {
    /// Makes a token that can do no more than who makes it, and of their own none that outlasts the API token that let them in.
    ///
    /// # Errors
    /// `LocksOut`; `NotYours`; `Wider`; `EndsAtOnce`; `Outlasts`; `TooMany`.
    pub async fn make(
        &self,
        maker: TokenMaker<'_>,
        state: &SiteState,
        new: NewToken,
    ) -> Result<SecretToken, TokenError> {
        let owner = new.owner.unwrap_or_else(|| maker.name.to_owned());
        let role = new.role.unwrap_or_else(|| maker.role());
        let actions = new.actions.or_else(|| maker.only.map(<[Action]>::to_vec));
        self.check(maker, state, (&owner, role), actions.as_deref())?;
        let now = Clock::default().guarded().now();
        let most = maker.most_of_new(&owner, role, now);
        let length = bounded_length(most, new.expires_in, USUAL_LENGTH)?;
        if maker.is_locked_out_after(length) {
            return Err(TokenError::LocksOut);
        }
        let made = SecretToken::new(owner, role, Some(length), actions, now)?;
        let is_stored = self.shared.database.create_token_within(LIMIT, &made.token).await?;
        if is_stored { Ok(made) } else { Err(too_many(&made.token.owner)) }
    }

    /// Makes a token in place of another, which counts beside it for a while; the other one as it is then.
    ///
    /// # Errors
    /// `NoToken`; `Ended`; `NotYours` and `Wider`, as the other one may be of another role, or for more; `EndsAtOnce`;
    /// `Outlasts`; `TooMany`.
    pub async fn renew(
        &self,
        maker: TokenMaker<'_>,
        state: &SiteState,
        id: TokenId,
        expires_in: Option<Seconds>,
        overlap: Seconds,
    ) -> Result<(ApiToken, SecretToken), TokenError> {
        let all = self.shared.database.list_tokens().await?;
        let old = found(&all, maker, id)?;
        self.check(maker, state, (&old.owner, old.role), old.actions.as_deref())?;
        let now = Clock::default().guarded().now();
        if !old.counts_at(now) {
            return Err(TokenError::Ended(id));
        }
        // One that never ends, or ends later, has a successor that does not.
        let usual = old.expires.map_or(LONGEST_LENGTH, |end| end - old.created);
        let most = maker.most_of_successor(old, now);
        let length = bounded_length(most, expires_in, usual.min(LONGEST_LENGTH))?;
        let made = SecretToken::succeeding(old, Some(length), now)?;
        let ends = now + overlap;
        let renewed = self.shared.database.renew_token(id, ends, &made.token, Some(LIMIT));
        match renewed.await? {
            RenewalOutcome::Stored => {}
            RenewalOutcome::Ended => return Err(TokenError::Ended(id)),
            RenewalOutcome::TooMany => return Err(too_many(&old.owner)),
        }
        let ends = old.expires.map_or(ends, |before| before.min(ends));
        Ok((ApiToken { expires: Some(ends), ..old.clone() }, made))
    }

    fn check(
        &self,
        maker: TokenMaker<'_>,
        state: &SiteState,
        (name, role): (&str, Role),
        actions: Option<&[Action]>,
    ) -> Result<(), TokenError> {
        let settings = &self.shared.settings;
        let projects = CallerProjects::of_absent(state.callers(), settings.projects, name);
        let (own, managed) = (&projects.of.own, &projects.of.managed);
        maker.check(Asker { name, role, own, managed }, actions, &settings.rights)
    }
}

fn too_many(owner: &str) -> TokenError {
    TokenError::TooMany { owner: owner.to_owned(), most: LIMIT.most }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_unix_seconds(day * 86_400)
    }

    fn made(day: i64, days: Option<i64>) -> ApiToken {
        let length = days.map(|days| Seconds::new(days * 86_400));
        SecretToken::new("ada".to_owned(), Role::User, length, None, at(day)).unwrap().token
    }

    #[test]
    fn a_successor_counts_for_as_long_as_the_other_one_did() {
        // Made on day 10 for 30 days, renewed on day 35: it ends on day 65.
        let successor = SecretToken::succeeding(&made(10, Some(30)), None, at(35)).unwrap();
        assert_eq!(successor.token.expires, Some(at(65)));
        let shorter = Some(Seconds::new(86_400));
        let successor = SecretToken::succeeding(&made(10, Some(30)), shorter, at(35)).unwrap();
        assert_eq!(successor.token.expires, Some(at(36)));
        let successor = SecretToken::succeeding(&made(10, None), None, at(35)).unwrap();
        assert_eq!(successor.token.expires, None);
    }
}
