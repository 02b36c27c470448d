//! Notifications: what users want, and the codes by which they confirm their addresses.

use std::collections::BTreeSet;

use planner::time::Seconds;
use storage::{NotificationKind, NotificationSettings, PendingAddress};

use crate::bench::{Bench, on_both_engines, t};

on_both_engines![
    what_a_user_wants_is_kept_and_told_once_an_address_is_confirmed,
    a_code_counts_for_a_while_and_some_tries,
];

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
    database.put_notifications(&wanted("ada")).await.unwrap();
    assert_eq!(database.notifications_of("ada").await.unwrap(), Some(wanted("ada")));
    assert_eq!(database.told_notifications().await.unwrap(), []);
    assert!(database.confirm_address("ada", "d1", t(50), 5).await.unwrap());
    let confirmed = NotificationSettings {
        address: Some("ada@site.example".to_owned()),
        pending: None,
        ..wanted("ada")
    };
    assert_eq!(database.told_notifications().await.unwrap(), [confirmed.clone()]);
    // A code counts once.
    assert!(!database.confirm_address("ada", "d1", t(50), 5).await.unwrap());
    let nothing = NotificationSettings { kinds: BTreeSet::new(), ..confirmed };
    database.put_notifications(&nothing).await.unwrap();
    assert_eq!(database.told_notifications().await.unwrap(), []);
}

async fn a_code_counts_for_a_while_and_some_tries(bench: Bench) {
    let database = &bench.database;
    database.put_notifications(&wanted("ada")).await.unwrap();
    assert!(!database.confirm_address("ada", "d1", t(100), 5).await.unwrap(), "too old");
    assert!(!database.confirm_address("bob", "d1", t(0), 5).await.unwrap(), "another's");
    assert!(!database.confirm_address("ada", "wrong", t(0), 2).await.unwrap());
    assert!(!database.confirm_address("ada", "d1", t(0), 2).await.unwrap(), "tried too often");
    // What else is changed gives no more tries; another code does.
    database.put_notifications(&wanted("ada")).await.unwrap();
    assert!(!database.confirm_address("ada", "d1", t(0), 2).await.unwrap());
    let mut another = wanted("ada");
    another.pending.as_mut().unwrap().code_digest = "d2".to_owned();
    database.put_notifications(&another).await.unwrap();
    assert!(database.confirm_address("ada", "d2", t(0), 2).await.unwrap());
}
