//! The project that a request is for.

use super::{BookingError, BookingRequest, BookingService};
use crate::service::shared::{Access, CallerProjects};

impl BookingService {
    /// The request for the project that it names, if its sender may book for it; where it names none, for the only one
    /// that they are in.
    ///
    /// # Errors
    /// `NotInProject`; `NoProject` where the site wants one and it is not known which.
    pub fn with_project(
        &self,
        access: Access<'_>,
        mut request: BookingRequest,
    ) -> Result<BookingRequest, BookingError> {
        let Some(theirs) = access.projects else { return Ok(request) };
        if request.project.is_none() {
            let own = &theirs.of.own;
            request.project = own.first().filter(|_| own.len() == 1).cloned();
        }
        self.check_project(access, request.project.as_deref())?;
        Ok(request)
    }

    /// Whether somebody may book for a project, or for none.
    ///
    /// # Errors
    /// `NotInProject`; `NoProject` where the site wants one.
    pub(in crate::service) fn check_project(
        &self,
        access: Access<'_>,
        project: Option<&str>,
    ) -> Result<(), BookingError> {
        let Some(theirs) = access.projects.filter(|_| !access.is_operator()) else { return Ok(()) };
        match project {
            Some(project) if !theirs.include(project) => {
                let (project, theirs) = (project.to_owned(), names(theirs));
                Err(BookingError::NotInProject { project, theirs })
            }
            None if self.shared.settings.projects.required || theirs.within().is_some() => {
                Err(BookingError::NoProject { theirs: names(theirs) })
            }
            _ => Ok(()),
        }
    }
}

/// The projects that somebody is in.
fn names(theirs: &CallerProjects) -> Vec<String> {
    theirs.of.own.iter().cloned().collect()
}
