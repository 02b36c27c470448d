//! The values of options as sbatch reads them: time limits, numbers of nodes and tasks, features.

use crate::cli::booking::time::slurm_seconds;

/// A job's time limit in seconds: whole minutes, as Slurm rounds them up.
///
/// # Errors
/// What is no limit in one of Slurm's spellings, and no limit at all.
pub fn time_limit(text: &str) -> Result<i64, String> {
    let unlimited = ["-1", "INFINITE", "UNLIMITED"].iter().any(|it| it.eq_ignore_ascii_case(text));
    let digits = |it: u8| it.is_ascii_digit() || it == b':' || it == b'-';
    let read = slurm_seconds(text).filter(|_| text.bytes().all(digits));
    match read {
        Some(seconds) if seconds > 0 && !unlimited => {
            let minutes = seconds.checked_add(59).map(|it| it / 60);
            minutes.and_then(|it| it.checked_mul(60)).ok_or_else(|| "is too long".to_owned())
        }
        None if !unlimited => Err(
            "is not a time limit such as 90 (minutes), 90:00, 1:30:00, 1-12, 1-12:30 or 1-12:30:00"
                .to_owned(),
        ),
        _ => Err("a job without a limit cannot be booked; give it one".to_owned()),
    }
}

/// The least and the greatest number of nodes that a job would take: `4`, `4-8`, `1k`, and of newer versions
/// `1,2,4` and `4-8:2`.
///
/// # Errors
/// What is no number of nodes.
pub fn node_count(text: &str) -> Result<(u32, u32), String> {
    let told = || "is not a number of nodes such as 4 or 4-8".to_owned();
    let sizes = text.split(',').map(|size| {
        let (range, _step) = size.split_once(':').unwrap_or((size, ""));
        let (least, most) = range.split_once('-').unwrap_or((range, range));
        Some((nodes(least)?, nodes(most)?))
    });
    let sizes: Vec<(u32, u32)> = sizes.collect::<Option<_>>().ok_or_else(told)?;
    let least = sizes.iter().map(|(least, _)| *least).min().ok_or_else(told)?;
    let most = sizes.iter().map(|(_, most)| *most).max().ok_or_else(told)?;
    match least {
        0 => Err("a job needs a node at least".to_owned()),
        least if most < least => Err("the greatest number is less than the least".to_owned()),
        least => Ok((least, most)),
    }
}

/// A number of nodes; `k` stands for 1024 and `m` for 1024 times that.
fn nodes(text: &str) -> Option<u32> {
    let text = text.trim();
    let (digits, factor) = match text.as_bytes().last()?.to_ascii_lowercase() {
        b'k' => (&text[..text.len() - 1], 1024),
        b'm' => (&text[..text.len() - 1], 1024 * 1024),
        _ => (text, 1),
    };
    whole_number(digits)?.checked_mul(factor)
}

/// A number of tasks or processors.
///
/// # Errors
/// What is no whole number above zero: sbatch refuses `-n 0` too.
pub fn count(text: &str) -> Result<u32, String> {
    let read = whole_number(text).filter(|count| *count > 0);
    read.ok_or_else(|| "is not a whole number above zero".to_owned())
}

fn whole_number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

/// The features that every node of a job must have, such as `nvme&a100`.
///
/// # Errors
/// Alternatives, counts and groups of features, which the service does not know.
pub fn features(text: &str) -> Result<Vec<String>, String> {
    let plain =
        |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | ':' | '/' | '=' | '+');
    let names: Vec<&str> = text.split('&').map(str::trim).collect();
    if names.iter().any(|name| name.is_empty() || !name.chars().all(plain)) {
        return Err("the service books nodes that have all of the features, such as nvme&a100; \
                    it knows no other constraints"
            .to_owned());
    }
    Ok(names.into_iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `sbatch --test-only -vv --time=...` of Slurm 22.05 and 26.05 makes of each.
    #[test]
    fn time_limits_are_slurms() {
        for (text, minutes) in [
            ("90", 90),
            ("90:30", 91), // minutes:seconds, rounded up
            ("90:75", 92), // 91:15
            ("0:30", 1),
            ("1:30:00", 90),
            ("1-12", 36 * 60),
            ("1-12:30", 36 * 60 + 30),
            ("1-2:3:4", 26 * 60 + 4), // 26:03:04
            ("1-25", 49 * 60),
        ] {
            assert_eq!(time_limit(text), Ok(minutes * 60), "{text}");
        }
        for text in ["", "2h", "1:", ":1", " 5", "+5", "1.5", "1:2:3:4", "1-2-3", "soon"] {
            assert!(time_limit(text).unwrap_err().starts_with("is not a time limit"), "{text}");
        }
        for text in ["0", "0:00", "0-0", "-1", "infinite", "UNLIMITED"] {
            assert!(time_limit(text).unwrap_err().starts_with("a job without a limit"), "{text}");
        }
    }

    #[test]
    fn numbers_of_nodes_are_slurms() {
        for (text, read) in [
            ("4", (4, 4)),
            ("4-8", (4, 8)),
            ("4 - 8", (4, 8)),
            ("1k", (1024, 1024)),
            ("2-1K", (2, 1024)),
            ("1,2,4", (1, 4)),
            ("4-8:2", (4, 8)),
        ] {
            assert_eq!(node_count(text), Ok(read), "{text}");
        }
        for text in ["", "0", "-4", "8-4", "4-", "+4", "four", "1k1", "4294967296", "4m4m", "9999m"]
        {
            assert!(node_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn features_that_all_nodes_have_can_be_said_and_nothing_else() {
        assert_eq!(features("nvme"), Ok(vec!["nvme".to_owned()]));
        assert_eq!(features("nvme & a100").map(|it| it.join(" ")), Ok("nvme a100".to_owned()));
        for text in ["a|b", "[a|b]", "a*4", "(a&b)|c", "a&", "", "a,b"] {
            assert!(features(text).is_err(), "{text}");
        }
    }
}
