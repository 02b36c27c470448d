//! Least squares in which some days weigh more than others.

use nalgebra::{DMatrix, DVector, DVectorView};

/// A coefficient for each input.
pub(super) type Weights = DVector<f64>;

/// The sums of which coefficients are solved.
#[derive(Clone)]
pub(super) struct Regression {
    /// Sums of products of inputs, below the diagonal and on it.
    products: DMatrix<f64>,
    /// Sums of inputs times what came.
    moments: Weights,
}

impl Regression {
    /// Nothing learnt yet of so many inputs.
    pub fn of(inputs: usize) -> Self {
        Self { products: DMatrix::zeros(inputs, inputs), moments: DVector::zeros(inputs) }
    }

    /// Learns that `came` followed on `inputs`.
    pub fn learn(&mut self, inputs: &[f64], came: f64, weight: f64) {
        let inputs = DVectorView::from_slice(inputs, inputs.len());
        self.products.syger(weight, &inputs, &inputs, 1.0);
        self.moments.axpy(weight * came, &inputs, 1.0);
    }

    /// Learns all that the other has learnt.
    pub fn add(&mut self, other: &Self) {
        self.products += &other.products;
        self.moments += &other.moments;
    }

    /// The coefficients of ridge regression, drawn to `centre`, or to zero, by `shrink` times what each input varies: 0.3 makes
    /// those of unrelated inputs a factor of 1.3 smaller. `None` where nothing is learnt.
    pub fn coefficients(&self, shrink: f64, centre: Option<&Weights>) -> Option<Weights> {
        let (mut ridge, mut moments) = (self.products.clone(), self.moments.clone());
        let least = 1e-9 * ridge.trace() / ridge.nrows() as f64;
        for index in 0..ridge.nrows() {
            let drawn = shrink * ridge[(index, index)] + least;
            ridge[(index, index)] += drawn;
            moments[index] += drawn * centre.map_or(0.0, |centre| centre[index]);
        }
        Some(ridge.cholesky()?.solve(&moments))
    }
}
