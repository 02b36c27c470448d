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
use storage::{Person, PersonId, SeenToken, StorageError};
use uuid::Uuid;

use super::shared::{Fault, Shared, Shares, SiteState};
use crate::clock::Clock;
pub use flows::{DeviceCode, FlowError, GivenTokens, Program, SignInWay, TokenGrant};

use claims::{Claims, TokenRefusal, verified};
use flows::{MOST_QUESTIONS, MOST_QUESTIONS_OF_ONE};
use issuer::{Fetched, Issuer};

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
    #[error("The token is not known, was revoked, or has ended.")]
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

/// A token that was verified when its request arrived, so that it need not be again.
#[derive(Clone)]
pub struct VerifiedToken {
    claims: Arc<Claims>,
    /// By these keys.
    by: Arc<Fetched>,
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
    /// Room for questions to issuers, of all and of each address.
    questions: Arc<Shares>,
}

impl SignInService {
    /// The issuers of the settings.
    pub fn new(shared: Arc<Shared>) -> Self {
        let issuers =
            shared.settings.sign_in.iter().cloned().map(|it| Arc::new(Issuer::new(it))).collect();
        let questions = Shares::new(MOST_QUESTIONS, MOST_QUESTIONS_OF_ONE);
        Self { shared, issuers, questions }
    }

    /// Whether people can sign in.
    pub fn has_issuers(&self) -> bool {
        !self.issuers.is_empty()
    }

    /// Who sends an access token, which may have been verified already. Somebody who comes for the first time is
    /// remembered, and what a newer token says of them is kept.
    ///
    /// # Errors
    /// They are not let in.
    pub async fn sign_in(
        &self,
        token: &str,
        known: Option<&VerifiedToken>,
        state: &SiteState,
    ) -> Result<SignedIn, SignInError> {
        let (issuer, header) = self.issuer_of(token)?;
        let claims = signed_claims(token, &header, issuer, known).await?;
        let role = role(&claims, issuer);
        let seen = seen(role, &claims, issuer);
        let subject = claims.subject().unwrap_or_default();
        let issuer_name = &issuer.settings.issuer;
        let person = if let Some(person) = state.callers().person(issuer_name, subject) {
            person.clone()
        } else {
            role.ok_or_else(no_role)?;
            self.meet(&claims, issuer, seen.clone()).await?
        };
        self.keep_seen(&person, seen).await;
        let_in(&person, role.ok_or_else(no_role)?, &claims, issuer)
    }

    /// Whose token it is, as far as can be told without asking anybody, and the token if it counts by keys that are known;
    /// it says whom to count a request for, and admits nobody.
    pub fn look_at(
        &self,
        token: &str,
        state: &SiteState,
    ) -> Option<(VerifiedToken, Option<String>)> {
        let (issuer, header) = self.issuer_of(token).ok()?;
        let by = issuer.known()?;
        let claims = Arc::new(verified_by(token, &header, issuer, &by).ok()?);
        let subject = claims.subject()?;
        let person = state.callers().person(&issuer.settings.issuer, subject);
        let name = person.map(|it| it.name.clone());
        Some((VerifiedToken { claims, by }, name))
    }

    /// Keeps what a token says of a person where that is news. It is for later, so nobody is refused where the database
    /// cannot take it now: the next request tries again.
    async fn keep_seen(&self, person: &Person, seen: Option<SeenToken>) {
        let counts =
            |it: &SeenToken| person.admits(Some(it.issued)) && it.is_news(person.seen.as_ref());
        let Some(seen) = seen.filter(counts) else { return };
        let now = Clock::default().now();
        if let Err(error) = self.shared.database.note_seen(person.id, &seen, now).await {
            let error = format!("{:#}", anyhow::Error::from(error));
            tracing::warn!(error, "cannot keep what an access token says of a person");
        }
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
    async fn meet(
        &self,
        claims: &Claims,
        issuer: &Issuer,
        seen: Option<SeenToken>,
    ) -> Result<Person, SignInError> {
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
            seen,
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
    known: Option<&VerifiedToken>,
) -> Result<Arc<Claims>, SignInError> {
    let no_answer = || SignInError::NoAnswer(issuer.settings.issuer.clone());
    let keys = issuer.keys().await.ok_or_else(no_answer)?;
    if let Some(known) = known.filter(|known| Arc::ptr_eq(&known.by, &keys)) {
        return Ok(Arc::clone(&known.claims));
    }
    let mut judged = verified_by(token, header, issuer, &keys);
    if let Err(TokenRefusal::NoKey) = judged
        && let Some(newer) = issuer.newer_keys(&keys).await
    {
        judged = verified_by(token, header, issuer, &newer);
    }
    judged.map(Arc::new).map_err(|refusal| SignInError::Refused(refusal.to_string()))
}

/// What a token says, by keys of its issuer.
fn verified_by(
    token: &str,
    header: &Header,
    issuer: &Issuer,
    by: &Fetched,
) -> Result<Claims, TokenRefusal> {
    metrics::counter!("wattbook_access_token_checks_total").increment(1);
    verified(token, header, &issuer.settings, &by.keys, now_s())
}

/// What a person may do by their groups; `None` for nothing.
fn role(claims: &Claims, issuer: &Issuer) -> Option<Role> {
    issuer.settings.groups.role(&claims.texts(&issuer.settings.group_claims))
}

fn no_role() -> SignInError {
    let told = "none of your groups has a role at this site; ask an operator";
    SignInError::NotAllowed(told.to_owned())
}

/// What a token says of a person, to be kept; `None` where it does not say when it was issued, so that which of two is newer
/// is not known.
fn seen(role: Option<Role>, claims: &Claims, issuer: &Issuer) -> Option<SeenToken> {
    let since = Timestamp::from_unix_seconds(claims.issued_s()?);
    Some(SeenToken { role, projects: projects(claims, issuer), issued: since })
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
