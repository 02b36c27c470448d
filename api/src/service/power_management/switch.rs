//! What switches nodes, whichever it is: their power now, who uses them, and orders.

use std::collections::BTreeMap;
use std::sync::Arc;

use planner::power_action::{NodeUse, OrderAnswer, PowerOrder, PowerReading};
use planner::resource_manager::{
    JobPhase, ManagedJob, ManagedNode, ManagerError, UnavailableCause,
};
use planner::time::Timestamp;

use crate::config::power::PowerDriverSettings;
use crate::config::slurm::ManagerSettings;
use crate::service::resource_manager::port::{PowerDriver, ResourceManager};
use crate::service::resource_manager::power_ports;

/// In one turn an order is divided so often at the most, where one for all nodes is refused.
const MOST_DIVISIONS: usize = 32;

/// What switches nodes.
pub(super) enum Switch {
    /// The resource manager.
    Manager {
        /// What it says of nodes and jobs.
        manager: Arc<dyn ResourceManager>,
        /// Its orders.
        power: Arc<dyn PowerDriver>,
    },
    /// Management controllers, or a command of the site's own.
    #[cfg(feature = "power")]
    Own(Arc<power::Driver>),
}

/// What was read of nodes, by name.
#[derive(Debug, Default)]
pub(super) struct Readings {
    power: BTreeMap<String, PowerReading>,
    used: BTreeMap<String, NodeUse>,
}

impl Readings {
    /// The power of a node; one of which nothing was read is unknown.
    pub fn power(&self, node: &str) -> PowerReading {
        let unknown = || PowerReading::Unknown("nothing was read of it".to_owned());
        self.power.get(node).cloned().unwrap_or_else(unknown)
    }

    /// Whether jobs use a node, as far as there is somebody who knows.
    pub fn used(&self, node: &str) -> NodeUse {
        self.used.get(node).cloned().unwrap_or(NodeUse::Free)
    }

    /// The power of all nodes that were read.
    pub fn powers(&self) -> impl Iterator<Item = (&str, &PowerReading)> {
        self.power.iter().map(|(node, power)| (node.as_str(), power))
    }
}

impl Switch {
    /// What the settings name; `None` where that is a resource manager that is not there.
    pub fn new(driver: &PowerDriverSettings, manager: Option<&ManagerSettings>) -> Option<Self> {
        match driver {
            PowerDriverSettings::ResourceManager => {
                let (manager, power) = power_ports(&manager?.connection);
                Some(Self::Manager { manager, power })
            }
            #[cfg(feature = "power")]
            PowerDriverSettings::Own(driver) => Some(Self::Own(Arc::clone(driver))),
        }
    }

    /// The power of nodes now, and who uses them.
    #[cfg_attr(
        not(feature = "power"),
        expect(unused_variables, reason = "the resource manager has a clock of its own")
    )]
    pub async fn read(&self, nodes: &[String], now: Timestamp) -> Result<Readings, ManagerError> {
        match self {
            Self::Manager { manager, .. } => {
                let told = manager.nodes(None).await?.map(|it| it.items).unwrap_or_default();
                let jobs = manager.jobs(None).await?.map(|it| it.items).unwrap_or_default();
                let mut told: BTreeMap<&str, &ManagedNode> =
                    told.iter().map(|node| (node.name.as_ref(), node)).collect();
                let known = nodes.iter().filter_map(|name| told.remove_entry(name.as_str()));
                let power = known.map(|(name, node)| (name.to_owned(), reading(node))).collect();
                Ok(Readings { power, used: users(&jobs) })
            }
            #[cfg(feature = "power")]
            Self::Own(driver) => {
                let power = driver.powers(nodes, now).await;
                Ok(Readings { power, used: BTreeMap::new() })
            }
        }
    }

    /// Gives an order for nodes.
    #[cfg_attr(
        not(feature = "power"),
        expect(unused_variables, reason = "the resource manager has a clock of its own")
    )]
    pub async fn order(
        &self,
        order: PowerOrder,
        nodes: Vec<String>,
        now: Timestamp,
    ) -> BTreeMap<String, OrderAnswer> {
        match self {
            Self::Manager { power, .. } => order_all(power.as_ref(), order, nodes).await,
            #[cfg(feature = "power")]
            Self::Own(driver) => {
                let told = driver.order(order, &nodes, now).await;
                told.into_iter()
                    .map(|(node, given)| (node, power::PowerError::order_answer(given)))
                    .collect()
            }
        }
    }
}

/// Orders nodes, all of them at once. Where that is refused, each half of them is ordered alone, so that the others are
/// switched though one is refused.
async fn order_all(
    power: &dyn PowerDriver,
    order: PowerOrder,
    nodes: Vec<String>,
) -> BTreeMap<String, OrderAnswer> {
    let mut answers = BTreeMap::new();
    let mut lists = vec![nodes];
    let mut divisions = 0;
    while let Some(mut nodes) = lists.pop() {
        let given = match order {
            PowerOrder::On => power.power_up(&nodes).await,
            PowerOrder::Off | PowerOrder::ForcedOff => power.power_down(&nodes).await,
        };
        let answer = match given {
            Ok(()) => OrderAnswer::Accepted,
            Err(ManagerError::Refused { .. }) if nodes.len() > 1 && divisions < MOST_DIVISIONS => {
                divisions += 1;
                lists.push(nodes.split_off(nodes.len() / 2));
                lists.push(nodes);
                continue;
            }
            Err(
                error @ (ManagerError::Refused { .. }
                | ManagerError::Unsupported(_)
                | ManagerError::Denied(_)),
            ) => OrderAnswer::Refused(error.to_string()),
            Err(error) => OrderAnswer::Uncertain(error.to_string()),
        };
        answers.extend(nodes.into_iter().map(|node| (node, answer.clone())));
    }
    answers
}

/// The power of a node as the resource manager says; one that failed or does not answer may be anything.
fn reading(node: &ManagedNode) -> PowerReading {
    match &node.unavailable {
        Some(it)
            if matches!(it.cause, UnavailableCause::Down | UnavailableCause::NotResponding) =>
        {
            PowerReading::Unknown(format!(
                "the resource manager says that it is {}",
                it.cause.word()
            ))
        }
        _ => PowerReading::Seen(node.power),
    }
}

/// Which nodes are used by jobs that run.
fn users(jobs: &[ManagedJob]) -> BTreeMap<String, NodeUse> {
    let running = jobs.iter().filter(|job| job.phase == JobPhase::Running);
    let used = running.flat_map(|job| {
        let used = NodeUse::InUse(format!("job {}", job.id));
        job.nodes.iter().map(move |node| (node.clone(), used.clone()))
    });
    used.collect()
}
