//! Reservations at other sites: noted once for each key, changed only as they were read.

use planner::identity::{OfferId, ReservationId};
use planner::time::Timestamp;
use storage::{SiteReservation, SiteReservationId, SiteReservationReason, SiteReservationState};

use crate::bench::{Bench, next_uuid, on_both_engines, t};

on_both_engines![
    a_reservation_elsewhere_is_noted_once_for_each_key,
    what_was_read_before_a_change_changes_nothing,
    that_a_site_is_silent_is_told_once_and_so_is_that_it_answers,
];

async fn that_a_site_is_silent_is_told_once_and_so_is_that_it_answers(bench: Bench) {
    let database = &bench.database;
    // Nothing was told that could be over.
    database.tell_site_answers("lyon", t(5)).await.unwrap();
    for at in [10, 11] {
        database.tell_site_silent("nice", t(at)).await.unwrap();
        database.tell_site_silent("lyon", t(at)).await.unwrap();
    }
    assert_eq!(database.silent_sites().await.unwrap(), ["lyon", "nice"]);
    for at in [20, 21] {
        database.tell_site_answers("lyon", t(at)).await.unwrap();
    }
    assert_eq!(database.silent_sites().await.unwrap(), ["nice"]);
    database.tell_site_silent("lyon", t(30)).await.unwrap();
    // It is not of the settings any more: that tells nobody that it answers.
    for site in ["nice", "nice", "oslo"] {
        database.forget_silent_site(site).await.unwrap();
    }
    assert_eq!(database.silent_sites().await.unwrap(), ["lyon"]);
    let events = database.events_after(None, 200).await.unwrap();
    let told: Vec<_> = events
        .iter()
        .filter(|event| event.subject() == "site")
        .map(|it| (it.at, it.kind.as_str(), it.owner.is_none(), it.data.as_str()))
        .collect();
    let [lyon, nice] = [r#"{"site":"lyon"}"#, r#"{"site":"nice"}"#];
    let expected = [
        (t(10), "site.silent", true, nice),
        (t(10), "site.silent", true, lyon),
        (t(20), "site.answers", true, lyon),
        (t(30), "site.silent", true, lyon),
    ];
    assert_eq!(told, expected);
}

fn asked(owner: &str, key: Option<&str>) -> SiteReservation {
    let now = Timestamp::from_unix_seconds(1_700_000_000);
    SiteReservation {
        id: SiteReservationId::new(next_uuid()),
        owner: owner.to_owned(),
        site: "lyon".to_owned(),
        state: SiteReservationState::Asked,
        asked_key: key.map(str::to_owned),
        asked_digest: "d".to_owned(),
        asked: "{}".to_owned(),
        sent: "{}".to_owned(),
        told: None,
        reservation: None,
        offer: None,
        state_there: None,
        reason: None,
        because: None,
        created: now,
        changed: now,
        row_version: 1,
    }
}

async fn a_reservation_elsewhere_is_noted_once_for_each_key(bench: Bench) {
    let database = &bench.database;
    let first = asked("ada", Some("k"));
    assert!(database.create_site_reservation(&first).await.unwrap());
    assert!(!database.create_site_reservation(&asked("ada", Some("k"))).await.unwrap());
    let others = [asked("bob", Some("k")), asked("ada", None), asked("ada", None)];
    for other in &others {
        assert!(database.create_site_reservation(other).await.unwrap());
    }
    assert_eq!(database.site_reservation_of_key("ada", "k").await.unwrap(), Some(first.clone()));
    assert_eq!(database.site_reservation_of_key("eve", "k").await.unwrap(), None);
    let of_ada = database.site_reservations(Some("ada"), None, 10).await.unwrap();
    assert_eq!(of_ada, [others[2].clone(), others[1].clone(), first.clone()]);
    let page = database.site_reservations(None, Some(others[1].id), 1).await.unwrap();
    assert_eq!(page, [others[0].clone()]);
    assert_eq!(database.undecided_site_reservations(first.changed, 10).await.unwrap().len(), 4);
    let earlier = Timestamp::from_unix_seconds(first.changed.as_unix_seconds() - 1);
    assert_eq!(database.undecided_site_reservations(earlier, 10).await.unwrap(), []);
}

async fn what_was_read_before_a_change_changes_nothing(bench: Bench) {
    let database = &bench.database;
    let first = asked("ada", None);
    database.create_site_reservation(&first).await.unwrap();
    let confirmed = SiteReservation {
        state: SiteReservationState::Confirmed,
        told: Some("{\"cost\":1.5}".to_owned()),
        reservation: Some(ReservationId::new(next_uuid())),
        offer: Some(OfferId::new(next_uuid())),
        state_there: Some("confirmed".to_owned()),
        reason: Some(SiteReservationReason::OfferChanged),
        because: Some("as offered".to_owned()),
        changed: Timestamp::from_unix_seconds(1_700_000_009),
        ..first.clone()
    };
    assert!(database.change_site_reservation(&confirmed).await.unwrap());
    assert!(!database.change_site_reservation(&first).await.unwrap());
    let confirmed_at = confirmed.changed;
    let stored = database.site_reservation(first.id).await.unwrap();
    assert_eq!(stored, Some(SiteReservation { row_version: 2, ..confirmed }));
    assert_eq!(database.undecided_site_reservations(confirmed_at, 10).await.unwrap(), []);
}
