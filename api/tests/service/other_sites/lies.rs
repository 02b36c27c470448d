//! A site that asks for another price than it offered: nothing is booked, and who wanted to is told.

use serde_json::{Value, json};

use super::all_known::{FIRST_HOUR, HOURS};
use super::between::Does;
use super::booked::{PATH, order, states_there};
use super::three::{Three, of_site};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_site_that_changes_its_prices_books_nothing_at_another_one,
    a_site_that_lies_books_nothing,
}

/// The price of every hour to come doubles between the offer and the order.
async fn a_site_that_changes_its_prices_books_nothing_at_another_one(site: Site) {
    let three = Three::start(&site, "timeout_s = 30.0").await;
    let (home, lyon) = (three.home.client(), three.lyon.client());
    let wanted = three.order(&three.ask().await, "lyon");
    let prices = three.hours.agenda("price_per_mwh", FIRST_HOUR, &[500.0; HOURS]);
    lyon.put("/api/v1/agendas/price", &prices).await.ok(200);
    let problem = order(&home, &wanted, "k").await.problem(409, "offer_changed");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("cost is ") && detail.contains("ask for offers again"), "{detail}");
    assert_eq!(states_there(&lyon).await, [""; 0]);
    let stored = home.get(PATH).await.ok(200)["items"][0].clone();
    assert_eq!((&stored["state"], &stored["reason"]), (&json!("refused"), &json!("offer_changed")));
    // Again it is the same, and what is offered now is booked.
    order(&home, &wanted, "k").await.problem(409, "offer_changed");
    order(&home, &three.order(&three.ask().await, "lyon"), "l").await.ok(201);
}

/// Three lies: a cheaper quote than the site means, a dearer price of what it holds, and a dearer one of what it confirms.
async fn a_site_that_lies_books_nothing(site: Site) {
    let three = Three::start(&site, "timeout_s = 30.0").await;
    let (home, lyon) = (three.home.client(), three.lyon.client());
    let honest = three.ask().await;
    let told = |problem: &Value| problem["detail"].as_str().unwrap().to_owned();

    three.to_lyon.now(Does::Multiply("/quotes", 0.5));
    let lied = three.ask().await;
    assert_ne!(of_site(&lied, "lyon")["offers"], of_site(&honest, "lyon")["offers"]);
    let wanted = three.order(&lied, "lyon");
    let problem = order(&home, &wanted, "a").await.problem(409, "offer_changed");
    assert!(told(&problem).contains("cost is "), "{problem}");
    assert_eq!(states_there(&lyon).await, [""; 0]);

    let wanted = three.order(&honest, "lyon");
    three.to_lyon.now(Does::Multiply("/reservations", 2.0));
    let problem = order(&home, &wanted, "b").await.problem(409, "offer_changed");
    assert!(told(&problem).contains("cost is "), "{problem}");
    assert_eq!(states_there(&lyon).await, ["cancelled"]);

    three.to_lyon.now(Does::Multiply("/choose", 2.0));
    let problem = order(&home, &wanted, "c").await.problem(409, "offer_changed");
    assert!(told(&problem).contains("confirmed something else than it offered"), "{problem}");
    assert_eq!(states_there(&lyon).await, ["cancelled", "cancelled"]);
    let stored = home.get(PATH).await.ok(200)["items"][0].clone();
    assert_eq!(
        (&stored["state"], &stored["reason"]),
        (&json!("cancelled"), &json!("offer_changed"))
    );

    // What is no number is not shown, and nothing else of that site.
    three.to_lyon.now(Does::Multiply("/quotes", f64::MAX));
    let told = three.ask().await;
    assert_eq!(of_site(&told, "lyon")["state"], "unreadable", "{told}");
    assert_eq!(of_site(&told, "nice")["state"], "offers");
}
