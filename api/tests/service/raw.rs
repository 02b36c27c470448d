//! Clients that speak HTTP byte by byte, from a loopback address of their choice.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::server::{PATIENCE, Server};

/// A connection.
pub struct Raw(TcpStream);

impl Raw {
    /// Connects from an address such as 127.0.0.2.
    pub async fn from(address: &str, server: &Server) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(format!("{address}:0").parse::<SocketAddr>().unwrap()).unwrap();
        let target = server.address.parse().unwrap();
        let connecting = tokio::time::timeout(PATIENCE, socket.connect(target));
        Self(connecting.await.unwrap().unwrap())
    }

    /// Sends what it can: the other end may have closed.
    pub async fn send(&mut self, text: impl AsRef<[u8]>) -> bool {
        self.0.write_all(text.as_ref()).await.is_ok()
    }

    /// The head of a request, with more header lines.
    pub async fn request(&mut self, method: &str, path: &str, headers: &[&str]) -> bool {
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n");
        for line in headers {
            head.push_str(line);
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        self.send(head).await
    }

    /// Reads until some text has come, or the end; what came.
    pub async fn read_until(&mut self, wanted: &str) -> String {
        let mut text = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let read = tokio::time::timeout(PATIENCE, self.0.read(&mut buffer));
            let count = read.await.expect("neither bytes nor an end").unwrap_or(0);
            text.extend_from_slice(&buffer[..count]);
            let so_far = String::from_utf8_lossy(&text);
            if count == 0 || so_far.contains(wanted) {
                return so_far.into_owned();
            }
        }
    }

    /// The status of the answer to a request; 0 where the connection was closed instead.
    pub async fn status(&mut self) -> u16 {
        let head = self.read_until("\r\n\r\n").await;
        head.split(' ').nth(1).map_or(0, |status| status.parse().unwrap())
    }

    /// Asks whether the service lives, and hears the whole answer.
    pub async fn is_answered(&mut self) -> bool {
        self.request("GET", "/health/live", &[]).await
            && self.read_until("live\"}").await.contains(" 200 ")
    }

    /// What a request is refused with.
    pub async fn refusal(&mut self) -> String {
        self.request("GET", "/health/live", &[]).await;
        self.read_until("no text has this").await
    }

    /// Waits for the end of the connection; how long that took.
    pub async fn end(&mut self) -> Duration {
        let began = tokio::time::Instant::now();
        self.read_until("no text has this").await;
        began.elapsed()
    }

    /// Whether it is open still and nothing has come.
    pub async fn is_quiet(&mut self) -> bool {
        let mut byte = [0];
        tokio::time::timeout(Duration::from_millis(100), self.0.read(&mut byte)).await.is_err()
    }
}
