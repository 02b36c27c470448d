//! The first message, how jobs without a description are told, and jobs that the scheduler plays by
//! itself.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use super::session::{Session, WORKLOAD};
use crate::job::{Job, Work};
use crate::kernel::Observer;
use crate::time::Time;

/// Jobs that the scheduler plays by itself, with their starts, by name.
#[derive(Debug, Default)]
pub(super) struct Own(HashMap<String, (Job, Time)>);

impl Own {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn start(&mut self, name: &str, job: Job, now: Time) {
        self.0.insert(name.to_owned(), (job, now));
    }

    pub(super) fn end(&mut self, name: &str) -> Option<(Job, Time)> {
        self.0.remove(name)
    }
}

/// What a job's profile is called: a trace's by its run time.
pub(super) fn profile_name(job: &Job) -> String {
    if let Some(name) = &job.profile {
        return name.to_string();
    }
    let run = job.work.time(1.0).to_string();
    run.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A profile for a job of which nothing else is known.
pub(super) fn profile(job: &Job) -> Value {
    match job.work {
        Work::Compute(cpu) => json!({"type": "parallel_homogeneous", "cpu": cpu, "com": 0}),
        // Only documents have work of both kinds, and they describe it.
        Work::Delay(time) | Work::Both(time, _) => {
            json!({"type": "delay", "delay": time.as_seconds()})
        }
    }
}

impl<J: Iterator, O: Observer> Session<'_, J, O> {
    /// What is told at the beginning.
    pub(super) fn begin(&mut self) {
        let (rules, machines) = (self.rules, self.cluster.platform.machines());
        let resource = |id: u32| {
            let naming = self.cluster.platform.naming(id);
            let name = naming.and_then(|naming| naming.name.as_deref());
            json!({
                "id": id,
                "name": name.map_or_else(|| format!("machine{id}"), str::to_owned),
                "state": "idle",
                "properties": naming.map_or(&BTreeMap::new(), |naming| &naming.properties),
                "zone_properties": {},
            })
        };
        let resources: Vec<Value> = (0..machines).map(resource).collect();
        let profiles =
            if rules.forward_profiles { Map::new() } else { rules.described.profiles.clone() };
        let data = json!({
            "nb_resources": machines,
            "nb_compute_resources": machines,
            "nb_storage_resources": 0,
            "allow_compute_sharing": false,
            "allow_storage_sharing": false,
            "config": {
                "redis-enabled": false,
                "redis-hostname": "",
                "redis-port": 0,
                "redis-prefix": "",
                "profiles-forwarded-on-submission": rules.forward_profiles,
                "dynamic-jobs-enabled": rules.dynamic_jobs,
                "dynamic-jobs-acknowledged": rules.acknowledge_dynamic_jobs,
                "profile-reuse-enabled": false,
                "sched-config": "",
                "forward-unknown-events": rules.forward_unknown_events,
            },
            "compute_resources": resources,
            "storage_resources": [],
            "workloads": {WORKLOAD: rules.workload},
            "profiles": {WORKLOAD: profiles},
        });
        self.news.push(super::message::event(self.now, "SIMULATION_BEGINS", data));
    }
}
