//! What is finished of long work, on disk until all of it is: one line of JSON for each piece, so that
//! it survives an interruption and the same command goes on from it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::parts::Part;
use super::{Failure, out};

/// The file, open at its end.
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Those of parts, from which it goes on, and how much each has finished.
    parts: Vec<(PathBuf, usize)>,
}

impl Journal {
    /// Goes on with the journals in `folder` that are of the same work, which `fingerprint` tells, and gives what is finished of
    /// it; otherwise begins one anew, in a folder that has no results in it or whose results `force` says to replace. A part has
    /// a journal of its own, and looks at no other; the whole goes on from those of all parts.
    pub fn open<T: Serialize + DeserializeOwned>(
        folder: &Path,
        fingerprint: &str,
        force: bool,
        part: Option<Part>,
    ) -> Result<(Self, Vec<T>), Failure> {
        let path = folder.join(part.map_or_else(|| out::JOURNAL.to_owned(), Part::journal));
        let header = serde_json::to_string(fingerprint)?;
        let mut known = None;
        if let Some(Kept { same, lines, finished }) = Kept::read(&path, &header) {
            if !same && lines == 0 {
                // Nothing is lost with it.
                fs::remove_file(&path)
                    .with_context(|| format!("cannot remove {}", path.display()))?;
            }
            known = same.then_some(finished);
        }
        let mut parts = Vec::new();
        if part.is_none() {
            for other in out::journals_of_parts(folder)? {
                let kept = Kept::read(&other, &header).filter(|it: &Kept<T>| it.same);
                let Some(kept) = kept else { continue };
                parts.push((other, kept.finished.len()));
                known.get_or_insert_default().extend(kept.finished);
            }
        }
        match (&known, part) {
            (Some(_), _) => {}
            (None, Some(_)) => out::check_unfinished(folder, Some(&path))?,
            (None, None) => out::ready(folder, force)?,
        }
        let finished = known.unwrap_or_default();
        let (journal, finished) = Self::begin(folder, &path, &header, finished)?;
        Ok((Self { parts, ..journal }, finished))
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
        let mut journal = Self { path: path.to_owned(), file, parts: Vec::new() };
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

    /// Says which parts have left some of the work's `pieces`.
    pub fn tell_left(&self, pieces: usize) {
        Part::tell_left(
            self.parts.iter().map(|(path, finished)| (path.as_path(), *finished)),
            pieces,
        );
    }

    /// Removes the files: the work is finished.
    pub fn finish(self) -> anyhow::Result<()> {
        for path in self.parts.iter().map(|it| &it.0).chain([&self.path]) {
            fs::remove_file(path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
        Ok(())
    }
}

/// How many pieces the parts in a folder have finished.
pub fn finished_of_parts(folder: &Path) -> u64 {
    let lines = |path: &PathBuf| fs::read(path).map_or(0, |text| count_lines(&text));
    let journals = out::journals_of_parts(folder).unwrap_or_default();
    // The first line says what they are of.
    journals.iter().map(|path| lines(path).saturating_sub(1)).sum()
}

fn count_lines(text: &[u8]) -> u64 {
    text.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}

/// What a journal has.
struct Kept<T> {
    /// Whether it is of the same work.
    same: bool,
    lines: usize,
    finished: Vec<T>,
}

impl<T: DeserializeOwned> Kept<T> {
    /// `None` where there is no such file.
    fn read(path: &Path, header: &str) -> Option<Self> {
        let mut lines = BufReader::new(File::open(path).ok()?).lines().map_while(Result::ok);
        let same = lines.next().is_some_and(|first| first == header);
        let lines: Vec<String> = lines.collect();
        // A line that was cut off is not finished.
        let finished = lines.iter().map_while(|line| serde_json::from_str(line).ok()).collect();
        Some(Self { same, lines: lines.len(), finished })
    }
}
