//! Which sources and agendas this replica sees to, and whether it does the dialogue.
//!
//! A replica makes the leases it has beat four times in the time after which it loses them. It
//! counts that time by its own watch, for itself from before the last beat that was written, for
//! others from when it saw the last: no clock takes part, and who takes a lease over does so after
//! who had it has lost it. Without the database it loses them too.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use storage::{Lease, Seen, StorageError, WantedLease};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::service::Service;
use crate::service::negotiation::LEASE as DIALOGUE;

/// How often it is looked whether a lease is still held.
const LOOK: Duration = Duration::from_millis(200);

/// The dialogue's lease lasts at the most so long: who lost power or nodes should not wait for what
/// a killed process had. Whatever it does may be begun again at any time, so that losing it in vain on
/// a busy machine does no harm.
const DIALOGUE_LASTS: Duration = Duration::from_secs(3);

/// What is held.
#[derive(Debug)]
pub struct Leases {
    holder: String,
    lasts: Duration,
    held: watch::Sender<Held>,
    /// What others hold, and since when it looks as it does.
    seen: Mutex<HashMap<String, (Seen, Instant)>>,
}

/// What is held, each since it was renewed last.
type Held = HashMap<String, Instant>;

impl Leases {
    /// Nothing is held yet; leases that do not beat for `lasts` are lost.
    pub fn new(lasts: Duration) -> Self {
        let (held, _) = watch::channel(Held::new());
        Self { holder: Uuid::now_v7().to_string(), lasts, held, seen: Mutex::default() }
    }

    /// Whether a lease is held now.
    pub fn holds(&self, name: &str) -> bool {
        self.names_in(name, &self.held.borrow())
    }

    fn names_in(&self, name: &str, held: &Held) -> bool {
        held.get(name).is_some_and(|renewed| renewed.elapsed() < self.lasts(name))
    }

    /// For how long after a beat this replica takes a lease for its own.
    fn lasts(&self, name: &str) -> Duration {
        if name == DIALOGUE { self.lasts.min(DIALOGUE_LASTS) } else { self.lasts }
    }

    /// Waits until a lease is held.
    pub async fn wait_for(&self, name: &str) {
        let mut held = self.held.subscribe();
        // The sender lives as long as this: there is always something to wait for.
        let _ = held.wait_for(|held| self.names_in(name, held)).await;
    }

    /// How often the shortest lease beats.
    pub fn beat(&self) -> Duration {
        self.lasts(DIALOGUE) / 4
    }

    /// What need not beat yet: what is held by this replica, and was renewed lately.
    fn fresh(&self, leases: &[Lease], now: Instant) -> Held {
        let ours = |name: &str| {
            leases.iter().any(|lease| lease.name == *name && lease.seen.holder == self.holder)
        };
        let lately = |name: &str, renewed: Instant| {
            now.duration_since(renewed) + self.beat() / 2 < self.lasts(name) / 4
        };
        let mut held = self.held.borrow().clone();
        held.retain(|name, renewed| ours(name) && lately(name, *renewed));
        held
    }

    /// What to try for: what is free or held, and what others have let lie for as long as they said
    /// that they would have it.
    fn wanted(&self, names: &[String], leases: &[Lease], now: Instant) -> Vec<WantedLease> {
        let mut known = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let want = |name: &String, seen: Option<Seen>| {
            let (name, lasts) = (name.clone(), self.lasts(name));
            WantedLease { name, lasts, seen }
        };
        let mut wanted = Vec::new();
        for name in names {
            let lease = leases.iter().find(|lease| lease.name == *name);
            let Some(lease) = lease.filter(|lease| lease.seen.holder != self.holder) else {
                known.remove(name);
                wanted.push(want(name, None));
                continue;
            };
            match known.get(name) {
                Some((before, since)) if *before == lease.seen => {
                    if now.duration_since(*since) >= lease.lasts {
                        wanted.push(want(name, Some(lease.seen.clone())));
                    }
                }
                _ => {
                    known.insert(name.clone(), (lease.seen.clone(), now));
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
        leases.held.send_modify(HashMap::clear);
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

    /// Does something for as long as a lease is held; `None` where it was lost before the end. Work
    /// takes no step after that.
    pub(in crate::service) async fn while_held<T>(
        &self,
        name: &str,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let (mut lost, mut work) = (pin!(self.lease_lost(name)), pin!(work));
        poll_fn(|context| {
            if !self.feeds.leases.holds(name) || lost.as_mut().poll(context).is_ready() {
                return Poll::Ready(None);
            }
            work.as_mut().poll(context).map(Some)
        })
        .await
    }

    async fn renew(&self, names: &[String]) -> Result<(), StorageError> {
        let leases = &self.feeds.leases;
        // From before the question: an answer that took long is as old as that.
        let renewed = Instant::now();
        let rows = self.database.leases().await?;
        let mut held = leases.fresh(&rows, renewed);
        let due: Vec<String> =
            names.iter().filter(|name| !held.contains_key(*name)).cloned().collect();
        let wanted = leases.wanted(&due, &rows, renewed);
        if !wanted.is_empty() {
            let taken = self.database.take_leases(&leases.holder, &wanted).await?;
            held.extend(taken.into_iter().map(|name| (name, renewed)));
        }
        for name in held.keys().filter(|name| !leases.held.borrow().contains_key(*name)) {
            tracing::info!(name, "this replica sees to it from now on");
        }
        leases.held.send_replace(held);
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

    fn lease(name: &str, beat: i64, lasts_s: u64) -> [Lease; 1] {
        let seen = Seen { holder: "other".into(), beat };
        [Lease { name: name.into(), seen, lasts: Duration::from_secs(lasts_s) }]
    }

    #[test]
    fn a_lease_that_does_not_beat_is_tried_for_after_a_while() {
        let leases = Leases::new(Duration::from_secs(20));
        let names = ["a".to_owned()];
        let begin = Instant::now();
        let wanted = |rows: &[Lease], seconds| {
            let wanted = leases.wanted(&names, rows, begin + Duration::from_secs(seconds));
            wanted.into_iter().map(|it| (it.name, it.seen)).collect::<Vec<_>>()
        };
        let beat = |beat| lease("a", beat, 20);
        assert_eq!(wanted(&[], 0), [("a".to_owned(), None)]);
        assert_eq!(wanted(&beat(1), 0), []);
        assert_eq!(wanted(&beat(2), 15), [], "it has beaten");
        assert_eq!(wanted(&beat(2), 30), []);
        let seen = beat(2)[0].seen.clone();
        assert_eq!(wanted(&beat(2), 35), [("a".to_owned(), Some(seen))]);
    }

    /// The dialogue's lasts 3 s whatever the settings say, and a replica of an earlier release, or of
    /// other settings, keeps it for as long as it took it for.
    #[test]
    fn others_wait_for_as_long_as_the_holder_takes_it_for() {
        let leases = Leases::new(Duration::from_secs(20));
        let names = [DIALOGUE.to_owned()];
        let begin = Instant::now();
        let wanted = |rows: &[Lease], seconds| {
            let wanted = leases.wanted(&names, rows, begin + Duration::from_secs(seconds));
            wanted.first().map(|it| it.lasts.as_secs())
        };
        assert_eq!(wanted(&[], 0), Some(3));
        assert_eq!(wanted(&lease(DIALOGUE, 1, 3), 0), None);
        assert_eq!(wanted(&lease(DIALOGUE, 1, 3), 2), None);
        assert_eq!(wanted(&lease(DIALOGUE, 1, 3), 3), Some(3));
        assert_eq!(wanted(&lease(DIALOGUE, 2, 20), 4), None);
        assert_eq!(wanted(&lease(DIALOGUE, 2, 20), 23), None);
        assert_eq!(wanted(&lease(DIALOGUE, 2, 20), 24), Some(3));
    }

    #[test]
    fn what_was_not_renewed_is_not_held() {
        let leases = Leases::new(Duration::from_millis(100));
        let held = Held::from([("a".to_owned(), Instant::now())]);
        assert!(leases.names_in("a", &held) && !leases.names_in("b", &held));
        std::thread::sleep(Duration::from_millis(100));
        assert!(!leases.names_in("a", &held));
    }

    /// Of 20 s a beat every 5 s is enough, while the dialogue's beats at each look.
    #[test]
    fn leases_beat_four_times_in_the_time_that_they_last() {
        let leases = Leases::new(Duration::from_secs(20));
        let ours = |name: &str| {
            let seen = Seen { holder: leases.holder.clone(), beat: 1 };
            Lease { name: name.into(), seen, lasts: leases.lasts(name) }
        };
        let begin = Instant::now();
        let names = ["a".to_owned(), DIALOGUE.to_owned()];
        leases.held.send_replace(names.map(|name| (name, begin)).into());
        let fresh = |milliseconds| {
            let rows = [ours("a"), ours(DIALOGUE)];
            let mut fresh: Vec<String> = leases
                .fresh(&rows, begin + Duration::from_millis(milliseconds))
                .into_keys()
                .collect();
            fresh.sort();
            fresh
        };
        assert_eq!(leases.beat(), Duration::from_millis(750));
        assert_eq!(fresh(100), ["a", DIALOGUE]);
        assert_eq!(fresh(750), ["a"]);
        assert_eq!(fresh(4500), ["a"]);
        assert_eq!(fresh(5000), Vec::<String>::new());
        assert_eq!(leases.fresh(&lease("a", 9, 20), begin), Held::new(), "another took it");
    }
}
