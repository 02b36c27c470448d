//! How long it takes to play parallel tasks of a file on a platform: `cargo bench -p network -- platform.xml tasks.txt`.
//!
//! A line of the file is a task whose hosts all send to each other: its start, how many hosts, these by number, what each
//! computes, and what each sends to each.

#![expect(clippy::unwrap_used, reason = "a benchmark may stop")]

use std::collections::HashMap;
use std::time::Instant;

use network::platform::HostId;
use network::tasks::{Execution, ParallelTask, TaskId};
use network::xml::read_network;

fn tasks(text: &str) -> Vec<(f64, ParallelTask)> {
    let mut words = text.split_whitespace();
    let mut tasks = Vec::new();
    while let Some(start) = words.next() {
        let count: usize = words.next().unwrap().parse().unwrap();
        let hosts = (0..count).map(|_| HostId(words.next().unwrap().parse().unwrap())).collect();
        let operations: f64 = words.next().unwrap().parse().unwrap();
        let bytes: f64 = words.next().unwrap().parse().unwrap();
        let each = |place: usize| if place.is_multiple_of(count + 1) { 0.0 } else { bytes };
        let bytes = (0..count * count).map(each).collect();
        let task = ParallelTask { hosts, operations: vec![operations; count], bytes };
        tasks.push((start.parse().unwrap(), task));
    }
    tasks
}

fn main() {
    let files: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let [platform, file] = files.as_slice() else {
        println!("left out: name a platform and a file of tasks");
        return;
    };
    let network = read_network(&std::fs::read_to_string(platform).unwrap()).unwrap();
    let tasks = tasks(&std::fs::read_to_string(file).unwrap());
    let begun = Instant::now();
    let mut execution = Execution::new(&network);
    let mut numbers = HashMap::<TaskId, usize>::new();
    let mut ends = vec![0.0; tasks.len()];
    let mut events = 0;
    let mut next = 0;
    loop {
        while let Some((_, task)) = tasks.get(next).filter(|(start, _)| *start <= execution.now()) {
            numbers.insert(execution.start(task).unwrap(), next);
            next += 1;
        }
        let start = tasks.get(next).map(|(start, _)| start - execution.now());
        let Some(step) = start.into_iter().chain(execution.until_next()).reduce(f64::min) else {
            break;
        };
        events += 1;
        for ended in execution.advance(step) {
            ends[numbers[&ended]] = execution.now();
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    eprintln!("{seconds:.3} s, {events} events, last end {:.9}", execution.now());
    for end in ends {
        println!("{end:.9}");
    }
}
