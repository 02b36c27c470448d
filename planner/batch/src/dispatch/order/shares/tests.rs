//! Worked examples of shares.

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

/// The ranks of users 0 to 2.
fn ranks(order: &mut ShareOrder, now: Time) -> Vec<i64> {
    order.prepare(now);
    let mut units = UnitRequests::default();
    let unit = units.id(UnitRequest::of(&[1], 1));
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
    (0..3).map(rank).collect()
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
