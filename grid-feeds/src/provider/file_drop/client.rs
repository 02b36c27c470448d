//! Reading the files, off the asynchronous threads.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use planner::quantity::Currency;
use planner::time::Seconds;

use super::map::{self, Format};
use crate::feed::{
    CarbonFeed, FeedError, Fetched, Fetching, Kind, PowerCapFeed, PriceFeed, Quality, Quantity,
    Query, Role, Validator,
};
use crate::http::Http;
use crate::provider::Declaration;
use crate::schedule::Rhythm;

/// A file is read up to this size.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Where files are dropped.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// A file or a directory.
    pub path: PathBuf,
    /// Of prices; ISO 4217. `EUR` unless given.
    #[serde(default = "euro")]
    pub currency: String,
    /// For CO2: `average` or `marginal`.
    #[serde(default = "average")]
    pub accounting: crate::feed::Accounting,
    /// For CO2: `direct` or `lifecycle`.
    #[serde(default)]
    pub factors: crate::feed::Factors,
    /// Values are measured, or binding, rather than forecasts.
    #[serde(default)]
    pub binding: bool,
}

fn euro() -> String {
    "EUR".to_owned()
}

const fn average() -> crate::feed::Accounting {
    crate::feed::Accounting::Average
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(365 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = r#"path = "caps""#;

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        _http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        let client = |kind| Box::new(Client::new(source, self, kind));
        Ok(Some(match quantity {
            Quantity::Price => {
                let currency = Currency::parse(&self.currency)
                    .map_err(|error| FeedError::configuration(format!("currency {error}")))?;
                Role::Price(client(Kind::Price { currency }))
            }
            Quantity::Co2 => {
                let (accounting, factors) = (self.accounting, self.factors);
                Role::Carbon(client(Kind::Co2 { accounting, factors }))
            }
            Quantity::PowerCap => Role::PowerCap(client(Kind::PowerCap)),
        }))
    }

    fn rhythm(_quantity: Quantity) -> Rhythm {
        Rhythm { poll_every_s: 30, catch_up_s: 5, ..Rhythm::default() }
    }

    fn is_binding(&self, _quantity: Quantity) -> bool {
        self.binding
    }
}

/// Reads files.
#[derive(Clone, Debug)]
pub struct Client {
    source: Box<str>,
    path: PathBuf,
    kind: Kind,
    quality: Quality,
}

/// A file to read.
struct Dropped {
    path: PathBuf,
    format: Format,
    /// Its length and when it changed, in nanoseconds.
    state: (u64, u128),
}

impl Client {
    /// A reader of files of one kind.
    pub fn new(source: &str, settings: &Settings, kind: Kind) -> Self {
        let quality = if settings.binding { Quality::Measured } else { Quality::Forecast };
        Self { source: source.into(), path: settings.path.clone(), kind, quality }
    }

    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let (reader, validator) = (self.clone(), query.validator.cloned());
        let reading = tokio::task::spawn_blocking(move || reader.read(validator.as_ref()));
        reading.await.map_err(FeedError::transient)?
    }

    fn read(&self, known: Option<&Validator>) -> Result<Fetched, FeedError> {
        let files = dropped(&self.path)?;
        let mut state = String::new();
        for file in &files {
            // Writing to a string cannot fail.
            let _ = write!(state, "{}:{:?};", file.path.display(), file.state);
        }
        let validator = Validator(state.into());
        if known == Some(&validator) {
            return Ok(Fetched::Unchanged);
        }
        let mut agendas = Vec::new();
        for file in &files {
            let name = file.path.display().to_string();
            if file.state.0 > MAX_FILE_BYTES {
                return Err(FeedError::payload(name, "is longer than 64 MiB"));
            }
            let text = std::fs::read_to_string(&file.path)
                .map_err(|error| FeedError::transient(format!("{name}: {error}")))?;
            agendas.push(map::read(&name, file.format, &text, self.kind.quantity())?);
        }
        let series = map::merged(self.kind, self.quality, &agendas)?;
        Ok(series.into_fetched(&self.source, "", Some(validator)))
    }
}

/// The files at `path`, in the order of their names.
fn dropped(path: &Path) -> Result<Vec<Dropped>, FeedError> {
    let failed =
        |error: std::io::Error| FeedError::transient(format!("{}: {error}", path.display()));
    if !path.is_dir() {
        let format = format(path).ok_or_else(|| {
            FeedError::configuration(format!("{} is neither .csv nor .json", path.display()))
        })?;
        return Ok(vec![Dropped {
            format,
            state: state(path).map_err(failed)?,
            path: path.into(),
        }]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let hidden = path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
        if let Some(format) = format(&path).filter(|_| !hidden && path.is_file()) {
            files.push(Dropped { format, state: state(&path).map_err(failed)?, path });
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

fn format(path: &Path) -> Option<Format> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "csv" => Some(Format::Csv),
        "json" => Some(Format::Json),
        _ => None,
    }
}

fn state(path: &Path) -> std::io::Result<(u64, u128)> {
    let metadata = path.metadata()?;
    let changed = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok((metadata.len(), changed.as_nanos()))
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}

impl PowerCapFeed for Client {
    fn power_caps<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(start: &str, end: &str, watts: u32) -> String {
        format!("start,end,cap_w\n2026-03-01T{start}:00Z,2026-03-01T{end}:00Z,{watts}\n")
    }

    #[test]
    fn a_directory_is_read_in_the_order_of_names_and_only_when_it_changed() {
        let directory = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
        write("1.csv", &row("00:00", "06:00", 9));
        write("2.CSV", &row("01:00", "02:00", 5));
        write(".3.csv", "half a file");
        write("notes.txt", "no agenda");
        let settings: Settings =
            toml::from_str(&format!("path = {:?}", directory.path().display().to_string()))
                .unwrap();
        let client = Client::new("drop", &settings, Kind::PowerCap);
        let Fetched::Revision(revision) = client.read(None).unwrap() else { panic!("unchanged") };
        assert_eq!(revision.series.agenda.pieces().len(), 3);
        let validator = revision.validator;
        assert_eq!(client.read(validator.as_ref()).unwrap(), Fetched::Unchanged);
        write("3.csv", &row("06:00", "07:00", 12345));
        assert_ne!(client.read(validator.as_ref()).unwrap(), Fetched::Unchanged);
        write("4.csv", "nonsense");
        assert!(client.read(None).unwrap_err().to_string().contains("4.csv"));
    }

    #[test]
    fn a_file_that_is_not_there_may_come_later() {
        let settings: Settings = toml::from_str(r#"path = "/nowhere/cap.csv""#).unwrap();
        let client = Client::new("drop", &settings, Kind::PowerCap);
        assert!(matches!(client.read(None), Err(FeedError::Transient { .. })));
    }
}
