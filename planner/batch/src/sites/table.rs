//! `jobs.csv` of an experiment with several sites: a row for each task of a client and each job of a site's own users, in
//! the order of submission.
//!
//! Seconds have six decimals. What did not happen, no walltime and unknown energy are -1; an unknown cost or CO2 is empty.

use std::io::{self, Write};

use super::experiment::SitesExperiment;
use super::record::SiteTaskRecord;
use crate::job::JobId;
use crate::kernel::JobEnd;
use crate::machine_ranges;
use crate::output::{quoted, seconds, whole};
use crate::time::Time;

const HEADER: &str = "job_id,client,site,submission_time,queued_time,starting_time,input_end,finish_time,output_end,flow,\
waiting_time,execution_time,requested_number_of_resources,requested_time,success,final_state,allocated_resources,\
consumed_energy,energy_cost,energy_co2_g\n";

/// Writes the table.
///
/// # Errors
/// Those of `out`.
pub fn write_site_jobs(
    mut out: impl Write,
    experiment: &SitesExperiment<'_>,
    records: &[SiteTaskRecord],
) -> io::Result<()> {
    out.write_all(HEADER.as_bytes())?;
    let mut row = Vec::new();
    for record in records {
        row.clear();
        asked(&mut row, experiment, record);
        happened(&mut row, record)?;
        out.write_all(&row)?;
    }
    out.flush()
}

fn asked(row: &mut Vec<u8>, experiment: &SitesExperiment<'_>, record: &SiteTaskRecord) {
    match &record.id {
        JobId::Number(number) => whole(row, *number),
        // A client or site is before the name.
        JobId::Name(name) => quoted(row, name.split_once('!').map_or(&**name, |(_, own)| own)),
    }
    row.push(b',');
    quoted(row, record.client.map_or("", |client| experiment.clients[client].name));
    row.push(b',');
    quoted(row, record.site.map_or("", |site| experiment.sites[site].name));
    row.push(b',');
    seconds(row, record.submitted);
}

fn happened(row: &mut Vec<u8>, record: &SiteTaskRecord) -> io::Result<()> {
    let end = record.end.as_ref();
    let (started, finished) = (end.map(|end| end.started), end.map(|end| end.finished));
    let times = [
        record.queued,
        started,
        record.input_end,
        finished,
        record.output_end,
        record.flow(),
        started.zip(record.queued).map(|(started, queued)| started - queued),
        finished.zip(started).map(|(finished, started)| finished - started),
    ];
    for time in times {
        row.push(b',');
        time_or_none(row, time);
    }
    write!(row, ",{},", record.nodes)?;
    time_or_none(row, record.walltime);
    let success = end.is_some_and(|end| end.end == JobEnd::Success);
    let state = end.map_or("REJECTED", |end| end.end.state());
    write!(row, ",{},{state},", u8::from(success))?;
    if let Some(end) = end {
        machine_ranges::write(row, &end.machines);
    }
    match end.and_then(|end| end.energy) {
        Some(energy) => write!(row, ",{:.6}", energy.as_joules())?,
        None => row.extend_from_slice(b",-1"),
    }
    for value in [end.and_then(|end| end.cost), end.and_then(|end| end.co2_g)] {
        row.push(b',');
        if let Some(value) = value {
            write!(row, "{value:.9}")?;
        }
    }
    row.push(b'\n');
    Ok(())
}

fn time_or_none(row: &mut Vec<u8>, time: Option<Time>) {
    match time {
        Some(time) => seconds(row, time),
        None => row.extend_from_slice(b"-1"),
    }
}
