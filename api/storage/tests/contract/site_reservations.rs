//! Reservations at other sites: noted once for each key, changed only as they were read.

use planner::identity::{OfferId, ReservationId};
use planner::time::Timestamp;
use storage::{SiteReservation, SiteReservationId, SiteReservationReason, SiteReservationState};

use crate::bench::{Bench, next_uuid, on_both_engines};

on_both_engines![
    a_reservation_elsewhere_is_noted_once_for_each_key,
    what_was_read_before_a_change_changes_nothing,
];

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
