//! Who may use which nodes of the one Slurm that all tests share: a quarter, which is a partition of
//! its own, two of them or all.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::peer::Peer;

const QUARTERS: [&str; 4] = ["first", "second", "third", "fourth"];
static PERMITS: Semaphore = Semaphore::const_new(QUARTERS.len());
static TAKEN: Mutex<[bool; QUARTERS.len()]> = Mutex::new([false; QUARTERS.len()]);

/// Nodes that no other test uses meanwhile, without jobs and reservations, up and idle.
pub struct Nodes {
    /// The partitions that are exactly these nodes, with commas between.
    pub partitions: String,
    /// Their names, in the order of their numbers.
    pub names: Vec<String>,
    quarters: Vec<usize>,
    _permits: SemaphorePermit<'static>,
}

impl Nodes {
    /// Four nodes, once there are four.
    pub async fn quarter(peer: &Peer) -> Self {
        Self::cleared(peer, PERMITS.acquire().await.unwrap()).await
    }

    /// All sixteen, once nobody uses any; what is done to Slurm itself disturbs nobody else then.
    pub async fn all(peer: &Peer) -> Self {
        Self::cleared(peer, PERMITS.acquire_many(4).await.unwrap()).await
    }

    /// All sixteen, once nobody uses any, for two at a time.
    pub async fn halves(peer: &Peer) -> [Self; 2] {
        let mut permits = PERMITS.acquire_many(4).await.unwrap();
        let half = permits.split(2).unwrap();
        [Self::cleared(peer, permits).await, Self::cleared(peer, half).await]
    }

    async fn cleared(peer: &Peer, permits: SemaphorePermit<'static>) -> Self {
        let quarters = take(permits.num_permits());
        let numbers = quarters.iter().flat_map(|quarter| quarter * 4 + 1..=quarter * 4 + 4);
        let names = numbers.map(|number| format!("n{number}")).collect::<Vec<_>>();
        let partitions = quarters.iter().map(|quarter| QUARTERS[*quarter]).collect::<Vec<_>>();
        let partitions = partitions.join(",");
        // Given back also where they do not become idle.
        let nodes = Self { partitions, names, quarters, _permits: permits };
        nodes.clear(peer).await;
        nodes
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        let mut taken = TAKEN.lock().unwrap();
        for quarter in &self.quarters {
            taken[*quarter] = false;
        }
    }
}

/// Quarters that are free: there are enough, by the permits.
fn take(count: usize) -> Vec<usize> {
    let mut taken = TAKEN.lock().unwrap();
    let free = (0..QUARTERS.len()).filter(|quarter| !taken[*quarter]).take(count);
    let quarters = free.collect::<Vec<_>>();
    for quarter in &quarters {
        taken[*quarter] = true;
    }
    quarters
}

impl Nodes {
    /// Removes what an earlier test left, and waits until the nodes are idle.
    async fn clear(&self, peer: &Peer) {
        for name in &self.names {
            let _ = std::fs::remove_file(peer.absent.join(name));
        }
        for partition in self.partitions.split(',') {
            peer.program("scancel").args(["--partition", partition]).status().unwrap();
        }
        // Jobs in reservations may be of another partition.
        peer.program("scancel").args(["--nodelist", &self.names.join(",")]).status().unwrap();
        let ours = self.names.iter().cloned().collect::<BTreeSet<_>>();
        for round in 0.. {
            for (name, seen) in peer.reservations() {
                if !seen.nodes.is_disjoint(&ours) {
                    peer.try_scontrol(&format!("delete reservation {name}"));
                }
            }
            let states = self.names.iter().map(|name| (name, peer.node(name)["State"].clone()));
            let busy = states.filter(|(_, state)| state != "IDLE").collect::<Vec<_>>();
            if busy.is_empty() {
                return;
            }
            assert!(round < 240, "not idle after two minutes: {busy:?}");
            for (name, state) in busy {
                if let Some(change) = change_to_idle(&state) {
                    peer.try_scontrol(&format!("update nodename={name} state={change}"));
                }
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }
}

/// What makes a node in this state idle; nothing where it becomes so by itself.
fn change_to_idle(state: &str) -> Option<&'static str> {
    const PASSING: [&str; 4] = ["POWERING", "ALLOCATED", "MIXED", "COMPLETING"];
    match state {
        // A controller that was killed forgets that a node has come, and does not ask it.
        it if it.starts_with("UNKNOWN") && it.contains("POWERING_UP") => {
            Some("down reason=forgotten")
        }
        it if it.starts_with("DOWN") && it.contains("POWERING_UP") => Some("resume"),
        // An order that is repeated may stay with the node for ever.
        it if it.contains("POWER_UP") => None,
        it if it.contains("POWERED_DOWN") => Some("power_up"),
        it if PASSING.iter().any(|passing| it.contains(passing)) => None,
        _ => Some("resume"),
    }
}
