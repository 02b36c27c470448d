//! Which sources and agendas this replica sees to.
//!
//! A replica makes the leases it has beat four times in the time after which it loses them. It
//! counts that time by its own watch, for itself from the last beat that was written, for others
//! from the last that it saw: no clock takes part. Without the database it loses them too.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use storage::{Lease, Seen, StorageError};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::service::Service;

/// How often it is looked whether a lease is still held.
const LOOK: Duration = Duration::from_secs(1);

/// What is held.
#[derive(Debug)]
pub struct Leases {
    holder: String,
    lasts: Duration,
    held: watch::Sender<Held>,
    /// What others hold, and since when it looks as it does.
    seen: Mutex<HashMap<String, (Seen, Instant)>>,
}

/// What is held since when.
#[derive(Clone, Debug)]
struct Held {
    names: HashSet<String>,
    renewed: Instant,
}

impl Leases {
    /// Nothing is held yet; leases that do not beat for `lasts` are lost.
    pub fn new(lasts: Duration) -> Self {
        let (held, _) = watch::channel(Held { names: HashSet::new(), renewed: Instant::now() });
        Self { holder: Uuid::now_v7().to_string(), lasts, held, seen: Mutex::default() }
    }

    /// Whether a lease is held now.
    pub fn holds(&self, name: &str) -> bool {
        self.names_in(name, &self.held.borrow())
    }

    fn names_in(&self, name: &str, held: &Held) -> bool {
        held.renewed.elapsed() < self.lasts && held.names.contains(name)
    }

    /// Waits until a lease is held.
    pub async fn wait_for(&self, name: &str) {
        let mut held = self.held.subscribe();
        // The sender lives as long as this: there is always something to wait for.
        let _ = held.wait_for(|held| self.names_in(name, held)).await;
    }

    /// How often leases beat.
    pub fn beat(&self) -> Duration {
        self.lasts / 4
    }

    /// What to try for: what is free or held, and what others have let lie for long enough.
    fn wanted(
        &self,
        names: &[String],
        leases: &[Lease],
        now: Instant,
    ) -> Vec<(String, Option<Seen>)> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut wanted = Vec::new();
        for name in names {
            let lease = leases.iter().find(|lease| lease.name == *name);
            let Some(lease) = lease.filter(|lease| lease.seen.holder != self.holder) else {
                seen.remove(name);
                wanted.push((name.clone(), None));
                continue;
            };
            match seen.get(name) {
                Some((before, since)) if *before == lease.seen => {
                    if now.duration_since(*since) >= self.lasts {
                        wanted.push((name.clone(), Some(lease.seen.clone())));
                    }
                }
                _ => {
                    seen.insert(name.clone(), (lease.seen.clone(), now));
                }
            }
        }
        wanted
    }
}

impl Service {
    /// Takes and renews leases until told to stop, then gives them up.
    pub(super) async fn keep_leases(&self, names: Vec<String>, stop: CancellationToken) {
        let leases = &self.feeds.leases;
        while !stop.is_cancelled() {
            if let Err(error) = self.renew(&names).await {
                tracing::warn!(error = format!("{error:#}"), "could not renew leases of feeds");
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(leases.beat()) => {}
            }
        }
    }

    /// Gives up all leases, so that another replica need not wait.
    pub(super) async fn give_up_leases(&self) {
        let leases = &self.feeds.leases;
        leases.held.send_modify(|held| held.names.clear());
        if let Err(error) = self.database.drop_leases(&leases.holder).await {
            tracing::warn!(error = format!("{error:#}"), "could not give up leases of feeds");
        }
    }

    /// Takes or renews a lease for something that is done now and then; `false` where another replica
    /// has it.
    pub(in crate::service) async fn take_lease(&self, name: &str) -> Result<bool, StorageError> {
        let leases = &self.feeds.leases;
        let names = [name.to_owned()];
        let wanted = leases.wanted(&names, &self.database.leases().await?, Instant::now());
        if wanted.is_empty() {
            return Ok(false);
        }
        Ok(!self.database.take_leases(&leases.holder, &wanted).await?.is_empty())
    }

    /// Gives it up.
    pub(in crate::service) async fn give_up_lease(&self, name: &str) -> Result<(), StorageError> {
        self.database.drop_lease(&self.feeds.leases.holder, name).await
    }

    /// Waits until a lease is not held any more.
    pub(in crate::service) async fn lease_lost(&self, name: &str) {
        while self.feeds.leases.holds(name) {
            tokio::time::sleep(LOOK).await;
        }
    }

    async fn renew(&self, names: &[String]) -> Result<(), StorageError> {
        let leases = &self.feeds.leases;
        // From before the question: an answer that took long is as old as that.
        let renewed = Instant::now();
        let wanted = leases.wanted(names, &self.database.leases().await?, renewed);
        let taken = self.database.take_leases(&leases.holder, &wanted).await?;
        let names: HashSet<String> = taken.into_iter().collect();
        for name in names.difference(&leases.held.borrow().names) {
            tracing::info!(name, "this replica sees to it from now on");
        }
        leases.held.send_replace(Held { names, renewed });
        for (id, state) in self.database.feeds().await? {
            if state.refresh.is_some() {
                self.feeds.wake(&id);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_that_does_not_beat_is_tried_for_after_a_while() {
        let leases = Leases::new(Duration::from_secs(20));
        let names = ["a".to_owned()];
        let beat = |beat| {
            let seen = Seen { holder: "other".into(), beat };
            [Lease { name: "a".into(), seen }]
        };
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        assert_eq!(leases.wanted(&names, &[], at(0)), [("a".to_owned(), None)]);
        assert_eq!(leases.wanted(&names, &beat(1), at(0)), []);
        assert_eq!(leases.wanted(&names, &beat(2), at(15)), [], "it has beaten");
        assert_eq!(leases.wanted(&names, &beat(2), at(30)), []);
        let seen = beat(2)[0].seen.clone();
        assert_eq!(leases.wanted(&names, &beat(2), at(35)), [("a".to_owned(), Some(seen))]);
    }

    #[test]
    fn what_was_not_renewed_is_not_held() {
        let leases = Leases::new(Duration::from_millis(100));
        let held = Held { names: HashSet::from(["a".to_owned()]), renewed: Instant::now() };
        assert!(leases.names_in("a", &held) && !leases.names_in("b", &held));
        std::thread::sleep(Duration::from_millis(100));
        assert!(!leases.names_in("a", &held));
    }
}
