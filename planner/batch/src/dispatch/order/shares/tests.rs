//! Worked examples of shares.

use std::collections::BTreeSet;

use super::*;
use crate::dispatch::estimate::Estimate;
use crate::dispatch::system::System;
use crate::dispatch::unit::{UnitRequest, UnitRequests};

const HOUR: Time = Time::from_seconds(3600);

fn order(counted: &[Counted], said: &[(&str, &str)], shares: Option<&str>) -> ShareOrder {
    let said: Vec<(String, String)> =
        said.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let mut options = Options::new(&said);
    let system = System::of_one_resource("cores", 10, 1);
    let shares = shares.map(|text| SharesFile::parse(text).unwrap());
    let setting = OrderSetting { system: &system, shares: shares.as_ref() };
    let order = ShareOrder::new(&setting, &mut options, counted);
    assert!(options.rest().unwrap().is_empty());
    order
}

/// The ranks of users 0 to 2, as places from 1 on.
fn ranks(order: &mut ShareOrder, now: Time) -> Vec<i64> {
    order.prepare(now);
    let mut units = UnitRequests::default();
    let unit = units.id(&UnitRequest::of(&[1], 1));
    let rank = |user| {
        let estimate = Estimate::of(HOUR);
        let (arrival, units_of) = (0, 1);
        let job = Waiting {
            key: 0,
            arrival,
            submitted: Time::ZERO,
            estimate,
            limit: HOUR,
            unit,
            units: units_of,
            user,
            queue: None,
            rank: (0, 0),
        };
        order.rank(&job, &units, now).0
    };
    let ranks: Vec<i64> = (0..3).map(rank).collect();
    let different: BTreeSet<i64> = ranks.iter().copied().collect();
    let place =
        |rank: &i64| i64::try_from(different.iter().filter(|it| *it <= rank).count()).unwrap();
    ranks.iter().map(place).collect()
}

fn used(user: u32, seconds: f64, joules: f64) -> Used {
    Used { user, seconds, joules }
}

/// User 0 used 100 s an hour ago, which is 50 s now (a half-life of an hour), user 1 used 60 s now, user 2 nothing: 2, 0, 1. An hour
/// ago user 1 would have been better off.
#[test]
fn what_was_used_decays() {
    let mut order = order(&[Counted::Seconds], &[("half_life_s", "3600")], None);
    for name in ["ada", "bob", "eve"] {
        order.user(name);
    }
    assert_eq!(ranks(&mut order, Time::ZERO), [1, 1, 1]);
    order.ended(HOUR, used(0, 100.0, 1.0));
    assert_eq!(ranks(&mut order, HOUR), [2, 1, 1]);
    order.ended(HOUR + HOUR, used(1, 60.0, 500.0));
    assert_eq!(ranks(&mut order, HOUR + HOUR), [2, 3, 1]);
}

/// By joules the order is another. By both: user 0 has 100 of 100 s and 1 of 500 J, 1 + 0.002 = 1.002; user 1 60 of 100 s and 500 of
/// 500 J, 0.6 + 1 = 1.6.
#[test]
fn energy_and_both_count_alike() {
    for (counted, expected) in [
        (&[Counted::Seconds][..], [3, 2, 1]),
        (&[Counted::Joules], [2, 3, 1]),
        (&[Counted::Seconds, Counted::Joules], [2, 3, 1]),
    ] {
        for damping in [None, Some(("damping", "1"))] {
            let said: Vec<(&str, &str)> = damping.into_iter().collect();
            let mut order = order(counted, &said, None);
            for name in ["ada", "bob", "eve"] {
                order.user(name);
            }
            order.ended(HOUR, used(0, 100.0, 1.0));
            order.ended(HOUR, used(1, 60.0, 500.0));
            assert_eq!(ranks(&mut order, HOUR), expected, "{counted:?} {damping:?}");
        }
    }
}

/// Shares of 3 and 1: 100 s of three quarters are 133, 60 s of a quarter 240. Who is not listed is given 1 as well; a group's
/// members stand as the group's tree says.
#[test]
fn usage_is_over_the_share() {
    let mut order = order(&[Counted::Seconds], &[], Some("account,share\nada,3\nbob,1\n"));
    for name in ["ada", "bob", "eve"] {
        order.user(name);
    }
    order.ended(HOUR, used(0, 100.0, 0.0));
    order.ended(HOUR, used(1, 60.0, 0.0));
    assert_eq!(ranks(&mut order, HOUR), [2, 3, 1]);
    // 10 cores for an hour, decayed over a week: nearly 36,000 s. bob's share is a fifth: 2^-(60 / 36,000 x 5) = 0.9942.
    let factors = order.factors(HOUR);
    assert!((factors[1] - 0.9942).abs() < 1e-4, "{factors:?}");
    assert!((factors[2] - 1.0).abs() < 1e-12);
}

fn named(order: &mut ShareOrder) {
    for name in ["ada", "bob", "eve"] {
        order.user(name);
    }
}

/// The factors of equation 4 are near these.
fn assert_factors(order: &mut ShareOrder, now: Time, expected: [f64; 3]) {
    let factors = order.factors(now);
    let near = factors.iter().zip(expected).all(|(it, expected)| (it - expected).abs() < 1e-4);
    assert!(near, "{factors:?}");
}

/// The paper's example (III-B) on 10 cores in place of 50: in the last 100 hours ada ended five jobs of 30 hours on 2 cores, 300 of
/// 1,000 core-hours: `U = 0.3` (equation 3). Of three with equal shares `S = 1/3` (equation 1): `2^(-0.3 x 3) = 0.5359`, with a damping
/// of 2 `2^-0.45 = 0.7320` (equation 4). Of what counts half after 100 hours the five jobs, ended now, are `0.3 x ln 2 / (1 - 1/2) =
/// 0.4159`: `2^-1.2477 = 0.4211`.
#[test]
fn the_papers_example_has_its_factor() {
    let now = Time::from_seconds(100 * 3600);
    for (said, expected) in [
        (&[("half_life_s", "never")][..], 0.5359),
        (&[("half_life_s", "never"), ("damping", "2")], 0.7320),
        (&[("half_life_s", "360000")], 0.4211),
    ] {
        let mut order = order(&[Counted::Seconds], said, None);
        named(&mut order);
        for _ in 0..5 {
            order.ended(now, used(0, 30.0 * 3600.0 * 2.0, 0.0));
        }
        assert_factors(&mut order, now, [expected, 1.0, 1.0]);
    }
}

/// Half for physics, where ada and bob are alike, and half for ocean, where eve is alone. In 10 s of 10 cores ada used 30 core-seconds,
/// bob 10: of both counts what their group used as well, `0.3 + (0.4 - 0.3) / 2 = 0.35` and `0.1 + (0.4 - 0.1) / 2 = 0.25`, over a
/// quarter each: `2^-1.4 = 0.3789` and `2^-1 = 0.5`; eve has 1. The order is that of 1.4, 1 and 0. When eve uses 80, over a half, she is the
/// last: 1.6.
#[test]
fn members_of_a_group_stand_by_the_tree() {
    let shares =
        "account,share,parent\nphysics,1,\nocean,1,\nada,1,physics\nbob,1,physics\neve,1,ocean\n";
    let now = Time::from_seconds(10);
    let said = [("half_life_s", "never")];
    let mut order = order(&[Counted::Seconds], &said, Some(shares));
    named(&mut order);
    order.ended(now, used(0, 30.0, 0.0));
    order.ended(now, used(1, 10.0, 0.0));
    assert_factors(&mut order, now, [0.3789, 0.5, 1.0]);
    assert_eq!(ranks(&mut order, now), [3, 2, 1]);
    order.ended(now, used(2, 80.0, 0.0));
    assert_eq!(ranks(&mut order, now), [2, 1, 3]);
}

/// In 100 s of 10 cores, a watt each, with a third for everybody, ada used 300 core-seconds and 300 J: 0.9 of her share of each; bob
/// 667 core-seconds, 2 of his share, and no energy; eve 667 J alone. By usage ada goes first: `0.9/2 + 0.9/2 = 0.9`, and the others
/// have `2/2 + 0 = 1`. By factors, of which the largest is 1 in both, she has `2 x 2^-0.9 = 1.07` and they `2^-2 + 1 = 1.25`.
#[test]
fn factors_favour_who_spares_one_of_both() {
    let now = Time::from_seconds(100);
    for (damping, expected) in [(None, [1, 2, 2]), (Some(("damping", "1")), [2, 1, 1])] {
        let said: Vec<(&str, &str)> =
            [("half_life_s", "never")].into_iter().chain(damping).collect();
        let mut order = order(&[Counted::Seconds, Counted::Joules], &said, None);
        named(&mut order);
        order.ended(now, used(0, 300.0, 300.0));
        order.ended(now, used(1, 2000.0 / 3.0, 0.0));
        order.ended(now, used(2, 0.0, 2000.0 / 3.0));
        assert_eq!(ranks(&mut order, now), expected, "{damping:?}");
    }
}

#[test]
fn files_of_shares_are_checked() {
    let tree = SharesFile::parse("account,share,parent\nphysics,2,\nada,1,physics\n").unwrap();
    assert_eq!(tree.accounts[1].parent, Some(0));
    for (text, told) in [
        ("user,share\n", "line 1: the columns must be account, share"),
        ("account,share\nada,1\nada,2\n", "line 3: the account ada is there already"),
        ("account,share\nada,many\n", "line 2: \"many\" is no share"),
        ("account,share,parent\nada,1,physics\n", "line 2: there is no account physics"),
        ("account,share,parent\na,1,b\nb,1,a\n", "is a part of itself"),
    ] {
        let error = SharesFile::parse(text).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}
