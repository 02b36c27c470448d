//! Copies of the database that are made while bookings go on, put back, and checked.

use std::os::unix::fs::PermissionsExt;
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::book::assert_sound;
use crate::client::Client;
use crate::cluster::{Hours, choose, furnish, propose};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_copy_that_is_made_while_bookings_go_on_is_put_back_as_it_was,
    a_book_that_is_not_sound_is_told,
}

/// `wattbook database` with a file or without, in the folder of a site.
fn database(site: &Site, arguments: &[&str]) -> Output {
    site.command(&[&["database"], arguments].concat()).output().unwrap()
}

#[track_caller]
fn done(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[track_caller]
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Books until it is told to stop; the ids, in their order.
async fn book_until(stop: Arc<AtomicBool>, client: Client, hours: Hours) -> Vec<Value> {
    let mut booked = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let mut request = hours.request(1, 1, 20);
        request["duration_s"] = 900.into();
        let held = propose(&client, &request).await;
        booked.push(choose(&client, &held, "cost_co2_energy").await["id"].clone());
    }
    booked
}

async fn a_copy_that_is_made_while_bookings_go_on_is_put_back_as_it_was(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 40, Some(9000.0)).await;
    let held = propose(&client, &hours.request(2, 1, 5)).await;
    let first = choose(&client, &held, "cost_co2_energy").await["id"].clone();
    let stop = Arc::new(AtomicBool::new(false));
    let booking = tokio::spawn(book_until(Arc::clone(&stop), client.clone(), hours));
    let backed_up = tokio::task::spawn_blocking({
        let site = site.clone();
        move || {
            (0..3).map(|n| database(&site, &["backup", &format!("copy-{n}")])).collect::<Vec<_>>()
        }
    });
    for output in backed_up.await.unwrap() {
        assert!(done(&output).starts_with("The copy is copy-"));
    }
    stop.store(true, Ordering::Relaxed);
    let booked = booking.await.unwrap();
    assert!(!booked.is_empty());
    let copy = site.folder().join("copy-2");
    assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    let said = refused(&database(&site, &["backup", "copy-2"]));
    assert!(said.contains("copy-2 is there already"), "{said}");
    let said = refused(&database(&site, &["restore", "copy-2"]));
    assert!(said.contains("already; a copy is put back where there is none"), "{said}");
    assert!(done(&database(&site, &["check"])).starts_with("The database is sound."));

    let other =
        if site.is_postgres() { Site::postgres("copies").await.unwrap() } else { Site::sqlite() };
    let copy = copy.to_str().unwrap();
    done(&database(&other, &["restore", copy]));
    done(&database(&other, &["check"]));
    let restored = other.serve().await;
    let kept = restored.client().all_reservations().await;
    let ids: Vec<&Value> = kept.iter().map(|it| &it["id"]).collect();
    assert!(ids.contains(&&first), "{first} was booked before");
    // What was booked later than something that is missing is missing too.
    let confirmed =
        |id: &Value| kept.iter().any(|it| it["id"] == *id && it["state"] == "confirmed");
    let known = booked.iter().take_while(|id| confirmed(id)).count();
    assert!(booked[known..].iter().all(|id| !confirmed(id)), "{known} of {booked:?}");
    assert_sound(&restored.client(), hours, Some(9000.0)).await;
    drop(restored);
    other.remove().await;
}

async fn a_book_that_is_not_sound_is_told(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let held = propose(&client, &hours.request(2, 1, 5)).await;
    let id = choose(&client, &held, "cost_co2_energy").await["id"].as_str().unwrap().to_owned();
    assert!(done(&database(&site, &["check"])).contains("reservations: 1;"));
    site.execute("DELETE FROM allocations").await;
    let said = refused(&database(&site, &["check"]));
    assert!(said.contains(&format!("the reservation {id} is booked and has no nodes")), "{said}");
}

/// What is no copy is not put back, and nothing is left of the trial.
#[test]
fn what_is_no_copy_is_not_put_back() {
    let site = Site::sqlite();
    std::fs::write(site.folder().join("notes"), "no database").unwrap();
    let said = refused(&database(&site, &["restore", "notes"]));
    assert!(said.contains("notes is no copy of a Wattbook database"), "{said}");
    let said = refused(&database(&site, &["restore", "missing"]));
    assert!(said.contains("the file missing"), "{said}");
    let said = refused(&database(&site, &["backup", "copy"]));
    assert!(said.contains("there is no Wattbook database"), "{said}");
    let left: Vec<_> = std::fs::read_dir(site.folder()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
