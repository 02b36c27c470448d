//! Batsim's tables as Parquet: the rows and columns of the CSV, typed. What is empty or `NA` there is
//! null here.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek, Write};
use std::path::Path;

use anyhow::Context;
use arrow_csv::ReaderBuilder;
use arrow_schema::{DataType, Field, Schema};
use regex::Regex;

use super::files::Pending;
use crate::simulation::parquet::convert;

/// What a column holds.
fn kind(column: &str) -> DataType {
    match column {
        "job_id"
        | "workload_name"
        | "profile"
        | "final_state"
        | "allocated_resources"
        | "metadata"
        | "event_type"
        | "machine_id" => DataType::Utf8,
        "requested_number_of_resources" | "success" | "new_pstate" => DataType::Int64,
        counted if counted.starts_with("nb_") => DataType::Int64,
        _ => DataType::Float64,
    }
}

/// Writes `NAME.parquet` in `folder` from the table at `csv`.
pub fn write(folder: &Path, name: &str, csv: &Path) -> anyhow::Result<()> {
    let mut table = BufReader::new(File::open(csv)?);
    let mut header = String::new();
    table.read_line(&mut header)?;
    table.rewind()?;
    let field = |column: &str| Field::new(column, kind(column), true);
    let schema = Schema::new(header.trim_end().split(',').map(field).collect::<Vec<_>>());
    let nothing = Regex::new("^(NA)?$")?;
    let (pending, mut out) = Pending::create(folder, format!("{name}.parquet"))?;
    let reader = |schema| ReaderBuilder::new(schema).with_null_regex(nothing);
    convert(table, reader, schema, &mut out)
        .with_context(|| format!("cannot write {name}.parquet"))?;
    out.flush()?;
    pending.keep()
}

#[cfg(test)]
mod tests {
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;

    #[test]
    fn tables_read_back_typed() {
        let folder = tempfile::tempdir().unwrap();
        let csv = folder.path().join("table.csv");
        let text = "time,energy,event_type,wattmin,epower\n0.5,1.25,s,95,NA\n2.0,3.5,e,95,95.5\n";
        std::fs::write(&csv, text).unwrap();
        write(folder.path(), "consumed_energy", &csv).unwrap();
        let file = File::open(folder.path().join("consumed_energy.parquet")).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
        let mut back = Vec::new();
        let mut writer = arrow_csv::Writer::new(&mut back);
        for batch in reader {
            writer.write(&batch.unwrap()).unwrap();
        }
        drop(writer);
        let expected =
            "time,energy,event_type,wattmin,epower\n0.5,1.25,s,95.0,\n2.0,3.5,e,95.0,95.5\n";
        assert_eq!(String::from_utf8(back).unwrap(), expected);
    }
}
