//! Which version of slurmrestd's documents is spoken. Slurm calls them data parsers, `v0.0.38` and so
//! on; each slurmrestd has a few.

use std::collections::BTreeMap;
use std::fmt;

use planner::resource_manager::ManagerError;
use planner::time::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::document::Document;
use crate::rest::Rest;

/// The oldest that can be read: Slurm 22.05.
const OLDEST: u32 = 38;

/// The newest that was tried: Slurm 26.05.
const NEWEST: u32 = 45;

/// The first in which reservations can be made: Slurm 25.05.
const FIRST_WITH_WRITES: u32 = 43;

/// The first by which nodes are drained and then switched off: Slurm 26.05.
const FIRST_WITH_POWER_DOWN_ASAP: u32 = 45;

/// The first that was tried with a list of jobs without each job's cores.
const FIRST_WITH_FLAGS: u32 = 42;

/// The first that sends its controller's clock with each list.
const FIRST_WITH_CLOCK: u32 = 40;

/// The first data parser by which slurmdbd's jobs are asked for by user.
const FIRST_WITH_USERS: u32 = 40;

/// The last number of a data parser's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DataParser(u32);

impl fmt::Display for DataParser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v0.0.{}", self.0)
    }
}

impl DataParser {
    /// Whether reservations and nodes can be changed.
    pub const fn can_write(self) -> bool {
        self.0 >= FIRST_WITH_WRITES
    }

    /// Whether nodes can be ordered to take no more jobs and be switched off then.
    pub const fn drains_before_power_down(self) -> bool {
        self.0 >= FIRST_WITH_POWER_DOWN_ASAP
    }

    /// Whether a list of jobs can be asked for without each job's cores.
    pub const fn knows_flags(self) -> bool {
        self.0 >= FIRST_WITH_FLAGS
    }

    /// Whether slurmdbd's jobs can be asked for by user, and with instants as plain numbers.
    pub const fn filters_by_user(self) -> bool {
        self.0 >= FIRST_WITH_USERS
    }

    /// Whether lists tell the controller's clock.
    pub const fn tells_clock(self) -> bool {
        self.0 >= FIRST_WITH_CLOCK
    }
}

/// What was found out of a Slurm.
#[derive(Clone, Debug)]
pub(crate) struct Spoken {
    /// The version of slurmctld's documents.
    pub slurm: DataParser,
    /// The version of slurmdbd's, where slurmrestd offers them.
    pub slurmdb: Option<DataParser>,
    /// The release, such as `22.05.8`; empty where it was not told.
    pub release: String,
    /// The cluster's name, from v0.0.41 on.
    pub cluster: Option<String>,
}

/// Finds out what `rest` speaks, and that its controller answers who asks.
pub(crate) async fn find_out(rest: &Rest) -> Result<Spoken, ManagerError> {
    let described = match rest.raw("openapi/v3").await {
        Err(ManagerError::Unsupported(_)) => rest.raw("openapi").await?,
        described => described?,
    };
    let (slurm, slurmdb) = spoken_of(&described)?;
    let slurm = slurm.ok_or_else(|| {
        ManagerError::Unsupported(format!(
            "this slurmrestd offers no documents of slurmctld from v0.0.{OLDEST} (Slurm 22.05) on; start it with \
             openapi/slurmctld (or openapi/v0.0.{OLDEST}) among its plugins, option -s"
        ))
    })?;
    let document: Document<IgnoredAny> = diagnosis(rest, slurm).await?;
    let release = document.meta.and_then(|it| it.slurm);
    let (release, cluster) = release.map_or((None, None), |it| (it.release, it.cluster));
    Ok(Spoken {
        slurm,
        slurmdb,
        release: release.unwrap_or_default(),
        cluster: cluster.filter(|name| !name.is_empty()),
    })
}

/// The versions of slurmctld's and of slurmdbd's documents to speak, by slurmrestd's description of itself.
pub(crate) fn spoken_of(
    description: &[u8],
) -> Result<(Option<DataParser>, Option<DataParser>), ManagerError> {
    let described: Described<'_> = serde_json::from_slice(description).map_err(|error| {
        ManagerError::Unreadable(format!("slurmrestd's description of itself: {error}"))
    })?;
    let paths: Vec<String> = described.paths.into_keys().collect();
    Ok((newest(&paths, "/slurm/"), newest(&paths, "/slurmdb/")))
}

/// The controller's clock now.
pub(crate) async fn clock(rest: &Rest, parser: DataParser) -> Result<Timestamp, ManagerError> {
    let told = diagnosis(rest, parser).await?.statistics.and_then(|it| it.req_time.instant());
    told.ok_or_else(|| ManagerError::Unreadable("slurmrestd tells no clock at diag".to_owned()))
}

async fn diagnosis(rest: &Rest, parser: DataParser) -> Result<Document<IgnoredAny>, ManagerError> {
    let document = rest.get(&format!("slurm/{parser}/diag"), &[]).await?;
    document.ok_or_else(|| ManagerError::Unreadable("no answer of slurmrestd at diag".to_owned()))
}

/// What is read of the description: its paths.
#[derive(Deserialize)]
struct Described<'a> {
    #[serde(borrow)]
    paths: BTreeMap<String, &'a RawValue>,
}

/// The newest version that both sides know; where all are newer, the oldest of those, which is likeliest
/// to be understood.
fn newest(paths: &[String], prefix: &str) -> Option<DataParser> {
    let numbers = paths.iter().filter_map(|path| {
        let version = path.strip_prefix(prefix)?.strip_prefix("v0.0.")?.split('/').next()?;
        version.parse::<u32>().ok().filter(|number| *number >= OLDEST)
    });
    let numbers: Vec<u32> = numbers.collect();
    let known = numbers.iter().filter(|number| **number <= NEWEST).max();
    known.or_else(|| numbers.iter().min()).copied().map(DataParser)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(versions: &[u32]) -> Option<String> {
        let paths = versions.iter().map(|it| format!("/slurm/v0.0.{it}/ping/"));
        let paths: Vec<_> = paths.chain(["/openapi/v3".to_owned()]).collect();
        newest(&paths, "/slurm/").map(|it| it.to_string())
    }

    #[test]
    fn the_newest_version_that_both_sides_know_is_spoken() {
        assert_eq!(spoken(&[38]).as_deref(), Some("v0.0.38"));
        assert_eq!(spoken(&[43, 42, 45, 44]).as_deref(), Some("v0.0.45"));
        assert_eq!(spoken(&[44, 45, 46]).as_deref(), Some("v0.0.45"));
    }

    #[test]
    fn where_all_are_newer_the_oldest_of_them_is_tried() {
        assert_eq!(spoken(&[47, 46]).as_deref(), Some("v0.0.46"));
    }

    #[test]
    fn versions_that_are_too_old_are_not_spoken() {
        assert_eq!(spoken(&[36, 37]), None);
        assert_eq!(spoken(&[]), None);
    }

    #[test]
    fn reservations_are_written_from_25_05_on() {
        assert!(!DataParser(42).can_write());
        assert!(DataParser(43).can_write());
    }
}
