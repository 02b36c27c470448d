//! What this process holds and what it saw others hold, without the database.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use storage::{Lease, Seen, WantedLease};
use tokio::sync::watch;
use tokio::time::Instant;
use uuid::Uuid;

/// What is held, and what others hold.
#[derive(Debug)]
pub(super) struct LeaseWatch {
    holder: String,
    lasts: Duration,
    /// Names of leases that last no longer than this.
    shorter: Vec<(&'static str, Duration)>,
    held: watch::Sender<HeldLeases>,
    /// What others hold, and since when it looks as it does.
    seen: Mutex<HashMap<String, (Seen, Instant)>>,
}

/// What is held, each since it was renewed last.
pub(super) type HeldLeases = HashMap<String, Instant>;

impl LeaseWatch {
    /// Nothing is held yet; leases that do not beat for `lasts` are lost.
    pub(super) fn new(lasts: Duration) -> Self {
        let (held, _) = watch::channel(HeldLeases::new());
        let holder = Uuid::now_v7().to_string();
        Self { holder, lasts, shorter: Vec::new(), held, seen: Mutex::default() }
    }

    /// Lets leases of a name last for no longer than `most`.
    pub(super) fn with_shorter(mut self, name: &'static str, most: Duration) -> Self {
        self.shorter.push((name, most));
        self
    }

    /// The name of this process among those that hold leases.
    pub(super) fn holder(&self) -> &str {
        &self.holder
    }

    /// Whether a lease is held now.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.names_in(name, &self.held.borrow())
    }

    fn names_in(&self, name: &str, held: &HeldLeases) -> bool {
        held.get(name).is_some_and(|renewed| renewed.elapsed() < self.lasts(name))
    }

    /// For how long after a beat this process takes a lease for its own.
    fn lasts(&self, name: &str) -> Duration {
        let shorter = self.shorter.iter().find(|(shorter, _)| *shorter == name);
        shorter.map_or(self.lasts, |(_, most)| self.lasts.min(*most))
    }

    /// Waits until a lease is held.
    pub(super) async fn wait_for(&self, name: &str) {
        let mut held = self.held.subscribe();
        // The sender lives as long as this: there is always something to wait for.
        let _ = held.wait_for(|held| self.names_in(name, held)).await;
    }

    /// How often the shortest lease beats.
    pub(super) fn beat(&self) -> Duration {
        let shortest = self.shorter.iter().map(|(_, most)| *most).min();
        shortest.map_or(self.lasts, |shortest| self.lasts.min(shortest)) / 4
    }

    /// Notes what is held from now on.
    pub(super) fn now_holds(&self, held: HeldLeases) {
        for name in held.keys().filter(|name| !self.held.borrow().contains_key(*name)) {
            tracing::info!(name, "this replica sees to it from now on");
        }
        self.held.send_replace(held);
    }

    /// Notes that nothing is held any more.
    pub(super) fn forget_all(&self) {
        self.held.send_modify(HashMap::clear);
    }

    /// What need not beat yet: what is held by this process, and was renewed lately.
    pub(super) fn fresh(&self, leases: &[Lease], now: Instant) -> HeldLeases {
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
    pub(super) fn wanted(
        &self,
        names: &[String],
        leases: &[Lease],
        now: Instant,
    ) -> Vec<WantedLease> {
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

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: &str = "short";

    /// Leases of 20 s, and a short one of 3 s.
    fn twenty_seconds() -> LeaseWatch {
        LeaseWatch::new(Duration::from_secs(20)).with_shorter(SHORT, Duration::from_secs(3))
    }

    fn lease(name: &str, beat: i64, lasts_s: u64) -> [Lease; 1] {
        let seen = Seen { holder: "other".into(), beat };
        [Lease { name: name.into(), seen, lasts: Duration::from_secs(lasts_s) }]
    }

    #[test]
    fn a_lease_that_does_not_beat_is_tried_for_after_a_while() {
        let leases = twenty_seconds();
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

    /// The short one lasts 3 s whatever the settings say, and a process of an earlier release, or of
    /// other settings, keeps it for as long as it took it for.
    #[test]
    fn others_wait_for_as_long_as_the_holder_takes_it_for() {
        let leases = twenty_seconds();
        let names = [SHORT.to_owned()];
        let begin = Instant::now();
        let wanted = |rows: &[Lease], seconds| {
            let wanted = leases.wanted(&names, rows, begin + Duration::from_secs(seconds));
            wanted.first().map(|it| it.lasts.as_secs())
        };
        assert_eq!(wanted(&[], 0), Some(3));
        assert_eq!(wanted(&lease(SHORT, 1, 3), 0), None);
        assert_eq!(wanted(&lease(SHORT, 1, 3), 2), None);
        assert_eq!(wanted(&lease(SHORT, 1, 3), 3), Some(3));
        assert_eq!(wanted(&lease(SHORT, 2, 20), 4), None);
        assert_eq!(wanted(&lease(SHORT, 2, 20), 23), None);
        assert_eq!(wanted(&lease(SHORT, 2, 20), 24), Some(3));
    }

    #[test]
    fn what_was_not_renewed_is_not_held() {
        let leases = LeaseWatch::new(Duration::from_millis(100));
        let held = HeldLeases::from([("a".to_owned(), Instant::now())]);
        assert!(leases.names_in("a", &held) && !leases.names_in("b", &held));
        std::thread::sleep(Duration::from_millis(100));
        assert!(!leases.names_in("a", &held));
    }

    /// Of 20 s a beat every 5 s is enough, while the short one beats at each look.
    #[test]
    fn leases_beat_four_times_in_the_time_that_they_last() {
        let leases = twenty_seconds();
        let ours = |name: &str| {
            let seen = Seen { holder: leases.holder.clone(), beat: 1 };
            Lease { name: name.into(), seen, lasts: leases.lasts(name) }
        };
        let begin = Instant::now();
        let names = ["a".to_owned(), SHORT.to_owned()];
        leases.held.send_replace(names.map(|name| (name, begin)).into());
        let fresh = |milliseconds| {
            let rows = [ours("a"), ours(SHORT)];
            let mut fresh: Vec<String> = leases
                .fresh(&rows, begin + Duration::from_millis(milliseconds))
                .into_keys()
                .collect();
            fresh.sort();
            fresh
        };
        assert_eq!(leases.beat(), Duration::from_millis(750));
        assert_eq!(fresh(100), ["a", SHORT]);
        assert_eq!(fresh(750), ["a"]);
        assert_eq!(fresh(4500), ["a"]);
        assert_eq!(fresh(5000), Vec::<String>::new());
        assert_eq!(leases.fresh(&lease("a", 9, 20), begin), HeldLeases::new(), "another took it");
    }
}
