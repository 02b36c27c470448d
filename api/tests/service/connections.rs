//! Connections: slow, idle, too many, and those that may last.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::cluster::{furnish, nodes};
use crate::metrics::assert_told;
use crate::raw::Raw;
use crate::server::{PATIENCE, Server};
use crate::site::Site;

/// A service with these limits.
async fn serve(site: &Site, limits: &str) -> Server {
    let settings = format!("[limits]\n{limits}\n");
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    site.serve_with(&["--config", "wattbook.toml"]).await
}

/// The same command with no more descriptors than that.
fn with_descriptors(command: &Command, most: u32) -> Command {
    let mut limited = Command::new("sh");
    limited.arg("-c").arg(format!("ulimit -n {most}; exec \"$0\" \"$@\""));
    limited.arg(command.get_program()).args(command.get_args());
    limited.current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    limited
}

async fn half_sent(address: &str, server: &Server) -> Raw {
    let mut raw = Raw::from(address, server).await;
    raw.send("GET /api/v1/site HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Wait: ").await;
    raw
}

async fn answered_soon(address: &str, server: &Server) {
    let began = Instant::now();
    let mut raw = Raw::from(address, server).await;
    assert!(raw.is_answered().await, "from {address}");
    // It takes milliseconds; a loaded machine may take longer.
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[tokio::test]
async fn requests_that_are_half_sent_shut_nobody_out() {
    let site = Site::sqlite();
    // Nobody is cut off for slowness here.
    let limits = "[limits]\nheader_s = 600\nidle_s = 600\n";
    std::fs::write(site.folder().join("wattbook.toml"), limits).unwrap();
    let command = site.command(&["serve", "--listen", "127.0.0.1:0", "--config", "wattbook.toml"]);
    let server = Server::start(with_descriptors(&command, 256)).await;
    assert!(server.log().contains("descriptors=256 connections=192"), "{}", server.log());
    let mut attackers = Vec::new();
    for _ in 0..400 {
        attackers.push(half_sent("127.0.0.2", &server).await);
    }
    answered_soon("127.0.0.1", &server).await;
    answered_soon("127.0.0.2", &server).await;
    let mut open = 0;
    for attacker in &mut attackers {
        if attacker.is_quiet().await {
            open += 1;
        }
    }
    assert!((100..=200).contains(&open), "{open} are open; the oldest made room");
    server.signal("TERM");
    assert!(server.wait().0.success());
}

#[tokio::test]
async fn who_is_slow_or_idle_is_cut_off() {
    let site = Site::sqlite();
    let server = serve(&site, "header_s = 1\nidle_s = 2\n").await;
    let second = Duration::from_millis(900);
    let mut slow = half_sent("127.0.0.1", &server).await;
    assert!(slow.end().await >= second);
    let mut silent = Raw::from("127.0.0.1", &server).await;
    assert!(silent.end().await >= 2 * second);
    let mut idle = Raw::from("127.0.0.1", &server).await;
    for _ in 0..3 {
        assert!(idle.is_answered().await);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(idle.end().await >= second);
    let mut trickle = half_sent("127.0.0.1", &server).await;
    let began = Instant::now();
    while trickle.send("x").await {
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(began.elapsed() < PATIENCE, "a byte at a time, for ever");
    }
}

#[tokio::test]
async fn streams_outlast_every_limit_of_time() {
    let site = Site::sqlite();
    let limits = "header_s = 1\nidle_s = 1\nanswer_idle_s = 1\nbody_s = 1\nbody_idle_s = 1";
    let server = serve(&site, limits).await;
    let mut stream = Raw::from("127.0.0.1", &server).await;
    stream.request("GET", "/api/v1/events", &[]).await;
    assert!(stream.read_until("stream.opened").await.contains("stream.opened"));
    tokio::time::sleep(Duration::from_secs(4)).await;
    server.client().put("/api/v1/nodes", &nodes(1)).await.ok(200);
    assert!(stream.read_until("nodes.replaced").await.contains("nodes.replaced"));
}

#[tokio::test]
async fn bodies_have_a_time_in_all_and_between_parts() {
    let site = Site::sqlite();
    let server = serve(&site, "body_s = 3\nbody_idle_s = 1").await;
    let headers = ["Content-Type: application/json", "Content-Length: 1000"];
    let mut stopped = Raw::from("127.0.0.1", &server).await;
    stopped.request("POST", "/api/v1/quotes", &headers).await;
    stopped.send("{").await;
    let answer = stopped.read_until("\"}").await;
    assert!(answer.contains(" 408 ") && answer.contains("request_timeout"), "{answer}");
    let mut trickle = Raw::from("127.0.0.1", &server).await;
    trickle.request("POST", "/api/v1/quotes", &headers).await;
    let began = Instant::now();
    while trickle.is_quiet().await {
        trickle.send(" ").await;
        assert!(began.elapsed() < PATIENCE, "a byte at a time, for ever");
    }
    assert!(began.elapsed() >= Duration::from_millis(2500));
}

/// The head of a simulation of 31 MiB.
const LARGE: [&str; 2] = ["Content-Type: application/json", "Content-Length: 32505856"];

#[tokio::test]
async fn bodies_that_are_being_read_take_a_bounded_room() {
    let site = Site::sqlite();
    let server = serve(&site, "body_bytes = 8388608").await;
    let hours = furnish(&server.client(), 2, None).await;
    let before = server.memory_kb();
    let part = vec![b' '; 6 << 20];
    let mut senders = Vec::new();
    for _ in 0..24 {
        let mut raw = Raw::from("127.0.0.1", &server).await;
        raw.request("POST", "/api/v1/simulations", &LARGE).await;
        // Who is refused is cut off.
        let sending = tokio::time::timeout(Duration::from_secs(2), raw.send(&part)).await;
        drop(sending);
        senders.push(raw);
    }
    let grown = server.memory_kb().saturating_sub(before);
    assert!(grown < 48 << 10, "144 MiB were sent, 8 MiB may be read, {grown} kB more are taken");
    let began = Instant::now();
    let mut refused = 0;
    while refused < 20 {
        assert!(began.elapsed() < PATIENCE, "{refused} refused");
        refused = 0;
        for raw in &mut senders {
            refused += u32::from(!raw.is_quiet().await);
        }
    }
    let quote = server.client().post("/api/v1/quotes", &hours.request(1, 0, 2)).await;
    assert_eq!(quote.ok(200)["decision"], "optimum");
    drop(senders);
    let body = json!({ "name": " ".repeat(2 << 20) });
    let began = Instant::now();
    while server.client().post("/api/v1/simulations", &body).await.status == 503 {
        assert!(began.elapsed() < PATIENCE, "room is not given back");
    }
}

#[tokio::test]
async fn one_user_has_a_part_of_the_room_and_strangers_have_none() {
    let site = Site::sqlite();
    let (ada, bob) = (site.token("ada", "user"), site.token("bob", "user"));
    let olga = site.token("olga", "operator");
    let server = serve(&site, "body_bytes_per_user = 2097152").await;
    let mut stranger = Raw::from("127.0.0.1", &server).await;
    stranger.request("POST", "/api/v1/simulations", &LARGE).await;
    assert_eq!(stranger.status().await, 401, "before any of the body");
    let part = vec![b' '; 1_500_000];
    let (ada_says, bob_says) =
        (format!("Authorization: Bearer {ada}"), format!("Authorization: Bearer {bob}"));
    let mut answers = Vec::new();
    for says in [&ada_says, &ada_says, &bob_says] {
        let mut raw = Raw::from("127.0.0.1", &server).await;
        raw.request("POST", "/api/v1/simulations", &[LARGE[0], LARGE[1], says]).await;
        raw.send(&part).await;
        answers.push(raw);
    }
    // Which of ada's two is refused is chance where their parts come in turn.
    let [first, second, of_bob] = &mut answers[..] else { panic!("three bodies") };
    let (refused, kept) = tokio::select! {
        text = first.read_until("too_many_bytes") => (text, second),
        text = second.read_until("too_many_bytes") => (text, first),
    };
    assert!(refused.contains(" 429 ") && refused.contains("too_many_bytes"), "{refused}");
    assert!(kept.is_quiet().await && of_bob.is_quiet().await);
    let (olga, limit) = (server.client().with_token(&olga), r#"{limit="body_bytes_per_user"}"#);
    assert_told(&olga, "wattbook_refused_total", limit, 1.0).await;
}

/// A stream of events, which keeps its connection at work; the status.
/// Its streams would be requests beside all limits of connections: it is not spoken, whoever asks for it.
#[tokio::test]
async fn http_2_is_not_spoken() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let mut known = Raw::from("127.0.0.1", &server).await;
    // The preface, and a frame of no settings.
    known.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await;
    let said = known.read_until("no text has this").await;
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 4"), "{said:?}");
    let mut upgraded = Raw::from("127.0.0.1", &server).await;
    let asks = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"];
    upgraded.request("GET", "/health/live", &asks).await;
    let said = upgraded.read_until("live\"}").await;
    assert!(said.starts_with("HTTP/1.1 200 "), "{said:?}");
}

async fn stream(address: &str, server: &Server, headers: &[&str]) -> (u16, Raw) {
    let mut raw = Raw::from(address, server).await;
    raw.request("GET", "/api/v1/events", headers).await;
    (raw.status().await, raw)
}

#[tokio::test]
async fn one_address_has_its_share_of_connections() {
    let site = Site::sqlite();
    let server = serve(&site, "connections_per_client = 4").await;
    let mut idle = Vec::new();
    for _ in 0..6 {
        let mut raw = Raw::from("127.0.0.2", &server).await;
        assert!(raw.is_answered().await, "who waits makes room");
        idle.push(raw);
    }
    let mut streams = Vec::new();
    for _ in 0..4 {
        let (status, raw) = stream("127.0.0.2", &server, &[]).await;
        assert_eq!(status, 200);
        streams.push(raw);
    }
    let (status, _) = stream("127.0.0.2", &server, &["X-Forwarded-For: 198.51.100.7"]).await;
    assert_eq!(status, 429, "nobody believes it");
    let refused = Raw::from("127.0.0.2", &server).await.refusal().await;
    assert!(
        refused.contains("too_many_connections") && refused.contains("retry-after"),
        "{refused}"
    );
    assert!(refused.contains("x-content-type-options: nosniff"), "{refused}");
    assert!(refused.contains("frame-ancestors 'none'"), "{refused}");
    assert_eq!(stream("127.0.0.1", &server, &[]).await.0, 200);
    drop(streams.pop());
    let began = Instant::now();
    while stream("127.0.0.2", &server, &[]).await.0 != 200 {
        assert!(began.elapsed() < PATIENCE, "the place is not given back");
    }
}

#[tokio::test]
async fn behind_a_trusted_proxy_its_clients_are_counted() {
    let site = Site::sqlite();
    let limits = "connections_per_client = 2\ntrusted_proxies = [\"127.0.0.3\"]";
    let server = serve(&site, limits).await;
    let mut open = Vec::new();
    for client in ["198.51.100.7", "198.51.100.8", "198.51.100.9"] {
        let named = format!("X-Forwarded-For: 192.0.2.99, {client}");
        for _ in 0..2 {
            let (status, raw) = stream("127.0.0.3", &server, &[&named]).await;
            assert_eq!(status, 200, "{client}");
            open.push(raw);
        }
        let (status, _) = stream("127.0.0.3", &server, &[&named]).await;
        assert_eq!(status, 429, "{client} has two");
    }
    let (status, _) = stream("127.0.0.3", &server, &[]).await;
    assert_eq!(status, 200, "the proxy for itself");
}

#[tokio::test]
async fn users_at_one_address_are_counted_apart() {
    let site = Site::sqlite();
    let tokens = ["ada", "bob", "cid"].map(|owner| site.token(owner, "user"));
    let server = serve(&site, "connections_per_client = 3").await;
    let mut open = Vec::new();
    for token in &tokens {
        let says = format!("Authorization: Bearer {token}");
        for _ in 0..3 {
            let (status, raw) = stream("127.0.0.1", &server, &[&says]).await;
            assert_eq!(status, 200);
            open.push(raw);
        }
        let (status, _) = stream("127.0.0.1", &server, &[&says]).await;
        assert_eq!(status, 429, "three are theirs");
    }
    answered_soon("127.0.0.1", &server).await;
}
