//! Parallel tasks as profiles say them, for any machines.

use network::platform::HostId;
use network::tasks::ParallelTask;

use super::machine_network::{MachineNetwork, StorageError};

/// A parallel task before it is known where it runs.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskProfile {
    /// Each machine computes and sends the same; bytes go from each to each other.
    Homogeneous {
        /// Of each machine.
        operations: f64,
        /// From each to each other.
        bytes: f64,
    },
    /// Amounts of all machines, which are divided by their number.
    Total {
        /// Of all machines.
        operations: f64,
        /// What is divided by the number of machines and sent from each to each other, as Batsim does.
        bytes: f64,
    },
    /// Amounts of all machines: operations are divided by their number, bytes by that of pairs of them.
    Spread {
        /// Of all machines.
        operations: f64,
        /// Of all transfers.
        bytes: f64,
    },
    /// As it is written, machine by machine.
    Written {
        /// Of each machine.
        operations: Vec<f64>,
        /// From each to each, row by row.
        bytes: Vec<f64>,
    },
    /// Each machine reads from a storage and writes to it.
    Storage {
        /// The name of the storage; where none is said there must be one only.
        storage: Option<Box<str>>,
        /// Read by each machine.
        read_bytes: f64,
        /// Written by each machine.
        written_bytes: f64,
        /// Whether both are of all machines instead.
        divided: bool,
    },
    /// The first machine alone reads from a storage and writes to it.
    FirstMachine {
        /// The name of the storage.
        storage: Box<str>,
        /// Read by it.
        read_bytes: f64,
        /// Written by it.
        written_bytes: f64,
    },
    /// Data go from one storage to another.
    Staging {
        /// The name of the storage they come from.
        from: Box<str>,
        /// The name of the storage they go to.
        to: Box<str>,
        /// How much.
        bytes: f64,
    },
}

impl TaskProfile {
    /// Checks that its storages are there.
    ///
    /// # Errors
    /// They are not.
    pub fn check(&self, network: &MachineNetwork) -> Result<(), StorageError> {
        self.on(&[], network).map(drop)
    }

    /// The task on these hosts.
    ///
    /// # Errors
    /// A storage is not there.
    pub fn on(
        &self,
        hosts: &[HostId],
        network: &MachineNetwork,
    ) -> Result<ParallelTask, StorageError> {
        let count = hosts.len();
        let each = |operations: f64, bytes: f64| ParallelTask {
            hosts: hosts.to_vec(),
            operations: vec![operations; count],
            bytes: if bytes > 0.0 { to_each_other(count, bytes) } else { Vec::new() },
        };
        Ok(match self {
            Self::Homogeneous { operations, bytes } => each(*operations, *bytes),
            Self::Total { operations, bytes } => {
                let parts = count.max(1) as f64;
                each(*operations / parts, *bytes / parts)
            }
            Self::Spread { operations, bytes } => {
                let parts = count.max(1) as f64;
                each(*operations / parts, *bytes / (parts * (parts - 1.0)).max(1.0))
            }
            Self::Written { operations, bytes } => ParallelTask {
                hosts: hosts.to_vec(),
                operations: operations.clone(),
                bytes: bytes.clone(),
            },
            Self::Storage { storage, read_bytes, written_bytes, divided } => {
                let storage = network.storage(storage.as_deref())?;
                let parts = if *divided { count.max(1) as f64 } else { 1.0 };
                with_storage(hosts, storage, read_bytes / parts, written_bytes / parts)
            }
            Self::FirstMachine { storage, read_bytes, written_bytes } => {
                let first = &hosts[..count.min(1)];
                with_storage(first, network.storage(Some(storage))?, *read_bytes, *written_bytes)
            }
            Self::Staging { from, to, bytes } => ParallelTask {
                hosts: vec![network.storage(Some(from))?, network.storage(Some(to))?],
                operations: Vec::new(),
                bytes: vec![0.0, *bytes, 0.0, 0.0],
            },
        })
    }
}

/// So many bytes from each to each other.
fn to_each_other(count: usize, bytes: f64) -> Vec<f64> {
    let to = |place: usize| if place.is_multiple_of(count + 1) { 0.0 } else { bytes };
    (0..count * count).map(to).collect()
}

/// The storage is the last host of the task.
fn with_storage(hosts: &[HostId], storage: HostId, read: f64, written: f64) -> ParallelTask {
    let last = hosts.len();
    let width = last + 1;
    let mut bytes = vec![0.0; width * width];
    for place in 0..last {
        bytes[place * width + last] = written;
        bytes[last * width + place] = read;
    }
    let hosts = hosts.iter().copied().chain([storage]).collect();
    ParallelTask { hosts, operations: Vec::new(), bytes }
}
