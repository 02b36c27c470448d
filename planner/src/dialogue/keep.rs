//! Who keeps power when a cap is lowered.
//!
//! Claims are gone through from the one that gives way last to the one that gives way first. Each
//! that fits beside those kept before it is kept; the others give way. So what is kept never exceeds
//! the cap, nobody gives way who would fit beside those before them, and what runs is protected
//! first whatever the site's order.

use crate::quantity::Power;
use crate::time::{Span, Timestamp};

use crate::headroom::Headroom;

/// Who gives way first among those that have not begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum YieldOrder {
    /// Who was confirmed last.
    #[default]
    LatestConfirmedFirst,
    /// Who has the lowest priority; among equals who was confirmed last.
    LowestPriorityFirst,
    /// Who has the lowest standing, by priority and share as the site weighs them; among equals who was confirmed last.
    LowestStandingFirst,
    /// Who reserves the most power; among equals who was confirmed last.
    LargestDrawFirst,
}

/// A confirmed reservation's power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The time for which it holds nodes.
    pub span: Span,
    /// What it counts against the cap.
    pub power: Power,
    /// Whether it has begun.
    pub active: bool,
    /// When it was confirmed.
    pub confirmed: Timestamp,
    /// The lowest gives way first where the site says so.
    pub priority: i64,
    /// By priority and share; the lowest gives way first where the site says so.
    pub standing: i64,
}

impl YieldOrder {
    /// The order of that word in settings.
    pub fn parse(word: &str) -> Option<Self> {
        [
            Self::LatestConfirmedFirst,
            Self::LowestPriorityFirst,
            Self::LowestStandingFirst,
            Self::LargestDrawFirst,
        ]
        .into_iter()
        .find(|order| order.word() == word)
    }

    /// The word in settings and notices.
    pub const fn word(self) -> &'static str {
        match self {
            Self::LatestConfirmedFirst => "latest_confirmed_first",
            Self::LowestPriorityFirst => "lowest_priority_first",
            Self::LowestStandingFirst => "lowest_standing_first",
            Self::LargestDrawFirst => "largest_draw_first",
        }
    }

    /// What sorts claims from the one that gives way last to the one that gives way first.
    fn rank(self, claim: &Claim) -> (bool, i64, Timestamp) {
        let first = match self {
            Self::LatestConfirmedFirst => 0,
            Self::LowestPriorityFirst => -claim.priority,
            Self::LowestStandingFirst => -claim.standing,
            Self::LargestDrawFirst => claim.power.as_microwatts(),
        };
        (!claim.active, first, claim.confirmed)
    }
}

/// Indexes of claims, from the one that gives way last to the one that gives way first.
pub fn turns(claims: &[Claim], order: YieldOrder) -> Vec<usize> {
    let mut turns: Vec<usize> = (0..claims.len()).collect();
    turns.sort_by_key(|&index| (order.rank(&claims[index]), index));
    turns
}

/// Which claims keep their power, by their index; what they take is no longer left.
/// `O(claims x steps of each)`.
pub fn keep(claims: &[Claim], order: YieldOrder, headroom: &mut Headroom) -> Vec<bool> {
    let mut kept = vec![false; claims.len()];
    for index in turns(claims, order) {
        let Claim { span, power, .. } = claims[index];
        if headroom.fits(span, power) {
            headroom.take(span, power);
            kept[index] = true;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use crate::agenda::{Agenda, Piece};
    use proptest::prelude::*;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    fn span(start: i64, end: i64) -> Span {
        Span::new(at(start), at(end)).unwrap()
    }

    const fn watts(watts: i64) -> Power {
        Power::from_microwatts(watts * 1_000_000)
    }

    fn cap(pieces: &[(i64, i64, i64)]) -> Agenda<Power> {
        let piece = |&(start, end, cap)| Piece { span: span(start, end), value: watts(cap) };
        Agenda::new(pieces.iter().map(piece).collect()).unwrap()
    }

    fn claim(start: i64, end: i64, power: i64, confirmed: i64) -> Claim {
        let (span, power) = (span(start, end), watts(power));
        Claim { span, power, active: false, confirmed: at(confirmed), priority: 0, standing: 0 }
    }

    fn kept(claims: &[Claim], order: YieldOrder, cap: &Agenda<Power>) -> Vec<bool> {
        let spans = claims.iter().map(|claim| claim.span);
        keep(claims, order, &mut Headroom::before_claims(cap, Power::ZERO, span(0, 100), spans))
    }

    /// The cap is 300 W, and 250 W in [10, 20). Confirmed in turn: 150 W, 100 W, 50 W, all over
    /// [10, 20): the first two take 250 W, the third gives way. A fourth of 50 W in [20, 30) fits.
    #[test]
    fn who_was_confirmed_last_gives_way_first() {
        let cap = cap(&[(0, 10, 300), (10, 20, 250), (20, 100, 300)]);
        let claims = [
            claim(5, 20, 150, 1),
            claim(10, 20, 100, 2),
            claim(10, 15, 50, 3),
            claim(20, 30, 50, 4),
        ];
        let order = YieldOrder::LatestConfirmedFirst;
        assert_eq!(kept(&claims, order, &cap), [true, true, false, true]);
    }

    /// 250 W for 150 + 100 + 50 W. By priority the first (priority 0) gives way: 100 + 50 W stay.
    /// By draw the first is the largest and gives way too; a smaller cap of 60 W leaves the 50 W.
    #[test]
    fn the_site_says_who_gives_way() {
        let mut claims = [claim(0, 10, 150, 1), claim(0, 10, 100, 2), claim(0, 10, 50, 3)];
        (claims[1].priority, claims[2].priority) = (5, 5);
        let cap_250 = cap(&[(0, 100, 250)]);
        let by_priority = kept(&claims, YieldOrder::LowestPriorityFirst, &cap_250);
        assert_eq!(by_priority, [false, true, true]);
        // By standing the last two go before the second.
        (claims[0].standing, claims[2].standing) = (9, 5);
        let by_standing = kept(&claims, YieldOrder::LowestStandingFirst, &cap_250);
        assert_eq!(by_standing, [true, false, true]);
        let by_draw = kept(&claims, YieldOrder::LargestDrawFirst, &cap_250);
        assert_eq!(by_draw, [false, true, true]);
        let by_draw = kept(&claims, YieldOrder::LargestDrawFirst, &cap(&[(0, 100, 60)]));
        assert_eq!(by_draw, [false, false, true]);
    }

    #[test]
    fn what_runs_is_protected_first_and_no_cap_is_no_reason() {
        let mut claims = [claim(0, 10, 100, 1), claim(0, 10, 100, 2)];
        claims[1].active = true;
        let cap = cap(&[(0, 10, 100)]);
        assert_eq!(kept(&claims, YieldOrder::default(), &cap), [false, true]);
        let none = Agenda::new(Vec::new()).unwrap();
        assert_eq!(kept(&claims, YieldOrder::default(), &none), [true, true]);
    }

    prop_compose! {
        fn claims()(
            raw in prop::collection::vec((0_i64..40, 1_i64..20, 1_i64..10, 0_i64..6, any::<bool>()), 0..12)
        ) -> Vec<Claim> {
            raw.into_iter().map(|(start, length, power, confirmed, active)| Claim {
                active,
                priority: power % 3,
                standing: power % 4,
                ..claim(start, start + length, power, confirmed)
            }).collect()
        }
    }

    proptest! {
        /// Second by second: what is kept is within the cap, and whoever gives way does not fit
        /// beside those that give way later than they do.
        #[test]
        fn kept_within_the_cap_and_nobody_gives_way_in_vain(
            claims in claims(),
            caps in prop::collection::vec(0_i64..25, 6),
            order in prop::sample::select(vec![
                YieldOrder::LatestConfirmedFirst,
                YieldOrder::LowestPriorityFirst,
                YieldOrder::LowestStandingFirst,
                YieldOrder::LargestDrawFirst,
            ]),
        ) {
            let starts = (0..).step_by(10);
            let pieces: Vec<_> = starts.zip(caps).map(|(at, cap)| (at, at + 10, cap)).collect();
            let cap = cap(&pieces);
            let kept = kept(&claims, order, &cap);
            let load = |second: i64, counts: &dyn Fn(usize) -> bool| -> i64 {
                (0..claims.len())
                    .filter(|&i| counts(i) && claims[i].span.contains(at(second)))
                    .map(|i| claims[i].power.as_microwatts())
                    .sum()
            };
            let limit = |second: i64| cap.at(at(second)).unwrap().as_microwatts();
            for second in 0..60 {
                let all = load(second, &|i| kept[i]);
                prop_assert!(all <= limit(second));
            }
            for i in (0..claims.len()).filter(|&i| !kept[i]) {
                let before = |j: usize| {
                    kept[j] && (order.rank(&claims[j]), j) < (order.rank(&claims[i]), i)
                };
                let breaks = |second: i64| {
                    claims[i].span.contains(at(second))
                        && load(second, &before) + claims[i].power.as_microwatts() > limit(second)
                };
                prop_assert!((0..60).any(breaks));
            }
        }
    }
}
