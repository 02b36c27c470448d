//! Jobs as accounting knows them, with totals over their nodes, as jobs of units: a unit is a node's part.

use planner::quantity::Energy;

use super::ordered::JobsRead;
use super::{UnitJob, UnitJobError};
use crate::dispatch::system::{System, property, queue_property};
use crate::dispatch::unit::UnitRequest;
use crate::job::JobId;
use crate::time::Time;

/// What a processor may be called.
const PROCESSORS: [&str; 4] = ["cores", "processors", "cpu", "core"];
/// What memory may be called, with its kB.
const MEMORIES: [(&str, u64); 3] =
    [("memory_gb", 1 << 20), ("memory_mb", 1 << 10), ("memory_kb", 1)];
/// What whole nodes are called where nothing else is known of them.
const NODES: &str = "node";

/// A job with what it asks for in all.
#[derive(Clone, Debug, PartialEq)]
pub struct AccountedJob {
    /// What the workload calls it.
    pub id: JobId,
    /// The instant of its submission.
    pub submitted: Time,
    /// How long it ran.
    pub run: Time,
    /// After how long it is killed.
    pub limit: Option<Time>,
    /// Who submitted it.
    pub user: Box<str>,
    /// The queue or partition.
    pub queue: Box<str>,
    /// What its user calls it.
    pub name: Box<str>,
    /// How many nodes it has.
    pub nodes: u32,
    /// Processors of all its nodes.
    pub processors: u64,
    /// Memory of all its nodes, kB.
    pub memory_kb: u64,
    /// Other countable things of all its nodes, such as GPUs, and licences: by name.
    pub others: Vec<(String, u64)>,
    /// What its nodes must have, in Slurm's words: `ib&rack1`.
    pub constraint: String,
    /// Whether it has its nodes for itself.
    pub exclusive: bool,
    /// What it consumed.
    pub energy: Option<Energy>,
}

/// Where what accounting counts is in a system.
#[derive(Clone, Debug)]
pub struct AccountedPlaces {
    names: Vec<Box<str>>,
    kinds: usize,
    processor: usize,
    /// Whether a unit is a whole node, of which nothing is known but that it is one.
    whole_nodes: bool,
    memory: Option<(usize, u64)>,
    queues: Vec<Box<str>>,
    properties: Vec<Box<str>>,
}

impl AccountedPlaces {
    /// Where it is in a system whose nodes have processors.
    ///
    /// # Errors
    /// The system does not say which of its resources are processors.
    pub fn of(system: &System) -> Result<Self, UnitJobError> {
        let only = system.resources.len() == 1;
        Ok(Self {
            names: system.names().map(Into::into).collect(),
            kinds: system.resources.len(),
            processor: processor(system)?,
            whole_nodes: only && *system.resources[0] == *NODES,
            memory: memory(system),
            queues: system.queues.iter().map(|it| it.name.clone()).collect(),
            properties: system.properties.clone(),
        })
    }

    /// Whether jobs take whole nodes, of which nothing else is known.
    pub const fn takes_whole_nodes(&self) -> bool {
        self.whole_nodes
    }

    /// The job on line `line` as a job of units: one on each node, with its part of what the job asks for, rounded up. A run
    /// beyond the limit is cut to it.
    ///
    /// # Errors
    /// A job that asks for no processors or more than can be counted; a queue that the system does not have.
    pub fn unit_job(
        &self,
        job: AccountedJob,
        line: u64,
        read: &mut JobsRead,
    ) -> Result<UnitJob, UnitJobError> {
        let wrong = |what: String| UnitJobError::Table { line, what };
        self.check_queue(&job.queue).map_err(wrong)?;
        let nodes = job.nodes.max(1);
        let mut amounts = vec![0_u32; self.names.len()];
        let mut uneven = false;
        let mut part = |amount: u64, what: &str| {
            uneven |= !amount.is_multiple_of(u64::from(nodes));
            u32::try_from(amount.div_ceil(u64::from(nodes)))
                .map_err(|_| wrong(format!("{what}: {amount} is more than a system can have")))
        };
        amounts[self.processor] =
            if self.whole_nodes { 1 } else { part(job.processors, "processors")? };
        for (name, amount) in &job.others {
            match self.names.iter().position(|it| **it == **name) {
                Some(place) => amounts[place] = part(*amount, name)?,
                None if *amount > 0 && !self.whole_nodes => {
                    read.note(
                        line,
                        &format!("{name} is asked for, which the system does not have"),
                    );
                }
                None => {}
            }
        }
        if uneven {
            read.note(line, "amounts do not divide by the nodes: each node's part is rounded up");
        }
        if let Some((place, unit_kb)) = self.memory {
            let kb = job.memory_kb.div_ceil(u64::from(nodes)).div_ceil(unit_kb);
            amounts[place] = u32::try_from(kb)
                .map_err(|_| wrong(format!("memory: {} kB cannot be counted", job.memory_kb)))?;
        }
        if job.limit.is_some_and(|limit| job.run > limit) {
            read.note(line, "runs are longer than their limits: they are cut to these");
        }
        let mut unit = UnitRequest::of(&amounts, self.kinds);
        unit.properties = self.wanted(&job, line, read);
        unit.exclusive = job.exclusive;
        Ok(UnitJob {
            id: job.id,
            submitted: job.submitted,
            run: job.limit.map_or(job.run, |limit| job.run.min(limit)),
            walltime: job.limit,
            user: job.user,
            queue: job.queue,
            name: job.name,
            units: nodes,
            unit,
            energy: job.energy,
            latest_start: None,
        })
    }

    /// The properties that the job's nodes must have: those of its queue, and those of its constraint.
    fn wanted(&self, job: &AccountedJob, line: u64, read: &mut JobsRead) -> u64 {
        let place = |name: &str| self.properties.iter().position(|it| **it == *name);
        let of_queue = place(&queue_property(&job.queue)).map_or(0, |place| 1 << place);
        if job.constraint.contains(['|', '*', '[', '(']) {
            read.note(line, "constraints with a choice or with numbers of nodes are not played");
            return of_queue;
        }
        let names = job.constraint.split(['&', ',']).map(str::trim).filter(|it| !it.is_empty());
        names.fold(of_queue, |bits, name| {
            if let Some(place) = place(&property(name)) {
                return bits | 1 << place;
            }
            read.note(line, &format!("{name} is wanted of nodes, and none has it"));
            bits
        })
    }

    fn check_queue(&self, queue: &str) -> Result<(), String> {
        let known = queue.is_empty()
            || self.queues.is_empty()
            || self.queues.iter().any(|it| **it == *queue);
        let queues = || self.queues.join(", ");
        if known {
            Ok(())
        } else {
            Err(format!("the system has no queue {queue:?}; it has {}", queues()))
        }
    }
}

/// The position of processors in a system.
pub(super) fn processor(system: &System) -> Result<usize, UnitJobError> {
    let named = PROCESSORS.iter().find_map(|name| system.place_of(name));
    let only = (system.resources.len() == 1).then_some(0);
    named.or(only).ok_or_else(|| UnitJobError::NoProcessors(system.resources.join(", ")))
}

/// The position of memory in a system, and its kB.
pub(super) fn memory(system: &System) -> Option<(usize, u64)> {
    MEMORIES.iter().find_map(|(name, kb)| Some((system.place_of(name)?, *kb)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> AccountedJob {
        AccountedJob {
            id: JobId::Number(1),
            submitted: Time::ZERO,
            run: Time::from_seconds(70),
            limit: Some(Time::from_seconds(60)),
            user: "ada".into(),
            queue: "batch".into(),
            name: "a".into(),
            nodes: 2,
            processors: 17,
            memory_kb: 3 << 20,
            others: vec![("gpu".to_owned(), 4), ("fpga".to_owned(), 1), ("licence".to_owned(), 3)],
            constraint: String::new(),
            exclusive: false,
            energy: None,
        }
    }

    /// 17 processors on 2 nodes are 9 on each; 3 GB are 1.5 on each, rounded up to 2; of 3 licences 2 each.
    #[test]
    fn a_unit_is_a_nodes_part() {
        let text = "[[nodes]]\ncount = 2\ncores = 16\nmemory_gb = 8\ngpu = 2\n[shared]\nlicence = 4\n\
                    [[queues]]\nname = \"batch\"\n";
        let places = AccountedPlaces::of(&System::parse(text).unwrap()).unwrap();
        let mut read = JobsRead::default();
        let unit_job = places.unit_job(job(), 7, &mut read).unwrap();
        assert_eq!((unit_job.units, unit_job.run), (2, Time::from_seconds(60)));
        assert_eq!(unit_job.unit, UnitRequest::of(&[9, 2, 2, 2], 3));
        let noted: Vec<&str> = read.noted.iter().map(|it| it.what.as_str()).collect();
        assert_eq!(noted.len(), 3, "{noted:?}");
        assert!(noted[0].starts_with("fpga is asked for"), "{noted:?}");
        let other = AccountedJob { queue: "long".into(), ..job() };
        let error = places.unit_job(other, 7, &mut read).unwrap_err().to_string();
        assert_eq!(error, "line 7: the system has no queue \"long\"; it has batch");
    }

    /// The queue's nodes are marked, and so are those with ib; nobody has a rack, and a choice is not played.
    #[test]
    fn properties_are_wanted_by_queue_and_constraint() {
        let text = "[[nodes]]\ncount = 2\ncores = 16\nproperties = [\"ib\", \"partition.batch\"]\n";
        let places = AccountedPlaces::of(&System::parse(text).unwrap()).unwrap();
        let mut read = JobsRead::default();
        let mut wanted = |constraint: &str, queue: &str| {
            let job =
                AccountedJob { constraint: constraint.to_owned(), queue: queue.into(), ..job() };
            places.wanted(&job, 1, &mut read)
        };
        let found = [("ib&rack", "batch"), ("ib", "long"), ("ib|rack", "batch"), ("", "")];
        assert_eq!(
            found.map(|(constraint, queue)| wanted(constraint, queue)),
            [0b11, 0b01, 0b10, 0]
        );
        let noted: Vec<&str> = read.noted.iter().map(|it| it.what.as_str()).collect();
        assert!(
            noted[0].starts_with("rack is wanted") && noted[1].starts_with("constraints"),
            "{noted:?}"
        );
    }

    #[test]
    fn of_nodes_of_which_nothing_is_known_whole_ones_are_taken() {
        let system = System::of_one_resource(NODES, 4, 1);
        let places = AccountedPlaces::of(&system).unwrap();
        let mut read = JobsRead::default();
        let unit_job = places.unit_job(job(), 1, &mut read).unwrap();
        assert_eq!((unit_job.units, unit_job.unit), (2, UnitRequest::of(&[1], 1)));
    }
}
