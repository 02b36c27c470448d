//! Who may see what of the ledger: the one place that says so.

use super::LedgerError;
use crate::service::shared::Access;

/// Whose rows a caller is told of those that they ask for, by user and project: `None` are everybody's, also those that
/// are nobody's. Operators see all, managers what is their project's; others what they ran and what ran in their
/// reservations.
///
/// # Errors
/// They ask by name for the rows of another user, and are neither operator nor manager of the project they ask for.
pub(in crate::service) fn visible(
    access: Access<'_>,
    asked: Option<&str>,
    project: Option<&str>,
) -> Result<Option<String>, LedgerError> {
    if access.is_operator() || project.is_some_and(|project| access.manages(project)) {
        return Ok(None);
    }
    match asked {
        Some(user) if user != access.owner => Err(LedgerError::AnothersRows),
        _ => Ok(Some(access.owner.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::shared::CallerKind;

    #[test]
    fn users_see_what_is_theirs_and_operators_everything() {
        let seen = |kind, asked| visible(Access::of("ada", kind), asked, Some("ocean"));
        for kind in [CallerKind::Operator, CallerKind::LocalUser] {
            assert_eq!(seen(kind, None).unwrap(), None);
            assert_eq!(seen(kind, Some("bob")).unwrap(), None);
        }
        for kind in [CallerKind::User, CallerKind::Site] {
            assert_eq!(seen(kind, None).unwrap().as_deref(), Some("ada"));
            assert_eq!(seen(kind, Some("ada")).unwrap().as_deref(), Some("ada"));
            assert!(matches!(seen(kind, Some("bob")), Err(LedgerError::AnothersRows)));
        }
    }
}
