//! What goes wrong on the way, and what it is called.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use planner::resource_manager::ManagerError;
use slurm::{Slurm, SlurmSettings, Token, TokenSource};

use crate::server::{Reply, Server, ok, recorded};

/// What a client says of a server that answers every list so.
async fn told(version: &'static str, reply: Reply) -> ManagerError {
    let server = Server::of(version, move |_| reply.clone()).await;
    server.slurm().nodes(None).await.unwrap_err()
}

#[tokio::test]
async fn who_is_not_accepted_is_told_so() {
    for (version, reply) in [
        ("22.05", Reply::Answer(401, b"Authentication failure".to_vec())),
        ("22.05", Reply::Answer(500, recorded("22.05", "denied"))),
        ("26.05", Reply::Answer(511, recorded("26.05", "denied"))),
        // 25.11.0 answers so, says the adapter of another client.
        ("26.05", Reply::Answer(500, recorded("26.05", "denied"))),
    ] {
        let error = told(version, reply).await;
        assert!(matches!(error, ManagerError::Denied(_)), "{version}: {error}");
    }
}

#[tokio::test]
async fn a_controller_that_is_away_is_unreachable() {
    for reply in [
        Reply::Answer(502, recorded("26.05", "lost")),
        Reply::Answer(503, b"".to_vec()),
        Reply::Answer(429, b"".to_vec()),
        Reply::Answer(500, b"<html>bad gateway</html>".to_vec()),
        // Complaints count whatever the status is.
        Reply::Answer(200, recorded("26.05", "lost")),
    ] {
        let error = told("26.05", reply).await;
        assert!(matches!(error, ManagerError::Unreachable(_)), "{error}");
        assert!(error.may_pass());
    }
}

#[tokio::test]
async fn answers_that_are_cut_or_no_documents_are_unreadable() {
    let nodes = recorded("26.05", "nodes");
    for reply in [
        Reply::Cut(nodes.len(), nodes[..nodes.len() / 2].to_vec()),
        Reply::Answer(200, nodes[..nodes.len() / 2].to_vec()),
        Reply::Answer(200, b"It works!".to_vec()),
        Reply::Answer(200, b"".to_vec()),
        Reply::Answer(200, br#"{"nodes": [{"name": 7}]}"#.to_vec()),
        // No time: nothing says what to pass the next time.
        Reply::Answer(200, br#"{"nodes": []}"#.to_vec()),
    ] {
        let error = told("26.05", reply).await;
        assert!(matches!(error, ManagerError::Unreadable(_)), "{error}");
    }
}

#[tokio::test]
async fn an_answer_that_would_fill_the_memory_is_not_read() {
    let error = told("26.05", Reply::Cut(300 << 20, b"{".to_vec())).await;
    assert!(matches!(&error, ManagerError::Unreadable(it) if it.contains("256 MiB")), "{error}");
}

#[tokio::test]
async fn where_tokens_that_are_made_of_a_key_are_refused_it_is_told_what_to_look_at() {
    let server = Server::of("26.05", |_| Reply::Answer(511, recorded("26.05", "denied"))).await;
    let key = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(key.path(), "a key").unwrap();
    let lifetime = Duration::from_mins(5);
    let token = TokenSource::Key { file: key.path().to_owned(), lifetime };
    let slurm = Slurm::new(SlurmSettings { token, ..server.settings() }).unwrap();
    let error = slurm.nodes(None).await.unwrap_err();
    assert!(
        matches!(&error, ManagerError::Denied(it) if it.contains("clock") && it.contains("300 s")),
        "{error}"
    );
}

#[tokio::test]
async fn a_list_with_nodes_that_cannot_be_read_is_unreadable_with_its_place() {
    let text = String::from_utf8(recorded("26.05", "reservations")).unwrap();
    let text = text.replace("n[3-4,10]", "n[3-");
    let server = Server::of("26.05", move |_| Reply::Answer(200, text.clone().into_bytes())).await;
    let error = server.slurm().reservations(None).await.unwrap_err().to_string();
    assert!(error.contains("reservation wattbook-") && error.contains("not closed"), "{error}");
}

#[tokio::test]
async fn silence_and_nobody_are_unreachable() {
    let silent = Server::of("26.05", |_| Reply::Silence).await;
    let settings = SlurmSettings { timeout: Duration::from_millis(300), ..silent.settings() };
    let error = Slurm::new(settings).unwrap().nodes(None).await.unwrap_err();
    assert!(matches!(error, ManagerError::Unreachable(_)), "{error}");

    for rest in ["http://127.0.0.1:1", "unix:/nonexistent/slurmrestd.socket"] {
        let settings = SlurmSettings { rest: Some(rest.parse().unwrap()), ..silent.settings() };
        let error = Slurm::new(settings).unwrap().nodes(None).await.unwrap_err();
        assert!(matches!(&error, ManagerError::Unreachable(it) if it.contains(rest)), "{error}");
    }
}

#[tokio::test]
async fn a_refusal_has_the_number_of_slurm_and_its_words() {
    let server = Server::of("26.05", |_| Reply::Answer(422, recorded("26.05", "in-use"))).await;
    let error = server.slurm().remove_reservation("wattbook-x").await.unwrap_err();
    assert!(matches!(&error, ManagerError::Refused { code: Some(2055), message }
        if message.starts_with("Requested reservation is in use")));
    assert!(!error.may_pass());
}

#[tokio::test]
async fn redirects_are_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        let server = Server::of("26.05", move |_| Reply::Answer(status, Vec::new())).await;
        let slurm = server.slurm();
        let read = slurm.nodes(None).await.unwrap_err();
        let written = slurm.remove_reservation("wattbook-x").await.unwrap_err();
        for error in [read, written] {
            assert!(matches!(error, ManagerError::Refused { code: None, .. }), "{status}: {error}");
        }
        assert_eq!(server.asked().len(), 2, "{status}");
    }
}

#[tokio::test]
async fn the_version_is_found_out_once_and_again_after_errors() {
    let is_newer = Arc::new(AtomicBool::new(false));
    let upgraded = Arc::clone(&is_newer);
    let server = Server::new(move |request| {
        let version = if upgraded.load(Ordering::Relaxed) { "26.05" } else { "22.05" };
        let path = request.target.split('?').next().unwrap();
        match path.rsplit('/').next().unwrap() {
            "v3" => ok(version, "openapi"),
            "diag" => ok(version, "diag"),
            _ if version == "26.05" && path.contains("v0.0.38") => Reply::Answer(404, Vec::new()),
            name => ok(version, name),
        }
    })
    .await;
    let slurm = server.slurm();
    slurm.nodes(None).await.unwrap();
    slurm.reservations(None).await.unwrap();
    let found_out = || server.requests().iter().filter(|it| it.target == "/openapi/v3").count();
    assert_eq!(found_out(), 1);
    is_newer.store(true, Ordering::Relaxed);
    let error = slurm.nodes(None).await.unwrap_err();
    assert!(matches!(error, ManagerError::Unsupported(_)), "{error}");
    slurm.nodes(None).await.unwrap();
    assert_eq!(found_out(), 2);
}

#[tokio::test]
async fn each_request_shows_who_asks_and_nothing_else_does() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "first-secret\n").unwrap();
    let server = Server::of("26.05", |_| Reply::Answer(401, b"refused".to_vec())).await;
    let token = TokenSource::File(file.path().to_owned());
    let slurm = Slurm::new(SlurmSettings { token, ..server.settings() }).unwrap();
    let first = slurm.nodes(None).await.unwrap_err();
    // Somebody renews it.
    std::fs::write(file.path(), "second-secret\n").unwrap();
    let second = slurm.nodes(None).await.unwrap_err();
    let shown = format!("{first} {first:?} {second} {second:?} {slurm:?}");
    assert!(!shown.contains("secret"), "{shown}");
    let heads: Vec<_> = server.requests().into_iter().map(|it| it.head.to_lowercase()).collect();
    let has = |head: &String, token: &str| head.contains(&format!("x-slurm-user-token: {token}"));
    assert!(heads.iter().all(|head| head.contains("x-slurm-user-name: root")));
    assert!(has(heads.first().unwrap(), "first-secret"));
    assert!(has(heads.last().unwrap(), "second-secret"));
    assert!(!server.requests().iter().any(|it| it.target.contains("secret")));
}

#[test]
fn settings_that_cannot_be_used_are_refused_with_what_helps() {
    let settings = SlurmSettings {
        rest: None,
        user: "root".to_owned(),
        token: TokenSource::Fixed(Token::new("a").unwrap()),
        scontrol: None,
        slurm_conf: None,
        timeout: Duration::from_secs(1),
        accounting: false,
    };
    let error = Slurm::new(settings.clone()).unwrap_err().to_string();
    assert!(error.contains("slurmrestd"), "{error}");
    let rest = Some("http://127.0.0.1:1".parse().unwrap());
    let user = "two\nlines".to_owned();
    let error = Slurm::new(SlurmSettings { rest, user, ..settings }).unwrap_err().to_string();
    assert!(error.contains("[slurm] user"), "{error}");
}
