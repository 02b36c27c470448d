//! Batsim's JSON workloads.
//!
//! Profiles: `delay`, `parallel_homogeneous`, `parallel_homogeneous_total`, `parallel` and their
//! sequences `composed` (also `sequence`), each of which may say at which utilisation machines compute (`utilisation`,
//! from 0 to 1). There is no network: what profiles communicate takes no
//! time, and the jobs that would communicate are counted. Jobs come by submission, then by id. Unless
//! the reading is raw, jobs that do nothing or ask for more machines than there are are dropped, and
//! times count from the first submission that is left. A workload is held in memory.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::normalise::{Cleaning, WorkloadReading};
use crate::job::{Job, JobId, Utilisation, Work};
use crate::time::Time;

/// Sequences in sequences, at most.
const DEEPEST: usize = 50;

/// A workload as it is played.
#[derive(Debug)]
pub struct JsonWorkload {
    /// In the order of submission.
    pub jobs: Vec<Job>,
    /// What became of the others.
    pub cleaning: Cleaning,
    /// Jobs whose communication takes no time here.
    pub jobs_communicating: u64,
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

#[derive(Deserialize)]
struct Described {
    /// From 0 to 1.
    utilisation: Option<f64>,
    #[serde(flatten)]
    profile: Profile,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Profile {
    Delay {
        delay: f64,
    },
    ParallelHomogeneous {
        cpu: f64,
        #[serde(default)]
        com: f64,
    },
    ParallelHomogeneousTotal {
        cpu: f64,
        #[serde(default)]
        com: f64,
    },
    Parallel {
        cpu: Vec<f64>,
        #[serde(default)]
        com: Vec<f64>,
    },
    #[serde(alias = "sequence")]
    Composed {
        seq: Vec<String>,
        #[serde(default = "once", alias = "nb")]
        repeat: u32,
    },
}

const fn once() -> u32 {
    1
}

/// Profiles by name.
#[derive(Default)]
pub(crate) struct Profiles(HashMap<String, Described>);

impl Profiles {
    /// Adds a profile, in place of another of this name.
    pub(crate) fn insert(&mut self, name: &str, value: Value) -> Result<(), String> {
        let profile = serde_json::from_value(value);
        let profile = profile.map_err(|error| format!("profile {name:?}: {error}"))?;
        self.0.insert(name.to_owned(), profile);
        Ok(())
    }

    /// What a job of this profile does on so many machines.
    pub(crate) fn done(&self, name: &str, nodes: u32) -> Result<Done, String> {
        let sum = sum(name, &self.0, nodes, DEEPEST)?;
        let delay = Time::from_seconds_f64(sum.delay_s).ok_or("its delay is beyond all time")?;
        let (work, utilisation) = (sum.work(delay), sum.utilisation);
        Ok(Done { work, utilisation, uneven: sum.uneven, mixed: sum.mixed() })
    }
}

/// What a job of a profile does.
pub(crate) struct Done {
    pub(crate) work: Work,
    pub(crate) utilisation: Option<Utilisation>,
    /// Whether machines do different amounts of it.
    pub(crate) uneven: bool,
    /// Whether its power is not known.
    pub(crate) mixed: bool,
}

/// What a profile comes to on so many machines.
#[derive(Clone, Copy, Default)]
struct Sum {
    delay_s: f64,
    operations: f64,
    communicates: bool,
    uneven: bool,
    utilisation: Option<Utilisation>,
    /// Whether parts of it have different utilisations.
    differs: bool,
}

impl Sum {
    /// Whether its power changes in a way that is not known.
    fn mixed(&self) -> bool {
        let both = self.delay_s > 0.0 && self.operations > 0.0;
        self.utilisation.is_none() && (self.differs || both)
    }

    /// Adds another so many times.
    fn add(&mut self, part: &Self, times: f64) {
        let first = self.delay_s <= 0.0 && self.operations <= 0.0;
        if part.delay_s > 0.0 || part.operations > 0.0 {
            self.differs |= part.differs || (!first && self.utilisation != part.utilisation);
            self.utilisation = part.utilisation.filter(|_| !self.differs);
        }
        self.delay_s += part.delay_s * times;
        self.operations += part.operations * times;
        self.communicates |= part.communicates;
        self.uneven |= part.uneven;
    }

    fn work(self, delay: Time) -> Work {
        match (delay > Time::ZERO, self.operations > 0.0) {
            (true, true) => Work::Both(delay, self.operations),
            (_, false) => Work::Delay(delay),
            (false, true) => Work::Compute(self.operations),
        }
    }
}

/// Reads a workload.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn read_json(text: &[u8], reading: WorkloadReading) -> Result<JsonWorkload, JsonWorkloadError> {
    let document: Document = serde_json::from_slice(text)?;
    let profiles = profiles(document.profiles)?;
    let mut places = HashMap::new();
    let mut read = JsonWorkload {
        jobs: Vec::with_capacity(document.jobs.len()),
        cleaning: Cleaning::default(),
        jobs_communicating: 0,
        uneven: None,
        mixed: None,
    };
    for (place, entry) in document.jobs.into_iter().enumerate() {
        read.cleaning.jobs_read += 1;
        let before = read.jobs.len();
        read.add(entry, &profiles, reading)?;
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
        profiles: &HashMap<String, Described>,
        reading: WorkloadReading,
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
        let sum = sum(&entry.profile, profiles, entry.res, DEEPEST).map_err(wrong)?;
        let delay = Time::from_seconds_f64(sum.delay_s)
            .ok_or_else(|| wrong("its delay is beyond what can be simulated".into()))?;
        let nothing = delay <= Time::ZERO && sum.operations <= 0.0;
        if !reading.raw && nothing {
            self.cleaning.dropped_no_run_time += 1;
        } else if !reading.raw && entry.res == 0 {
            self.cleaning.dropped_no_processors += 1;
        } else if !reading.raw && entry.res > reading.machines {
            self.cleaning.dropped_too_large += 1;
        } else if !reading.raw && submitted < Time::ZERO {
            self.cleaning.dropped_negative_submission += 1;
        } else {
            let (work, utilisation) = (sum.work(delay), sum.utilisation);
            let profile: Arc<str> = entry.profile.into();
            self.jobs_communicating += u64::from(sum.communicates);
            if sum.uneven {
                self.uneven.get_or_insert(Arc::clone(&profile));
            }
            if sum.mixed() {
                self.mixed.get_or_insert(Arc::clone(&profile));
            }
            let (profile, nodes) = (Some(profile), entry.res);
            self.jobs.push(Job { id, profile, submitted, nodes, work, utilisation, walltime });
        }
        Ok(())
    }
}

fn profiles(
    named: HashMap<String, Value>,
) -> Result<HashMap<String, Described>, JsonWorkloadError> {
    let read = |(name, value): (String, Value)| match serde_json::from_value(value) {
        Ok(profile) => Ok((name, profile)),
        Err(error) => Err(JsonWorkloadError::Profile { name, what: error.to_string() }),
    };
    named.into_iter().map(read).collect()
}

/// What profile `name` comes to on each of `nodes` machines.
fn sum(
    name: &str,
    profiles: &HashMap<String, Described>,
    nodes: u32,
    deepest: usize,
) -> Result<Sum, String> {
    let described = profiles.get(name).ok_or_else(|| format!("there is no profile {name:?}"))?;
    let sum = sum_of(name, &described.profile, profiles, nodes, deepest)?;
    let Some(said) = described.utilisation else { return Ok(sum) };
    let utilisation = Utilisation::of(said).ok_or_else(|| {
        format!("profile {name:?}: utilisation is a number from 0 to 1, not {said}")
    })?;
    Ok(Sum { utilisation: Some(utilisation), ..sum })
}

/// What a profile does, whatever it says of utilisation.
fn sum_of(
    name: &str,
    profile: &Profile,
    profiles: &HashMap<String, Described>,
    nodes: u32,
    deepest: usize,
) -> Result<Sum, String> {
    let amount = |value: f64| {
        let fine = value.is_finite() && value >= 0.0;
        fine.then_some(value).ok_or_else(|| format!("profile {name:?}: {value} is not an amount"))
    };
    let computing = |operations: f64, com: f64| {
        Ok(Sum {
            operations: amount(operations)?,
            communicates: amount(com)? > 0.0,
            ..Sum::default()
        })
    };
    match profile {
        Profile::Delay { delay } => Ok(Sum { delay_s: amount(*delay)?, ..Sum::default() }),
        Profile::ParallelHomogeneous { cpu, com } => computing(*cpu, *com),
        Profile::ParallelHomogeneousTotal { cpu, com } => {
            computing(*cpu / f64::from(nodes.max(1)), *com)
        }
        Profile::Parallel { cpu, com } => {
            if cpu.len() != nodes as usize {
                return Err(format!("profile {name:?} is for {} machines", cpu.len()));
            }
            let most = cpu
                .iter()
                .try_fold(0.0, |most: f64, one| Ok::<_, String>(most.max(amount(*one)?)))?;
            let com = com.iter().try_fold(0.0, |sum, one| Ok::<_, String>(sum + amount(*one)?))?;
            let uneven = cpu.windows(2).any(|pair| pair[0].total_cmp(&pair[1]).is_ne());
            Ok(Sum { uneven, ..computing(most, com)? })
        }
        Profile::Composed { seq, repeat } => {
            let deeper = deepest.checked_sub(1);
            let deeper = deeper.ok_or_else(|| format!("profile {name:?} goes round in circles"))?;
            let mut total = Sum::default();
            for part in seq {
                total.add(&sum(part, profiles, nodes, deeper)?, f64::from(*repeat));
            }
            Ok(total)
        }
    }
}
#[cfg(test)]
mod tests;
