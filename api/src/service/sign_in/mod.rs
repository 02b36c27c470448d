//! People who sign in at an issuer of the site (OpenID Connect), and send its access tokens (RFC 9068).
//!
//! A token is judged by its signature and what it says, each time. What the database knows of the person counts then:
//! whether their sessions were ended, or they are blocked. Tokens are judged by the machine's clock: issuers know no other.

mod claims;
mod flows;
mod issuer;
mod keys;

use std::sync::Arc;

use jsonwebtoken::dangerous::insecure_decode_claims;
use jsonwebtoken::{Header, decode_header};
use planner::node::{NAME_RULE, is_name};
use planner::reservation::Role;
use planner::time::Timestamp;
use serde::Deserialize;
use storage::{Person, PersonId, StorageError};
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::shared::{Fault, Shared, SiteState};
use crate::clock::Clock;
pub use flows::{DeviceCode, FlowError, GivenTokens, Program, SignInWay, TokenGrant};

use claims::{Claims, TokenRefusal, verified};
use flows::MOST_QUESTIONS;
use issuer::Issuer;

/// Longer tokens are nobody's.
const LONGEST_TOKEN: usize = 16 << 10;

/// Somebody whose access token counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// Who it is.
    pub person: PersonId,
    /// The issuer that made the token.
    pub issuer: String,
    /// The name under which what is theirs is kept.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// The projects that the issuer has them in.
    pub projects: Vec<String>,
    /// When the token was made; `None` where it does not say so.
    pub issued: Option<Timestamp>,
    /// When its time is over.
    pub expires: Timestamp,
}

/// Why somebody is not let in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// It is no access token of an issuer that we know.
    #[error("The token is not known or was revoked.")]
    Unknown,
    /// The token does not count.
    #[error("The access token is refused: {0}.")]
    Refused(String),
    /// The person may do nothing here.
    #[error("You are signed in, but may do nothing here: {0}.")]
    NotAllowed(String),
    /// Its keys are needed, and cannot be had.
    #[error(
        "The issuer {0} does not answer, so that nobody can sign in by it; try again in a moment."
    )]
    NoAnswer(String),
    /// The database is out of reach.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Who made a token, by its own word.
#[derive(Deserialize)]
struct Unproven {
    iss: String,
}

/// Signing in.
pub struct SignInService {
    shared: Arc<Shared>,
    issuers: Vec<Arc<Issuer>>,
    /// Room for questions to issuers.
    questions: Semaphore,
}

impl SignInService {
    /// The issuers of the settings.
    pub fn new(shared: Arc<Shared>) -> Self {
        let issuers =
            shared.settings.sign_in.iter().cloned().map(|it| Arc::new(Issuer::new(it))).collect();
        Self { shared, issuers, questions: Semaphore::new(MOST_QUESTIONS) }
    }

    /// Whether people can sign in.
    pub fn has_issuers(&self) -> bool {
        !self.issuers.is_empty()
    }

    /// Who sends an access token. Somebody who comes for the first time is remembered.
    ///
    /// # Errors
    /// They are not let in.
    pub async fn sign_in(&self, token: &str, state: &SiteState) -> Result<SignedIn, SignInError> {
        let (issuer, header) = self.issuer_of(token)?;
        let claims = signed_claims(token, &header, issuer).await?;
        let role = role(&claims, issuer)?;
        let subject = claims.subject().unwrap_or_default();
        let issuer_name = &issuer.settings.issuer;
        let person = match state.callers().person(issuer_name, subject) {
            Some(person) => person.clone(),
            None => self.meet(&claims, issuer).await?,
        };
        let_in(&person, role, &claims, issuer)
    }

    /// Whose token it is, as far as can be told without asking anybody; it says whom to count a request for, and admits
    /// nobody.
    pub fn user_of(&self, token: &str, state: &SiteState) -> Option<String> {
        let (issuer, header) = self.issuer_of(token).ok()?;
        let keys = issuer.known()?;
        let claims = verified(token, &header, &issuer.settings, &keys.keys, now_s()).ok()?;
        let person = state.callers().person(&issuer.settings.issuer, claims.subject()?)?;
        Some(person.name.clone())
    }

    /// The issuer that a token names, and how it is signed.
    fn issuer_of(&self, token: &str) -> Result<(&Arc<Issuer>, Header), SignInError> {
        if self.issuers.is_empty() || token.len() > LONGEST_TOKEN {
            return Err(SignInError::Unknown);
        }
        let unproven: Unproven = insecure_decode_claims(token).map_err(|_| SignInError::Unknown)?;
        let found = self.issuers.iter().find(|it| it.settings.issuer == unproven.iss);
        let issuer = found.ok_or_else(|| {
            SignInError::Refused("no [[sign_in]] of the settings has its issuer".to_owned())
        })?;
        let header = decode_header(token).map_err(|_| {
            SignInError::Refused("it is not signed in a way that is known here".to_owned())
        })?;
        Ok((issuer, header))
    }

    /// Remembers somebody who comes for the first time.
    async fn meet(&self, claims: &Claims, issuer: &Issuer) -> Result<Person, SignInError> {
        let claim = &issuer.settings.name_claim;
        let name = claims.text(claim).ok_or_else(|| {
            SignInError::NotAllowed(format!("your access token has no name for you ({claim})"))
        })?;
        if !is_name(name) {
            return Err(SignInError::NotAllowed(format!("your name {name:?} {NAME_RULE}")));
        }
        let met = Person {
            id: PersonId::new(Uuid::now_v7()),
            issuer: issuer.settings.issuer.clone(),
            subject: claims.subject().unwrap_or_default().to_owned(),
            name: name.to_owned(),
            first_seen: Clock::default().now(),
            tokens_from: None,
            blocked: None,
        };
        match self.shared.database.meet_person(&met).await {
            Ok(person) => Ok(person),
            Err(StorageError::NameTaken) => Err(SignInError::NotAllowed(format!(
                "somebody else has signed in as {name:?} before; ask an operator"
            ))),
            Err(error) => Err(Fault::from(error).into()),
        }
    }
}

/// What a token says, by the issuer's keys as they are now.
async fn signed_claims(
    token: &str,
    header: &Header,
    issuer: &Arc<Issuer>,
) -> Result<Claims, SignInError> {
    let no_answer = || SignInError::NoAnswer(issuer.settings.issuer.clone());
    let keys = issuer.keys().await.ok_or_else(no_answer)?;
    let mut judged = verified(token, header, &issuer.settings, &keys.keys, now_s());
    if let Err(TokenRefusal::NoKey) = judged
        && let Some(newer) = issuer.newer_keys(&keys).await
    {
        judged = verified(token, header, &issuer.settings, &newer.keys, now_s());
    }
    judged.map_err(|refusal| SignInError::Refused(refusal.to_string()))
}

/// What a person may do by their groups.
fn role(claims: &Claims, issuer: &Issuer) -> Result<Role, SignInError> {
    let groups = claims.texts(&issuer.settings.group_claims);
    issuer.settings.groups.role(&groups).ok_or_else(|| {
        SignInError::NotAllowed(
            "none of your groups has a role at this site; ask an operator".to_owned(),
        )
    })
}

/// The projects that a token names, by the names that the site has for them.
fn projects(claims: &Claims, issuer: &Issuer) -> Vec<String> {
    let named = claims.texts(&issuer.settings.project_claims);
    let prefix = issuer.settings.project_prefix.as_str();
    let named = named.iter().filter_map(|name| name.strip_prefix(prefix));
    named.filter(|name| is_name(name)).map(str::to_owned).collect()
}

/// Lets a person in, unless the site said otherwise.
fn let_in(
    person: &Person,
    role: Role,
    claims: &Claims,
    issuer: &Issuer,
) -> Result<SignedIn, SignInError> {
    let refused = |why: &str| Err(SignInError::Refused(why.to_owned()));
    let made = claims.issued_s().map(Timestamp::from_unix_seconds);
    if person.blocked.is_some() {
        return refused("an operator has blocked you");
    }
    if !person.admits(made) {
        return refused("your sessions were ended; sign in again");
    }
    let expires_s = claims.expires_s().unwrap_or_default();
    let expires_s = expires_s.saturating_add(issuer.settings.skew_s.into());
    Ok(SignedIn {
        person: person.id,
        issuer: person.issuer.clone(),
        name: person.name.clone(),
        role,
        projects: projects(claims, issuer),
        issued: made,
        expires: Timestamp::from_unix_seconds(expires_s),
    })
}

/// The machine's clock.
fn now_s() -> i64 {
    Clock::default().now().as_unix_seconds()
}
