//! What of a quota is used, for whom.

use jiff::tz::TimeZone;
use planner::json::oar_quotas::read_oar_quotas;
use planner::quota::{QuotaHolding, QuotaMeasure, QuotaStanding, standings};

use crate::{MONDAY, at, holding, span, subject};

/// At 9 on Monday ada has 3 nodes in ocean until 10, bob 2 until 11; cleo has 4 from noon on.
fn held() -> [QuotaHolding; 3] {
    let hour = |from: i64, to: i64| span(MONDAY + from * 3600, MONDAY + to * 3600);
    [
        holding(subject("ocean", "", "ada"), 3, hour(8, 10)),
        holding(subject("", "", "bob"), 2, hour(8, 11)),
        holding(subject("", "", "cleo"), 4, hour(12, 13)),
    ]
}

/// Of whom, and what of nodes is allowed, used and left.
fn nodes(told: &[QuotaStanding]) -> Vec<(String, i128, i128, i128)> {
    let of_nodes = |it: &QuotaStanding| {
        let nodes = it.amounts.iter().find(|it| it.measure == QuotaMeasure::Nodes)?;
        Some((it.of.to_string(), nodes.limit?, nodes.used, nodes.left()?))
    };
    told.iter().filter_map(of_nodes).collect()
}

fn told(whose: Option<&str>) -> Vec<QuotaStanding> {
    let text =
        r#"{"quotas": {"*,*,*,*": 8, "*,*,*,/": 4, "*,ocean,*,*": [2, -1, -1], "*,ice,*,*": 6}}"#;
    let quotas = read_oar_quotas(text).unwrap();
    let nine = at(MONDAY + 9 * 3600);
    standings(&quotas, &TimeZone::UTC, (nine, whose), &held(), &|_| 32)
}

/// Ocean has 3 of 2, as the limit was higher before. Everybody's 8 say nothing, since each of them has a rule of their own.
#[test]
fn operators_see_all_who_hold_something() {
    let row = |of: &str, limit, used, left| (of.to_owned(), limit, used, left);
    assert_eq!(
        nodes(&told(None)),
        [
            row("*,*,*,bob", 4, 2, 2),
            row("*,*,*,cleo", 4, 0, 4),
            row("*,ocean,*,*", 2, 3, 0),
            row("*,ice,*,*", 6, 0, 6),
        ]
    );
}

/// Ada is told of herself outside of projects, where she holds nothing but what she has in all, and of the ocean.
#[test]
fn users_see_what_concerns_them() {
    let row = |of: &str, limit, used, left| (of.to_owned(), limit, used, left);
    assert_eq!(nodes(&told(Some("ada"))), [row("*,*,*,ada", 4, 3, 1), row("*,ocean,*,*", 2, 3, 0)]);
    assert_eq!(nodes(&told(Some("eve"))), [row("*,*,*,eve", 4, 0, 4)]);
}
