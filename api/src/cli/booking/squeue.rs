//! `wattbook squeue`: bookings and the jobs that Slurm runs in them, side by side.

use clap::Args;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use jiff::Timestamp;
use serde::Deserialize;

use super::answers::{
    JobAnswer, NodeSecondsAnswer, ReservationAnswer, local, local_text, now, text,
};
use super::server::{Connection, Server};
use super::{Format, Output, newest, read};
use crate::cli::{Failure, print, tell};

/// How much of an id is shown at the least.
const ID_LENGTH: usize = 8;

/// Arguments of `wattbook squeue`.
#[derive(Args)]
pub struct Squeue {
    /// Reservations in these states
    #[arg(long, default_value = "proposed,confirmed,active")]
    state: String,
    /// Only this owner's; for operators, and for people who may see others' reservations, of their projects or shared with them
    #[arg(long)]
    owner: Option<String>,
    /// The most reservations to list; the newest are listed
    #[arg(long, default_value_t = 100, value_name = "COUNT")]
    limit: usize,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

/// Lists reservations with their jobs, the newest first.
pub fn squeue(arguments: &Squeue) -> Result<(), Failure> {
    let mut query = vec![("state", arguments.state.clone())];
    query.extend(arguments.owner.clone().map(|owner| ("owner", owner)));
    crate::cli::block_on(async {
        let server = arguments.connection.open()?;
        let (items, more) = newest(&server, &query, arguments.limit).await?;
        let all: Vec<ReservationAnswer> = items.iter().map(read).collect::<Result<_, _>>()?;
        let now = now()?.timestamp();
        match arguments.output.format {
            Format::Json => print(serde_json::to_string_pretty(&items)?)?,
            Format::Csv => print(csv(&with_all_jobs(&server, all).await?, now)?)?,
            Format::Table => {
                print(table(&all, now))?;
                for (it, slurm) in all.iter().filter_map(|it| Some((it, it.slurm.as_ref()?))) {
                    if let Some(because) = &slurm.because {
                        tell(format_args!("{}: {}", it.id, local_text(because)));
                    }
                    let (shown, count) = (slurm.jobs.len(), slurm.jobs_count);
                    if count > shown {
                        tell(format_args!("{}: the newest {shown} of {count} jobs", it.id));
                    }
                }
            }
        }
        if more {
            tell(format_args!("These are the newest {}; --limit shows more.", items.len()));
        }
        Ok(())
    })
}

/// A page of jobs.
#[derive(Deserialize)]
struct JobsAnswer {
    items: Vec<JobAnswer>,
    next_cursor: Option<String>,
}

/// Reservations with all of their jobs: lists of reservations have the newest alone.
async fn with_all_jobs(
    server: &Server,
    mut all: Vec<ReservationAnswer>,
) -> Result<Vec<ReservationAnswer>, Failure> {
    for it in &mut all {
        let Some(slurm) = it.slurm.as_mut().filter(|it| it.jobs_count > it.jobs.len()) else {
            continue;
        };
        slurm.jobs.clear();
        let mut query = vec![("limit", "1000".to_owned())];
        loop {
            let path = format!("reservations/{}/jobs", it.id);
            let page: JobsAnswer = server.get_with(&path, &query).await?;
            slurm.jobs.extend(page.items);
            let Some(cursor) = page.next_cursor else { break };
            query.truncate(1);
            query.push(("cursor", cursor));
        }
    }
    Ok(all)
}

/// A row for each job, and for each reservation without one; what belongs to the reservation stands once.
fn table(all: &[ReservationAnswer], now: Timestamp) -> Table {
    let mut table = Table::new();
    let head = [
        "ID",
        "OWNER",
        "STATE",
        "SLURM",
        "START",
        "END",
        "NODES",
        "USED",
        "JOB",
        "USER",
        "JOB STATE",
        "ELAPSED",
    ];
    table.load_style(NOTHING).set_header(head);
    let length = id_length(all);
    for it in all {
        let chosen = it.chosen();
        let booking = [
            it.id.get(..length).unwrap_or(&it.id).to_owned(),
            it.owner.clone(),
            it.state.clone(),
            it.slurm.as_ref().map_or_else(String::new, |slurm| slurm.state.clone()),
            chosen.map_or_else(String::new, |offer| local(&offer.start)),
            chosen.map_or_else(String::new, |offer| local(&offer.end)),
            chosen.map_or_else(String::new, |offer| offer.node_count.to_string()),
            it.slurm
                .as_ref()
                .and_then(|slurm| slurm.node_seconds.as_ref())
                .map_or_else(String::new, used),
        ];
        let jobs = it.slurm.as_ref().map_or(&[][..], |slurm| &slurm.jobs);
        if jobs.is_empty() {
            table.add_row(booking.iter().cloned().chain(["", "", "", ""].map(str::to_owned)));
        }
        for (index, job) in jobs.iter().enumerate() {
            let booking = if index == 0 { booking.clone() } else { Default::default() };
            let elapsed = elapsed_s(job, now).map_or_else(String::new, length_of_time);
            let job = [job.id.clone(), job.user.clone(), job.state.clone(), elapsed];
            table.add_row(booking.into_iter().chain(job));
        }
    }
    table
}

/// Node-hours that were used, of those that are reserved: `3.1 of 8 h`.
fn used(node_seconds: &NodeSecondsAnswer) -> String {
    let hours = |seconds: i64| (seconds as f64 / 360.0).round() / 10.0;
    format!("{} of {} h", hours(node_seconds.used), hours(node_seconds.reserved))
}

/// As much of the ids as tells those that are listed from each other.
fn id_length(all: &[ReservationAnswer]) -> usize {
    let mut ids: Vec<&str> = all.iter().map(|it| it.id.as_str()).collect();
    ids.sort_unstable();
    let alike = |pair: &[&str]| {
        pair[0].bytes().zip(pair[1].bytes()).take_while(|(one, other)| one == other).count()
    };
    ids.windows(2).map(|pair| alike(pair) + 1).max().unwrap_or(0).max(ID_LENGTH)
}

fn csv(all: &[ReservationAnswer], now: Timestamp) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "id",
        "owner",
        "state",
        "slurm_reservation",
        "slurm_state",
        "slurm_because",
        "start",
        "end",
        "node_count",
        "reserved_node_s",
        "used_node_s",
        "job",
        "user",
        "account",
        "job_state",
        "job_start",
        "job_end",
        "job_nodes",
        "elapsed_s",
        "energy_j",
    ])?;
    for it in all {
        let (chosen, slurm) = (it.chosen(), it.slurm.as_ref());
        let node_s = slurm.and_then(|slurm| slurm.node_seconds.as_ref());
        let booking = [
            it.id.clone(),
            it.owner.clone(),
            it.state.clone(),
            slurm.map_or_else(String::new, |slurm| slurm.reservation.clone()),
            slurm.map_or_else(String::new, |slurm| slurm.state.clone()),
            slurm.and_then(|slurm| slurm.because.clone()).unwrap_or_default(),
            chosen.map_or_else(String::new, |offer| offer.start.clone()),
            chosen.map_or_else(String::new, |offer| offer.end.clone()),
            chosen.map_or_else(String::new, |offer| offer.node_count.to_string()),
            node_s.map_or_else(String::new, |it| it.reserved.to_string()),
            node_s.map_or_else(String::new, |it| it.used.to_string()),
        ];
        let jobs = slurm.map_or(&[][..], |slurm| &slurm.jobs);
        if jobs.is_empty() {
            writer.write_record(booking.iter().map(String::as_str).chain([""; 9]))?;
        }
        for job in jobs {
            let job = [
                job.id.clone(),
                job.user.clone(),
                job.account.clone(),
                job.state.clone(),
                job.start.clone().unwrap_or_default(),
                job.end.clone().unwrap_or_default(),
                job.nodes.clone(),
                elapsed_s(job, now).map_or_else(String::new, |it| it.to_string()),
                job.energy_j.map_or_else(String::new, |it| it.to_string()),
            ];
            writer.write_record(booking.iter().chain(&job))?;
        }
    }
    text(writer)
}

/// How long a job has run, seconds. While it runs, its end lies ahead.
fn elapsed_s(job: &JobAnswer, now: Timestamp) -> Option<i64> {
    let at = |text: &Option<String>| text.as_deref()?.parse::<Timestamp>().ok();
    let end = at(&job.end).map_or(now, |end| end.min(now));
    Some(end.as_second() - at(&job.start)?.as_second()).filter(|it| *it >= 0)
}

/// As Slurm writes it: `1:02:03` or `2-01:02:03`.
fn length_of_time(seconds: i64) -> String {
    let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
    let rest = format!("{:02}:{:02}", seconds / 60 % 60, seconds % 60);
    if days > 0 { format!("{days}-{hours:02}:{rest}") } else { format!("{hours}:{rest}") }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn reservation(id: &str, slurm: &Value) -> ReservationAnswer {
        let it = json!({
            "id": id, "owner": "ada", "state": "active", "degraded": false,
            "expires_at": "2026-11-22T12:00:00Z", "chosen_offer_id": null, "offers": [], "slurm": slurm,
        });
        read(&it).unwrap()
    }

    fn slurm() -> Value {
        let job = |id: &str, state: &str, start: Value, end: Value| {
            json!({ "id": id, "user": "ada", "account": "", "state": state, "start": start, "end": end,
                    "nodes": "n[1-2]", "energy_j": null })
        };
        json!({
            "reservation": "wattbook-x", "state": "in_force", "because": null,
            "jobs": [
                job("7", "RUNNING", json!("2026-11-22T12:00:00Z"), json!("2026-11-22T14:00:00Z")),
                job("8", "COMPLETED", json!("2026-11-22T12:00:00Z"), json!("2026-11-22T12:00:05Z")),
                job("9", "PENDING", Value::Null, Value::Null),
            ],
            "node_seconds": { "reserved": 28_800, "used": 11_130 }, // 3.09 h
        })
    }

    /// At 13:01:01 the job that began at 12:00 has run an hour, a minute and a second; the other one ran 5 s.
    #[test]
    fn each_job_is_a_row_and_its_booking_stands_once() {
        let all = [
            reservation("019ab3c4-0f00-7abc-8def-0123456789ab", &slurm()),
            reservation("019ab3c4-0f01-7abc-8def-0123456789ab", &Value::Null),
        ];
        let now = "2026-11-22T13:01:01Z".parse().unwrap();
        let shown = table(&all, now).to_string();
        let rows: Vec<Vec<&str>> =
            shown.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(
            rows[1],
            [
                "019ab3c4-0f00",
                "ada",
                "active",
                "in_force",
                "3.1",
                "of",
                "8",
                "h",
                "7",
                "ada",
                "RUNNING",
                "1:01:01"
            ]
        );
        assert_eq!(rows[2], ["8", "ada", "COMPLETED", "0:00:05"]);
        assert_eq!(rows[3], ["9", "ada", "PENDING"]);
        assert_eq!(rows[4], ["019ab3c4-0f01", "ada", "active"]);
        let csv = csv(&all, now).unwrap();
        let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), 5);
        assert_eq!(rows[2][9..13], ["28800", "11130", "8", "ada"]);
        assert_eq!((rows[1][18], rows[2][18], rows[3][18], rows[4][11]), ("3661", "5", "", ""));
    }

    #[test]
    fn lengths_are_written_as_slurm_writes_them() {
        assert_eq!(length_of_time(0), "0:00:00");
        assert_eq!(length_of_time(2 * 86_400 + 3723), "2-01:02:03");
    }
}
