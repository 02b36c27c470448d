//! The choice among starts of several sites: what one search would answer that knew all of them.
//!
//! A site tells the starts on its own front. What brings data there and back adds the same to all starts of the site, so that no other of
//! its starts can be on the front of all sites together: front, winners and compromise come from what sites tell.

use super::{Feasible, choose, pareto};
use crate::compromise::compromise;
use crate::ranking::Ranking;
use crate::request::Tolerances;
use crate::time::{Seconds, Span, Timestamp};

/// A start at a site, as it is compared with those of other sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteStart {
    /// The instant that counts as its start: with as much later as its results arrive later.
    pub counted_start: Timestamp,
    /// Energy, cost and CO2 in their exact units, in the order of [`Criterion::ALL`](crate::criterion::Criterion::ALL).
    pub amounts: [i128; 3],
}

/// Which starts are best: positions among those that were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteChoice {
    /// Those that no other beats in energy, cost, CO2 and time, in time order.
    pub front: Vec<usize>,
    /// Those of the front that win rankings, in time order.
    pub winners: Vec<(usize, Vec<Ranking>)>,
    /// The one of the front that gives up least of what is best.
    pub compromise: Option<usize>,
}

/// Chooses among starts of sites. Of equal ones at one instant, the first that is given wins.
pub fn choose_among_sites(starts: &[SiteStart], tolerances: &Tolerances) -> SiteChoice {
    let mut feasible: Vec<Feasible> = starts.iter().enumerate().filter_map(feasible).collect();
    feasible.sort_by_key(|it| (it.span.start(), it.shape));
    let front = pareto::front(&feasible).into_iter().map(|it| feasible[it]);
    let front: Vec<Feasible> = front.collect();
    let given = |index: usize| front[index].shape;
    let winners = choose::winners(&front, tolerances).into_iter();
    let four_amounts: Vec<_> = front.iter().map(Feasible::four_amounts).collect();
    SiteChoice {
        winners: winners.map(|(index, rankings)| (given(index), rankings)).collect(),
        compromise: compromise(&four_amounts).map(given),
        front: (0..front.len()).map(given).collect(),
    }
}

/// A start whose position stands where shapes do: both decide among equals alone.
fn feasible((position, start): (usize, &SiteStart)) -> Option<Feasible> {
    let span = Span::starting(start.counted_start, Seconds::ONE)?;
    Some(Feasible { span, shape: position, amounts: start.amounts, state: 0 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn start(at: i64, amounts: [i128; 3]) -> SiteStart {
        SiteStart { counted_start: Timestamp::from_unix_seconds(at), amounts }
    }

    /// Of two sites one is cheap and the other clean; the start of the third, between them, wins no ranking.
    #[test]
    fn the_compromise_may_be_at_a_site_that_wins_no_ranking() {
        let starts = [start(0, [4, 1, 9]), start(0, [4, 9, 1]), start(0, [4, 3, 3])];
        let choice = choose_among_sites(&starts, &Tolerances::default());
        assert_eq!(choice.front, [0, 1, 2]);
        assert_eq!(choice.winners.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(choice.compromise, Some(2));
    }

    #[test]
    fn of_equal_sites_the_first_wins_and_of_none_nothing() {
        let starts = [start(5, [1, 1, 1]), start(5, [1, 1, 1]), start(6, [1, 1, 1])];
        let choice = choose_among_sites(&starts, &Tolerances::default());
        assert_eq!(choice.winners, [(0, Ranking::ALL.to_vec())]);
        assert_eq!(choose_among_sites(&[], &Tolerances::default()), SiteChoice::default());
    }

    proptest! {
        /// Fronts of the sites are enough: the choice is that among all starts of all sites.
        #[test]
        fn fronts_of_sites_give_the_choice_among_all_their_starts(
            sites in prop::collection::vec(
                (prop::collection::vec((0_i64..6, [0_i128..4, 0..4, 0..4]), 0..12), 0_i64..3, [0_i128..3, 0..3, 0..3]),
                1..4,
            ),
        ) {
            let none = Tolerances::default();
            let (mut all, mut told) = (Vec::new(), Vec::new());
            for (starts, later, more) in sites {
                let there: Vec<SiteStart> = starts.iter().map(|(at, it)| start(*at, *it)).collect();
                let with_data = |it: &SiteStart| SiteStart {
                    counted_start: it.counted_start + Seconds::new(later),
                    amounts: std::array::from_fn(|index| it.amounts[index] + more[index]),
                };
                told.extend(choose_among_sites(&there, &none).front.iter().map(|it| with_data(&there[*it])));
                all.extend(there.iter().map(with_data));
            }
            let (of_all, of_told) = (choose_among_sites(&all, &none), choose_among_sites(&told, &none));
            let won = |choice: &SiteChoice, starts: &[SiteStart]| -> Vec<(Ranking, SiteStart)> {
                let each = choice.winners.iter().flat_map(|(index, rankings)| rankings.iter().map(|it| (*it, starts[*index])));
                let mut each: Vec<_> = each.collect();
                each.sort_by_key(|(ranking, _)| *ranking);
                each
            };
            prop_assert_eq!(won(&of_all, &all), won(&of_told, &told));
            prop_assert_eq!(of_all.compromise.map(|it| all[it]), of_told.compromise.map(|it| told[it]));
        }
    }
}
