//! Statements to PostgreSQL are sent at once.
//!
//! By Nagle's algorithm (RFC 896) the last part of what takes several segments waits until the part before it is acknowledged, and a
//! server may take its time for that (RFC 1122, section 4.2.3.2; on Linux 40 ms). sqlx 0.9.0 leaves the algorithm on and
//! keeps its sockets to itself, so they are found among the descriptors of this process, each by a duplicate
//! (`pidfd_getfd`, Linux 5.6). Where the system allows none, statements wait as before; a Unix socket has no such wait.

use std::fs;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use rustix::io;
use rustix::net::getpeername;
use rustix::net::sockopt::set_tcp_nodelay;
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

/// Has all connections of this process to a port of any host send at once.
pub(crate) fn send_at_once(port: u16) -> io::Result<()> {
    let this_process = pidfd_open(getpid(), PidfdFlags::empty())?;
    for entry in fs::read_dir("/proc/self/fd").into_iter().flatten().flatten() {
        let number = entry.file_name().to_str().and_then(|it| it.parse().ok());
        let Some(number) = number else { continue };
        match pidfd_getfd(&this_process, number, PidfdGetfdFlags::empty()) {
            Ok(duplicate) if leads_to(&duplicate, port) => set_tcp_nodelay(&duplicate, true)?,
            // Something else, or closed meanwhile.
            Ok(_) | Err(io::Errno::BADF) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether this is a connection by TCP to this port.
fn leads_to(descriptor: &OwnedFd, port: u16) -> bool {
    let peer = getpeername(descriptor).ok().flatten();
    peer.and_then(|it| SocketAddr::try_from(it).ok()).is_some_and(|it| it.port() == port)
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn connections_to_the_port_send_at_once_and_others_do_not() {
        let [server, other] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let connect = |it: &TcpListener| TcpStream::connect(it.local_addr().unwrap()).unwrap();
        let streams = [connect(&server), connect(&server), connect(&other)];
        match send_at_once(server.local_addr().unwrap().port()) {
            Err(error @ (io::Errno::PERM | io::Errno::NOSYS)) => {
                eprintln!("left out: this system allows no duplicates of descriptors ({error})");
                return;
            }
            sent => sent.unwrap(),
        }
        assert_eq!(streams.map(|it| it.nodelay().unwrap()), [true, true, false]);
    }
}
