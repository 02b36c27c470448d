//! Reads: so many are answered at a time, and so many of one client. Others wait for their turn.
//!
//! What a read costs is not known before it is made: a page of nodes takes a hundred times as long as one's own name. So
//! clients are told apart instead: whoever asks for much waits for themselves. Clients take turns as for plans
//! (`service/shared/turns.rs`). A turn ends when the answer begins, so that event streams and slow clients keep none.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{Method, Request};

use crate::config::limits::Limits;
use crate::service::shared::{Most, Party, Turn, Turns};

/// Who has no turn by then is told to come back.
const WAITS_AT_MOST: Duration = Duration::from_secs(10);

/// What monitors ask is answered at once.
const AT_ONCE: [&str; 2] = ["/health/", "/metrics"];

/// The turns of reads.
#[derive(Debug)]
pub struct Reads(Arc<Turns>);

/// It took too long until there was a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoTurnInTime;

impl Reads {
    /// As many as the settings say.
    pub fn new(limits: &Limits) -> Self {
        Self(Turns::new(Most {
            at_a_time: limits.reads,
            at_a_time_per_user: limits.reads_per_client,
            // Each that waits has a connection, of which there are so many.
            waiting: usize::MAX,
            per_user: usize::MAX,
        }))
    }

    /// Waits for the turn of the client of this name to have a request answered; `None` for what needs none.
    pub fn turn<B>(
        &self,
        request: &Request<B>,
        client: Option<&str>,
    ) -> impl Future<Output = Result<Option<Turn>, NoTurnInTime>> + use<B> {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        let waits = is_read && !is_monitoring(request);
        let party = client.filter(|_| waits).map(|it| Party::User(it.to_owned()));
        let turns = Arc::clone(&self.0);
        async move {
            let Some(party) = party else { return Ok(None) };
            match tokio::time::timeout(WAITS_AT_MOST, turns.take(party)).await {
                Ok(Ok(turn)) => Ok(Some(turn)),
                Ok(Err(_)) | Err(_) => Err(NoTurnInTime),
            }
        }
    }
}

/// Whether it is something that monitors ask.
pub fn is_monitoring<B>(request: &Request<B>) -> bool {
    AT_ONCE.iter().any(|it| request.uri().path().starts_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(path: &str) -> Request<()> {
        Request::get(path).body(()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn one_client_waits_for_itself_and_others_do_not() {
        let limits = Limits::read(&toml::from_str("reads = 3\nreads_per_client = 2").unwrap());
        let reads = Reads::new(&limits.unwrap());
        let (ada, grace) = ("ada", "grace");
        let first = reads.turn(&get("/api/v1/nodes"), Some(ada)).await.unwrap().unwrap();
        let second = reads.turn(&get("/"), Some(ada)).await.unwrap().unwrap();
        assert!(reads.turn(&get("/"), Some(ada)).await.is_err(), "both are hers");
        let graces = reads.turn(&get("/"), Some(grace)).await.unwrap();
        drop(first);
        assert!(reads.turn(&get("/"), Some(ada)).await.unwrap().is_some());
        drop((second, graces));
    }

    #[tokio::test]
    async fn monitors_and_changes_need_no_turn() {
        let limits = Limits::read(&toml::from_str("reads_per_client = 1").unwrap()).unwrap();
        let (reads, ada) = (Reads::new(&limits), "ada");
        let _taken = reads.turn(&get("/"), Some(ada)).await.unwrap();
        for request in [
            get("/health/ready"),
            get("/metrics"),
            Request::post("/api/v1/quotes").body(()).unwrap(),
        ] {
            assert!(reads.turn(&request, Some(ada)).await.unwrap().is_none());
        }
        assert!(reads.turn(&get("/"), None).await.unwrap().is_none(), "nor who speaks for others");
    }
}
