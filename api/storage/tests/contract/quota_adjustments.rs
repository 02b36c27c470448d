//! Quota adjustments: stored, changed, ended, and read by whoever decides.

use planner::identity::QuotaAdjustmentId;
use planner::quota::{QuotaKey, QuotaLimit, QuotaPeriod, QuotaRule, RuleBudgets, date_and_time};
use storage::{Database, QuotaAdjustmentFilter, StoredQuotaAdjustment};

use crate::bench::{Bench, next_uuid, on_both_engines, t};

on_both_engines![
    adjustments_come_back_as_they_were,
    an_adjustment_makes_earlier_plans_wrong,
    one_that_has_yet_to_begin_is_taken_back,
    who_read_an_earlier_one_changes_nothing,
    those_of_an_instant_are_listed_page_by_page,
    names_in_adjustments_are_erased,
];

fn adjustment(user: &str, from: i64, to: Option<i64>) -> StoredQuotaAdjustment {
    let id = QuotaAdjustmentId::new(next_uuid());
    let limit = |text: &str| Some(QuotaLimit::parse(text).unwrap());
    let at = |text: &str| date_and_time(text).unwrap();
    StoredQuotaAdjustment {
        id,
        made_by: "olga".to_owned(),
        reason: "the paper is due".to_owned(),
        created: t(0),
        row_version: 1,
        from: t(from),
        to: to.map(t),
        rule: QuotaRule {
            key: QuotaKey::of("gpu", "/", "*", user).unwrap(),
            nodes: limit("0.5*ALL"),
            reservations: limit("-1"),
            node_hours: None,
            budgets: RuleBudgets {
                cost: limit("12.5"),
                with_below: true,
                ..RuleBudgets::default()
            },
            per: Some(QuotaPeriod::Fixed {
                from: at("2026-10-01 00:00"),
                to: at("2027-04-01 06:30"),
            }),
            adjustment: Some(id),
        },
    }
}

async fn lasting(database: &Database, now: i64) -> Vec<StoredQuotaAdjustment> {
    database.quota_adjustments(QuotaAdjustmentFilter::EndingAfter(t(now)), None, 100).await.unwrap()
}

async fn adjustments_come_back_as_they_were(bench: Bench) {
    let database = &bench.database;
    let once = adjustment("ada", 10, Some(20));
    let mut weekly = adjustment("/", 5, None);
    weekly.rule.per = Some(QuotaPeriod::Week);
    for made in [&once, &weekly] {
        database.create_quota_adjustment(made).await.unwrap();
    }
    assert_eq!(lasting(database, 19).await, [once.clone(), weekly.clone()]);
    assert_eq!(lasting(database, 20).await, [weekly.clone()]);
    let ended = database.end_quota_adjustment(weekly.id, t(30)).await.unwrap().unwrap();
    assert_eq!(ended, StoredQuotaAdjustment { to: Some(t(30)), row_version: 2, ..weekly });
    assert_eq!(database.quota_adjustment(ended.id).await.unwrap(), Some(ended.clone()));
    let again = database.end_quota_adjustment(ended.id, t(40)).await.unwrap();
    assert_eq!(again, Some(ended));
    assert_eq!(lasting(database, 30).await, []);
    let nobody = QuotaAdjustmentId::new(next_uuid());
    assert_eq!(database.end_quota_adjustment(nobody, t(0)).await.unwrap(), None);
    assert_eq!(database.quota_adjustment(nobody).await.unwrap(), None);
}

async fn an_adjustment_makes_earlier_plans_wrong(bench: Bench) {
    let database = &bench.database;
    let before = database.marks().await.unwrap();
    let made = adjustment("ada", 0, None);
    database.create_quota_adjustment(&made).await.unwrap();
    let after = database.marks().await.unwrap();
    assert_eq!(after.version, before.version + 1);
    let read = async |known| {
        database.changes(Some(known), None, t(9), true).await.unwrap().quota_adjustments
    };
    assert_eq!(read(before).await, Some(vec![made.clone()]));
    assert_eq!(read(after).await, None);
    let lower = StoredQuotaAdjustment { to: Some(t(50)), ..made.clone() };
    assert!(database.change_quota_adjustment(&lower, t(9)).await.unwrap());
    let lower = StoredQuotaAdjustment { row_version: 2, ..lower };
    let changed = database.marks().await.unwrap();
    assert_eq!((changed.version, read(after).await), (after.version + 1, Some(vec![lower])));
    // One that has ended is read still: what runs is judged as a whole.
    database.end_quota_adjustment(made.id, t(9)).await.unwrap();
    assert_eq!(database.marks().await.unwrap().version, changed.version + 1);
    assert_eq!(read(changed).await.unwrap()[0].to, Some(t(9)));
}

async fn one_that_has_yet_to_begin_is_taken_back(bench: Bench) {
    let database = &bench.database;
    let made = adjustment("ada", 100, Some(200));
    database.create_quota_adjustment(&made).await.unwrap();
    let ended = database.end_quota_adjustment(made.id, t(50)).await.unwrap().unwrap();
    assert_eq!(ended.to, Some(t(100)));
    assert_eq!(database.quota_adjustment(made.id).await.unwrap(), None);
}

async fn who_read_an_earlier_one_changes_nothing(bench: Bench) {
    let database = &bench.database;
    let made = adjustment("ada", 0, None);
    database.create_quota_adjustment(&made).await.unwrap();
    let nodes = |text: &str| {
        let mut new = made.clone();
        new.rule.nodes = Some(QuotaLimit::parse(text).unwrap());
        new
    };
    assert!(database.change_quota_adjustment(&nodes("8"), t(1)).await.unwrap());
    let version = database.marks().await.unwrap().version;
    assert!(!database.change_quota_adjustment(&nodes("9"), t(2)).await.unwrap());
    assert_eq!(database.marks().await.unwrap().version, version);
    let stored = database.quota_adjustment(made.id).await.unwrap().unwrap();
    assert_eq!(stored, StoredQuotaAdjustment { row_version: 2, ..nodes("8") });
}

async fn those_of_an_instant_are_listed_page_by_page(bench: Bench) {
    let database = &bench.database;
    let made = [(0, Some(10)), (5, None), (10, Some(20)), (30, None)]
        .map(|(from, to)| adjustment("ada", from, to));
    for it in &made {
        database.create_quota_adjustment(it).await.unwrap();
    }
    let listed = async |filter, after, limit| {
        let all = database.quota_adjustments(filter, after, limit).await.unwrap();
        all.iter().map(|it| made.iter().position(|one| one == it).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(listed(QuotaAdjustmentFilter::All, None, 9).await, [0, 1, 2, 3]);
    assert_eq!(listed(QuotaAdjustmentFilter::All, Some(made[0].id), 2).await, [1, 2]);
    assert_eq!(listed(QuotaAdjustmentFilter::InForceAt(t(9)), None, 9).await, [0, 1]);
    assert_eq!(listed(QuotaAdjustmentFilter::InForceAt(t(10)), None, 9).await, [1, 2]);
    assert_eq!(listed(QuotaAdjustmentFilter::EndingAfter(t(20)), None, 9).await, [1, 3]);
}

async fn names_in_adjustments_are_erased(bench: Bench) {
    let database = &bench.database;
    let made = adjustment("ada", 0, None);
    database.create_quota_adjustment(&made).await.unwrap();
    let known = database.marks().await.unwrap();
    for name in ["ada", "olga"] {
        database.erase_person(name, &format!("erased-{name}"), None, t(5)).await.unwrap();
    }
    let changes = database.changes(Some(known), None, t(9), true).await.unwrap();
    let erased = &changes.quota_adjustments.unwrap()[0];
    assert_eq!(erased.made_by, "erased-olga");
    assert_eq!(erased.rule.key.user.to_string(), "erased-ada");
}
