//! The project that a request is for.

use super::{BookingError, BookingRequest, BookingService};
use crate::service::shared::Access;

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
        let named = || theirs.of.own.iter().cloned().collect();
        match &request.project {
            Some(project) if !access.is_operator() && !theirs.include(project) => {
                let (project, theirs) = (project.clone(), named());
                Err(BookingError::NotInProject { project, theirs })
            }
            Some(_) => Ok(request),
            None => {
                let own = &theirs.of.own;
                request.project = own.first().filter(|_| own.len() == 1).cloned();
                let is_needed = self.shared.settings.projects.required && !access.is_operator();
                if request.project.is_none() && is_needed {
                    return Err(BookingError::NoProject { theirs: named() });
                }
                Ok(request)
            }
        }
    }
}
