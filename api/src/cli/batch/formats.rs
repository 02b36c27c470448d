//! In which formats results are written.

use clap::ValueEnum;

/// A format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Batsim's tables
    Csv,
    /// A Paje trace, schedule.trace, as viewers of traces draw it: a row for each machine of each job
    Paje,
    /// report.html: figures and the summary
    Html,
    /// Batsim's tables, typed
    #[cfg(feature = "parquet")]
    Parquet,
}

impl Format {
    /// Whether it is made of Batsim's tables.
    pub fn has_tables(self) -> bool {
        !matches!(self, Self::Paje | Self::Html)
    }
}
