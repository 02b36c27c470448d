//! The public keys of an issuer.

use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, Header};
use serde::Deserialize;
use serde_json::Value;

/// The keys that an issuer publishes (RFC 7517) and by which we can check signatures.
pub(super) struct IssuerKeys(Vec<PublicKey>);

struct PublicKey {
    id: Option<String>,
    /// Where the issuer says that it signs by this alone.
    algorithm: Option<Algorithm>,
    key: DecodingKey,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

impl IssuerKeys {
    /// Reads a set of keys. Those are left out that are of a kind we do not know, that are for something else than
    /// signatures, and secrets: whoever knows a secret could sign by it.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        let set: KeySet = serde_json::from_str(text)?;
        Ok(Self(set.keys.into_iter().filter_map(public_key).collect()))
    }

    /// The keys that a token with this header may be signed by.
    pub fn of<'a>(&'a self, header: &'a Header) -> impl Iterator<Item = &'a DecodingKey> {
        let fits = |it: &&PublicKey| {
            (header.kid.is_none() || header.kid == it.id)
                && it.algorithm.is_none_or(|algorithm| algorithm == header.alg)
                && it.key.family() == header.alg.family()
        };
        self.0.iter().filter(fits).map(|it| &it.key)
    }
}

fn public_key(value: Value) -> Option<PublicKey> {
    let named = value.get("alg").and_then(Value::as_str).map(str::to_owned);
    let jwk: Jwk = serde_json::from_value(value).ok()?;
    let is_for_signatures =
        jwk.common.public_key_use.as_ref().is_none_or(|it| *it == PublicKeyUse::Signature);
    let is_secret = matches!(jwk.algorithm, AlgorithmParameters::OctetKey(_));
    if !is_for_signatures || is_secret {
        return None;
    }
    let algorithm = named.map(|name| name.parse::<Algorithm>()).transpose().ok()?;
    let key = DecodingKey::from_jwk(&jwk).ok()?;
    (key.family() != AlgorithmFamily::Hmac).then_some(PublicKey {
        id: jwk.common.key_id,
        algorithm,
        key,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keys() -> IssuerKeys {
        // The curve and the modulus do not matter here.
        let (x, y) = (
            "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        );
        let set = json!({ "keys": [
            { "kty": "EC", "crv": "P-256", "kid": "a", "x": x, "y": y },
            { "kty": "EC", "crv": "P-256", "kid": "b", "use": "enc", "x": x, "y": y },
            { "kty": "oct", "kid": "c", "k": "c2VjcmV0" },
            { "kty": "RSA", "kid": "d", "alg": "PS256", "n": "sXch", "e": "AQAB" },
            { "kty": "RSA", "kid": "e", "alg": "RSA-OAEP", "n": "sXch", "e": "AQAB" },
            { "kty": "lattice", "kid": "f" },
            "nonsense",
        ] });
        IssuerKeys::read(&set.to_string()).unwrap()
    }

    #[test]
    fn a_key_counts_for_what_it_is_for_alone() {
        let keys = keys();
        for (kid, algorithm, expected) in [
            (Some("a"), Algorithm::ES256, 1),
            (Some("a"), Algorithm::RS256, 0),
            (Some("a"), Algorithm::HS256, 0),
            (Some("b"), Algorithm::ES256, 0),
            (Some("c"), Algorithm::HS256, 0),
            (Some("d"), Algorithm::PS256, 1),
            (Some("d"), Algorithm::RS256, 0),
            (Some("e"), Algorithm::RS256, 0),
            (None, Algorithm::ES256, 1),
            (None, Algorithm::HS256, 0),
            (Some("g"), Algorithm::ES256, 0),
        ] {
            let header = Header { kid: kid.map(str::to_owned), ..Header::new(algorithm) };
            assert_eq!(keys.of(&header).count(), expected, "{kid:?} {algorithm:?}");
        }
    }

    #[test]
    fn what_is_no_set_of_keys_is_refused() {
        for text in ["", "[]", "{}", "{\"keys\": 1}"] {
            assert!(IssuerKeys::read(text).is_err(), "{text}");
        }
    }
}
