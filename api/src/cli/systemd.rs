//! What systemd gives the service and is told by it: the socket, that it is ready, that it is alive, and that it begins
//! anew by other settings (`sd_notify(3)`, `sd_listen_fds(3)`). Without systemd all of it is nothing.

use std::convert::Infallible;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, bail, ensure};
use listenfd::ListenFd;
use rustix::io::{FdFlags, fcntl_setfd};
use sd_notify::NotifyState;
use tokio_util::sync::CancellationToken;

/// The socket that systemd opened for the service, which outlasts the service; `None` where it opened none.
///
/// # Errors
/// There are several, or it is none of TCP.
pub fn socket() -> anyhow::Result<Option<TcpListener>> {
    let mut given = ListenFd::from_env();
    ensure!(given.len() <= 1, "systemd opened {} sockets; one is served", given.len());
    let socket = given.take_tcp_listener(0).context("systemd's socket must be a stream of TCP")?;
    if let Some(socket) = &socket {
        // No program that the service runs needs it.
        fcntl_setfd(socket, FdFlags::CLOEXEC)?;
        socket.set_nonblocking(true)?;
    }
    Ok(socket)
}

/// Says that it serves, and from now on that it is alive, as often as systemd wants to know.
pub fn is_ready(address: std::net::SocketAddr, stop: CancellationToken) {
    let status = format!("listening on http://{address}");
    tell(&[NotifyState::Ready, NotifyState::Status(&status)]);
    let Some(longest) = sd_notify::watchdog_enabled() else { return };
    tokio::spawn(stop.run_until_cancelled_owned(async move {
        let mut turn = tokio::time::interval(longest / 3);
        loop {
            turn.tick().await;
            tell(&[NotifyState::Watchdog]);
        }
    }));
}

/// Says that it stops.
pub fn stops() {
    tell(&[NotifyState::Stopping]);
}

/// Says that it begins anew.
pub fn reloads() {
    let Ok(now) = NotifyState::monotonic_usec_now() else { return };
    tell(&[NotifyState::Reloading, now]);
}

/// Begins anew in this process, by the program and the arguments that it was begun with. The socket stays open: who connects
/// meanwhile waits.
pub fn begin_anew(socket: Option<&TcpListener>) -> anyhow::Result<Infallible> {
    let mut arguments = std::env::args_os();
    let Some(program) = arguments.next() else {
        bail!("it is not known by which program it was begun")
    };
    let mut command = Command::new(&program);
    command.args(arguments);
    if let Some(socket) = socket {
        fcntl_setfd(socket, FdFlags::empty())?;
        command.env("LISTEN_FDS", "1").env("LISTEN_PID", std::process::id().to_string());
    }
    Err(command.exec()).with_context(|| format!("cannot begin {} anew", program.display()))
}

fn tell(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::debug!(%error, "systemd cannot be told");
    }
}
