//! Results as files.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use simulator::experiment::Variant;
use simulator::sesames::{Cell, PlayedRun, Summary};
use simulator::tables;

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
    /// Writes `timing.json`.
    pub fn write(&self, folder: &Path) -> anyhow::Result<()> {
        json(&folder.join("timing.json"), self)
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

/// Writes a cell's summary and tables.
pub fn cell(
    folder: &Path,
    cell: &Cell,
    runs: &[PlayedRun],
    summary: &Summary,
) -> anyhow::Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    json(&folder.join("summary.json"), summary)?;
    table(&folder.join("runs.csv"), |out| tables::runs(cell, runs, out))?;
    table(&folder.join("requests.csv"), |out| tables::requests(runs, out))?;
    table(&folder.join("curves.csv"), |out| tables::curves(cell, runs, out))
}

/// Writes a text.
pub fn text(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn json(path: &Path, value: &impl Serialize) -> anyhow::Result<()> {
    text(path, &(serde_json::to_string_pretty(value)? + "\n"))
}

/// Writes a table.
pub fn table(
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
