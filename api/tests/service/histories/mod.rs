//! Random histories: users book, let proposals expire, choose, replace, cancel, extend, modify, relabel, transfer, swap
//! nodes, share and release; they make series, change them, give them away, leave occurrences out and end them; operators change the cap, give and take back extra power, take nodes out of service and
//! back. The service is ended or killed every few steps, and goes on half an hour later, so that much of it happens to
//! what runs.
//!
//! Whatever happens: no node is had twice at an instant; once the service has judged it, what is not flagged
//! `degraded` is within the cap in force at every hour, has no node that is out of service, and nothing is flagged in vain.
//! Nothing confirmed is lost but by its cancellation, or by what its series was told to be; what is refused changes nothing.
//! No quota and no budget of energy, cost or CO2 is exceeded, each is told exactly, and the audit trail has each change once.
//!
//! `WATTBOOK_HISTORIES` says how many histories there are on each database; 1 unless set, another one on each. What came of
//! their requests is printed.

mod actions;
mod expected;
mod operators;
mod series;
mod trail;
mod world;

use crate::plain_count::{Limits, Whose};
use crate::site::{Site, on_both_engines};
use world::World;

on_both_engines! { no_history_breaks_a_promise }

/// Steps of a history.
const STEPS: u32 = 108;

/// Steps from one half-hour to the next.
const STEPS_OF_HALF_AN_HOUR: u32 = 9;

/// A node takes 0.2 kWh in an hour, which are 0.04 EUR and 12 g of CO2, or half of that in the cheap and in the clean hour.
/// In one history users are limited in what projects are not, in the next the other way round.
const LIMITS: [Limits; 2] = [
    Limits {
        nodes: (Whose::User, 4),
        reservations: (Whose::Project, 4),
        node_hours: (Whose::User, 9),
        budgets: Some([(Whose::Project, 2.2), (Whose::User, 0.3), (Whose::Project, 0.12)]),
    },
    Limits {
        nodes: (Whose::Project, 5),
        reservations: (Whose::User, 3),
        node_hours: (Whose::Project, 11),
        budgets: Some([(Whose::User, 1.8), (Whose::Project, 0.38), (Whose::User, 0.1)]),
    },
];

async fn no_history_breaks_a_promise(site: Site) {
    let count = std::env::var("WATTBOOK_HISTORIES").map_or(1, |text| text.parse().unwrap());
    let first = u64::from(site.is_postgres());
    for number in first..first + count {
        let another = if site.is_postgres() {
            Site::postgres("histories").await.unwrap()
        } else {
            Site::sqlite()
        };
        another.run(move |site| play(site, number)).await;
    }
}

async fn play(site: Site, number: u64) {
    let limits = LIMITS[usize::try_from(number % 2).unwrap()];
    let mut world = World::furnished(site, 20_261_121 + number, limits).await;
    for step in 0..STEPS {
        world.happen().await;
        world.assert_kept().await;
        if step % 4 == 3 {
            world.settled().await;
        }
        if step % STEPS_OF_HALF_AN_HOUR == STEPS_OF_HALF_AN_HOUR - 1 {
            world.pass_half_an_hour().await;
            world.series_settled().await;
            world.assert_kept().await;
        }
    }
    world.settled().await;
    world.assert_recorded().await;
    println!("history {number}: {:?}", world.outcomes());
}
