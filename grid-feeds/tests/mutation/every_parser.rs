//! Every parser is given mutations of its own text, for a number of cases or for a time.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::cases;
use crate::mutation::mutation;
use crate::parser::{Parser, parsers};

/// The most changes of one text.
const MAX_MUTATIONS: usize = 8;

#[test]
fn no_mutation_makes_a_parser_panic_or_accept_the_impossible() {
    let seconds = variable("WATTBOOK_FUZZ_SECONDS").and_then(|text| text.parse().ok());
    let at_once = variable("WATTBOOK_FUZZ_AT_ONCE").and_then(|text| text.parse().ok()).unwrap_or(1);
    let part = variable("WATTBOOK_FUZZ_PARSERS").unwrap_or_default();
    let parsers = parsers().into_iter().filter(|parser| parser.name.contains(&part));
    let waiting = Mutex::new(parsers);
    let next = || waiting.lock().unwrap().next();
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(parser) = next() {
                    try_for(&parser, seconds.map(Duration::from_secs));
                }
            });
        }
    });
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

/// Tries a parser for one round of cases, or for as many as fit into `time`.
fn try_for(parser: &Parser, time: Option<Duration>) {
    assert!((parser.accepts)(parser.text), "{} refuses its own text", parser.name);
    let began = Instant::now();
    let (mut tried, mut accepted) = (0_u64, 0_u64);
    loop {
        let mutations = prop::collection::vec(mutation(), 1..=MAX_MUTATIONS);
        let counts = std::cell::Cell::new((0, 0));
        let outcome = TestRunner::new(cases()).run(&mutations, |mutations| {
            let apply = |text: String, mutation: &crate::mutation::Mutation| mutation.apply(&text);
            let mutated = mutations.iter().fold(parser.text.to_owned(), apply);
            let (tried, accepted) = counts.get();
            let accepts = (parser.accepts)(&mutated);
            counts.set((tried + 1, accepted + u64::from(accepts)));
            Ok(())
        });
        if let Err(failure) = outcome {
            panic!("{}: {failure}", parser.name);
        }
        tried += counts.get().0;
        accepted += counts.get().1;
        if time.is_none_or(|time| began.elapsed() >= time) {
            break;
        }
    }
    if time.is_some() {
        let seconds = began.elapsed().as_secs();
        println!("{}: {tried} executions in {seconds} s, {accepted} accepted", parser.name);
    }
}
