//! Least squares in which some days weigh more than others.

use nalgebra::{SMatrix, SVector};

use super::inputs::INPUTS;

/// A coefficient for each input.
pub(super) type Weights = SVector<f64, INPUTS>;

/// The sums of which coefficients are solved.
#[derive(Clone)]
pub(super) struct Regression {
    /// Sums of products of inputs, below the diagonal and on it.
    products: Box<SMatrix<f64, INPUTS, INPUTS>>,
    /// Sums of inputs times what came.
    moments: Weights,
}

impl Default for Regression {
    fn default() -> Self {
        Self { products: Box::new(SMatrix::zeros()), moments: SVector::zeros() }
    }
}

impl Regression {
    /// Learns that `came` followed on `inputs`.
    pub fn learn(&mut self, inputs: &[f64; INPUTS], came: f64, weight: f64) {
        let inputs = SVector::from_column_slice(inputs);
        self.products.syger(weight, &inputs, &inputs, 1.0);
        self.moments.axpy(weight * came, &inputs, 1.0);
    }

    /// Learns all that the other has learnt.
    pub fn add(&mut self, other: &Self) {
        *self.products += &*other.products;
        self.moments += &other.moments;
    }

    /// The coefficients of ridge regression, drawn to zero by `shrink` times what each input varies: 0.3 makes those of
    /// unrelated inputs a factor of 1.3 smaller. `None` where nothing is learnt.
    pub fn coefficients(&self, shrink: f64) -> Option<Weights> {
        let mut ridge = *self.products;
        let least = 1e-9 * ridge.trace() / INPUTS as f64;
        for index in 0..INPUTS {
            ridge[(index, index)] += shrink * ridge[(index, index)] + least;
        }
        Some(ridge.cholesky()?.solve(&self.moments))
    }
}
