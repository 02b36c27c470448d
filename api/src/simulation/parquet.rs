//! The tables of a cell as Parquet: the rows and columns of the CSV, typed.
//!
//! The CSV is read back by a schema, so that both say the same: what is empty there is null here,
//! and numbers are the very same doubles. The same table gives the same bytes.

use std::io::{self, Read, Write};
use std::sync::Arc;

use arrow_csv::ReaderBuilder;
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

/// Rows read at a time.
const BATCH: usize = 8192;

/// Which table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// A row for each policy in each run: its measures are means.
    Runs,
    /// A row for each request under each policy in each run.
    Requests,
}

impl Table {
    /// What a column holds. Instants are milliseconds in UTC, the finest that every reader knows.
    fn kind(self, column: &str) -> DataType {
        match (self, column) {
            (_, "run") | (Self::Requests, "request" | "nodes") => DataType::UInt32,
            (_, "policy") | (Self::Requests, "outcome" | "followed") => DataType::Utf8,
            (Self::Requests, "duration_s" | "start_lag_s") => DataType::Int64,
            (Self::Requests, "earliest_start" | "latest_start" | "start") => {
                DataType::Timestamp(TimeUnit::Millisecond, Some("+00:00".into()))
            }
            _ => DataType::Float64,
        }
    }

    fn schema(self, header: &str) -> Schema {
        let field = |column: &str| Field::new(column, self.kind(column), true);
        Schema::new(header.trim_end().split(',').map(field).collect::<Vec<_>>())
    }

    /// Writes the table of a CSV.
    ///
    /// # Errors
    /// A CSV that is another table's; those of `out`.
    pub fn write(self, csv: &[u8], mut out: impl Write) -> io::Result<()> {
        let header = csv.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let schema = self.schema(&String::from_utf8_lossy(header));
        let mut content = Vec::new();
        convert(csv, ReaderBuilder::new, schema, &mut content)?;
        out.write_all(&content)
    }
}

/// Writes a CSV with a header, which a reader of this schema reads, as Parquet.
///
/// # Errors
/// A CSV that is another table's; those of `csv` and `out`.
pub fn convert(
    csv: impl Read,
    reader: impl FnOnce(Arc<Schema>) -> ReaderBuilder,
    schema: Schema,
    out: impl Write + Send,
) -> io::Result<()> {
    let schema = Arc::new(schema);
    let reader = reader(Arc::clone(&schema)).with_header(true).with_batch_size(BATCH);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(out, schema, Some(properties))?;
    for batch in reader.build(csv).map_err(io::Error::other)? {
        writer.write(&batch.map_err(io::Error::other)?)?;
    }
    writer.close()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use simulator::policy::Policy;
    use simulator::sesames::{Cell, Inputs, Parameters};
    use simulator::tables;

    use super::*;

    /// A small month in which some requests fail, so that some fields are empty.
    fn csv(table: Table) -> Vec<u8> {
        let parameters =
            Parameters { nodes: 44, requests: 40, runs: 2, days: 3, ..Parameters::default() };
        let policies = vec![Policy::AsapFirst, Policy::Knee];
        let cell = Cell::new(parameters, Inputs::default(), policies).unwrap();
        let runs: Vec<_> =
            (0..2).map(|run| cell.play(run, &mut |_| {}, &|| false).unwrap()).collect();
        let mut csv = Vec::new();
        match table {
            Table::Runs => tables::runs(&cell, &runs, &mut csv).unwrap(),
            Table::Requests => tables::requests(&runs, &mut csv).unwrap(),
        }
        csv
    }

    /// The file as CSV again, and the kinds of its columns, each once.
    fn read_back(content: &[u8]) -> (String, Vec<String>) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let mut kinds: Vec<String> =
            reader.schema().fields().iter().map(|field| field.data_type().to_string()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let mut csv = Vec::new();
        let mut writer = arrow_csv::Writer::new(&mut csv);
        for batch in reader.build().unwrap() {
            writer.write(&batch.unwrap()).unwrap();
        }
        drop(writer);
        (String::from_utf8(csv).unwrap(), kinds)
    }

    #[test]
    fn files_read_back_are_the_csv() {
        for (table, rows, kinds) in [(Table::Runs, 4, 3), (Table::Requests, 160, 5)] {
            let csv = csv(table);
            let mut content = Vec::new();
            table.write(&csv, &mut content).unwrap();
            let mut again = Vec::new();
            table.write(&csv, &mut again).unwrap();
            assert!(content == again, "the same table, the same bytes");
            let (found, found_kinds) = read_back(&content);
            assert_eq!(found_kinds.len(), kinds, "{found_kinds:?}");
            let expected = String::from_utf8(csv).unwrap();
            assert_eq!((found.lines().count(), expected.lines().count()), (rows + 1, rows + 1));
            assert!(table == Table::Runs || expected.contains(",,"), "some fields are empty");
            // Doubles may be written in more than one way; what they say is the same.
            let fields = |text: &str| -> Vec<String> {
                text.lines().flat_map(|line| line.split(',')).map(str::to_owned).collect()
            };
            for (found, expected) in fields(&found).iter().zip(&fields(&expected)) {
                let same = match (found.parse::<f64>(), expected.parse::<f64>()) {
                    (Ok(found), Ok(expected)) => found.to_bits() == expected.to_bits(),
                    _ => found == expected,
                };
                assert!(same, "{found} instead of {expected}");
            }
        }
    }
}
