//! What an access token says of who sent it.

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Header, TokenData, Validation, decode};
use serde_json::{Map, Value};

use super::keys::IssuerKeys;
use crate::config::sign_in::IssuerSettings;

/// Longer subjects are no issuer's (OpenID Connect Core 1.0, section 2: 255 characters).
const LONGEST_SUBJECT: usize = 255;

const OVER: &str = "its time is over; sign in again";

/// What a token says that an issuer signed for us.
#[derive(Debug)]
pub(super) struct Claims(Map<String, Value>);

/// Why a token does not count.
#[derive(Debug, thiserror::Error)]
pub(super) enum TokenRefusal {
    /// No key that we know could have signed it: the issuer may have new ones.
    #[error("it is signed by no key that the issuer publishes")]
    NoKey,
    /// What it says, or how.
    #[error("{0}")]
    Says(String),
}

/// What a token says, where one of the keys signed it, it is for us and its time has come and is not over.
pub(super) fn verified(
    token: &str,
    header: &Header,
    issuer: &IssuerSettings,
    keys: &IssuerKeys,
    now_s: i64,
) -> Result<Claims, TokenRefusal> {
    if !issuer.algorithms.contains(&header.alg) {
        return Err(says(format!("it is signed by {:?}, which is not accepted here", header.alg)));
    }
    if header.crit.is_some() {
        return Err(says("its header has extensions (crit) that are not understood here"));
    }
    let validation = validation(header, issuer);
    for key in keys.of(header) {
        match decode::<Map<String, Value>>(token, key, &validation) {
            Ok(TokenData { claims, .. }) => {
                let claims = Claims(claims);
                claims.check(issuer, now_s)?;
                return Ok(claims);
            }
            // Another key may have.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidSignature) => {}
            Err(error) => return Err(refused(&error)),
        }
    }
    Err(TokenRefusal::NoKey)
}

fn says(why: impl Into<String>) -> TokenRefusal {
    TokenRefusal::Says(why.into())
}

/// What the library is to check.
fn validation(header: &Header, issuer: &IssuerSettings) -> Validation {
    let mut validation = Validation::new(header.alg);
    validation.set_issuer(&[&issuer.issuer]);
    validation.set_audience(&[&issuer.audience]);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    validation.leeway = issuer.skew_s.into();
    validation.validate_nbf = true;
    validation
}

fn refused(error: &jsonwebtoken::errors::Error) -> TokenRefusal {
    match error.kind() {
        ErrorKind::ExpiredSignature => says(OVER),
        ErrorKind::ImmatureSignature => {
            says("its time has not come; the clocks of the issuer and of this service differ")
        }
        ErrorKind::InvalidAudience => says("it is made for somebody else (aud)"),
        ErrorKind::InvalidIssuer => says("another issuer made it (iss)"),
        ErrorKind::MissingRequiredClaim(claim) => says(format!("it has no {claim}")),
        _ => says("it cannot be read"),
    }
}

impl Claims {
    /// What the library does not check.
    fn check(&self, issuer: &IssuerSettings, now_s: i64) -> Result<(), TokenRefusal> {
        if self.text("iss") != Some(&issuer.issuer) {
            return Err(says("another issuer made it (iss)"));
        }
        if self.subject().is_none() {
            return Err(says("it has no sub"));
        }
        // RFC 7519, 4.1.4: on the instant it is over; the library goes on for a second.
        let skew_s = i64::from(issuer.skew_s);
        if self.expires_s().is_none_or(|expires| expires.saturating_add(skew_s) <= now_s) {
            return Err(says(OVER));
        }
        // Those are for the program that asks, and tell it who signed in.
        let is_id_token = self.text("typ") == Some("ID")
            || self.0.contains_key("nonce")
            || self.0.contains_key("at_hash");
        if is_id_token {
            return Err(says("it is an ID token; send the access token"));
        }
        let client = self.text("azp").or_else(|| self.text("client_id"));
        let is_known = issuer.clients.iter().any(|known| client == Some(known.as_str()));
        if !issuer.clients.is_empty() && !is_known {
            return Err(says("it was made for a program that may not ask here (azp)"));
        }
        if self.issued_s().is_some_and(|issued| issued > now_s + skew_s) {
            return Err(says(
                "it was made in the future; the clocks of the issuer and of this service differ",
            ));
        }
        Ok(())
    }

    /// Who it is, at the issuer.
    pub fn subject(&self) -> Option<&str> {
        self.text("sub").filter(|it| !it.is_empty() && it.chars().count() <= LONGEST_SUBJECT)
    }

    /// When it was made.
    pub fn issued_s(&self) -> Option<i64> {
        self.seconds("iat")
    }

    /// When its time is over.
    pub fn expires_s(&self) -> Option<i64> {
        self.seconds("exp")
    }

    /// The text of a claim; a dot leads into an object, unless a claim has it in its name.
    pub fn text(&self, claim: &str) -> Option<&str> {
        self.value(claim)?.as_str()
    }

    /// What claims list, all together: texts, or lists of them.
    pub fn texts(&self, claims: &[String]) -> Vec<String> {
        let values = claims.iter().filter_map(|claim| self.value(claim));
        let listed = values.flat_map(|value| match value {
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        });
        listed.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "whole seconds; what is too large saturates"
    )]
    fn seconds(&self, claim: &str) -> Option<i64> {
        let value = self.0.get(claim)?;
        value.as_i64().or_else(|| value.as_f64().map(|it| it.floor() as i64))
    }

    fn value(&self, claim: &str) -> Option<&Value> {
        if let Some(value) = self.0.get(claim) {
            return Some(value);
        }
        let mut steps = claim.split('.');
        let first = self.0.get(steps.next()?)?;
        steps.try_fold(first, |value, step| value.get(step))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claims(value: Value) -> Claims {
        let Value::Object(map) = value else { panic!("no object") };
        Claims(map)
    }

    #[test]
    fn groups_come_from_lists_texts_and_objects() {
        // Keycloak has roles in objects, eduPerson entitlements are texts or lists, and some names are addresses.
        let claims = claims(json!({
            "groups": ["hpc", 7, "ocean"],
            "realm_access": { "roles": ["admins"] },
            "resource_access": { "wattbook": { "roles": ["grid"] } },
            "eduperson_entitlement": "urn:mace:example.org:hpc",
            "https://example.org/groups": ["named-by-address"],
        }));
        for (claim, expected) in [
            ("groups", vec!["hpc", "ocean"]),
            ("realm_access.roles", vec!["admins"]),
            ("resource_access.wattbook.roles", vec!["grid"]),
            ("eduperson_entitlement", vec!["urn:mace:example.org:hpc"]),
            ("https://example.org/groups", vec!["named-by-address"]),
            ("realm_access", vec![]),
            ("nothing.at.all", vec![]),
        ] {
            assert_eq!(claims.texts(&[claim.to_owned()]), expected, "{claim}");
        }
        let both = claims.texts(&["groups".to_owned(), "realm_access.roles".to_owned()]);
        assert_eq!(both, ["hpc", "ocean", "admins"]);
    }

    #[test]
    fn a_subject_is_a_text_that_is_not_too_long() {
        for (value, expected) in [
            (json!({ "sub": "7f3a" }), Some("7f3a")),
            (json!({ "sub": "" }), None),
            (json!({ "sub": 7 }), None),
            (json!({ "sub": "a".repeat(256) }), None),
        ] {
            assert_eq!(claims(value).subject(), expected);
        }
    }
}
