//! Wholes in whole parts, by the largest remainder (Hamilton's method): parts sum to the whole exactly.

/// `total` in parts proportional to `weights`, which are not negative: each is rounded down, and those with the
/// largest remainders, the first among equals, get one more until nothing is left. Without any weight the
/// first part is the whole.
pub fn split(total: i128, weights: &[u128]) -> Vec<i128> {
    let all: u128 = weights.iter().sum();
    if all == 0 {
        let mut parts = vec![0; weights.len()];
        if let Some(first) = parts.first_mut() {
            *first = total;
        }
        return parts;
    }
    let all = all.cast_signed();
    let share = |weight: &u128| {
        let product = total * weight.cast_signed();
        (product.div_euclid(all), product.rem_euclid(all))
    };
    one_more(&weights.iter().map(share).collect::<Vec<_>>(), total)
}

/// Exact amounts in whole units of `unit` that sum to the sum of all, rounded half up: each is rounded
/// down, and those with the largest remainders, the first among equals, get one more.
pub fn rounded(exact: &[i128], unit: i128) -> Vec<i64> {
    let sum: i128 = exact.iter().sum();
    let (whole, part) = (sum.div_euclid(unit), sum.rem_euclid(unit));
    rounded_to(whole + i128::from(part >= unit - part), exact, unit)
}

/// Exact amounts in whole units of `unit` that sum to `total`, which is their sum rounded down, or one more: each is
/// rounded down, and those with the largest remainders, the first among equals, get one more.
pub fn rounded_to(total: i128, exact: &[i128], unit: i128) -> Vec<i64> {
    let share = |it: &i128| (it.div_euclid(unit), it.rem_euclid(unit));
    let parts = one_more(&exact.iter().map(share).collect::<Vec<_>>(), total);
    parts.into_iter().map(|part| i64::try_from(part).unwrap_or(i64::MAX)).collect()
}

/// Parts rounded down with their remainders, and one more for the largest of these until they sum to `total`.
fn one_more(shares: &[(i128, i128)], total: i128) -> Vec<i128> {
    let given: i128 = shares.iter().map(|(whole, _)| whole).sum();
    let left = usize::try_from(total - given).unwrap_or_default();
    let mut parts: Vec<i128> = shares.iter().map(|(whole, _)| *whole).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(shares[index].1));
    for &index in order.iter().take(left) {
        parts[index] += 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 10 in parts of 1 : 1 : 1 is 3.33 each: the first gets the one that is left. 7 in parts of 3 : 2 is 4.2
    /// and 2.8: the second has the larger remainder.
    #[test]
    fn the_largest_remainders_get_what_is_left() {
        assert_eq!(split(10, &[1, 1, 1]), [4, 3, 3]);
        assert_eq!(split(7, &[3, 2]), [4, 3]);
        assert_eq!(split(7, &[0, 0]), [7, 0]);
        assert_eq!(split(0, &[]), [0; 0]);
    }

    /// 0.6 + 0.6 + 0.6 = 1.8 is 2: the first two. -0.4 - 0.4 = -0.8 is -1: each is -1 rounded down, with a
    /// remainder of 0.6; one of them, the first, gets one back.
    #[test]
    fn roundings_sum_to_the_rounded_sum() {
        assert_eq!(rounded(&[6, 6, 6], 10), [1, 1, 0]);
        assert_eq!(rounded(&[-4, -4], 10), [0, -1]);
        assert_eq!(rounded(&[5], 10), [1]);
        assert_eq!(rounded(&[], 10), [0; 0]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(total in 0_i128..1 << 60, weights in prop::collection::vec(0_u128..1 << 50, 1..9)) {
            let parts = split(total, &weights);
            prop_assert_eq!(parts.iter().sum::<i128>(), total);
            let all: u128 = weights.iter().sum();
            for (part, weight) in parts.iter().zip(&weights).filter(|_| all > 0) {
                let exact = total * weight.cast_signed();
                let apart = part * all.cast_signed() - exact;
                prop_assert!(apart.abs() < all.cast_signed(), "less than one from its share");
            }
        }

        #[test]
        fn rounded_amounts_are_less_than_one_off(exact in prop::collection::vec(-1_i128 << 90..1 << 90, 0..9), unit in 1_i128..1 << 60) {
            prop_assume!(exact.iter().all(|it| (it / unit).abs() < 1 << 60));
            let parts = rounded(&exact, unit);
            let sum: i128 = exact.iter().sum();
            let total: i128 = parts.iter().map(|part| i128::from(*part)).sum();
            prop_assert!((2 * total * unit - 2 * sum).abs() <= unit, "the total is the nearest");
            for (part, exact) in parts.iter().zip(&exact) {
                prop_assert!((i128::from(*part) * unit - exact).abs() < unit, "a part is less than one off");
            }
        }
    }
}
