//! Results in a folder.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use simulator::experiment::Variant;

use crate::simulation::results::{self, CellFile, FinishedCell};

/// What differs from one time to the next: everything else has the same bytes for the same seed.
#[derive(Default, Serialize)]
pub struct Timing {
    /// From the first run to the last file, s.
    pub wall_s: f64,
    /// On how many threads.
    pub threads: usize,
    /// Runs played now, over all cells; the others were kept from before.
    pub runs_played: usize,
    /// Plans made now.
    pub plans: u64,
    /// Plans of these that the independent checker judged, and passed.
    pub plans_checked: u64,
}

impl Timing {
    /// Writes it to `timing.json` in a folder.
    pub fn write(&self, folder: &Path) -> anyhow::Result<()> {
        file(&folder.join("timing.json"), |out| results::json(self, out))
    }
}

/// Where a cell's files go: the folder itself, or one in it where there are several.
pub fn folder_of(folder: &Path, number: usize, variant: &Variant) -> PathBuf {
    if variant.varied.is_empty() {
        return folder.to_owned();
    }
    let safe = |letter: char| {
        if letter.is_ascii_alphanumeric() || "=._-".contains(letter) { letter } else { '_' }
    };
    let name: String = variant.name().chars().map(safe).take(100).collect();
    folder.join(format!("{:03}-{name}", number + 1))
}

/// Writes a cell's files.
pub fn cell(folder: &Path, finished: &FinishedCell<'_>) -> anyhow::Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for part in CellFile::ALL {
        file(&folder.join(part.name()), |out| part.write(finished, out))?;
    }
    Ok(())
}

/// Writes a file.
pub fn file(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> anyhow::Result<()> {
    let written = || {
        let mut out = BufWriter::new(File::create(path)?);
        write(&mut out)?;
        out.flush()
    };
    written().with_context(|| format!("cannot write {}", path.display()))
}
