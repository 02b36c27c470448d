//! 95 % confidence intervals of means and of ratios of means over runs, as half-widths.

use super::measures::mean;

/// Half of the 95 % confidence interval of the mean; `None` below two values.
///
/// `t * s / sqrt(n)`, with Student's `t` of `n - 1` degrees of freedom and the sample's standard
/// deviation `s`.
pub(crate) fn half_width(values: &[f64]) -> Option<f64> {
    let centre = mean(values)?;
    let freedom = values.len().checked_sub(1).filter(|&freedom| freedom > 0)?;
    let squares: f64 = values.iter().map(|value| (value - centre) * (value - centre)).sum();
    let deviation = (squares / freedom as f64).sqrt();
    Some(student_t(freedom) * deviation / (values.len() as f64).sqrt())
}

/// What is saved of the reference, as a fraction of it, from pairs (value, reference).
///
/// The ratio of the means, as the paper's table compares its means, and not the mean of the runs'
/// ratios. `None` without pairs, or where the reference is nothing.
pub(super) fn saving(pairs: &[(f64, f64)]) -> Option<f64> {
    let (value, reference) = means(pairs)?;
    Some((reference - value) / reference.abs())
}

/// Half of the 95 % confidence interval of [`saving`]; `None` below two pairs.
///
/// By linearisation: for a ratio `r` of means it is that of the mean of `value - r * reference`,
/// over the mean reference. What a pair has in common (a hard month is hard for both) cancels.
pub(super) fn saving_half_width(pairs: &[(f64, f64)]) -> Option<f64> {
    let (value, reference) = means(pairs)?;
    let ratio = value / reference;
    let residuals: Vec<f64> = pairs.iter().map(|(value, base)| value - ratio * base).collect();
    Some(half_width(&residuals)? / reference.abs())
}

fn means(pairs: &[(f64, f64)]) -> Option<(f64, f64)> {
    let (values, references): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    mean(&values).zip(mean(&references)).filter(|&(_, reference)| reference != 0.0)
}

/// The 97.5 % quantile of Student's t distribution for small degrees of freedom, from 1.
const STUDENT_T: [f64; 10] = [
    12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
    2.262_157, 2.228_139,
];

/// The 97.5 % quantile of Student's t distribution: the table, and beyond it the expansion of
/// Abramowitz and Stegun, 26.7.5, which is good to 1e-5 there.
fn student_t(freedom: usize) -> f64 {
    if let Some(&quantile) = freedom.checked_sub(1).and_then(|index| STUDENT_T.get(index)) {
        return quantile;
    }
    let (z, v): (f64, f64) = (1.959_963_985, freedom as f64);
    let z2 = z * z;
    // The terms' polynomials in z, by Horner's rule.
    let first = z * (z2 + 1.0) / 4.0;
    let second = z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
    let third = z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0;
    let fourth = z * ((((79.0 * z2 + 776.0) * z2 + 1482.0) * z2 - 1920.0) * z2 - 945.0) / 92_160.0;
    z + (first + (second + (third + fourth / v) / v) / v) / v
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: Option<f64>, expected: f64, tolerance: f64) -> bool {
        value.is_some_and(|value| (value - expected).abs() < tolerance)
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, quantile) in
            [(1, 12.706_205), (10, 2.228_139), (11, 2.200_985), (30, 2.042_272), (99, 1.984_217)]
        {
            assert!((student_t(freedom) - quantile).abs() < 1e-5, "{freedom}");
        }
    }

    /// 1, 2, 3: mean 2, standard deviation 1, t(2) = 4.302653; 4.302653 / sqrt(3) = 2.484138.
    #[test]
    fn half_width_by_hand() {
        assert!(near(half_width(&[1.0, 2.0, 3.0]), 2.484_138, 1e-6));
        assert_eq!(half_width(&[1.0]), None);
        assert_eq!(half_width(&[]), None);
    }

    /// Always three quarters of the reference: a quarter saved, without any doubt, however much
    /// the runs differ.
    #[test]
    fn pairing_removes_what_runs_have_in_common() {
        let pairs = [(75.0, 100.0), (7.5, 10.0), (150.0, 200.0)];
        assert!(near(saving(&pairs), 0.25, 1e-12));
        assert!(near(saving_half_width(&pairs), 0.0, 1e-12));
        assert!(near(saving(&[(-4.0, -2.0)]), 1.0, 1e-12));
        assert_eq!(saving(&[(1.0, 0.0)]), None);
        assert_eq!(saving(&[]), None);
    }
}
