//! Any series as a file that the site puts: CSV, with the time at which each value begins.

use std::path::{Path, PathBuf};

use planner::time::Seconds;

use super::InputQuery;
use crate::feed::FeedError;
use crate::forecast::{ForecastInput, KnownFrom, ValuesAhead};
use crate::table;

/// A file is read up to this size.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// A file.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Where it is.
    pub path: PathBuf,
    /// The column of the values, where there are several.
    pub column: Option<String>,
    /// Each value was known so many hours before it holds; 24 unless given.
    #[serde(default = "a_day")]
    pub known_ahead_h: u16,
}

const fn a_day() -> u16 {
    24
}

/// Reads the file.
///
/// # Errors
/// Where it is not there, too long or no table, with the line.
pub async fn fetch(settings: &Settings, query: InputQuery<'_>) -> Result<ForecastInput, FeedError> {
    let (path, column) = (settings.path.clone(), settings.column.clone());
    // A long table takes a while, so it is read beside other work.
    let reading = tokio::task::spawn_blocking(move || {
        let name = path.display();
        let text = text(&path).map_err(|error| FeedError::transient(format!("{name}: {error}")))?;
        table::series(&text, column.as_deref()).map_err(|errors| {
            let first = errors.first().map_or_else(String::new, ToString::to_string);
            FeedError::payload(name, first)
        })
    });
    let values = reading.await.map_err(FeedError::transient)??;
    let known = KnownFrom::Before(Seconds::new(3600 * i64::from(settings.known_ahead_h)));
    Ok(ForecastInput { name: query.name.into(), values: vec![ValuesAhead { known, values }] })
}

fn text(path: &Path) -> std::io::Result<String> {
    if path.metadata()?.len() > MAX_FILE_BYTES {
        return Err(std::io::Error::other("is longer than 64 MiB"));
    }
    std::fs::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use planner::time::{Span, Timestamp};

    use super::*;
    use crate::input::InputQuantity;

    #[tokio::test]
    async fn a_file_is_read_and_its_faults_are_told_with_their_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("load.csv");
        let settings = Settings { path: path.clone(), column: None, known_ahead_h: 36 };
        let now = Timestamp::parse("2026-03-01T00:00:00Z").unwrap();
        let window = Span::starting(now, Seconds::new(86_400)).unwrap();
        let query = InputQuery { name: "load", quantity: InputQuantity::Load, now, window };
        assert!(matches!(fetch(&settings, query).await, Err(FeedError::Transient { .. })));
        std::fs::write(&path, "start,value\n2026-03-01T00:00:00Z,51000.5\n").unwrap();
        let input = fetch(&settings, query).await.unwrap();
        assert_eq!(input.values[0].values.pieces()[0].value, 51_000_500_000);
        std::fs::write(&path, "start,value\n2026-03-01T00:00:00Z,much\n").unwrap();
        let error = fetch(&settings, query).await.unwrap_err().to_string();
        assert!(error.contains("line 2, value: is not a number"), "{error}");
    }
}
