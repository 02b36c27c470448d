//! How accounts stand, as it was found last, for whoever decides by it.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use planner::fair_share::ShareFactor;

/// Factors by user and project.
type Factors = HashMap<(String, String), ShareFactor>;

/// How users stand in their projects.
#[derive(Debug, Default)]
pub struct ShareFactors(RwLock<Arc<Factors>>);

impl ShareFactors {
    /// Replaces all.
    pub fn post(&self, factors: Factors) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(factors);
    }

    /// How a user stands in a project, empty for none: the best where they used nothing.
    pub fn of(&self, user: &str, project: &str) -> ShareFactor {
        let factors = Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner));
        let known = factors.get(&(user.to_owned(), project.to_owned()));
        known.copied().unwrap_or(ShareFactor::BEST)
    }
}
