//! Access tokens that do not count, each for what is wrong with it, and nothing of them in the log.

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use crate::issuer::{Issuer, Key};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_token_counts_by_its_issuer_its_signature_its_audience_and_its_time,
    only_tokens_of_known_programs_count_where_the_site_names_them,
}

/// A token without a signature: `{"alg": "none"}`.
fn unsigned(token: &str, header: &Value) -> String {
    let claims = token.split('.').nth(1).unwrap();
    format!("{}.{claims}.", encoded(header.to_string().as_bytes()))
}

fn encoded(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

/// The claims of a token with some of them changed; null takes one away.
fn changed(claims: &Value, changes: &Value) -> Value {
    let mut claims = claims.as_object().unwrap().clone();
    for (name, value) in changes.as_object().unwrap().clone() {
        claims.insert(name, value);
    }
    claims.retain(|_, value| !value.is_null());
    Value::Object(claims)
}

async fn a_token_counts_by_its_issuer_its_signature_its_audience_and_its_time(site: Site) {
    let (key, foreign) = (Key::new("1"), Key::new("1"));
    let issuer = Issuer::start(&key).await;
    let other = Issuer::start(&key).await;
    let server = issuer.serve(&site, "").await;
    let claims = issuer.claims("ada", "hpc");
    let now = claims["iat"].as_u64().unwrap();
    let good = key.sign(&claims);
    let by = |changes: Value| key.sign(&changed(&claims, &changes));
    // Signed by the public key as if it were a secret.
    let public = serde_json::to_vec(&key.public()).unwrap();
    let header = Header { kid: Some("1".to_owned()), ..Header::new(Algorithm::HS256) };
    let confused = encode(&header, &claims, &EncodingKey::from_secret(&public)).unwrap();
    let critical = Header {
        kid: Some("1".to_owned()),
        crit: Some(vec!["b64".to_owned()]),
        ..Header::new(Algorithm::ES256)
    };
    let critical = encode(&critical, &claims, &key.secret).unwrap();
    let mut parts: Vec<&str> = good.split('.').collect();
    let raised = encoded(changed(&claims, &json!({ "groups": ["admins"] })).to_string().as_bytes());
    parts[1] = &raised;
    let tampered = parts.join(".");
    let long = by(json!({ "padding": "a".repeat(20_000) }));
    for (token, why) in [
        (unsigned(&good, &json!({ "alg": "none" })), "not signed in a way that is known"),
        (
            unsigned(&good, &json!({ "alg": "None", "typ": "JWT" })),
            "not signed in a way that is known",
        ),
        (unsigned(&good, &json!({ "alg": "ES256", "kid": "1" })), "signed by no key"),
        (confused, "HS256, which is not accepted"),
        (foreign.sign(&claims), "signed by no key"),
        (tampered, "signed by no key"),
        (critical, "extensions"),
        (by(json!({ "iss": other.address })), "no [[sign_in]]"),
        (by(json!({ "iss": format!("{}/", issuer.address) })), "no [[sign_in]]"),
        (by(json!({ "iss": [issuer.address, other.address] })), "not known"),
        (by(json!({ "aud": "elsewhere" })), "(aud)"),
        (by(json!({ "aud": ["a", "b"] })), "(aud)"),
        (by(json!({ "aud": null })), "has no aud"),
        (by(json!({ "exp": now - 61 })), "time is over"),
        (by(json!({ "exp": null })), "has no exp"),
        (by(json!({ "exp": "tomorrow" })), "has no exp"),
        (by(json!({ "nbf": now + 600 })), "has not come"),
        (by(json!({ "iat": now + 600 })), "in the future"),
        (by(json!({ "sub": null })), "has no sub"),
        (by(json!({ "sub": "" })), "has no sub"),
        (by(json!({ "nonce": "n" })), "ID token"),
        (by(json!({ "typ": "ID" })), "ID token"),
        (long, "not known"),
        ("a.b.c".to_owned(), "not known"),
        ("wattbook_00".to_owned(), "not known"),
    ] {
        let answer = server.client().with_token(&token).get("/api/v1/nodes").await;
        assert_eq!(answer.header("www-authenticate"), "Bearer", "{why}");
        let problem = answer.problem(401, "unauthorised");
        assert!(problem["detail"].as_str().unwrap().contains(why), "{why}: {problem}");
        assert!(!server.log().contains(&token));
    }
    assert!(server.log().contains("/api/v1/nodes"), "requests are logged");
    // What is right at the edges.
    let claims = issuer.claims("ada", "hpc");
    let now = claims["iat"].as_u64().unwrap();
    let by = |changes: Value| key.sign(&changed(&claims, &changes));
    for token in [
        good,
        by(json!({ "aud": ["elsewhere", "wattbook"] })),
        by(json!({ "exp": now - 30 })),
        by(json!({ "nbf": now + 30, "iat": now + 30 })),
        by(json!({ "iat": null })),
    ] {
        server.client().with_token(&token).get("/api/v1/nodes").await.ok(200);
    }
    assert_eq!(other.asked(), 0);
}

async fn only_tokens_of_known_programs_count_where_the_site_names_them(site: Site) {
    let key = Key::new("1");
    let issuer = Issuer::start(&key).await;
    let server = issuer.serve(&site, "clients = [\"wattbook-cli\", \"wattbook-page\"]").await;
    let claims = issuer.claims("ada", "hpc");
    for (changes, status) in [
        (json!({}), 200),
        (json!({ "azp": "wattbook-page" }), 200),
        (json!({ "client_id": "game" }), 401),
        (json!({ "azp": "game" }), 401),
        (json!({ "client_id": null }), 401),
    ] {
        let token = key.sign(&changed(&claims, &changes));
        let answer = server.client().with_token(&token).get("/api/v1/nodes").await;
        assert_eq!(answer.status, status, "{changes}");
    }
}
