//! Waiting until Slurm has a reservation.

use std::time::Duration;

use anyhow::anyhow;

use crate::cli::booking::answers::{ReservationAnswer, local_text};
use crate::cli::booking::server::Server;
use crate::cli::{Failure, tell};

/// How often the service is asked how the reservation stands.
const POLL: Duration = Duration::from_secs(1);

/// How a reservation that Slurm is to have stands.
#[derive(Debug, PartialEq, Eq)]
enum Standing {
    /// Slurm has it by this name.
    InForce(String),
    /// Slurm does not have it yet, for this reason. What was refused is tried again, with other nodes if need be.
    Waiting(Option<String>),
}

/// Waits until Slurm has a reservation, and gives its name there. Why it takes time is told as it changes.
///
/// # Errors
/// Slurm will not have it, or not within the patience; the service refuses to tell.
pub async fn in_force(
    server: &Server,
    path: &str,
    booked: ReservationAnswer,
    patience_s: i64,
) -> Result<String, Failure> {
    let patience = Duration::from_secs(u64::try_from(patience_s).unwrap_or_default());
    let mut known = None;
    let waited = tokio::time::timeout(patience, async {
        let mut read = Ok(booked);
        loop {
            let because = match read {
                Ok(booked) => match standing(&booked)? {
                    Standing::InForce(name) => return Ok(name),
                    Standing::Waiting(because) => because,
                },
                Err(Failure::Unavailable(error)) => Some(format!("{error:#}")),
                Err(failure) => return Err(failure),
            };
            if because.is_some() && because != known {
                tell(format_args!("waiting: {}", because.as_deref().unwrap_or_default()));
            }
            known = because;
            tokio::time::sleep(POLL).await;
            read = server.get(path).await;
        }
    });
    let waited = waited.await;
    waited.unwrap_or_else(|_| {
        let because = known.map_or_else(String::new, |it| format!(": {it}"));
        Err(anyhow!(
            "Slurm does not have the reservation after {patience_s} s (--patience){because}"
        )
        .into())
    })
}

/// How a reservation stands.
///
/// # Errors
/// Slurm will not have it.
fn standing(booked: &ReservationAnswer) -> Result<Standing, Failure> {
    let state = booked.state.as_str();
    if !matches!(state, "confirmed" | "active") {
        return Err(anyhow!("the reservation is {state}").into());
    }
    let Some(slurm) = &booked.slurm else {
        return Err(anyhow!(
            "the service makes no reservations in Slurm: an operator must set mode = \"drive\" under [slurm]; \
             --begin-only does without"
        )
        .into());
    };
    let because = slurm.because.as_deref().map(local_text);
    match slurm.state.as_str() {
        "in_force" => Ok(Standing::InForce(slurm.reservation.clone())),
        "waiting" | "failed" => Ok(Standing::Waiting(because)),
        state => {
            let because = because.unwrap_or_else(|| "no reason is known".to_owned());
            Err(anyhow!("the reservation in Slurm is {state}: {because}").into())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(state: &str, slurm: Option<&str>) -> Result<Standing, String> {
        let slurm = slurm
            .map(|it| json!({ "reservation": "wattbook-x", "state": it, "because": "n1 is busy" }));
        let booked = json!({
            "id": "x", "owner": "ada", "state": state, "degraded": false, "offers": [], "slurm": slurm,
            "expires_at": "2026-11-22T12:00:00Z", "chosen_offer_id": null, "notice": null,
        });
        standing(&serde_json::from_value(booked).unwrap()).map_err(|failure| match failure {
            Failure::Other(error) => error.to_string(),
            _ => String::new(),
        })
    }

    #[test]
    fn what_slurm_refused_is_waited_for_and_what_is_over_is_not() {
        let waiting = Ok(Standing::Waiting(Some("n1 is busy".to_owned())));
        assert_eq!(of("confirmed", Some("waiting")), waiting);
        assert_eq!(of("confirmed", Some("failed")), waiting);
        let in_force = Ok(Standing::InForce("wattbook-x".to_owned()));
        assert_eq!(of("active", Some("in_force")), in_force);
        for (state, slurm, told) in [
            ("confirmed", Some("lost"), "the reservation in Slurm is lost: n1 is busy"),
            ("confirmed", Some("removed"), "the reservation in Slurm is removed: n1 is busy"),
            ("cancelled", Some("waiting"), "the reservation is cancelled"),
            ("confirmed", None, "the service makes no reservations in Slurm"),
        ] {
            let error = of(state, slurm).unwrap_err();
            assert!(error.starts_with(told), "{error}");
        }
    }
}
