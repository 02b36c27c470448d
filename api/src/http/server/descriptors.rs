//! How many connections the operating system lets the process have.

/// Descriptors that are kept for the database, suppliers and files: a quarter, within bounds.
const KEPT: std::ops::RangeInclusive<u64> = 16..=256;

/// Raises the limit of descriptors as far as the process may, and says how many connections it has
/// room for, at most `wanted`.
pub fn connections(wanted: usize) -> usize {
    let descriptors = match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(descriptors) => descriptors,
        Err(error) => {
            tracing::warn!(%error, "cannot find out how many descriptors there may be");
            return wanted;
        }
    };
    let connections = room(descriptors).min(wanted);
    if connections < wanted {
        tracing::warn!(
            descriptors,
            connections,
            wanted,
            "the operating system allows fewer connections than the settings"
        );
    } else {
        tracing::info!(descriptors, connections, "at most so many connections at a time");
    }
    connections
}

fn room(descriptors: u64) -> usize {
    let kept = (descriptors / 4).clamp(*KEPT.start(), *KEPT.end());
    usize::try_from(descriptors.saturating_sub(kept)).unwrap_or(usize::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_descriptors_are_kept() {
        assert_eq!(room(256), 192);
        assert_eq!(room(1024), 768);
        assert_eq!(room(1_048_576), 1_048_320);
        assert_eq!(room(8), 1);
    }
}
