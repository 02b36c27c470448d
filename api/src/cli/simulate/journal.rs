//! Finished runs on disk while an experiment is unfinished: one line of JSON for each, so that what
//! is finished survives an interruption and the same command goes on from it.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use simulator::sesames::PlayedRun;

const FILE: &str = "unfinished.jsonl";

/// The file, open at its end.
pub struct Journal {
    path: PathBuf,
    file: File,
}

/// A finished run of a cell, by their numbers from 0.
#[derive(Serialize, Deserialize)]
struct Finished {
    cell: usize,
    played: PlayedRun,
}

/// Finished runs by cell and run.
pub type FinishedRuns = HashMap<(usize, u32), PlayedRun>;

impl Journal {
    /// Goes on with the journal in `folder` if it is of the same experiment, which `fingerprint`
    /// tells; otherwise begins one anew.
    pub fn open(folder: &Path, fingerprint: &str) -> anyhow::Result<(Self, FinishedRuns)> {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let path = folder.join(FILE);
        let place = || format!("cannot write {}", path.display());
        let mut finished = FinishedRuns::new();
        let header = serde_json::to_string(fingerprint)?;
        // A line that was cut off is not finished.
        if let Ok(file) = File::open(&path) {
            let mut lines = BufReader::new(file).lines().map_while(Result::ok);
            if lines.next().is_some_and(|first| first == header) {
                let read = lines.map_while(|line| serde_json::from_str::<Finished>(&line).ok());
                finished.extend(read.map(|run| ((run.cell, run.played.run), run.played)));
            }
        }
        // Written anew beside it, so that an interruption now loses nothing either.
        let next = path.with_extension("next");
        let file = File::create(&next).with_context(place)?;
        let mut journal = Self { path: path.clone(), file };
        writeln!(journal.file, "{header}").with_context(place)?;
        for (&(cell, _), played) in &finished {
            journal.add(cell, played)?;
        }
        fs::rename(&next, &path).with_context(place)?;
        Ok((journal, finished))
    }

    /// Adds a finished run.
    pub fn add(&mut self, cell: usize, played: &PlayedRun) -> anyhow::Result<()> {
        #[derive(Serialize)]
        struct Line<'a> {
            cell: usize,
            played: &'a PlayedRun,
        }
        let mut line = serde_json::to_vec(&Line { cell, played })?;
        line.push(b'\n');
        self.file.write_all(&line).with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Removes the file: the experiment is finished.
    pub fn finish(self) -> anyhow::Result<()> {
        fs::remove_file(&self.path)
            .with_context(|| format!("cannot remove {}", self.path.display()))
    }
}
