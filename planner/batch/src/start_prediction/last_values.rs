//! The last values of each user, and of all users.

use std::collections::{BTreeMap, VecDeque};

/// The last so many values, the first first.
#[derive(Clone, Debug)]
pub(super) struct LastValues {
    /// How many are remembered of a user, and of all users.
    most: (usize, usize),
    of_users: BTreeMap<Box<str>, VecDeque<f64>>,
    of_all: VecDeque<f64>,
}

impl LastValues {
    /// Remembers so many values of a user, and of all users.
    pub const fn new(of_user: usize, of_all: usize) -> Self {
        Self { most: (of_user, of_all), of_users: BTreeMap::new(), of_all: VecDeque::new() }
    }

    /// A value of `user`.
    pub fn learn(&mut self, user: &str, value: f64) {
        if !self.of_users.contains_key(user) {
            self.of_users.insert(user.into(), VecDeque::new());
        }
        let of_user = self.of_users.get_mut(user).map(|of_user| (of_user, self.most.0));
        for (values, most) in of_user.into_iter().chain([(&mut self.of_all, self.most.1)]) {
            if values.len() == most {
                values.pop_front();
            }
            values.push_back(value);
        }
    }

    /// The values of `user`, where there are any.
    pub fn of_user(&self, user: &str) -> Option<&VecDeque<f64>> {
        self.of_users.get(user)
    }

    /// The values of all users.
    pub const fn of_all(&self) -> &VecDeque<f64> {
        &self.of_all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_values_are_forgotten() {
        let mut last = LastValues::new(2, 3);
        for (user, value) in [("ada", 1.0), ("bob", 2.0), ("ada", 3.0), ("ada", 4.0)] {
            last.learn(user, value);
        }
        assert!(last.of_user("ada").unwrap().iter().eq(&[3.0, 4.0]));
        assert!(last.of_all().iter().eq(&[2.0, 3.0, 4.0]));
        assert!(last.of_user("eve").is_none());
    }
}
