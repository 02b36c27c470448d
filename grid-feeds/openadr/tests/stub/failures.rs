use grid_feeds::feed::{FeedError, RetryClass};
use openadr::VenError;
use planner::time::Seconds;
use serde_json::json;

use crate::server::{Server, limit, now};

#[tokio::test]
async fn agendas_arrive_and_a_cancelled_event_is_gone() {
    let server = Server::start();
    server.world().events = vec![limit("a", &[10.0, 8.0])];
    let ven = server.ven();
    assert_eq!(server.log(), [""; 0], "nothing is asked before it is needed");
    let word = ven.events(now()).await.unwrap();
    assert_eq!(word.limit.said.pieces().len(), 2);
    server.world().events.clear();
    assert!(ven.events(now()).await.unwrap().limit.said.pieces().is_empty());
    let log = server.log();
    assert_eq!(log.iter().filter(|it| *it == "POST /vens").count(), 1, "enrolled once: {log:?}");
    assert_eq!(server.world().tokens, 1);
}

/// 120 events, of which a page of 50 is the most: three pages, the last of 20.
#[tokio::test]
async fn all_pages_are_read() {
    let server = Server::start();
    server.world().events = (0..120).map(|id| limit(&format!("e{id:03}"), &[1.0])).collect();
    let mut last = limit("last", &[3.0]);
    last["priority"] = json!(0);
    server.world().events.push(last);
    let limit = server.ven().events(now()).await.unwrap().limit.said;
    assert!((limit.pieces()[0].value.as_watts() - 3_000.0).abs() < f64::EPSILON);
    assert_eq!(server.log().iter().filter(|it| *it == "GET /events").count(), 3);
}

#[tokio::test]
async fn a_token_that_is_refused_is_fetched_anew_once() {
    let server = Server::start();
    let ven = server.ven();
    ven.events(now()).await.unwrap();
    server.world().stale_up_to = 1;
    ven.events(now()).await.unwrap();
    assert_eq!(server.world().tokens, 2);
}

#[tokio::test]
async fn a_server_that_refuses_its_own_tokens_is_asked_again_soon() {
    let server = Server::start();
    server.world().stale_up_to = 1_000;
    let ven = server.ven();
    let error = ven.events(now()).await.unwrap_err();
    assert_eq!((&error, error.retry()), (&VenError::StaleToken, RetryClass::Backoff));
    assert_eq!(server.world().tokens, 2, "no endless refreshing");
    server.world().stale_up_to = 2;
    ven.events(now()).await.unwrap();
}

/// `expires_in` below the margin must not underflow, and leaves the token some life.
#[tokio::test]
async fn short_lived_tokens_are_used_while_they_live() {
    let server = Server::start();
    server.world().expires_in = Some(3_600);
    let ven = server.ven();
    ven.events(now()).await.unwrap();
    ven.events(now()).await.unwrap();
    assert_eq!(server.world().tokens, 1);
    let server = Server::start();
    server.world().expires_in = Some(0);
    let ven = server.ven();
    ven.events(now()).await.unwrap();
    assert!(server.world().tokens > 1);
}

#[tokio::test]
async fn a_wrong_client_is_tried_again_and_shows_no_secret() {
    let server = Server::start();
    server.world().refuses_client = true;
    let ven = server.ven();
    let error = ven.events(now()).await.unwrap_err();
    assert_eq!(error.retry(), RetryClass::Backoff, "the secret may be changed at one end only");
    let words = format!("{error} {error:?}");
    assert!(words.contains("401") && words.contains("***"), "{words}");
    assert!(words.contains("check client_id and client_secret"), "{words}");
    assert!(!words.contains("s3cr3t"), "{words}");
    server.world().refuses_client = false;
    ven.events(now()).await.unwrap();
}

/// First the server has the new secret and this site the old one; then the file is written anew,
/// which counts without a restart. While the file is missing it is tried again too.
#[tokio::test]
async fn a_secret_that_is_changed_counts_once_both_ends_have_it() {
    let server = Server::start();
    let ven = server.ven();
    ven.events(now()).await.unwrap();
    // Old tokens are void, and the old secret brings no new one.
    server.write_secret("old");
    server.world().stale_up_to = 1;
    for _ in 0..3 {
        let error = ven.events(now()).await.unwrap_err();
        assert!(matches!(error, VenError::Credentials(_)), "{error}");
        assert_eq!(error.retry(), RetryClass::Backoff);
    }
    server.write_secret("");
    assert_eq!(ven.events(now()).await.unwrap_err().retry(), RetryClass::Backoff);
    server.write_secret("s3cr3t");
    ven.events(now()).await.unwrap();
}

/// What we may do is for people to mend; a report that is wrong itself stays wrong.
#[tokio::test]
async fn only_what_is_wrong_itself_is_given_up() {
    let server = Server::start();
    let ven = server.ven();
    ven.events(now()).await.unwrap();
    for (status, retry) in [
        (403, RetryClass::Backoff),
        (404, RetryClass::Backoff),
        (400, RetryClass::Permanent),
        (422, RetryClass::Permanent),
    ] {
        server.fail(&[(status, None, "no")]);
        assert_eq!(ven.events(now()).await.unwrap_err().retry(), retry, "{status}");
    }
}

#[tokio::test]
async fn busy_servers_say_how_long_to_wait() {
    let server = Server::start();
    let ven = server.ven();
    ven.events(now()).await.unwrap();
    server.fail(&[(429, Some("120"), "slow down")]);
    let error = ven.events(now()).await.unwrap_err();
    assert_eq!(error.retry(), RetryClass::After(Seconds::new(120)));
    server.fail(&[(503, None, "<h1>Maintenance</h1>")]);
    let error = ven.events(now()).await.unwrap_err();
    assert_eq!(error.retry(), RetryClass::Backoff);
    assert_eq!(error, VenError::Contact(FeedError::Busy { status: 503, retry_after: None }));
    ven.events(now()).await.unwrap();
}

#[tokio::test]
async fn what_the_server_echoes_of_a_token_is_hidden() {
    let server = Server::start();
    let ven = server.ven();
    ven.events(now()).await.unwrap();
    server.fail(&[(403, None, "token-1 lacks a scope")]);
    let error = ven.events(now()).await.unwrap_err();
    assert!(error.to_string().contains("*** lacks a scope"), "{error}");
    assert!(!format!("{ven:?}").contains("token-1"));
}

#[tokio::test]
async fn answers_that_are_none_are_named_and_tried_again() {
    let server = Server::start();
    let ven = server.ven();
    ven.events(now()).await.unwrap();
    for body in ["", "<html>", r#"{"status": 200}"#] {
        server.fail(&[(200, None, body)]);
        let error = ven.events(now()).await.unwrap_err();
        assert!(matches!(error, VenError::Contact(FeedError::Payload { .. })), "{error:?}");
        assert_eq!(error.retry(), RetryClass::Backoff);
    }
    // Documents of others that are odd are no trouble of ours.
    server.fail(&[(200, None, r#"[{"id": 5}, null, {"id": "p1", "programName": "power"}]"#)]);
    ven.events(now()).await.unwrap();
}

#[tokio::test]
async fn contact_that_was_lost_comes_back_without_a_restart() {
    let mut server = Server::start();
    server.world().events = vec![limit("a", &[10.0])];
    let ven = server.ven();
    ven.events(now()).await.unwrap();
    server.stop();
    let error = ven.events(now()).await.unwrap_err();
    assert!(!error.was_answered(), "{error}");
    assert_eq!(error.retry(), RetryClass::Backoff);
    server.start_again();
    let word = ven.events(now()).await.unwrap();
    assert_eq!(word.limit.said.pieces().len(), 1);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let server = Server::start();
    let mut settings = server.settings();
    settings.program = "tariff".to_owned();
    let ven = openadr::Ven::connect(settings, server.ven().currency()).unwrap();
    let error = ven.events(now()).await.unwrap_err();
    assert!(error.to_string().contains("\"tariff\""), "{error}");
    assert_eq!(error.retry(), RetryClass::NotYet);
}
