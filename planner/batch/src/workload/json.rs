//! Batsim's JSON workloads.
//!
//! Profiles, which `profiles` reads, may say at which utilisation machines compute (`utilisation`, from 0 to 1).
//! Without a network what they communicate takes no time, and the jobs that would communicate are counted. Jobs come by
//! submission, then by id. Unless
//! the reading is raw, jobs that do nothing or ask for more machines than there are are dropped, and
//! times count from the first submission that is left. A workload is held in memory.

mod profiles;
mod sum;
mod traces;

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::normalise::{Cleaning, WorkloadReading};
use crate::communication::MachineNetwork;
use crate::job::{Job, JobId};
use crate::time::Time;
use profiles::Done;
pub(crate) use profiles::Profiles;
pub use traces::FilesBeside;
pub(crate) use traces::no_files;

/// A workload as it is played.
#[derive(Debug)]
pub struct JsonWorkload {
    /// In the order of submission.
    pub jobs: Vec<Job>,
    /// What became of the others.
    pub cleaning: Cleaning,
    /// Jobs whose communication takes no time here.
    pub jobs_communicating: u64,
    /// Whether a network would play any job, even one that is dropped, otherwise.
    pub needs_network: bool,
    /// A profile whose parts differ between machines, if a job has one: it can only be played where
    /// all machines are equally fast.
    pub uneven: Option<Arc<str>>,
    /// A profile whose parts draw differently and that does not say what they come to, if a job has one:
    /// its power is not known.
    pub mixed: Option<Arc<str>>,
}

/// Why a workload cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum JsonWorkloadError {
    /// Not such a document; with line and column.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Two jobs with one id.
    #[error(
        "line {line}: there is a job {id} on line {earlier} already (--keep-duplicates plays both)"
    )]
    Duplicate {
        /// The line of the second job, from 1.
        line: usize,
        /// The line of the first job.
        earlier: usize,
        /// The id of both.
        id: JobId,
    },
    /// A job cannot be played.
    #[error("job {id}: {what}")]
    Job {
        /// The id of the job.
        id: JobId,
        /// What is wrong with it.
        what: String,
    },
    /// A profile cannot be played.
    #[error("profile {name:?}: {what}")]
    Profile {
        /// The name of the profile.
        name: String,
        /// What is wrong with it.
        what: String,
    },
}

#[derive(Deserialize)]
struct Document {
    jobs: Vec<Entry>,
    profiles: HashMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Number(i64),
    Name(Box<str>),
}

#[derive(Deserialize)]
struct Entry {
    id: Id,
    subtime: f64,
    res: u32,
    profile: Box<str>,
    walltime: Option<f64>,
}

/// Reads a workload, and the files that it names.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn read_json(
    text: &[u8],
    reading: WorkloadReading,
    network: Option<&MachineNetwork>,
    files: FilesBeside<'_>,
) -> Result<JsonWorkload, JsonWorkloadError> {
    let document: Document = serde_json::from_slice(text)?;
    let mut profiles = Profiles::default();
    for (name, value) in document.profiles {
        let read = profiles.insert(&name, value, files);
        read.map_err(|what| JsonWorkloadError::Profile { name, what })?;
    }
    let mut places = HashMap::new();
    let mut read = JsonWorkload {
        jobs: Vec::with_capacity(document.jobs.len()),
        cleaning: Cleaning::default(),
        jobs_communicating: 0,
        needs_network: false,
        uneven: None,
        mixed: None,
    };
    for (place, entry) in document.jobs.into_iter().enumerate() {
        read.cleaning.jobs_read += 1;
        let before = read.jobs.len();
        read.add(entry, &mut profiles, reading, network)?;
        let Some(job) = read.jobs.get(before).filter(|_| !reading.duplicates) else { continue };
        if let Some(earlier) = places.insert(job.id.to_string(), place) {
            let [earlier, line] = [earlier, place].map(|place| line_of(text, place));
            return Err(JsonWorkloadError::Duplicate { line, earlier, id: job.id.clone() });
        }
    }
    read.cleaning.jobs_kept = read.jobs.len() as u64;
    read.jobs.sort_by(|a, b| (a.submitted, &a.id).cmp(&(b.submitted, &b.id)));
    let origin = read.jobs.first().filter(|_| !reading.raw).map(|job| job.submitted);
    for job in &mut read.jobs {
        job.submitted = job.submitted - origin.unwrap_or_default();
    }
    Ok(read)
}

/// The line on which a job of a workload begins.
fn line_of(text: &[u8], place: usize) -> usize {
    #[derive(Deserialize)]
    struct Places<'a> {
        #[serde(borrow)]
        jobs: Vec<&'a RawValue>,
    }
    let places: Option<Places<'_>> = serde_json::from_slice(text).ok();
    let job = places.and_then(|places| places.jobs.get(place).copied());
    let begins =
        job.map_or(0, |job| job.get().as_ptr().addr().saturating_sub(text.as_ptr().addr()));
    1 + text.iter().take(begins).filter(|byte| **byte == b'\n').count()
}

impl JsonWorkload {
    fn add(
        &mut self,
        entry: Entry,
        profiles: &mut Profiles,
        reading: WorkloadReading,
        network: Option<&MachineNetwork>,
    ) -> Result<(), JsonWorkloadError> {
        let id = match entry.id {
            Id::Number(number) => JobId::Number(number),
            Id::Name(name) => JobId::Name(name),
        };
        let wrong = |what: String| JsonWorkloadError::Job { id: id.clone(), what };
        let submitted = Time::from_seconds_f64(entry.subtime);
        let submitted =
            submitted.ok_or_else(|| wrong("its subtime is beyond what can be simulated".into()))?;
        // -1 is how Batsim says that there is none.
        let walltime =
            entry.walltime.filter(|seconds| seconds.total_cmp(&-1.0).is_ne()).map(|seconds| {
                let walltime =
                    Time::from_seconds_f64(seconds).filter(|walltime| *walltime > Time::ZERO);
                walltime.ok_or_else(|| wrong(format!("{seconds} is not a walltime")))
            });
        let walltime = walltime.transpose()?;
        let done = profiles.done(&entry.profile, entry.res, network).map_err(wrong)?;
        self.needs_network |= done.needs_network;
        let nothing = done.nothing;
        if !reading.raw && nothing {
            self.cleaning.dropped_no_run_time += 1;
        } else if !reading.raw && entry.res == 0 {
            self.cleaning.dropped_no_processors += 1;
        } else if !reading.raw && entry.res > reading.machines {
            self.cleaning.dropped_too_large += 1;
        } else if !reading.raw && submitted < Time::ZERO {
            self.cleaning.dropped_negative_submission += 1;
        } else {
            let Done { work, utilisation, .. } = done;
            let profile: Arc<str> = entry.profile.into();
            self.jobs_communicating += u64::from(done.communicates);
            if done.uneven {
                self.uneven.get_or_insert(Arc::clone(&profile));
            }
            if done.mixed {
                self.mixed.get_or_insert(Arc::clone(&profile));
            }
            let (profile, nodes) = (Some(profile), entry.res);
            self.jobs.push(Job { id, profile, submitted, nodes, work, utilisation, walltime });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
