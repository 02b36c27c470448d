//! `--policy external`: a decision process that speaks Batsim's protocol over `ZeroMQ`.

use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use batch::kernel::external::{self, Described, Peer, Rules};
use batch::kernel::{Cluster, SimulationError};
use batch::policy::no_option;
use batch::workload::WorkloadError;
use tokio::runtime::Runtime;
use zeromq::{ReqSocket, Socket, SocketOptions, SocketRecv, SocketSend, ZmqMessage};

use super::arguments::{Arguments, Options};
use super::files::{Pending, bad_input, open_unseen};
use super::inputs::Workload;
use super::outputs::Outputs;
use crate::cli::Failure;

/// Options of its own.
const OPTIONS: [&str; 5] = [
    "dynamic_jobs",
    "acknowledge_dynamic_jobs",
    "forward_profiles",
    "ask_waiting_times",
    "forward_unknown_events",
];

/// How a dialogue ends: how long jobs were said to wait, where that was asked.
type Ended = Result<Option<Vec<(String, f64)>>, SimulationError<WorkloadError>>;

/// Plays a workload as the decision process says.
pub fn play(
    arguments: &Arguments,
    options: &Options,
    cluster: Cluster<'_>,
    jobs: &mut Workload,
    outputs: &mut Outputs,
) -> Result<Ended, Failure> {
    let rules = rules(arguments, &options.policy, cluster, jobs)?;
    let (driving, of_trace) = (options.driving, jobs.delays_compute());
    let timeout = Duration::from_secs(arguments.socket_timeout_s.into());
    let mut wire = Wire::connect(&arguments.socket, timeout)?;
    let driven = jobs.map(|job| job.map(|job| driving.of(job, of_trace)));
    let dialogue = match external::play(driven, cluster, &rules, &mut wire, outputs) {
        Ok(dialogue) => dialogue,
        Err(error) => return Ok(Err(error)),
    };
    Ok(Ok(rules.ask_waiting_times.then_some(dialogue.estimated_waiting_times)))
}

/// Writes how long jobs were said to wait, where it was asked and there is a folder.
pub fn keep(told: Option<Vec<(String, f64)>>, folder: Option<&Path>) -> anyhow::Result<()> {
    folder.zip(told).map_or(Ok(()), |(folder, told)| estimates(folder, &told))
}

/// What the options, the workload and the events say.
fn rules(
    arguments: &Arguments,
    options: &[(String, String)],
    cluster: Cluster<'_>,
    jobs: &Workload,
) -> Result<Rules, Failure> {
    let trace = matches!(jobs, Workload::Trace(_));
    let file = arguments.workload.as_path();
    let mut rules =
        Rules { workload: file.display().to_string(), forward_profiles: trace, ..Rules::default() };
    let mut errors = Vec::new();
    for (name, value) in options {
        let flag = match name.as_str() {
            "dynamic_jobs" => &mut rules.dynamic_jobs,
            "acknowledge_dynamic_jobs" => &mut rules.acknowledge_dynamic_jobs,
            "forward_profiles" if !trace => &mut rules.forward_profiles,
            "ask_waiting_times" => &mut rules.ask_waiting_times,
            "forward_unknown_events" => &mut rules.forward_unknown_events,
            "forward_profiles" => {
                errors.push("forward_profiles: a trace's profiles always are".to_owned());
                continue;
            }
            _ => {
                errors.push(no_option(name, "external", &OPTIONS));
                continue;
            }
        };
        match value.parse() {
            Ok(value) => *flag = value,
            Err(_) => errors.push(format!("{name}: {value:?} is not true or false")),
        }
    }
    if !errors.is_empty() {
        return Err(Failure::BadInput(errors));
    }
    if !trace {
        let mut text = Vec::new();
        open_unseen(file)?.read_to_end(&mut text).map_err(|error| bad_input(file, error))?;
        rules.described = Described::read(&text).map_err(|error| bad_input(file, error))?;
    }
    if let Some(file) = &arguments.events {
        let mut text = String::new();
        open_unseen(file)?.read_to_string(&mut text).map_err(|error| bad_input(file, error))?;
        let events = external::read_events(&text, cluster.platform.machines());
        rules.events = events.map_err(|error| bad_input(file, error))?;
    }
    Ok(rules)
}

/// How long jobs were said to wait.
fn estimates(folder: &Path, estimates: &[(String, f64)]) -> anyhow::Result<()> {
    let (pending, file) = Pending::create(folder, "estimated_waiting_times.csv")?;
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(["job_id", "estimated_waiting_time"])?;
    for (job, seconds) in estimates {
        writer.write_record([job, &seconds.to_string()])?;
    }
    let mut file = writer.into_inner().map_err(|error| anyhow::anyhow!("{error}"))?;
    file.flush()?;
    pending.keep()
}

/// A request socket: a message, then its answer.
struct Wire {
    runtime: Runtime,
    socket: ReqSocket,
    timeout: Duration,
}

impl Wire {
    fn connect(endpoint: &str, timeout: Duration) -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut options = SocketOptions::default();
        options.connect_timeout(timeout);
        let mut socket = ReqSocket::with_options(options);
        runtime
            .block_on(socket.connect(endpoint))
            .with_context(|| format!("no decision process listens at --socket {endpoint}"))?;
        Ok(Self { runtime, socket, timeout })
    }
}

impl Peer for Wire {
    fn exchange(&mut self, message: &str) -> io::Result<String> {
        let Self { runtime, socket, timeout } = self;
        let exchange = async {
            socket.send(ZmqMessage::from(message)).await.map_err(io::Error::other)?;
            let answer = socket.recv().await.map_err(io::Error::other)?;
            String::try_from(answer).map_err(io::Error::other)
        };
        let answered = runtime.block_on(async { tokio::time::timeout(*timeout, exchange).await });
        answered.unwrap_or_else(|_| {
            let waited = format!("nothing came for {} s (--socket-timeout-s)", timeout.as_secs());
            Err(io::Error::new(io::ErrorKind::TimedOut, waited))
        })
    }
}
