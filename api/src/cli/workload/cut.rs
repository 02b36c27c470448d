//! `wattbook workload cut`: a piece of a trace, its lines as they stand.

use std::io::Write;
use std::path::PathBuf;

use swf::{Field, Reader};

use crate::cli::batch::files::{Pending, bad_input, open};
use crate::cli::{Failure, tell};

/// Which piece of which file.
#[derive(clap::Args)]
pub struct Arguments {
    /// A trace in the Standard Workload Format, compressed by gzip or not
    file: PathBuf,
    /// Jobs submitted from this time on, seconds as the trace counts them (its field 2), not from its first
    /// job
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    from_s: Option<f64>,
    /// Jobs submitted before this time, seconds as the trace counts them
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    to_s: Option<f64>,
    /// The most jobs to write
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    jobs: Option<u64>,
    /// The file to write; compressed where its name ends in .gz
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let from_s = arguments.from_s.unwrap_or(f64::NEG_INFINITY);
    let to_s = arguments.to_s.unwrap_or(f64::INFINITY);
    let most = arguments.jobs.unwrap_or(u64::MAX);
    let mut reader = Reader::new(open(&arguments.file)?);
    let (pending, mut out) = Pending::create_at(&arguments.out)?;
    let (mut written, mut header) = (0, 0);
    let mut all: Option<(f64, f64)> = None;
    while written < most {
        let record = reader.next_record().map_err(|error| bad_input(&arguments.file, error))?;
        for (key, value) in &reader.header().entries()[header..] {
            writeln!(out, "; {key}: {value}")?;
        }
        header = reader.header().entries().len();
        let Some(record) = record else { break };
        let submitted_s = record.value(Field::SubmitS);
        let (first_s, last_s) = all.unwrap_or((submitted_s, submitted_s));
        all = Some((first_s.min(submitted_s), last_s.max(submitted_s)));
        if (from_s..to_s).contains(&submitted_s) {
            out.write_all(reader.text())?;
            out.write_all(b"\n")?;
            written += 1;
        }
    }
    let Some((first_s, last_s)) = all else {
        return Err(bad_input(&arguments.file, "there is no job in it"));
    };
    if written == 0 {
        let what = format!(
            "no job was submitted then: its jobs were from {first_s} s to {last_s} s of the trace"
        );
        return Err(bad_input(&arguments.file, what));
    }
    out.finish()?;
    pending.keep()?;
    tell(format!("wrote {}: {written} jobs", arguments.out.display()));
    Ok(())
}
