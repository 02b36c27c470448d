//! The stretches of jobs in baseline instances, as long as others are compared with them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Stretches by job number.
pub type Stretches = Arc<[f64]>;

/// Of one baseline.
#[derive(Default)]
struct Baseline {
    stretches: Mutex<Option<Stretches>>,
    /// How many instances will still be compared with it.
    left: Mutex<usize>,
}

/// By instance; of those that are no baselines nothing is kept.
pub struct Baselines(Vec<Baseline>);

impl Baselines {
    /// For so many instances, of which these are played and compared with those baselines.
    pub fn new(instances: usize, compared: impl Iterator<Item = usize>) -> Self {
        let baselines: Vec<Baseline> = (0..instances).map(|_| Baseline::default()).collect();
        for baseline in compared {
            *locked(&baselines[baseline].left) += 1;
        }
        Self(baselines)
    }

    /// The stretches of a baseline, which `play` gives where nobody has played it yet; others wait for them.
    pub fn get<E>(
        &self,
        baseline: usize,
        play: impl FnOnce() -> Result<Stretches, E>,
    ) -> Result<Stretches, E> {
        let mut stretches = locked(&self.0[baseline].stretches);
        if let Some(known) = &*stretches {
            return Ok(Arc::clone(known));
        }
        let played = play()?;
        // Nothing is kept where nobody will ask.
        if *locked(&self.0[baseline].left) > 0 {
            *stretches = Some(Arc::clone(&played));
        }
        Ok(played)
    }

    /// An instance was compared with it: after the last one its stretches are given up.
    pub fn compared(&self, baseline: usize) {
        let last = {
            let mut left = locked(&self.0[baseline].left);
            *left = left.saturating_sub(1);
            *left == 0
        };
        if last {
            *locked(&self.0[baseline].stretches) = None;
        }
    }
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instances 1 and 2 are compared with instance 0.
    #[test]
    fn a_baseline_is_played_once_and_given_up_after_the_last() {
        let baselines = Baselines::new(3, [0, 0].into_iter());
        let played = |value: f64| move || Ok::<Stretches, ()>(Arc::from([value]));
        assert_eq!(*baselines.get(0, played(1.0)).unwrap(), [1.0]);
        assert_eq!(*baselines.get(0, played(2.0)).unwrap(), [1.0]);
        baselines.compared(0);
        assert_eq!(*baselines.get(0, played(2.0)).unwrap(), [1.0]);
        baselines.compared(0);
        assert_eq!(*baselines.get(0, played(2.0)).unwrap(), [2.0]);
        assert!(baselines.get(1, || Err(())).is_err());
    }
}
