//! What programs of people ask an issuer for, through this service: so the web page loads nothing from elsewhere, and
//! login nodes need not reach the issuer.
//!
//! The page signs in by authorisation code with PKCE (RFC 7636), the command line by device code (RFC 8628). Both are
//! public clients: the service adds what the issuer calls them, and keeps nothing of what goes through it.

use std::sync::Arc;

use axum::http::Method;
use axum::http::header::CONTENT_TYPE;
use grid_feeds::http::{Answer, send};
use jsonwebtoken::dangerous::insecure_decode_claims;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use url::form_urlencoded::Serializer;
use utoipa::ToSchema;

use super::SignInService;
use super::issuer::{Endpoints, Issuer};
use crate::clock::Clock;
use crate::service::shared::{Exceeded, Share};

/// So many questions to issuers are under way at the same time.
pub(super) const MOST_QUESTIONS: usize = 16;

/// So many of them are those of one address, so that it keeps nobody else from signing in.
pub(super) const MOST_QUESTIONS_OF_ONE: usize = 4;

/// A program of people that signs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// The web page.
    Page,
    /// The command line.
    Cli,
}

/// For what tokens are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenGrant {
    /// A code that the issuer sent the page with.
    Code {
        /// The code.
        code: String,
        /// What its challenge was made of.
        code_verifier: String,
        /// Where the issuer sent it.
        redirect_uri: String,
    },
    /// A device code, once somebody has approved it.
    Device {
        /// The code.
        device_code: String,
    },
    /// A refresh token, for newer ones.
    Refresh {
        /// The token.
        refresh_token: String,
        /// Whose it is.
        program: Program,
    },
}

/// Where and how somebody signs in.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SignInWay {
    /// The issuer.
    #[schema(example = "https://id.example.org/realms/hpc")]
    pub issuer: String,
    /// Where the page sends people; null where the issuer does not answer.
    pub authorization_endpoint: Option<String>,
    /// What the issuer calls the page; null where people do not sign in on it.
    pub page_client_id: Option<String>,
    /// What the issuer calls the command line; null where people do not sign in by it.
    pub cli_client_id: Option<String>,
    /// What is asked for.
    #[schema(example = "openid profile")]
    pub scope: String,
    /// What access tokens are to be for (RFC 8707); null where the issuer knows by itself.
    pub resource: Option<String>,
}

/// Tokens as the issuer gave them.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct GivenTokens {
    /// To be sent with requests.
    pub access_token: String,
    /// For how many seconds it counts; null where neither the issuer nor the token says so.
    #[serde(default)]
    pub expires_in: Option<u64>,
    /// For newer tokens; null where the issuer gives none.
    #[serde(default)]
    pub refresh_token: Option<String>,
}

/// A device code as the issuer gave it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DeviceCode {
    /// For the program, which asks for tokens with it.
    pub device_code: String,
    /// For the person, who enters it.
    #[schema(example = "WDJB-MJHT")]
    pub user_code: String,
    /// Where they enter it.
    pub verification_uri: String,
    /// The same with the code in it; null where the issuer has none.
    #[serde(default)]
    pub verification_uri_complete: Option<String>,
    /// For how many seconds it can be entered.
    pub expires_in: u64,
    /// How many seconds to wait between two questions for tokens.
    #[serde(default = "usual_interval")]
    pub interval: u64,
}

/// Why there are no tokens.
#[derive(Debug, thiserror::Error)]
pub enum FlowError {
    /// Nobody signs in so.
    #[error("no [[sign_in]] of the settings has this issuer with a client id for this program")]
    NoSuchWay,
    /// As many ask as may.
    #[error("many sign in at this moment; try again in a second")]
    Busy,
    /// As many ask from this address as may.
    #[error("many sign in from your address at this moment; try again in a second")]
    BusyAddress,
    /// The issuer does not answer, or what it says is not understood.
    #[error("the issuer {0} does not answer as an OpenID provider; try again in a moment")]
    NoAnswer(String),
    /// What the issuer said (RFC 6749, section 5.2, and RFC 8628, section 3.5).
    #[error("{}", said(error, description.as_deref()))]
    Refused {
        /// Its word for it.
        error: String,
        /// More of it.
        description: Option<String>,
    },
}

/// An issuer's refusal.
#[derive(Deserialize)]
struct Refusal {
    error: String,
    #[serde(default)]
    error_description: Option<String>,
}

/// RFC 8628, section 3.2.
const fn usual_interval() -> u64 {
    5
}

fn said(error: &str, description: Option<&str>) -> String {
    match (error, description) {
        ("authorization_pending", _) => "nobody has entered the code yet".to_owned(),
        ("slow_down", _) => "ask less often".to_owned(),
        ("access_denied", _) => "it was refused at the issuer".to_owned(),
        ("expired_token", _) => "the code is too old; sign in again".to_owned(),
        (_, Some(description)) => format!("the issuer refuses: {description} ({error})"),
        (_, None) => format!("the issuer refuses ({error})"),
    }
}

impl SignInService {
    /// How people sign in.
    pub async fn ways(&self) -> Vec<SignInWay> {
        let mut ways = Vec::with_capacity(self.issuers.len());
        for issuer in &self.issuers {
            let described = issuer.keys().await;
            let settings = &issuer.settings;
            ways.push(SignInWay {
                issuer: settings.issuer.clone(),
                authorization_endpoint: described.and_then(|it| it.endpoints.authorization.clone()),
                page_client_id: settings.page_client_id.clone(),
                cli_client_id: settings.cli_client_id.clone(),
                scope: settings.scope.clone(),
                resource: settings.resource.clone(),
            });
        }
        ways
    }

    /// A code by which the command line signs somebody in who asks from an address.
    ///
    /// # Errors
    /// There is none.
    pub async fn device_code(&self, issuer: &str, from: &str) -> Result<DeviceCode, FlowError> {
        let _place = self.place(from)?;
        let (issuer, client_id) = self.way(issuer, Program::Cli)?;
        let mut form = vec![("client_id", client_id), ("scope", &issuer.settings.scope)];
        form.extend(issuer.settings.resource.as_deref().map(|it| ("resource", it)));
        self.ask(issuer, |it| it.device_authorization.as_deref(), &form).await
    }

    /// Tokens for a grant, for who asks from an address.
    ///
    /// # Errors
    /// There are none, or none yet.
    pub async fn tokens(
        &self,
        issuer: &str,
        grant: &TokenGrant,
        from: &str,
    ) -> Result<GivenTokens, FlowError> {
        let _place = self.place(from)?;
        let program = match grant {
            TokenGrant::Code { .. } => Program::Page,
            TokenGrant::Device { .. } => Program::Cli,
            TokenGrant::Refresh { program, .. } => *program,
        };
        let (issuer, client_id) = self.way(issuer, program)?;
        let mut form = vec![("client_id", client_id)];
        form.extend(grant.form());
        form.extend(issuer.settings.resource.as_deref().map(|it| ("resource", it)));
        let mut tokens: GivenTokens = self.ask(issuer, |it| it.token.as_deref(), &form).await?;
        tokens.expires_in = tokens.expires_in.or_else(|| lifetime_s(&tokens.access_token));
        Ok(tokens)
    }

    /// Has an issuer forget a refresh token (RFC 7009) of who asks from an address; nothing is done where it cannot.
    ///
    /// # Errors
    /// The issuer does not answer.
    pub async fn forget(
        &self,
        issuer: &str,
        program: Program,
        refresh_token: &str,
        from: &str,
    ) -> Result<(), FlowError> {
        let _place = self.place(from)?;
        let (issuer, client_id) = self.way(issuer, program)?;
        let form = [
            ("client_id", client_id),
            ("token", refresh_token),
            ("token_type_hint", "refresh_token"),
        ];
        let answer = self.answer(issuer, |it| it.revocation.as_deref(), &form).await?;
        answer.map_or(Ok(()), |answer| match answer.status {
            200..=299 => Ok(()),
            _ => Err(refused(&answer, issuer)),
        })
    }

    /// Room for a question from an address, while it is kept.
    fn place(&self, from: &str) -> Result<Share, FlowError> {
        let mut place = self.questions.share_of(from, true);
        match place.grow(1) {
            Ok(()) => Ok(place),
            Err(Exceeded::All) => Err(FlowError::Busy),
            Err(Exceeded::User) => Err(FlowError::BusyAddress),
        }
    }

    /// An issuer of the settings, and what it calls a program.
    fn way(&self, issuer: &str, program: Program) -> Result<(&Arc<Issuer>, &str), FlowError> {
        let issuer = self.issuers.iter().find(|it| it.settings.issuer == issuer);
        let issuer = issuer.ok_or(FlowError::NoSuchWay)?;
        let client_id = match program {
            Program::Page => &issuer.settings.page_client_id,
            Program::Cli => &issuer.settings.cli_client_id,
        };
        Ok((issuer, client_id.as_deref().ok_or(FlowError::NoSuchWay)?))
    }

    /// What an endpoint of an issuer answers to a form.
    async fn ask<T: DeserializeOwned>(
        &self,
        issuer: &Arc<Issuer>,
        endpoint: fn(&Endpoints) -> Option<&str>,
        form: &[(&str, &str)],
    ) -> Result<T, FlowError> {
        let no_answer = || FlowError::NoAnswer(issuer.settings.issuer.clone());
        let answer = self.answer(issuer, endpoint, form).await?.ok_or(FlowError::NoSuchWay)?;
        match answer.status {
            200..=299 => serde_json::from_str(&answer.text).map_err(|_| no_answer()),
            _ => Err(refused(&answer, issuer)),
        }
    }

    /// What an endpoint of an issuer answers to a form; `None` where it has no such endpoint.
    async fn answer(
        &self,
        issuer: &Arc<Issuer>,
        endpoint: fn(&Endpoints) -> Option<&str>,
        form: &[(&str, &str)],
    ) -> Result<Option<Answer>, FlowError> {
        let no_answer = || FlowError::NoAnswer(issuer.settings.issuer.clone());
        let described = issuer.keys().await.ok_or_else(no_answer)?;
        let Some(address) = endpoint(&described.endpoints) else { return Ok(None) };
        let body = Serializer::new(String::new()).extend_pairs(form).finish();
        let request = issuer.settings.http.request(Method::POST, address);
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        match send(request.body(body), None, Clock::default().now()).await {
            Ok(answer) => Ok(Some(answer)),
            Err(error) => {
                let issuer = &issuer.settings.issuer;
                tracing::warn!(issuer, %error, "nobody can sign in: the issuer does not answer");
                Err(no_answer())
            }
        }
    }
}

/// What an issuer says that does not do what it is asked.
fn refused(answer: &Answer, issuer: &Issuer) -> FlowError {
    let is_passing = matches!(answer.status, 429 | 500..=599);
    match serde_json::from_str(&answer.text) {
        Ok(Refusal { error, error_description }) if !is_passing => {
            FlowError::Refused { error, description: error_description }
        }
        _ => FlowError::NoAnswer(issuer.settings.issuer.clone()),
    }
}

/// For how many seconds a token says itself that it counts.
fn lifetime_s(access_token: &str) -> Option<u64> {
    #[derive(Deserialize)]
    struct Lasting {
        exp: i64,
    }
    let Lasting { exp } = insecure_decode_claims(access_token).ok()?;
    u64::try_from(exp - Clock::default().now().as_unix_seconds()).ok()
}

impl TokenGrant {
    /// As a token endpoint reads it.
    fn form(&self) -> Vec<(&'static str, &str)> {
        match self {
            Self::Code { code, code_verifier, redirect_uri } => vec![
                ("grant_type", "authorization_code"),
                ("code", code),
                ("code_verifier", code_verifier),
                ("redirect_uri", redirect_uri),
            ],
            Self::Device { device_code } => vec![
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                ("device_code", device_code),
            ],
            Self::Refresh { refresh_token, .. } => {
                vec![("grant_type", "refresh_token"), ("refresh_token", refresh_token)]
            }
        }
    }
}
