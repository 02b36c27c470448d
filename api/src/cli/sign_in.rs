//! `wattbook sign-in` and `sign-out`: who asks a service, by the site's OpenID provider (RFC 8628).

use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use serde_json::{Map, Value, json};

use super::booking::server::{Connection, Refusal, Server};
use super::session::Session;
use super::{Failure, block_on, tell};
use crate::http::v1::me::MeDocument;
use crate::http::v1::sign_in::ways::SignInDocument;
use crate::service::sign_in::{DeviceCode, GivenTokens};

/// How much longer to wait where the issuer is asked too often (RFC 8628, section 3.5).
const SLOWER: Duration = Duration::from_secs(5);

/// Nobody is waited for any longer.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// Arguments of `wattbook sign-in`.
#[derive(clap::Args)]
pub struct SignIn {
    /// The issuer, where the service has several
    #[arg(long, value_name = "URL")]
    issuer: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

/// Arguments of `wattbook sign-out`.
#[derive(clap::Args)]
pub struct SignOut {
    #[command(flatten)]
    connection: Connection,
}

/// Signs somebody in, who enters a code in a browser.
pub fn sign_in(arguments: &SignIn) -> Result<(), Failure> {
    let server = arguments.connection.open_as_nobody()?;
    let file = server.session_file().context("there is no home folder to keep a sign-in in")?;
    block_on(async {
        let ways: SignInDocument = server.get("sign-in").await?;
        let issuer = issuer(ways, arguments.issuer.as_deref())?;
        let asked = object(json!({ "issuer": issuer }));
        let code: DeviceCode = server.post("sign-in/device", asked).await?;
        tell(format_args!(
            "Open {} in a browser, on any machine, and enter the code {}",
            code.verification_uri, code.user_code
        ));
        if let Some(address) = &code.verification_uri_complete {
            tell(format_args!("or open {address}"));
        }
        let tokens = wait(&server, &issuer, &code).await?;
        let session = Session::of(&issuer, tokens, None);
        file.lock()?.write(Some(&session))?;
        let me: MeDocument = server.signed_in(file).get("me").await?;
        tell(format_args!("signed in as {}", me.name));
        Ok(())
    })
}

/// Forgets who is signed in, here and at the issuer.
pub fn sign_out(arguments: &SignOut) -> Result<(), Failure> {
    let server = arguments.connection.open_as_nobody()?;
    let file = server.session_file().context("there is no home folder to keep a sign-in in")?;
    // Nobody renews it meanwhile.
    let locked = file.lock()?;
    let Some(session) = file.read()? else {
        tell("nobody is signed in");
        return Ok(());
    };
    if let Some(refresh_token) = session.refresh_token {
        let asked = json!({
            "issuer": session.issuer, "refresh_token": refresh_token, "program": "cli",
        });
        let told = block_on(server.attempt::<Value>("sign-in/forget", object(asked)));
        let why = match told {
            Ok(Ok(_)) => None,
            Ok(Err(Refusal { detail, .. })) => Some(detail),
            Err(Failure::Unavailable(error)) => Some(format!("{error:#}")),
            Err(failure) => return Err(failure),
        };
        if let Some(why) = why {
            tell(format_args!("signed out here, but not at the issuer: {why}"));
        }
    }
    locked.write(None)?;
    Ok(())
}

/// The issuer that is meant.
fn issuer(ways: SignInDocument, named: Option<&str>) -> anyhow::Result<String> {
    let ways = ways.issuers.into_iter().filter(|it| it.cli_client_id.is_some());
    let mut issuers: Vec<String> = ways.map(|it| it.issuer).collect();
    if issuers.is_empty() {
        bail!(
            "people do not sign in at this service by the command line; --token-file or WATTBOOK_TOKEN give a token"
        );
    }
    if let Some(named) = named {
        issuers.retain(|it| it == named);
        return issuers.pop().with_context(|| format!("the service has no issuer {named:?}"));
    }
    match issuers.len() {
        1 => Ok(issuers.remove(0)),
        _ => Err(anyhow!(
            "the service has several issuers; name one by --issuer: {}",
            issuers.join(", ")
        )),
    }
}

/// The tokens, once the person has entered the code.
async fn wait(server: &Server, issuer: &str, code: &DeviceCode) -> Result<GivenTokens, Failure> {
    let end = Instant::now() + Duration::from_secs(code.expires_in).min(LONGEST_WAIT);
    let mut interval = Duration::from_secs(code.interval.clamp(1, 60));
    loop {
        tokio::time::sleep(interval).await;
        let asked = json!({ "issuer": issuer, "device_code": code.device_code });
        match server.attempt("sign-in/tokens", object(asked)).await {
            Ok(Ok(tokens)) => return Ok(tokens),
            Ok(Err(refusal)) => match refusal.code.as_str() {
                "authorization_pending" => {}
                "slow_down" => interval += SLOWER,
                _ => return Err(anyhow!(refusal.detail).into()),
            },
            // The service or the issuer may be back in a moment.
            Err(Failure::Unavailable(_)) if Instant::now() < end => {}
            Err(failure) => return Err(failure),
        }
        if Instant::now() >= end {
            return Err(anyhow!("nobody entered the code in time; sign in again").into());
        }
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
