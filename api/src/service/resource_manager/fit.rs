//! What must hold between the settings and the resource manager, said in the same words wherever it is looked at.

use planner::resource_manager::CLOCKS_AGREE;

/// Who may make reservations.
pub const RIGHTS: &str = "the user of [slurm] must be root, Slurm's own user or an operator";

/// What is to be told of a clock that is so many seconds ahead of ours; `None` where it agrees.
pub fn told_of_clock(ahead_s: i64) -> Option<String> {
    (ahead_s.abs() > CLOCKS_AGREE.get()).then(|| {
        let direction = if ahead_s > 0 { "ahead of" } else { "behind" };
        format!(
            "its clock is {} s {direction} this machine's: its reservations begin and end by its own; keep both \
             by NTP",
            ahead_s.abs()
        )
    })
}

/// What is to be told where reservations may not be made, or it is not known; `None` where they may.
pub fn told_of_rights(may_write: Option<bool>) -> Option<String> {
    match may_write {
        Some(true) => None,
        Some(false) => Some(format!("no reservations may be made: {RIGHTS}")),
        None => Some("it was not said whether reservations may be made".to_owned()),
    }
}

/// What is to be told of another cluster than that of the settings; `None` where it is that, or one of them is
/// not known.
pub fn told_of_cluster(ours: Option<&str>, theirs: Option<&str>) -> Option<String> {
    let (ours, theirs) = (ours?, theirs?);
    (ours != theirs).then(|| {
        format!(
            "the controller is of the cluster {theirs:?}, and [slurm] cluster is {ours:?}; correct rest, or \
             cluster"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_that_differ_are_told() {
        assert_eq!(told_of_clock(-5), None);
        assert!(told_of_clock(65).unwrap().starts_with("its clock is 65 s ahead of"));
        assert!(told_of_clock(-6).unwrap().starts_with("its clock is 6 s behind"));
    }

    #[test]
    fn another_cluster_is_told_where_both_have_names() {
        assert!(told_of_cluster(Some("a"), Some("b")).unwrap().contains("cluster \"b\""));
        for (ours, theirs) in [(None, Some("b")), (Some("b"), None), (Some("b"), Some("b"))] {
            assert_eq!(told_of_cluster(ours, theirs), None);
        }
    }
}
