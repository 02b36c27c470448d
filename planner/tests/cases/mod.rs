//! Runs a property on random problems.
//!
//! `WATTBOOK_PROPERTY_CASES` says how many, 10,000 by default.

use std::fmt::Debug;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};

/// How many problems a property is tried on.
pub fn cases() -> u32 {
    match std::env::var("WATTBOOK_PROPERTY_CASES") {
        Ok(cases) => cases.parse().expect("WATTBOOK_PROPERTY_CASES is a number"),
        Err(_) => 10_000,
    }
}

/// Panics with the smallest sketch found of which `property` panics.
pub fn for_every<S: Debug>(cases: u32, sketches: impl Strategy<Value = S>, property: impl Fn(&S)) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&sketches, |sketch| {
        property(&sketch);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
