//! What is finished of long work, on disk until all of it is: one line of JSON for each piece, so that
//! it survives an interruption and the same command goes on from it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Failure, out};

/// The file, open at its end.
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Goes on with the journal in `folder` if it is of the same work, which `fingerprint` tells, and
    /// gives what is finished of it; otherwise begins one anew, in a folder that has no results in it or
    /// whose results `force` says to replace.
    pub fn open<T: Serialize + DeserializeOwned>(
        folder: &Path,
        fingerprint: &str,
        force: bool,
    ) -> Result<(Self, Vec<T>), Failure> {
        let path = folder.join(out::JOURNAL);
        let header = serde_json::to_string(fingerprint)?;
        let mut known = None;
        if let Ok(file) = File::open(&path) {
            let mut lines = BufReader::new(file).lines().map_while(Result::ok);
            let same = lines.next().is_some_and(|first| first == header);
            let lines: Vec<String> = lines.collect();
            if !same && lines.is_empty() {
                // Nothing is lost with it.
                fs::remove_file(&path)
                    .with_context(|| format!("cannot remove {}", path.display()))?;
            }
            // A line that was cut off is not finished.
            let finished = lines.iter().map_while(|line| serde_json::from_str(line).ok());
            let finished: Vec<T> = finished.collect();
            known = same.then_some(finished);
        }
        if known.is_none() {
            out::ready(folder, force)?;
        }
        Ok(Self::begin(folder, &path, &header, known.unwrap_or_default())?)
    }

    fn begin<T: Serialize>(
        folder: &Path,
        path: &Path,
        header: &str,
        finished: Vec<T>,
    ) -> anyhow::Result<(Self, Vec<T>)> {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let place = || format!("cannot write {}", path.display());
        // Written anew beside it, so that an interruption now loses nothing either.
        let next = path.with_extension("next");
        let file = File::create(&next).with_context(place)?;
        let mut journal = Self { path: path.to_owned(), file };
        writeln!(journal.file, "{header}").with_context(place)?;
        for piece in &finished {
            journal.add(piece)?;
        }
        fs::rename(&next, path).with_context(place)?;
        Ok((journal, finished))
    }

    /// Adds a finished piece.
    pub fn add(&mut self, piece: &impl Serialize) -> anyhow::Result<()> {
        let mut line = serde_json::to_vec(piece)?;
        line.push(b'\n');
        self.file.write_all(&line).with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Removes the file: the work is finished.
    pub fn finish(self) -> anyhow::Result<()> {
        fs::remove_file(&self.path)
            .with_context(|| format!("cannot remove {}", self.path.display()))
    }
}
