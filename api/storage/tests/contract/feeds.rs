//! Feeds: revisions, how sources stand, leases, and composed agendas with what they rest on.

use std::time::Duration;

use planner::agenda::{Piece, Quality};
use planner::quantity::{CarbonMass, Currency, Money};
use planner::reservation::{Expectation, OfferExpectation};
use planner::time::{Span, Timestamp};
use storage::{
    AgendaMeta, ComposedAgenda, Database, FeedFailure, FeedState, FeedValue, NewFeedRevision,
    Quantity, Seen, Unjudged, WantedLease,
};

use crate::bench::{
    Bench, install_ten_nodes, offer, on_both_engines, propose, ranks, reservation, span, t,
};

on_both_engines![
    revisions_come_newest_first_and_only_as_far_back_as_they_fill_gaps,
    what_was_received_later_was_not_known_then,
    a_year_of_revisions_is_read_back_only_as_far_as_needed,
    pages_of_revisions_go_back_in_time,
    revisions_that_touch_a_window_come_page_by_page_the_newest_first,
    a_page_of_revisions_that_touch_a_window_has_at_most_so_many_pieces,
    the_news_of_a_quantity_says_from_when_on,
    a_source_s_state_is_kept_and_a_refresh_outlives_the_poll_under_way,
    a_lease_has_one_holder_until_it_falls_silent,
    a_composed_agenda_is_in_force_with_its_provenance_and_may_take_values_away,
    expectations_are_replaced,
    reservations_are_judged_up_to_a_revision_and_only_what_is_new_and_to_come_is_left,
    asking_sources_does_not_count_as_a_change_of_the_book,
];

fn revision(received: i64, pieces: &[(i64, i64, i64)]) -> NewFeedRevision {
    let piece = |&(start, end, value): &(i64, i64, i64)| Piece {
        span: span(start, end),
        value: FeedValue { value, quality: Quality::Forecast },
    };
    NewFeedRevision {
        feed: "a".into(),
        quantity: Quantity::Price,
        zone: "FR".into(),
        kind: "price in EUR/MWh".into(),
        issued: Some(t(received - 5)),
        received: t(received),
        notes: vec!["odd".into(), "very odd".into()],
        pieces: pieces.iter().map(piece).collect(),
    }
}

async fn keep(database: &Database, received: i64, pieces: &[(i64, i64, i64)]) -> i64 {
    database.keep_feed_revision(&revision(received, pieces)).await.unwrap().get()
}

async fn over(database: &Database, start: i64, end: i64, as_of: i64) -> Vec<i64> {
    let window = span(start, end);
    let found = database.feed_revisions_over("a", Quantity::Price, window, t(as_of)).await.unwrap();
    found.iter().map(|revision| revision.meta.id.get()).collect()
}

async fn revisions_come_newest_first_and_only_as_far_back_as_they_fill_gaps(bench: Bench) {
    let database = &bench.database;
    let hidden = keep(database, 1, &[(20, 40, 1)]).await;
    let old = keep(database, 2, &[(0, 100, 2)]).await;
    let with_a_gap = keep(database, 3, &[(0, 30, 3), (60, 90, 3)]).await;
    let newest = keep(database, 4, &[(10, 20, 4)]).await;
    assert_eq!(over(database, 0, 100, 9).await, [newest, with_a_gap, old]);
    assert_eq!(over(database, 10, 20, 9).await, [newest]);
    assert_eq!(over(database, 60, 70, 9).await, [with_a_gap]);
    assert!(!over(database, 0, 100, 9).await.contains(&hidden));
    assert_eq!(over(database, 200, 300, 9).await, [0; 0]);
    let window = span(0, 100);
    let stored = database.feed_revisions_over("a", Quantity::Price, window, t(9)).await.unwrap();
    let sent = revision(4, &[(10, 20, 4)]);
    assert_eq!(stored[0].pieces, sent.pieces);
    let meta = &stored[0].meta;
    assert_eq!((meta.issued, meta.received, meta.quality), (sent.issued, t(4), Quality::Forecast));
    assert_eq!((&*meta.zone, meta.notes.len(), meta.span), ("FR", 2, span(10, 20)));
}

async fn what_was_received_later_was_not_known_then(bench: Bench) {
    let first = keep(&bench.database, 10, &[(0, 100, 1)]).await;
    keep(&bench.database, 20, &[(0, 100, 2)]).await;
    assert_eq!(over(&bench.database, 0, 100, 19).await, [first]);
    assert_eq!(over(&bench.database, 0, 100, 9).await, [0; 0]);
}

/// 600 revisions, each of two hours, a minute apart: the window of one is found among them all.
async fn a_year_of_revisions_is_read_back_only_as_far_as_needed(bench: Bench) {
    for n in 0..600 {
        keep(&bench.database, n * 60, &[(n * 60, n * 60 + 7200, n)]).await;
    }
    let found = over(&bench.database, 30_000, 37_200, 30_000).await;
    assert_eq!(found, [501], "the one received at 30,000 covers the window");
    let (from, to) = (0, 600 * 60);
    assert_eq!(over(&bench.database, from, to, to).await.len(), 600);
}

async fn pages_of_revisions_go_back_in_time(bench: Bench) {
    let database = &bench.database;
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.push(keep(database, n, &[(0, 1, n)]).await);
    }
    let page = async |before| {
        let page = database.feed_revisions_page("a", before, 2).await.unwrap();
        page.iter().map(|meta| meta.id.get()).collect::<Vec<_>>()
    };
    assert_eq!(page(None).await, [ids[4], ids[3]]);
    assert_eq!(page(Some(ids[3])).await, [ids[2], ids[1]]);
    assert_eq!(page(Some(ids[0])).await, [0; 0]);
}

/// The second was received last, the fourth speaks of another time.
async fn revisions_that_touch_a_window_come_page_by_page_the_newest_first(bench: Bench) {
    let database = &bench.database;
    let mut ids = Vec::new();
    for (received, start) in [(10, 0), (40, 5), (20, 0), (30, 90), (20, 8)] {
        ids.push(keep(database, received, &[(start, start + 10, 1)]).await);
    }
    let page = async |before| {
        let window = span(0, 10);
        let page = database.feed_revisions_touching("a", Quantity::Price, window, before, 2, 9);
        page.await.unwrap()
    };
    let first = page(None).await;
    let last = first.last().map(|it| (it.meta.received, it.meta.id));
    let second = page(last).await;
    let last = second.last().map(|it| (it.meta.received, it.meta.id));
    assert!(page(last).await.is_empty());
    let found: Vec<i64> = first.iter().chain(&second).map(|it| it.meta.id.get()).collect();
    assert_eq!(found, [ids[1], ids[4], ids[2], ids[0]]);
    assert_eq!(first[0].pieces[0].span, span(5, 15), "with its pieces");
}

/// Three revisions of three, two and one pieces, of which the last came last.
async fn a_page_of_revisions_that_touch_a_window_has_at_most_so_many_pieces(bench: Bench) {
    let database = &bench.database;
    for (received, pieces) in [(10, 3), (20, 2), (30, 1)] {
        let pieces: Vec<(i64, i64, i64)> = (0..pieces).map(|n| (n, n + 1, n)).collect();
        keep(database, received, &pieces).await;
    }
    let counts = async |most_pieces| {
        let (mut before, mut counts) = (None, Vec::new());
        loop {
            let page = database.feed_revisions_touching(
                "a",
                Quantity::Price,
                span(0, 10),
                before,
                9,
                most_pieces,
            );
            let page = page.await.unwrap();
            let Some(last) = page.last() else { return counts };
            before = Some((last.meta.received, last.meta.id));
            counts.push(page.iter().map(|it| it.pieces.len()).collect::<Vec<usize>>());
        }
    };
    assert_eq!(counts(6).await, [vec![1, 2, 3]]);
    assert_eq!(counts(5).await, [vec![1, 2], vec![3]]);
    assert_eq!(counts(2).await, [vec![1], vec![2], vec![3]]);
    assert_eq!(counts(0).await, [vec![1], vec![2], vec![3]]);
}

async fn the_news_of_a_quantity_says_from_when_on(bench: Bench) {
    let database = &bench.database;
    let none = database.feed_news(Quantity::Price, None).await.unwrap();
    assert_eq!((none.latest.get(), none.since), (0, None));
    keep(database, 1, &[(50, 60, 1)]).await;
    keep(database, 2, &[(20, 60, 1)]).await;
    let news = database.feed_news(Quantity::Price, Some(none.latest)).await.unwrap();
    assert_eq!(news.since, Some(t(20)));
    let later = database.feed_news(Quantity::Price, Some(news.latest)).await.unwrap();
    assert_eq!((later.latest, later.since), (news.latest, None));
    assert_eq!(database.feed_news(Quantity::Co2, None).await.unwrap().since, None);
}

fn state(last_poll: i64) -> FeedState {
    FeedState {
        last_poll: Some(t(last_poll)),
        last_success: Some(t(5)),
        failure: Some(FeedFailure {
            at: t(last_poll),
            class: "busy".into(),
            message: "busy with status 429".into(),
        }),
        validator: Some("etag:\"x\"".into()),
        next_poll: t(99),
        closed_until: t(90),
        failures_in_turn: 2,
        horizon: Some(t(1000)),
        grown: Some(t(4)),
        requests: 7,
        failures: 3,
        refresh: None,
    }
}

async fn a_source_s_state_is_kept_and_a_refresh_outlives_the_poll_under_way(bench: Bench) {
    let database = &bench.database;
    database.put_feed("a", &state(10)).await.unwrap();
    assert_eq!(database.feeds().await.unwrap(), [("a".to_owned(), state(10))]);
    database.refresh_feed("a", t(12)).await.unwrap();
    let refresh = async || database.feeds().await.unwrap()[0].1.refresh;
    // A poll that began before somebody asked does not answer them; the next one does.
    database.put_feed("a", &state(11)).await.unwrap();
    assert_eq!(refresh().await, Some(t(12)));
    database.put_feed("a", &state(12)).await.unwrap();
    assert_eq!(refresh().await, None);
    database.refresh_feed("b", t(12)).await.unwrap();
    assert_eq!(database.feeds().await.unwrap().len(), 2, "before it was ever asked");
}

async fn a_lease_has_one_holder_until_it_falls_silent(bench: Bench) {
    let database = &bench.database;
    let take = async |holder: &str, seen: Option<Seen>| {
        let lasts = Duration::from_millis(if holder == "two" { 3000 } else { 20_000 });
        let wanted = [WantedLease { name: "feed:a".to_owned(), lasts, seen }];
        !database.take_leases(holder, &wanted).await.unwrap().is_empty()
    };
    let seen = async || database.leases().await.unwrap().pop().map(|lease| lease.seen);
    assert!(take("one", None).await);
    assert!(take("one", None).await, "its holder renews it");
    assert!(!take("two", None).await);
    let before = seen().await;
    assert_eq!(before, Some(Seen { holder: "one".into(), beat: 2 }));
    assert!(take("one", None).await);
    assert!(!take("two", before).await, "it has beaten since");
    let silent = seen().await;
    assert!(take("two", silent.clone()).await);
    assert!(!take("three", silent).await, "somebody else was faster");
    let lasts = database.leases().await.unwrap()[0].lasts;
    assert_eq!(lasts, Duration::from_secs(3), "as long as its new holder says");
    assert!(!take("one", None).await, "lost");
    database.drop_leases("two").await.unwrap();
    assert!(take("one", None).await);
    database.drop_lease("two", "feed:a").await.unwrap();
    assert!(!take("two", None).await, "it is another's");
    database.drop_lease("one", "feed:a").await.unwrap();
    assert!(take("two", None).await);
}

async fn a_composed_agenda_is_in_force_with_its_provenance_and_may_take_values_away(bench: Bench) {
    let database = &bench.database;
    let meta = AgendaMeta {
        source: "feeds".into(),
        kind: "price in EUR/MWh".into(),
        quality: "estimated".into(),
        issued: None,
    };
    let values = |list: &[(i64, i64, i64)]| {
        let piece = |&(from, to, value): &(i64, i64, i64)| Piece { span: span(from, to), value };
        list.iter().map(piece).collect::<Vec<_>>()
    };
    let first = values(&[(0, 10, 1), (10, 20, 2)]);
    let put = async |window, pieces: &[Piece<i64>], provenance, now: Timestamp| {
        let composed = ComposedAgenda { span: window, pieces, provenance };
        database.put_composed(Quantity::Price, &meta, &composed, now).await.unwrap()
    };
    let one = put(span(0, 20), &first, "one", t(1)).await;
    let two = put(span(5, 15), &[], "two", t(2)).await;
    assert!(two > one);
    let shown = async |as_of| {
        let window = span(0, 100);
        let proven = database.proven_agenda(Quantity::Price, window, as_of).await.unwrap();
        let show = |it: &storage::ProvenPiece| {
            (it.piece.span, it.piece.value, it.revision.provenance.clone().unwrap())
        };
        proven.iter().map(show).collect::<Vec<_>>()
    };
    let one = || "one".to_owned();
    let now = [(span(0, 5), 1, one()), (span(15, 20), 2, one())];
    assert_eq!(shown(None).await, now);
    assert_eq!(shown(Some(t(2))).await, now);
    assert_eq!(shown(Some(t(1))).await, [(span(0, 10), 1, one()), (span(10, 20), 2, one())]);
    let changes = database.changes(None, None, t(0), true).await.unwrap();
    let (_, proven) = &changes.agendas.unwrap().proven[0];
    assert_eq!(proven.len(), 2);
}

async fn expectations_are_replaced(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let reservation = reservation(vec![offer(ranks(0..2), span(0, 10))]);
    propose(database, &reservation, 0).await.unwrap();
    let offer = reservation.offers[0].id;
    let gap = OfferExpectation { offer, cost: None, co2: None, cap_kept: None };
    let known = OfferExpectation {
        offer,
        cost: Some(Money::from_exact(-(10_i128.pow(37)), Currency::EUR)),
        co2: Some(CarbonMass::from_exact(1)),
        cap_kept: Some(false),
    };
    let expectation = |evaluated, offers: &[OfferExpectation]| {
        (reservation.id, Expectation { evaluated: t(evaluated), offers: offers.to_vec() })
    };
    let two = [expectation(1, &[gap]), expectation(2, &[known, gap])];
    database.put_expectations(&two).await.unwrap();
    assert_eq!(database.expectations(&[reservation.id]).await.unwrap(), [two[1].clone()]);
    let as_offered = expectation(3, &[]);
    database.put_expectations(std::slice::from_ref(&as_offered)).await.unwrap();
    assert_eq!(database.expectations(&[reservation.id]).await.unwrap(), [as_offered]);
    assert_eq!(database.expectations(&[]).await.unwrap(), []);
}

async fn reservations_are_judged_up_to_a_revision_and_only_what_is_new_and_to_come_is_left(
    bench: Bench,
) {
    let database = &bench.database;
    let meta = AgendaMeta {
        source: "a".into(),
        kind: "average".into(),
        quality: "forecast".into(),
        issued: None,
    };
    let put = async |quantity, start, end| {
        let pieces = [Piece { span: span(start, end), value: 1 }];
        database.put_agenda(quantity, &meta, &pieces, t(1)).await.unwrap()
    };
    let left = async |now| database.unjudged(t(now)).await.unwrap();
    assert_eq!(left(0).await, None);
    let first = put(Quantity::Price, 0, 10).await;
    let newest = put(Quantity::Co2, 20, 30).await;
    assert_eq!(left(5).await, Some(Unjudged { newest, span: Some(span(5, 30)) }));
    database.put_judged(first).await.unwrap();
    assert_eq!(left(5).await, Some(Unjudged { newest, span: Some(span(20, 30)) }));
    assert_eq!(left(30).await, Some(Unjudged { newest, span: None }), "it is over");
    database.put_judged(newest).await.unwrap();
    database.put_judged(first).await.unwrap();
    assert_eq!(left(5).await, None, "what was judged later counts");
    // The first cap is news for all, those after it for what they touch.
    let newest = put(Quantity::PowerCap, 40, 50).await;
    let span_to_come = Span::new(t(5), Timestamp::MAX);
    assert_eq!(left(5).await, Some(Unjudged { newest, span: span_to_come }));
    database.put_judged(newest).await.unwrap();
    let newest = put(Quantity::PowerCap, 60, 70).await;
    assert_eq!(left(5).await, Some(Unjudged { newest, span: Some(span(60, 70)) }));
}

async fn asking_sources_does_not_count_as_a_change_of_the_book(bench: Bench) {
    let before = bench.database.marks().await.unwrap();
    keep(&bench.database, 1, &[(50, 60, 1)]).await;
    bench.database.put_feed("a", &state(10)).await.unwrap();
    let lease = WantedLease { name: "x".to_owned(), lasts: Duration::from_secs(20), seen: None };
    bench.database.take_leases("one", &[lease]).await.unwrap();
    assert_eq!(bench.database.marks().await.unwrap(), before);
}
