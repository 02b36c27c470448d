//! Notifications: what users want, and the codes by which they confirm their addresses.

use std::collections::BTreeSet;

use planner::time::{Seconds, Timestamp};
use storage::{NotificationKind, NotificationSettings, PendingAddress};

use crate::bench::{Bench, on_both_engines, t};

on_both_engines![
    what_a_user_wants_is_kept_and_told_once_an_address_is_confirmed,
    a_code_counts_for_a_while_and_some_tries,
    codes_are_sent_after_a_pause_and_so_many_a_day,
];

/// A code, three a day at most, and from when another may be sent where this one may not.
async fn send_code(
    bench: &Bench,
    owner: &str,
    code_digest: &str,
    sent: Timestamp,
) -> Option<Timestamp> {
    let address = format!("{owner}@site.example");
    let pending = PendingAddress { address, code_digest: code_digest.to_owned(), sent };
    let pause = Seconds::new(60);
    bench.database.put_pending_address(&wanted(owner), &pending, pause, 3).await.unwrap()
}

fn wanted(owner: &str) -> NotificationSettings {
    NotificationSettings {
        owner: owner.to_owned(),
        address: None,
        pending: Some(PendingAddress {
            address: format!("{owner}@site.example"),
            code_digest: "d1".to_owned(),
            sent: t(100),
        }),
        kinds: BTreeSet::from([NotificationKind::Degraded, NotificationKind::BeginsSoon]),
        begins_soon: Seconds::new(900),
    }
}

async fn what_a_user_wants_is_kept_and_told_once_an_address_is_confirmed(bench: Bench) {
    let database = &bench.database;
    assert_eq!(database.notifications_of("ada").await.unwrap(), None);
    assert_eq!(send_code(&bench, "ada", "d1", t(100)).await, None);
    assert_eq!(database.notifications_of("ada").await.unwrap(), Some(wanted("ada")));
    assert_eq!(database.told_notifications().await.unwrap(), []);
    assert!(database.confirm_address("ada", "d1", t(50), 5).await.unwrap());
    let confirmed = NotificationSettings {
        address: Some("ada@site.example".to_owned()),
        pending: None,
        ..wanted("ada")
    };
    assert_eq!(database.told_notifications().await.unwrap(), std::slice::from_ref(&confirmed));
    // A code counts once.
    assert!(!database.confirm_address("ada", "d1", t(50), 5).await.unwrap());
    let nothing = NotificationSettings { kinds: BTreeSet::new(), ..confirmed };
    database.put_notifications(&nothing).await.unwrap();
    assert_eq!(database.told_notifications().await.unwrap(), []);
}

async fn a_code_counts_for_a_while_and_some_tries(bench: Bench) {
    let database = &bench.database;
    assert_eq!(send_code(&bench, "ada", "d1", t(100)).await, None);
    assert!(!database.confirm_address("ada", "d1", t(100), 5).await.unwrap(), "too old");
    assert!(!database.confirm_address("bob", "d1", t(0), 5).await.unwrap(), "another's");
    assert!(!database.confirm_address("ada", "wrong", t(0), 2).await.unwrap());
    assert!(!database.confirm_address("ada", "d1", t(0), 2).await.unwrap(), "tried too often");
    // What else is changed gives no more tries; another code does.
    database.put_notifications(&wanted("ada")).await.unwrap();
    assert!(!database.confirm_address("ada", "d1", t(0), 2).await.unwrap());
    assert_eq!(send_code(&bench, "ada", "d2", t(160)).await, None);
    assert!(database.confirm_address("ada", "d2", t(0), 2).await.unwrap());
}

async fn codes_are_sent_after_a_pause_and_so_many_a_day(bench: Bench) {
    let database = &bench.database;
    assert_eq!(send_code(&bench, "ada", "d1", t(100)).await, None);
    // Who forgets the address, or confirms it, waits as well; what is refused stores nothing.
    let forgotten = NotificationSettings { pending: None, ..wanted("ada") };
    database.put_notifications(&forgotten).await.unwrap();
    assert_eq!(send_code(&bench, "ada", "d2", t(159)).await, Some(t(160)));
    assert_eq!(database.notifications_of("ada").await.unwrap(), Some(forgotten));
    assert_eq!(send_code(&bench, "ada", "d2", t(160)).await, None);
    assert!(database.confirm_address("ada", "d2", t(0), 5).await.unwrap());
    assert_eq!(send_code(&bench, "ada", "d3", t(219)).await, Some(t(220)));
    assert_eq!(send_code(&bench, "ada", "d3", t(220)).await, None);
    // Three were sent since 100: the next one a day (86400 s) after that.
    assert_eq!(send_code(&bench, "ada", "d4", t(230)).await, Some(t(86_500)));
    assert_eq!(send_code(&bench, "ada", "d4", t(86_499)).await, Some(t(86_500)));
    assert_eq!(send_code(&bench, "ada", "d4", t(86_500)).await, None);
    assert_eq!(send_code(&bench, "ada", "d5", t(86_560)).await, None);
    // Of two at once one is sent.
    let [first, second] = ["d1", "d2"].map(|digest| send_code(&bench, "bob", digest, t(100)));
    let mut next = <[_; 2]>::from(tokio::join!(first, second));
    next.sort();
    assert_eq!(next, [None, Some(t(160))]);
}
