use grid_feeds::feed::{RetryClass, SecretSource};
use openadr::Ven;
use planner::quantity::Currency;

use crate::server::{Vtn, event, now, power, word};

/// Restarted, it takes our token still; restarted with another key, it refuses it, and a new one is
/// fetched.
#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn the_server_restarts_and_then_takes_no_old_tokens() {
    let mut vtn = Vtn::start().await;
    let program = vtn.program().await;
    program
        .create_event(event(&program, "cap", "IMPORT_CAPACITY_LIMIT", 1, &[60.0]))
        .await
        .unwrap();
    let ven = vtn.ven();
    assert_eq!(word(&ven).await.limit.said.pieces().len(), 1);
    vtn.kill();
    let error = ven.events(now()).await.unwrap_err();
    assert!(!error.was_answered(), "{error}");
    assert_eq!(error.retry(), RetryClass::Backoff);
    vtn.start_again('A').await;
    let before = ven.requests();
    assert_eq!(word(&ven).await.limit.said.pieces()[0].value, power(60.0));
    assert_eq!(ven.requests() - before, 2, "program and events, no new token");
    vtn.kill();
    vtn.start_again('B').await;
    let before = ven.requests();
    assert_eq!(word(&ven).await.limit.said.pieces()[0].value, power(60.0));
    assert_eq!(ven.requests() - before, 4, "the token's address and the token too");
}

#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_wrong_secret_is_refused_until_it_is_right() {
    let vtn = Vtn::start().await;
    vtn.program().await;
    let mut settings = vtn.settings();
    let SecretSource::File(path) = settings.client_secret.clone() else { panic!("a file") };
    let wrong = path.with_file_name("wrong");
    std::fs::write(&wrong, "wrong-s3cr3t").unwrap();
    settings.client_secret = SecretSource::File(wrong.clone());
    let ven = Ven::connect(settings, Currency::EUR).unwrap();
    let error = ven.events(now()).await.unwrap_err();
    assert_eq!(error.retry(), RetryClass::Backoff);
    assert!(error.to_string().contains("401"), "{error}");
    assert!(!format!("{error:?}").contains("wrong-s3cr3t"));
    std::fs::copy(&path, &wrong).unwrap();
    ven.events(now()).await.unwrap();
}

#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_program_that_is_not_there_yet_is_awaited() {
    let vtn = Vtn::start().await;
    let ven = vtn.ven();
    let error = ven.events(now()).await.unwrap_err();
    assert_eq!(error.retry(), RetryClass::NotYet);
    vtn.program().await;
    ven.events(now()).await.unwrap();
}
