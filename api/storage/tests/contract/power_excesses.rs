//! Draw above plan: what is noted takes the place of what was, and is told in the same transaction.

use planner::identity::ReservationId;
use planner::metering::Excess;
use serde_json::json;
use storage::{NewEvent, PowerExcess};
use uuid::Uuid;

use crate::bench::{Bench, on_both_engines, t};

on_both_engines![what_lasts_is_kept_with_what_was_told];

async fn what_lasts_is_kept_with_what_was_told(bench: Bench) {
    let database = &bench.database;
    assert_eq!(database.power_excesses().await.unwrap(), []);
    let excess = |is_told| Excess { since: t(10), is_told };
    let id = Some(ReservationId::new(Uuid::now_v7()));
    let of_all = PowerExcess { reservation_id: None, excess: excess(false) };
    let of_one = PowerExcess { reservation_id: id, excess: excess(true) };
    let event = NewEvent::new("power.exceeded", json!({"since": t(10)})).of("ada");
    database.put_power_excesses(&[of_all, of_one], &[event], t(20)).await.unwrap();
    assert_eq!(database.power_excesses().await.unwrap(), [of_all, of_one]);
    let events = database.events_after(None, 200).await.unwrap();
    let told = events.iter().find(|event| event.kind == "power.exceeded").unwrap();
    assert_eq!((told.at, told.owner.as_deref()), (t(20), Some("ada")));
    database.put_power_excesses(&[of_all], &[], t(30)).await.unwrap();
    assert_eq!(database.power_excesses().await.unwrap(), [of_all]);
    database.put_power_excesses(&[], &[], t(40)).await.unwrap();
    assert_eq!(database.power_excesses().await.unwrap(), []);
}
