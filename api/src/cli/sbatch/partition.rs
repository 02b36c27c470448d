//! What Slurm says of the partition that a job is for, where the job's options leave something to it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::cli::booking::time::slurm_seconds;

/// A partition of Slurm.
#[derive(Debug, PartialEq, Eq)]
pub struct Partition {
    /// Its name.
    pub name: String,
    /// The time limit of jobs that have none of their own, seconds.
    pub default_limit_s: Option<i64>,
    /// The fewest processors that one of its nodes has.
    pub cpus: Option<u32>,
}

impl Partition {
    /// Asks sinfo for the partition of this name, or for the one that jobs are for unless they name one.
    ///
    /// # Errors
    /// sinfo cannot be run or fails, or knows no such partition.
    pub fn ask(sinfo: &Path, name: Option<&str>) -> anyhow::Result<Self> {
        let output = Command::new(sinfo)
            .args(["--noheader", "--format=%P|%L|%c"])
            .output()
            .with_context(|| format!("cannot run {}", sinfo.display()))?;
        let told = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{} failed: {}", sinfo.display(), told.trim());
        let found = find(&String::from_utf8_lossy(&output.stdout), name);
        found.with_context(|| match name {
            Some(name) => format!("Slurm has no partition {name}"),
            None => "Slurm has no partition that jobs are for by default".to_owned(),
        })
    }
}

/// The partition in lines such as `batch*|1:00:00|16+`; the star marks the one by default.
fn find(lines: &str, wanted: Option<&str>) -> Option<Partition> {
    let mut found: Option<Partition> = None;
    for line in lines.lines() {
        let mut fields = line.split('|').map(str::trim);
        let (Some(name), Some(limit), Some(cpus)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let plain = name.trim_end_matches('*');
        if wanted.map_or_else(|| !name.ends_with('*'), |wanted| wanted != plain) {
            continue;
        }
        let cpus: Option<u32> = cpus.trim_end_matches('+').parse().ok();
        // Nodes of several kinds stand in several lines.
        let fewest = match found.and_then(|it| it.cpus) {
            Some(fewest) => cpus.map(|cpus| cpus.min(fewest)).or(Some(fewest)),
            None => cpus,
        };
        let default_limit_s = slurm_seconds(limit).filter(|it| *it > 0);
        found = Some(Partition { name: plain.to_owned(), default_limit_s, cpus: fewest });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_partition_has_a_star() {
        let lines = "debug|n/a|8\nbatch*|1:00:00|64+\nbatch*|1:00:00|16\n";
        let batch =
            Partition { name: "batch".to_owned(), default_limit_s: Some(3600), cpus: Some(16) };
        assert_eq!(find(lines, None).as_ref(), Some(&batch));
        assert_eq!(find(lines, Some("batch")), Some(batch));
        let debug = Partition { name: "debug".to_owned(), default_limit_s: None, cpus: Some(8) };
        assert_eq!(find(lines, Some("debug")), Some(debug));
        assert_eq!(find(lines, Some("gpu")), None);
        assert_eq!(find("debug|30:00|8\n", None), None);
    }
}
