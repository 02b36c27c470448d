//! A server on a socket, and what it was asked.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use slurm::{Slurm, SlurmSettings, Token, TokenSource};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// A status and a body.
    Answer(u16, Vec<u8>),
    /// The beginning of an answer of so many bytes; then the connection is closed.
    Cut(usize, Vec<u8>),
    /// Nothing, for ever.
    Silence,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    /// Path and query.
    pub target: String,
    /// All header lines, as they are written.
    pub head: String,
    pub body: String,
}

type Requests = Arc<Mutex<Vec<Request>>>;

/// A server that answers until it is dropped with its runtime.
pub struct Server {
    address: String,
    requests: Requests,
}

/// What a real Slurm of this version answered.
pub fn recorded(version: &str, name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let file = folder.join(version).join(format!("{name}.json"));
    std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// A success with what a real Slurm answered.
pub fn ok(version: &str, name: &str) -> Reply {
    Reply::Answer(200, recorded(version, name))
}

impl Server {
    /// Answers each request with what `reply` says.
    pub async fn new(reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Requests::default();
        let (reply, seen) = (Arc::new(reply), Arc::clone(&requests));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (reply, seen) = (Arc::clone(&reply), Arc::clone(&seen));
                tokio::spawn(async move { serve(stream, &*reply, &seen).await });
            }
        });
        Self { address, requests }
    }

    /// One that speaks as this version does, and answers the rest with what `reply` says.
    pub async fn of(
        version: &'static str,
        reply: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::new(move |request| match request.target.as_str() {
            "/openapi/v3" => ok(version, "openapi"),
            target if target.ends_with("/diag") => ok(version, "diag"),
            _ => reply(request),
        })
        .await
    }

    pub fn settings(&self) -> SlurmSettings {
        SlurmSettings {
            rest: Some(self.address.parse().unwrap()),
            user: "root".to_owned(),
            token: TokenSource::Fixed(Token::new("a-token").unwrap()),
            scontrol: None,
            slurm_conf: None,
            timeout: Duration::from_secs(20),
            accounting: true,
        }
    }

    pub fn slurm(&self) -> Slurm {
        Slurm::new(self.settings()).unwrap()
    }

    /// What it was asked so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The paths and queries that it was asked, without those that find out the version.
    pub fn asked(&self) -> Vec<String> {
        let finding_out = |it: &Request| it.target == "/openapi/v3" || it.target.ends_with("/diag");
        let asked = self.requests().into_iter().filter(|it| !finding_out(it));
        asked.map(|it| format!("{} {}", it.method, it.target)).collect()
    }
}

/// Reads one request and answers it; connections are not used again.
async fn serve(
    mut stream: TcpStream,
    reply: &(impl Fn(&Request) -> Reply + ?Sized),
    seen: &Requests,
) {
    let Some(request) = read(&mut stream).await else { return };
    let reply = reply(&request);
    seen.lock().unwrap().push(request);
    let (status, length, body) = match reply {
        Reply::Answer(status, body) => (status, body.len(), body),
        Reply::Cut(length, body) => (200, length, body),
        Reply::Silence => return std::future::pending().await,
    };
    let elsewhere = if (300..400).contains(&status) { "Location: /elsewhere\r\n" } else { "" };
    let head = format!(
        "HTTP/1.1 {status} As told\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         {elsewhere}Connection: close\r\n\r\n"
    );
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.write_all(&body).await;
    let _ = stream.shutdown().await;
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|it| it == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).ok()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    while bytes.len() < head_end + 4 + length.unwrap_or(0) {
        stream.read_buf(&mut bytes).await.ok()?;
    }
    let body = String::from_utf8(bytes[head_end + 4..].to_vec()).ok()?;
    let mut first = head.lines().next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    Some(Request { method, target, head, body })
}
