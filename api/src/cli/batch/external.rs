//! `--policy external`: a decision process that speaks Batsim's protocol over `ZeroMQ`.

use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use batch::kernel::external::{self, Described, Peer, Rules};
use batch::platform::Platform;
use batch::simulation::external_rules;
use batch::workload::Workload;
use tokio::runtime::Runtime;
use zeromq::{ReqSocket, Socket, SocketOptions, SocketRecv, SocketSend, ZmqMessage};

use super::arguments::Arguments;
use super::files::{Pending, bad_input, open_unseen};
use crate::cli::Failure;

/// A decision process and what it is told at the beginning.
pub struct External {
    pub rules: Rules,
    pub wire: Wire,
}

impl External {
    /// The decision process that the arguments name; `options` are its own.
    pub fn of(
        arguments: &Arguments,
        options: &[(String, String)],
        jobs: &Workload,
        platform: &Platform,
    ) -> Result<Self, Failure> {
        let rules = rules(arguments, options, jobs, platform)?;
        let timeout = Duration::from_secs(arguments.socket_timeout_s.into());
        Ok(Self { rules, wire: Wire::to(&arguments.socket, timeout)? })
    }
}

/// Writes how long jobs were said to wait, where it was asked and there is a folder.
pub fn keep(told: Option<&[(String, f64)]>, folder: Option<&Path>) -> anyhow::Result<()> {
    folder.zip(told).map_or(Ok(()), |(folder, told)| estimates(folder, told))
}

/// What the options, the workload and the events say.
fn rules(
    arguments: &Arguments,
    options: &[(String, String)],
    jobs: &Workload,
    platform: &Platform,
) -> Result<Rules, Failure> {
    let trace = matches!(jobs, Workload::Trace(_));
    let file = arguments.workload.as_path();
    let rules = external_rules(file.display().to_string(), trace, options);
    let mut rules = rules.map_err(Failure::BadInput)?;
    if !trace {
        let mut text = Vec::new();
        open_unseen(file)?.read_to_end(&mut text).map_err(|error| bad_input(file, error))?;
        rules.described = Described::read(&text).map_err(|error| bad_input(file, error))?;
    }
    if let Some(file) = &arguments.events {
        let mut text = String::new();
        open_unseen(file)?.read_to_string(&mut text).map_err(|error| bad_input(file, error))?;
        let events = external::read_events(&text, platform.machines());
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
pub struct Wire {
    runtime: Runtime,
    endpoint: String,
    timeout: Duration,
    /// None before the first message.
    socket: Option<ReqSocket>,
}

impl Wire {
    fn to(endpoint: &str, timeout: Duration) -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self { runtime, endpoint: endpoint.to_owned(), timeout, socket: None })
    }
}

async fn connected(endpoint: &str, timeout: Duration) -> io::Result<ReqSocket> {
    let mut options = SocketOptions::default();
    options.connect_timeout(timeout);
    let mut socket = ReqSocket::with_options(options);
    match socket.connect(endpoint).await {
        Ok(()) => Ok(socket),
        Err(error) => {
            let what = format!("no decision process listens at --socket {endpoint}: {error}");
            Err(io::Error::new(io::ErrorKind::NotConnected, what))
        }
    }
}

impl Peer for Wire {
    fn exchange(&mut self, message: &str) -> io::Result<String> {
        let Self { runtime, endpoint, timeout, socket } = self;
        let socket = match socket {
            Some(socket) => socket,
            None => socket.insert(runtime.block_on(connected(endpoint, *timeout))?),
        };
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
