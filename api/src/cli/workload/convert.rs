//! `wattbook workload convert`: a workload in another format.

use std::path::{Path, PathBuf};

use batch::job::Job;
use batch::time::Time;
use batch::workload::{JobsDo, JsonWriter, SwfWriter};

use crate::cli::batch::files::Pending;
use crate::cli::batch::inputs::all_jobs;
use crate::cli::{Failure, tell};

/// From which file to which.
#[derive(clap::Args)]
pub struct Arguments {
    /// A trace in the Standard Workload Format or Batsim's JSON, compressed by gzip or not
    file: PathBuf,
    /// The file to write: its name ends in .swf or .json, or these and .gz
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Machines: larger jobs are left out [default: those of the largest job]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    machines: Option<u32>,
    /// What a machine computes: jobs in JSON then compute for their run time, and do not only
    /// occupy machines
    #[arg(long, value_name = "FLOPS", value_parser = super::speed)]
    speed_flops: Option<f64>,
    /// What each machine of a job sends to each other for every second of its run time, in JSON with --speed-flops
    #[arg(long, value_name = "BYTES", value_parser = super::amount, requires = "speed_flops", default_value_t = 0.0)]
    bytes_per_s: f64,
    /// Walltimes are at least so many times the run times: what communicates lasts longer
    #[arg(long, value_name = "FACTOR", value_parser = super::amount)]
    walltime_factor: Option<f64>,
    /// Leave the workload as it is: drop, clip and shift nothing
    #[arg(long)]
    raw: bool,
    /// Keep jobs that share an id as jobs of their own; otherwise they are an error
    #[arg(long)]
    keep_duplicates: bool,
}

/// What is written.
#[derive(Clone, Copy, PartialEq)]
enum Format {
    Swf,
    Json,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    format(&arguments.out)?;
    let (mut read, workload) =
        all_jobs(&arguments.file, arguments.machines, arguments.raw, arguments.keep_duplicates)?;
    if let Some(factor) = arguments.walltime_factor {
        let speed = arguments.speed_flops.unwrap_or(1.0);
        read.jobs.iter_mut().for_each(|job| lengthen(job, factor, speed));
    }
    let jobs = &read.jobs;
    let largest = jobs.iter().map(|job| job.nodes).max().unwrap_or(0);
    let written = Written {
        machines: arguments.machines.unwrap_or(largest),
        header: workload.header(),
        speed_flops: arguments.speed_flops,
        bytes_per_s: arguments.bytes_per_s,
    };
    write(&arguments.out, jobs, &written)
}

/// What is written of a workload beside its jobs.
pub struct Written<'a> {
    pub machines: u32,
    /// A trace's keys and values; those that count are written anew.
    pub header: &'a [(String, String)],
    pub speed_flops: Option<f64>,
    /// What each machine of a job sends to each other for every second of its run time.
    pub bytes_per_s: f64,
}

/// The walltime of a job that has one becomes at least so many times its run time.
fn lengthen(job: &mut Job, factor: f64, speed: f64) {
    let least = Time::from_seconds_f64(job.work.time(speed).as_seconds() * factor);
    job.walltime = job.walltime.map(|walltime| walltime.max(least.unwrap_or(Time::FOREVER)));
}

/// Writes a workload in the format that the name of `out` says.
pub fn write(out: &Path, jobs: &[Job], written: &Written<'_>) -> Result<(), Failure> {
    let format = format(out)?;
    let speed = written.speed_flops.unwrap_or(1.0);
    let name = out.display();
    let (pending, out) = Pending::create_at(out)?;
    match format {
        Format::Swf => {
            let mut writer = SwfWriter::new(out, &header(written, jobs.len()), speed)?;
            jobs.iter().try_for_each(|job| writer.job(job))?;
            writer.finish().finish()?;
        }
        Format::Json => {
            let does = match written.speed_flops {
                Some(_) => JobsDo::Compute { bytes: written.bytes_per_s },
                None => JobsDo::Wait,
            };
            let mut writer = JsonWriter::new(out, written.machines, speed, does)?;
            jobs.iter().try_for_each(|job| writer.job(job))?;
            writer.finish()?.finish()?;
        }
    }
    pending.keep()?;
    tell(format!("wrote {name}: {} jobs", jobs.len()));
    Ok(())
}

fn format(out: &Path) -> Result<Format, Failure> {
    let name = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.') {
        Some((_, "swf")) => Ok(Format::Swf),
        Some((_, "json")) => Ok(Format::Json),
        _ => {
            let error = format!("{name} ends neither in .swf nor in .json, nor in these and .gz");
            Err(Failure::BadInput(vec![error]))
        }
    }
}

/// The header of a trace of so many jobs: what it said of others does not hold any more.
fn header(written: &Written<'_>, jobs: usize) -> Vec<(String, String)> {
    let (jobs, machines) = (jobs.to_string(), written.machines.to_string());
    let counts = [
        ("MaxJobs", &jobs),
        ("MaxRecords", &jobs),
        ("MaxNodes", &machines),
        ("MaxProcs", &machines),
    ];
    let counted = |key: &str| counts.iter().any(|(counted, _)| key.eq_ignore_ascii_case(counted));
    let stays = written.header.iter().filter(|(key, _)| !counted(key)).cloned();
    stays.chain(counts.map(|(key, value)| (key.to_owned(), value.clone()))).collect()
}
