//! Tables of the ledger and of reports as Parquet: the rows and columns of the CSV, typed. What is empty there
//! is null here.

use std::io::Write;

use arrow_csv::ReaderBuilder;
use arrow_schema::{DataType, Field, Schema, TimeUnit};

use crate::simulation::parquet::convert;

/// What a column of the ledger holds. Instants are milliseconds in UTC, the finest that every reader knows.
pub fn kind(column: &str) -> DataType {
    match column {
        "hour_start" | "correction_of" => {
            DataType::Timestamp(TimeUnit::Millisecond, Some("+00:00".into()))
        }
        "holder"
        | "reservation_id"
        | "job_id"
        | "user"
        | "project"
        | "partition"
        | "currency"
        | "co2_accounting"
        | "other_co2_accounting" => DataType::Utf8,
        _ => DataType::Int64,
    }
}

/// Writes the table of a CSV.
pub fn write(
    csv: &[u8],
    columns: &[&str],
    kind: fn(&str) -> DataType,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let field = |column: &&str| Field::new(*column, kind(column), true);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let mut content = Vec::new();
    convert(csv, ReaderBuilder::new, schema, &mut content)?;
    Ok(out.write_all(&content)?)
}

#[cfg(test)]
mod tests {
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;
    use crate::cli::ledger::COLUMNS;

    #[test]
    fn the_table_reads_back_typed() {
        let header = COLUMNS.join(",");
        let row = "2026-03-01T00:00:00Z,idle,,,,,batch,2,150000,0,150000,1500,3000,EUR,15000,,,average,\
            30000,\"marginal, direct\"";
        let mut content = Vec::new();
        let table = format!("{header}\n{row}\n");
        write(table.as_bytes(), &COLUMNS, kind, &mut content).unwrap();
        let file = bytes_of(content);
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let schema = reader.schema().clone();
        assert_eq!(*schema.field_with_name("energy_j").unwrap().data_type(), DataType::Int64);
        let mut back = Vec::new();
        let mut writer = arrow_csv::Writer::new(&mut back);
        for batch in reader.build().unwrap() {
            writer.write(&batch.unwrap()).unwrap();
        }
        drop(writer);
        assert_eq!(String::from_utf8(back).unwrap(), format!("{header}\n{row}\n"));
    }

    fn bytes_of(content: Vec<u8>) -> std::fs::File {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.parquet");
        std::fs::write(&path, content).unwrap();
        std::fs::File::open(path).unwrap()
    }
}
