//! Secrets that the service makes for people, and what it keeps of them.

use sha2::{Digest, Sha256};

use super::Fault;

/// A new secret of 256 random bits in lower-case hexadecimal.
///
/// # Errors
/// The operating system has no randomness.
pub fn new_secret() -> Result<String, Fault> {
    let mut secret = [0_u8; 32];
    getrandom::fill(&mut secret)
        .map_err(|error| Fault::internal(anyhow::anyhow!("no randomness: {error}")))?;
    Ok(hex::encode(secret))
}

/// What is stored of a secret: its SHA-256. A secret has 256 random bits, so no salt is needed.
pub fn digest(secret: &str) -> String {
    hex::encode(Sha256::digest(secret.as_bytes()))
}
