//! Folders that results are written to: one that has results in it is left alone unless it is said to be
//! replaced, and what was written is told.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{Failure, parts, tell};

/// The name of the journal's file in a folder of results.
pub const JOURNAL: &str = "unfinished.jsonl";

/// Every file of results that a simulation writes.
const RESULTS: [&str; 26] = [
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

/// Makes sure that no results stand in `folder`: they are removed where `force` says so.
///
/// # Errors
/// There are results, and they are not to be replaced; a file cannot be removed.
pub fn ready(folder: &Path, force: bool) -> Result<(), Failure> {
    check(folder, force)?;
    Ok(clear(folder)?)
}

/// Makes sure that no results stand in `folder`, or that they may be replaced.
///
/// # Errors
/// There are results, and they are not to be replaced.
pub fn check(folder: &Path, force: bool) -> Result<(), Failure> {
    let there = results(folder)?;
    let Some(first) = there.first().filter(|_| !force) else { return Ok(()) };
    let name = first.strip_prefix(folder).unwrap_or(first).display();
    let is_of_part = first.file_name().and_then(|it| it.to_str()).is_some_and(parts::is_journal);
    let what = if first.ends_with(JOURNAL) || is_of_part {
        "finished parts of other work, or of this with other inputs"
    } else {
        "results"
    };
    Err(Failure::BadInput(vec![format!(
        "--out {}: there are {what} in it ({name}): name another folder, or replace them with --force",
        folder.display()
    )]))
}

/// Makes sure that work on `folder` is not finished yet, nor that of the whole begun, and that there is no `journal` of other work: what
/// other parts have finished may be there.
///
/// # Errors
/// There are results.
pub fn check_unfinished(folder: &Path, journal: Option<&Path>) -> Result<(), Failure> {
    let other_work = journal.filter(|path| path.exists()).map(Path::to_owned);
    let Some(first) = of(folder).into_iter().chain(other_work).next() else { return Ok(()) };
    Err(Failure::BadInput(vec![format!(
        "--out {}: there are results in it ({}): name another folder for the parts",
        folder.display(),
        first.strip_prefix(folder).unwrap_or(&first).display()
    )]))
}

/// Whether there are results in a folder, and nothing that is unfinished.
pub fn is_finished(folder: &Path) -> anyhow::Result<bool> {
    let unfinished = folder.join(JOURNAL).exists() || !journals_of_parts(folder)?.is_empty();
    Ok(!unfinished && !of(folder).is_empty())
}

/// The journals of parts in a folder, by name.
pub fn journals_of_parts(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    Ok(named(folder, parts::is_journal)?.into_iter().filter(|path| path.is_file()).collect())
}

/// Removes the results in `folder`.
pub fn clear(folder: &Path) -> anyhow::Result<()> {
    for file in results(folder)? {
        fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
        // The folder of a cell or an instance goes with its last file.
        if let Some(own) = file.parent().filter(|parent| *parent != folder) {
            let _ = fs::remove_dir(own);
        }
    }
    Ok(())
}

/// The files of results in a folder, in its cells' folders (`001-...`) and its instances'
/// (`instances/000001`); those of the folder itself first.
fn results(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = of(folder);
    found.extend(journals_of_parts(folder)?);
    let (cells, instances) =
        (folders(folder, is_cell)?, folders(&folder.join("instances"), is_instance)?);
    found.extend(cells.iter().chain(&instances).flat_map(|inner| of(inner)));
    Ok(found)
}

fn of(folder: &Path) -> Vec<PathBuf> {
    let paths = RESULTS.iter().chain(&PARQUET).map(|name| folder.join(name));
    paths.filter(|path| path.is_file()).collect()
}

/// Whether a folder of this name is a cell's, such as `001-runs=2`.
fn is_cell(name: &str) -> bool {
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    digits >= 3 && name[digits..].starts_with('-')
}

/// Whether a folder of this name is an instance's, such as `000001`.
fn is_instance(name: &str) -> bool {
    name.len() == 6 && name.bytes().all(|letter| letter.is_ascii_digit())
}

/// The folders in `folder` with such names, by name.
fn folders(folder: &Path, such: fn(&str) -> bool) -> anyhow::Result<Vec<PathBuf>> {
    Ok(named(folder, such)?.into_iter().filter(|path| path.is_dir()).collect())
}

/// What is in `folder` with such names, by name.
fn named(folder: &Path, such: fn(&str) -> bool) -> anyhow::Result<Vec<PathBuf>> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if such(&name) {
            found.push(path);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Says which results stand in a folder now.
pub fn tell_written(folder: &Path) {
    let mut files = of(folder);
    files.sort_unstable();
    let names = files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
    let inner = |inner: &Path, such: fn(&str) -> bool, of: &str| {
        let count = folders(inner, such).map_or(0, |folders| folders.len());
        let told = || format!(", and the files of {count} {of} in {}", inner.display());
        if count > 0 { told() } else { String::new() }
    };
    let cells = inner(folder, is_cell, "cells");
    let instances = inner(&folder.join("instances"), is_instance, "instances");
    tell(format!("wrote {names}{cells}{instances}"));
}

#[cfg(test)]
mod tests {
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
            let Err(Failure::BadInput(errors)) = ready(folder.path(), false) else {
                panic!("{file} is no result")
            };
            assert!(errors[0].contains(file) && errors[0].contains("--force"), "{errors:?}");
            assert!(folder.path().join(file).exists());
            assert!(ready(folder.path(), true).is_ok());
            assert!(!folder.path().join(file).exists());
            assert!(folder.path().join("notes.txt").exists());
        }
        let folder = with(&["notes.txt", "001-mine/notes.txt", "jobs.csv.part", "2026/jobs.csv"]);
        assert!(ready(folder.path(), false).is_ok());
        assert!(ready(&folder.path().join("none"), false).is_ok());
    }
}
