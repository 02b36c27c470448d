//! Files in, compressed or not, and files out, which appear when they are whole.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::Failure;

/// Bytes read at once.
const BUFFER: usize = 1 << 16;
/// How compressed files begin.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A file to be read, shown on a terminal as far as it was read.
pub fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    opened(path, |file| {
        let progress = ProgressBar::new(file.metadata()?.len());
        let style = ProgressStyle::with_template("{wide_bar} {percent}% {elapsed}");
        progress.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Ok(progress.wrap_read(file))
    })
}

/// A file to be read.
pub fn open_unseen(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    opened(path, Ok)
}

fn opened<R: Read + 'static>(
    path: &Path,
    read: impl FnOnce(File) -> io::Result<R>,
) -> Result<Box<dyn BufRead>, Failure> {
    plain(path, read).map_err(|error| {
        Failure::BadInput(vec![format!("cannot read {}: {error}", path.display())])
    })
}

/// What a file holds, decompressed.
fn plain<R: Read + 'static>(
    path: &Path,
    read: impl FnOnce(File) -> io::Result<R>,
) -> io::Result<Box<dyn BufRead>> {
    let mut source = BufReader::with_capacity(BUFFER, read(File::open(path)?)?);
    Ok(if source.fill_buf()?.starts_with(&GZIP) {
        Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(source)))
    } else {
        Box::new(source)
    })
}

/// The text of a file.
pub fn text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    plain(path, Ok)?.read_to_string(&mut text)?;
    Ok(text)
}

/// What is wrong with an input file.
pub fn bad_input(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::BadInput(vec![format!("{}: {error}", path.display())])
}

/// A file to be written, compressed or not.
pub enum Sink {
    Plain(BufWriter<File>),
    Compressed(Box<GzEncoder<BufWriter<File>>>),
}

impl Sink {
    /// Writes what is not written yet.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(mut out) => out.flush(),
            Self::Compressed(out) => out.finish()?.flush(),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(out) => out.write(bytes),
            Self::Compressed(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.flush(),
            Self::Compressed(out) => out.flush(),
        }
    }
}

/// A file that appears under its name when it is [`Pending::keep`]: what fails leaves nothing.
pub struct Pending {
    name: PathBuf,
    written: PathBuf,
}

impl Pending {
    /// Begins the file of this name, compressed where the name ends in `.gz`.
    pub fn create_at(path: &Path) -> anyhow::Result<(Self, Sink)> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let name = path.file_name().context("the output must be a file")?;
        let (pending, out) = Self::create(folder.unwrap_or(Path::new(".")), name)?;
        let compressed = path.extension().is_some_and(|extension| extension == "gz");
        let sink = if compressed {
            Sink::Compressed(Box::new(GzEncoder::new(out, Compression::default())))
        } else {
            Sink::Plain(out)
        };
        Ok((pending, sink))
    }

    /// Begins a file, and the folder for it.
    pub fn create(
        folder: &Path,
        name: impl AsRef<Path>,
    ) -> anyhow::Result<(Self, BufWriter<File>)> {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let name = folder.join(name);
        let mut written = name.clone().into_os_string();
        written.push(".part");
        let written = PathBuf::from(written);
        let file = File::create(&written)
            .with_context(|| format!("cannot write {}", written.display()))?;
        Ok((Self { name, written }, BufWriter::with_capacity(BUFFER, file)))
    }

    /// What is written so far.
    #[cfg(feature = "parquet")]
    pub fn written(&self) -> &Path {
        &self.written
    }

    /// Gives the written file its name.
    pub fn keep(self) -> anyhow::Result<()> {
        fs::rename(&self.written, &self.name)
            .with_context(|| format!("cannot write {}", self.name.display()))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // It is gone already where it was kept.
        let _ = fs::remove_file(&self.written);
    }
}
