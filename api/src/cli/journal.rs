//! What is finished of long work, on disk until all of it is: one line of JSON for each piece, so that
//! it survives an interruption and the same command goes on from it.

use std::fs::{self, File};
use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::out::Target;
use super::parts::Part;
use super::{Failure, out};

/// How often what is finished is sent to a store: so much of it is lost with a process that is killed.
const SEND_EVERY: Duration = Duration::from_secs(10);

/// The file, open at its end.
pub struct Journal<'a> {
    target: &'a Target,
    name: String,
    file: File,
    sent: Instant,
    /// Those of parts, from which it goes on, and how much each has finished.
    parts: Vec<(String, usize)>,
}

impl<'a> Journal<'a> {
    /// Goes on with the journals in `target` that are of the same work, which `fingerprint` tells, and gives what is finished of
    /// it; otherwise begins one anew, in a target that has no results in it or whose results `force` says to replace. A part has
    /// a journal of its own, and looks at no other; the whole goes on from those of all parts.
    pub fn open<T: Serialize + DeserializeOwned>(
        target: &'a Target,
        fingerprint: &str,
        force: bool,
        part: Option<Part>,
    ) -> Result<(Self, Vec<T>), Failure> {
        let name = part.map_or_else(|| out::JOURNAL.to_owned(), Part::journal);
        let header = serde_json::to_string(fingerprint)?;
        let mut known = None;
        if let Some(Kept { same, lines, finished }) = Kept::read(target, &name, &header)? {
            if !same && lines == 0 {
                // Nothing is lost with it.
                target.remove(&name)?;
            }
            known = same.then_some(finished);
        }
        let mut parts = Vec::new();
        if part.is_none() {
            for other in out::journals_of_parts(target)? {
                let kept = Kept::read(target, &other, &header)?.filter(|it: &Kept<T>| it.same);
                let Some(kept) = kept else { continue };
                parts.push((other, kept.finished.len()));
                known.get_or_insert_default().extend(kept.finished);
            }
        }
        match (&known, part) {
            (Some(_), _) => {}
            (None, Some(_)) => out::check_unfinished(target, Some(&name))?,
            (None, None) => out::ready(target, force)?,
        }
        let finished = known.unwrap_or_default();
        let (journal, finished) = Self::begin(target, name, &header, finished)?;
        Ok((Self { parts, ..journal }, finished))
    }

    fn begin<T: Serialize>(
        target: &'a Target,
        name: String,
        header: &str,
        finished: Vec<T>,
    ) -> anyhow::Result<(Self, Vec<T>)> {
        let folder = target.folder();
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let place = || format!("cannot write {target}/{name}");
        // Written anew beside it, so that an interruption now loses nothing either.
        let path = folder.join(&name);
        let next = path.with_extension("next");
        let mut file = File::create(&next).with_context(place)?;
        writeln!(file, "{header}").with_context(place)?;
        for piece in &finished {
            file.write_all(&line(piece)?).with_context(place)?;
        }
        fs::rename(&next, &path).with_context(place)?;
        Ok((Self { target, name, file, sent: Instant::now(), parts: Vec::new() }, finished))
    }

    /// Adds a finished piece.
    pub fn add(&mut self, piece: &impl Serialize) -> anyhow::Result<()> {
        let Self { target, name, .. } = self;
        let written = self.file.write_all(&line(piece)?);
        written.with_context(|| format!("cannot write {target}/{name}"))?;
        if self.sent.elapsed() >= SEND_EVERY {
            self.target.send()?;
            self.sent = Instant::now();
        }
        Ok(())
    }

    /// Says which parts have left some of the work's `pieces`.
    pub fn tell_left(&self, pieces: usize) {
        Part::tell_left(
            self.parts.iter().map(|(name, finished)| (name.as_str(), *finished)),
            pieces,
        );
    }

    /// Sends what is finished, and removes the files: so is the work.
    pub fn finish(self) -> anyhow::Result<()> {
        self.target.send()?;
        self.parts
            .iter()
            .map(|it| &it.0)
            .chain([&self.name])
            .try_for_each(|it| self.target.remove(it))
    }
}

fn line(piece: &impl Serialize) -> anyhow::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(piece)?;
    line.push(b'\n');
    Ok(line)
}

/// How many pieces the parts in a target have finished.
pub fn finished_of_parts(target: &Target) -> u64 {
    let lines = |name: &String| {
        let text = target.read(name).ok().flatten().unwrap_or_default();
        text.iter().map(|byte| u64::from(*byte == b'\n')).sum::<u64>()
    };
    let journals = out::journals_of_parts(target).unwrap_or_default();
    // The first line says what they are of.
    journals.iter().map(|name| lines(name).saturating_sub(1)).sum()
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
    fn read(target: &Target, name: &str, header: &str) -> anyhow::Result<Option<Self>> {
        let Some(text) = target.read(name)? else { return Ok(None) };
        let mut lines = text.split(|byte| *byte == b'\n');
        let first = lines.next().unwrap_or_default();
        // One that is damaged tells of no other work.
        let same = first == header.as_bytes() || serde_json::from_slice::<String>(first).is_err();
        let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
        // A line that was cut off is not finished.
        let finished = lines.iter().map_while(|line| serde_json::from_slice(line).ok()).collect();
        Ok(Some(Self { same, lines: lines.len(), finished }))
    }
}
