//! Systems as Slurm tells them: its settings (`slurm.conf`) and what `sinfo` prints, as a table or as JSON.
//!
//! A node has `cpu` (what Slurm's jobs count), `memory_mb`, and each generic resource by its name without its type, such as
//! `gpu`. Its features are properties. A partition is a queue with its limits of time and nodes; where it has not all nodes, these
//! have a property by its name.

mod conf;
mod sinfo;
mod sinfo_json;

use super::fault::SystemFault;
use super::listed::{ListedNode, ListedSystem};
use super::property;
use crate::time::Time;

pub use conf::read_slurm_conf;
pub use sinfo::read_sinfo;
pub use sinfo_json::read_sinfo_json;

/// What Slurm calls no resources.
const NOTHING: [&str; 4] = ["", "(null)", "N/A", "none"];

/// A node with processors, memory, generic resources and features, which have commas between them.
fn node(
    name: String,
    cpus: u32,
    memory_mb: u32,
    gres: &[(String, u32)],
    features: &str,
) -> ListedNode {
    let mut amounts = vec![("cpu".to_owned(), cpus)];
    // Slurm says 1 MB of nodes of which nobody said it.
    if memory_mb > 1 {
        amounts.push(("memory_mb".to_owned(), memory_mb));
    }
    amounts.extend(gres.iter().cloned());
    let features = features.split(',').map(str::trim).filter(|it| !NOTHING.contains(it));
    ListedNode { name, amounts, properties: features.map(property).collect(), draws: None }
}

/// What is wrong with a list of which no node came.
fn empty(system: &ListedSystem, expected: &str) -> Option<SystemFault> {
    let what = || format!("there is no node: {expected}");
    system.nodes.is_empty().then(|| SystemFault { line: 1, what: what() })
}

/// Reads generic resources: `gpu:2,mic:1`, `gpu:a100:2(S:0-1)`, `gpu`. Those of several types count together; those
/// that jobs do not use up are left out.
fn gres(text: &str) -> Result<Vec<(String, u32)>, String> {
    let mut plain = String::new();
    let mut depth = 0_u32;
    for it in text.trim().chars() {
        match it {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(it),
            _ => {}
        }
    }
    let mut all: Vec<(String, u32)> = Vec::new();
    for part in plain.split(',').map(str::trim).filter(|part| !NOTHING.contains(part)) {
        let mut words = part.split(':');
        let name = words.next().unwrap_or_default();
        let words: Vec<&str> = words.collect();
        if words.contains(&"no_consume") {
            continue;
        }
        let amount = match words.last() {
            Some(last) if last.starts_with(|it: char| it.is_ascii_digit()) => {
                amount(last).ok_or_else(|| format!("{part:?} has no amount such as gpu:2"))?
            }
            _ => 1,
        };
        match all.iter_mut().find(|(other, _)| other == name) {
            Some((_, sum)) => *sum = sum.saturating_add(amount),
            None => all.push((name.to_owned(), amount)),
        }
    }
    Ok(all)
}

/// An amount, which may be in K, M or G.
fn amount(text: &str) -> Option<u32> {
    let digits = text.trim_end_matches(|it: char| it.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "" => 1,
        "K" | "k" => 1 << 10,
        "M" | "m" => 1 << 20,
        "G" | "g" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u32>().ok()?.checked_mul(factor)
}

/// A limit of time: minutes, `30:00`, `01:00:00`, `1-12`, `1-12:30`, `7-00:00:00`; none where there is no limit.
fn max_time(text: &str) -> Result<Option<Time>, String> {
    if is_unlimited(text) {
        return Ok(None);
    }
    let numbers =
        |text: &str| text.split(':').map(str::parse).collect::<Result<Vec<u32>, _>>().ok();
    let seconds = match text.split_once('-') {
        Some((days, rest)) => {
            let days = days.parse::<u32>().ok();
            days.zip(numbers(rest)).and_then(|(days, it)| clock_s(days, &it, [3600, 60, 1]))
        }
        None => numbers(text).and_then(|it| match it.len() {
            1 | 2 => clock_s(0, &it, [60, 1, 1]),
            _ => clock_s(0, &it, [3600, 60, 1]),
        }),
    };
    let time = seconds.and_then(|seconds| Time::from_seconds_f64(seconds as f64));
    time.map(Some)
        .ok_or_else(|| format!("{text:?} is no limit such as 60 (minutes), 01:00:00 or 7-00:00:00"))
}

/// Whether there is no limit.
fn is_unlimited(text: &str) -> bool {
    ["UNLIMITED", "INFINITE", "n/a"].iter().any(|it| text.eq_ignore_ascii_case(it))
}

fn clock_s(days: u32, parts: &[u32], each_s: [i64; 3]) -> Option<i64> {
    let of_parts = parts.iter().zip(each_s).map(|(part, each)| i64::from(*part) * each);
    (parts.len() <= 3).then(|| i64::from(days) * 86_400 + of_parts.sum::<i64>())
}

/// The most nodes of a job: `4`, `1-4`, `1-infinite`, `UNLIMITED`.
fn max_nodes(text: &str) -> Result<Option<u32>, String> {
    let most = text.rsplit_once('-').map_or(text, |(_, most)| most);
    if is_unlimited(most) {
        return Ok(None);
    }
    most.parse().map(Some).map_err(|_| format!("{text:?} is no number of nodes such as 4 or 1-4"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_resources_count_by_name() {
        for (text, expected) in [
            ("(null)", vec![]),
            ("gpu:2,mic:1", vec![("gpu", 2), ("mic", 1)]),
            ("gpu:a100:4(S:0-1,3),gpu:h100:2", vec![("gpu", 6)]),
            (
                "gpu,craynetwork:4,bandwidth:lustre:no_consume:4G",
                vec![("gpu", 1), ("craynetwork", 4)],
            ),
            ("bandwidth:lustre:2K,gpu:a100", vec![("bandwidth", 2048), ("gpu", 1)]),
        ] {
            let expected: Vec<(String, u32)> =
                expected.into_iter().map(|(name, amount)| (name.to_owned(), amount)).collect();
            assert_eq!(gres(text), Ok(expected), "{text}");
        }
        assert!(gres("gpu:9999999999").is_err());
    }

    /// 1 day and 12 hours are 129,600 s.
    #[test]
    fn limits_are_read_in_all_their_spellings() {
        for (text, seconds) in [
            ("60", Some(3600)),
            ("30:00", Some(1800)),
            ("01:00:30", Some(3630)),
            ("1-12", Some(129_600)),
            ("1-12:30", Some(131_400)),
            ("7-00:00:01", Some(604_801)),
            ("UNLIMITED", None),
            ("infinite", None),
        ] {
            assert_eq!(max_time(text), Ok(seconds.map(Time::from_seconds)), "{text}");
        }
        assert!(max_time("soon").is_err() && max_time("1:2:3:4").is_err());
        // 11,574,074 days are less than 10^12 s, which is as long as time goes, and a day more is not.
        assert!(max_time("11574074-0").is_ok() && max_time("11574075-0").is_err());
        assert!(max_time("4294967295-0").is_err());
        assert_eq!(
            (max_nodes("1-infinite"), max_nodes("2-4"), max_nodes("8")),
            (Ok(None), Ok(Some(4)), Ok(Some(8)))
        );
    }
}
