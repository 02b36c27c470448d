//! What a JSON workload says beyond what is played: jobs and profiles as they stand there; and how
//! jobs without a description are told.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::job::{Job, Work};

/// Jobs and profiles by name.
#[derive(Clone, Debug, Default)]
pub struct Described {
    /// Every field of a job.
    pub jobs: HashMap<String, Map<String, Value>>,
    /// Every field of a profile.
    pub profiles: Map<String, Value>,
}

/// Text that is no workload.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct DescribedError(#[from] serde_json::Error);

impl Described {
    /// Reads the jobs and profiles of a JSON workload.
    ///
    /// # Errors
    /// Text that is none.
    pub fn read(text: &[u8]) -> Result<Self, DescribedError> {
        #[derive(serde::Deserialize)]
        struct Document {
            jobs: Vec<Map<String, Value>>,
            profiles: Map<String, Value>,
        }
        let document: Document = serde_json::from_slice(text)?;
        let named = |job: Map<String, Value>| match job.get("id") {
            Some(Value::String(name)) => Some((name.clone(), job)),
            Some(number) => Some((number.to_string(), job)),
            None => None,
        };
        let jobs = document.jobs.into_iter().filter_map(named).collect();
        Ok(Self { jobs, profiles: document.profiles })
    }
}

/// The name of a job's profile; profiles of a trace are named by their run times.
pub(super) fn profile_name(job: &Job) -> String {
    if let Some(name) = &job.profile {
        return name.to_string();
    }
    let run = job.work.time(1.0).to_string();
    run.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A profile for a job of which nothing else is known.
pub(super) fn profile(job: &Job) -> Value {
    match &job.work {
        Work::Compute(cpu) => json!({"type": "parallel_homogeneous", "cpu": cpu, "com": 0}),
        Work::Delay(time) => json!({"type": "delay", "delay": time.as_seconds()}),
        // Only documents have work of several kinds, and they describe it.
        Work::Both(..) | Work::Program(_) => json!({"type": "composed", "seq": []}),
    }
}
