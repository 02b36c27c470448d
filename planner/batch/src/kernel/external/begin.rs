//! The first message: machines, profiles and what the scheduler may do.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::session::{Session, WORKLOAD};
use crate::kernel::Observer;

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
