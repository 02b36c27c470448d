//! Files of weeks, and the index that lists them. Times are milliseconds since 1970.

use serde::Deserialize;

use crate::feed::Number;

/// The weeks that there are of a series.
#[derive(Debug, Deserialize)]
pub struct WeekIndex {
    /// Their starts: Mondays at midnight in Berlin.
    pub timestamps: Vec<i64>,
}

/// A week of a series.
#[derive(Debug, Deserialize)]
pub struct WeekFile {
    /// About the file.
    pub meta_data: Option<FileMetadata>,
    /// Start and value of each step of the week; `null` where it is not known.
    pub(crate) series: Vec<(i64, Option<Number>)>,
}

/// About a file.
#[derive(Debug, Deserialize)]
pub struct FileMetadata {
    /// When it was written.
    pub created: Option<i64>,
}
