//! Folders and stores that results are written to: one that has results in it is left alone unless it is said to be
//! replaced, and what was written is told.

mod folder;
#[cfg(feature = "s3")]
mod store;

use std::fmt;
use std::path::{Path, PathBuf};

use super::{Failure, parts, tell};
#[cfg(feature = "s3")]
use store::Store;

/// The name of the journal's file among results.
pub const JOURNAL: &str = "unfinished.jsonl";

/// How the addresses of stores begin.
const STORE: &str = "s3://";

/// Every file of results that a simulation writes.
const RESULTS: [&str; 27] = [
    "summary.json",
    "summary.csv",
    "report.html",
    "runs.csv",
    "requests.csv",
    "curves.csv",
    "runs.parquet",
    "requests.parquet",
    "results.csv",
    "jobs.csv",
    "steps.csv",
    "users.csv",
    "estimate_errors.csv",
    "estimates.csv",
    "estimates.json",
    "consumed_energy.csv",
    "machine_states.csv",
    "pstate_changes.csv",
    "estimated_waiting_times.csv",
    "links.csv",
    "schedule.trace",
    "timing.csv",
    "timing.json",
    "study.json",
    "effects.csv",
    "report.txt",
    JOURNAL,
];

/// The files of results that are written as Parquet.
const PARQUET: [&str; 4] =
    ["jobs.parquet", "consumed_energy.parquet", "machine_states.parquet", "pstate_changes.parquet"];

/// Where results go, and what is finished of long work: `--out`. Their files have the same names in all of them.
pub enum Target {
    /// A folder of this machine, or one that machines share.
    Folder(PathBuf),
    /// A store by S3, which machines share.
    #[cfg(feature = "s3")]
    Store(Box<Store>),
}

impl Target {
    /// The folder or the store of this name; a store's begins with `s3://`.
    ///
    /// # Errors
    /// The address is none, the environment does not say how the store is reached, or this program has no stores.
    pub fn of(out: &Path) -> Result<Self, Failure> {
        store_address(out).map_or_else(|| Ok(Self::Folder(out.to_owned())), Self::store)
    }

    #[cfg(feature = "s3")]
    fn store(address: &str) -> Result<Self, Failure> {
        Ok(Self::Store(Box::new(Store::open(address)?)))
    }

    #[cfg(not(feature = "s3"))]
    fn store(address: &str) -> Result<Self, Failure> {
        Err(Failure::BadInput(vec![format!(
            "--out {address}: this program was built without stores: build it with cargo build --release --features s3 \
             -p wattbook, or name a folder"
        )]))
    }

    /// Where files are written: the folder itself, or one of this process alone whose files [`Target::send`] takes.
    pub fn folder(&self) -> &Path {
        match self {
            Self::Folder(folder) => folder,
            #[cfg(feature = "s3")]
            Self::Store(store) => store.folder(),
        }
    }

    /// Sends to the store what has been written; in a folder it is there already.
    ///
    /// # Errors
    /// The store refuses it, or does not answer for three minutes.
    #[cfg_attr(
        not(feature = "s3"),
        expect(clippy::unnecessary_wraps, reason = "stores may refuse")
    )]
    pub fn send(&self) -> anyhow::Result<()> {
        match self {
            Self::Folder(_) => Ok(()),
            #[cfg(feature = "s3")]
            Self::Store(store) => store.send(),
        }
    }

    /// What a file holds; `None` where there is none.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&self, name: &str) -> anyhow::Result<Option<Vec<u8>>> {
        match self {
            Self::Folder(folder) => folder::read(folder, name),
            #[cfg(feature = "s3")]
            Self::Store(store) => store.read(name),
        }
    }

    /// Removes a file of results.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn remove(&self, name: &str) -> anyhow::Result<()> {
        match self {
            Self::Folder(folder) => folder::remove(folder, name),
            #[cfg(feature = "s3")]
            Self::Store(store) => store.remove(name),
        }
    }

    /// The names of all files of results, those that are in no inner folder first.
    fn names(&self) -> anyhow::Result<Vec<String>> {
        let mut names = match self {
            Self::Folder(folder) => folder::names(folder)?,
            #[cfg(feature = "s3")]
            Self::Store(store) => store.names()?,
        };
        names.sort_unstable_by(|one, other| {
            (one.contains('/'), one).cmp(&(other.contains('/'), other))
        });
        Ok(names)
    }
}

impl From<&PathBuf> for Target {
    /// The folder, for commands that know no stores.
    fn from(folder: &PathBuf) -> Self {
        Self::Folder(folder.clone())
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(formatter),
            #[cfg(feature = "s3")]
            Self::Store(store) => store.fmt(formatter),
        }
    }
}

/// The address of a store, if it is one.
pub fn store_address(out: &Path) -> Option<&str> {
    out.to_str().filter(|text| text.starts_with(STORE))
}

/// Makes sure that no results stand in a target: they are removed where `force` says so.
///
/// # Errors
/// There are results, and they are not to be replaced; a file cannot be removed.
pub fn ready(target: &Target, force: bool) -> Result<(), Failure> {
    check(target, force)?;
    Ok(clear(target)?)
}

/// Makes sure that no results stand in a target, or that they may be replaced.
///
/// # Errors
/// There are results, and they are not to be replaced; a folder has the name of a store.
pub fn check(target: &Target, force: bool) -> Result<(), Failure> {
    let refused = |what: &str| Err(Failure::BadInput(vec![format!("--out {target}: {what}")]));
    if store_address(target.folder()).is_some() {
        return refused(
            "this command writes to folders only; batch sweep and simulate write to stores",
        );
    }
    let there = target.names()?;
    let Some(name) = there.first().filter(|_| !force) else { return Ok(()) };
    let what = if name == JOURNAL || parts::is_journal(name) {
        "finished parts of other work, or of this with other inputs"
    } else {
        "results"
    };
    refused(&format!(
        "there are {what} in it ({name}): name another folder, or replace them with --force"
    ))
}

/// Makes sure that work on a target is not finished yet, nor that of the whole begun, and that there is no `journal` of other work:
/// what other parts have finished may be there.
///
/// # Errors
/// There are results.
pub fn check_unfinished(target: &Target, journal: Option<&str>) -> Result<(), Failure> {
    let is_result = |name: &String| is_file(name) || journal == Some(name);
    let Some(first) = target.names()?.into_iter().find(is_result) else { return Ok(()) };
    Err(Failure::BadInput(vec![format!(
        "--out {target}: there are results in it ({first}): name another folder for the parts"
    )]))
}

/// Whether there are results in a target, and nothing that is unfinished.
pub fn is_finished(target: &Target) -> anyhow::Result<bool> {
    let names = target.names()?;
    let unfinished = names.iter().any(|name| name == JOURNAL || parts::is_journal(name));
    Ok(!unfinished && names.iter().any(|name| is_file(name)))
}

/// The names of the journals of parts in a target.
pub fn journals_of_parts(target: &Target) -> anyhow::Result<Vec<String>> {
    Ok(target.names()?.into_iter().filter(|name| parts::is_journal(name)).collect())
}

/// Removes the results in a target.
pub fn clear(target: &Target) -> anyhow::Result<()> {
    target.names()?.iter().try_for_each(|name| target.remove(name))
}

/// Whether a file of this name is one of results: in no folder, in that of a cell (`001-...`) or of an instance
/// (`instances/000001`).
fn is_result(name: &str) -> bool {
    match name.rsplit_once('/') {
        None => is_file(name) || parts::is_journal(name),
        Some((inner, file)) => is_inner(inner) && is_file(file),
    }
}

fn is_file(name: &str) -> bool {
    RESULTS.iter().chain(&PARQUET).any(|it| *it == name)
}

/// Whether a folder of this name has results of its own.
fn is_inner(name: &str) -> bool {
    name.strip_prefix("instances/").map_or_else(|| is_cell(name), is_instance)
}

/// Whether a folder of this name is a cell's, such as `001-runs=2`.
fn is_cell(name: &str) -> bool {
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    digits >= 3 && name[digits..].starts_with('-') && !name.contains('/')
}

/// Whether a folder of this name is an instance's, such as `000001`.
fn is_instance(name: &str) -> bool {
    name.len() == 6 && name.bytes().all(|letter| letter.is_ascii_digit())
}

/// Says which results stand in a target now.
pub fn tell_written(target: &Target) {
    // What cannot be listed was written nevertheless.
    let names = target.names().unwrap_or_default();
    let files = names.iter().filter(|name| !name.contains('/'));
    let files: Vec<String> = files.map(|name| format!("{target}/{name}")).collect();
    let mut inner: Vec<&str> = names.iter().filter_map(|it| Some(it.rsplit_once('/')?.0)).collect();
    inner.dedup();
    let (instances, cells): (Vec<&str>, Vec<&str>) =
        inner.into_iter().partition(|name| name.starts_with("instances/"));
    let told = |inner: &[&str], of: &str, place: &str| match inner.len() {
        0 => String::new(),
        count => format!(", and the files of {count} {of} in {target}{place}"),
    };
    let (cells, instances) =
        (told(&cells, "folders", ""), told(&instances, "instances", "/instances"));
    tell(format!("wrote {}{cells}{instances}", files.join(", ")));
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn with(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        folder
    }

    #[test]
    fn a_folder_with_results_is_refused_and_others_files_are_none() {
        for file in ["jobs.csv", "001-runs=2/summary.json", "instances/000001/summary.json"] {
            let folder = with(&["notes.txt", file]);
            let target = Target::Folder(folder.path().to_owned());
            let Err(Failure::BadInput(errors)) = ready(&target, false) else {
                panic!("{file} is no result")
            };
            assert!(errors[0].contains(file) && errors[0].contains("--force"), "{errors:?}");
            assert!(folder.path().join(file).exists());
            assert!(ready(&target, true).is_ok());
            assert!(!folder.path().join(file).exists());
            assert!(folder.path().join("notes.txt").exists());
        }
        let folder = with(&["notes.txt", "001-mine/notes.txt", "jobs.csv.part", "2026/jobs.csv"]);
        assert!(ready(&Target::Folder(folder.path().to_owned()), false).is_ok());
        assert!(ready(&Target::Folder(folder.path().join("none")), false).is_ok());
        let store = Target::Folder("s3://bucket/sweep".into());
        assert!(matches!(ready(&store, false), Err(Failure::BadInput(_))));
    }
}
