//! The compromise: the start that gives up least of what is best.
//!
//! Of the starts on the Pareto front each loses, against the least on the front, in energy, cost, CO2 and delay; each loss is
//! told in parts of the range on the front, from 0 to 1, and nothing is lost where all are equal. The compromise is the start
//! whose largest loss is least, the earliest of equals. This is the Chebyshev distance to the ideal point, with which
//! compromise programming begins (Zeleny, *Compromise Programming*, 1973).

use std::cmp::Ordering;

/// Energy, cost, CO2 and delay of a start, each in its exact unit.
pub type FourAmounts = [i128; 4];

/// The position of the compromise among the starts of a front, which are in time order; `None` where there are none.
///
/// Exact for amounts whose range fits into an `i128`.
pub fn compromise(front: &[FourAmounts]) -> Option<usize> {
    let mut ranges = (*front.first()?).map(|amount| (amount, amount));
    for amounts in front {
        for ((least, most), &amount) in ranges.iter_mut().zip(amounts) {
            (*least, *most) = ((*least).min(amount), (*most).max(amount));
        }
    }
    let largest_loss = |amounts: &FourAmounts| -> Loss {
        let losses = amounts.iter().zip(ranges).map(|(amount, (least, most))| Loss {
            lost: amount - least,
            range: (most - least).max(1),
        });
        losses.fold(Loss::NONE, Ord::max)
    };
    // The first of equals is the earliest.
    (0..front.len()).min_by_key(|&index| largest_loss(&front[index]))
}

/// What is lost of a range: a fraction from 0 to 1.
#[derive(Clone, Copy, Debug)]
struct Loss {
    lost: i128,
    range: i128,
}

impl Loss {
    const NONE: Self = Self { lost: 0, range: 1 };
}

impl Ord for Loss {
    /// By Euclid's algorithm, so that no product must fit into an integer: first the whole parts decide, and then, the other way
    /// around, what is left of each divides.
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut one, mut two) = (*self, *other);
        loop {
            let wholes = (one.lost / one.range).cmp(&(two.lost / two.range));
            let (left_of_one, left_of_two) = (one.lost % one.range, two.lost % two.range);
            match (wholes, left_of_one, left_of_two) {
                (Ordering::Equal, 0, _) | (Ordering::Equal, _, 0) => {
                    return left_of_one.cmp(&left_of_two);
                }
                (Ordering::Equal, ..) => {
                    let inverse = Self { lost: two.range, range: left_of_two };
                    two = Self { lost: one.range, range: left_of_one };
                    one = inverse;
                }
                (decided, ..) => return decided,
            }
        }
    }
}

impl PartialOrd for Loss {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Loss {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Loss {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three starts on a front: now, in an hour and in four.
    ///
    /// | start | energy | cost | CO2 | delay | losses | largest |
    /// |---|---|---|---|---|---|---|
    /// | 0:00 | 100 | 30 | 50 | 0 | 0, 20/20, 20/20, 0 | 1 |
    /// | 1:00 | 100 | 16 | 35 | 3600 | 0, 6/20, 5/20, 1/4 | 0.3 |
    /// | 4:00 | 100 | 10 | 30 | 14400 | 0, 0, 0, 1 | 1 |
    #[test]
    fn the_compromise_loses_least_of_what_it_loses_most() {
        let front = [[100, 30, 50, 0], [100, 16, 35, 3600], [100, 10, 30, 14400]];
        assert_eq!(compromise(&front), Some(1));
        // Alone the two others lose everything in something: the earlier is taken.
        assert_eq!(compromise(&[front[0], front[2]]), Some(0));
        assert_eq!(compromise(&front[2..]), Some(0));
        assert_eq!(compromise(&[]), None);
    }

    /// 1/3 of 3 x 10^37 and 1/3 less one of it differ in the last of 38 digits.
    #[test]
    fn losses_are_compared_exactly() {
        let third = 10_i128.pow(37);
        let loss = |lost| Loss { lost, range: 3 * third };
        assert_eq!(loss(third), Loss { lost: 1, range: 3 });
        assert!(loss(third - 1) < Loss { lost: 1, range: 3 });
        assert!(Loss { lost: 2, range: 5 } < Loss { lost: 3, range: 7 }, "0.4 and 0.428");
        assert!(Loss { lost: 7, range: 7 } > Loss { lost: 6, range: 7 });
        assert_eq!(Loss { lost: 0, range: 9 }, Loss::NONE);
    }
}
